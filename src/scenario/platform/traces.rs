//! Trace files that a platform names.

use std::fs;

use crate::platform::{Trace, read_trace, read_trace_csv};
use crate::registry::code;
use crate::registry::{Complaint, Params, reason};

/// The trace in the file that the key `name` names, if it is written. What ends in `.csv` has columns, anything else is SimGrid's text.
///
/// # Errors
/// The file cannot be read, or everything that is wrong with it.
pub(super) fn trace(table: &Params<'_>, name: &str) -> Result<Option<Trace>, Vec<Complaint>> {
    if !table.has(name) {
        return Ok(None);
    }
    let one = |complaint: Complaint| vec![complaint];
    let (written, path) = (table.read::<String>(name).map_err(one)?, table.path(name).map_err(one)?);
    let span = table.span(name);
    let text = fs::read_to_string(&path).map_err(|error| {
        let message = format!("cannot read `{written}`: {}", reason(&error));
        one(Complaint::new(code::FILE, message, span).label("named here"))
    })?;
    let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    let read = if is_csv { read_trace_csv(&text, None) } else { read_trace(&text) };
    let told = |problem: crate::workload::source::Problem| problem.complaint(&written, Some(span));
    read.map(Some).map_err(|problems| problems.into_iter().map(told).collect())
}

/// As [`trace`], of values that are shares.
///
/// # Errors
/// As there, and a value above 1.
pub(super) fn shares(table: &Params<'_>, name: &str) -> Result<Option<Trace>, Vec<Complaint>> {
    let trace = trace(table, name)?;
    let above = trace.iter().flat_map(Trace::points).find(|(_, value)| *value > 1.0);
    match above {
        None => Ok(trace),
        Some((at, value)) => {
            let message =
                format!("{value} is available {} s after the start, and 1 is all", at.as_secs_f64());
            Err(vec![
                Complaint::new(code::RANGE, message, table.span(name)).label("expected shares from 0 to 1"),
            ])
        }
    }
}
