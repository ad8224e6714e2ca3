//! Time of the processors of hosts: what they did and waited for, from the beginning of the run to
//! its end, without a gap.
//!
//! This is the one account of their time: spans of `--explain HOST`, the shares of
//! `processor-time`, the timeline and `jobs.csv` come from it. The choice of the processor of a
//! host that computes a task does not matter; here it is the first that is free.
//!
//! ```text
//!   ├─ no task ┼─ waits for file `a` ┼─ computes 3 ┼─ waits for `b` ┼─ computes 7 ┼ nothing left ┤
//! ```

use crate::collections::{OrderedMap, OrderedSet};
use crate::estimate::predictions::SubTask;
use crate::kernel::SimTime;
use crate::measure::family::Part;
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber};
use crate::registry::definition::words;
use crate::results::record::SweepOutcomes;
use crate::workflow::{FileNumber, TaskNumber};

words! {
    /// Use of a processor, or the reason why it is idle.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub(crate) enum ProcessorUse {
        Computes = "computes", "a task";
        Discards = "discarded", "a computation that was thrown away, as its task ended on another host";
        Loses = "lost", "a computation that was lost with its host, or whose outputs were";
        Absent = "absent", "the host or its cluster was not there";
        NoTask = "no-task", "tasks had not started, and no plan had given it one of them";
        WaitsForFile = "waits-for-file", "an input of its next task was not on its cluster";
        NotFirst = "not-first", "the inputs of its next task were there, and another was the first of its queue";
        NothingLeft = "nothing-left", "every task had started";
    }
}

/// A span in which a processor does one thing, or waits for one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcessorSpan {
    /// Start.
    pub start: SimTime,
    /// End.
    pub end: SimTime,
    /// Use of the processor.
    pub used: ProcessorUse,
    /// The task that it computes or waits for.
    pub task: Option<TaskNumber>,
    /// The file that it waits for, and its transfer.
    pub file: Option<(FileNumber, CarriedSpan)>,
}

/// Something that a processor computes; of several that start at one instant, those of no time come
/// first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Computed {
    start: SimTime,
    task: TaskNumber,
    end: SimTime,
    used: ProcessorUse,
}

/// Instant at which a file was on a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct CarriedSpan {
    /// Instant at which it had arrived.
    pub end: SimTime,
    /// Instant at which it started.
    pub start: SimTime,
    /// The link.
    pub link: LinkNumber,
}

/// The parts of `processor-time`, in the order of `HostTimeAccount::shares`.
pub const PARTS: &[Part] = &[
    ("computing", "computations of tasks, but for those that were lost or thrown away"),
    ("waiting", "nothing, as an input of the next task was not on the cluster"),
    ("idle", "nothing, for lack of a task, behind another of the queue, or after the last task had started"),
    ("lost", "computations that were lost with hosts or clusters, or whose outputs were"),
    ("absent", "the host was not there"),
    ("discarded", "computations that were thrown away, as their tasks had ended on other hosts"),
];

/// The uses of a processor that a part of `processor-time` is of.
pub(crate) fn uses_of(part: usize) -> impl Iterator<Item = ProcessorUse> {
    ProcessorUse::ALL.into_iter().filter(move |used| part_of(*used) == part)
}

/// The part of `processor-time` that a use belongs to.
fn part_of(used: ProcessorUse) -> usize {
    match used {
        ProcessorUse::Computes => 0,
        ProcessorUse::WaitsForFile => 1,
        ProcessorUse::NoTask | ProcessorUse::NotFirst | ProcessorUse::NothingLeft => 2,
        ProcessorUse::Loses => 3,
        ProcessorUse::Absent => 4,
        ProcessorUse::Discards => 5,
    }
}

/// An input on a cluster; of a task, where files do not stay.
type Input = (ClusterNumber, FileNumber, Option<TaskNumber>);

/// The time of all processors of a run that is over.
#[derive(Debug)]
pub(crate) struct HostTimeAccount<'a> {
    outcomes: &'a SweepOutcomes,
    /// The makespan, or the end of a run without one.
    end: SimTime,
    /// Instant at which the last task started.
    last_start: SimTime,
    /// Computations of each host, in order of start.
    computed: Vec<Vec<Computed>>,
    /// Spans in which inputs were on links.
    arrivals: OrderedMap<Input, Vec<CarriedSpan>>,
}

impl<'a> HostTimeAccount<'a> {
    /// The account of a run.
    pub(crate) fn of(outcomes: &'a SweepOutcomes) -> Self {
        let end = outcomes.makespan().unwrap_or(outcomes.ended_at);
        let mut arrivals: OrderedMap<Input, Vec<CarriedSpan>> = OrderedMap::new();
        for run in &outcomes.transfers {
            let cluster = run.transfer.cluster;
            if let (SubTask::Input(file), Some(end)) = (run.transfer.file, run.end) {
                let whose = Some(run.transfer.task).filter(|_| !outcomes.grid.cluster(cluster).has_storage);
                let carried = CarriedSpan { end, start: run.start, link: run.transfer.link };
                arrivals.entry((cluster, file, whose)).or_default().push(carried);
            }
        }
        HostTimeAccount {
            outcomes,
            end,
            last_start: outcomes.tasks.iter().filter_map(|task| task.start).max().unwrap_or(end),
            computed: computed(outcomes, end),
            arrivals,
        }
    }

    /// Spans of each processor of a host, in order of time.
    pub(crate) fn processors(&self, host: HostNumber) -> Vec<Vec<ProcessorSpan>> {
        let run = HostRun { times: self, outcomes: self.outcomes, host, end: self.end };
        let count = self.outcomes.grid.host(host).processors as usize;
        let mut processors: Vec<(SimTime, Vec<ProcessorSpan>)> = vec![(SimTime::ZERO, Vec::new()); count];
        for computed in &self.computed[host.index()] {
            if let Some((free, spans)) = processors.iter_mut().find(|(free, _)| *free <= computed.start) {
                run.idle(*free, computed.start, Some(*computed), spans);
                spans.push(run.span(computed.start, computed.end, computed.used, Some(computed.task)));
                *free = computed.end;
            }
        }
        let rest = processors.into_iter().map(|(free, mut spans)| {
            run.idle(free, self.end, None, &mut spans);
            spans
        });
        rest.collect()
    }

    /// Computations of each processor of all hosts, but for those that were lost, host by host.
    pub(crate) fn computed(&self) -> impl Iterator<Item = (HostNumber, Vec<ProcessorSpan>)> + '_ {
        let is_kept = |used| matches!(used, ProcessorUse::Computes | ProcessorUse::Discards);
        let on_host = move |host| {
            let processors = self.processors(host).into_iter();
            processors.map(move |spans| (host, spans.into_iter().filter(|span| is_kept(span.used)).collect()))
        };
        self.outcomes.grid.host_numbers().flat_map(on_host)
    }

    /// Spans of each processor of all hosts, host by host, without a gap up to `Self::end`.
    pub(crate) fn whole(&self) -> impl Iterator<Item = Vec<ProcessorSpan>> + '_ {
        self.outcomes.grid.host_numbers().flat_map(|host| self.processors(host))
    }

    /// End of the account: the makespan, or the end of a run without one.
    pub(crate) fn end(&self) -> SimTime {
        self.end
    }

    /// The seconds of each part of `processor-time`.
    pub(crate) fn seconds(&self) -> [f64; PARTS.len()] {
        let mut nanos = [0_u128; PARTS.len()];
        for span in self.whole().flatten() {
            nanos[part_of(span.used)] += u128::from(span.end.since(span.start).as_nanos());
        }
        nanos.map(|nanos| nanos as f64 / 1e9)
    }

    /// The shares of these parts; `None` if the run took no time.
    pub(crate) fn shares(&self) -> Option<[f64; PARTS.len()]> {
        let seconds = self.seconds();
        let whole = seconds.iter().sum::<f64>();
        (whole > 0.0).then(|| seconds.map(|seconds| seconds / whole))
    }
}

/// Computations of each host, in order of start.
fn computed(outcomes: &SweepOutcomes, end: SimTime) -> Vec<Vec<Computed>> {
    let mut on_host: Vec<Vec<Computed>> = vec![Vec::new(); outcomes.grid.hosts.len()];
    let lost: OrderedSet<(TaskNumber, HostNumber, SimTime)> =
        outcomes.lost_runs.iter().map(|run| (run.task, run.host, run.start)).collect();
    for (task, record) in (0..).map(TaskNumber).zip(&outcomes.tasks) {
        // what was lost last has a start and no end
        if let (Some(host), Some(start)) = (record.host, record.start)
            && !lost.contains(&(task, host, start))
        {
            let end = record.end.unwrap_or(end);
            on_host[host.index()].push(Computed { start, task, end, used: ProcessorUse::Computes });
        }
    }
    for (runs, used) in
        [(&outcomes.discarded, ProcessorUse::Discards), (&outcomes.lost_runs, ProcessorUse::Loses)]
    {
        for run in runs {
            let computed = Computed { start: run.start, task: run.task, end: run.end, used };
            on_host[run.host.index()].push(computed);
        }
    }
    let in_turn = |computed: &Computed| (computed.start, computed.end > computed.start, *computed);
    on_host.iter_mut().for_each(|all| all.sort_unstable_by_key(in_turn));
    on_host
}

/// A host of a run that is over.
struct HostRun<'a> {
    times: &'a HostTimeAccount<'a>,
    outcomes: &'a SweepOutcomes,
    host: HostNumber,
    end: SimTime,
}

impl HostRun<'_> {
    fn span(
        &self,
        start: SimTime,
        end: SimTime,
        used: ProcessorUse,
        task: Option<TaskNumber>,
    ) -> ProcessorSpan {
        ProcessorSpan { start, end: end.min(self.end), used, task, file: None }
    }

    /// Adds the spans in which a processor does nothing from `at` to `until`, when it computes the
    /// next task.
    fn idle(&self, mut at: SimTime, until: SimTime, next: Option<Computed>, spans: &mut Vec<ProcessorSpan>) {
        let grid = &self.outcomes.grid;
        let host = grid.host(self.host);
        let present = [&host.present, &grid.cluster(host.cluster).present];
        while at < until {
            let change = present.iter().filter_map(|trace| trace.next_change(at)).fold(until, SimTime::min);
            if present.iter().any(|trace| trace.value_at(at) <= 0.0) {
                spans.push(self.span(at, change, ProcessorUse::Absent, None));
            } else {
                self.waiting(at, change, next, spans);
            }
            at = change;
        }
    }

    /// The same while the host is there.
    fn waiting(
        &self,
        mut at: SimTime,
        until: SimTime,
        next: Option<Computed>,
        spans: &mut Vec<ProcessorSpan>,
    ) {
        let mut push = |to: SimTime, used: ProcessorUse, file| {
            let to = to.min(until);
            if to > at {
                let task = next.map(|next| next.task).filter(|_| used != ProcessorUse::NoTask);
                spans.push(ProcessorSpan { file, ..self.span(at, to, used, task) });
                at = to;
            }
        };
        let Some(Computed { task, start, used, .. }) = next else {
            push(self.times.last_start, ProcessorUse::NoTask, None);
            push(until, ProcessorUse::NothingLeft, None);
            return;
        };
        let queued = self.outcomes.tasks[task.index()].queued.filter(|_| used == ProcessorUse::Computes);
        if let Some(queued) = queued {
            push(queued, ProcessorUse::NoTask, None);
        }
        let mut inputs: Vec<(CarriedSpan, FileNumber)> = Vec::new();
        let cluster = self.outcomes.grid.host(self.host).cluster;
        for &file in &*self.outcomes.sweep.task(task).inputs {
            let arrivals = |whose| self.times.arrivals.get(&(cluster, file, whose));
            let stays = arrivals(None).or_else(|| arrivals(Some(task)));
            let before = stays.into_iter().flatten().rfind(|carried| carried.end <= start);
            inputs.extend(before.map(|carried| (*carried, file)));
        }
        inputs.sort_unstable();
        for (carried, file) in inputs {
            push(carried.end, ProcessorUse::WaitsForFile, Some((file, carried)));
        }
        // it was the first of no queue that is known
        let used = if queued.is_some() { ProcessorUse::NotFirst } else { ProcessorUse::NoTask };
        push(until, used, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::Streams;
    use crate::measure::metric::Metric;
    use crate::model::application::Sweep;
    use crate::model::grid::SweepGrid;
    use crate::plan::planner::Planner;
    use crate::plan::settings::PlanSettings;
    use crate::results::bounds::SweepBounds;
    use crate::scheduler::workqueue::WorkqueueScheduler;
    use crate::tests::{grid, random_case, run_with, secs_at, sweep, workqueue};

    #[test]
    fn a_host_waits_for_a_file_computes_and_has_nothing_left() {
        let sweep = sweep(&[100_000], &[(&[0], 50.0, 10_000), (&[0], 50.0, 10_000)]);
        let outcomes = run_with(grid(&[(10e3, &[1.0, 1.0, 1.0])]), sweep, workqueue());
        let task = Some(TaskNumber(1));
        let span = |start, end, used, task| {
            let (start, end) = (secs_at(start), secs_at(end));
            ProcessorSpan { start, end, used, task, file: None }
        };
        let carried = CarriedSpan { start: secs_at(0), end: secs_at(10), link: LinkNumber(0) };
        let file = Some((FileNumber(0), carried));
        let expected = [
            ProcessorSpan { file, ..span(0, 10, ProcessorUse::WaitsForFile, task) },
            span(10, 60, ProcessorUse::Computes, task),
            span(60, 62, ProcessorUse::NothingLeft, None),
        ];
        assert_eq!(HostTimeAccount::of(&outcomes).processors(HostNumber(1)), [expected]);
        let idle = [span(0, 10, ProcessorUse::NoTask, None), span(10, 62, ProcessorUse::NothingLeft, None)];
        assert_eq!(HostTimeAccount::of(&outcomes).processors(HostNumber(2)), [idle]);
    }

    /// The metrics are what the spans add up to, by use.
    fn agree(outcomes: &SweepOutcomes, sums: &[f64]) {
        let of = |uses: &[ProcessorUse]| uses.iter().map(|used| sums[*used as usize]).sum::<f64>();
        let idle = [ProcessorUse::NoTask, ProcessorUse::NotFirst, ProcessorUse::NothingLeft];
        let parts = [
            of(&[ProcessorUse::Computes]),
            of(&[ProcessorUse::WaitsForFile]),
            of(&idle),
            of(&[ProcessorUse::Loses]),
            of(&[ProcessorUse::Absent]),
            of(&[ProcessorUse::Discards]),
        ];
        let metrics = crate::metrics(outcomes, &SweepBounds::new(&outcomes.sweep, &outcomes.grid));
        let is = |name: &str| metrics.iter().find(|metric| metric.name == name).and_then(Metric::number);
        let processors: f64 = outcomes.grid.hosts.iter().map(|host| f64::from(host.processors)).sum();
        let whole = processors * outcomes.makespan().expect("all tasks are completed").as_secs_f64();
        for ((part, _), seconds) in PARTS.iter().zip(parts) {
            let share = is(&format!("processor-time.{part}")).expect("the run takes time");
            assert!((share * whole - seconds).abs() < 1e-6, "{part}: {share} of {whole}, {seconds}");
        }
        assert!((is("lost-time").expect("a number") - parts[3]).abs() < 1e-6);
        assert!(is("discarded-time").expect("a number") >= parts[5] - 1e-6, "up to the makespan");
    }

    #[test]
    fn spans_of_any_run_follow_each_other_from_its_beginning_to_its_end() {
        let mut seen = crate::collections::OrderedSet::new();
        for case in 0..200 {
            let several = |(mut grid, sweep, settings): (SweepGrid, Sweep, PlanSettings)| {
                for (place, host) in (0..).zip(&mut grid.hosts).filter(|_| case % 3 == 2) {
                    host.processors = 1 + (case as u32 + place) % 3;
                }
                (grid, sweep, settings)
            };
            let (grid, sweep, settings) = several(random_case(case));
            let settings = PlanSettings { duplicate: case.is_multiple_of(2), ..settings };
            let planner = Planner::new(settings, Streams::new(case, 0));
            let (other_grid, other_sweep, settings) = several(random_case(case));
            let order = crate::heuristic::WorkqueueOrder::First;
            let queue = WorkqueueScheduler::new(order, settings.links).duplicating(case % 4 == 1);
            for outcomes in
                [run_with(grid, sweep, Box::new(planner)), run_with(other_grid, other_sweep, Box::new(queue))]
            {
                let end = outcomes.makespan().expect("all tasks are completed");
                let mut computed = 0;
                let times = HostTimeAccount::of(&outcomes);
                let mut sums = vec![0.0; ProcessorUse::ALL.len()];
                for spans in outcomes.grid.host_numbers().flat_map(|host| times.processors(host)) {
                    let mut at = SimTime::ZERO;
                    for span in &spans {
                        assert!(span.start == at && span.end > at || span.start == span.end, "case {case}");
                        at = span.end;
                        seen.insert(span.used);
                        computed += usize::from(span.used == ProcessorUse::Computes);
                        sums[span.used as usize] += span.end.since(span.start).as_secs_f64();
                    }
                    assert_eq!(at, end, "case {case}");
                }
                assert_eq!(computed, outcomes.tasks.len(), "case {case}");
                agree(&outcomes, &sums);
            }
        }
        assert_eq!(seen.len(), ProcessorUse::ALL.len(), "{seen:?}");
    }
}
