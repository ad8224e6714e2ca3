//! Lists of hosts as Slurm writes them: `n[001-120,130],login1,r[1-2]n[0-3]`.
//!
//! Source: slurm.conf(5), NodeName; scontrol(1), show hostnames.

/// Most hosts that a list may name, and all lists of a file together.
pub(super) const MOST_HOSTS: usize = 1_000_000;

/// Reason that a list of hosts cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum BadList {
    /// A bracket without its fellow.
    #[error("a bracket is not closed, or not opened")]
    Bracket,
    /// Brackets that hold no range.
    #[error("`{0}` is no number or range of numbers")]
    Range(String),
    /// A range that falls.
    #[error("the range `{0}` falls")]
    Falls(String),
    /// Nothing where a name should stand.
    #[error("a name is missing")]
    Empty,
    /// Too many.
    #[error("more than {MOST_HOSTS} hosts are named")]
    TooMany,
}

/// Every host of a list, in its order.
pub(super) fn hosts(list: &str) -> Result<Vec<String>, BadList> {
    let mut all = Vec::new();
    for entry in entries(list)? {
        let mut names = vec![String::new()];
        let mut rest = entry;
        while let Some(open) = rest.find('[') {
            let close = rest.find(']').filter(|&close| close > open).ok_or(BadList::Bracket)?;
            let numbers = numbers(&rest[open + 1..close])?;
            if names.len().saturating_mul(numbers.len()) > MOST_HOSTS {
                return Err(BadList::TooMany);
            }
            let before = &rest[..open];
            names = names
                .iter()
                .flat_map(|name| numbers.iter().map(move |number| format!("{name}{before}{number}")))
                .collect();
            rest = &rest[close + 1..];
        }
        if rest.contains(']') {
            return Err(BadList::Bracket);
        }
        all.extend(names.into_iter().map(|name| name + rest));
        if all.len() > MOST_HOSTS {
            return Err(BadList::TooMany);
        }
    }
    Ok(all)
}

/// The parts of a list that stand between commas outside brackets.
fn entries(list: &str) -> Result<Vec<&str>, BadList> {
    let (mut entries, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, letter) in list.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.checked_sub(1).ok_or(BadList::Bracket)?,
            ',' if depth == 0 => {
                entries.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    entries.push(&list[start..]);
    match (depth, entries.iter().any(|entry| entry.is_empty())) {
        (0, false) => Ok(entries),
        (0, true) => Err(BadList::Empty),
        _ => Err(BadList::Bracket),
    }
}

/// The numbers of a bracket, with their leading zeros.
fn numbers(list: &str) -> Result<Vec<String>, BadList> {
    let mut all = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let bad = || BadList::Range(part.to_owned());
        let read = |text: &str| super::fields::number(text).ok_or_else(bad);
        let (from, to) = (read(first)?, read(last)?);
        if from > to {
            return Err(BadList::Falls(part.to_owned()));
        }
        if to - from >= MOST_HOSTS as u64 || all.len() > MOST_HOSTS {
            return Err(BadList::TooMany);
        }
        let width = first.len();
        all.extend((from..=to).map(|number| format!("{number:0width$}")));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_keep_their_zeros_and_brackets_multiply() {
        assert_eq!(hosts("n[008-010,12],login").expect("right"), ["n008", "n009", "n010", "n12", "login"]);
        assert_eq!(hosts("r[1-2]n[0-1]x").expect("right"), ["r1n0x", "r1n1x", "r2n0x", "r2n1x"]);
        assert_eq!(hosts("n[001-120]").map(|hosts| hosts.len()), Ok(120));
    }

    #[test]
    fn wrong_lists_are_reported() {
        assert_eq!(hosts("n[1-3"), Err(BadList::Bracket));
        assert_eq!(hosts("n1]"), Err(BadList::Bracket));
        assert_eq!(hosts("n[a-b]"), Err(BadList::Range("a-b".to_owned())));
        assert_eq!(hosts("n[3-1]"), Err(BadList::Falls("3-1".to_owned())));
        assert_eq!(hosts("n1,,n2"), Err(BadList::Empty));
        assert_eq!(hosts("n[0-9999999]"), Err(BadList::TooMany));
        assert_eq!(hosts("a[0-999]b[0-999]c[0-999]"), Err(BadList::TooMany));
    }
}
