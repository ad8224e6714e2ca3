//! Parameter sweeps, by the program and its public interface.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod own_sweeps;
mod sweep_dialogue;
mod sweep_explained;
mod sweep_links_between;
mod sweep_origins;
mod sweep_returns;
mod sweep_shared_links;
mod sweep_studies;
mod sweep_texts;
mod sweeps;
