//! Tables that a run of global computing hands over.
//!
//! - `tasks`, a row a task in the order of issue; `jobs`, those that were executed in the columns
//!   of Batsim.
//! - `attempts`, the attempts of tasks that brought no results, in the order in which they were
//!   given up.
//! - `packets`, those of clients and probes in the order in which they left their queues.
//! - `decisions`, what each cost, in the order of time.
//! - `measurements` and `forecasts`, in the order of time; `forecasters`, a row a series and
//!   forecaster, and `believed`, a row a span of time in which one of them was believed.
//! - `agreement`, a row a measurement that is compared with the series that it replays.
//! - `servers` and `queues`, in the order of the scenario; queues that nothing went through are
//!   left out.

use std::io;

use crate::broker::measured_tables as measured;
use crate::broker::outcomes::BrokerOutcomes;
use crate::broker::record::{CalledTask, SentPacket, TaskState};
use crate::broker::station::Usage;
use crate::collections::Interval;
use crate::instrument::tables::jobs::{self, BatsimJob, LastRun};
use crate::kernel::{SimDuration, SimTime};
use crate::output::{Cell, CellType, RowSink, RowSource, Table, columns};

/// A table of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BrokerTable {
    /// Outcome of each task.
    Tasks,
    /// Attempts that brought no results.
    Attempts,
    /// Packets of clients and of probes.
    Packets,
    /// Regret of decisions.
    Decisions,
    /// Measurements of monitors.
    Measurements,
    /// Forecasts.
    Forecasts,
    /// Errors of forecasters.
    Forecasters,
    /// Forecasters that were believed, with the times.
    Believed,
    /// Measurements, and the points of the series that they replay.
    Agreement,
    /// Work of each server.
    Servers,
    /// Traffic of each queue.
    Queues,
    /// The tasks that were executed, as Batsim has jobs.
    Jobs,
}

impl BrokerTable {
    /// All tables, in the order of the manual.
    pub const ALL: [BrokerTable; 12] = [
        BrokerTable::Tasks,
        BrokerTable::Attempts,
        BrokerTable::Packets,
        BrokerTable::Decisions,
        BrokerTable::Measurements,
        BrokerTable::Forecasts,
        BrokerTable::Forecasters,
        BrokerTable::Believed,
        BrokerTable::Agreement,
        BrokerTable::Servers,
        BrokerTable::Queues,
        BrokerTable::Jobs,
    ];

    /// The declaration.
    #[expect(clippy::too_many_lines, reason = "one table after another")]
    pub fn declared(self) -> Table {
        match self {
            BrokerTable::Tasks => Table::new(
                "tasks",
                "of global computing: a row a task, in the order of issue. What did not happen is empty; instants are those of the last attempt. Key: record.tasks",
                &columns! {
                    "task" Count "", "its number, in the order of issue";
                    "client" Text "", "its client";
                    "class" Count "", "its class, in the order of the client's";
                    "server" Text "", "the server that it was sent to last";
                    "state" Text "", "what became of it";
                    "issued" Time "s", "when the client had it";
                    "decided" Time "s", "when the scheduler had answered";
                    "sent" Time "s", "when the last packet of its arguments had left the network";
                    "queued" Time "s", "when all of them had arrived";
                    "started" Time "s", "when it began to be executed";
                    "ended" Time "s", "when it was executed";
                    "received" Time "s", "when its results were back";
                    "deadline" Time "s", "when the client wanted them";
                    "fallbacks" Count "", "how often it came back to the scheduler, late or failed";
                    "predicted" Real "s", "how long it was predicted to take on its server";
                    "send" Real "B", "its arguments";
                    "receive" Real "B", "its results";
                    "instructions" Real "", "its operations";
                    "processors" Count "", "processors of its server that it needs at once, among which its operations are divided";
                },
            ),
            BrokerTable::Attempts => Table::new(
                "attempts",
                "of global computing: a row an attempt that brought no results, in the order in which they were given up. Key: record.tasks",
                &columns! {
                    "task" Count "", "the task";
                    "server" Text "", "the server that it was sent to";
                    "reason" Text "", "why it was given up";
                    "decided" Time "s", "when the scheduler had answered";
                    "queued" Time "s", "when all arguments had arrived";
                    "until" Time "s", "when it was given up, and the task asked again";
                },
            ),
            BrokerTable::Packets => Table::new(
                "packets",
                "of global computing: a row a packet of a client or of a probe and queue, in the order in which they left. Key: record.packets",
                &columns! {
                    "queue" Text "", "the queue";
                    "task" Count "", "its task; empty for a probe";
                    "transfer" Count "", "the number of its transfer";
                    "packet" Count "", "its number in the transfer, from 0";
                    "hop" Count "", "which queue of the route it was, from 0";
                    "bytes" Real "B", "its size";
                    "entered" Time "s", "when it entered the queue";
                    "started" Time "s", "when it began to be served";
                    "left" Time "s", "when it left the queue";
                },
            ),
            BrokerTable::Decisions => Table::new(
                "decisions",
                "of global computing: a row a decision for a server, in the order of time, with what other servers would bring: when results are back from each, by all that others are going to do, if no further work of ours comes; empty if never. With record.run-on a row is of a decision that was run on from, and has what happened. Key: record.regret",
                &columns! {
                    "time" Time "s", "when it was made";
                    "task" Count "", "the task";
                    "server" Text "", "the server that was chosen";
                    "completion" Time "s", "when results are back from it";
                    "by_predictions" Text "", "the server with the least predicted time";
                    "completion_by_predictions" Time "s", "when results are back from it";
                    "by_measurements" Text "", "the server with the least time by what was measured last";
                    "completion_by_measurements" Time "s", "when results are back from it";
                    "by_state" Text "", "the server with the least time by the state at the instant";
                    "completion_by_state" Time "s", "when results are back from it";
                    "best" Text "", "the server from which results are back first";
                    "best_completion" Time "s", "when results are back from it";
                    "regret" Time "s", "how much later that is from the chosen server; empty if never from one of the five, as are its four causes";
                    "rule" Real "s", "the part of it that is the scheduler's rule: from the server by predictions to the chosen one";
                    "forecast" Real "s", "the part that forecasts cost: from the server by measurements to that by predictions; below 0 they help";
                    "age" Real "s", "the part that the age of measurements costs: from the server by state to that by measurements";
                    "estimate" Real "s", "the part that is left: from the best server to that by state";
                },
            ),
            BrokerTable::Measurements => measured::measurements(),
            BrokerTable::Forecasts => measured::forecasts(),
            BrokerTable::Forecasters => measured::forecasters(),
            BrokerTable::Believed => measured::believed(),
            BrokerTable::Agreement => measured::agreement(),
            BrokerTable::Servers => Table::new(
                "servers",
                "of global computing: a row a server. Key: record.tasks",
                &columns! {
                    "server" Text "", "its name";
                    "performance" Real "", "operations per second of a processor";
                    "processors" Count "", "its processors";
                    "tasks" Count "", "tasks that it executed, of those observed";
                    "own" Time "s", "time of its processors for tasks of clients, after the warm-up";
                    "probe" Time "s", "the same for readings of monitors";
                    "extraneous" Time "s", "the same for tasks of others";
                    "utilization" Real "", "time of processors in service / (processors x window)";
                },
            ),
            BrokerTable::Queues => Table::new(
                "queues",
                "of global computing: a row a queue that something went through. Key: record.tasks",
                &columns! {
                    "queue" Text "", "its name";
                    "own" Real "B", "bytes of tasks of clients, after the warm-up";
                    "probe" Real "B", "the same of probes";
                    "extraneous" Real "B", "the same of others";
                    "utilization" Real "", "time in service / window";
                    "delay" Real "s", "mean time of a packet of a task in the queue, with its service";
                },
            ),
            BrokerTable::Jobs => {
                let about = "of global computing: a row a task that was executed, in the order of issue, with the columns of Batsim's file of that name; resources are places of servers. Key: record.tasks";
                let mut table = Table::new("jobs", about, &jobs::COLUMNS);
                // -1 in every row
                table.columns[jobs::ENERGY].kind = CellType::Integer;
                table
            }
        }
    }

    /// Rows of a run.
    pub fn rows(self, outcomes: &BrokerOutcomes) -> BrokerRows<'_> {
        BrokerRows { outcomes, kind: self }
    }
}

/// Every table that a run may have.
pub fn declared() -> Vec<Table> {
    BrokerTable::ALL.into_iter().map(BrokerTable::declared).collect()
}

/// The rows of a table of a run.
#[derive(Clone, Copy, Debug)]
pub struct BrokerRows<'a> {
    outcomes: &'a BrokerOutcomes,
    kind: BrokerTable,
}

impl RowSource for BrokerRows<'_> {
    fn table(&self) -> Table {
        self.kind.declared()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let outcomes = self.outcomes;
        match self.kind {
            BrokerTable::Tasks => outcomes
                .tasks
                .iter()
                .enumerate()
                .try_for_each(|(number, task)| sink.row(&task_cells(outcomes, number, task))),
            BrokerTable::Attempts => outcomes.lost.iter().try_for_each(|lost| {
                let [decided, queued, until] = [lost.decided, lost.queued, lost.until].map(instant);
                let server = Cell::Text(&outcomes.servers[lost.server.index()].name);
                let reason = Cell::Word(lost.reason.name());
                sink.row(&[Cell::Count(lost.task), server, reason, decided, queued, until])
            }),
            BrokerTable::Packets => packets(outcomes, sink),
            BrokerTable::Decisions => decisions(outcomes, sink),
            BrokerTable::Measurements => measured::push_measurements(outcomes, sink),
            BrokerTable::Forecasts => measured::push_forecasts(outcomes, sink),
            BrokerTable::Forecasters => measured::push_forecasters(outcomes, sink),
            BrokerTable::Believed => measured::push_believed(outcomes, sink),
            BrokerTable::Agreement => measured::push_agreement(outcomes, sink),
            BrokerTable::Servers => servers(outcomes, sink),
            BrokerTable::Queues => queues(outcomes, sink),
            BrokerTable::Jobs => jobs(outcomes, sink),
        }
    }
}

fn instant(at: SimTime) -> Cell<'static> {
    if at == SimTime::MAX { Cell::Empty } else { Cell::at(at) }
}

fn task_cells<'a>(outcomes: &'a BrokerOutcomes, number: usize, task: &CalledTask) -> [Cell<'a>; 19] {
    let server = outcomes.servers.get(task.server.index());
    [
        Cell::Count(number as u64),
        Cell::Text(&outcomes.clients[task.client.index()]),
        Cell::Count(task.class.into()),
        server.map(|server| Cell::Text(&server.name)).unwrap_or_default(),
        Cell::Word(task.state.name()),
        instant(task.issued),
        instant(task.decided),
        instant(task.sent),
        instant(task.queued),
        instant(task.started),
        instant(task.ended),
        instant(task.received),
        instant(task.deadline),
        Cell::Count(task.fallbacks.into()),
        if task.predicted.is_finite() { Cell::Real(task.predicted) } else { Cell::Empty },
        Cell::Real(task.bytes[0]),
        Cell::Real(task.bytes[1]),
        Cell::Real(task.instructions),
        Cell::Count(task.processors.into()),
    ]
}

fn packets(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.packets.iter().try_for_each(|SentPacket { task, queue, run }| {
        let found = outcomes.queues.binary_search_by_key(queue, |queue| queue.number);
        sink.row(&[
            found.map(|place| Cell::Text(&outcomes.queues[place].name)).unwrap_or_default(),
            task.map(Cell::Count).unwrap_or_default(),
            Cell::Count(run.flow),
            Cell::Count(run.number),
            Cell::Count(run.hop as u64),
            Cell::Real(run.bytes),
            Cell::at(run.arrived),
            Cell::at(run.start),
            Cell::at(run.end),
        ])
    })
}

fn decisions(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.regrets.iter().try_for_each(|decision| {
        let mut row = vec![Cell::at(decision.at), Cell::Count(decision.task)];
        for step in decision.steps() {
            row.push(Cell::Text(&outcomes.servers[step.server.index()].name));
            row.push(instant(step.at));
        }
        let costs = decision.costs();
        row.push(costs.map(|_| Cell::Time(decision.chosen.at - decision.best.at)).unwrap_or_default());
        row.extend((0..4).map(|cause| costs.map(|costs| Cell::Real(costs[cause])).unwrap_or_default()));
        sink.row(&row)
    })
}

/// The share of the window that was busy; nothing if the window is empty.
pub(super) fn utilization(usage: &Usage, processors: u32, window: SimDuration) -> Option<f64> {
    let all = window.as_secs_f64() * f64::from(processors);
    (all > 0.0).then(|| usage.total().as_secs_f64() / all)
}

fn servers(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.servers.iter().try_for_each(|server| {
        let [own, probe, extraneous] = server.usage.busy.map(Cell::Time);
        let utilization = utilization(&server.usage, server.processors, outcomes.window());
        sink.row(&[
            Cell::Text(&server.name),
            Cell::Real(server.performance),
            Cell::Count(server.processors.into()),
            Cell::Count(server.completed),
            own,
            probe,
            extraneous,
            utilization.map(Cell::Real).unwrap_or_default(),
        ])
    })
}

fn queues(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.queues.iter().try_for_each(|queue| {
        let [own, probe, extraneous] = queue.usage.work.map(Cell::Real);
        let utilization = utilization(&queue.usage, 1, outcomes.window());
        sink.row(&[
            Cell::Text(&queue.name),
            own,
            probe,
            extraneous,
            utilization.map(Cell::Real).unwrap_or_default(),
            queue.delays.mean_secs().map(Cell::Real).unwrap_or_default(),
        ])
    })
}

fn jobs(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    for (number, task) in outcomes.tasks.iter().enumerate().filter(|(_, task)| task.ended < SimTime::MAX) {
        let on = [Interval::new(task.server.0, task.server.0)];
        let alone = task.ended.since(task.started);
        let class = format!("class {}", task.class);
        let is_done = task.state == TaskState::Completed;
        let job = BatsimJob {
            number: number as u64,
            workload: &outcomes.clients[task.client.index()],
            profile: Cell::Text(&class),
            submitted: task.issued,
            procs: 1,
            requested_time: None,
            success: is_done,
            final_state: if is_done { "COMPLETED_SUCCESSFULLY" } else { "EXECUTION_TIMEOUT" },
            finished: Some(task.ended),
            waited: Some(task.started.since(task.issued)),
            run: Some(LastRun { start: task.started, alone, on: &on, picojoules: None }),
        };
        sink.row(&job.cells())?;
    }
    Ok(())
}
