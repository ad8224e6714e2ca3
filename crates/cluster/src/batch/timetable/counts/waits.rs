//! The waiting jobs that are booked, and which of them a rise of the profile can reach.
//!
//! A booking that was the earliest when its job last looked stays the earliest until the profile
//! rises in reach of it, for what lowers the profile makes no place. A new start before it is one
//! of two. The job *slides* if its processors are free right before its booking: then the profile
//! has risen there, and the booking begins in the raised span or at its end. Or it *jumps*: it fits
//! as a whole before its booking, across the raised span, and is then no longer than the stretch
//! there that is high enough, and needs more than was free all along before the rise. After the
//! last rise that opened its new place the profile stays high enough there, so jobs that may jump
//! are marked when it rises, with the places that were there; a mark stays until its job looks.
//!
//! # Complexity
//! A booking remembers the steps of the profile at which it begins and ends, and a step the last
//! rise right before it: a slide costs a look at each step that it passes, without any search, and
//! a rise a look at the steps in it and next to it, however many bookings begin there.

use crate::batch::profile::{Ends, Profile, Raised, StepId, signed};
use crate::batch::timetable::Ticket;
use crate::kernel::{SimDuration, SimTime};

use super::gap::Gap;
use super::jumps::{Jumper, Jumps};

/// Jobs up to which all look at every early end: to know which may move would cost more.
const FEW: usize = if cfg!(test) { 2 } else { 12 };

/// Decisions after which the bookings are summed up before the next rise.
const SUMMED_UP: u32 = if cfg!(test) { 2 } else { 32 };

/// A booking of a waiting job.
#[derive(Clone, Copy, Debug)]
struct Wait {
    start: SimTime,
    span: SimDuration,
    /// Number of rises when its job last looked.
    looked: u64,
    procs: u32,
    /// `None` if it begins never.
    ends: Option<Ends>,
    /// Number of places in which its job looks, besides the step before its booking.
    places: usize,
    /// True if it looks at the whole profile.
    anywhere: bool,
}

/// Parts of the profile that a job has to look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// All from now on.
    Anywhere,
    /// Right before its booking if it may slide, and in so many places.
    Reach { slides: bool, places: usize },
}

/// Places in which a search looks at most, before some are made one.
const PLACES: usize = if cfg!(test) { 2 } else { 8 };

/// Place in which a job that may jump looks: the earliest start that there was in it, and an
/// instant before which all are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) from: SimTime,
    pub(super) to: SimTime,
    /// The step that covered the beginning, if it is known; it may be gone.
    pub(super) step: StepId,
}

impl Place {
    const NONE: Place = Place { from: SimTime::MAX, to: SimTime::ZERO, step: StepId::NONE };

    fn meets(&self, other: &Place) -> bool {
        self.from <= other.to && other.from <= self.to
    }

    fn add(&mut self, other: Place) {
        if other.from < self.from {
            (self.from, self.step) = (other.from, other.step);
        }
        self.to = self.to.max(other.to);
    }
}

#[derive(Debug)]
pub(super) struct Waits {
    all: Vec<Wait>,
    /// For jobs that may jump.
    places: Vec<[Place; PLACES]>,
    unused: Vec<Ticket>,
    /// Number of rises so far.
    rises: u64,
    /// For each step of the profile the last rise right before it.
    risen: Vec<u64>,
    jumps: Jumps,
    /// The last rise.
    gap: Gap,
    /// Decisions since the bookings were summed up.
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
            self.places.push([Place::NONE; PLACES]);
            Ticket::numbered(self.all.len())
        });
        let is_ever = start < SimTime::MAX;
        let ends = is_ever.then(|| profile.hold(start, span, procs.into()));
        let wait = Wait { start, span, looked: self.rises, procs, ends, places: 0, anywhere: !is_ever };
        match self.all.get_mut(ticket.index()) {
            Some(place) => *place = wait,
            None => self.all.push(wait),
        }
        if self.len() == FEW + 1 {
            self.all.iter_mut().for_each(|one| one.anywhere = true);
        }
        if is_ever {
            self.jumps.add(Jumper::new(ticket, procs, (start, span)));
        }
        ticket
    }

    /// A job waits no longer, or gives its booking up, which stays in the profile.
    pub(super) fn settle(&mut self, profile: &mut Profile, ticket: Ticket) {
        let one = self.wait_mut(ticket);
        let Wait { procs, start, span, .. } = *one;
        if let Some(ends) = one.ends.take() {
            self.jumps.remove(Jumper::new(ticket, procs, (start, span)));
            profile.let_go(ends);
        }
        self.unused.push(ticket);
    }

    /// A job looks at the whole profile when it looks next.
    pub(super) fn look_anywhere(&mut self, ticket: Ticket) {
        self.wait_mut(ticket).anywhere = true;
    }

    pub(super) fn may_move(&self, ticket: Ticket) -> bool {
        let one = self.wait(ticket);
        one.anywhere || one.places > 0 || self.may_slide(one) || self.are_few()
    }

    /// Returns true if the profile has risen right before a booking since its job last looked.
    fn may_slide(&self, one: &Wait) -> bool {
        let begin = one.ends.map_or(StepId::NONE, |ends| ends.begin);
        self.risen.get(begin.index()).is_some_and(|&rise| rise > one.looked)
    }

    /// Parts of the profile that a job has to look at now. One that begins never does so always.
    pub(super) fn look(&mut self, ticket: Ticket) -> Look {
        let (few, rises, slides) = (self.are_few(), self.rises, self.may_slide(self.wait(ticket)));
        let one = self.wait_mut(ticket);
        one.looked = rises;
        let (places, anywhere) = (std::mem::take(&mut one.places), one.anywhere);
        one.anywhere = one.ends.is_none();
        if few || anywhere { Look::Anywhere } else { Look::Reach { slides, places } }
    }

    /// The places in which a job that may jump looks.
    pub(super) fn places(&self, ticket: Ticket, number: usize) -> &[Place] {
        &self.places[ticket.index()][..number]
    }

    /// Instant to which a job slides, as far as its processors are free, and the step there.
    pub(super) fn slid(&self, profile: &Profile, ticket: Ticket) -> Option<(SimTime, StepId)> {
        let Wait { procs, ends, .. } = self.wait(ticket);
        profile.free_since((*ends)?.begin, u64::from(*procs)).map(|(step, from)| (from, step))
    }

    /// Moves a booking to an earlier start, which a step may be known to begin at.
    pub(super) fn bring_forward(
        &mut self,
        profile: &mut Profile,
        ticket: Ticket,
        (start, known): (SimTime, Option<StepId>),
    ) {
        let one = self.wait_mut(ticket);
        one.start = start;
        let Wait { span, procs, ends, .. } = *one;
        let Some(ends) = ends else {
            one.anywhere = false;
            one.ends = Some(profile.hold(start, span, procs.into()));
            self.jumps.add(Jumper::new(ticket, procs, (start, span)));
            return;
        };
        let begin = known.unwrap_or_else(|| profile.step_at(start));
        let (ends, raised) = profile.bring_forward(ends, begin, span, procs.into());
        one.ends = Some(ends);
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
        self.rises += 1;
        let first = profile.seen(raised.first);
        let (mut least, mut most) = (first.free, first.free);
        let mut end = profile.seen_behind(first.id);
        while end.from < raised.to {
            self.rises_before(end.id);
            (least, most) = (least.min(end.free), most.max(end.free));
            end = profile.seen_behind(end.id);
        }
        if end.from == raised.to && end.id != StepId::NONE {
            self.rises_before(end.id);
        }
        if self.decisions >= SUMMED_UP {
            self.decisions = 0;
            self.jumps.sum_up(jumpers(&self.all));
        }
        let Waits { all, places, jumps, gap, .. } = self;
        // as many have been free all along, so no job that needs as few finds more
        let before = least - raised.by;
        if !gap.widen(profile, raised, (first, end), (before, most), jumps.shortest(raised.from)) {
            return;
        }
        jumps.each(raised.from, gap, |ticket| {
            let one = &mut all[ticket.index()];
            if one.start <= raised.from || signed(one.procs.into()) <= before {
                return;
            }
            if let Some((from, step)) = gap.start(profile, one.procs, one.span, one.start) {
                let place = Place { from, to: raised.to, step };
                let places = &mut places[ticket.index()];
                match places[..one.places].iter_mut().find(|other| other.meets(&place)) {
                    Some(other) => other.add(place),
                    None if one.places == PLACES => places[PLACES - 1].add(place),
                    None => {
                        places[one.places] = place;
                        one.places += 1;
                    }
                }
            }
        });
    }

    /// The profile rises right before a step.
    fn rises_before(&mut self, step: StepId) {
        if step.index() >= self.risen.len() {
            self.risen.resize(step.index() + 1, 0);
        }
        self.risen[step.index()] = self.rises;
    }
}

impl Default for Waits {
    fn default() -> Self {
        Waits {
            all: Vec::new(),
            places: Vec::new(),
            unused: Vec::new(),
            rises: 0,
            risen: Vec::new(),
            jumps: Jumps::default(),
            gap: Gap::none(),
            decisions: SUMMED_UP,
        }
    }
}

/// The bookings that there are.
fn jumpers(all: &[Wait]) -> impl Iterator<Item = Jumper> + Clone {
    let all = all.iter().enumerate().filter(|(_, one)| one.ends.is_some());
    all.map(|(number, one)| Jumper::new(Ticket::numbered(number), one.procs, (one.start, one.span)))
}
