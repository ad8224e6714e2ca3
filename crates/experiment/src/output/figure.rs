//! Series over time and figures as data: what is drawn of which columns.
//!
//! A system declares a [`Figure`] by the names of a table and of its columns; the report gathers
//! the rows, of a run or of its files, and draws it. Of several names of a column the first that
//! the table has is meant. A row without a value that a figure needs is not part of it, and a
//! figure whose table is not there is left out, as is one that nothing is drawn in.
//!
//! A figure says of which metric it draws the observations. The page then states what it drew of
//! them (mean, median, end of a count) next to the figure, from the rows and not from the metric,
//! so that a picture that contradicts its page is found by
//! [`contradictions`](crate::report::html::contradictions).

use super::{Drawing, RowSource};
use crate::kernel::SimTime;

/// Figures and tables of the report of a run.
pub struct Pictures<'a> {
    /// Subject, as the first words of the page.
    pub about: String,
    /// The metrics at its top, with blanks between; the first ones if it names none.
    pub headline: &'static str,
    /// Figures, in this order.
    pub figures: Vec<Figure>,
    /// The tables that figures are drawn from, be they written to files or not. One that begins
    /// with the columns of a file has the rows of that file, in its order: both are made in one
    /// pass.
    pub tables: Vec<Box<dyn RowSource + 'a>>,
    /// An instant that is marked in every series, and what it is.
    pub mark: Option<(SimTime, &'static str)>,
    /// The instants from and to which metrics observe, if that is known.
    pub window: Option<(SimTime, SimTime)>,
    /// Omissions, as nothing holds their values, each with its reason.
    pub missing: Vec<String>,
}

impl<'a> Pictures<'a> {
    /// These figures of these tables.
    pub fn new(figures: Vec<Figure>, tables: Vec<Box<dyn RowSource + 'a>>) -> Self {
        Pictures {
            about: String::new(),
            headline: "",
            figures,
            tables,
            mark: None,
            window: None,
            missing: Vec::new(),
        }
    }
}

/// A picture with a title and a note below it.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// Title.
    pub title: String,
    /// Explanation, in sentences.
    pub note: String,
    /// Drawing.
    pub drawn: Drawn,
    /// The metric, or the family of metrics, whose observations are drawn; empty if no metric is of
    /// all of them. A distribution has the mean, the median, the 95th percentile and the maximum of
    /// its family; classes and groups together have its mean; a level over time has the metric as
    /// its mean over the window, and a count of what has happened as its end.
    pub metric: &'static str,
}

impl Figure {
    /// A figure of this title and note.
    pub fn new(title: impl Into<String>, note: impl Into<String>, drawn: impl Into<Drawn>) -> Self {
        Figure { title: title.into(), note: note.into(), drawn: drawn.into(), metric: "" }
    }

    /// The same, of the observations of this metric or family.
    #[must_use]
    pub fn of_metric(self, metric: &'static str) -> Self {
        Figure { metric, ..self }
    }
}

/// Drawing of the rows of tables.
#[derive(Clone, PartialEq, Debug)]
pub enum Drawn {
    /// A curve over time.
    Series(Series),
    /// A curve over time for each value of a column.
    SeriesBy {
        /// A curve. A row whose instant in `to` is empty counts for ever.
        series: Series,
        /// The column.
        by: &'static str,
    },
    /// Values over time, of one series at a time: a curve for each column of values.
    Values {
        /// The rows, in the order of time of each series.
        of: Rows,
        /// The column of instants.
        at: &'static str,
        /// Name of a series: columns stand in braces.
        series: &'static str,
        /// The columns of values, and what each is called.
        values: &'static [(&'static str, &'static str)],
    },
    /// A curve of shares: the part of the rows whose value is at most so much.
    Distribution {
        /// The rows.
        of: Rows,
        /// The column of values.
        value: &'static str,
        /// Name of the values.
        label: &'static str,
    },
    /// The mean of a value by classes of two columns, and how many rows each class has.
    HeatMap {
        /// The rows.
        of: Rows,
        /// The column of values.
        value: &'static str,
        /// The column of whole numbers whose classes, powers of two, lie side by side, and what
        /// they are.
        across: (Names, &'static str),
        /// The column of times whose classes lie one below the other, and what they are.
        down: (&'static str, &'static str),
    },
    /// The mean of a value of each group against the number of its rows.
    Groups {
        /// The rows.
        of: Rows,
        /// The column of whole numbers that names the group of a row, and what a group is.
        by: (&'static str, &'static str),
        /// The column of values, and what they are called.
        value: (&'static str, &'static str),
    },
    /// The metrics of a family as parts of a whole, stacked: of the run, and of each of its classes
    /// that has them.
    Shares {
        /// The family.
        family: &'static str,
        /// The metric that they add up to; `None`: they are shares, and add up to 1.
        whole: Option<&'static str>,
        /// Name of the whole that the shares are of.
        label: &'static str,
    },
    /// Spans on lanes.
    Lanes {
        /// Spans, from the front to the back.
        spans: Vec<Spans>,
        /// Name of a lane before its number, and the number of lanes; `None` if lanes have names of
        /// their own.
        numbered: Option<(&'static str, u32)>,
        /// Words for a span and for the lanes.
        words: (&'static str, &'static str),
    },
    /// Rows as a table.
    Listing {
        /// The rows.
        of: Rows,
        /// Columns, with blanks between; `utilization:%` is a share, `size:B` a number of bytes.
        columns: &'static str,
        /// Greatest number of rows: the first, or those with the greatest values, above 0, in this
        /// column.
        most: (usize, Option<&'static str>),
    },
    /// Nodes and edges.
    Picture {
        /// The nodes and edges.
        drawing: Drawing,
        /// Description of the drawing.
        alt: String,
    },
}

impl From<Series> for Drawn {
    fn from(series: Series) -> Self {
        Drawn::Series(series)
    }
}

/// Names of one column, of which the first is meant that a table has.
pub type Names = &'static [&'static str];

/// Rows of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The table.
    pub table: &'static str,
    /// Name of them together.
    pub what: &'static str,
    /// Restriction to rows that have more than 0 in this column, if not all.
    pub only: Option<&'static str>,
    /// Rows whose instant in this column is in the window that metrics observe, if not all.
    pub since: Option<&'static str>,
}

impl Rows {
    /// All rows of a table, and what they are.
    pub const fn of(table: &'static str, what: &'static str) -> Self {
        Rows { table, what, only: None, since: None }
    }

    /// Rows of a table from the instant on at which metrics begin to observe, by this column, and
    /// what they are.
    pub const fn since(table: &'static str, what: &'static str, instant: &'static str) -> Self {
        Rows { table, what, only: None, since: Some(instant) }
    }
}

/// A level over time: each row of a table raises it, from an instant on, or for a span.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Series {
    /// Name of the level.
    pub name: &'static str,
    /// Unit; `%` of `whole`.
    pub unit: &'static str,
    /// The table.
    pub table: &'static str,
    /// The column of the instant from which on a row counts.
    pub from: &'static str,
    /// The column of the instant to which it does; `None`: it counts for ever, from the start of
    /// time on.
    pub to: Option<&'static str>,
    /// Weight of a row; 1 if the table has none of these columns.
    pub weight: Names,
    /// Divisor of the level.
    pub whole: f64,
}

impl Series {
    /// Number of rows of a table between the instants of two columns.
    pub const fn between(
        name: &'static str,
        table: &'static str,
        from: &'static str,
        to: &'static str,
    ) -> Self {
        Series { name, unit: "", table, from, to: Some(to), weight: &[], whole: 1.0 }
    }

    /// Number of rows of a table up to the instant of a column.
    pub const fn count(name: &'static str, table: &'static str, at: &'static str) -> Self {
        Series { name, unit: "", table, from: at, to: None, weight: &[], whole: 1.0 }
    }
}

/// Spans of lanes, a row of a table each; one without an end lasts as long as the others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spans {
    /// The table.
    pub table: &'static str,
    /// The columns of their beginnings and ends.
    pub span: [&'static str; 2],
    /// Lanes of the spans.
    pub on: On,
    /// Name of each: columns stand in braces, with bars between names of which the first is meant
    /// that a table has.
    pub name: &'static str,
    /// A column that follows in parentheses, but where it has the usual word.
    pub unless: Option<(&'static str, &'static str)>,
    /// Facts of each, by name.
    pub facts: &'static [(&'static str, Names)],
    /// Name of them, if they lie behind the others.
    pub behind: Option<&'static str>,
}

/// The lanes of a span.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum On {
    /// Lanes of a column of intervals.
    Intervals(&'static str),
    /// Lanes of a column of intervals in bands, one below the other, which have so many lanes each.
    Bands {
        /// The column of the number of the band, from 1; a band is called so.
        band: &'static str,
        /// The column of intervals.
        intervals: &'static str,
        /// Lanes of a band.
        each: u32,
    },
    /// One that is called so, columns in braces; lanes are in the order of a column of whole
    /// numbers, or come one after the other.
    Named(&'static str, Option<&'static str>),
    /// One for each word of these columns, which is called so with the word behind; they come one
    /// after the other.
    Each(&'static str, &'static [&'static str]),
    /// One that is called so; lanes are in the order of the rows of this table, which are called
    /// the same.
    Listed(&'static str, &'static str),
}
