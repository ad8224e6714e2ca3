//! Processors as intervals: a sorted set of whole numbers kept as maximal runs.
//!
//! A machine of a million idle processors is one interval. Taking and returning processors costs by
//! the number of runs that are touched, so the time for a job does not depend on the size of the
//! machine.

use std::fmt;

use super::block_list::{BlockList, Cursor};

/// The processors `first..=last`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Interval {
    /// The lowest processor.
    pub first: u32,
    /// The highest processor; not below `first`.
    pub last: u32,
}

impl Interval {
    /// The processors `first..=last`.
    ///
    /// # Panics
    /// If `last` is below `first`.
    pub fn new(first: u32, last: u32) -> Self {
        assert!(first <= last, "an interval of processors holds at least one");
        Interval { first, last }
    }

    /// Returns true if a processor is in it.
    pub fn holds(&self, processor: u32) -> bool {
        (self.first..=self.last).contains(&processor)
    }

    /// The intervals of a text as [`Interval`] is displayed, with blanks between: `0-3 7`; `None`
    /// if it is another.
    pub fn parse_all(text: &str) -> Option<Vec<Self>> {
        text.split_ascii_whitespace().map(Interval::parse).collect()
    }

    /// `3` or `3-7`; `None` if the text is another.
    pub fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some(Interval { first, last })
    }

    /// Sorts intervals, and joins those that overlap or follow each other.
    pub fn join(intervals: &mut Vec<Self>) {
        intervals.sort_unstable();
        intervals.dedup_by(|next, kept| {
            let joins = u64::from(next.first) <= u64::from(kept.last) + 1;
            if joins {
                kept.last = kept.last.max(next.last);
            }
            joins
        });
    }

    /// Number of processors of the interval.
    pub fn count(self) -> u64 {
        u64::from(self.last - self.first) + 1
    }
}

impl fmt::Display for Interval {
    /// `3` or `3-7`, as Batsim and Slurm write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last)
        }
    }
}

/// A set of processors as maximal, disjoint intervals in rising order.
#[derive(Clone, Debug, Default)]
pub struct IntervalSet {
    runs: BlockList<Interval>,
    count: u64,
}

impl IntervalSet {
    /// The processors `0..count`.
    pub fn full(count: u32) -> Self {
        let mut set = IntervalSet::default();
        if let Some(last) = count.checked_sub(1) {
            set.insert(Interval::new(0, last));
        }
        set
    }

    /// Number of processors of the set.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The maximal intervals, from the lowest.
    pub fn iter(&self) -> impl Iterator<Item = Interval> {
        self.runs.iter().copied()
    }

    /// The parts of the set within an interval, from the lowest.
    ///
    /// # Complexity
    /// A search, and a step for each of them.
    pub fn within(&self, span: Interval) -> impl Iterator<Item = Interval> {
        let from = self.runs.lower_bound(&Interval { first: span.first, last: 0 });
        let before =
            self.runs.before(from).filter(|&at| self.runs.get(at).is_some_and(|run| run.last >= span.first));
        let mut at = before.unwrap_or(from);
        std::iter::from_fn(move || {
            let run = self.runs.get(at).filter(|run| run.first <= span.last)?;
            at = self.runs.after(at);
            Some(Interval { first: run.first.max(span.first), last: run.last.min(span.last) })
        })
    }

    /// Appends the lowest `count` members to `chosen` as intervals in rising order, or all if there
    /// are fewer; how many they are.
    ///
    /// # Complexity
    /// A step for each interval appended.
    pub fn lowest(&self, count: u64, chosen: &mut Vec<Interval>) -> u64 {
        let mut missing = count;
        for run in self.iter() {
            if missing == 0 {
                break;
            }
            let taken = run.count().min(missing);
            chosen.push(Interval { first: run.first, last: run.first + (taken - 1) as u32 });
            missing -= taken;
        }
        count - missing
    }

    /// The highest `count` members as intervals in rising order, or all if there are fewer.
    ///
    /// # Complexity
    /// A step for each interval of the set.
    pub fn highest(&self, count: u64) -> Vec<Interval> {
        let mut passed = self.count.saturating_sub(count);
        let mut chosen = Vec::new();
        for run in self.iter() {
            let skip = run.count().min(passed);
            passed -= skip;
            if skip < run.count() {
                chosen.push(Interval { first: run.first + skip as u32, last: run.last });
            }
        }
        chosen
    }

    /// Puts an interval in, joining it with its neighbours.
    ///
    /// Returns false, and changes nothing, if a processor of it is there already.
    pub fn insert(&mut self, new: Interval) -> bool {
        let next = self.runs.lower_bound(&Interval { first: new.first, last: 0 });
        let after = self.runs.get(next).copied();
        let before = self.runs.before(next);
        let held = before.and_then(|at| self.runs.get(at)).copied();
        if after.is_some_and(|run| run.first <= new.last) || held.is_some_and(|run| run.last >= new.first) {
            return false;
        }
        self.count += new.count();
        let joins_after = after.filter(|run| new.last.checked_add(1) == Some(run.first));
        match (before.zip(held).filter(|(_, run)| run.last + 1 == new.first), joins_after) {
            (Some((at, run)), None) => {
                self.runs.replace_at(at, Interval { first: run.first, last: new.last });
            }
            (None, Some(run)) => {
                self.runs.replace_at(next, Interval { first: new.first, last: run.last });
            }
            (Some((at, run)), Some(tail)) => {
                self.runs.replace_at(at, Interval { first: run.first, last: tail.last });
                self.runs.remove_at(next);
            }
            (None, None) => self.runs.insert(new),
        }
        true
    }

    /// Puts an interval in of which parts may be there already.
    pub fn cover(&mut self, new: Interval) {
        for part in self.missing(new) {
            self.insert(part);
        }
    }

    /// Takes an interval out. Returns false, and changes nothing, unless all of it is there.
    pub fn remove(&mut self, gone: Interval) -> bool {
        let Some((at, run)) = self.run_around(gone) else { return false };
        self.count -= gone.count();
        match (run.first < gone.first, gone.last < run.last) {
            (false, false) => {
                self.runs.remove_at(at);
            }
            (true, false) => self.runs.replace_at(at, Interval { first: run.first, last: gone.first - 1 }),
            (false, true) => self.runs.replace_at(at, Interval { first: gone.last + 1, last: run.last }),
            (true, true) => {
                self.runs.replace_at(at, Interval { first: run.first, last: gone.first - 1 });
                self.runs.insert(Interval { first: gone.last + 1, last: run.last });
            }
        }
        true
    }

    /// Processors of `part` that are not in the set, as intervals in rising order.
    pub fn missing(&self, part: Interval) -> Vec<Interval> {
        let (mut from, mut missing) = (Some(part.first), Vec::new());
        for run in self.within(part) {
            missing.extend(
                from.filter(|&from| from < run.first).map(|first| Interval { first, last: run.first - 1 }),
            );
            from = run.last.checked_add(1);
        }
        missing
            .extend(from.filter(|&from| from <= part.last).map(|first| Interval { first, last: part.last }));
        missing
    }

    /// The run that holds the whole of `part`, with its place.
    fn run_around(&self, part: Interval) -> Option<(Cursor, Interval)> {
        let next = self.runs.lower_bound(&Interval { first: part.first, last: 0 });
        let at_start = self.runs.get(next).filter(|run| run.first == part.first).map(|run| (next, *run));
        let found = at_start.or_else(|| {
            let before = self.runs.before(next)?;
            self.runs.get(before).map(|run| (before, *run))
        });
        found.filter(|(_, run)| run.first <= part.first && part.last <= run.last)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn runs(set: &BTreeSet<u32>) -> Vec<Interval> {
        let mut runs: Vec<Interval> = Vec::new();
        for &item in set {
            match runs.last_mut() {
                Some(run) if run.last + 1 == item => run.last = item,
                _ => runs.push(Interval::new(item, item)),
            }
        }
        runs
    }

    proptest! {
        #[test]
        fn the_runs_are_those_of_a_set_of_single_processors(
            steps in prop::collection::vec((any::<bool>(), 0_u32..300, 0_u32..12), 0..600),
        ) {
            let (mut set, mut model) = (IntervalSet::full(300), (0..300).collect::<BTreeSet<u32>>());
            for (put, first, more) in steps {
                let part = Interval::new(first, (first + more).min(299));
                let members = part.first..=part.last;
                if put {
                    let lawful = members.clone().all(|item| !model.contains(&item));
                    prop_assert_eq!(set.insert(part), lawful);
                    if lawful { model.extend(members) }
                } else {
                    let lawful = members.clone().all(|item| model.contains(&item));
                    prop_assert_eq!(set.remove(part), lawful);
                    if lawful { members.for_each(|item| { model.remove(&item); }) }
                }
                prop_assert_eq!(set.count(), model.len() as u64);
            }
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), runs(&model));
        }
    }

    #[test]
    fn the_lowest_members_are_those_of_the_first_runs() {
        let mut set = IntervalSet::full(10);
        set.remove(Interval::new(2, 4));
        let lowest = |count| {
            let mut chosen = Vec::new();
            let taken = set.lowest(count, &mut chosen);
            (taken, chosen.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(lowest(0), (0, String::new()));
        assert_eq!(lowest(2), (2, "0-1".to_owned()));
        assert_eq!(lowest(3), (3, "0-1 5".to_owned()));
        assert_eq!(lowest(u64::MAX), (7, "0-1 5-9".to_owned()));
    }

    #[test]
    fn the_highest_members_are_those_of_the_last_runs() {
        let mut set = IntervalSet::full(10);
        set.remove(Interval::new(5, 7));
        let highest =
            |count| set.highest(count).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!([0, 1, 2, 4, 99].map(highest), ["", "9", "8-9", "3-4 8-9", "0-4 8-9"]);
    }

    #[test]
    fn an_interval_covers_what_is_there_and_what_is_not() {
        let mut set = IntervalSet::default();
        assert!(set.insert(Interval::new(2, 3)) && !set.insert(Interval::new(0, 5)));
        set.cover(Interval::new(0, 5));
        set.cover(Interval::new(5, 6));
        assert_eq!((set.count(), set.iter().collect::<Vec<_>>()), (7, vec![Interval::new(0, 6)]));
    }

    #[test]
    fn the_highest_number_joins_without_overflow() {
        let mut set = IntervalSet::default();
        assert!(set.insert(Interval::new(u32::MAX, u32::MAX)));
        assert!(set.insert(Interval::new(0, u32::MAX - 1)));
        assert_eq!(set.count(), 1 << 32);
        assert_eq!(set.iter().count(), 1);
    }

    #[test]
    fn intervals_print_as_other_tools_read_them() {
        assert_eq!(Interval::new(3, 3).to_string(), "3");
        assert_eq!(Interval::new(0, 7).to_string(), "0-7");
    }
}
