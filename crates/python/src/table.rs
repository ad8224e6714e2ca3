//! A table of a run: rows that Python reads as Arrow.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use clustersim_experiment::output::TableColumns;

use crate::arrow::{Array, Schema, Stream};
use crate::border::guarded;
use crate::problem::Problem;
use crate::rows::{ColumnParts, NamedColumn, TableParts, TableRows, kind};

/// The rows of a table, column by column.
#[pyclass(frozen, module = "clustersim._clustersim")]
pub(crate) struct RawTable(pub(crate) Arc<TableRows>);

impl From<TableColumns> for RawTable {
    fn from(columns: TableColumns) -> Self {
        RawTable(Arc::new(columns.into()))
    }
}

#[pymethods]
impl RawTable {
    /// Number of rows.
    fn __len__(&self) -> usize {
        self.0.rows
    }

    /// Name of the table.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Meaning of a row.
    #[getter]
    fn about(&self) -> &str {
        &self.0.about
    }

    /// The columns: name, type, unit and meaning.
    #[getter]
    fn columns(&self) -> Vec<(&str, &'static str, &str, &str)> {
        let columns = self.0.columns.iter();
        columns
            .map(|NamedColumn { name, unit, about, cells }| (&**name, kind(&cells.values), &**unit, &**about))
            .collect()
    }

    /// The table as a function and its arguments, by which it is pickled.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, TableParts<'py>)> {
        guarded(py, || {
            let of = py.import("clustersim._clustersim")?.getattr("table_of_parts")?;
            Ok((of, self.0.parts(py)))
        })
    }

    /// The rows as a stream of one batch. Other types than the table's are not given, as the
    /// interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        guarded(py, || PyCapsule::new_with_value(py, Stream::of(Arc::clone(&self.0)), c"arrow_array_stream"))
    }

    /// The types of the columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        guarded(py, || PyCapsule::new_with_value(py, Schema::of(&self.0), c"arrow_schema"))
    }

    /// The rows as one batch, types first.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        guarded(py, || {
            let rows = PyCapsule::new_with_value(py, Array::of(&self.0), c"arrow_array")?;
            Ok((self.__arrow_c_schema__(py)?, rows))
        })
    }
}

/// The table of plain values, as [`TableRows::parts`] gives them.
#[pyfunction]
pub(crate) fn table_of_parts(
    py: Python<'_>,
    name: String,
    about: String,
    rows: usize,
    columns: Vec<ColumnParts<'_>>,
) -> PyResult<RawTable> {
    guarded(py, || {
        let rows = TableRows::of_parts((name, about, rows, columns));
        let damaged = || Problem::Argument("a pickled table is damaged".to_owned()).raised(py);
        rows.map(|rows| RawTable(Arc::new(rows))).ok_or_else(damaged)
    })
}
