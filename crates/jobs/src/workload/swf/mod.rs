//! The Standard Workload Format: logs of parallel machines, one job a line.
//!
//! Format: S. J. Chapin et al., "Benchmarks and Standards for the Evaluation of Parallel Job
//! Schedulers", JSSPP 1999; version 2.2 as published by the Parallel Workloads Archive (D. G.
//! Feitelson, D. Tsafrir, D. Krakov, JPDC 74(10), 2014). Eighteen numbers a line, -1 for unknown;
//! lines that begin with `;` are comments, of which those like `; MaxProcs: 128` make the header.
//!
//! Logs in the wild bend the format, so reading is tolerant where the meaning is plain, and counts
//! what it had to do ([`Report`]): no header, fields after the eighteenth (left unread, unless they
//! are those of one of two families of logs with 21 fields, [`FieldForm`]),
//! submissions out of order (sorted, stably), submit times since 1970, jobs numbered from 0, tabs,
//! carriage returns, decimals. It is strict where a guess would be needed: a missing or unreadable
//! number is an error with its line and column.
//!
//! What each field means here, and what -1 (any negative number) does:
//!
//! | field | use | unknown |
//! |---|---|---|
//! | 1 job number | name in outputs (twice: both kept, counted) | by place; repaired |
//! | 2 submit time | submission | dropped |
//! | 3 wait time | only reported, next to the simulated one | stays unknown |
//! | 4 run time | run time | dropped (zero too) |
//! | 5 allocated processors | need | (zero too) field 8 is used; repaired |
//! | 8 requested processors | need, where field 5 has none | dropped, if 5 has none either |
//! | 9 requested time | estimate | (zero too) the run time is the estimate; repaired |
//! | 11 status 2, 3 or 4 | a burst: left out if a line sums its job up, else joined | |
//! | 11 status, 12 user, 13 group, 14 executable, 15 queue, 16 partition | kept | stays unknown |
//! | 7 used memory, 10 requested memory | demand of memory, if asked for | no demand |
//! | 17 preceding job, 18 think time | dependencies, if asked for | none; counted if named |
//! | 11 status 5, 3 wait time, no run time | cancelled after that wait, if asked for | dropped |
//! | 6 | must be a number; not kept | |
//!
//! An estimate below the run time is raised to it unless the rule says otherwise
//! ([`estimate`](crate::workload::estimate)). These are the rules of the reference results
//! ("clean-v1"), but for one: a job larger than the machine is not this module's business; it is
//! rejected when it is submitted.

mod bursts;
mod error;
mod extended;
mod header;
mod log;
mod numbers;
mod read;
mod record;
mod report;
mod stated;
#[cfg(test)]
mod tests;
mod write;

pub use error::{Error, ErrorKind};
pub use extended::{FIELDS_KEY, FieldForm};
pub use header::Header;
pub use log::{Log, LogNames, LogWindow};
pub use numbers::Numbers;
pub use read::{MEMORY_KEY, Memory, Options, read, read_file, read_from};
pub use report::{Cause, Effect, Report, Tally};
pub use write::{Line, UNREQUESTED, write};

use crate::text::mark::{FileMark, Head};

/// The mark of logs in this format.
pub const MARK: FileMark =
    FileMark::new("a log in the Standard Workload Format", "`clustersim run {file}` runs it", is_log);

/// Numbers that a first line begins with, at least: others may be missing at its end.
const LEAST_NUMBERS: usize = 11;

/// Returns true if a text begins with a comment of such a log, or with a job.
fn is_log(head: &Head<'_>) -> bool {
    let numbers = |line: &str| line.split_whitespace().take_while(|word| word.parse::<f64>().is_ok()).count();
    head.lines().next().is_some_and(|line| line.starts_with(';'))
        || head.statements().next().is_some_and(|line| numbers(line) >= LEAST_NUMBERS)
}
