//! Replays of recorded schedules: the machine that they are simulated on, jobs that start as
//! recorded, and the waits of both schedules.
//!
//! The machine has as many processors as recorded jobs had at one instant, at most. A smaller one
//! could not have had the recorded schedule, and nothing in the log shows that more processors were
//! in service: what a header states is the machine as it was bought. A machine of described nodes,
//! and one at detail `task`, stays as the scenario says.
//!
//! A job that starts as recorded is taken out of the workload, and its processors are reserved from
//! its recorded start to its end. Policies hear of it when it starts, as the site did: known
//! before, it would keep back every job whose estimate passes its start, and most estimates are far
//! too long. If processors are in use at its start, the reservation takes them as they become free,
//! and the job has started nevertheless. A job inside a reservation of the scenario takes the
//! processors of that one.

use crate::batch::machine::{Reservation, ReservationUse, Reservations};
use crate::collections::OrderedMap;
use crate::fidelity::{
    ErrorCause, ErrorCauses, FIDELITY, ReplayFacts, ReplayMachine, ReplayNames, ReplayedJob,
};
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::kernel::{SimDuration, SimTime};
use crate::output::number::lasting;
use crate::policy::{Feature, Refusal};
use crate::registry::{Complaint, code};
use crate::scenario::{Ready, Rejected, ReplayRequest, ScheduleReplay};
use crate::system::description::Cluster;
use crate::system::experiment::{Experiment, Finished, fit, jobs_of, policy_of, workload};
use crate::system::failures::{inputs, written};
use crate::system::jobs::notes;
use crate::workload::source::LoadedWorkload;
use crate::workload::swf::Header;
use crate::workload::{Job, Stated, UNKNOWN_ID, WaitMark, recorded_peak};

/// Keys of `[workload]` that give its jobs other arrivals than the log records.
const OTHER_ARRIVALS: [&str; 2] = ["randomize", "load"];

/// Keys of `[workload]` for what users do besides, which a record has done already.
const OF_USERS: [&str; 5] = ["cancelled", "dependencies", "moldable", "patience", "preceding"];

/// Puts the replay of a scenario together.
///
/// # Errors
/// Jobs whose schedule is not recorded, none that is compared, and jobs that cannot start as
/// recorded here.
pub(super) fn replay(request: &ReplayRequest<'_>) -> Result<ScheduleReplay, Box<Rejected>> {
    let ReplayRequest { registry, scenario, rules, as_recorded } = *request;
    let refuse = |complaint| scenario.reject(complaint);
    as_the_log_has_them(request).map_err(refuse)?;
    let mut loaded = jobs_of(registry, scenario)?;
    let recorded: Vec<Job> =
        loaded.jobs.iter().filter(|job| job.recorded_wait().is_some()).copied().collect();
    let last = last_begin(request, &loaded).map_err(refuse)?;
    let peak = u32::try_from(recorded_peak(&recorded)).unwrap_or(u32::MAX);
    let stated = loaded.procs;
    let is_of_nodes = scenario.own::<Cluster>().is_some_and(|own| own.nodes.is_some() || own.kinds.is_some());
    if rules.machine == ReplayMachine::RecordedPeak && !is_of_nodes {
        loaded.procs = peak.max(1);
    }
    let names = loaded.log.as_ref().map(|(header, _)| names(header)).unwrap_or_default();
    let (jobs, unrecorded) = (loaded.jobs.len(), loaded.jobs.len() - recorded.len());
    let mut experiment = fit(registry, scenario, policy_of(registry, scenario)?, loaded)?;
    if !as_recorded.is_empty() {
        experiment = starting_as_recorded(experiment, request)?;
    }
    let facts = ReplayFacts {
        procs: experiment.loaded.procs,
        stated,
        peak,
        jobs: jobs as u64,
        unrecorded: unrecorded as u64,
        fixed: experiment.as_recorded.len() as u64,
        last,
        names,
    };
    let files = inputs(registry, scenario, workload(registry, scenario)?.as_ref());
    let notes = notes(&experiment.loaded);
    Ok(ScheduleReplay {
        ready: Ready { run: Box::new(experiment), inputs: files, notes, warnings: Vec::new() },
        facts,
    })
}

/// Complains of keys that give the jobs other arrivals than the log records.
fn as_the_log_has_them(request: &ReplayRequest<'_>) -> Result<(), Complaint> {
    let params = request.scenario.params(request.registry);
    let table = params.section("workload");
    let Some(key) = OTHER_ARRIVALS.into_iter().find(|key| table.has(key)) else { return Ok(()) };
    let message = format!("with `{key}` jobs do not arrive as the log records, and waits cannot be compared");
    let complaint = Complaint::new(code::CONTRADICTION, message, table.span(key));
    Err(complaint.label("take it out"))
}

/// Instants at which recorded waits begin.
fn begins(loaded: &LoadedWorkload) -> impl Iterator<Item = SimTime> {
    let recorded = (0..).zip(&loaded.jobs).filter(|(_, job)| job.recorded_wait().is_some());
    recorded.map(|(place, job)| begin(job, &loaded.attributes.of(place)))
}

/// The last instant at which a recorded wait begins, of a workload of which something is compared.
fn last_begin(request: &ReplayRequest<'_>, loaded: &LoadedWorkload) -> Result<SimTime, Complaint> {
    let params = request.scenario.params(request.registry);
    let Some(last) = begins(loaded).max() else {
        let message = "no wait of this workload is recorded, so there is no schedule to be compared with";
        let complaint = Complaint::new(code::NO_JOBS, message, params.span("workload"));
        return Err(complaint.help("field 3 of a log, or columns with starts of jobs, record waits"));
    };
    if begins(loaded).any(|begin| request.rules.compares(begin, last)) {
        return Ok(last);
    }
    let [edge, span] = [request.rules.edge, last.since(SimTime::ZERO)].map(lasting);
    let message = format!("no job is left between edges of {edge}: the log lasts {span}");
    let complaint = if params.has(FIDELITY.name) {
        Complaint::new(code::NO_JOBS, message, params.section(FIDELITY.name).span("edge"))
    } else {
        Complaint::nowhere(code::NO_JOBS, message)
    };
    Err(complaint.help("leave out less: --edge 1d"))
}

/// Instant from which the wait of a job counts: when it could start for the first time, if the log
/// has it, but not after its recorded start.
fn begin(job: &Job, stated: &Stated<'_>) -> SimTime {
    job.submit_time.saturating_add(held(job, stated))
}

fn held(job: &Job, stated: &Stated<'_>) -> SimDuration {
    let held = stated.held.map_or(SimDuration::ZERO, |secs| SimDuration::from_secs(u64::from(secs)));
    held.min(job.recorded_wait().unwrap_or(held))
}

fn causes(stated: &Stated<'_>, is_inside: bool) -> ErrorCauses {
    let has = |mark| stated.marks.has(mark);
    ErrorCauses::NONE
        .with(ErrorCause::Held, has(WaitMark::Held))
        .with(ErrorCause::Reserved, has(WaitMark::Reserved) || is_inside)
        .with(ErrorCause::LeftOut, has(WaitMark::LeftOut))
        .with(ErrorCause::TriedAgain, has(WaitMark::TriedAgain))
}

/// A job with its recorded wait and the one of a simulation from its submission.
fn compared(
    job: &Job,
    stated: &Stated<'_>,
    wait: Option<SimDuration>,
    is_inside: bool,
) -> Option<ReplayedJob> {
    let (recorded, held) = (job.recorded_wait()?, held(job, stated));
    Some(ReplayedJob {
        begin: begin(job, stated),
        recorded: recorded.saturating_sub(held),
        simulated: wait.unwrap_or(recorded).saturating_sub(held),
        procs: job.procs,
        queue: job.queue().map(u32::from),
        partition: job.partition().map(u32::from),
        group: (job.group != UNKNOWN_ID).then_some(job.group),
        causes: causes(stated, is_inside),
        is_fixed: wait.is_none(),
    })
}

/// The jobs of a replay that is over, with both their waits.
pub(super) fn replayed(finished: &Finished) -> Vec<ReplayedJob> {
    let run = finished.outcomes.run();
    let attributes = run.record.attributes();
    let simulated = (0..).map(JobId).zip(run.jobs).filter_map(|(id, job)| {
        let outcome = run.record.outcome(id);
        let wait = outcome.state.has_run().then(|| run.waited(id))?;
        compared(job, &attributes.of(id.index()), Some(wait), outcome.reason == Reason::Inside)
    });
    simulated.chain(finished.as_recorded.iter().copied()).collect()
}

/// The same experiment, in which the jobs of some causes start as recorded.
fn starting_as_recorded(
    mut experiment: Experiment,
    request: &ReplayRequest<'_>,
) -> Result<Experiment, Box<Rejected>> {
    let scenario = request.scenario;
    can_start_as_recorded(&experiment, request).map_err(|complaints| scenario.reject_all(complaints))?;
    let Reservations { mut all, inside, nodes, pools } = std::mem::take(&mut experiment.reservations);
    let loaded = &mut experiment.loaded;
    let is_fixed = |place: usize, job: &Job| {
        let is_inside = inside.contains_key(&JobId(place as u32));
        let found = compared(job, &loaded.attributes.of(place), None, is_inside)?;
        found.causes.has_any(request.as_recorded).then_some((found, is_inside))
    };
    let fixed: OrderedMap<usize, (ReplayedJob, bool)> = loaded
        .jobs
        .iter()
        .enumerate()
        .filter_map(|(place, job)| Some((place, is_fixed(place, job)?)))
        .collect();
    if fixed.is_empty() {
        let names: Vec<&str> = request.as_recorded.iter().map(|cause| cause.about()).collect();
        let message =
            format!("no job of this workload is to start as recorded: none {}", names.join(", or "));
        return Err(scenario.reject(Complaint::nowhere(code::NO_JOBS, message)));
    }
    let kept: Vec<u32> =
        (0..loaded.jobs.len() as u32).filter(|&at| !fixed.contains_key(&(at as usize))).collect();
    let first = all.iter().map(|one| one.number).max().unwrap_or(0);
    let outside = fixed.iter().filter(|(_, (_, is_inside))| !is_inside);
    for ((&place, (found, _)), number) in outside.zip(first + 1..) {
        let (from, _) = found.starts();
        let to = from.saturating_add(loaded.jobs[place].run_time);
        let (procs, purpose) = (found.procs, ReservationUse::Advance);
        all.push(Reservation { number, time: 1, from, to, known: from, procs, purpose, shrinks: false });
    }
    fits(&all, loaded.procs).map_err(|complaint| scenario.reject(complaint))?;
    let names: OrderedMap<u32, JobId> = kept.iter().copied().zip((0..).map(JobId)).collect();
    let inside = inside.into_iter().filter_map(|(id, number)| Some((*names.get(&id.0)?, number))).collect();
    if !loaded.attributes.is_empty() {
        loaded.attributes = (*loaded.attributes).clone().gather(&kept).into();
    }
    loaded.jobs = kept.iter().map(|&at| loaded.jobs[at as usize]).collect();
    experiment.reservations = Reservations { all, inside, nodes, pools };
    experiment.as_recorded = fixed.into_values().map(|(found, _)| found).collect();
    Ok(experiment)
}

/// Complains of what cannot be simulated where jobs start as recorded, as where processors are
/// reserved.
fn can_start_as_recorded(experiment: &Experiment, request: &ReplayRequest<'_>) -> Result<(), Vec<Complaint>> {
    let scenario = request.scenario;
    let params = scenario.params(request.registry);
    let cannot = |message: String, at| {
        let complaint = Complaint::new(code::CONTRADICTION, message, at);
        complaint.help("leave --without out, or take this out")
    };
    let refusals = experiment.policy.refuses(&[Feature::Reservations, Feature::AdvanceReservations]);
    let mut complaints: Vec<Complaint> = refusals
        .into_iter()
        .map(|Refusal { why, .. }| {
            let message =
                format!("policy `{}` {why}, so no job can start as recorded", experiment.policy.name());
            cannot(message, params.span("policy"))
        })
        .collect();
    let cluster = params.section("cluster");
    let own = scenario.own::<Cluster>();
    let is_of_tasks = own.is_some_and(|own| own.nodes.is_some());
    let of_site = [
        (is_of_tasks, "detail"),
        (own.is_some_and(|own| own.kinds.is_some()), "group"),
        (experiment.faults.is_some(), "failures"),
    ];
    for (_, key) in of_site.into_iter().filter(|(holds, _)| *holds) {
        complaints.push(cannot(format!("jobs cannot start as recorded yet with `{key}`"), cluster.span(key)));
    }
    complaints
        .extend(written(scenario.root(), &OF_USERS).map(|slot| {
            cannot(format!("jobs cannot start as recorded yet with `{}`", slot.name), slot.span)
        }));
    if complaints.is_empty() { Ok(()) } else { Err(complaints) }
}

/// Complains if reservations need more processors at once than there are.
fn fits(all: &[Reservation], procs: u32) -> Result<(), Complaint> {
    let mut changes: Vec<(SimTime, bool, u32)> =
        all.iter().flat_map(|one| [(one.from, true, one.procs), (one.to, false, one.procs)]).collect();
    changes.sort_unstable();
    let (mut held, mut most) = (0_u64, 0);
    for (_, begins, count) in changes {
        held = if begins { held + u64::from(count) } else { held - u64::from(count) };
        most = most.max(held);
    }
    if most <= u64::from(procs) {
        return Ok(());
    }
    let message = format!(
        "jobs that start as recorded and reservations need {most} processors at once, and the machine has {procs}"
    );
    Err(Complaint::nowhere(code::CONTRADICTION, message).help(
        "the machine of the recorded peak has enough for all jobs: fidelity.machine = \"recorded-peak\"",
    ))
}

/// Names of numbers, of entries such as `Queue: 3 batch`.
fn names(header: &Header) -> ReplayNames {
    let of = |wanted: &str| -> OrderedMap<u32, String> {
        let entries = header.entries().filter(|(key, _)| key.eq_ignore_ascii_case(wanted));
        let named = |(_, entry): (&str, &str)| {
            let (number, name) = entry.trim().split_once(char::is_whitespace)?;
            let name = name.trim();
            Some((number.parse().ok()?, name.to_owned()))
                .filter(|_| !name.is_empty() && name.len() <= LONGEST_NAME)
        };
        entries.filter_map(named).collect()
    };
    ReplayNames { queues: of("Queue"), partitions: of("Partition"), groups: of("Group") }
}

/// Longest name of a queue or a group; longer ones are sentences about it.
const LONGEST_NAME: usize = 24;
