//! Job numbers of a log that are given twice.
//!
//! Nearly every log numbers its jobs upwards, and then there is nothing to remember: a number above
//! all before it is new. The others are put aside with their lines and looked up when the log is
//! read, in the rising numbers and among themselves, so the cost is a sort of what is put aside.

/// The numbers of a log while it is read.
#[derive(Default)]
pub struct Numbers {
    /// The largest so far.
    largest: Option<u64>,
    /// Numbers that were not above all before them, with their lines.
    aside: Vec<(u64, u64)>,
}

impl Numbers {
    /// Takes in the number of the next job, which stands in `line`.
    pub fn push(&mut self, number: u64, line: u64) {
        if self.largest.is_none_or(|largest| number > largest) {
            self.largest = Some(number);
        } else {
            self.aside.push((number, line));
        }
    }

    /// The lines of the jobs whose number a job before them has, in order. `all` are the numbers
    /// that were taken in, in the same order.
    ///
    /// # Complexity
    /// Nothing for a log with rising numbers; else O(n + k log n), for k numbers that do not rise.
    pub fn given_twice(&mut self, all: impl Iterator<Item = u64>) -> Vec<u64> {
        if self.aside.is_empty() {
            return Vec::new();
        }
        let mut largest = None;
        let rising: Vec<u64> = all
            .filter(|&number| {
                let rises = largest.is_none_or(|largest| number > largest);
                largest = if rises { Some(number) } else { largest };
                rises
            })
            .collect();
        self.aside.sort_unstable();
        let mut last = None;
        let twice = self.aside.iter().filter(|&&(number, _)| {
            let again = last == Some(number);
            last = Some(number);
            again || rising.binary_search(&number).is_ok()
        });
        let mut lines: Vec<u64> = twice.map(|&(_, line)| line).collect();
        lines.sort_unstable();
        lines
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collections::OrderedSet;

    fn twice(numbers: &[u64]) -> Vec<u64> {
        let mut read = Numbers::default();
        for (line, &number) in (1..).zip(numbers) {
            read.push(number, line);
        }
        read.given_twice(numbers.iter().copied())
    }

    #[test]
    fn rising_numbers_are_not_remembered() {
        let mut read = Numbers::default();
        for number in 0..1000 {
            read.push(number, number + 1);
        }
        assert!(read.aside.is_empty());
        assert!(read.given_twice(0..1000).is_empty());
    }

    #[test]
    fn a_log_that_falls_throughout_is_read_in_good_time() {
        let falling: Vec<u64> = (0..300_000).rev().collect();
        assert_eq!(twice(&falling), [] as [u64; 0]);
        assert_eq!(twice(&vec![5; 300_000]).len(), 299_999);
    }

    proptest! {
        #[test]
        fn it_finds_what_a_set_finds(numbers in prop::collection::vec(0u64..12, 0..40)) {
            let mut seen = OrderedSet::new();
            let expected: Vec<u64> =
                (1..).zip(&numbers).filter(|&(_, &number)| !seen.insert(number)).map(|(line, _)| line).collect();
            prop_assert_eq!(twice(&numbers), expected);
        }
    }
}
