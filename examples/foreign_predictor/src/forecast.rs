//! Forecasts of a series by four methods, of which the one is believed that has erred least so far.

use std::collections::VecDeque;

/// How many values a sliding median is of.
const VALUES: usize = 5;
/// By which share of its error a smoothed value moves.
const GAIN: f64 = 0.5;
/// What the methods are called, in the order in which they are preferred at ties.
const NAMES: [&str; 4] = ["last 0", "mean 1", "sliding-median 2", "smoothing 3"];

/// A forecast, and how the method has erred.
pub struct Best {
    pub value: f64,
    pub by: &'static str,
    pub mse: f64,
    pub mae: f64,
}

/// A series, and what its methods need of it.
#[derive(Default)]
pub struct Series {
    count: u64,
    sum: f64,
    last: VecDeque<f64>,
    smooth: f64,
    /// Sums of squared and of absolute errors, and how many there are.
    errors: [(f64, f64); 4],
    tried: u64,
}

impl Series {
    /// Takes in the next value.
    pub fn add(&mut self, value: f64) {
        if self.count > 0 {
            let forecasts = self.all();
            for ((squared, absolute), forecast) in self.errors.iter_mut().zip(forecasts) {
                let error = value - forecast;
                *squared += error * error;
                *absolute += error.abs();
            }
            self.tried += 1;
        }
        self.smooth = if self.count == 0 { value } else { self.smooth + GAIN * (value - self.smooth) };
        self.count += 1;
        self.sum += value;
        if self.last.len() == VALUES {
            self.last.pop_front();
        }
        self.last.push_back(value);
    }

    /// The forecast of the method with the least mean of squared errors, once the methods have been
    /// tried.
    pub fn best(&self) -> Option<Best> {
        if self.tried == 0 {
            return None;
        }
        let tried = self.tried as f64;
        let all = self.all().into_iter().zip(self.errors).zip(NAMES);
        let all = all.map(|((value, (squared, absolute)), by)| Best {
            value,
            by,
            mse: squared / tried,
            mae: absolute / tried,
        });
        all.min_by(|one, other| one.mse.total_cmp(&other.mse))
    }

    /// Forecast of the next value by the best method; the last measured value as long as none has
    /// been tried.
    pub fn expected(&self) -> Option<f64> {
        self.best().map(|best| best.value).or(self.last.back().copied())
    }

    fn all(&self) -> [f64; 4] {
        let mut sorted: Vec<f64> = self.last.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len() - 1;
        let median = f64::midpoint(sorted[last / 2], sorted[sorted.len() / 2]);
        [self.last[self.last.len() - 1], self.sum / self.count as f64, median, self.smooth]
    }
}
