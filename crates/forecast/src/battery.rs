//! Many forecasters at once, and the one that has erred least.
//!
//! Each forecasts every value from those before it; its error counts if it said anything. The mean
//! of squared errors (MSE) and that of absolute ones (MAE) are kept for each, over all of its
//! forecasts or the last of them. The best is the one with the least; at ties the first. One that
//! has given no forecast yet, or gives none now, is not chosen; until one can be, the last value is
//! believed.

use super::{
    Adaptive, Autoregression, Forecaster, Last, Mean, SlidingMean, SlidingMedian, Smoothing, TrimmedMean,
};

/// Error that is to be least.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Select {
    /// The mean of squared errors.
    #[default]
    Mse,
    /// The mean of absolute errors.
    Mae,
}

/// Forecast of a forecaster, and its errors so far.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast<'a> {
    /// Name of the forecaster.
    pub name: &'a str,
    /// The next value.
    pub value: f64,
    /// The mean of its squared errors.
    pub mse: f64,
    /// The mean of its absolute errors.
    pub mae: f64,
}

#[derive(Clone, Debug)]
struct Member {
    name: String,
    forecaster: Box<dyn Forecaster>,
    /// Squared and absolute errors: their mean, of all or of the last, is what this forecasts of
    /// them.
    errors: [Box<dyn Forecaster>; 2],
}

/// Forecasters, each with its errors.
#[derive(Clone, Debug, Default)]
pub struct Battery {
    members: Vec<Member>,
    window: Option<usize>,
    last: Option<f64>,
}

impl Battery {
    /// Of no forecasters.
    pub fn new() -> Self {
        Battery::default()
    }

    /// Counts only the last so many errors of each forecaster that is put in from now on.
    #[must_use]
    pub fn over_last(self, errors: usize) -> Self {
        Battery { window: Some(errors), ..self }
    }

    /// The same with one more forecaster, to which those before it are preferred at ties.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, forecaster: impl Forecaster + 'static) -> Self {
        self.push(name.into(), Box::new(forecaster));
        self
    }

    /// Puts in one more forecaster.
    pub fn push(&mut self, name: String, forecaster: Box<dyn Forecaster>) {
        let errors = [(); 2].map(|()| match self.window {
            Some(most) => Box::new(SlidingMean::new(most)) as Box<dyn Forecaster>,
            None => Box::new(Mean::default()),
        });
        self.members.push(Member { name, forecaster, errors });
    }

    /// The battery of the Network Weather Service: its 24 forecasters, in the order in which they
    /// are preferred at ties.
    pub fn standard() -> Self {
        Battery::new().with_standard()
    }

    /// The same with these 24 more.
    #[must_use]
    pub fn with_standard(self) -> Self {
        let mut all = self.with("last", Last::default()).with("mean", Mean::default());
        for values in [5, 10, 20, 30, 50] {
            all = all.with(format!("mean-{values}"), SlidingMean::new(values));
        }
        for values in [5, 31] {
            all = all.with(format!("median-{values}"), SlidingMedian::new(values));
        }
        for values in [31, 51] {
            all = all.with(format!("trimmed-{values}"), TrimmedMean::new(values, 0.3));
        }
        for gain in [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 0.9] {
            all = all.with(format!("smooth-{gain}"), Smoothing::new(gain));
        }
        all = all.with("adaptive-mean", Adaptive::mean()).with("adaptive-median", Adaptive::median());
        for order in [1, 5] {
            all = all.with(format!("ar-{order}"), Autoregression::new(order, 128));
        }
        all
    }

    /// Takes in the next value of the series; what is no finite number is left out.
    pub fn add(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        for Member { forecaster, errors: [squared, absolute], .. } in &mut self.members {
            if let Some(forecast) = forecaster.next() {
                let error = value - forecast;
                squared.add(error * error);
                absolute.add(error.abs());
            }
            forecaster.add(value);
        }
        self.last = Some(value);
    }

    /// The last value that was taken in.
    pub fn last(&self) -> Option<f64> {
        self.last
    }

    /// Forecasts of all forecasters that have been tried and give one.
    pub fn all(&self) -> impl Iterator<Item = Forecast<'_>> {
        self.members.iter().filter_map(|Member { name, forecaster, errors: [squared, absolute] }| {
            let (mse, mae) = (squared.next()?, absolute.next()?);
            Some(Forecast { name, value: forecaster.next()?, mse, mae })
        })
    }

    /// Forecast of the forecaster with the least error.
    pub fn best(&self, by: Select) -> Option<Forecast<'_>> {
        let error = |forecast: &Forecast<'_>| match by {
            Select::Mse => forecast.mse,
            Select::Mae => forecast.mae,
        };
        self.all().min_by(|one, other| error(one).total_cmp(&error(other)))
    }

    /// The forecaster that has erred least, to be asked for more than the next value; the only one
    /// of a battery of one, tried or not.
    pub fn chosen(&self, by: Select) -> Option<&dyn Forecaster> {
        let error = |member: &&Member| {
            let [squared, absolute] = &member.errors;
            if by == Select::Mse { squared.next() } else { absolute.next() }
        };
        let only = if let [only] = &self.members[..] { Some(only) } else { None };
        let tried = self.members.iter().filter(|member| member.forecaster.next().is_some());
        let tried = tried.filter_map(|member| Some((error(&member)?, member)));
        let best = tried.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, member)| member);
        only.or(best).map(|member| &*member.forecaster)
    }

    /// The forecaster of this name, to be asked for more than the next value.
    pub fn forecaster(&self, name: &str) -> Option<&dyn Forecaster> {
        self.members.iter().find(|member| member.name == name).map(|member| &*member.forecaster)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERIES: [f64; 8] = [10.0, 12.0, 11.0, 13.0, 40.0, 12.0, 11.0, 12.0];

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 5e-4
    }

    /// Nine forecasters on the series: a median of three has the least MSE, one of five the least
    /// MAE.
    #[test]
    fn the_best_by_squared_errors_may_be_another_than_that_by_absolute_ones() {
        let mut nine = Battery::new()
            .with("last", Last::default())
            .with("mean", Mean::default())
            .with("mean-3", SlidingMean::new(3))
            .with("mean-5", SlidingMean::new(5))
            .with("median-3", SlidingMedian::new(3))
            .with("median-5", SlidingMedian::new(5))
            .with("trimmed-5", TrimmedMean::new(5, 0.3))
            .with("smooth-0.1", Smoothing::new(0.1))
            .with("smooth-0.5", Smoothing::new(0.5));
        assert_eq!(nine.best(Select::Mse), None);
        SERIES.into_iter().for_each(|value| nine.add(value));
        let best = nine.best(Select::Mse).expect("tried");
        assert!(best.name == "median-3" && near(best.mse, 113.857) && near(best.value, 12.0), "{best:?}");
        let best = nine.best(Select::Mae).expect("tried");
        assert!(best.name == "median-5" && near(best.mae, 4.7857), "{best:?}");
    }

    #[test]
    fn the_whole_battery_has_the_forecasts_and_errors_worked_out_for_the_series() {
        let mut battery = Battery::standard();
        SERIES.into_iter().for_each(|value| battery.add(value));
        let expected = [
            ("last", 12.0, 217.714, 8.857),
            ("mean", 15.125, 126.927, 6.658),
            ("mean-5", 17.6, 131.430, 7.1),
            ("median-5", 12.0, 117.321, 4.786),
            ("trimmed-31", 11.75, 117.337, 4.833),
            ("smooth-0.05", 11.758, 128.073, 5.248),
            ("smooth-0.1", 13.001, 126.887, 5.703),
            ("smooth-0.5", 13.5, 151.571, 8.143),
            ("smooth-0.9", 11.935, 199.959, 8.767),
            ("adaptive-mean", 15.857, 130.157, 6.971),
            ("adaptive-median", 12.0, 117.321, 4.786),
            ("ar-1", 15.419, 230.805, 11.103),
        ];
        for (name, value, mse, mae) in expected {
            let found = battery.all().find(|forecast| forecast.name == name).expect(name);
            assert!(near(found.value, value) && near(found.mse, mse) && near(found.mae, mae), "{found:?}");
        }
        assert!(battery.all().all(|forecast| forecast.name != "ar-5") && battery.members.len() == 24);
        assert!(battery.forecaster("ar-5").is_some_and(|forecaster| forecaster.next().is_none()));
        for by in [Select::Mse, Select::Mae] {
            assert_eq!(battery.best(by).map(|best| best.name), Some("median-5"));
        }
    }

    #[test]
    fn the_chosen_forecaster_is_the_best_one() {
        let mut battery = Battery::standard();
        assert!(battery.chosen(Select::Mse).is_none());
        SERIES.into_iter().for_each(|value| battery.add(value));
        for by in [Select::Mse, Select::Mae] {
            let next = battery.chosen(by).and_then(Forecaster::next);
            assert_eq!(next, battery.best(by).map(|best| best.value));
        }
        let mut one = Battery::new().with("last", Last::default());
        one.add(3.0);
        assert_eq!(
            (one.chosen(Select::Mse).and_then(Forecaster::next), one.best(Select::Mse)),
            (Some(3.0), None)
        );
    }

    #[test]
    fn only_the_last_errors_may_count() {
        let mut battery =
            Battery::new().over_last(2).with("last", Last::default()).with("mean", Mean::default());
        [0.0, 100.0, 100.0, 100.0, f64::NAN].into_iter().for_each(|value| battery.add(value));
        let best = battery.best(Select::Mse).expect("tried");
        assert_eq!((best.name, best.mse, best.value), ("last", 0.0, 100.0));
    }
}
