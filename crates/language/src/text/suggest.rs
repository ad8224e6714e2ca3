//! The nearest known name to a mistyped one.
//!
//! Distance: optimal string alignment (insertions, deletions, substitutions and swaps of
//! neighbours, one each), over characters. Source: E. Ukkonen's and F. Damerau's recurrences as in
//! any textbook.

/// Longest name, in characters, that another may be meant by.
const LONGEST: usize = 200;

/// The name nearest to `written`, if it is near enough to be meant; the first of equals.
///
/// Near enough is a distance of at most a third of the longer name, rounded up, or the same name in
/// other case; else one that is short for the other, as `procs` is for `processors`.
pub fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_of(written, &names.into_iter().collect::<Vec<_>>())
}

fn nearest_of<'a>(written: &str, names: &[&'a str]) -> Option<&'a str> {
    let lower = written.to_lowercase();
    let letters: Vec<char> = lower.chars().collect();
    let (mut best, mut short): (Option<(usize, &str)>, Option<&str>) = (None, None);
    let mut rows = Rows::default();
    if letters.len() > LONGEST {
        return None;
    }
    for &name in names {
        short = short.or(Some(name).filter(|name| is_short_for(&lower, name) || is_short_for(name, &lower)));
        let other: Vec<char> = name.to_lowercase().chars().collect();
        let limit = letters.len().max(other.len()).div_ceil(3);
        if letters.len().abs_diff(other.len()) > limit {
            continue;
        }
        let distance = rows.distance(&letters, &other);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name).or(short)
}

/// Returns true if both begin alike and the letters of the one stand in the other, in order.
fn is_short_for(short: &str, long: &str) -> bool {
    const ALIKE: usize = 3;
    let (beginning, mut letters) = (short.chars().take(ALIKE), long.chars());
    let alike = short.chars().count() >= ALIKE && beginning.eq(long.chars().take(ALIKE));
    alike && short.chars().all(|letter| letters.any(|other| other == letter))
}

/// A line of help: the nearest name, and all known ones if they are few.
pub fn suggestion<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    suggestion_of(written, &names.into_iter().collect::<Vec<_>>())
}

fn suggestion_of(written: &str, names: &[&str]) -> String {
    let list = match names.len() {
        0 => "nothing is known here".to_owned(),
        1..=28 => format!("known: {}", names.join(", ")),
        count => format!("{count} names are known"),
    };
    match nearest_of(written, names) {
        Some(name) => format!("did you mean `{name}`? {list}"),
        None => list,
    }
}

/// Three rows of the table of distances: a row needs the two before it.
#[derive(Default)]
struct Rows([Vec<usize>; 3]);

impl Rows {
    fn distance(&mut self, a: &[char], b: &[char]) -> usize {
        let [older, old, row] = &mut self.0;
        old.clear();
        old.extend(0..=b.len());
        for i in 1..=a.len() {
            row.clear();
            row.push(i);
            for j in 1..=b.len() {
                let change = old[j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = change.min(old[j] + 1).min(row[j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(older[j - 2] + 1);
                }
                row.push(least);
            }
            std::mem::swap(older, old);
            std::mem::swap(old, row);
        }
        old[b.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_mistake_finds_its_name() {
        let names = ["conservative", "easy", "none"];
        assert_eq!(nearest("eazy", names), Some("easy"));
        assert_eq!(nearest("esay", names), Some("easy"));
        assert_eq!(nearest("Conservativ", names), Some("conservative"));
    }

    #[test]
    fn a_name_is_found_that_is_short_for_another() {
        assert_eq!(nearest("processors", ["nodes", "procs"]), Some("procs"));
        assert_eq!(nearest("res", ["estimates", "reservations", "replications"]), Some("reservations"));
        assert_eq!(nearest("pr", ["procs"]), None);
        assert_eq!(nearest("process", ["procs", "process-time"]), Some("procs"), "the nearer one");
    }

    #[test]
    fn a_foreign_word_finds_nothing_and_all_names_are_listed() {
        assert_eq!(nearest("gang", ["conservative", "easy", "none"]), None);
        assert_eq!(suggestion("gang", ["easy", "none"]), "known: easy, none");
        assert_eq!(suggestion("eazy", ["easy", "none"]), "did you mean `easy`? known: easy, none");
    }
}
