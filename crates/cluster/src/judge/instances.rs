//! Instances of GPUs (MIG) as the judge knows them: sizes and starts, by the name of the profile.

use crate::workload::resources::{MigProfile, MigSlice};

/// Profiles: name, memory slices, compute parts, starts.
const PROFILES: [(&str, u32, u32, &[u8]); 6] = [
    ("1g", 1, 1, &[0, 1, 2, 3, 4, 5, 6]),
    ("1g.double", 2, 1, &[0, 2, 4, 6]),
    ("2g", 2, 2, &[0, 2, 4]),
    ("3g", 4, 3, &[0, 4]),
    ("4g", 4, 4, &[0]),
    ("7g", 8, 7, &[0]),
];

/// Memory slices of a profile, its compute parts and its starts.
pub(super) fn sizes(profile: MigProfile) -> (u32, u32, &'static [u8]) {
    let known = PROFILES.into_iter().find(|(name, ..)| *name == profile.name());
    known.map_or((8, 7, &[]), |(_, memory, compute, starts)| (memory, compute, starts))
}

/// The memory slices of an instance, by number; none if it may not begin there.
pub(super) fn slices(slice: MigSlice) -> std::ops::Range<usize> {
    let (memory, _, starts) = sizes(slice.profile);
    let first = usize::from(slice.start);
    if starts.contains(&slice.start) { first..first + memory as usize } else { 0..0 }
}

/// Instances of a profile that fit on a GPU with so many compute parts free, and these slices.
pub(super) fn fitting(profile: MigProfile, compute: u32, is_free: [bool; 8]) -> u32 {
    let (_, needed, starts) = sizes(profile);
    let is_possible = |start: &u8| slices(MigSlice { profile, start: *start }).all(|slice| is_free[slice]);
    (starts.iter().copied().filter(is_possible).count() as u32).min(compute / needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_gpu_takes_seven_instances_or_one() {
        let most = |profile| fitting(profile, 7, [true; 8]);
        assert_eq!(MigProfile::ALL.map(most), [7, 4, 3, 2, 1, 1]);
        let mut is_free = [true; 8];
        is_free[5] = false;
        let rest = |profile| fitting(profile, 6, is_free);
        assert_eq!(MigProfile::ALL.map(rest), [6, 3, 2, 1, 1, 0]);
        let sizes_are_known = MigProfile::ALL.map(|profile| sizes(profile).1 == profile.sevenths());
        assert_eq!(sizes_are_known, [true; 6]);
    }
}
