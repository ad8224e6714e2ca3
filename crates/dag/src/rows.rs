//! Rows of a run of task graphs.

use crate::kernel::{SimDuration, SimTime};
use crate::output::{Category, Text, Word, row};

row! {
    /// Outcome of a task.
    pub struct TaskRow<'a> = "tasks", "of task graphs: a row a task, in the order of the graph. Key: record.tasks" {
        task: Text<'a> = "task" "", "the task";
        application: Category<'a> = "application" "", "its workflow";
        host: Option<Category<'a>> = "host" "", "the host that it is on";
        core: Option<u32> = "core" "", "the core of the host, from 0; of several the lowest";
        further_cores: Option<Text<'a>> = "further-cores" "", "its other cores, with blanks between; only if some task asks for several" if wide_tasks;
        planned_start: Option<SimTime> = "planned-start" "s", "when it was planned to start, in the plan by which it started";
        planned_end: Option<SimTime> = "planned-end" "s", "when it was planned to end";
        ready: Option<SimTime> = "ready" "s", "when all its data were on the host";
        start: Option<SimTime> = "start" "s", "when it started the last time";
        end: Option<SimTime> = "end" "s", "when it ended";
        predicted: Option<SimTime> = "predicted" "s", "when it was predicted to end as it started";
        attempts: u32 = "attempts" "", "how often it started";
        slack: Option<SimDuration> = "slack" "s", "by how much it could have ended later without delaying the last task; empty if some task has not ended";
        planned_slack: Option<SimDuration> = "planned-slack" "s", "the same by the plan by which it started";
    }
    conditions TaskColumns { wide_tasks: "Some task asks for several cores." }
    each TaskCells
}

row! {
    /// A start of a task.
    pub struct AttemptRow<'a> = "attempts", "of task graphs: a row a start of a task, in the order in which they began; only if hosts or links may fail, or tasks take no time. Key: record.tasks" {
        task: Text<'a> = "task" "", "the task";
        application: Category<'a> = "application" "", "its workflow";
        attempt: u32 = "attempt" "", "how often it had been started, this time included";
        host: Category<'a> = "host" "", "the host that it was on";
        core: u32 = "core" "", "the core of the host, from 0; of several the lowest";
        further_cores: Option<Text<'a>> = "further-cores" "", "its other cores, with blanks between; only if some task asks for several" if wide_tasks;
        ready: Option<SimTime> = "ready" "s", "when all its data were on the host";
        start: SimTime = "start" "s", "when it began";
        end: Option<SimTime> = "end" "s", "when it ended; empty if a failure broke it off, or the run ended before";
        lost: Option<SimTime> = "lost" "s", "when a failure broke it off, or its host lost what it had written and it was needed once more";
        data: Text<'a> = "data" "", "where its data came from, inputs first, then one of each edge from a parent: the attempt of the parent, then `@` and the row of transfers.csv, from 0, if they were sent; `-` of an input that was on its host";
    }
    conditions AttemptColumns { wide_tasks: "Some task asks for several cores." }
}

row! {
    /// A transfer between two hosts.
    pub struct TransferRow<'a> = "transfers", "of task graphs: a row for everything that was sent between two hosts. Key: record.transfers" {
        from_task: Option<Text<'a>> = "from-task" "", "the parent; none of data that begin at the home host";
        to_task: Option<Text<'a>> = "to-task" "", "the child, where files are sent by themselves the first; none of files that go to the home host";
        application: Option<Category<'a>> = "application" "", "their workflow";
        file: Option<Text<'a>> = "file" "", "the file, if one is sent";
        from_host: Category<'a> = "from-host" "", "the host of the parent";
        to_host: Category<'a> = "to-host" "", "the host that the child was planned on";
        bytes: u64 = "bytes" "B", "how much";
        ready: Option<SimTime> = "ready" "s", "when the data were there to be sent";
        start: Option<SimTime> = "start" "s", "when they were sent";
        end: Option<SimTime> = "end" "s", "when they arrived";
        attempt: Option<u32> = "attempt" "", "the attempt of the parent that wrote them; only if hosts or links may fail" if failures;
        broken_off: Option<SimTime> = "broken-off" "s", "when a failure broke them off; only if hosts or links may fail" if failures;
    }
    conditions TransferColumns { failures: "Hosts or links may fail." }
}

row! {
    /// A plan.
    pub struct PlanRow<'a> = "plans", "of task graphs: a row for each time a plan was made. Key: record.tasks" {
        at: SimTime = "at" "s", "when";
        cause: Word<'a> = "cause" "", "why";
        tasks: u64 = "tasks" "", "tasks that it has a place for";
        moved: u64 = "moved" "", "of these, those that had another core before";
        end: SimTime = "end" "s", "the last end of a task, as planned";
        questions: u64 = "questions" "", "predictions that the scheduler asked for";
        looked_at: u64 = "looked-at" "", "pairs of a task and a core that it looked at";
    }
}

row! {
    /// Use of a host.
    pub struct HostRow<'a> = "hosts", "of task graphs: a row a host, in the order of the platform. Key: record.tasks" {
        host: Category<'a> = "host" "", "the host";
        cores: u64 = "cores" "", "its cores";
        tasks: u64 = "tasks" "", "tasks that it computed to their ends";
        busy: SimDuration = "busy" "s", "time of its cores in use";
        utilization: Option<f64> = "utilization" "", "their share of cores x makespan";
        cost: Option<f64> = "cost" "", "price x billed time; only with `run.cost`" if prices;
    }
    conditions HostColumns { prices: "Hosts have prices." }
    each HostCells
}

row! {
    /// A scheduler that the run is compared with.
    pub(crate) struct SchedulerRow<'a> = "schedulers", "of task graphs: a row a scheduler that the run is compared with, its own first. Key: record.gap" {
        scheduler: Category<'a> = "scheduler" "", "the scheduler";
        makespan: Option<SimTime> = "makespan" "s", "the end of its last task; empty if it has no plan, or some task has not ended";
        plan_makespan: Option<SimTime> = "plan-makespan" "s", "the end of its first plan";
        gap: Option<f64> = "gap" "", "makespan / the lower bound - 1";
        above_best: Option<f64> = "above-best" "", "makespan / the least makespan of all rows - 1";
        above_optimum: Option<f64> = "above-optimum" "", "makespan / the optimum - 1; empty if it was not searched for, or not found";
        reason: Text<'a> = "reason" "", "why there is no makespan";
    }
    each SchedulerCells
}

row! {
    /// A step of the critical path.
    pub(crate) struct CriticalRow<'a> = "critical", "of task graphs: the chain of tasks, transfers and waits that ends at the makespan. Key: record.tasks" {
        task: Text<'a> = "task" "", "the task that the step brings forward";
        step: Word<'a> = "step" "", "what takes the time";
        host: Category<'a> = "host" "", "the host of the task";
        start: SimTime = "start" "s", "from when";
        end: SimTime = "end" "s", "to when";
        share: Option<f64> = "share" "", "its share of the makespan";
    }
    each CriticalCells
}

row! {
    /// A value of a load that was drawn.
    pub struct LoadRow<'a> = "loads", "of task graphs: a row for each value of a load that was drawn, up to the end of the run. Key: record.loads" {
        resource: Word<'a> = "resource" "", "`host` or `link`";
        name: Text<'a> = "name" "", "what it is called";
        from: SimTime = "from" "s", "from when on";
        available: f64 = "available" "", "what is left: of a host the share of its speed, of a link its bandwidth in bytes a second";
    }
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
            TransferRow::goes_there_and_back(draw);
            PlanRow::goes_there_and_back(draw);
            HostRow::goes_there_and_back(draw);
            SchedulerRow::goes_there_and_back(draw);
            CriticalRow::goes_there_and_back(draw);
            LoadRow::goes_there_and_back(draw);
        }
    }
}
