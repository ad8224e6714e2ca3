//! From the records of a dump to jobs.

use std::io::Read;

use crate::collections::OrderedMap;
use crate::import::names::{AllNames, queue};
use crate::import::nothing_kept;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::Problem;
use crate::registry::{choices, code};
use crate::text::{Lines, Place};
use crate::workload::estimate::Estimate;
use crate::workload::growth::append;
use crate::workload::resources::{Demand, DemandId, Demands};
use crate::workload::swf::{Cause, ErrorKind, Header, Log, Numbers, Options, Report};
use crate::workload::{Attribute, Attributes, Job, JobMarks, Stated, WaitMark};

use super::columns::{Column, Columns};
use super::conf::Site;
use super::demand::{self, NodeDemand};
use super::fields::{self, Limit, MOST_MILLIS, Name, State};
use super::record::Record;

/// Jobs a run can name.
const MOST_JOBS: usize = u32::MAX as usize;

/// Attributes that are kept, each if the dump has one of these columns.
const KEPT: [(Attribute, &[Column]); 5] = [
    (Attribute::Qos, &[Column::Qos]),
    (Attribute::Account, &[Column::Account]),
    (Attribute::Nodes, &[Column::AllocNodes, Column::AllocTres]),
    (Attribute::Gpus, &[Column::AllocTres, Column::ReqTres, Column::AllocGres, Column::ReqGres]),
    (Attribute::Energy, &[Column::ConsumedEnergyRaw]),
];

choices! {
    /// Unit of the machine that a job takes.
    pub enum Unit {
        Processors = "processors", "a job takes its processors";
        Nodes = "nodes", "a job takes its nodes, each a processor of the machine: for sites that give whole nodes";
    }
}

/// Options for reading a dump.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Offset of its times from UTC, where they state no zone \[s\].
    pub utc_offset: i64,
    /// True if a job is submitted when it became eligible, not when its user submitted it.
    pub eligible: bool,
    /// Unit that a job takes.
    pub unit: Unit,
    /// True if jobs ask of nodes what they had of them beyond processors.
    pub resources: bool,
    /// True if account, quality of service, nodes, GPUs and energy of jobs are kept.
    pub attributes: bool,
}

/// Reads a dump, plain or gzip.
///
/// # Errors
/// What is wrong with it, with line and column; any bytes give a log or an error, never a panic.
///
/// # Complexity
/// One pass over the text; memory for the jobs, the names of users, groups, partitions and the
/// like, the parts of heterogeneous jobs, and one block of text.
pub fn read(
    reader: impl Read,
    reading: Reading,
    site: Option<&Site>,
    options: &Options,
) -> Result<Log, Problem> {
    let mut lines = Lines::new(reader)?;
    let mut dump = Dump::new(reading, site, options);
    let mut empty = true;
    while let Some(block) = lines.next_block()? {
        empty = false;
        for bytes in block.split_inclusive(|&byte| byte == b'\n') {
            dump.line(bytes)?;
        }
    }
    if empty {
        return Err(ErrorKind::Empty.into());
    }
    dump.finish(options)
}

/// The time that a job could not start, and the marks of its wait.
struct Hold {
    /// Seconds from its submission to when it could, if they are known.
    after: Option<u32>,
    marks: JobMarks,
}

/// A dump while it is read.
struct Dump<'a> {
    reading: Reading,
    site: Option<&'a Site>,
    options: &'a Options,
    columns: Option<(Columns, String)>,
    line: u64,
    jobs: Vec<Job>,
    report: Report,
    numbers: Numbers,
    largest: u64,
    /// Places of array tasks without a number of their own.
    unnumbered: Vec<usize>,
    /// Places of the first parts of heterogeneous jobs.
    first_parts: OrderedMap<(u64, Option<u64>), usize>,
    names: AllNames,
    demands: Demands,
    attributes: Attributes,
    last_submit: SimTime,
}

impl<'a> Dump<'a> {
    fn new(reading: Reading, site: Option<&'a Site>, options: &'a Options) -> Self {
        Dump {
            reading,
            site,
            options,
            columns: None,
            line: 0,
            jobs: Vec::new(),
            report: Report::new(options.keep_lines),
            numbers: Numbers::default(),
            largest: 0,
            unnumbered: Vec::new(),
            first_parts: OrderedMap::new(),
            names: AllNames::default(),
            demands: Demands::default(),
            attributes: Attributes::default(),
            last_submit: SimTime::ZERO,
        }
    }

    fn line(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        self.line += 1;
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        // programs of Windows put a mark before a text in UTF-8
        let bytes = if self.line == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
            return Err(Problem::new(code::NOT_SACCT, ErrorKind::NotText(0).to_string())
                .at(Place::new(self.line, bytes, at, 1)));
        }
        // names of jobs may be in any encoding; nothing that is read is
        let text = String::from_utf8_lossy(bytes);
        match self.columns.take() {
            None => {
                let columns = Columns::read(&text, self.line)?;
                self.attributes.keep(Attribute::Hold);
                if self.reading.attributes {
                    KEPT.iter()
                        .filter(|(_, of)| of.iter().any(|&column| columns.place(column).is_some()))
                        .for_each(|&(attribute, _)| self.attributes.keep(attribute));
                }
                self.columns = Some((columns, text.into_owned()));
            }
            Some(columns) => {
                // dumps that were joined repeat their header
                if text != columns.1 {
                    self.record(&Record::new(&text, &columns.0, self.line)?)?;
                }
                self.columns = Some(columns);
            }
        }
        Ok(())
    }

    fn record(&mut self, record: &Record<'_>) -> Result<(), Problem> {
        let id = record.get(Column::JobId).map_or(Column::JobIdRaw, |_| Column::JobId);
        let Some(name) = record.read(id, "name of a job", fields::name)? else {
            return Err(record.wrong(id, "the record names no job"));
        };
        if name.step {
            self.report.jobs += 1;
            self.report.count(Cause::Step, record.line);
            return Ok(());
        }
        self.report.jobs = self.report.jobs.saturating_add(name.tasks);
        let Some((mut job, hold)) = self.job(record, &name)? else { return Ok(()) };
        let stated = Stated { held: hold.after, marks: hold.marks, ..self.stated(record)? };
        let key = (name.base, name.task);
        if name.part.is_some_and(|part| part > 0)
            && let Some(&first) = self.first_parts.get(&key)
        {
            let whole = &mut self.jobs[first];
            whole.procs = whole.procs.saturating_add(job.procs);
            whole.run_time = whole.run_time.max(job.run_time);
            whole.estimate = whole.estimate.max(job.estimate);
            self.attributes.add(first, &stated);
            self.report.count(Cause::Part, record.line);
            return Ok(());
        }
        if self.jobs.len() >= MOST_JOBS {
            return Err(ErrorKind::TooManyJobs(MOST_JOBS as u64).into());
        }
        if name.part.is_some() {
            self.first_parts.insert(key, self.jobs.len());
        }
        let raw = record.get(Column::JobIdRaw).and_then(fields::number);
        let number = match (raw, name.task) {
            (Some(raw), _) => raw,
            (None, None) => name.base,
            (None, Some(_)) => {
                self.report.count(Cause::ArrayTask, record.line);
                self.unnumbered.push(self.jobs.len());
                0
            }
        };
        if number > 0 {
            self.numbers.push(number, record.line);
            self.largest = self.largest.max(number);
        }
        if job.submit_time < self.last_submit {
            self.report.count(Cause::LateSubmit, record.line);
        }
        self.last_submit = job.submit_time;
        job.number = number;
        self.attributes.push(&stated);
        append(&mut self.jobs, job);
        Ok(())
    }

    /// The job of a record, without its number, and its hold; `None` if it is dropped.
    fn job(&mut self, record: &Record<'_>, name: &Name) -> Result<Option<(Job, Hold)>, Problem> {
        let offset = self.reading.utc_offset;
        let time = |column| {
            let read = |text: &str| fields::time(text, offset).and_then(|secs| u64::try_from(secs).ok());
            let read = |text: &str| read(text).filter(|&secs| secs <= MOST_MILLIS / 1000);
            record.read(column, "time", read)
        };
        let (submit, eligible, start, end) =
            (time(Column::Submit)?, time(Column::Eligible)?, time(Column::Start)?, time(Column::End)?);
        let millis = |column, unit| {
            let read = |text: &str| fields::duration(text, unit).filter(|&millis| millis <= MOST_MILLIS);
            record.read(column, "duration", read)
        };
        let elapsed = match millis(Column::ElapsedRaw, 1000)? {
            Some(elapsed) => Some(elapsed),
            None => millis(Column::Elapsed, 1000)?,
        };
        let elapsed = elapsed.or_else(|| {
            start.zip(end).and_then(|(start, end)| end.checked_sub(start)).map(|secs| secs * 1000)
        });
        let state = match record.get(Column::State) {
            Some(state) => fields::state(state),
            // without states, a job that began and has no end is still running
            None if record.has(Column::End) && end.is_none() && start.is_some() => State::Running,
            None => State::Over(-1),
        };
        // one record of several tasks: none of them has started, whatever its other fields say
        let state = if name.tasks == 1 { state } else { State::Pending };
        let procs = self.size(record)?;
        let asked = self.asked(record)?;

        let kept = match (state, elapsed.filter(|&elapsed| elapsed > 0), procs, submit) {
            (State::Pending, ..) => Err(Cause::NeverStarted),
            (State::Running, ..) => Err(Cause::StillRunning),
            (_, None, ..) if start.is_none() => Err(Cause::NeverStarted),
            (_, None, ..) => Err(Cause::NoRunTime),
            (_, _, None, _) => Err(Cause::NoProcs),
            (.., None) => Err(Cause::NoSubmit),
            (_, Some(elapsed), Some(procs), Some(submit)) => Ok((elapsed, procs, submit)),
        };
        let (elapsed, (procs, requested), submit) = match kept {
            Ok(kept) => kept,
            Err(cause) => {
                self.report.count_many(cause, name.tasks, record.line);
                return Ok(None);
            }
        };
        let held = eligible.is_some_and(|eligible| eligible > submit);
        let submit = eligible.filter(|_| self.reading.eligible).unwrap_or(submit);
        // clocks of a site differ, and records are mended by hand
        let is_early = start.is_some_and(|start| start < submit);
        let submit = start.filter(|_| is_early).unwrap_or(submit);
        let run_time = SimDuration::from_millis(elapsed);
        let estimate = self.options.estimate.estimate(asked.map(SimDuration::from_millis), run_time);
        let of_nodes = if self.reading.resources { Some(demand::of_nodes(record, procs)?) } else { None };
        let causes = [
            (Cause::ProcsFromRequest, requested),
            (Cause::EstimateFromRunTime, matches!(estimate, Estimate::NoRequest(_))),
            (Cause::EstimateRaised, matches!(estimate, Estimate::Raised(_))),
            (Cause::StartBeforeSubmit, is_early),
            (Cause::HeldBack, held && !self.reading.eligible),
            (Cause::TriedAgain, state == State::Again),
            (Cause::UnknownState, state == State::Unknown),
        ];
        let left_out = demand::left_out(record, of_nodes.as_ref());
        let marks = JobMarks::NONE
            .with(WaitMark::Held, held)
            .with(WaitMark::Reserved, record.get(Column::Reservation).is_some())
            .with(WaitMark::LeftOut, left_out.iter().any(|&(_, holds)| holds))
            .with(WaitMark::TriedAgain, state == State::Again);
        let after = eligible.map(|eligible| eligible.saturating_sub(submit));
        let hold = Hold { after: after.and_then(|secs| u32::try_from(secs).ok()), marks };
        self.report.count_all(record.line, causes.into_iter().chain(left_out));
        let submit_time = SimTime::ZERO + SimDuration::from_secs(submit);
        let mut job = Job::new(0, submit_time, procs, run_time);
        job.estimate = self.options.kept(estimate);
        job.status = match state {
            State::Over(status) => status,
            State::Again => 0,
            _ => -1,
        };
        if let Some(of_nodes) = &of_nodes {
            job.demand = self.demand(record, of_nodes);
        }
        let wait = start.and_then(|start| start.checked_sub(submit)).map(SimDuration::from_secs);
        self.name(record, &mut job);
        let queues = (
            queue(&mut self.names.queues, record.get(Column::Qos)),
            queue(&mut self.names.partitions, record.get(Column::Partition)),
        );
        Ok(Some((job.with_recorded_wait(wait).in_queue(queues.0, queues.1), hold)))
    }

    /// Demand of the job on nodes.
    fn demand(&mut self, record: &Record<'_>, of_nodes: &NodeDemand<'_>) -> DemandId {
        let partition = record.get(Column::Partition).and_then(|name| self.site?.feature_of(name));
        let names = of_nodes.features.iter().map(AsRef::as_ref).chain(partition.as_deref());
        let features = self.demands.features_mut().take_in_all(names);
        self.demands.number(Demand { features, ..of_nodes.part })
    }

    /// Attributes of a job, as far as they are kept.
    fn stated<'r>(&mut self, record: &Record<'r>) -> Result<Stated<'r>, Problem> {
        let executable = record.get(Column::JobName).map(|name| self.names.executables.number(name));
        if executable.is_some() {
            self.attributes.keep(Attribute::Executable);
        }
        if !self.reading.attributes {
            return Ok(Stated { executable, ..Stated::default() });
        }
        let joules = record.read(Column::ConsumedEnergyRaw, "number of joules", fields::number)?;
        // numbers near 2^64 are those of sensors that could not be read
        let joules = joules.filter(|&joules| joules < u64::MAX / 1000);
        Ok(Stated {
            executable,
            qos: record.get(Column::Qos),
            account: record.get(Column::Account),
            nodes: record.amount(Column::AllocNodes, Column::AllocTres, "node")?,
            gpus: Some(demand::gpus(record)?),
            energy: joules.map(|joules| joules * 1000),
            ..Stated::default()
        })
    }

    /// Notes the user and the group of a job.
    fn name(&mut self, record: &Record<'_>, job: &mut Job) {
        let first = |columns: &[Column]| columns.iter().find_map(|&column| record.get(column));
        if let Some(user) = first(&[Column::User, Column::Uid]) {
            job.user = self.names.users.number(user);
        }
        if let Some(group) = first(&[Column::Group, Column::Gid, Column::Account]) {
            job.group = self.names.groups.number(group);
        }
    }

    /// Size of the job on the machine, and true if only its request is known.
    fn size(&self, record: &Record<'_>) -> Result<Option<(u32, bool)>, Problem> {
        let (own, asked, resource) = match self.reading.unit {
            Unit::Processors => (Column::AllocCpus, Column::ReqCpus, "cpu"),
            Unit::Nodes => (Column::AllocNodes, Column::ReqNodes, "node"),
        };
        if let Some(allocated) = record.amount(own, Column::AllocTres, resource)? {
            return Ok(Some((allocated, false)));
        }
        Ok(record.amount(asked, Column::ReqTres, resource)?.map(|asked| (asked, true)))
    }

    /// The time that was asked for [ms], if that is known and limited.
    fn asked(&self, record: &Record<'_>) -> Result<Option<u64>, Problem> {
        let column =
            if record.get(Column::TimelimitRaw).is_some() { Column::TimelimitRaw } else { Column::Timelimit };
        let limit = record.read(column, "time limit", fields::limit)?;
        let asked = match limit {
            Some(Limit::Millis(millis)) => Some(millis),
            Some(Limit::OfPartition) => {
                let partition = record.get(Column::Partition);
                partition.and_then(|partition| self.site?.most_time(partition))
            }
            Some(Limit::Unlimited | Limit::Unknown) | None => None,
        };
        // Slurm prints numbers that stand for no limit as thousands of years
        Ok(asked.filter(|&asked| asked <= MOST_MILLIS))
    }

    fn finish(mut self, options: &Options) -> Result<Log, Problem> {
        let Some((columns, _)) = self.columns.take() else { return Err(ErrorKind::Empty.into()) };
        if self.report.jobs == 0 {
            return Err(Problem::new(code::NO_JOBS, "the dump holds column names and no record"));
        }
        // jobs without a number come behind all others
        let numbered = self.jobs.iter().map(|job| job.number).filter(|&number| number > 0);
        for line in self.numbers.given_twice(numbered) {
            self.report.count(Cause::NumberTwice, line);
        }
        for (&place, number) in self.unnumbered.iter().zip(self.largest + 1..) {
            self.jobs[place].number = number;
        }
        if self.jobs.is_empty() {
            return Err(nothing_kept(&self.report));
        }
        let mut header = Header::default();
        if let Some(site) = self.site {
            if let Some(name) = &site.name {
                header.push("Computer", name.clone());
            }
            let nodes = site.nodes();
            header.push("MaxNodes", nodes.to_string());
            let size = if self.reading.unit == Unit::Nodes { nodes } else { site.processors() };
            header.push("MaxProcs", size.to_string());
        }
        self.names.describe(&mut header);
        // times are local by this offset, and so are dates of a scenario
        header.push("TimeZone", self.reading.utc_offset.to_string());
        if !columns.unused.is_empty() {
            header.push("Note", format!("columns not used: {}", columns.unused.join(", ")));
        }
        let log = Log::cut(header, (self.jobs, self.attributes), self.report, &options.window)?;
        Ok(Log { demands: self.demands, ..log })
    }
}
