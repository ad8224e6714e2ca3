//! The earliest and the latest start of every task while a plan is made in which tasks move until
//! the end.
//!
//! A task without a place is on a virtual host behind virtual links; one with a place has its
//! predicted times, and follows the task before it on its core, one of several cores that on each.
//! The earliest start is the longest chain up to a task, and what is *behind* a task the longest
//! chain from its start on. The longest of all is the path, so the latest start is its length less
//! what is behind. What has started does not move.
//!
//! A new place changes both for some tasks only: these are marked in the common order of all tasks,
//! and one pass over the marks, forwards or backwards, works out each of them once.
//!
//! Where transfers queue, a transfer gets a span on the links of its route when its second task
//! gets a place: the first that is free on all of them. It keeps the wait that it has then, also
//! when tasks move later. A file that goes to the same host for another task already is there when
//! it is there for that one, where files are sent by themselves.
//!
//! Inputs are sent from the home host now; to a task without a place over the virtual link.

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::{SimDuration, SimTime};
use crate::model::graph::Graph;
use crate::model::grid::Core;
use crate::model::prediction::MeanTransfer;
use crate::planning::plan::PlannedTransfer;
use crate::planning::view::{Progress, View};
use crate::planning::window::{DataWindow, OfData, OfTasks};
use crate::platform::HostId;
use crate::platform::sharing::LinkId;
use crate::schedule::sequences::{Marks, Sequences};
use crate::schedule::slots::{BusyLinks, free_from};
use crate::workflow::{EdgeNumber, TaskNumber};

/// Earliest and latest starts, in nanoseconds; see the module's essay.
#[derive(Debug)]
pub(crate) struct Starts<'v> {
    pub(crate) view: &'v View<'v>,
    graph: &'v Graph,
    now: u64,
    pub(crate) sequences: Sequences<'v>,
    /// Of each task: how long it takes where it is, and when it starts and ends.
    spans: OfTasks<u64>,
    earliest: OfTasks<u64>,
    ends: OfTasks<u64>,
    /// The longest chain from its start on.
    behind: OfTasks<u64>,
    cores: OfTasks<Option<Core>>,
    is_fixed: OfTasks<bool>,
    /// Of each edge: from the end of the parent until the data are where the child is.
    sent: OfData<u64>,
    /// The same if one of its tasks has no place.
    virtually_sent: OfData<u64>,
    data: DataWindow,
    /// Wait of each transfer for others, and the spans of all; `None` where transfers do not wait.
    waits: Option<(OfData<u64>, BusyLinks)>,
    /// Edge by which each file goes to a host, where files are sent by themselves.
    carried: OrderedMap<(EdgeNumber, HostId), EdgeNumber>,
    /// Marks of tasks whose start, or what is behind them, is to be worked out.
    forward: Marks,
    backward: Marks,
    is_steady: bool,
    has_steady_links: bool,
}

impl<'v> Starts<'v> {
    /// No open task has a place; without one they take these spans, and transfers as `link` says.
    pub(crate) fn new(view: &'v View<'v>, spans: OfTasks<u64>, link: MeanTransfer, waits: bool) -> Self {
        let graph = view.graph();
        let count = view.tasks().len();
        let nanos = |seconds| SimDuration::ceil_secs(seconds).as_nanos();
        let data = DataWindow::new(view);
        let virtually_sent = OfData::of(&data, |edge| nanos(link.seconds(graph.data(edge).bytes)));
        let mut starts = Starts {
            view,
            graph,
            now: view.now().as_nanos(),
            sequences: Sequences::new(view),
            spans,
            earliest: OfTasks::new(view, 0),
            ends: OfTasks::new(view, 0),
            behind: OfTasks::new(view, 0),
            cores: OfTasks::new(view, None),
            is_fixed: OfTasks::new(view, true),
            sent: virtually_sent.clone(),
            waits: waits.then(|| (OfData::of(&data, |_| 0), BusyLinks::new())),
            carried: OrderedMap::new(),
            virtually_sent,
            data,
            forward: Marks::all(count),
            backward: Marks::all(count),
            is_steady: view.is_steady(),
            has_steady_links: view.has_steady_links(),
        };
        starts.take_up();
        starts.update();
        starts
    }

    /// Lets what has started or keeps its place stand where it does.
    fn take_up(&mut self) {
        for task in self.view.tasks() {
            match self.view.progress(task) {
                Progress::Open | Progress::Kept(_) => {
                    self.is_fixed[task] = false;
                    continue;
                }
                Progress::Absent => self.spans[task] = 0,
                Progress::Running(slot) | Progress::Finished(slot) => {
                    self.cores[task] = Some(slot.core);
                    self.earliest[task] = slot.start.as_nanos();
                    self.spans[task] = slot.end.since(slot.start).as_nanos();
                    if slot.end > self.view.now() {
                        let members = self.view.members(slot.core);
                        members.for_each(|core| self.sequences.insert(task, core, 0));
                    }
                }
            }
            self.ends[task] = self.earliest[task] + self.spans[task];
        }
        for (task, slot) in self.view.kept() {
            self.cores[task] = Some(slot.core);
            for core in self.view.members(slot.core) {
                let last = self.sequences.column(core).len();
                self.sequences.insert(task, core, last);
            }
            self.ends[task] = slot.end.as_nanos();
            self.spans[task] = slot.end.since(slot.start).as_nanos();
        }
        let booked = self.book();
        for edge in self.data.iter().filter(|edge| !booked.contains(edge)) {
            self.send(edge);
        }
    }

    /// Lets links carry what they carry now, and what they are to carry for tasks that keep their
    /// places; gives the edges of the latter.
    fn book(&mut self) -> OrderedSet<EdgeNumber> {
        let (view, platform) = (self.view, self.view.problem().grid.platform());
        let mut kept = OrderedSet::new();
        for &PlannedTransfer { edge, from, to, start, end } in view.booked() {
            let mut route = Vec::new();
            if platform.route(from, to, &mut route).is_err() {
                continue;
            }
            route.sort_unstable();
            route.dedup();
            let is_kept = view.delivered(edge, to).is_none();
            let there = if is_kept { self.there(edge) } else { self.now };
            let Some((waits, busy)) = &mut self.waits else { break };
            let (start, end) = (start.as_nanos(), end.as_nanos());
            for link in route {
                let spans = busy.entry(link).or_default();
                // a network may carry several at once
                let free = spans.end().max(start);
                if free < end {
                    spans.insert(free, end, edge);
                }
            }
            if is_kept {
                waits[edge] = start.saturating_sub(there.max(self.now));
                self.sent[edge] = end.saturating_sub(there);
                kept.insert(edge);
                if self.graph.file_rules().cache {
                    self.carried.insert((self.graph.first_of(edge), to), edge);
                }
            }
        }
        kept
    }

    /// Instant from which the data of an edge or input are there to be sent.
    fn there(&self, edge: EdgeNumber) -> u64 {
        self.graph.data(edge).from.map_or(self.now, |parent| self.end(parent))
    }

    /// Host where the data are then; `None` if the parent has no place.
    fn origin(&self, edge: EdgeNumber) -> Option<HostId> {
        match self.graph.data(edge).from {
            Some(parent) => self.core(parent).map(|core| self.view.host_of(core)),
            None => self.graph.file_rules().home,
        }
    }

    /// The other edge by which the same data go to a host.
    fn shared(&self, edge: EdgeNumber, host: HostId) -> Option<EdgeNumber> {
        let known = self.carried.get(&(self.graph.first_of(edge), host)).copied();
        known.filter(|known| *known != edge)
    }

    /// Instant at which a task starts at the earliest.
    pub(crate) fn start(&self, task: TaskNumber) -> u64 {
        self.earliest[task]
    }

    /// Instant at which it ends then.
    pub(crate) fn end(&self, task: TaskNumber) -> u64 {
        self.ends[task]
    }

    /// The longest chain from its start on.
    pub(crate) fn behind(&self, task: TaskNumber) -> u64 {
        self.behind[task]
    }

    /// The longest chain that goes through a task.
    pub(crate) fn through(&self, task: TaskNumber) -> u64 {
        self.earliest[task].saturating_add(self.behind[task])
    }

    /// The longest chain.
    pub(crate) fn length(&self) -> u64 {
        self.ends.values().iter().copied().max().unwrap_or(0)
    }

    /// Core of a task, if it has a place.
    pub(crate) fn core(&self, task: TaskNumber) -> Option<Core> {
        self.cores[task]
    }

    /// Returns true if a task has started, or is not there yet.
    pub(crate) fn is_fixed(&self, task: TaskNumber) -> bool {
        self.is_fixed[task]
    }

    /// Time that a task takes on a core from this start on.
    pub(crate) fn span_on(&self, task: TaskNumber, core: Core, start: u64) -> Option<u64> {
        let span = self.view.execution(task, self.view.host_of(core), SimTime::from_nanos(start))?;
        Some(span.as_nanos())
    }

    /// Duration of a task where it is, or without a place.
    pub(crate) fn span(&self, task: TaskNumber) -> u64 {
        self.spans[task]
    }

    /// Instant at which the data of an edge are there if the child has no place.
    pub(crate) fn virtual_arrival(&self, edge: EdgeNumber) -> u64 {
        self.there(edge).max(self.now).saturating_add(self.virtually_sent[edge])
    }

    /// Time that the data of an edge take if one of its tasks has no place.
    pub(crate) fn virtually_sent(&self, edge: EdgeNumber) -> u64 {
        self.virtually_sent[edge]
    }

    /// Arrival of the data of an edge on a host, if its parent is where it is, and its child there;
    /// `None` if they never arrive.
    pub(crate) fn arrival(&self, edge: EdgeNumber, host: HostId) -> Option<u64> {
        self.predicted_arrival(edge, host).filter(|arrival| *arrival < u64::MAX)
    }

    fn predicted_arrival(&self, edge: EdgeNumber, host: HostId) -> Option<u64> {
        let Some(from) = self.origin(edge) else { return Some(self.virtual_arrival(edge)) };
        if let Some(shared) = self.shared(edge, host) {
            return Some(self.there(shared).saturating_add(self.sent[shared]));
        }
        let start = self.there(edge).max(self.now);
        let span = self.transfer(edge, from, host, start)?;
        match &self.waits {
            Some((_, busy)) if from != host => {
                let route = self.route(edge, from, host);
                Some(free_from(busy, &route, start, span).saturating_add(span))
            }
            _ => Some(start.saturating_add(span)),
        }
    }

    /// Time that the data of an edge take between two hosts from this instant on; `None` where they
    /// cannot be sent.
    fn transfer(&self, edge: EdgeNumber, from: HostId, to: HostId, start: u64) -> Option<u64> {
        if from == to {
            return Some(0);
        }
        if let Some(at) = self.view.delivered(edge, to) {
            return Some(at.as_nanos().saturating_sub(start));
        }
        Some(self.view.transfer(edge, from, to, SimTime::from_nanos(start))?.as_nanos())
    }

    /// The links that the data of an edge take; none if they are not sent.
    fn route(&self, edge: EdgeNumber, from: HostId, to: HostId) -> Vec<LinkId> {
        let mut route = Vec::new();
        let is_sent = self.graph.data(edge).bytes.is_some() && self.view.delivered(edge, to).is_none();
        if is_sent && self.view.problem().grid.platform().route(from, to, &mut route).is_err() {
            route.clear();
        }
        route
    }

    /// Instant at which a task is ready on a host; `None` if it never is.
    pub(crate) fn ready(&mut self, task: TaskNumber, host: HostId) -> Option<u64> {
        let graph = self.graph;
        let mut reserved = Vec::new();
        let mut ready = Some(self.now);
        for &edge in graph.inputs(task).iter().chain(graph.incoming(task)) {
            let arrival = self.arrival(edge, host);
            ready = ready.and_then(|ready| Some(ready.max(arrival?)));
            if let (Some(from), Some(arrival), None) = (self.origin(edge), arrival, self.shared(edge, host)) {
                // the next may need the same links
                reserved.extend(self.reserve(edge, from, host, arrival));
            }
        }
        if let Some((_, busy)) = &mut self.waits {
            for (link, start, edge) in reserved {
                busy.get_mut(&link).and_then(|busy| busy.remove(start, |other| *other == edge));
            }
        }
        ready
    }

    /// Keeps the links of a transfer busy until its arrival.
    fn reserve(
        &mut self,
        edge: EdgeNumber,
        from: HostId,
        to: HostId,
        arrival: u64,
    ) -> Vec<(LinkId, u64, EdgeNumber)> {
        if self.waits.is_none() || from == to {
            return Vec::new();
        }
        let end = self.there(edge).max(self.now);
        let Some(span) = self.transfer(edge, from, to, end) else { return Vec::new() };
        let mut route = self.route(edge, from, to);
        route.sort_unstable();
        route.dedup();
        let start = arrival.saturating_sub(span);
        let (_, busy) = self.waits.as_mut().expect("transfers wait");
        for link in &route {
            busy.entry(*link).or_default().insert(start, arrival, edge);
        }
        route.into_iter().map(|link| (link, start, edge)).collect()
    }

    /// Works out what the data of an edge take if both tasks have places; keeps their links busy
    /// where transfers wait.
    fn send(&mut self, edge: EdgeNumber) {
        let to = self.graph.data(edge).to.and_then(|child| self.core(child));
        let (Some(from), Some(to)) = (self.origin(edge), to) else { return };
        let to = self.view.host_of(to);
        let arrival = self.arrival(edge, to).unwrap_or(u64::MAX);
        let end = self.there(edge);
        if let Some(shared) = self.shared(edge, to) {
            self.sent[edge] = arrival.saturating_sub(end);
            if let Some((waits, _)) = &mut self.waits {
                waits[edge] = waits[shared];
            }
            return;
        }
        if self.graph.file_rules().cache && from != to {
            self.carried.insert((self.graph.first_of(edge), to), edge);
        }
        if self.waits.is_some() && from != to && arrival < u64::MAX {
            let start = end.max(self.now);
            let alone = self.transfer(edge, from, to, start).unwrap_or(0);
            self.reserve(edge, from, to, arrival);
            let (waits, _) = self.waits.as_mut().expect("transfers wait");
            waits[edge] = arrival - start.saturating_add(alone);
        }
        self.sent[edge] = arrival.saturating_sub(end);
    }

    /// Gives a task a place on a core, where it starts and ends then, and works out what changes.
    /// One of several cores is behind all that has ended on each by its start.
    pub(crate) fn place(&mut self, task: TaskNumber, core: Core, place: usize, [start, end]: [u64; 2]) {
        if self.view.width(task) == 1 {
            self.sequences.insert(task, core, place);
        } else {
            let at = |core: Core| (core, self.place_at(core, start));
            let places: Vec<(Core, usize)> = self.view.members(core).map(at).collect();
            places.into_iter().for_each(|(core, place)| self.sequences.insert(task, core, place));
        }
        self.cores[task] = Some(core);
        self.spans[task] = end - start;
        self.ends[task] = end;
        let graph = self.graph;
        for &edge in graph.inputs(task) {
            self.send(edge);
        }
        for &edge in graph.incoming(task).iter().chain(graph.outgoing(task)) {
            self.send(edge);
            let ends = graph.edge(edge);
            self.forward.set(self.sequences.position(ends.to));
            self.backward.set(self.sequences.position(ends.from));
        }
        let Starts { sequences, forward, backward, .. } = self;
        for &task in [task].iter().chain(sequences.before(task)).chain(sequences.after(task)) {
            forward.set(sequences.position(task));
            backward.set(sequences.position(task));
        }
        self.update();
    }

    /// Works out everything that is marked.
    fn update(&mut self) {
        let mut from = 0;
        while let Some(position) = self.forward.take_next(from) {
            from = position;
            let task = self.sequences.at(position);
            if !self.is_fixed(task) {
                self.work_out_start(task);
            }
        }
        let mut until = usize::MAX;
        while let Some(position) = self.backward.take_previous(until) {
            until = position + 1;
            self.work_out_behind(self.sequences.at(position));
        }
    }

    fn work_out_start(&mut self, task: TaskNumber) {
        let graph = self.graph;
        let core = self.core(task);
        let mut start = self.now;
        for &edge in graph.inputs(task).iter().chain(graph.incoming(task)) {
            let there = self.there(edge);
            if !self.has_steady_links
                && let Some((from, to)) = self.origin(edge).zip(core)
            {
                let to = self.view.host_of(to);
                let late = self.now.saturating_sub(there);
                let alone = self.transfer(edge, from, to, there.max(self.now));
                let alone = alone.map_or(u64::MAX, |span| late.saturating_add(span));
                let wait = self.waits.as_ref().map_or(0, |(waits, _)| waits[edge]);
                self.sent[edge] = alone.saturating_add(wait);
                if let Some(parent) = graph.data(edge).from {
                    self.backward.set(self.sequences.position(parent));
                }
            }
            start = start.max(there.saturating_add(self.sent[edge]));
        }
        for &before in self.sequences.before(task) {
            start = start.max(self.end(before));
        }
        self.earliest[task] = start;
        if let Some(core) = core.filter(|_| !self.is_steady) {
            let span = self.span_on(task, core, start).unwrap_or(u64::MAX);
            if std::mem::replace(&mut self.spans[task], span) != span {
                self.backward.set(self.sequences.position(task));
            }
        }
        let end = start.saturating_add(self.spans[task]);
        if std::mem::replace(&mut self.ends[task], end) != end {
            for edge in graph.outgoing(task) {
                self.forward.set(self.sequences.position(graph.edge(*edge).to));
            }
            let Starts { sequences, forward, .. } = self;
            sequences.after(task).iter().for_each(|after| forward.set(sequences.position(*after)));
        }
    }

    fn work_out_behind(&mut self, task: TaskNumber) {
        let graph = self.graph;
        let mut longest = 0_u64;
        for edge in graph.outgoing(task) {
            let child = graph.edge(*edge).to;
            longest = longest.max(self.sent[*edge].saturating_add(self.behind[child]));
        }
        for &after in self.sequences.after(task) {
            longest = longest.max(self.behind[after]);
        }
        let behind = longest.saturating_add(self.spans[task]);
        if std::mem::replace(&mut self.behind[task], behind) != behind {
            for edge in graph.incoming(task) {
                self.backward.set(self.sequences.position(graph.edge(*edge).from));
            }
            let Starts { sequences, backward, .. } = self;
            sequences.before(task).iter().for_each(|before| backward.set(sequences.position(*before)));
        }
    }

    /// Holds every number against one that is worked out from nothing.
    #[cfg(test)]
    pub(crate) fn check(&mut self) {
        let known = (self.earliest.clone(), self.ends.clone(), self.behind.clone());
        let count = self.view.tasks().len();
        (self.forward, self.backward) = (Marks::all(count), Marks::all(count));
        self.update();
        assert!(
            known == (self.earliest.clone(), self.ends.clone(), self.behind.clone()),
            "the starts are right"
        );
    }
}
