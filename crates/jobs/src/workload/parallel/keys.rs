//! The keys that say what tasks do, shared by whatever describes jobs: classes, traces, and logs
//! with an assumed structure.

use std::sync::Arc;

use crate::kernel::SimDuration;
use crate::kernel::rng::{Moments, Sampler};
use crate::registry::{Absent, Bounds, Complaint, Key, Kind, Params, Quantity, keys, named_keys};
use crate::units::Bytes;

use super::application::Quality;
use super::pattern::Pattern;
use super::program::{Iterations, Pipeline, Times};

/// The defaults in which one kind of iterations differs from another.
pub(super) struct Defaults {
    pub(super) compute: Absent,
    pub(super) io: Absent,
    pub(super) pattern: &'static str,
}

pub(super) const SOURCE: &str =
    "names and structure: ClusterSchedSim, SIMULATION 80(4-5), 2004; the figures are ours";

named_keys! {
    pub(super) COMPUTE = "compute" Kind::Distribution(Quantity::Duration) =>
        "computing of a task in one iteration";
    pub(super) IO = "io" Kind::Distribution(Quantity::Duration), or "0s" =>
        "I/O of a task in one iteration, during which its processor is free";
    pub(super) SKEW = "skew" Kind::Number(Bounds::NotNegative), or_number 0.0 =>
        "imbalance: the computing of task k of n is multiplied by 1 + skew × k / (n - 1)";
    pub(super) PATTERN = "pattern" Kind::Component("pattern"), or "none" =>
        "which tasks send to which in every iteration";
    pub(super) MESSAGES = "messages" Kind::Count { least: 1, most: 1_000_000 }, or_count 1 =>
        "messages to each peer in one iteration";
    pub(super) MESSAGE_SIZE = "message-size" Kind::Bytes, or "1 KiB" => "the size of a message";
    pub(super) MEMORY = "memory" Kind::Bytes, absent "none is stated" =>
        "memory that each task holds while its job runs";
    pub(super) STAGE_COMPUTE = "compute" Kind::Distribution(Quantity::Duration) =>
        "computing of a stage on one frame";
    pub(super) PERIOD = "period" Kind::Duration(Bounds::Positive) =>
        "time from the release of a frame to that of the next";
    pub(super) DEADLINE = "deadline" Kind::Duration(Bounds::Positive), absent "the period" =>
        "time from the release of a frame to when the last stage should be done with it";
    pub(super) FRAME_SIZE = "frame-size" Kind::Bytes, or "64 KiB" =>
        "the size of a frame as one stage sends it to the next";
    pub(super) REAL_TIME = "real-time" Kind::Table(PERIODS),
        absent "best effort: the job takes whatever is left" =>
        "the job asks for a share of every processor it runs on, and each iteration has a deadline";
    /// As [`REAL_TIME`], where frames have period and deadline already.
    pub(super) REAL_TIME_FRAMES = "real-time" Kind::Table(&[SHARE]),
        absent "best effort: the job takes whatever is left" =>
        "the job asks for a share of every processor it runs on, period by period";
    SHARE = "share" Kind::Share(Bounds::Within(1e-6, 1.0)) =>
        "the share of a processor that each task reserves";
}

const PERIODS: &[Key] = &keys! {
    "period" Kind::Duration(Bounds::Positive) => "time from the release of an iteration to that of the next";
    "deadline" Kind::Duration(Bounds::Positive), absent "the period" =>
        "time from the release of an iteration to when it is due";
    ..SHARE;
};

/// The keys of what happens in an iteration.
pub(super) const fn iteration_keys(defaults: &Defaults) -> [Key; 7] {
    [
        Key { default: defaults.compute, ..COMPUTE },
        Key { default: defaults.io, ..IO },
        SKEW,
        Key { default: Absent::Text(defaults.pattern), ..PATTERN },
        MESSAGES,
        MESSAGE_SIZE,
        MEMORY,
    ]
}

/// Reads a law, of which a mean must be known: the time of a job is unknown without.
pub(super) fn law(params: &Params<'_>, name: &str) -> Result<Sampler, Complaint> {
    let sampler = *params.component::<Sampler>(name, "distribution")?;
    with_mean(params, name, sampler)
}

pub(super) fn with_mean(params: &Params<'_>, name: &str, sampler: Sampler) -> Result<Sampler, Complaint> {
    match sampler.mean() {
        Some(_) => Ok(sampler),
        None => Err(params
            .complaint(name, format!("`{name}` has no mean, so the time of a job is unknown"))
            .label("expected a distribution with a finite mean")),
    }
}

/// Reads the law of all tasks.
pub(super) fn times(params: &Params<'_>, name: &str) -> Result<Times, Complaint> {
    let sampler = law(params, name)?;
    let nothing = sampler.mean() == Some(0.0) && sampler.variance() == Some(0.0);
    Ok(if nothing { Times::None } else { Times::All(sampler) })
}

/// Reads what happens in an iteration, for `iterations` of them; laws of computing and I/O are
/// given.
pub(super) fn iterations(
    params: &Params<'_>,
    iterations: u32,
    (compute, io): (Times, Times),
) -> Result<Iterations, Complaint> {
    let pattern: Box<dyn Pattern> = params.component("pattern", "pattern")?;
    Ok(Iterations {
        iterations,
        compute,
        io,
        skew: params.read("skew")?,
        pattern: Arc::from(pattern),
        messages: params.read("messages")?,
        size: params.read("message-size")?,
    })
}

/// Reads a pipeline that `frames` pass through; the laws of its stages are given.
pub(super) fn pipeline(params: &Params<'_>, frames: u32, compute: Times) -> Result<Pipeline, Complaint> {
    let period: SimDuration = params.read("period")?;
    let deadline: Option<SimDuration> = params.read("deadline")?;
    let size = params.read("frame-size")?;
    Ok(Pipeline { frames, period, deadline: deadline.unwrap_or(period), compute, size })
}

/// Reads `memory`.
pub(super) fn memory(params: &Params<'_>) -> Result<Bytes, Complaint> {
    let memory: Option<Bytes> = params.read("memory")?;
    Ok(memory.unwrap_or(Bytes::new(0)))
}

/// Reads `real-time`; a pipeline's frames have period and deadline of their own.
pub(super) fn quality(params: &Params<'_>, frames: Option<&Pipeline>) -> Result<Quality, Complaint> {
    if !params.has("real-time") {
        return Ok(Quality::BestEffort);
    }
    let asked = params.section("real-time");
    let share = asked.read("share")?;
    if let Some(&Pipeline { period, deadline, .. }) = frames {
        return Ok(Quality::RealTime { period, deadline, share });
    }
    let period = asked.read("period")?;
    let deadline: Option<SimDuration> = asked.read("deadline")?;
    Ok(Quality::RealTime { period, deadline: deadline.unwrap_or(period), share })
}
