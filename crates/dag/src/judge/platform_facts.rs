//! Files of a run, and facts that the judge of plans needs about the platform that it was on.

use serde_json::Value as Json;

use crate::kernel::{SimDuration, SimTime};

/// The texts of a run's files, `None` for those that the scenario did not ask for, and what else is
/// known of it.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of the run, independent of the others")]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlanFiles<'a> {
    /// `tasks.csv`.
    pub tasks: Option<&'a str>,
    /// `attempts.csv`.
    pub attempts: Option<&'a str>,
    /// `transfers.csv`.
    pub transfers: Option<&'a str>,
    /// `plans.csv`.
    pub plans: Option<&'a str>,
    /// `hosts.csv`.
    pub hosts: Option<&'a str>,
    /// `graph.dot`.
    pub graph: Option<&'a str>,
    /// `loads.csv`.
    pub loads: Option<&'a str>,
    /// `jobs.csv`.
    pub jobs: Option<&'a str>,
    /// `critical.csv`.
    pub critical: Option<&'a str>,
    /// `schedulers.csv`.
    pub schedulers: Option<&'a str>,
    /// `plan.json`.
    pub plan_file: Option<&'a str>,
    /// Contents of `summary.json`, if its numbers are to be judged.
    pub summary: Option<&'a Json>,
    /// Contents of `manifest.json`.
    pub manifest: Option<&'a Json>,
    /// Right contents of `graph.dot` by the scenario.
    pub graph_of_scenario: Option<&'a str>,
    /// Title and seed of the scenario.
    pub named: (&'a str, u64),
    /// The workflows of the scenario.
    pub workflows: &'a [ArrivedWorkflow],
    /// The name of the scheduler.
    pub scheduler: &'a str,
    /// Knowledge of durations that the scheduler has.
    pub foresight: KnownPredictions,
    /// True if each file is sent to a host once.
    pub cache: bool,
    /// Time that a workflow may take, if one is stated.
    pub deadline: Option<SimDuration>,
    /// Prices of hosts, if they cost something.
    pub prices: Option<&'a HostPrices>,
    /// Period after which a plan is made again, if one scheduler does so.
    pub period: Option<SimDuration>,
    /// The files that are sent under their names: between tasks, or from and to the home host.
    pub sent_files: &'a [SentFile],
    /// Instant at which the run was to be stopped, if one is stated.
    pub until: Option<SimTime>,
    /// The end of the last task in seconds, if the summary has it.
    pub makespan: Option<f64>,
    /// Below which no makespan can be, in seconds, if the summary has it.
    pub lower_bound: Option<f64>,
    /// True if the run was stopped before its last task had ended.
    pub stopped: bool,
    /// True if schedulers take over from one another.
    pub takes_over: bool,
    /// True if a host that fails keeps the data that it holds.
    pub keeps_data: bool,
    /// True if a core takes the first of its tasks that is ready, where the next one of its order
    /// is not.
    pub work_conserving: bool,
    /// The host at which files begin and end, if it is one.
    pub home: Option<&'a str>,
}

/// The use of the links of a run by transfers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LinkUse {
    /// One after another, in the planned order.
    OneByOne,
    /// Each as if it were alone.
    Alone,
    /// As many at once as there are, which then share bandwidth.
    Shared,
}

/// Failure of a host or link that a transfer is in need of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PartFailure {
    /// Instant of the failure.
    pub at: SimTime,
    /// The part, as the transfer leaves it.
    pub left: PartLeft,
}

/// The end of a transfer's need of a host or link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PartLeft {
    /// Needed until the transfer arrives.
    AtArrival,
    /// Needed until the transfer has left the last link, so long before it arrives.
    Last(SimDuration),
    /// Not needed by then: the transfer has left an earlier link.
    Earlier,
}

impl PartFailure {
    /// Returns true if a transfer that arrives at an instant cannot have survived this.
    pub(crate) fn precludes(&self, arrival: SimTime) -> bool {
        match self.left {
            PartLeft::AtArrival => self.at < arrival,
            PartLeft::Last(travel) => self.at.saturating_add(travel) < arrival,
            PartLeft::Earlier => false,
        }
    }
}

/// The platform that a run was on, as the judge asks for it. Hosts have the numbers that
/// `PlatformFacts::host` gives.
pub(crate) trait PlatformFacts {
    /// Number of hosts.
    fn hosts(&self) -> usize;
    /// The number of the host of this name, if there is one.
    fn host(&self, name: &str) -> Option<usize>;
    /// Name of a host.
    fn host_name(&self, host: usize) -> &str;
    /// Number of its cores that compute tasks.
    fn cores(&self, host: usize) -> u32;
    /// Work per second of a core, in the unit of the work in `graph.dot`.
    fn speed(&self, host: usize) -> f64;
    /// Memory of a host in bytes, if it is noted.
    fn memory(&self, host: usize) -> Option<u64>;
    /// The share of its speed that a host has at an instant, and until when it is that; `None` if
    /// loads were drawn.
    fn availability(&self, host: usize, at: SimTime) -> Option<(f64, Option<SimTime>)>;
    /// Returns true if something can be sent from one host to another.
    fn is_joined(&self, from: usize, to: usize) -> bool;
    /// The use of links by transfers.
    fn link_use(&self) -> LinkUse;
    /// Returns true if some host or some link does not always work.
    fn may_fail(&self) -> bool;
    /// The first instant, of `start` and those after it, at which a link between two hosts or one
    /// of them does not work.
    fn fails(&self, from: usize, to: usize, start: SimTime) -> Option<SimTime> {
        self.failures(from, to, start).into_iter().map(|failure| failure.at).min()
    }
    /// The first failure of each link between two hosts, and of both, from `start` on.
    fn failures(&self, from: usize, to: usize, start: SimTime) -> Vec<PartFailure>;
    /// Adds the numbers of the links between two hosts that are joined.
    fn route(&self, from: usize, to: usize, links: &mut Vec<usize>);
    /// Number of links.
    fn links(&self) -> usize;
    /// The number of the link of this name, if there is one.
    fn link(&self, name: &str) -> Option<usize>;
    /// Seconds before the first byte of a transfer between two hosts that are joined.
    fn latency(&self, from: usize, to: usize, start: SimTime) -> f64;
    /// Returns true if the latency between two hosts may change.
    fn latency_changes(&self, from: usize, to: usize) -> bool;
    /// The bandwidth of a link at an instant, and until when it is that; `None` if it was drawn.
    fn bandwidth(&self, link: usize, at: SimTime) -> Option<(f64, Option<SimTime>)>;
    /// Value drawn of a host's speed or a link's bandwidth at an instant, and the instant until
    /// which it holds: as the seed has it.
    fn drawn(&self, of: DrawnLoad, at: SimTime) -> Option<(f64, Option<SimTime>)>;
}

/// Something whose load may be drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum DrawnLoad {
    /// The share of its speed that a host has.
    Host(usize),
    /// The bandwidth of a link.
    Link(usize),
}

/// A workflow of a run, as its scenario has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ArrivedWorkflow {
    /// Name of the workflow.
    pub name: String,
    /// Application that it is a copy of.
    pub kind: String,
    /// Arrival of the workflow.
    pub arrival: SimTime,
}

/// A file that is sent under its name.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SentFile {
    /// The writer, as `application/task`; none if it begins at the home host.
    pub from: Option<String>,
    /// The reader; none if it goes to the home host.
    pub to: Option<String>,
    /// Name of the file.
    pub name: String,
}

/// Prices of hosts.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct HostPrices {
    /// By host, for an hour.
    pub of_hours: Vec<f64>,
    /// True if hosts are rented from first use to last; else the time counts in which they compute.
    pub rented: bool,
    /// The nanoseconds to a multiple of which the time of a host is rounded up.
    pub quantum: u64,
}

/// Knowledge of durations that schedulers have, as far as it is known here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum KnownPredictions {
    /// Everything.
    Perfect,
    /// The present availability, which they take to stay.
    Now,
    /// Something else.
    #[default]
    Other,
}
