//! A run that is over, as `run` writes and prints it.

use std::io;

use serde_json::{Map, Value as Json};

use crate::report::directory::Partial;
use crate::report::manifest::Identity;
use crate::scenario::{Figures, Scenario};

/// What is told of a run that is over; each system has its own.
pub(super) trait Over {
    /// What every run tells.
    fn figures(&self) -> Figures<'_>;
    /// What its manifest tells beside what all do.
    fn manifest(&self) -> Map<String, Json>;
    /// Writes the files that only runs of its system have.
    fn write(&self, scenario: &Scenario, identity: &Identity, partial: &mut Partial) -> io::Result<()>;
    /// The page with its pictures; `summary` is `summary.json`.
    fn report(&self, scenario: &Scenario, summary: &Json) -> Vec<u8>;
    /// What is printed of it.
    fn text(&self, scenario: &Scenario) -> String;
    /// What was asked to be explained, for `--json`.
    fn explanation(&self) -> Option<Json> {
        None
    }
}
