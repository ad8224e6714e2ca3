//! The pieces of a curve: a polynomial each, from its start to that of the next.
//!
//! The first piece begins with the run, and the last one lasts for ever and is constant, so that
//! every instant is in a piece. Sums are kept for every [`BLOCK`] pieces, each as two numbers, so
//! that the sum of a long past takes no digits from a difference of today. What lies between two
//! instants is the sum of whole pieces and blocks, and of the parts at both ends; the instant at
//! which it reaches a given value is looked for in the same order.

use crate::kernel::SimTime;

use super::least::cut;
use super::polynomial::{Polynomial, seconds};
use super::{CurveError, Interpolation};

/// Pieces with one sum.
const BLOCK: usize = 16;
/// The greatest value.
const MOST: f64 = 1e18;

/// A polynomial, and when it begins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Piece {
    /// Nanoseconds from the start of the run.
    pub(super) start: u64,
    /// Of the seconds since then.
    pub(super) polynomial: Polynomial,
}

/// A sum of two parts, the second of which is too small to be seen in the first.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
struct Sum(f64, f64);

/// All pieces of a curve.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Pieces {
    /// At least one, and the first begins at 0.
    all: Box<[Piece]>,
    /// The integral from 0 to the start of every `BLOCK`th piece.
    sums: Box<[Sum]>,
    /// The pieces that do not begin with a point, in order.
    cuts: Box<[u32]>,
    least: f64,
}

impl Sum {
    fn plus(self, value: f64) -> Self {
        let sum = self.0 + value;
        // what rounding took from it
        let of_value = sum - self.0;
        let lost = (self.0 - (sum - of_value)) + (value - of_value);
        Sum(sum, self.1 + lost)
    }

    fn since(self, earlier: Sum) -> f64 {
        (self.0 - earlier.0) + (self.1 - earlier.1)
    }
}

impl Pieces {
    pub(super) fn new(
        points: &[(SimTime, f64)],
        interpolation: &dyn Interpolation,
        least: f64,
    ) -> Result<Self, CurveError> {
        check(points, least)?;
        let (mut pieces, mut cuts) = (Vec::with_capacity(points.len() + 1), Vec::new());
        let (first, last) = (points[0], points[points.len() - 1]);
        if first.0 > SimTime::ZERO {
            cuts.push(0);
            pieces.push(Piece { start: 0, polynomial: Polynomial::constant(first.1.max(least)) });
        }
        for (index, pair) in points.windows(2).enumerate() {
            let polynomial = interpolation.between(points, index);
            if !polynomial.iter().all(|coefficient| coefficient.is_finite()) {
                return Err(CurveError::Interpolation(index));
            }
            let (start, before) = (pair[0].0.as_nanos(), pieces.len());
            cut(&mut pieces, (start, pair[1].0.as_nanos() - start), Polynomial(polynomial), least);
            cuts.extend((before + 1..pieces.len()).map(|piece| piece as u32));
        }
        let polynomial = Polynomial::constant(last.1.max(least));
        pieces.push(Piece { start: last.0.as_nanos(), polynomial });
        let mut curve = Pieces { all: pieces.into(), sums: Box::default(), cuts: cuts.into(), least };
        let mut sum = Sum::default();
        let sums = (0..curve.all.len()).map(|piece| {
            let before = sum;
            sum = sum.plus(curve.whole(piece));
            before
        });
        curve.sums = sums.step_by(BLOCK).collect();
        Ok(curve)
    }

    /// The coefficients of each piece, and when it begins.
    pub(super) fn polynomials(&self) -> impl Iterator<Item = (SimTime, [f64; 4])> {
        self.all.iter().map(|piece| (SimTime::from_nanos(piece.start), piece.polynomial.0))
    }

    /// The points that the curve passes through.
    pub(super) fn points(&self) -> impl Iterator<Item = (SimTime, f64)> {
        let mut cuts = self.cuts.iter().peekable();
        let all = self.all.iter().enumerate();
        let points = all.filter(move |(index, _)| cuts.next_if(|cut| **cut as usize == *index).is_none());
        points.map(|(_, piece)| (SimTime::from_nanos(piece.start), piece.polynomial.0[0]))
    }

    /// The piece that `at` is in; it is looked for from piece `near` on.
    pub(super) fn find(&self, at: u64, near: usize) -> usize {
        let begins = |piece: usize| self.all.get(piece).is_some_and(|piece| piece.start <= at);
        let mut low = near.min(self.all.len() - 1);
        if !begins(low) {
            return self.all[..low].partition_point(|piece| piece.start <= at) - 1;
        }
        let mut reach = 1;
        while begins(low + reach) {
            low += reach;
            reach *= 2;
        }
        let ahead = &self.all[low + 1..(low + reach).min(self.all.len())];
        low + ahead.partition_point(|piece| piece.start <= at)
    }

    /// The piece that `at` is in.
    pub(super) fn find_any(&self, at: u64) -> usize {
        self.all.partition_point(|piece| piece.start <= at) - 1
    }

    /// The value at `at`, which is in this piece.
    pub(super) fn value(&self, piece: usize, at: u64) -> f64 {
        let piece = &self.all[piece];
        piece.polynomial.value(seconds(at - piece.start)).max(self.least)
    }

    /// The integral from `from`, which is in this piece, to a later instant.
    pub(super) fn integral(&self, piece: usize, from: u64, to: u64) -> f64 {
        let first = &self.all[piece];
        let local = first.polynomial.from(seconds(from - first.start));
        let end = self.end(piece);
        if to <= end {
            return local.integral(seconds(to - from));
        }
        let mut sum = local.integral(seconds(end - from));
        let (mut next, last) = (piece + 1, self.find(to - 1, piece + 1));
        while next < last {
            if next.is_multiple_of(BLOCK) && next / BLOCK < last / BLOCK {
                sum += self.sums[last / BLOCK].since(self.sums[next / BLOCK]);
                next = last - last % BLOCK;
            } else {
                sum += self.whole(next);
                next += 1;
            }
        }
        let last = &self.all[last];
        sum + last.polynomial.integral(seconds(to - last.start))
    }

    /// The least instant at which the integral from `start`, which is in this piece, has reached
    /// `work`, more than 0; and the piece before the end of which that is.
    pub(super) fn reach(&self, piece: usize, start: u64, work: f64) -> Option<(u64, usize)> {
        let first = &self.all[piece];
        let local = first.polynomial.from(seconds(start - first.start));
        let rest = self.end(piece) - start;
        let mut sum = local.integral(seconds(rest));
        if sum >= work {
            return Some((start + local.reach(work, rest), piece));
        }
        let mut next = piece + 1;
        while let Some(here) = self.all.get(next) {
            let left = work - sum;
            if next.is_multiple_of(BLOCK) {
                let begin = self.sums[next / BLOCK];
                let blocks = self.blocks(next / BLOCK, left);
                if blocks > 0 {
                    next += blocks * BLOCK;
                    sum += self.sums[next / BLOCK].since(begin);
                    continue;
                }
            }
            let whole = self.whole(next);
            if whole >= left {
                let longest = self.end(next) - here.start;
                return Some((here.start + here.polynomial.reach(left, longest), next));
            }
            sum += whole;
            next += 1;
        }
        None
    }

    /// Number of whole blocks from this one on that sum up to less than `left`.
    fn blocks(&self, block: usize, left: f64) -> usize {
        let begin = self.sums[block];
        let is_less = |ahead: usize| self.sums.get(block + ahead).is_some_and(|sum| sum.since(begin) < left);
        let (mut low, mut reach) = (0, 1);
        while is_less(low + reach) {
            low += reach;
            reach *= 2;
        }
        let ahead = &self.sums[block + low + 1..(block + low + reach).min(self.sums.len())];
        low + ahead.partition_point(|sum| sum.since(begin) < left)
    }

    /// Instant at which a piece ends.
    fn end(&self, piece: usize) -> u64 {
        self.all.get(piece + 1).map_or(u64::MAX, |next| next.start)
    }

    /// The integral of a whole piece.
    fn whole(&self, piece: usize) -> f64 {
        let length = self.end(piece) - self.all[piece].start;
        self.all[piece].polynomial.integral(seconds(length))
    }
}

/// Succeeds if the points are those of a curve.
fn check(points: &[(SimTime, f64)], least: f64) -> Result<(), CurveError> {
    let is_value = |value: f64| (0.0..=MOST).contains(&value);
    if points.is_empty() {
        return Err(CurveError::NoPoint);
    }
    if !is_value(least) {
        return Err(CurveError::Least);
    }
    if let Some(wrong) = points.iter().position(|(_, value)| !is_value(*value)) {
        return Err(CurveError::Value(wrong));
    }
    match points.windows(2).position(|pair| pair[1].0 <= pair[0].0) {
        Some(before) => Err(CurveError::NotRising(before + 1)),
        None => Ok(()),
    }
}
