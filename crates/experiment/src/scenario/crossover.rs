//! Crossovers: the value of one axis at which one setting of another axis begins to be ahead of a
//! second one.
//!
//! `[[crossover]]` names a metric, the axis `along` which the value is looked for, and two values
//! of the axis `of`. What is found is a matter of the whole study; here it is checked that the axes
//! are there, that the values along the one are numbers that rise, and that the two settings are
//! values of the other.

use crate::measure::metric::{Metric, Value as MetricValue};
use crate::registry::{
    Complaint, KeyValue, Node, Params, Registry, Sources, Value, check as check_keys, code, suggestion,
};
use crate::scenario::axis::{Axis, text_of, values};
use crate::scenario::check::keep;
use crate::scenario::expect::Expectation;
use crate::scenario::renamed::unknown_metric;
use crate::scenario::schema::CROSSOVER;
use crate::units::{duration, share};

/// A crossover that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossover {
    /// The metric that is compared.
    pub metric: String,
    /// The axis along which the value is looked for.
    pub along: usize,
    /// The key of that axis.
    pub key: String,
    /// Values, rising.
    pub values: Vec<f64>,
    /// Unit of the values.
    pub unit: AxisUnit,
    /// The axis of the two settings.
    pub of: usize,
    /// The place of the first setting on it.
    pub from: usize,
    /// The place of the second.
    pub to: usize,
    /// The bound that the crossover is held to, at every combination of the other axes.
    pub expectation: Option<Expectation>,
}

/// Unit of the values of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisUnit {
    /// Plain numbers.
    Number,
    /// Shares, which are read in percent.
    Share,
    /// Spans of time in seconds.
    Seconds,
}

impl AxisUnit {
    /// The unit as metrics have it.
    pub fn name(self) -> &'static str {
        if self == AxisUnit::Seconds { "s" } else { "" }
    }
}

/// The crossovers as written; what is wrong with them is complained of.
pub(super) fn read(
    (registry, sources): (&Registry, &Sources),
    node: &Node,
    axes: &[Axis],
    known: &dyn Fn() -> Vec<Metric>,
    complaints: &mut Vec<Complaint>,
) -> Vec<Crossover> {
    let Value::Array(tables) = &node.value else {
        let message = format!("`crossover` cannot be {}", node.type_name());
        let complaint = Complaint::new(code::TYPE, message, node.span).label("expected an array of tables");
        complaints.push(complaint.help("write [[crossover]], in double brackets"));
        return Vec::new();
    };
    let known = known();
    let one = |table: &Node, complaints: &mut Vec<Complaint>| {
        if table.as_table().is_none() {
            let message = format!("a crossover cannot be {}", table.type_name());
            complaints.push(Complaint::new(code::TYPE, message, table.span).label("expected a table"));
            return None;
        }
        let checked = check_keys(registry, sources, table, CROSSOVER, complaints)?;
        keep(crossover(&Params::new(registry, sources, &checked), axes, &known), complaints)
    };
    tables.iter().filter_map(|table| one(table, complaints)).collect()
}

fn crossover(params: &Params<'_>, axes: &[Axis], known: &[Metric]) -> Result<Crossover, Complaint> {
    let metric: String = params.read("metric")?;
    if known.iter().all(|known| known.name != metric) {
        return Err(unknown_metric(code::UNKNOWN_NAME, &metric, Some(params.span("metric")), known));
    }
    let (along, slot) = axis(params, "along", axes)?;
    let (unit, values) = numbers(params, slot)?;
    let (of, settings) = axis(params, "of", axes)?;
    if of == along {
        return Err(params.complaint("of", "both keys are of one axis").label("name a key of another axis"));
    }
    let [from, to] = ["from", "to"].map(|name| step(params, name, settings));
    let (from, to) = (from?, to?);
    if from == to {
        return Err(params.complaint("to", "both settings are the same").label("name another one"));
    }
    let expectation = match params.tree().get("expect") {
        Some(node) => {
            let name = format!("crossover along {}", slot.name);
            let bounded = Metric { name: name.clone(), value: MetricValue::Nothing, unit: unit.name() };
            let slot = KeyValue { name, span: node.span, node: node.clone() };
            Some(Expectation::read(&slot, &[bounded], &|_| unit == AxisUnit::Share)?)
        }
        None => None,
    };
    Ok(Crossover { metric, along, key: slot.name.clone(), values, unit, of, from, to, expectation })
}

/// The axis that varies the key that `name` names, and the key's values.
fn axis<'a>(params: &Params<'_>, name: &str, axes: &'a [Axis]) -> Result<(usize, &'a KeyValue), Complaint> {
    let key: String = params.read(name)?;
    let places = axes.iter().enumerate();
    let mut slots = places.flat_map(|(place, axis)| axis.slots.iter().map(move |slot| (place, slot)));
    slots.find(|(_, slot)| slot.name == key).ok_or_else(|| {
        let message = format!("no axis varies `{key}`");
        let complaint = Complaint::new(code::POINT, message, params.span(name)).label("not varied");
        complaint.help(suggestion(&key, axes.iter().flat_map(|axis| &axis.keys).map(String::as_str)))
    })
}

/// The values of a key as numbers that rise.
fn numbers(params: &Params<'_>, slot: &KeyValue) -> Result<(AxisUnit, Vec<f64>), Complaint> {
    let refused = |message: String| {
        Complaint::new(code::VARY, message, slot.node.span)
            .label("a crossover is looked for along numbers that rise")
            .note("the crossover is here", Some(params.span("along")))
    };
    let (mut unit, mut numbers) = (None, Vec::new());
    for node in values(slot) {
        let (own, number) = number(node).ok_or_else(|| {
            refused(format!("`{}` of `{}` is neither a number, a share nor a time", text_of(node), slot.name))
        })?;
        if unit.is_some_and(|unit| unit != own) {
            return Err(refused(format!("the values of `{}` are of several kinds", slot.name)));
        }
        unit = Some(own);
        numbers.push(number);
    }
    if numbers.len() < 2 || !numbers.is_sorted_by(|one, next| one < next) {
        return Err(refused(format!("the values of `{}` do not rise", slot.name)));
    }
    Ok((unit.unwrap_or(AxisUnit::Number), numbers))
}

fn number(node: &Node) -> Option<(AxisUnit, f64)> {
    match &node.value {
        Value::Integer(number) => Some((AxisUnit::Number, *number as f64)),
        Value::Float(number) => Some((AxisUnit::Number, *number)),
        Value::String(text) => {
            let as_share = || share(text).ok().map(|share| (AxisUnit::Share, share));
            let as_time = || duration(text).ok().map(|nanos| (AxisUnit::Seconds, nanos as f64 / 1e9));
            as_share().or_else(as_time)
        }
        _ => None,
    }
}

/// The place of the value that `name` has among those of a key.
fn step(params: &Params<'_>, name: &str, settings: &KeyValue) -> Result<usize, Complaint> {
    let node = params.tree().get(name).expect("it must be written");
    let wanted = text_of(node);
    values(settings).iter().position(|value| text_of(value) == wanted).ok_or_else(|| {
        let message = format!("`{}` is no value of `{}`", text_of(node), settings.name);
        let complaint = Complaint::new(code::UNKNOWN_NAME, message, node.span).label("not among its values");
        let known: Vec<String> = values(settings).iter().map(text_of).collect();
        complaint.help(suggestion(&text_of(node), known.iter().map(String::as_str)))
    })
}
