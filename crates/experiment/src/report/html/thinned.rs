//! Values of which every 2^k-th is kept, so that there are never too many.

/// The values that are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Thinned<T> {
    pub(super) kept: Vec<T>,
    /// Number of values there were.
    pub(super) count: u64,
    /// Number of times that every second of those kept was left out.
    halved: u32,
}

impl<T> Thinned<T> {
    /// Takes the next value; so many are kept at most.
    pub(super) fn push(&mut self, value: T, most: usize) {
        if self.count & ((1 << self.halved) - 1) == 0 {
            self.kept.push(value);
        }
        self.count += 1;
        if self.kept.len() > most {
            let mut is_odd = true;
            self.kept.retain(|_| {
                is_odd = !is_odd;
                !is_odd
            });
            self.halved += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_of_too_many_is_left_out_again_and_again() {
        let mut values = Thinned::default();
        (0..100).for_each(|value| values.push(value, 10));
        assert_eq!((values.kept, values.count), ((0..100).step_by(16).collect(), 100));
    }
}
