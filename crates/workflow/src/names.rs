//! Names and the numbers they were given, in one text.
//!
//! A graph of millions of tasks has as many names, and each is looked up several times while a file
//! is read. The names stand in one text, and a table of open addressing finds them. Nothing is ever
//! iterated in the order of the table.

use std::hash::{DefaultHasher, Hasher as _};

/// Names by number, from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    text: String,
    ends: Vec<usize>,
}

impl Names {
    fn len(&self) -> usize {
        self.ends.len()
    }

    /// The name of this number.
    pub(super) fn name(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[number]]
    }
}

/// Names, numbered from 0 in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Interner {
    names: Names,
    /// Hash, and one above the number of a name, or 0; a power of two, at most half full.
    slots: Vec<(u32, u32)>,
}

impl Interner {
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of this number.
    pub(super) fn name(&self, number: u32) -> &str {
        self.names.name(number)
    }

    /// The names alone.
    pub(super) fn into_names(self) -> Names {
        let Names { mut text, mut ends } = self.names;
        text.shrink_to_fit();
        ends.shrink_to_fit();
        Names { text, ends }
    }

    /// The names, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        (0..self.len() as u32).map(|number| self.name(number))
    }

    /// The number of a name, and whether it is new.
    pub(super) fn add(&mut self, name: &str) -> (u32, bool) {
        if self.slots.len() <= 2 * self.len() {
            self.grow();
        }
        let hash = hash(name);
        let slot = self.slot(name, hash);
        if let Some(number) = self.slots[slot].1.checked_sub(1) {
            return (number, false);
        }
        let Names { text, ends } = &mut self.names;
        text.push_str(name);
        ends.push(text.len());
        self.slots[slot] = (hash, ends.len() as u32);
        (ends.len() as u32 - 1, true)
    }

    /// The slot of a name, or the empty one where it belongs.
    fn slot(&self, name: &str, hash: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot].1 != 0
            && (self.slots[slot].0 != hash || self.name(self.slots[slot].1 - 1) != name)
        {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let larger = vec![(0, 0); (self.slots.len() * 2).max(16)];
        let mask = larger.len() - 1;
        for (hash, number) in
            std::mem::replace(&mut self.slots, larger).into_iter().filter(|slot| slot.1 != 0)
        {
            let mut slot = hash as usize & mask;
            while self.slots[slot].1 != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = (hash, number);
        }
    }
}

/// The hash of a name, by keys of zero: the same on every run.
fn hash(name: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    hasher.write(name.as_bytes());
    hasher.finish() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number() {
        let mut names = Interner::default();
        for count in 0..1_000_u32 {
            assert_eq!(names.add(&format!("n{count}")), (count, true));
            assert_eq!(names.add(&format!("n{}", count / 2)), (count / 2, false));
        }
        assert_eq!((names.len(), names.name(999)), (1_000, "n999"));
        assert_eq!(names.add("n7"), (7, false));
        assert_eq!(names.add(""), (1_000, true));
        assert_eq!((names.add(""), names.names().nth(7)), ((1_000, false), Some("n7")));
    }
}
