//! The cores that tasks hold: as many as each asks for, of one host, and each core once.
//!
//! A table has the lowest core in a column of its own, and where some task asks for several the
//! others in another, with blanks between.

use crate::output::FileLine;

/// Further cores of a task, as its row lists them.
///
/// # Errors
/// The cell lists none.
pub(super) fn further_cores(cell: Option<&str>, line: &FileLine<'_, '_>) -> Result<Box<[u32]>, String> {
    let cores = |text: &str| text.split_whitespace().map(|word| word.parse().ok()).collect();
    cell.map_or(Ok(Box::default()), |text| line.find(text, "list of cores", cores))
}

/// All cores of a place, each with its host.
pub(super) fn held(
    place: Option<(usize, u32)>,
    further: &[u32],
) -> impl Iterator<Item = (usize, u32)> + Clone + '_ {
    let all = move |(host, core)| {
        std::iter::once(core).chain(further.iter().copied()).map(move |core| (host, core))
    };
    place.into_iter().flat_map(all)
}

/// Fault in the cores that a task holds which asks for `asked` cores, on a host that has `has`, in
/// words.
pub(super) fn fault((asked, has): (u32, u32), core: u32, further: &[u32]) -> Option<String> {
    let held = 1 + further.len() as u64;
    let mut before = core;
    let rises = further.iter().all(|next| std::mem::replace(&mut before, *next) < *next);
    match () {
        () if core >= has || further.iter().any(|core| *core >= has) => {
            Some("is on a core that its host does not have".to_owned())
        }
        () if !rises => Some("has a core twice, or its cores out of order".to_owned()),
        () if held != u64::from(asked) => Some(format!("holds {held} cores, and asks for {asked}")),
        () => None,
    }
}

/// Numbers of processors as ranges with blanks between, as in `0-3 7`; they rise.
pub(super) fn ranges(numbers: &[u64]) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let word = |(first, last): &(u64, u64)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    runs.iter().map(word).collect::<Vec<_>>().join(" ")
}
