//! Rows of jobs in Batsim's columns, in which other systems have their tasks as well.

use crate::kernel::{SimDuration, SimTime};
use crate::output::{
    Category, CellType, FixedPoint, List, MaybeKnown, Row as _, Table, Text, Value, Whole, Word, row,
};

row! {
    /// A job that left, in the columns of Batsim; a task of another system in the same.
    pub struct JobRow<'a> = "jobs", "a row a job that left, in order of end time, with the columns of Batsim's file of that name, and last the reason why the job started then or was rejected. Key: record.jobs" {
        job: u64 = "job_id" "", "its number in the workload";
        workload: Category<'a> = "workload_name" "", "what the workload is called";
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
        reason: Option<Category<'a>> = "reason" "", "why it started when it did, or was rejected (docs/batch.md, Why?); not Batsim's" if of_cluster;
        given_procs: Option<Whole> = "given_number_of_resources" "", "the processors that it was given; only where moldable jobs may be given other sizes" if molds;
        given_time: Option<SimDuration> = "given_time" "s", "the time requested for the processors that it was given; only there" if molds;
        dedicated: Option<SimDuration> = "dedicated_time" "s", "its run time alone on what it asked for, which stretch is over; only there, and empty if it never ran" if molds;
        gpus_held: Option<Text<'a>> = "allocated_gpus" "", "the GPUs of its last run, counted through all nodes, with `:` and the parts where it did not have them whole, or profile, `@` and first slice of an instance; only where nodes list GPUs or jobs ask for kinds or parts of them" if gpus_held;
        qos: Option<Category<'a>> = "qos" "", "its quality of service; only where the input states any" if qos;
        account: Option<Category<'a>> = "account" "", "the account that it is charged to; only where the input states any" if account;
        class: Option<Category<'a>> = "class" "", "its class, in the words of the input; only where that states any" if class;
        pools: Option<Category<'a>> = "pools" "", "amounts of pools of the site that it asks for, as matlab:2,abaqus:10; only where any job may" if pools;
        nodes: Option<Whole> = "nodes" "", "nodes that it had where it was recorded, over which its processors were spread; only where the input states them" if nodes;
        gpus: Option<Whole> = "gpus" "", "GPUs that it had on all of them; only where the input states them" if gpus;
        recorded_energy: Option<FixedPoint<3>> = "recorded_energy" "J", "energy that it took where it was recorded; only where the input states it" if energy;
        recorded_power: Option<FixedPoint<3>> = "recorded_power" "W", "mean power that it drew there; only where the input states it" if power;
    }
    conditions JobColumns {
        of_cluster: "They are jobs of a cluster.",
        molds: "Moldable jobs may be given other sizes.",
        gpus_held: "GPUs are distinguished.",
        qos: "The input states qualities of service.",
        account: "The input states accounts.",
        class: "The input states classes.",
        pools: "Jobs may ask for amounts of pools.",
        nodes: "The input states nodes of jobs.",
        gpus: "The input states GPUs of jobs.",
        energy: "The input states energy.",
        power: "The input states mean power.",
    }
    each JobCells
}

impl JobColumns {
    /// Columns of tasks of other systems: those of Batsim alone.
    pub const OF_TASKS: Self = JobColumns { of_cluster: false, ..JobColumns::OF_JOBS };
    /// Columns of jobs of which only Batsim's are known, and why they started.
    pub const OF_JOBS: Self = JobColumns {
        of_cluster: true,
        molds: false,
        gpus_held: false,
        qos: false,
        account: false,
        class: false,
        pools: false,
        nodes: false,
        gpus: false,
        energy: false,
        power: false,
    };
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
