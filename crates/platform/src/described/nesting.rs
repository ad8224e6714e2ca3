//! In which order zones are made, so that each comes after the one that it lies in.
//!
//! Zones are described in any order. Those whose zone is already there are made in the order of
//! their tables, again and again until none is left: a zone before the one around it is made one
//! round after that. Rounds follow from those of the zone around, so that they are counted without
//! repeating the search, and a list from the innermost zone to the outermost takes no longer than
//! the reverse.

use crate::collections::StableSort as _;

/// Surroundings of a zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Around {
    /// A zone that is there before all of them.
    There,
    /// Another one of the list, by its position.
    Listed(usize),
    /// None that is known.
    Unknown,
}

/// Positions in the order in which zones are made; zones that lie in themselves or in unknown ones
/// are left out.
///
/// # Complexity
/// O(n log n) for n zones.
pub(super) fn order(around: &[Around]) -> Vec<usize> {
    let mut inner = vec![Vec::new(); around.len()];
    // rounds and positions, of each zone before those in it
    let mut made: Vec<(usize, usize)> = Vec::new();
    for (position, around) in around.iter().enumerate() {
        match around {
            Around::There => made.push((0, position)),
            Around::Listed(outer) => inner[*outer].push(position),
            Around::Unknown => {}
        }
    }
    let mut next = 0;
    while let Some(&(round, outer)) = made.get(next) {
        made.extend(inner[outer].iter().map(|&position| (round + usize::from(position < outer), position)));
        next += 1;
    }
    made.stable_sort();
    made.into_iter().map(|(_, position)| position).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Round by round, as it is defined.
    fn by_rounds(around: &[Around]) -> Vec<usize> {
        let (mut made, mut waiting): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..around.len()).collect());
        loop {
            let before = made.len();
            waiting.retain(|&position| {
                let ready = match around[position] {
                    Around::There => true,
                    Around::Listed(outer) => made.contains(&outer),
                    Around::Unknown => false,
                };
                if ready {
                    made.push(position);
                }
                !ready
            });
            if made.len() == before {
                return made;
            }
        }
    }

    #[test]
    fn zones_are_made_round_by_round() {
        // every list of five zones, each in one of them, in the top zone or in an unknown one
        let choice = |digit: usize| match digit {
            5 => Around::There,
            6 => Around::Unknown,
            outer => Around::Listed(outer),
        };
        for mut number in 0..7_usize.pow(5) {
            let mut around = [Around::There; 5];
            for one in &mut around {
                *one = choice(number % 7);
                number /= 7;
            }
            assert_eq!(order(&around), by_rounds(&around), "{around:?}");
        }
    }

    #[test]
    fn a_list_from_the_innermost_zone_to_the_outermost_takes_no_rounds_of_its_own() {
        // round by round these would be 5 · 10^11 looks
        const ZONES: usize = 1_000_000;
        let last = ZONES - 1;
        let around: Vec<Around> = (0..ZONES)
            .map(|zone| if zone == last { Around::There } else { Around::Listed(zone + 1) })
            .collect();
        assert!(order(&around).into_iter().eq((0..ZONES).rev()));
    }
}
