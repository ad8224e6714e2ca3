//! The matrix of an answer: settings that are compared down, another axis across.

use serde::{Deserialize, Serialize};

use crate::study::summary::{Role, Verdict};

/// A metric at the points of two axes: settings that are compared down, another axis across.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerMatrix {
    /// Name of the metric.
    pub metric: String,
    /// Rank of its family.
    pub role: Role,
    /// The baseline, scale, number of tests and replications, for people.
    pub heading: String,
    /// The settings of the other axes; empty without others.
    pub rest: String,
    /// The heads of the columns: settings of the axis across; one, empty, without such an axis.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<MatrixRow>,
    /// Marks of its cells and their meaning.
    pub marks: Vec<(char, String)>,
}

/// A row of a matrix: a setting that is compared, or a pair of settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixRow {
    /// The setting.
    pub label: String,
    /// A cell a column; `None` where there is no such point, or nothing was observed.
    pub cells: Vec<Option<MatrixCell>>,
}

/// A point against the baseline, or the baseline itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixCell {
    /// Number of the point.
    pub point: u32,
    /// The verdict; `None` of the baseline, and where nothing random was drawn.
    pub verdict: Option<Verdict>,
    /// Mark of the verdict: direction of a change that is settled, or the reason that none is.
    pub mark: char,
    /// The figure that was tested, with the half-width of its interval: a change in percent, or a
    /// difference in the unit of the heading; the mean, of the baseline.
    pub figure: String,
    /// The difference in the metric's unit; empty of the baseline.
    pub difference: String,
    /// The adjusted p-value; empty without a test.
    pub p: String,
    /// Common replications.
    pub n: u64,
    /// Replications with which the asked change would be found, where nothing is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<u64>,
    /// The difference with the log as recorded, and its place among the draws; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recorded: String,
}
