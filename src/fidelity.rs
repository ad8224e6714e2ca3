//! Accounts of how far simulated schedules are from recorded ones: what a system hands over for
//! them, and by which rules they are made.

pub use clustersim_experiment::fidelity::{
    CauseShare, ComparedWaits, ErrorCause, ErrorCauses, FIDELITY, FidelityAccount, FidelityGroup,
    FidelityGrouping, FidelityRules, FidelityWord, LeftOut, ReplayFacts, ReplayMachine, ReplayNames,
    ReplayedJob, WaitFigure, WithoutCauses, WordBounds,
};
