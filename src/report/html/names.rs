//! Names in few bytes: those that differ in numbers alone share a stem.
//!
//! `execute task-12` is the stem `execute task-#` and the number 12. At most two numbers are taken out of a name; those that
//! begin with 0 or have more than 15 digits stay letters.

use std::collections::BTreeMap;

/// Stands for a number in a stem.
const HOLE: char = '\u{1}';
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
    numbers: BTreeMap<String, u32>,
    letters: usize,
}

impl Default for Stems {
    fn default() -> Self {
        Stems { texts: vec![String::new()], numbers: BTreeMap::from([(String::new(), 0)]), letters: 0 }
    }
}

impl Stems {
    /// A name by its stem.
    pub(super) fn name(&mut self, text: &str) -> Name {
        let (stem, numbers) = split(text);
        if let Some(&stem) = self.numbers.get(&stem) {
            return Name { stem, numbers };
        }
        if self.letters + stem.len() > MOST_LETTERS {
            return Name::default();
        }
        self.letters += stem.len();
        let number = self.texts.len() as u32;
        self.texts.push(stem.clone());
        self.numbers.insert(stem, number);
        Name { stem: number, numbers }
    }

    /// The text of a stem.
    pub(super) fn text(&self, stem: u32) -> &str {
        &self.texts[stem as usize]
    }

    /// How many numbers a stem has holes for.
    pub(super) fn holes(&self, stem: u32) -> usize {
        self.text(stem).matches(HOLE).count()
    }
}

/// The stem of a name, and its numbers.
fn split(text: &str) -> (String, [u64; 2]) {
    let (mut stem, mut numbers, mut found) = (String::new(), [0; 2], 0);
    let mut rest: String = text.chars().filter(|letter| *letter != HOLE).take(LONGEST).collect();
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let number = rest[..digits].parse::<u64>().ok();
            let fits = (digits == 1 || !rest.starts_with('0')) && digits <= 15 && found < 2;
            match number.filter(|_| fits) {
                Some(number) => {
                    numbers[found] = number;
                    found += 1;
                    stem.push(HOLE);
                }
                None => stem.push_str(&rest[..digits]),
            }
            rest.drain(..digits);
        }
        let letters = rest.bytes().take_while(|byte| !byte.is_ascii_digit()).count();
        stem.push_str(&rest[..letters]);
        rest.drain(..letters);
    }
    (stem, numbers)
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
        assert_eq!(stems.text(names[3].stem), "\u{1}.\u{1} spin 3");
        assert_eq!((names[4].stem, stems.holes(names[5].stem)), (0, 1));
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
