//! Requests for runs: the scenario, the keys that are set, and which run of a study.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use clustersim::system::standard;
use clustersim_cli::embedded::{checked, read};
use clustersim_experiment::scenario::{Override, Scenario, Study, Written, from_text};

use crate::problem::Problem;
use crate::registry::Registry;
use crate::values::inline;

/// Name of arguments in messages.
const ARGUMENTS: &str = "set";

/// A scenario as Python states it: a file, or else a text, its name in messages, and the folder
/// where its paths begin.
pub(crate) type Source = (Option<PathBuf>, String, String, PathBuf);

/// Every component and system that comes with the simulator.
pub(crate) static REGISTRY: LazyLock<Registry> = LazyLock::new(standard);

/// The scenario that is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// A file, or a text and its name in messages.
    input: Input,
    overrides: Vec<Override>,
}

#[derive(Clone, Debug)]
enum Input {
    File(PathBuf),
    Text { name: String, text: String, base: PathBuf },
}

impl Request {
    /// The scenario in a file, or of a text whose paths begin at `base`.
    pub(crate) fn of((file, text, name, base): Source, set: &Bound<'_, PyDict>) -> PyResult<Self> {
        let input = match file {
            Some(file) => Input::File(file),
            None => Input::Text { name, text, base },
        };
        let mut overrides = Vec::new();
        for (key, value) in set {
            let key: String = key
                .extract()
                .map_err(|_| Problem::Argument("keys of `set` are texts".to_owned()).raised(set.py()))?;
            overrides.push(Override::argument(ARGUMENTS, &key, &inline(&value, &format!("`{key}`"))?));
        }
        Ok(Request { input, overrides })
    }

    /// The file, if nothing of it is set.
    pub(crate) fn plain_file(&self) -> Option<&Path> {
        match &self.input {
            Input::File(file) if self.overrides.is_empty() => Some(file),
            _ => None,
        }
    }

    /// The scenario as written.
    pub(crate) fn written(&self) -> Result<Written, Problem> {
        Ok(match &self.input {
            Input::File(file) => read(&REGISTRY, file, &self.overrides)?,
            Input::Text { name, text, base } => from_text(name, text.clone(), base, &self.overrides),
        })
    }

    /// The scenario or study, valid.
    pub(crate) fn study(&self) -> Result<Study, Problem> {
        Ok(checked(&REGISTRY, self.written()?)?)
    }
}

/// The run of a study that a point and a replication name; the only one of a scenario that is none.
pub(crate) fn one_of(
    study: Study,
    point: Option<usize>,
    replication: Option<u64>,
) -> Result<Scenario, Problem> {
    let count = study.points.len();
    if study.is_several() && point.is_none() && replication.is_none() {
        return Err(Problem::Argument(format!(
            "the scenario is a study with {count} points: make it with `study`, or name one run with `point` and `replication`"
        )));
    }
    let number = match point {
        Some(number) => number,
        None if count == 1 => 0,
        None => return Err(Problem::Argument(format!("name the `point`, one of {count} from 0"))),
    };
    let Some(point) = study.points.into_iter().nth(number) else {
        return Err(Problem::Argument(format!("there is no point {number}: the study has {count}, from 0")));
    };
    Ok(replication.map_or_else(|| point.scenario.clone(), |number| point.scenario.with_replication(number)))
}
