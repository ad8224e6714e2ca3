//! A log that was read: its jobs in order, cut to a window, and its date.

use std::mem;

use crate::kernel::{SimDuration, SimTime};
use crate::units::calendar::NoInstant;
use crate::units::{Calendar, Moment};
use crate::workload::attributes::Attributes;
use crate::workload::cancellation::Cancellations;
use crate::workload::dependency::Edge;
use crate::workload::job::Job;
use crate::workload::resources::Demands;

use super::error::{Error, ErrorKind};
use super::header::Header;
use super::report::{Cause, Report};

/// Unix time of September 2001: submit times from there on state the date themselves.
const ABSOLUTE_FROM_SECS: i64 = 1_000_000_000;

/// The part of a log that is wanted, counted from its first kept submission.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LogWindow {
    /// Jobs submitted before this are left out.
    pub from: Option<Moment>,
    /// Jobs submitted at this or later are left out.
    pub to: Option<Moment>,
}

/// A log that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    /// The statements of the log about itself.
    pub header: Header,
    /// Jobs, sorted by submission; at equal times in file order. The first is submitted at time 0.
    pub jobs: Vec<Job>,
    /// Time 0 on the log's own clock.
    pub origin: SimDuration,
    /// The report of drops and repairs.
    pub report: Report,
    /// The demands of its jobs beyond processors.
    pub demands: Demands,
    /// Attributes of its jobs that only outputs show.
    pub attributes: Attributes,
    /// Edges of the jobs that wait for others, if that was asked for.
    pub edges: Vec<Edge>,
    /// Jobs that were cancelled while they waited, if that was asked for.
    pub cancelled: Option<Cancellations>,
    /// Names of its users, groups and queues, where the reader gave them their numbers.
    pub names: LogNames,
}

/// Names of users, groups, queues and partitions, numbered from 1 in this order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LogNames {
    /// Users.
    pub users: Vec<String>,
    /// Groups.
    pub groups: Vec<String>,
    /// Queues; of a dump of Slurm its qualities of service.
    pub queues: Vec<String>,
    /// Partitions.
    pub partitions: Vec<String>,
    /// True if the groups are accounts that jobs are charged to.
    pub groups_are_accounts: bool,
}

impl Log {
    /// A log of jobs in any order, with their attributes: sorted by submission, cut to the window,
    /// time 0 at the first job that is left.
    ///
    /// # Errors
    /// There are no jobs, or none in the window.
    pub fn cut(
        header: Header,
        (mut jobs, mut attributes): (Vec<Job>, Attributes),
        mut report: Report,
        window: &LogWindow,
    ) -> Result<Log, Error> {
        sort(&mut jobs, &mut attributes);
        let Some(first) = jobs.first().map(|job| job.submit_time) else {
            return Err(ErrorKind::NothingKept(report.jobs).into());
        };
        let calendar = calendar(&header, first.since(SimTime::ZERO));
        let after = |key, moment: Option<Moment>| match moment.map(|moment| moment.after_start(calendar)) {
            None => Ok(None),
            Some(Ok(nanos)) => Ok(Some(SimDuration::from_nanos(nanos))),
            Some(Err(NoInstant::Before)) => Ok(Some(SimDuration::ZERO)),
            Some(Err(why)) => Err(ErrorKind::NoInstant(key, why)),
        };
        let (from, to) = (after("from", window.from)?, after("to", window.to)?);
        let start = jobs.partition_point(|job| from.is_some_and(|from| job.submit_time.since(first) < from));
        let end = jobs.partition_point(|job| to.is_none_or(|to| job.submit_time.since(first) < to));
        let cut = jobs.len() - end.saturating_sub(start);
        // no lines are kept of what was asked for
        report.count_read(Cause::OutsideWindow, cut as u64);
        jobs.truncate(end);
        jobs.drain(..start.min(end));
        attributes.cut(&(start.min(end)..end));
        let Some(origin) = jobs.first().map(|job| job.submit_time.since(SimTime::ZERO)) else {
            return Err(ErrorKind::EmptyWindow.into());
        };
        for job in &mut jobs {
            job.submit_time = SimTime::ZERO + job.submit_time.since(SimTime::ZERO + origin);
        }
        let (demands, edges, cancelled, names) = (Demands::default(), Vec::new(), None, LogNames::default());
        Ok(Log { header, jobs, origin, report, demands, attributes, edges, cancelled, names })
    }

    /// The Unix time of time 0, in seconds, if the log states it: by `UnixStartTime`, or by submit
    /// times that are dates.
    pub fn unix_origin(&self) -> Option<i64> {
        i64::try_from(self.calendar()?.start.div_euclid(1_000_000_000)).ok()
    }

    /// The date of time 0, if the log states it.
    pub fn calendar(&self) -> Option<Calendar> {
        calendar(&self.header, self.origin)
    }
}

/// Sorts jobs by submission, stably, and takes their attributes along.
///
/// # Complexity
/// O(n log n), and none if they are sorted; 20 bytes a job while it works, no second list of jobs.
fn sort(jobs: &mut Vec<Job>, attributes: &mut Attributes) {
    jobs.shrink_to_fit();
    if jobs.is_sorted_by_key(|job| job.submit_time) {
        return;
    }
    let keys = jobs.iter().zip(0_u32..).map(|(job, place)| (job.submit_time, place));
    let mut keys: Vec<(SimTime, u32)> = keys.collect();
    keys.sort_unstable();
    let mut places: Vec<u32> = keys.into_iter().map(|(_, place)| place).collect();
    *attributes = mem::take(attributes).gather(&places);
    // around each cycle of the permutation
    for first in 0..places.len() {
        let mut at = first;
        loop {
            let from = mem::replace(&mut places[at], at as u32) as usize;
            if from == first {
                break;
            }
            jobs.swap(at, from);
            at = from;
        }
    }
}

/// The date `later` than the log's own time 0, if the log states that.
fn calendar(header: &Header, later: SimDuration) -> Option<Calendar> {
    let later = i128::from(later.as_nanos());
    let unix = header.unix_start_time().map(|start| i128::from(start) * 1_000_000_000);
    let absolute = (later >= i128::from(ABSOLUTE_FROM_SECS) * 1_000_000_000).then_some(0);
    Some(Calendar { start: unix.or(absolute)? + later, offset: header.utc_offset() })
}
