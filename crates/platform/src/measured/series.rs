//! Samples of series as they are read, and the traces they become.

use crate::Trace;
use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::registry::Problem;
use crate::registry::code;
use crate::text::Place;
use crate::text::csv::Field;

use super::{Measure, MeasuredLine};

/// The owner of a series.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Owner {
    Host(String),
    Link(String),
    Ends(String, String),
}

impl Owner {
    /// Returns true if it is of this line. A line that is measured one direction only has the
    /// series of either.
    pub(super) fn is(&self, line: &MeasuredLine) -> bool {
        match self {
            Owner::Host(_) => false,
            Owner::Link(name) => *name == line.name,
            Owner::Ends(from, to) => {
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

/// A series, and where its first sample stands. A sample that repeats the value before it changes
/// nothing and is not kept.
#[derive(Debug)]
struct Series {
    samples: Vec<Sample>,
    /// The time of the last sample, be it kept or not.
    last: u64,
    file: String,
    place: Place,
}

/// Every series of every file.
#[derive(Debug, Default)]
pub(super) struct AllSeries {
    all: OrderedMap<(Owner, Measure), Series>,
}

impl AllSeries {
    /// Adds a sample.
    ///
    /// # Errors
    /// It is not later than the one before it.
    pub(super) fn push(
        &mut self,
        key: (Owner, Measure),
        sample: Sample,
        (file, cell): (&str, Field<'_>),
    ) -> Result<(), ()> {
        let series = self.all.entry(key).or_insert_with(|| Series {
            samples: Vec::new(),
            last: 0,
            file: file.to_owned(),
            place: cell.whole_row().place(),
        });
        if !series.samples.is_empty() && sample.at <= series.last {
            return Err(());
        }
        series.last = sample.at;
        if series.samples.last().is_none_or(|last| last.value.to_bits() != sample.value.to_bits()) {
            series.samples.push(sample);
        }
        Ok(())
    }

    /// The owners of all series, each with the place at which its series begins.
    pub(super) fn owners(&self) -> Vec<(Owner, String, Problem)> {
        let owner = |((owner, _), series): (&(Owner, Measure), &Series)| {
            let problem = Problem::new(code::UNKNOWN_NAME, "").at(series.place.clone());
            (owner.clone(), series.file.clone(), problem)
        };
        self.all.iter().map(owner).collect()
    }

    /// The traces, on a clock that starts with the earliest sample of all. The samples of each are
    /// given up for its trace, so that no two copies of all of them are kept.
    pub(super) fn into_traces(self) -> impl Iterator<Item = ((Owner, Measure), Trace)> {
        let start = self.all.values().filter_map(|series| series.samples.first()).map(|first| first.at).min();
        let start = start.unwrap_or(0);
        self.all.into_iter().map(move |(key, series)| {
            let first = series.samples.first().map_or(1.0, |sample| sample.value);
            let points = series.samples.into_iter();
            let points: Vec<(SimTime, f64)> =
                points.map(|sample| (SimTime::from_nanos(sample.at - start), sample.value)).collect();
            let trace = Trace::new(&points, None).expect("times rise and values are 0 or more");
            (key, trace.before(first))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_that_repeat_a_value_are_not_kept_and_still_have_to_be_in_order() {
        let mut all = AllSeries::default();
        let line = "0,a,0.5";
        let cell = Field::piece(line, 2, &line[4..]);
        let mut push = |at: u64, value: f64| {
            let key = (Owner::Host("a".to_owned()), Measure::Availability);
            all.push(key, Sample { at, value }, ("load.csv", cell))
        };
        for at in 5..100_000 {
            assert_eq!(push(at, 0.5), Ok(()));
        }
        assert_eq!(push(99_999, 0.5), Err(()), "the last one was at this time");
        assert_eq!((push(100_005, 0.25), push(100_006, 0.25)), (Ok(()), Ok(())));
        let series = all.all.values().next().expect("one");
        assert_eq!(series.samples.len(), 2);
        let (_, trace) = all.into_traces().next().expect("one");
        let values = [0, 99_999, 100_000].map(|at| trace.value_at(SimTime::from_nanos(at)).to_bits());
        assert_eq!(values, [0.5_f64, 0.5, 0.25].map(f64::to_bits));
    }
}
