//! Trace files that a platform names, and how they are taken up.

use crate::kernel::SimDuration;
use crate::platform::{Trace, read_trace, read_trace_csv};
use crate::registry::code;
use crate::registry::{Complaint, Params};
use crate::text::{LONGEST_TEXT, read_file};

/// A trace, and how much further into it each next host begins that has it.
pub(super) struct Staggered {
    pub(super) trace: Trace,
    stagger: SimDuration,
}

impl Staggered {
    /// The trace of the host of this number, from 0.
    pub(super) fn of(&self, number: u32) -> Trace {
        let nanos = self.stagger.as_nanos().saturating_mul(u64::from(number));
        self.trace.clone().offset(SimDuration::from_nanos(nanos))
    }
}

/// The trace that the key `name` tells, if it is written. What ends in `.csv` has columns, anything else is SimGrid's text.
///
/// # Errors
/// The file cannot be read, everything that is wrong with it, and a periodicity that it cannot have.
pub(super) fn trace(table: &Params<'_>, name: &str) -> Result<Option<Staggered>, Vec<Complaint>> {
    if !table.has(name) {
        return Ok(None);
    }
    let told = table.section(name);
    let one = |complaint: Complaint| vec![complaint];
    let (written, path) = (told.read::<String>("file").map_err(one)?, told.path("file").map_err(one)?);
    let span = told.span("file");
    let text = read_file(&path, LONGEST_TEXT).map_err(|why| {
        let message = format!("cannot read `{written}`: {why}");
        one(Complaint::new(code::FILE, message, span).label("named here"))
    })?;
    let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    let read = if is_csv { read_trace_csv(&text, None) } else { read_trace(&text) };
    let mut trace = read.map_err(|problems| {
        problems.into_iter().map(|problem| problem.complaint(&written, Some(span))).collect::<Vec<_>>()
    })?;
    if let Some(periodicity) = told.read::<Option<SimDuration>>("periodicity").map_err(one)? {
        let round = trace.coming_round(Some(periodicity));
        trace = round.map_err(|why| one(told.complaint("periodicity", why.to_string())))?;
    }
    if told.read("from-first").map_err(one)? {
        trace = trace.from_first();
    }
    let trace = trace.offset(told.read("offset").map_err(one)?);
    let stagger: Option<SimDuration> = told.read("stagger").map_err(one)?;
    Ok(Some(Staggered { trace, stagger: stagger.unwrap_or_default() }))
}

/// As [`trace`], of values that are shares.
///
/// # Errors
/// As there, and a value above 1.
pub(super) fn shares(table: &Params<'_>, name: &str) -> Result<Option<Staggered>, Vec<Complaint>> {
    let told = trace(table, name)?;
    let above = told.iter().flat_map(|told| told.trace.points()).find(|(_, value)| *value > 1.0);
    match above {
        None => Ok(told),
        Some((at, value)) => {
            let message =
                format!("{value} is available {} s after the start, and 1 is all", at.as_secs_f64());
            Err(vec![
                Complaint::new(code::RANGE, message, table.span(name)).label("expected shares from 0 to 1"),
            ])
        }
    }
}
