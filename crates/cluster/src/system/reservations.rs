//! Reservations of processors, as `[[cluster.reservation]]` declares them: maintenance, and what
//! was promised in advance.
//!
//! A table is one reservation, or with `every` one for each time that it takes place. What can
//! never be is reported before anything runs: a reservation that is not over when it is repeated,
//! and ones that together need more processors than there are.

use crate::batch::machine::{Reservation, ReservationUse, Reservations, ReservedNodes};
use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::{PAST_THE_END, SimDuration, SimTime};
use crate::policy::Feature;
use crate::registry::{Bounds, Complaint, Key, Kind, Node, Params, Registry, Span, Tree, code, key, keys};
use crate::scenario::{Rejected, Scenario};
use crate::system::failures::FAILURES;
use crate::system::reserved_nodes;
use crate::system::reserved_pools::{self, more_at_once};
use crate::units::{Calendar, Moment};
use crate::workload::Job;
use crate::workload::resources::Nodes;
use crate::workload::source::LoadedWorkload;

const KEYS: &[Key] = &keys! {
    "at" Kind::Moment(Bounds::NotNegative) =>
        "when it begins, of a repeated one the first time: a span from the start of the run, or where the \
         workload has a calendar a date, or a weekday, the first from the start on";
    "for" Kind::Duration(Bounds::Positive) => "how long it lasts; one that is late ends no later";
    "every" Kind::Duration(Bounds::Positive), absent "it takes place once" =>
        "how long after its beginning it begins again";
    "times" Kind::Count { least: 1, most: MOST as u64 },
        absent "as often as it begins before `run.until`, where `every` is written" =>
        "how many times it takes place; counts only with `every`";
    "processors" Kind::Count { least: 1, most: u32::MAX as u64 }, absent "all of the machine" =>
        "how many processors it needs: of those that are free the highest, then what becomes free";
    "nodes" Kind::CountOr(u32::MAX as u64, &Kind::List(&Kind::Text)), absent "all of the machine" =>
        "how many nodes it needs, or which, as [\"0-3\", \"7\"]; where jobs ask for more than processors, \
         it is nodes that are reserved", source "Slurm, scontrol create reservation";
    "features" Kind::List(&Kind::Text), absent "nodes with any features" =>
        "it is of the nodes that have all of these features, and has as many of them as `nodes` says, or all: \
         a partition is a feature of its nodes", source "Slurm, scontrol create reservation";
    "use" Kind::Choice(&[
        (
            "maintenance",
            "it has its processors in time: jobs that are still on them are interrupted and wait again",
        ),
        ("advance", "it waits for jobs that are still on processors it needs, and is late"),
    ]), or "maintenance" =>
        "what it is for", source "advance: W. Smith, I. Foster, V. Taylor, IPDPS 2000";
    "jobs" Kind::List(&Kind::Count { least: 0, most: u64::MAX }), absent "no job runs inside it" =>
        "the numbers of jobs that run inside it, in order of submission, and nowhere else; those that \
         outlast it are killed (`advance` only)",
        source "W. Smith, I. Foster, V. Taylor, IPDPS 2000; Slurm, Advanced Resource Reservation Guide";
    "users" Kind::List(&Kind::Count { least: 0, most: u32::MAX as u64 - 1 }), absent "no user" =>
        "the numbers of users all of whose jobs run inside it (`advance` only)";
    "on-failure" Kind::Choice(&[
        ("replace", "it takes others in their place, as soon as some are free; not of nodes that are named"),
        ("shrink", "it does without them; maintenance has them again when they are back"),
    ]), absent "it takes others in their place" =>
        "what a reservation does when processors that it has go out of service; counts only with \
         [cluster.failures]", source "Slurm, REPLACE_DOWN";
    "pools" Kind::Map(&Kind::Count { least: 1, most: u32::MAX as u64 }), absent "it holds nothing of pools" =>
        "how much it holds of pools beside its processors, by their names; it takes what is free when it begins, and \
         what it lacks as it comes back; jobs inside it hold that and no other",
        source "Slurm, scontrol create reservation (Licenses)";
    "notice" Kind::Duration(Bounds::NotNegative), absent "it is known from the start of the run" =>
        "how long before it begins policies come to know of it; \"0s\": not before it begins";
};

/// Most reservations of a run, each time of a repeated one counted.
const MOST: usize = 100_000;

/// Reservations of processors.
pub(super) const RESERVATION: Key = key! {
    "reservation" Kind::List(&Kind::Table(KEYS)), absent "no processors are reserved" =>
        "spans of time in which processors are not for everybody, a table for each: maintenance, and what \
         was promised in advance (detail `job` only)", source "Slurm, scontrol create reservation"
};

/// Returns true if a checked `[cluster]` has reservations.
pub(super) fn are_there(cluster: &Params<'_>) -> bool {
    !cluster.items(RESERVATION.name).is_empty()
}

/// Returns true if reservations of a checked `[cluster]` name jobs or users.
pub(super) fn name_jobs(cluster: &Params<'_>) -> bool {
    let names = |one: &Node| ["jobs", "users"].iter().any(|key| one.at(key).is_some());
    cluster.items(RESERVATION.name).iter().any(names)
}

/// Keys of reservations of a checked `[cluster]` by which they are more than maintenance of
/// processors, with their places.
fn beyond_maintenance(cluster: &Params<'_>) -> Vec<(Feature, Span)> {
    let tables = cluster.items(RESERVATION.name).iter().filter_map(Node::as_table);
    let beyond = tables.flat_map(Tree::slots).map(|slot| {
        let feature = match slot.name.as_str() {
            "use" => (slot.node.as_text() == Some("advance")).then_some(Feature::AdvanceReservations),
            "pools" => Some(Feature::ReservedPools),
            _ => None,
        };
        Some((feature?, slot.node.span))
    });
    beyond.flatten().collect()
}

/// Features that reservations of a checked `[cluster]` ask for.
pub(super) fn asked(cluster: &Params<'_>) -> Vec<Feature> {
    let beyond = beyond_maintenance(cluster);
    let asks = |feature: &Feature| match feature {
        Feature::Reservations => are_there(cluster),
        _ => beyond.iter().any(|(other, _)| other == feature),
    };
    let all = [Feature::Reservations, Feature::AdvanceReservations, Feature::ReservedPools];
    all.into_iter().filter(asks).collect()
}

/// Complaint about one of these features, with the places at which it is asked for.
pub(super) fn noted(complaint: Complaint, feature: Feature, cluster: &Params<'_>) -> Complaint {
    let what = match feature {
        Feature::AdvanceReservations => "this is promised in advance",
        Feature::ReservedPools => "pools are reserved here",
        _ => return complaint.note("processors are reserved here", Some(cluster.span(RESERVATION.name))),
    };
    let places = beyond_maintenance(cluster).into_iter().filter(|(other, _)| *other == feature);
    places.fold(complaint, |complaint, (_, at)| complaint.note(what, Some(at)))
}

/// Reports what cannot be simulated where processors are reserved.
pub(super) fn prepare(root: &Node, complaints: &mut Vec<Complaint>) {
    let cluster = root.table_at("cluster");
    let Some(reserved) = cluster.and_then(|cluster| cluster.slot(RESERVATION.name)) else { return };
    if cluster.is_some_and(|cluster| cluster.slot(FAILURES.name).is_none()) {
        let written = reserved.node.items().iter().filter_map(|one| one.as_table()?.slot("on-failure"));
        complaints.extend(written.map(|slot| {
            let message = "`on-failure` means nothing where no node fails";
            let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
            complaint.help("write [cluster.failures] with it, or take it out")
        }));
    }
}

/// One table: the reservation each time that it takes place, on a machine of so many processors and
/// with this calendar, in a run up to `until`; its nodes, if nodes are looked at.
fn one(
    table: &Params<'_>,
    number: u32,
    (procs, nodes, calendar): (u32, Option<&Nodes>, Option<Calendar>),
    until: Option<SimTime>,
) -> Result<(Vec<Reservation>, Option<ReservedNodes>), Complaint> {
    let (at, span): (Moment, SimDuration) = (table.read("at")?, table.read("for")?);
    let at = at.after_start(calendar).map(SimDuration::from_nanos).map_err(|why| {
        let complaint = Complaint::new(code::CONTRADICTION, why.to_string(), table.span("at"));
        complaint.help(why.help())
    })?;
    let every: Option<SimDuration> = table.read("every")?;
    let times: Option<u64> = table.read("times")?;
    let notice: Option<SimDuration> = table.read("notice")?;
    let purpose = table
        .pick("use", &[("maintenance", ReservationUse::Maintenance), ("advance", ReservationUse::Advance)])?;
    let of_nodes = nodes.map(|nodes| reserved_nodes::of_table(table, nodes)).transpose()?;
    let shrinks = of_nodes.as_ref().is_some_and(|nodes| nodes.count.is_none())
        || table.has("on-failure") && table.pick("on-failure", &[("replace", false), ("shrink", true)])?;
    let count: u32 = match nodes.zip(of_nodes.as_ref()) {
        Some((nodes, reserved)) => reserved_nodes::procs(reserved, nodes),
        None => table.read::<Option<u32>>("processors")?.unwrap_or(procs),
    };
    if count > procs {
        let message = format!("{count} processors are reserved, and the machine has {procs}");
        return Err(table.complaint("processors", message).label(format!("expected {procs} at most")));
    }
    let first = SimTime::ZERO.saturating_add(at);
    if until.is_some_and(|until| first >= until) {
        let complaint = table.complaint("at", "the run is over before this begins");
        return Err(complaint.label("expected less than `until` of [run]"));
    }
    let often = often(table, (at, span), every, times, until)?;
    let (all, every) = (1..=often, every.unwrap_or_default().as_nanos());
    let time = |time: u32| {
        let begins =
            u64::from(time - 1).checked_mul(every).and_then(|after| after.checked_add(first.as_nanos()))?;
        let ends = begins.checked_add(span.as_nanos()).filter(|&ends| ends < SimTime::MAX.as_nanos())?;
        let known = notice.map_or(0, |notice| begins.saturating_sub(notice.as_nanos()));
        let [from, to, known] = [begins, ends, known].map(SimTime::from_nanos);
        Some(Reservation { number, time, from, to, known, procs: count, purpose, shrinks })
    };
    let all = all.map(time).collect::<Option<_>>().ok_or_else(|| {
        let complaint =
            Complaint::new(code::RANGE, format!("this would end {PAST_THE_END}"), table.span("at"));
        complaint.label("too late, or too long or too often")
    })?;
    Ok((all, of_nodes))
}

/// Number of times that the reservation takes place.
fn often(
    table: &Params<'_>,
    (at, span): (SimDuration, SimDuration),
    every: Option<SimDuration>,
    times: Option<u64>,
    until: Option<SimTime>,
) -> Result<u32, Complaint> {
    let Some(every) = every else {
        return match times {
            None => Ok(1),
            Some(_) => {
                let complaint = table.complaint("times", "`times` means nothing for what is not repeated");
                Err(complaint.help("write `every` with it, or take it out"))
            }
        };
    };
    if every < span {
        let complaint = table.complaint("every", "it begins again before it is over");
        return Err(complaint
            .label(format!("expected {span} or more"))
            .note("it lasts so long", Some(table.span("for"))));
    }
    let last = until.map(|until| until.since(SimTime::ZERO).saturating_sub(at).as_nanos());
    let before_end = last.map(|last| last.div_ceil(every.as_nanos()));
    let Some(often) = times.into_iter().chain(before_end).min() else {
        let complaint = Complaint::new(
            code::MISSING_KEY,
            "it is not stated how often this is repeated",
            table.span("every"),
        );
        return Err(complaint.help("write `times` with it, or `until` in [run]"));
    };
    if often > MOST as u64 {
        let message = format!("it takes place {often} times");
        return Err(Complaint::new(code::RANGE, message, table.span("every"))
            .label(format!("expected {MOST} times at most")));
    }
    Ok(often as u32)
}

/// The reservations of a run of this scenario, of nodes if these are looked at.
///
/// # Errors
/// They cannot be.
pub(super) fn reservations(
    registry: &Registry,
    scenario: &Scenario,
    loaded: &LoadedWorkload,
    site: Option<&Nodes>,
) -> Result<Reservations, Box<Rejected>> {
    let procs = loaded.procs;
    let params = scenario.params(registry);
    let cluster = params.section("cluster");
    let nodes = cluster.items(RESERVATION.name);
    if nodes.is_empty() {
        return Ok(Reservations::NONE);
    }
    let mut complaints = Vec::new();
    let (mut all, mut of) = (Vec::new(), OrderedMap::new());
    for (number, node) in (1..).zip(nodes) {
        match one(&cluster.with(node), number, (procs, site, loaded.calendar), scenario.until) {
            Ok((times, own)) => {
                all.extend(times);
                of.extend(own.map(|own| (number, own)));
            }
            Err(complaint) => complaints.push(complaint),
        }
    }
    if all.len() > MOST {
        let message = format!("reservations take place {} times", all.len());
        let complaint = Complaint::new(code::RANGE, message, cluster.span(RESERVATION.name));
        complaints.push(complaint.label(format!("expected {MOST} times at most, all together")));
    }
    if complaints.is_empty()
        && let Some(site) = site
        && let Some((number, message)) = reserved_nodes::too_many(&all, &of, site.count())
    {
        let at = nodes[number as usize - 1].span;
        let complaint = Complaint::new(code::CONTRADICTION, message, at);
        complaints.push(complaint.label("these, with those that overlap them"));
    }
    if complaints.is_empty()
        && site.is_none()
        && let Some((most, number)) = too_many(&all, procs)
    {
        let at = nodes[number as usize - 1].span;
        let message = format!("{most} processors are reserved at once, and the machine has {procs}");
        let complaint = Complaint::new(code::CONTRADICTION, message, at);
        complaints.push(complaint.label("these, with those that overlap them"));
    }
    let inside = inside(&cluster, nodes, &loaded.jobs, &mut complaints);
    let pools = reserved_pools::reserved(&cluster, nodes, &all, &mut complaints);
    if complaints.is_empty() {
        Ok(Reservations { all, inside, nodes: of, pools })
    } else {
        Err(scenario.reject_all(complaints))
    }
}

/// The jobs that run inside reservations, with the numbers of these: of several that name a job the
/// first.
fn inside(
    cluster: &Params<'_>,
    tables: &[Node],
    jobs: &[Job],
    complaints: &mut Vec<Complaint>,
) -> OrderedMap<JobId, u32> {
    let mut inside = OrderedMap::new();
    let mut numbers: OrderedMap<u64, Vec<JobId>> = OrderedMap::new();
    for (number, node) in (1..).zip(tables) {
        let table = cluster.with(node);
        let read = |key| table.read::<Option<Vec<u64>>>(key).map(Option::unwrap_or_default);
        let (named, users) = match (read("jobs"), read("users")) {
            (Ok(named), Ok(users)) => (named, users),
            (Err(complaint), _) | (_, Err(complaint)) => {
                complaints.push(complaint);
                continue;
            }
        };
        if named.is_empty() && users.is_empty() {
            continue;
        }
        if numbers.is_empty() {
            for (id, job) in (0..).map(JobId).zip(jobs) {
                numbers.entry(job.number).or_default().push(id);
            }
        }
        let key = if named.is_empty() { "users" } else { "jobs" };
        if table.tree().get("use").and_then(Node::as_text) != Some("advance") {
            let complaint = table.complaint(key, "no job runs inside maintenance");
            complaints.push(complaint.help("write use = \"advance\" with it, or take it out"));
            continue;
        }
        for name in named {
            match numbers.get(&name) {
                Some(ids) => ids.iter().for_each(|&id| {
                    inside.entry(id).or_insert(number);
                }),
                None => complaints
                    .push(table.complaint("jobs", format!("there is no job {name} in this workload"))),
            }
        }
        let own = |job: &Job| users.contains(&u64::from(job.user));
        for (id, _) in (0..).map(JobId).zip(jobs).filter(|(_, job)| own(job)) {
            inside.entry(id).or_insert(number);
        }
    }
    inside
}

/// Number of processors reserved at the first instant at which they are too many, and the number of
/// the one that begins then.
fn too_many(all: &[Reservation], procs: u32) -> Option<(u64, u32)> {
    more_at_once(all, procs, |one| one.procs)
}
