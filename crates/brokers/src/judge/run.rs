//! The tables of a run of global computing. A cell that cannot be read is an error with its file,
//! line and column.

use crate::kernel::{SimDuration, SimTime};
use crate::output::{Category, RowFile, Word};
use crate::rows;

use super::{BrokerFacts, BrokerFiles, Violation};

/// A row of `tasks.csv`.
#[derive(Debug)]
pub(super) struct TaskRow {
    pub(super) number: u64,
    pub(super) client: String,
    pub(super) class: u64,
    pub(super) server: String,
    pub(super) state: TaskEnd,
    /// Issued, decided, sent, queued, started, ended, received.
    pub(super) steps: [Option<SimTime>; 7],
    pub(super) deadline: Option<SimTime>,
    pub(super) fallbacks: u64,
    /// Bytes there and back.
    pub(super) bytes: [f64; 2],
    pub(super) instructions: f64,
    pub(super) processors: u64,
}

/// Outcome of a task, as the file says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TaskEnd {
    Completed,
    Rejected,
    Unfinished,
}

/// A row of `attempts.csv`.
#[derive(Debug)]
pub(super) struct AttemptRow {
    pub(super) task: u64,
    pub(super) server: String,
    pub(super) is_late: bool,
    pub(super) decided: SimTime,
    pub(super) queued: SimTime,
    pub(super) until: SimTime,
}

/// A row of `measurements.csv`.
#[derive(Debug)]
pub(super) struct MeasuredRow {
    pub(super) time: SimTime,
    /// Kind, from, to.
    pub(super) series: [String; 3],
    pub(super) value: f64,
}

/// A row of `forecasts.csv`.
#[derive(Debug)]
pub(super) struct ForecastRow {
    pub(super) time: SimTime,
    pub(super) series: [String; 3],
    pub(super) forecaster: String,
    pub(super) forecast: f64,
    pub(super) actual: f64,
}

/// A row of `packets.csv`.
#[derive(Debug)]
pub(super) struct PacketRow {
    /// If it exists.
    pub(super) queue: Option<usize>,
    pub(super) task: Option<u64>,
    pub(super) transfer: u64,
    pub(super) packet: u64,
    pub(super) hop: u64,
    pub(super) bytes: f64,
    pub(super) entered: SimTime,
    pub(super) started: SimTime,
    pub(super) left: SimTime,
}

/// A row of `decisions.csv`.
#[derive(Debug)]
pub(super) struct DecisionRow {
    pub(super) time: SimTime,
    pub(super) task: u64,
    /// The server that was chosen, those by predictions, measurements and state, and the best, each
    /// with the completion in truth; the end of time if never.
    pub(super) steps: [(String, SimTime); 5],
    /// The regret and its four causes.
    pub(super) costs: [Option<f64>; 5],
}

/// The files of a run, as read.
pub(super) struct Run<'a> {
    pub(super) files: BrokerFiles<'a>,
    pub(super) facts: &'a dyn BrokerFacts,
    pub(super) tasks: Vec<TaskRow>,
    pub(super) attempts: Option<Vec<AttemptRow>>,
    pub(super) measurements: Option<Vec<MeasuredRow>>,
    pub(super) forecasts: Option<Vec<ForecastRow>>,
    pub(super) packets: Option<Vec<PacketRow>>,
    pub(super) decisions: Option<Vec<DecisionRow>>,
}

impl<'a> Run<'a> {
    /// Reads all files.
    ///
    /// # Errors
    /// What is wrong with the first that cannot be read, and where.
    pub(super) fn read(
        files: &BrokerFiles<'a>,
        tasks: &str,
        facts: &'a dyn BrokerFacts,
    ) -> Result<Self, String> {
        Ok(Run {
            files: *files,
            facts,
            tasks: read_tasks(tasks)?,
            attempts: files.attempts.map(read_attempts).transpose()?,
            measurements: files.measurements.map(read_measurements).transpose()?,
            forecasts: files.forecasts.map(read_forecasts).transpose()?,
            packets: files.packets.map(|text| read_packets(text, facts)).transpose()?,
            decisions: files.decisions.map(read_decisions).transpose()?,
        })
    }

    /// Attempts that were given up of tasks that exist, in order.
    pub(super) fn lost(&self) -> impl Iterator<Item = (&AttemptRow, &TaskRow)> {
        let of_task = |attempt: &AttemptRow| {
            self.tasks.get(usize::try_from(attempt.task).ok()?).filter(|task| task.number == attempt.task)
        };
        self.attempts.iter().flatten().filter_map(move |attempt| Some((attempt, of_task(attempt)?)))
    }

    /// Returns true if a task was issued after the warm-up.
    pub(super) fn is_observed(&self, task: &TaskRow) -> bool {
        task.steps[0] >= Some(self.files.warm_up)
    }
}

/// Returns a violation of a task.
pub(super) fn of_task(task: u64, at: Option<SimTime>, what: &str) -> Violation {
    Violation::of_no_job(at.unwrap_or_default(), format!("task {task} {what}"))
}

fn read_tasks(text: &str) -> Result<Vec<TaskRow>, String> {
    let mut rows = Vec::new();
    RowFile::<rows::TaskRow<'_>>::new(text)?.each(|row, line| {
        let state = |text: &str| match text {
            "completed" => Some(TaskEnd::Completed),
            "rejected" => Some(TaskEnd::Rejected),
            "unfinished" => Some(TaskEnd::Unfinished),
            _ => None,
        };
        rows.push(TaskRow {
            number: row.task,
            state: line.find(&row.state, "state of a task", state)?,
            client: row.client.0.into_owned(),
            class: row.class,
            server: row.server.unwrap_or_default().0.into_owned(),
            steps: [row.issued, row.decided, row.sent, row.queued, row.started, row.ended, row.received],
            deadline: row.deadline,
            fallbacks: row.fallbacks,
            bytes: [row.send, row.receive],
            instructions: row.instructions,
            processors: row.processors,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_attempts(text: &str) -> Result<Vec<AttemptRow>, String> {
    let mut rows = Vec::new();
    RowFile::<rows::AttemptRow<'_>>::new(text)?.each(|row, line| {
        let reason = |text: &str| ["failed", "late"].iter().position(|word| *word == text);
        let there =
            |at: Option<SimTime>| at.ok_or_else(|| line.wrong("an instant of the attempt is missing"));
        rows.push(AttemptRow {
            task: row.task,
            is_late: line.find(&row.reason, "reason", reason)? == 1,
            server: row.server.0.into_owned(),
            decided: there(row.decided)?,
            queued: there(row.queued)?,
            until: there(row.until)?,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_measurements(text: &str) -> Result<Vec<MeasuredRow>, String> {
    let mut rows = Vec::new();
    RowFile::<rows::MeasurementRow<'_>>::new(text)?.each(|row, _| {
        let series = series(row.kind, row.from, row.to);
        rows.push(MeasuredRow { time: row.time, series, value: row.value });
        Ok(())
    })?;
    Ok(rows)
}

fn read_forecasts(text: &str) -> Result<Vec<ForecastRow>, String> {
    let mut rows = Vec::new();
    RowFile::<rows::ForecastRow<'_>>::new(text)?.each(|row, _| {
        rows.push(ForecastRow {
            time: row.time,
            series: series(row.kind, row.from, row.to),
            forecaster: row.forecaster.0.into_owned(),
            forecast: row.forecast,
            actual: row.actual,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_packets(text: &str, facts: &dyn BrokerFacts) -> Result<Vec<PacketRow>, String> {
    let mut rows = Vec::new();
    RowFile::<rows::PacketRow<'_>>::new(text)?.each(|row, _| {
        rows.push(PacketRow {
            queue: row.queue.and_then(|queue| facts.queue(&queue)),
            task: row.task,
            transfer: row.transfer,
            packet: row.packet,
            hop: row.hop,
            bytes: row.bytes,
            entered: row.entered,
            started: row.started,
            left: row.left,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_decisions(text: &str) -> Result<Vec<DecisionRow>, String> {
    let mut rows = Vec::new();
    RowFile::<rows::DecisionRow<'_>>::new(text)?.each(|row, _| {
        let steps = [
            (row.server, row.completion),
            (row.by_predictions, row.completion_by_predictions),
            (row.by_measurements, row.completion_by_measurements),
            (row.by_state, row.completion_by_state),
            (row.best, row.best_completion),
        ];
        rows.push(DecisionRow {
            time: row.time,
            task: row.task,
            steps: steps.map(|(server, at)| (server.0.into_owned(), at.unwrap_or(SimTime::MAX))),
            costs: [row.regret.map(SimDuration::as_secs_f64), row.rule, row.forecast, row.age, row.estimate],
        });
        Ok(())
    })?;
    Ok(rows)
}

/// Kind, from and to of a series; without an end it is of a server.
pub(super) fn series(kind: Word<'_>, from: Category<'_>, to: Option<Category<'_>>) -> [String; 3] {
    [(*kind).to_owned(), from.0.into_owned(), to.unwrap_or_default().0.into_owned()]
}
