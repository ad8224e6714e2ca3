//! Whatever the cluster, the jobs and the scheme: every job ends, every nanosecond is accounted
//! for, and the work done is the work drawn.
//!
//! `Cluster::profile` itself asserts that the account of every processor adds up, and every run
//! here takes one.

use std::sync::Arc;

use clustersim_cluster::instrument::State;
use clustersim_cluster::instrument::profile::Activity;
use clustersim_cluster::policy::Outcomes;
use clustersim_jobs::workload::parallel::{
    Application, Iterations, Pipeline, Program, Quality, RecordedStep, TaskTimes, Times,
};
use clustersim_kernel::SimDuration;
use clustersim_kernel::rng::Streams;
use clustersim_language::units::Bytes;
use proptest::prelude::*;

use super::polled::POLLED;
use super::support::{Machine, law, node, pattern, simulate_on};

/// Every way of sharing nodes that there is.
const POLICIES: [&str; 16] = [
    "\"fcfs\"",
    "\"local\"",
    "\"sb\"",
    "\"sy\"",
    "\"dcs\"",
    "\"dcs-sb\"",
    "\"dcs-sy\"",
    "\"pb\"",
    "\"pb-sb\"",
    "\"pb-sy\"",
    "\"ics\"",
    "\"cc\"",
    "{ kind = \"coscheduling\", scheme = { kind = \"actions\", wait = { kind = \"spin-block\", threshold = \"0us\" } } }",
    "{ kind = \"gang\", quantum = \"20ms\", switch = \"1ms\" }",
    "{ kind = \"gang\", quantum = \"7ms\", switch = \"300us\", skew = \"1ms\", replicas = false, row = \"best\" }",
    "{ kind = \"gang\", quantum = \"20ms\", switch = \"0s\" }",
];

/// A random cluster and its jobs.
#[derive(Clone, Debug)]
struct Case {
    /// Nodes of a kind, and the keys of that kind.
    groups: Vec<(u32, String)>,
    interconnect: &'static str,
    level: u32,
    /// What a decision of the front end costs on node 0 [us].
    front_end: Option<u64>,
    /// When a job is submitted [ms], and what it does.
    jobs: Vec<(u64, Arc<Application>)>,
    seed: u64,
}

impl Case {
    fn simulate(&self, policy: &str, polls: bool) -> Outcomes {
        let several = self.groups.iter().map(|(count, _)| count).sum::<u32>() > 1;
        let kinds = self.groups.iter().map(|(count, text)| {
            let apart = if several && !text.contains("phase") { "phase = \"random\"\n" } else { "" };
            (*count, node(&format!("{text}{apart}")))
        });
        let groups = kinds.collect();
        let reference = polls.then_some(POLLED);
        let front_end = self.front_end.map(|cost| (0, SimDuration::from_micros(cost)));
        let machine =
            Machine { groups, interconnect: self.interconnect, level: self.level, front_end, reference };
        simulate_on(&machine, &format!("policy = {policy}"), self.seed, self.jobs.clone())
    }

    /// Whether a node computes exactly what a task draws, unscaled.
    fn is_plain(&self) -> bool {
        self.groups.iter().all(|(_, text)| !text.contains("speed"))
    }

    /// What the tasks of each job draw to compute [ns].
    fn drawn(&self) -> Vec<u64> {
        let streams = Streams::new(self.seed, 0);
        let jobs = (1..).zip(&self.jobs).map(|(number, (_, application))| {
            let tasks = 0..application.tasks;
            tasks.map(|rank| drawn(application, number, rank, &streams)).sum()
        });
        jobs.collect()
    }
}

fn drawn(application: &Application, number: u64, rank: u32, streams: &Streams) -> u64 {
    let mut times = TaskTimes::new(application, rank, number, streams);
    let mut draw = |times_over: u32| (0..times_over).map(|_| times.compute().as_nanos()).sum();
    match &application.program {
        Program::Iterations(iterations) => draw(iterations.iterations),
        Program::Pipeline(pipeline) => draw(pipeline.frames),
        Program::Recorded(tasks) => {
            let spans = tasks[rank as usize].iter().map(|step| match step {
                RecordedStep::Compute(span) => span.as_nanos(),
                _ => 0,
            });
            spans.sum()
        }
    }
}

/// The messages that the tasks of a job send.
fn messages(application: &Application) -> u64 {
    let peers = |rank| application.sends_to(rank).count() as u64;
    let links: u64 = (0..application.tasks).map(peers).sum();
    match &application.program {
        Program::Iterations(program) => links * u64::from(program.messages) * u64::from(program.iterations),
        Program::Pipeline(pipeline) => links * u64::from(pipeline.frames),
        Program::Recorded(tasks) => {
            let steps = tasks.iter().flat_map(|steps| steps.iter());
            steps.filter(|step| matches!(step, RecordedStep::Send { .. })).count() as u64
        }
    }
}

fn times() -> impl Strategy<Value = Times> {
    prop_oneof![
        Just(Times::None),
        Just(law(0.001, 0.0)),
        Just(law(0.000_1, 0.0)),
        Just(law(0.004, 0.1)),
        Just(law(0.03, 0.5))
    ]
}

fn size() -> impl Strategy<Value = Bytes> {
    prop_oneof![Just(0), Just(1024), Just(100_000)].prop_map(Bytes::new)
}

fn iterated() -> impl Strategy<Value = Program> {
    let names = prop_oneof![Just("none"), Just("linear"), Just("nn"), Just("tree"), Just("a2a")];
    let skew = prop_oneof![Just(0.0), Just(0.7)];
    (1_u32..7, times(), times(), names, 1_u32..3, size(), skew).prop_map(
        |(iterations, compute, io, name, messages, size, skew)| {
            let pattern = pattern(name);
            Program::Iterations(Iterations { iterations, compute, io, skew, pattern, messages, size })
        },
    )
}

fn pipeline() -> impl Strategy<Value = Program> {
    (1_u32..6, 1_u64..20, times(), size()).prop_map(|(frames, period, compute, size)| {
        let period = SimDuration::from_millis(period);
        Program::Pipeline(Pipeline { frames, period, deadline: period, compute, size })
    })
}

/// What `tasks` tasks did, one after the other: so it can be played.
fn recorded(tasks: u32, deeds: &[(u8, u32, u32, u64)]) -> Program {
    let mut steps: Vec<Vec<RecordedStep>> = vec![Vec::new(); tasks as usize];
    for &(kind, from, to, micros) in deeds {
        let (from, to, span) = (from % tasks, to % tasks, SimDuration::from_micros(micros));
        match kind {
            0 => steps[from as usize].push(RecordedStep::Compute(span)),
            1 => steps[from as usize].push(RecordedStep::Io(span)),
            _ if from == to => {}
            _ => {
                steps[from as usize].push(RecordedStep::Send { to, size: Bytes::new(micros) });
                steps[to as usize].push(RecordedStep::Receive { from });
            }
        }
    }
    Program::Recorded(steps.into_iter().map(Box::from).collect())
}

fn program() -> impl Strategy<Value = (u32, Program)> {
    let deed = (0_u8..4, 0_u32..6, 0_u32..6, prop_oneof![Just(0), Just(1000), 1_u64..9000]);
    prop_oneof![
        4 => (1_u32..7, iterated()),
        1 => (1_u32..5, pipeline()),
        2 => (1_u32..7, prop::collection::vec(deed, 1..40))
            .prop_map(|(tasks, deeds)| (tasks, recorded(tasks, &deeds))),
    ]
}

fn jobs() -> impl Strategy<Value = Vec<(u64, Arc<Application>)>> {
    let quality = prop_oneof![
        4 => Just(Quality::BestEffort),
        1 => (1_u64..20).prop_map(|period| {
            let period = SimDuration::from_millis(period);
            Quality::RealTime { period, deadline: period, share: 0.2 }
        }),
    ];
    let job = (0_u64..30, program(), quality);
    prop::collection::vec(job, 1..7).prop_map(|rows| {
        let mut at = 0;
        let job = |(gap, (tasks, program), quality)| {
            at += gap;
            (at, Arc::new(Application { class: 0, tasks, program, memory: Bytes::new(30_000_000), quality }))
        };
        rows.into_iter().map(job).collect()
    })
}

const SCHEDULERS: &[&str] = &[
    "\"solaris\"",
    "{ kind = \"solaris\", demotion = \"solaris\", sleep-return = \"table\" }",
    "{ kind = \"round-robin\", quantum = \"3ms\" }",
    "\"fair\"",
    "\"two-level\"",
    "{ kind = \"two-level\", best-effort = \"fair\" }",
];

/// The keys of a node, each as often by itself as not.
fn keys() -> impl Strategy<Value = String> {
    let one = |name: &'static str, values: &'static [&'static str]| {
        prop_oneof![
            Just(String::new()),
            prop::sample::select(values).prop_map(move |value| format!("{name} = {value}\n"))
        ]
    };
    let costs = (
        one("context-switch", &["\"0us\"", "\"1ms\"", "\"3137ns\""]),
        one("interrupt", &["\"0us\"", "\"1111ns\"", "\"1ms\""]),
        one("queue-operation", &["\"0us\"", "\"1us\"", "\"77us\""]),
        one("boost-cost", &["\"0us\"", "\"50us\""]),
        one("send-overhead", &["\"0us\"", "\"3us\""]),
        one("receive-overhead", &["\"0us\"", "\"300us\""]),
        one("dma-setup", &["\"0us\"", "\"1ms\""]),
        one("paging-bandwidth = \"10GB/s\"\nmemory", &["\"50MB\"", "\"1GB\""]),
    );
    let others = (
        one("scheduler", SCHEDULERS),
        one("tick", &["\"10ms\"", "\"137us\""]),
        one("phase", &["\"random\""]),
        one("interrupt-preemption", &["\"tick\""]),
        one("processors", &["2", "3"]),
        one("dispatch-latency", &["\"2ms\"", "{ kind = \"uniform\", low = \"0s\", high = \"3ms\" }"]),
        one("daemon-period", &["\"10ms\"", "\"11ms\""]),
        one("run-queue", &["\"per-processor\""]),
        prop_oneof![3 => Just(String::new()), 1 => Just("speed = 1.7\n".to_owned())],
    );
    (costs, others).prop_map(|((a, b, c, d, e, f, g, q), (h, i, j, k, l, m, n, o, p))| {
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q].concat()
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let groups = prop::collection::vec((1_u32..4, keys()), 1..3);
    let interconnect = prop_oneof![
        Just(""),
        Just("interconnect = { kind = \"linear\", latency = \"0us\", bandwidth = \"1GB/s\" }"),
        Just("interconnect = { kind = \"linear\", latency = \"3ms\", bandwidth = \"10MB/s\" }"),
        Just("interconnect = \"detailed\""),
        Just("interconnect = { kind = \"detailed\", topology = \"star\", bandwidth = \"50MB/s\" }"),
    ];
    let front_end = prop_oneof![3 => Just(None), 1 => Just(Some(100)), 1 => Just(Some(9000))];
    (groups, interconnect, 1_u32..6, front_end, jobs(), 1_u64..1000).prop_map(
        |(groups, interconnect, level, front_end, jobs, seed)| Case {
            groups,
            interconnect,
            level,
            front_end,
            jobs,
            seed,
        },
    )
}

/// How many random cases: `PROPTEST_CASES`, or else so few that all tests stay quick.
fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(100);
    ProptestConfig { cases, max_shrink_iters: 4000, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_job_ends_and_what_is_computed_is_what_was_drawn(case in cases()) {
        let drawn = case.drawn();
        for policy in POLICIES {
            let outcomes = case.simulate(policy, false);
            let profile = outcomes.profile.as_ref().expect("detail task");
            let computed = |id: usize| {
                let of = profile.jobs.iter().find(|execution| execution.job.index() == id);
                of.expect("every job has run").spent.of(Activity::Compute)
            };
            let mut sum = 0;
            for (id, (outcome, (_, application))) in outcomes.record.outcomes().zip(&case.jobs).enumerate() {
                if outcome.state == State::Rejected {
                    continue;
                }
                prop_assert_eq!(outcome.state, State::Completed, "{}", policy);
                sum += computed(id);
                if case.is_plain() {
                    prop_assert_eq!(computed(id), drawn[id], "{}, job {}", policy, id);
                }
                let counts = profile.jobs.iter().find(|execution| execution.job.index() == id);
                prop_assert_eq!(counts.expect("it has run").counts.messages, messages(application), "{}", policy);
            }
            let everywhere: u64 = profile.processors.iter().map(|spent| spent.of(Activity::Compute)).sum();
            prop_assert_eq!(sum, everywhere, "{}", policy);
        }
    }

    #[test]
    fn a_run_is_the_same_twice(case in cases(), policy in prop::sample::select(&POLICIES[..])) {
        let (first, second) = (case.simulate(policy, false), case.simulate(policy, false));
        prop_assert_eq!(first.digest, second.digest);
        prop_assert_eq!(first.profile, second.profile);
    }

    /// Ticks and boost daemons that fire at every multiple of their periods change nothing.
    #[test]
    fn a_polled_cluster_does_the_same(case in cases()) {
        for policy in POLICIES {
            let (lazy, polled) = (case.simulate(policy, false), case.simulate(policy, true));
            prop_assert!(lazy.record.outcomes().eq(polled.record.outcomes()), "{}", policy);
            prop_assert_eq!(lazy.profile, polled.profile, "{}", policy);
        }
    }
}
