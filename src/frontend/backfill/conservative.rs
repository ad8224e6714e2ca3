//! Conservative backfilling: every waiting job holds a reservation, and nothing that starts moves one.
//!
//! Source: A. W. Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001, section 2; as stated in MODELS 2.3. When a job comes to
//! wait it is given the earliest span, as long as its estimate, in which its processors are free in the availability
//! profile. When a running job ends before its estimate, every waiting job in queue order gives up its reservation and takes
//! the earliest one, which is never later than what it had. A job starts when its reservation begins.
//!
//! A running job past its estimate holds processors that the profile calls free. It is taken to end in a nanosecond, so a
//! reservation that comes due and does not fit beside it moves to the earliest span from then on, and is counted; the job is
//! looked at again whenever something happens. At one instant ends come first, then submissions, then starts.
//!
//! # Complexity
//! The profile and the reservations are kept from one decision to the next. A submission is one search of the profile and one
//! change. An early end raises the profile over one span, and only a job can move to which that made a difference
//! ([`Hole`]): those are searched for, all others cost a comparison, and blocks of them that none of the holes concerns cost one
//! together. So n waiting jobs cost O(n / 64) to O(n) comparisons for each early end, and a search for each job that a hole
//! concerns, where the rule as it reads costs n searches of a profile that is n long. Holes beyond sixteen are put together
//! ([`MOST_HOLES`]); when many jobs wait and most end early, that concerns most of them, and an end costs up to n searches.

use crate::collections::{BlockList, Cursor, Summary};
use crate::frontend::profile::{Profile, signed};
use crate::frontend::queue::{Queue, Waiting};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::Entry;

use super::{Backfill, Change, View};

pub(super) const ENTRY: Entry<dyn Backfill> = Entry {
    name: "conservative",
    about: "every waiting job holds a reservation, and a job may overtake if it moves none",
    source: "A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001",
    keys: &[],
    build: |_| Ok(Box::new(Conservative::default())),
};

/// A reservation of a waiting job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Reserved {
    waiting: Waiting,
    start: SimTime,
    /// Whether it came due and could not be kept: then it is looked at whenever something happens.
    stuck: bool,
}

impl Reserved {
    fn procs(&self) -> u64 {
        u64::from(self.waiting.procs)
    }

    fn span(&self) -> SimDuration {
        self.waiting.estimate.max(NEXT_NANO)
    }

    fn end(&self) -> SimTime {
        self.start.saturating_add(self.span())
    }
}

/// What a block of reservations knows: the least need, the first and the last start, the first of those that are not stuck,
/// and whether any is.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    procs: u32,
    first: SimTime,
    last: SimTime,
    due: SimTime,
    stuck: bool,
}

impl Summary<Reserved> for Bounds {
    const EMPTY: Self =
        Bounds { procs: u32::MAX, first: SimTime::MAX, last: SimTime::ZERO, due: SimTime::MAX, stuck: false };

    fn add(&mut self, item: &Reserved) {
        self.procs = self.procs.min(item.waiting.procs);
        self.first = self.first.min(item.start);
        self.last = self.last.max(item.start);
        if item.stuck {
            self.stuck = true;
        } else {
            self.due = self.due.min(item.start);
        }
    }

    fn remove(&mut self, _: &Reserved, rest: &[Reserved]) {
        *self = Self::EMPTY;
        for item in rest {
            self.add(item);
        }
    }
}

/// A span over which the profile has been raised.
///
/// A job can move to an earlier start only if a place before its reservation, at which too few processors were free for it,
/// has enough now. That place is in a hole, the job needs more than was free there and at most what is; and the span it
/// would take up to its reservation is one in which nowhere fewer are free than the hole has at least.
#[derive(Clone, Copy, Debug)]
struct Hole {
    from: SimTime,
    /// Processors that were free in it at least.
    were: i64,
    /// Processors that are free in it at most.
    are: i64,
    /// The whole span around it in which more than `were` are free.
    around: (SimTime, SimTime),
}

impl Hole {
    fn concerns(&self, one: &Reserved) -> bool {
        let procs = i64::from(one.waiting.procs);
        let fits_whole = one.span() <= self.around.1.since(self.around.0);
        self.were < procs
            && procs <= self.are
            && self.from < one.start
            && (fits_whole || one.start <= self.around.1)
    }

    /// Whether it may concern a job of a block.
    fn may(&self, block: &Bounds) -> bool {
        i64::from(block.procs) <= self.are && self.from < block.last
    }
}

/// Holes beyond this many are put together; a wider one concerns more jobs than it need.
const MOST_HOLES: usize = 16;

/// The start of a job for which there is no room at any time; it is looked for again when there is more.
const NEVER: SimTime = SimTime::MAX;
/// The least span there is.
const NEXT_NANO: SimDuration = SimDuration::from_nanos(1);

#[derive(Debug, Default)]
pub(super) struct Conservative {
    /// Free processors by the estimates of the running jobs, less all reservations; those of jobs past their estimates are
    /// free in it. Made at the first decision.
    profile: Option<Profile>,
    /// The reservations in queue order.
    reserved: BlockList<Reserved, Bounds>,
    /// Jobs without a reservation yet.
    fresh: Vec<Waiting>,
    /// Spans that ended jobs have left: from, to, processors.
    left: Vec<(SimTime, SimTime, u32)>,
    /// What has been freed since the waiting jobs were last looked at.
    holes: Holes,
    /// How many reservations came due that could not be kept.
    moved: u64,
}

/// What a search for a start needs to know beside the profile.
#[derive(Clone, Copy)]
struct Present {
    now: SimTime,
    /// Processors held by jobs past their estimates, which the profile calls free.
    overdue: i64,
}

impl Present {
    /// Whether a start is only promised because jobs past their estimates are taken to end in a nanosecond.
    fn hangs(self, start: SimTime) -> bool {
        self.overdue > 0 && start == self.now.saturating_add(NEXT_NANO)
    }

    /// The earliest start before `before`.
    fn earliest(self, profile: &Profile, procs: u64, span: SimDuration, before: SimTime) -> Option<SimTime> {
        let found = profile.earliest(procs, span, self.now, before)?;
        if found > self.now || profile.at(self.now) - self.overdue >= signed(procs) {
            return Some(found);
        }
        profile.earliest(procs, span, self.now.saturating_add(NEXT_NANO), before)
    }
}

impl Conservative {
    /// If a job ended early: gives up every reservation in order and takes the earliest one. Those that came due before and
    /// are stuck do so at every decision.
    fn compress(&mut self, profile: &mut Profile, present: Present, early: bool) {
        let seen = if early { std::mem::take(&mut self.holes) } else { Holes::default() };
        let mut at = Cursor::START;
        loop {
            let made = &self.holes;
            let may = |block: &Bounds| block.stuck || early && (seen.may(block) || made.may(block));
            let concerned = |one: &Reserved| one.stuck || early && (seen.concern(one) || made.concern(one));
            let Some(found) = self.reserved.find(at, may, concerned) else { return };
            let Some(&one) = self.reserved.get(found) else { return };
            at = self.reserved.after(found);
            let from = one.start.max(present.now);
            profile.release(from, one.end().max(from), one.procs());
            let came_due = one.start <= present.now;
            let before = if one.stuck { NEVER } else { one.start };
            let start = present.earliest(profile, one.procs(), one.span(), before).unwrap_or(before);
            self.moved += u64::from(one.stuck && came_due && start > present.now);
            self.put(profile, found, Reserved { start, stuck: present.hangs(start), ..one }, from);
        }
    }

    /// Gives a job a reservation in place of the one it had, of which what is from `from` on has been released.
    fn put(&mut self, profile: &mut Profile, at: Cursor, one: Reserved, from: SimTime) {
        profile.reserve(one.start, one.span(), one.procs());
        let Some(&had) = self.reserved.get(at).filter(|&&had| had != one) else { return };
        self.reserved.replace_at(at, one);
        self.holes.add(profile, from, had.end().min(one.start), one.procs());
        self.holes.add(profile, one.end().max(from), had.end(), one.procs());
    }

    /// Gives every job that has come to wait the earliest reservation, in order.
    fn admit(&mut self, profile: &mut Profile, present: Present) {
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.sort_unstable();
        for waiting in fresh {
            let one = Reserved { waiting, start: present.now, stuck: false };
            let start = present.earliest(profile, one.procs(), one.span(), NEVER).unwrap_or(NEVER);
            profile.reserve(start, one.span(), one.procs());
            self.reserved.insert(Reserved { start, stuck: present.hangs(start), ..one });
        }
    }

    /// Starts what is due and fits; what does not fit, because a job outlasts its estimate, moves on.
    fn serve(&mut self, profile: &mut Profile, present: Present, mut free: u64, picked: &mut Vec<Waiting>) {
        let mut at = Cursor::START;
        let due = |one: &Reserved| one.start <= present.now;
        while let Some(found) = self.reserved.find(at, |block| block.first <= present.now, due) {
            let Some(&one) = self.reserved.get(found) else { return };
            at = self.reserved.after(found);
            if one.procs() <= free {
                free -= one.procs();
                picked.push(one.waiting);
                continue;
            }
            let from = one.start.max(present.now);
            profile.release(from, one.end().max(from), one.procs());
            let next = present.now.saturating_add(NEXT_NANO);
            let start = profile.earliest(one.procs(), one.span(), next, NEVER).unwrap_or(NEVER);
            self.moved += 1;
            self.put(profile, found, Reserved { start, stuck: present.hangs(start), ..one }, from);
        }
    }
}

/// Spans over which the profile has been raised since the jobs before them in the queue were last looked at.
///
/// A job takes the earliest reservation there is when it is looked at, so a hole concerns it only if it was made later: by
/// an early end, or by a job behind it that moved in the last round, after its own turn.
#[derive(Debug, Default)]
struct Holes(Vec<Hole>);

impl Holes {
    fn may(&self, block: &Bounds) -> bool {
        self.0.iter().any(|hole| hole.may(block))
    }

    fn concern(&self, one: &Reserved) -> bool {
        self.0.iter().any(|hole| hole.concerns(one))
    }

    /// Notes a span in which `procs` more are free than were, if it is one.
    fn add(&mut self, profile: &Profile, from: SimTime, to: SimTime, procs: u64) {
        if from >= to {
            return;
        }
        let (least, are) = profile.range(from, to);
        let were = least - signed(procs);
        self.0.push(Hole { from, were, are, around: profile.stretch(from, to, were + 1) });
        if self.0.len() > MOST_HOLES {
            let all = self.0.drain(..).reduce(|one, other| Hole {
                from: one.from.min(other.from),
                were: one.were.min(other.were),
                are: one.are.max(other.are),
                around: (one.around.0.min(other.around.0), one.around.1.max(other.around.1)),
            });
            self.0.extend(all);
        }
    }
}

impl Backfill for Conservative {
    fn pick(&mut self, view: &View<'_>, picked: &mut Vec<Waiting>) {
        let present = Present { now: view.now, overdue: signed(view.running.overdue(view.now)) };
        let begun = self.profile.take();
        let mut profile = begun.unwrap_or_else(|| Profile::new(view.now, view.free, view.running, NEXT_NANO));
        profile.advance(view.now);
        let left = std::mem::take(&mut self.left);
        for &(from, to, procs) in &left {
            let from = from.max(view.now);
            profile.release(from, to, u64::from(procs));
            self.holes.add(&profile, from, to, u64::from(procs));
        }
        self.compress(&mut profile, present, !left.is_empty());
        self.admit(&mut profile, present);
        self.serve(&mut profile, present, view.free, picked);
        self.profile = Some(profile);
    }

    fn leads(&self) -> bool {
        true
    }

    fn follows(&self) -> bool {
        true
    }

    fn note(&mut self, change: Change<'_>) {
        match change {
            Change::Waits(waiting, _) => self.fresh.push(waiting),
            Change::Started(waiting) => {
                self.take_out(&waiting);
            }
            Change::Withdrawn(waiting) => {
                if let Some(one) = self.take_out(&waiting) {
                    self.left.push((one.start, one.end(), waiting.procs));
                }
            }
            Change::Sorted(queue) => self.sort_anew(queue),
            Change::Ended { now, procs, estimated_end } => {
                if estimated_end > now {
                    self.left.push((now, estimated_end, procs));
                }
            }
            Change::Extended { procs, from, to } => {
                if let Some(profile) = &mut self.profile {
                    profile.reserve(from, to.since(from), u64::from(procs));
                }
            }
        }
    }

    fn wakes(&self) -> Option<SimTime> {
        let due = self.reserved.blocks().map(|(bounds, _)| bounds.due).min()?;
        (due < SimTime::MAX).then_some(due)
    }

    fn moved(&self) -> Option<u64> {
        Some(self.moved)
    }
}

impl Conservative {
    /// Takes a job's reservation out of the list; its span stays in the profile. `None` if it has none yet.
    fn take_out(&mut self, waiting: &Waiting) -> Option<Reserved> {
        let least = Reserved { waiting: *waiting, start: SimTime::ZERO, stuck: false };
        let at = self.reserved.lower_bound(&least);
        if self.reserved.get(at).is_some_and(|one| one.waiting == *waiting) {
            return Some(self.reserved.remove_at(at));
        }
        self.fresh.retain(|one| one.job != waiting.job);
        None
    }

    /// Takes up the order that the queue has now.
    fn sort_anew(&mut self, queue: &Queue) {
        let mut kept: Vec<(JobId, Reserved)> =
            self.reserved.iter().map(|one| (one.waiting.job, *one)).collect();
        kept.sort_unstable_by_key(|&(job, _)| job);
        self.reserved = BlockList::new();
        self.fresh.clear();
        for &waiting in queue.iter() {
            match kept.binary_search_by_key(&waiting.job, |&(job, _)| job) {
                Ok(place) => self.reserved.insert(Reserved { waiting, ..kept[place].1 }),
                Err(_) => self.fresh.push(waiting),
            }
        }
    }
}
