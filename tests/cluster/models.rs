//! Published workload models: the jobs they draw in the built program, beside their authors' own.
//!
//! Their moments are held against their laws in `tests/cluster/analytic/workloads.rs`.

use std::path::Path;

use clustersim::system::standard;
use clustersim_cluster::system::workload;
use clustersim_experiment::scenario::{from_text, study};
use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::source::LoadRequest;
use clustersim_jobs::workload::swf::{self, Options};
use clustersim_kernel::rng::{Streams, math};

use clustersim_testing::evidence;
use clustersim_testing::program::Place;

/// The jobs of a scenario's workload.
fn loaded(scenario: &str, base: &Path, procs: u32, seed: u64) -> Vec<Job> {
    let registry = standard();
    let study = study(&registry, from_text("test", scenario.to_owned(), base, &[])).unwrap();
    let source = workload(&registry, study.first()).unwrap();
    source.load(&LoadRequest { procs: Some(procs), streams: Streams::new(seed, 0) }).unwrap().jobs
}

/// The built program draws what this build of the library draws: they differ in features of their
/// dependencies.
#[test]
fn the_program_draws_the_jobs_that_the_tests_know() {
    for (kind, golden) in GOLDEN {
        let place = Place::new();
        let scenario = format!(
            "title = \"t\"\nseed = 7\n[cluster]\nprocs = 128\n[record]\nswf = true\n[workload]\nkind = \"{kind}\"\njobs = 1000\n"
        );
        place.file("scenario.toml", &scenario);
        let run = place.run(&["run", "scenario.toml", "-o", "out", "--no-progress"]);
        assert_eq!(run.status, 0, "{}", run.stderr);
        let written = swf::read(&place.read("out/jobs.swf"), &Options::default()).unwrap();
        let mut jobs = loaded(&scenario, Path::new(""), 128, 7);
        jobs.sort_by_key(|job| job.number);
        let key = |job: &Job| (job.number, job.submit_time.as_nanos(), job.procs, job.run_time.as_nanos());
        let mut read: Vec<_> = written.jobs.iter().map(key).collect();
        read.sort_unstable();
        let first = jobs[0].submit_time.as_nanos();
        let drawn: Vec<_> = jobs
            .iter()
            .map(key)
            .map(|(number, submit, procs, run)| (number, submit - first, procs, run))
            .collect();
        assert_eq!(read, drawn, "{kind}");
        // FNV-1a over the jobs: what is drawn never moves
        let hash = jobs
            .iter()
            .map(key)
            .flat_map(|(number, submit, procs, run)| [number, submit, u64::from(procs), run])
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, word| {
                word.to_le_bytes()
                    .iter()
                    .fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
            });
        assert_eq!(format!("{hash:016x}"), *golden, "{kind}");
    }
}

/// Hashes of the first thousand jobs of seed 7 on 128 processors.
const GOLDEN: &[(&str, &str)] = &[
    ("downey", "6344d74b15fb608a"),
    ("lublin-feitelson", "d64d79bbb6cae9e5"),
    ("lublin-feitelson-whole", "b343ddf504c00ce2"),
];

/// What is compared: its name, and its value of a job.
type Feature = (&'static str, Box<dyn Fn(&Job) -> f64>);

/// The output of the authors' program for 256 processors against our model: two samples of one law.
#[test]
fn the_authors_own_program_draws_from_the_same_laws() {
    let Some(path) = evidence::needed("swf/lublin_256.swf.gz") else { return };
    let log = swf::read_file(&path, &Options::default()).unwrap();
    let mut own = Vec::new();
    for seed in 1..=5 {
        own.push(loaded("title = \"t\"\n[cluster]\nprocs = 256\n[workload]\nkind = \"lublin-feitelson-whole\"\njobs = 10_000\n", Path::new(""), 256, seed));
    }
    let own: Vec<Job> = own.concat();
    let logarithm = |job: &Job| math::ln(job.run_time.as_secs_f64());
    let features: [Feature; 5] = [
        ("serial", Box::new(|job| f64::from(u8::from(job.procs == 1)))),
        ("powers of two", Box::new(|job| f64::from(u8::from(job.procs > 1 && job.procs.is_power_of_two())))),
        ("log2 of sizes", Box::new(|job| math::log2(f64::from(job.procs)))),
        ("logarithm of run times", Box::new(logarithm)),
        ("its square", Box::new(move |job| logarithm(job) * logarithm(job))),
    ];
    for (what, of) in features {
        let moments = |jobs: &[Job]| {
            // the program cuts run times to whole seconds: the shortest are left out of both
            let values: Vec<f64> =
                jobs.iter().filter(|job| job.run_time.as_secs_f64() >= 20.0).map(&of).collect();
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            (
                mean,
                values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>()
                    / (count - 1.0)
                    / count,
            )
        };
        let ((theirs, error), (ours, own_error)) = (moments(&log.jobs), moments(&own));
        let z = (theirs - ours) / (error + own_error).sqrt();
        println!("{what}: {theirs:.4} for {ours:.4}, z {z:.2}");
        assert!(z.abs() < 4.0, "{what}: {theirs} for {ours}, z {z}");
    }
}
