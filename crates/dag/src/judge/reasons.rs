//! Reasons why a promise of a run of task graphs is not checked.

pub(super) const NO_TASKS: &str = "the run has no tasks.csv (record.tasks)";
pub(super) const NO_GRAPH: &str = "the run has no graph.dot";
pub(super) const NO_TRANSFERS: &str = "the run has no transfers.csv (record.transfers)";
pub(super) const NO_PLANS: &str = "the run has no plans.csv, or made no plan";
pub(super) const NO_PLAN_FILE: &str = "the run has no plans.csv";
pub(super) const NO_MAKESPAN: &str = "the summary has no makespan";
pub(super) const STOPPED: &str = "the run was stopped, and tasks had not ended";
pub(super) const DRAWN: &str = "loads were drawn, and the run has no loads.csv (record.loads)";
pub(super) const TOGETHER: &str = "links carry several transfers at once";
pub(super) const FAILING: &str = "hosts or links fail, and when they let something wait is not in the files";
pub(super) const PREDICTED: &str = "the predictions are not in the files";
pub(super) const ENDED: &str = "the run was stopped, and when is not in the files";
pub(super) const OTHERS: &str = "the other schedulers are not run again";
pub(super) const ALONE: &str = "no workflow is run alone again";
pub(super) const SEARCH: &str = "the search for the optimum is not made again";
pub(super) const SCHEDULER: &str = "the scheduler says so of itself";
pub(super) const PLACES: &str = "the places that tasks had in earlier plans are not in the files";
pub(super) const AGAIN: &str = "hosts or links fail, and the run has no attempts.csv";
pub(super) const DECISIONS: &str = "no rule of a scheduler is followed here";
pub(super) const SEVERAL: &str =
    "there were several plans, and tasks go by the last before they start, whose order is not in the files";
pub(super) const CONSERVING: &str = "cores take the first of their tasks that is ready";
