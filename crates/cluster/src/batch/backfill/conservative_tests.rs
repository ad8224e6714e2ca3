//! The reservations of whole runs against those of a plain list of bookings.

use std::collections::BTreeSet;

use proptest::prelude::*;

use crate::batch::planned::{Planned, PlannedNodes};
use crate::batch::profile::signed;
use crate::batch::queue::{Queue, Waiting};
use crate::batch::running::Running;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::conservative::{Conservative, Reserved};
use super::{Backfill, Change, Picks, View};

fn at(nanos: u64) -> SimTime {
    SimTime::from_nanos(nanos)
}

/// A job of a run, times in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct Job {
    submit: u64,
    procs: u32,
    run: u64,
    estimate: u64,
}

/// A run: its jobs, cancellations (instant, job), and reservations of processors that become known
/// at an instant (instant, processors, beginning, end).
#[derive(Clone, Debug)]
struct Run {
    jobs: Vec<Job>,
    cancelled: Vec<(u64, usize)>,
    planned: Vec<(u64, u64, u64, u64)>,
    /// True if the estimate of a job that outlasts it is made longer.
    corrects: bool,
}

const PROCS: u64 = 12;

/// Processors that are taken from an instant to another.
#[derive(Clone, Copy, Debug)]
struct Booking {
    from: u64,
    to: u64,
    procs: u64,
}

/// A waiting job of the plain model.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Promise {
    job: u32,
    procs: u64,
    span: u64,
    start: u64,
    stuck: bool,
}

impl Promise {
    fn booking(self) -> Booking {
        Booking { from: self.start, to: self.start.saturating_add(self.span), procs: self.procs }
    }
}

/// The rule as it reads, by a list of bookings: those of running jobs and of reservations of
/// processors, and the promises in queue order.
#[derive(Debug, Default)]
struct Plain {
    held: Vec<(u32, Booking)>,
    planned: Vec<Booking>,
    promises: Vec<Promise>,
    fresh: Vec<Promise>,
    moved: u64,
}

impl Plain {
    fn free(&self, instant: u64, but: u32) -> i64 {
        let promises = self.promises.iter().filter(|one| one.job != but).map(|one| one.booking());
        let all = self.held.iter().map(|one| one.1).chain(self.planned.iter().copied()).chain(promises);
        let taken =
            all.filter(|one| one.from <= instant && instant < one.to).map(|one| one.procs).sum::<u64>();
        signed(PROCS) - signed(taken)
    }

    /// The earliest start from an instant on. From `clear` on nothing keeps the job back: it holds
    /// its processors there already, even where a longer estimate has promised them twice.
    fn earliest(&self, one: &Promise, from: u64, clear: u64) -> u64 {
        let promises = self.promises.iter().filter(|other| other.job != one.job).map(|other| other.booking());
        let all: Vec<Booking> =
            self.held.iter().map(|one| one.1).chain(self.planned.iter().copied()).chain(promises).collect();
        let starts: BTreeSet<u64> =
            all.iter().map(|one| one.to).filter(|&to| to > from).chain([from]).collect();
        let fits = |start: u64| {
            let within = all
                .iter()
                .map(|one| one.from)
                .filter(|&at| start < at && at < start.saturating_add(one.span));
            within
                .chain([start])
                .filter(|&instant| instant < clear)
                .all(|instant| self.free(instant, one.job) >= signed(one.procs))
        };
        starts.into_iter().find(|&start| start < u64::MAX && fits(start)).unwrap_or(u64::MAX)
    }

    /// The earliest start, which is now only if jobs past their estimates leave enough.
    fn first(&self, one: &Promise, now: u64, overdue: i64, clear: u64) -> u64 {
        let found = self.earliest(one, now, clear);
        if found > now || self.free(now, one.job) - overdue >= signed(one.procs) {
            return found;
        }
        self.earliest(one, now + 1, clear)
    }

    /// Processors were reserved: all promises are made again.
    fn begin_again(&mut self) -> Vec<Promise> {
        let before = std::mem::take(&mut self.promises);
        self.fresh.extend(&before);
        before
    }

    fn pick(&mut self, now: u64, mut free: u64, overdue: i64, (early, again): (bool, bool)) -> Vec<u32> {
        let stuck = |start: u64| overdue > 0 && start == now + 1;
        let before = if again { self.begin_again() } else { Vec::new() };
        for place in 0..self.promises.len() {
            let one = self.promises[place];
            if one.stuck || early && !again && one.start > now {
                let start = self.first(&one, now, overdue, if one.stuck { u64::MAX } else { one.start });
                if one.stuck || start < one.start {
                    self.moved += u64::from(one.stuck && one.start <= now && start > now);
                    self.promises[place] = Promise { start, stuck: stuck(start), ..one };
                }
            }
        }
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.sort_by_key(|one| one.job);
        for one in fresh {
            let start = self.first(&one, now, overdue, u64::MAX);
            let place = self.promises.partition_point(|other| other.job < one.job);
            self.promises.insert(place, Promise { start, stuck: stuck(start), ..one });
        }
        let later =
            |one: &&Promise| self.promises.iter().any(|now| now.job == one.job && now.start > one.start);
        self.moved += before.iter().filter(later).count() as u64;
        let mut picked = Vec::new();
        for place in 0..self.promises.len() {
            let one = self.promises[place];
            if one.start > now {
                continue;
            }
            if one.procs <= free {
                free -= one.procs;
                picked.push(one.job);
                continue;
            }
            let start = self.earliest(&one, now + 1, u64::MAX);
            self.moved += 1;
            self.promises[place] = Promise { start, stuck: stuck(start), ..one };
        }
        picked
    }
}

/// The state of a run that both rules see.
#[derive(Debug)]
struct Site {
    run: Run,
    rule: Conservative,
    plain: Plain,
    running: Running,
    queue: Queue,
    planned: Vec<Planned>,
    /// Start, estimated end and end of each job that runs.
    runs: Vec<(u32, u64, u64, u64)>,
    waiting: Vec<Waiting>,
    /// True if a job ended early or was cancelled since the last decision.
    early: bool,
    /// True if a reservation of processors became known since then.
    announced: bool,
    /// Reservations that the rule could not keep.
    moved: u64,
}

impl Site {
    fn new(run: Run) -> Self {
        Site {
            run,
            rule: Conservative::default(),
            plain: Plain::default(),
            running: Running::new(),
            queue: Queue::new(),
            planned: Vec::new(),
            runs: Vec::new(),
            waiting: Vec::new(),
            early: false,
            announced: false,
            moved: 0,
        }
    }

    fn instants(&self, after: Option<u64>) -> Option<u64> {
        let run = &self.run;
        let jobs = run.jobs.iter().map(|job| job.submit);
        let known =
            jobs.chain(run.cancelled.iter().map(|one| one.0)).chain(run.planned.iter().map(|one| one.0));
        let ends = self.runs.iter().flat_map(|&(_, _, estimated, end)| {
            let correction = if run.corrects { estimated } else { end };
            [end, correction.min(end)]
        });
        let reservations = run.planned.iter().flat_map(|one| [one.2, one.3]);
        let wakes = self.rule.wakes().map(SimTime::as_nanos);
        let all = known.chain(ends).chain(reservations).chain(wakes);
        all.filter(|&instant| after.is_none_or(|after| instant > after)).min()
    }

    /// Lets happen what happens at an instant, before the decision.
    fn happens(&mut self, now: u64) {
        for (id, start, estimated, end) in std::mem::take(&mut self.runs) {
            let procs = self.run.jobs[id as usize].procs;
            if end > now {
                self.runs.push((id, start, estimated, end));
                continue;
            }
            self.early |= estimated > now;
            self.running.remove(JobId(id), procs, at(estimated));
            self.plain.held.retain(|one| one.0 != id);
            self.rule.note(Change::Ended {
                job: JobId(id),
                now: at(now),
                procs,
                estimated_end: at(estimated),
            });
        }
        for &(instant, job) in &self.run.cancelled {
            let waits = self.waiting.iter().position(|one| one.job.index() == job);
            if instant == now
                && let Some(place) = waits
            {
                let gone = self.waiting.remove(place);
                self.queue.remove(&gone);
                self.early |= self.plain.promises.iter().any(|one| one.job == gone.job.0);
                self.plain.promises.retain(|one| one.job != gone.job.0);
                self.plain.fresh.retain(|one| one.job != gone.job.0);
                self.rule.note(Change::Withdrawn(gone));
            }
        }
        let mut rest = PROCS - self.running.held();
        self.planned.retain(|one| one.to > at(now));
        for one in self.planned.iter_mut().filter(|one| one.from <= at(now)) {
            one.taken = one.procs.min(rest);
            rest -= one.taken;
        }
        for (number, &(instant, procs, from, to)) in (1..).zip(&self.run.planned) {
            if instant == now {
                let nodes = PlannedNodes::default();
                let (begin, end) = (at(from), at(to));
                self.planned.push(Planned {
                    number,
                    from: begin,
                    to: end,
                    procs,
                    taken: 0,
                    nodes,
                    pools: Vec::new(),
                });
                self.plain.planned.push(Booking { from, to, procs });
                self.announced = true;
                self.rule.note(Change::Processors);
            }
        }
        for (id, job) in (0..).zip(&self.run.jobs) {
            if job.submit == now {
                let waiting =
                    Waiting::new(job.submit, JobId(id), job.procs, SimDuration::from_nanos(job.estimate));
                self.queue.put(waiting);
                self.waiting.push(waiting);
                self.rule.note(Change::Waits(waiting, SimDuration::from_nanos(job.run)));
                let (procs, span) = (u64::from(job.procs), job.estimate);
                self.plain.fresh.push(Promise { job: id, procs, span, start: 0, stuck: false });
            }
        }
        if self.run.corrects {
            self.correct(now);
        }
    }

    fn correct(&mut self, now: u64) {
        for (id, start, estimated, _) in &mut self.runs {
            if *estimated == now {
                let (procs, to) = (self.run.jobs[*id as usize].procs, *start + 2 * (now - *start) + 3);
                self.running.remove(JobId(*id), procs, at(now));
                self.running.insert(JobId(*id), procs, at(to));
                *estimated = to;
                let booking = self.plain.held.iter_mut().find(|one| one.0 == *id).expect("it runs");
                booking.1.to = to;
                self.rule.note(Change::Extended { job: JobId(*id), procs, from: at(now), to: at(to) });
            }
        }
    }

    /// Both rules decide; the picked jobs start.
    fn decide(&mut self, now: u64) -> (Vec<u32>, Vec<u32>) {
        let taken: u64 = self.planned.iter().map(|one| one.taken).sum();
        let free = PROCS - self.running.held() - taken;
        let view = View::new(at(now), free, &self.queue, &self.running);
        let view = View { planned: &self.planned, ..view };
        let mut picks = Picks::default();
        self.rule.pick(&view, &mut picks);
        let overdue = signed(self.running.overdue(at(now)));
        let changes = (std::mem::take(&mut self.early), std::mem::take(&mut self.announced));
        let expected = self.plain.pick(now, free, overdue, changes);
        self.plain.promises.retain(|one| !expected.contains(&one.job));
        let found: Vec<u32> = picks.jobs.iter().map(|one| one.waiting.job.0).collect();
        for one in picks.jobs {
            let (id, job) = (one.waiting.job, self.run.jobs[one.waiting.job.index()]);
            self.queue.remove(&one.waiting);
            self.waiting.retain(|other| other.job != id);
            self.rule.note(Change::Started(one.waiting));
            self.running.insert(id, job.procs, at(now + job.estimate));
            self.runs.push((id.0, now, now + job.estimate, now + job.run));
            let booking = Booking { from: now, to: now + job.estimate, procs: u64::from(job.procs) };
            self.plain.held.push((id.0, booking));
        }
        self.moved += picks.moved;
        (found, expected)
    }

    fn reservations(&self) -> Vec<Promise> {
        let promise = |one: &Reserved| Promise {
            job: one.waiting.job.0,
            procs: one.waiting.procs.into(),
            span: one.span().as_nanos(),
            start: one.start.as_nanos(),
            stuck: one.stuck,
        };
        self.rule.reserved.iter().map(promise).collect()
    }
}

fn runs() -> impl Strategy<Value = Run> {
    let job = (0_u64..5, 1_u32..13, 1_u64..30, -8_i64..40);
    let jobs = prop::collection::vec(job, 1..45).prop_map(|rows| {
        let mut submit = 0;
        let job = |(gap, procs, run, over): (u64, u32, u64, i64)| {
            submit += gap;
            Job { submit, procs, run, estimate: run.saturating_add_signed(over).max(1) }
        };
        rows.into_iter().map(job).collect::<Vec<Job>>()
    });
    let cancelled = prop::collection::vec((0_u64..300, 0_usize..45), 0..10);
    let planned =
        prop::collection::vec((0_u64..200, 1_u64..5, 1_u64..100, 1_u64..40), 0..3).prop_map(|rows| {
            let known = |(known, procs, ahead, length)| (known, procs, known + ahead, known + ahead + length);
            rows.into_iter().map(known).collect::<Vec<_>>()
        });
    (jobs, cancelled, planned, any::<bool>()).prop_map(|(jobs, cancelled, planned, corrects)| Run {
        jobs,
        cancelled,
        planned,
        corrects,
    })
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(128))]
    #[test]
    fn every_reservation_is_that_of_a_plain_list_of_bookings(run in runs()) {
        let mut site = Site::new(run);
        let mut now = None;
        while let Some(next) = site.instants(now) {
            now = Some(next);
            site.happens(next);
            if site.queue.is_empty() {
                continue;
            }
            let (found, expected) = site.decide(next);
            prop_assert_eq!(found, expected, "at {}", next);
            prop_assert_eq!(site.moved, site.plain.moved, "at {}", next);
            prop_assert_eq!(site.reservations(), site.plain.promises.clone(), "at {}", next);
        }
    }
}
