//! `manifest.json`: what made a run, what it read, and hashes of what came out.
//!
//! Two runs of one scenario with one seed and one version have equal manifests but for the last block,
//! `invocation`: command line, paths, host and wall time stand there and nowhere else.

use serde_json::{Map, Value as Json, json};

use crate::instrument::metrics::Metric;
use crate::instrument::sink::AVAILABLE;
use crate::kernel::rng::SAMPLER_VERSION;
use crate::report::hash;
use crate::scenario::{Figures, Finished, Scenario};
use crate::units::Calendar;
use crate::workload::source::Loaded;
use crate::workload::swf::Report;

/// The version of the manifest's shape.
pub const SCHEMA: &str = "clustersim/manifest/1";

/// What decides the results of a run: equal identities give equal bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Hash of the resolved scenario, the seed included.
    pub resolved: String,
    /// The input files as the scenario names them, and their hashes.
    pub inputs: Vec<(String, String)>,
    /// Features that a build must have to give these results ([`needs`]).
    pub features: Vec<&'static str>,
}

/// The features that this program was built with.
pub const FEATURES: &[&str] = if AVAILABLE { &["parquet"] } else { &[] };

/// The features that a build must have to give all the results of this scenario. Others make no difference to any of
/// its bytes, so they are no part of its identity: they are told in the block `invocation`.
pub fn needs(scenario: &Scenario) -> Vec<&'static str> {
    if scenario.record_parquet { vec!["parquet"] } else { Vec::new() }
}

impl Identity {
    /// The identity as it stands in a manifest.
    pub fn to_json(&self) -> Json {
        let inputs: Vec<Json> =
            self.inputs.iter().map(|(file, sha256)| json!({ "file": file, "sha256": sha256 })).collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "features": self.features,
            "samplers": SAMPLER_VERSION,
            "scenario": self.resolved,
            "inputs": inputs,
        })
    }

    /// Eight hexadecimal digits that name it.
    pub fn short(&self) -> String {
        hash::of_bytes(self.to_json().to_string().as_bytes())[..8].to_owned()
    }
}

/// What is known of the workload before the run.
#[derive(Clone, Debug)]
pub struct Workload {
    jobs: usize,
    unix_origin: Option<i64>,
    calendar: Option<Calendar>,
    log: Option<Json>,
    acknowledgements: Vec<String>,
}

impl Workload {
    /// Notes what the manifest tells of the jobs.
    pub fn of(loaded: &Loaded) -> Self {
        let acknowledgements = loaded.log.iter().flat_map(|(header, _)| header.acknowledgements());
        Workload {
            jobs: loaded.jobs.len(),
            unix_origin: loaded.unix_origin,
            calendar: loaded.calendar,
            log: loaded.log.as_ref().map(|(_, report)| repairs(report)),
            acknowledgements: acknowledgements.map(ToOwned::to_owned).collect(),
        }
    }
}

/// The header of the jobs as a log: the machine, the origin of time, whom to thank, and what wrote it.
pub fn log_header(
    scenario: &Scenario,
    identity: &Identity,
    workload: &Workload,
    finished: &Finished,
) -> Vec<(&'static str, String)> {
    let (jobs, procs) = (workload.jobs.to_string(), finished.outcomes.setting.procs.to_string());
    let mut header = vec![("Version", "2.2".to_owned())];
    header.extend(workload.acknowledgements.iter().map(|whom| ("Acknowledge", whom.clone())));
    header.extend([("MaxJobs", jobs.clone()), ("MaxRecords", jobs)]);
    header.extend(workload.unix_origin.map(|origin| ("UnixStartTime", origin.to_string())));
    header.extend([("MaxNodes", procs.clone()), ("MaxProcs", procs)]);
    let (version, seed) = (env!("CARGO_PKG_VERSION"), scenario.seed);
    let made = format!("simulated by clustersim {version}, seed {seed}, scenario {}", identity.resolved);
    header.extend([
        ("Note", made),
        ("Note", "wait times are simulated, -1 where a job did not start".to_owned()),
    ]);
    header
}

fn repairs(report: &Report) -> Json {
    let mut causes = Map::new();
    for (cause, tally) in report.tallies() {
        causes.insert(cause.name().to_owned(), json!(tally.count));
    }
    json!({ "lines": report.jobs, "dropped-or-repaired": causes })
}

/// What the manifest of a cluster's run tells beside what all do: the workload, the processors, how many jobs.
pub fn of_cluster(workload: &Workload, finished: &Finished) -> Map<String, Json> {
    let count = |name: &str| {
        let metric = finished.metrics.iter().find(|metric| metric.name == name);
        metric.and_then(Metric::number).map(|number| number as u64)
    };
    let own = json!({
        "workload": {
            "name": finished.workload,
            "jobs": workload.jobs,
            "unix-time-of-0": workload.unix_origin,
            "utc-offset": workload.calendar.and_then(|calendar| calendar.offset),
            "log": workload.log,
            "acknowledgements": workload.acknowledgements,
        },
        "processors": finished.outcomes.setting.procs,
        "stopped": finished.outcomes.stopped,
        "counters": {
            "events": finished.outcomes.events,
            "jobs.submitted": count("jobs.submitted"),
            "jobs.completed": count("jobs.completed"),
            "jobs.rejected": count("jobs.rejected"),
            "jobs.unfinished": count("jobs.unfinished"),
        },
    });
    match own {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

/// The manifest without its `invocation`, with what is the system's own.
pub fn manifest(
    scenario: &Scenario,
    identity: &Identity,
    own: Map<String, Json>,
    figures: &Figures<'_>,
    outputs: &[(&str, String)],
) -> Json {
    let outputs: Map<String, Json> =
        outputs.iter().map(|(name, sha256)| ((*name).to_owned(), json!(sha256))).collect();
    let mut manifest = json!({
        "schema": SCHEMA,
        "title": scenario.title,
        "seed": scenario.seed,
        "identity": identity.to_json(),
    });
    if let Some(members) = manifest.as_object_mut() {
        members.extend(own);
        members.insert("digest".to_owned(), json!(figures.digest.to_string()));
        members.insert("outputs".to_owned(), Json::Object(outputs));
    }
    manifest
}

/// The same manifest with how it came about.
pub fn with_invocation(manifest: &Json, invocation: Json) -> Json {
    let mut whole = manifest.clone();
    whole["invocation"] = invocation;
    whole
}

/// The same manifest without how it came about: what two equal runs share.
pub fn without_invocation(manifest: &Json) -> Json {
    let mut part = manifest.clone();
    if let Some(members) = part.as_object_mut() {
        members.shift_remove("invocation");
    }
    part
}
