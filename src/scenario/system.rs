//! Systems: what a scenario can simulate.
//!
//! A scenario does not name its system: its tables say what it simulates. What all systems share
//! (title, seed, how long, bounds, axes, replications) is read by `check`; the rest is the system's
//! own, from its keys to its results. A system is registered by one call ([`register`]), also from
//! another crate, and has the whole command line by that: `validate`, `explain`, `schema`, `run`,
//! studies, reports, bounds.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::measure::class;
use crate::measure::family::{Aim, Family};
use crate::measure::metric::{self, Metric};
use crate::measure::own_warnings::OwnWarnings;
use crate::output::{Figure, Pictures, Table};
use crate::registry::definition::Words;
use crate::registry::{
    Absent, Complaint, Complaints, Key, Kind, Node, Params, Registry, Sources, Tree, Value,
    check as check_keys, code, suggestion, unknown_key,
};
use crate::scenario::check::{Rejected, Scenario};
use crate::scenario::file_kind::FileKind;
use crate::scenario::record_all::record_all;
use crate::scenario::run::{Loading, Ready};
use crate::scenario::run_directory::{Checked, RunDirectory};
use crate::scenario::schema;
use crate::scenario::system_data::{BareFile, ScheduleColumns, StartedProgram};
use crate::text::mark::FileMark;

/// A simulated system: its tables, its reading and assembly, and what can be said of its runs.
pub trait System: fmt::Debug + Send + Sync {
    /// Name, in one word.
    fn name(&self) -> &'static str;

    /// Description, in words that follow "a scenario of".
    fn about(&self) -> &'static str;

    /// The keys at the root of its scenarios, without those that all have ([`schema::FIRST`],
    /// [`schema::LAST`]). Several systems may have a table; what the language knows of it is the
    /// union of its keys.
    fn keys(&self) -> &'static [Key];

    /// The keys that say that a scenario simulates it: one of them suffices.
    fn claims(&self) -> &'static [&'static str];

    /// The keys without which a scenario of it is not complete.
    fn required(&self) -> &'static [&'static str] {
        &[]
    }

    /// The families of all metrics that its runs may have, in the order of the manual.
    fn families(&self) -> &'static [&'static [Family]];

    /// The warnings of its runs that other systems do not have. A study says in how many of its runs
    /// each was given.
    fn warnings(&self) -> OwnWarnings {
        OwnWarnings::NONE
    }

    /// The metrics that a study of these scenarios shows and judges unless others are asked for. If
    /// there are none, the first metrics that have an aim.
    fn headline(&self, _scenarios: &[&Scenario]) -> &'static [&'static str] {
        &[]
    }

    /// The declaration of every table that its runs may hand over.
    fn tables(&self) -> Vec<Table> {
        Vec::new()
    }

    /// The switches of `[record]` whose files `check` judges a run of this scenario by:
    /// `record.all` puts them on.
    fn judged_by(&self, _root: &Tree) -> &'static [&'static str] {
        &[]
    }

    /// The words that stand in its results apart from names of metrics and columns, by kind.
    fn words(&self) -> Vec<Words> {
        Vec::new()
    }

    /// Checks the keys of a scenario as written; gives it with every default filled in.
    fn check(&self, written: &AsWritten<'_>, complaints: &mut Vec<Complaint>) -> Option<Node> {
        written.check(written.root, &whole_keys(self.keys(), self.required()), complaints)
    }

    /// Reads what is the system's own from a checked scenario; [`Scenario::own`] gives it back.
    /// Whatever it finds wrong is among the complaints.
    fn read(
        &self,
        params: &Params<'_>,
        root: &Node,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Arc<dyn Any + Send + Sync>>;

    /// Every metric that a run of a scenario as written may have: what `[expect]` can bound.
    fn bounded(&self, _root: &Node) -> Vec<Metric> {
        all_metrics(self.families())
    }

    /// The metrics of a study of these scenarios, in the order in which they are shown.
    fn metrics(&self, _scenarios: &[&Scenario]) -> Vec<Metric> {
        all_metrics(self.families())
    }

    /// The files that a run reads: as the scenario names them, and from where the program runs.
    ///
    /// # Errors
    /// Values that contradict each other.
    fn inputs(
        &self,
        _registry: &Registry,
        _scenario: &Scenario,
    ) -> Result<Vec<(String, PathBuf)>, Box<Rejected>> {
        Ok(Vec::new())
    }

    /// The programs that a run starts.
    fn programs(&self, _registry: &Registry, _scenario: &Scenario) -> Vec<StartedProgram> {
        Vec::new()
    }

    /// Reads or draws all that a run needs.
    ///
    /// # Errors
    /// What is wrong with the input, at its place.
    fn assemble(&self, registry: &Registry, scenario: &Scenario) -> Result<Ready, Box<Rejected>>;

    /// Key of the inputs of a scenario, as text: those of points with the same text are read or
    /// drawn once for all of them by [`System::preflight`].
    fn decides_input(&self, scenario: &Scenario) -> String {
        scenario.resolved()
    }

    /// Looks for what a run would object to before it begins, at points with the same
    /// [`System::decides_input`]; reads or draws their inputs if `whole`. Gives what is wrong with
    /// the scenario at each place.
    fn preflight(&self, registry: &Registry, scenarios: &[&Scenario], whole: bool) -> Preflight {
        let mut found = Preflight::default();
        for (place, scenario) in scenarios.iter().enumerate().filter(|_| whole) {
            match self.assemble(registry, scenario) {
                Ok(ready) if place == 0 => found.loading = ready.loading(),
                Ok(_) => {}
                Err(rejected) => found.wrong.push((place, rejected)),
            }
        }
        found
    }

    /// Advice where an interval is missing: the way to make a scenario random.
    ///
    /// # Errors
    /// Values that contradict each other.
    fn how_to_draw(&self, _registry: &Registry, _scenario: &Scenario) -> Result<&'static str, Box<Rejected>> {
        Ok("for intervals, draw times from distributions: `clustersim list distributions`")
    }

    /// The kind of file that the system runs by itself, without a scenario.
    fn bare_file(&self) -> Option<BareFile> {
        None
    }

    /// The marks of files that it reads, apart from those of its kinds of files.
    fn file_marks(&self) -> &'static [&'static FileMark] {
        &[]
    }

    /// The kinds of files that `show` draws and `convert` turns into other formats.
    fn file_kinds(&self) -> &'static [&'static dyn FileKind] {
        &[]
    }

    /// The table of a run that is its schedule, if it has one: what `compare RUN RUN` compares.
    fn schedule(&self) -> Option<ScheduleColumns> {
        None
    }

    /// Judges the results of a finished run by its files, with code of its own.
    ///
    /// # Errors
    /// The files cannot be judged.
    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        let what = format!("{} holds a run of {}", run.place.display(), self.about());
        Err(run.reject(Complaint::nowhere(
            code::NOTHING_JUDGED,
            format!("{what}, and this system has no rules that can be checked"),
        )))
    }

    /// The figures that its reports draw of its tables; curves of their times if there are none.
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }

    /// Pictures of the report of a finished run, from its files.
    ///
    /// # Errors
    /// What the files do not hold.
    fn pictures(&self, run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
        let mut pictures = Pictures::new(self.figures(), run.tables()?);
        pictures.missing.push("a timeline, if the run had one: no file holds it".to_owned());
        Ok(pictures)
    }
}

impl dyn System {
    /// The family of a metric, be it of all or of a class.
    pub fn family(&self, metric: &str) -> Option<&'static Family> {
        let own = |metric: &str| self.families().iter().copied().flatten().find(|family| family.has(metric));
        own(metric).or_else(|| own(class::metric(metric)?))
    }

    /// Direction in which values of a metric are better; [`Aim::None`] if it is not known.
    pub fn aim(&self, metric: &str) -> Aim {
        self.family(metric).map_or(Aim::None, |family| family.aim)
    }

    /// Returns true if a metric is a share, which is read in percent; false if it is not known.
    pub fn is_share(&self, metric: &str) -> bool {
        self.family(metric).is_some_and(|family| family.share)
    }
}

/// Every metric of these families, without a value.
pub(crate) fn all_metrics(families: &[&[Family]]) -> Vec<Metric> {
    let of = |family: &Family| {
        let unit = family.unit;
        family.names().into_iter().map(move |name| Metric { name, value: metric::Value::Nothing, unit })
    };
    families.iter().copied().flatten().flat_map(of).collect()
}

/// Findings at points that share their inputs.
#[derive(Debug, Default)]
pub struct Preflight {
    /// Report of reading or drawing the inputs.
    pub loading: Loading,
    /// Rejections, by the place of the point.
    pub wrong: Vec<(usize, Box<Rejected>)>,
}

/// A scenario as written, to be checked.
#[derive(Clone, Copy)]
pub struct AsWritten<'a> {
    /// The components.
    pub registry: &'a Registry,
    /// The texts.
    pub sources: &'a Sources,
    /// The whole, a table.
    pub root: &'a Node,
}

impl AsWritten<'_> {
    /// Checks `root` by `keys`; gives it with every default filled in.
    pub fn check(&self, root: &Node, keys: &[Key], complaints: &mut Vec<Complaint>) -> Option<Node> {
        check_keys(self.registry, self.sources, root, keys, complaints)
    }
}

/// The systems of a registry, in the order of registration.
#[derive(Default)]
struct Systems {
    systems: Vec<&'static dyn System>,
    /// Every key at the root of some scenario.
    root: OnceLock<Vec<Key>>,
}

/// Adds a system to those that scenarios can simulate.
///
/// # Panics
/// If one of that name is there: a mistake of the program.
pub fn register(registry: &mut Registry, system: &'static dyn System) {
    let all: &mut Systems = registry.extension_mut();
    let known = all.systems.iter().any(|known| known.name() == system.name());
    assert!(!known, "the system `{}` is registered twice", system.name());
    all.systems.push(system);
}

/// The registered systems, in order.
pub fn systems(registry: &Registry) -> &[&'static dyn System] {
    registry.extension::<Systems>().map_or(&[], |all| &all.systems)
}

/// The kinds of files of all systems of a registry; of several of a name the first.
pub fn file_kinds(registry: &Registry) -> Vec<&'static dyn FileKind> {
    let mut kinds: Vec<&'static dyn FileKind> = Vec::new();
    for kind in systems(registry).iter().flat_map(|system| system.file_kinds()) {
        if kinds.iter().all(|known| known.name() != kind.name()) {
            kinds.push(*kind);
        }
    }
    kinds
}

/// The declaration of every table that a run may hand over, system by system.
pub fn tables(registry: &Registry) -> Vec<Table> {
    systems(registry).iter().flat_map(|system| system.tables()).collect()
}

/// Every key that some scenario may have at its root; tables of several systems are united.
pub fn root_keys(registry: &Registry) -> &[Key] {
    let Some(all) = registry.extension::<Systems>() else { return schema::FIRST };
    all.root.get_or_init(|| {
        let mut keys = vec![schema::INCLUDE];
        keys.extend(schema::FIRST);
        all.systems.iter().flat_map(|system| system.keys()).for_each(|key| join(&mut keys, key));
        keys.extend(schema::LAST);
        keys
    })
}

/// Adds a key, or what a table or component of the same name does not have yet.
fn join(keys: &mut Vec<Key>, key: &Key) {
    let Some(known) = keys.iter_mut().find(|known| known.name == key.name) else {
        keys.push(*key);
        return;
    };
    // what is leaked is leaked once a registry
    match (&known.kind, &key.kind) {
        (Kind::Table(own), Kind::Table(more)) => {
            let mut union = own.to_vec();
            union.extend(more.iter().filter(|key| own.iter().all(|known| known.name != key.name)));
            if union.len() > own.len() {
                known.kind = Kind::Table(union.leak());
            }
        }
        (Kind::Component(own), Kind::Component(more)) if own != more => {
            known.kind = Kind::ComponentOfAny(vec![*own, *more].leak());
        }
        (Kind::ComponentOfAny(own), Kind::Component(more)) if !own.contains(more) => {
            known.kind = Kind::ComponentOfAny([own, &[*more][..]].concat().leak());
        }
        _ => {}
    }
}

/// Returns true if the component written under a key is none of the table that this key takes it
/// from, but one of `others`.
fn is_component_of_others(
    registry: &Registry,
    tree: &Tree,
    key: &Key,
    others: impl Iterator<Item = Key>,
) -> bool {
    let Some(slot) = tree.slot(key.name) else { return false };
    let Some(written) = slot.node.as_text().or_else(|| slot.node.text_at("kind")) else { return false };
    let is_of = |key: &Key| match key.kind {
        Kind::Component(table) => {
            registry.find(table).is_some_and(|table| table.rows().iter().any(|row| row.name == written))
        }
        _ => false,
    };
    matches!(key.kind, Kind::Component(_)) && !is_of(key) && others.into_iter().any(|key| is_of(&key))
}

/// The keys at the root of a scenario: these and those of all scenarios.
pub fn whole_keys(own: &[Key], required: &[&str]) -> Vec<Key> {
    let must = |key: &Key| if required.contains(&key.name) { Absent::Error } else { key.default };
    let own = own.iter().map(|key| Key { default: must(key), ..*key });
    schema::FIRST.iter().copied().chain(own).chain(schema::LAST.iter().copied()).collect()
}

/// A scenario as written and the system that it is of.
pub(super) struct Claimed {
    pub(super) system: &'static dyn System,
    /// The scenario without the tables that mean nothing in a scenario of that system.
    pub(super) root: Node,
    /// A complaint of each such table.
    pub(super) foreign: Vec<Complaint>,
}

/// The system that a scenario as written is of, by its tables: of several that claim it one that
/// knows the components that are written, then one that has what it requires, then the one with the
/// most tables, and the first of these; the tables of the others are complained of.
///
/// # Errors
/// None claims it.
pub(super) fn system_of(written: &AsWritten<'_>) -> Result<Claimed, Vec<Complaint>> {
    let AsWritten { registry, root, .. } = *written;
    let empty = Tree::default();
    let tree = root.as_table().unwrap_or(&empty);
    let all = systems(registry);
    let claim = |system: &dyn System| system.claims().iter().find_map(|key| tree.slot(key));
    let owns = |system: &dyn System, name: &str| system.keys().iter().any(|key| key.name == name);
    let tables = |system: &dyn System| tree.slots().iter().filter(|slot| owns(system, &slot.name)).count();
    let is_complete = |system: &dyn System| system.required().iter().all(|key| tree.slot(key).is_some());
    let detail = tree.slot(schema::DETAIL.name).and_then(|slot| Some((slot, slot.node.as_text()?)));
    if let Some((slot, name)) = detail
        && all.iter().all(|system| system.name() != name)
    {
        let complaint =
            Complaint::new(code::UNKNOWN_NAME, format!("no system is called `{name}`"), slot.node.span);
        return Err(vec![complaint.help(suggestion(name, all.iter().map(|system| system.name())))]);
    }
    let is_named = |system: &dyn System| detail.is_none_or(|(_, name)| system.name() == name);
    let knows = |system: &dyn System| {
        let keys = |name: &'static str| {
            all.iter().flat_map(|other| other.keys()).filter(move |key| key.name == name)
        };
        !system.keys().iter().any(|key| is_component_of_others(registry, tree, key, keys(key.name).copied()))
    };
    let claim = |system: &dyn System| match detail {
        Some((slot, _)) => is_named(system).then_some(slot),
        None => claim(system),
    };
    let claims = all.iter().rev().filter_map(|system| Some((*system, claim(*system)?)));
    let Some((system, said)) =
        claims.max_by_key(|(system, _)| (knows(*system), is_complete(*system), tables(*system)))
    else {
        return Err(unclaimed(written));
    };
    let is_of_another = |name: &str| !owns(system, name) && all.iter().any(|other| owns(*other, name));
    let mut own = tree.clone();
    let mut foreign = Vec::new();
    for slot in tree.slots().iter().filter(|slot| is_of_another(&slot.name)) {
        own.take(&slot.name);
        let message = format!("`{}` means nothing in a scenario of {}", slot.name, system.about());
        let complaint = Complaint::new(code::CONTRADICTION, message, slot.span).label("take it out");
        let note = format!("`{}` says that {} are simulated", said.name, system.about());
        foreign.push(complaint.note(note, Some(said.span)));
    }
    record_all(system.judged_by(&own), &mut own);
    Ok(Claimed { system, root: Node::new(Value::Table(own), root.span), foreign })
}

/// Complaints about a scenario that no system claims: keys that are not known, or that no key
/// states the system; and about the keys that every scenario has.
fn unclaimed(written: &AsWritten<'_>) -> Vec<Complaint> {
    let AsWritten { registry, root, .. } = *written;
    let empty = Tree::default();
    let tree = root.as_table().unwrap_or(&empty);
    let mut wrong = Complaints::new();
    let known = root_keys(registry).iter().map(|key| key.name);
    // of these every key that some system has is checked
    let of_all: Vec<Key> = root_keys(registry)
        .iter()
        .filter(|key| [schema::RUN.name, schema::RECORD.name].contains(&key.name))
        .copied()
        .collect();
    let of_all = whole_keys(&of_all, &[]);
    let mut shared = Tree::default();
    let mut near = None;
    for slot in tree.slots() {
        if of_all.iter().any(|key| key.name == slot.name) {
            shared.put(slot.clone());
        } else if known.clone().all(|key| key != slot.name) {
            wrong.push_with(|| unknown_key(slot, known.clone()));
        } else {
            near = near.or(Some(slot));
        }
    }
    let is_misspelt = !wrong.is_empty();
    let mut complaints = Vec::from(wrong);
    let shared = Node::new(Value::Table(shared), root.span);
    written.check(&shared, &of_all, &mut complaints);
    if !is_misspelt {
        // a table that only some systems have stands for what its author meant
        let fits = |system: &&&dyn System| {
            near.is_none_or(|slot| system.keys().iter().any(|key| key.name == slot.name))
        };
        let of = systems(registry).iter().filter(fits).map(|system| {
            let keys: Vec<String> = system.claims().iter().map(|key| format!("`{key}`")).collect();
            format!("{} for {}", keys.join(" or "), system.about())
        });
        let of: Vec<String> = of.collect();
        let span = near.map_or(root.span, |slot| slot.span);
        let complaint = Complaint::new(code::MISSING_KEY, "nothing says what is simulated", span);
        complaints.push(complaint.help(format!("write {}", of.join(", or "))));
    }
    complaints
}
