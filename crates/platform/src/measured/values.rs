//! From cells to numbers: bare ones have the unit that was stated.

use crate::registry::Problem;
use crate::registry::code::{self, Code};
use crate::sharing::{LEAST, MOST};
use crate::text::csv::Field;
use crate::units::{BadQuantity, Bandwidth, Decimal, Speed, duration};

use super::{Measure, Units, Use};

/// Returns true if nothing was measured, or nothing is written.
pub fn is_gap(cell: Field<'_>) -> bool {
    matches!(cell.raw(), "" | "-" | "NaN" | "nan" | "NA")
}

/// The number, if it is one without a unit.
pub fn bare(text: &str) -> Option<Decimal> {
    Decimal::take(text).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number)
}

impl Units {
    /// A time on the clock of a file \[ns\]: a number in the unit that was stated, or with its own.
    ///
    /// # Errors
    /// It is none.
    pub fn read_time(&self, cell: Field<'_>) -> Result<u64, Problem> {
        let at = match bare(cell.raw()) {
            Some(number) => number.ceil_times(self.time),
            None => duration(cell.raw()).ok(),
        };
        at.ok_or_else(|| {
            let what = format!("`{}` is no time", cell.raw());
            wrong(cell, code::QUANTITY, what, "expected seconds, or the unit that was stated")
        })
    }

    /// A bandwidth \[bytes/s\]: a number in the unit that was stated, or with its own.
    ///
    /// # Errors
    /// It is none, or none that a link can have.
    pub fn read_bandwidth(&self, cell: Field<'_>) -> Result<f64, Problem> {
        let parsed = |text: &str| Bandwidth::parse(text).map(Bandwidth::bytes_per_sec);
        let rate = with_unit(cell, self.bandwidth, parsed)?;
        within(cell, rate, rate <= 0.0 || (LEAST..=MOST).contains(&rate))
    }

    /// A share of a host that is available, from 0 to 1; `of` is what the cell states.
    ///
    /// # Errors
    /// It is none.
    pub fn read_share(&self, cell: Field<'_>, of: Use) -> Result<f64, Problem> {
        let (text, percent) = match cell.raw().strip_suffix('%') {
            Some(text) => (text.trim_end(), true),
            None => (cell.raw(), matches!(of, Use::AvailablePercent | Use::UsedPercent)),
        };
        let number = bare(text);
        let share = number.map(|number| number.to_f64(if percent { -2 } else { 0 }));
        let Some(share) = share.filter(|share| (0.0..=1.0).contains(share)) else {
            let what = format!("`{}` is no share of a host", cell.raw());
            return Err(wrong(cell, code::RANGE, what, "expected 0 to 1, or with percent stated 0 to 100"));
        };
        Ok(if matches!(of, Use::Used | Use::UsedPercent) { 1.0 - share } else { share })
    }

    fn read_latency(&self, cell: Field<'_>) -> Result<f64, Problem> {
        let parsed = |text: &str| duration(text).map(|nanos| nanos as f64 / 1e9);
        let seconds = with_unit(cell, self.latency, parsed)?;
        within(cell, seconds, seconds <= 1e9)
    }

    pub(super) fn read_speed(&self, cell: Field<'_>) -> Result<f64, Problem> {
        let parsed = |text: &str| Speed::parse(text).map(Speed::flops_per_sec);
        let speed = with_unit(cell, self.speed, parsed)?;
        within(cell, speed, speed > 0.0 && speed.is_finite())
    }

    pub(super) fn read_measure(&self, cell: Field<'_>, measure: Measure, of: Use) -> Result<f64, Problem> {
        match measure {
            Measure::Bandwidth => self.read_bandwidth(cell),
            Measure::Latency => self.read_latency(cell),
            Measure::Availability => self.read_share(cell, of),
        }
    }
}

fn wrong(cell: Field<'_>, code: &'static Code, what: impl Into<String>, help: &str) -> Problem {
    Problem::of_cell(cell, code, what, help)
}

/// A number with its own unit, or in the one that was stated.
fn with_unit(
    cell: Field<'_>,
    unit: Option<f64>,
    parse: impl Fn(&str) -> Result<f64, BadQuantity>,
) -> Result<f64, Problem> {
    match (bare(cell.raw()), unit) {
        (Some(number), Some(unit)) => Ok(number.to_f64(0) * unit),
        (Some(_), None) => {
            let what = format!("`{}` has no unit, and none was stated", cell.raw());
            let help = "state the unit of bare numbers, such as bandwidth=Mbps";
            Err(wrong(cell, code::QUANTITY, what, help))
        }
        (None, _) => parse(cell.raw()).map_err(|bad| wrong(cell, code::QUANTITY, bad.problem, &bad.help)),
    }
}

fn within(cell: Field<'_>, value: f64, holds: bool) -> Result<f64, Problem> {
    if holds {
        return Ok(value);
    }
    let what = format!("`{}` is out of range", cell.raw());
    Err(wrong(cell, code::RANGE, what, "expected what hosts and links can have"))
}
