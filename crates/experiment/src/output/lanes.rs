//! Timelines as data: lanes (processors, hosts, agents), and what happens on them.
//!
//! A producer names its lanes, then pushes what happens in order of time: spans that begin and end,
//! marks that are ends of arrows, and values of counters. At one instant ends come before
//! beginnings. Spans of one lane do not overlap; those that may are given to
//! [`push_spans`](super::push_spans). Nothing is gathered here, so that long timelines take no
//! memory.

use std::io;

use crate::collections::Interval;
use crate::kernel::SimTime;

/// Cause of a span of a lane, as a word, and the meaning of the word.
pub type LaneCause = (&'static str, &'static str);

/// The title, the counters and the causes of a timeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lanes {
    /// Title of all lanes together.
    pub title: &'static str,
    /// The number of that among those of the counters.
    pub number: u64,
    /// Counters.
    pub counters: &'static [Counter],
    /// The causes of its spans, in the order in which `--explain` adds them up.
    pub causes: &'static [LaneCause],
}

/// A value that is drawn over time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counter {
    /// Number, from 1 to 15.
    pub number: u64,
    /// Name.
    pub name: &'static str,
    /// Unit.
    pub unit: &'static str,
}

/// Name of a span or a mark, and the facts known of it.
#[derive(Clone, Copy, Debug)]
pub struct Label<'a> {
    /// The number of its name, from 1, which no other name has.
    pub number: u64,
    /// Name, at its first use.
    pub name: Option<&'a str>,
    /// Facts, by name.
    pub facts: &'a [(&'static str, u64)],
    /// The word of the cause of a span; empty of a mark.
    pub cause: &'static str,
}

/// Role of a mark at an arrow: its beginning or its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrow {
    /// The arrow of this number begins.
    Begins(u64),
    /// The arrow of this number ends.
    Ends(u64),
}

/// Takes a timeline.
///
/// # Errors
/// What the writer below says, of every method.
pub trait LaneSink {
    /// Names a lane, before anything happens.
    fn lane(&mut self, number: u32, name: &str) -> io::Result<()>;
    /// A span begins on each of these lanes.
    fn begin(&mut self, at: SimTime, on: &[Interval], label: Label<'_>) -> io::Result<()>;
    /// The spans on these lanes end.
    fn end(&mut self, at: SimTime, on: &[Interval]) -> io::Result<()>;
    /// An arrow begins or ends on a lane.
    fn mark(&mut self, at: SimTime, on: u32, label: Label<'_>, arrow: Arrow) -> io::Result<()>;
    /// A counter, by its place, has this value from now on.
    fn count(&mut self, at: SimTime, counter: usize, value: u64) -> io::Result<()>;
}

/// Metrics that spans of a timeline add up to.
#[derive(Clone, PartialEq, Debug)]
pub struct LaneTotal {
    /// Names of the metrics, which are added up.
    pub metrics: Vec<String>,
    /// The causes of the spans that count.
    pub causes: Vec<&'static str>,
    /// Instants between which spans count.
    pub window: (SimTime, SimTime),
    /// Seconds of all lanes that the metrics are shares of; 1 of metrics that are seconds.
    pub whole: f64,
    /// True if of spans of one lane that overlap the time counts once.
    pub once: bool,
}

/// Has a timeline: the ledger of what its lanes did, read after the run.
pub trait LaneSource {
    /// Title, counters and causes.
    fn lanes(&self) -> Lanes;

    /// The metrics of the run that its spans add up to.
    fn totals(&self) -> Vec<LaneTotal> {
        Vec::new()
    }

    /// Names every lane, then pushes what happens, in order of time.
    ///
    /// # Errors
    /// What the sink says.
    fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()>;
}
