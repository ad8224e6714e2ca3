//! The mistakes of a text: the first of them, and a count of the others.
//!
//! Every reader notes what is wrong here and goes on to the end of its text, so that a text of
//! nothing but mistakes needs no more memory than a right one and time in proportion to its length.

use std::ops::Deref;

/// Mistakes of a text that are kept to be shown; the others are counted.
pub const MOST_MISTAKES: usize = 100;

/// Mistakes for which a reader searches among many names for the one that was meant.
const MOST_HELPED: u64 = 20;

/// The mistakes of a text: the first [`MOST_MISTAKES`] mistakes, which it is as a slice, and how
/// many more there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes<M> {
    kept: Vec<M>,
    more: u64,
}

impl<M> Default for Mistakes<M> {
    fn default() -> Self {
        Mistakes { kept: Vec::new(), more: 0 }
    }
}

impl<M> Mistakes<M> {
    /// No mistake yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes a mistake.
    pub fn push(&mut self, mistake: M) {
        self.push_with(|| mistake);
    }

    /// Notes a mistake, which is made only if it is kept.
    pub fn push_with(&mut self, make: impl FnOnce() -> M) {
        if self.kept.len() < MOST_MISTAKES {
            self.kept.push(make());
        } else {
            self.more += 1;
        }
    }

    /// Counts mistakes that were not kept elsewhere.
    pub fn add_uncounted(&mut self, more: u64) {
        self.more += more;
    }

    /// Adds the mistakes of a part of the text, or of a file that it names.
    pub fn append(&mut self, part: Mistakes<M>) {
        part.kept.into_iter().for_each(|mistake| self.push(mistake));
        self.more += part.more;
    }

    /// Number of mistakes, kept or not.
    pub fn count(&self) -> u64 {
        self.kept.len() as u64 + self.more
    }

    /// Returns true while mistakes are so few that a search for the name that was meant is worth
    /// its time: for each of many it would make reading quadratic.
    pub fn are_few(&self) -> bool {
        self.count() < MOST_HELPED
    }

    /// The mistakes that are kept, and how many more there are.
    pub fn into_parts(self) -> (Vec<M>, u64) {
        (self.kept, self.more)
    }

    /// The same mistakes in other words.
    pub fn map<N>(self, word: impl FnMut(M) -> N) -> Mistakes<N> {
        Mistakes { kept: self.kept.into_iter().map(word).collect(), more: self.more }
    }

    /// Orders the mistakes that are kept, as by their places.
    #[must_use]
    pub fn sorted_by_key<K: Ord>(mut self, key: impl FnMut(&M) -> K) -> Self {
        self.kept.sort_by_key(key);
        self
    }

    /// `value` if nothing is wrong.
    ///
    /// # Errors
    /// These mistakes.
    pub fn unless_any<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

/// The mistakes that are kept.
impl<M> Deref for Mistakes<M> {
    type Target = [M];

    fn deref(&self) -> &[M] {
        &self.kept
    }
}

/// The mistakes that are kept.
impl<M> IntoIterator for Mistakes<M> {
    type Item = M;
    type IntoIter = std::vec::IntoIter<M>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.into_iter()
    }
}

impl<M> From<M> for Mistakes<M> {
    fn from(mistake: M) -> Self {
        Mistakes { kept: vec![mistake], more: 0 }
    }
}

impl<M> Extend<M> for Mistakes<M> {
    fn extend<T: IntoIterator<Item = M>>(&mut self, mistakes: T) {
        mistakes.into_iter().for_each(|mistake| self.push(mistake));
    }
}

impl<M> FromIterator<M> for Mistakes<M> {
    fn from_iter<T: IntoIterator<Item = M>>(mistakes: T) -> Self {
        let mut all = Mistakes::new();
        all.extend(mistakes);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_mistakes_are_kept_and_the_others_counted() {
        let (mut all, mut made) = (Mistakes::new(), 0);
        for number in 0..250 {
            all.push_with(|| {
                made += 1;
                249 - number
            });
        }
        assert_eq!((all.len(), all.count(), made), (MOST_MISTAKES, 250, MOST_MISTAKES));
        let mut both: Mistakes<i32> = (0..30).collect();
        assert!(!both.is_empty() && !both.are_few());
        both.append(all);
        let (kept, more) = both.sorted_by_key(|number| *number).into_parts();
        assert_eq!((kept.len(), more, kept[0], kept[99]), (MOST_MISTAKES, 180, 0, 249));
        assert_eq!(Mistakes::<i32>::new().unless_any(7), Ok(7));
    }
}
