//! Rows of a run of jobs on a cluster besides those of the jobs.

use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};
use crate::output::{FixedPoint, List, Text, Word, row};

row! {
    /// A run of a job that was interrupted.
    pub struct AttemptRow<'a> = "attempts", "where nodes fail or processors are reserved: a row for each run of a job that a failing node or maintenance interrupted, in order of interruption; the last run of a job stands in jobs.csv. Key: record.jobs" {
        job: u64 = "job_id" "", "the number of the job in the workload";
        submitted: SimTime = "submission_time" "s", "when the job was submitted";
        attempt: u64 = "attempt" "", "the how many-th run of the job, from 1";
        start: SimTime = "starting_time" "s", "when this run started";
        end: SimTime = "finish_time" "s", "when it was interrupted";
        on: List<'a> = "allocated_resources" "", "the processors that it had";
        kept: SimDuration = "saved_work" "s", "the work that the job need not do again";
        gpus_held: Option<Text<'a>> = "allocated_gpus" "", "the GPUs that it had, as jobs.csv has them; only where that has them" if gpus_held;
    }
    conditions AttemptColumns { gpus_held: "GPUs are distinguished." }
}

row! {
    /// A span in which a node was out of service.
    pub struct OutageRow = "outages", "where nodes fail: a row for each span in which a node was out of service, in order of their beginnings. Key: record.jobs" {
        node: u32 = "node" "", "the node, from 0";
        processors: Interval = "processors" "", "its processors";
        from: SimTime = "from" "s", "since when it was out of service";
        to: Option<SimTime> = "to" "s", "until when; empty if that was not over when the run was";
    }
}

row! {
    /// Processors that a reservation had.
    pub struct ReservationRow = "reservations", "where processors are reserved: a row for each interval of processors that a reservation had at once, in the order in which it got them. Key: record.jobs" {
        reservation: u32 = "reservation" "", "the number of its table in the scenario, from 1";
        occurrence: u32 = "occurrence" "", "the number of the occurrence of a repeated reservation, from 1";
        processors: Interval = "processors" "", "the interval of processors";
        from: SimTime = "from" "s", "since when it had them";
        to: Option<SimTime> = "to" "s", "until when; empty if that was not over when the run was";
    }
}

row! {
    /// An act of a feature of another crate on a job.
    pub struct FeatureRow<'a> = "features", "where the site has features of another crate: a row for each time that one held a job back, had it started, rejected it or ended its run, in order of beginning. Key: record.jobs" {
        job: u64 = "job_id" "", "the number of the job in the workload";
        submitted: SimTime = "submission_time" "s", "when the job was submitted";
        feature: u32 = "feature" "", "the number of its table in the scenario, from 1";
        kind: Text<'a> = "kind" "", "the kind of the feature";
        action: Word<'a> = "action" "", "`held` if it kept the job back, `started` if it had it started, `rejected`, or `ended` if it ended its run";
        from: SimTime = "from" "s", "since when, or when";
        to: Option<SimTime> = "to" "s", "until when it was held; as `from` for other actions; empty if that was not over when the run was";
    }
}

row! {
    /// Processors in use in a span of time.
    pub struct UsageRow = "usage", "where jobs share processors or the run was stopped, so that jobs.csv does not say: rows whose processors add up to those in use at each instant, a shared one once. Key: record.jobs" {
        from: SimTime = "from" "s", "since when";
        to: SimTime = "to" "s", "until when";
        processors: u32 = "processors" "", "how many are in use";
    }
}

row! {
    /// A span in which a job stood in a row of the matrix.
    pub struct MatrixSpanRow<'a> = "matrix", "under gang scheduling at detail `job`: a row for each span in which a job stood in a row of the matrix, in order of beginning, row and processors. Key: record.jobs" {
        job: u64 = "job_id" "", "the number of the job in the workload";
        submitted: SimTime = "submission_time" "s", "when the job was submitted";
        row: u32 = "row" "", "the place of the row among those that there are, from 1: in this order they have their slices";
        role: Word<'a> = "role" "", "`own` where it has cells of its own, `replica` where it also runs as its columns are free";
        from: SimTime = "from" "s", "since when it stood there, in a row of this place and on these processors";
        to: SimTime = "to" "s", "until when; or the end of a run that was stopped";
        on: List<'a> = "processors" "", "the processors";
    }
}

row! {
    /// Time of a processor, by activity.
    pub struct ProfileRow = "profile", "at detail `task`: a row a processor, with where its time went by activity, which add up. Key: record.profile" {
        processor: u64 = "processor" "", "the processor, from 0";
        node: u32 = "node" "", "its node, from 0";
        from: u64 = "from_ns" "ns", "from when its time is observed";
        to: u64 = "to_ns" "ns", "to when";
        compute: u64 = "compute_ns" "ns", "a task computes";
        message_overhead: u64 = "message_overhead_ns" "ns", "a task composes or decomposes a message";
        spin: u64 = "spin_ns" "ns", "a task busy-waits for a message";
        switch: u64 = "switch_ns" "ns", "a context switch, or the switch to another slice";
        interrupt: u64 = "interrupt_ns" "ns", "the service of an interrupt";
        scheduler: u64 = "scheduler_ns" "ns", "the scheduler itself: run-queue manipulation, the boost daemon, a front end's decisions";
        daemon: u64 = "daemon_ns" "ns", "a daemon of the operating system";
        paging: u64 = "paging_ns" "ns", "pages of a task are brought in";
        io_wait: u64 = "io_wait_ns" "ns", "nothing, while a task of the node waits for its I/O";
        idle: u64 = "idle_ns" "ns", "nothing";
    }
}

row! {
    /// Execution of a job whose tasks are simulated.
    pub struct ExecutionRow<'a> = "executions", "at detail `task`: a row a job that was started, in order of end, then those that were running when the run was stopped. Key: record.profile" {
        job: u64 = "job_id" "", "the number of the job in the workload";
        class: Text<'a> = "class" "", "its class";
        tasks: u32 = "tasks" "", "its tasks";
        submitted: SimTime = "submission_time" "s", "when it was submitted";
        start: SimTime = "starting_time" "s", "when it was started";
        first_dispatch: Option<SimTime> = "first_dispatch_time" "s", "when one of its tasks first had a processor";
        end: Option<SimTime> = "finish_time" "s", "when it ended; empty if it had not when the run was stopped";
        dedicated: SimDuration = "dedicated_time" "s", "its run time alone on the machine";
        slowdown: Option<f64> = "slowdown" "", "response time over dedicated time, of a job that ended";
        compute: u64 = "compute_ns" "ns", "a task computes";
        message_overhead: u64 = "message_overhead_ns" "ns", "a task composes or decomposes a message";
        spin: u64 = "spin_ns" "ns", "a task busy-waits for a message";
        switch: u64 = "switch_ns" "ns", "a context switch, or the switch to another slice";
        interrupt: u64 = "interrupt_ns" "ns", "the service of an interrupt";
        scheduler: u64 = "scheduler_ns" "ns", "the scheduler itself: run-queue manipulation, the boost daemon, a front end's decisions";
        daemon: u64 = "daemon_ns" "ns", "a daemon of the operating system";
        paging: u64 = "paging_ns" "ns", "pages of a task are brought in";
        io_wait: u64 = "io_wait_ns" "ns", "nothing, while a task of the node waits for its I/O";
        idle: u64 = "idle_ns" "ns", "nothing";
        messages: u64 = "messages" "", "messages that its tasks sent";
        dispatches: u64 = "dispatches" "", "times that a task of it got a processor";
        switches: u64 = "switches" "", "switches of context to a task of it";
        interrupts: u64 = "interrupts" "", "interrupts of processors while a task of it had them";
        boosts: u64 = "boosts" "", "times that a task of it was boosted";
        blocks: u64 = "blocks" "", "times that a task of it blocked";
        yields: u64 = "yields" "", "times that a task of it yielded";
        skewed_waits: u64 = "skewed_waits" "", "waits whose skew is known";
        skew: Option<FixedPoint<0>> = "skew_ns" "ns", "the skew of these waits together; empty if there are none";
        frames_due: u64 = "frames_due" "", "frames that were due";
        frames_missed: u64 = "frames_missed" "", "frames among them that missed their deadlines";
        jitter: Option<FixedPoint<0>> = "jitter_ns" "ns", "the jitter of its frames together; empty if there are no two";
        pace_windows: u64 = "pace_windows" "", "windows over which its pace was observed";
        pace_mean: Option<f64> = "pace_mean" "", "its mean pace over them";
        pace_cv: Option<f64> = "pace_cv" "", "the coefficient of variation of its pace over them";
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
            AttemptRow::goes_there_and_back(draw);
            OutageRow::goes_there_and_back(draw);
            FeatureRow::goes_there_and_back(draw);
            ReservationRow::goes_there_and_back(draw);
            UsageRow::goes_there_and_back(draw);
            MatrixSpanRow::goes_there_and_back(draw);
            ProfileRow::goes_there_and_back(draw);
            ExecutionRow::goes_there_and_back(draw);
        }
    }
}
