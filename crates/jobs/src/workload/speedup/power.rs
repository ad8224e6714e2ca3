//! A power of the number of processors: S(n) = n^e. The same factor more of processors is worth the
//! same at any size.
//!
//! Source: G. N. S. Prasanna and B. R. Musicus, "Generalized multiprocessor scheduling and
//! applications to matrix computations", IEEE TPDS 7(6), 1996 (speed-up p^alpha).

use crate::kernel::rng::math;
use crate::registry::{Bounds, Entry, Kind, keys};

use super::Law;

pub(super) const ENTRY: Entry<dyn Law> = Entry::published(
    "power",
    "a power of the number of processors",
    "G. N. S. Prasanna and B. R. Musicus, IEEE TPDS 7(6), 1996",
    &keys! {
        "exponent" Kind::Number(Bounds::Within(0.0, 1.0)), or_number 0.8 =>
            "the exponent; 1 is as many times as fast as there are processors, 0 never faster";
    },
    |params| Ok(Box::new(Power { exponent: params.read("exponent")? })),
);

#[derive(Debug)]
struct Power {
    exponent: f64,
}

impl Law for Power {
    fn speedup(&self, procs: u32, _: u32) -> f64 {
        math::pow(f64::from(procs), self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_times_the_processors_are_twice_as_fast_under_a_root() {
        let at = |exponent, procs| Power { exponent }.speedup(procs, 1);
        assert!((at(0.5, 16) - 4.0).abs() < 1e-15 && (at(0.5, 64) - 8.0).abs() < 1e-15);
        assert!((at(1.0, 13) - 13.0).abs() < 1e-15 && (at(0.0, 13) - 1.0).abs() < 1e-15);
    }
}
