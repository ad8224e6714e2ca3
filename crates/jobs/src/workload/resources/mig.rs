//! Instances of a GPU (MIG): profiles of the A100 and the H100, and where each may begin.
//!
//! A GPU has eight memory slices, 0 to 7, and computes in seven parts. An instance has memory
//! slices in a row, from one of the starts of its profile on, and its compute parts.
//!
//! | profile | memory | compute | starts |
//! |---|---|---|---|
//! | `1g` | 1 | 1 | 0 to 6 |
//! | `1g.double` | 2 | 1 | 0 2 4 6 |
//! | `2g` | 2 | 2 | 0 2 4 |
//! | `3g` | 4 | 3 | 0 4 |
//! | `4g` | 4 | 4 | 0 |
//! | `7g` | 8 | 7 | 0 |
//!
//! Starts of one profile never overlap, so how many more of it fit does not depend on where those
//! before were put.
//!
//! Source: `nvidia-smi mig -lgipp` of an A100 and an H100.

use std::fmt;

/// Compute parts of a GPU.
pub const SEVENTHS: u32 = 7;

/// Size of an instance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MigProfile {
    /// An eighth of the memory, a seventh of the compute parts.
    One,
    /// The same with twice the memory.
    OneDouble,
    /// A quarter, two sevenths.
    Two,
    /// A half, three sevenths.
    Three,
    /// A half, four sevenths.
    Four,
    /// All.
    Seven,
}

impl MigProfile {
    /// All of them.
    pub const ALL: [MigProfile; 6] = [
        MigProfile::One,
        MigProfile::OneDouble,
        MigProfile::Two,
        MigProfile::Three,
        MigProfile::Four,
        MigProfile::Seven,
    ];

    const fn facts(self) -> (&'static str, u8, u32, &'static [u8]) {
        match self {
            MigProfile::One => ("1g", 1, 1, &[0, 1, 2, 3, 4, 5, 6]),
            MigProfile::OneDouble => ("1g.double", 2, 1, &[0, 2, 4, 6]),
            MigProfile::Two => ("2g", 2, 2, &[0, 2, 4]),
            MigProfile::Three => ("3g", 4, 3, &[0, 4]),
            MigProfile::Four => ("4g", 4, 4, &[0]),
            MigProfile::Seven => ("7g", 8, 7, &[0]),
        }
    }

    /// Name of it.
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    /// Memory slices of it.
    pub const fn memory(self) -> u8 {
        self.facts().1
    }

    /// Compute parts of it, of seven.
    pub const fn sevenths(self) -> u32 {
        self.facts().2
    }

    /// The memory slices with which it may begin.
    pub const fn starts(self) -> &'static [u8] {
        self.facts().3
    }

    /// The kind of GPU and the profile that the name of an instance states, as `a100-3g.40gb` and
    /// Slurm's `a100_3g.20gb`: what follows the point is its memory, and of no account but for
    /// `1g.double`.
    pub fn of_kind(name: &str) -> Option<(&str, MigProfile)> {
        let (kind, instance) = name.rsplit_once(['-', '_'])?;
        let exact = MigProfile::ALL.into_iter().find(|profile| profile.name() == instance);
        let short = instance.split('.').next();
        let profile = exact.or_else(|| MigProfile::ALL.into_iter().find(|one| Some(one.name()) == short))?;
        (!kind.is_empty()).then_some((kind, profile))
    }
}

/// An instance on a GPU: its profile and the memory slice with which it begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MigSlice {
    /// Profile.
    pub profile: MigProfile,
    /// First memory slice.
    pub start: u8,
}

impl MigSlice {
    /// The memory slices of it, the lowest as the lowest bit.
    pub const fn mask(self) -> u8 {
        (((1_u16 << self.profile.memory()) - 1) << self.start) as u8
    }

    /// Reads it as it is displayed; `None` if it is none.
    pub fn parse(text: &str) -> Option<MigSlice> {
        let (name, start) = text.split_once('@')?;
        let profile = MigProfile::ALL.into_iter().find(|profile| profile.name() == name)?;
        let start = start.parse().ok().filter(|start| *start < 8)?;
        Some(MigSlice { profile, start })
    }
}

impl fmt::Display for MigSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.profile.name(), self.start)
    }
}

/// Use of instances on GPUs of a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Mig {
    /// None.
    #[default]
    Never,
    /// Each is divided into instances at the starts of jobs, which are gone at their ends.
    AtStarts,
    /// Each is an instance of this profile, made beforehand.
    Beforehand(MigProfile),
}

impl Mig {
    /// Compute parts of each, of seven.
    pub const fn sevenths(self) -> u32 {
        match self {
            Mig::Never | Mig::AtStarts => SEVENTHS,
            Mig::Beforehand(profile) => profile.sevenths(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_instances_state_kind_and_profile() {
        let of = MigProfile::of_kind;
        assert_eq!(of("a100-3g.40gb"), Some(("a100", MigProfile::Three)));
        assert_eq!(of("nvidia_a100_1g.5gb+me"), Some(("nvidia_a100", MigProfile::One)));
        assert_eq!(of("h100-1g.double"), Some(("h100", MigProfile::OneDouble)));
        for none in ["a100", "3g.40gb", "a100-5g.20gb", "-3g", "rtx_3090"] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn instances_are_read_as_they_are_written_and_lie_on_the_gpu() {
        for profile in MigProfile::ALL {
            let mut seen = 0_u8;
            for &start in profile.starts() {
                let slice = MigSlice { profile, start };
                assert_eq!(MigSlice::parse(&slice.to_string()), Some(slice));
                assert_eq!(slice.mask().count_ones(), u32::from(profile.memory()));
                assert_eq!(seen & slice.mask(), 0, "{slice} overlaps another of its profile");
                seen |= slice.mask();
            }
        }
        assert_eq!(MigSlice { profile: MigProfile::Three, start: 4 }.mask(), 0b1111_0000);
        assert!(["3g", "3g@", "3g@8", "5g@0"].into_iter().all(|text| MigSlice::parse(text).is_none()));
    }
}
