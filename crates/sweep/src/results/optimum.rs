//! The optimum of small applications without files, by branch and bound, depth first.
//!
//! A step gives the next task a processor; tasks come in the order of their least times, the
//! longest first. Without files the order of tasks on a processor makes no difference, so the
//! assignments are all there is. A step is left out if its processor would end no sooner than the
//! best assignment known, or if the work left does not fit into what all processors do until then.
//! Of processors alike that have as much work only the first is tried, and tasks alike are placed
//! in the order of processors.
//!
//! Availability may vary. The search ends after so many steps, never by the clock, and then says
//! that nothing is proven.
//!
//! Left out are applications with files, tasks that arrive later, hosts that come or go, and batch
//! queues: they have no optimum here.

use std::cmp::Reverse;

use crate::kernel::SimTime;
use crate::measure::family::{Aim, Family, Part, metrics_of};
use crate::measure::metric::{Metric, Value};
use crate::model::application::{Sweep, SweepTask};
use crate::model::grid::{SweepGrid, SweepHost};
use crate::platform::Trace;
use crate::results::bounds::SweepBounds;
use crate::results::record::SweepOutcomes;

/// Factor of work, so that rounding in sums does not lift the optimum above the true value.
const ROUNDED: f64 = 1.0 - 1e-13;

/// Result of a search for the optimum, which is found where both are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SweepOptimum {
    /// The end of the best assignment that was found.
    pub best: SimTime,
    /// Lower bound of the end of any run.
    pub bound: SimTime,
}

/// A processor.
struct Column<'a> {
    availability: &'a Trace,
    /// Processors alike have the same number.
    class: usize,
    /// Seconds of work on it, at its speed and all available.
    load: f64,
}

struct Branches<'a> {
    columns: Vec<Column<'a>>,
    /// Of each task, the longest first, its seconds on each class; `None` if it cannot run.
    seconds: Vec<Vec<Option<f64>>>,
    /// Of each task: the least seconds of it and of all that follow.
    left: Vec<f64>,
    best: SimTime,
    /// Work that all processors do until `best`, in seconds.
    until_best: f64,
    steps: u64,
    is_cut: bool,
}

impl SweepOptimum {
    /// Searches for the optimum of an application on a grid, in `steps` steps at most; `None` if it
    /// has none here, or no assignment was found.
    pub(crate) fn of(sweep: &Sweep, grid: &SweepGrid, steps: u64) -> Option<Self> {
        let has_files = |task: &SweepTask| !(task.inputs.is_empty() && task.outputs.is_empty());
        if sweep.tasks.iter().any(|task| has_files(task) || task.arrival > SimTime::ZERO) {
            return None;
        }
        let mut search = Branches::new(sweep, grid, steps)?;
        let longest = search.longest()?;
        search.place(0, 0);
        if search.best == SimTime::MAX {
            return None;
        }
        let bound = if search.is_cut {
            let lower = SweepBounds::new(sweep, grid).lower().unwrap_or(0.0);
            let lower = SimTime::from_nanos((lower * 1e9) as u64);
            lower.max(longest).min(search.best)
        } else {
            search.best
        };
        Some(SweepOptimum { best: search.best, bound })
    }

    /// The optimum, if the search came to its end or to a bound.
    pub(crate) fn proven(&self) -> Option<SimTime> {
        (self.best == self.bound).then_some(self.best)
    }
}

impl Column<'_> {
    /// Instant at which a load is done on the processor.
    fn end(&self, load: f64) -> SimTime {
        self.availability.finish(SimTime::ZERO, load * ROUNDED).unwrap_or(SimTime::MAX)
    }
}

/// Returns true if a host is always there, false if it never is; `None` if it comes or goes.
fn is_there(host: &SweepHost, grid: &SweepGrid) -> Option<bool> {
    let traces = [&host.present, &grid.cluster(host.cluster).present];
    if traces.iter().all(|trace| trace.least() > 0.0) {
        return Some(true);
    }
    let is_never = |trace: &&Trace| trace.values().all(|value| value <= 0.0);
    traces.iter().any(is_never).then_some(false)
}

/// Returns true if two hosts compute every task in the same time.
fn are_alike(one: &SweepHost, other: &SweepHost) -> bool {
    let steady = |host: &SweepHost| {
        let trace = &host.availability;
        trace.next_change(SimTime::ZERO).is_none().then(|| trace.value_at(SimTime::ZERO).to_bits())
    };
    let same = |host: &SweepHost| (host.architecture, host.speed.to_bits());
    same(one) == same(other) && steady(one).is_some() && steady(one) == steady(other)
}

impl<'a> Branches<'a> {
    fn new(sweep: &Sweep, grid: &'a SweepGrid, steps: u64) -> Option<Self> {
        let mut classes: Vec<&SweepHost> = Vec::new();
        let mut columns: Vec<Column<'a>> = Vec::new();
        let most = sweep.tasks.len();
        for host in &grid.hosts {
            if host.queue_wait.is_some() {
                return None;
            }
            if !is_there(host, grid)? {
                continue;
            }
            let known = classes.iter().position(|other| are_alike(other, host));
            let class = known.unwrap_or(classes.len());
            if known.is_none() {
                classes.push(host);
            }
            let own = columns.iter().filter(|column| column.class == class).count();
            // more processors alike than tasks are of no use
            for _ in 0..(host.processors as usize).min(most.saturating_sub(own)) {
                columns.push(Column { availability: &host.availability, class, load: 0.0 });
            }
        }
        columns.sort_by_key(|column| column.class);
        let on = |task: &SweepTask| -> Vec<Option<f64>> {
            let on = |host: &&SweepHost| Some(task.time_on(host.architecture)?.real / host.speed);
            classes.iter().map(on).collect()
        };
        let mut seconds: Vec<Vec<Option<f64>>> = sweep.tasks.iter().map(on).collect();
        let least = |row: &Vec<Option<f64>>| row.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        let bits = |row: &Vec<Option<f64>>| -> Vec<u64> {
            row.iter().map(|value| value.map_or(u64::MAX, f64::to_bits)).collect()
        };
        // seconds are not negative, so their bits are in their order
        seconds.sort_by_key(|row| Reverse((least(row).to_bits(), bits(row))));
        let mut left: Vec<f64> = seconds.iter().map(least).collect();
        for place in (1..left.len()).rev() {
            left[place - 1] += left[place];
        }
        let best = SimTime::MAX;
        Some(Branches { columns, seconds, left, best, until_best: f64::INFINITY, steps, is_cut: false })
    }

    /// The end of the task that takes longest, by itself; `None` if one never ends.
    fn longest(&self) -> Option<SimTime> {
        let end = |row: &Vec<Option<f64>>| {
            let ends = self.columns.iter().filter_map(|column| Some(column.end(row[column.class]?)));
            ends.min().filter(|end| *end < SimTime::MAX)
        };
        let ends: Option<Vec<SimTime>> = self.seconds.iter().map(end).collect();
        Some(ends?.into_iter().max().unwrap_or_default())
    }

    /// Places a task and all that follow on processors from `first` on, if it is like the task
    /// before.
    fn place(&mut self, task: usize, first: usize) {
        if task == self.seconds.len() {
            let end = self.columns.iter().map(|column| column.end(column.load)).max().unwrap_or_default();
            if end < self.best {
                self.best = end;
                let until = |column: &Column<'_>| column.availability.integral(SimTime::ZERO, end);
                self.until_best = self.columns.iter().map(until).sum();
            }
            return;
        }
        let busy: f64 = self.columns.iter().map(|column| column.load).sum();
        if (busy + self.left[task]) * ROUNDED > self.until_best {
            return;
        }
        let is_first_alike = |place: usize| {
            let column = &self.columns[place];
            let before = self.columns[first..place].iter();
            !before
                .filter(|other| other.class == column.class)
                .any(|other| other.load.to_bits() == column.load.to_bits())
        };
        let places = (first..self.columns.len()).filter(|place| is_first_alike(*place));
        let mut steps: Vec<(SimTime, usize, f64)> = places
            .filter_map(|place| {
                let column = &self.columns[place];
                let load = column.load + self.seconds[task][column.class]?;
                Some((column.end(load), place, load))
            })
            .collect();
        steps.sort_by_key(|(end, place, _)| (*end, *place));
        for (end, place, load) in steps {
            if end >= self.best {
                break;
            }
            if self.steps == 0 {
                self.is_cut = true;
                return;
            }
            self.steps -= 1;
            let before = std::mem::replace(&mut self.columns[place].load, load);
            let is_alike = self.seconds.get(task + 1) == Some(&self.seconds[task]);
            self.place(task + 1, if is_alike { place } else { 0 });
            self.columns[place].load = before;
        }
    }
}

const SEARCHED: &str = "runs with `record.gap`; nothing of an application that is not searched";
const PARTS: &[Part] = &[
    ("best", "the end of the best assignment that was found"),
    ("bound", "what no run ends before; the same where the optimum is proven"),
];

/// The families of runs whose optimum is searched for.
pub(crate) const OF_GAPS: [Family; 3] = [
    Family::new(
        "gap.optimal",
        "",
        Aim::Lower,
        "`makespan` / the optimum - 1; nothing if the search for it met its limit",
        SEARCHED,
    )
    .signed(),
    Family::new("optimum", "s", Aim::None, "of tasks without files, by branch and bound", SEARCHED)
        .parts(PARTS),
    Family::share(
        "optimum.proven",
        Aim::None,
        "1 where the search for the optimum came to its end, so that `optimum.best` is the optimum, else 0",
        SEARCHED,
    ),
];

/// Limits of the search for the optimum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SweepGapRequest {
    /// Most tasks of an application whose optimum is searched for.
    pub most_tasks: usize,
    /// Steps after which the search ends.
    pub steps: u64,
}

impl SweepGapRequest {
    /// The optimum of an application; `None` if it has too many tasks, or none is known of such.
    pub(crate) fn search(&self, sweep: &Sweep, grid: &SweepGrid) -> Option<SweepOptimum> {
        let is_small = sweep.tasks.len() <= self.most_tasks;
        is_small.then(|| SweepOptimum::of(sweep, grid, self.steps)).flatten()
    }
}

/// The values of the families, in their order.
pub(crate) fn metrics_of_gap(outcomes: &SweepOutcomes, optimum: Option<SweepOptimum>) -> Vec<Metric> {
    let seconds = |at: Option<SimTime>| at.map_or(Value::Nothing, |at| Value::Real(at.as_secs_f64()));
    let least = optimum.and_then(|optimum| optimum.proven()).filter(|least| *least > SimTime::ZERO);
    let above = outcomes.makespan().zip(least);
    let above = above.map(|(makespan, least)| makespan.as_secs_f64() / least.as_secs_f64() - 1.0);
    let proven = |optimum: SweepOptimum| Value::Count(u64::from(optimum.proven().is_some()));
    let values = [
        above.map_or(Value::Nothing, Value::Real),
        seconds(optimum.map(|optimum| optimum.best)),
        seconds(optimum.map(|optimum| optimum.bound)),
        optimum.map_or(Value::Nothing, proven),
    ];
    metrics_of(&OF_GAPS, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimDuration;
    use crate::kernel::rng::Streams;
    use crate::model::application::TaskTime;
    use crate::tests::{grid, run_with, sweep, workqueue};

    fn tasks(times: &[Vec<f64>]) -> Sweep {
        let mut sweep = sweep(&[], &vec![(&[] as &[u32], 1.0, 0); times.len()]);
        for (task, times) in sweep.tasks.iter_mut().zip(times) {
            task.outputs = [].into();
            task.times = times.iter().map(|&real| TaskTime { real, estimated: real }).collect();
        }
        sweep
    }

    fn seconds(optimum: Option<SweepOptimum>) -> Option<f64> {
        optimum?.proven().map(SimTime::as_secs_f64)
    }

    /// Times of tasks on hosts: the optimum is that of Min-min and of Sufferage, 110; Max-min has
    /// 120.
    #[test]
    fn four_tasks_on_two_unlike_hosts_take_110_seconds() {
        let mut two = grid(&[(1e9, &[1.0, 1.0])]);
        two.hosts[1].architecture = 1;
        let times = [vec![40.0, 50.0], vec![50.0, 80.0], vec![60.0, 70.0], vec![90.0, 40.0]];
        assert_eq!(seconds(SweepOptimum::of(&tasks(&times), &two, 1_000)), Some(110.0));
    }

    #[test]
    fn every_assignment_is_as_long_or_longer() {
        let at = |secs| SimTime::from_secs(secs).expect("it is soon");
        for case in 0..200 {
            let mut stream = Streams::new(case, 0).stream("test");
            let mut below = |bound: u64| stream.below(bound);
            let mut grid = grid(&[(1e9, &[1.0, 0.5]), (1e9, &[1.0])]);
            for host in &mut grid.hosts {
                (host.architecture, host.processors) = (below(2) as usize, 1 + below(2) as u32);
                host.speed = [1.0, 2.0][below(2) as usize];
                if below(3) == 0 {
                    let points = [(at(0), 0.5), (at(7), 0.25), (at(19), 1.0)];
                    host.availability =
                        Trace::new(&points, Some(SimDuration::from_secs(5))).expect("a trace");
                }
            }
            let count = 1 + below(5);
            let times: Vec<Vec<f64>> =
                (0..count).map(|_| (0..2).map(|_| (1 + below(4)) as f64 * 10.0).collect()).collect();
            let sweep = tasks(&times);
            let found = SweepOptimum::of(&sweep, &grid, u64::MAX).expect("it has an optimum");
            let columns: Vec<&SweepHost> =
                grid.hosts.iter().flat_map(|host| vec![host; host.processors as usize]).collect();
            let all = (0..columns.len().pow(count as u32)).map(|mut number| {
                let mut loads = vec![0.0; columns.len()];
                for task in &sweep.tasks {
                    let column = number % columns.len();
                    number /= columns.len();
                    let host = columns[column];
                    loads[column] += task.time_on(host.architecture).expect("it runs").real / host.speed;
                }
                let ends = columns.iter().zip(loads).map(|(host, load)| {
                    host.availability.finish(SimTime::ZERO, load).unwrap_or(SimTime::MAX)
                });
                ends.max().unwrap_or_default()
            });
            let least = all.min().expect("there is one");
            assert_eq!(found.proven(), Some(found.best), "{case}");
            assert!(least.as_nanos().abs_diff(found.best.as_nanos()) <= 1, "{case}: {found:?} for {least}");
            let run = run_with(grid, sweep, workqueue()).makespan().expect("it ends");
            assert!(run >= found.best, "{case}: {run} {found:?}");
        }
    }

    #[test]
    fn a_search_that_meets_its_limit_proves_nothing() {
        let two = grid(&[(1e9, &[1.0, 1.0, 1.0])]);
        let times: Vec<Vec<f64>> =
            [11.0, 13.0, 17.0, 19.0, 23.0, 29.0, 31.0, 37.0].map(|time| vec![time]).into();
        let cut = SweepOptimum::of(&tasks(&times), &two, 8).expect("it has an assignment");
        assert_eq!(cut.proven(), None);
        assert!(cut.bound.as_secs_f64() >= 60.0 - 1e-6 && cut.bound < cut.best, "{cut:?}");
        assert_eq!(SweepOptimum::of(&tasks(&times), &two, 7), None, "no assignment was met");
        let whole = SweepOptimum::of(&tasks(&times), &two, 1_000_000).expect("it has an optimum");
        assert!(whole.proven().is_some_and(|proven| proven >= cut.bound && proven <= cut.best));
    }

    #[test]
    fn files_late_tasks_and_hosts_that_leave_have_no_optimum_here() {
        let one = grid(&[(1e9, &[1.0])]);
        let plain = tasks(&[vec![10.0]]);
        assert_eq!(seconds(SweepOptimum::of(&plain, &one, 100)), Some(10.0));
        assert_eq!(SweepOptimum::of(&sweep(&[5], &[(&[0], 10.0, 0)]), &one, 100), None);
        let mut late = plain.clone();
        late.tasks[0].arrival = SimTime::from_nanos(1);
        assert_eq!(SweepOptimum::of(&late, &one, 100), None);
        let mut leaves = one.clone();
        let gone = SimTime::from_nanos(5);
        leaves.hosts[0].present = Trace::new(&[(SimTime::ZERO, 1.0), (gone, 0.0)], None).expect("a trace");
        assert_eq!(SweepOptimum::of(&plain, &leaves, 100), None);
        let none = grid(&[(1e9, &[0.0])]);
        assert_eq!(SweepOptimum::of(&plain, &none, 100), None);
    }
}
