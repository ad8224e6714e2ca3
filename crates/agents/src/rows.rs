//! Rows of a run of agents.

use crate::kernel::{SimDuration, SimTime};
use crate::output::{Category, Text, Word, row};

row! {
    /// A task that was computed.
    pub struct TaskRow<'a> = "tasks", "of agents: a row a task that was computed, in order of end time. Key: record.tasks" {
        task: Text<'a> = "task" "", "the task";
        host: Category<'a> = "host" "", "the host that computed it";
        agent: u64 = "agent" "", "the number of the agent there, from 0";
        name: Category<'a> = "name" "", "the name of the agent";
        end: SimTime = "end" "s", "when it was computed";
    }
}

row! {
    /// Work of a host.
    pub struct HostRow<'a> = "hosts", "of agents: a row a host, in the order of the platform. Key: record.tasks" {
        host: Category<'a> = "host" "", "the host";
        cores: u32 = "cores" "", "its cores";
        work: f64 = "work" "", "the work that it did, in the unit of speeds";
        busy: f64 = "busy" "s", "seconds of its cores in use";
        utilization: f64 = "utilization" "", "their share of cores x makespan, or of the time until a core of any host was in use last, if that is later";
    }
}

row! {
    /// Outcome of a given flow.
    pub(crate) struct FlowRow<'a> = "flows", "where flows are given: a row for each in the order of the list. Key: flows" {
        flow: Text<'a> = "flow" "", "the flow";
        from: Category<'a> = "from" "", "the host that it comes from";
        to: Category<'a> = "to" "", "the host that it goes to";
        size: f64 = "size" "", "how much it is, in the unit of bandwidths";
        rate_cap: Option<f64> = "rate-cap" "", "the highest rate that it may have, if there is one";
        start: SimTime = "start" "s", "when it started";
        end: Option<SimTime> = "end" "s", "when it completed or failed; empty if it did neither";
        time: Option<SimDuration> = "time" "s", "from start to end, if it completed";
        rate: Option<f64> = "rate" "", "size over time, if it completed in more than none";
        state: Word<'a> = "state" "", "`completed`, `failed` or `unfinished`";
        reason: Option<Text<'a>> = "reason" "", "why it failed";
    }
}

row! {
    /// An operation of an agent.
    pub(crate) struct OperationRow<'a> = "operations", "of agents: a row for everything that an agent put, got, computed, sent, read or wrote, in order of end time. Key: record.operations" {
        operation: Word<'a> = "operation" "", "what the agent did";
        agent: u64 = "agent" "", "the number of the agent, from 0";
        name: Category<'a> = "name" "", "the name of the agent";
        host: Category<'a> = "host" "", "its host";
        task: Text<'a> = "task" "", "the task; of a read or write the disk";
        amount: f64 = "amount" "", "how much, in the unit of speeds for executions and of bandwidths otherwise";
        start: SimTime = "start" "s", "from when";
        end: SimTime = "end" "s", "to when";
        outcome: Word<'a> = "outcome" "", "what came of it: `done`, `failed` or `aborted`";
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
            HostRow::goes_there_and_back(draw);
            FlowRow::goes_there_and_back(draw);
            OperationRow::goes_there_and_back(draw);
        }
    }
}
