//! `do_plan`: a chart of the future, and how it becomes queues.
//!
//! ```text
//!   (1) when the next plan is made       Planner::next_event
//!   (2) a new chart                      Planner::blank_chart
//!   (3) what runs keeps its slots        Planner::draw_running
//!   (4) which tasks are planned          Subset
//!   (5) how far beyond the next plan     Planner::delta
//!   (6) slots by a heuristic             fill
//!   (7) queues out of the chart          Planner::take_up
//! ```
//!
//! Before, the queues of hosts are cut to a few tasks, which keep their hosts: hosts can go on with
//! them while a plan is made.
//!
//! Source: figure 5 and sections 5.5 and 7.4 of the report of the Parameter Sweep Template.

use std::rc::Rc;

use crate::collections::OrderedSet;
use crate::estimate::predictions::{Predictions, SubTask, SweepResource, SweepTransfer};
use crate::interval::deviation::correctness;
use crate::interval::{BeforeFirstPlan, ExpectedRun};
use crate::kernel::rng::{KeyedStreams, Streams};
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::{ClusterNumber, HostNumber};
use crate::model::storage::LimitedStorage;
use crate::plan::chart::{Chart, ChartSlot};
use crate::plan::fill::{FillTerms, FillUntil, fill_best};
use crate::plan::settings::{Delta, Fill, PlanSettings, PlanningTime};
use crate::plan::subset::SubsetQuestion;
use crate::results::record::{PlanTrigger, SlotChoice, SweepPlanRecord};
use crate::scheduler::dispatch::Queues;
use crate::scheduler::duplicate::Duplicates;
use crate::scheduler::interfaces::{Interfaces, SweepScheduler};
use crate::workflow::TaskNumber;

/// Sub-tasks predicted to be in progress at some time, from the last chart.
#[derive(Debug, Default)]
struct Expected {
    spans: Vec<(SweepResource, SubTask, u64, u64)>,
}

/// A plan that is not in the queues yet.
#[derive(Debug)]
struct NewPlan {
    at: SimTime,
    chart: Chart,
}

/// The scheduler that plans.
#[derive(Debug)]
pub struct Planner {
    settings: PlanSettings,
    streams: Streams,
    randomized: KeyedStreams,
    /// Hosts that are there.
    hosts: u32,
    /// Tasks without a host, that are known and have not started.
    pool: OrderedSet<TaskNumber>,
    queues: Queues,
    duplicates: Duplicates,
    expected: Expected,
    /// The time from the last scheduling event to the next.
    interval: Option<SimDuration>,
    delta: Option<SimDuration>,
    next_event: Option<SimTime>,
    coming: Option<NewPlan>,
    /// Time that the last plan took.
    last_planning: SimDuration,
    trigger: Option<PlanTrigger>,
    /// True if a host ran idle with work left since the last scheduling event.
    ran_idle: bool,
    planned: Vec<Option<(SimTime, SimTime)>>,
    plans: Vec<SweepPlanRecord>,
    /// The task that is explained, and the slots that it got.
    explained: Option<TaskNumber>,
    choices: Vec<SlotChoice>,
}

/// The bounds of a tuned delta, as shares of the interval, and by what it changes.
const TUNED: (f64, f64, f64, f64) = (0.25, 4.0, 1.25, 0.9);

impl Planner {
    /// A scheduler with these settings, which draws from these streams.
    pub fn new(settings: PlanSettings, streams: Streams) -> Self {
        Planner {
            settings,
            randomized: streams.keyed("sweep/heuristic"),
            streams,
            hosts: 0,
            pool: OrderedSet::new(),
            queues: Queues::default(),
            duplicates: Duplicates::default(),
            expected: Expected::default(),
            interval: None,
            delta: None,
            next_event: None,
            coming: None,
            last_planning: SimDuration::ZERO,
            trigger: None,
            ran_idle: false,
            planned: Vec::new(),
            plans: Vec::new(),
            explained: None,
            choices: Vec::new(),
        }
    }

    /// Makes a plan, which is taken up when its time is over.
    fn plan(&mut self, trigger: PlanTrigger, grid: &mut dyn Interfaces) {
        let now = grid.now();
        let predictions = grid.predictions(self.plans.len() as u64);
        let runs = self.expected_runs(grid);
        let correct = correctness(&runs);
        self.next_event(trigger, &runs, &predictions, grid);
        let event = self.next_event.map_or(u64::MAX, SimTime::as_nanos);
        self.truncate(grid);
        let mut chart = self.blank_chart(Rc::clone(&predictions), grid);
        self.draw_running(&mut chart, grid);
        let tasks = self.choose_tasks(grid);
        let delta = self.delta();
        let kept = chart.slots().len();
        let until = match self.settings.fill {
            Fill::Horizon => {
                FillUntil::Instant(event.saturating_add(delta.map_or(u64::MAX, SimDuration::as_nanos)))
            }
            Fill::Proportional => FillUntil::Tasks(u64::from(self.hosts) * u64::from(self.settings.per_host)),
            Fill::All => FillUntil::Instant(u64::MAX),
        };
        let terms = FillTerms { until, individually: self.settings.individually, explained: self.explained };
        let planning = self.plans.len() as u64;
        let mut steps = 0;
        let randomized = self.randomized;
        let mut pick = move |bound: u64| {
            steps += 1;
            randomized.of(&[planning, steps]).below(bound)
        };
        let choice = fill_best(&mut chart, &tasks, &*self.settings.heuristic, terms, &mut pick);
        self.choices.extend(choice.map(|choice| SlotChoice { at: now, ..choice }));
        self.last_planning = match self.settings.planning {
            PlanningTime::Constant(span) => span,
            PlanningTime::PerLook(seconds) => SimDuration::ceil_secs(seconds * chart.looks() as f64),
        };
        self.plans.push(SweepPlanRecord {
            at: now,
            trigger,
            tasks: (chart.slots().len() - kept) as u64,
            looks: chart.looks(),
            interval: self.interval.filter(|interval| *interval < SimDuration::MAX),
            correctness: correct,
            delta,
            horizon: match until {
                FillUntil::Instant(instant) => Some(SimTime::from_nanos(instant)),
                FillUntil::Tasks(_) => None,
            }
            .filter(|instant| *instant < SimTime::MAX),
            end: SimTime::from_nanos(chart.end()),
        });
        self.coming = Some(NewPlan { at: now + self.last_planning, chart });
        if self.last_planning.is_zero() {
            self.take_up(grid);
        }
    }

    /// (1) When the next plan is made.
    fn next_event(
        &mut self,
        trigger: PlanTrigger,
        runs: &[ExpectedRun],
        predictions: &Predictions,
        grid: &dyn Interfaces,
    ) {
        let interval = match self.interval {
            None => {
                let planning_time = match self.settings.planning {
                    PlanningTime::Constant(span) => span,
                    PlanningTime::PerLook(_) => SimDuration::ZERO,
                };
                let mean_seconds = BeforeFirstPlan::mean_seconds(predictions, grid);
                self.settings.interval.first(&BeforeFirstPlan { mean_seconds, planning_time })
            }
            Some(last) if trigger == PlanTrigger::Event => {
                self.tune(last);
                self.settings.interval.next(last, runs)
            }
            Some(last) => last,
        };
        // a plan that takes longer than the interval is followed by the next
        let interval = interval.max(SimDuration::from_nanos(1));
        self.interval = Some(interval);
        self.next_event = grid.now().checked_add(interval).filter(|at| *at < SimTime::MAX);
    }

    /// Changes a tuned delta after an interval.
    fn tune(&mut self, last: SimDuration) {
        let (least, most, grow, shrink) = TUNED;
        let factor = if std::mem::take(&mut self.ran_idle) { grow } else { shrink };
        let (now, last) = (self.delta.unwrap_or(last).as_secs_f64(), last.as_secs_f64());
        self.delta = Some(SimDuration::ceil_secs((now * factor).clamp(least * last, most * last)));
    }

    /// (5) How far beyond the next plan hosts get tasks.
    fn delta(&self) -> Option<SimDuration> {
        self.settings.fixed_delta.or_else(|| match self.settings.delta {
            Delta::Interval => self.interval,
            Delta::Tuned => self.delta.or(self.interval),
        })
    }

    /// Takes back what hosts are not to keep; where room is short they keep their first task, which
    /// may have room.
    fn truncate(&mut self, grid: &dyn Interfaces) {
        self.duplicates.forget_waiting(&mut self.queues, grid);
        let keep = self.settings.keep as usize;
        for (host, queue) in (0..).map(HostNumber).zip(&mut self.queues.hosts) {
            let storage = grid.storage(grid.grid().host(host).cluster);
            let is_short = storage.is_some_and(LimitedStorage::is_short);
            let keep = keep.max(usize::from(is_short)).min(queue.len());
            self.pool.extend(queue.drain(keep..));
        }
        for cluster in grid.grid().cluster_numbers() {
            self.queues.prune_link(cluster, grid);
        }
    }

    /// (2) A chart of all that is there.
    fn blank_chart(&self, predictions: Rc<Predictions>, grid: &dyn Interfaces) -> Chart {
        let delay = match self.settings.planning {
            PlanningTime::Constant(span) => span,
            PlanningTime::PerLook(_) => self.last_planning,
        };
        Chart::of_grid(grid, predictions, self.settings.completed_when, delay)
    }

    /// (3) What is in progress, what has computed and is not sent, and what hosts keep.
    fn draw_running(&self, chart: &mut Chart, grid: &dyn Interfaces) {
        let description = Rc::clone(grid.grid());
        for link in description.link_numbers() {
            if let Some((transfer, end)) = grid.carried(link) {
                chart.occupy_link(transfer, end.as_nanos());
            }
        }
        for host in description.host_numbers() {
            self.duplicates.draw_running(chart, host, grid);
        }
        for queue in &self.queues.links {
            for transfer in queue.iter().filter(|transfer| grid.has_computed(transfer.task)) {
                if let SubTask::Output(file) = transfer.file {
                    chart.send_output(transfer.task, file, transfer.cluster, chart.floor());
                }
            }
        }
        let mut kept: Vec<(Option<SimTime>, HostNumber, usize, TaskNumber)> = Vec::new();
        for (host, queue) in (0..).map(HostNumber).zip(&self.queues.hosts) {
            kept.extend(queue.iter().enumerate().map(|(place, task)| {
                let start = self.planned.get(task.index()).copied().flatten().map(|planned| planned.0);
                (start, host, place, *task)
            }));
        }
        kept.sort_unstable();
        for (_, host, _, task) in kept {
            chart.assign(task, host);
        }
    }

    /// (4) The tasks that are planned.
    fn choose_tasks(&self, grid: &dyn Interfaces) -> Vec<TaskNumber> {
        let purpose = self.streams.keyed("sweep/subset");
        let mut stream = purpose.of(&[self.plans.len() as u64]);
        self.settings.subset.choose(&mut SubsetQuestion {
            tasks: &self.pool,
            known: grid.known(),
            usage: grid.usage(),
            hosts: self.hosts,
            stream: &mut stream,
        })
    }

    /// (7) Queues out of the chart that was drawn.
    fn take_up(&mut self, grid: &dyn Interfaces) {
        let Some(NewPlan { chart, .. }) = self.coming.take() else { return };
        self.planned.resize(grid.known().len(), None);
        // what was kept and has not started has a slot again
        for queue in &mut self.queues.hosts {
            self.pool.extend(queue.drain(..));
        }
        let mut slots: Vec<(TaskNumber, ChartSlot)> = chart
            .slots()
            .iter()
            .filter(|(task, slot)| self.pool.contains(task) && grid.is_present(slot.host))
            .copied()
            .collect();
        slots.sort_by_key(|(task, slot)| (slot.host, slot.start, *task));
        for (task, slot) in slots {
            self.pool.remove(&task);
            self.queues.append(task, slot.host, grid);
            self.planned[task.index()] =
                Some((SimTime::from_nanos(slot.start), SimTime::from_nanos(slot.end)));
            self.queues.computed.insert(task, SimTime::from_nanos(slot.end));
        }
        let queued: OrderedSet<TaskNumber> = self.queues.hosts.iter().flatten().copied().collect();
        self.queues.links.iter_mut().for_each(crate::scheduler::link_queue::LinkQueue::clear);
        for (start, planned) in chart.transfers_in_order() {
            let SweepTransfer { cluster, link, file, task } = planned;
            let is_wanted = queued.contains(&task)
                || matches!(file, SubTask::Output(_)) && grid.has_started(task) && grid.is_linked(cluster);
            let is_carried = grid.is_carried(cluster, file);
            let is_there = match file {
                SubTask::Input(file) => grid.has_input(task, file, cluster),
                SubTask::Output(file) => grid.is_returned(file),
                SubTask::Computation(_) => true,
            };
            if is_wanted && !is_carried && !is_there {
                let is_ready = match file {
                    SubTask::Input(file) => grid.is_at_source(link, cluster, file),
                    _ => grid.has_computed(task),
                };
                let queue = &mut self.queues.links[link.index()];
                queue.push_planned(planned, is_ready, start);
                if grid.has_started(task) {
                    queue.starts(task);
                }
            }
        }
        self.expected.spans = chart.spans();
        self.queues.touch_all();
    }

    /// Sub-tasks that the last chart has in progress now, and whether each runs.
    fn expected_runs(&self, grid: &dyn Interfaces) -> Vec<ExpectedRun> {
        let now = grid.now().as_nanos();
        let under_way = self.expected.spans.iter().filter(|(_, _, start, end)| *start < now && now < *end);
        under_way
            .map(|&(resource, sub_task, ..)| {
                let is_right = match (resource, sub_task) {
                    (SweepResource::Host(host), SubTask::Computation(task)) => {
                        grid.computing(host).iter().any(|running| running.task == task)
                    }
                    (SweepResource::Link(link), file) => {
                        grid.carried(link).is_some_and(|(carried, _)| carried.file == file)
                    }
                    _ => false,
                };
                ExpectedRun { resource, is_right }
            })
            .collect()
    }

    /// Cause of a new plan now, if there is one.
    fn cause(&mut self, grid: &dyn Interfaces) -> Option<PlanTrigger> {
        if self.hosts == 0 && self.plans.is_empty() {
            // the first plan is made when there is a host
            return None;
        }
        let asked = self.trigger.take();
        let is_due = self.next_event.is_some_and(|event| event <= grid.now());
        let has_work = !self.pool.is_empty() || self.queues.hosts.iter().any(|queue| !queue.is_empty());
        match asked {
            Some(trigger) if trigger == PlanTrigger::Start || !is_due => Some(trigger),
            _ if is_due => Some(PlanTrigger::Event),
            _ => None,
        }
        .filter(|_| has_work || is_due)
    }
}

impl SweepScheduler for Planner {
    fn new_host(&mut self, host: HostNumber, grid: &dyn Interfaces) {
        self.hosts += 1;
        self.queues.fit(grid);
        self.queues.touch(grid.grid().host(host).cluster);
        if self.settings.on_added && !self.plans.is_empty() {
            self.trigger = self.trigger.or(Some(PlanTrigger::Added));
        }
    }

    fn new_work(&mut self, tasks: &[TaskNumber]) {
        self.pool.extend(tasks);
        if self.plans.is_empty() {
            self.trigger = Some(PlanTrigger::Start);
        }
    }

    fn work_done(&mut self, task: TaskNumber, host: HostNumber, grid: &dyn Interfaces) {
        self.duplicates.work_done(task, host, &mut self.queues, grid);
        let cluster = grid.grid().host(host).cluster;
        self.queues.send_outputs(task, cluster, grid);
        self.queues.touch(cluster);
    }

    fn host_failed(&mut self, host: HostNumber, grid: &dyn Interfaces) {
        self.hosts -= 1;
        self.queues.fit(grid);
        self.duplicates.host_failed(host, &mut self.queues, grid);
        let tasks = self.queues.empty_host(host, grid.grid().host(host).cluster, grid);
        self.pool.extend(tasks);
        if self.settings.on_removed {
            self.trigger = self.trigger.or(Some(PlanTrigger::Removed));
        }
    }

    fn work_failed(&mut self, task: TaskNumber) {
        self.pool.insert(task);
        self.queues.forget(task);
    }

    fn disk_failed(&mut self, cluster: ClusterNumber) {
        self.queues.clear_links(cluster);
    }

    fn transfer_done(&mut self, transfer: SweepTransfer) {
        self.queues.transfer_done(transfer);
    }

    fn decide(&mut self, grid: &mut dyn Interfaces) {
        self.queues.fit(grid);
        self.duplicates.cancel_late(&mut self.queues, grid);
        let PlanSettings { links, steal, on_idle, .. } = self.settings;
        let mut is_idle = false;
        if self.coming.as_ref().is_some_and(|coming| coming.at <= grid.now()) {
            self.take_up(grid);
            // before the next plan, which may be due already and takes back what hosts are not to
            // keep
            is_idle = self.queues.schedule(grid, links, steal);
        }
        let mut has_planned = false;
        if self.coming.is_none()
            && let Some(trigger) = self.cause(grid)
        {
            self.plan(trigger, grid);
            has_planned = true;
        }
        is_idle |= self.queues.schedule(grid, links, steal);
        self.ran_idle |= is_idle && !self.pool.is_empty();
        if is_idle && on_idle && !has_planned && self.coming.is_none() && !self.pool.is_empty() {
            self.plan(PlanTrigger::Idle, grid);
            self.queues.schedule(grid, links, steal);
        }
        let has_nothing = self.pool.is_empty() && self.coming.is_none();
        if self.settings.duplicate && has_nothing && self.duplicates.begin(&mut self.queues, grid) {
            self.queues.schedule(grid, links, steal);
        }
    }

    fn wakes(&self) -> Option<SimTime> {
        self.coming.as_ref().map(|coming| coming.at).or(self.next_event)
    }

    fn plans(&self) -> &[SweepPlanRecord] {
        &self.plans
    }

    fn explain(&mut self, task: TaskNumber) {
        self.explained = Some(task);
    }

    fn choices(&self) -> &[SlotChoice] {
        &self.choices
    }

    fn planned(&self, task: TaskNumber) -> Option<(SimTime, SimTime)> {
        self.planned.get(task.index()).copied().flatten()
    }

    fn queued(&self, task: TaskNumber, host: HostNumber) -> Option<SimTime> {
        self.queues.queued(task, host)
    }

    fn planned_transfers(&self) -> &[Option<SimTime>] {
        &self.queues.sent
    }

    fn is_planning(&self) -> bool {
        self.coming.is_some()
    }

    fn steals(&self) -> u64 {
        self.queues.steals
    }
}
