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
use crate::dag::billing::Billing;
use crate::dag::bounds::LowerBounds;
use crate::dag::critical_path::CriticalStep;
use crate::dag::execution::{Attempts, ExecutedTask, Outcomes, PlanRecord};
use crate::dag::gap::GapReport;
use crate::dag::grid::Core;
use crate::dag::slack::Slack;
use crate::instrument::tables::jobs::{self, BatsimJob, LastRun};
use crate::kernel::{SimDuration, SimTime};
use crate::output::{Cell, CellType, RowSink, RowSource, Table, columns};
use crate::platform::Trace;
use crate::platform::sharing::LinkId;
use crate::workflow::TaskNumber;

/// The tasks.
#[derive(Clone, Copy, Debug)]
pub struct TaskRows<'a>(pub &'a Outcomes);

/// Transfers between hosts.
#[derive(Clone, Copy, Debug)]
pub struct TransferRows<'a>(pub &'a Outcomes);

/// The plans that were made.
#[derive(Clone, Copy, Debug)]
pub struct PlanRows<'a>(pub &'a Outcomes);

/// Use of each host, and its cost if hosts have prices.
#[derive(Clone, Copy, Debug)]
pub struct HostRows<'a>(pub &'a Outcomes, pub Option<&'a Billing>);

/// The schedulers that a run is compared with.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRows<'a> {
    /// Comparison of the schedulers.
    pub report: &'a GapReport,
    /// The lower bounds of the makespan.
    pub bounds: &'a LowerBounds,
}

/// The critical path: its steps, in order.
#[derive(Clone, Copy, Debug)]
pub struct CriticalRows<'a>(pub &'a Outcomes, pub &'a [CriticalStep]);

/// The tasks that ended, as Batsim has jobs.
#[derive(Clone, Copy, Debug)]
pub struct BatsimRows<'a>(pub &'a Outcomes);

/// The loads that were drawn, up to the end of the run.
#[derive(Clone, Copy, Debug)]
pub struct LoadRows<'a>(pub &'a Outcomes);

/// Every table that a run of task graphs may have.
pub fn declared() -> Vec<Table> {
    let mut tables = vec![
        Table::new(
            "plans",
            "of task graphs: a row for each time a plan was made. Key: record.tasks",
            &columns! {
                "at" Time "s", "when";
                "cause" Text "", "why";
                "tasks" Count "", "tasks that it has a place for";
                "moved" Count "", "of these, those that had another core before";
                "end" Time "s", "the last end of a task, as planned";
                "questions" Count "", "predictions that the scheduler asked for";
                "looked-at" Count "", "pairs of a task and a core that it looked at";
            },
        ),
        Table::new(
            "hosts",
            "of task graphs: a row a host, in the order of the platform. Key: record.tasks",
            &columns! {
                "host" Text "", "the host";
                "cores" Count "", "its cores";
                "tasks" Count "", "tasks that it computed to their ends";
                "busy" Time "s", "time of its cores in use";
                "utilization" Real "", "their share of cores x makespan";
                "cost" Real "", "price x billed time; only with `run.cost`";
            },
        ),
        Table::new(
            "schedulers",
            "of task graphs: a row a scheduler that the run is compared with, its own first. Key: record.gap",
            &columns! {
                "scheduler" Text "", "the scheduler";
                "makespan" Time "s", "the end of its last task; empty if it has no plan, or some task has not ended";
                "plan-makespan" Time "s", "the end of its first plan";
                "gap" Real "", "makespan / the lower bound - 1";
                "above-best" Real "", "makespan / the least makespan of all rows - 1";
                "above-optimum" Real "", "makespan / the optimum - 1; empty if it was not searched for, or not found";
                "reason" Text "", "why there is no makespan";
            },
        ),
        Table::new(
            "critical",
            "of task graphs: the chain of tasks, transfers and waits that ends at the makespan. Key: record.tasks",
            &columns! {
                "task" Text "", "the task that the step brings forward";
                "step" Text "", "what takes the time";
                "host" Text "", "the host of the task";
                "start" Time "s", "from when";
                "end" Time "s", "to when";
                "share" Real "", "its share of the makespan";
            },
        ),
        Table::new(
            "loads",
            "of task graphs: a row for each value of a load that was drawn, up to the end of the run. Key: record.loads",
            &columns! {
                "resource" Text "", "`host` or `link`";
                "name" Text "", "what it is called";
                "from" Time "s", "from when on";
                "available" Real "", "what is left: of a host the share of its speed, of a link its bandwidth in bytes a second";
            },
        ),
        Table::new(
            "jobs",
            "of task graphs: a row a task that ended, in order of end, with the columns of Batsim's file of that name. Key: record.tasks",
            &jobs::COLUMNS,
        ),
    ];
    tables.splice(0..0, of_tasks());
    tables
}

/// Tables of tasks and of transfers between them.
fn of_tasks() -> [Table; 3] {
    [
        Table::new(
            "tasks",
            "of task graphs: a row a task, in the order of the graph. Key: record.tasks",
            &columns! {
                "task" Text "", "the task";
                "application" Text "", "its workflow";
                "host" Text "", "the host that it is on";
                "core" Count "", "the core of the host, from 0; of several the lowest";
                "further-cores" Text "", "its other cores, with blanks between; only if some task asks for several";
                "planned-start" Time "s", "when it was planned to start, in the plan by which it started";
                "planned-end" Time "s", "when it was planned to end";
                "ready" Time "s", "when all its data were on the host";
                "start" Time "s", "when it started the last time";
                "end" Time "s", "when it ended";
                "predicted" Time "s", "when it was predicted to end as it started";
                "attempts" Count "", "how often it started";
                "slack" Time "s", "by how much it could have ended later without delaying the last task; empty if some task has not ended";
                "planned-slack" Time "s", "the same by the plan by which it started";
            },
        ),
        Table::new(
            "attempts",
            "of task graphs: a row a start of a task, in the order in which they began; only if hosts or links may fail, or tasks take no time. Key: record.tasks",
            &columns! {
                "task" Text "", "the task";
                "application" Text "", "its workflow";
                "attempt" Count "", "how often it had been started, this time included";
                "host" Text "", "the host that it was on";
                "core" Count "", "the core of the host, from 0; of several the lowest";
                "further-cores" Text "", "its other cores, with blanks between; only if some task asks for several";
                "ready" Time "s", "when all its data were on the host";
                "start" Time "s", "when it began";
                "end" Time "s", "when it ended; empty if a failure broke it off, or the run ended before";
                "lost" Time "s", "when a failure broke it off, or its host lost what it had written and it was needed once more";
                "data" Text "", "where its data came from, inputs first, then one of each edge from a parent: the attempt of the parent, then `@` and the row of transfers.csv, from 0, if they were sent; `-` of an input that was on its host";
            },
        ),
        Table::new(
            "transfers",
            "of task graphs: a row for everything that was sent between two hosts. Key: record.transfers",
            &columns! {
                "from-task" Text "", "the parent; none of data that begin at the home host";
                "to-task" Text "", "the child, where files are sent by themselves the first; none of files that go to the home host";
                "application" Text "", "their workflow";
                "file" Text "", "the file, if one is sent";
                "from-host" Text "", "the host of the parent";
                "to-host" Text "", "the host that the child was planned on";
                "bytes" Count "B", "how much";
                "ready" Time "s", "when the data were there to be sent";
                "start" Time "s", "when they were sent";
                "end" Time "s", "when they arrived";
                "attempt" Count "", "the attempt of the parent that wrote them; only if hosts or links may fail";
                "broken-off" Time "s", "when a failure broke them off; only if hosts or links may fail";
            },
        ),
    ]
}

/// The declaration of this name.
pub(super) fn table(name: &str) -> Table {
    declared().into_iter().find(|table| table.name == name).expect("it is declared above")
}

impl Outcomes {
    pub(super) fn application_name(&self, task: TaskNumber) -> &str {
        &self.graph().applications()[self.graph().application_of(task)].name
    }

    /// A table of tasks, without the column of further cores if no task has any.
    pub(super) fn table_of_places(&self, name: &str) -> Table {
        let mut table = table(name);
        table.columns.retain(|column| column.name != "further-cores" || self.graph().has_wide_tasks());
        table
    }

    /// Hands over a row of such a table: cells before the host, host and cores, cells behind.
    pub(super) fn row_with_place(
        &self,
        sink: &mut dyn RowSink,
        core: Option<Core>,
        (before, behind): (&[Cell<'_>], &[Cell<'_>]),
    ) -> io::Result<()> {
        let grid = &self.problem.grid;
        let of =
            |core| (Cell::Text(&grid.host(grid.host_of(core)).name), Cell::Count(u64::from(grid.rank(core))));
        let (host, rank) = core.map_or((Cell::Empty, Cell::Empty), of);
        let mut cells = [before, &[host, rank]].concat();
        let further = core.map_or_else(String::new, |core| {
            let further = grid.members(core).skip(1).map(|core| grid.rank(core).to_string());
            further.collect::<Vec<_>>().join(" ")
        });
        if self.graph().has_wide_tasks() {
            cells.push(if further.is_empty() { Cell::Empty } else { Cell::Text(&further) });
        }
        cells.extend_from_slice(behind);
        sink.row(&cells)
    }

    /// Of each host: tasks that ended on it, and the time of its cores in use by tasks that ended.
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

pub(super) fn instant(at: Option<SimTime>) -> Cell<'static> {
    at.map(Cell::at).unwrap_or_default()
}

impl RowSource for TaskRows<'_> {
    fn table(&self) -> Table {
        self.0.table_of_places("tasks")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let outcomes = self.0;
        let slack = Slack::of(outcomes);
        let of = |slack: &[SimDuration], task: TaskNumber| {
            slack.get(task.index()).copied().map(Cell::Time).unwrap_or_default()
        };
        outcomes.graph().tasks().try_for_each(|task| {
            let ExecutedTask { core, planned, ready, start, end, predicted, attempts, .. } =
                outcomes.tasks[task.index()];
            let names =
                [Cell::Text(&outcomes.graph().task(task).name), Cell::Text(outcomes.application_name(task))];
            let times = [
                instant(planned.map(|(start, _)| start)),
                instant(planned.map(|(_, end)| end)),
                instant(ready),
                instant(start),
                instant(end),
                instant(predicted),
                Cell::Count(u64::from(attempts)),
                of(&slack.executed, task),
                of(&slack.planned, task),
            ];
            outcomes.row_with_place(sink, core, (&names, &times))
        })
    }
}

impl RowSource for TransferRows<'_> {
    fn table(&self) -> Table {
        let mut table = table("transfers");
        if self.0.log.is_none() {
            table.columns.truncate(table.columns.len() - 2);
        }
        table
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let (outcomes, graph) = (self.0, self.0.graph());
        let attempts = outcomes.log.as_ref().map(|_| Attempts::of(outcomes));
        (0..).zip(&outcomes.transfers).try_for_each(|(place, transfer)| {
            let data = graph.data(transfer.edge);
            let name = |task: Option<TaskNumber>| {
                task.map_or(Cell::Empty, |task| Cell::Text(&graph.task(task).name))
            };
            let host = |host| Cell::Text(&outcomes.problem.grid.host(host).name);
            let cells = [
                name(data.from),
                name(data.to),
                data.from.or(data.to).map_or(Cell::Empty, |task| Cell::Text(outcomes.application_name(task))),
                graph.file_name(transfer.edge).map_or(Cell::Empty, Cell::Text),
                host(transfer.from),
                host(transfer.to),
                Cell::Count(transfer.bytes),
                instant(transfer.ready.get()),
                instant(transfer.start.get()),
                instant(transfer.end.get()),
            ];
            let Some(attempts) = &attempts else { return sink.row(&cells) };
            let writer = attempts.writer(place).map(|writer| attempts.get(writer).ordinal);
            let writer = writer.map_or(Cell::Empty, |ordinal| Cell::Count(u64::from(ordinal)));
            sink.row(&[&cells[..], &[writer, instant(attempts.broken_off(place))]].concat())
        })
    }
}

impl RowSource for PlanRows<'_> {
    fn table(&self) -> Table {
        table("plans")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        self.0.plans.iter().try_for_each(|plan| {
            let PlanRecord { at, cause, tasks, moved, end, questions, looked_at, .. } = *plan;
            sink.row(&[
                Cell::at(at),
                Cell::Word(cause.name()),
                Cell::Count(tasks),
                Cell::Count(moved),
                Cell::at(end),
                Cell::Count(questions),
                Cell::Count(looked_at),
            ])
        })
    }
}

impl RowSource for HostRows<'_> {
    fn table(&self) -> Table {
        let mut table = table("hosts");
        if self.1.is_none() {
            table.columns.pop();
        }
        table
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let (outcomes, grid) = (self.0, &self.0.problem.grid);
        let makespan = outcomes.makespan().unwrap_or(outcomes.ended_at).as_secs_f64();
        let costs = self.1.map(|billing| billing.by_host(outcomes));
        for (host, (tasks, busy)) in grid.hosts().zip(outcomes.by_host()) {
            let cores = grid.cores_of(host).len() as u64;
            let whole = cores as f64 * makespan;
            let share = if whole > 0.0 { Cell::Real(busy.as_secs_f64() / whole) } else { Cell::Empty };
            let name = Cell::Text(&grid.host(host).name);
            let cells = [name, Cell::Count(cores), Cell::Count(tasks), Cell::Time(busy), share];
            match &costs {
                None => sink.row(&cells)?,
                Some(costs) => sink.row(&[&cells[..], &[Cell::Real(costs[host.index()])]].concat())?,
            }
        }
        Ok(())
    }
}

impl RowSource for ComparedRows<'_> {
    fn table(&self) -> Table {
        table("schedulers")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let best = self.report.best().map(|(_, best)| best.as_secs_f64());
        let optimum = self.report.optimum.and_then(|optimum| optimum.proven()).map(SimTime::as_secs_f64);
        self.report.compared.iter().try_for_each(|one| {
            let real = |share: Option<f64>| {
                share.filter(|share| share.is_finite()).map(Cell::Real).unwrap_or_default()
            };
            let above = |least: Option<f64>| {
                real(one.makespan.zip(least).map(|(makespan, least)| makespan.as_secs_f64() / least - 1.0))
            };
            sink.row(&[
                Cell::Text(&one.name),
                instant(one.makespan),
                instant(one.plan),
                real(one.makespan.and_then(|makespan| self.bounds.gap(makespan))),
                above(best),
                above(optimum),
                Cell::Text(&one.why),
            ])
        })
    }
}

impl RowSource for CriticalRows<'_> {
    fn table(&self) -> Table {
        table("critical")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let outcomes = self.0;
        let makespan = outcomes.makespan().map_or(0.0, SimTime::as_secs_f64);
        self.1.iter().try_for_each(|&CriticalStep { task, core, kind, start, end }| {
            let grid = &outcomes.problem.grid;
            let host = Cell::Text(&grid.host(grid.host_of(core)).name);
            let name = Cell::Text(&outcomes.graph().task(task).name);
            let share = end.since(start).as_secs_f64() / makespan;
            sink.row(&[
                name,
                Cell::Word(kind.name()),
                host,
                Cell::at(start),
                Cell::at(end),
                Cell::Real(share),
            ])
        })
    }
}

impl RowSource for BatsimRows<'_> {
    fn table(&self) -> Table {
        let mut table = table("jobs");
        // -1 in every row
        table.columns[jobs::ENERGY].kind = CellType::Integer;
        table
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
            sink.row(&job.cells())?;
        }
        Ok(())
    }
}

impl RowSource for LoadRows<'_> {
    fn table(&self) -> Table {
        table("loads")
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let platform = self.0.problem.grid.platform();
        let mut put = |resource, name: &str, trace: &Trace| {
            let mut next = Some(SimTime::ZERO).filter(|_| trace.is_drawn());
            while let Some(at) = next {
                let available = Cell::Real(trace.value_at(at));
                sink.row(&[Cell::Word(resource), Cell::Text(name), Cell::at(at), available])?;
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
