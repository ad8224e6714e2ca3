//! From the lines of a log to its jobs: the cleaning rules, the sorting, the window.

use std::io::Read;
use std::mem;
use std::path::Path;

use crate::collections::{OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Key, choices};
use crate::text::{Broken, Lines, open, reason};
use crate::workload::attributes::Attributes;
use crate::workload::cancellation::{Cancel, Cancellations};
use crate::workload::dependency::links::{Link, Preceding, edges};
use crate::workload::estimate::{Estimate, Rule};
use crate::workload::growth::append;
use crate::workload::job::{Job, UNKNOWN_ID};
use crate::workload::resources::Demands;

use super::bursts::Bursts;
use super::error::{Error, ErrorKind};
use super::extended::{Extension, FieldForm};
use super::header::Header;
use super::log::{Log, LogWindow};
use super::numbers::Numbers;
use super::record::{self, Record};
use super::report::{Cause, Report};
use super::stated::size;
use super::write::UNREQUESTED;

/// Jobs a run can name.
const MOST_JOBS: u64 = u32::MAX as u64;
/// Status of a job that was cancelled.
const CANCELLED: u64 = 5;
choices! {
    /// The memory of nodes that jobs of a log ask for; each processor of a job asks for as much as
    /// its line states.
    #[derive(Default)]
    pub enum Memory {
        #[default]
        Ignored = "ignored", "jobs ask for none, as far as the log goes";
        Requested = "requested", "what each processor requested (field 10), or used where that is not recorded";
        Used = "used", "what each processor used (field 7), or requested where that is not recorded";
    }
}

/// The key under which a scenario states it.
pub const MEMORY_KEY: Key = Key::new("memory", Memory::CHOICES)
    .or("ignored")
    .about("what jobs ask of the memory of nodes, which `cluster.group` states")
    .source("SWF fields 7 and 10, in kilobytes a processor");

impl Memory {
    /// The fields that state it, the first of those that do.
    pub(super) fn fields(self) -> &'static [usize] {
        match self {
            Memory::Ignored => &[],
            Memory::Requested => &[10, 7],
            Memory::Used => &[7, 10],
        }
    }
}

/// The options of reading a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// The rule for the jobs' estimates.
    pub estimate: Rule,
    /// The part that is wanted.
    pub window: LogWindow,
    /// Number of lines the report keeps of each cause.
    pub keep_lines: usize,
    /// True if the estimate of a job without a requested time is
    /// [`UNREQUESTED`](super::UNREQUESTED), so that the log can be written without one.
    pub keep_unrequested: bool,
    /// Memory of the log that jobs ask for.
    pub memory: Memory,
    /// Fields that its lines have.
    pub fields: FieldForm,
    /// True if jobs ask for the GPUs, layouts and properties that lines of 21 fields state.
    pub resources: bool,
    /// Outcome of the preceding jobs and think times of the log.
    pub preceding: Preceding,
    /// True if jobs that were cancelled while they waited are kept, to be cancelled again.
    pub replays: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            estimate: Rule::default(),
            window: LogWindow::default(),
            keep_lines: 5,
            keep_unrequested: false,
            memory: Memory::Ignored,
            fields: FieldForm::Auto,
            resources: false,
            preceding: Preceding::Ignored,
            replays: false,
        }
    }
}

impl Options {
    /// The estimate of a job as it is kept.
    pub fn kept(&self, estimate: Estimate) -> SimDuration {
        let unrequested = self.keep_unrequested && matches!(estimate, Estimate::NoRequest(_));
        if unrequested { UNREQUESTED } else { estimate.duration() }
    }
}

/// Reads a log from memory.
///
/// # Errors
/// What is wrong with it, with line and column; any bytes give a log or an error, never a panic.
pub fn read(bytes: &[u8], options: &Options) -> Result<Log, Error> {
    read_from(bytes, options)
}

/// Reads a log from a file, `.swf` or `.swf.gz`; its content decides which, not its name.
///
/// # Errors
/// As [`read`], or that the file cannot be opened.
pub fn read_file(path: &Path, options: &Options) -> Result<Log, Error> {
    let file = open(path).map_err(|error| Broken::Io(reason(&error)))?;
    read_from(file, options)
}

/// Reads a log from a stream.
///
/// # Errors
/// As [`read`], or that the stream fails.
///
/// # Complexity
/// One pass over the text; memory for the jobs and one block of text.
pub fn read_from(reader: impl Read, options: &Options) -> Result<Log, Error> {
    let mut lines = Lines::new(reader)?;
    let mut reading = Reading::new(options);
    let mut empty = true;
    while let Some(block) = lines.next_block()? {
        empty = false;
        reading.block(block)?;
    }
    if empty {
        return Err(ErrorKind::Empty.into());
    }
    reading.finish()
}

/// A log while it is read.
pub(super) struct Reading<'a> {
    pub(super) options: &'a Options,
    pub(super) demands: Demands,
    header: Header,
    jobs: Vec<Job>,
    pub(super) attributes: Attributes,
    /// Names of queues that have no number, in the order in which they came up.
    pub(super) queues: Vec<String>,
    /// Numbers of these queues, from 1.
    pub(super) queue_numbers: OrderedMap<String, u16>,
    pub(super) report: Report,
    numbers: Numbers,
    bursts: Bursts,
    /// Numbers of jobs that were dropped.
    dropped: Vec<u64>,
    /// The link of each job to the one before it, if that is asked for.
    links: Vec<Link>,
    /// Lines of the text so far.
    line: u64,
    last_submit: SimTime,
}

impl<'a> Reading<'a> {
    fn new(options: &'a Options) -> Self {
        Reading {
            options,
            demands: Demands::default(),
            header: Header::default(),
            jobs: Vec::new(),
            attributes: Attributes::default(),
            queues: Vec::new(),
            queue_numbers: OrderedMap::new(),
            report: Report::new(options.keep_lines),
            numbers: Numbers::default(),
            bursts: Bursts::default(),
            dropped: Vec::new(),
            links: Vec::new(),
            line: 0,
            last_submit: SimTime::ZERO,
        }
    }

    fn block(&mut self, block: &[u8]) -> Result<(), Error> {
        let mut start = 0;
        while start < block.len() {
            self.line += 1;
            let at = record::skip_blanks(block, start);
            start = match block[at] {
                b'\n' => at + 1,
                b';' => {
                    let end = record::line_end(block, at);
                    self.header.read(&block[at..end]);
                    end + 1
                }
                _ => {
                    let (record, next) = record::read(block, start, self.line)?;
                    self.record(&record)?;
                    next
                }
            };
        }
        Ok(())
    }

    /// Takes in a job line, or counts why not.
    fn record(&mut self, record: &Record<'_>) -> Result<(), Error> {
        self.report.jobs += 1;
        if record.is_burst() {
            return self.burst(record);
        }
        let extension = self.extension(record)?;
        let Some(job) = self.job(record, extension.as_ref(), self.report.jobs)? else {
            self.dropped.extend(record.whole(1)?);
            return Ok(());
        };
        if job.submit_time < self.last_submit {
            self.report.count(Cause::LateSubmit, record.line);
        }
        self.last_submit = job.submit_time;
        if self.jobs.len() as u64 >= MOST_JOBS {
            return Err(ErrorKind::TooManyJobs(MOST_JOBS).into());
        }
        self.numbers.push(job.number, record.line);
        self.links.extend(self.link(record)?);
        self.note(record, extension.as_ref())?;
        append(&mut self.jobs, job);
        Ok(())
    }

    /// Takes in a partial execution of a job.
    fn burst(&mut self, record: &Record<'_>) -> Result<(), Error> {
        // a number that cannot be used is reported where it stands
        for field in [2, 3, 4, 9] {
            record.nanos(field)?;
        }
        for field in [5, 8, 12, 13, 14, 15, 16] {
            record.whole(field)?;
        }
        self.bursts.push(record, record.whole(1)?, self.report.jobs, self.jobs.len());
        Ok(())
    }

    /// Puts the jobs of bursts that no line sums up where the first of their bursts stands.
    fn join_bursts(&mut self) -> Result<(), Error> {
        let numbers = self.jobs.iter().map(|job| job.number).chain(self.dropped.iter().copied());
        let joined = mem::take(&mut self.bursts).finish(numbers);
        if joined.is_empty() {
            return Ok(());
        }
        let mut read = mem::take(&mut self.jobs).into_iter();
        let mut links = mem::take(&mut self.links).into_iter();
        let mut seen = OrderedSet::new();
        let mut taken = 0;
        let count = read.len() as u32;
        let mut places = Vec::new();
        for (burst_job, is_summed) in joined {
            let (cause, folded) = if is_summed { (Cause::Burst, 0) } else { (Cause::JoinedBurst, 1) };
            burst_job.lines.iter().skip(folded).for_each(|&line| self.report.count(cause, line));
            if is_summed {
                continue;
            }
            self.jobs.extend(read.by_ref().take(burst_job.place - taken));
            self.links.extend(links.by_ref().take(burst_job.place - taken));
            places.extend(taken as u32..burst_job.place as u32);
            taken = burst_job.place;
            let record = burst_job.record.record();
            let extension = self.extension(&record)?;
            let Some(job) = self.job(&record, extension.as_ref(), burst_job.ordinal)? else { continue };
            let is_late = self.jobs.last().is_some_and(|before| job.submit_time < before.submit_time);
            let causes = [
                (Cause::OfBursts, true),
                (Cause::LateSubmit, is_late),
                (Cause::NumberTwice, !seen.insert(job.number)),
            ];
            self.report.count_all(record.line, causes);
            self.links.extend(self.link(&record)?);
            places.push(self.attributes.jobs() as u32);
            self.note(&record, extension.as_ref())?;
            append(&mut self.jobs, job);
        }
        self.jobs.extend(read);
        self.links.extend(links);
        places.extend(taken as u32..count);
        if !self.attributes.is_empty() {
            self.attributes = mem::take(&mut self.attributes).gather(&places);
        }
        Ok(())
    }

    /// Preceding job, think time, cancellation and line of a job, if that is asked for.
    fn link(&self, record: &Record<'_>) -> Result<Option<Link>, Error> {
        let is_linked = self.options.preceding != Preceding::Ignored;
        if !is_linked && !self.options.replays {
            return Ok(None);
        }
        let (mut preceding, mut think) = (None, None);
        if is_linked {
            (preceding, think) = (record.whole(17)?, record.nanos(18)?.map(SimDuration::from_nanos));
        }
        let cancelled = self.cancelled(record)?;
        Ok(Some(Link { preceding, think, cancelled, line: record.line }))
    }

    /// Time from the submission to the cancellation of a job that never ran, where that is
    /// replayed.
    fn cancelled(&self, record: &Record<'_>) -> Result<Option<SimDuration>, Error> {
        let ran = record.nanos(4)?.is_some_and(|span| span > 0);
        let wait = record.nanos(3)?.filter(|_| self.options.replays && !ran);
        Ok(if record.whole(11)? == Some(CANCELLED) { wait.map(SimDuration::from_nanos) } else { None })
    }

    /// The job of a line, the one of this ordinal; `None` if it has to be dropped.
    fn job(
        &mut self,
        record: &Record<'_>,
        extension: Option<&Extension<'_>>,
        ordinal: u64,
    ) -> Result<Option<Job>, Error> {
        let size = extension.map(|extension| size(record, extension)).transpose()?.flatten();
        let allocated = size.or(record.whole(5)?.filter(|&procs| procs > 0));
        let requested = record.whole(8)?.filter(|&procs| procs > 0);
        let mut run_time = record.nanos(4)?.filter(|&span| span > 0);
        let submit = record.nanos(2)?;
        let wait = record.nanos(3)?;
        let asked = self.asked(record, extension)?;

        if self.options.replays
            && let Some(after) = self.cancelled(record)?
        {
            // a job that starts at once still runs when it is cancelled, unless its request is over
            // before
            let longest = after.as_nanos() + 1;
            let asked = asked.filter(|asked| !asked.is_zero());
            run_time = Some(asked.map_or(longest, |asked| longest.min(asked.as_nanos())));
        }
        let dropped = match (run_time, allocated.or(requested), submit) {
            (Some(run_time), Some(procs), Some(submit)) => Ok((run_time, procs, submit)),
            (None, ..) => Err(Cause::NoRunTime),
            (_, None, _) => Err(Cause::NoProcs),
            (_, _, None) => Err(Cause::NoSubmit),
        };
        let (run_time, procs, submit) = match dropped {
            Ok(kept) => kept,
            Err(cause) => {
                self.report.count(cause, record.line);
                return Ok(None);
            }
        };
        let run_time = SimDuration::from_nanos(run_time);
        let estimate = self.options.estimate.estimate(asked, run_time);
        let number = record.whole(1)?;
        let causes = [
            (Cause::ProcsFromRequest, allocated.is_none()),
            (Cause::EstimateFromRunTime, matches!(estimate, Estimate::NoRequest(_))),
            (Cause::EstimateRaised, matches!(estimate, Estimate::Raised(_))),
            (Cause::NoNumber, number.is_none()),
            (Cause::ExtraFields, record.extra && extension.is_none()),
        ];
        self.report.count_all(record.line, causes);
        let id = |field| record.whole(field).map(to_id);
        let queue = |field| record.whole(field).map(|queue| queue.map(|queue| queue as u16));
        let number = number.unwrap_or(ordinal);
        let mut job = Job::new(number, SimTime::from_nanos(submit), procs as u32, run_time);
        job.estimate = self.options.kept(estimate);
        job = job.asking_for_time(estimate.is_asked());
        (job.user, job.group) = (id(12)?, id(13)?);
        job.status = record.whole(11)?.map_or(-1, |status| status as i8);
        let named = extension.and_then(|extension| extension.queue);
        let queues = (queue(15)?.or_else(|| self.queue_of(named?)), queue(16)?);
        job.demand = match extension {
            Some(extension) => self.demand_of_nodes(record, extension, job.procs)?,
            None => self.demand(record)?,
        };
        Ok(Some(job.with_recorded_wait(wait.map(SimDuration::from_nanos)).in_queue(queues.0, queues.1)))
    }

    /// Sorts the jobs, cuts the window and moves time 0 to the first job that is left.
    fn finish(mut self) -> Result<Log, Error> {
        if self.report.jobs == 0 {
            return Err(ErrorKind::NoJobs.into());
        }
        for line in self.numbers.given_twice(self.jobs.iter().map(|job| job.number)) {
            self.report.count(Cause::NumberTwice, line);
        }
        self.join_bursts()?;
        for (name, number) in self.queues.iter().zip(1..) {
            self.header.push("Queue", format!("{number} {name}"));
        }
        let mut links: Vec<(SimTime, Link)> =
            self.links.into_iter().zip(&self.jobs).map(|(link, job)| (job.submit_time, link)).collect();
        let mut log = Log::cut(self.header, (self.jobs, self.attributes), self.report, &self.options.window)?;
        // as the jobs are sorted and cut
        links.sort_by_key(|link| link.0);
        let start = links.partition_point(|link| link.0 < SimTime::ZERO.saturating_add(log.origin));
        let kept: Vec<Link> = links.into_iter().skip(start).take(log.jobs.len()).map(|link| link.1).collect();
        let cancel =
            |(id, link): (u32, &Link)| link.cancelled.map(|after| (JobId(id), Cancel::Anyhow(after)));
        log.cancelled =
            self.options.replays.then(|| Cancellations::new((0..).zip(&kept).filter_map(cancel).collect()));
        log.edges = edges(&log.jobs, &kept, self.options.preceding, &mut log.report);
        Ok(Log { demands: self.demands, ..log })
    }
}

fn to_id(number: Option<u64>) -> u32 {
    number.map_or(UNKNOWN_ID, |number| number as u32)
}
