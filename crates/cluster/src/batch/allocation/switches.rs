//! Processors under as few switches as there can be: the distance between two is one switch, or the
//! path over the top.

use std::cmp::Reverse;

use crate::collections::{Interval, IntervalSet};
use crate::registry::{Entry, Kind, entry};

use super::{Allocation, Draw};

pub(super) const ENTRY: Entry<dyn Allocation> = entry! {
    "switches" => "processors under one switch if it has enough free, the fullest such one first; else under as few switches as will do",
    source "as Slurm's plugin topology/tree does it",
    keys {
        "size" Kind::Count { least: 1, most: 4_294_967_295 }, or_count 32 =>
            "processors under a switch: the first so many, the next so many, and so on";
    },
    reads |params| {
        let size: u64 = params.read("size")?;
        Switches { size: u32::try_from(size).unwrap_or(u32::MAX) }
    }
};

#[derive(Debug)]
pub(super) struct Switches {
    pub(super) size: u32,
}

/// A switch with free processors, and its part of the list of all free pieces.
#[derive(Clone, Copy)]
struct Switch {
    number: u32,
    free: u64,
    first_piece: usize,
    pieces: usize,
}

impl Switches {
    /// Every free interval cut at the borders of switches, and the switches that have any.
    fn cut(&self, free: &IntervalSet) -> (Vec<Interval>, Vec<Switch>) {
        let (mut pieces, mut switches) = (Vec::new(), Vec::<Switch>::new());
        for run in free.iter() {
            let mut first = run.first;
            loop {
                let number = first / self.size;
                let last = (number * self.size).saturating_add(self.size - 1).min(run.last);
                let piece = Interval::new(first, last);
                if let Some(switch) = switches.last_mut().filter(|switch| switch.number == number) {
                    switch.free += piece.count();
                    switch.pieces += 1;
                } else {
                    let (free, first_piece) = (piece.count(), pieces.len());
                    switches.push(Switch { number, free, first_piece, pieces: 1 });
                }
                pieces.push(piece);
                if last == run.last {
                    break;
                }
                first = last + 1;
            }
        }
        (pieces, switches)
    }
}

impl Allocation for Switches {
    fn choose(&self, free: &IntervalSet, procs: u32, _: Draw<'_>, chosen: &mut Vec<Interval>) {
        let (pieces, mut switches) = self.cut(free);
        switches.sort_by_key(|switch| (Reverse(switch.free), switch.number));
        let mut missing = u64::from(procs);
        let mut left = &switches[..];
        while missing > 0 {
            // of those with enough free, the fullest and lowest; without any, the emptiest
            let enough = left.partition_point(|switch| switch.free >= missing);
            let at = match enough {
                0 => 0,
                _ => left.partition_point(|switch| switch.free > left[enough - 1].free),
            };
            let switch = left[at];
            for piece in &pieces[switch.first_piece..switch.first_piece + switch.pieces] {
                let taken = piece.count().min(missing);
                if taken > 0 {
                    chosen.push(Interval::new(piece.first, piece.first + (taken - 1) as u32));
                    missing -= taken;
                }
            }
            left = &left[1..];
        }
        Interval::join(chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::chosen;
    use super::*;

    #[test]
    fn the_fullest_switch_with_room_is_taken_and_else_the_fewest() {
        // free: 1-2 5-7 9; switches of 4 have 1-2, 5-7 and 9
        let four = Switches { size: 4 };
        assert_eq!(chosen(&four, 1), "9");
        assert_eq!(chosen(&four, 2), "1-2");
        assert_eq!(chosen(&four, 3), "5-7");
        assert_eq!(chosen(&four, 4), "5-7 9");
        assert_eq!(chosen(&four, 5), "1-2 5-7");
        assert_eq!(chosen(&four, 6), "1-2 5-7 9");
    }

    #[test]
    fn pieces_of_neighbouring_switches_are_one_interval() {
        assert_eq!(chosen(&Switches { size: 3 }, 5), "1-2 5-7");
        assert_eq!(chosen(&Switches { size: 100 }, 5), "1-2 5-7");
        assert_eq!(chosen(&Switches { size: 1 }, 3), "1-2 5");
    }
}
