//! Generic resources: GPUs by type, and parts of them, as TRES (`gres/gpu:a100=2`) and as GRES
//! (`gpu:a100:2`).

use super::fields::{number, resource_text};

/// The GPUs in a list as `cpu=4,gres/gpu=2,gres/gpu:a100=2`: the sum of all kinds if no total is
/// stated; `Err` if it is no number.
pub(in crate::import) fn gpus_in_tres(list: &str) -> Result<Option<u32>, ()> {
    let count = |text| number(text).and_then(|count| u32::try_from(count).ok()).ok_or(());
    if let Some(whole) = resource_text(list, "gres/gpu") {
        return count(whole).map(Some);
    }
    let mut gpus: Option<u32> = None;
    for (kind, text) in list.split(',').filter_map(|part| part.split_once('=')) {
        if kind.starts_with("gres/gpu:") {
            gpus = Some(gpus.unwrap_or(0).checked_add(count(text)?).ok_or(())?);
        }
    }
    Ok(gpus)
}

/// Names of parts of GPUs among generic resources.
pub(super) const PARTS: [&str; 2] = ["shard", "mps"];

/// The parts of GPUs in a list as `cpu=4,gres/shard=3,gres/shard:a100=3`, and their type if it is
/// stated; `Err` if it is no number.
pub(super) fn gpu_parts_in_tres(list: &str) -> Result<Option<(u32, Option<&str>)>, ()> {
    let count = |text| number(text).and_then(|count| u32::try_from(count).ok()).ok_or(());
    for name in PARTS {
        let named = list
            .split(',')
            .filter_map(|part| part.strip_prefix("gres/")?.strip_prefix(name)?.split_once('='));
        let mut typed = named.clone().filter_map(|(kind, text)| Some((kind.strip_prefix(':')?, text)));
        let (whole, typed) = (named.clone().find(|(kind, _)| kind.is_empty()), typed.next());
        let Some((_, text)) = whole.or(typed) else { continue };
        let parts = count(text)?;
        return Ok((parts > 0).then_some((parts, typed.map(|(kind, _)| kind))));
    }
    Ok(None)
}

/// Generic resources of a name in a list as `gpu:a100:4(S:0-1),gpu:2`: their type if it is stated,
/// and their number.
pub(super) fn gres_of(list: &str, name: &str) -> Vec<(Option<String>, u32)> {
    let of = |part: &str| {
        let rest = part.strip_prefix(name)?;
        let mut words = rest.strip_prefix(':').unwrap_or(rest).split(':').filter(|word| !word.is_empty());
        if !rest.is_empty() && !rest.starts_with(':') {
            return None;
        }
        Some(match (words.next(), words.next_back()) {
            (None, _) => (None, 1),
            (Some(word), None) => match word.parse() {
                Ok(count) => (None, count),
                Err(_) => (Some(word.to_owned()), 1),
            },
            (Some(kind), Some(count)) => (Some(kind.to_owned()), count.parse().unwrap_or(1)),
        })
    };
    without_brackets(list).split(',').filter_map(of).collect()
}

/// The types of GPUs in a list as `cpu=4,gres/gpu=2,gres/gpu:a100=2`, of which there are some.
pub(super) fn gpu_types_in_tres(list: &str) -> impl Iterator<Item = &str> {
    let typed = list.split(',').filter_map(|part| part.strip_prefix("gres/gpu:")?.split_once('='));
    typed.filter(|(kind, count)| !kind.is_empty() && *count != "0").map(|(kind, _)| kind)
}

/// The types of GPUs in a list as `gpu:a100:4(S:0-1),gpu:2`.
pub(super) fn gpu_types_in_gres(list: &str) -> Vec<String> {
    let list = without_brackets(list);
    let types = list.split(',').filter_map(|part| part.strip_prefix("gpu:")?.split(':').next());
    let is_type = |kind: &&str| !kind.is_empty() && number(kind).is_none();
    types.filter(is_type).map(str::to_owned).collect()
}

/// A list of generic resources without the sockets and indices in brackets, which have commas of
/// their own.
fn without_brackets(list: &str) -> String {
    let mut depth = 0;
    let outside = |letter: &char| {
        depth += i32::from(*letter == '(') - i32::from(*letter == ')');
        depth == 0 && *letter != ')'
    };
    list.chars().filter(outside).collect()
}

/// The GPUs in a list as `gpu:a100:4(S:0-1),gpu:2,craynetwork:1`; a kind without a number is one.
pub(super) fn gpus_in_gres(list: &str) -> u32 {
    let of = |part: &str| {
        let mut words = part.split(':');
        let gpus = words.next() == Some("gpu");
        let mut count = || words.next_back().and_then(|last| last.parse().ok()).unwrap_or(1);
        if gpus { count() } else { 0 }
    };
    without_brackets(list).split(',').map(of).fold(0, u32::saturating_add)
}

/// Returns true if such a list has anything but GPUs and parts of them.
pub(super) fn has_other_gres(list: &str) -> bool {
    let known = ["", "0", "gpu", PARTS[0], PARTS[1]];
    let other = |part: &str| !known.contains(&part.split(':').next().unwrap_or_default());
    without_brackets(list).split(',').any(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_of_either_list_are_counted_once() {
        assert_eq!(gpus_in_tres("cpu=4,gres/gpu:a100=2,gres/gpu=2"), Ok(Some(2)));
        assert_eq!(gpus_in_tres("gres/gpu:a100=2,gres/gpu:v100=1"), Ok(Some(3)));
        assert_eq!((gpus_in_tres("cpu=4,gres/shard=1"), gpus_in_tres("gres/gpu=x")), (Ok(None), Err(())));
        let gres = ["gpu:4", "gpu:a100:4(S:0-1,3)", "craynetwork:1", "gpu:a100:2,gpu:v100:1", "gpu", ""];
        assert_eq!(gres.map(gpus_in_gres), [4, 4, 0, 3, 1, 0]);
        assert_eq!(gres.map(has_other_gres), [false, false, true, false, false, false]);
        let types = gres.map(|list| gpu_types_in_gres(list).join(" "));
        assert_eq!(types, ["", "a100", "", "a100 v100", "", ""]);
        let parts =
            ["cpu=4,gres/shard=3", "gres/shard=3,gres/shard:a100=3", "gres/mps:v100=50", "gres/mps=0"];
        let found = [(3, None), (3, Some("a100")), (50, Some("v100"))];
        assert_eq!(
            parts[..3].iter().map(|list| gpu_parts_in_tres(list)).collect::<Vec<_>>(),
            found.map(|of| Ok(Some(of)))
        );
        assert_eq!((gpu_parts_in_tres(parts[3]), gpu_parts_in_tres("gres/shard=x")), (Ok(None), Err(())));
        let shards = gres_of("gpu:a100:2(S:0-1),shard:a100:8,shard:4,sharding:1", "shard");
        assert_eq!(shards, [(Some("a100".to_owned()), 8), (None, 4)]);
        let tres = "cpu=4,gres/gpu=3,gres/gpu:a100_1g.5gb=2,gres/gpu:h100=0,gres/gpu:v100=1";
        assert_eq!(gpu_types_in_tres(tres).collect::<Vec<_>>(), ["a100_1g.5gb", "v100"]);
    }
}
