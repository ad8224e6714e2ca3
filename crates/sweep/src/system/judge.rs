//! Judging a finished run of a parameter sweep by its files, and by the platform of its scenario.

use crate::LinkDiscipline;
use crate::collections::OrderedMap;
use crate::judge::{
    ScenarioFile, ScenarioSweep, ScenarioTask, SweepFacts, SweepFiles, SweepValue, judge_sweeps,
};
use crate::kernel::{SimDuration, SimTime};
use crate::model::application::{Sweep, SweepFile, SweepTask};
use crate::model::grid::{ClusterNumber, HostNumber, LinkNumber, OriginNumber, SweepGrid};
use crate::output::number::grouped;
use crate::platform::Trace;
use crate::platform::described;
use crate::registry::{Complaint, code};
use crate::scenario::{Checked, Rejected, RunDirectory};
use crate::system::assembly::{self, Settings};
use crate::workflow::FileNumber;

pub(super) fn judge(run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
    let refused = |why: String| {
        let message = format!("the run in {} cannot be checked: {why}", run.place.display());
        run.reject(Complaint::nowhere(code::MANIFEST, message))
    };
    let text = |name| run.has(name).then(|| run.text(name)).transpose();
    let (tasks, works, sizes) = (text("tasks.csv")?, text("works.csv")?, text("sizes.csv")?);
    let (transfers, hosts) = (text("transfers.csv")?, text("hosts.csv")?);
    let (plans, loads, stays) = (text("plans.csv")?, text("loads.csv")?, text("files.csv")?);
    let (duplicates, clusters, jobs) = (text("duplicates.csv")?, text("clusters.csv")?, text("jobs.csv")?);
    let summary = run.json("summary.json")?;
    let value = |metric: &str| &summary["metrics"][metric]["value"];
    let counted = |name: &str| run.manifest["counters"][name].as_u64().unwrap_or(0);
    // a scheduler without such a key promises nothing
    let scheduler = run.scenario.params(run.registry).section("scheduler");
    let links: Option<LinkDiscipline> =
        scheduler.has("links").then(|| scheduler.read("links").unwrap_or_default());
    let is_plan = scheduler.read::<String>("kind").is_ok_and(|kind| kind == "plan");
    let span = |key: &str| scheduler.has(key).then(|| scheduler.read::<SimDuration>(key).unwrap_or_default());
    let may = |key: &str| scheduler.has(key) && scheduler.read(key).unwrap_or(false);
    let settings = run.scenario.own::<Settings>();
    let terms = settings.map(|settings| settings.terms).unwrap_or_default();
    run.has_its_inputs().map_err(&refused)?;
    let params = run.scenario.params(run.registry);
    let section = params.section("platform");
    let streams = run.scenario.streams();
    let first = |complaints: Vec<Complaint>| {
        refused(complaints.first().map_or_else(String::new, |first| first.message.clone()))
    };
    let described = described::read(&section, &streams).map_err(first)?;
    let grid = assembly::grid(&section, &described.platform).map_err(first)?;
    let application = application(&assembly::sweep_again(&params, &grid, streams).map_err(first)?);
    let files = SweepFiles {
        tasks: tasks.as_deref(),
        works: works.as_deref(),
        sizes: sizes.as_deref(),
        transfers: transfers.as_deref(),
        hosts: hosts.as_deref(),
        plans: plans.as_deref(),
        files: stays.as_deref(),
        loads: loads.as_deref(),
        duplicates: duplicates.as_deref(),
        makespan: value("makespan").as_f64(),
        lower_bound: value("lower-bound").as_f64(),
        clusters: clusters.as_deref(),
        jobs: jobs.as_deref(),
        summary: Some(&summary),
        manifest: Some(run.manifest),
        named: (&run.scenario.title, run.scenario.seed),
        application: Some(&application),
        deadline: terms.deadline,
        budget: terms.budget,
        until: run.scenario.until,
        searched: settings.is_some_and(|settings| settings.gap.is_some()),
        stopped: value("makespan").is_null(),
        links_in_order: links == Some(LinkDiscipline::InOrder),
        may_steal: !is_plan || may("steal"),
        planning_time: span("planning-time").unwrap_or_default(),
        per_look: span("per-look"),
        acts_on_events: is_plan,
    };
    let promises = judge_sweeps(&files, &Facts::new(grid)).map_err(refused)?;
    let about = format!(
        "{} of {} tasks, {} transfers",
        grouped(value("tasks.completed").as_u64().unwrap_or(0)),
        grouped(counted("tasks")),
        grouped(counted("transfers")),
    );
    Ok(Checked { about, promises })
}

/// The application of the scenario.
fn application(sweep: &Sweep) -> ScenarioSweep {
    let numbers = |files: &[FileNumber]| {
        let mut numbers: Vec<usize> = files.iter().map(|file| file.index()).collect();
        numbers.sort_unstable();
        numbers
    };
    let task = |task: &SweepTask| ScenarioTask {
        name: task.name.to_string(),
        arrival: task.arrival,
        times: task.times.iter().map(|time| time.real).collect(),
        inputs: numbers(&task.inputs),
        outputs: numbers(&task.outputs),
    };
    let file = |file: &SweepFile| ScenarioFile {
        name: file.name.to_string(),
        bytes: file.bytes,
        origin: file.origin.index(),
    };
    ScenarioSweep {
        tasks: sweep.tasks.iter().map(task).collect(),
        files: sweep.files.iter().map(file).collect(),
    }
}

/// The grid of the scenario.
struct Facts {
    grid: SweepGrid,
    hosts: OrderedMap<String, usize>,
    clusters: OrderedMap<String, usize>,
    links: OrderedMap<String, usize>,
}

impl Facts {
    fn new(grid: SweepGrid) -> Self {
        let hosts = grid.hosts.iter().map(|host| host.name.clone()).zip(0..).collect();
        let clusters = grid.clusters.iter().map(|cluster| cluster.name.clone()).zip(0..).collect();
        let links = grid.link_numbers().map(|link| grid.link_name(link).to_owned()).zip(0..).collect();
        Facts { grid, hosts, clusters, links }
    }
}

fn host(number: usize) -> HostNumber {
    HostNumber(number as u32)
}

fn cluster(number: usize) -> ClusterNumber {
    ClusterNumber(number as u32)
}

impl Facts {
    fn trace(&self, of: SweepValue, number: usize) -> &Trace {
        match of {
            SweepValue::Availability => &self.grid.host(host(number)).availability,
            SweepValue::HostPresence => &self.grid.host(host(number)).present,
            SweepValue::Bandwidth => self.grid.link_traces(LinkNumber(number as u32)).1,
            SweepValue::Latency => self.grid.link_traces(LinkNumber(number as u32)).0,
            SweepValue::ClusterPresence => &self.grid.cluster(cluster(number)).present,
        }
    }
}

impl SweepFacts for Facts {
    fn hosts(&self) -> usize {
        self.grid.hosts.len()
    }

    fn clusters(&self) -> usize {
        self.grid.clusters.len()
    }

    fn links(&self) -> usize {
        self.grid.link_count()
    }

    fn host_name(&self, number: usize) -> &str {
        &self.grid.host(host(number)).name
    }

    fn cluster_name(&self, number: usize) -> &str {
        &self.grid.cluster(cluster(number)).name
    }

    fn cluster_of_link(&self, link: usize) -> usize {
        self.grid.clusters_of_link(LinkNumber(link as u32)).0.index()
    }

    fn links_of(&self, number: usize) -> Vec<usize> {
        self.grid.links_of(cluster(number)).map(LinkNumber::index).collect()
    }

    fn extremes(&self, of: SweepValue, number: usize) -> [f64; 2] {
        let trace = self.trace(of, number);
        [trace.least(), trace.values().fold(0.0, f64::max)]
    }

    fn drawn(&self, of: SweepValue, number: usize, at: SimTime) -> Option<(f64, Option<SimTime>)> {
        let trace = self.trace(of, number);
        trace.is_drawn().then(|| (trace.value_at(at), trace.next_change(at)))
    }

    fn host(&self, name: &str) -> Option<usize> {
        self.hosts.get(name).copied()
    }

    fn cluster(&self, name: &str) -> Option<usize> {
        self.clusters.get(name).copied()
    }

    fn origin(&self, name: &str) -> Option<usize> {
        self.grid.origin_names().position(|origin| origin == name)
    }

    fn link(&self, name: &str) -> Option<usize> {
        self.links.get(name).copied()
    }

    fn link_of(&self, origin: usize, number: usize) -> usize {
        self.grid.link_of(OriginNumber(origin as u32), cluster(number)).index()
    }

    fn between(&self, link: usize) -> Option<[usize; 2]> {
        let (one, other) = self.grid.clusters_of_link(LinkNumber(link as u32));
        Some([one.index(), other?.index()])
    }

    fn cluster_of(&self, number: usize) -> usize {
        self.grid.host(host(number)).cluster.index()
    }

    fn processors(&self, number: usize) -> u32 {
        self.grid.host(host(number)).processors
    }

    fn architecture(&self, number: usize) -> usize {
        self.grid.host(host(number)).architecture
    }

    fn speed(&self, number: usize) -> f64 {
        self.grid.host(host(number)).speed
    }

    fn waits(&self, number: usize) -> bool {
        self.grid.host(host(number)).queue_wait.is_some()
    }

    fn has_storage(&self, number: usize) -> bool {
        self.grid.cluster(cluster(number)).has_storage
    }

    fn capacity(&self, number: usize) -> Option<u64> {
        self.grid.cluster(cluster(number)).limit()
    }

    fn prices(&self, number: usize) -> Option<[f64; 2]> {
        let prices = self.grid.cluster(cluster(number)).prices?;
        Some([prices.per_second, prices.per_byte])
    }

    fn value(&self, of: SweepValue, number: usize, at: SimTime) -> Option<(f64, Option<SimTime>)> {
        let trace = self.trace(of, number);
        (!trace.is_drawn()).then(|| (trace.value_at(at), trace.next_change(at)))
    }

    fn leaves(&self, of: SweepValue, number: usize, at: SimTime) -> bool {
        let is_presence = matches!(of, SweepValue::HostPresence | SweepValue::ClusterPresence);
        is_presence && self.trace(of, number).least_at(at) <= 0.0
    }
}
