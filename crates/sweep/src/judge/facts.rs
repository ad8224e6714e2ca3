//! Files of a run, facts about its grid, and values of its hosts, clusters and links:
//! those that were drawn as `loads.csv` has them, the others from the caller.

use serde_json::Value as Json;

use crate::check::loads::{Holds, at_instant};
use crate::check::near;
use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::output::RowFile;
use crate::rows::LoadRow;

use crate::check::Violation;

/// The texts of a run's files, `None` for those that the scenario did not ask for, and what else is
/// known of it.
#[expect(clippy::struct_excessive_bools, reason = "each is an answer of its own")]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweepFiles<'a> {
    /// `tasks.csv`.
    pub tasks: Option<&'a str>,
    /// `works.csv`.
    pub works: Option<&'a str>,
    /// `sizes.csv`.
    pub sizes: Option<&'a str>,
    /// `transfers.csv`.
    pub transfers: Option<&'a str>,
    /// `hosts.csv`.
    pub hosts: Option<&'a str>,
    /// `plans.csv`.
    pub plans: Option<&'a str>,
    /// `files.csv`.
    pub files: Option<&'a str>,
    /// `loads.csv`.
    pub loads: Option<&'a str>,
    /// `duplicates.csv`.
    pub duplicates: Option<&'a str>,
    /// `clusters.csv`.
    pub clusters: Option<&'a str>,
    /// `jobs.csv`.
    pub jobs: Option<&'a str>,
    /// Contents of `summary.json`, if its numbers are to be judged.
    pub summary: Option<&'a Json>,
    /// Contents of `manifest.json`.
    pub manifest: Option<&'a Json>,
    /// Title and seed of the scenario.
    pub named: (&'a str, u64),
    /// The application of the scenario.
    pub application: Option<&'a ScenarioSweep>,
    /// The last completion in seconds, if the summary has it.
    pub makespan: Option<f64>,
    /// Below which no makespan can be, in seconds, if the summary has it.
    pub lower_bound: Option<f64>,
    /// Instant by which the tasks are to be completed, if one is stated.
    pub deadline: Option<SimTime>,
    /// Greatest cost that the run may have, if one is stated.
    pub budget: Option<f64>,
    /// Instant at which the run was to be stopped, if one is stated.
    pub until: Option<SimTime>,
    /// True if the optimum was searched for.
    pub searched: bool,
    /// True if the run was stopped before its last task was completed.
    pub stopped: bool,
    /// True if links wait for the transfer that is next in the plan.
    pub links_in_order: bool,
    /// True if hosts may take tasks of others, out of the order of their queues.
    pub may_steal: bool,
    /// Time that each plan takes before it is taken up.
    pub planning_time: SimDuration,
    /// Time that a plan takes for each look instead, if one is stated.
    pub per_look: Option<SimDuration>,
    /// True if the scheduler acts only when something happens: it is no program and no
    /// rule of another crate.
    pub acts_on_events: bool,
}

/// A task of the application, as the scenario has it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ScenarioTask {
    /// Name of the task.
    pub name: String,
    /// Instant at which the task becomes known.
    pub arrival: SimTime,
    /// Computing times on hosts of speed 1, by architecture; one number if it is the same on all.
    pub times: Vec<f64>,
    /// The files that it reads, in order.
    pub inputs: Vec<usize>,
    /// The files that it writes, in order.
    pub outputs: Vec<usize>,
}

/// A file of the application, as the scenario has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ScenarioFile {
    /// Name of the file.
    pub name: String,
    /// Size of the file.
    pub bytes: u64,
    /// Origin of the file.
    pub origin: usize,
}

/// The application of a scenario.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct ScenarioSweep {
    /// The tasks.
    pub tasks: Vec<ScenarioTask>,
    /// The files.
    pub files: Vec<ScenarioFile>,
}

/// A property of hosts and clusters that changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum SweepValue {
    /// The share of a host that is available.
    Availability,
    /// Above 0 while a host is there.
    HostPresence,
    /// Bytes per second of a link.
    Bandwidth,
    /// Seconds of that link.
    Latency,
    /// Above 0 while a cluster is there.
    ClusterPresence,
}

/// The grid that a run was on: hosts, clusters, links and origins by number. The
/// links of the first origin are numbered as their clusters.
pub(crate) trait SweepFacts {
    /// Number of hosts.
    fn hosts(&self) -> usize;

    /// Number of clusters.
    fn clusters(&self) -> usize;

    /// Number of links.
    fn links(&self) -> usize;

    /// Name of a host.
    fn host_name(&self, host: usize) -> &str;

    /// Name of a cluster.
    fn cluster_name(&self, cluster: usize) -> &str;

    /// The cluster that a link leads to.
    fn cluster_of_link(&self, link: usize) -> usize;

    /// The links of a cluster, from origins and from other clusters.
    fn links_of(&self, cluster: usize) -> Vec<usize>;

    /// The least and the greatest value that there may ever be.
    fn extremes(&self, of: SweepValue, number: usize) -> [f64; 2];

    /// Value drawn at an instant, and the instant until which it holds: as the seed has it.
    fn drawn(&self, of: SweepValue, number: usize, at: SimTime) -> Option<(f64, Option<SimTime>)>;

    /// The host of this name.
    fn host(&self, name: &str) -> Option<usize>;

    /// The cluster of this name.
    fn cluster(&self, name: &str) -> Option<usize>;

    /// The origin of this name.
    fn origin(&self, name: &str) -> Option<usize>;

    /// The link of this name: of the first origin that of a cluster.
    fn link(&self, name: &str) -> Option<usize>;

    /// The link that leads from an origin to a cluster.
    fn link_of(&self, origin: usize, cluster: usize) -> usize;

    /// The two clusters between which a link lies; `None` if it leads from an origin.
    fn between(&self, _link: usize) -> Option<[usize; 2]> {
        None
    }

    /// The cluster of a host.
    fn cluster_of(&self, host: usize) -> usize;

    /// Tasks that a host computes at a time.
    fn processors(&self, host: usize) -> u32;

    /// Number of the time of a task that holds on a host.
    fn architecture(&self, host: usize) -> usize;

    /// The divisor of times on a host.
    fn speed(&self, host: usize) -> f64;

    /// Returns true if tasks wait on a host before they compute.
    fn waits(&self, host: usize) -> bool;

    /// Returns true if files stay on a cluster.
    fn has_storage(&self, cluster: usize) -> bool;

    /// The bytes that the storage of a cluster holds, if it has a limit.
    fn capacity(&self, cluster: usize) -> Option<u64>;

    /// The price of a second of a processor on a cluster, and of a byte on its link.
    fn prices(&self, cluster: usize) -> Option<[f64; 2]>;

    /// A value of a host, a cluster or a link at an instant, and until when it holds; `None` if it
    /// was drawn.
    fn value(&self, of: SweepValue, number: usize, at: SimTime) -> Option<(f64, Option<SimTime>)>;

    /// Returns true if a presence is 0 at an instant, if only for no time.
    fn leaves(&self, _of: SweepValue, _number: usize, _at: SimTime) -> bool {
        false
    }
}

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
