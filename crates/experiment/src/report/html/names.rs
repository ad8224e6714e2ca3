//! Names in few bytes: those that differ in numbers alone share a stem.
//!
//! `execute task-12` is the stem `execute task-#` and the number 12. At most two numbers are taken
//! out of a name; those that begin with 0 or have more than 15 digits stay letters.

use crate::collections::OrderedMap;

/// Stands for a number in a stem.
const HOLE: char = '\u{e000}';
/// The stem of a number and nothing else.
const NUMBER: &str = "\u{e000}";
/// The least number that has more digits than a hole stands for.
const TOO_LONG: u64 = 1_000_000_000_000_000;
/// Letters of a name that are kept.
const LONGEST: usize = 80;
/// Letters of all stems together; names beyond have the stem of none.
const MOST_LETTERS: usize = 400_000;

/// A name: the number of its stem, and its numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Name {
    pub(super) stem: u32,
    pub(super) numbers: [u64; 2],
}

/// The stems of names; the first is that of none, empty.
#[derive(Debug)]
pub(super) struct Stems {
    texts: Vec<String>,
    numbers: OrderedMap<String, u32>,
    letters: usize,
    /// The stem of the last name.
    last: u32,
    /// Holds the stem of a name while it is looked up.
    buffer: String,
}

impl Default for Stems {
    fn default() -> Self {
        let numbers = OrderedMap::from([(String::new(), 0)]);
        Stems { texts: vec![String::new()], numbers, letters: 0, last: 0, buffer: String::new() }
    }
}

impl Stems {
    /// A name by its stem.
    pub(super) fn name(&mut self, text: &str) -> Name {
        let mut stem = std::mem::take(&mut self.buffer);
        stem.clear();
        let numbers = split(text, &mut stem);
        let number = self.number(&stem);
        self.buffer = stem;
        number.map_or_else(Name::default, |stem| Name { stem, numbers })
    }

    /// The same of a number and nothing else.
    #[inline]
    pub(super) fn of_number(&mut self, number: u64) -> Name {
        if number >= TOO_LONG {
            return self.name(&number.to_string());
        }
        let stem = self.number(NUMBER);
        stem.map_or_else(Name::default, |stem| Name { stem, numbers: [number, 0] })
    }

    /// The number of a stem; `None` if it is one too many.
    fn number(&mut self, stem: &str) -> Option<u32> {
        // most names have the stem of the one before
        if self.texts[self.last as usize] != stem {
            self.last = match self.numbers.get(stem) {
                Some(&known) => known,
                None if self.letters + stem.len() > MOST_LETTERS => return None,
                None => {
                    self.letters += stem.len();
                    self.texts.push(stem.to_owned());
                    self.numbers.insert(stem.to_owned(), self.texts.len() as u32 - 1);
                    self.texts.len() as u32 - 1
                }
            };
        }
        Some(self.last)
    }

    /// The text of a stem.
    pub(super) fn text(&self, stem: u32) -> &str {
        &self.texts[stem as usize]
    }

    /// A name as it was, but for what it was too long.
    pub(super) fn written(&self, name: Name) -> String {
        let mut parts = self.text(name.stem).split(HOLE);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.zip(name.numbers).fold(first, |text, (part, number)| format!("{text}{number}{part}"))
    }

    /// Number of holes for numbers in a stem.
    pub(super) fn holes(&self, stem: u32) -> usize {
        self.text(stem).matches(HOLE).count()
    }
}

/// Writes the stem of a name, and answers its numbers.
fn split(text: &str, stem: &mut String) -> [u64; 2] {
    let (mut numbers, mut found) = ([0; 2], 0);
    let cut: String;
    let mut rest = text;
    if text.len() > LONGEST || text.contains(HOLE) {
        cut = text.chars().filter(|letter| *letter != HOLE).take(LONGEST).collect();
        rest = &cut;
    }
    while !rest.is_empty() {
        let (digits, others) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        let fits = (digits.len() == 1 || !digits.starts_with('0')) && digits.len() <= 15 && found < 2;
        match digits.parse::<u64>().ok().filter(|_| fits) {
            Some(number) => {
                numbers[found] = number;
                found += 1;
                stem.push(HOLE);
            }
            None => stem.push_str(digits),
        }
        let letters;
        (letters, rest) = others.split_at(others.bytes().take_while(|byte| !byte.is_ascii_digit()).count());
        stem.push_str(letters);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_numbers_share_a_stem() {
        let mut stems = Stems::default();
        let names =
            ["put task 7", "put task 12", "007", "1.2 spin 3", "", "\u{e9}9"].map(|text| stems.name(text));
        assert_eq!(names[0].stem, names[1].stem);
        assert_eq!((names[1].numbers, names[2].numbers), ([12, 0], [0, 0]));
        assert_eq!((stems.text(names[2].stem), names[3].numbers), ("007", [1, 2]));
        assert_eq!(stems.text(names[3].stem), "\u{e000}.\u{e000} spin 3");
        assert_eq!((names[4].stem, stems.holes(names[5].stem)), (0, 1));
    }

    #[test]
    fn a_number_is_named_as_its_text_is() {
        for number in [0, 7, 10, TOO_LONG - 1, TOO_LONG, u64::MAX] {
            let (mut one, mut other) = (Stems::default(), Stems::default());
            let names = [one.of_number(number), other.name(&number.to_string())];
            assert_eq!(names[0], names[1]);
            assert_eq!(one.written(names[0]), number.to_string());
        }
    }

    #[test]
    fn stems_are_bounded() {
        let mut stems = Stems::default();
        let name = |place: u64| format!("{}{}", "abcdefghij".repeat(9), place);
        assert_eq!(stems.name(&name(1)), stems.name(&name(2)), "what is too long is cut");
        for place in 0..20_000_u32 {
            let text: String =
                (0..40).map(|bit| if place >> (bit % 16) & 1 == 1 { 'x' } else { 'y' }).collect();
            let _ = stems.name(&format!("{text}{}", "z".repeat(place as usize % 30)));
        }
        assert!(stems.letters <= MOST_LETTERS && stems.name("quite another").stem == 0);
    }
}
