//! What the processors of a host did and waited for, from the beginning of the run to its end, without a gap.
//!
//! ```text
//!   ├─ no task ─┼─ waits for file `a` ─┼── computes 3 ──┼─ waits for `b` ─┼── computes 7 ──┼─ nothing left ─┤
//! ```

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::registry::definition::words;
use crate::sweep::grid::{HostNumber, LinkNumber};
use crate::sweep::predictions::SubTask;
use crate::sweep::record::SweepOutcomes;
use crate::workflow::{FileNumber, TaskNumber};

words! {
    /// What a processor does, or why it does nothing.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum ProcessorUse {
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
pub struct ProcessorSpan {
    /// From when.
    pub start: SimTime,
    /// To when.
    pub end: SimTime,
    /// What it does.
    pub used: ProcessorUse,
    /// The task that it computes or waits for.
    pub task: Option<TaskNumber>,
    /// The file that it waits for, and its transfer.
    pub file: Option<(FileNumber, CarriedSpan)>,
}

/// Something that a processor computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Computed {
    start: SimTime,
    end: SimTime,
    task: TaskNumber,
    used: ProcessorUse,
}

/// When a file was on a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CarriedSpan {
    /// When it had arrived.
    pub end: SimTime,
    /// From when.
    pub start: SimTime,
    /// The link.
    pub link: LinkNumber,
}

/// A host of a run that is over.
struct HostRun<'a> {
    outcomes: &'a SweepOutcomes,
    host: HostNumber,
    end: SimTime,
    /// When the last task started.
    last_start: SimTime,
    /// When inputs were on a link of the cluster; of a task, where files do not stay.
    arrivals: OrderedMap<(FileNumber, Option<TaskNumber>), Vec<CarriedSpan>>,
}

/// What each processor of a host did, in order of time.
pub fn processor_spans(outcomes: &SweepOutcomes, host: HostNumber) -> Vec<Vec<ProcessorSpan>> {
    let end = outcomes.makespan().unwrap_or(outcomes.ended_at);
    let described = outcomes.grid.host(host);
    let stays = outcomes.grid.cluster(described.cluster).has_storage;
    let mut arrivals: OrderedMap<_, Vec<_>> = OrderedMap::new();
    for run in outcomes.transfers.iter().filter(|run| run.transfer.cluster == described.cluster) {
        if let (SubTask::Input(file), Some(end)) = (run.transfer.file, run.end) {
            let whose = Some(run.transfer.task).filter(|_| !stays);
            arrivals.entry((file, whose)).or_default().push(CarriedSpan {
                end,
                start: run.start,
                link: run.transfer.link,
            });
        }
    }
    let last_start = outcomes.tasks.iter().filter_map(|task| task.start).max().unwrap_or(end);
    let run = HostRun { outcomes, host, end, last_start, arrivals };
    let mut processors: Vec<(SimTime, Vec<ProcessorSpan>)> =
        vec![(SimTime::ZERO, Vec::new()); described.processors as usize];
    for computed in run.computed() {
        if let Some((free, spans)) = processors.iter_mut().find(|(free, _)| *free <= computed.start) {
            run.idle(*free, computed.start, Some(computed), spans);
            spans.push(run.span(computed.start, computed.end, computed.used, Some(computed.task)));
            *free = computed.end;
        }
    }
    let rest = processors.into_iter().map(|(free, mut spans)| {
        run.idle(free, end, None, &mut spans);
        spans
    });
    rest.collect()
}

impl HostRun<'_> {
    /// What the host computed, in order of start.
    fn computed(&self) -> Vec<Computed> {
        let outcomes = self.outcomes;
        let mut all = Vec::new();
        for (task, record) in (0..).map(TaskNumber).zip(&outcomes.tasks) {
            if let (true, Some(start)) = (record.host == Some(self.host), record.start) {
                // what was lost last has a start and no end
                let is_lost = outcomes.lost_runs.iter().any(|run| run.task == task && run.start == start);
                if !is_lost {
                    let end = record.end.unwrap_or(self.end);
                    all.push(Computed { start, end, task, used: ProcessorUse::Computes });
                }
            }
        }
        for (runs, used) in
            [(&outcomes.discarded, ProcessorUse::Discards), (&outcomes.lost_runs, ProcessorUse::Loses)]
        {
            let here = runs.iter().filter(|run| run.host == self.host);
            all.extend(here.map(|run| Computed { start: run.start, end: run.end, task: run.task, used }));
        }
        all.sort_unstable();
        all
    }

    fn span(
        &self,
        start: SimTime,
        end: SimTime,
        used: ProcessorUse,
        task: Option<TaskNumber>,
    ) -> ProcessorSpan {
        ProcessorSpan { start, end: end.min(self.end), used, task, file: None }
    }

    /// Why a processor does nothing from `at` to `until`, when it computes the next task.
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
            push(self.last_start, ProcessorUse::NoTask, None);
            push(until, ProcessorUse::NothingLeft, None);
            return;
        };
        let queued = self.outcomes.tasks[task.index()].queued.filter(|_| used == ProcessorUse::Computes);
        if let Some(queued) = queued {
            push(queued, ProcessorUse::NoTask, None);
        }
        let mut inputs: Vec<(CarriedSpan, FileNumber)> = Vec::new();
        for &file in &*self.outcomes.sweep.task(task).inputs {
            let stays = self.arrivals.get(&(file, None)).or_else(|| self.arrivals.get(&(file, Some(task))));
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
    use crate::sweep::plan::Planner;
    use crate::sweep::plan_settings::PlanSettings;
    use crate::sweep::tests::{grid, random_case, run_with, secs_at, sweep, workqueue};
    use crate::sweep::workqueue::WorkqueueScheduler;

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
        assert_eq!(processor_spans(&outcomes, HostNumber(1)), [expected]);
        let idle = [span(0, 10, ProcessorUse::NoTask, None), span(10, 62, ProcessorUse::NothingLeft, None)];
        assert_eq!(processor_spans(&outcomes, HostNumber(2)), [idle]);
    }

    #[test]
    fn spans_of_any_run_follow_each_other_from_its_beginning_to_its_end() {
        let mut seen = crate::collections::OrderedSet::new();
        for case in 0..200 {
            let (grid, sweep, settings) = random_case(case);
            let settings = PlanSettings { duplicate: case.is_multiple_of(2), ..settings };
            let planner = Planner::new(settings, Streams::new(case, 0));
            let (other_grid, other_sweep, settings) = random_case(case);
            let order = crate::sweep::heuristic::WorkqueueOrder::First;
            let queue = WorkqueueScheduler::new(order, settings.links);
            for outcomes in
                [run_with(grid, sweep, Box::new(planner)), run_with(other_grid, other_sweep, Box::new(queue))]
            {
                let end = outcomes.makespan().expect("all tasks are completed");
                let mut computed = 0;
                for host in outcomes.grid.host_numbers() {
                    for spans in processor_spans(&outcomes, host) {
                        let mut at = SimTime::ZERO;
                        for span in &spans {
                            assert!(
                                span.start == at && span.end > at || span.start == span.end,
                                "case {case}"
                            );
                            at = span.end;
                            seen.insert(span.used);
                            computed += usize::from(span.used == ProcessorUse::Computes);
                        }
                        assert_eq!(at, end, "case {case}");
                    }
                }
                assert_eq!(computed, outcomes.tasks.len(), "case {case}");
            }
        }
        assert_eq!(seen.len(), ProcessorUse::ALL.len(), "{seen:?}");
    }
}
