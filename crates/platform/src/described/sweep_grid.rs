//! Grids of the Parameter Sweep Template as platforms, and where the behaviours that they name come
//! from.
//!
//! A name of the grid is looked for in `behaviour`; then as a file in the folder of the grid,
//! without and with `.txt`; then it may be one of the constants that the published files have. What
//! `behaviour` gives is a file, a constant, or a distribution that each host or link draws from
//! again in each step.

use std::path::{Path, PathBuf};

use crate::clustered::grid::ORIGIN;
use crate::clustered::read::behaviour::{BehaviourOf, ResourceBehaviour, file_next_to};
use crate::clustered::read::events::behaviours_of;
use crate::clustered::read::grid::{self, GridOptions};
use crate::collections::OrderedSet;
use crate::kernel::SimDuration;
use crate::kernel::rng::{Sampler, Streams};
use crate::registry::{
    Bounds, Complaint, Key, KeyValue, Kind, Node, Params, Quantity, Sources, Span, Tree, Value, check, code,
    keys, suggestion,
};
use crate::scenario::named_files::elsewhere;
use crate::simgrid::add;
use crate::text::{LONGEST_TEXT, read_file};
use crate::units::share;
use crate::{Load, Varying};

use super::varying::{EVERY, RATES, SHARES};
use super::{Described, SWEEP_SPEED};

/// Default step for which a value of a behaviour holds.
pub const SWEEP_STEP: SimDuration = SimDuration::from_secs(5);

/// Keys of grids of the template.
pub(super) const OF_GRIDS: [Key; 2] = keys! {
    "behaviour" Kind::Map(&Kind::Any), absent "files in the folder of the grid" =>
        "for names of behaviours in a grid of the Parameter Sweep Template: a file, a constant (0.5, \"100kBps\"), or a distribution, \
         drawn again in each step or `every` such time",
        source "F. Berman et al., LIP RR1999-46, 1999, section 7.2.1";
    "step" Kind::Duration(Bounds::Positive), absent "5s where `file` is a grid of the Parameter Sweep Template" =>
        "how long a value of a behaviour holds", source "F. Berman et al., LIP RR1999-46, 1999, section 7.2.1";
};

const SHARE_LAW: &[Key] = &[Key::new("behaviour", Kind::DistributionWith(Quantity::Number, &EVERY))];
const RATE_LAW: &[Key] = &[Key::new("behaviour", Kind::DistributionWith(Quantity::Bandwidth, &EVERY))];

/// Returns true if a checked `[platform]` names a grid of the template.
pub(super) fn is_sweep_grid(params: &Params<'_>) -> bool {
    params.has("file") && params.path("file").is_ok_and(|path| grid::MARK.is_of(&path))
}

/// The grid in the file of a checked `[platform]`.
///
/// # Errors
/// Everything that is wrong with it and its behaviours.
pub(super) fn read(params: &Params<'_>, streams: &Streams) -> Result<Described, Vec<Complaint>> {
    let (path, at) = (params.path("file")?, params.span("file"));
    let step = params.read::<Option<SimDuration>>("step")?.unwrap_or(SWEEP_STEP);
    if step < Load::SHORTEST {
        let complaint = Complaint::new(code::RANGE, "the step is too short", params.span("step"));
        return Err(complaint.label("expected 1 ms or more").into());
    }
    let origin = params.read::<Option<String>>("origin")?.unwrap_or(ORIGIN.to_owned());
    let mut sources = Sources::new("");
    let there = |complaint: Complaint| elsewhere(&Sources::new(""), complaint, at);
    let source = add(&path, &mut sources).map_err(|complaint| vec![there(complaint)])?;
    let mut used = OrderedSet::new();
    // what is wrong with a behaviour that the scenario gives is wrong at its key
    let mut of_keys = Vec::new();
    let mut behaviours = |name: &str, of, named: Span| {
        if let Some(node) = given(params, name) {
            used.insert(name.to_owned());
            return match of_node(params, node, of, step) {
                Ok(behaviour) => Ok(Some(behaviour)),
                Err(complaints) => {
                    of_keys.extend(complaints);
                    Ok(Some(ResourceBehaviour::constant(1.0)))
                }
            };
        }
        match file_next_to(&path, name) {
            Some(file) => ResourceBehaviour::read(&file, (name, named), of, step).map(Some),
            None => Ok(ResourceBehaviour::stable(name, of)),
        }
    };
    let options = GridOptions { step, origin: &origin, speed: SWEEP_SPEED, streams };
    let read = grid::read(source, &sources, &options, &mut behaviours);
    let mut complaints = of_keys;
    complaints.extend(unused(params, &used, sources.text(source)));
    let elsewhere = |complaint: Complaint| match complaint.excerpt {
        Some(_) => Complaint { span: Some(at), ..complaint },
        None => elsewhere(&sources, complaint, at),
    };
    match read {
        Ok(read) if complaints.is_empty() => Ok(Described {
            platform: read.platform,
            config: Vec::new(),
            warnings: read.warnings.into_iter().map(elsewhere).collect(),
            drawn: read.drawn,
        }),
        Ok(_) => Err(complaints),
        Err(others) => {
            complaints.extend(others.into_iter().map(elsewhere));
            Err(complaints)
        }
    }
}

/// Node that the scenario gives for a name.
fn given<'a>(params: &Params<'a>, name: &str) -> Option<&'a Node> {
    params.tree().get("behaviour")?.as_table()?.get(name)
}

/// Names that the scenario gives, and the grid does not have.
fn unused(params: &Params<'_>, used: &OrderedSet<String>, text: &str) -> Vec<Complaint> {
    let slots = params.tree().get("behaviour").and_then(Node::as_table).map_or(&[][..], Tree::slots);
    let mut slots = slots.iter().filter(|slot| !used.contains(&slot.name)).peekable();
    if slots.peek().is_none() {
        return Vec::new();
    }
    let known: OrderedSet<String> = behaviours_of(text).into_iter().map(|(name, _)| name).collect();
    let unknown = slots.filter(|slot| !known.contains(&slot.name));
    unknown
        .map(|slot| {
            let message = format!("the grid names no behaviour `{}`", slot.name);
            let complaint = Complaint::new(code::UNKNOWN_NAME, message, slot.span);
            complaint.help(suggestion(&slot.name, known.iter().map(String::as_str)))
        })
        .collect()
}

/// The file that a node names: as it is written, and from where the program runs.
fn file_of(params: &Params<'_>, node: &Node) -> Option<(String, PathBuf)> {
    let node = node.at("file").unwrap_or(node);
    let is_number =
        |text: &str| text.starts_with(|first: char| first.is_ascii_digit() || ".+-".contains(first));
    let text = node.as_text().filter(|text| !is_number(text))?;
    let sources = params.sources();
    Some((text.to_owned(), sources.root().join(sources.from_root(node.span.source, text))))
}

/// Behaviour that the scenario gives: a file, a constant or a distribution.
fn of_node(
    params: &Params<'_>,
    node: &Node,
    of: BehaviourOf,
    step: SimDuration,
) -> Result<ResourceBehaviour, Vec<Complaint>> {
    let is_law = node.at("kind").is_some();
    if let Some((written, file)) = file_of(params, node).filter(|_| !is_law) {
        return ResourceBehaviour::read(&file, (&written, node.span), of, step);
    }
    let (key, bounds) = if of == BehaviourOf::Host { (SHARE_LAW, SHARES) } else { (RATE_LAW, RATES) };
    let mut law = node.clone();
    if of == BehaviourOf::Host
        && let Some(share) = node.as_text().and_then(|text| share(text).ok())
    {
        law.value = Value::Float(share);
    }
    let tree = Tree::from_iter([KeyValue::new("behaviour", law)]);
    let (mut complaints, whole) = (Vec::new(), Node::new(Value::Table(tree), node.span));
    let Some(checked) = check(params.registry(), params.sources(), &whole, key, &mut complaints) else {
        return Err(complaints);
    };
    let checked = params.with(&checked);
    let law: Sampler = *checked.component("behaviour", "distribution")?;
    let section = checked.section("behaviour");
    if section.read::<String>("kind")? == "constant" {
        let value: f64 = section.read("value")?;
        if value > bounds[1] {
            let complaint =
                Complaint::new(code::RANGE, format!("a behaviour above {}", bounds[1]), node.span);
            return Err(complaint.label("expected less").into());
        }
        return Ok(ResourceBehaviour::constant(value));
    }
    let every = section.read::<Option<SimDuration>>("every")?.unwrap_or(step);
    if every < Load::SHORTEST {
        let complaint = Complaint::new(code::RANGE, "a value is drawn too often", section.span("every"));
        return Err(complaint.label("expected 1 ms or more").into());
    }
    Ok(ResourceBehaviour::Drawn(Varying::new(law, Some(every), bounds)))
}

/// The files of behaviours: as they are named, and from where the program runs.
pub(super) fn behaviour_files(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let (Ok(written), Ok(path)) = (params.read::<String>("file"), params.path("file")) else {
        return Vec::new();
    };
    let Ok(text) = read_file(&path, LONGEST_TEXT) else { return Vec::new() };
    let names: OrderedSet<String> = behaviours_of(&text).into_iter().map(|(name, _)| name).collect();
    let file = |name: String| match given(params, &name) {
        Some(node) => file_of(params, node).filter(|_| node.at("kind").is_none()),
        None => {
            let file = file_next_to(&path, &name)?;
            let named = Path::new(&written).with_file_name(file.file_name()?);
            Some((named.to_string_lossy().into_owned(), file))
        }
    };
    names.into_iter().filter_map(file).collect()
}
