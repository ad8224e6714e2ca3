//! Files and directories: what a file is, if a finished run keeps its promises, and its page.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

use clustersim_cli::embedded;

use crate::border::{apart, guarded};
use crate::problem::Problem;
use crate::request::REGISTRY;

/// Text, document and remarks.
type Said = (String, String, Vec<String>);

/// A finished run judged by its files.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, directory: PathBuf) -> PyResult<Said> {
    with_remarks(py, |note| {
        let (text, document) = embedded::check(&REGISTRY, &directory, note)?;
        Ok((text, document.to_string()))
    })
}

/// A file and its contents: text, document, and the picture of what is drawn.
#[pyfunction]
pub(crate) fn describe(py: Python<'_>, file: PathBuf) -> PyResult<(String, String, Option<String>)> {
    guarded(py, || {
        let described = |_: &_| Ok(embedded::describe(&REGISTRY, &file)?);
        let (text, document, picture) = apart(py, |_| Ok(()), described)?;
        Ok((text, document.to_string(), picture))
    })
}

/// The page of a finished run or study, drawn once more; its place is the text.
#[pyfunction]
pub(crate) fn report(py: Python<'_>, directory: PathBuf) -> PyResult<Said> {
    with_remarks(py, |note| {
        let place = embedded::report(&REGISTRY, &directory, note)?;
        Ok((place.display().to_string(), String::new()))
    })
}

/// Texts of work on a thread of its own, and its remarks.
fn with_remarks(
    py: Python<'_>,
    work: impl FnOnce(&dyn Fn(&str)) -> Result<(String, String), Problem> + Send,
) -> PyResult<Said> {
    guarded(py, || {
        let remarks = Mutex::new(Vec::new());
        let note = |remark: &str| {
            remarks.lock().unwrap_or_else(PoisonError::into_inner).push(remark.to_owned());
        };
        let (text, document) = apart(py, |_| Ok(()), |_| work(&note))?;
        Ok((text, document, remarks.into_inner().unwrap_or_else(PoisonError::into_inner)))
    })
}
