//! Reasons that promises are not judged.

pub(super) const NO_TASKS: &str = "the run has no tasks.csv (record.tasks)";
pub(super) const NO_ATTEMPTS: &str = "the run has no attempts.csv (record.tasks)";
pub(super) const NO_MEASUREMENTS: &str = "the run has no measurements.csv (record.measurements)";
pub(super) const NO_FORECASTS: &str =
    "the run has no measurements.csv and forecasts.csv (record.measurements, record.forecasts)";
pub(super) const NO_PACKETS: &str = "the run has no packets.csv (record.packets)";
pub(super) const NO_DECISIONS: &str = "the run has no decisions.csv (record.regret)";
pub(super) const NO_METRICS: &str = "the summary has no metrics";
pub(super) const NO_BATTERY: &str = "the predictor is not the battery, or has a forecaster of its own";
pub(super) const DRIFT: &str = "what is read of servers drifts from the truth (monitor.server.drift)";
pub(super) const SHARED: &str = "all servers execute all their tasks at once";
pub(super) const NO_ORDER: &str = "no server executes in order of arrival";
pub(super) const COPIES: &str = "of copies of a task the files have one";
pub(super) const UNFINISHED: &str = "tasks were not over when the run ended";
pub(super) const AGREEMENT: &str = "measurements are not compared with their series again";
pub(super) const ALL_AT_ONCE: &str = "a queue serves all its packets at once";
pub(super) const ALONE: &str =
    "speeds change along measured series, and no task is looked at alone along them";
pub(super) const CANDIDATES: &str = "what the scheduler goes by, or draws, is in no file for each candidate";
pub(super) const DRAWN: &str = "clients draw them, and no predictor is asked again";
pub(super) const ENDED: &str = "when the run ended is in no file";
pub(super) const LOST: &str =
    "attempts were lost with their servers, and how long they were executed is in no file";
pub(super) const OTHERS: &str = "tasks and packets of others are in no file";
pub(super) const PAIRS: &str = "there are too many pairs of clients and servers";
pub(super) const PROBES: &str = "what probes and readings take is in no file";
pub(super) const TIED: &str = "results came back at one instant, and their order is in no file";
pub(super) const TRUTH: &str =
    "what would have happened on other servers follows from a model that is not here";
pub(super) const QUESTION: &str = "which servers were in question for each task is in no file";
pub(super) const REASONS: &str =
    "their sum is the tasks rejected, and which servers were known to be up is in no file";
