//! `reservations.csv`: which processors reservations had, and when.
//!
//! A row for each interval of processors that a reservation got at once, in the order in which it did: the number of its table in the scenario, the
//! how many-th time it took place, both from 1, the interval, and from when to when [s]; the end is empty if the run was over before.

use std::io::{self, Write};

use crate::instrument::metrics::Run;
use crate::kernel::SimTime;

use super::jobs_csv::{integer, intervals, seconds};

/// Writes the processors that reservations had.
///
/// # Errors
/// What the writer says.
pub fn write(run: &Run<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut buffer = b"reservation,time,processors,from,to\n".to_vec();
    for one in run.record.reserved().taken() {
        integer(&mut buffer, u64::from(one.which.0));
        buffer.push(b',');
        integer(&mut buffer, u64::from(one.which.1));
        buffer.push(b',');
        intervals(&mut buffer, &[one.processors]);
        buffer.push(b',');
        seconds(&mut buffer, one.from.since(SimTime::ZERO));
        buffer.push(b',');
        if one.to < SimTime::MAX {
            seconds(&mut buffer, one.to.since(SimTime::ZERO));
        }
        buffer.push(b'\n');
    }
    out.write_all(&buffer)
}
