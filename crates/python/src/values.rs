//! Objects of Python as values of a scenario.
//!
//! A dictionary is a table, a list or tuple an array. Whatever counts as a whole number (NumPy's
//! included) is one, and what has a value as a real number is that.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::border::guarded;
use crate::problem::Problem;
use crate::registry::{KeyValue, Node, Sources, Span, Tree, Value, to_inline, to_toml};

/// Deepest nesting of values that is read: an object may contain itself.
const DEEPEST: usize = 32;

/// A scenario as TOML.
#[pyfunction]
pub(crate) fn toml(py: Python<'_>, scenario: &Bound<'_, PyDict>) -> PyResult<String> {
    guarded(py, || match node(scenario, "the scenario", 0)?.value {
        Value::Table(tree) => Ok(to_toml(&tree)),
        _ => Err(wrong(py, "a scenario is a dictionary".to_owned())),
    })
}

/// A value as it stands behind `=`; messages call it `name`.
pub(crate) fn inline(value: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    node(value, name, 0).map(|node| to_inline(&node))
}

fn wrong(py: Python<'_>, words: String) -> PyErr {
    Problem::Argument(words).raised(py)
}

fn node(value: &Bound<'_, PyAny>, name: &str, depth: usize) -> PyResult<Node> {
    let py = value.py();
    let refused = |why: &str| Err(wrong(py, format!("{name} {why}")));
    if depth > DEEPEST {
        return refused("is nested too deeply");
    }
    let value = if let Ok(truth) = value.cast::<PyBool>() {
        Value::Boolean(truth.is_true())
    } else if let Ok(text) = value.cast::<PyString>() {
        match text.to_str() {
            Ok(text) => Value::String(text.to_owned()),
            Err(_) => return refused("is no text: it has half of a character"),
        }
    } else if let Ok(table) = value.cast::<PyDict>() {
        let mut tree = Tree::default();
        for (key, value) in table {
            let Ok(key) = key.extract::<String>() else {
                return refused(&format!("has the key {key}, and keys are texts"));
            };
            let node = node(&value, &format!("`{key}`"), depth + 1)?;
            tree.put(KeyValue::new(key, node));
        }
        Value::Table(tree)
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| node(&item?, name, depth + 1));
        Value::Array(items.collect::<PyResult<_>>()?)
    } else if value.is_instance_of::<PyInt>() || value.hasattr("__index__")? {
        match value.extract::<i64>() {
            Ok(whole) => Value::Integer(whole),
            Err(_) => return refused("is no whole number of 64 bits"),
        }
    } else if value.is_instance_of::<PyFloat>() || value.hasattr("__float__")? {
        match value.extract::<f64>() {
            Ok(real) if real.is_finite() => Value::Float(real),
            _ => return refused("is no finite number"),
        }
    } else if let Ok(path) = value.extract::<PathBuf>() {
        match path.into_os_string().into_string() {
            Ok(text) => Value::String(text),
            Err(_) => return refused("is a path whose name is not UTF-8, and a scenario is"),
        }
    } else {
        let class = value.get_type().name()?;
        return refused(&format!(
            "cannot be of the type {class}: texts, numbers, lists and dictionaries can"
        ));
    };
    Ok(Node::new(value, nowhere()))
}

/// A place for values that are written before they are read.
fn nowhere() -> Span {
    Span::new(Sources::new("").add("", "", ""), 0..0)
}
