//! Why promises are not judged.

pub(super) const NO_TASKS: &str = "the run has no tasks.csv, works.csv and sizes.csv (record.tasks)";
pub(super) const NO_TRANSFERS: &str = "the run has no transfers.csv (record.transfers)";
pub(super) const NO_HOSTS: &str = "the run has no hosts.csv";
pub(super) const NO_PLANS: &str = "the run has no plans.csv, or made no plan";
pub(super) const NO_MAKESPAN: &str = "the summary has no makespan";
pub(super) const STOPPED: &str = "the run was stopped, and tasks were not completed";
pub(super) const DRAWN: &str = "values were drawn, and the run has no loads.csv (record.loads)";
pub(super) const AGAIN: &str = "tasks were started again, and the time of lost attempts is not in the files";
pub(super) const NO_DUPLICATES: &str =
    "computations were thrown away, and the run has no duplicates.csv (record.tasks)";
pub(super) const SEVERAL: &str = "there were several plans";
pub(super) const OUT_OF_ORDER: &str = "hosts take tasks of others, or have no queues";
pub(super) const ANY_ORDER: &str = "links carry what can go first (scheduler.links)";
pub(super) const NO_FILES: &str =
    "a storage has a limit, and the run has no files.csv with removals (record.tasks)";
