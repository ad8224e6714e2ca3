//! Ready tasks of which is known when their data are on each host, and what they take there, on
//! hosts that are as fast at one time as at another.
//!
//! The slot of such a task on a host is two numbers and the instant from which the host has as many
//! cores free as the task holds. So a look at a host reads these alone, and only the host that got
//! a task has another slot for the others.

use std::cell::Cell;

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::Core;
use crate::planning::view::{TimeSlot, View};
use crate::platform::HostId;
use crate::schedule::partial::{PartialSchedule, Search};
use crate::workflow::TaskNumber;

/// Ready tasks, each with a line of what is known of it; see the module's essay.
pub(crate) struct SteadyTasks {
    lines: Vec<Option<Line>>,
    /// Lines that a task has left.
    left: Vec<u32>,
    line_of: OrderedMap<TaskNumber, u32>,
    /// By number of cores, from one, and host: the instant from which so many have nothing more to
    /// compute; never where there are fewer.
    free: Vec<Vec<SimTime>>,
    /// By host: its first core.
    first_cores: Vec<Core>,
    /// Pairs of a task and a host that were looked at.
    looked_at: Cell<u64>,
}

/// End of a task on a host; `None` if it never ends.
type HostEnd = Option<(SimTime, HostId)>;

struct Line {
    task: TaskNumber,
    width: u32,
    /// By host: when its data are there, and what it takes; never where it cannot run.
    there: Box<[SimTime]>,
    spans: Box<[SimDuration]>,
}

impl SteadyTasks {
    pub(crate) fn new(schedule: &PartialSchedule<'_>) -> Self {
        let view = schedule.view();
        let first = |host| view.cores_of(host).next().expect("a host has a core");
        let most = view.tasks().map(|task| view.width(task)).max().unwrap_or(1).max(2);
        let mut tasks = SteadyTasks {
            lines: Vec::new(),
            left: Vec::new(),
            line_of: OrderedMap::new(),
            free: vec![vec![SimTime::MAX; view.hosts().len()]; most as usize],
            first_cores: view.hosts().map(first).collect(),
            looked_at: Cell::new(0),
        };
        view.hosts().for_each(|host| tasks.renew(schedule, host));
        tasks
    }

    /// Takes in what was placed on a host.
    pub(crate) fn renew(&mut self, schedule: &PartialSchedule<'_>, host: HostId) {
        let mut tails: Vec<SimTime> =
            schedule.view().cores_of(host).map(|core| schedule.tail(core)).collect();
        tails.sort_unstable();
        for (free, tail) in self.free.iter_mut().zip(tails) {
            free[host.index()] = tail;
        }
    }

    /// Pairs of a task and a host that were looked at.
    pub(crate) fn looked_at(&self) -> u64 {
        self.looked_at.get()
    }

    /// Number of tasks.
    pub(crate) fn len(&self) -> usize {
        self.line_of.len()
    }

    /// A task that is there.
    pub(crate) fn any(&self) -> Option<TaskNumber> {
        self.line_of.iter().next().map(|(task, _)| *task)
    }

    /// Lets a task be ready, whose data are on hosts then; gives its line.
    pub(crate) fn insert(&mut self, view: &View<'_>, task: TaskNumber, data: &[Option<SimTime>]) -> u32 {
        let width = view.width(task);
        let spans = view.hosts().map(|host| view.steady_execution(task, host).unwrap_or(SimDuration::MAX));
        let there = data.iter().map(|there| there.unwrap_or(SimTime::MAX));
        let line = Line { task, width, there: there.collect(), spans: spans.collect() };
        let number = self.left.pop().unwrap_or(self.lines.len() as u32);
        if number as usize == self.lines.len() {
            self.lines.push(None);
        }
        self.lines[number as usize] = Some(line);
        self.line_of.insert(task, number);
        number
    }

    /// Takes a task out.
    pub(crate) fn remove(&mut self, task: TaskNumber) {
        let line = self.line_of.remove(&task).expect("the task is there");
        self.lines[line as usize] = None;
        self.left.push(line);
    }

    fn line(&self, line: u32) -> &Line {
        self.lines[line as usize].as_ref().expect("a task has the line")
    }

    /// Returns true if the task is there.
    pub(crate) fn knows(&self, task: TaskNumber) -> bool {
        self.line_of.contains_key(&task)
    }

    /// Returns true if the line is of this task.
    pub(crate) fn is(&self, line: u32, task: TaskNumber) -> bool {
        self.lines[line as usize].as_ref().is_some_and(|line| line.task == task)
    }

    /// Number of cores that the task holds.
    pub(crate) fn width(&self, line: u32) -> u32 {
        self.line(line).width
    }

    /// Hosts, by number.
    pub(crate) fn hosts(&self) -> impl ExactSizeIterator<Item = HostId> + use<> {
        (0..self.first_cores.len() as u32).map(HostId::new)
    }

    /// The core that stands for a host.
    pub(crate) fn first_core(&self, host: HostId) -> Core {
        self.first_cores[host.index()]
    }

    /// Returns true if a task would start on a host as soon as as many cores are free, and not
    /// when its data are there.
    pub(crate) fn waits_for_cores(&self, line: u32, host: HostId) -> bool {
        let known = self.line(line);
        known.there[host.index()] <= self.free(known.width)[host.index()]
    }

    /// The slot of a task on a host; `None` if it never ends there.
    pub(crate) fn slot(&self, line: u32, host: HostId) -> Option<TimeSlot> {
        self.looked_at.set(self.looked_at.get() + 1);
        let known = self.line(line);
        let start = known.there[host.index()].max(self.free(known.width)[host.index()]);
        self.slot_from(line, host, start)
    }

    /// The same at the beginning of time.
    pub(crate) fn slot_at_once(&self, line: u32, host: HostId) -> Option<TimeSlot> {
        self.slot_from(line, host, SimTime::ZERO)
    }

    fn slot_from(&self, line: u32, host: HostId, start: SimTime) -> Option<TimeSlot> {
        let end = start.saturating_add(self.line(line).spans[host.index()]);
        (end < SimTime::MAX).then_some(TimeSlot { core: self.first_core(host), start, end })
    }

    /// The slot of a task on a host that ends then.
    pub(crate) fn ending(&self, line: u32, host: HostId, end: SimTime) -> TimeSlot {
        let start = SimTime::ZERO + end.since(SimTime::ZERO + self.line(line).spans[host.index()]);
        TimeSlot { core: self.first_core(host), start, end }
    }

    /// The earliest end of a task on any host, and the next earliest; of equal ones those on lower
    /// hosts. With `on_cores` a host has a slot for a task of one core on each of its cores.
    pub(crate) fn earliest_two(&self, line: u32, on_cores: bool) -> (HostEnd, HostEnd) {
        let known = self.line(line);
        let [mut least, mut second] = [(SimTime::MAX, 0); 2];
        let free = self.free(known.width);
        for (host, span) in known.spans.iter().enumerate() {
            let end = known.there[host].max(free[host]).saturating_add(*span);
            if end < least.0 {
                (least, second) = ((end, host), least);
            } else if end < second.0 {
                second = (end, host);
            }
        }
        if on_cores && known.width == 1 {
            let free = self.free(2);
            for (host, span) in known.spans.iter().enumerate() {
                let end = known.there[host].max(free[host]).saturating_add(*span);
                if end < second.0 {
                    second = (end, host);
                }
            }
        }
        self.looked_at.set(self.looked_at.get() + known.spans.len() as u64);
        let known =
            |(end, host): (SimTime, usize)| (end < SimTime::MAX).then_some((end, HostId::new(host as u32)));
        (known(least), known(second))
    }

    /// By host: the instant from which so many cores have nothing more to compute.
    fn free(&self, cores: u32) -> &[SimTime] {
        &self.free[cores as usize - 1]
    }

    /// The slot of a task on the cores of a host that it would hold.
    pub(crate) fn held(
        &self,
        schedule: &PartialSchedule<'_>,
        task: TaskNumber,
        host: HostId,
    ) -> Option<TimeSlot> {
        let line = *self.line_of.get(&task)?;
        let (view, start) = (schedule.view(), self.slot(line, host)?.start);
        let is_free = |core: &Core| view.width(task) > 1 || schedule.tail(*core) <= start;
        let core = view.places_on(task, host).find(is_free)?;
        schedule.slot_on(task, core, self.line(line).there[host.index()], Search::Tail)
    }
}
