//! The question that a study is made for, `[question]`: metrics, the axis along which points are
//! compared, the baseline, and the change that is to be found.
//!
//! It changes no run. It is checked here against the axes and the metrics, so that a mistake is
//! reported before the first run; its answer is a matter of the whole study.

use crate::measure::class;
use crate::measure::metric::Metric;
use crate::registry::{
    Complaint, Node, Params, Registry, Sources, Span, check as check_keys, code, suggestion,
};
use crate::scenario::axis::{Axis, text_of};
use crate::scenario::check::keep;
use crate::scenario::renamed::unknown_metric;
use crate::scenario::schema::QUESTION;

/// Stands for all pairs in place of a baseline, and for every metric with an aim.
pub const ALL: &str = "all";

/// The question of a study as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskedQuestion {
    /// The key of the axis along which points are compared.
    pub axis: Option<String>,
    /// The value with which others are compared, or [`ALL`].
    pub baseline: Option<String>,
    /// The metrics, the primary one first.
    pub metrics: Vec<String>,
    /// The change that is to be found, as a share.
    pub detect: Option<f64>,
}

/// The axis that is compared if none is asked for: the first that varies a policy, else the first
/// with two positions. `axes` are their keys and numbers of positions.
pub fn default_axis<'a>(axes: impl Iterator<Item = (&'a [String], usize)>) -> Option<usize> {
    let varies_policy = |keys: &[String]| keys.iter().any(|key| key.split('.').next() == Some("policy"));
    let several: Vec<_> = axes.enumerate().filter(|(_, (_, positions))| *positions > 1).collect();
    let policy = several.iter().find(|(_, (keys, _))| varies_policy(keys));
    policy.or(several.first()).map(|(place, _)| *place)
}

/// The question as written, and its table with every default filled in; what is wrong with it is
/// complained of.
pub(super) fn read(
    (registry, sources): (&Registry, &Sources),
    node: &Node,
    axes: &[Axis],
    known: &dyn Fn() -> Vec<Metric>,
    complaints: &mut Vec<Complaint>,
) -> Option<AskedQuestion> {
    if node.as_table().is_none() {
        let message = format!("`question` cannot be {}", node.type_name());
        complaints.push(Complaint::new(code::TYPE, message, node.span).label("expected a table"));
        return None;
    }
    let checked = check_keys(registry, sources, node, QUESTION, complaints)?;
    keep(question(&Params::new(registry, sources, &checked), axes, &known()), complaints)
}

fn question(params: &Params<'_>, axes: &[Axis], known: &[Metric]) -> Result<AskedQuestion, Complaint> {
    let axis: Option<String> = if params.has("axis") { Some(params.read("axis")?) } else { None };
    if let Some(key) = &axis
        && axes.iter().all(|axis| !axis.keys.contains(key))
    {
        let complaint = params.complaint("axis", format!("no axis varies `{key}`")).label("not varied");
        let keys = axes.iter().flat_map(|axis| &axis.keys).map(String::as_str);
        return Err(complaint.help(suggestion(key, keys)));
    }
    let metrics = metrics(params, known)?;
    let baseline = params.tree().get("baseline").map(text_of);
    if let Some(label) = baseline.as_deref().filter(|label| *label != ALL) {
        is_on_axis(params, axes, axis.as_deref(), label)?;
    }
    let detect = if params.has("detect") { Some(params.read("detect")?) } else { None };
    Ok(AskedQuestion { axis, baseline, metrics, detect })
}

/// The metrics, each of which is known; a complaint points to the one that is wrong.
fn metrics(params: &Params<'_>, known: &[Metric]) -> Result<Vec<String>, Complaint> {
    let metrics: Vec<String> = if params.has("metrics") { params.read("metrics")? } else { Vec::new() };
    let is_known = |name: &str| {
        let name = class::metric(name).unwrap_or(name);
        name == ALL || known.iter().any(|metric| metric.name == name)
    };
    let span = |place: usize| {
        params.items("metrics").get(place).map_or_else(|| params.span("metrics"), |node| node.span)
    };
    if let Some(place) = metrics.iter().position(|name| !is_known(name)) {
        return Err(unknown_metric(code::UNKNOWN_NAME, &metrics[place], Some(span(place)), known));
    }
    if let Some(place) = metrics.iter().position(|name| name == ALL)
        && metrics.len() > 1
    {
        return Err(all_among_others(Some(span(place))));
    }
    Ok(metrics)
}

/// A complaint of `all` among other metrics, at a place of the scenario or on the command line.
pub fn all_among_others(span: Option<Span>) -> Complaint {
    let message = format!("`{ALL}` stands for every metric, so no other one can be asked for with it");
    let complaint = Complaint { span, ..Complaint::nowhere(code::CONTRADICTION, message) };
    complaint
        .label("take it out, or the others")
        .help("name the metrics of the question alone, the primary one first")
}

/// Complains of a baseline that is no value of the axis along which points are compared.
fn is_on_axis(params: &Params<'_>, axes: &[Axis], key: Option<&str>, label: &str) -> Result<(), Complaint> {
    let place = match key {
        Some(key) => axes.iter().position(|axis| axis.keys.iter().any(|own| own == key)),
        None => default_axis(axes.iter().map(|axis| (axis.keys.as_slice(), axis.labels.len()))),
    };
    let Some(axis) = place.and_then(|place| axes.get(place)) else {
        let message = format!("no axis has the value `{label}`, as nothing is varied");
        return Err(params.complaint("baseline", message).label("not varied"));
    };
    if axis.labels.iter().any(|own| own == label) {
        return Ok(());
    }
    let message = format!("`{label}` is no value of `{}`", axis.keys.join(", "));
    let complaint = params.complaint("baseline", message).label("not varied");
    let other = axes.iter().find(|other| other.labels.iter().any(|own| own == label));
    Err(match other {
        Some(other) => complaint.help(format!(
            "it is a value of `{0}`: axis = \"{0}\" compares along it",
            other.keys.first().map_or("", String::as_str)
        )),
        None => complaint.help(suggestion(label, axis.labels.iter().map(String::as_str))),
    })
}
