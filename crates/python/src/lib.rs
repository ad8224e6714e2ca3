//! The package `clustersim` of Python: runs as objects, their tables as Arrow.
//!
//! This crate is the part that Python cannot write: it reads and checks scenarios, makes runs, and
//! hands over their figures and tables. Everything that a user sees (classes, their words, their
//! pictures) is Python, in `python/clustersim` next to this folder, and calls the few functions of
//! `clustersim._clustersim`.
//!
//! A run is made on a thread of its own, without the interpreter's lock: its world is not shared
//! between threads, so it begins and ends there, and plain values come back. The thread that called
//! looks at signals meanwhile. So Ctrl-C is heeded, and no program of the interpreter ever runs on
//! a thread where a simulation does. No panic leaves: it becomes an exception.

#![expect(clippy::needless_pass_by_value, reason = "arguments of functions of Python come by value")]

mod arrow;
mod problem;
mod rows;

mod border;
mod table;
mod values;

mod request;

mod finished;
mod run;
mod study;
mod validate;

use pyo3::prelude::*;

use clustersim_experiment::output::VERSION;

/// The functions of the package.
#[pymodule]
fn _clustersim(module: &Bound<'_, PyModule>) -> PyResult<()> {
    border::keep_panics();
    module.add("VERSION", VERSION)?;
    module.add_class::<table::RawTable>()?;
    module.add_function(wrap_pyfunction!(table::table_of_parts, module)?)?;
    module.add_function(wrap_pyfunction!(values::toml, module)?)?;
    module.add_function(wrap_pyfunction!(finished::check, module)?)?;
    module.add_function(wrap_pyfunction!(finished::describe, module)?)?;
    module.add_function(wrap_pyfunction!(finished::report, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(run::repeated, module)?)?;
    module.add_function(wrap_pyfunction!(study::study, module)?)?;
    module.add_function(wrap_pyfunction!(study::study_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(validate::validate, module)?)
}

pub(crate) use clustersim_kernel as kernel;
pub(crate) use clustersim_language::registry;
