//! The row of one run of a study, as one line of a journal.
//!
//! A line is 16 hexadecimal digits, a blank, a JSON object and a line end. The digits begin the
//! SHA-256 of the object, so a line that was torn, or lies in a damaged block, is distinguished
//! from a whole one.

use std::borrow::Borrow;

use serde::{Deserialize, Serialize};

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::Digest;
use crate::measure::class;
use crate::measure::input_counts::InputCounts;
use crate::output::hash;
use crate::registry::definition::words;
use crate::scenario::Study;
use crate::study::run_metrics::{Observation, RunMetrics};

/// Key of a run of a study: its point, and its replication from 0, or `None` for the run of the log
/// as recorded.
pub type RunKey = (u32, Option<u32>);

/// The rows of a study by point and replication.
pub type Rows = OrderedMap<RunKey, Row>;

/// Name of the run of the log as recorded, in place of the number of a replication.
pub const RECORDED: &str = "recorded";

/// A run in words.
pub fn run_name((point, replication): RunKey) -> String {
    match replication {
        Some(replication) => format!("replication {replication} of point {point}"),
        None => format!("the recorded log at point {point}"),
    }
}

/// The command that repeats a run, as a shell takes it; `directory` is that of the study, with its
/// last slash, or empty for inside it.
pub fn reproduce(directory: &str, (point, replication): RunKey) -> String {
    let mut file = format!("{directory}scenario.resolved.toml");
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+=:,@%".contains(letter);
    if !file.chars().all(plain) {
        file = format!("'{}'", file.replace('\'', r"'\''"));
    }
    let replication = replication.map_or_else(|| RECORDED.to_owned(), |number| number.to_string());
    format!("clustersim run {file} --point {point} --replication {replication}")
}

/// A run that is kept, with all its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRun {
    /// Replication; null of the run of the log as recorded.
    pub replication: Option<u32>,
    /// Directory, from that of the study.
    pub directory: String,
    /// True if a page, `report.html`, is among its files.
    pub report: bool,
}

words! {
    /// The end of a run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum State {
        Done = "done", "the run came to its end";
        Failed = "failed", "the run ended with an error, and its figures are missing";
    }
}

/// The interval of one metric of a single random run, and reasons to doubt it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchFacts {
    /// The metric's name.
    pub metric: String,
    /// Half of the width of its 95 % interval by batch means; `None` if there are too few batches.
    pub half_width: Option<f64>,
    /// Neighbouring batch means correlate.
    pub correlate: bool,
    /// Independent observations that the run is worth; `None` if there are too few batches.
    pub worth: Option<f64>,
    /// Worth enough of them for the interval to be believed.
    pub long_enough: bool,
}

/// Facts that most runs do not have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Seldom {
    /// The codes of the warnings of its figures.
    pub warned: Vec<String>,
    /// Counts of what reading its log did to the jobs, if they are of a log.
    pub log: Option<InputCounts>,
    /// The intervals of the metrics that are means, by batches, if random numbers were drawn.
    pub batches: Vec<BatchFacts>,
    /// Error of a run that failed.
    pub error: Option<String>,
}

impl Seldom {
    /// The facts if there are any.
    pub fn boxed(self) -> Option<Box<Self>> {
        (self != Seldom::default()).then(|| Box::new(self))
    }
}

/// The results of one run. A study holds one for each of its runs, so it is small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The point, from 0.
    pub point: u32,
    /// The replication, from 0; `None`: the log as recorded, where every replication randomizes it.
    pub replication: Option<u32>,
    /// The end of the run.
    pub state: State,
    /// The digest of its events; `None` if it failed.
    #[serde(with = "digest_text")]
    pub digest: Option<Digest>,
    /// Events.
    pub events: u64,
    /// True if random numbers were drawn: without, every replication is the same.
    pub drew: bool,
    /// Jobs that the warm-up left out.
    pub warm_up: u64,
    /// The metrics.
    pub metrics: RunMetrics,
    /// Facts that most runs do not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seldom: Option<Box<Seldom>>,
}

/// A digest in a journal: sixteen hexadecimal digits, or nothing.
mod digest_text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::kernel::Digest;

    #[expect(clippy::ref_option, reason = "serde asks so")]
    pub(super) fn serialize<S: Serializer>(
        digest: &Option<Digest>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        digest.map(|digest| digest.to_string()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Digest>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        let wrong = || serde::de::Error::custom("no sixteen hexadecimal digits");
        text.map(|text| Digest::parse(&text).ok_or_else(wrong)).transpose()
    }
}

/// Names and units of the metrics of a study, in the order in which they are shown: those of any
/// run, then those of the classes that its runs met, in order of point and replication.
pub fn metrics<R: Borrow<Row>>(study: &Study, rows: &OrderedMap<RunKey, R>) -> Vec<(String, String)> {
    let known = study.metrics();
    let mut found: Vec<_> =
        known.iter().map(|metric| (metric.name.clone(), metric.unit.to_owned())).collect();
    let mut seen = OrderedSet::new();
    let mut last: Option<&Row> = None;
    for row in rows.values().map(R::borrow) {
        if last.replace(row).is_some_and(|last| last.metrics.shares_names_with(&row.metrics)) {
            continue;
        }
        for name in row.metrics.names() {
            if let Some(metric) = class::metric(name)
                && seen.insert(name)
            {
                let unit = known.iter().find(|known| known.name == metric).map_or("", |known| known.unit);
                found.push((name.clone(), unit.to_owned()));
            }
        }
    }
    found
}

/// The values of a metric in these runs of a point, in order, at the index of their replication.
pub fn values_of(metric: &str, done: &[&Row]) -> Vec<Observation> {
    let index = |run: &Row| run.replication.map_or(0, |number| number as usize);
    let length = done.last().map_or(0, |run| index(run) + 1);
    let mut values = vec![Observation::NONE; length];
    let mut last: Option<(&RunMetrics, Option<usize>)> = None;
    for run in done {
        let place = match last {
            Some((other, place)) if other.shares_names_with(&run.metrics) => place,
            _ => run.metrics.place(metric),
        };
        last = Some((&run.metrics, place));
        let value = place.and_then(|place| run.metrics.at(place));
        values[index(run)] = value.filter(|value| value.is_finite()).into();
    }
    values
}

impl Default for Row {
    /// A run that failed before it had any figure.
    fn default() -> Self {
        Row {
            point: 0,
            replication: None,
            state: State::Failed,
            digest: None,
            events: 0,
            drew: true,
            warm_up: 0,
            metrics: RunMetrics::default(),
            seldom: None,
        }
    }
}

impl Row {
    /// Key of its run.
    pub fn key(&self) -> RunKey {
        (self.point, self.replication)
    }

    /// The codes of the warnings of its figures.
    pub fn warned(&self) -> &[String] {
        self.seldom.as_ref().map_or(&[], |seldom| &seldom.warned)
    }

    /// Counts of what reading its log did to the jobs, if they are of a log.
    pub fn log(&self) -> Option<InputCounts> {
        self.seldom.as_ref()?.log
    }

    /// The intervals of the metrics that are means, by batches.
    pub fn batches(&self) -> &[BatchFacts] {
        self.seldom.as_ref().map_or(&[], |seldom| &seldom.batches)
    }

    /// Error of a run that failed.
    pub fn error(&self) -> Option<&str> {
        self.seldom.as_ref()?.error.as_deref()
    }

    /// Takes the batches out.
    pub(super) fn drop_batches(&mut self) {
        self.seldom = self.seldom.take().and_then(|seldom| Seldom { batches: Vec::new(), ..*seldom }.boxed());
    }

    /// The metric called `name`; `None` if nothing was observed, or the run failed.
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.get(name)
    }

    /// The values that the run observed, by metric.
    pub(super) fn observed(&self) -> OrderedMap<String, f64> {
        let observed = self.metrics.iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        observed.filter(|(_, value)| value.is_finite()).collect()
    }

    /// The line, with its end.
    pub fn line(&self) -> String {
        let json = serde_json::to_string(self).expect("a row is always JSON");
        format!("{} {json}\n", &hash::of_bytes(json.as_bytes())[..16])
    }

    /// The row of a line without its end; `None` if the line is not whole.
    pub fn of_line(line: &[u8]) -> Option<Row> {
        let (sum, json) = (line.get(..16)?, line.get(17..)?);
        let whole = hash::of_bytes(json).as_bytes()[..16] == *sum;
        if whole { serde_json::from_slice(json).ok() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> Row {
        let metrics = [("wait-time.mean".to_owned(), Some(0.1 + 0.2)), ("slowdown.mean".to_owned(), None)]
            .into_iter()
            .collect();
        Row {
            point: 3,
            replication: Some(7),
            state: State::Done,
            digest: Digest::parse("0123456789abcdef"),
            events: 9,
            drew: true,
            warm_up: 2,
            metrics,
            seldom: Seldom { warned: vec!["saturated".to_owned()], ..Seldom::default() }.boxed(),
        }
    }

    #[test]
    fn a_line_gives_its_row_back_to_the_last_bit() {
        let line = row().line();
        assert!(line.ends_with('\n') && line.matches('\n').count() == 1);
        assert_eq!(Row::of_line(line.trim_end().as_bytes()), Some(row()));
    }

    #[test]
    fn a_row_is_small() {
        assert!(size_of::<Row>() <= 80, "{}", size_of::<Row>());
    }

    #[test]
    fn a_line_that_is_not_whole_is_none() {
        let line = row().line();
        let line = line.trim_end().as_bytes();
        for cut in 0..line.len() {
            assert_eq!(Row::of_line(&line[..cut]), None, "cut at {cut}");
        }
        for at in 0..line.len() {
            let mut damaged = line.to_vec();
            damaged[at] ^= 1;
            // the blank behind the sum carries nothing
            assert!(at == 16 || Row::of_line(&damaged).is_none(), "damaged at {at}");
        }
    }
}
