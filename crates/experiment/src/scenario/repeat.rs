//! `[repeat]`: how often the points of a study are run.

use crate::measure::metric::Metric;
use crate::registry::{Complaint, Node, Params, Span, code};
use crate::scenario::asked::{ALL, AskedQuestion};
use crate::scenario::axis::Axis;
use crate::scenario::check::keep;
use crate::scenario::renamed::unknown_metric;
use crate::scenario::schema::REPEAT;
use crate::scenario::system::AsWritten;

/// Replications of a pilot unless stated, and the fewest: the spread of fewer is too often too
/// small by chance, and where the study ends with them false alarms grow.
const LEAST_PILOT: u32 = 10;
/// Replications of a point at most, where they follow from a pilot.
const MOST_TO_POWER: u32 = 1_000;

/// The replications of a point.
#[derive(Clone, Debug, PartialEq)]
pub enum Repeat {
    /// So many.
    Times(u32),
    /// The fewest from 10 on, in the order of their numbers, that make the 95 % interval narrow
    /// enough.
    Until {
        /// The metric that is looked at.
        metric: String,
        /// The half-width that is narrow enough, as a share of the mean.
        half_width: f64,
        /// Replications after which the point is left as it is.
        at_most: u32,
    },
    /// Replications of a pilot, and as many more as its spreads ask for.
    ToPower {
        /// Replications of the pilot.
        pilot: u32,
        /// Replications of a point at the most.
        at_most: u32,
    },
}

impl Repeat {
    /// Replications of a point at the most.
    pub fn at_most(&self) -> u32 {
        match self {
            Repeat::Times(count) => *count,
            Repeat::Until { at_most, .. } | Repeat::ToPower { at_most, .. } => *at_most,
        }
    }
}

/// The rule of `[repeat]`, and its table with every default filled in.
pub(super) fn read(
    written: &AsWritten<'_>,
    node: &Node,
    known: &dyn Fn() -> Vec<Metric>,
    complaints: &mut Vec<Complaint>,
) -> Option<(Repeat, Node)> {
    if node.as_table().is_none() {
        let message = format!("`repeat` cannot be {}", node.type_name());
        complaints.push(Complaint::new(code::TYPE, message, node.span).label("expected a table"));
        return None;
    }
    let checked = written.check(node, REPEAT, complaints)?;
    let params = Params::new(written.registry, written.sources, &checked);
    let to_power = params.has("to-power") && keep(params.read("to-power"), complaints)?;
    let contradicting = [
        ("until", "replications", "`replications` and `until` both say how often", true),
        ("until", "to-power", "`to-power` and `until` both say when there are enough", to_power),
    ];
    for (one, other, message, counts) in contradicting {
        if counts && params.has(one) && params.has(other) {
            let complaint = params.complaint(one, message).label("write one of them");
            let place = Some(params.span(other));
            complaints.push(complaint.note(format!("`{other}` is here"), place));
            return None;
        }
    }
    if params.has("at-most") && !to_power {
        let complaint = params.complaint("at-most", "nothing asks for more than `replications`");
        complaints
            .push(complaint.label("it bounds `to-power`").help("take it out, or write to-power = true"));
        return None;
    }
    if params.has("until") {
        return until(&params.section("until"), known, complaints).map(|repeat| (repeat, checked));
    }
    let mut count = |name: &str, usual: u32| -> Option<u32> {
        if params.has(name) { keep(params.read(name), complaints) } else { Some(usual) }
    };
    if !to_power {
        return count("replications", 1).map(|count| (Repeat::Times(count), checked));
    }
    let (pilot, at_most) = (count("replications", LEAST_PILOT)?, count("at-most", MOST_TO_POWER)?);
    if pilot < LEAST_PILOT {
        let message = format!("a pilot of {pilot} is too small to plan by");
        let complaint = params.complaint("replications", message).label("expected 10 at least");
        complaints.push(complaint.note("`to-power` is here", Some(params.span("to-power"))));
        return None;
    }
    if at_most < pilot {
        let name = if params.has("at-most") { "at-most" } else { "replications" };
        let message =
            format!("a pilot of {pilot} is more than the {at_most} replications of a point at most");
        complaints.push(params.complaint(name, message).label("contradicts the other"));
        return None;
    }
    Some((Repeat::ToPower { pilot, at_most }, checked))
}

/// The target of an interval.
fn until(
    until: &Params<'_>,
    known: &dyn Fn() -> Vec<Metric>,
    complaints: &mut Vec<Complaint>,
) -> Option<Repeat> {
    let metric: String = keep(until.read("metric"), complaints)?;
    let known = known();
    if known.iter().all(|known| known.name != metric) {
        complaints.push(unknown_metric(code::UNKNOWN_NAME, &metric, Some(until.span("metric")), &known));
        return None;
    }
    let half_width = keep(until.read("half-width"), complaints)?;
    let at_most = keep(until.read("at-most"), complaints)?;
    Some(Repeat::Until { metric, half_width, at_most })
}

/// A complaint of a study that is to have power and tests nothing.
pub(super) fn without_comparison(
    span: Span,
    axes: &[Axis],
    asked: Option<&AskedQuestion>,
) -> Option<Complaint> {
    let refused = |message: &str, help: &str| {
        let complaint = Complaint::new(code::CONTRADICTION, message, span).label("`to-power` is here");
        Some(complaint.help(help))
    };
    if axes.iter().all(|axis| axis.labels.len() < 2) {
        let message = "`to-power` plans the replications of a comparison, and there is nothing to compare";
        return refused(message, "vary a key: --vary policy.backfill=none,easy");
    }
    if asked.is_some_and(|asked| asked.metrics.iter().any(|name| name == ALL)) {
        let message = "`to-power` draws for the primary metric, and `all` has none";
        return refused(message, "name the metrics of the question, the primary one first");
    }
    None
}
