//! The parameters of a class of jobs: their keys, their published values, and what they may be.

use crate::kernel::rng::distribution::{Gamma, InvalidParameter};
use crate::kernel::rng::math;
use crate::registry::{Bounds, Complaint, Key, Kind, Params, Span, code, keys, named_keys};
use crate::workload::cancellation::PATIENCE;
use crate::workload::dependency::table::DEPENDENCIES;
use crate::workload::moldable::MOLDABLE;
use crate::workload::resources::DEMAND;
use crate::workload::source::LOAD;
use crate::workload::synthetic::model::{ESTIMATES, JOBS};

use super::arrivals::{Weights, weights};
use super::run_times::{LEAST_BELOW, LogGamma, RunTimes};
use super::sizes::Sizes;

/// The published values of a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Published {
    serial: f64,
    powers: f64,
    low: f64,
    first: f64,
    /// Distances below the size of the machine: of the largest size, and of the start of the second
    /// stage below that [log2].
    below: (f64, f64),
    short: (f64, f64),
    long: (f64, f64),
    /// Slope and intercept of the share of short run times.
    line: (f64, f64),
    gaps: (f64, f64),
    stretch: f64,
    cycle: (f64, f64),
}

pub(super) const BATCH: Published = Published {
    serial: 0.2927,
    powers: 0.6686,
    low: 1.2,
    first: 0.875,
    below: (0.0, 2.0),
    short: (6.57, 0.823),
    long: (639.1, 0.0156),
    line: (-0.003, 0.6986),
    gaps: (6.0415, 0.8531),
    stretch: 1.0519,
    cycle: (6.1271, 5.2740),
};

pub(super) const INTERACTIVE: Published = Published {
    serial: 0.1541,
    powers: 0.625,
    low: 1.0,
    first: 0.705,
    below: (1.5, 2.5),
    short: (3.8351, 0.6605),
    long: (7.073, 0.6856),
    line: (-0.0118, 0.9156),
    gaps: (6.5510, 0.6621),
    stretch: 0.9797,
    cycle: (8.9186, 3.6680),
};

pub(super) const WHOLE: Published = Published {
    serial: 0.244,
    powers: 0.576,
    low: 0.8,
    first: 0.86,
    below: (0.0, 2.5),
    short: (4.2, 0.94),
    long: (312.0, 0.03),
    line: (-0.0054, 0.78),
    gaps: (10.2303, 0.4871),
    stretch: 1.0225,
    cycle: (8.1737, 3.9631),
};

const SIZES: &str = "U. Lublin and D. G. Feitelson, JPDC 63(11), 2003, section 4";
const TIMES: &str = "U. Lublin and D. G. Feitelson, JPDC 63(11), 2003, section 5";
const ARRIVALS: &str = "U. Lublin and D. G. Feitelson, JPDC 63(11), 2003, section 6";

const fn key(name: &'static str, kind: Kind, value: f64, about: &'static str, source: &'static str) -> Key {
    Key::new(name, kind).or_number(value).about(about).source(source)
}

const fn positive(name: &'static str, value: f64, about: &'static str, source: &'static str) -> Key {
    key(name, Kind::Number(Bounds::Positive), value, about, source)
}

const fn share(name: &'static str, value: f64, about: &'static str) -> Key {
    key(name, Kind::Share(Bounds::Within(0.0, 1.0)), value, about, SIZES)
}

const fn exponent(name: &'static str, means: &'static str, about: &'static str) -> Key {
    Key::new(name, Kind::Number(Bounds::Within(0.0, 32.0))).absent(means).about(about).source(SIZES)
}

/// Keys of a class.
const COUNT: usize = 17;

const fn class_keys(of: Published, medium: &'static str, high: &'static str) -> [Key; COUNT] {
    keys! {
        ..share("serial", of.serial, "the share of serial jobs");
        ..share("powers", of.powers, "the share of jobs whose size is a power of two");
        ..key("low", Kind::Number(Bounds::Within(0.0, 32.0)), of.low,
            "log2 of the smallest size that is not serial", SIZES);
        ..exponent("medium", medium, "log2 of the size at which the second stage begins");
        ..exponent("high", high, "log2 of the largest size");
        ..share("first-stage", of.first, "the share of the first stage, of small sizes");
        ..positive("short-shape", of.short.0, "shape of the logarithm of short run times", TIMES);
        ..positive("short-scale", of.short.1, "scale of the logarithm of short run times", TIMES);
        ..positive("long-shape", of.long.0, "shape of the logarithm of long run times", TIMES);
        ..positive("long-scale", of.long.1, "scale of the logarithm of long run times", TIMES);
        ..key("slope", Kind::Number(Bounds::Any), of.line.0,
            "what each processor adds to the share of short run times; below 0 large jobs run longer", TIMES);
        ..key("intercept", Kind::Number(Bounds::Any), of.line.1,
            "the share of short run times at no processors; the line is cut at 0 and 1", TIMES);
        ..positive("gap-shape", of.gaps.0, "shape of the logarithm of gaps in busy hours", ARRIVALS);
        ..positive("gap-scale", of.gaps.1, "scale of the logarithm of gaps in busy hours", ARRIVALS);
        ..positive("gap-stretch", of.stretch, "what `gap-shape` is multiplied by for all hours", ARRIVALS);
        ..positive("cycle-shape", of.cycle.0,
            "shape of the law of arrivals over the half hours of a day", ARRIVALS);
        ..positive("cycle-scale", of.cycle.1, "scale of that law, in half hours", ARRIVALS);
    }
}

const TO_MACHINE: &str = "as large as the machine";
pub(super) const BATCH_CLASS: &[Key] = &class_keys(BATCH, "2 below `high`", TO_MACHINE);
pub(super) const INTERACTIVE_CLASS: &[Key] =
    &class_keys(INTERACTIVE, "2.5 below `high`", "1.5 below the machine's logarithm");
const WHOLE_CLASS: &[Key] = &class_keys(WHOLE, "2.5 below `high`", TO_MACHINE);

named_keys! {
    START = "start" Kind::Duration(Bounds::NotNegative), or "0s" =>
        "the time of day at which the workload begins";
    pub(super) LONGEST = "longest" Kind::Duration(Bounds::Positive), or "162754.791419004s" =>
        "run times above it are drawn again; the default is e^12 s, some two days",
        source "the program of the model, Parallel Workloads Archive, 1999";
    pub(super) LONGEST_GAP = "longest-gap" Kind::Duration(Bounds::Positive), or "442413.39200892s" =>
        "gaps above it, in seconds of a busy hour, are drawn again; the default is e^13 s, some five days",
        source LONGEST.source;
}

const fn class(name: &'static str, keys: &'static [Key], about: &'static str) -> Key {
    Key::new(name, Kind::Table(keys)).or_table().about(about)
}

/// The keys that both models have.
const SHARED: &[Key] =
    &[JOBS, START, LONGEST, LONGEST_GAP, ESTIMATES, LOAD, DEMAND, DEPENDENCIES, PATIENCE, MOLDABLE];

/// The keys of the model with two classes.
pub(super) const BOTH_KEYS: &[Key] = &Key::joined::<{ SHARED.len() + 2 }>(&[
    SHARED,
    &[
        class("batch", BATCH_CLASS, "the parameters of batch jobs, which are in queue 1"),
        class("interactive", INTERACTIVE_CLASS, "the parameters of interactive jobs, which are in queue 0"),
    ],
]);

/// The keys of the model with one class.
pub(super) const WHOLE_KEYS: &[Key] = &Key::joined::<{ SHARED.len() + COUNT }>(&[SHARED, WHOLE_CLASS]);

/// The longest times that all classes share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Logarithm of the longest run time and of the longest gap [ln s], with the places of both.
    run_time: (f64, Span),
    gap: (f64, Span),
}

impl Limits {
    pub(super) fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let read = |name| params.read(name).map(|secs: f64| (math::ln(secs), params.span(name)));
        Ok(Limits { run_time: read("longest")?, gap: read("longest-gap")? })
    }
}

/// A class of jobs, its parameters checked as far as that needs no machine.
#[derive(Debug)]
pub(super) struct Class {
    published: Published,
    serial: f64,
    powers: f64,
    low: f64,
    medium: Option<f64>,
    high: Option<f64>,
    first: f64,
    pub(super) run_times: RunTimes,
    pub(super) gaps: LogGamma,
    pub(super) weights: Weights,
    at_medium: Span,
    at_high: Span,
}

/// The gamma law of two keys; a refusal of the law is at the key that has the value.
fn gamma(params: &Params<'_>, names: [&str; 2], stretch: f64) -> Result<Gamma, Complaint> {
    let [shape, scale] = [params.read::<f64>(names[0])? * stretch, params.read(names[1])?];
    let refused = |bad: InvalidParameter| {
        let name = if bad.parameter == "shape" { names[0] } else { names[1] };
        Complaint::new(code::RANGE, format!("`{name}` {}", bad.rule), params.span(name))
            .label("not with this value")
    };
    Gamma::new(shape, scale).map_err(refused)
}

/// The law of times up to a limit; one that hardly ever draws such times is refused.
fn limited(params: &Params<'_>, law: Gamma, name: &str, limit: (f64, Span)) -> Result<LogGamma, Complaint> {
    let below = law.cdf(limit.0);
    if below >= LEAST_BELOW {
        return Ok(LogGamma { law, limit: limit.0 });
    }
    let share = below * 100.0;
    let message = format!("only {share:.3} % of these times are below the longest one that is kept");
    let complaint = params.complaint(name, message).label("this law draws such times");
    Err(complaint.note("the longest one is given here", Some(limit.1)))
}

impl Class {
    pub(super) fn read(
        params: &Params<'_>,
        published: Published,
        limits: &Limits,
    ) -> Result<Self, Complaint> {
        let (serial, powers): (f64, f64) = (params.read("serial")?, params.read("powers")?);
        if serial + powers > 1.0 {
            let message = format!("`serial` and `powers` add up to {}, more than 1", serial + powers);
            return Err(params.complaint("powers", message));
        }
        let (low, medium, high) = (params.read("low")?, params.read("medium")?, params.read("high")?);
        let rising = |lower: Option<f64>, upper: Option<f64>| {
            lower.zip(upper).is_none_or(|(lower, upper): (f64, f64)| lower <= upper)
        };
        for (name, holds) in
            [("medium", rising(Some(low), medium)), ("high", rising(Some(low), high) && rising(medium, high))]
        {
            if !holds {
                return Err(params.complaint(name, "`low`, `medium` and `high` do not rise"));
            }
        }
        let short = gamma(params, ["short-shape", "short-scale"], 1.0)?;
        let long = gamma(params, ["long-shape", "long-scale"], 1.0)?;
        let gaps = gamma(params, ["gap-shape", "gap-scale"], params.read("gap-stretch")?)?;
        let (weights, inside) = weights(&gamma(params, ["cycle-shape", "cycle-scale"], 1.0)?);
        if inside < LEAST_BELOW {
            let message = "hardly any arrival of this law falls into the half hours 11 to 58, a day from five in the morning";
            return Err(params.complaint("cycle-scale", message));
        }
        Ok(Class {
            published,
            serial,
            powers,
            low,
            medium,
            high,
            first: params.read("first-stage")?,
            run_times: RunTimes {
                short: limited(params, short, "short-scale", limits.run_time)?,
                long: limited(params, long, "long-scale", limits.run_time)?,
                slope: params.read("slope")?,
                intercept: params.read("intercept")?,
            },
            gaps: limited(params, gaps, "gap-scale", limits.gap)?,
            weights,
            at_medium: params.span("medium"),
            at_high: params.span("high"),
        })
    }

    /// The sizes of the class on a machine of `procs` processors. Where nothing is written they
    /// follow the machine; on one too small for the class, all parallel jobs are of one size.
    pub(super) fn sizes(&self, procs: u32) -> Result<Sizes, Complaint> {
        let whole = math::log2(f64::from(procs));
        if let Some(high) = self.high.filter(|&high| high > whole) {
            let message = format!("jobs of up to 2^{high} processors, but the machine has {procs}");
            let complaint = Complaint::new(code::CONTRADICTION, message, self.at_high);
            return Err(complaint.help(format!("at most {whole:.4}, or leave it out")));
        }
        let (below_machine, below_high) = self.published.below;
        let high = self.high.unwrap_or_else(|| (whole - below_machine).max(self.low.min(whole)));
        let low = self.low.min(high);
        if let Some(medium) = self.medium.filter(|&medium| medium > high) {
            let message =
                format!("the second stage begins at 2^{medium} processors, but sizes end at 2^{high}");
            return Err(Complaint::new(code::CONTRADICTION, message, self.at_medium));
        }
        let medium = self.medium.unwrap_or_else(|| (high - below_high).max(low));
        let (serial, powers, first) = (self.serial, self.powers, self.first);
        Ok(Sizes { serial, powers, stages: [low, medium, high], first, procs })
    }
}
