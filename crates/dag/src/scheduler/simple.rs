//! Rules that look at little: everything on one host, one host after another, hosts by chance.
//!
//! | rule | host of a task |
//! |---|---|
//! | `sequential` | the one that takes least for all tasks, on its first cores, as many as asked |
//! | `round-robin` | one core after another that can have the task, as many passed as it holds |
//! | `random` | any that can have it, each as likely; of its cores the one with the first end |
//!
//! All take tasks in topological order, of those that are ready the one of the lowest number, and
//! put them behind what is there. A task draws from a stream of its own, so that it has the same
//! host whatever other tasks there are.
//!
//! Source: usual practice; "DAGSim" remarks that one host is the best for dense graphs.

use crate::error::CannotPlan;
use crate::kernel::SimTime;
use crate::model::grid::Core;
use crate::output::number::{grouped, plain};
use crate::planning::plan::TaskPlan;
use crate::planning::view::{TimeSlot, View};
use crate::platform::HostId;
use crate::registry::Entry;
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::Scheduler;
use crate::workflow::TaskNumber;

pub(super) const SEQUENTIAL: Entry<dyn Scheduler> = Entry::new(
    "sequential",
    "all tasks on one core, of the host on which they take least in all",
    &[],
    |_| Ok(Box::new(Sequential)),
);

pub(super) const ROUND_ROBIN: Entry<dyn Scheduler> =
    Entry::new("round-robin", "the tasks on one core after another", &[], |_| Ok(Box::new(RoundRobin)));

pub(super) const RANDOM: Entry<dyn Scheduler> =
    Entry::new("random", "each task on any host, all as likely", &[], |_| Ok(Box::new(Random)));

/// Hosts that an explanation names.
const MOST_NAMED: usize = 8;

/// Everything on one core.
#[derive(Clone, Copy, Debug)]
pub struct Sequential;

/// One core after another.
#[derive(Clone, Copy, Debug)]
pub struct RoundRobin;

/// Hosts by chance.
#[derive(Clone, Copy, Debug)]
pub struct Random;

/// Instant at which a host would have computed all open tasks one after another; or the first of
/// them that it cannot have.
fn all_on(view: &View<'_>, schedule: &PartialSchedule<'_>, host: HostId) -> Result<SimTime, TaskNumber> {
    let graph = view.graph();
    let core = view.cores_of(host).next().expect("a host has a core");
    let mut end = schedule.tail(core);
    for task in view.open() {
        end = first_cores(view, task, host).map_or(end, |cores| end.max(schedule.tail(cores)));
        let started = graph.incoming(task).iter().filter_map(|edge| schedule.slot(graph.edge(*edge).from));
        let is_joined = started.map(|slot| view.host_of(slot.core)).all(|from| view.is_joined(from, host));
        let span = view.execution(task, host, end).filter(|_| is_joined).ok_or(task)?;
        end = end.saturating_add(span);
    }
    Ok(end)
}

/// The first cores of a host, as many as a task asks for; `None` if it has fewer.
fn first_cores(view: &View<'_>, task: TaskNumber, host: HostId) -> Option<Core> {
    let count = view.width(task) as usize;
    let cores: Vec<Core> = view.cores_of(host).take(count).collect();
    (cores.len() == count).then(|| view.together(&cores))
}

impl Scheduler for Sequential {
    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let mut schedule = PartialSchedule::new(view);
        let mut best: Option<(SimTime, HostId)> = None;
        // a host, and a task that it cannot have
        let mut stopped = None;
        let mut ends = Vec::new();
        for host in view.hosts() {
            match all_on(view, &schedule, host) {
                Ok(end) => {
                    ends.push((host, end));
                    if best.is_none_or(|(least, _)| end < least) {
                        best = Some((end, host));
                    }
                }
                Err(task) => stopped = stopped.or(Some((host, task))),
            }
        }
        let Some((end, host)) = best else {
            return match stopped {
                Some((host, task)) => {
                    let (host, task) = (view.host_name(host), view.name(task));
                    let why = format!("no host can have all tasks: host `{host}` cannot have task `{task}`");
                    Err(CannotPlan::Own(why))
                }
                None => Ok(schedule.into_plan()),
            };
        };
        for task in view.open() {
            let cores = first_cores(view, task, host);
            let slot = cores.and_then(|cores| schedule.earliest(task, cores, Search::Tail));
            let slot = slot.ok_or_else(|| schedule.no_host(task))?;
            view.explain(task, || {
                let (name, end, count) = (view.host_name(host), plain(end.as_secs_f64()), grouped(ends.len() as u64));
                let slower = ends.iter().filter(|(other, _)| *other != host);
                let slower: Vec<String> = slower
                    .take(MOST_NAMED)
                    .map(|(host, end)| format!("`{}` at {}", view.host_name(*host), plain(end.as_secs_f64())))
                    .collect();
                let others = if slower.is_empty() { String::new() } else { format!("; host {}", slower.join(", ")) };
                format!(
                    "Everything goes to host `{name}`, which would end it at {end} s, first of the {count} hosts that can{others}"
                )
            });
            schedule.place(task, slot);
        }
        Ok(schedule.into_plan())
    }
}

impl Scheduler for RoundRobin {
    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let mut schedule = PartialSchedule::new(view);
        let count = view.cores().len();
        let mut turn = 0;
        for task in view.open() {
            let mut found = None;
            for ahead in 0..count {
                let core = view.cores().nth((turn + ahead) % count).expect("there are so many cores");
                if let Some(slot) = schedule.earliest(task, core, Search::Tail) {
                    found = Some((ahead, slot));
                    break;
                }
            }
            let (ahead, slot) = found.ok_or_else(|| schedule.no_host(task))?;
            turn = (turn + ahead + view.width(task) as usize) % count;
            view.explain(task, || match ahead {
                0 => "It is the turn of this core".to_owned(),
                _ => format!("It is the turn of this core: {ahead} before it cannot have the task"),
            });
            schedule.place(task, slot);
        }
        Ok(schedule.into_plan())
    }
}

impl Scheduler for Random {
    fn draws(&self) -> bool {
        true
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let mut schedule = PartialSchedule::new(view);
        for task in view.open() {
            let able = view.hosts().filter_map(|host| Some((host, schedule.ready(task, host)?)));
            let able: Vec<(HostId, SimTime)> = able.collect();
            if able.is_empty() {
                return Err(schedule.no_host(task));
            }
            let drawn = view.stream("random", task).below(able.len() as u64) as usize;
            let (host, ready) = able[drawn];
            view.explain(task, || {
                format!("The host was drawn from {} that can have it", grouped(able.len() as u64))
            });
            let places = view.places_on(task, host);
            let slots = places.filter_map(|core| schedule.slot_on(task, core, ready, Search::Tail));
            let slot: Option<TimeSlot> = slots.min_by_key(|slot| slot.end);
            schedule.place(task, slot.ok_or_else(|| schedule.no_host(task))?);
        }
        Ok(schedule.into_plan())
    }
}
