//! Trace files that a platform names, and how they are taken up.

use crate::kernel::SimDuration;
use crate::registry::{Complaint, Params, code};
use crate::{Trace, TraceOf, read_trace_named};

/// The key of traces of what works.
const STATES: &str = "state-trace";

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

/// The trace that the key `name` gives, if it is written. What ends in `.csv` has columns, anything
/// else is SimGrid's text.
///
/// # Errors
/// The file cannot be read, everything that is wrong with it, and a periodicity that it cannot
/// have.
pub(super) fn trace(table: &Params<'_>, name: &str) -> Result<Option<Staggered>, Vec<Complaint>> {
    if !table.has(name) {
        return Ok(None);
    }
    let table = table.section(name);
    let (written, path) = (table.read::<String>("file")?, table.path("file")?);
    let of = if name == STATES { TraceOf::States } else { TraceOf::Values };
    let mut trace = read_trace_named(&path, (&written, table.span("file")), of)?;
    if let Some(periodicity) = table.read::<Option<SimDuration>>("periodicity")? {
        let repeated = trace.repeated(Some(periodicity));
        trace = repeated.map_err(|why| table.complaint("periodicity", why.to_string()))?;
    }
    if table.read("first-point-at-start")? {
        trace = trace.from_first();
    }
    let trace = trace.offset(table.read("offset")?);
    let stagger: Option<SimDuration> = table.read("stagger")?;
    Ok(Some(Staggered { trace, stagger: stagger.unwrap_or_default() }))
}

/// The states that `state-trace` gives to so many alike: above 0 while one works.
///
/// # Errors
/// The file cannot be read, everything that is wrong with it, and a periodicity that it cannot
/// have.
pub fn states(table: &Params<'_>, count: u32) -> Result<Option<Vec<Trace>>, Vec<Complaint>> {
    let staggered = trace(table, STATES)?;
    Ok(staggered.map(|staggered| (0..count).map(|number| staggered.of(number)).collect()))
}

/// As `trace`, of values that are shares.
///
/// # Errors
/// As there, and a value above 1.
pub(super) fn shares(table: &Params<'_>, name: &str) -> Result<Option<Staggered>, Vec<Complaint>> {
    let staggered = trace(table, name)?;
    let above =
        staggered.iter().flat_map(|staggered| staggered.trace.points()).find(|(_, value)| *value > 1.0);
    match above {
        None => Ok(staggered),
        Some((at, value)) => {
            let message =
                format!("{value} is available {} s after the start, and 1 is all", at.as_secs_f64());
            let complaint = Complaint::new(code::RANGE, message, table.span(name));
            Err(complaint.label("expected shares from 0 to 1").into())
        }
    }
}
