//! Results as data, and the sinks that write them.
//!
//! A producer declares a [`Table`] (its name, its meaning, and its columns with type, unit and
//! meaning) and pushes rows of [`Cell`]s into a [`RowSink`]. A [`Row`] is both at once, and reads
//! itself back from its file ([`RowFile`]). From that alone come the text file
//! ([`csv`]), the Parquet file, and what `explain` and the manual print about either. Nothing here
//! knows a system: what a row is about is the producer's matter.
//!
//! A timeline is declared and pushed in the same manner ([`LaneSource`]), and written for
//! [`perfetto`]. What is drawn of tables is a [`Figure`], declared by the names of columns; the
//! rows may come from a run or from its files ([`FileRows`]). What is no table, such as a graph or
//! a platform, is a [`Drawing`] of nodes and edges, and a figure or a file as well.
//!
//! Files go into the directory of a run or study ([`directory::Partial`]), which is complete or is
//! not there.
//!
//! A row is pushed in one call and borrows from the results, so that a table of 10^7 rows is never
//! held as one.

mod columns;
pub mod csv;
pub mod directory;
mod drawing;
pub mod drawn_rows;
mod explanation;
mod figure;
pub mod hash;
mod lanes;
pub mod lock;
pub mod manifest;
pub mod number;
#[cfg(feature = "parquet")]
mod parquet;
pub mod path;
pub mod perfetto;
mod read_back;
mod row;
mod row_file;
mod row_lanes;
mod shown;
mod spans;
mod table;

use std::io::{self, Write};

pub use columns::{CellValues, ColumnCells, TableColumns, Texts};
pub use directory::TableFormat;
pub use drawing::{Arrangement, Drawing, DrawnEdge, DrawnNode, EdgeLine, EdgeText, NodeShape};
pub use explanation::{ExplainedSpan, Explanation, Paragraph};
pub use figure::{Drawn, Figure, Names, On, Pictures, Rows, Series, Spans};
pub use lanes::{Arrow, Counter, Label, LaneCause, LaneSink, LaneSource, LaneTotal, Lanes};
pub use read_back::FileRows;
#[doc(hidden)]
pub use row::push_present;
pub use row::{
    Always, Category, Conditions, FixedPoint, List, ListedRows, MaybeKnown, Row, Text, Value, Whole, Word,
    row, rows,
};
pub use row_file::{FileLine, NoRows, RowFile, each_line};
pub(crate) use row_lanes::name_of;
pub use row_lanes::{RowLanes, RowSpans};
pub use shown::{LevelOverTime, Shown, ShownList, ShownStrip};
pub(crate) use spans::Layout;
pub use spans::{ArrowNames, NamedSpan, SpanArrow, push_spans, push_spans_and_arrows};
pub use table::columns;
pub use table::{Cell, CellType, Column, RowSink, RowSource, Table};

/// The version of the program, which manifests, reports and logs name.
pub const VERSION: &str = "0.1.0";

/// True if this build can write Parquet files.
///
/// The format is behind the feature `parquet`, which is off in a plain build: its library doubles
/// the time to compile. A scenario that asks for such a file is then refused before it is run.
pub const PARQUET_AVAILABLE: bool = cfg!(feature = "parquet");

/// Place for a run's files.
pub trait Files {
    /// Writes a file and notes its hash.
    ///
    /// # Errors
    /// It cannot be written.
    fn file(&mut self, name: &str, write: &mut FileWriter<'_>) -> io::Result<()>;
}

/// Function that writes a file.
pub type FileWriter<'a> = dyn FnMut(&mut (dyn Write + Send)) -> io::Result<()> + 'a;
