//! Values of hosts, clusters and links: those that were drawn as `loads.csv` has them, the others
//! from the caller.

use crate::check::near;
use crate::check::plan::loads::{Holds, at_instant};
use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::output::RowFile;
use crate::rows::sweep::LoadRow;

use super::{SweepFacts, SweepValue, Violation};

/// Name of the first column of the file.
const WORDS: [(&str, SweepValue); 5] = [
    ("host", SweepValue::Availability),
    ("host-presence", SweepValue::HostPresence),
    ("link", SweepValue::Bandwidth),
    ("latency", SweepValue::Latency),
    ("cluster-presence", SweepValue::ClusterPresence),
];

/// Changes among which an absence is looked for: those of a value that repeats go on for ever.
const MOST_CHANGES: usize = 100_000;

/// Values that were drawn.
#[derive(Debug, Default)]
pub(super) struct Values {
    drawn: OrderedMap<(SweepValue, usize), Vec<(SimTime, f64)>>,
}

/// Value that was drawn, and is not in the files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NotKnown;

impl Values {
    /// Reads the file.
    ///
    /// # Errors
    /// The first row that is none of a value, and where.
    pub(super) fn read(text: &str, grid: &dyn SweepFacts) -> Result<Self, String> {
        let mut values = Values::default();
        RowFile::<LoadRow<'_>>::new(text)?.each(|row, line| {
            let LoadRow { resource, name, from, available: value } = row;
            let of = |text: &str| WORDS.iter().find(|(word, _)| *word == text).map(|(_, of)| *of);
            let of = line.find(&resource, "kind of value", of)?;
            let number = |name: &str| match of {
                SweepValue::Availability | SweepValue::HostPresence => grid.host(name),
                SweepValue::Bandwidth | SweepValue::Latency => grid.link(name),
                SweepValue::ClusterPresence => grid.cluster(name),
            };
            let number = line.find(&name, "host, link or cluster", number)?;
            let of_this = values.drawn.entry((of, number)).or_default();
            let is_next = match of_this.last() {
                None => from == SimTime::ZERO,
                Some((last, _)) => *last < from,
            };
            if !is_next || value < 0.0 {
                let what = "values begin at 0, their times rise, and none is less than nothing";
                return Err(line.wrong(what));
            }
            of_this.push((from, value));
            Ok(())
        })?;
        Ok(values)
    }

    /// Differences of the values from those that the seed draws.
    pub(super) fn against(&self, grid: &dyn SweepFacts) -> Vec<Violation> {
        let count = |of| match of {
            SweepValue::Availability | SweepValue::HostPresence => grid.hosts(),
            SweepValue::Bandwidth | SweepValue::Latency => grid.links(),
            SweepValue::ClusterPresence => grid.clusters(),
        };
        let mut found = Vec::new();
        for (word, of) in WORDS {
            for number in 0..count(of) {
                let rows = self.drawn.get(&(of, number)).map_or(&[][..], |rows| rows);
                if grid.drawn(of, number, SimTime::ZERO).is_some() && rows.is_empty() {
                    let what = format!("loads.csv has nothing of {word} {number}, which was drawn");
                    found.push(Violation::of_no_job(SimTime::ZERO, what));
                }
                let mut next = Some(SimTime::ZERO);
                for &(from, value) in rows {
                    let drawn = grid.drawn(of, number, from);
                    if next != Some(from) || !drawn.is_some_and(|(right, _)| near(right, value)) {
                        let what = format!("loads.csv has {value} of {word} {number}, which was not drawn");
                        found.push(Violation::of_no_job(from, what));
                    }
                    next = drawn.and_then(|(_, until)| until);
                }
            }
        }
        found
    }

    /// A value at an instant, and until when it holds.
    pub(super) fn at(
        &self,
        grid: &dyn SweepFacts,
        (of, number): (SweepValue, usize),
        at: SimTime,
    ) -> Option<Holds> {
        grid.value(of, number, at).or_else(|| at_instant(self.drawn.get(&(of, number))?, at))
    }

    /// The first instant from `start` on, before `end`, at which a value is not above 0.
    pub(super) fn first_absence(
        &self,
        grid: &dyn SweepFacts,
        of: (SweepValue, usize),
        (start, end): (SimTime, SimTime),
    ) -> Result<Option<SimTime>, NotKnown> {
        let mut at = start;
        for _ in 0..MOST_CHANGES {
            if at >= end {
                break;
            }
            let (value, until) = self.at(grid, of, at).ok_or(NotKnown)?;
            // what leaves and returns as something begins leaves before
            if value <= 0.0 || at > start && grid.leaves(of.0, of.1, at) {
                return Ok(Some(at));
            }
            let Some(until) = until else { return Ok(None) };
            at = until;
        }
        Ok(None)
    }
}
