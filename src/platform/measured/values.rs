//! From cells to numbers: bare ones have the unit that was stated.

use crate::platform::sharing::{LEAST, MOST};
use crate::registry::code;
use crate::text::csv::Field;
use crate::units::{BadQuantity, Bandwidth, Decimal, Speed, duration};

use super::{Measure, Reader, Use};

/// Whether nothing was measured, or nothing is written.
pub fn is_gap(cell: Field<'_>) -> bool {
    matches!(cell.raw(), "" | "-" | "NaN" | "nan" | "NA")
}

/// The number, if it is one without a unit.
pub(super) fn bare(text: &str) -> Option<Decimal> {
    Decimal::take(text).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number)
}

impl Reader {
    pub(super) fn time(&mut self, cell: Field<'_>) -> Option<u64> {
        let at = match bare(cell.raw()) {
            Some(number) => number.ceil_times(self.units.time),
            None => duration(cell.raw()).ok(),
        };
        if at.is_none() {
            let what = format!("`{}` is no time", cell.raw());
            self.wrong(cell, code::QUANTITY, what, "expected seconds, or the unit that was stated");
        }
        at
    }

    pub(super) fn speed_of(&mut self, cell: Field<'_>) -> Option<f64> {
        let parsed = |text: &str| Speed::parse(text).map(Speed::flops_per_sec);
        let speed = self.with_unit(cell, self.units.speed, parsed)?;
        self.within(cell, speed, speed > 0.0 && speed.is_finite())
    }

    pub(super) fn value(&mut self, cell: Field<'_>, measure: Measure, of: Use) -> Option<f64> {
        match measure {
            Measure::Bandwidth => {
                let parsed = |text: &str| Bandwidth::parse(text).map(Bandwidth::bytes_per_sec);
                let rate = self.with_unit(cell, self.units.bandwidth, parsed)?;
                self.within(cell, rate, rate <= 0.0 || (LEAST..=MOST).contains(&rate))
            }
            Measure::Latency => {
                let parsed = |text: &str| duration(text).map(|nanos| nanos as f64 / 1e9);
                let seconds = self.with_unit(cell, self.units.latency, parsed)?;
                self.within(cell, seconds, seconds <= 1e9)
            }
            Measure::Availability => {
                let (text, percent) = match cell.raw().strip_suffix('%') {
                    Some(text) => (text.trim_end(), true),
                    None => (cell.raw(), matches!(of, Use::AvailablePercent | Use::UsedPercent)),
                };
                let number = bare(text);
                let share = number.map(|number| number.to_f64(if percent { -2 } else { 0 }));
                let Some(share) = share.filter(|share| (0.0..=1.0).contains(share)) else {
                    let what = format!("`{}` is no share of a host", cell.raw());
                    let help = "expected 0 to 1, or with percent stated 0 to 100";
                    self.wrong(cell, code::RANGE, what, help);
                    return None;
                };
                Some(if matches!(of, Use::Used | Use::UsedPercent) { 1.0 - share } else { share })
            }
        }
    }

    /// A number with its own unit, or in the one that was stated.
    fn with_unit(
        &mut self,
        cell: Field<'_>,
        unit: Option<f64>,
        parse: impl Fn(&str) -> Result<f64, BadQuantity>,
    ) -> Option<f64> {
        match (bare(cell.raw()), unit) {
            (Some(number), Some(unit)) => return Some(number.to_f64(0) * unit),
            (Some(_), None) => {
                let what = format!("`{}` has no unit, and none was stated", cell.raw());
                let help = "state the unit of bare numbers, such as bandwidth=Mbps";
                self.wrong(cell, code::QUANTITY, what, help);
            }
            (None, _) => match parse(cell.raw()) {
                Ok(value) => return Some(value),
                Err(bad) => self.wrong(cell, code::QUANTITY, bad.problem, &bad.help),
            },
        }
        None
    }

    fn within(&mut self, cell: Field<'_>, value: f64, holds: bool) -> Option<f64> {
        if holds {
            return Some(value);
        }
        let what = format!("`{}` is out of range", cell.raw());
        self.wrong(cell, code::RANGE, what, "expected what hosts and links can have");
        None
    }
}
