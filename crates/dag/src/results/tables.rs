//! Tables of a run of task graphs, and its timeline.
//!
//! - `tasks`, a row a task in the order of the graph; in a stream the workflow precedes the name.
//! - `attempts`, a row a start of a task, in their order, where that says more than `tasks`.
//! - `transfers`, a row for each transfer between two hosts, in the order of planning.
//! - `plans`, a row for each time a plan was made.
//! - `hosts`, in the order of the platform.
//! - `schedulers`, a row for each scheduler that the run is compared with, itself first.
//! - `critical`, the steps of the critical path of the execution.
//! - `loads`, what drawn loads left of hosts and links, interval by interval.
//! - `jobs`, a row a task that ended, in order of end, in the columns of Batsim.

use std::io;

use crate::collections::Interval;
use crate::execution::{Attempt, Attempts, DataSource, ExecutedTask, Outcomes};
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::Core;
use crate::output::{Always, Cell, Row as _, RowSink, RowSource, Table, Text, Word, rows};
use crate::platform::Trace;
use crate::platform::sharing::LinkId;
use crate::results::billing::Billing;
use crate::results::bounds::LowerBounds;
use crate::results::critical_path::{CriticalStep, Slack};
use crate::results::gap::GapReport;
use crate::rows::{
    AttemptColumns, AttemptRow, CriticalRow, HostColumns, HostRow, LoadRow, PlanRow, SchedulerRow,
    TaskColumns, TaskRow, TransferColumns, TransferRow,
};
use crate::workflow::TaskNumber;
use clustersim_experiment::rows::batsim::{BatsimJob, LastRun};
use clustersim_experiment::rows::jobs::JobRow;

/// The tasks.
#[derive(Clone, Copy, Debug)]
pub struct TaskRows<'a>(pub &'a Outcomes);

/// Transfers between hosts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferRows<'a>(pub &'a Outcomes);

/// Use of each host, and its cost if hosts have prices.
#[derive(Clone, Copy, Debug)]
pub struct HostRows<'a>(pub &'a Outcomes, pub Option<&'a Billing>);

/// The schedulers that a run is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ComparedRows<'a> {
    /// Comparison of the schedulers.
    pub report: &'a GapReport,
    /// The lower bounds of the makespan.
    pub bounds: &'a LowerBounds,
}

/// The critical path: its steps, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CriticalRows<'a>(pub &'a Outcomes, pub &'a [CriticalStep]);

/// The tasks that ended, as Batsim has jobs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatsimRows<'a>(pub &'a Outcomes);

/// The loads that were drawn, up to the end of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadRows<'a>(pub &'a Outcomes);

/// Every table that a run of task graphs may have.
pub fn declared() -> Vec<Table> {
    vec![
        TaskRow::declared(),
        AttemptRow::declared(),
        TransferRow::declared(),
        PlanRow::declared(),
        HostRow::declared(),
        SchedulerRow::declared(),
        CriticalRow::declared(),
        LoadRow::declared(),
        of_jobs(),
    ]
}

fn of_jobs() -> Table {
    JobRow::of_tasks(
        "of task graphs: a row a task that ended, in order of end, with the columns of Batsim's file of that name. Key: record.tasks",
    )
}

impl Outcomes {
    pub(crate) fn application_name(&self, task: TaskNumber) -> &str {
        &self.graph().applications()[self.graph().application_of(task)].name
    }

    /// Name of the host of a core, its number there, and the numbers of the further cores of its
    /// task, if any.
    pub(crate) fn place(&self, core: Core) -> (&str, u32, Option<String>) {
        let grid = &self.problem.grid;
        let further = grid.members(core).skip(1).map(|core| grid.rank(core).to_string());
        let further = further.collect::<Vec<_>>().join(" ");
        let host = &grid.host(grid.host_of(core)).name;
        (host, grid.rank(core), Some(further).filter(|further| !further.is_empty()))
    }

    /// For each host, tasks that ended on it, and the time of its cores in use by tasks that ended.
    pub fn by_host(&self) -> Vec<(u64, SimDuration)> {
        let mut hosts = vec![(0, SimDuration::ZERO); self.problem.grid.hosts().len()];
        for record in &self.tasks {
            if let Some((core, time)) = record.core.zip(self.core_time(record)) {
                let (tasks, busy) = &mut hosts[self.problem.grid.host_of(core).index()];
                *tasks += 1;
                *busy = busy.saturating_add(time);
            }
        }
        hosts
    }
}

impl RowSource for TaskRows<'_> {
    fn table(&self) -> Table {
        TaskRow::table(TaskColumns { wide_tasks: self.0.graph().has_wide_tasks() })
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let outcomes = self.0;
        let columns = TaskColumns { wide_tasks: outcomes.graph().has_wide_tasks() };
        let slack = Slack::of(outcomes);
        outcomes.graph().tasks().try_for_each(|task| {
            let ExecutedTask { core, planned, ready, start, end, predicted, attempts, .. } =
                outcomes.tasks[task.index()];
            let place = core.map(|core| outcomes.place(core));
            let row = TaskRow {
                task: (&*outcomes.graph().task(task).name).into(),
                application: outcomes.application_name(task).into(),
                host: place.as_ref().map(|(host, ..)| (*host).into()),
                core: place.as_ref().map(|(_, core, _)| *core),
                further_cores: place.and_then(|(.., further)| further).map(Text::from),
                planned_start: planned.map(|(start, _)| start),
                planned_end: planned.map(|(_, end)| end),
                ready,
                start,
                end,
                predicted,
                attempts,
                slack: slack.executed.get(task.index()).copied(),
                planned_slack: slack.planned.get(task.index()).copied(),
            };
            row.push(columns, sink)
        })
    }
}

impl RowSource for TransferRows<'_> {
    fn table(&self) -> Table {
        TransferRow::table(TransferColumns { failures: self.0.log.is_some() })
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let (outcomes, graph) = (self.0, self.0.graph());
        let columns = TransferColumns { failures: outcomes.log.is_some() };
        let attempts = outcomes.log.as_ref().map(|_| Attempts::of(outcomes));
        (0..).zip(&outcomes.transfers).try_for_each(|(place, transfer)| {
            let data = graph.data(transfer.edge);
            let name = |task: Option<TaskNumber>| Some((&*graph.task(task?).name).into());
            let host = |host| (&*outcomes.problem.grid.host(host).name).into();
            let writer = attempts.as_ref().and_then(|attempts| Some((attempts, attempts.writer(place)?)));
            let row = TransferRow {
                from_task: name(data.from),
                to_task: name(data.to),
                application: data.from.or(data.to).map(|task| outcomes.application_name(task).into()),
                file: graph.file_name(transfer.edge).map(Text::from),
                from_host: host(transfer.from),
                to_host: host(transfer.to),
                bytes: transfer.bytes,
                ready: transfer.ready.get(),
                start: transfer.start.get(),
                end: transfer.end.get(),
                attempt: writer.map(|(attempts, writer)| attempts.get(writer).ordinal),
                broken_off: attempts.as_ref().and_then(|attempts| attempts.broken_off(place)),
            };
            row.push(columns, sink)
        })
    }
}

rows! {
    /// The plans that were made.
    pub(crate) struct PlanRows<'a>(&'a Outcomes) of PlanRow;
    from run, &run.plans;
    plan => {
        at: plan.at,
        cause: Word(plan.cause.name()),
        tasks: plan.tasks,
        moved: plan.moved,
        end: plan.end,
        questions: plan.questions,
        looked_at: plan.looked_at,
    }
}

impl RowSource for HostRows<'_> {
    fn table(&self) -> Table {
        HostRow::table(HostColumns { prices: self.1.is_some() })
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let (outcomes, grid) = (self.0, &self.0.problem.grid);
        let makespan = outcomes.makespan().unwrap_or(outcomes.ended_at).as_secs_f64();
        let costs = self.1.map(|billing| billing.by_host(outcomes));
        grid.hosts().zip(outcomes.by_host()).try_for_each(|(host, (tasks, busy))| {
            let cores = grid.cores_of(host).len() as u64;
            let whole = cores as f64 * makespan;
            let row = HostRow {
                host: (&*grid.host(host).name).into(),
                cores,
                tasks,
                busy,
                utilization: (whole > 0.0).then(|| busy.as_secs_f64() / whole),
                cost: costs.as_ref().map(|costs| costs[host.index()]),
            };
            row.push(HostColumns { prices: costs.is_some() }, sink)
        })
    }
}

impl RowSource for ComparedRows<'_> {
    fn table(&self) -> Table {
        SchedulerRow::declared()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let best = self.report.best().map(|(_, best)| best.as_secs_f64());
        let optimum = self.report.optimum.and_then(|optimum| optimum.proven()).map(SimTime::as_secs_f64);
        self.report.compared.iter().try_for_each(|one| {
            let real = |share: Option<f64>| share.filter(|share| share.is_finite());
            let above = |least: Option<f64>| {
                real(one.makespan.zip(least).map(|(makespan, least)| makespan.as_secs_f64() / least - 1.0))
            };
            let row = SchedulerRow {
                scheduler: (&*one.name).into(),
                makespan: one.makespan,
                plan_makespan: one.plan,
                gap: real(one.makespan.and_then(|makespan| self.bounds.gap(makespan))),
                above_best: above(best),
                above_optimum: above(optimum),
                reason: (&*one.why).into(),
            };
            row.push(Always, sink)
        })
    }
}

impl RowSource for CriticalRows<'_> {
    fn table(&self) -> Table {
        CriticalRow::declared()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let outcomes = self.0;
        let makespan = outcomes.makespan().map_or(0.0, SimTime::as_secs_f64);
        self.1.iter().try_for_each(|&CriticalStep { task, core, kind, start, end }| {
            let grid = &outcomes.problem.grid;
            let row = CriticalRow {
                task: (&*outcomes.graph().task(task).name).into(),
                step: Word(kind.name()),
                host: (&*grid.host(grid.host_of(core)).name).into(),
                start,
                end,
                share: (makespan > 0.0).then(|| end.since(start).as_secs_f64() / makespan),
            };
            row.push(Always, sink)
        })
    }
}

impl RowSource for BatsimRows<'_> {
    fn table(&self) -> Table {
        of_jobs()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let (outcomes, graph) = (self.0, self.0.graph());
        let mut ended: Vec<(SimTime, TaskNumber)> =
            graph.tasks().filter_map(|task| Some((outcomes.tasks[task.index()].end?, task))).collect();
        ended.sort_unstable();
        for (end, task) in ended {
            let record = &outcomes.tasks[task.index()];
            let (Some(core), Some(start)) = (record.core, record.start) else { continue };
            let parents = graph.incoming(task).iter();
            let parents = parents.filter_map(|edge| outcomes.tasks[graph.edge(*edge).from.index()].end);
            let arrival = graph.applications()[graph.application_of(task)].arrival;
            // a parent that was computed again may have ended after its child
            let submitted = parents.fold(arrival, SimTime::max).min(start);
            let mut on: Vec<Interval> = Vec::new();
            for Core(core) in outcomes.problem.grid.members(core) {
                match on.last_mut() {
                    Some(last) if last.last + 1 == core => last.last = core,
                    _ => on.push(Interval::new(core, core)),
                }
            }
            let job = BatsimJob {
                number: u64::from(task.0),
                workload: outcomes.application_name(task),
                profile: Cell::Text(&graph.task(task).name),
                submitted,
                procs: graph.task(task).cores,
                requested_time: record.predicted.map(|predicted| predicted.since(start)),
                success: true,
                final_state: "COMPLETED_SUCCESSFULLY",
                finished: Some(end),
                waited: Some(start.since(submitted)),
                run: Some(LastRun { start, alone: end.since(start), on: &on, picojoules: None }),
            };
            job.push(sink)?;
        }
        Ok(())
    }
}

impl RowSource for LoadRows<'_> {
    fn table(&self) -> Table {
        LoadRow::declared()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let platform = self.0.problem.grid.platform();
        let mut put = |resource, name: &str, trace: &Trace| {
            let mut next = Some(SimTime::ZERO).filter(|_| trace.is_drawn());
            while let Some(at) = next {
                let available = trace.value_at(at);
                let row = LoadRow { resource: Word(resource), name: name.into(), from: at, available };
                row.push(Always, sink)?;
                next = trace.next_change(at).filter(|at| *at < self.0.ended_at);
            }
            Ok::<_, io::Error>(())
        };
        platform.hosts().iter().try_for_each(|host| put("host", &host.name, &host.availability))?;
        let links = (0..).map(LinkId::new).zip(platform.links().iter());
        let mut drawn = links.filter(|(_, link)| link.bandwidth.is_drawn());
        drawn.try_for_each(|(id, link)| put("link", &platform.link_name(id), &link.bandwidth))
    }
}

/// The starts of tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartRows<'a>(pub &'a Outcomes);

impl RowSource for StartRows<'_> {
    fn table(&self) -> Table {
        AttemptRow::table(AttemptColumns { wide_tasks: self.0.graph().has_wide_tasks() })
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let outcomes = self.0;
        let columns = AttemptColumns { wide_tasks: outcomes.graph().has_wide_tasks() };
        let attempts = Attempts::of(outcomes);
        attempts.numbers().try_for_each(|number| {
            let Attempt { task, ordinal, core, ready, start, end, lost, .. } = attempts.get(number);
            let source = |source: DataSource| {
                let writer = source.writer.map(|writer| attempts.get(writer).ordinal.to_string());
                match (writer, source.transfer) {
                    (None, None) => "-".to_owned(),
                    (writer, None) => writer.unwrap_or_default(),
                    (writer, Some(transfer)) => format!("{}@{transfer}", writer.unwrap_or_default()),
                }
            };
            let data = attempts.sources(number).into_iter().map(source).collect::<Vec<_>>().join(" ");
            let (host, core, further) = outcomes.place(core);
            let row = AttemptRow {
                task: (&*outcomes.graph().task(task).name).into(),
                application: outcomes.application_name(task).into(),
                attempt: ordinal,
                host: host.into(),
                core,
                further_cores: further.map(Text::from),
                ready,
                start,
                end,
                lost,
                data: data.into(),
            };
            row.push(columns, sink)
        })
    }
}
