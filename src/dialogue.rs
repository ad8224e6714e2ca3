//! Dialogues of a simulation with programs: said, recorded, and repeated.

/// A live dialogue with its life: read from a scenario, prepared, begun, spoken, and ended.
pub mod live {
    pub use clustersim_experiment::dialogue::live::{LiveDialogue, PeerFault};
}
