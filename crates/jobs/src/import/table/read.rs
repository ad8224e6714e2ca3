//! From the rows of a table to jobs.

use std::ops::ControlFlow;

use crate::import::names::{AllNames, queue};
use crate::import::nothing_kept;
use crate::import::slurm::{MOST_MILLIS, can_be_asked_for, duration, part};
use crate::kernel::{SimDuration, SimTime};
use crate::registry::Problem;
use crate::text::Mistakes;
use crate::workload::estimate::Estimate;
use crate::workload::growth::append;
use crate::workload::resources::{Demand, Demands, NodeUse, gpu_feature};
use crate::workload::swf::{Cause, ErrorKind, Header, Log, Options, Report};
use crate::workload::{Attribute, Attributes, Job, Stated};

use super::bounds::MOST_NANOS;
use super::cell::{Cell, trimmed};
use super::input::Input;
use super::mapping::{Mapping, Role};
use super::moment::{Moment, NoMoment, SECOND};
use super::open;
use super::row::{Row, WrongCell, WrongCells};
use super::size::Size;
use super::states::Outcome;

/// Jobs a run can name.
const MOST_JOBS: usize = u32::MAX as usize;
/// Words for no limit.
const UNLIMITED: [&str; 4] = ["unlimited", "infinite", "not_set", "partition_limit"];

/// Reads the table in `input`; `file` is its name. With `asks` jobs ask of nodes what they had of
/// them beyond processors.
///
/// # Errors
/// All that is wrong with the table, each with line and column; what is damaged ends the reading.
/// Any bytes give a log or an error, never a panic.
///
/// # Complexity
/// One pass over the table; memory for the jobs, the names of users, queues and the like, and one
/// block of text or of each column that is read.
pub fn read(
    input: Input<'_>,
    file: &str,
    mapping: &Mapping,
    asks: bool,
    options: &Options,
) -> Result<Log, Mistakes<Problem>> {
    let mut reading = Reading::new(mapping, asks, options);
    open::read(input, file, mapping, &mut |row, wrong| reading.row(row, wrong))?;
    Ok(reading.finish()?.0)
}

/// Sums over the jobs of a table, with amounts as they were before they were whole.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TableTotals {
    /// Jobs with GPUs.
    pub with_gpus: u64,
    /// Processors times seconds.
    pub processor_seconds: f64,
    /// Nodes times seconds.
    pub node_seconds: f64,
    /// GPUs, or parts of them, times seconds.
    pub gpu_seconds: f64,
}

/// Reads a table as [`read`] does, of jobs that ask for processors alone, and sums their amounts.
///
/// # Errors
/// As [`read`].
pub(super) fn read_with_totals(
    input: Input<'_>,
    file: &str,
    mapping: &Mapping,
    options: &Options,
) -> Result<(Log, TableTotals), Mistakes<Problem>> {
    let mut reading = Reading::new(mapping, false, options);
    open::read(input, file, mapping, &mut |row, wrong| reading.row(row, wrong))?;
    Ok(reading.finish()?)
}

/// Number of jobs in the first `most` rows of a table and the report on them, as far as these can
/// be read.
pub(super) fn report_on_first(input: Input<'_>, file: &str, mapping: &Mapping, most: u64) -> (u64, Report) {
    let options = Options::default();
    let mut reading = Reading::new(mapping, false, &options);
    let read = open::read(input, file, mapping, &mut |row, wrong| {
        if reading.report.jobs >= most { ControlFlow::Break(()) } else { reading.row(row, wrong) }
    });
    // the reading of all rows says what is wrong with these
    drop(read);
    (reading.jobs.len() as u64, reading.report)
}

/// The attributes of jobs that a mapping states.
fn kept(mapping: &Mapping) -> Vec<Attribute> {
    let list = mapping.has(Role::Tres);
    let stated = [
        (Attribute::Executable, mapping.has(Role::Executable)),
        (Attribute::Qos, mapping.has(Role::Qos)),
        (Attribute::Account, mapping.has(Role::Account)),
        (Attribute::Class, mapping.has(Role::Class)),
        (Attribute::Pools, mapping.has(Role::Pools)),
        (Attribute::Nodes, list || mapping.has(Role::Nodes)),
        (Attribute::Gpus, list || mapping.has(Role::Gpus)),
        (Attribute::Energy, mapping.has(Role::Energy)),
        (Attribute::Power, mapping.has(Role::Power)),
    ];
    stated.into_iter().filter(|(_, is_stated)| *is_stated).map(|(attribute, _)| attribute).collect()
}

impl TableTotals {
    fn add(&mut self, size: Size, seconds: f64) {
        let [procs, nodes, gpus] = size.exact;
        self.with_gpus += u64::from(size.gpus > 0);
        self.processor_seconds += procs * seconds;
        self.node_seconds += nodes * seconds;
        self.gpu_seconds += gpus * seconds;
    }
}

/// A table while it is read.
struct Reading<'a> {
    mapping: &'a Mapping,
    options: &'a Options,
    asks: bool,
    jobs: Vec<Job>,
    report: Report,
    names: AllNames,
    demands: Demands,
    attributes: Attributes,
    last_submit: SimTime,
    totals: TableTotals,
    /// True if there are more jobs than a run can name.
    is_full: bool,
}

/// The times of a row.
struct Span {
    submit: u64,
    /// Submission that a start before it took the place of.
    is_moved: bool,
    wait: Option<u64>,
    run_time: u64,
    limit: Option<u64>,
    /// True if a recorded run time is another one.
    differs: bool,
    is_zoneless: bool,
}

impl<'a> Reading<'a> {
    fn new(mapping: &'a Mapping, asks: bool, options: &'a Options) -> Self {
        Reading {
            mapping,
            options,
            asks,
            jobs: Vec::new(),
            report: Report::new(options.keep_lines),
            names: AllNames::default(),
            demands: Demands::default(),
            attributes: Attributes::keeping(&kept(mapping)),
            last_submit: SimTime::ZERO,
            totals: TableTotals::default(),
            is_full: false,
        }
    }

    /// Takes in a row; breaks where it is one too many.
    fn row(&mut self, row: &dyn Row, wrong: &mut WrongCells) -> ControlFlow<()> {
        self.report.jobs += 1;
        let outcome = match self.mapping.column(Role::State) {
            Some(column) => self.mapping.states.outcome(column.named(row).unwrap_or(Cell::Absent)),
            None => Outcome::Over(-1),
        };
        let size = Size::of(self.mapping, row, wrong);
        let span = self.span(row, outcome, wrong);
        let is_read = span.is_ok() || !wrong.is_empty();
        let limit = if is_read { wrong.right(self.duration(row, Role::Limit)).flatten() } else { None };
        match span {
            _ if !wrong.is_empty() => {}
            Err(cause) => self.report.count(cause, row.line()),
            Ok(_) if size.procs.is_none() && size.nodes.is_none() && size.gpus == 0 => {
                self.report.count(Cause::NoSize, row.line());
            }
            Ok(_) if self.jobs.len() >= MOST_JOBS => {
                self.is_full = true;
                return ControlFlow::Break(());
            }
            Ok(span) => self.job(row, outcome, size, &Span { limit, ..span }),
        }
        ControlFlow::Continue(())
    }

    /// The times of a row, or why it is no job; cells that are wrong are noted, and count as
    /// unknown.
    fn span(&self, row: &dyn Row, outcome: Outcome, wrong: &mut WrongCells) -> Result<Span, Cause> {
        let [submit, start, end] =
            [Role::Submit, Role::Start, Role::End].map(|role| wrong.right(self.time(row, role)).flatten());
        let recorded = wrong.right(self.duration(row, Role::RunTime)).flatten();
        let (has_start, has_end) = (self.mapping.has(Role::Start), self.mapping.has(Role::End));
        let nanos = |moment: Moment| moment.nanos.unsigned_abs();
        match outcome {
            Outcome::Pending => return Err(Cause::NeverStarted),
            Outcome::Dropped if has_start && start.is_none() => return Err(Cause::NeverStarted),
            Outcome::Running | Outcome::Dropped => return Err(Cause::StillRunning),
            Outcome::Over(_) | Outcome::Again | Outcome::Unknown => {}
        }
        let Some(submit) = submit else { return Err(Cause::NoSubmit) };
        if has_start && start.is_none() {
            return Err(Cause::NeverStarted);
        }
        let measured = match (start, end) {
            (Some(start), Some(end)) => match nanos(end).checked_sub(nanos(start)) {
                Some(measured) => Some(measured),
                None => return Err(Cause::EndsBeforeStart),
            },
            _ if has_end => return Err(Cause::StillRunning),
            _ => None,
        };
        let differs = measured
            .zip(recorded)
            .is_some_and(|(measured, recorded)| measured.abs_diff(recorded) >= SECOND.unsigned_abs());
        let Some(run_time) = measured.or(recorded).filter(|&run_time| run_time > 0) else {
            return Err(Cause::NoRunTime);
        };
        if run_time > MOST_NANOS {
            return Err(Cause::BeyondClock);
        }
        let is_zoneless = [Some(submit), start, end].into_iter().flatten().any(|moment| moment.is_zoneless);
        let moved = start.filter(|start| start.nanos < submit.nanos);
        let submit = nanos(moved.unwrap_or(submit));
        let wait = start.map(|start| nanos(start) - submit);
        Ok(Span { submit, is_moved: moved.is_some(), wait, run_time, limit: None, differs, is_zoneless })
    }

    /// The time in a column, if that states one.
    fn time(&self, row: &dyn Row, role: Role) -> Result<Option<Moment>, WrongCell> {
        let stated = self.mapping.column(role).and_then(|column| column.stated(row));
        let Some((slot, cell)) = stated else { return Ok(None) };
        let no = |why| {
            let shown = cell.shown();
            match why {
                NoMoment::Form if self.mapping.times.format.is_some() => {
                    let format = self.mapping.times.format.as_deref().unwrap_or_default();
                    WrongCell::new(slot, format!("{shown} is no time as `{format}`"))
                        .help("times = { format = \"…\" } states the form; a value that stands for unknown is named by `none`")
                }
                NoMoment::NoDay => WrongCell::new(slot, format!("{shown} is no day from 1970 on"))
                    .help("a value that stands for unknown is named by `none`"),
                NoMoment::Form => WrongCell::new(slot, format!("{shown} is no time in a form that is read")).help(
                    "times are written as 2026-03-01 12:00:00, with a zone or without; another form is stated by \
                     times = { format = \"%d.%m.%Y %H:%M:%S\" }, a value that stands for unknown by `none`",
                ),
                NoMoment::NoUnit => WrongCell::new(slot, format!("the time {shown} is a number, and nothing states its unit"))
                    .help("state it: times = { unit = \"s\" }"),
                NoMoment::Range => WrongCell::new(slot, format!("the time {shown} is before its origin, or beyond the year 2255"))
                    .help("state the unit of numbers, times = { unit = \"ms\" }, or name a value that stands for unknown by `none`"),
            }
        };
        self.mapping.times.read(cell).map(Some).map_err(no)
    }

    /// The span of time in a column \[ns\], if that states one.
    fn duration(&self, row: &dyn Row, role: Role) -> Result<Option<u64>, WrongCell> {
        let Some(column) = self.mapping.column(role) else { return Ok(None) };
        let Some((slot, cell)) = column.stated(row) else { return Ok(None) };
        let Some(number) = cell.number() else {
            let text =
                if let Cell::Text(text) = cell { std::str::from_utf8(trimmed(text)).ok() } else { None };
            if role == Role::Limit
                && text.is_some_and(|text| UNLIMITED.iter().any(|word| text.eq_ignore_ascii_case(word)))
            {
                return Ok(None);
            }
            let millis = text.filter(|text| text.contains(':')).and_then(|text| duration(text, 1000));
            let nanos = millis.filter(|&millis| millis <= MOST_MILLIS).map(|millis| millis * 1_000_000);
            return match nanos {
                Some(nanos) => Ok(Some(nanos)),
                None => Err(WrongCell::new(slot, format!("{} is no span of time", cell.shown()))
                    .help("spans are numbers with a unit of the column, or written as 1-02:03:04")),
            };
        };
        if !column.has_unit {
            let message = format!("the span {} is a number, and nothing states its unit", cell.shown());
            return Err(WrongCell::new(slot, message).help("state it: { column = \"…\", unit = \"s\" }"));
        }
        let nanos = (number.real() * column.factor).round();
        if nanos < 0.0 {
            let message = format!("the span {} is below zero", cell.shown());
            return Err(WrongCell::new(slot, message)
                .help("a value that stands for unknown is named by `none`: none = -1"));
        }
        // numbers that stand for no limit are thousands of years
        let is_none = role == Role::Limit && nanos > MOST_NANOS as f64;
        Ok((!is_none).then_some(nanos as u64))
    }

    /// Takes in a job.
    fn job(&mut self, row: &dyn Row, outcome: Outcome, size: Size, span: &Span) {
        let (procs, from) = match (size.procs, size.nodes) {
            (Some(procs), _) => (procs, None),
            (None, Some(nodes)) => (nodes, Some(Cause::ProcsFromNodes)),
            (None, None) => (size.gpus, Some(Cause::ProcsFromGpus)),
        };
        let limit = span.limit.map(SimDuration::from_nanos);
        let run_time = SimDuration::from_nanos(span.run_time);
        let estimate = self.options.estimate.estimate(limit, run_time);
        let submit_time = SimTime::ZERO + SimDuration::from_nanos(span.submit);
        let mut job = Job::new(self.report.jobs, submit_time, procs, run_time);
        job.estimate = self.options.kept(estimate);
        job = job.asking_for_time(estimate.is_asked());
        job.status = match outcome {
            Outcome::Over(status) => status,
            Outcome::Again => 0,
            _ => -1,
        };
        let is_unread = self.demand(row, size, from, &mut job);
        let line = row.line();
        let causes = [
            (Cause::EstimateFromRunTime, matches!(estimate, Estimate::NoRequest(_))),
            (Cause::EstimateRaised, matches!(estimate, Estimate::Raised(_))),
            (Cause::LateSubmit, submit_time < self.last_submit),
            (Cause::TriedAgain, outcome == Outcome::Again),
            (Cause::UnknownState, outcome == Outcome::Unknown),
            (Cause::StartBeforeSubmit, span.is_moved),
            (Cause::RoundedUp, size.is_rounded),
            (Cause::GpuPart, size.is_share),
            (Cause::RunTimeDiffers, span.differs),
            (Cause::NoZone, span.is_zoneless),
            (Cause::Memory, !self.asks && size.memory > 0),
            (Cause::Gres, !self.asks && size.gpus > 0),
            (Cause::Features, is_unread),
        ];
        self.report.count_all(line, causes);
        self.report.count_all(line, from.map(|cause| (cause, true)));
        self.last_submit = submit_time;
        self.totals.add(size, run_time.as_secs_f64());
        self.name(row, size, &mut job);
        let name = |role| self.mapping.column(role).and_then(|column| column.named(row)?.name());
        let queues = (
            queue(&mut self.names.queues, name(Role::Queue).as_deref()),
            queue(&mut self.names.partitions, name(Role::Partition).as_deref()),
        );
        let qos = queue(&mut self.names.qos, name(Role::Qos).as_deref());
        let wait = span.wait.map(SimDuration::from_nanos);
        append(&mut self.jobs, job.with_recorded_wait(wait).in_queue(queues.0, queues.1).with_qos(qos));
    }

    /// Gives a job what it asks of nodes. True if it asks for a kind of GPU that no feature means.
    fn demand(&mut self, row: &dyn Row, size: Size, from: Option<Cause>, job: &mut Job) -> bool {
        let kind = self.mapping.column(Role::GpuType).filter(|_| size.gpus > 0);
        let kind = kind.and_then(|column| column.named(row)?.name());
        if !self.asks {
            return kind.is_some();
        }
        let nodes = size.nodes.filter(|&nodes| nodes <= job.procs);
        let mut demand = part(job.procs, nodes, size.memory, size.gpus);
        if from == Some(Cause::ProcsFromNodes) && size.gpus == 0 {
            // of a job whose nodes alone are known, each is its own
            demand = Demand { procs: 1, node_use: NodeUse::Exclusive, ..demand };
        }
        let feature = kind.map(|kind| gpu_feature(&kind));
        let is_unread = feature.as_ref().is_some_and(|name| !can_be_asked_for(name));
        if let Some(name) = feature.filter(|_| !is_unread) {
            demand.features = self.demands.features_mut().take_in(&name);
        }
        job.demand = self.demands.number(demand);
        is_unread
    }

    /// Notes the user and the group of a job, and what is kept next to it.
    fn name(&mut self, row: &dyn Row, size: Size, job: &mut Job) {
        let name = |role| self.mapping.column(role).and_then(|column| column.named(row)?.name());
        if let Some(user) = name(Role::User) {
            job.user = self.names.users.number(&user);
        }
        if let Some(group) = name(Role::Group) {
            job.group = self.names.groups.number(&group);
        }
        let (qos, account, class) = (name(Role::Qos), name(Role::Account), name(Role::Class));
        let pools = name(Role::Pools);
        self.attributes.push(&Stated {
            executable: name(Role::Executable).map(|name| self.names.executables.number(&name)),
            qos: qos.as_deref(),
            account: account.as_deref(),
            class: class.as_deref(),
            pools: pools.as_deref(),
            nodes: size.nodes,
            gpus: Some(size.gpus),
            energy: size.energy,
            power: size.power,
            ..Stated::default()
        });
    }

    fn finish(self) -> Result<(Log, TableTotals), Problem> {
        if self.is_full {
            return Err(ErrorKind::TooManyJobs(MOST_JOBS as u64).into());
        }
        if self.jobs.is_empty() {
            return Err(nothing_kept(&self.report));
        }
        let mut header = Header::default();
        self.names.describe(&mut header);
        if !self.mapping.is_dateless {
            header.push("UnixStartTime", "0".to_owned());
            let first = self.jobs.iter().map(|job| job.submit_time).min().unwrap_or(SimTime::ZERO);
            let first = (first.since(SimTime::ZERO).as_nanos() / SECOND.unsigned_abs()).cast_signed();
            header.push("TimeZone", self.mapping.times.offset(first).to_string());
        }
        let log = Log::cut(header, (self.jobs, self.attributes), self.report, &self.options.window)?;
        Ok((Log { demands: self.demands, ..log }, self.totals))
    }
}
