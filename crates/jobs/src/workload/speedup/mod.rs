//! Laws of speed-up: how many times as fast as on one processor a program runs on more.
//!
//! A law gives the speed-up S(n) of a job that was submitted for `asked` processors. Only quotients
//! of two speed-ups are used ([`time`]), as the log has the run time of a job on the processors
//! that it had: t(n) = t(asked) S(asked) / S(n). A law is one file here and its entry in [`table`].
//! What is left out: that a program needs more memory, or communicates farther, on fewer or more
//! nodes; a law of one's own can know of it through S.

mod amdahl;
mod downey;
mod linear;
mod power;

use std::fmt;

use crate::kernel::SimDuration;
use crate::registry::{Entry, Table};

pub(super) use downey::speedup as downey;

/// A law of speed-up.
pub trait Law: fmt::Debug + Send + Sync {
    /// Speed of a job on `procs` that was submitted for `asked`, relative to that on one
    /// processor; above zero [no unit].
    fn speedup(&self, procs: u32, asked: u32) -> f64;
}

/// The laws by name.
pub fn table() -> Table<dyn Law> {
    const ENTRIES: &[Entry<dyn Law>] = &[amdahl::ENTRY, downey::ENTRY, linear::ENTRY, power::ENTRY];
    Table::new("speedup", "how much faster a job runs on more processors", ENTRIES)
}

/// Whole numbers up to here have no gaps as floating-point numbers.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// A time on `asked` processors as it is on `procs`, rounded up to a nanosecond: none if it was
/// none.
///
/// Where both speed-ups are whole numbers, as under a linear law, that is exact; else the quotient
/// has the precision of a floating-point number. What is beyond the longest span is that.
pub fn time(law: &dyn Law, span: SimDuration, asked: u32, procs: u32) -> SimDuration {
    scaled(law, span, asked, (asked, procs), Rounding::Up)
}

/// Work of a job that asks for `asked`, done in `span` on so many processors, as the time that it
/// takes on others, rounded down to a nanosecond: what is rounded off is still to be done.
pub fn kept(law: &dyn Law, span: SimDuration, asked: u32, (from, to): (u32, u32)) -> SimDuration {
    scaled(law, span, asked, (from, to), Rounding::Down)
}

/// Direction of rounding to a nanosecond.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Up,
    Down,
}

fn scaled(
    law: &dyn Law,
    span: SimDuration,
    asked: u32,
    (from, to): (u32, u32),
    rounding: Rounding,
) -> SimDuration {
    if from == to {
        return span;
    }
    let (from, to) = (law.speedup(from, asked), law.speedup(to, asked));
    if from.to_bits() == to.to_bits() {
        return span;
    }
    let whole = |value: f64| value.fract().abs() <= 0.0 && (1.0..WHOLE).contains(&value);
    let nanos = if whole(from) && whole(to) {
        let (product, to) = (u128::from(span.as_nanos()) * (from as u128), to as u128);
        let quotient = if rounding == Rounding::Up { product.div_ceil(to) } else { product / to };
        u64::try_from(quotient).unwrap_or(u64::MAX)
    } else {
        let quotient = span.as_nanos() as f64 * from / to;
        // `as` saturates
        (if rounding == Rounding::Up { quotient.ceil() } else { quotient.floor() }) as u64
    };
    SimDuration::from_nanos(nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_quotients_of_speedups_rounded_up() {
        let nanos = SimDuration::from_nanos;
        let scaled = |span, asked, procs| time(&linear::Linear, nanos(span), asked, procs).as_nanos();
        assert_eq!(scaled(100, 4, 8), 50);
        assert_eq!(scaled(100, 4, 4), 100);
        assert_eq!(scaled(100, 4, 3), 134, "133 1/3 rounded up");
        assert_eq!(scaled(0, 4, 3), 0);
        assert_eq!(scaled(1, 1, 1000), 1);
        // exact beyond what a floating-point number holds
        assert_eq!(scaled(9_007_199_254_740_993, 3, 1), 27_021_597_764_222_979);
        assert_eq!(scaled(u64::MAX, 1000, 1), u64::MAX);
        let half = amdahl::Amdahl { serial: 0.5 };
        // S(1) = 1, S(3) = 1.5, S(4) = 1.6
        assert_eq!(time(&half, nanos(300), 1, 3), nanos(200));
        assert_eq!(time(&half, nanos(150), 3, 4), nanos(141), "140.625 rounded up");
        assert_eq!(kept(&half, nanos(150), 1, (3, 4)), nanos(140), "rounded down");
        assert_eq!(kept(&linear::Linear, nanos(100), 1, (4, 3)), nanos(133));
    }
}
