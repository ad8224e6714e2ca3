//! View of a scheduler: the tasks, the hosts, the events so far, and predictions.
//!
//! Loads, latencies, bandwidths and their traces are not in it: of these a scheduler knows what
//! predictions say. Asked twice within one sweep, the same question has the same answer, in
//! whatever order questions come.
//!
//! Source: "DAGSim", section on schedulers (information that a scheduler has).

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;

use crate::kernel::rng::Stream;
use crate::kernel::{SimDuration, SimTime};
use crate::model::graph::Graph;
use crate::model::grid::{Core, PairCost};
use crate::model::prediction::{Caution, Knowledge, MeanTransfer, Rate, usual_pair, usual_rate};
use crate::model::problem::{Contention, SchedulingProblem};
use crate::planning::plan::{Choice, PlannedTransfer, SlotReasons};
use crate::platform::HostId;
use crate::workflow::{EdgeNumber, TaskNumber};

pub use crate::planning::plan::TimeSlot;
pub use crate::planning::standing::{Delivery, ExecutionState, Progress};

/// A host that stands for all of them, and the links that join it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct VirtualHost {
    /// Relative to a host of mean speed.
    pub speed: f64,
    /// Cost of a transfer.
    pub link: MeanTransfer,
}

/// View of a scheduler; see the module's essay.
#[derive(Debug)]
pub struct View<'a> {
    problem: &'a SchedulingProblem,
    pub(crate) standing: &'a ExecutionState,
    now: SimTime,
    sweep: u64,
    pub(crate) rates: Vec<Rate>,
    mean: OnceCell<MeanTransfer>,
    questions: Cell<u64>,
    /// Pairs of a task and a core that rules looked at.
    looked_at: Cell<u64>,
    explained: Option<TaskNumber>,
    said: RefCell<Vec<String>>,
    choice: RefCell<Option<Choice>>,
    /// True if hosts between which a link has failed are taken as not joined.
    avoids_failed_links: bool,
}

impl<'a> View<'a> {
    /// Creates the view at `now`, when a plan is made for the `sweep`-th time, from 0.
    pub fn new(
        problem: &'a SchedulingProblem,
        standing: &'a ExecutionState,
        now: SimTime,
        sweep: u64,
    ) -> Self {
        let rates = problem.grid.hosts().map(|host| problem.prediction.rate(&problem.grid, host, now));
        let rates = rates.collect();
        View {
            problem,
            standing,
            now,
            sweep,
            rates,
            mean: OnceCell::new(),
            questions: Cell::new(0),
            looked_at: Cell::new(0),
            explained: None,
            said: RefCell::default(),
            choice: RefCell::default(),
            avoids_failed_links: false,
        }
    }

    /// The same; hosts between which a link has failed are not joined as long as it is not
    /// repaired.
    #[must_use]
    pub fn avoiding_failed_links(self) -> Self {
        View { avoids_failed_links: !self.standing.links_down.is_empty(), ..self }
    }

    /// Returns true if a link between two hosts has failed, if that counts.
    fn is_cut(&self, from: HostId, to: HostId) -> bool {
        let mut route = Vec::new();
        self.avoids_failed_links
            && self.problem.grid.platform().route(from, to, &mut route).is_ok()
            && route.iter().any(|link| self.standing.links_down.contains(link))
    }

    /// The same; why this task gets its slot is to be explained.
    #[must_use]
    pub fn explaining(self, task: Option<TaskNumber>) -> Self {
        View { explained: task, ..self }
    }

    /// Returns true if it is to be explained why a task gets its slot.
    pub fn explains(&self, task: TaskNumber) -> bool {
        self.explained == Some(task)
    }

    /// Says in a sentence why a task gets its slot, if that is to be explained (`run --explain
    /// TASK`). A rule may say several things, which are printed in this order; the sentence begins
    /// with a capital letter and has no full stop.
    pub fn explain(&self, task: TaskNumber, why: impl FnOnce() -> String) {
        if self.explains(task) {
            self.said.borrow_mut().push(why());
        }
    }

    /// Notes the cores that were looked at for a task, if its slot is to be explained; the last
    /// look decides. A [`PartialSchedule`](crate::PartialSchedule) does so for what it
    /// chooses.
    pub fn chose(&self, choice: Choice) {
        if self.explains(choice.task) {
            self.choice.replace(Some(choice));
        }
    }

    /// Counts pairs of a task and a core that a rule looked at.
    pub(crate) fn count(&self, looked_at: u64) {
        self.looked_at.set(self.looked_at.get() + looked_at);
    }

    /// Does something whose questions do not count.
    pub(crate) fn uncounted<R>(&self, ask: impl FnOnce() -> R) -> R {
        let questions = self.questions.get();
        let answer = ask();
        self.questions.set(questions);
        answer
    }

    /// Pairs of a task and a core that were looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at.get()
    }

    /// Reasons for the slot of the task to be explained, if it got one.
    pub fn reasons(&self) -> Option<SlotReasons> {
        let (said, choice) = (self.said.take(), self.choice.take());
        let is_explained = !said.is_empty() || choice.is_some();
        is_explained.then_some(SlotReasons { at: self.now, plan: self.sweep, said, choice })
    }

    /// The tasks and their edges.
    pub fn graph(&self) -> &'a Graph {
        &self.problem.graph
    }

    /// Hosts, in the order of the platform.
    pub fn hosts(&self) -> impl ExactSizeIterator<Item = HostId> + use<> {
        self.problem.grid.hosts()
    }

    /// Cores, host by host.
    pub fn cores(&self) -> impl ExactSizeIterator<Item = Core> + use<> {
        self.problem.grid.cores()
    }

    /// Number of cores of one host that a task holds.
    #[inline]
    pub fn width(&self, task: TaskNumber) -> u32 {
        self.problem.width(task)
    }

    /// The cores at which a rule looks for a place of a task: all, host by host; of a task of
    /// several cores the first of each host, which then stands for the cores of the host that the
    /// task would hold ([`PartialSchedule`](crate::PartialSchedule)).
    pub fn places(&self, task: TaskNumber) -> impl Iterator<Item = Core> + 'a {
        self.problem.places(task)
    }

    /// The same of one host.
    pub fn places_on(&self, task: TaskNumber, host: HostId) -> impl Iterator<Item = Core> + use<> {
        let cores = self.cores_of(host);
        let count = if self.width(task) > 1 { 1 } else { cores.len() };
        cores.take(count)
    }

    /// The core at which a rule looks at this place: itself, of cores that a task holds together
    /// the first of their host.
    pub fn place_of(&self, core: Core) -> Core {
        self.problem.grid.place_of(core)
    }

    /// The cores that a number stands for: a core itself, or those that a task holds together,
    /// ascending.
    pub fn members(&self, core: Core) -> impl ExactSizeIterator<Item = Core> + use<> {
        self.problem.grid.members(core)
    }

    /// The number of these cores of one host where a task holds them together.
    pub fn together(&self, cores: &[Core]) -> Core {
        self.problem.grid.together(cores)
    }

    /// The host of a core.
    pub fn host_of(&self, core: Core) -> HostId {
        self.problem.grid.host_of(core)
    }

    /// The cores of a host.
    pub fn cores_of(&self, host: HostId) -> impl ExactSizeIterator<Item = Core> + use<> {
        self.problem.grid.cores_of(host)
    }

    /// Random stream of a task, named after the rule's purpose, the workflow and the task.
    pub fn stream(&self, purpose: &str, task: TaskNumber) -> Stream {
        let graph = self.graph();
        let application = &graph.applications()[graph.application_of(task)];
        self.problem.streams.stream(&format!("scheduler/{purpose}/{}/{}", application.name, self.name(task)))
    }

    /// Name of a task.
    pub fn name(&self, task: TaskNumber) -> &'a str {
        &self.graph().task(task).name
    }

    /// Name of a host.
    pub fn host_name(&self, host: HostId) -> &'a str {
        &self.problem.grid.host(host).name
    }

    /// A host's speed over the mean speed.
    pub fn relative_speed(&self, host: HostId) -> f64 {
        self.problem.grid.relative_speed(host)
    }

    /// Returns true if anything can be sent from one host to another.
    pub fn is_joined(&self, from: HostId, to: HostId) -> bool {
        from == to || (self.problem.grid.pair(from, to).is_some() && !self.is_cut(from, to))
    }

    /// The present instant, before which nothing is planned.
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// Number of times that a plan was made before this one.
    pub fn sweep(&self) -> u64 {
        self.sweep
    }

    /// Contention of planned transfers for links.
    pub fn contention(&self) -> Contention {
        self.problem.contention
    }

    /// Progress of a task.
    pub fn progress(&self, task: TaskNumber) -> Progress {
        self.standing.tasks[task.index()]
    }

    /// Arrival of the data of an edge or input on a host, past or predicted: of data that have been
    /// sent there, unless the parent is to be computed again.
    pub fn delivered(&self, edge: EdgeNumber, host: HostId) -> Option<SimTime> {
        let parent = self.graph().data(edge).from;
        if parent.is_some_and(|parent| !matches!(self.progress(parent), Progress::Finished(_))) {
            return None;
        }
        if self.graph().file_rules().cache {
            return self.standing.copies.get(&(self.graph().first_of(edge), host)).copied();
        }
        self.standing.deliveries[edge.index()]
            .filter(|delivery| delivery.to == host)
            .map(|delivery| delivery.at)
    }

    /// The tasks that keep their places, every one after all that it waits for, with these.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (TaskNumber, TimeSlot)> + '_ {
        self.standing.kept.iter().filter_map(|task| Some((*task, self.standing.slot(*task)?)))
    }

    /// Transfers that links carry now, and those to tasks that keep their places; where transfers
    /// wait for each other.
    pub(crate) fn booked(&self) -> &'a [PlannedTransfer] {
        &self.standing.booked
    }

    /// The tasks of workflows that have arrived and not ended, by number, and maybe others.
    pub fn tasks(&self) -> impl DoubleEndedIterator<Item = TaskNumber> + ExactSizeIterator + Clone + use<> {
        self.standing.current.clone().map(TaskNumber)
    }

    /// The same, every one after its parents.
    pub fn order(&self) -> &'a [TaskNumber] {
        // the orders of workflows follow each other as their tasks do
        let Range { start, end } = self.standing.current;
        &self.graph().order()[start as usize..end as usize]
    }

    /// The tasks that are to be planned, every one after its parents.
    pub fn open(&self) -> impl Iterator<Item = TaskNumber> + '_ {
        self.order().iter().copied().filter(|task| self.is_open(*task))
    }

    /// Returns true if a task is to be planned.
    pub fn is_open(&self, task: TaskNumber) -> bool {
        self.progress(task) == Progress::Open
    }

    /// Returns true if a host can run a task: it works, and is one of those that can.
    pub fn can_run(&self, task: TaskNumber, host: HostId) -> bool {
        self.problem.can_run(task, host) && !self.standing.down.contains(&host)
    }

    /// Time that a task takes on a host if it starts then, as predicted; `None` where it cannot run
    /// or would never end.
    pub fn execution(&self, task: TaskNumber, host: HostId, start: SimTime) -> Option<SimDuration> {
        self.questions.set(self.questions.get() + 1);
        let seconds = self.problem.seconds(task, host);
        if !seconds.is_finite() || self.standing.down.contains(&host) {
            return None;
        }
        let span = match self.rates[host.index()] {
            Rate::Stays(rate) if rate > 0.0 => self.problem.span(task, host, rate),
            Rate::Stays(_) => return (seconds <= 0.0).then_some(SimDuration::ZERO),
            Rate::Changes => {
                let (work, speed) = self.problem.work_and_speed(task, host);
                let end = self.problem.grid.host(host).availability.finish_at(start, work, speed)?;
                if end == SimTime::MAX {
                    return None;
                }
                end.since(start)
            }
        };
        Some(self.problem.prediction.of_execution(span, task, host, self.sweep))
    }

    /// Time that a task takes on a host whenever it starts, if that is predicted to make no
    /// difference.
    pub fn steady_execution(&self, task: TaskNumber, host: HostId) -> Option<SimDuration> {
        match self.rates[host.index()] {
            Rate::Stays(_) => self.execution(task, host, SimTime::ZERO),
            Rate::Changes => None,
        }
    }

    /// Returns true if every host is predicted to be as fast at one time as at another.
    pub fn is_steady(&self) -> bool {
        self.rates.iter().all(|rate| matches!(rate, Rate::Stays(_)))
    }

    /// Returns true if every transfer is predicted to take as long at one time as at another.
    pub fn has_steady_links(&self) -> bool {
        !matches!(self.problem.prediction.knowledge, Knowledge::Perfect)
            || self.problem.grid.has_steady_links()
    }

    /// Returns true if what starts later is never predicted to end earlier, be it a task or a
    /// transfer that waits for others.
    pub fn is_monotone(&self) -> bool {
        let is_steady = self.is_steady() || self.problem.prediction.error.is_none();
        is_steady && (self.contention() == Contention::Free || self.has_steady_links())
    }

    /// Time that the data of an edge take from one host to another if nothing else is on the way,
    /// as predicted; `None` where the pair is void or they would never be there. An edge that only
    /// waits takes no time.
    pub fn transfer(
        &self,
        edge: EdgeNumber,
        from: HostId,
        to: HostId,
        start: SimTime,
    ) -> Option<SimDuration> {
        self.transfer_as(edge, from, to, start, &mut None)
    }

    /// The same; `known` is what the transfer takes over a pair that was asked of before, and then
    /// that of this one.
    pub(crate) fn transfer_as(
        &self,
        edge: EdgeNumber,
        from: HostId,
        to: HostId,
        start: SimTime,
        known: &mut Option<(PairCost, SimDuration)>,
    ) -> Option<SimDuration> {
        if from == to {
            return Some(SimDuration::ZERO);
        }
        self.questions.set(self.questions.get() + 1);
        let cost = self.problem.grid.pair(from, to).filter(|_| !self.is_cut(from, to))?;
        let Some(bytes) = self.graph().data(edge).bytes else { return Some(SimDuration::ZERO) };
        let span = match *known {
            _ if cost.changes => {
                self.problem.prediction.transfer(&self.problem.grid, from, to, bytes, start, self.now)?
            }
            Some((same, span)) if same == cost => span,
            _ => cost.span(bytes),
        };
        if !cost.changes {
            *known = Some((cost, span));
        }
        // the same data have the same answer
        Some(self.problem.prediction.of_transfer(span, self.graph().first_of(edge), from, to, self.sweep))
    }

    /// Answer of [`View::transfer`] for any hosts that differ, if it is the same for all. No
    /// question is counted.
    pub(crate) fn transfer_to_any(&self, edge: EdgeNumber) -> Option<SimDuration> {
        let cost = self.problem.grid.any_pair().filter(|cost| !cost.changes)?;
        let is_right = self.problem.prediction.error.is_none() && !self.avoids_failed_links;
        is_right.then(|| self.graph().data(edge).bytes.map_or(SimDuration::ZERO, |bytes| cost.span(bytes)))
    }

    /// Counts questions that were answered without being asked.
    pub(crate) fn asked(&self, questions: u64) {
        self.questions.set(self.questions.get() + questions);
    }

    /// Mean seconds of a task over the hosts that can run it, as predicted now.
    pub fn mean_execution(&self, task: TaskNumber) -> f64 {
        let able = self.hosts().filter_map(|host| self.execution_seconds(task, host));
        let (sum, count) = able.fold((0.0, 0_u32), |(sum, count), seconds| (sum + seconds, count + 1));
        if count == 0 { f64::INFINITY } else { sum / f64::from(count) }
    }

    /// Seconds of a task on a host that starts now, as predicted and not rounded to whole
    /// nanoseconds; `None` where it cannot run.
    pub fn execution_seconds(&self, task: TaskNumber, host: HostId) -> Option<f64> {
        let seconds = self.problem.seconds(task, host);
        match self.rates[host.index()] {
            Rate::Stays(rate) if rate > 0.0 && seconds.is_finite() => {
                Some(seconds / rate * self.problem.prediction.execution_factor(task, host, self.sweep))
            }
            _ => self.execution(task, host, self.now).map(SimDuration::as_secs_f64),
        }
    }

    /// Cost of the mean transfer.
    pub fn mean_transfer(&self) -> MeanTransfer {
        *self.mean.get_or_init(|| self.problem.prediction.mean_transfer(&self.problem.grid, self.now))
    }

    /// Speed of the virtual host, relative to a host of mean speed: the mean of relative speed
    /// times availability, as predicted.
    pub fn virtual_speed(&self) -> f64 {
        self.virtual_host(Caution::Mean).speed
    }

    /// The host that tasks without a place are on, and the links that join it, by means or by the
    /// worst there is.
    pub fn virtual_host(&self, caution: Caution) -> VirtualHost {
        let grid = &self.problem.grid;
        let usable = self.hosts().map(|host| (self.relative_speed(host), usual_rate(grid, host, caution)));
        let pairs = usual_pair(grid, caution);
        let count = self.hosts().len().max(1) as f64;
        let speed = match caution {
            Caution::Mean => usable.map(|(speed, rate)| speed * rate).sum::<f64>() / count,
            Caution::Worst => {
                let worst = |one: (f64, f64), next: (f64, f64)| (one.0.min(next.0), one.1.min(next.1));
                let (speed, rate) = usable.reduce(worst).unwrap_or((1.0, 1.0));
                speed * rate
            }
        };
        let link = MeanTransfer { latency: pairs.latency, per_byte: 1.0 / pairs.bandwidth };
        VirtualHost { speed, link }
    }

    /// Seconds of a task on a host of relative speed 1 at full availability: the mean over hosts of
    /// seconds times relative speed.
    pub fn nominal_seconds(&self, task: TaskNumber) -> f64 {
        if let Some(work) = self.problem.goes_by_speed(task) {
            return work / self.problem.grid.mean_speed();
        }
        let able = self.hosts().filter(|host| self.can_run(task, *host));
        let (sum, count) = able.fold((0.0, 0_u32), |(sum, count), host| {
            (sum + self.problem.seconds(task, host) * self.relative_speed(host), count + 1)
        });
        if count == 0 { f64::INFINITY } else { sum / f64::from(count) }
    }

    /// The links from one host to another, for rules that queue transfers.
    pub(crate) fn problem(&self) -> &'a SchedulingProblem {
        self.problem
    }

    /// Questions asked so far: what planning cost.
    pub fn questions(&self) -> u64 {
        self.questions.get()
    }
}
