//! Every mistake of a scenario; nothing is simulated.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use clustersim_cli::embedded::{mistakes, mistakes_of_file};

use crate::border::{apart, guarded};
use crate::problem::mistakes as as_objects;
use crate::request::{REGISTRY, Request, Source};

/// The mistakes of a scenario and of what it names, those included to which a run would object
/// before it begins.
#[pyfunction]
pub(crate) fn validate<'py>(
    py: Python<'py>,
    source: Source,
    set: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyList>> {
    guarded(py, || {
        let request = Request::of(source, set)?;
        let found = apart(
            py,
            |_| Ok(()),
            |_| {
                Ok(match request.plain_file() {
                    Some(file) => mistakes_of_file(&REGISTRY, file)?,
                    None => mistakes(&REGISTRY, request.written()?)?,
                })
            },
        )?;
        as_objects(py, &found)
    })
}
