//! Scheduling events: how long until the next plan.
//!
//! | number | name | the next plan is made |
//! |---|---|---|
//! | S1 | [`constant`] | after the same time, or never |
//! | S2 | [`deviation`] | the later, the more of the sub-tasks that were predicted to run now do |
//! | S3 | [`weighted`] | as S2, where resources that were often predicted right count for more |
//!
//! Source: section 5.6.1 of the report of the Parameter Sweep Template; the factors are our choice.

pub mod constant;
pub mod deviation;
pub mod weighted;

use std::fmt;

use self::constant::SHORTEST;
use crate::estimate::predictions::{Predictions, SweepResource};
use crate::kernel::SimDuration;
use crate::model::grid::HostNumber;
use crate::registry::{Bounds, Entry, Key, Kind, Table, keys, presets};
use crate::scheduler::interfaces::Interfaces;
use crate::workflow::TaskNumber;

/// A sub-task that was predicted to be in progress at a scheduling event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExpectedRun {
    /// Resource of the sub-task.
    pub resource: SweepResource,
    /// True if it is.
    pub is_right: bool,
}

/// Values known before the first plan.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BeforeFirstPlan {
    /// The mean estimated computing time of a task over the hosts, in seconds.
    pub mean_seconds: f64,
    /// Time that planning takes.
    pub planning_time: SimDuration,
}

impl BeforeFirstPlan {
    /// The mean estimated computing time of a task over the hosts that are there, in seconds.
    pub(crate) fn mean_seconds(predictions: &Predictions, grid: &dyn Interfaces) -> f64 {
        let known = grid.known();
        let hosts: Vec<HostNumber> =
            grid.grid().host_numbers().filter(|host| grid.is_present(*host)).collect();
        let now = grid.now().as_nanos();
        let (mut sum, mut count) = (0.0, 0.0);
        // hosts alike have the same time, and many tasks: a thousand of them say enough
        let step = (known.len() / 1_000).max(1);
        for task in (0..known.len() as u32).step_by(step).map(TaskNumber) {
            for &host in &hosts {
                let seconds = known.seconds(task, predictions.hosts[host.index()].architecture);
                let end = seconds.and_then(|seconds| predictions.computation_end(host, task, seconds, now));
                if let Some(end) = end {
                    sum += SimDuration::from_nanos(end - now).as_secs_f64();
                    count += 1.0;
                }
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

/// A rule for the time from a scheduling event to the next.
pub trait EventInterval: fmt::Debug {
    /// Interval after the first event.
    fn first(&mut self, known: &BeforeFirstPlan) -> SimDuration;

    /// Interval after a later event, from the `last` and the sub-tasks expected to be in progress.
    fn next(&mut self, last: SimDuration, expected: &[ExpectedRun]) -> SimDuration;
}

/// Between which intervals a rule adapts, and by what.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Adapted {
    least: Option<SimDuration>,
    most: Option<SimDuration>,
    scheduler_share: f64,
    correct: f64,
    grow: f64,
    shrink: f64,
    /// Known with the first plan.
    bounds: (SimDuration, SimDuration),
}

pub(super) const ADAPTED: &[Key] = &keys! {
    "min" Kind::Duration(Bounds::Positive),
        absent "60 s, or the time of planning over `scheduler-share` if that is more" => "the shortest, and the first";
    "max" Kind::Duration(Bounds::Positive), absent "20 times `min`" => "the longest";
    "scheduler-share" Kind::Share(Bounds::Positive), or "5%" =>
        "the share of the origin's processor that planning may take";
    "correct" Kind::Share(Bounds::Within(0.0, 1.0)), or "80%" =>
        "from which share of right predictions on the interval grows";
    "grow" Kind::Number(Bounds::Within(1.0, 100.0)), or_number 1.1 => "by which factor it grows";
    "shrink" Kind::Number(Bounds::Within(0.01, 1.0)), or_number 0.5 => "by which factor it shrinks otherwise";
};

impl Adapted {
    pub(super) fn read(params: &crate::registry::Params<'_>) -> Result<Self, crate::registry::Complaint> {
        let [least, most]: [Option<SimDuration>; 2] = [params.read("min")?, params.read("max")?];
        if most.is_some_and(|most| most < least.unwrap_or(SHORTEST)) {
            let by_itself = if least.is_none() { ", which is 60 s by itself" } else { "" };
            return Err(
                params.complaint("max", format!("the longest interval is shorter than `min`{by_itself}"))
            );
        }
        Ok(Adapted {
            least,
            most,
            scheduler_share: params.read("scheduler-share")?,
            correct: params.read("correct")?,
            grow: params.read("grow")?,
            shrink: params.read("shrink")?,
            bounds: (SimDuration::ZERO, SimDuration::MAX),
        })
    }

    pub(super) fn first(&mut self, known: &BeforeFirstPlan) -> SimDuration {
        let planned = known.planning_time.as_secs_f64() / self.scheduler_share;
        let least = self.least.unwrap_or_else(|| SimDuration::ceil_secs(planned).max(SHORTEST));
        let most = self.most.or_else(|| least.checked_mul(20)).unwrap_or(SimDuration::MAX);
        self.bounds = (least, most.max(least));
        least
    }

    /// The interval after one in which this share of the predictions was right.
    pub(super) fn next(&self, last: SimDuration, correctness: f64) -> SimDuration {
        let factor = if correctness >= self.correct { self.grow } else { self.shrink };
        SimDuration::ceil_secs(last.as_secs_f64() * factor).clamp(self.bounds.0, self.bounds.1)
    }
}

/// The rules by name and number.
pub fn table() -> Table<dyn EventInterval> {
    const ENTRIES: &[Entry<dyn EventInterval>] =
        &[constant::ENTRY, deviation::ENTRY, constant::ONCE, weighted::ENTRY];
    let presets = [
        &presets!["constant": "s1" () => "S1: the same time after each plan";][..],
        &presets!["deviation": "s2" () => "S2: later after right predictions, sooner after wrong ones";],
        &presets!["weighted-deviation": "s3" () => "S3: as S2, by resources that are mostly predicted right";],
    ]
    .concat();
    Table::new("interval", "how long until a parameter sweep is planned again", ENTRIES)
        .presets(&presets)
        .bare("constant", "every")
}
