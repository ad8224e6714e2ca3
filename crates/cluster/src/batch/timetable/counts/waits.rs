//! The waiting jobs that are booked, and which of them a rise of the profile can reach.
//!
//! A booking that was the earliest when its job last looked stays the earliest until the profile
//! rises in reach of it, for what lowers the profile makes no place. A new start before it is one
//! of two. The job *slides* if its processors are free right before its booking: then the profile
//! has risen there, and the booking begins in the raised span or at its end. Or it *jumps*: it fits
//! as a whole before its booking, across the raised span, and is then no longer than the stretch
//! there that is high enough. After the last rise that meets its new place the profile only falls
//! there, so jobs are marked when it rises; a mark stays until its job looks.
//!
//! # Complexity
//! A booking remembers the steps of the profile at which it begins and ends, and a step the
//! bookings that begin there: a slide costs a look at each step that it passes and at each booking
//! that it can reach, without any search.

use crate::batch::profile::{Ends, Profile, Raised, StepId, signed};
use crate::batch::timetable::Ticket;
use crate::kernel::{SimDuration, SimTime};

use super::jumps::{Jumper, Jumps};

/// Jobs up to which all look at every early end: to know which may move would cost more.
const FEW: usize = if cfg!(test) { 2 } else { 12 };

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
    /// Right before its booking if it may slide, and from one instant to another if it may jump.
    Reach { slides: bool, jumps: Option<(SimTime, SimTime)> },
}

/// Marks of a job: it may slide, it may jump, it looks at the whole profile.
const SLIDES: u8 = 1;
const JUMPS: u8 = 2;
const ANYWHERE: u8 = 4;

#[derive(Debug, Default)]
pub(super) struct Waits {
    all: Vec<Wait>,
    marks: Vec<u8>,
    /// For a job that may jump, the earliest start that was there, and an instant before which all
    /// are.
    across: Vec<(SimTime, SimTime)>,
    unused: Vec<Ticket>,
    /// For each step of the profile the first of the bookings that begin there.
    beginning: Vec<Ticket>,
    jumps: Jumps,
    /// True if the bookings are to be put in order before the next rise: a decision has begun.
    moved: bool,
}

impl Waits {
    /// A decision begins.
    pub(super) fn begin(&mut self) {
        self.moved = true;
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
            self.across.push((SimTime::MAX, SimTime::ZERO));
            Ticket::numbered(self.all.len())
        });
        let wait = Wait { start, span, procs, ends: None, before: Ticket::NONE, next: Ticket::NONE };
        match self.all.get_mut(ticket.index()) {
            Some(place) => *place = wait,
            None => self.all.push(wait),
        }
        self.marks[ticket.index()] = 0;
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
        self.marks[ticket.index()] != 0 || self.wait(ticket).ends.is_none() || self.are_few()
    }

    /// Parts of the profile that a job has to look at now.
    pub(super) fn look(&mut self, ticket: Ticket) -> Look {
        let (few, wait) = (self.are_few(), self.wait(ticket));
        let mark = self.marks[ticket.index()];
        if few || mark & ANYWHERE != 0 || wait.ends.is_none() {
            self.marks[ticket.index()] = 0;
            return Look::Anywhere;
        }
        let jumps = (mark & JUMPS != 0).then_some(self.across[ticket.index()]);
        self.marks[ticket.index()] = 0;
        Look::Reach { slides: mark & SLIDES != 0, jumps }
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
        let (mut most, mut free) = (i64::MIN, i64::MIN);
        let mut behind = None;
        for step in profile.seen_from(raised.first) {
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
                behind = Some(step.id);
                break;
            }
            free = step.free;
            most = most.max(free);
        }
        if std::mem::take(&mut self.moved) {
            self.jumps.put_in_order(jumpers(&self.all));
        }
        let (all, marks, across) = (&self.all, &mut self.marks, &mut self.across);
        let Some(gap) = self.jumps.gap(profile, raised, behind, most) else { return };
        self.jumps.each(&gap, |ticket| {
            let one = &all[ticket.index()];
            if one.start <= gap.from || !gap.takes(one.procs, one.span) {
                return;
            }
            let (mark, (from, to)) = (&mut marks[ticket.index()], &mut across[ticket.index()]);
            if *mark & JUMPS != 0 && from.saturating_add(one.span) <= raised.from {
                // its search begins before all that is new
                *to = raised.to.max(*to);
            } else if let Some(start) = profile.earliest_across(raised, one.procs.into(), one.span, one.start)
            {
                if *mark & JUMPS == 0 {
                    (*from, *to) = (start, raised.to);
                } else {
                    (*from, *to) = (start.min(*from), raised.to.max(*to));
                }
                *mark |= JUMPS;
            }
        });
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
