//! Explanation of the wait of one job: its spans, what held the job back in each, and which jobs
//! overtook it meanwhile.
//!
//! ```text
//! submitted ──▶ span ──▶ span ──▶ … ──▶ started, or rejected
//!               cause    cause
//! ```
//!
//! A policy reports after each decision what holds the job back that is asked about, and nothing is
//! kept of any other job. A span goes on while the cause stays the same ([`WaitCause::same`]); the
//! numbers that it names are those of its beginning. The spans cover the wait without gaps: what a
//! policy leaves untold is a span, too. At an instant at which several decisions are made, the last
//! one counts.
//!
//! Overtaking is to start while the job waits, after it was submitted later than the job or stood
//! behind it in the queue. Who starts at the very instant at which the job does has not overtaken
//! it.

use crate::batch::record::Reason;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::definition::words_of;

pub use crate::batch::Obstacle;

/// Need of a job, and the amount available.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortage {
    /// Need of the job.
    pub need: u64,
    /// The largest need that could be met.
    pub free: u64,
    /// Of what.
    pub of: Of,
}

/// Things that jobs need to start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    /// Free processors.
    Processors,
    /// Nodes with a free slot.
    Nodes,
    /// Free processors of nodes that have what is asked for besides them.
    Asked,
    /// Free columns of one row of the matrix.
    Columns,
    /// Free amounts of the pool of this number among those of the run.
    Pool(usize),
}

words_of! {
    /// Cause that holds a job back.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub enum WaitCause {
        NotReported = "not-reported", "the policy does not report what holds the job back";
        /// The job, and how many others there are.
        Held(JobId, u64) = "held", "it depends on a job that has not left";
        /// The cause in words.
        Feature(String) = "feature", "a feature of the site, of another crate, holds it";
        /// The job.
        HeldForEver(JobId) = "held-for-ever", "it depends on a job that had to end by itself and did not";
        /// The limit in words.
        Limit(String) = "limit", "a limit of its queue";
        Reserved {
            /// Number in the scenario.
            number: u32,
            /// Start of the span.
            from: SimTime,
            /// Instant at which it ends.
            to: SimTime,
            /// The head of the queue, if that is held back and no job may overtake it.
            behind: Option<JobId>,
        } = "reservation", "a reservation of processors has them, or begins before the job would be over";
        /// The number of the reservation.
        Inside(u32) = "inside-reservation", "the reservation in which it is to run has not begun, or has no free capacity";
        Delayed = "requeue-delay", "it was interrupted, and cannot be started again yet";
        NoRoom(Shortage) = "no-room", "too little is free, and any job that fits may start";
        First(Shortage, Obstacle) = "head", "it is the head of the queue, and too little is free";
        /// The head, and what that needs.
        Behind(JobId, Shortage, Obstacle) = "behind-head", "it stands behind the head of the queue, for which too little is free";
    }
}

impl WaitCause {
    /// Obstacle to overtaking, or to a start, where the rule states one.
    fn obstacle(&self) -> Option<Obstacle> {
        match *self {
            WaitCause::First(_, obstacle) | WaitCause::Behind(_, _, obstacle) => Some(obstacle),
            _ => None,
        }
    }

    /// Name of the obstacle to overtaking, where that is another question.
    pub fn obstacle_name(&self) -> Option<&'static str> {
        self.obstacle()?.name()
    }

    /// The head of the queue behind which the job stands.
    pub fn head(&self) -> Option<JobId> {
        match self {
            WaitCause::Reserved { behind, .. } => *behind,
            WaitCause::Behind(head, ..) => Some(*head),
            _ => None,
        }
    }

    /// Number of the pool that the job or the head of the queue lacks.
    fn lacked_pool(&self) -> Option<usize> {
        match *self {
            WaitCause::NoRoom(shortage)
            | WaitCause::First(shortage, _)
            | WaitCause::Behind(_, shortage, _) => {
                if let Of::Pool(pool) = shortage.of {
                    Some(pool)
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// The obstacle, if it is about a reservation of the job's own.
    fn own(&self) -> Option<Obstacle> {
        self.obstacle().filter(|obstacle| matches!(obstacle, Obstacle::Reserved(_) | Obstacle::Overdue))
    }

    /// Returns true if this is the same cause, be the numbers other ones. A reservation at another
    /// time is another cause.
    pub fn same(&self, other: &Self) -> bool {
        if let (Some(one), Some(other)) = (self.own(), other.own()) {
            // be it the head of the queue or not
            return one == other;
        }
        match (self, other) {
            (WaitCause::Held(one, _), WaitCause::Held(other, _)) => one == other,
            (
                WaitCause::Feature(_)
                | WaitCause::Limit(_)
                | WaitCause::Reserved { .. }
                | WaitCause::Inside(_),
                _,
            ) => self == other,
            _ => {
                let kind = |cause: &Self| {
                    let obstacle = cause.obstacle().map(|one| std::mem::discriminant(&one));
                    (std::mem::discriminant(cause), cause.head(), obstacle, cause.lacked_pool())
                };
                kind(self) == kind(other)
            }
        }
    }
}

/// A job that overtook.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overtaker {
    /// The job.
    pub job: JobId,
    /// Instant at which it started.
    pub at: SimTime,
    /// Reason that it was allowed to overtake.
    pub reason: Reason,
    /// End expected by its estimate then, if that is known.
    pub ends: Option<SimTime>,
}

/// A part of a wait, up to but not with the instant at which it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WaitSpan {
    /// Instant at which it begins.
    pub from: SimTime,
    /// Instant at which it ends.
    pub to: SimTime,
    /// Cause that holds the job back.
    pub cause: WaitCause,
    /// Jobs that overtook it, in order.
    pub overtakers: Vec<Overtaker>,
}

/// Stage of the job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Expected,
    Waiting(SimTime),
    Over,
}

/// Explanation of one job.
#[derive(Clone, Debug)]
pub struct Explanation {
    job: JobId,
    stage: Stage,
    spans: Vec<WaitSpan>,
    /// Spans of earlier waits, of a job that was interrupted.
    earlier: usize,
    overtakers: Vec<Overtaker>,
    /// Job that starts next, whether it stands behind this one in the queue, and how long it is
    /// taken to run.
    next: Option<(JobId, bool, SimDuration)>,
    /// Job that starts next, on nodes which this one may not have.
    apart: Option<JobId>,
    refusal: Option<String>,
    /// Reason for its size, if a rule chose that.
    size: Option<&'static str>,
    /// Name of its queue, where that has a head of its own.
    queue: Option<String>,
}

impl Explanation {
    /// Nothing is reported of this job yet.
    pub fn new(job: JobId) -> Self {
        let (spans, overtakers) = (Vec::new(), Vec::new());
        Explanation {
            job,
            stage: Stage::Expected,
            spans,
            earlier: 0,
            overtakers,
            next: None,
            apart: None,
            refusal: None,
            size: None,
            queue: None,
        }
    }

    /// The job.
    pub fn job(&self) -> JobId {
        self.job
    }

    /// A rule has chosen its size, for this reason.
    pub fn molded(&mut self, why: &'static str) {
        self.size = Some(why);
    }

    /// Reason for its size, if a rule chose that.
    pub fn size(&self) -> Option<&'static str> {
        self.size
    }

    /// It stands in a queue of this name that has a head of its own.
    pub fn stands_in(&mut self, queue: &str) {
        if self.queue.is_none() {
            self.queue = Some(queue.to_owned());
        }
    }

    /// Name of its queue, where that has a head of its own.
    pub fn queue(&self) -> Option<&str> {
        self.queue.as_deref()
    }

    /// Returns true if it waits.
    pub fn waits(&self) -> bool {
        matches!(self.stage, Stage::Waiting(_))
    }

    /// Returns true if it is held, and so no job overtakes it.
    fn is_held(&self) -> bool {
        self.spans.last().is_some_and(|last| {
            matches!(last.cause, WaitCause::Held(..) | WaitCause::HeldForEver(_) | WaitCause::Feature(_))
        })
    }

    /// The same of jobs that go by other ids: `now[id]` is what the job `id` is called.
    #[must_use]
    pub fn renamed(mut self, now: &[JobId]) -> Self {
        let name = |job: &mut JobId| *job = now[job.index()];
        name(&mut self.job);
        for span in &mut self.spans {
            if let WaitCause::Held(job, _)
            | WaitCause::HeldForEver(job)
            | WaitCause::Behind(job, ..)
            | WaitCause::Reserved { behind: Some(job), .. } = &mut span.cause
            {
                name(job);
            }
            span.overtakers.iter_mut().for_each(|one| name(&mut one.job));
        }
        self
    }

    /// The spans of its wait; their ends are known once it is over.
    pub fn spans(&self) -> &[WaitSpan] {
        &self.spans
    }

    /// Reason that it was refused, in words, if that was reported.
    pub fn refusal(&self) -> Option<&str> {
        self.refusal.as_deref()
    }

    /// A job is submitted.
    pub fn submitted(&mut self, job: JobId, now: SimTime) {
        if job == self.job {
            self.stage = Stage::Waiting(now);
        }
    }

    /// A job that has started waits again.
    pub fn waits_again(&mut self, job: JobId, now: SimTime) {
        if job == self.job {
            self.stage = Stage::Waiting(now);
            self.earlier = self.spans.len();
        }
    }

    /// A job leaves without having started.
    pub fn leaves(&mut self, job: JobId, now: SimTime) {
        if job == self.job {
            self.over(now);
        }
    }

    /// Notes why the job will be refused.
    pub fn refuse(&mut self, why: String) {
        self.refusal = Some(why);
    }

    /// Notes of a job that is about to start whether it stands behind this one, and how long it is
    /// taken to run.
    pub fn passes(&mut self, job: JobId, behind: bool, estimate: SimDuration) {
        self.next = Some((job, behind, estimate));
    }

    /// Notes of a job that is about to start that it never has nodes which this one may have: it
    /// does not overtake it.
    pub fn is_apart(&mut self, job: JobId) {
        self.apart = Some(job);
    }

    /// A job starts.
    pub fn starts(&mut self, job: JobId, now: SimTime, reason: Reason) {
        let next = self.next.take().filter(|next| next.0 == job);
        let is_apart = self.apart.take() == Some(job);
        if job == self.job {
            self.over(now);
        } else if self.waits()
            && !self.is_held()
            && !is_apart
            && (job > self.job || next.is_some_and(|next| next.1))
        {
            let ends = next.map(|next| now.saturating_add(next.2));
            self.overtakers.push(Overtaker { job, at: now, reason, ends });
        }
    }

    /// Notes what holds the job back from now on.
    pub fn note(&mut self, cause: WaitCause, now: SimTime) {
        let Stage::Waiting(since) = self.stage else { return };
        self.take_back(now);
        match self.spans[self.earlier..].last() {
            Some(last) if last.cause.same(&cause) => return,
            None if since < now => self.push(since, WaitCause::NotReported),
            _ => {}
        }
        self.push(now, cause);
    }

    /// Takes the span back that begins now, if one does.
    fn take_back(&mut self, now: SimTime) {
        if self.spans.len() > self.earlier {
            self.spans.pop_if(|last| last.from == now);
        }
    }

    fn push(&mut self, from: SimTime, cause: WaitCause) {
        self.spans.push(WaitSpan { from, to: SimTime::MAX, cause, overtakers: Vec::new() });
    }

    /// The wait is over, or the run is.
    pub fn over(&mut self, now: SimTime) {
        let Stage::Waiting(since) = self.stage else { return };
        self.stage = Stage::Over;
        self.take_back(now);
        if self.spans.len() == self.earlier && since < now {
            self.push(since, WaitCause::NotReported);
        }
        let mut to = now;
        for span in self.spans[self.earlier..].iter_mut().rev() {
            span.to = to;
            to = span.from;
        }
        let mut overtakers = self.overtakers.drain(..).peekable();
        for span in &mut self.spans[self.earlier..] {
            while let Some(one) = overtakers.next_if(|one| one.at < span.to) {
                span.overtakers.push(one);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    fn no_room(free: u64) -> WaitCause {
        WaitCause::NoRoom(Shortage { need: 8, free, of: Of::Processors })
    }

    fn spans_of(explanation: &Explanation) -> Vec<(u64, u64, Vec<u32>)> {
        let nanos = |at: SimTime| at.since(SimTime::ZERO).as_nanos();
        let overtakers = |span: &WaitSpan| span.overtakers.iter().map(|one| one.job.0).collect();
        explanation.spans().iter().map(|span| (nanos(span.from), nanos(span.to), overtakers(span))).collect()
    }

    #[test]
    fn a_span_lasts_while_its_cause_does_and_the_last_word_of_an_instant_counts() {
        let mut one = Explanation::new(JobId(1));
        one.submitted(JobId(0), at(1));
        assert!(!one.waits());
        one.submitted(JobId(1), at(2));
        one.note(no_room(3), at(2));
        one.starts(JobId(0), at(3), Reason::Head);
        one.starts(JobId(7), at(4), Reason::Fits);
        one.note(no_room(1), at(4));
        one.note(WaitCause::Limit("l".to_owned()), at(6));
        one.note(no_room(1), at(6));
        one.note(WaitCause::Limit("l".to_owned()), at(8));
        one.passes(JobId(0), true, SimDuration::from_nanos(5));
        one.starts(JobId(0), at(8), Reason::Fits);
        one.starts(JobId(9), at(9), Reason::Fits);
        one.starts(JobId(1), at(9), Reason::Fits);
        one.starts(JobId(8), at(10), Reason::Fits);
        assert_eq!(spans_of(&one), [(2, 8, vec![7]), (8, 9, vec![0])]);
        assert_eq!(one.spans()[0].cause, no_room(3));
        assert_eq!(one.spans()[1].overtakers[0].ends, Some(at(13)));
    }

    #[test]
    fn what_is_untold_is_a_span_and_no_wait_is_none() {
        let mut one = Explanation::new(JobId(0));
        one.submitted(JobId(0), at(2));
        one.starts(JobId(3), at(4), Reason::Head);
        one.over(at(5));
        assert_eq!(spans_of(&one), [(2, 5, vec![3])]);
        let mut late = Explanation::new(JobId(0));
        late.submitted(JobId(0), at(2));
        late.note(no_room(1), at(3));
        late.over(at(7));
        assert_eq!(spans_of(&late), [(2, 3, vec![]), (3, 7, vec![])]);
        let mut none = Explanation::new(JobId(0));
        none.submitted(JobId(0), at(2));
        none.note(no_room(1), at(2));
        none.starts(JobId(0), at(2), Reason::Head);
        assert_eq!(spans_of(&none), []);
    }
}
