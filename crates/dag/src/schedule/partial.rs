//! A schedule under construction: tasks that have a slot, and the slots that the next one could
//! have.
//!
//! Rules differ in which task comes next and in what they make least: [`PartialSchedule::choose`]
//! looks at a slot on every core and takes the one of the least figure, of equal ones that on the
//! lower core. What it looked at can be explained ([`Choice`]).
//!
//! A task of several cores has one slot on each host: from the first instant at which as many cores
//! are free for it, behind everything that they have or in gaps, on the lowest of those that are
//! free then. A rule looks at it by any core of the host ([`View::places`]); the core of the slot
//! stands for all that the task would hold ([`View::members`]).
//!
//! A task is ready on a host when the data of all its parents would be there: the planned end of
//! each parent, and the transfer as predicted; its inputs are sent from the home host at once.
//! Parents without a slot count as there. A file that is planned to be on a host by then, because
//! another task reads it there, is not sent again where files are sent by themselves. With
//! [`PartialSchedule::queued`] a transfer also waits for those planned before it over a link of its
//! route.

use std::cmp::Ordering;

use crate::collections::BusySpans;
use crate::error::CannotPlan;
use crate::kernel::SimTime;
use crate::model::grid::Core;
use crate::model::problem::Contention;
use crate::planning::no_host::no_host;
use crate::planning::plan::{CandidateSlot, Choice, ChoiceFigure, FigureName, PlannedTask, TaskPlan};
use crate::planning::view::{Progress, TimeSlot, View};
use crate::platform::HostId;
use crate::platform::sharing::LinkId;
use crate::schedule::slots::{Queues, core_by_core};
use crate::workflow::{EdgeNumber, TaskNumber};

/// Places on a core where a task may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Behind everything that is there.
    Tail,
    /// Into the first gap that holds it.
    Gaps,
}

/// A schedule under construction; see the module's essay.
#[derive(Debug)]
pub struct PartialSchedule<'v> {
    pub(crate) view: &'v View<'v>,
    pub(crate) columns: Vec<BusySpans<TaskNumber>>,
    /// Of the tasks of workflows that have arrived and not ended, from this number on.
    slots: Vec<Option<TimeSlot>>,
    first: usize,
    placed: usize,
    queues: Option<Queues>,
    /// By host: when the task that is looked at is ready there, if it can run there.
    ready: Vec<Option<SimTime>>,
    figure: FigureName,
    explained: Option<Choice>,
    looked_at: u64,
}

impl<'v> PartialSchedule<'v> {
    /// Creates a schedule in which started and ended tasks keep their places; transfers have links
    /// to themselves.
    pub fn new(view: &'v View<'v>) -> Self {
        let mut schedule = PartialSchedule {
            view,
            columns: view.cores().map(|_| BusySpans::new()).collect(),
            slots: vec![None; view.tasks().len()],
            first: view.tasks().next().map_or(0, TaskNumber::index),
            placed: 0,
            queues: None,
            ready: Vec::new(),
            figure: FigureName::default(),
            explained: None,
            looked_at: 0,
        };
        for task in view.tasks() {
            match view.progress(task) {
                Progress::Running(slot) => schedule.keep(task, slot),
                Progress::Finished(slot) => *schedule.slot_mut(task) = Some(slot),
                Progress::Open | Progress::Kept(_) | Progress::Absent => {}
            }
        }
        view.kept().for_each(|(task, slot)| schedule.keep(task, slot));
        schedule
    }

    /// The same, but transfers wait for those planned before them over the same link, unless the
    /// run says that they have links to themselves.
    pub fn queued(view: &'v View<'v>) -> Self {
        let queues = (view.contention() == Contention::Queued).then(|| Queues::new(view));
        PartialSchedule { queues, ..PartialSchedule::new(view) }
    }

    /// The same; explanations call what the rule goes by so, and say what decides among equal
    /// numbers before the lower core does.
    #[must_use]
    pub fn by_figure(self, name: &'static str, tie: &'static str) -> Self {
        PartialSchedule { figure: FigureName { name, tie }, ..self }
    }

    fn keep(&mut self, task: TaskNumber, slot: TimeSlot) {
        *self.slot_mut(task) = Some(slot);
        if slot.end > self.view.now() {
            self.fill(task, slot);
        }
    }

    /// Keeps the cores of a slot busy.
    fn fill(&mut self, task: TaskNumber, slot: TimeSlot) {
        for core in self.view.members(slot.core) {
            self.columns[core.index()].insert(slot.start.as_nanos(), slot.end.as_nanos(), task);
        }
    }

    /// The view that it is made from.
    pub fn view(&self) -> &'v View<'v> {
        self.view
    }

    /// The slot of a task, if it has one.
    pub fn slot(&self, task: TaskNumber) -> Option<TimeSlot> {
        match task.index().checked_sub(self.first).and_then(|place| self.slots.get(place)) {
            Some(slot) => *slot,
            // its workflow has ended, or has not arrived
            None => match self.view.progress(task) {
                Progress::Finished(slot) => Some(slot),
                _ => None,
            },
        }
    }

    fn slot_mut(&mut self, task: TaskNumber) -> &mut Option<TimeSlot> {
        &mut self.slots[task.index() - self.first]
    }

    /// Returns true if a later transfer may wait for one that is planned now.
    pub fn has_queues(&self) -> bool {
        self.queues.is_some()
    }

    /// Returns true if a core has nothing to compute at all.
    pub fn is_unused(&self, core: Core) -> bool {
        self.columns[core.index()].is_empty()
    }

    /// Instant from which a core, or all that it stands for, has nothing more to compute; not
    /// before now.
    pub fn tail(&self, core: Core) -> SimTime {
        let ends =
            self.view.members(core).map(|member| SimTime::from_nanos(self.columns[member.index()].end()));
        ends.fold(self.view.now(), SimTime::max)
    }

    /// The tasks of a core in order, with their spans.
    pub fn column(&self, core: Core) -> impl DoubleEndedIterator<Item = (TaskNumber, SimTime, SimTime)> + '_ {
        let instant = SimTime::from_nanos;
        self.columns[core.index()].iter().map(move |span| (span.item, instant(span.start), instant(span.end)))
    }

    /// Instant at which a task is ready on a host; `None` if a parent is where nothing can be sent
    /// from, or the host cannot run the task.
    pub fn ready(&mut self, task: TaskNumber, host: HostId) -> Option<SimTime> {
        if !self.view.can_run(task, host) {
            return None;
        }
        if self.queues.is_some() {
            return self.queued_ready(task, host, false);
        }
        let (graph, mut ready) = (self.view.graph(), self.view.now());
        for &edge in graph.inputs(task).iter().chain(graph.incoming(task)) {
            ready = ready.max(self.arrival(edge, host)?);
        }
        Some(ready)
    }

    /// Host where the data of an edge or input begin, and the instant from which they are there;
    /// `None` if the parent has no slot.
    fn origin(&self, edge: EdgeNumber) -> Option<(HostId, SimTime)> {
        let graph = self.view.graph();
        match graph.data(edge).from {
            Some(parent) => {
                let slot = self.slot(parent)?;
                Some((self.view.host_of(slot.core), slot.end))
            }
            None => Some((graph.file_rules().home?, self.view.now())),
        }
    }

    /// Arrival of the data of an edge or input on a host, its parent having a slot and links
    /// nothing else to carry.
    pub fn arrival(&self, edge: EdgeNumber, host: HostId) -> Option<SimTime> {
        let Some((from, end)) = self.origin(edge) else { return Some(self.view.now()) };
        if from == host {
            return Some(end);
        }
        if let Some(at) = self.view.delivered(edge, host) {
            return Some(at);
        }
        let start = end.max(self.view.now());
        Some(start.saturating_add(self.view.transfer(edge, from, host, start)?))
    }

    /// As [`PartialSchedule::ready`] where transfers wait for each other; keeps them if `keep`.
    fn queued_ready(&mut self, task: TaskNumber, host: HostId, keep: bool) -> Option<SimTime> {
        let (view, platform) = (self.view, self.view.problem().grid.platform());
        let graph = view.graph();
        let mut queues = self.queues.take().expect("transfers are queued");
        let mut ready = view.now();
        // tails before this task, to be put back unless they are kept
        let mut before: Vec<(LinkId, SimTime)> = Vec::new();
        let mut is_joined = true;
        for &edge in graph.inputs(task).iter().chain(graph.incoming(task)) {
            let Some((from, end)) = self.origin(edge) else { continue };
            let copy = (graph.first_of(edge), host);
            let delivered = view.delivered(edge, host).or_else(|| queues.copies.get(&copy).copied());
            if from == host || graph.data(edge).bytes.is_none() || delivered.is_some() {
                is_joined &= view.is_joined(from, host);
                ready = ready.max(delivered.unwrap_or(end));
                if keep && queues.copies.contains_key(&copy) {
                    queues.order.push(edge);
                }
                continue;
            }
            let Some(route) = queues.route(platform, from, host) else {
                is_joined = false;
                break;
            };
            let Queues { tails, order, .. } = &mut queues;
            let queued = route.iter().map(|link| tails[link.index()]).max().unwrap_or_default();
            let start = end.max(view.now()).max(queued);
            let Some(span) = view.transfer(edge, from, host, start) else {
                is_joined = false;
                break;
            };
            let end = start.saturating_add(span);
            for link in route.iter() {
                before.push((*link, tails[link.index()]));
                tails[link.index()] = end;
            }
            if keep {
                order.push(edge);
                if graph.file_rules().cache {
                    queues.copies.insert(copy, end);
                }
            }
            ready = ready.max(end);
        }
        if !keep {
            before.iter().rev().for_each(|(link, tail)| queues.tails[link.index()] = *tail);
        }
        self.queues = Some(queues);
        is_joined.then_some(ready)
    }

    /// Instant at which a task is ready on each host.
    pub(crate) fn look(&mut self, task: TaskNumber) -> Vec<Option<SimTime>> {
        let mut ready = Vec::new();
        self.look_into(task, &mut ready);
        ready
    }

    fn look_into(&mut self, task: TaskNumber, ready: &mut Vec<Option<SimTime>>) {
        let view = self.view;
        ready.clear();
        if self.queues.is_some() {
            ready.extend(view.hosts().map(|host| self.ready(task, host)));
            return;
        }
        ready.extend(view.hosts().map(|host| view.can_run(task, host).then_some(view.now())));
        for &edge in view.graph().inputs(task).iter().chain(view.graph().incoming(task)) {
            let Some((from, end)) = self.origin(edge) else { continue };
            let start = end.max(view.now());
            let (mut known, alike, mut asked) = (None, view.transfer_to_any(edge), 0);
            for (host, ready) in view.hosts().zip(&mut *ready) {
                let Some(others) = *ready else { continue };
                let arrival = match view.delivered(edge, host) {
                    _ if from == host => Some(end),
                    Some(at) => Some(at),
                    _ if alike.is_some() => {
                        asked += 1;
                        alike.map(|span| start.saturating_add(span))
                    }
                    _ => view
                        .transfer_as(edge, from, host, start, &mut known)
                        .map(|span| start.saturating_add(span)),
                };
                *ready = arrival.map(|arrival| others.max(arrival));
            }
            view.asked(asked);
        }
    }

    /// The links that wait for a task's data if it is on a host; none where transfers do not wait.
    pub(crate) fn links_to(&mut self, task: TaskNumber, host: HostId) -> Vec<LinkId> {
        let (view, platform) = (self.view, self.view.problem().grid.platform());
        let mut links = Vec::new();
        let Some(mut queues) = self.queues.take() else { return links };
        let graph = view.graph();
        for &edge in graph.inputs(task).iter().chain(graph.incoming(task)) {
            let Some((from, _)) = self.origin(edge) else { continue };
            if from != host && graph.data(edge).bytes.is_some() {
                links.extend(queues.route(platform, from, host).into_iter().flat_map(|route| route.to_vec()));
            }
        }
        self.queues = Some(queues);
        links.sort_unstable();
        links.dedup();
        links
    }

    /// Returns true if it is known now when the data of a task are on each host, whatever is placed
    /// before it; its parents have slots.
    pub(crate) fn knows_data(&self, task: TaskNumber) -> bool {
        let graph = self.view.graph();
        self.queues.is_none() || (graph.inputs(task).is_empty() && graph.incoming(task).is_empty())
    }

    /// Counts pairs that were looked at elsewhere.
    pub(crate) fn also_looked_at(&mut self, pairs: u64) {
        self.looked_at += pairs;
    }

    /// Looks at the slot behind everything on a core.
    pub(crate) fn look_on(&mut self, task: TaskNumber, core: Core, ready: SimTime) -> Option<TimeSlot> {
        self.looked_at += 1;
        self.slot_on(task, core, ready, Search::Tail)
    }

    /// The slot of a task on a core at the earliest.
    pub fn earliest(&mut self, task: TaskNumber, core: Core, search: Search) -> Option<TimeSlot> {
        let ready = self.ready(task, self.view.host_of(core))?;
        self.slot_on(task, core, ready, search)
    }

    /// Looks at the slot that a task would have on each core, and takes that of the least figure;
    /// of equal ones that on the lower core.
    ///
    /// # Errors
    /// No core can have it.
    pub fn choose<F: ChoiceFigure>(
        &mut self,
        task: TaskNumber,
        search: Search,
        mut figure: impl FnMut(TimeSlot) -> F,
    ) -> Result<TimeSlot, CannotPlan> {
        self.choose_by(task, search, |_, slot| figure(slot))
    }

    /// The same, by a figure that places tasks for a trial, and takes them back
    /// ([`PartialSchedule::take_back`]).
    ///
    /// # Errors
    /// No core can have it.
    pub fn choose_by<F: ChoiceFigure>(
        &mut self,
        task: TaskNumber,
        search: Search,
        figure: impl FnMut(&mut Self, TimeSlot) -> F,
    ) -> Result<TimeSlot, CannotPlan> {
        let mut all_ready = std::mem::take(&mut self.ready);
        self.look_into(task, &mut all_ready);
        let slot = self.choose_among(task, search, &all_ready, figure);
        self.ready = all_ready;
        slot
    }

    /// The same, where it is known when the task is ready on each host.
    pub(crate) fn choose_among<F: ChoiceFigure>(
        &mut self,
        task: TaskNumber,
        search: Search,
        all_ready: &[Option<SimTime>],
        mut figure: impl FnMut(&mut Self, TimeSlot) -> F,
    ) -> Result<TimeSlot, CannotPlan> {
        let is_explained = self.view.explains(task);
        let mut candidates = Vec::new();
        let mut best: Option<(F, TimeSlot)> = None;
        for core in self.view.places(task) {
            let Some(ready) = all_ready[self.view.host_of(core).index()] else { continue };
            let Some(slot) = self.slot_on(task, core, ready, search) else { continue };
            let own = figure(self, slot);
            if is_explained {
                candidates.push((own, CandidateSlot { ready, slot, figure: own.number() }));
            }
            if best.is_none_or(|(least, _)| own < least) {
                best = Some((own, slot));
            }
        }
        let places = if self.view.width(task) > 1 { all_ready.len() } else { self.columns.len() };
        self.looked_at += places as u64;
        let (least, slot) = best.ok_or_else(|| self.no_host(task))?;
        if is_explained {
            candidates.sort_by(|(one, _), (other, _)| one.partial_cmp(other).unwrap_or(Ordering::Equal));
            let equal = candidates.iter().filter(|(own, _)| *own == least).count();
            let candidates = candidates.into_iter().map(|(_, candidate)| candidate).collect();
            let (before, figure) = (self.placed, self.figure);
            self.explained = Some(Choice { task, before, figure, candidates, equal, slot });
        }
        Ok(slot)
    }

    /// Error that no host can have a task, with the reason.
    pub(crate) fn no_host(&self, task: TaskNumber) -> CannotPlan {
        no_host(self.view, task, |parent| Some(self.view.host_of(self.slot(parent)?.core)))
    }

    /// Gives a task its slot.
    ///
    /// # Panics
    /// If it has one, or other tasks are there: a mistake of the rule.
    pub fn place(&mut self, task: TaskNumber, slot: TimeSlot) {
        assert!(self.slot(task).is_none(), "task {} is placed twice", task.0);
        if self.queues.is_some() {
            self.queued_ready(task, self.view.host_of(slot.core), true);
        }
        self.fill(task, slot);
        *self.slot_mut(task) = Some(slot);
        self.placed += 1;
    }

    /// Looks at something again, without counting what it looks at.
    pub(crate) fn uncounted<R>(&mut self, look: impl FnOnce(&mut Self) -> R) -> R {
        let looked_at = self.looked_at;
        let found = self.view.uncounted(|| look(self));
        self.looked_at = looked_at;
        found
    }

    /// Takes back the slot of a task that was placed for a trial.
    ///
    /// # Panics
    /// If it has none, or transfers are queued: what they waited for is not kept.
    pub fn take_back(&mut self, task: TaskNumber) {
        assert!(self.queues.is_none(), "queued transfers cannot be taken back");
        let slot = self.slot_mut(task).take().expect("the task has a slot");
        for core in self.view.members(slot.core) {
            let removed = self.columns[core.index()].remove(slot.start.as_nanos(), |other| *other == task);
            debug_assert!(removed.is_some(), "the slot of task {} is taken back", task.0);
        }
        self.placed -= 1;
    }

    /// Chooses a slot and gives it to the task.
    ///
    /// # Errors
    /// No core can have it.
    pub fn put<F: ChoiceFigure>(
        &mut self,
        task: TaskNumber,
        search: Search,
        figure: impl FnMut(TimeSlot) -> F,
    ) -> Result<TimeSlot, CannotPlan> {
        let slot = self.choose(task, search, figure)?;
        self.place(task, slot);
        Ok(slot)
    }

    /// Pairs of a task and a core that were looked at.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// The plan of it: of the tasks that have not started.
    pub fn into_plan(self) -> TaskPlan {
        let not_started =
            |task: &TaskNumber| matches!(self.view.progress(*task), Progress::Open | Progress::Kept(_));
        let of = |core| self.column(core).map(|(task, ..)| task).filter(not_started).collect();
        let columns: Vec<Vec<TaskNumber>> = self.view.cores().map(of).collect();
        let slot = |task| self.slot(task).expect("what is on a core has a slot");
        let planned = |task| {
            let TimeSlot { core, start, end } = slot(task);
            PlannedTask { task, core, start, end }
        };
        let order = core_by_core(&self.view.problem().grid, &columns, |task| slot(task).core);
        let assignments = order.into_iter().map(planned).collect();
        self.view.count(self.looked_at);
        self.explained.into_iter().for_each(|choice| self.view.chose(choice));
        TaskPlan { assignments, transfers: self.queues.map(|queues| queues.order), ..TaskPlan::default() }
    }
}
