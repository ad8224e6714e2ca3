//! Failures of commands, and their exit statuses.

use std::io;
use std::path::Path;

use crate::kernel::SimError;
use crate::registry::code::{self, Code};
use crate::registry::{Complaint, Problem, Sources, reason};
use crate::render::Renderer;
use crate::scenario::Rejected;
use crate::scenario::expect::Broken;
use crate::text::Mistakes;

/// Reason that a command did not succeed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The input is not valid (status 2).
    Invalid(Vec<Rejected>),
    /// The results cannot be written (status 1).
    Place(Complaint),
    /// The simulation failed (status 1).
    Simulation(SimError),
    /// Something else failed (status 1).
    Failed(String),
    /// Expectations are broken (status 3).
    Broken(Vec<Broken>),
    /// Expectations of a study are broken (status 3).
    BrokenPoints(Vec<String>),
    /// Runs of a study failed or are missing; each in words (status 4).
    Incomplete(Vec<String>),
    /// May succeed if tried again (status 75).
    Again(String),
}

impl Failure {
    /// Invalid input that no text is at fault for.
    pub(super) fn usage(complaint: Complaint) -> Self {
        Failure::Invalid(vec![Rejected { sources: Sources::new(""), complaints: vec![complaint] }])
    }

    /// All that is wrong with an input file, which messages call `written`.
    pub(super) fn of_file(mistakes: Mistakes<Problem>, written: &str) -> Self {
        let complaints = mistakes.map(|problem| problem.complaint(written, None)).into();
        Failure::Invalid(vec![Rejected { sources: Sources::new(""), complaints }])
    }

    /// Invalid input that no text is at fault for, and how to mend it.
    pub(super) fn refused(code: &'static Code, message: impl Into<String>, help: impl Into<String>) -> Self {
        Failure::usage(Complaint::nowhere(code, message).help(help))
    }

    /// Refuses to write a file that is there already, unless it may be replaced.
    pub(super) fn if_there(path: &Path, force: bool) -> Result<(), Self> {
        if force || !path.exists() {
            return Ok(());
        }
        let help = "choose another name, or replace it with --force";
        Err(Failure::refused(code::OCCUPIED, format!("{} is there already", path.display()), help))
    }

    /// An I/O error while doing `what`.
    pub(super) fn io(what: &str, error: &io::Error) -> Self {
        Failure::Failed(format!("{what}: {}", reason(error)))
    }

    /// Prints it on stderr; gives the exit status.
    pub(super) fn report(self, renderer: &Renderer) -> u8 {
        match self {
            Failure::Invalid(all) => {
                renderer.rejected(&all);
                2
            }
            Failure::Place(complaint) => {
                renderer.rejected(&[Rejected { sources: Sources::new(""), complaints: vec![complaint] }]);
                1
            }
            Failure::Simulation(error) => {
                renderer.error(&format!("the simulation failed: {error}"));
                1
            }
            Failure::Failed(message) => {
                renderer.error(&message);
                1
            }
            Failure::Broken(broken) => {
                for one in broken {
                    renderer.error(&one.to_string());
                }
                3
            }
            Failure::BrokenPoints(broken) => {
                broken.iter().for_each(|one| renderer.error(one));
                3
            }
            Failure::Incomplete(failed) => {
                failed.iter().for_each(|one| renderer.error(one));
                4
            }
            Failure::Again(message) => {
                renderer.error(&message);
                75
            }
        }
    }
}

impl From<Box<Rejected>> for Failure {
    fn from(rejected: Box<Rejected>) -> Self {
        Failure::Invalid(vec![*rejected])
    }
}

impl From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        Failure::Simulation(error)
    }
}
