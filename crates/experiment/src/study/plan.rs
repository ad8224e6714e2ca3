//! The plan of a study: what is frozen when it begins, so that the same study is continued.
//!
//! `plan.json` (schema `clustersim/study-plan/1`) holds the scenario as written and resolved, the
//! hashes of its inputs, the version, the points and the rule of repetition. Two plans are of one
//! study if their identities are equal.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::output::hash;
use crate::output::manifest::{Identity, document};
use crate::registry::Registry;
use crate::scenario::{Point, Repeat, Study};
use crate::study::question::Question;

/// The version of the plan's shape.
pub const SCHEMA: &str = "clustersim/study-plan/1";
/// The file's name.
pub const PLAN: &str = "plan.json";

/// A study as it was begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version, scenario and inputs: what decides the results.
    pub identity: Json,
    /// The title of the study.
    pub title: String,
    /// The root of the random streams, as far as it is not varied.
    pub seed: u64,
    /// The points, by their settings.
    pub points: Vec<String>,
    /// The rule of repetition: `{"replications": N}` or `{"until": ...}`.
    pub repeat: Json,
    /// The text of the main file.
    pub written: String,
    /// The whole study with every default filled in.
    pub resolved: String,
    /// The directory that the scenario's paths are relative to.
    pub directory: String,
    /// The question asked of the study, which changes none of its runs.
    #[serde(default, skip_serializing_if = "Question::is_default")]
    pub question: Question,
}

impl Plan {
    /// The plan of `study`, which answers `question`; `directory` is where its paths begin.
    pub fn of(study: &Study, question: &Question, identity: &Identity, directory: &Path) -> Self {
        Plan {
            schema: SCHEMA.to_owned(),
            identity: identity.to_json(),
            title: study.first().title.clone(),
            seed: study.first().seed,
            points: study.points.iter().map(Point::label).collect(),
            repeat: repeat(&study.repeat),
            written: study.text.clone(),
            resolved: study.resolved().to_owned(),
            directory: directory.to_string_lossy().into_owned(),
            question: question.clone(),
        }
    }

    /// The file's bytes.
    pub fn document(&self) -> Vec<u8> {
        document(&json!(self))
    }

    /// The plan in the directory `at`; `None` if there is none that can be read.
    pub fn read(at: &Path) -> Option<Plan> {
        let plan: Plan = serde_json::from_slice(&std::fs::read(at.join(PLAN)).ok()?).ok()?;
        (plan.schema == SCHEMA).then_some(plan)
    }

    /// Returns true if both are of one study.
    pub fn is_of(&self, identity: &Identity) -> bool {
        self.identity == identity.to_json()
    }
}

/// The rule of repetition as JSON.
pub fn repeat(repeat: &Repeat) -> Json {
    match repeat {
        Repeat::Times(count) => json!({ "replications": count }),
        Repeat::ToPower { pilot, at_most } => {
            json!({ "to-power": { "replications": pilot, "at-most": at_most } })
        }
        Repeat::Until { metric, half_width, at_most } => {
            json!({ "until": { "metric": metric, "half-width": half_width, "at-most": at_most } })
        }
    }
}

/// The identity of `study`, which decides its results: the text of its runs, and the input files of
/// all its points.
///
/// # Errors
/// A workload whose values contradict each other gives no input; an input cannot be read.
pub fn identity(registry: &Registry, study: &Study) -> io::Result<Identity> {
    let mut inputs: Vec<(String, String)> = Vec::new();
    for point in &study.points {
        let files = point.scenario.system.inputs(registry, &point.scenario);
        for (written, path) in files.map_err(|rejected| io::Error::other(rejected.to_string()))? {
            if inputs.iter().all(|(known, _)| *known != written) {
                inputs.push((written, hash::of_file(&path)?));
            }
        }
    }
    let resolved = hash::of_bytes(study.runs().as_bytes());
    Ok(Identity { resolved, inputs, features: study.first().features() })
}
