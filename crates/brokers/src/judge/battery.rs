//! Forecasters of a series and their errors, again from the values themselves.
//!
//! Each method is written down as its definition reads, over the last values as they are; nothing
//! is kept up to date but what goes back to the first value. The rule of choice: of the forecasters
//! that have been tried and say something, the one whose errors are least in the mean. Where two
//! are equal but for rounding, either may be believed.

use std::collections::VecDeque;

/// A method that forecasts the next value of a series.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum JudgedMethod {
    /// The last value.
    Last,
    /// The mean of all.
    Mean,
    /// The mean of this number of last values.
    SlidingMean(usize),
    /// The median of this number of last values.
    SlidingMedian(usize),
    /// The mean of this number of last values, without this share of them at each end.
    TrimmedMean(usize, f64),
    /// Exponential smoothing with this gain.
    Smoothing(f64),
    /// The mean of the last few, within these bounds on their number: one more or fewer if that
    /// had been better.
    AdaptiveMean(usize, usize),
    /// The median of such.
    AdaptiveMedian(usize, usize),
    /// A sum of this number of values, with weights fitted to this number of last values.
    Autoregression(usize, usize),
}

/// Forecasters of which the one that erred least is believed.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct JudgedBattery {
    /// Names and methods of the forecasters, in the order in which they are preferred.
    pub members: Vec<(String, JudgedMethod)>,
    /// Number of last errors that count; all, if `None`.
    pub window: Option<usize>,
    /// True if absolute errors are to be least, and not squared ones.
    pub by_absolute: bool,
}

impl JudgedBattery {
    /// The 24 forecasters of the Network Weather Service.
    pub(crate) fn standard() -> Self {
        use JudgedMethod as M;
        let mut members = vec![("last".to_owned(), M::Last), ("mean".to_owned(), M::Mean)];
        members.extend([5, 10, 20, 30, 50].map(|size| (format!("mean-{size}"), M::SlidingMean(size))));
        members.extend([5, 31].map(|size| (format!("median-{size}"), M::SlidingMedian(size))));
        members.extend([31, 51].map(|size| (format!("trimmed-{size}"), M::TrimmedMean(size, 0.3))));
        let gains = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 0.9];
        members.extend(gains.map(|gain| (format!("smooth-{gain}"), M::Smoothing(gain))));
        members.push(("adaptive-mean".to_owned(), M::AdaptiveMean(5, 50)));
        members.push(("adaptive-median".to_owned(), M::AdaptiveMedian(5, 50)));
        members.extend([1, 5].map(|order| (format!("ar-{order}"), M::Autoregression(order, 128))));
        JudgedBattery { members, ..JudgedBattery::default() }
    }
}

/// State of a forecaster between two values.
#[derive(Clone, Debug, Default)]
struct Kept {
    smooth: Option<f64>,
    size: usize,
    /// Errors that count, where only the last do; else their number.
    errors: VecDeque<f64>,
    count: u64,
    /// Sums of squared and of absolute errors.
    sums: [f64; 2],
}

/// A series so far, and how each forecaster did on it.
#[derive(Clone, Debug)]
pub(super) struct JudgedSeries<'a> {
    battery: &'a JudgedBattery,
    last: VecDeque<f64>,
    count: u64,
    sum: f64,
    /// The greatest value in size: what rounding is measured by.
    most: f64,
    kept: Vec<Kept>,
}

/// The forecast of a forecaster, and the means of its squared and absolute errors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Said<'a> {
    pub(super) name: &'a str,
    pub(super) value: f64,
    pub(super) errors: [f64; 2],
}

fn mean<'a>(values: impl Iterator<Item = &'a f64> + Clone) -> Option<f64> {
    let count = values.clone().count();
    (count > 0).then(|| values.sum::<f64>() / count as f64)
}

fn sorted<'a>(values: impl Iterator<Item = &'a f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.copied().collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

fn median<'a>(values: impl Iterator<Item = &'a f64>) -> Option<f64> {
    let values = sorted(values);
    let middle = values.len().checked_sub(1)? / 2;
    Some(f64::midpoint(values[middle], values[values.len() / 2]))
}

/// Weights by the recursion of Levinson and Durbin on the biased autocovariances, and with them the
/// next value.
fn regressed(values: &[f64], order: usize) -> Option<f64> {
    let mean = mean(values.iter()).filter(|_| values.len() >= (2 * order).max(4))?;
    let lagged = |lag: usize| {
        let products = (lag..values.len()).map(|place| (values[place] - mean) * (values[place - lag] - mean));
        products.sum::<f64>() / values.len() as f64
    };
    let covariances: Vec<f64> = (0..=order).map(lagged).collect();
    let (mut weights, mut error) = (vec![0.0; order], covariances[0]);
    for step in 0..order {
        let known: f64 = (0..step).map(|place| weights[place] * covariances[step - place]).sum();
        let reflection = (covariances[step + 1] - known) / error;
        if error <= 0.0 || reflection.is_nan() || reflection.abs() >= 1.0 {
            return None;
        }
        let before = weights.clone();
        for place in 0..step {
            weights[place] = before[place] - reflection * before[step - 1 - place];
        }
        weights[step] = reflection;
        error *= 1.0 - reflection * reflection;
    }
    let next = weights.iter().zip(values.iter().rev()).map(|(weight, value)| weight * (value - mean));
    Some(mean + next.sum::<f64>())
}

impl<'a> JudgedSeries<'a> {
    pub(super) fn new(battery: &'a JudgedBattery) -> Self {
        let kept = |(_, method): &(String, JudgedMethod)| match method {
            JudgedMethod::AdaptiveMean(least, _) | JudgedMethod::AdaptiveMedian(least, _) => {
                Kept { size: *least, ..Kept::default() }
            }
            _ => Kept::default(),
        };
        let kept = battery.members.iter().map(kept).collect();
        JudgedSeries { battery, last: VecDeque::new(), count: 0, sum: 0.0, most: 0.0, kept }
    }

    fn latest(&self, count: usize) -> impl Iterator<Item = &f64> + Clone {
        self.last.iter().rev().take(count)
    }

    /// The next value by a method.
    fn next(&self, method: JudgedMethod, kept: &Kept) -> Option<f64> {
        match method {
            JudgedMethod::Last => self.last.back().copied(),
            JudgedMethod::Mean => (self.count > 0).then(|| self.sum / self.count as f64),
            JudgedMethod::SlidingMean(size) => mean(self.latest(size)),
            JudgedMethod::SlidingMedian(size) => median(self.latest(size)),
            JudgedMethod::TrimmedMean(size, share) => {
                let values = sorted(self.latest(size));
                let cut = (share * values.len() as f64) as usize;
                mean(values[cut..values.len() - cut].iter())
            }
            JudgedMethod::Smoothing(_) => kept.smooth,
            JudgedMethod::AdaptiveMean(..) => mean(self.latest(kept.size)),
            JudgedMethod::AdaptiveMedian(..) => median(self.latest(kept.size)),
            JudgedMethod::Autoregression(order, size) => {
                let mut values: Vec<f64> = self.latest(size).copied().collect();
                values.reverse();
                regressed(&values, order)
            }
        }
    }

    /// The number of values that would have been best of an adaptive method: as many as before, or
    /// one fewer or more.
    fn resized(&self, method: JudgedMethod, size: usize, value: f64) -> usize {
        let (JudgedMethod::AdaptiveMean(least, most) | JudgedMethod::AdaptiveMedian(least, most)) = method
        else {
            return size;
        };
        if self.last.is_empty() {
            return size;
        }
        let error = |size: usize| {
            let next = self.next(method, &Kept { size, ..Kept::default() });
            next.map_or(f64::INFINITY, |next| (value - next).abs())
        };
        let mut best = (error(size), size);
        for other in [size - 1, size + 1].into_iter().filter(|other| (least..=most).contains(other)) {
            let error = error(other);
            if error < best.0 {
                best = (error, other);
            }
        }
        best.1
    }

    /// Takes in the next value.
    pub(super) fn add(&mut self, value: f64) {
        /// Values that some method of a usual battery looks at.
        const LEAST: usize = 128;
        let mut kept = std::mem::take(&mut self.kept);
        for ((_, method), kept) in self.battery.members.iter().zip(&mut kept) {
            if let Some(next) = self.next(*method, kept) {
                kept.missed_by(value - next, self.battery.window);
            }
            kept.size = self.resized(*method, kept.size, value);
            if let JudgedMethod::Smoothing(gain) = method {
                kept.smooth = Some(kept.smooth.map_or(value, |smooth| smooth + gain * (value - smooth)));
            }
        }
        self.kept = kept;
        (self.count, self.sum, self.most) = (self.count + 1, self.sum + value, self.most.max(value.abs()));
        let reach = self.battery.members.iter().map(|(_, method)| match method {
            JudgedMethod::SlidingMean(size)
            | JudgedMethod::SlidingMedian(size)
            | JudgedMethod::TrimmedMean(size, _)
            | JudgedMethod::AdaptiveMean(_, size)
            | JudgedMethod::AdaptiveMedian(_, size)
            | JudgedMethod::Autoregression(_, size) => *size,
            _ => 1,
        });
        if self.last.len() >= reach.max().unwrap_or(1).max(LEAST) {
            self.last.pop_front();
        }
        self.last.push_back(value);
    }

    /// Forecasts of those that have been tried and have one.
    pub(super) fn all(&self) -> impl Iterator<Item = Said<'_>> {
        self.battery.members.iter().zip(&self.kept).filter_map(|((name, method), kept)| {
            let errors = kept.means()?;
            Some(Said { name, value: self.next(*method, kept)?, errors })
        })
    }

    /// The ones that may be believed: those whose errors are the least but for rounding.
    pub(super) fn best(&self) -> Vec<Said<'_>> {
        let by = usize::from(self.battery.by_absolute);
        let all: Vec<Said<'_>> = self.all().collect();
        let least = all.iter().map(|said| said.errors[by]).fold(f64::INFINITY, f64::min);
        all.into_iter().filter(|said| said.errors[by] <= least + self.rounding(least, by)).collect()
    }

    /// Errors of forecasts that are less apart than this are equal.
    pub(super) fn rounding(&self, error: f64, by: usize) -> f64 {
        let tiny = 1e-12 * self.most;
        1e-9 * error + if by == 0 { tiny * tiny } else { tiny }
    }

    /// Returns true if two forecasts are equal but for rounding.
    pub(super) fn is_near(&self, one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-9 * one.abs().max(other.abs()) + 1e-12 * self.most
    }
}

impl Kept {
    fn missed_by(&mut self, error: f64, window: Option<usize>) {
        self.count += 1;
        match window {
            None => {
                self.sums[0] += error * error;
                self.sums[1] += error.abs();
            }
            Some(size) => {
                self.errors.push_back(error);
                if self.errors.len() > size {
                    self.errors.pop_front();
                }
            }
        }
    }

    /// The means of squared and of absolute errors; `None` before the first.
    fn means(&self) -> Option<[f64; 2]> {
        if self.count == 0 {
            return None;
        }
        if self.errors.is_empty() {
            return Some(self.sums.map(|sum| sum / self.count as f64));
        }
        let over = |sum: f64| sum / self.errors.len() as f64;
        let squares = self.errors.iter().map(|error| error * error).sum();
        Some([over(squares), over(self.errors.iter().map(|error| error.abs()).sum())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forecast::Battery;

    /// The forecasters of the run and these agree on what is not easy for any of them.
    #[test]
    fn two_programs_of_the_same_definitions_agree() {
        let battery = JudgedBattery::standard();
        let (mut series, mut other) = (JudgedSeries::new(&battery), Battery::standard());
        let mut state = 7_u64;
        for step in 0..400 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let noise = (state >> 40) as f64 / 1e5;
            let value = if step % 90 < 20 { 50.0 } else { 100.0 + noise + f64::from(step % 7) };
            series.add(value);
            other.add(value);
            let mine: Vec<Said<'_>> = series.all().collect();
            let theirs: Vec<_> = other.all().collect();
            assert_eq!(mine.len(), theirs.len(), "{step}");
            for (mine, theirs) in mine.iter().zip(&theirs) {
                let are_near = series.is_near(mine.value, theirs.value)
                    && (mine.errors[0] - theirs.mse).abs() <= series.rounding(theirs.mse, 0)
                    && (mine.errors[1] - theirs.mae).abs() <= series.rounding(theirs.mae, 1);
                assert!(mine.name == theirs.name && are_near, "{step}: {mine:?} {theirs:?}");
            }
        }
    }

    #[test]
    fn of_the_last_errors_only_those_count() {
        let members = vec![("last".to_owned(), JudgedMethod::Last), ("mean".to_owned(), JudgedMethod::Mean)];
        let battery = JudgedBattery { members, window: Some(2), by_absolute: true };
        let mut series = JudgedSeries::new(&battery);
        [0.0, 100.0, 100.0, 100.0].into_iter().for_each(|value| series.add(value));
        let best = series.best();
        assert_eq!((best.len(), best[0]), (1, Said { name: "last", value: 100.0, errors: [0.0, 0.0] }));
    }
}
