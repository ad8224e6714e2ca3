//! Reports of a finished run.

/// `report.html`: a run or a study in pictures, in one file that needs nothing else and no
/// network.
pub mod html {
    pub use clustersim_experiment::report::html::contradictions;
}

/// Time of all lanes by cause.
pub mod lane_time {
    pub use clustersim_experiment::report::lane_time::{seconds, shares};
}
