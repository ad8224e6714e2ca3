//! Judging a finished run of task graphs by its files, and by the platform of its scenario.

use std::iter;
use std::sync::Arc;

use crate::check::{LinkUse, PlanFiles, PlatformFacts, TransferEnd, judge_plans};
use crate::dag::grid::Grid;
use crate::dag::noted_memory;
use crate::kernel::SimTime;
use crate::kernel::rng::Streams;
use crate::output::number::grouped;
use crate::platform::sharing::LinkId;
use crate::platform::{HostId, Trace};
use crate::registry::Complaint;
use crate::registry::code;
use crate::scenario::{Checked, Rejected, RunDirectory, platform};
use crate::system::dag::assembly::{LinksSetting, Settings};

pub(super) fn judge(run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
    let refused = |why: String| {
        let message = format!("the run in {} cannot be checked: {why}", run.place.display());
        run.reject(Complaint::nowhere(code::MANIFEST, message))
    };
    let text = |name| run.has(name).then(|| run.text(name)).transpose();
    let (tasks, transfers) = (text("tasks.csv")?, text("transfers.csv")?);
    let (plans, hosts, graph) = (text("plans.csv")?, text("hosts.csv")?, text("graph.dot")?);
    let loads = text("loads.csv")?;
    // a scheduler that places tasks as the run goes on makes no plan
    let plans = plans.filter(|rows| rows.lines().count() > 1);
    let summary = run.json("summary.json")?;
    let value = |metric: &str| &summary["metrics"][metric]["value"];
    let settings = run.scenario.own::<Settings>().expect("what the system read of its scenario");
    let params = run.scenario.params(run.registry);
    let application = params.section("application");
    let home: Option<String> = if application.has("home") { application.read("home").ok() } else { None };
    let counted = |name: &str| run.manifest["counters"][name].as_u64().unwrap_or(0);
    let files = PlanFiles {
        tasks: tasks.as_deref(),
        transfers: transfers.as_deref(),
        plans: plans.as_deref(),
        hosts: hosts.as_deref(),
        graph: graph.as_deref(),
        loads: loads.as_deref(),
        makespan: value("makespan").as_f64(),
        lower_bound: value("lower-bound").as_f64(),
        stopped: value("tasks.completed").as_u64() < Some(counted("tasks")),
        work_conserving: settings.work_conserving,
        home: home.as_deref(),
    };
    run.has_its_inputs().map_err(&refused)?;
    let section = params.section("platform");
    let streams = Streams::new(run.scenario.seed, run.scenario.replication);
    let described = platform::read(&section, &streams).map_err(|complaints| {
        refused(complaints.first().map_or_else(String::new, |first| first.message.clone()))
    })?;
    let grid = Grid::new(Arc::new(described.platform), settings.cores);
    let facts = Facts { links: settings.links(&section), grid };
    let judged = judge_plans(&files, &facts).map_err(refused)?;
    let about = format!(
        "{} of {} tasks, {} transfers",
        grouped(value("tasks.completed").as_u64().unwrap_or(0)),
        grouped(counted("tasks")),
        grouped(value("transfers").as_u64().unwrap_or(0)),
    );
    let promises = judged.into_iter().map(|(promise, judged)| (promise.to_owned(), judged)).collect();
    Ok(Checked { about, promises })
}

/// The platform of the scenario.
struct Facts {
    grid: Grid,
    links: LinksSetting,
}

/// Changes of a trace among which a failure is looked for: those of one that repeats go on for ever.
const MOST_CHANGES: usize = 100_000;

/// The first instant from `start` on at which something does not work.
fn first_failure(working: &Trace, start: SimTime) -> Option<SimTime> {
    let changes = iter::successors(Some(start), |at| working.next_change(*at));
    changes.take(MOST_CHANGES).find(|at| working.value_at(*at) <= 0.0)
}

impl Facts {
    /// The links of a route; none if nothing joins the hosts.
    fn links_between(&self, from: usize, to: usize) -> Vec<LinkId> {
        let mut route = Vec::new();
        let found = self.grid.platform().route(host(from), host(to), &mut route);
        found.map_or_else(|_| Vec::new(), |()| route)
    }
}

fn host(number: usize) -> HostId {
    HostId::new(number as u32)
}

impl PlatformFacts for Facts {
    fn host(&self, name: &str) -> Option<usize> {
        self.grid.platform().host_named(name).map(HostId::index)
    }

    fn cores(&self, number: usize) -> u32 {
        self.grid.cores_of(host(number)).len() as u32
    }

    fn speed(&self, number: usize) -> f64 {
        self.grid.host(host(number)).speed()
    }

    fn memory(&self, number: usize) -> Option<u64> {
        noted_memory(self.grid.host(host(number))).ok().flatten()
    }

    fn computed(&self, number: usize, start: SimTime, (work, speed): (f64, f64)) -> Option<SimTime> {
        let availability = &self.grid.host(host(number)).availability;
        if availability.is_drawn() { None } else { availability.finish_at(start, work, speed) }
    }

    fn is_joined(&self, from: usize, to: usize) -> bool {
        from == to || self.grid.pair(host(from), host(to)).is_some()
    }

    fn carried(&self, from: usize, to: usize, bytes: u64, start: SimTime) -> TransferEnd {
        let route = self.links_between(from, to);
        let is_drawn = |link: &LinkId| self.grid.platform().links()[link.index()].bandwidth.is_drawn();
        if self.links == LinksSetting::Ready || route.iter().any(is_drawn) {
            return TransferEnd::Unknown;
        }
        let end = self.grid.carried(host(from), host(to), bytes, start);
        end.map_or(TransferEnd::Unknown, TransferEnd::At)
    }

    fn link_use(&self) -> LinkUse {
        if self.links == LinksSetting::Planned { LinkUse::OneByOne } else { LinkUse::Together }
    }

    fn fails(&self, from: usize, to: usize, start: SimTime) -> Option<SimTime> {
        let (platform, mut links) = (self.grid.platform(), Vec::new());
        self.route(from, to, &mut links);
        let hosts = [from, to].map(|number| &self.grid.host(host(number)).working);
        let working = links.into_iter().map(|link| &platform.links()[link].working).chain(hosts);
        working.filter_map(|working| first_failure(working, start)).min()
    }

    fn route(&self, from: usize, to: usize, links: &mut Vec<usize>) {
        links.extend(self.links_between(from, to).iter().map(|link| link.index()));
    }

    fn link(&self, name: &str) -> Option<usize> {
        self.grid.platform().link_named(name).map(LinkId::index)
    }

    fn latency(&self, from: usize, to: usize, start: SimTime) -> f64 {
        let platform = self.grid.platform();
        let mut route = Vec::new();
        let extra = platform.route_with_delay(host(from), host(to), &mut route).unwrap_or(0.0);
        let of_links = route.iter().map(|link| platform.links()[link.index()].latency.value_at(start));
        of_links.sum::<f64>() + extra
    }

    fn bandwidth(&self, link: usize, at: SimTime) -> Option<(f64, Option<SimTime>)> {
        let bandwidth = &self.grid.platform().links()[link].bandwidth;
        (!bandwidth.is_drawn()).then(|| (bandwidth.value_at(at), bandwidth.next_change(at)))
    }
}
