//! The last values of a series, as they came or by size.

use std::collections::VecDeque;

/// The last values, and their sum.
#[derive(Clone, Debug)]
pub(super) struct Window {
    most: usize,
    values: VecDeque<f64>,
    sum: f64,
    /// Values that went since the sum was last made afresh, so that rounding errors do not gather.
    gone: usize,
}

impl Window {
    /// A window of at most so many values.
    pub(super) fn new(most: usize) -> Self {
        Window { most: most.max(1), values: VecDeque::new(), sum: 0.0, gone: 0 }
    }

    /// Takes in a value, and gives back the one that goes for it.
    pub(super) fn add(&mut self, value: f64) -> Option<f64> {
        let oldest = if self.values.len() == self.most { self.values.pop_front() } else { None };
        self.values.push_back(value);
        self.sum += value - oldest.unwrap_or(0.0);
        self.gone += usize::from(oldest.is_some());
        if self.gone >= self.most {
            (self.sum, self.gone) = (self.values.iter().sum(), 0);
        }
        oldest
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = f64> {
        self.values.iter().copied()
    }

    /// The mean, if there are any.
    pub(super) fn mean(&self) -> Option<f64> {
        if self.values.is_empty() { None } else { Some(self.sum / self.values.len() as f64) }
    }
}

/// The last values, by size.
#[derive(Clone, Debug)]
pub(super) struct Sorted {
    window: Window,
    values: Vec<f64>,
}

impl Sorted {
    /// A window of at most so many values.
    pub(super) fn new(most: usize) -> Self {
        Sorted { window: Window::new(most), values: Vec::new() }
    }

    pub(super) fn add(&mut self, value: f64) {
        if let Some(oldest) = self.window.add(value) {
            self.values.remove(self.place(oldest));
        }
        self.values.insert(self.place(value), value);
    }

    /// From the least to the greatest.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    fn place(&self, value: f64) -> usize {
        self.values.partition_point(|other| other.total_cmp(&value).is_lt())
    }
}

/// The median of values by size: of an even number of them the mean of the two in the middle.
pub(super) fn median(sorted: &[f64]) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    Some(f64::midpoint(sorted[last / 2], sorted[sorted.len() / 2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_forgets_the_oldest_and_its_sum_does_not_drift() {
        let (mut window, mut sorted) = (Window::new(3), Sorted::new(3));
        assert_eq!((window.mean(), median(sorted.values())), (None, None));
        for value in [1e17, 3.0, 1.0, 2.0, 2.0, 9.0] {
            window.add(value);
            sorted.add(value);
        }
        assert_eq!(window.iter().collect::<Vec<f64>>(), [2.0, 2.0, 9.0]);
        assert_eq!(window.mean(), Some(13.0 / 3.0));
        assert_eq!((sorted.values(), median(sorted.values())), (&[2.0, 2.0, 9.0][..], Some(2.0)));
        assert_eq!(median(&[1.0, 2.0, 5.0, 9.0]), Some(3.5));
    }
}
