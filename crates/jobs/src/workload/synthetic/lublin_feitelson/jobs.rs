//! The jobs of one class, one after another.

use crate::kernel::rng::{Stream, Streams};
use crate::kernel::{SimDuration, SimTime};
use crate::registry::Complaint;
use crate::workload::Job;

use super::arrivals::Arrivals;
use super::params::Class;
use super::sizes::Sizes;

/// The jobs of one class, in order of arrival, without end.
pub(super) struct Jobs<'a> {
    class: &'a Class,
    sizes: Sizes,
    arrivals: Arrivals,
    draws: [Stream; 3],
    queue: Option<u16>,
    /// Instant at which the next job arrives [s].
    pub(super) next: f64,
}

impl<'a> Jobs<'a> {
    /// Jobs whose streams are named `workload/…` behind `name`.
    pub(super) fn new(
        class: &'a Class,
        (name, queue): (&str, Option<u16>),
        start: f64,
        streams: &Streams,
        procs: u32,
    ) -> Result<Self, Complaint> {
        let sizes = class.sizes(procs)?;
        let arrivals = Arrivals::new(&class.weights, start);
        let stream = |of| streams.stream(&format!("workload/{name}{of}"));
        let draws = ["sizes", "run-times", "arrivals"].map(stream);
        let mut jobs = Jobs { class, sizes, arrivals, draws, queue, next: 0.0 };
        jobs.arrive();
        Ok(jobs)
    }

    fn arrive(&mut self) {
        let gap = self.class.gaps.draw(&mut self.draws[2]);
        self.next = self.arrivals.after(gap);
    }

    /// The next job, called `number`.
    pub(super) fn job(&mut self, number: u64) -> Job {
        let submit = SimTime::ZERO.checked_add(SimDuration::ceil_secs(self.next)).unwrap_or(SimTime::MAX);
        let procs = self.sizes.draw(&mut self.draws[0]);
        let run_time = self.class.run_times.draw(procs, &mut self.draws[1]);
        self.arrive();
        Job::new(number, submit, procs, SimDuration::ceil_secs(run_time)).in_queue(self.queue, None)
    }

    pub(super) fn taken(&self) -> u64 {
        self.draws.iter().map(Stream::draws).sum()
    }
}
