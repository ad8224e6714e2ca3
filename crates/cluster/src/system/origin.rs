//! Origin of the jobs of a run: the statements of the manifest and the header of `jobs.swf` on it.

use serde_json::{Map, Value as Json, json};

use crate::kernel::SimTime;
use crate::scenario::Scenario;
use crate::system::experiment::Finished;
use crate::units::Calendar;
use crate::workload::source::LoadedWorkload;
use crate::workload::swf::Report;

/// Origin of the jobs of a run, as far as it is known before the run.
#[derive(Clone, Debug)]
pub struct Origin {
    jobs: usize,
    unix_time_of_0: Option<i64>,
    calendar: Option<Calendar>,
    log: Option<Json>,
    acknowledgements: Vec<String>,
}

impl Origin {
    /// Notes what the manifest says of the jobs.
    pub fn of(loaded: &LoadedWorkload) -> Self {
        let acknowledgements = loaded.log.iter().flat_map(|(header, _)| header.acknowledgements());
        Origin {
            jobs: loaded.jobs.len(),
            unix_time_of_0: loaded.unix_origin,
            calendar: loaded.calendar,
            log: loaded.log.as_ref().map(|(_, report)| repairs(report)),
            acknowledgements: acknowledgements.map(ToOwned::to_owned).collect(),
        }
    }

    /// Description of a workload of this name in a manifest.
    pub(super) fn described(&self, name: &str) -> Json {
        json!({
            "name": name,
            "jobs": self.jobs,
            "unix-time-of-0": self.unix_time_of_0,
            "utc-offset": self.calendar.and_then(|calendar| calendar.offset),
            "log": self.log,
            "acknowledgements": self.acknowledgements,
        })
    }
}

/// The header of the jobs as a log: the machine, the origin of time, whom to thank, and what wrote
/// it.
pub(super) fn log_header(
    scenario: &Scenario,
    identity: &str,
    origin: &Origin,
    finished: &Finished,
) -> Vec<(&'static str, String)> {
    let (jobs, procs) = (origin.jobs.to_string(), finished.outcomes.setting.procs.to_string());
    let mut header = vec![("Version", "2.2".to_owned())];
    header.extend(origin.acknowledgements.iter().map(|thanked| ("Acknowledge", thanked.clone())));
    header.extend([("MaxJobs", jobs.clone()), ("MaxRecords", jobs)]);
    header.extend(origin.unix_time_of_0.map(|origin| ("UnixStartTime", origin.to_string())));
    header.extend([("MaxNodes", procs.clone()), ("MaxProcs", procs)]);
    let (version, seed) = (crate::output::VERSION, scenario.seed);
    let made = format!("simulated by clustersim {version}, seed {seed}, scenario {identity}");
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

/// The members that only manifests of clusters have: the workload, the processors, how many jobs.
pub(super) fn manifest(origin: &Origin, finished: &Finished) -> Map<String, Json> {
    let count = |name: &str| finished.figures.number(name).map(|number| number as u64);
    let window = Some(finished.outcomes.run().window()).filter(|window| window.from < SimTime::MAX);
    let window = window.map(|window| [window.from.as_nanos(), window.to.as_nanos()]);
    let own = json!({
        "workload": origin.described(&finished.workload),
        "processors": finished.outcomes.setting.procs,
        "stopped": finished.outcomes.stopped,
        "window-ns": window,
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
