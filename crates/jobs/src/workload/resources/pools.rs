//! Amounts of pools that jobs ask for, licences above all, in the words of Slurm:
//! `matlab:2,abaqus`.

/// The amounts that a text lists, by name in the order of the text; a name without an amount is
/// one. A licence of a server (`matlab@flex:2`) has the server in its name. `None` if the text is
/// no such list, or lists a name twice.
pub fn amounts_of_pools(text: &str) -> Option<Vec<(&str, u32)>> {
    let mut all: Vec<(&str, u32)> = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (name, amount) = match part.split_once([':', '=']) {
            Some((name, amount)) => (name, amount.parse().ok()?),
            None => (part, 1),
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.@/".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_name) || all.iter().any(|&(other, _)| other == name) {
            return None;
        }
        all.push((name, amount));
    }
    Some(all)
}

/// The text that lists these amounts.
pub fn listed<'a>(amounts: impl IntoIterator<Item = (&'a str, u32)>) -> String {
    let part = |(name, amount)| format!("{name}:{amount}");
    amounts.into_iter().map(part).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_slurm_lists_them() {
        for (text, amounts) in [
            ("matlab:2,abaqus:10", vec![("matlab", 2), ("abaqus", 10)]),
            ("matlab", vec![("matlab", 1)]),
            ("ansys@flex1:3, comsol=0", vec![("ansys@flex1", 3), ("comsol", 0)]),
        ] {
            assert_eq!(amounts_of_pools(text), Some(amounts.clone()), "{text}");
            assert_eq!(amounts_of_pools(&listed(amounts.clone())), Some(amounts), "{text}");
        }
        for bad in ["", ",", "matlab:", "matlab:x", "matlab:-1", "a|b", "a:1,a:2", ":2", "a:4294967296"] {
            assert_eq!(amounts_of_pools(bad), None, "{bad}");
        }
    }
}
