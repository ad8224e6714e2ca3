//! The question that a study is made for, `[question]`: metrics, the axis along which points are
//! compared, the baseline, and the change that is to be found.
//!
//! It changes no run. It is checked here against the axes and the metrics, so that a mistake is
//! reported before the first run; its answer is a matter of the whole study.

use crate::measure::class;
use crate::measure::metric::Metric;
use crate::registry::{Complaint, Node, Params, Registry, Sources, check as check_keys, code, suggestion};
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
    let metrics: Vec<String> = if params.has("metrics") { params.read("metrics")? } else { Vec::new() };
    let is_known = |name: &str| {
        let name = class::metric(name).unwrap_or(name);
        name == ALL || known.iter().any(|metric| metric.name == name)
    };
    if let Some(unknown) = metrics.iter().find(|name| !is_known(name)) {
        return Err(unknown_metric(code::UNKNOWN_NAME, unknown, Some(params.span("metrics")), known));
    }
    let axis: Option<String> = if params.has("axis") { Some(params.read("axis")?) } else { None };
    if let Some(key) = &axis
        && axes.iter().all(|axis| !axis.keys.contains(key))
    {
        let complaint = params.complaint("axis", format!("no axis varies `{key}`")).label("not varied");
        let keys = axes.iter().flat_map(|axis| &axis.keys).map(String::as_str);
        return Err(complaint.help(suggestion(key, keys)));
    }
    let baseline = params.tree().get("baseline").map(text_of);
    if let Some(label) = baseline.as_deref().filter(|label| *label != ALL) {
        let of_axis = |one: &&Axis| axis.as_ref().is_none_or(|key| one.keys.contains(key));
        let labels = || axes.iter().filter(of_axis).flat_map(|axis| &axis.labels);
        if labels().all(|one| one != label) {
            let complaint = params.complaint("baseline", format!("`{label}` is no value of a varied key"));
            return Err(complaint.label("not varied").help(suggestion(label, labels().map(String::as_str))));
        }
    }
    let detect = if params.has("detect") { Some(params.read("detect")?) } else { None };
    Ok(AskedQuestion { axis, baseline, metrics, detect })
}
