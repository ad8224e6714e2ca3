//! Systems: what a scenario can simulate.
//!
//! A scenario does not name its system: its tables say what it simulates. What all systems share (title, seed, how long, bounds,
//! axes, replications) is read by `check`; the rest is the system's own, from its keys to its results. A system is registered by
//! one call ([`register`]), also from another crate, and has the whole command line by that: `validate`, `explain`, `schema`, `run`,
//! studies, reports, bounds.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use crate::import::Recognized;
use crate::instrument::class;
use crate::instrument::family::{Aim, Family};
use crate::instrument::metrics::Metric;
use crate::registry::code;
use crate::registry::{
    Absent, Complaint, Key, Kind, Node, Params, Registry, Sources, Tree, check as check_keys, suggestion,
    unknown_key,
};
use crate::scenario::check::{Rejected, Scenario};
use crate::scenario::finished::{Checked, RunDirectory};
use crate::scenario::run::{Loading, Ready};
use crate::scenario::schema;

/// What a scenario simulates: its tables, how it is checked, read and assembled, and what can be said of its runs.
pub trait System: fmt::Debug + Send + Sync {
    /// Its name, in one word.
    fn name(&self) -> &'static str;

    /// What it simulates, in words that follow "a scenario of".
    fn about(&self) -> &'static str;

    /// The keys at the root of its scenarios, beside those that all have ([`schema::FIRST`], [`schema::LAST`]). Several systems may have
    /// a table; what the language knows of it is the union of its keys.
    fn keys(&self) -> &'static [Key];

    /// The keys that say that a scenario simulates it: one of them suffices.
    fn claims(&self) -> &'static [&'static str];

    /// The keys without which a scenario of it is not complete.
    fn required(&self) -> &'static [&'static str] {
        &[]
    }

    /// The families of all metrics that its runs may have, in the order of the manual.
    fn families(&self) -> &'static [&'static [Family]];

    /// Checks the keys of a scenario as written; gives it with every default filled in.
    fn check(&self, written: &AsWritten<'_>, complaints: &mut Vec<Complaint>) -> Option<Node> {
        written.check(written.root, &whole_keys(self.keys(), self.required()), complaints)
    }

    /// Reads what is the system's own from a checked scenario; [`Scenario::own`] gives it back.
    fn read(
        &self,
        params: &Params<'_>,
        root: &Node,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Arc<dyn Any + Send + Sync>>;

    /// Every metric that a run of a scenario as written may have, whatever its components: what `[expect]` can bound.
    fn bounded(&self, root: &Node) -> Vec<Metric>;

    /// The metrics of a study of these scenarios, in the order in which they are shown.
    fn metrics(&self, scenarios: &[&Scenario]) -> Vec<Metric>;

    /// The files that a run reads: as the scenario names them, and from where the program runs.
    ///
    /// # Errors
    /// Values that contradict each other.
    fn inputs(
        &self,
        registry: &Registry,
        scenario: &Scenario,
    ) -> Result<Vec<(String, PathBuf)>, Box<Rejected>>;

    /// Reads or draws all that a run needs.
    ///
    /// # Errors
    /// What is wrong with the input, at its place.
    fn assemble(&self, registry: &Registry, scenario: &Scenario) -> Result<Ready, Box<Rejected>>;

    /// What decides the inputs of a scenario, as text: those of points with the same text are read or drawn once for all of them by
    /// [`System::preflight`].
    fn decides_input(&self, scenario: &Scenario) -> String {
        scenario.resolved()
    }

    /// Looks for what a run would object to before it begins, at points with the same [`System::decides_input`]; reads or draws their
    /// inputs if `whole`. Gives what is wrong with the scenario at each place.
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

    /// What makes a scenario random of which nothing was drawn, for whoever wants an interval.
    ///
    /// # Errors
    /// Values that contradict each other.
    fn how_to_draw(&self, registry: &Registry, scenario: &Scenario) -> Result<&'static str, Box<Rejected>>;

    /// The scenario of such a file alone, if it is one that the system runs by itself.
    fn bare_file(&self, _file: Recognized) -> Option<BareFile> {
        None
    }

    /// Judges the results of a finished run by its files, with code that shares nothing with the one that made them.
    ///
    /// # Errors
    /// The files cannot be judged.
    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        let what = format!("{} holds a run of {}", run.place.display(), self.about());
        Err(run.reject(Complaint::nowhere(code::MANIFEST, format!("{what}, which promise nothing"))))
    }

    /// The page of a finished run once more, from its files.
    ///
    /// # Errors
    /// What the files do not hold.
    fn redraw(&self, run: &RunDirectory<'_>) -> Result<Vec<u8>, Box<Rejected>> {
        let message = format!(
            "{} holds a run of {}, whose pictures its files do not hold",
            run.place.display(),
            self.about()
        );
        let complaint = Complaint::nowhere(code::MANIFEST, message);
        Err(run.reject(complaint.help("run it again: the same scenario draws the same pictures")))
    }
}

impl dyn System {
    /// The family of a metric, be it of all or of a class.
    pub fn family(&self, metric: &str) -> Option<&'static Family> {
        let own = |metric: &str| self.families().iter().copied().flatten().find(|family| family.has(metric));
        own(metric).or_else(|| own(class::metric(metric)?))
    }

    /// Which values of a metric are better; of a metric that is not known, neither.
    pub fn aim(&self, metric: &str) -> Aim {
        self.family(metric).map_or(Aim::None, |family| family.aim)
    }

    /// Whether a metric is a share of something, which is read in percent; of a metric that is not known, no.
    pub fn is_share(&self, metric: &str) -> bool {
        self.family(metric).is_some_and(|family| family.share)
    }
}

/// A scenario that is one file: the text of its table, and the key that names the file.
#[derive(Clone, Copy, Debug)]
pub struct BareFile {
    /// The tables, without the key.
    pub text: &'static str,
    /// The key, dotted.
    pub key: &'static str,
}

/// What was found at points that share their inputs.
#[derive(Debug, Default)]
pub struct Preflight {
    /// What reading or drawing the inputs has to say.
    pub loading: Loading,
    /// What is wrong, by the place of the point.
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

/// Every key that some scenario may have at its root, whatever its system; tables that several systems have are the union of their keys.
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

/// Adds a key, or what a table of the same name does not have yet.
fn join(keys: &mut Vec<Key>, key: &Key) {
    let Some(known) = keys.iter_mut().find(|known| known.name == key.name) else {
        keys.push(*key);
        return;
    };
    if let (Kind::Table(own), Kind::Table(more)) = (&known.kind, &key.kind) {
        let mut union = own.to_vec();
        union.extend(more.iter().filter(|key| own.iter().all(|known| known.name != key.name)));
        if union.len() > own.len() {
            // once a registry
            known.kind = Kind::Table(union.leak());
        }
    }
}

/// The keys at the root of a scenario that has these beside those of all scenarios; what is required must be written.
pub fn whole_keys(own: &[Key], required: &[&str]) -> Vec<Key> {
    let own = own.iter().map(|key| match required.contains(&key.name) {
        true => Key { default: Absent::Error, ..*key },
        false => *key,
    });
    schema::FIRST.iter().copied().chain(own).chain(schema::LAST.iter().copied()).collect()
}

/// The system that a scenario as written is of, by its tables.
///
/// # Errors
/// None claims it, or several do.
pub(super) fn system_of(registry: &Registry, root: &Node) -> Result<&'static dyn System, Vec<Complaint>> {
    let empty = Tree::default();
    let tree = root.as_table().unwrap_or(&empty);
    let all = systems(registry);
    let claimed = |system: &dyn System| system.claims().iter().find_map(|key| tree.slot(key));
    let claims: Vec<_> = all.iter().filter_map(|system| Some((*system, claimed(*system)?))).collect();
    match claims[..] {
        [(system, _)] => Ok(system),
        [] => Err(unclaimed(registry, all, root, tree)),
        [(first, first_slot), ref others @ ..] => Err(others
            .iter()
            .map(|&(other, slot)| {
                let message = format!(
                    "`{}` is of {}, but `{}` of {}",
                    slot.name,
                    other.about(),
                    first_slot.name,
                    first.about()
                );
                let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
                let complaint =
                    complaint.label("a scenario simulates one of them").help("take one of them out");
                complaint.note(format!("`{}` is here", first_slot.name), Some(first_slot.span))
            })
            .collect()),
    }
}

/// Why nothing says what a scenario simulates: a key that is not known, or none of those that say it.
fn unclaimed(registry: &Registry, all: &[&'static dyn System], root: &Node, tree: &Tree) -> Vec<Complaint> {
    let known = root_keys(registry).iter().map(|key| key.name);
    let unknown: Vec<Complaint> = tree
        .slots()
        .iter()
        .filter(|slot| known.clone().all(|key| key != slot.name))
        .map(|slot| unknown_key(slot, known.clone()))
        .collect();
    if !unknown.is_empty() {
        return unknown;
    }
    // a table that only some systems have stands for what its author meant
    let shared = |name: &str| whole_keys(&[], &[]).iter().any(|key| key.name == name);
    let near = tree
        .slots()
        .iter()
        .find(|slot| !shared(&slot.name) && !["run", "record"].contains(&slot.name.as_str()));
    let of: Vec<String> = all
        .iter()
        .filter(|system| near.is_none_or(|slot| system.keys().iter().any(|key| key.name == slot.name)))
        .map(|system| {
            let keys: Vec<String> = system.claims().iter().map(|key| format!("`{key}`")).collect();
            format!("{} for {}", keys.join(" or "), system.about())
        })
        .collect();
    let span = near.map_or(root.span, |slot| slot.span);
    let complaint = Complaint::new(code::MISSING_KEY, "nothing says what is simulated", span);
    vec![complaint.help(format!("write {}", of.join(", or ")))]
}

/// A complaint of a metric that no run of the scenario has.
pub(super) fn unknown_metric(complaint: Complaint, name: &str, known: &[Metric]) -> Complaint {
    complaint.label("not known").help(suggestion(name, known.iter().map(|metric| metric.name.as_str())))
}
