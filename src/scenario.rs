//! The scenario language: one TOML file says everything about a run.

pub use clustersim_experiment::scenario::{
    AsWritten, BareFile, Checked, Figures, FileContent, FileFormat, FileKind, InputNote, Judging, KeptRuns,
    LeftFiles, Loading, NamedFile, Override, Preflight, Ready, Rejected, ReplayRequest, Results, Run,
    RunDirectory, RunStatus, Scenario, ScenarioOfFile, ScheduleColumns, ScheduleReplay, Session,
    StartedProgram, Subjects, System, SystemData, TableResults, WarmUpCut, Watch, Written, check, from_text,
    keep_all, load, register,
};

/// Expectations: bounds on metrics that a scenario states and a run is held to.
pub mod expect {
    pub use clustersim_experiment::scenario::expect::{Broken, Expectation};
}

/// Blocks of the manual, as the command line lays them out, and what a system adds to them.
pub mod manual {
    pub use clustersim_experiment::scenario::manual::{Block, Item};
}

/// The tables and keys that every scenario may have, as written.
pub mod schema {
    pub use clustersim_experiment::scenario::schema::{RECORD, RUN};
}
