//! Rows of every system, drawn, written and read back.

use crate::output::row_tests::Draw;

use super::*;

/// A row that is written and read back is the same, whatever is in it.
macro_rules! go_there_and_back {
    ($($name:ident: $($row:ident),*;)*) => {
        $(#[test]
        fn $name() {
            for seed in 0..60 {
                let draw = &mut Draw::new(seed);
                $($name::$row::goes_there_and_back(draw);)*
            }
        })*
    };
}

go_there_and_back! {
    agents: TaskRow, HostRow, FlowRow, OperationRow;
    jobs: JobRow;
    cluster: AttemptRow, OutageRow, ReservationRow, UsageRow, ProfileRow, ExecutionRow;
    broker: TaskRow, AttemptRow, PacketRow, DecisionRow, MeasurementRow, ForecastRow, ForecasterRow, BelievedRow, AgreementRow, ServerRow, QueueRow;
    dag: TaskRow, AttemptRow, TransferRow, PlanRow, HostRow, SchedulerRow, CriticalRow, LoadRow;
    sweep: TaskRow, TransferRow, PlanRow, FileRow, HostRow, ClusterRow, WorkRow, SizeRow, LoadRow, DuplicateRow;
}
