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
//! the timetable knows which of the n waiting jobs can find an earlier start: on counts of
//! processors those that a raised span can reach ([`Counts`]), on nodes all. In a queue that is
//! worked off most of them move at each early end, so n moves are what the rule takes, and a queue
//! of n jobs that is worked off O(n²) moves; a move costs the steps that it passes. The rule as it
//! reads costs n searches of O(n) steps at each early end.

use crate::batch::Obstacle;
use crate::batch::node_resources::NodeTimetable;
use crate::batch::queue::{Queue, Waiting};
use crate::batch::record::Reason;
use crate::batch::running::NEXT_NANO;
use crate::batch::timetable::{Counts, PooledTable, Ticket, Timetable};
use crate::collections::{BlockList, BlockSummary, Cursor};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Entry, entry};

use super::node_room::NodeRoom;
use super::pooled_room::PooledRoom;
use super::room::{CountRoom, Room};
use super::{Backfill, Capabilities, Change, Decides, Picks, View};

pub(super) const ENTRY: Entry<dyn Backfill> = entry! {
    "conservative" => "every waiting job holds a reservation, and a job may overtake if it moves none",
    source "A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001", builds Conservative::default()
};

/// A reservation of a waiting job.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Reserved {
    pub(super) waiting: Waiting,
    pub(super) start: SimTime,
    /// True if it came due and could not be kept: then it is looked at whenever something happens.
    pub(super) stuck: bool,
    /// Number of its booking.
    ticket: Ticket,
}

impl Reserved {
    /// What comes before the reservation of a job in queue order, and behind all before it.
    fn least(waiting: Waiting) -> Self {
        Reserved { waiting, start: SimTime::ZERO, stuck: false, ticket: Ticket::NONE }
    }

    pub(super) fn span(&self) -> SimDuration {
        self.waiting.estimate.max(NEXT_NANO)
    }

    fn end(&self) -> SimTime {
        self.start.saturating_add(self.span())
    }
}

/// Summary of a block of reservations: the first start, the first of those that are not stuck, and
/// true if any is stuck.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
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

#[derive(Debug, Default)]
pub(super) struct Conservative {
    /// Bookings of running jobs by their estimates, and of waiting ones. Made at the first
    /// decision.
    counts: Option<Counts>,
    /// The same beside pools.
    pooled: Option<PooledTable<Counts>>,
    /// The same, on nodes that have more than processors, with pools or without.
    nodes: Option<PooledTable<NodeTimetable>>,
    /// The reservations in queue order.
    pub(super) reserved: BlockList<Reserved, Bounds>,
    /// Jobs without a reservation yet.
    fresh: Vec<Waiting>,
    /// Spans that jobs have left which ended early, or were withdrawn.
    left: Vec<Span>,
    /// Reservations of this decision that came due and could not be kept, or were moved back
    /// because processors went out of service.
    moved: u64,
    /// True if processors went out of service or came back since the last decision.
    shaken: bool,
    /// The job that was picked last, where jobs are picked one by one.
    picked: Option<Waiting>,
}

/// Span of a job that has left it.
#[derive(Clone, Copy, Debug)]
struct Span {
    job: JobId,
    procs: u32,
    from: SimTime,
    to: SimTime,
}

/// An instant of decision.
#[derive(Clone, Copy)]
struct Present {
    now: SimTime,
    /// True if jobs are past their estimates.
    overdue: bool,
}

impl Present {
    /// Returns true if a start is only promised because jobs past their estimates are taken to end
    /// in a nanosecond.
    fn hangs(self, start: SimTime) -> bool {
        self.overdue && start == self.now.saturating_add(NEXT_NANO)
    }
}

impl Conservative {
    /// Decides which jobs start now; gives the timetable back.
    fn decide<R: Room>(&mut self, room: &mut R, kept: Option<R::Table>) -> R::Table {
        let present = Present { now: room.view().now, overdue: room.overdue() };
        let mut kept = kept;
        if let Some(last) = self.picked.take().filter(|_| room.view().again)
            && let Some(mut table) = kept.take()
        {
            let from = self.reserved.lower_bound(&Reserved::least(last));
            self.serve(&mut table, present, room, from);
            return table;
        }
        let shaken = std::mem::take(&mut self.shaken);
        let before = if shaken { self.give_up() } else { Vec::new() };
        let mut table = kept.filter(|_| !shaken).unwrap_or_else(|| room.timetable(None));
        room.begin(&mut table);
        let left = std::mem::take(&mut self.left);
        for one in &left {
            table.release(one.job, one.procs, one.from.max(present.now), one.to);
        }
        self.compress(&mut table, present, !left.is_empty());
        self.admit(&mut table, present);
        self.count_moved(&before);
        self.serve(&mut table, present, room, Cursor::START);
        table
    }

    /// If a job ended early: every job in order takes the earliest reservation there is if its own
    /// is given up. Those whose reservations came due before and are stuck do so at every decision.
    fn compress<T: Timetable>(&mut self, table: &mut T, present: Present, early: bool) {
        let mut moved = 0;
        self.reserved.replace_each(
            |block| early || block.stuck,
            |&one| {
                if one.stuck {
                    let again = book_again(table, present, one, present.now);
                    moved += u64::from(one.start <= present.now && again.start > present.now);
                    return Some(again);
                }
                if !early || one.start <= present.now || !table.may_move(one.ticket) {
                    return None;
                }
                let start = table.move_forward(one.ticket, &one.waiting, one.span(), one.start)?;
                Some(Reserved { start, stuck: present.hangs(start), ..one })
            },
        );
        self.moved += moved;
    }

    /// Gives every job that has come to wait the earliest reservation, in order.
    fn admit<T: Timetable>(&mut self, table: &mut T, present: Present) {
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.sort_unstable();
        for waiting in fresh {
            self.reserved.insert(promise(table, present, waiting, present.now));
        }
    }

    /// Processors went out of service or came back: the timetable is made again of those that there
    /// are, and every waiting job takes the earliest reservation in it, in order. Gives the
    /// reservations that there were.
    fn give_up(&mut self) -> Vec<Reserved> {
        let before: Vec<Reserved> = self.reserved.iter().copied().collect();
        self.fresh.extend(before.iter().map(|one| one.waiting));
        self.reserved = BlockList::new();
        self.left.clear();
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
        let at = self.reserved.lower_bound(&Reserved::least(*waiting));
        let one = self.reserved.get(at).filter(|one| one.waiting == *waiting)?;
        Some((at, *one))
    }

    /// Starts what is due and fits, from a place on; what does not fit, because a job outlasts its
    /// estimate, moves on.
    fn serve<R: Room>(&mut self, table: &mut R::Table, present: Present, room: &mut R, mut at: Cursor) {
        let due = |one: &Reserved| one.start <= present.now;
        while let Some(found) = self.reserved.find(at, |block| block.first <= present.now, due) {
            let Some(&one) = self.reserved.get(found) else { return };
            at = self.reserved.after(found);
            if room.fits_for(&one.waiting, one.span()) {
                if room.start_in(table, one.waiting, one.span(), Reason::Reservation) {
                    continue;
                }
                self.picked = Some(one.waiting);
                return;
            }
            let next = present.now.saturating_add(NEXT_NANO);
            self.moved += 1;
            self.reserved.replace_at(found, book_again(table, present, one, next));
        }
    }
}

/// Gives the reservation of a job up for the earliest one from an instant on.
fn book_again<T: Timetable>(table: &mut T, present: Present, one: Reserved, from: SimTime) -> Reserved {
    let begun = one.start.max(present.now);
    table.settle(one.ticket);
    table.release(one.waiting.job, one.waiting.procs, begun, one.end().max(begun));
    promise(table, present, one.waiting, from)
}

/// Gives a job the earliest reservation from an instant on.
fn promise<T: Timetable>(table: &mut T, present: Present, waiting: Waiting, from: SimTime) -> Reserved {
    let one = Reserved::least(waiting);
    let start = table.earliest(&waiting, one.span(), from).unwrap_or(NEVER);
    let ticket = table.promise(&waiting, one.span(), start);
    Reserved { start, stuck: present.hangs(start), ticket, ..one }
}

impl Backfill for Conservative {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            decides: Decides::Everything,
            follows: true,
            plans_around: true,
            reserves_for_all: true,
            on_nodes: true,
            joins_queues: true,
        }
    }

    fn pick(&mut self, view: &View<'_>, picks: &mut Picks) {
        match (view.nodes, view.pools) {
            (Some(nodes), pools) => {
                let (kept, room) = (self.nodes.take(), NodeRoom::new(view, nodes, picks));
                self.nodes = Some(self.decide(&mut PooledRoom::new(room, pools), kept));
            }
            (None, None) => {
                let kept = self.counts.take();
                self.counts = Some(self.decide(&mut CountRoom::new(view, picks), kept));
            }
            (None, pools) => {
                let (kept, room) = (self.pooled.take(), CountRoom::new(view, picks));
                self.pooled = Some(self.decide(&mut PooledRoom::new(room, pools), kept));
            }
        }
        picks.moved = std::mem::take(&mut self.moved);
    }

    fn note(&mut self, change: Change<'_>) {
        match change {
            Change::Waits(waiting, _) => self.fresh.push(waiting),
            Change::Started(waiting) => {
                self.take_out(&waiting);
            }
            Change::Withdrawn(waiting) => {
                if let Some(one) = self.take_out(&waiting) {
                    let Waiting { job, procs, .. } = waiting;
                    self.left.push(Span { job, procs, from: one.start, to: one.end() });
                }
            }
            Change::Placed { job, now, nodes } => {
                let until = now.saturating_add(job.estimate.max(NEXT_NANO));
                if let Some(table) = &mut self.nodes {
                    table.machine.runs(nodes, job.job, job.procs, until);
                }
            }
            Change::Sorted(queue) => self.sort_again(queue),
            Change::Processors => self.shaken = true,
            Change::Ended { job, now, procs, estimated_end } => {
                if estimated_end > now {
                    self.left.push(Span { job, procs, from: now, to: estimated_end });
                }
            }
            Change::Extended { job, procs, from, to } => {
                if let Some(table) = &mut self.counts {
                    table.extend(job, procs, from, to);
                }
                if let Some(table) = &mut self.pooled {
                    table.extend(job, procs, from, to);
                }
                if let Some(table) = &mut self.nodes {
                    table.extend(job, procs, from, to);
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
            let one = self.reserved.remove_at(at);
            if let Some(table) = &mut self.counts {
                table.settle(one.ticket);
            }
            return Some(one);
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
