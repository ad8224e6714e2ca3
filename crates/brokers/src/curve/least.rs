//! Cutting a polynomial where it falls below the least value.

use super::pieces::Piece;
use super::polynomial::{Polynomial, first, seconds};

/// An integral that is less than that of the least value by a greater share is no rounding.
const ROUNDING: f64 = 1e-9;

/// Adds a polynomial that begins at `start` \[ns\] and is so long \[ns\], with the least value
/// wherever it is below that.
pub(super) fn cut(pieces: &mut Vec<Piece>, (start, length): (u64, u64), polynomial: Polynomial, least: f64) {
    let is_below = |at: u64| polynomial.value(seconds(at)) < least;
    let mut from = 0;
    let mut below = is_below(0);
    let mut put = |from: u64, to: u64, below: bool| {
        let polynomial = match (below, from) {
            (true, _) => Polynomial::constant(least),
            (false, 0) => above(polynomial, to, least),
            (false, _) => above(polynomial.from(seconds(from)), to - from, least),
        };
        pieces.push(Piece { start: start + from, polynomial });
    };
    for to in marks(&polynomial, length) {
        if to > from && is_below(to) != below {
            // it rises or falls all along, and so it crosses once
            let change = first(from, to, |at| is_below(at) != below);
            if change < length {
                put(from, change, below);
                (from, below) = (change, !below);
            }
        }
    }
    put(from, length, below);
}

/// A polynomial that is not below the least value at any of so many nanoseconds. If it is that
/// between two of them, as points a few nanoseconds apart may cause, it is the straight line from
/// its start to its end.
fn above(polynomial: Polynomial, length: u64, least: f64) -> Polynomial {
    let length = seconds(length);
    if polynomial.integral(length) >= least * length * (1.0 - ROUNDING) {
        return polynomial;
    }
    let start = polynomial.value(0.0);
    Polynomial([start, (polynomial.value(length).max(least) - start) / length, 0.0, 0.0])
}

/// Instants between which a polynomial rises or falls all along, in order, with the last one.
fn marks(polynomial: &Polynomial, length: u64) -> impl Iterator<Item = u64> {
    let turns = polynomial.turns().map(|turn| (turn * 1e9) as u64);
    // a turn lies between two nanoseconds
    let turns = turns.flat_map(|turn| [turn, turn.saturating_add(1)]);
    turns.filter(move |&turn| turn > 0 && turn < length).chain([length])
}
