//! A rigid job, kept in 64 bytes so that ten million of them fit in memory.
//!
//! Times are whole nanoseconds: logs give seconds, some with decimals, and synthetic workloads any
//! fraction. What the simulation needs is always known (readers drop a job without it); what only
//! reports need may be unknown, as -1 is in a log. Average processor time is not kept; preceding
//! jobs and think times are kept next to the jobs, where they are asked for
//! ([`dependency`](super::dependency)), and so is what only some inputs state
//! ([`Attributes`](super::Attributes)).

use crate::kernel::{SimDuration, SimTime};

use super::resources::DemandId;

/// A user or group that the input does not state.
pub const UNKNOWN_ID: u32 = u32::MAX;
/// A queue or partition that the input does not state.
const UNKNOWN_QUEUE: u16 = u16::MAX;
/// A recorded wait that the input does not state \[ns\]; longer ones, of 292 years, are not kept.
const UNKNOWN_WAIT: u64 = UNREQUESTED_TIME - 1;
/// Bit of the recorded wait that marks a job whose user asked for no time.
const UNREQUESTED_TIME: u64 = 1 << 63;

/// A rigid job: it needs `procs` processors at once, from its start to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Job {
    /// Instant at which it is submitted; time 0 is the first kept submit of a log.
    pub submit_time: SimTime,
    /// Time for which it runs once started; above zero.
    pub run_time: SimDuration,
    /// Time for which its user says it runs: what a scheduler may know; above zero.
    pub estimate: SimDuration,
    /// Recorded wait \[ns\] or [`UNKNOWN_WAIT`], and [`UNREQUESTED_TIME`].
    wait_and_mark: u64,
    /// The number its log gives it (SWF field 1).
    pub number: u64,
    /// Processors it needs; above zero.
    pub procs: u32,
    /// User's number, or [`UNKNOWN_ID`].
    pub user: u32,
    /// Group's number, or [`UNKNOWN_ID`].
    pub group: u32,
    queue: u16,
    partition: u16,
    qos: u16,
    /// Demand beyond processors.
    pub demand: DemandId,
    /// True if it is killed when its run time is over, and would have gone on
    /// ([`Walltime::cut`](super::Walltime::cut)).
    pub killed: bool,
    /// Status in its log (SWF field 11: 1 completed, 0 failed, 5 cancelled, -1 unknown).
    pub status: i8,
}

impl Job {
    /// A job of which only the scheduling part is known; its estimate is its run time.
    pub fn new(number: u64, submit_time: SimTime, procs: u32, run_time: SimDuration) -> Self {
        Job {
            submit_time,
            run_time,
            estimate: run_time,
            wait_and_mark: UNKNOWN_WAIT,
            number,
            procs,
            user: UNKNOWN_ID,
            group: UNKNOWN_ID,
            queue: UNKNOWN_QUEUE,
            partition: UNKNOWN_QUEUE,
            qos: UNKNOWN_QUEUE,
            demand: DemandId::default(),
            killed: false,
            status: -1,
        }
    }

    /// The wait its log recorded (SWF field 3), if any.
    pub fn recorded_wait(&self) -> Option<SimDuration> {
        let wait = self.wait_and_mark & !UNREQUESTED_TIME;
        (wait != UNKNOWN_WAIT).then(|| SimDuration::from_nanos(wait))
    }

    /// The queue its log names (SWF field 15), if any.
    pub fn queue(&self) -> Option<u16> {
        (self.queue != UNKNOWN_QUEUE).then_some(self.queue)
    }

    /// The partition its log names (SWF field 16), if any.
    pub fn partition(&self) -> Option<u16> {
        (self.partition != UNKNOWN_QUEUE).then_some(self.partition)
    }

    /// The number of its quality of service, if the input states one, be it the queue or not.
    pub fn qos(&self) -> Option<u16> {
        (self.qos != UNKNOWN_QUEUE).then_some(self.qos)
    }

    /// Returns true if its user asked for the time that is its estimate: else the estimate is a
    /// limit that others set, or its run time, and no limit on requests is about it.
    pub fn asks_for_time(&self) -> bool {
        self.wait_and_mark & UNREQUESTED_TIME == 0
    }

    /// The same job, whose user asked for a time or did not.
    #[must_use]
    pub fn asking_for_time(self, asks: bool) -> Self {
        let wait = self.wait_and_mark & !UNREQUESTED_TIME;
        Job { wait_and_mark: if asks { wait } else { wait | UNREQUESTED_TIME }, ..self }
    }

    /// The same job with this recorded wait.
    #[must_use]
    pub fn with_recorded_wait(self, wait: Option<SimDuration>) -> Self {
        let wait = wait.map_or(UNKNOWN_WAIT, |wait| wait.as_nanos().min(UNKNOWN_WAIT));
        Job { wait_and_mark: wait | self.wait_and_mark & UNREQUESTED_TIME, ..self }
    }

    /// The same job in this queue and partition.
    #[must_use]
    pub fn in_queue(self, queue: Option<u16>, partition: Option<u16>) -> Self {
        Job { queue: queue.unwrap_or(UNKNOWN_QUEUE), partition: partition.unwrap_or(UNKNOWN_QUEUE), ..self }
    }

    /// The same job with this quality of service.
    #[must_use]
    pub fn with_qos(self, qos: Option<u16>) -> Self {
        Job { qos: qos.unwrap_or(UNKNOWN_QUEUE), ..self }
    }

    /// Processors times run time [processor ns].
    pub fn area(&self) -> u128 {
        u128::from(self.procs) * u128::from(self.run_time.as_nanos())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_takes_at_most_64_bytes() {
        assert!(size_of::<Job>() <= 64, "{} bytes", size_of::<Job>());
    }

    #[test]
    fn what_is_not_reported_stays_unknown() {
        let job = Job::new(1, SimTime::ZERO, 4, SimDuration::from_secs(10));
        assert_eq!((job.recorded_wait(), job.queue(), job.partition(), job.qos()), (None, None, None, None));
        let other = job.with_recorded_wait(Some(SimDuration::ZERO)).in_queue(Some(0), Some(3));
        assert_eq!(other.recorded_wait(), Some(SimDuration::ZERO));
        assert_eq!((other.queue(), other.partition(), other.qos()), (Some(0), Some(3), None));
        assert_eq!(other.with_qos(Some(2)).qos(), Some(2));
        // a job that asked for no time keeps its wait, and one that gets a wait its mark
        let unasked = other.asking_for_time(false);
        assert_eq!((unasked.recorded_wait(), unasked.asks_for_time()), (Some(SimDuration::ZERO), false));
        assert!(job.asks_for_time() && job.asking_for_time(false).recorded_wait().is_none());
        let again = unasked.with_recorded_wait(Some(SimDuration::from_secs(7)));
        assert_eq!((again.recorded_wait(), again.asks_for_time()), (Some(SimDuration::from_secs(7)), false));
        assert_eq!(unasked.asking_for_time(true), other);
        assert_eq!(job.with_recorded_wait(Some(SimDuration::MAX)).recorded_wait(), None);
    }
}
