//! The coscheduling rows of the speed table: what a delivered message and a context switch cost, in
//! bare events' worth of time.
//!
//! `cargo bench --bench coscheduling` prints the table. A row is a whole run at detail `task`, its
//! nodes made and taken down again, divided by the messages sent (all of them are received) or by
//! the dispatches. Rows and bare loop take turns, round by round, so that a noisy machine disturbs
//! both; a figure is the median over the rounds, beside the least and the most. The bare loop has
//! 100 events pending whatever the size of the cluster, where it is fastest.
//!
//! `-- TEXT` runs only the rows whose name holds TEXT. `-- --minute POLICY` simulates a minute of
//! 1,024 nodes with four jobs on each, and tells how long it took. `-- --count ROW N OPS` runs one
//! row once and prints nothing else: for instruction counts.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::disallowed_methods, reason = "the bare loop draws with the machine's own logarithm")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

#[expect(dead_code, reason = "shared with the kernel's rows, which use more of it")]
mod bare;
#[path = "../crates/cluster/tests/it/coscheduling/support.rs"]
#[expect(dead_code, reason = "shared with the tests, which use more of it")]
mod support;

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use bare::{Source, bare_best, median};
use clustersim_cluster::instrument::SiteModel;
use clustersim_cluster::policy::{Detail, Outcomes, Setting, TaskDetail, Watching, simulate_watched};
use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::parallel::{Application, Applications, Times};
use clustersim_kernel::rng::Streams;
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{Mailbox, SimTime, Simulation, hold};
use support::{application, iterations, law, layout, node, pattern, policy};

const ROUNDS: usize = 5;
/// Bare events' worth of time that a delivered message may cost, and what is aimed at.
const FLOOR: f64 = 40.0;
const GOAL: f64 = 20.0;

/// Jobs of one task on every node, all submitted at the beginning.
struct Batch {
    nodes: u32,
    jobs: u32,
    policy: &'static str,
    node: &'static str,
    application: Arc<Application>,
    until: Option<SimTime>,
}

impl Batch {
    fn run(&self) -> Outcomes {
        let time = self.application.dedicated_time().unwrap();
        let jobs = (1..=u64::from(self.jobs)).map(|number| Job::new(number, SimTime::ZERO, self.nodes, time));
        let of = vec![Arc::clone(&self.application); self.jobs as usize];
        let applications = Arc::new(Applications { classes: vec!["all".to_owned()], of });
        let layout = layout(self.nodes, &node(self.node), "");
        let detail = TaskDetail {
            layout,
            applications,
            level: self.jobs,
            front_end: None,
            dedicated: false,
            recording: clustersim_cluster::node::Recording::default(),
        };
        let setting = Setting {
            procs: self.nodes,
            level: 1,
            until: self.until,
            warm_up: WarmUp::None,
            site: SiteModel::default(),
        };
        let streams = Streams::new(1, 0);
        let simulation = Simulation::with_streams(streams);
        let policy = policy(&format!("policy = {}", self.policy));
        simulate_watched(
            Arc::new(jobs.collect()),
            setting,
            policy,
            simulation,
            Detail::Task(Box::new(detail), streams),
            Watching::default(),
        )
        .unwrap()
    }
}

/// Jobs that compute for `millis` and exchange 1 KiB with the nearest neighbours, and that send
/// `messages` in all.
fn communicating(nodes: u32, jobs: u32, policy: &'static str, millis: u32, messages: u64) -> Batch {
    let pattern = pattern("nn");
    let in_an_iteration = pattern.sends_to(0, nodes).count() as u64 * u64::from(nodes * jobs);
    let count = (messages / in_an_iteration).max(1) as u32;
    let compute = law(f64::from(millis) / 1e3, 0.1);
    let application = application(nodes, iterations(count, compute, Times::None, pattern, 1024));
    Batch { nodes, jobs, policy, node: "", application, until: None }
}

/// Jobs that only compute, four on every node, in turns of 1 ms, and that take `turns` in all.
fn switching(nodes: u32, turns: u64) -> Batch {
    let turns = turns / u64::from(4 * nodes);
    let application =
        application(nodes, iterations(1, law(turns as f64 / 1e3, 0.0), Times::None, pattern("none"), 1024));
    let node = "scheduler = { kind = \"round-robin\", quantum = \"1ms\" }";
    Batch { nodes, jobs: 4, policy: "'local'", node, application, until: None }
}

fn messages(outcomes: &Outcomes) -> u64 {
    outcomes.profile.as_ref().unwrap().jobs.iter().map(|job| job.counts.messages).sum()
}

fn dispatches(outcomes: &Outcomes) -> u64 {
    outcomes.profile.as_ref().unwrap().jobs.iter().map(|job| job.counts.dispatches).sum()
}

/// Processes in a ring, without any nodes: each holds, sends to the next and receives from the one
/// before. The same model as `benches/others/models_simpy.py`. Gives the iterations done and the
/// resumptions.
fn ring(processes: u32, iterations: u32) -> (u64, u64) {
    let simulation = Simulation::new(1);
    let source = Rc::new(Source::new());
    let boxes: Vec<Mailbox<u32>> = (0..processes).map(|i| Mailbox::new(("mailbox", i))).collect();
    for (i, mine) in (0..processes).zip(&boxes) {
        let (mine, next) = (mine.clone(), boxes[((i + 1) % processes) as usize].clone());
        let source = Rc::clone(&source);
        simulation.spawn(("process", i), async move {
            for _ in 0..iterations {
                hold(source.exponential(1e9)).await;
                next.send(i);
                black_box(mine.receive().await);
            }
        });
    }
    (u64::from(processes * iterations), simulation.run().unwrap().events)
}

struct Row {
    name: &'static str,
    /// Whether the bounds of a message are meant.
    bounded: bool,
    /// Gives how many were done, and the resumptions.
    run: Box<dyn Fn() -> (u64, u64)>,
}

fn rows() -> Vec<Row> {
    let message = |name, nodes, jobs, policy, millis, count| {
        let batch = communicating(nodes, jobs, policy, millis, count);
        let run = move || {
            let outcomes = batch.run();
            (messages(&outcomes), outcomes.events)
        };
        Row { name, bounded: true, run: Box::new(run) }
    };
    let switch = |name, nodes, count| {
        let batch = switching(nodes, count);
        let run = move || {
            let outcomes = batch.run();
            (dispatches(&outcomes), outcomes.events)
        };
        Row { name, bounded: false, run: Box::new(run) }
    };
    vec![
        message("message, 16 nodes alone, 5 ms", 16, 1, "'local'", 5, 400_000),
        message("message, 16 nodes alone, 1 ms", 16, 1, "'local'", 1, 400_000),
        message("message, 1,024 nodes alone, 5 ms", 1024, 1, "'local'", 5, 1_000_000),
        message("message, 1,024 nodes alone, 1 ms", 1024, 1, "'local'", 1, 1_000_000),
        message("message, 16 nodes, 5 jobs, slices, 5 ms", 16, 5, "'gang'", 5, 400_000),
        message("message, 16 nodes, 5 jobs, SB, 1 ms", 16, 5, "'sb'", 1, 400_000),
        message("message, 16 nodes, 5 jobs, PB, 1 ms", 16, 5, "'pb'", 1, 400_000),
        message("message, 1,024 nodes, 4 jobs, slices, 5 ms", 1024, 4, "'gang'", 5, 1_000_000),
        message("message, 1,024 nodes, 4 jobs, SB, 5 ms", 1024, 4, "'sb'", 5, 1_000_000),
        message("message, 1,024 nodes, 4 jobs, PB, 5 ms", 1024, 4, "'pb'", 5, 1_000_000),
        switch("switch, 1 node, turns of 1 ms", 1, 400_000),
        switch("switch, 1,024 nodes, turns of 1 ms", 1024, 1_000_000),
        Row {
            name: "iteration in a ring of 100, no nodes",
            bounded: false,
            run: Box::new(|| ring(100, 20_000)),
        },
    ]
}

/// Runs one row of so many messages, or turns, once.
fn count(row: &str, nodes: u32, operations: u64) {
    let batch = match row {
        "message" => communicating(nodes, 1, "'local'", 5, operations),
        "slices" => communicating(nodes, 4, "'gang'", 5, operations),
        "sb" => communicating(nodes, 4, "'sb'", 5, operations),
        "pb" => communicating(nodes, 4, "'pb'", 5, operations),
        "switch" => switching(nodes, operations),
        other => panic!("unknown row {other}"),
    };
    let outcomes = batch.run();
    let ends: Vec<u64> = outcomes.record.outcomes().map(|outcome| outcome.end.as_nanos()).collect();
    let (messages, dispatches) = (messages(&outcomes), dispatches(&outcomes));
    eprintln!("{row} {nodes} {operations}: {messages} messages, {dispatches} dispatches, ends {ends:?} ns");
    eprintln!("{} resumptions, digest {}", outcomes.events, outcomes.digest);
}

/// A minute of 1,024 nodes that four communication-intensive jobs share.
fn minute(policy: &'static str) {
    let until = SimTime::from_secs(60);
    let mut batch = communicating(1024, 4, policy, 5, 200_000_000);
    batch.until = until;
    let start = Instant::now();
    let outcomes = batch.run();
    let seconds = start.elapsed().as_secs_f64();
    let (sent, events) = (messages(&outcomes), outcomes.events);
    println!(
        "{policy:<8} {seconds:>6.1} s for a minute: {:.1} M messages, {:.1} M resumptions, {:.0} ns a message",
        sent as f64 / 1e6,
        events as f64 / 1e6,
        seconds * 1e9 / sent as f64
    );
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let Some(at) = args.iter().position(|arg| arg == "--count") {
        return count(&args[at + 1], args[at + 2].parse().unwrap(), args[at + 3].parse().unwrap());
    }
    if let Some(at) = args.iter().position(|arg| arg == "--minute") {
        let policies = ["'gang'", "'sb'", "'pb'"];
        let wanted = |policy: &&&str| args.get(at + 1).is_none_or(|only| policy.contains(only.as_str()));
        return policies.iter().filter(wanted).for_each(|policy| minute(policy));
    }
    let mut rows = rows();
    rows.retain(|row| args.first().is_none_or(|text| row.name.contains(text.as_str())));
    let mut ratios = vec![Vec::new(); rows.len()];
    let mut resumptions = vec![0.0; rows.len()];
    for _ in 0..ROUNDS {
        for ((row, ratios), resumptions) in rows.iter().zip(&mut ratios).zip(&mut resumptions) {
            let bare = bare_best(100, 4_000_000);
            let start = Instant::now();
            let (done, events) = (row.run)();
            let seconds = start.elapsed().as_secs_f64();
            ratios.push(seconds / done as f64 * bare);
            *resumptions = events as f64 / done as f64;
            if row.name.contains("ring") {
                eprintln!("ring: {:.2} M iterations a second", done as f64 / seconds / 1e6);
            }
        }
    }
    let heads = ["bare events", "least", "most", "resumptions"];
    println!("{:<46}{:>12}{:>8}{:>8}{:>13}", "cost of a", heads[0], heads[1], heads[2], heads[3]);
    for ((row, ratios), resumptions) in rows.iter().zip(ratios).zip(resumptions) {
        let (least, most) = ratios
            .iter()
            .fold((f64::MAX, 0.0_f64), |(least, most), &ratio| (least.min(ratio), most.max(ratio)));
        let ratio = median(ratios);
        let verdict = match ratio {
            _ if !row.bounded => "",
            r if r <= GOAL => "goal reached",
            r if r <= FLOOR => "floor reached",
            _ => "ABOVE THE FLOOR",
        };
        println!("{:<46}{ratio:>12.1}{least:>8.1}{most:>8.1}{resumptions:>13.2}  {verdict}", row.name);
    }
}
