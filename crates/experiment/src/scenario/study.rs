//! From a scenario with `[[vary]]` and `[repeat]` to the points of a study, each checked like a
//! scenario of its own.
//!
//! The points are the product of the axes in the order of the file, the last axis moving fastest. A
//! point is the scenario with the axes' values put at their paths, so every key, whole components
//! included, can be varied; and a value that does not fit is reported at its place inside
//! `[[vary]]`, however many points it spoils.
//!
//! The resolved file of a study is its first point with every default filled in, and the axes.
//! Where putting the values into that would not give the same points again (an axis that changes
//! the kind of a component whose defaults are filled in), the varied tables stand in it as they
//! were written.

use crate::collections::OrderedSet;
use crate::measure::metric::Metric;
use crate::registry::{Complaint, KeyValue, Node, Registry, Span, Tree, Value, code, to_toml};
use crate::scenario::asked::{self, AskedQuestion};
use crate::scenario::axis::{Axis, axes as read_axes, path_of, text_of, values};
use crate::scenario::check::{check_point, rejected};
use crate::scenario::crossover::{self, Crossover};
use crate::scenario::load::Written;
use crate::scenario::overridden::{Identity, check_overridden, identity};
use crate::scenario::overrides::put;
use crate::scenario::renamed::mend;
use crate::scenario::repeat::{self, Repeat};
use crate::scenario::system::{AsWritten, System};
use crate::scenario::systems::system_of;
use crate::scenario::valid::{Rejected, Scenario};

/// So many complaints about points are shown; then the rest of the points is not looked at.
const MOST_COMPLAINTS: usize = 100;

/// One combination of the axes' values.
#[derive(Clone, Debug)]
pub struct Point {
    /// The step of every axis.
    pub at: Vec<usize>,
    /// Every varied key and its value as text, in the order of the axes.
    pub settings: Vec<(String, String)>,
    /// The scenario at this point, its replication 0.
    pub scenario: Scenario,
}

/// A scenario's points, each valid, and how often they are run.
#[derive(Clone, Debug)]
pub struct Study {
    /// The axes, in the order of the file.
    pub axes: Vec<Axis>,
    /// The points, the last axis moving fastest; at least one.
    pub points: Vec<Point>,
    /// The replications of each.
    pub repeat: Repeat,
    /// The crossovers that are looked for.
    pub crossovers: Vec<Crossover>,
    /// The question that it is made for.
    pub asked: AskedQuestion,
    /// The text of the main file.
    pub text: String,
    runs: String,
    resolved: String,
}

/// Steps of axes whose metrics are looked for at most.
const MOST_LOOKED_AT: usize = 1000;

/// Checks a scenario as written, at every point of its study.
///
/// # Errors
/// Everything that is wrong with it, each mistake once.
pub fn study(registry: &Registry, written: Written) -> Result<Study, Box<Rejected>> {
    study_for(registry, written, Purpose::Run)
}

/// Checks a scenario as written; of a study, every point, and gives the first.
///
/// # Errors
/// Everything that is wrong with it, boxed because it carries the texts.
pub fn check(registry: &Registry, written: Written) -> Result<Scenario, Box<Rejected>> {
    study(registry, written).map(Study::into_first)
}

/// Checks the scenario of a run that is over. What only its files needed of the build that made it
/// is not asked of this one.
///
/// # Errors
/// As [`check`].
pub fn check_again(registry: &Registry, written: Written) -> Result<Scenario, Box<Rejected>> {
    study_for(registry, written, Purpose::Reread).map(Study::into_first)
}

/// Purpose of checking a scenario.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To be run: this build must be able to write what it asks for.
    Run,
    /// To be read again after its run, which any build may do.
    Reread,
}

/// Checks a scenario as written, at every point of its study, for a purpose.
fn study_for(registry: &Registry, written: Written, purpose: Purpose) -> Result<Study, Box<Rejected>> {
    let Written { sources, mut root, text, mut complaints } = written;
    // a main file that cannot be read says nothing: its missing keys are not worth telling
    if complaints.iter().any(|complaint| complaint.span.is_none()) {
        return Err(rejected(sources, complaints));
    }
    let (mut vary, mut repeat, mut crossover, mut question) = (None, None, None, None);
    if let Value::Table(tree) = &mut root.value {
        (vary, repeat) = (tree.take("vary"), tree.take("repeat"));
        crossover = tree.take("crossover");
        question = tree.take("question");
    }
    mend(&mut root, &mut complaints);
    let numbered = root.at("run.replication").map(|node| node.span);
    if let (Some(span), Some(slot)) = (numbered, vary.as_ref().or(repeat.as_ref())) {
        let complaint = Complaint::new(code::CONTRADICTION, "a study numbers its replications itself", span);
        complaints.push(complaint.label("take it out").note("the study is here", Some(slot.span)));
    }
    let axes = vary.as_ref().map_or_else(Vec::new, |slot| read_axes(&slot.node, &mut complaints));
    let written = AsWritten { registry, sources: &sources, root: &root };
    let known = || metrics_of_points(&written, &axes);
    let how_often = repeat.as_ref().map(|slot| repeat::read(&written, &slot.node, &known, &mut complaints));
    let crossovers = crossover.as_ref().map_or_else(Vec::new, |slot| {
        crossover::read((registry, &sources), &slot.node, &axes, &known, &mut complaints)
    });
    let asked = question
        .as_ref()
        .and_then(|slot| asked::read((registry, &sources), &slot.node, &axes, &known, &mut complaints));
    if let (Some(slot), Some(Some((Repeat::ToPower { .. }, _)))) = (&repeat, &how_often) {
        let span = slot.node.at("to-power").map_or(slot.span, |node| node.span);
        complaints.extend(repeat::without_comparison(span, &axes, asked.as_ref()));
    }
    let checked = check_points(&written, &axes, &mut complaints);
    check_overridden(&written, &axes, &mut complaints);
    if purpose == Purpose::Reread {
        complaints.retain(|complaint| complaint.code != code::FEATURE);
    }
    let repeat_node = how_often.as_ref().and_then(|read| read.as_ref().map(|(_, node)| node.clone()));
    let how_often = how_often.map_or(Some(Repeat::Times(1)), |read| read.map(|(repeat, _)| repeat));
    let (Some(mut points), Some(how_often), true) = (checked, how_often, complaints.is_empty()) else {
        return Err(rejected(sources, complaints));
    };
    points.iter_mut().for_each(|point| point.scenario.text.clone_from(&text));
    let layout = Layout { written, axes: &axes, points: &points };
    let repeat = repeat.map(|slot| slot.span).zip(repeat_node);
    let (runs, resolved) = layout.resolved(vary.map(|slot| slot.span), repeat, crossover, question);
    // the question decides how many runs there are
    let runs = if matches!(how_often, Repeat::ToPower { .. }) { resolved.clone() } else { runs };
    let asked = asked.unwrap_or_default();
    Ok(Study { axes, points, repeat: how_often, crossovers, asked, text, runs, resolved })
}

impl Study {
    /// Returns true if more than one run was asked for.
    pub fn is_several(&self) -> bool {
        !self.axes.is_empty() || self.repeat != Repeat::Times(1)
    }

    /// Returns true if a point randomizes its log, and has a run of the log as recorded besides its
    /// replications.
    pub fn is_randomized(&self) -> bool {
        self.points.iter().any(|point| point.scenario.is_randomized())
    }

    /// The metrics that the scenario asks for: that of `repeat.until`, those that are expected to
    /// keep a bound, and those of crossovers and of its question.
    pub fn asked_metrics(&self) -> impl Iterator<Item = &str> {
        let until = match &self.repeat {
            Repeat::Until { metric, .. } => Some(metric.as_str()),
            Repeat::Times(_) | Repeat::ToPower { .. } => None,
        };
        let expected = self.points.iter().flat_map(|point| &point.scenario.expectations);
        let crossed = self.crossovers.iter().map(|one| one.metric.as_str());
        let asked = self.asked.metrics.iter().map(String::as_str).filter(|name| *name != asked::ALL);
        until.into_iter().chain(expected.map(|one| one.metric.as_str())).chain(crossed).chain(asked)
    }

    /// The first point.
    pub fn into_first(self) -> Scenario {
        self.points.into_iter().next().expect("a study has a point").scenario
    }

    /// The first point, for what all points share.
    pub fn first(&self) -> &Scenario {
        &self.points[0].scenario
    }

    /// The whole study with every default filled in, as TOML. Running it gives the same results.
    pub fn resolved(&self) -> &str {
        &self.resolved
    }

    /// The same without its question, unless that decides how many runs there are.
    pub fn runs(&self) -> &str {
        &self.runs
    }

    /// System of all points.
    pub fn system(&self) -> &'static dyn System {
        self.first().system
    }

    /// The metrics of its runs, in the order in which they are shown.
    pub fn metrics(&self) -> Vec<Metric> {
        let scenarios: Vec<&Scenario> = self.points.iter().map(|point| &point.scenario).collect();
        self.system().metrics(&scenarios)
    }

    /// The keys that are varied, in the order of the axes.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().flat_map(|axis| axis.keys.iter().map(String::as_str))
    }
}

impl Point {
    /// Every varied key and its value, in one line: `policy.backfill = none, workload.load = 0.5`.
    pub fn label(&self) -> String {
        let settings: Vec<String> =
            self.settings.iter().map(|(key, value)| format!("{key} = {value}")).collect();
        settings.join(", ")
    }
}

/// The steps of all axes at every point, the last axis moving fastest.
fn places(axes: &[Axis]) -> Vec<Vec<usize>> {
    let counts: Vec<usize> = axes.iter().map(|axis| axis.labels.len()).collect();
    let points: usize = counts.iter().product();
    let at = |mut number: usize| {
        let mut at = vec![0; counts.len()];
        for (step, count) in at.iter_mut().zip(&counts).rev() {
            *step = number % count;
            number /= count;
        }
        at
    };
    (0..points).map(at).collect()
}

/// Every metric that a run at some point may have: an axis may decide which those are.
fn metrics_of_points(written: &AsWritten<'_>, axes: &[Axis]) -> Vec<Metric> {
    let mut known: Vec<Metric> = Vec::new();
    // one axis at a time: which metrics there are is not a matter of several keys together
    let mut at: Vec<Vec<usize>> = vec![vec![0; axes.len()]];
    for (place, axis) in axes.iter().enumerate() {
        at.extend((1..axis.labels.len()).map(|step| {
            let mut at = vec![0; axes.len()];
            at[place] = step;
            at
        }));
    }
    for at in at.iter().take(MOST_LOOKED_AT) {
        let Ok(root) = moved(written.root, axes, at) else { continue };
        let Ok(claimed) = system_of(&AsWritten { root: &root, ..*written }) else { continue };
        for metric in claimed.system.bounded(&claimed.root) {
            if known.iter().all(|one| one.name != metric.name) {
                known.push(metric);
            }
        }
    }
    known
}

/// `root` with the values of the axes at one point put in.
fn moved(root: &Node, axes: &[Axis], at: &[usize]) -> Result<Node, Complaint> {
    let mut root = root.clone();
    let Value::Table(tree) = &mut root.value else { return Ok(root) };
    for (axis, &step) in axes.iter().zip(at) {
        for slot in &axis.slots {
            let path: Vec<(String, Span)> = path_of(slot).into_iter().map(|name| (name, slot.span)).collect();
            put(tree, &path, values(slot)[step].clone())?;
        }
    }
    Ok(root)
}

/// Every point, checked; `None` if one is not valid, and then the complaints have grown by each
/// mistake once.
fn check_points(
    written: &AsWritten<'_>,
    axes: &[Axis],
    complaints: &mut Vec<Complaint>,
) -> Option<Vec<Point>> {
    let mut points = Some(Vec::new());
    let mut known: OrderedSet<Identity> = complaints.iter().map(identity).collect();
    for at in places(axes) {
        let mut own = Vec::new();
        let scenario = match moved(written.root, axes, &at) {
            Ok(mut root) => {
                mend(&mut root, &mut own);
                check_point(&AsWritten { root: &root, ..*written }, &mut own)
            }
            Err(complaint) => {
                own.push(complaint);
                None
            }
        };
        complaints.extend(own.into_iter().filter(|complaint| known.insert(identity(complaint))));
        match (scenario, &mut points) {
            (Some(scenario), Some(points)) => points.push(point(axes, at, scenario)),
            _ => points = None,
        }
        if complaints.len() >= MOST_COMPLAINTS {
            break;
        }
    }
    points
}

fn point(axes: &[Axis], at: Vec<usize>, scenario: Scenario) -> Point {
    let settings = axes.iter().zip(&at).flat_map(|(axis, &step)| {
        axis.slots.iter().map(move |slot| (slot.name.clone(), text_of(&values(slot)[step])))
    });
    Point { settings: settings.collect(), at, scenario }
}

/// Parts of the resolved file of a study.
struct Layout<'a> {
    written: AsWritten<'a>,
    axes: &'a [Axis],
    points: &'a [Point],
}

impl Layout<'_> {
    /// The text that decides the runs, and the same with the question.
    fn resolved(
        &self,
        vary: Option<Span>,
        repeat: Option<(Span, Node)>,
        crossover: Option<KeyValue>,
        question: Option<KeyValue>,
    ) -> (String, String) {
        let mut base = self.points[0].scenario.root().clone();
        let axes = self.axes_from_root();
        if !self.gives_the_same(&base, &axes) {
            base = self.as_written(base);
        }
        let Value::Table(tree) = &mut base.value else { return Default::default() };
        if let Some(span) = vary {
            let table = |axis: &Axis| {
                let mut tree = Tree::default();
                axis.slots.iter().for_each(|slot| tree.put(slot.clone()));
                Node::new(Value::Table(tree), span)
            };
            tree.set("vary", span, Value::Array(axes.iter().map(table).collect()));
        }
        if let Some((span, node)) = repeat {
            tree.put(KeyValue { name: "repeat".to_owned(), span, node });
        }
        crossover.into_iter().for_each(|slot| tree.put(slot));
        let runs = to_toml(tree);
        let Some(question) = question else { return (runs.clone(), runs) };
        tree.put(question);
        (runs, to_toml(tree))
    }

    /// The axes with the paths of files as the root sees them: they may stand in an included file.
    fn axes_from_root(&self) -> Vec<Axis> {
        let mut axes = self.axes.to_vec();
        for (number, axis) in axes.iter_mut().enumerate() {
            for slot in &mut axis.slots {
                let path = path_of(slot).join(".");
                let Value::Array(steps) = &mut slot.node.value else { continue };
                for (step, node) in steps.iter_mut().enumerate() {
                    let point = self.points.iter().find(|point| point.at[number] == step);
                    let read = point.and_then(|point| point.scenario.root().at(&path));
                    if let (Some(read), Value::String(_)) = (read, &node.value)
                        && read.as_text().is_some()
                    {
                        node.value = read.value.clone();
                    }
                }
            }
        }
        axes
    }

    fn gives_the_same(&self, base: &Node, axes: &[Axis]) -> bool {
        self.points.iter().all(|point| {
            let Ok(root) = moved(base, axes, &point.at) else { return false };
            let again = check_point(&AsWritten { root: &root, ..self.written }, &mut Vec::new());
            again.is_some_and(|again| again.resolved() == point.scenario.resolved())
        })
    }

    /// `base` with the tables that are varied as they were written.
    fn as_written(&self, mut base: Node) -> Node {
        let Value::Table(tree) = &mut base.value else { return base };
        for slot in self.axes.iter().flat_map(|axis| &axis.slots) {
            let name = &path_of(slot)[0];
            tree.take(name);
            if let Some(written) = self.written.root.as_table().and_then(|root| root.slot(name)) {
                tree.put(written.clone());
            }
        }
        base
    }
}
