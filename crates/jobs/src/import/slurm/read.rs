//! From the records of a dump to jobs.

use std::io::Read;
use std::mem;

use crate::collections::OrderedMap;
use crate::import::names::AllNames;
use crate::import::nothing_kept;
use crate::kernel::SimTime;
use crate::registry::Problem;
use crate::registry::{choices, code};
use crate::text::{Lines, Place};
use crate::workload::growth::append;
use crate::workload::resources::Demands;
use crate::workload::swf::{Cause, ErrorKind, Header, Log, LogNames, Numbers, Options, Report};
use crate::workload::{Attribute, Attributes, Job};

use super::clock::{Jumps, SiteClock};
use super::columns::{self, Column, Columns};
use super::conf::Site;
use super::fields;
use super::open::Open;
use super::record::{BadRecord, Record};
use super::unread::{MOST_UNREAD, Parts, Unread};

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

/// Attributes of the schedule, which are kept wherever the dump states them.
const ALWAYS_KEPT: [(Attribute, &[Column]); 2] =
    [(Attribute::Suspended, &[Column::Suspended]), (Attribute::Hold, &[Column::Submit])];

choices! {
    /// Unit of the machine that a job takes.
    pub enum Unit {
        Processors = "processors", "a job takes its processors";
        Nodes = "nodes", "a job takes its nodes, each a processor of the machine: for sites that give whole nodes";
    }
}

/// Options for reading a dump.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Clock that its times are read from, where they state no zone.
    pub clock: SiteClock,
    /// True if a job is submitted when it became eligible, not when its user submitted it.
    pub eligible: bool,
    /// Unit that a job takes.
    pub unit: Unit,
    /// True if jobs ask of nodes what they had of them beyond processors.
    pub resources: bool,
    /// True if account, quality of service, nodes, GPUs and energy of jobs are kept.
    pub attributes: bool,
    /// Share of its records that need not be readable; at 0 the first that is not is a mistake.
    pub most_unread: f64,
}

impl Default for Reading {
    /// Processors alone, times of UTC, and one record in a hundred that cannot be read.
    fn default() -> Self {
        Reading {
            clock: SiteClock::Fixed(0),
            eligible: false,
            unit: Unit::Processors,
            resources: false,
            attributes: false,
            most_unread: MOST_UNREAD,
        }
    }
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
    reading: &Reading,
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

/// The beginning of a dump.
#[derive(Debug)]
enum Head {
    /// Nothing yet.
    Ahead,
    /// A line without bars, which a line of dashes may rule, and its number.
    Unruled(String, u64),
    /// Columns, and the line that names them.
    Read(Columns, String),
}

/// Mistake that concerns one record, or the whole dump.
pub(super) enum Fault {
    Record(BadRecord),
    Dump(Problem),
}

impl From<BadRecord> for Fault {
    fn from(bad: BadRecord) -> Self {
        Fault::Record(bad)
    }
}

/// A dump while it is read.
pub(super) struct Dump<'a> {
    pub(super) reading: &'a Reading,
    pub(super) site: Option<&'a Site>,
    pub(super) options: &'a Options,
    head: Head,
    pub(super) line: u64,
    /// Lines of a record that has not ended so far.
    pub(super) open: Open,
    jobs: Vec<Job>,
    pub(super) report: Report,
    unread: Unread,
    pub(super) jumps: Jumps,
    numbers: Numbers,
    largest: u64,
    /// Places of array tasks without a number of their own.
    unnumbered: Vec<usize>,
    /// Places of the first parts of heterogeneous jobs.
    first_parts: OrderedMap<(u64, Option<u64>), usize>,
    pub(super) names: AllNames,
    pub(super) demands: Demands,
    pub(super) attributes: Attributes,
    last_submit: SimTime,
    /// Unix time of the last record that states one \[s\].
    last_time: Option<u64>,
}

impl<'a> Dump<'a> {
    fn new(reading: &'a Reading, site: Option<&'a Site>, options: &'a Options) -> Self {
        Dump {
            reading,
            site,
            options,
            head: Head::Ahead,
            line: 0,
            open: Open::default(),
            jobs: Vec::new(),
            report: Report::new(options.keep_lines),
            unread: Unread::new(reading.most_unread),
            jumps: Jumps::default(),
            numbers: Numbers::default(),
            largest: 0,
            unnumbered: Vec::new(),
            first_parts: OrderedMap::new(),
            names: AllNames::default(),
            demands: Demands::default(),
            attributes: Attributes::default(),
            last_submit: SimTime::ZERO,
            last_time: None,
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
        let no_text = bytes.iter().position(|&byte| byte == 0).map(|at| {
            Problem::new(code::NOT_SACCT, ErrorKind::NotText(0).to_string())
                .at(Place::new(self.line, bytes, at, 1))
        });
        // names of jobs may be in any encoding; nothing that is read is
        let text = String::from_utf8_lossy(bytes);
        let head = match mem::replace(&mut self.head, Head::Ahead) {
            Head::Read(columns, header) => {
                // dumps that were joined repeat their header
                let is_head = text == header || (columns.widths.is_some() && columns::is_rule(&text));
                let read = match no_text {
                    _ if is_head => self.close(&columns),
                    None => self.text(&text, &columns),
                    Some(problem) => self.close(&columns).and_then(|()| {
                        let bad = BadRecord {
                            cause: Cause::UnreadText,
                            problem: Box::new(problem),
                            is_short: false,
                        };
                        self.bad(bad, &Record::of_part(&text, &columns, self.line))
                    }),
                };
                self.head = Head::Read(columns, header);
                return read;
            }
            _ if no_text.is_some() => return Err(no_text.unwrap_or_else(|| ErrorKind::Empty.into())),
            Head::Ahead if text.contains('|') => {
                Head::Read(Columns::read(&text, self.line)?, text.into_owned())
            }
            Head::Ahead => Head::Unruled(text.into_owned(), self.line),
            Head::Unruled(header, line) if columns::is_rule(&text) => {
                Head::Read(Columns::ruled(&header, line, &text)?, header)
            }
            Head::Unruled(header, line) => return Err(no_header(&header, line)),
        };
        if let Head::Read(columns, _) = &head {
            let has = |of: &[Column]| of.iter().any(|&column| columns.place(column).is_some());
            let kept = ALWAYS_KEPT.iter().chain(KEPT.iter().filter(|_| self.reading.attributes));
            kept.filter(|(_, of)| has(of)).for_each(|&(attribute, _)| self.attributes.keep(attribute));
        }
        self.head = head;
        Ok(())
    }

    /// Counts a record that cannot be read, and of which maybe only some fields are known.
    pub(super) fn bad(&mut self, bad: BadRecord, record: &Record<'_>) -> Result<(), Problem> {
        let of = self.parts(record);
        self.unread.bad(bad, record.line, Parts { time: of.time.or(self.last_time), ..of }, &mut self.report)
    }

    /// Parts of the dump that a record belongs to.
    fn parts<'r>(&self, record: &Record<'r>) -> Parts<'r> {
        let time = |column| {
            let text = record.get(column)?;
            let instant = self.reading.clock.instants(text).ok()?;
            u64::try_from(instant.first).ok()
        };
        Parts {
            time: time(Column::Submit).or_else(|| time(Column::End)),
            partition: record.get(Column::Partition),
            group: [Column::Group, Column::Gid, Column::Account]
                .into_iter()
                .find_map(|column| record.get(column)),
        }
    }

    /// Takes in a record.
    pub(super) fn record(&mut self, record: &Record<'_>) -> Result<(), Problem> {
        let of = self.parts(record);
        self.last_time = of.time.or(self.last_time);
        match self.job_of(record) {
            Ok(true) => self.unread.read(Parts { time: self.last_time, ..of }),
            Ok(false) => {}
            Err(Fault::Record(bad)) => self.bad(bad, record)?,
            Err(Fault::Dump(problem)) => return Err(problem),
        }
        Ok(())
    }

    /// The job of a record becomes one of the log; returns false if it is a step.
    fn job_of(&mut self, record: &Record<'_>) -> Result<bool, Fault> {
        let id = record.get(Column::JobId).map_or(Column::JobIdRaw, |_| Column::JobId);
        let Some(name) = record.read(id, "name of a job", fields::name)? else {
            return Err(record.wrong(id, "the record names no job").into());
        };
        if name.step {
            self.report.jobs += 1;
            self.report.count(Cause::Step, record.line);
            return Ok(false);
        }
        let read = self.job(record, &name)?;
        self.report.jobs = self.report.jobs.saturating_add(name.tasks);
        let (mut job, stated) = match read {
            Ok(read) => read,
            Err(cause) => {
                self.report.count_many(cause, name.tasks, record.line);
                return Ok(true);
            }
        };
        let key = (name.base, name.task);
        if name.part.is_some_and(|part| part > 0)
            && let Some(&first) = self.first_parts.get(&key)
        {
            let whole = &mut self.jobs[first];
            whole.procs = whole.procs.saturating_add(job.procs);
            whole.run_time = whole.run_time.max(job.run_time);
            whole.estimate = whole.estimate.max(job.estimate);
            *whole = whole.asking_for_time(whole.asks_for_time() || job.asks_for_time());
            self.attributes.add(first, &stated);
            self.report.count(Cause::Part, record.line);
            return Ok(true);
        }
        if self.jobs.len() >= MOST_JOBS {
            return Err(Fault::Dump(ErrorKind::TooManyJobs(MOST_JOBS as u64).into()));
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
        Ok(true)
    }

    fn finish(mut self, options: &Options) -> Result<Log, Problem> {
        let columns = match mem::replace(&mut self.head, Head::Ahead) {
            Head::Read(columns, _) => columns,
            Head::Unruled(header, line) => return Err(no_header(&header, line)),
            Head::Ahead => return Err(ErrorKind::Empty.into()),
        };
        self.close(&columns)?;
        if self.report.jobs == 0 {
            return Err(Problem::new(code::NO_JOBS, "the dump holds column names and no record"));
        }
        mem::replace(&mut self.unread, Unread::new(0.0)).verdict()?;
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
        let first = self.jobs.iter().map(|job| job.submit_time.since(SimTime::ZERO).as_nanos()).min();
        let first = first.map_or(0, |first| (first / 1_000_000_000).cast_signed());
        header.push("TimeZone", self.reading.clock.offset(first).to_string());
        if let Some(note) = self.jumps.note() {
            header.push("Note", note);
        }
        if !columns.unused.is_empty() {
            header.push("Note", format!("columns not used: {}", columns.unused.join(", ")));
        }
        let log = Log::cut(header, (self.jobs, self.attributes), self.report, &options.window)?;
        let is_there = |column| columns.place(column).is_some();
        let names = LogNames {
            groups_are_accounts: is_there(Column::Account)
                && ![Column::Group, Column::Gid].into_iter().any(is_there),
            users: self.names.users.all(),
            groups: self.names.groups.all(),
            queues: self.names.queues.all(),
            partitions: self.names.partitions.all(),
        };
        Ok(Log { demands: self.demands, names, ..log })
    }
}

/// Mistake of a first line without bars.
fn no_header(text: &str, line: u64) -> Problem {
    if let Some(problem) = columns::nameless(text.split_ascii_whitespace(), text, line) {
        return problem;
    }
    let message = "this is no line of column names with `|` between them";
    let problem = Problem::new(code::NOT_SACCT, message).at(Place::new(line, text.as_bytes(), 0, text.len()));
    problem.help("print the dump by `sacct --parsable2`, header included")
}
