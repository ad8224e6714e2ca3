//! Faults planted in the files of runs of shipped scenarios: `check` finds each, and names the
//! promise that it breaks.

use std::fs;

use serde_json::Value as Json;

use clustersim_testing::program::{Place, repository};

use crate::changed_table::Table;

/// A run of a shipped scenario, made quick: its name here, the scenario, replaced text, settings
/// and the point that is run.
struct PlantedRun {
    name: &'static str,
    scenario: &'static str,
    replaced: &'static [(&'static str, &'static str)],
    settings: &'static [&'static str],
    point: Option<&'static str>,
}

const fn week(name: &'static str, settings: &'static [&'static str]) -> PlantedRun {
    PlantedRun { name, scenario: "quickstart", replaced: &[], settings, point: None }
}

const fn nodes(name: &'static str, settings: &'static [&'static str]) -> PlantedRun {
    PlantedRun { name, scenario: "gpu-cluster", replaced: &[], settings, point: None }
}

const fn reserved(name: &'static str, point: &'static str) -> PlantedRun {
    PlantedRun { name, scenario: "maintenance", replaced: RESERVED, settings: &[], point: Some(point) }
}

const fn reserved_nodes(name: &'static str, settings: &'static [&'static str]) -> PlantedRun {
    PlantedRun { name, scenario: "gpu-cluster", replaced: RESERVED_NODES, settings, point: None }
}

const fn failing(name: &'static str, settings: &'static [&'static str]) -> PlantedRun {
    PlantedRun { name, scenario: "checkpoints", replaced: FAILING, settings, point: Some("2") }
}

const RESERVED: &[(&str, &str)] = &[
    ("jobs      = 2000", "jobs = 300"),
    ("load      = 0.5", "load = 0.9"),
    ("[\"none\", \"easy\"]", "[\"none\", \"easy\", \"conservative\"]"),
];
const RESERVED_NODES: &[(&str, &str)] = &[(
    "[workload]",
    r#"
[[cluster.reservation]]
at = "54h"
for = "8h"
every = "168h"
times = 9
nodes = ["0-23"]
[[cluster.reservation]]
at = "16h"
for = "2h"
every = "24h"
times = 60
nodes = ["20-21"]
use = "advance"
jobs = [9, 19, 29]
[[cluster.reservation]]
at = "16h"
for = "2h"
every = "24h"
times = 60
nodes = 4
features = ["cpu"]
use = "advance"
[workload]"#,
)];
const FAILING: &[(&str, &str)] = &[("jobs      = 400", "jobs = 150"), ("load      = 0.6", "load = 0.9")];
const FAILING_RESERVED: &[(&str, &str)] = &[
    ("jobs      = 400", "jobs = 150"),
    ("load      = 0.6", "load = 0.9"),
    (
        "[workload]",
        r#"
[[cluster.reservation]]
at = "54h"
for = "8h"
every = "168h"
times = 30
on-failure = "shrink"
[[cluster.reservation]]
at = "16h"
for = "2h"
every = "24h"
times = 200
processors = 16
use = "advance"
notice = "12h"
[workload]"#,
    ),
];

const fn failing_reserved(name: &'static str, settings: &'static [&'static str]) -> PlantedRun {
    PlantedRun { name, scenario: "checkpoints", replaced: FAILING_RESERVED, settings, point: Some("2") }
}

const fn with_licences(name: &'static str, settings: &'static [&'static str]) -> PlantedRun {
    PlantedRun { name, scenario: "quickstart", replaced: LICENCES, settings, point: None }
}

const LICENCES: &[(&str, &str)] = &[(
    "[policy]",
    "[[workload.demand]]\nshare = 0.4\npools = { matlab = 2 }\n[cluster]\npools = { matlab = 7 }\n[policy]",
)];

/// A week under limits of users, whose jobs the log lists in no queue.
const LIMITS: &str =
    "policy.queues=[{ name = \"all\", max-running-per-user = 1, max-queued-per-user = 3, max-procs = 64 }]";
/// An order by fair share, computed at every decision.
const FAIR: &str = "policy.queue={ kind = \"priority\", age = 1, fairshare = 3, interval = \"0s\" }";

/// The same by charges of the largest share of each node, under no other rule of overtaking.
const CHARGED: &str = "policy.queue={ kind = \"priority\", age = 0, fairshare = 3, interval = \"0s\", \
    half-life = \"12h\", charge = \"dominant\" }";
/// Limits of the nodes and GPUs of all jobs.
const OF_NODES: &str =
    "policy.queues=[{ name = \"all\", max-running-nodes = 20, max-running-gpus = 6, max-gpus = 4 }]";

/// The same with more nodes, which jobs wait for as well.
const OF_MORE_NODES: &str =
    "policy.queues=[{ name = \"all\", max-running-nodes = 50, max-running-gpus = 12, max-gpus = 12 }]";

const RUNS: [PlantedRun; 44] = [
    week("fcfs", &["policy.backfill=none"]),
    week("sjf", &["policy.backfill=none", "policy.queue=sjf"]),
    week("easy", &[]),
    week("conservative", &["policy.backfill=conservative"]),
    week("first-fit", &["policy.backfill=none", "policy.queue=first-fit"]),
    week("event-sjf", &["policy.backfill=none", "policy.queue=sjf", "policy.decide=event"]),
    week("event-easy", &["policy.decide=event"]),
    week("event-conservative", &["policy.backfill=conservative", "policy.decide=event"]),
    week("killed", &["cluster.kill-at-estimate=true"]),
    week("impatient", &["workload.patience=2h"]),
    nodes("nodes-easy", &["workload.jobs=400"]),
    nodes("nodes-fcfs", &["workload.jobs=400", "policy.kind=fcfs"]),
    nodes("nodes-first-fit", &["workload.jobs=400", "policy.kind=first-fit"]),
    reserved("reserved-fcfs", "0"),
    reserved("reserved-easy", "1"),
    reserved("reserved-conservative", "2"),
    reserved_nodes("reserved-nodes-fcfs", &["workload.jobs=400", "policy.kind=fcfs"]),
    reserved_nodes("reserved-nodes-easy", &["workload.jobs=400"]),
    reserved_nodes("reserved-nodes-conservative", &["workload.jobs=400", "policy.kind=conservative"]),
    with_licences("licensed-easy", &[]),
    with_licences("licensed-conservative", &["policy.backfill=conservative"]),
    with_licences("licensed-first-fit", &["policy.backfill=none", "policy.queue=first-fit"]),
    week("limited-fcfs", &["policy.backfill=none", LIMITS]),
    week("limited-easy", &[LIMITS]),
    week("limited-conservative", &["policy.backfill=conservative", LIMITS]),
    week("limited-first-fit", &["policy.backfill=none", "policy.queue=first-fit", LIMITS]),
    week("fair-none", &["policy.backfill=none", FAIR]),
    week("fair-easy", &[FAIR]),
    week("fair-conservative", &["policy.backfill=conservative", FAIR]),
    nodes("charged-fcfs", &["workload.jobs=400", "policy.kind=fcfs", CHARGED]),
    nodes("node-limits-fcfs", &["workload.jobs=400", "policy.kind=fcfs", OF_NODES]),
    nodes("node-limits-easy", &["workload.jobs=400", OF_NODES]),
    nodes("more-nodes-fcfs", &["workload.jobs=400", "workload.load=1.1", "policy.kind=fcfs", OF_MORE_NODES]),
    nodes("more-nodes-easy", &["workload.jobs=400", "workload.load=1.1", OF_MORE_NODES]),
    nodes(
        "more-nodes-conservative",
        &["workload.jobs=400", "workload.load=1.1", "policy.kind=conservative", OF_MORE_NODES],
    ),
    failing("failing-fcfs", &["policy.kind=fcfs"]),
    failing("failing-easy", &[]),
    failing("failing-conservative", &["policy.kind=conservative"]),
    failing_reserved("failing-reserved-fcfs", &["policy.kind=fcfs"]),
    failing_reserved("failing-reserved-easy", &[]),
    failing_reserved("failing-reserved-conservative", &["policy.kind=conservative"]),
    PlantedRun { name: "site", scenario: "site", replaced: &[], settings: &[], point: None },
    PlantedRun {
        name: "moldable",
        scenario: "moldable",
        replaced: &[],
        settings: &["workload.jobs=200"],
        point: Some("3"),
    },
    PlantedRun {
        name: "moldable-sjf",
        scenario: "moldable",
        replaced: &[],
        settings: &["workload.jobs=200", "policy.queue=sjf"],
        point: Some("3"),
    },
];

const WEEK: f64 = 604_800.0;

const COMPLETE: &str = "the jobs are those of the workload, none lost";
const EACH_JOB: &str = "each job starts after its submission";
const OVERTAKES: &str = "nothing overtakes";
const HEAD: &str = "the head of the queue starts once it fits";
const SHADOW: &str = "the head of the queue starts at its first shadow time at the latest";
const BOOKED: &str = "no job starts later than the reservation";
const FITS: &str = "no job waits while enough processors are free";
const OVERLAP: &str = "no processor is held by more jobs";
const LIMIT: &str = "no job runs longer than it may";
const CANCELLED: &str = "jobs are cancelled when their users want it";
const ON_NODES: &str = "nodes give no more memory and GPUs";
const MOLDABLE: &str = "moldable jobs have sizes";
const WORK: &str = "a job is interrupted only when a node of it fails";
const IN_SERVICE: &str = "no job is on a processor that is out of service";
const GRANTED: &str = "reservations have their processors";
const EXCLUSIVE: &str = "no job is on processors that are reserved";
const RESPECTED: &str = "no job is started that by the estimates delays";
const INSIDE: &str = "a job that is to run inside a reservation does so";
const INTERRUPTED: &str = "a job is interrupted only when maintenance begins";
const LIMITED: &str = "no queue exceeds its limits";
const CELLS: &str = "cells of the jobs that follow from others";
const OUTAGES: &str = "outages are of the processors of their nodes";

const IN_POOLS: &str = "no more of a pool is held than there is";

type Change = fn(&mut Table);
/// A fault: the run, the table, what is changed in it, and the promise that is broken.
type Fault = (&'static str, &'static str, &'static str, Change, &'static str);

const LATE: &str = "starts a second late";
const FAR_LATE: &str = "starts a week late";
const TWICE: &str = "has the processors of another";
const EARLY: &str = "starts when it is submitted";

fn head_late(table: &mut Table) {
    let row = table.head();
    table.shift(row, 1.0);
}

fn head_far_late(table: &mut Table) {
    let row = table.head();
    table.shift(row, WEEK);
}

fn booked_far_late(table: &mut Table) {
    let row = table.booked();
    table.shift(row, WEEK);
}

fn waited_late(table: &mut Table) {
    let row = table.waited();
    table.shift(row, 1.0);
}

fn waited_at_once(table: &mut Table) {
    // others waited before it
    let row = (0..table.rows.len()).max_by(|&one, &other| {
        let wait = |row| table.secs(row, "waiting_time");
        wait(one).total_cmp(&wait(other))
    });
    let row = row.unwrap();
    table.at_once(row);
}

/// The first job that waited for longer than a minute, for licences too, and started for this
/// reason; any reason, if it is empty.
fn licensed(table: &Table, reason: &str) -> usize {
    table.find(|row| {
        let waited = table.secs(row, "waiting_time") > 60.0 && !table.cell(row, "starting_time").is_empty();
        waited
            && table.cell(row, "pools") == "matlab:2"
            && (reason.is_empty() || table.cell(row, "reason") == reason)
    })
}

fn licensed_late(table: &mut Table) {
    let row = licensed(table, "head");
    table.shift(row, 1.0);
}

fn licensed_far_late(table: &mut Table) {
    let row = licensed(table, "head");
    table.shift(row, WEEK);
}

fn licensed_waited_late(table: &mut Table) {
    let row = licensed(table, "");
    table.shift(row, 1.0);
}

fn licensed_at_once(table: &mut Table) {
    let row = licensed(table, "head");
    table.at_once(row);
}

/// The first job that waited for longer than a minute, and then for a limit.
fn let_through(table: &Table) -> usize {
    table.find(|row| table.secs(row, "waiting_time") > 60.0 && table.cell(row, "reason") == "limit-lifted")
}

fn let_through_at_once(table: &mut Table) {
    let row = let_through(table);
    table.at_once(row);
}

fn let_through_early(table: &mut Table) {
    let row = let_through(table);
    table.shift(row, -1.0);
}

fn let_through_late(table: &mut Table) {
    let row = let_through(table);
    table.shift(row, 1.0);
}

fn let_through_far_late(table: &mut Table) {
    let row = let_through(table);
    table.shift(row, WEEK);
}

/// A job within all limits is refused, as one that exceeds them.
fn refused(table: &mut Table) {
    table.set(7, "final_state", "REJECTED");
    let cells = ["starting_time", "execution_time", "finish_time", "waiting_time", "turnaround_time"];
    cells.into_iter().for_each(|name| table.set(7, name, ""));
    table.set(7, "allocated_resources", "");
}

/// Two jobs that started one after the other, and waited for longer than a minute, start each when
/// the other did.
fn exchanged(table: &mut Table) {
    let start = |table: &Table, row| table.secs(row, "starting_time");
    let waits = |table: &Table, row| table.secs(row, "waiting_time") > 60.0;
    let both = |table: &Table, one, other| {
        let came = table.secs(other, "submission_time") < start(table, one);
        let alike = ["requested_number_of_resources", "requested_time"];
        let alike = alike.iter().all(|name| table.cell(one, name) == table.cell(other, name));
        waits(table, one) && waits(table, other) && came && alike && start(table, one) < start(table, other)
    };
    let rows = table.rows.len();
    let pair = |one: usize| (0..rows).find(|&other| both(table, one, other)).map(|other| (one, other));
    let (one, other) = (0..rows).find_map(pair).unwrap();
    let between = start(table, other) - start(table, one);
    table.shift(one, between);
    table.shift(other, -between);
}

/// Two jobs of one size that run at the same time have the same processors.
fn processors_of_another(table: &mut Table) {
    let size = |row| table.cell(row, "requested_number_of_resources");
    let [start, end] = [
        |table: &Table, row| table.secs(row, "starting_time"),
        |table: &Table, row| table.secs(row, "finish_time"),
    ];
    let meet = |one, other| start(table, one) < end(table, other) && start(table, other) < end(table, one);
    let rows = table.rows.len();
    let alike = |one| (one + 1..rows).find(|&other| size(one) == size(other) && meet(one, other));
    let (one, other) = (0..rows).find_map(|one| Some((one, alike(one)?))).unwrap();
    let on = table.cell(one, "allocated_resources").to_owned();
    table.set(other, "allocated_resources", &on);
}

const FAULTS: &[Fault] = &[
    ("fcfs", "jobs.csv", LATE, head_late, HEAD),
    ("fcfs", "jobs.csv", EARLY, waited_at_once, OVERTAKES),
    ("sjf", "jobs.csv", LATE, head_late, HEAD),
    ("sjf", "jobs.csv", EARLY, waited_at_once, OVERTAKES),
    ("easy", "jobs.csv", LATE, head_late, HEAD),
    ("easy", "jobs.csv", FAR_LATE, head_far_late, SHADOW),
    ("conservative", "jobs.csv", FAR_LATE, booked_far_late, BOOKED),
    ("event-sjf", "jobs.csv", LATE, head_late, HEAD),
    ("event-sjf", "jobs.csv", EARLY, waited_at_once, OVERTAKES),
    ("event-easy", "jobs.csv", LATE, head_late, HEAD),
    ("event-easy", "jobs.csv", FAR_LATE, head_far_late, SHADOW),
    ("event-conservative", "jobs.csv", FAR_LATE, booked_far_late, BOOKED),
    ("moldable-sjf", "jobs.csv", LATE, head_late, HEAD),
    ("moldable-sjf", "jobs.csv", FAR_LATE, head_far_late, SHADOW),
    ("first-fit", "jobs.csv", LATE, waited_late, FITS),
    ("first-fit", "jobs.csv", "starts a week late", |table| table.shift(5, WEEK), FITS),
    ("fcfs", "jobs.csv", "starts before its submission", |table| table.shift(30, -1.0), EACH_JOB),
    ("easy", "jobs.csv", "runs a second longer", |table| table.add(3, "finish_time", 1.0), EACH_JOB),
    ("easy", "jobs.csv", "lacks processors", |table| table.set(3, "allocated_resources", "0"), EACH_JOB),
    (
        "conservative",
        "jobs.csv",
        "is on processors that there are not",
        |table| {
            let row = table.find(|row| table.cell(row, "requested_number_of_resources") == "4");
            table.set(row, "allocated_resources", "98-101");
        },
        EACH_JOB,
    ),
    ("first-fit", "jobs.csv", TWICE, processors_of_another, OVERLAP),
    ("fcfs", "jobs.csv", "is lost", |table| drop(table.rows.remove(7)), COMPLETE),
    ("easy", "jobs.csv", "is there twice", |table| table.rows.insert(8, table.rows[7].clone()), COMPLETE),
    ("easy", "jobs.csv", "asks for longer", |table| table.add(7, "requested_time", 60.0), COMPLETE),
    (
        "conservative",
        "jobs.csv",
        "asks for more",
        |table| table.set(7, "requested_number_of_resources", "99"),
        COMPLETE,
    ),
    ("easy", "jobs.csv", "is refused without need", refused, COMPLETE),
    (
        "limited-fcfs",
        "jobs.csv",
        "starts a second before a limit lets it through",
        let_through_early,
        LIMITED,
    ),
    ("limited-fcfs", "jobs.csv", LATE, head_late, HEAD),
    ("limited-easy", "jobs.csv", EARLY, let_through_at_once, LIMITED),
    ("limited-easy", "jobs.csv", "is refused though it keeps the limits", refused, COMPLETE),
    ("limited-easy", "jobs.csv", LATE, head_late, HEAD),
    ("limited-conservative", "jobs.csv", EARLY, let_through_at_once, LIMITED),
    ("limited-conservative", "jobs.csv", "is held for a week", let_through_far_late, BOOKED),
    ("limited-first-fit", "jobs.csv", "is held though the limit let it through", let_through_late, FITS),
    ("limited-first-fit", "jobs.csv", EARLY, let_through_at_once, LIMITED),
    ("fair-none", "jobs.csv", EARLY, waited_at_once, OVERTAKES),
    ("fair-none", "jobs.csv", "starts in the place of another", exchanged, OVERTAKES),
    ("fair-none", "jobs.csv", LATE, head_late, HEAD),
    ("charged-fcfs", "jobs.csv", EARLY, waited_at_once, OVERTAKES),
    ("charged-fcfs", "jobs.csv", LATE, head_late, HEAD),
    ("node-limits-fcfs", "jobs.csv", EARLY, let_through_at_once, LIMITED),
    (
        "node-limits-easy",
        "jobs.csv",
        "starts a second before a limit lets it through",
        let_through_early,
        LIMITED,
    ),
    ("node-limits-easy", "jobs.csv", "is refused though it keeps the limits", refused, COMPLETE),
    ("more-nodes-fcfs", "jobs.csv", LATE, head_late, HEAD),
    ("more-nodes-fcfs", "jobs.csv", EARLY, waited_at_once, OVERTAKES),
    ("more-nodes-easy", "jobs.csv", LATE, head_late, HEAD),
    ("more-nodes-easy", "jobs.csv", FAR_LATE, head_far_late, SHADOW),
    ("more-nodes-conservative", "jobs.csv", FAR_LATE, booked_far_late, BOOKED),
    ("fair-easy", "jobs.csv", LATE, head_late, HEAD),
    ("fair-easy", "jobs.csv", FAR_LATE, head_far_late, SHADOW),
    ("fair-conservative", "jobs.csv", FAR_LATE, booked_far_late, BOOKED),
    (
        "killed",
        "jobs.csv",
        "goes on after its limit",
        |table| {
            let row = table.find(|row| table.cell(row, "final_state") == "COMPLETED_WALLTIME_REACHED");
            table.add(row, "finish_time", 1.0);
            table.add(row, "execution_time", 1.0);
        },
        LIMIT,
    ),
    (
        "killed",
        "jobs.csv",
        "is killed before its limit",
        |table| {
            let row = table.find(|row| table.cell(row, "final_state") == "COMPLETED_SUCCESSFULLY");
            table.set(row, "final_state", "COMPLETED_WALLTIME_REACHED");
        },
        LIMIT,
    ),
    (
        "killed",
        "jobs.csv",
        "ends by itself at its limit",
        |table| {
            let row = table.find(|row| table.cell(row, "final_state") == "COMPLETED_WALLTIME_REACHED");
            table.set(row, "final_state", "COMPLETED_SUCCESSFULLY");
        },
        COMPLETE,
    ),
    (
        "impatient",
        "jobs.csv",
        "is cancelled a second late",
        |table| {
            let row = table.find(|row| table.cell(row, "final_state") == "CANCELLED");
            table.add(row, "finish_time", 1.0);
        },
        CANCELLED,
    ),
    (
        "impatient",
        "jobs.csv",
        "starts when its user has gone",
        |table| {
            let row = table.find(|row| table.cell(row, "final_state") == "COMPLETED_SUCCESSFULLY");
            table.shift(row, 7_300.0);
        },
        CANCELLED,
    ),
    ("nodes-fcfs", "jobs.csv", LATE, head_late, HEAD),
    ("nodes-fcfs", "jobs.csv", EARLY, waited_at_once, OVERTAKES),
    ("nodes-easy", "jobs.csv", LATE, head_late, HEAD),
    ("nodes-easy", "jobs.csv", FAR_LATE, head_far_late, SHADOW),
    ("nodes-first-fit", "jobs.csv", LATE, waited_late, FITS),
    (
        "nodes-easy",
        "jobs.csv",
        "is on nodes without the feature that it asks for",
        |table| {
            let size = |row: usize| table.cell(row, "requested_number_of_resources").parse().unwrap_or(0);
            let high = |row: &usize| table.cell(*row, "allocated_resources").starts_with("768-");
            let row = (0..table.rows.len()).filter(high).max_by_key(|&row| size(row)).expect("a large one");
            let last: u32 = size(row) - 1;
            table.set(row, "allocated_resources", &format!("0-{last}"));
        },
        ON_NODES,
    ),
    ("nodes-first-fit", "jobs.csv", TWICE, processors_of_another, OVERLAP),
    ("reserved-fcfs", "jobs.csv", LATE, head_late, HEAD),
    ("reserved-fcfs", "jobs.csv", EARLY, waited_at_once, OVERTAKES),
    ("reserved-easy", "jobs.csv", LATE, head_late, HEAD),
    ("reserved-easy", "jobs.csv", FAR_LATE, head_far_late, SHADOW),
    ("reserved-conservative", "jobs.csv", FAR_LATE, booked_far_late, BOOKED),
    (
        "reserved-fcfs",
        "jobs.csv",
        "starts during maintenance",
        |table| {
            let by = 55.0 * 3_600.0 - table.secs(2, "starting_time");
            table.shift(2, by);
        },
        EXCLUSIVE,
    ),
    (
        "reserved-easy",
        "jobs.csv",
        "starts a second before maintenance",
        |table| {
            let by = 54.0 * 3_600.0 - 1.0 - table.secs(2, "starting_time");
            table.shift(2, by);
        },
        RESPECTED,
    ),
    ("reserved-fcfs", "reservations.csv", "is late", |table| table.add(0, "from", 1.0), GRANTED),
    ("reserved-easy", "reservations.csv", "has nothing", |table| drop(table.rows.remove(0)), GRANTED),
    ("reserved-conservative", "reservations.csv", "ends early", |table| table.add(0, "to", -1.0), GRANTED),
    (
        "reserved-easy",
        "attempts.csv",
        "is interrupted by nothing",
        |table| table.rows.push(["1", "0", "1", "0", "1", "0-63", "0"].map(str::to_owned).to_vec()),
        INTERRUPTED,
    ),
    ("reserved-nodes-fcfs", "jobs.csv", LATE, head_late, HEAD),
    ("reserved-nodes-easy", "jobs.csv", FAR_LATE, head_far_late, SHADOW),
    ("reserved-nodes-conservative", "jobs.csv", FAR_LATE, booked_far_late, BOOKED),
    (
        "reserved-nodes-fcfs",
        "jobs.csv",
        "starts on nodes that are reserved",
        |table| {
            let by = 55.0 * 3_600.0 - table.secs(2, "starting_time");
            table.shift(2, by);
        },
        EXCLUSIVE,
    ),
    (
        "reserved-nodes-easy",
        "jobs.csv",
        "starts a second before its nodes are reserved",
        |table| {
            let row = table.find(|row| table.cell(row, "allocated_resources") == "0-31");
            let by = 54.0 * 3_600.0 - 1.0 - table.secs(row, "starting_time");
            table.shift(row, by);
        },
        RESPECTED,
    ),
    ("reserved-nodes-fcfs", "reservations.csv", "is late", |table| table.add(0, "from", 1.0), GRANTED),
    ("reserved-nodes-easy", "reservations.csv", "has no node", |table| drop(table.rows.remove(0)), GRANTED),
    (
        "reserved-nodes-conservative",
        "reservations.csv",
        "has other nodes",
        |table| {
            let row = table.find(|row| table.cell(row, "reservation") == "3");
            table.set(row, "processors", "0-127");
        },
        GRANTED,
    ),
    (
        "reserved-nodes-easy",
        "jobs.csv",
        "runs inside another reservation",
        |table| {
            // the other one has nodes 18, 19, 22 and 23
            let row = table.find(|row| table.cell(row, "reason") == "inside-reservation");
            table.set(row, "allocated_resources", "736");
        },
        INSIDE,
    ),
    ("licensed-easy", "jobs.csv", LATE, licensed_late, HEAD),
    ("licensed-easy", "jobs.csv", FAR_LATE, licensed_far_late, SHADOW),
    ("licensed-conservative", "jobs.csv", FAR_LATE, booked_far_late, BOOKED),
    ("licensed-first-fit", "jobs.csv", LATE, licensed_waited_late, FITS),
    ("licensed-easy", "jobs.csv", "takes licences that others have", licensed_at_once, IN_POOLS),
    (
        "licensed-conservative",
        "jobs.csv",
        "asks for none",
        |table| {
            let row = table.find(|row| table.cell(row, "pools") == "matlab:2");
            table.set(row, "pools", "");
        },
        IN_POOLS,
    ),
    (
        "licensed-first-fit",
        "jobs.csv",
        "asks for another pool",
        |table| {
            let row = table.find(|row| table.cell(row, "pools") == "matlab:2");
            table.set(row, "pools", "abaqus:2");
        },
        IN_POOLS,
    ),
    ("failing-fcfs", "jobs.csv", LATE, head_late, HEAD),
    ("failing-fcfs", "jobs.csv", EARLY, waited_at_once, OVERTAKES),
    ("failing-easy", "jobs.csv", LATE, head_late, HEAD),
    ("failing-easy", "jobs.csv", FAR_LATE, head_far_late, SHADOW),
    ("failing-conservative", "jobs.csv", FAR_LATE, booked_far_late, BOOKED),
    ("failing-easy", "attempts.csv", "keeps more", |table| table.add(0, "saved_work", 60.0), WORK),
    (
        "failing-fcfs",
        "attempts.csv",
        "ends before the failure",
        |table| table.add(0, "finish_time", -1.0),
        WORK,
    ),
    ("failing-conservative", "attempts.csv", "is left out", |table| drop(table.rows.remove(0)), EACH_JOB),
    ("failing-easy", "outages.csv", "fails an hour sooner", |table| table.add(0, "from", -3_600.0), WORK),
    (
        "failing-fcfs",
        "outages.csv",
        "is out of service for ever",
        |table| (0..table.rows.len()).for_each(|row| table.add(row, "to", WEEK)),
        IN_SERVICE,
    ),
    ("failing-conservative", "outages.csv", "is another node", |table| table.set(0, "node", "63"), OUTAGES),
    ("failing-reserved-fcfs", "jobs.csv", LATE, head_late, HEAD),
    ("failing-reserved-fcfs", "jobs.csv", EARLY, waited_at_once, OVERTAKES),
    ("failing-reserved-easy", "jobs.csv", LATE, head_late, HEAD),
    ("failing-reserved-easy", "jobs.csv", FAR_LATE, head_far_late, SHADOW),
    ("failing-reserved-conservative", "jobs.csv", FAR_LATE, booked_far_late, BOOKED),
    (
        "failing-reserved-easy",
        "jobs.csv",
        "starts a second before maintenance",
        |table| {
            let by = 54.0 * 3_600.0 - 1.0 - table.secs(2, "starting_time");
            table.shift(2, by);
        },
        RESPECTED,
    ),
    (
        "failing-reserved-conservative",
        "reservations.csv",
        "has nothing",
        |table| drop(table.rows.remove(0)),
        GRANTED,
    ),
    (
        "site",
        "attempts.csv",
        "had parts of a GPU that another had whole",
        |table| {
            let gpus = |row: usize| table.cell(row, "allocated_gpus");
            let in_parts = table.find(|row| gpus(row).contains(':'));
            // both were interrupted by the failure of one node
            let end = table.cell(in_parts, "finish_time");
            let meets = |row: usize| table.cell(row, "finish_time") == end && !gpus(row).is_empty();
            let whole = table.find(|row| meets(row) && !gpus(row).contains(':'));
            let last = gpus(whole).rsplit(' ').next().unwrap().to_owned();
            table.set(in_parts, "allocated_gpus", &format!("{last}:1 {last}:1"));
        },
        ON_NODES,
    ),
    (
        "site",
        "attempts.csv",
        "had no GPU",
        |table| {
            let row = table.find(|row| !table.cell(row, "allocated_gpus").is_empty());
            table.set(row, "allocated_gpus", "");
        },
        ON_NODES,
    ),
    (
        "moldable",
        "jobs.csv",
        "has a size that it cannot have",
        |table| table.set(9, "given_number_of_resources", "65"),
        MOLDABLE,
    ),
    (
        "moldable",
        "jobs.csv",
        "runs longer than by its law",
        |table| {
            table.add(9, "finish_time", 60.0);
            table.add(9, "execution_time", 60.0);
        },
        MOLDABLE,
    ),
    ("fcfs", "jobs.csv", "waits by another number", |table| table.add(9, "waiting_time", 1.0), CELLS),
    ("easy", "jobs.csv", "stands in another place", |table| table.rows.swap(9, 99), CELLS),
];

fn run(one: &PlantedRun) -> Place {
    let place = Place::new();
    let scenario = repository(&format!("scenarios/{}.toml", one.scenario));
    let text = fs::read_to_string(&scenario).unwrap();
    let (text, _) = text.split_once("[expect]").unwrap_or((&text, ""));
    let data = format!("= \"{}/", scenario.with_file_name("data").display());
    let mut text = text.replace("= \"data/", &data);
    for (from, to) in one.replaced {
        assert!(text.contains(from), "{}: {from}", one.name);
        text = text.replace(from, to);
    }
    place.file("run.toml", text);
    let mut words = vec!["run", "run.toml", "-q", "-o", "out", "--no-progress"];
    let week = ["workload.from=14d", "workload.to=21d"];
    let own = if one.scenario == "quickstart" { &week[..] } else { &[] };
    for setting in own.iter().chain(one.settings).chain(&["record.report=false"]) {
        words.extend(["--set", setting]);
    }
    if let Some(point) = one.point {
        words.extend(["--point", point, "--replication", "0"]);
    }
    let output = place.run(&words);
    assert_eq!(output.status, 0, "{}: {}", one.name, output.stderr);
    place
}

/// The promises of a run that are broken.
fn broken(place: &Place) -> Vec<String> {
    let output = place.run(&["check", "out", "--json"]);
    let Ok(json) = serde_json::from_str::<Json>(&output.stdout) else { return vec![output.stderr] };
    let all = json["promises"].as_array().unwrap().iter().filter(|promise| promise["state"] == "broken");
    all.map(|promise| promise["promise"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_planted_fault_is_found_and_named() {
    assert!(FAULTS.len() >= 40);
    let mut missed = Vec::new();
    for one in &RUNS {
        let place = run(one);
        assert_eq!(broken(&place), [""; 0], "{}", one.name);
        for (_, table, about, change, promise) in FAULTS.iter().filter(|fault| fault.0 == one.name) {
            let path = place.path("out").join(table);
            let whole = fs::read_to_string(&path).unwrap();
            let mut changed = Table::read(&whole);
            change(&mut changed);
            fs::write(&path, changed.text()).unwrap();
            let found = broken(&place);
            if !found.iter().any(|found| found.starts_with(promise)) {
                missed.push(format!("{}, {table}: {about}: not `{promise}`, but {found:?}", one.name));
            }
            fs::write(&path, whole).unwrap();
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
