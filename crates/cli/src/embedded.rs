//! Steps of the commands for another front end, which prints nothing and ends no process: reading
//! what `run` reads, checking it, and diagnostics as texts and documents.
//!
//! Programs that a scenario starts are refused where the environment variable
//! `CLUSTERSIM_FORBID_PROGRAMS` says so, as on the command line.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::check::outcome;
use crate::describe::all_forms;
use crate::failure::Failure;
use crate::finished::manifest_of;
use crate::programs::{forbidden, refused_by};
use crate::registry::{Complaint, Registry, Sources};
use crate::render::{as_json, human};
use crate::report::drawn;
use crate::request::{asked_with, not_for};
use crate::scenario::recognition::{SCENARIO, recognize};
use crate::scenario::{Override, Rejected, Repeat, Study, Written, load, study};
use clustersim_experiment::output::directory::REPORT;
use clustersim_experiment::output::path::put_whole;
use clustersim_experiment::study::preflight::look_at;
use clustersim_experiment::study::summary::StudySummary;

pub use crate::study::cores;

/// Reason that a step did not succeed.
#[derive(Debug)]
pub enum StepFailure {
    /// The input is not valid.
    Invalid(Vec<Rejected>),
    /// Something else failed, in words.
    Failed(String),
}

/// A mistake of the input.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// For people: the line at fault with the mistake marked in it.
    pub text: String,
    /// For programs, as `--message-format json` prints it.
    pub document: Json,
}

impl From<Failure> for StepFailure {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Invalid(all) => StepFailure::Invalid(all),
            Failure::Place(complaint) => StepFailure::of(complaint),
            Failure::Simulation(error) => StepFailure::Failed(error.to_string()),
            Failure::Failed(message) | Failure::Again(message) => StepFailure::Failed(message),
            Failure::Broken(broken) => {
                let words: Vec<String> = broken.iter().map(ToString::to_string).collect();
                StepFailure::Failed(words.join("\n"))
            }
            Failure::BrokenPoints(words) | Failure::Incomplete(words) => {
                StepFailure::Failed(words.join("\n"))
            }
        }
    }
}

impl From<Box<Rejected>> for StepFailure {
    fn from(rejected: Box<Rejected>) -> Self {
        StepFailure::Invalid(vec![*rejected])
    }
}

impl StepFailure {
    /// Invalid input that no text is at fault for.
    pub fn of(complaint: Complaint) -> Self {
        StepFailure::Invalid(vec![Rejected { sources: Sources::new(""), complaints: vec![complaint] }])
    }
}

/// A scenario, a log or the manifest of a finished run as written, with these keys set.
///
/// # Errors
/// The file is none of them.
pub fn read(registry: &Registry, file: &Path, overrides: &[Override]) -> Result<Written, StepFailure> {
    Ok(asked_with(registry, file, overrides)?.written)
}

/// The scenario or study, if it is valid and its programs may be started.
///
/// # Errors
/// Everything that is wrong with it.
pub fn checked(registry: &Registry, written: Written) -> Result<Study, StepFailure> {
    let study = study(registry, written)?;
    let refused = not_permitted(registry, &study);
    if refused.is_empty() { Ok(study) } else { Err(StepFailure::Invalid(refused)) }
}

fn not_permitted(registry: &Registry, study: &Study) -> Vec<Rejected> {
    forbidden().map_or_else(Vec::new, |by| refused_by(registry, study, by))
}

/// Everything that is wrong with a scenario file, that a run would object to before it begins
/// included, as `validate` reports it.
///
/// # Errors
/// The points cannot be looked at.
pub fn mistakes_of_file(registry: &Registry, file: &Path) -> Result<Vec<Rejected>, StepFailure> {
    if let Some(other) = recognize(registry, file).filter(|mark| **mark != SCENARIO) {
        return Err(not_for("validate", file, other).into());
    }
    mistakes(registry, load(file, None, &[]))
}

/// The same of a scenario as written.
///
/// # Errors
/// The points cannot be looked at.
pub fn mistakes(registry: &Registry, written: Written) -> Result<Vec<Rejected>, StepFailure> {
    let study = match study(registry, written) {
        Ok(study) => study,
        Err(rejected) => return Ok(vec![*rejected]),
    };
    let seen = look_at(registry, &study, cores());
    let mut wrong = seen.map_err(|error| Failure::io("cannot begin a thread", &error))?.wrong;
    wrong.extend(not_permitted(registry, &study));
    Ok(wrong)
}

/// The judgement of the run or study in a directory, in words and as `check --json` prints it;
/// `note` takes remarks.
///
/// # Errors
/// It holds neither, or the files cannot be judged.
pub fn check(
    registry: &Registry,
    directory: &Path,
    note: &dyn Fn(&str),
) -> Result<(String, Json), StepFailure> {
    let judged = outcome(registry, directory, note)?;
    Ok((judged.text, judged.document))
}

/// The description of a file: in words, as `describe --json` prints it, and the picture that
/// `show` makes of a platform or task graph, as SVG.
///
/// # Errors
/// It cannot be read.
pub fn describe(registry: &Registry, file: &Path) -> Result<(String, Json, Option<String>), StepFailure> {
    Ok(all_forms(registry, file)?)
}

/// Draws the page of a finished run or study once more; gives its place. `note` takes remarks.
///
/// # Errors
/// The directory holds neither, its files cannot be drawn, or the page cannot be written.
pub fn report(registry: &Registry, directory: &Path, note: &dyn Fn(&str)) -> Result<PathBuf, StepFailure> {
    let page = drawn(registry, directory, &manifest_of(directory)?, note)?;
    let place = directory.join(REPORT);
    put_whole(&place, &page)
        .map_err(|error| Failure::io(&format!("cannot write {}", place.display()), &error))?;
    Ok(place)
}

/// The answer of a study as `run` prints it.
pub fn answer(study: &Study, summary: &StudySummary) -> String {
    let asked = match study.repeat {
        Repeat::Times(count) => Some(count),
        _ => None,
    };
    crate::study::answer(summary, asked, None)
}

/// The mistakes, each with its text.
pub fn diagnostics(all: &[Rejected]) -> Vec<Diagnostic> {
    let of = |sources: &Sources, complaint: &Complaint| Diagnostic {
        text: human(complaint, sources, false),
        document: as_json(complaint, sources),
    };
    all.iter().flat_map(|one| one.complaints.iter().map(|complaint| of(&one.sources, complaint))).collect()
}
