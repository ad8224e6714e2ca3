//! From the text of a workload to its jobs.

use std::io::{Read, Seek};

use crate::collections::OrderedMap;
use crate::import::nothing_kept;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::Problem;
use crate::registry::code;
use crate::text::json::{self, Mistake, Next, ObjectKey, Reader};
use crate::workload::estimate::Estimate;
use crate::workload::swf::{Cause, ErrorKind, Header, Log, Numbers, Options, Report};
use crate::workload::{Attributes, Job};

use super::profile::{Profile, Span, Unable, read_number};

/// Latest submission and longest run [s]: 285 years, so that both together fit into virtual time.
const MOST_SECS: f64 = 9e9;

/// A job as it is written; its profile may follow later.
struct Written {
    number: Option<u64>,
    /// [s]
    submit: f64,
    /// [s]
    walltime: Option<f64>,
    procs: u32,
    /// Profile, by place among the names of profiles.
    profile: u32,
    /// Position of the profile's name, and its line.
    at: u64,
    line: u64,
}

/// Reads a workload, plain or gzip; hosts compute `speed` flop a second, if that is known.
///
/// # Errors
/// What is wrong with it, with line and column; any bytes give a log or an error, never a panic.
///
/// # Complexity
/// One pass over the text, and another up to a mistake; memory for the jobs and their profiles.
pub fn read(mut input: impl Read + Seek, speed: Option<f64>, options: &Options) -> Result<Log, Problem> {
    let mut workload = Workload::default();
    let mut json = Reader::new(&mut input)?;
    let is_empty = json.is_empty();
    let read = workload.read(&mut json).and_then(|()| json.finish());
    let failed = json.failed();
    drop(json);
    if let Some(kind) = failed {
        return Err(kind.into());
    }
    let read = read.and_then(|()| workload.resolve(speed, options));
    let (jobs, report) = match read {
        Ok(read) => read,
        Err(_) if is_empty => return Err(ErrorKind::Empty.into()),
        Err(bad) => return Err(placed(input, &bad)),
    };
    let mut header = Header::default();
    if let Some(procs) = workload.procs {
        header.push("MaxNodes", procs.to_string());
        header.push("MaxProcs", procs.to_string());
    }
    if report.jobs == 0 {
        return Err(Problem::new(code::NO_JOBS, "the workload holds no job"));
    }
    if jobs.is_empty() {
        return Err(nothing_kept(&report));
    }
    Ok(Log::cut(header, (jobs, Attributes::default()), report, &options.window)?)
}

/// A mistake with its line, which is read again: the text was not kept.
fn placed(input: impl Read + Seek, mistake: &Mistake) -> Problem {
    let message = mistake.sentence();
    match json::place(input, mistake.at, mistake.width) {
        Ok(place) => Problem::new(code::BATSIM, message).at(place),
        // a pipe cannot be read again
        Err(_) => Problem::new(code::BATSIM, format!("byte {}: {message}", mistake.at)),
    }
}

#[derive(Default)]
struct Workload {
    procs: Option<u32>,
    jobs: Vec<Written>,
    /// Names of profiles, of jobs and in order of their place.
    names: OrderedMap<String, u32>,
    profiles: OrderedMap<u32, Profile>,
}

fn wrong<T>(at: u64, end: u64, message: impl Into<String>) -> Result<T, Mistake> {
    let width = usize::try_from(end.saturating_sub(at)).unwrap_or(usize::MAX);
    Err(Mistake::new(at, width, message))
}

fn whole(reader: &mut Reader<'_>, what: &str) -> Result<u32, Mistake> {
    read_number(reader, (what, "a whole number from 1 on"), |text| {
        text.parse().ok().filter(|&value| value > 0)
    })
}

impl Workload {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Mistake> {
        let at = reader.place();
        let (mut jobs, mut profiles) = (false, false);
        reader.object(|reader, key| match key.name.as_str() {
            "nb_res" => {
                self.procs = Some(whole(reader, "nb_res")?);
                Ok(())
            }
            "jobs" => {
                jobs = true;
                reader.array(|reader| self.job(reader))
            }
            "profiles" => {
                profiles = true;
                reader.object(|reader, ObjectKey { name, .. }| {
                    let at = reader.place();
                    let profile = Profile::read(reader, &mut |name| self.place(name))?;
                    let place = self.place(name);
                    if self.profiles.insert(place, profile).is_some() {
                        return wrong(at, at, "a profile of this name is there already");
                    }
                    Ok(())
                })
            }
            _ => reader.skip(),
        })?;
        if !jobs || !profiles {
            let missing = if jobs { "profiles" } else { "jobs" };
            return wrong(at, at, format!("the workload has no `{missing}`"));
        }
        Ok(())
    }

    /// The place of a profile's name.
    fn place(&mut self, name: String) -> u32 {
        let next = self.names.len() as u32;
        *self.names.entry(name).or_insert(next)
    }

    fn job(&mut self, reader: &mut Reader<'_>) -> Result<(), Mistake> {
        let begin = reader.place();
        let mut number = None;
        let (mut submit, mut walltime, mut procs, mut profile) = (None, None, None, None);
        reader.object(|reader, key| {
            match key.name.as_str() {
                "id" => {
                    number = Some(match reader.next_kind()? {
                        Next::Number => reader.number()?.parse().ok(),
                        // a name as `w0!12` has its number behind the workload's
                        _ => reader.string()?.rsplit('!').next().and_then(|id| id.parse().ok()),
                    });
                }
                "subtime" => {
                    let lawful = |text: &str| text.parse::<f64>().ok().filter(|&value| value >= 0.0);
                    submit = Some(read_number(reader, ("subtime", "0 or more"), lawful)?);
                }
                "walltime" => {
                    let must = format!("above 0 and at most {MOST_SECS:e}");
                    walltime = read_number(reader, ("walltime", &must), |text| match text.parse::<f64>() {
                        Ok(value) if value < 0.0 => Some(None),
                        Ok(value) if value > 0.0 && value <= MOST_SECS => Some(Some(value)),
                        _ => None,
                    })?;
                }
                "res" => procs = Some(whole(reader, "res")?),
                "profile" => {
                    let at = reader.place();
                    let line = reader.line();
                    profile = Some((self.place(reader.string()?), at, line));
                }
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        let (Some(number), Some(submit), Some(procs), Some((profile, at, line))) =
            (number, submit, procs, profile)
        else {
            let all = [
                ("id", number.is_none()),
                ("subtime", submit.is_none()),
                ("res", procs.is_none()),
                ("profile", profile.is_none()),
            ];
            let missing = all.iter().find(|(_, missing)| *missing).map_or("", |(name, _)| name);
            return wrong(begin, begin + 1, format!("the job has no `{missing}`"));
        };
        if self.jobs.len() >= u32::MAX as usize {
            return wrong(begin, begin + 1, "there are more jobs than a run can name");
        }
        self.jobs.push(Written { number, submit, walltime, procs, profile, at, line });
        Ok(())
    }

    /// The jobs, each with the run time that its profile gives it.
    fn resolve(&self, speed: Option<f64>, options: &Options) -> Result<(Vec<Job>, Report), Mistake> {
        let mut report = Report::new(options.keep_lines);
        let (mut jobs, mut numbers) = (Vec::new(), Numbers::default());
        let mut last = SimTime::ZERO;
        for (written, place) in self.jobs.iter().zip(1..) {
            let line = written.line;
            report.jobs += 1;
            if !self.profiles.contains_key(&written.profile) {
                let name = self
                    .names
                    .iter()
                    .find(|(_, place)| **place == written.profile)
                    .map_or("", |(name, _)| name);
                return wrong(
                    written.at,
                    written.at + name.len() as u64 + 2,
                    format!("there is no profile `{name}`"),
                );
            }
            let span = Span { profiles: &self.profiles, procs: written.procs, speed };
            let time = match span.of(written.profile) {
                Ok(secs) => secs,
                Err(Unable::Missing) => {
                    return wrong(written.at, written.at + 1, "its profile is made of one that is not there");
                }
                Err(unable) => {
                    let speed = unable == Unable::NoSpeed;
                    report.count(if speed { Cause::NoSpeed } else { Cause::Inexpressible }, line);
                    continue;
                }
            };
            // whatever is longer than the clock reaches is as good as this
            let whole = SimDuration::ceil_secs(time.min(2.0 * MOST_SECS));
            let walltime = written.walltime.map(SimDuration::ceil_secs);
            let run_time = walltime.map_or(whole, |walltime| walltime.min(whole));
            if run_time.is_zero() {
                report.count(Cause::NoRunTime, line);
                continue;
            }
            if written.submit > MOST_SECS || run_time > SimDuration::ceil_secs(MOST_SECS) {
                report.count(Cause::BeyondClock, line);
                continue;
            }
            let number = written.number.unwrap_or(place);
            let estimate = options.estimate.estimate(walltime, run_time);
            let submit_time = SimTime::ZERO + SimDuration::ceil_secs(written.submit);
            let causes = [
                (Cause::NoNumber, written.number.is_none()),
                (Cause::EstimateFromRunTime, matches!(estimate, Estimate::NoRequest(_))),
                (Cause::CutAtWalltime, run_time < whole),
                (Cause::LateSubmit, submit_time < last),
            ];
            report.count_all(line, causes);
            last = submit_time;
            numbers.push(number, line);
            let mut job = Job::new(number, submit_time, written.procs, run_time);
            job.estimate = options.kept(estimate);
            job = job.asking_for_time(estimate.is_asked());
            if run_time < whole {
                // as logs have it of a job that met its limit: it failed
                (job.killed, job.status) = (true, 0);
            }
            jobs.push(job);
        }
        for line in numbers.given_twice(jobs.iter().map(|job| job.number)) {
            report.count(Cause::NumberTwice, line);
        }
        Ok((jobs, report))
    }
}
