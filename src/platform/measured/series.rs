//! Samples of series as they are read, and the traces they become.

use std::collections::BTreeMap;

use crate::kernel::SimTime;
use crate::platform::Trace;
use crate::registry::code;
use crate::workload::source::Problem;
use crate::workload::swf::Place;

use super::table::Cell;
use super::{Measure, MeasuredLine};

/// Whose series it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Whose {
    Host(String),
    Link(String),
    Ends(String, String),
}

impl Whose {
    /// Whether it is of this line. A line that is measured one way only has the series of either.
    pub(super) fn is(&self, line: &MeasuredLine) -> bool {
        match self {
            Whose::Host(_) => false,
            Whose::Link(name) => *name == line.name,
            Whose::Ends(from, to) => {
                (*from == line.from && *to == line.to)
                    || (!line.is_one_way && *from == line.to && *to == line.from)
            }
        }
    }
}

/// A value from an instant on [ns of the file's clock].
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) at: u64,
    pub(super) value: f64,
}

/// A series, and where its first sample stands.
#[derive(Debug)]
struct Series {
    samples: Vec<Sample>,
    file: String,
    place: Place,
}

/// Every series of every file.
#[derive(Debug, Default)]
pub(super) struct AllSeries {
    all: BTreeMap<(Whose, Measure), Series>,
}

impl AllSeries {
    /// Adds a sample.
    ///
    /// # Errors
    /// It is not later than the one before it.
    pub(super) fn push(
        &mut self,
        key: (Whose, Measure),
        sample: Sample,
        (file, cell): (&str, Cell<'_>),
    ) -> Result<(), ()> {
        let series = self.all.entry(key).or_insert_with(|| Series {
            samples: Vec::new(),
            file: file.to_owned(),
            place: cell.whole_line().place(),
        });
        if series.samples.last().is_some_and(|last| sample.at <= last.at) {
            return Err(());
        }
        series.samples.push(sample);
        Ok(())
    }

    /// Whose series there are, each with the place at which it begins.
    pub(super) fn owners(&self) -> Vec<(Whose, String, Problem)> {
        let owner = |((whose, _), series): (&(Whose, Measure), &Series)| {
            let problem = Problem::new(code::UNKNOWN_NAME, "").at(series.place.clone());
            (whose.clone(), series.file.clone(), problem)
        };
        self.all.iter().map(owner).collect()
    }

    /// The traces, on a clock that starts with the earliest sample of all. Samples that change nothing are left out.
    pub(super) fn traces(&self) -> impl Iterator<Item = (&(Whose, Measure), Trace)> {
        let start = self.all.values().filter_map(|series| series.samples.first()).map(|first| first.at).min();
        let start = start.unwrap_or(0);
        self.all.iter().map(move |(key, series)| {
            let first = series.samples.first().map_or(1.0, |sample| sample.value);
            let mut points: Vec<(SimTime, f64)> = Vec::new();
            for sample in &series.samples {
                if points.last().is_none_or(|(_, last)| last.to_bits() != sample.value.to_bits()) {
                    points.push((SimTime::from_nanos(sample.at - start), sample.value));
                }
            }
            let trace = Trace::new(&points, None).expect("times rise and values are 0 or more");
            (key, trace.before(first))
        })
    }
}
