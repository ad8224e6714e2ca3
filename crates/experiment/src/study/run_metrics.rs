//! The metrics of one run as a study holds them: names once for all runs that have the same ones,
//! and 8 bytes a value.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::collections::OrderedSet;

/// A value that was observed or not, in 8 bytes. One that is not a number was not observed.
#[derive(Clone, Copy, Debug)]
pub struct Observation(f64);

impl Observation {
    /// Not observed.
    pub const NONE: Self = Observation(f64::NAN);

    /// The value; `None` if it was not observed.
    pub fn value(self) -> Option<f64> {
        (!self.0.is_nan()).then_some(self.0)
    }
}

impl From<f64> for Observation {
    fn from(value: f64) -> Self {
        Observation(value)
    }
}

impl From<Option<f64>> for Observation {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Observation::NONE, Observation)
    }
}

impl PartialEq for Observation {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl Serialize for Observation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Observation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Observation::from)
    }
}

/// The names of the metrics of runs, each list once.
#[derive(Debug, Default)]
pub struct SharedNames(OrderedSet<Arc<Vec<String>>>);

/// The metrics of a run, in the order in which they are shown. A file holds pairs of name and
/// value.
#[derive(Clone, Debug)]
pub struct RunMetrics {
    names: Arc<Vec<String>>,
    values: Box<[Observation]>,
}

impl RunMetrics {
    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Option<f64>)> {
        self.names.iter().map(String::as_str).zip(self.values.iter().map(|value| value.value()))
    }

    /// The names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The place of the metric called `name`; `None` if the run has no such metric.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The value at a place; `None` if nothing was observed.
    ///
    /// # Panics
    /// If the run has no such place.
    pub fn at(&self, place: usize) -> Option<f64> {
        self.values[place].value()
    }

    /// The metric called `name`; `None` if nothing was observed.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.at(self.place(name)?)
    }

    /// Returns true if the list of names is one with that of another run: then every metric has the
    /// same place.
    pub fn shares_names_with(&self, other: &RunMetrics) -> bool {
        Arc::ptr_eq(&self.names, &other.names)
    }

    /// Takes the list of names that is known, or makes its own known.
    pub fn share(&mut self, known: &mut SharedNames) {
        match known.0.get(&*self.names) {
            Some(names) => self.names = Arc::clone(names),
            None => drop(known.0.insert(Arc::clone(&self.names))),
        }
    }
}

impl Default for RunMetrics {
    fn default() -> Self {
        RunMetrics { names: Arc::default(), values: Box::from([]) }
    }
}

impl PartialEq for RunMetrics {
    fn eq(&self, other: &Self) -> bool {
        (self.shares_names_with(other) || self.names == other.names) && self.values == other.values
    }
}

impl FromIterator<(String, Option<f64>)> for RunMetrics {
    fn from_iter<I: IntoIterator<Item = (String, Option<f64>)>>(metrics: I) -> Self {
        let (names, values): (Vec<_>, Vec<_>) =
            metrics.into_iter().map(|(name, value)| (name, Observation::from(value))).unzip();
        RunMetrics { names: Arc::new(names), values: values.into() }
    }
}

impl Serialize for RunMetrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for RunMetrics {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<(String, Option<f64>)>::deserialize(deserializer).map(RunMetrics::from_iter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(value: Option<f64>) -> RunMetrics {
        [("wait-time.mean".to_owned(), value), ("slowdown.mean".to_owned(), Some(2.0))].into_iter().collect()
    }

    #[test]
    fn what_was_not_observed_is_null_and_none() {
        let text = serde_json::to_string(&metrics(None)).expect("plain values");
        assert_eq!(text, r#"[["wait-time.mean",null],["slowdown.mean",2.0]]"#);
        let back: RunMetrics = serde_json::from_str(&text).expect("its own shape");
        assert_eq!(back, metrics(None));
        assert_ne!(back, metrics(Some(0.0)));
        assert_eq!(
            (back.get("wait-time.mean"), back.get("slowdown.mean"), back.get("x")),
            (None, Some(2.0), None)
        );
        assert_eq!(size_of::<Observation>(), 8);
    }

    #[test]
    fn names_are_held_once_for_runs_of_the_same_metrics() {
        let (mut one, mut other, mut third) = (metrics(None), metrics(Some(1.0)), RunMetrics::default());
        assert!(!one.shares_names_with(&other));
        let mut known = SharedNames::default();
        [&mut one, &mut other, &mut third].into_iter().for_each(|metrics| metrics.share(&mut known));
        assert!(one.shares_names_with(&other) && !one.shares_names_with(&third));
        assert_eq!((one.get("slowdown.mean"), other.at(0), third.names().len()), (Some(2.0), Some(1.0), 0));
    }
}
