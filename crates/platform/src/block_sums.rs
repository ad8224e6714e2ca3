//! Integrals of a step function over blocks of time, each worked out once.
//!
//! Work that lasts for many changes of a value is measured again and again: a planner asks of every
//! host and link. Its first changes are walked through one by one. Behind them whole blocks are
//! passed over by their sums, and only the block in which the work ends is walked through again.
//!
//! A sum is kept for so many changes that the memory of sums is small against the work of finding
//! them. Values that change as often and differ in a key share what keeps their sums.

use std::sync::{Mutex, PoisonError};

use crate::collections::OrderedMap;

use super::points::{Segment, seconds, when};

/// Changes in a block.
const BLOCK: u64 = 256;
/// Sums that are kept at most; then those that are there make room.
const MOST_KEPT: usize = 1 << 19;
/// Changes with nothing done between them after which work is taken never to end: values may be 0
/// in turn, for ever.
const MOST_IDLE: u64 = 1_000_000;

/// The blocks of step functions, and their integrals as far as they were asked for.
#[derive(Debug)]
pub(super) struct BlockSums<K> {
    /// Nanoseconds of a block; they begin at its multiples.
    length: u64,
    /// By step function and number of block: value times seconds.
    known: Mutex<OrderedMap<(K, u64), f64>>,
}

impl<K> Clone for BlockSums<K> {
    /// Blocks of other values that change as often.
    fn clone(&self) -> Self {
        BlockSums { length: self.length, known: Mutex::default() }
    }
}

impl<K: Ord + Copy> BlockSums<K> {
    /// Blocks of a value that changes about once in so many nanoseconds.
    pub(super) fn of_changes(every: u64) -> Self {
        BlockSums { length: every.max(1).saturating_mul(BLOCK), known: Mutex::default() }
    }

    /// Instant at which `left` is done that begins at `at`; `None` if never, or after the last
    /// instant.
    pub(super) fn finish(
        &self,
        of: K,
        mut at: u64,
        mut left: f64,
        segment: impl Fn(u64) -> Segment,
    ) -> Option<u64> {
        let blocks_from = self.second_boundary(at);
        let mut idle = 0;
        while idle < MOST_IDLE {
            let Segment { value, until } = segment(at);
            let Some(until) = until else { return when(at, left, value) };
            if at >= blocks_from && at.is_multiple_of(self.length) && until - at < self.length {
                let gathered = self.sum((of, at / self.length), &segment);
                if left > gathered {
                    (at, left) = (at.checked_add(self.length)?, left - gathered);
                    idle = if gathered > 0.0 { 0 } else { idle + BLOCK };
                    continue;
                }
            }
            let until = self.not_beyond(at, until, blocks_from);
            let gathered = value * seconds(until - at);
            if left <= gathered {
                return when(at, left, value);
            }
            (at, left) = (until, left - gathered);
            idle = if gathered > 0.0 { 0 } else { idle + 1 };
        }
        None
    }

    /// Value times seconds from one instant to another.
    pub(super) fn integral(&self, of: K, from: u64, to: u64, segment: impl Fn(u64) -> Segment) -> f64 {
        let blocks_from = self.second_boundary(from);
        let (mut at, mut gathered) = (from, 0.0);
        while at < to {
            if at >= blocks_from && at.is_multiple_of(self.length) && to - at >= self.length {
                gathered += self.sum((of, at / self.length), &segment);
                at += self.length;
                continue;
            }
            let Segment { value, until } = segment(at);
            let end = until.map_or(to, |until| self.not_beyond(at, until, blocks_from).min(to));
            gathered += value * seconds(end - at);
            at = end;
        }
        gathered
    }

    /// The second boundary of blocks after an instant: what ends before it is walked through.
    fn second_boundary(&self, at: u64) -> u64 {
        (at / self.length + 2).saturating_mul(self.length)
    }

    /// End of a segment, or of its block where blocks count and others may change within it.
    fn not_beyond(&self, at: u64, until: u64, blocks_from: u64) -> u64 {
        if until <= blocks_from || until - at >= self.length {
            return until;
        }
        until.min((at / self.length + 1).saturating_mul(self.length))
    }

    fn sum(&self, of: (K, u64), segment: &impl Fn(u64) -> Segment) -> f64 {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sum) = known().get(&of) {
            return *sum;
        }
        let (mut at, end) = (of.1 * self.length, (of.1 + 1).saturating_mul(self.length));
        let mut gathered = 0.0;
        while at < end {
            let Segment { value, until } = segment(at);
            let until = until.map_or(end, |until| until.min(end));
            gathered += value * seconds(until - at);
            at = until;
        }
        let mut known = known();
        if known.len() >= MOST_KEPT {
            known.clear();
        }
        known.insert(of, gathered);
        gathered
    }
}
