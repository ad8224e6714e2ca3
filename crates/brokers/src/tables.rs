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

use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};
use crate::measured_tables as measured;
use crate::outcomes::BrokerOutcomes;
use crate::output::{Always, Cell, Row as _, RowSink, RowSource, Table, Word};
use crate::record::{SentPacket, TaskState};
use crate::regret::TrueCompletion;
use crate::rows::{
    AgreementRow, AttemptRow, BelievedRow, DecisionRow, ForecastRow, ForecasterRow, MeasurementRow,
    PacketRow, QueueRow, ServerRow, TaskRow,
};
use crate::station::Usage;
use clustersim_experiment::rows::batsim::{BatsimJob, LastRun};
use clustersim_experiment::rows::jobs::JobRow;

/// A table of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BrokerTable {
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
    pub(crate) const ALL: [BrokerTable; 12] = [
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
    pub(crate) fn declared(self) -> Table {
        match self {
            BrokerTable::Tasks => TaskRow::declared(),
            BrokerTable::Attempts => AttemptRow::declared(),
            BrokerTable::Packets => PacketRow::declared(),
            BrokerTable::Decisions => DecisionRow::declared(),
            BrokerTable::Measurements => MeasurementRow::declared(),
            BrokerTable::Forecasts => ForecastRow::declared(),
            BrokerTable::Forecasters => ForecasterRow::declared(),
            BrokerTable::Believed => BelievedRow::declared(),
            BrokerTable::Agreement => AgreementRow::declared(),
            BrokerTable::Servers => ServerRow::declared(),
            BrokerTable::Queues => QueueRow::declared(),
            BrokerTable::Jobs => JobRow::of_tasks(
                "of global computing: a row a task that was executed, in the order of issue, with the columns of Batsim's file of that name; resources are places of servers. Key: record.tasks",
            ),
        }
    }

    /// Rows of a run.
    pub(crate) fn rows(self, outcomes: &BrokerOutcomes) -> BrokerRows<'_> {
        BrokerRows { outcomes, kind: self }
    }
}

/// Every table that a run may have.
pub fn declared() -> Vec<Table> {
    BrokerTable::ALL.into_iter().map(BrokerTable::declared).collect()
}

/// The rows of a table of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BrokerRows<'a> {
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
            BrokerTable::Tasks => tasks(outcomes, sink),
            BrokerTable::Attempts => attempts(outcomes, sink),
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

/// An instant; `None` if it never came.
fn instant(at: SimTime) -> Option<SimTime> {
    Some(at).filter(|at| *at < SimTime::MAX)
}

fn tasks(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    (0..).zip(&outcomes.tasks).try_for_each(|(number, task)| {
        let server = outcomes.servers.get(task.server.index());
        let row = TaskRow {
            task: number,
            client: (&*outcomes.clients[task.client.index()]).into(),
            class: task.class.into(),
            server: server.map(|server| (&*server.name).into()),
            state: Word(task.state.name()),
            issued: instant(task.issued),
            decided: instant(task.decided),
            sent: instant(task.sent),
            queued: instant(task.queued),
            started: instant(task.started),
            ended: instant(task.ended),
            received: instant(task.received),
            deadline: instant(task.deadline),
            fallbacks: task.fallbacks.into(),
            predicted: Some(task.predicted).filter(|predicted| predicted.is_finite()),
            send: task.bytes[0],
            receive: task.bytes[1],
            instructions: task.instructions,
            processors: task.processors.into(),
        };
        row.push(Always, sink)
    })
}

fn attempts(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.lost.iter().try_for_each(|lost| {
        let row = AttemptRow {
            task: lost.task,
            server: (&*outcomes.servers[lost.server.index()].name).into(),
            reason: Word(lost.reason.name()),
            decided: instant(lost.decided),
            queued: instant(lost.queued),
            until: instant(lost.until),
        };
        row.push(Always, sink)
    })
}

fn packets(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.packets.iter().try_for_each(|SentPacket { task, queue, run }| {
        let found = outcomes.queues.binary_search_by_key(queue, |queue| queue.number);
        let row = PacketRow {
            queue: found.ok().map(|place| (&*outcomes.queues[place].name).into()),
            task: *task,
            transfer: run.flow,
            packet: run.number,
            hop: run.hop as u64,
            bytes: run.bytes,
            entered: run.arrived,
            started: run.start,
            left: run.end,
        };
        row.push(Always, sink)
    })
}

fn decisions(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.regrets.iter().try_for_each(|decision| {
        let [chosen, by_predictions, by_measurements, by_state, best] = decision.steps();
        let costs = decision.costs();
        let server = |step: &TrueCompletion| (&*outcomes.servers[step.server.index()].name).into();
        let row = DecisionRow {
            time: decision.at,
            task: decision.task,
            server: server(&chosen),
            completion: instant(chosen.at),
            by_predictions: server(&by_predictions),
            completion_by_predictions: instant(by_predictions.at),
            by_measurements: server(&by_measurements),
            completion_by_measurements: instant(by_measurements.at),
            by_state: server(&by_state),
            completion_by_state: instant(by_state.at),
            best: server(&best),
            best_completion: instant(best.at),
            regret: costs.map(|_| decision.chosen.at - decision.best.at),
            rule: costs.map(|[rule, ..]| rule),
            forecast: costs.map(|[_, forecast, ..]| forecast),
            age: costs.map(|[_, _, age, _]| age),
            estimate: costs.map(|[.., estimate]| estimate),
        };
        row.push(Always, sink)
    })
}

/// The share of the window that was busy; nothing if the window is empty.
pub(super) fn utilization(usage: &Usage, processors: u32, window: SimDuration) -> Option<f64> {
    let all = window.as_secs_f64() * f64::from(processors);
    (all > 0.0).then(|| usage.total().as_secs_f64() / all)
}

fn servers(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.servers.iter().try_for_each(|server| {
        let [own, probe, extraneous] = server.usage.busy;
        let row = ServerRow {
            server: (&*server.name).into(),
            performance: server.performance,
            processors: server.processors,
            tasks: server.completed,
            own,
            probe,
            extraneous,
            utilization: utilization(&server.usage, server.processors, outcomes.window()),
        };
        row.push(Always, sink)
    })
}

fn queues(outcomes: &BrokerOutcomes, sink: &mut dyn RowSink) -> io::Result<()> {
    outcomes.queues.iter().try_for_each(|queue| {
        let [own, probe, extraneous] = queue.usage.work;
        let row = QueueRow {
            queue: (&*queue.name).into(),
            own,
            probe,
            extraneous,
            utilization: utilization(&queue.usage, 1, outcomes.window()),
            delay: queue.delays.mean_secs(),
        };
        row.push(Always, sink)
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
        job.push(sink)?;
    }
    Ok(())
}
