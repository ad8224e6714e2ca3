//! Conservative backfilling: every waiting job holds a reservation, and nothing that starts moves
//! one.
//!
//! Source: A. W. Mu'alem, D. G. Feitelson, IEEE TPDS 12(6), 2001, section 2; as stated in MODELS
//! 2.3. When a job comes to wait it is given the earliest span, as long as its estimate, in which
//! its processors are free in the availability profile. When a running job ends before its
//! estimate, every waiting job in queue order gives up its reservation and takes the earliest one,
//! which is never later than what it had. A job starts when its reservation begins.
//!
//! A running job past its estimate holds processors that the profile calls free. It is taken to end
//! in a nanosecond, so a reservation that comes due and does not fit next to it moves to the
//! earliest span from then on, and is counted; the job is looked at again whenever something
//! happens. At one instant ends come first, then submissions, then starts.
//!
//! Where nodes fail, the processors in service count alone, as when others come back is not known.
//! Whenever some go out of service or come back, the profile is made again and every job takes the
//! earliest reservation in it, in queue order; a reservation that is later than it was is counted
//! with those that could not be kept. A job that needs more processors than are in service holds
//! none, and others pass it by. Such an instant costs one search of the profile for each waiting
//! job.
//!
//! Reservations of processors (maintenance, and what was promised in advance) are laid into the
//! profile once they are known, and the reservations of jobs around them. One that becomes known
//! later than at the start of the run is an instant of the same kind: all jobs take the earliest
//! reservation again. That one begins, is late or ends is what the profile says already, but for
//! jobs past their estimates, which are treated as everywhere.
//!
//! # Complexity
//! The availability profile (a step function in blocks) and the reservations are kept from one
//! decision to the next. A submission is one search of the profile and one change. At an early end
//! each of the n waiting jobs looks once for an earlier start, and in a queue that is worked off
//! most of them find one, so n looks are what the rule takes. A look is a search that ends at the
//! job's own reservation and begins where earlier looks have shown that it may (its floor), so that
//! it passes few steps where a search from now on would pass up to 2n; only a job that moves
//! changes the profile. So an early end costs O(n) looks, where the rule as it reads costs O(n)
//! searches of O(n) steps each, and a queue of n jobs that is worked off O(n²) looks, not O(n³)
//! steps. The worst look is still one pass over the profile: that of a job smaller and shorter than
//! all that looked before it.

use crate::batch::Obstacle;
use crate::batch::profile::{Profile, SearchHints, signed};
use crate::batch::queue::{Queue, Waiting};
use crate::batch::record::Reason;
use crate::collections::{BlockList, BlockSummary, Cursor};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Entry, entry};

use super::{Backfill, Capabilities, Change, Decides, Picks, View};

pub(super) const ENTRY: Entry<dyn Backfill> = entry! {
    "conservative" => "every waiting job holds a reservation, and a job may overtake if it moves none",
    source "A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001", builds Conservative::default()
};

/// A reservation of a waiting job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Reserved {
    waiting: Waiting,
    start: SimTime,
    /// True if it came due and could not be kept: then it is looked at whenever something happens.
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

/// Summary of a block of reservations: the first start, the first of those that are not stuck, and
/// true if any is stuck.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    first: SimTime,
    due: SimTime,
    stuck: bool,
}

impl BlockSummary<Reserved> for Bounds {
    const EMPTY: Self = Bounds { first: SimTime::MAX, due: SimTime::MAX, stuck: false };

    fn add(&mut self, item: &Reserved) {
        self.first = self.first.min(item.start);
        if item.stuck {
            self.stuck = true;
        } else {
            self.due = self.due.min(item.start);
        }
    }

    fn remove(&mut self, item: &Reserved, rest: &[Reserved]) {
        if item.stuck || item.start == self.first || item.start == self.due {
            *self = Self::of(rest);
        }
    }
}

/// The start of a job that fits at no time; it is looked for again when there is more.
const NEVER: SimTime = SimTime::MAX;
/// The least span there is.
const NEXT_NANO: SimDuration = SimDuration::from_nanos(1);

#[derive(Debug, Default)]
pub(super) struct Conservative {
    /// Free processors by the estimates of the running jobs, less all reservations; those of jobs
    /// past their estimates are free in it. Made at the first decision.
    profile: Option<Profile>,
    /// The reservations in queue order.
    reserved: BlockList<Reserved, Bounds>,
    /// Jobs without a reservation yet.
    fresh: Vec<Waiting>,
    /// Spans that ended jobs have left: from, to, processors.
    left: Vec<(SimTime, SimTime, u32)>,
    /// Lower bounds of starts that searches of the profile have shown.
    hints: SearchHints,
    /// Reservations of this decision that came due and could not be kept, or were moved back
    /// because processors went out of service.
    moved: u64,
    /// True if processors went out of service or came back since the last decision.
    shaken: bool,
}

/// State that a search for a start needs besides the profile.
#[derive(Clone, Copy)]
struct Present {
    now: SimTime,
    /// Processors held by jobs past their estimates, which the profile calls free.
    overdue: i64,
}

impl Present {
    /// Returns true if a start is only promised because jobs past their estimates are taken to end
    /// in a nanosecond.
    fn hangs(self, start: SimTime) -> bool {
        self.overdue > 0 && start == self.now.saturating_add(NEXT_NANO)
    }

    /// The first start that a search finds which begins at an instant, unless that is now and too
    /// few are free.
    fn first(
        self,
        profile: &Profile,
        procs: u64,
        from: SimTime,
        search: impl Fn(SimTime) -> Option<SimTime>,
    ) -> Option<SimTime> {
        let found = search(from.max(self.now))?;
        if found > self.now || profile.at(self.now) - self.overdue >= signed(procs) {
            return Some(found);
        }
        search(self.now.saturating_add(NEXT_NANO))
    }
}

impl Conservative {
    /// If a job ended early: every job in order takes the earliest reservation there is if its own
    /// is given up. Those whose reservations came due before and are stuck do so at every decision.
    fn compress(&mut self, profile: &mut Profile, present: Present, early: bool) {
        let mut at = Cursor::START;
        let may = |block: &Bounds| early || block.stuck;
        let looks = |one: &Reserved| one.stuck || early && one.start > present.now;
        while let Some(found) = self.reserved.find(at, may, looks) {
            let Some(&one) = self.reserved.get(found) else { return };
            at = self.reserved.after(found);
            if one.stuck {
                self.release_stuck(profile, present, found, one);
            } else {
                self.move_forward(profile, present, found, one);
            }
        }
    }

    /// Moves a reservation that is to come to the earliest start before its own, if there is one.
    fn move_forward(&mut self, profile: &mut Profile, present: Present, at: Cursor, one: Reserved) {
        let (procs, span) = (one.procs(), one.span());
        let floor = self.hints.floor(profile, procs, span, one.start);
        let search = |from| profile.earlier(procs, span, from, one.start);
        let found = present.first(profile, procs, floor, search);
        if let Some(start) = found {
            let moved = Reserved { start, stuck: present.hangs(start), ..one };
            profile.move_forward(one.start, start, span, procs);
            self.reserved.replace_at(at, moved);
            self.hints.raise(profile, one.start.max(moved.end()), one.end());
        }
        self.hints.note(procs, span, found.unwrap_or(one.start));
    }

    /// Gives a reservation that came due and could not be kept up, for the earliest one.
    fn release_stuck(&mut self, profile: &mut Profile, present: Present, at: Cursor, one: Reserved) {
        let from = one.start.max(present.now);
        profile.release(from, one.end().max(from), one.procs());
        let search = |from| profile.earliest(one.procs(), one.span(), from, NEVER);
        let start = present.first(profile, one.procs(), present.now, search).unwrap_or(NEVER);
        self.moved += u64::from(one.start <= present.now && start > present.now);
        self.put(profile, present, at, Reserved { start, ..one });
    }

    /// Gives a job a reservation in place of the one it had, which is released.
    fn put(&mut self, profile: &mut Profile, present: Present, at: Cursor, one: Reserved) {
        profile.reserve(one.start, one.span(), one.procs());
        self.reserved.replace_at(at, Reserved { stuck: present.hangs(one.start), ..one });
        self.hints.clear();
    }

    /// Gives every job that has come to wait the earliest reservation, in order.
    fn admit(&mut self, profile: &mut Profile, present: Present) {
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.sort_unstable();
        for waiting in fresh {
            let one = Reserved { waiting, start: present.now, stuck: false };
            let floor = self.hints.floor(profile, one.procs(), one.span(), NEVER);
            let search = |from| profile.earliest(one.procs(), one.span(), from, NEVER);
            let start = present.first(profile, one.procs(), floor, search).unwrap_or(NEVER);
            profile.reserve(start, one.span(), one.procs());
            self.hints.note(one.procs(), one.span(), start);
            self.reserved.insert(Reserved { start, stuck: present.hangs(start), ..one });
        }
    }

    /// Processors went out of service or came back: the profile is made again of those that there
    /// are, and every waiting job takes the earliest reservation in it, in order. Gives the
    /// reservations that there were.
    fn begin_again(&mut self, view: &View<'_>) -> Vec<Reserved> {
        let before: Vec<Reserved> = self.reserved.iter().copied().collect();
        self.fresh.extend(before.iter().map(|one| one.waiting));
        self.reserved = BlockList::new();
        self.left.clear();
        self.hints.clear();
        let mut profile = view.profile(NEXT_NANO);
        // as everywhere, processors of jobs past their estimates are free in it
        let overdue = view.running.overdue(view.now);
        profile.release(view.now, view.now.saturating_add(NEXT_NANO), overdue);
        self.profile = Some(profile);
        before
    }

    /// Counts the reservations that are later than they were.
    fn count_moved(&mut self, before: &[Reserved]) {
        let later =
            before.iter().filter(|one| self.find(&one.waiting).is_some_and(|(_, now)| now.start > one.start));
        self.moved += later.count() as u64;
    }

    /// The reservation of a waiting job, and its place; none if it has none yet.
    fn find(&self, waiting: &Waiting) -> Option<(Cursor, Reserved)> {
        let least = Reserved { waiting: *waiting, start: SimTime::ZERO, stuck: false };
        let at = self.reserved.lower_bound(&least);
        let one = self.reserved.get(at).filter(|one| one.waiting == *waiting)?;
        Some((at, *one))
    }

    /// Starts what is due and fits; what does not fit, because a job outlasts its estimate, moves
    /// on.
    fn serve(&mut self, profile: &mut Profile, present: Present, mut free: u64, picks: &mut Picks) {
        let mut at = Cursor::START;
        let due = |one: &Reserved| one.start <= present.now;
        while let Some(found) = self.reserved.find(at, |block| block.first <= present.now, due) {
            let Some(&one) = self.reserved.get(found) else { return };
            at = self.reserved.after(found);
            if one.procs() <= free {
                free -= one.procs();
                picks.start(one.waiting, Reason::Reservation);
                continue;
            }
            let from = one.start.max(present.now);
            profile.release(from, one.end().max(from), one.procs());
            let next = present.now.saturating_add(NEXT_NANO);
            let start = profile.earliest(one.procs(), one.span(), next, NEVER).unwrap_or(NEVER);
            self.moved += 1;
            self.put(profile, present, found, Reserved { start, ..one });
        }
    }
}

impl Backfill for Conservative {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            decides: Decides::Everything,
            follows: true,
            plans_around: true,
            reserves_for_all: true,
            on_nodes: None,
        }
    }

    fn pick(&mut self, view: &View<'_>, picks: &mut Picks) {
        let present = Present { now: view.now, overdue: signed(view.running.overdue(view.now)) };
        let before = if std::mem::take(&mut self.shaken) { self.begin_again(view) } else { Vec::new() };
        let begun = self.profile.take();
        let mut profile = begun.unwrap_or_else(|| view.profile(NEXT_NANO));
        profile.advance(view.now);
        let left = std::mem::take(&mut self.left);
        for &(from, to, procs) in &left {
            profile.release(from.max(view.now), to, u64::from(procs));
        }
        if !left.is_empty() || present.overdue > 0 {
            self.hints.clear();
        }
        self.compress(&mut profile, present, !left.is_empty());
        self.admit(&mut profile, present);
        self.count_moved(&before);
        self.serve(&mut profile, present, view.free, picks);
        picks.moved = std::mem::take(&mut self.moved);
        if present.overdue > 0 {
            // that too few are free now is not what the profile says
            self.hints.clear();
        }
        self.profile = Some(profile);
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
            Change::Sorted(queue) => self.sort_again(queue),
            Change::Processors => self.shaken = true,
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

    fn obstacle(&self, view: &View<'_>, job: &Waiting) -> Obstacle {
        match self.find(job) {
            None => Obstacle::Unknown,
            Some(_) if u64::from(job.procs) > view.there() => Obstacle::Away,
            Some((_, one)) if one.stuck || one.start <= view.now || one.start == NEVER => Obstacle::Overdue,
            Some((_, one)) => Obstacle::Reserved(one.start),
        }
    }
}

impl Conservative {
    /// Takes a job's reservation out of the list; its span stays in the profile. `None` if it has
    /// none yet.
    fn take_out(&mut self, waiting: &Waiting) -> Option<Reserved> {
        if let Some((at, _)) = self.find(waiting) {
            return Some(self.reserved.remove_at(at));
        }
        self.fresh.retain(|one| one.job != waiting.job);
        None
    }

    /// Takes up the order that the queue has now.
    fn sort_again(&mut self, queue: &Queue) {
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
