//! A part of the work is serial, and the rest divides without loss: S(n) = n / (1 + s (n - 1)).
//!
//! Source: G. M. Amdahl, "Validity of the single processor approach to achieving large scale
//! computing capabilities", AFIPS Spring Joint Computer Conference 1967.

use crate::registry::{Bounds, Entry, Key, Kind};

use super::Law;

pub(super) const ENTRY: Entry<dyn Law> = Entry::published(
    "amdahl",
    "a part of the work is serial, and the rest divides without loss",
    "G. M. Amdahl, AFIPS 1967",
    &[Key::new("serial", Kind::Share(Bounds::Within(0.0, 1.0)))
        .or_number(0.05)
        .about("what part of the work on one processor is serial")],
    |params| Ok(Box::new(Amdahl { serial: params.read("serial")? })),
);

#[derive(Debug)]
pub(super) struct Amdahl {
    pub(super) serial: f64,
}

impl Law for Amdahl {
    fn speedup(&self, procs: u32, _: u32) -> f64 {
        let n = f64::from(procs);
        n / (1.0 + self.serial * (n - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serial_part_bounds_the_speedup() {
        let at = |serial, procs| Amdahl { serial }.speedup(procs, 1);
        for (serial, procs, expected) in
            [(0.0, 7, 7.0), (1.0, 7, 1.0), (0.5, 1, 1.0), (0.5, 3, 1.5), (0.25, 5, 2.5)]
        {
            assert!((at(serial, procs) - expected).abs() < 1e-15, "{serial} {procs}");
        }
        assert!(at(0.1, u32::MAX) < 10.0 && at(0.1, u32::MAX) > 9.999);
    }
}
