//! The waiting jobs that are booked, and which of them a rise of the profile can reach.
//!
//! A booking that was the earliest when its job last looked stays the earliest until the profile
//! rises in reach of it, for what lowers the profile makes no place. A new start before it is one
//! of two. The job *slides* if its processors are free right before its booking: then the profile
//! has risen there, and the booking begins in the raised span or at its end. Or it *jumps*: it fits
//! as a whole before its booking, across the raised span, and is then no longer than the stretch
//! there that is high enough, and needs more than was free all along before the rise. After the
//! last rise that opened its new place the profile stays high enough there, so jobs are marked when
//! it rises, with the places that were there; a mark stays until its job looks.
//!
//! # Complexity
//! A booking remembers the steps of the profile at which it begins and ends, and a step the
//! bookings that begin there: a slide costs a look at each step that it passes and at each booking
//! that it can reach, without any search.

use crate::batch::profile::{Ends, Profile, Raised, StepId, signed};
use crate::batch::timetable::Ticket;
use crate::kernel::{SimDuration, SimTime};

use super::gap::Gap;
use super::jumps::{Jumper, Jumps};

/// Jobs up to which all look at every early end: to know which may move would cost more.
const FEW: usize = if cfg!(test) { 2 } else { 12 };

/// Decisions after which the bookings are put in order before the next rise.
const ORDERED: u32 = if cfg!(test) { 2 } else { 8 };

/// A booking of a waiting job.
#[derive(Clone, Copy, Debug)]
struct Wait {
    start: SimTime,
    span: SimDuration,
    procs: u32,
    /// `None` if it begins never.
    ends: Option<Ends>,
    /// Its neighbours among the bookings that begin at the same step.
    before: Ticket,
    next: Ticket,
}

/// Parts of the profile that a job has to look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// All from now on.
    Anywhere,
    /// Right before its booking if it may slide, and in some places if it may jump.
    Reach { slides: bool, jumps: bool },
}

/// Places in which a search looks at most, before some are made one.
const PLACES: usize = if cfg!(test) { 2 } else { 4 };

/// For a job that may jump, the earliest start in each place that was there, and an instant before
/// which all are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Places {
    all: [(SimTime, SimTime); PLACES],
    len: usize,
}

impl Places {
    const NONE: Places = Places { all: [(SimTime::MAX, SimTime::ZERO); PLACES], len: 0 };

    fn add(&mut self, from: SimTime, to: SimTime) {
        match self.all.get_mut(self.len) {
            Some(place) => {
                *place = (from, to);
                self.len += 1;
            }
            None => {
                let last = &mut self.all[PLACES - 1];
                *last = (from.min(last.0), to.max(last.1));
            }
        }
    }
}

/// Marks of a job: it may slide, it may jump, it looks at the whole profile.
const SLIDES: u8 = 1;
const JUMPS: u8 = 2;
const ANYWHERE: u8 = 4;

#[derive(Debug)]
pub(super) struct Waits {
    all: Vec<Wait>,
    marks: Vec<u8>,
    /// For jobs that may jump.
    places: Vec<Places>,
    unused: Vec<Ticket>,
    /// For each step of the profile the first of the bookings that begin there.
    beginning: Vec<Ticket>,
    jumps: Jumps,
    /// The last rise.
    gap: Gap,
    /// Decisions since the bookings were put in order.
    decisions: u32,
}

impl Waits {
    /// A decision begins.
    pub(super) fn begin(&mut self) {
        self.decisions += 1;
    }

    fn len(&self) -> usize {
        self.all.len() - self.unused.len()
    }

    fn wait(&self, ticket: Ticket) -> &Wait {
        &self.all[ticket.index()]
    }

    fn wait_mut(&mut self, ticket: Ticket) -> &mut Wait {
        &mut self.all[ticket.index()]
    }

    pub(super) fn procs(&self, ticket: Ticket) -> u64 {
        self.wait(ticket).procs.into()
    }

    /// Books a job from a start on for its span.
    pub(super) fn book(
        &mut self,
        profile: &mut Profile,
        procs: u32,
        span: SimDuration,
        start: SimTime,
    ) -> Ticket {
        let ticket = self.unused.pop().unwrap_or_else(|| {
            self.marks.push(0);
            self.places.push(Places::NONE);
            Ticket::numbered(self.all.len())
        });
        let wait = Wait { start, span, procs, ends: None, before: Ticket::NONE, next: Ticket::NONE };
        match self.all.get_mut(ticket.index()) {
            Some(place) => *place = wait,
            None => self.all.push(wait),
        }
        self.marks[ticket.index()] = if start < SimTime::MAX { 0 } else { ANYWHERE };
        if start < SimTime::MAX {
            let ends = profile.hold(start, span, procs.into());
            self.begins(ticket, ends);
        }
        if self.len() == FEW + 1 {
            self.marks.fill(ANYWHERE);
        }
        if start < SimTime::MAX {
            self.jumps.add(Jumper::new(ticket, procs, (start, span)));
            if self.jumps.is_loose(self.len()) {
                self.jumps.put_in_order(jumpers(&self.all));
            }
        }
        ticket
    }

    /// A job waits no longer, or gives its booking up, which stays in the profile.
    pub(super) fn settle(&mut self, profile: &mut Profile, ticket: Ticket) {
        if let Some(ends) = self.wait_mut(ticket).ends.take() {
            self.unlink(ticket, ends.begin);
            profile.let_go(ends);
        }
        // it begins before all that rises
        let wait = self.wait_mut(ticket);
        wait.start = SimTime::ZERO;
        self.unused.push(ticket);
    }

    /// A job looks at the whole profile when it looks next.
    pub(super) fn look_anywhere(&mut self, ticket: Ticket) {
        self.marks[ticket.index()] |= ANYWHERE;
    }

    pub(super) fn may_move(&self, ticket: Ticket) -> bool {
        self.marks[ticket.index()] != 0 || self.are_few()
    }

    /// Parts of the profile that a job has to look at now. One that begins never does so always.
    pub(super) fn look(&mut self, ticket: Ticket) -> Look {
        let (few, never) = (self.are_few(), self.wait(ticket).ends.is_none());
        let mark = std::mem::replace(&mut self.marks[ticket.index()], if never { ANYWHERE } else { 0 });
        if few || mark & ANYWHERE != 0 {
            return Look::Anywhere;
        }
        Look::Reach { slides: mark & SLIDES != 0, jumps: mark & JUMPS != 0 }
    }

    /// The places in which a job that may jump looks.
    pub(super) fn places(&self, ticket: Ticket) -> &[(SimTime, SimTime)] {
        let Places { all, len } = &self.places[ticket.index()];
        &all[..*len]
    }

    /// The step to which a job slides, as far as its processors are free.
    pub(super) fn slid(&self, profile: &Profile, ticket: Ticket) -> Option<StepId> {
        let Wait { procs, ends, .. } = *self.wait(ticket);
        let begin = ends?.begin;
        Some(profile.free_since(begin, procs.into())).filter(|&since| since != begin)
    }

    /// Moves a booking to an earlier start, which a step may be known to begin at.
    pub(super) fn bring_forward(
        &mut self,
        profile: &mut Profile,
        ticket: Ticket,
        (start, known): (SimTime, Option<StepId>),
    ) {
        let Wait { span, procs, ends, .. } = *self.wait(ticket);
        self.wait_mut(ticket).start = start;
        let Some(ends) = ends else {
            self.marks[ticket.index()] = 0;
            let ends = profile.hold(start, span, procs.into());
            self.begins(ticket, ends);
            self.jumps.add(Jumper::new(ticket, procs, (start, span)));
            return;
        };
        self.unlink(ticket, ends.begin);
        let begin = known.unwrap_or_else(|| profile.step_at(start));
        let (ends, raised) = profile.bring_forward(ends, begin, span, procs.into());
        self.begins(ticket, ends);
        if raised.from < raised.to && !self.are_few() {
            self.rises(profile, raised);
        }
    }

    /// Returns true if all jobs look at every early end, whether they may move or not.
    pub(super) fn are_few(&self) -> bool {
        self.len() <= FEW
    }

    /// The profile has risen: marks the jobs that may move therefore.
    pub(super) fn rises(&mut self, profile: &Profile, raised: Raised) {
        let (all, marks) = (&self.all, &mut self.marks);
        let (mut least, mut most, mut free) = (i64::MAX, i64::MIN, i64::MIN);
        let mut behind = StepId::NONE;
        let mut seen = raised.first;
        while seen != StepId::NONE {
            let step = profile.seen(seen);
            if step.from > raised.from && step.from <= raised.to {
                let mut at = self.beginning.get(step.id.index()).copied().unwrap_or(Ticket::NONE);
                while at != Ticket::NONE {
                    let one = &all[at.index()];
                    if signed(one.procs.into()) <= free {
                        marks[at.index()] |= SLIDES;
                    }
                    at = one.next;
                }
            }
            if step.from >= raised.to {
                behind = step.id;
                break;
            }
            free = step.free;
            (least, most) = (least.min(free), most.max(free));
            seen = profile.behind(seen);
        }
        if self.decisions >= ORDERED {
            self.decisions = 0;
            self.jumps.put_in_order(jumpers(&self.all));
        }
        let Waits { all, marks, places, jumps, gap, .. } = self;
        // as many have been free all along, so no job that needs as few finds more
        let before = least - raised.by;
        if !gap.widen(profile, (raised, behind), (before, most), jumps.shortest(raised.from)) {
            return;
        }
        jumps.each(gap, |ticket| {
            let one = &all[ticket.index()];
            if one.start <= raised.from || !gap.takes(one.procs, one.span) {
                return;
            }
            if let Some(start) = gap.start(profile, one.procs, one.span, one.start) {
                let (mark, places) = (&mut marks[ticket.index()], &mut places[ticket.index()]);
                if *mark & JUMPS == 0 {
                    *places = Places::NONE;
                }
                places.add(start, raised.to);
                *mark |= JUMPS;
            }
        });
    }
}

impl Default for Waits {
    fn default() -> Self {
        Waits {
            all: Vec::new(),
            marks: Vec::new(),
            places: Vec::new(),
            unused: Vec::new(),
            beginning: Vec::new(),
            jumps: Jumps::default(),
            gap: Gap::none(),
            decisions: ORDERED,
        }
    }
}

impl Waits {
    /// The steps at which a booking begins and ends are known.
    fn begins(&mut self, ticket: Ticket, ends: Ends) {
        let step = ends.begin.index();
        if step >= self.beginning.len() {
            self.beginning.resize(step + 1, Ticket::NONE);
        }
        let next = std::mem::replace(&mut self.beginning[step], ticket);
        if next != Ticket::NONE {
            self.wait_mut(next).before = ticket;
        }
        let wait = self.wait_mut(ticket);
        (wait.ends, wait.before, wait.next) = (Some(ends), Ticket::NONE, next);
    }

    /// A booking begins at a step no longer.
    fn unlink(&mut self, ticket: Ticket, step: StepId) {
        let Wait { before, next, .. } = *self.wait(ticket);
        if before == Ticket::NONE {
            self.beginning[step.index()] = next;
        } else {
            self.wait_mut(before).next = next;
        }
        if next != Ticket::NONE {
            self.wait_mut(next).before = before;
        }
    }
}

/// The bookings that there are.
fn jumpers(all: &[Wait]) -> impl Iterator<Item = Jumper> {
    let all = all.iter().enumerate().filter(|(_, one)| one.ends.is_some());
    all.map(|(number, one)| Jumper::new(Ticket::numbered(number), one.procs, (one.start, one.span)))
}
