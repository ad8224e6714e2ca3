//! Rows of a run of calls to servers (global computing).

use crate::kernel::{SimDuration, SimTime};
use crate::output::{Category, Word, row};

row! {
    /// Outcome of a task.
    pub struct TaskRow<'a> = "tasks", "of global computing: a row a task, in the order of issue. What did not happen is empty; instants are those of the last attempt. Key: record.tasks" {
        task: u64 = "task" "", "its number, in the order of issue";
        client: Category<'a> = "client" "", "its client";
        class: u64 = "class" "", "its class, in the order of the client's";
        server: Option<Category<'a>> = "server" "", "the server that it was sent to last";
        state: Word<'a> = "state" "", "what became of it";
        issued: Option<SimTime> = "issued" "s", "when the client had it";
        decided: Option<SimTime> = "decided" "s", "when the scheduler had answered";
        sent: Option<SimTime> = "sent" "s", "when the last packet of its arguments had left the network";
        queued: Option<SimTime> = "queued" "s", "when all of them had arrived";
        started: Option<SimTime> = "started" "s", "when it began to be executed";
        ended: Option<SimTime> = "ended" "s", "when it was executed";
        received: Option<SimTime> = "received" "s", "when its results were back";
        deadline: Option<SimTime> = "deadline" "s", "when the client wanted them";
        fallbacks: u64 = "fallbacks" "", "how often it came back to the scheduler, late or failed";
        predicted: Option<f64> = "predicted" "s", "how long it was predicted to take on its server";
        send: f64 = "send" "B", "its arguments";
        receive: f64 = "receive" "B", "its results";
        instructions: f64 = "instructions" "", "its operations";
        processors: u64 = "processors" "", "processors of its server that it needs at once, among which its operations are divided";
    }
}

row! {
    /// An attempt that brought no results.
    pub struct AttemptRow<'a> = "attempts", "of global computing: a row an attempt that brought no results, in the order in which they were given up. Key: record.tasks" {
        task: u64 = "task" "", "the task";
        server: Category<'a> = "server" "", "the server that it was sent to";
        reason: Word<'a> = "reason" "", "why it was given up";
        decided: Option<SimTime> = "decided" "s", "when the scheduler had answered";
        queued: Option<SimTime> = "queued" "s", "when all arguments had arrived";
        until: Option<SimTime> = "until" "s", "when it was given up, and the task asked again";
    }
}

row! {
    /// A packet of a client or of a probe in a queue.
    pub(crate) struct PacketRow<'a> = "packets", "of global computing: a row a packet of a client or of a probe and queue, in the order in which they left. Key: record.packets" {
        queue: Option<Category<'a>> = "queue" "", "the queue";
        task: Option<u64> = "task" "", "its task; empty for a probe";
        transfer: u64 = "transfer" "", "the number of its transfer";
        packet: u64 = "packet" "", "its number in the transfer, from 0";
        hop: u64 = "hop" "", "which queue of the route it was, from 0";
        bytes: f64 = "bytes" "B", "its size";
        entered: SimTime = "entered" "s", "when it entered the queue";
        started: SimTime = "started" "s", "when it began to be served";
        left: SimTime = "left" "s", "when it left the queue";
    }
}

row! {
    /// A decision for a server.
    pub(crate) struct DecisionRow<'a> = "decisions", "of global computing: a row a decision for a server, in the order of time, with what other servers would bring: when results are back from each, by all that others are going to do, if no further work of ours comes; empty if never. With record.run-on a row is of a decision that was run on from, and has what happened. Key: record.regret" {
        time: SimTime = "time" "s", "when it was made";
        task: u64 = "task" "", "the task";
        server: Category<'a> = "server" "", "the server that was chosen";
        completion: Option<SimTime> = "completion" "s", "when results are back from it";
        by_predictions: Category<'a> = "by_predictions" "", "the server with the least predicted time";
        completion_by_predictions: Option<SimTime> = "completion_by_predictions" "s", "when results are back from it";
        by_measurements: Category<'a> = "by_measurements" "", "the server with the least time by what was measured last";
        completion_by_measurements: Option<SimTime> = "completion_by_measurements" "s", "when results are back from it";
        by_state: Category<'a> = "by_state" "", "the server with the least time by the state at the instant";
        completion_by_state: Option<SimTime> = "completion_by_state" "s", "when results are back from it";
        best: Category<'a> = "best" "", "the server from which results are back first";
        best_completion: Option<SimTime> = "best_completion" "s", "when results are back from it";
        regret: Option<SimDuration> = "regret" "s", "how much later that is from the chosen server; empty if never from one of the five, as are its four causes";
        rule: Option<f64> = "rule" "s", "the part of it that is the scheduler's rule: from the server by predictions to the chosen one";
        forecast: Option<f64> = "forecast" "s", "the part that forecasts cost: from the server by measurements to that by predictions; below 0 they help";
        age: Option<f64> = "age" "s", "the part that the age of measurements costs: from the server by state to that by measurements";
        estimate: Option<f64> = "estimate" "s", "the part that is left: from the best server to that by state";
    }
}

row! {
    /// A measured value.
    pub(crate) struct MeasurementRow<'a> = "measurements", "of global computing: a row a measured value, in the order of time. Key: record.measurements" {
        time: SimTime = "time" "s", "when it was written into the database";
        kind: Word<'a> = "kind" "", "what it is a value of";
        from: Category<'a> = "from" "", "of a path where it begins; of a server its name";
        to: Option<Category<'a>> = "to" "", "of a path where it ends";
        value: f64 = "value" "", "the value, in the unit of its kind";
    }
}

row! {
    /// A measured value that had been forecast.
    pub(crate) struct ForecastRow<'a> = "forecasts", "of global computing: a row a measured value that had been forecast, in the order of time. Key: record.forecasts" {
        time: SimTime = "time" "s", "when it was measured";
        kind: Word<'a> = "kind" "", "what it is a value of";
        from: Category<'a> = "from" "", "of a path where it begins; of a server its name";
        to: Option<Category<'a>> = "to" "", "of a path where it ends";
        forecaster: Category<'a> = "forecaster" "", "the forecaster that was believed";
        forecast: f64 = "forecast" "", "what it said before, in the unit of the kind";
        actual: f64 = "actual" "", "what was measured";
    }
}

row! {
    /// A forecaster of a series.
    pub(crate) struct ForecasterRow<'a> = "forecasters", "of global computing: a row a series that was forecast and a forecaster of the battery. Key: record.forecasts" {
        kind: Word<'a> = "kind" "", "what the series has values of";
        from: Category<'a> = "from" "", "of a path where it begins; of a server its name";
        to: Option<Category<'a>> = "to" "", "of a path where it ends";
        forecaster: Category<'a> = "forecaster" "", "the forecaster";
        mse: f64 = "mse" "", "the mean of its squared errors at the end of the run, over all of them or the last (`predictor.window`)";
        mae: f64 = "mae" "", "the mean of its absolute errors, in the unit of the kind";
        believed: u64 = "believed" "", "values of which its forecast was believed";
    }
    each ForecasterCells
}

row! {
    /// A span of time in which a forecaster was believed.
    pub(crate) struct BelievedRow<'a> = "believed", "of global computing: a row a span of time in which the forecasts of one forecaster were believed, in the order of beginning. Key: record.forecasts" {
        begin: SimTime = "begin" "s", "when the first value was measured that it had forecast";
        end: SimTime = "end" "s", "when the first value was measured that another one had; the end of the run if there was none";
        kind: Word<'a> = "kind" "", "what the series has values of";
        from: Category<'a> = "from" "", "of a path where it begins; of a server its name";
        to: Option<Category<'a>> = "to" "", "of a path where it ends";
        forecaster: Category<'a> = "forecaster" "", "the forecaster that was believed";
        values: u64 = "values" "", "values that it had forecast";
    }
    each BelievedCells
}

row! {
    /// A measurement, and the point of the series that it replays.
    pub(crate) struct AgreementRow<'a> = "agreement", "of global computing: a row a measurement that is compared with the point of the series that it replays, in the order in which they were measured. Key: record.agreement" {
        time: SimTime = "time" "s", "when the measurement began";
        kind: Word<'a> = "kind" "", "what it is a value of";
        from: Category<'a> = "from" "", "of a path where it begins; of a server its name";
        to: Option<Category<'a>> = "to" "", "of a path where it ends";
        point: f64 = "point" "", "the point of the series that was in force, in the unit of the kind";
        measured: f64 = "measured" "", "what was measured";
        forecast_of_point: Option<f64> = "forecast_of_point" "", "what was forecast from the points before; empty without the predictor `battery`";
        forecast_of_measured: Option<f64> = "forecast_of_measured" "", "what was forecast from the measurements before";
    }
}

row! {
    /// Work of a server.
    pub(crate) struct ServerRow<'a> = "servers", "of global computing: a row a server. Key: record.tasks" {
        server: Category<'a> = "server" "", "its name";
        performance: f64 = "performance" "", "operations per second of a processor";
        processors: u32 = "processors" "", "its processors";
        tasks: u64 = "tasks" "", "tasks that it executed, of those observed";
        own: SimDuration = "own" "s", "time of its processors for tasks of clients, after the warm-up";
        probe: SimDuration = "probe" "s", "the same for readings of monitors";
        extraneous: SimDuration = "extraneous" "s", "the same for tasks of others";
        utilization: Option<f64> = "utilization" "", "time of processors in service / (processors x window)";
    }
    each ServerCells
}

row! {
    /// Traffic of a queue.
    pub(crate) struct QueueRow<'a> = "queues", "of global computing: a row a queue that something went through. Key: record.tasks" {
        queue: Category<'a> = "queue" "", "its name";
        own: f64 = "own" "B", "bytes of tasks of clients, after the warm-up";
        probe: f64 = "probe" "B", "the same of probes";
        extraneous: f64 = "extraneous" "B", "the same of others";
        utilization: Option<f64> = "utilization" "", "time in service / window";
        delay: Option<f64> = "delay" "s", "mean time of a packet of a task in the queue, with its service";
    }
    each QueueCells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::drawn_rows::RowDraw;

    #[test]
    fn a_row_that_is_written_and_read_back_is_the_same() {
        for seed in 0..60 {
            let draw = &mut RowDraw::new(seed);
            TaskRow::goes_there_and_back(draw);
            AttemptRow::goes_there_and_back(draw);
            PacketRow::goes_there_and_back(draw);
            DecisionRow::goes_there_and_back(draw);
            MeasurementRow::goes_there_and_back(draw);
            ForecastRow::goes_there_and_back(draw);
            ForecasterRow::goes_there_and_back(draw);
            BelievedRow::goes_there_and_back(draw);
            AgreementRow::goes_there_and_back(draw);
            ServerRow::goes_there_and_back(draw);
            QueueRow::goes_there_and_back(draw);
        }
    }
}
