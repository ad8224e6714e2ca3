//! Systems: what a scenario can simulate.
//!
//! A scenario does not name its system: its tables say what it simulates. What all systems share
//! (title, seed, how long, bounds, axes, replications) is read by `check`; the rest is the system's
//! own, from its keys to its results. A system is registered by one call
//! ([`register`](crate::scenario::register)), also from another crate, and has the whole command
//! line by that: `validate`, `explain`, `schema`, `run`, studies, reports, bounds.

use std::any::Any;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::measure::class;
use crate::measure::family::{Aim, Family};
use crate::measure::metric::{self, Metric};
use crate::measure::own_warnings::OwnWarnings;
use crate::output::{Figure, Pictures, Table};
use crate::registry::definition::Words;
use crate::registry::{Complaint, Key, Node, Params, Registry, Sources, Tree, check as check_keys, code};
use crate::scenario::manual::Block;
use crate::scenario::run::{Loading, Ready, ReplayRequest, ScheduleReplay};
use crate::scenario::run_directory::{Checked, RunDirectory};
use crate::scenario::schema::whole_keys;
use crate::scenario::system_data::{StartedProgram, SystemData};
use crate::scenario::valid::{Rejected, Scenario};

/// A simulated system: its tables, its reading and assembly, and what can be said of its runs.
pub trait System: fmt::Debug + Send + Sync {
    /// Declarations that hold for every scenario.
    fn data(&self) -> &'static SystemData;

    /// The metrics that a study of these scenarios shows and judges unless others are asked for. If
    /// there are none, the first metrics that have an aim.
    fn headline(&self, _scenarios: &[&Scenario]) -> &'static [&'static str] {
        self.data().headline
    }

    /// The switches of `[record]` whose files `check` judges a run of this scenario by:
    /// `record.all` puts them on.
    fn judged_by(&self, _root: &Tree) -> &'static [&'static str] {
        self.data().judged_by
    }

    /// Features of the program, and versions of data that are built in, on which the results of a
    /// scenario with these values depend.
    fn needs(&self, _root: &Tree) -> Vec<&'static str> {
        Vec::new()
    }

    /// Sections of the manual besides those of its keys, tables, metrics and words.
    fn manual(&self) -> Vec<Block> {
        Vec::new()
    }

    /// Checks the keys of a scenario as written; gives it with every default filled in.
    fn check(&self, written: &AsWritten<'_>, complaints: &mut Vec<Complaint>) -> Option<Node> {
        written.check(written.root, &whole_keys(self.data().keys, self.data().required), complaints)
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
        all_metrics(self.data().families)
    }

    /// The metrics of a study of these scenarios, in the order in which they are shown.
    fn metrics(&self, _scenarios: &[&Scenario]) -> Vec<Metric> {
        all_metrics(self.data().families)
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

    /// Reads or draws all that a replay of the recorded schedule of a scenario needs.
    ///
    /// # Errors
    /// There is no such schedule, or jobs cannot start as recorded here.
    fn replay(&self, request: &ReplayRequest<'_>) -> Result<ScheduleReplay, Box<Rejected>> {
        Err(request.scenario.system.no_schedule(request.scenario))
    }

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

    /// Advice where an interval is missing: how a scenario is made random.
    ///
    /// # Errors
    /// Values that contradict each other.
    fn how_to_draw(&self, _registry: &Registry, _scenario: &Scenario) -> Result<&'static str, Box<Rejected>> {
        Ok(self.data().how_to_draw)
    }

    /// Judges the results of a finished run by its files, with code of its own.
    ///
    /// # Errors
    /// The files cannot be judged.
    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        let what = format!("{} holds a run of {}", run.place.display(), self.data().about);
        Err(run.reject(Complaint::nowhere(
            code::NOTHING_JUDGED,
            format!("{what}, and this system has no rules that can be checked"),
        )))
    }

    /// Pictures of the report of a finished run, from its files.
    ///
    /// # Errors
    /// What the files do not hold.
    fn pictures(&self, run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
        let mut pictures = Pictures::new((self.data().figures)(), run.tables()?);
        pictures.missing.push("a timeline, if the run had one: no file holds it".to_owned());
        Ok(pictures)
    }
}

impl dyn System + '_ {
    /// Rejection of a scenario whose system has no recorded schedule.
    #[expect(clippy::unnecessary_box_returns, reason = "rejections are boxed, as they carry the texts")]
    fn no_schedule(&self, scenario: &Scenario) -> Box<Rejected> {
        let message = format!("a scenario of {} has no recorded schedule to be compared with", self.about());
        let complaint = Complaint::nowhere(code::CONTRADICTION, message);
        scenario.reject(complaint.help("scenarios that replay a log of jobs have one"))
    }

    /// Name, in one word.
    pub fn name(&self) -> &'static str {
        self.data().name
    }

    /// Description, in words that follow "a scenario of".
    pub fn about(&self) -> &'static str {
        self.data().about
    }

    /// The keys at the root of its scenarios.
    pub fn keys(&self) -> &'static [Key] {
        self.data().keys
    }

    /// The keys that say that a scenario simulates it.
    pub fn claims(&self) -> &'static [&'static str] {
        self.data().claims
    }

    /// The keys without which a scenario of it is not complete.
    pub fn required(&self) -> &'static [&'static str] {
        self.data().required
    }

    /// The families of its metrics.
    pub fn families(&self) -> &'static [&'static [Family]] {
        self.data().families
    }

    /// The warnings that other systems do not have.
    pub fn warnings(&self) -> OwnWarnings {
        self.data().warnings
    }

    /// The declarations of its tables.
    pub fn tables(&self) -> Vec<Table> {
        (self.data().tables)()
    }

    /// The figures of its reports.
    pub fn figures(&self) -> Vec<Figure> {
        (self.data().figures)()
    }

    /// The words that stand in its results.
    pub fn words(&self) -> Vec<Words> {
        (self.data().words)()
    }

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

    /// Returns true if a metric is a change, which may be negative; false if it is not known.
    pub fn is_signed(&self, metric: &str) -> bool {
        self.family(metric).is_some_and(|family| family.signed)
    }
}

/// Every metric of these families, without a value.
pub fn all_metrics(families: &[&[Family]]) -> Vec<Metric> {
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
