//! Problems, and the exceptions of the package that they become.
//!
//! The classes are Python (`clustersim._errors`); nothing else is raised across the border but what
//! a caller's own code raised, such as an interrupt.

use pyo3::prelude::*;
use pyo3::types::PyList;

use clustersim_cli::embedded::{StepFailure, diagnostics};
use clustersim_experiment::scenario::Rejected;

use crate::kernel::SimError;
use crate::registry::Complaint;

/// Reason that a function of the package does not succeed.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The scenario or a file is not valid.
    Invalid(Vec<Rejected>),
    /// An argument is of a wrong type, or cannot be used so.
    Argument(String),
    /// The simulation failed.
    Simulation(String),
    /// Something else failed.
    Failed(String),
    /// A mistake of the simulator.
    Internal(String),
}

impl From<StepFailure> for Problem {
    fn from(stopped: StepFailure) -> Self {
        match stopped {
            StepFailure::Invalid(all) => Problem::Invalid(all),
            StepFailure::Failed(words) => Problem::Failed(words),
        }
    }
}

impl From<Box<Rejected>> for Problem {
    fn from(rejected: Box<Rejected>) -> Self {
        Problem::Invalid(vec![*rejected])
    }
}

impl From<Complaint> for Problem {
    fn from(complaint: Complaint) -> Self {
        StepFailure::of(complaint).into()
    }
}

impl From<SimError> for Problem {
    fn from(error: SimError) -> Self {
        Problem::Simulation(error.to_string())
    }
}

impl Problem {
    /// The exception.
    pub(crate) fn raised(self, py: Python<'_>) -> PyErr {
        self.exception(py).unwrap_or_else(|error| error)
    }

    fn exception(self, py: Python<'_>) -> PyResult<PyErr> {
        let errors = py.import("clustersim._errors")?;
        let (class, argument) = match self {
            Problem::Invalid(all) => ("ScenarioError", mistakes(py, &all)?.into_any()),
            Problem::Argument(words) => ("ArgumentError", words.into_pyobject(py)?.into_any()),
            Problem::Simulation(words) => ("SimulationError", words.into_pyobject(py)?.into_any()),
            Problem::Failed(words) => ("Error", words.into_pyobject(py)?.into_any()),
            Problem::Internal(words) => ("InternalError", words.into_pyobject(py)?.into_any()),
        };
        Ok(PyErr::from_value(errors.getattr(class)?.call1((argument,))?))
    }
}

/// Mistakes as objects of Python.
pub(crate) fn mistakes<'py>(py: Python<'py>, all: &[Rejected]) -> PyResult<Bound<'py, PyList>> {
    let of = py.import("clustersim._errors")?.getattr("Diagnostic")?.getattr("_of")?;
    let list = PyList::empty(py);
    for one in diagnostics(all) {
        list.append(of.call1((one.text, one.document.to_string()))?)?;
    }
    Ok(list)
}
