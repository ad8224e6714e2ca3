//! The job of a record: its times, size, demand and outcome.

use crate::import::names::queue;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::Problem;
use crate::workload::estimate::Estimate;
use crate::workload::resources::{Demand, DemandId};
use crate::workload::swf::Cause;
use crate::workload::{Attribute, Job, JobMarks, Stated, WaitMark};

use super::clock::{Instants, NoInstants, SiteClock};
use super::columns::Column;
use super::demand::{self, NodeDemand};
use super::fields::{self, Limit, MOST_MILLIS, Name, State};
use super::read::{Dump, Fault, Unit};
use super::record::{BadRecord, Record};

/// Run times from here on \[s\] are negative ones, printed as numbers of 32 bits.
const WRAPPED: u64 = 1 << 31;

/// Times of a record, in Unix seconds.
#[derive(Clone, Copy, Debug)]
struct Times {
    submit: Option<u64>,
    eligible: Option<u64>,
    start: Option<u64>,
    end: Option<u64>,
    /// Run time, without suspension \[ms\].
    run: Option<u64>,
    /// Suspension \[ms\].
    suspended: u64,
    /// True if one is in an hour that the clock repeats, and nothing says which.
    is_ambiguous: bool,
    /// True if the clock changed between start and end, as no zone explains.
    has_jump: bool,
}

/// Size of a job on the machine.
#[derive(Clone, Copy, Debug)]
struct Size {
    procs: u32,
    /// True if only its request is known.
    is_requested: bool,
    is_rounded: bool,
}

impl Dump<'_> {
    /// The job of a record, without its number, and its attributes; a cause if it is dropped.
    pub(super) fn job<'r>(
        &mut self,
        record: &Record<'r>,
        name: &Name,
    ) -> Result<Result<(Job, Stated<'r>), Cause>, Fault> {
        let state = record.get(Column::State).map(fields::state);
        if let Some(cause) = not_over(state, name) {
            return Ok(Err(cause));
        }
        let times = self.times(record)?;
        let state = match state {
            Some(state) => state,
            // without states, a job that began and has no end is still running
            None if record.has(Column::End) && times.end.is_none() && times.start.is_some() => {
                return Ok(Err(Cause::StillRunning));
            }
            None => State::Over(-1),
        };
        let size = self.size(record)?;
        let (asked, is_own) = self.asked(record)?;
        let kept = match (times.run.filter(|&run| run > 0), size, times.submit) {
            (None, ..) if state == State::Over(5) && !has_begun(&times, size) => Err(Cause::CancelledBefore),
            (None, ..) if times.start.is_none() => Err(Cause::NeverStarted),
            (None, ..) if times.run.is_none() => return Err(without_run_time(record).into()),
            (None, ..) => Err(Cause::NoRunTime),
            (_, None, _) => Err(Cause::NoProcs),
            (.., None) => Err(Cause::NoSubmit),
            (Some(run), Some(size), Some(submit)) => Ok((run, size, submit)),
        };
        let (run, size, submit) = match kept {
            Ok(kept) => kept,
            Err(cause) => return Ok(Err(cause)),
        };
        let of_nodes =
            if self.reading.resources { Some(demand::of_nodes(record, size.procs)?) } else { None };
        let amounts = self.amounts(record)?;

        let held = times.eligible.map(|eligible| eligible.saturating_sub(submit));
        let submit = times.eligible.filter(|_| self.reading.eligible).unwrap_or(submit);
        // clocks of a site differ, and records are mended by hand
        let is_early = times.start.is_some_and(|start| start < submit);
        let submit = times.start.filter(|_| is_early).unwrap_or(submit);
        let run_time = SimDuration::from_millis(run);
        let estimate = self.options.estimate.estimate(asked.map(SimDuration::from_millis), run_time);
        let causes = [
            (Cause::ProcsFromRequest, size.is_requested),
            (Cause::RoundedUp, size.is_rounded),
            (Cause::EstimateFromRunTime, matches!(estimate, Estimate::NoRequest(_))),
            (Cause::EstimateRaised, matches!(estimate, Estimate::Raised(_))),
            (Cause::StartBeforeSubmit, is_early),
            (Cause::HeldBack, held.is_some_and(|held| held > 0) && !self.reading.eligible),
            (Cause::TriedAgain, state == State::Again),
            (Cause::UnknownState, state == State::Unknown),
            (Cause::Suspended, times.suspended > 0),
            (Cause::AmbiguousHour, times.is_ambiguous),
            (Cause::ClockJump, times.has_jump),
        ];
        let left_out = demand::left_out(record, of_nodes.as_ref());
        let marks = JobMarks::NONE
            .with(WaitMark::Held, held.is_some_and(|held| held > 0))
            .with(WaitMark::Reserved, record.get(Column::Reservation).is_some())
            .with(WaitMark::LeftOut, left_out.iter().any(|&(_, holds)| holds))
            .with(WaitMark::TriedAgain, state == State::Again);
        let after = times.eligible.map(|eligible| eligible.saturating_sub(submit));
        self.report.count_all(record.line, causes.into_iter().chain(left_out));
        let submit_time = SimTime::ZERO + SimDuration::from_secs(submit);
        let mut job = Job::new(0, submit_time, size.procs, run_time);
        job.estimate = self.options.kept(estimate);
        job = job.asking_for_time(is_own);
        job.status = match state {
            State::Over(status) => status,
            State::Again => 0,
            _ => -1,
        };
        if let Some(of_nodes) = &of_nodes {
            job.demand = self.demand(record, of_nodes);
        }
        let wait = times.start.and_then(|start| start.checked_sub(submit)).map(SimDuration::from_secs);
        self.name(record, &mut job);
        let queues = (
            queue(&mut self.names.queues, record.get(Column::Qos)),
            queue(&mut self.names.partitions, record.get(Column::Partition)),
        );
        let executable = record.get(Column::JobName).map(|name| self.names.executables.number(name));
        if executable.is_some() {
            self.attributes.keep(Attribute::Executable);
        }
        let stated = Stated {
            executable,
            suspended: Some(times.suspended),
            held: after.and_then(|secs| u32::try_from(secs).ok()),
            marks,
            ..amounts
        };
        // the queue of a dump is its quality of service
        let job = job.with_recorded_wait(wait).in_queue(queues.0, queues.1).with_qos(queues.0);
        Ok(Ok((job, stated)))
    }

    /// The instants of a column.
    fn instants(&self, record: &Record<'_>, column: Column) -> Result<Option<Instants>, Fault> {
        let Some(text) = record.get(column) else { return Ok(None) };
        let within = |secs: i64| u64::try_from(secs).is_ok_and(|secs| secs <= MOST_MILLIS / 1000);
        match self.reading.clock.instants(text) {
            Ok(found) if within(found.first) && found.second.is_none_or(within) => Ok(Some(found)),
            Err(NoInstants::Skipped) => {
                let bad = record
                    .wrong(column, format!("no clock of this zone showed {text}: it was set forward then"));
                let help = "the zone named is not that of the dump";
                Err(Fault::Dump(Problem { help: Some(help.to_owned()), ..*bad.problem }))
            }
            Ok(_) | Err(NoInstants::Form) => {
                record.read(column, "time", |_| None::<Instants>).map_err(Fault::from)
            }
        }
    }

    fn times(&mut self, record: &Record<'_>) -> Result<Times, Fault> {
        let millis = |column, unit| {
            let read = |text: &str| fields::duration(text, unit).filter(|&millis| millis <= MOST_MILLIS);
            record.read(column, "duration", read)
        };
        let elapsed = match millis(Column::ElapsedRaw, 1000)? {
            Some(elapsed) => Some(elapsed),
            None => millis(Column::Elapsed, 1000)?,
        };
        if elapsed.is_some_and(|elapsed| elapsed / 1000 >= WRAPPED) {
            let raw = record.get(Column::ElapsedRaw).map_or(Column::Elapsed, |_| Column::ElapsedRaw);
            return Err(record.wrong(raw, "the run time is negative, as a number of 32 bits").into());
        }
        let suspended = millis(Column::Suspended, 1000)?.unwrap_or(0);
        let of = |column| self.instants(record, column);
        let (submit, eligible, start, end) =
            (of(Column::Submit)?, of(Column::Eligible)?, of(Column::Start)?, of(Column::End)?);
        let is_twofold = |instants: Option<Instants>| instants.is_some_and(|found| found.second.is_some());
        let mut is_ambiguous = false;
        let mut span = start.zip(end).map(|(start, end)| (start.first, end.first));
        if let Some((from, to)) = start.zip(end).filter(|_| is_twofold(start) || is_twofold(end)) {
            let readings = |of: Instants| [Some(of.first), of.second].into_iter().flatten();
            let pairs = readings(from).flat_map(|from| readings(to).map(move |to| (from, to)));
            let ran = |&(from, to): &(i64, i64)| {
                elapsed.is_some_and(|elapsed| to - from == ((elapsed + suspended) / 1000).cast_signed())
            };
            let right: Vec<(i64, i64)> = pairs.filter(ran).collect();
            span = right.first().copied().or(span);
            is_ambiguous = right.len() != 1;
        } else {
            is_ambiguous |= is_twofold(start);
        }
        // one time of day for several of them is one instant
        let begun = span.map(|(from, _)| from).or(start.map(|start| start.first));
        let as_start = |of: Option<Instants>| {
            let is_same = is_twofold(of) && of.map(|of| of.first) == start.map(|start| start.first);
            begun.filter(|_| is_same)
        };
        is_ambiguous |= [submit, eligible].into_iter().any(|of| is_twofold(of) && as_start(of).is_none());
        let secs = |of: Option<Instants>| of.and_then(|of| u64::try_from(of.first).ok());
        let (start_at, end_at) = match span {
            Some((from, to)) => (u64::try_from(from).ok(), u64::try_from(to).ok()),
            None => (secs(start), secs(end)),
        };
        let between = span.map(|(from, to)| to - from);
        let run = run_time(record, elapsed, suspended, between)?;
        // more seconds by the clock than it ran
        let more = between.zip(run).map(|(between, run)| between - ((run + suspended) / 1000).cast_signed());
        let by_clock = start.is_some_and(|start| start.is_local) && end.is_some_and(|end| end.is_local);
        let is_fixed = matches!(self.reading.clock, SiteClock::Fixed(_));
        let more =
            more.filter(|more| *more != 0 && more % 3600 == 0 && more.abs() < 86_400 && elapsed.is_some());
        let jump = more.zip(span).filter(|_| by_clock && is_fixed);
        if let Some((more, (from, to))) = jump {
            let ahead = self.reading.clock.offset(from);
            self.jumps.push(from + ahead, to + ahead, more);
        }
        let ahead = |of| as_start(of).map_or_else(|| secs(of), |begun| u64::try_from(begun).ok());
        Ok(Times {
            submit: ahead(submit),
            eligible: ahead(eligible),
            start: start_at,
            end: end_at,
            run,
            suspended,
            is_ambiguous,
            has_jump: jump.is_some(),
        })
    }

    /// Demand of the job on nodes.
    fn demand(&mut self, record: &Record<'_>, of_nodes: &NodeDemand<'_>) -> DemandId {
        let partition = record.get(Column::Partition).and_then(|name| self.site?.feature_of(name));
        let names = of_nodes.features.iter().map(AsRef::as_ref).chain(partition.as_deref());
        let features = self.demands.features_mut().take_in_all(names);
        self.demands.number(Demand { features, ..of_nodes.part })
    }

    /// Attributes of a job that are texts and amounts, as far as they are kept.
    fn amounts<'r>(&self, record: &Record<'r>) -> Result<Stated<'r>, BadRecord> {
        if !self.reading.attributes {
            return Ok(Stated::default());
        }
        let joules = record.read(Column::ConsumedEnergyRaw, "number of joules", fields::number)?;
        // numbers near 2^64 are those of sensors that could not be read
        let joules = joules.filter(|&joules| joules < u64::MAX / 1000);
        let nodes = record.amount(Column::AllocNodes, Column::AllocTres, "node")?;
        Ok(Stated {
            qos: record.get(Column::Qos),
            account: record.get(Column::Account),
            nodes: nodes.map(|(nodes, _)| nodes),
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

    /// Size of the job on the machine.
    fn size(&self, record: &Record<'_>) -> Result<Option<Size>, BadRecord> {
        let (own, asked, resource) = match self.reading.unit {
            Unit::Processors => (Column::AllocCpus, Column::ReqCpus, "cpu"),
            Unit::Nodes => (Column::AllocNodes, Column::ReqNodes, "node"),
        };
        if let Some((procs, is_rounded)) = record.amount(own, Column::AllocTres, resource)? {
            return Ok(Some(Size { procs, is_requested: false, is_rounded }));
        }
        let asked = record.amount(asked, Column::ReqTres, resource)?;
        Ok(asked.map(|(procs, is_rounded)| Size { procs, is_requested: true, is_rounded }))
    }

    /// The time limit \[ms\] of the job, if it is known, and true if it asked for that itself.
    fn asked(&self, record: &Record<'_>) -> Result<(Option<u64>, bool), BadRecord> {
        let column =
            if record.get(Column::TimelimitRaw).is_some() { Column::TimelimitRaw } else { Column::Timelimit };
        let Some(limit) = record.read(column, "time limit", fields::limit)? else {
            return Ok((None, false));
        };
        // Slurm prints numbers that stand for no limit as thousands of years
        if let Limit::Millis(millis @ 1..=MOST_MILLIS) = limit {
            return Ok((Some(millis), true));
        }
        let partition = record.get(Column::Partition);
        Ok((partition.and_then(|partition| self.site?.granted_time(partition)), false))
    }
}

/// Mistake of a record of a job that has started and states neither run time nor end.
fn without_run_time(record: &Record<'_>) -> BadRecord {
    let columns = [Column::ElapsedRaw, Column::Elapsed, Column::End];
    let column = columns.into_iter().find(|&column| record.has(column)).unwrap_or(Column::End);
    BadRecord { cause: Cause::UnreadRunTime, ..record.wrong(column, "the run time is missing") }
}

/// Cause for which a record in this state is no job, if that alone decides it.
fn not_over(state: Option<State>, name: &Name) -> Option<Cause> {
    match state {
        // one record of several tasks: none of them has started, whatever its other fields say
        Some(State::Over(5)) if name.tasks > 1 => Some(Cause::CancelledBefore),
        _ if name.tasks > 1 => Some(Cause::Pending),
        Some(State::Pending) => Some(Cause::Pending),
        Some(State::Running) => Some(Cause::StillRunning),
        _ => None,
    }
}

/// Run time without suspension \[ms\], from what the dump states and what lies between start and
/// end \[s\].
fn run_time(
    record: &Record<'_>,
    elapsed: Option<u64>,
    suspended: u64,
    between: Option<i64>,
) -> Result<Option<u64>, BadRecord> {
    let between = match (elapsed, between) {
        (None, Some(between)) if between < 0 => {
            let bad = record.wrong(Column::End, "the job ends before its start, and no run time is stated");
            return Err(BadRecord { cause: Cause::UnreadRunTime, ..bad });
        }
        (_, between) => between.and_then(|between| u64::try_from(between).ok()).map(|secs| secs * 1000),
    };
    Ok(match elapsed {
        // Slurm takes the suspension from it; what takes all of the time has it still
        Some(elapsed) if suspended > 0 && Some(elapsed) == between => Some(elapsed.saturating_sub(suspended)),
        Some(elapsed) => Some(elapsed),
        None => between.map(|between| between.saturating_sub(suspended)),
    })
}

/// Returns true if a job has a start and processors.
fn has_begun(times: &Times, size: Option<Size>) -> bool {
    times.start.is_some() && size.is_some_and(|size| !size.is_requested)
}
