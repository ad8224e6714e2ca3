//! Places of jobs: the processors of each, as intervals.
//!
//! Most jobs have one interval, which is kept as it is; the others have a stretch of a common list
//! while they run. Who leaves gives its stretch back. Where the places of jobs that left will be
//! asked for, their intervals are then packed into bytes, for a job in a crowd may have dozens of
//! them: gaps and lengths, seven bits a byte. Where they will not be, they are forgotten, and the
//! places move on with the oldest job that has not left.

use std::borrow::Cow;
use std::collections::VecDeque;

use crate::collections::{Interval, OrderedMap};
use crate::ids::JobId;

/// Time for which it is kept where jobs are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keep {
    /// To the end of the run.
    #[default]
    All,
    /// As long as they have their processors.
    WhileRunning,
}

/// True if a job has left, so that its place may be forgotten, and what its place is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    /// Not started.
    Nowhere,
    /// One interval.
    One,
    /// A stretch of the list, given by beginning and length.
    Many,
    /// Left, its intervals packed from a byte on, given by the low and the high half of its number.
    Packed,
    /// Left, its place forgotten.
    Forgotten,
}

/// The processors of the jobs of a run.
///
/// # Complexity
/// A step for each interval; 9 bytes a job, and from 2 to 10 for each interval of a job that had
/// several: 2 where neither gaps nor lengths exceed 128 processors.
#[derive(Clone, Debug)]
pub(super) struct Places {
    keep: Keep,
    /// Jobs before this one are forgotten.
    first: usize,
    marks: VecDeque<Mark>,
    spots: VecDeque<Interval>,
    list: Vec<Interval>,
    /// Parts of the list that are given back, by length.
    spare: OrderedMap<u32, Vec<u32>>,
    /// The intervals of jobs that left, of each their number before them.
    packed: Vec<u8>,
}

impl Places {
    /// Places of `jobs` jobs, none of them started.
    pub(super) fn new(jobs: usize, keep: Keep) -> Self {
        let reserved = if keep == Keep::All { jobs } else { 0 };
        Places {
            keep,
            first: 0,
            marks: VecDeque::with_capacity(reserved),
            spots: VecDeque::with_capacity(reserved),
            list: Vec::new(),
            spare: OrderedMap::new(),
            packed: Vec::new(),
        }
    }

    /// Returns true if the places of jobs that left are kept.
    pub(super) fn keeps_all(&self) -> bool {
        self.keep == Keep::All
    }

    /// The processors of a job, from the lowest; none if it has not started, or is forgotten.
    pub(super) fn of(&self, job: JobId) -> Cow<'_, [Interval]> {
        let Some(at) = job.index().checked_sub(self.first).filter(|&at| at < self.marks.len()) else {
            return Cow::Borrowed(&[]);
        };
        let spot = &self.spots[at];
        match self.marks[at] {
            Mark::Nowhere | Mark::Forgotten => Cow::Borrowed(&[]),
            Mark::One => Cow::Borrowed(std::slice::from_ref(spot)),
            Mark::Many => Cow::Borrowed(self.many(*spot)),
            Mark::Packed => Cow::Owned(unpack(&self.packed, *spot)),
        }
    }

    fn many(&self, Interval { first, last: count }: Interval) -> &[Interval] {
        &self.list[first as usize..first as usize + count as usize]
    }

    /// Puts a job on these processors, wherever it was before.
    ///
    /// # Panics
    /// If it is forgotten.
    pub(super) fn put(&mut self, job: JobId, on: &[Interval]) {
        let at = job.index().checked_sub(self.first).expect("a job that has left is put nowhere");
        self.clear(at);
        (self.marks[at], self.spots[at]) = match on {
            &[one] => (Mark::One, one),
            many => (Mark::Many, self.stretch(many)),
        };
    }

    /// A stretch of the list with these intervals, as its beginning and length.
    fn stretch(&mut self, on: &[Interval]) -> Interval {
        let count = on.len() as u32;
        let first = self.spare.get_mut(&count).and_then(Vec::pop).unwrap_or_else(|| {
            let first = u32::try_from(self.list.len()).expect("at most 2^32 intervals are kept in a run");
            self.list.extend_from_slice(on);
            first
        });
        self.list[first as usize..first as usize + on.len()].copy_from_slice(on);
        Interval { first, last: count }
    }

    fn give_back(&mut self, at: usize) {
        if self.marks[at] == Mark::Many {
            let Interval { first, last: count } = self.spots[at];
            self.spare.entry(count).or_default().push(first);
        }
    }

    /// The same of jobs that go by other ids: `now[id]` is what the job `id` is called. What is
    /// kept while jobs run is then forgotten.
    pub(super) fn renamed(self, now: &[JobId]) -> Self {
        let mut renamed = Places::new(now.len(), self.keep);
        if self.keep == Keep::WhileRunning {
            return renamed;
        }
        renamed.marks.resize(now.len(), Mark::Nowhere);
        renamed.spots.resize(now.len(), Interval::new(0, 0));
        for ((mark, spot), name) in self.marks.iter().zip(&self.spots).zip(now) {
            (renamed.marks[name.index()], renamed.spots[name.index()]) = (*mark, *spot);
        }
        Places { list: self.list, spare: self.spare, packed: self.packed, ..renamed }
    }

    /// A job is nowhere until it starts again.
    pub(super) fn vacate(&mut self, job: JobId) {
        let at = job.index() - self.first;
        self.give_back(at);
        self.marks[at] = Mark::Nowhere;
    }

    /// A job has left, be it that it ran or not.
    pub(super) fn left(&mut self, job: JobId) {
        let at = job.index() - self.first;
        if self.keep == Keep::All {
            if self.marks.get(at) == Some(&Mark::Many) {
                self.pack(at);
            }
            return;
        }
        self.clear(at);
        self.marks[at] = Mark::Forgotten;
        while self.marks.front() == Some(&Mark::Forgotten) {
            self.marks.pop_front();
            self.spots.pop_front();
            self.first += 1;
        }
    }

    /// Makes place for what is kept at `at`.
    fn clear(&mut self, at: usize) {
        if self.marks.len() <= at {
            self.marks.resize(at + 1, Mark::Nowhere);
            self.spots.resize(at + 1, Interval::new(0, 0));
        }
        self.give_back(at);
    }

    /// Packs the intervals of a job that has several.
    fn pack(&mut self, at: usize) {
        self.give_back(at);
        let Interval { first, last: count } = self.spots[at];
        let from = self.packed.len() as u64;
        put_number(&mut self.packed, count);
        let mut beyond = 0;
        for part in &self.list[first as usize..first as usize + count as usize] {
            put_number(&mut self.packed, part.first - beyond);
            put_number(&mut self.packed, part.last - part.first);
            beyond = part.last;
        }
        self.marks[at] = Mark::Packed;
        self.spots[at] = Interval { first: from as u32, last: (from >> 32) as u32 };
    }
}

/// The intervals that are packed from a byte on.
fn unpack(packed: &[u8], from: Interval) -> Vec<Interval> {
    let from = u64::from(from.first) | u64::from(from.last) << 32;
    let mut bytes = packed[from as usize..].iter().copied();
    let count = take_number(&mut bytes);
    let mut beyond = 0;
    let part = |_| {
        let first = beyond + take_number(&mut bytes);
        beyond = first + take_number(&mut bytes);
        Interval::new(first, beyond)
    };
    (0..count).map(part).collect()
}

/// Appends a number, seven bits a byte, the low ones first; all bytes but the last have their
/// highest bit set.
fn put_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take_number(bytes: &mut impl Iterator<Item = u8>) -> u32 {
    let (mut number, mut shift) = (0, 0);
    for byte in bytes {
        number |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(parts: &[(u32, u32)]) -> Vec<Interval> {
        parts.iter().map(|&(first, last)| Interval::new(first, last)).collect()
    }

    #[test]
    fn places_are_kept_to_the_end_or_while_jobs_run() {
        for keep in [Keep::All, Keep::WhileRunning] {
            let mut places = Places::new(4, keep);
            places.put(JobId(2), &on(&[(0, 1), (4, 5)]));
            places.put(JobId(0), &on(&[(2, 3)]));
            assert!(places.of(JobId(1)).is_empty() && places.of(JobId(3)).is_empty());
            places.put(JobId(0), &on(&[(6, 6), (8, 8)]));
            places.left(JobId(2));
            places.put(JobId(1), &on(&[(0, 0), (2, 2)]));
            assert_eq!(places.of(JobId(0)), on(&[(6, 6), (8, 8)]));
            assert_eq!(places.of(JobId(1)), on(&[(0, 0), (2, 2)]));
            assert_eq!(places.list.len(), 4);
            let kept = if keep == Keep::All { on(&[(0, 1), (4, 5)]) } else { Vec::new() };
            assert_eq!(places.of(JobId(2)), kept);
            places.left(JobId(1));
            places.left(JobId(0));
            assert_eq!(places.of(JobId(2)), kept);
            assert_eq!(places.first, if keep == Keep::All { 0 } else { 3 });
        }
    }

    #[test]
    fn intervals_are_packed_without_loss() {
        let wide = on(&[(0, 0), (127, 127), (255, 300), (70_000, 4_000_000_000), (u32::MAX, u32::MAX)]);
        let mut places = Places::new(2, Keep::All);
        for job in 0..2 {
            places.put(JobId(job), &wide);
            places.left(JobId(job));
        }
        assert_eq!(
            (places.of(JobId(0)), places.of(JobId(1))),
            (Cow::Borrowed(&wide[..]), Cow::Borrowed(&wide[..]))
        );
        // a count, five gaps of 1, 1, 2, 3 and 5 bytes, five lengths of 1, 1, 1, 5 and 1
        assert_eq!((places.packed.len(), places.list.len()), (2 * 22, 5));
    }

    #[test]
    fn what_is_kept_while_jobs_run_does_not_grow_with_those_that_left() {
        let mut places = Places::new(10_000, Keep::WhileRunning);
        for job in 0..10_000 {
            places.put(JobId(job), &on(&[(0, 0), (job % 7 + 2, 9)]));
            if job >= 10 {
                places.left(JobId(job - 10));
            }
        }
        assert!(places.list.len() <= 2 * 11 && places.marks.len() <= 11);
    }
}
