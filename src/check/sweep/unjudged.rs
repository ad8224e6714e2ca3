//! Reasons that promises are not judged.

pub(super) const NO_TASKS: &str = "the run has no tasks.csv, works.csv and sizes.csv (record.tasks)";
pub(super) const NO_TRANSFERS: &str = "the run has no transfers.csv (record.transfers)";
pub(super) const NO_PLANS: &str = "the run has no plans.csv, or made no plan";
pub(super) const NO_MAKESPAN: &str = "the summary has no makespan";
pub(super) const STOPPED: &str = "the run was stopped, and tasks were not completed";
pub(super) const DRAWN: &str = "values were drawn, and the run has no loads.csv (record.loads)";
pub(super) const AGAIN: &str = "tasks were started again, and the time of lost attempts is not in the files";
pub(super) const SEVERAL: &str = "there were several plans";
pub(super) const OUT_OF_ORDER: &str = "hosts take tasks of others, or have no queues";
pub(super) const ANY_ORDER: &str = "links carry what can go first (scheduler.links)";
pub(super) const NO_FILES: &str =
    "a storage has a limit, and the run has no files.csv with removals (record.tasks)";
pub(super) const LOST: &str = "hosts or clusters may leave, and what is lost with them is in no file";
pub(super) const STEALS: &str = "hosts take tasks of others, and whose they were is in no file";
pub(super) const QUEUES: &str = "when tasks came into the queues of hosts is in no file";
pub(super) const WAITS: &str = "tasks wait in batch queues, and until when is in no file";
pub(super) const SEARCH: &str = "the search for the optimum is not made again";
pub(super) const DECISIONS: &str = "no rule of a scheduler is followed here";
pub(super) const ROOM: &str = "storages have limits, and what has room goes before what was planned first";
pub(super) const OWN: &str = "the scheduler may act at any instant";
