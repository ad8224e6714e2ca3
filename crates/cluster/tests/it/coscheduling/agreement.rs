//! Where both details can run a scenario, they agree: space sharing without communication, to the
//! nanosecond.

use std::sync::Arc;

use clustersim_cluster::instrument::SiteModel;
use clustersim_cluster::policy::{Setting, simulate as simulate_jobs};
use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::parallel::{Application, RecordedStep};
use clustersim_kernel::rng::Streams;
use clustersim_kernel::stats::WarmUp;
use clustersim_kernel::{SimDuration, SimTime, Simulation};

use super::support::{layout, node, policy, recorded, simulate};

const NODES: u32 = 12;

/// Jobs of 1 to 12 tasks that compute for up to 2 s, submitted over 20 s: instant [ms], and what
/// the tasks do.
fn jobs(seed: u64) -> Vec<(u64, Arc<Application>)> {
    let mut stream = Streams::new(seed, 0).stream("test/jobs");
    let mut jobs: Vec<(u64, Arc<Application>)> = (0..60)
        .map(|_| {
            let (at, tasks) = (stream.below(20_000), 1 + stream.below(u64::from(NODES)) as usize);
            let compute = [RecordedStep::Compute(SimDuration::from_nanos(1 + stream.below(2_000_000_000)))];
            (at, recorded(&vec![&compute[..]; tasks]))
        })
        .collect();
    jobs.sort_by_key(|&(at, _)| at);
    jobs
}

#[test]
fn space_sharing_without_messages_is_the_same_at_both_details() {
    // a switch from one job to the next is what detail `job` does not know of
    let layout = layout(NODES, &node("context-switch = \"0us\""), "");
    for (seed, policy_text) in [(1, "fcfs"), (2, "easy"), (3, "sjf"), (4, "best-fit")] {
        let (jobs, text) = (jobs(seed), format!("policy = \"{policy_text}\""));
        let tasks = simulate(&layout, 1, &text, seed, jobs.clone());
        let submitted = (1..).zip(&jobs).map(|(number, (at, application))| {
            let run_time = application.dedicated_time().expect("it has one");
            Job::new(number, SimTime::from_nanos(at * 1_000_000), application.tasks, run_time)
        });
        let setting = Setting {
            procs: NODES,
            level: 1,
            until: None,
            warm_up: WarmUp::None,
            site: SiteModel::default(),
        };
        let plain =
            simulate_jobs(Arc::new(submitted.collect()), setting, policy(&text), Simulation::new(seed))
                .expect("all jobs end");
        for (one, other) in plain.record.outcomes().zip(tasks.record.outcomes()) {
            assert_eq!((one.start, one.end), (other.start, other.end), "{policy_text}");
        }
        assert!(plain.record.outcomes().any(|outcome| outcome.start > SimTime::from_nanos(20_000_000_000)));
    }
}
