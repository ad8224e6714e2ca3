//! The tables of a run of global computing. A cell that cannot be read is an error with its file,
//! line and column.

use crate::check::plan::rows::{each_row, instant};
use crate::kernel::SimTime;

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

/// That something happened to a task.
pub(super) fn of_task(task: u64, at: Option<SimTime>, what: &str) -> Violation {
    Violation::of_no_job(at.unwrap_or_default(), format!("task {task} {what}"))
}

fn read_tasks(text: &str) -> Result<Vec<TaskRow>, String> {
    let names = [
        "task",
        "client",
        "class",
        "server",
        "state",
        "issued",
        "decided",
        "sent",
        "queued",
        "started",
        "ended",
        "received",
        "deadline",
        "fallbacks",
        "send",
        "receive",
        "instructions",
        "processors",
    ];
    let mut rows = Vec::new();
    each_row("tasks.csv", text, names, |row| {
        let state = |text: &str| match text {
            "completed" => Some(TaskEnd::Completed),
            "rejected" => Some(TaskEnd::Rejected),
            "unfinished" => Some(TaskEnd::Unfinished),
            _ => None,
        };
        let mut steps = [None; 7];
        for (step, column) in steps.iter_mut().zip(5..) {
            *step = row.time(column)?;
        }
        rows.push(TaskRow {
            number: row.count(0)?,
            client: row.cells[1].text().into_owned(),
            class: row.count(2)?,
            server: row.cells[3].text().into_owned(),
            state: row.read(4, "state of a task", state)?,
            steps,
            deadline: row.time(12)?,
            fallbacks: row.count(13)?,
            bytes: [row.number(14)?, row.number(15)?],
            instructions: row.number(16)?,
            processors: row.count(17)?,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_attempts(text: &str) -> Result<Vec<AttemptRow>, String> {
    let mut rows = Vec::new();
    each_row("attempts.csv", text, ["task", "server", "reason", "decided", "queued", "until"], |row| {
        let reason = |text: &str| ["failed", "late"].iter().position(|word| *word == text);
        rows.push(AttemptRow {
            task: row.count(0)?,
            server: row.cells[1].text().into_owned(),
            is_late: row.read(2, "reason", reason)? == 1,
            decided: row.read(3, "time", instant)?,
            queued: row.read(4, "time", instant)?,
            until: row.read(5, "time", instant)?,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_measurements(text: &str) -> Result<Vec<MeasuredRow>, String> {
    let mut rows = Vec::new();
    each_row("measurements.csv", text, ["time", "kind", "from", "to", "value"], |row| {
        rows.push(MeasuredRow {
            time: row.read(0, "time", instant)?,
            series: [1, 2, 3].map(|column| row.cells[column].text().into_owned()),
            value: row.number(4)?,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_forecasts(text: &str) -> Result<Vec<ForecastRow>, String> {
    let names = ["time", "kind", "from", "to", "forecaster", "forecast", "actual"];
    let mut rows = Vec::new();
    each_row("forecasts.csv", text, names, |row| {
        rows.push(ForecastRow {
            time: row.read(0, "time", instant)?,
            series: [1, 2, 3].map(|column| row.cells[column].text().into_owned()),
            forecaster: row.cells[4].text().into_owned(),
            forecast: row.number(5)?,
            actual: row.number(6)?,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_packets(text: &str, facts: &dyn BrokerFacts) -> Result<Vec<PacketRow>, String> {
    let names = ["queue", "task", "transfer", "packet", "hop", "bytes", "entered", "started", "left"];
    let mut rows = Vec::new();
    each_row("packets.csv", text, names, |row| {
        rows.push(PacketRow {
            queue: facts.queue(&row.cells[0].text()),
            task: row.any(1, "task", |text| text.parse().ok())?,
            transfer: row.count(2)?,
            packet: row.count(3)?,
            hop: row.count(4)?,
            bytes: row.number(5)?,
            entered: row.read(6, "time", instant)?,
            started: row.read(7, "time", instant)?,
            left: row.read(8, "time", instant)?,
        });
        Ok(())
    })?;
    Ok(rows)
}

fn read_decisions(text: &str) -> Result<Vec<DecisionRow>, String> {
    let names = [
        "time",
        "task",
        "server",
        "completion",
        "by_predictions",
        "completion_by_predictions",
        "by_measurements",
        "completion_by_measurements",
        "by_state",
        "completion_by_state",
        "best",
        "best_completion",
        "regret",
        "rule",
        "forecast",
        "age",
        "estimate",
    ];
    let mut rows = Vec::new();
    each_row("decisions.csv", text, names, |row| {
        let mut steps: [(String, SimTime); 5] = Default::default();
        for (place, step) in steps.iter_mut().enumerate() {
            let completion = row.any(3 + 2 * place, "time", instant)?.unwrap_or(SimTime::MAX);
            *step = (row.cells[2 + 2 * place].text().into_owned(), completion);
        }
        let mut costs = [None; 5];
        for (cost, column) in costs.iter_mut().zip(12..) {
            *cost = row.any_number(column)?;
        }
        let (time, task) = (row.read(0, "time", instant)?, row.count(1)?);
        rows.push(DecisionRow { time, task, steps, costs });
        Ok(())
    })?;
    Ok(rows)
}
