//! A feature of a site of one's own, with the whole command line around it: a licence server with a
//! waiting list.
//!
//! In a crate of your own this file is `src/main.rs`; `Cargo.toml` names `clustersim`.
//! `docs/features.md` explains each part. Here:
//!
//! ```sh
//! cargo run --release --example own_feature -- list site-features
//! cargo run --release --example own_feature -- run licences.toml
//! cargo run --release --example own_feature -- explain cluster.site-feature.licences
//! ```
//!
//! The rule: a job of the users that need it asks for `needs` licences when it is submitted and no
//! other job has to leave before. The server grants them in order of request, and does not pass
//! over a job for which too few are free. Until then the job waits in the list of the server, and
//! no policy knows of it. It holds its licences from the grant to its end, while it waits in the
//! queue, too. A job that is interrupted keeps them, or gives them back and asks anew
//! (`when-interrupted`). After `lease` a run is over. With `start = "server"` no licence lies idle at
//! a job that waits in the queue: the server takes jobs over and starts each when its licences and
//! its processors are free, before those that wait in the queue.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use clustersim::cli;
use clustersim::ids::JobId;
use clustersim::instrument::{FeatureCell, OwnReason};
use clustersim::kernel::{SimDuration, SimTime, now};
use clustersim::measure::family::{Aim, Family, Part};
use clustersim::measure::metric::Value;
use clustersim::output::{CellType, Column};
use clustersim::policy::{FeatureRun, FeatureSite, FeatureVerdict, FeatureWork, OwnFeature, declare_feature};
use clustersim::registry::{Bounds, Entry, Key, Kind, Registry};
use clustersim::system::standard;

fn main() -> ExitCode {
    cli::main_with(&registry())
}

/// Everything that comes with the simulator, and the feature.
pub(crate) fn registry() -> Registry {
    let mut registry = standard();
    registry.add::<dyn OwnFeature>("site-feature", ENTRY);
    declare_feature(&mut registry, ENTRY.name, FAMILIES, COLUMNS);
    registry
}

/// What scenarios, `list`, `explain` and the schema know of the feature.
const ENTRY: Entry<dyn OwnFeature> = Entry {
    name: "licences",
    about: "jobs hold licences of a server from its grant to their ends, and wait in its list before",
    source: "",
    keys: &[
        Key::new("number", Kind::Count { least: 1, most: 1_000_000 }).about("licences of the server"),
        Key::new("needs", Kind::Count { least: 1, most: 1_000_000 })
            .or_count(1)
            .about("licences that a job needs"),
        Key::new("users", Kind::List(&Kind::Count { least: 0, most: u32::MAX as u64 }))
            .absent("all users")
            .about("users whose jobs need licences"),
        Key::new(
            "when-interrupted",
            Kind::Choice(&[
                ("keep", "it keeps its licences"),
                ("return", "it gives them back, and asks for them anew when it is to wait again"),
            ]),
        )
        .or("keep")
        .about("what a job does with its licences when it is interrupted"),
        Key::new("lease", Kind::Duration(Bounds::Positive))
            .absent("no limit")
            .about("how long a run with licences may last"),
        Key::new(
            "start",
            Kind::Choice(&[
                ("queue", "the policy, as any other: it holds its licences while it waits in the queue"),
                ("server", "the server, when its licences and its processors are free, before all that wait"),
            ]),
        )
        .or("queue")
        .about("who starts a job that has its licences"),
    ],
    build: |params| {
        let (number, needs) = (params.read("number")?, params.read("needs")?);
        if needs > number {
            let complaint = params.complaint("needs", format!("the server has {number} licences"));
            return Err(complaint.label("expected no more than that"));
        }
        Ok(Box::new(LicenceServer {
            number,
            needs,
            users: if params.has("users") { Some(params.read("users")?) } else { None },
            keeps: params.pick("when-interrupted", &[("keep", true), ("return", false)])?,
            lease: params.read("lease")?,
            starts: params.pick("start", &[("queue", false), ("server", true)])?,
            need: Vec::new(),
            list: BTreeSet::new(),
            granted: BTreeMap::new(),
            trying: BTreeMap::new(),
            grants: BTreeMap::new(),
            waits: Vec::new(),
            used: Used::default(),
        }))
    },
};

/// What `jobs.csv`, the report and `--explain` say of a job that can never have its licences.
const TOO_FEW: OwnReason =
    OwnReason { name: "no-licences", about: "rejected: it would have to wait behind too many others" };

/// Its metrics, and its columns of `jobs.csv`.
const FAMILIES: &[Family] = &[
    Family::new("waiting", "s", Aim::Lower, "grant - request", "requests that were granted").parts(PARTS),
    Family::share("use", Aim::None, "licences held / licences", "the time of the run"),
];
const PARTS: &[Part] = &[("mean", "the arithmetic mean"), ("max", "the maximum")];
const COLUMNS: &[Column] = &[
    Column::new("grants", CellType::Count, "", "how often it was granted its licences"),
    Column::new("waited", CellType::Time, "s", "how long it waited for that, all times together"),
];

/// Jobs that the list takes.
const LONGEST_LIST: usize = 1000;

#[derive(Debug)]
struct LicenceServer {
    number: u64,
    needs: u64,
    users: Option<Vec<u32>>,
    keeps: bool,
    lease: Option<SimDuration>,
    /// True if it has jobs started itself.
    starts: bool,
    /// Whether each job needs licences.
    need: Vec<bool>,
    /// Jobs that wait for their licences, since when, in order of request.
    list: BTreeSet<(SimTime, JobId)>,
    /// Jobs that hold licences, and how many.
    granted: BTreeMap<JobId, u64>,
    /// Jobs that are to start now, and since when they have waited.
    trying: BTreeMap<JobId, SimTime>,
    /// How often each job was granted its licences, and how long it waited for them.
    grants: BTreeMap<JobId, (u64, SimDuration)>,
    /// How long each job waited that was granted licences [s].
    waits: Vec<f64>,
    used: Used,
}

/// Licences in use over time.
#[derive(Debug, Default)]
struct Used {
    now: u64,
    since: SimTime,
    /// [licence s]
    sum: f64,
}

impl Used {
    fn becomes(&mut self, licences: u64) {
        self.sum += self.now as f64 * now().since(self.since).as_secs_f64();
        (self.now, self.since) = (licences, now());
    }
}

impl LicenceServer {
    fn free(&self) -> u64 {
        self.number - self.used.now
    }

    fn take(&mut self, job: JobId) {
        self.granted.insert(job, self.needs);
        self.used.becomes(self.used.now + self.needs);
    }

    /// A job was granted its licences for which it had waited so long.
    fn note(&mut self, job: JobId, since: SimTime) {
        let waited = now().since(since);
        self.waits.push(waited.as_secs_f64());
        let (count, all) = self.grants.entry(job).or_default();
        (*count, *all) = (*count + 1, all.saturating_add(waited));
    }

    /// A job that has waited since then has its licences now.
    fn grant(&mut self, job: JobId, since: SimTime) -> FeatureVerdict {
        self.take(job);
        if self.starts {
            self.trying.insert(job, since);
            return FeatureVerdict::TakeOver;
        }
        self.note(job, since);
        FeatureVerdict::LetIn
    }

    /// A job gives its licences back, and those at the head of the list get theirs.
    fn gives_back(&mut self, site: &mut FeatureSite<'_>, job: JobId) {
        let Some(licences) = self.granted.remove(&job) else { return };
        self.used.becomes(self.used.now - licences);
        self.serve(site);
    }

    fn serve(&mut self, site: &mut FeatureSite<'_>) {
        let list: Vec<(SimTime, JobId)> = self.list.iter().copied().collect();
        for (since, job) in list {
            if self.free() < self.needs {
                return;
            }
            // one that could not start at this instant is tried again at another
            if self.starts && !site.start(job) {
                continue;
            }
            self.list.remove(&(since, job));
            self.grant(job, since);
            if !self.starts {
                site.release(job);
            }
        }
    }
}

impl OwnFeature for LicenceServer {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn reads(&mut self, work: &FeatureWork) -> Result<(), String> {
        let known = |user: &u32| work.jobs.iter().any(|job| job.user == *user);
        if let Some(user) = self.users.iter().flatten().find(|user| !known(user)) {
            return Err(format!("the workload has no job of user {user}"));
        }
        let own = |user: u32| self.users.as_ref().is_none_or(|users| users.contains(&user));
        self.need = work.jobs.iter().map(|job| own(job.user)).collect();
        Ok(())
    }

    fn considers(&mut self, _site: &mut FeatureSite<'_>, job: JobId) -> FeatureVerdict {
        if !self.need[job.index()] {
            FeatureVerdict::LetIn
        } else if self.list.is_empty() && self.free() >= self.needs {
            self.grant(job, now())
        } else if self.list.len() < LONGEST_LIST {
            self.list.insert((now(), job));
            FeatureVerdict::Hold
        } else {
            FeatureVerdict::Reject(&TOO_FEW)
        }
    }

    fn takes_over(&self) -> bool {
        self.starts
    }

    fn not_started(&mut self, _site: &mut FeatureSite<'_>, job: JobId) {
        let Some(since) = self.trying.remove(&job) else { return };
        self.granted.remove(&job);
        self.used.becomes(self.used.now - self.needs);
        self.list.insert((since, job));
    }

    fn capacity_changed(&mut self, site: &mut FeatureSite<'_>) {
        if self.starts {
            self.serve(site);
        }
    }

    fn starts(&mut self, run: &mut FeatureRun<'_>) {
        if let Some(since) = self.trying.remove(&run.id()) {
            self.note(run.id(), since);
        }
        if let Some(lease) = self.lease.filter(|_| self.granted.contains_key(&run.id())) {
            run.ends_after(lease);
        }
    }

    fn interrupted(&mut self, site: &mut FeatureSite<'_>, job: JobId) {
        if !self.keeps || self.starts {
            self.gives_back(site, job);
        }
    }

    fn waits_again(&mut self, site: &mut FeatureSite<'_>, job: JobId) -> FeatureVerdict {
        if self.granted.contains_key(&job) { FeatureVerdict::LetIn } else { self.considers(site, job) }
    }

    fn left(&mut self, site: &mut FeatureSite<'_>, job: JobId) {
        self.list.retain(|&(_, other)| other != job);
        self.trying.remove(&job);
        self.gives_back(site, job);
        // a job that was cancelled may have stood in the way of others
        self.serve(site);
    }

    fn holding(&self, job: JobId) -> String {
        let before = self.list.iter().take_while(|(_, other)| *other != job).count();
        let (needs, free) = (self.needs, self.free());
        format!("waits for {needs} licences, of which {free} are free, behind {before} jobs in the list")
    }

    fn families(&self) -> &'static [Family] {
        FAMILIES
    }

    fn columns(&self) -> &'static [Column] {
        COLUMNS
    }

    fn cells(&self, job: JobId) -> Vec<FeatureCell> {
        let Some(&(count, waited)) = self.grants.get(&job) else { return Vec::new() };
        vec![count.into(), waited.into()]
    }

    fn values(&self) -> Vec<Value> {
        let count = self.waits.len() as f64;
        let mean = self.waits.iter().sum::<f64>() / count;
        let most = self.waits.iter().copied().max_by(f64::total_cmp);
        let mean = if self.waits.is_empty() { Value::Nothing } else { Value::Real(mean) };
        let used = self.used.sum + self.used.now as f64 * now().since(self.used.since).as_secs_f64();
        let all = self.number as f64 * now().as_secs_f64();
        let used = if all > 0.0 { Value::Real(used / all) } else { Value::Nothing };
        vec![mean, most.map_or(Value::Nothing, Value::Real), used]
    }
}
