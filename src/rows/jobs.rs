//! Rows of a run of jobs on a cluster; those of the jobs are of Batsim's columns, in which other
//! systems have their tasks as well.

use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};
use crate::output::{CellType, FixedPoint, List, MaybeKnown, Row as _, Table, Text, Value, Whole, Word, row};

row! {
    /// A job that left, in the columns of Batsim; a task of another system in the same.
    pub struct JobRow<'a> = "jobs", "a row a job that left, in order of end time, with the columns of Batsim's file of that name, and last the reason why the job started then or was rejected. Key: record.jobs" {
        job: u64 = "job_id" "", "its number in the workload";
        workload: Text<'a> = "workload_name" "", "what the workload is called";
        profile: Text<'a> = "profile" "", "always `rigid`; of a task its name";
        submitted: SimTime = "submission_time" "s", "when it was submitted; of a task, when its parents had ended";
        procs: Whole = "requested_number_of_resources" "", "processors that it asked for";
        requested: Option<SimDuration> = "requested_time" "s", "the run time that it asked for; of a task the predicted one";
        success: Whole = "success" "", "1 if it completed, 0 if it was rejected, killed at its limit, cancelled or lost with a node";
        state: Word<'a> = "final_state" "", "what became of it, in Batsim's words";
        start: Option<SimTime> = "starting_time" "s", "when its last run started; empty if it never ran";
        execution: Option<SimDuration> = "execution_time" "s", "from there to its end; empty if it never ran";
        end: Option<SimTime> = "finish_time" "s", "when it ended, or was cancelled before it started; empty if it was rejected";
        waiting: Option<SimDuration> = "waiting_time" "s", "from submission to its last start without its earlier runs, or until it was cancelled; empty if it was rejected";
        turnaround: Option<SimDuration> = "turnaround_time" "s", "from submission to end; empty if it never ran";
        stretch: Option<FixedPoint<6>> = "stretch" "", "turnaround time over run time, to the nearest millionth; empty if it never ran";
        on: Option<List<'a>> = "allocated_resources" "", "the processors of its last run; empty if it never ran";
        energy: MaybeKnown<12> = "consumed_energy" "J", "what its processors drew while it had them; -1 where power is not known, processors are shared, or it never ran";
        metadata: Option<Text<'a>> = "metadata" "", "always empty";
        reason: Option<Text<'a>> = "reason" "", "why it started when it did, or was rejected (docs/batch.md, Why?); not Batsim's" if of_cluster;
        given_procs: Option<Whole> = "given_number_of_resources" "", "the processors that it was given; only where moldable jobs may be given other sizes" if molds;
        given_time: Option<SimDuration> = "given_time" "s", "the time requested for the processors that it was given; only there" if molds;
        dedicated: Option<SimDuration> = "dedicated_time" "s", "its run time alone on what it asked for, which stretch is over; only there, and empty if it never ran" if molds;
    }
    conditions JobColumns {
        of_cluster: "They are jobs of a cluster.",
        molds: "Moldable jobs may be given other sizes.",
    }
    each JobCells
}

impl JobColumns {
    /// Columns of tasks of other systems: those of Batsim alone.
    pub const OF_TASKS: Self = JobColumns { of_cluster: false, molds: false };
}

impl JobRow<'_> {
    /// The declaration for tasks of another system; their energy is not known.
    pub fn of_tasks(about: &'static str) -> Table {
        without_energy(Table { about, ..Self::table(JobColumns::OF_TASKS) })
    }
}

/// The same table where energy is -1 in every row, and a whole number therefore.
#[must_use]
pub fn without_energy(mut table: Table) -> Table {
    let is_energy = |kind: CellType| kind == <MaybeKnown<12> as Value<'_>>::KIND;
    table.columns.iter_mut().filter(|column| is_energy(column.kind)).for_each(|column| {
        column.kind = CellType::Integer;
    });
    table
}

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
    }
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
    /// Processors in use in a span of time.
    pub struct UsageRow = "usage", "where jobs share processors or the run was stopped, so that jobs.csv does not say: rows whose processors add up to those in use at each instant, a shared one once. Key: record.jobs" {
        from: SimTime = "from" "s", "since when";
        to: SimTime = "to" "s", "until when";
        processors: u32 = "processors" "", "how many are in use";
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
