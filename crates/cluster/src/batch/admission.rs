//! Admission of real-time jobs: whose reservation can be kept is let in, another job waits or is
//! refused.
//!
//! A real-time job asks for a share of every processor it runs on, and a share that is promised
//! twice is kept for no job. So each promise is counted, and a job is let in only where there is
//! enough left for it. Such jobs have a queue of their own, in the order of the same discipline and
//! served before the other: a real-time job that waits for its share keeps no job waiting that asks
//! for none.
//!
//! ```text
//!   submission ─▶ could never be kept? ─▶ refused
//!                        │ no
//!                        ▼
//!          waiting ─▶ can be kept now? ─▶ starts
//!             ▲          │ no
//!             └── wait ──┴── reject ─▶ refused
//! ```
//!
//! Source: C. L. Liu, J. W. Layland, Journal of the ACM 20(1), 1973: shares of one processor that
//! add up to at most 1 can be kept. That some of it is to stay free of reservations, for switches
//! and for all other jobs, is as in Linux, whose deadline scheduler admits 95 % unless configured
//! otherwise (its documentation, sched-deadline, section 5). Where several processors share a run
//! queue this is necessary, and not sufficient.

use crate::collections::{Interval, OrderedMap};
use crate::ids::JobId;
use crate::registry::choices;
use crate::workload::Job;

use super::queue::{Discipline, Queue, Waiting};

choices! {
    /// Outcome of a real-time job whose reservation cannot be kept now; one that could never be
    /// kept is rejected.
    pub enum Admission {
        None = "none", "it starts as any other job, and reservations delay each other";
        Wait = "wait", "it waits until it can be kept";
        Reject = "reject", "it is rejected";
    }
}

/// The real-time jobs that wait.
#[derive(Debug)]
pub struct RealTimeQueue<'a> {
    /// In the order of the discipline.
    pub queue: &'a mut Queue,
    /// Discipline of the queue.
    pub discipline: &'a dyn Discipline,
    /// The jobs of the run.
    pub jobs: &'a [Job],
}

impl Admission {
    /// Goes through the line while jobs could need up to `free` processors. `place` says whether a
    /// job could be let in, and lets it in. Gives the jobs to be refused, in order.
    ///
    /// Under a discipline that overtakes, a job that has to wait lets others pass; under any other
    /// it keeps all of the line waiting.
    ///
    /// # Errors
    /// The first error of `place`; the job that it was about has left the line.
    ///
    /// # Complexity
    /// A call of `place` for each job let in or refused, and for one that waits; under a discipline
    /// that overtakes, for all that wait.
    pub fn serve<E>(
        self,
        line: RealTimeQueue<'_>,
        free: u64,
        mut place: impl FnMut(&Waiting) -> Result<bool, E>,
    ) -> Result<Vec<JobId>, E> {
        let RealTimeQueue { queue, discipline, jobs } = line;
        let mut left_out = Vec::new();
        loop {
            let next = if self == Admission::Reject { queue.head() } else { discipline.next(queue, free) };
            let Some(next) = next else { break };
            queue.remove(&next);
            if !place(&next)? {
                left_out.push(next.job);
                if self != Admission::Reject && !discipline.overtakes() {
                    break;
                }
            }
        }
        if self == Admission::Reject {
            return Ok(left_out);
        }
        for job in left_out {
            queue.insert(job, &jobs[job.index()], discipline);
        }
        Ok(Vec::new())
    }
}

/// Shares are counted in whole parts, so that what is given back is what was taken.
const PARTS: f64 = 1e6;

fn parts(share: f64) -> u32 {
    // a share is at most 1, so this fits
    ((share * PARTS).round() as u32).max(1)
}

/// Promised share of each processor.
#[derive(Clone, Debug)]
pub struct Reservations {
    most: u32,
    /// Reserved parts of each processor; `None` where reservations are not kept.
    taken: Vec<Option<u32>>,
    /// Processors where they are kept.
    keeping: u64,
    /// Reserved parts of a processor by job, and the processors that each job has them on.
    held: OrderedMap<JobId, (u32, Vec<Interval>)>,
}

impl Reservations {
    /// Nothing is promised yet of these processors, each of which keeps reservations or does not;
    /// `most` is the share of a processor that may be promised in all.
    pub fn new(most: f64, keeps: impl IntoIterator<Item = bool>) -> Self {
        let taken: Vec<Option<u32>> = keeps.into_iter().map(|keeps| keeps.then_some(0)).collect();
        let keeping = taken.iter().flatten().count() as u64;
        Reservations { most: parts(most), taken, keeping, held: OrderedMap::new() }
    }

    /// Returns true if any processor keeps reservations.
    pub fn are_kept(&self) -> bool {
        self.keeping > 0
    }

    /// Returns true if a job of `tasks` tasks could have such a share of as many processors if no
    /// other job had any.
    pub fn could_fit(&self, tasks: u32, share: f64) -> bool {
        u64::from(tasks) <= self.keeping && parts(share) <= self.most
    }

    /// Returns true if such a share of a processor is left.
    ///
    /// # Panics
    /// If there is no such processor.
    pub fn fits(&self, processor: u32, share: f64) -> bool {
        self.taken[processor as usize].is_some_and(|taken| taken + parts(share) <= self.most)
    }

    /// A job takes such a share of each of these processors.
    ///
    /// # Panics
    /// If it does not fit on one of them, or the job has taken one before.
    pub fn take(&mut self, job: JobId, share: f64, on: &[Interval]) {
        let share = parts(share);
        for processor in on.iter().flat_map(|part| part.first..=part.last) {
            let taken =
                self.taken[processor as usize].as_mut().expect("shares are taken where they are kept");
            *taken += share;
            assert!(*taken <= self.most, "no more of a processor is promised than may be");
        }
        let before = self.held.insert(job, (share, on.to_vec()));
        assert!(before.is_none(), "a job reserves once");
    }

    /// A job gives back what it has, if it has anything.
    pub fn give_back(&mut self, job: JobId) {
        let Some((share, on)) = self.held.remove(&job) else { return };
        for processor in on.iter().flat_map(|part| part.first..=part.last) {
            if let Some(taken) = &mut self.taken[processor as usize] {
                *taken -= share;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{SimDuration, SimTime};

    #[derive(Debug)]
    struct Order {
        smallest: bool,
        overtakes: bool,
    }

    impl Discipline for Order {
        fn key(&self, job: &Job) -> u64 {
            if self.smallest { u64::from(job.procs) } else { 0 }
        }

        fn next(&self, queue: &Queue, free: u64) -> Option<Waiting> {
            if self.overtakes {
                queue.first_within(free)
            } else {
                queue.head().filter(|head| u64::from(head.procs) <= free)
            }
        }

        fn overtakes(&self) -> bool {
            self.overtakes
        }
    }

    fn discipline(name: &str) -> Box<dyn Discipline> {
        Box::new(Order { smallest: name == "smallest", overtakes: name == "first-fit" })
    }

    /// Jobs that need these numbers of processors, all in the queue.
    fn line(name: &str, needs: &[u32]) -> (Vec<Job>, Queue, Box<dyn Discipline>) {
        let job = |(number, &procs)| Job::new(number, SimTime::ZERO, procs, SimDuration::from_secs(1));
        let jobs: Vec<Job> = (1..).zip(needs).map(job).collect();
        let (mut queue, discipline) = (Queue::new(), discipline(name));
        (0..).map(JobId).zip(&jobs).for_each(|(id, job)| queue.insert(id, job, &*discipline));
        (jobs, queue, discipline)
    }

    /// Jobs that are let in, that are refused and that wait on, if only jobs of at most 2
    /// processors can be let in.
    fn served(admission: Admission, name: &str, free: u64) -> [Vec<u32>; 3] {
        let (jobs, mut queue, discipline) = line(name, &[2, 3, 1, 5]);
        let mut placed = Vec::new();
        let line = RealTimeQueue { queue: &mut queue, discipline: &*discipline, jobs: &jobs };
        let refused = admission.serve(line, free, |next| {
            if next.procs <= 2 {
                placed.push(next.job.0);
            }
            Ok::<bool, ()>(next.procs <= 2)
        });
        let refused = refused.unwrap_or_default().into_iter().map(|job| job.0).collect();
        [placed, refused, queue.iter().map(|waiting| waiting.job.0).collect()]
    }

    #[test]
    fn a_job_that_cannot_be_admitted_waits_or_is_refused() {
        assert_eq!(served(Admission::Wait, "fcfs", 8), [vec![0], vec![], vec![1, 2, 3]]);
        assert_eq!(served(Admission::Wait, "smallest", 8), [vec![2, 0], vec![], vec![1, 3]]);
        // jobs that overtake pass all that wait
        assert_eq!(served(Admission::Wait, "first-fit", 8), [vec![0, 2], vec![], vec![1, 3]]);
        for name in ["fcfs", "first-fit"] {
            assert_eq!(served(Admission::Reject, name, 8), [vec![0, 2], vec![1, 3], vec![]], "{name}");
            // even if the first does not fit of them
            assert_eq!(served(Admission::Reject, name, 1), [vec![0, 2], vec![1, 3], vec![]], "{name}");
        }
    }

    #[test]
    fn no_more_is_promised_than_may_be() {
        let mut reservations = Reservations::new(0.95, [true, true, false, true]);
        assert!(reservations.are_kept());
        assert!(reservations.could_fit(3, 0.95) && !reservations.could_fit(4, 0.1));
        assert!(!reservations.could_fit(1, 0.950_001));
        let part = Interval::new;
        reservations.take(JobId(0), 0.65, &[part(0, 1)]);
        let fits = |reservations: &Reservations, share| -> Vec<u32> {
            (0..4).filter(|&processor| reservations.fits(processor, share)).collect()
        };
        assert_eq!(fits(&reservations, 0.3), [0, 1, 3]);
        assert_eq!(fits(&reservations, 0.31), [3]);
        reservations.take(JobId(1), 0.3, &[part(1, 1), part(3, 3)]);
        assert_eq!(fits(&reservations, 0.3), [0, 3]);
        assert_eq!(fits(&reservations, 0.000_001), [0, 3]);
        reservations.give_back(JobId(0));
        reservations.give_back(JobId(0));
        assert_eq!(fits(&reservations, 0.65), [0, 1, 3]);
        assert!(!Reservations::new(0.95, [false]).are_kept());
    }

    /// A tenth is no number of the machine: ten of them are all there is all the same.
    #[test]
    fn shares_add_up_as_they_are_written() {
        let mut reservations = Reservations::new(1.0, [true]);
        for job in 0..10 {
            assert!(reservations.fits(0, 0.1));
            reservations.take(JobId(job), 0.1, &[Interval::new(0, 0)]);
        }
        assert!(!reservations.fits(0, 0.1));
    }
}
