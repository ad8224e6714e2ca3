//! A run on a terminal, as data: which of its figures stand there, in the words of its system.
//!
//! A system declares rows of a table, labelled lines and shares by the names of metrics. Values,
//! units, half-widths and the layout are the floor's, so that a figure on the terminal is the
//! metric of its name. Words of a line are a template:
//!
//! | written | becomes |
//! |---|---|
//! | `{makespan}` | the metric in its unit, a share in percent, a dash where nothing was observed |
//! | `{gap%}` | the metric in percent |
//! | `{throughput#}` | its number without a unit |
//! | `{interruptions+interruption}` | its number and a noun: `1 interruption`, `3 interruptions` |
//! | `{rejected!0}` | the metric, missing where it is 0; `{plan-error!0%}` in percent |
//! | `{@scheduler}` | a value that is no metric, by its name |
//! | `[, {gap%} above]` | left out where a value in it is missing |

use crate::kernel::SimTime;

use super::number::{counted, grouped};

/// Parts of a run on a terminal. One that declares neither rows nor lines shows every metric that
/// its run has.
#[derive(Default)]
pub struct Shown<'a> {
    /// Rows of the table of statistics: a family with a mean, a median, a 95th percentile or a
    /// maximum, and its label.
    pub statistics: Vec<(&'static str, &'static str)>,
    /// Lines, in order: label and words. A line of which nothing is left is not shown.
    pub lines: Vec<(&'static str, &'static str)>,
    /// Values of words that are no metrics, by name.
    pub facts: Vec<(&'static str, String)>,
    /// A family whose metrics are parts of a whole, and the title of their bars.
    pub shares: Option<(&'static str, &'static str)>,
    /// Lists below the lines.
    pub lists: Vec<ShownList>,
    /// The strip chart at the end.
    pub strip: Option<ShownStrip<'a>>,
    /// Noun of the observations that batch means are of; `None` in a system without batch means.
    pub batch_means_of: Option<&'static str>,
}

/// Lines under a title.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShownList {
    /// The title.
    pub title: String,
    /// The lines.
    pub lines: Vec<String>,
}

impl ShownList {
    /// Lines of a list of failures that are printed.
    const MOST: usize = 5;

    /// List of failures, named by a noun, a line each: the first of them, and the number of others;
    /// `more` says where those stand. `None` if nothing failed.
    pub fn of_failures(what: &str, more: &str, all: impl Iterator<Item = String>) -> Option<Self> {
        let mut lines: Vec<String> = all.collect();
        let count = lines.len();
        let title = format!("{} failed", counted(count as u64, what));
        if count > Self::MOST {
            lines.truncate(Self::MOST);
            lines.push(format!("and {} more{more}", grouped((count - Self::MOST) as u64)));
        }
        (count > 0).then_some(ShownList { title, lines })
    }
}

/// A level over time, drawn in one line.
pub struct ShownStrip<'a> {
    /// The title.
    pub title: &'static str,
    /// First instant.
    pub from: SimTime,
    /// Last instant.
    pub to: SimTime,
    /// Level that is drawn.
    pub level: LevelOverTime<'a>,
}

/// The level of a strip chart.
pub enum LevelOverTime<'a> {
    /// Servers in use.
    InUse {
        /// Spans of use, each with its number of servers.
        spans: Box<dyn Iterator<Item = (SimTime, SimTime, u64)> + 'a>,
        /// Number of all servers.
        of: u64,
    },
    /// Instants at which something came to its end.
    Instants(Box<dyn Iterator<Item = SimTime> + 'a>),
}
