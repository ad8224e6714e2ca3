//! Why promises are not judged.

pub(super) const NO_TASKS: &str = "the run has no tasks.csv (record.tasks)";
pub(super) const NO_ATTEMPTS: &str = "the run has no attempts.csv (record.tasks)";
pub(super) const NO_MEASUREMENTS: &str = "the run has no measurements.csv (record.measurements)";
pub(super) const NO_FORECASTS: &str =
    "the run has no measurements.csv and forecasts.csv (record.measurements, record.forecasts)";
pub(super) const NO_PACKETS: &str = "the run has no packets.csv (record.packets)";
pub(super) const NO_DECISIONS: &str = "the run has no decisions.csv (record.regret)";
pub(super) const NO_METRICS: &str = "the summary has no metrics";
pub(super) const NO_BATTERY: &str = "the predictor is not the battery";
pub(super) const DRIFT: &str = "what is read of servers drifts from the truth (monitor.server.drift)";
pub(super) const SHARED: &str = "all servers execute all their tasks at once";
pub(super) const NO_ORDER: &str = "no server executes in order of arrival";
pub(super) const COPIES: &str = "of copies of a task the files have one";
pub(super) const UNFINISHED: &str = "tasks were not over when the run ended";
