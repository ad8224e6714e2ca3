//! A unit as a prefix before a base: `Gi` before `B`, `k` before `bps`.
//!
//! The factor of every prefix is a power of ten times a power of two, so that a value is rounded at
//! most once.

/// Factor of a unit: `10^decimal × 2^binary`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Magnitude {
    pub(super) decimal: i32,
    pub(super) binary: i32,
}

const PREFIXES: &[(&str, Magnitude)] = &[
    ("", Magnitude { decimal: 0, binary: 0 }),
    ("k", Magnitude { decimal: 3, binary: 0 }),
    ("M", Magnitude { decimal: 6, binary: 0 }),
    ("G", Magnitude { decimal: 9, binary: 0 }),
    ("T", Magnitude { decimal: 12, binary: 0 }),
    ("P", Magnitude { decimal: 15, binary: 0 }),
    ("E", Magnitude { decimal: 18, binary: 0 }),
    ("Ki", Magnitude { decimal: 0, binary: 10 }),
    ("Mi", Magnitude { decimal: 0, binary: 20 }),
    ("Gi", Magnitude { decimal: 0, binary: 30 }),
    ("Ti", Magnitude { decimal: 0, binary: 40 }),
    ("Pi", Magnitude { decimal: 0, binary: 50 }),
    ("Ei", Magnitude { decimal: 0, binary: 60 }),
];

impl Magnitude {
    /// The factor of `unit`, a prefix before one of `bases` (each with its own power of two).
    pub(super) fn of(unit: &str, bases: &[(&str, i32)]) -> Option<Magnitude> {
        for &(base, binary) in bases {
            let Some(prefix) = unit.strip_suffix(base) else { continue };
            if let Some(&(_, magnitude)) = PREFIXES.iter().find(|(name, _)| *name == prefix) {
                return Some(Magnitude { binary: magnitude.binary + binary, ..magnitude });
            }
        }
        None
    }

    /// `2^binary`, exactly.
    pub(super) fn binary_factor(self) -> f64 {
        let power = (1u64 << self.binary.unsigned_abs().min(63)) as f64;
        if self.binary < 0 { 1.0 / power } else { power }
    }
}
