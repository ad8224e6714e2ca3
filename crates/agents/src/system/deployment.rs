//! Deployment files of SimGrid in scenarios: each actor of the file is an agent, whose function
//! stands for a role.
//!
//! ```toml
//! [deployment]
//! file = "deployment.xml"
//!
//! [deployment.function.master]
//! role = "dispatcher"
//! arguments = ["tasks", "work", "data", ""]
//! ```
//!
//! The arguments of an actor are values of keys of the role, by their places: the first goes to the
//! first key that is listed; "" passes over one. They hold before what `role` says, and those that
//! are left out hold as `role` says. A number without a unit has the unit of its key: bytes,
//! operations, seconds. Actors come before the agents of `[[agent]]`, in the order of the file, and
//! are called by their functions. Their start and kill times, and what becomes of them when their
//! host fails, are those of the file.
//!
//! What is wrong in the file is reported with its lines. Left out: properties of actors, which no
//! role asks for.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::kernel::SimTime;
use crate::platform::Platform;
use crate::platform::described::host_patterns::unknown;
use crate::platform::simgrid::{DeployedActor, OnFailure, add, deployment};
use crate::registry::{
    Absent, Bounds, Complaint, Complaints, Entry, Key, Kind, Node, Params, SourceId, Sources, Span, Tree,
    Value, check, code, key, keys, suggestion,
};
use crate::role::Role;
use crate::scenario::named_files::elsewhere;
use crate::system::deploy::{Group, ROLE};

/// A deployment file, and what the functions in it stand for.
pub(super) const DEPLOYMENT: Key = key! {
    "deployment" Kind::Table(&keys! {
        "file" Kind::Path => "a deployment file of SimGrid 4 (.xml, plain or .gz)";
        "function" Kind::Map(&Kind::Table(FUNCTION)), absent "no function is known" =>
            "what the actors of each function do: a table for each, by its name";
    }), absent "agents are those of [[agent]]" =>
        "agents out of a deployment file of SimGrid; they come before those of [[agent]]"
};

const FUNCTION: &[Key] = &keys! {
    ..ROLE;
    "arguments" Kind::List(&Kind::Text), or_list &[] =>
        "the keys of the role that their arguments give, by their places; \"\" passes over one";
};

/// The actors of a file, and where it is.
#[derive(Default)]
pub(super) struct Actors {
    /// Actors, each a group by itself.
    pub(super) groups: Vec<Group>,
    file: Option<(Sources, SourceId, Span)>,
}

impl Actors {
    /// A complaint as the author of the scenario sees it.
    pub(super) fn located(&self, complaint: Complaint) -> Complaint {
        match &self.file {
            Some((sources, source, at)) if complaint.span.is_none_or(|span| span.source == *source) => {
                elsewhere(sources, complaint, *at)
            }
            _ => complaint,
        }
    }

    /// Reads the actors of a checked scenario; none if it has no deployment file.
    pub(super) fn read(
        params: &Params<'_>,
        sources: &Sources,
        platform: &Platform,
    ) -> Result<Self, Vec<Complaint>> {
        if !params.has(DEPLOYMENT.name) {
            return Ok(Actors::default());
        }
        let table = params.section(DEPLOYMENT.name);
        let file: String = table.read("file")?;
        let (mut sources, at) = (sources.clone(), table.span("file"));
        let source = add(Path::new(&file), &mut sources)
            .map_err(|complaint| Complaint { span: Some(at), ..complaint })?;
        let deployed = deployment(source, &sources);
        let mut actors = Actors { groups: Vec::new(), file: Some((sources.clone(), source, at)) };
        let mut complaints = Complaints::new();
        match deployed {
            Ok(deployed) => {
                for actor in &deployed {
                    let functions = Functions { table: &table, sources: &sources };
                    let (mut own, before) = (Vec::new(), complaints.count() as usize);
                    actors.groups.extend(functions.group(actor, platform, before, &mut own));
                    own.into_iter().for_each(|complaint| once(&mut complaints, complaint));
                }
            }
            Err(wrong) => complaints.take(wrong),
        }
        if complaints.is_empty() {
            return Ok(actors);
        }
        Err(complaints.map(|complaint| actors.located(complaint)).into())
    }
}

/// The file of a checked scenario: as it is named, and from where the program runs.
pub(super) fn input(params: &Params<'_>) -> Option<(String, PathBuf)> {
    let table = params.has(DEPLOYMENT.name).then(|| params.section(DEPLOYMENT.name))?;
    Some((table.read("file").ok()?, table.path("file").ok()?))
}

/// Meanings of functions.
struct Functions<'a> {
    table: &'a Params<'a>,
    /// The scenario's texts, and the deployment file.
    sources: &'a Sources,
}

impl Functions<'_> {
    fn group(
        &self,
        actor: &DeployedActor,
        platform: &Platform,
        before: usize,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Group> {
        let host = platform.host_named(&actor.host.0);
        if host.is_none() {
            complaints.push(unknown(&actor.host.0, platform, actor.host.1, before));
        }
        let role = self.role(actor, complaints);
        if !complaints.is_empty() {
            return None;
        }
        let at = |span| SimTime::ZERO.saturating_add(span);
        Some(Group {
            role: role?,
            hosts: vec![host?],
            each: 1,
            name: Some(actor.function.0.clone()),
            start: at(actor.start_time),
            kill: actor.kill_time.map(at),
            restarts: actor.on_failure == OnFailure::Restart,
            at: actor.at,
        })
    }

    /// The role of an actor, with its arguments.
    fn role(&self, actor: &DeployedActor, complaints: &mut Vec<Complaint>) -> Option<Rc<dyn Role>> {
        let (function, at) = (&actor.function.0, actor.function.1);
        let known = self.table.tree().get("function").and_then(Node::as_table);
        let Some(own) = known.and_then(|known| known.get(function)) else {
            let names: Vec<&str> =
                known.map_or(&[][..], Tree::slots).iter().map(|slot| slot.name.as_str()).collect();
            let message = format!("it is not stated what `{function}` does");
            let help = format!("write [deployment.function.{function}]; {}", suggestion(function, names));
            complaints.push(Complaint::new(code::UNKNOWN_NAME, message, at).label("not known").help(help));
            return None;
        };
        let own = self.table.with(own);
        let tree = own.tree().get("role").and_then(Node::as_table)?;
        let kind = tree.get("kind").and_then(Node::as_text)?;
        let entry = self.table.registry().typed::<dyn Role>("role")?.find(kind)?;
        let arguments = arguments(&own, actor, entry, complaints)?;
        let node = Node::new(Value::Table(self.with(tree, arguments, entry, complaints)?), actor.at);
        match (entry.build)(&Params::new(self.table.registry(), self.sources, &node)) {
            Ok(role) => Some(Rc::from(role)),
            Err(complaint) => {
                complaints.push(complaint);
                None
            }
        }
    }

    /// A role as it is declared, with what arguments say instead; these are checked like values
    /// that are written.
    fn with(
        &self,
        located: &Tree,
        arguments: Tree,
        entry: &Entry<dyn Role>,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Tree> {
        let names: Vec<String> = arguments.slots().iter().map(|slot| slot.name.clone()).collect();
        let mut whole = arguments;
        for key in entry.keys.iter().filter(|key| key.default == Absent::Error) {
            if let (None, Some(slot)) = (whole.slot(key.name), located.slot(key.name)) {
                whole.put(slot.clone());
            }
        }
        let node = Node::new(Value::Table(whole), self.table.span("file"));
        let checked = check(self.table.registry(), self.sources, &node, entry.keys, complaints)?;
        let mut role = located.clone();
        for slot in checked.as_table()?.slots().iter().filter(|slot| names.contains(&slot.name)) {
            role.put(slot.clone());
        }
        Some(role)
    }
}

/// The arguments of an actor as values of keys.
fn arguments(
    own: &Params<'_>,
    actor: &DeployedActor,
    entry: &Entry<dyn Role>,
    complaints: &mut Vec<Complaint>,
) -> Option<Tree> {
    let before = complaints.len();
    let places = own.items("arguments");
    let mut tree = Tree::default();
    if let Some((_, at)) = actor.arguments.get(places.len()) {
        let message = format!("`{}` has {} arguments, and no more", actor.function.0, places.len());
        let complaint = Complaint::new(code::CONTRADICTION, message, *at).label("one too many");
        complaints
            .push(complaint.help("`arguments` of the function lists the keys that they give; \"\" is none"));
    }
    for (place, (text, at)) in places.iter().zip(&actor.arguments) {
        let name = place.as_text().unwrap_or_default();
        if name.is_empty() {
            continue;
        }
        let Some(key) = entry.keys.iter().find(|key| key.name == name) else {
            let message = format!("role `{}` has no key `{name}`", entry.name);
            let names: Vec<&str> = entry.keys.iter().map(|key| key.name).collect();
            let complaint = Complaint::new(code::UNKNOWN_KEY, message, place.span);
            complaints.push(complaint.help(suggestion(name, names)));
            continue;
        };
        match value(text, key.kind) {
            Some(_) if tree.slot(name).is_some() => {
                let message = format!("two arguments give `{name}`");
                complaints.push(Complaint::new(code::CONTRADICTION, message, place.span));
            }
            Some(value) => tree.set(name, *at, value),
            None => {
                let message = format!("no argument can give `{name}`, which is {}", key.kind.expected());
                complaints.push(Complaint::new(code::TYPE, message, place.span));
            }
        }
    }
    (complaints.len() == before).then_some(tree)
}

/// Reports what every actor of a function would report again.
fn once(complaints: &mut Complaints, complaint: Complaint) {
    let same = |other: &Complaint| other.span == complaint.span && other.message == complaint.message;
    if !complaints.iter().any(same) {
        complaints.push(complaint);
    }
}

/// An argument as the value of a key of this kind; `None` if no text is one.
fn value(text: &str, kind: Kind) -> Option<Value> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let or_text = |value: Option<Value>| value.or_else(|| Some(Value::String(text.to_owned())));
    let with = |unit: &str| or_text(number.map(|number| Value::String(format!("{number}{unit}"))));
    let whole = text.trim().parse().ok().or_else(|| {
        // as SimGrid's examples write large counts: 1e6
        number.filter(|number| number.fract().abs() <= 0.0 && number.abs() < 9e15).map(|number| number as i64)
    });
    match kind {
        Kind::Bytes => with("B"),
        Kind::Flops | Kind::Speed => with("f"),
        Kind::Bandwidth => with("Bps"),
        Kind::Power => with("W"),
        Kind::Duration(_) | Kind::Moment(_) => with("s"),
        Kind::Distribution(of) | Kind::DistributionWith(of, _) | Kind::DistributionOr(of, _) => {
            value(text, of.kind(Bounds::Any))
        }
        Kind::Count { .. } | Kind::DurationOrCount(_) | Kind::Quantity(_) => {
            or_text(whole.map(Value::Integer))
        }
        Kind::Number(_) | Kind::Share(_) => or_text(number.map(Value::Float)),
        Kind::Flag => or_text(text.trim().parse().ok().map(Value::Boolean)),
        Kind::Text | Kind::Path | Kind::Choice(_) | Kind::Component(_) | Kind::ComponentOfAny(_) => {
            or_text(None)
        }
        Kind::List(_)
        | Kind::OneOrList(_)
        | Kind::CountOr(..)
        | Kind::Table(_)
        | Kind::FirstOrTable(_)
        | Kind::Map(_)
        | Kind::Any => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_number_has_the_unit_of_its_key() {
        for (text, kind, expected) in [
            ("1e6", Kind::Bytes, Value::String("1000000B".to_owned())),
            ("64 KiB", Kind::Bytes, Value::String("64 KiB".to_owned())),
            ("50000000", Kind::Flops, Value::String("50000000f".to_owned())),
            ("0.5", Kind::Duration(Bounds::NotNegative), Value::String("0.5s".to_owned())),
            ("1e3", Kind::count_from(0), Value::Integer(1000)),
            ("1.5", Kind::count_from(0), Value::String("1.5".to_owned())),
            ("inf", Kind::Flops, Value::String("inf".to_owned())),
            ("3", Kind::Number(Bounds::Any), Value::Float(3.0)),
            ("true", Kind::Flag, Value::Boolean(true)),
            ("w-1", Kind::Text, Value::String("w-1".to_owned())),
        ] {
            assert_eq!(format!("{:?}", value(text, kind)), format!("{:?}", Some(expected)), "{text}");
        }
        assert!(value("1", Kind::List(&Kind::Text)).is_none());
    }
}
