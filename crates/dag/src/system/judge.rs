//! Judging a finished run of task graphs by its files, and by the platform and the graphs of its
//! scenario.

use std::borrow::Cow;
use std::iter;
use std::sync::Arc;

use crate::collections::StableSort as _;
use crate::execution::Replan;
use crate::judge::{
    ArrivedWorkflow, DrawnLoad, HostPrices, KnownPredictions, LinkUse, PartFailure, PartLeft, PlanFiles,
    PlatformFacts, SentFile, judge_plans,
};
use crate::kernel::{SimDuration, SimTime};
use crate::model::graph::Graph;
use crate::model::grid::CoresUsed;
use crate::noted_memory;
use crate::output::number::grouped;
use crate::platform::described;
use crate::platform::network::Transport;
use crate::platform::sharing::LinkId;
use crate::platform::{HostId, Platform, Trace};
use crate::registry::{Complaint, code};
use crate::results::billing::BilledTime;
use crate::scenario::{Checked, Rejected, RunDirectory};
use crate::system::assembly::{LinksSetting, Settings, billing, graph_again};
use crate::system::graph_file::write_graph;
use crate::system::schedulers::NAME as TAKE_OVER;
use crate::workflow::{EdgeNumber, TaskNumber};

pub(super) fn judge(run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
    let refused = |why: String| {
        let message = format!("the run in {} cannot be checked: {why}", run.place.display());
        run.reject(Complaint::nowhere(code::MANIFEST, message))
    };
    let text = |name| run.has(name).then(|| run.text(name)).transpose();
    let (tasks, transfers) = (text("tasks.csv")?, text("transfers.csv")?);
    let attempts = text("attempts.csv")?;
    let (plans, hosts, graph) = (text("plans.csv")?, text("hosts.csv")?, text("graph.dot")?);
    let (loads, jobs, critical) = (text("loads.csv")?, text("jobs.csv")?, text("critical.csv")?);
    let (compared, plan_file) = (text("schedulers.csv")?, text("plan.json")?);
    let summary = run.json("summary.json")?;
    let value = |metric: &str| &summary["metrics"][metric]["value"];
    let settings = run.scenario.own::<Settings>().expect("what the system read of its scenario");
    let params = run.scenario.params(run.registry);
    let counted = |name: &str| run.manifest["counters"][name].as_u64().unwrap_or(0);
    run.has_its_inputs().map_err(&refused)?;
    let section = params.section("platform");
    let streams = run.scenario.streams();
    let first = |complaints: Vec<Complaint>| {
        refused(complaints.first().map_or_else(String::new, |first| first.message.clone()))
    };
    let described = described::read(&section, &streams).map_err(first)?;
    let platform = Arc::new(described.platform);
    let again = graph_again(&params, &platform, settings, streams).map_err(first)?;
    let mut graph_of_scenario = Vec::new();
    write_graph(&again, &run.scenario.title, &mut graph_of_scenario).expect("a vector takes all");
    let graph_of_scenario = String::from_utf8_lossy(&graph_of_scenario);
    let prices = billing(&params.section("run"), &platform).map_err(first)?.map(|billing| HostPrices {
        rented: billing.time == BilledTime::Rented,
        quantum: billing.quantum.as_nanos(),
        of_hours: billing.prices,
    });
    let prediction: String = params.section("prediction").read("kind").unwrap_or_default();
    let scheduler = run.manifest["scheduler"].as_str().unwrap_or_default();
    let rule: String = params.section("scheduler").read("kind").unwrap_or_default();
    let workflows = workflows(&again);
    let rules = again.file_rules();
    let network =
        section.component::<dyn Transport>("network", "network").map_err(|wrong| first(vec![wrong]))?;
    let links = settings.links(&section);
    let lets_go = links == LinksSetting::Ready && network.lets_go();
    let facts = Facts { links, cores: settings.cores, platform, lets_go };
    let files = PlanFiles {
        tasks: tasks.as_deref(),
        attempts: attempts.as_deref(),
        transfers: transfers.as_deref(),
        plans: plans.as_deref(),
        hosts: hosts.as_deref(),
        graph: graph.as_deref(),
        loads: loads.as_deref(),
        jobs: jobs.as_deref(),
        critical: critical.as_deref(),
        schedulers: compared.as_deref(),
        plan_file: plan_file.as_deref(),
        summary: Some(&summary),
        manifest: Some(run.manifest),
        graph_of_scenario: Some(&graph_of_scenario),
        named: (&run.scenario.title, run.scenario.seed),
        workflows: &workflows,
        scheduler,
        foresight: match &*prediction {
            "perfect" => KnownPredictions::Perfect,
            "now" => KnownPredictions::Now,
            _ => KnownPredictions::Other,
        },
        cache: rules.cache,
        deadline: settings.deadline,
        prices: prices.as_ref(),
        period: match settings.replan {
            Replan::Period(period) => Some(period),
            _ => None,
        },
        sent_files: &sent_files(&again),
        until: run.scenario.until,
        makespan: value("makespan").as_f64(),
        lower_bound: value("lower-bound").as_f64(),
        stopped: value("makespan").is_null(),
        takes_over: rule == TAKE_OVER,
        keeps_data: settings.keep_data,
        work_conserving: settings.work_conserving,
        home: rules.home.map(|home| &*facts.platform.host(home).name),
    };
    let promises = judge_plans(&files, &facts).map_err(refused)?;
    let about = format!(
        "{} of {} tasks, {} transfers",
        grouped(value("tasks.completed").as_u64().unwrap_or(0)),
        grouped(counted("tasks")),
        grouped(value("transfers").as_u64().unwrap_or(0)),
    );
    Ok(Checked { about, promises })
}

/// The files that are sent under their names, in order.
fn sent_files(graph: &Graph) -> Vec<SentFile> {
    let name = |task: Option<TaskNumber>| {
        task.map(|task| {
            format!("{}/{}", graph.applications()[graph.application_of(task)].name, graph.task(task).name)
        })
    };
    let file = |edge: EdgeNumber| {
        let (data, file) = (graph.data(edge), graph.file_name(edge)?);
        Some(SentFile { from: name(data.from), to: name(data.to), name: file.to_owned() })
    };
    let mut files: Vec<SentFile> = (0..graph.data_count() as u32).map(EdgeNumber).filter_map(file).collect();
    files.stable_sort();
    files
}

/// The workflows of the scenario.
fn workflows(graph: &Graph) -> Vec<ArrivedWorkflow> {
    let of = |one: &crate::model::graph::ArrivingWorkflow| ArrivedWorkflow {
        name: one.name.clone(),
        kind: one.workflow.name().to_owned(),
        arrival: one.arrival,
    };
    graph.applications().iter().map(of).collect()
}

/// The platform of the scenario.
struct Facts {
    platform: Arc<Platform>,
    cores: CoresUsed,
    links: LinksSetting,
    /// True if a link lets go of what it has carried, and other links of the route carry it on.
    lets_go: bool,
}

/// Changes of a trace among which a failure is looked for: those of one that repeats go on for
/// ever.
const MOST_CHANGES: usize = 100_000;

/// The first instant from `start` on at which something does not work.
fn first_failure(working: &Trace, start: SimTime) -> Option<SimTime> {
    let changes = iter::successors(Some(start), |at| working.next_change(*at));
    // what leaves and returns as something begins leaves before
    let fails = |at: &SimTime| working.value_at(*at) <= 0.0 || *at > start && working.least_at(*at) <= 0.0;
    changes.take(MOST_CHANGES).find(fails)
}

/// The value at an instant, and until when it holds.
fn held(trace: &Trace, at: SimTime) -> (f64, Option<SimTime>) {
    (trace.value_at(at), trace.next_change(at))
}

impl Facts {
    /// The links of a route, and what is added to their latencies; nothing if nothing joins the
    /// hosts.
    fn route_between(&self, from: usize, to: usize) -> Option<(Vec<LinkId>, f64)> {
        let mut route = Vec::new();
        let extra = self.platform.route_with_delay(host(from), host(to), &mut route).ok()?;
        Some((route, extra))
    }
}

fn host(number: usize) -> HostId {
    HostId::new(number as u32)
}

impl PlatformFacts for Facts {
    fn hosts(&self) -> usize {
        self.platform.hosts().len()
    }

    fn host(&self, name: &str) -> Option<usize> {
        self.platform.host_named(name).map(HostId::index)
    }

    fn host_name(&self, number: usize) -> &str {
        &self.platform.host(host(number)).name
    }

    fn cores(&self, number: usize) -> u32 {
        if self.cores == CoresUsed::One { 1 } else { self.platform.host(host(number)).cores }
    }

    fn speed(&self, number: usize) -> f64 {
        self.platform.host(host(number)).speed()
    }

    fn memory(&self, number: usize) -> Option<u64> {
        noted_memory(self.platform.host(host(number))).ok().flatten()
    }

    fn availability(&self, number: usize, at: SimTime) -> Option<(f64, Option<SimTime>)> {
        let availability = &self.platform.host(host(number)).availability;
        (!availability.is_drawn()).then(|| held(availability, at))
    }

    fn is_joined(&self, from: usize, to: usize) -> bool {
        from == to || self.route_between(from, to).is_some()
    }

    fn link_use(&self) -> LinkUse {
        match self.links {
            LinksSetting::Planned => LinkUse::OneByOne,
            LinksSetting::ContentionFree => LinkUse::Alone,
            LinksSetting::Ready => LinkUse::Shared,
        }
    }

    fn may_fail(&self) -> bool {
        self.platform.may_fail()
    }

    fn failures(&self, from: usize, to: usize, start: SimTime) -> Vec<PartFailure> {
        let mut links = Vec::new();
        if from != to {
            self.route(from, to, &mut links);
        }
        let count = links.len();
        let link = |(place, link): (usize, usize)| {
            let link = self.platform.link(LinkId::new(link as u32));
            let travel = SimDuration::ceil_secs(link.latency.least());
            let left = match place + 1 {
                _ if !self.lets_go => PartLeft::AtArrival,
                place if place == count => PartLeft::Last(travel),
                _ => PartLeft::Earlier,
            };
            (link.working.clone(), left)
        };
        let hosts =
            [from, to].map(|number| (self.platform.host(host(number)).working.clone(), PartLeft::AtArrival));
        let first = |(working, left): (Trace, PartLeft)| {
            first_failure(&working, start).map(|at| PartFailure { at, left })
        };
        links.into_iter().enumerate().map(link).chain(hosts).filter_map(first).collect()
    }

    fn route(&self, from: usize, to: usize, links: &mut Vec<usize>) {
        let found = self.route_between(from, to);
        links.extend(found.into_iter().flat_map(|(route, _)| route).map(LinkId::index));
    }

    fn links(&self) -> usize {
        self.platform.links().len()
    }

    fn link(&self, name: &str) -> Option<usize> {
        self.platform.link_named(name).map(LinkId::index)
    }

    fn latency(&self, from: usize, to: usize, start: SimTime) -> f64 {
        let Some((route, extra)) = self.route_between(from, to) else { return 0.0 };
        let links = route.iter().map(|link| self.platform.link(*link).latency.value_at(start));
        links.fold(extra, |sum, latency| sum + latency)
    }

    fn latency_changes(&self, from: usize, to: usize) -> bool {
        let route = self.route_between(from, to).unwrap_or_default().0;
        route.iter().any(|link| self.platform.link(*link).latency.next_change(SimTime::ZERO).is_some())
    }

    fn bandwidth(&self, link: usize, at: SimTime) -> Option<(f64, Option<SimTime>)> {
        let bandwidth = &self.platform.link(LinkId::new(link as u32)).bandwidth;
        (!bandwidth.is_drawn()).then(|| held(bandwidth, at))
    }

    fn drawn(&self, of: DrawnLoad, at: SimTime) -> Option<(f64, Option<SimTime>)> {
        let trace = match of {
            DrawnLoad::Host(number) => Cow::Borrowed(&self.platform.host(host(number)).availability),
            DrawnLoad::Link(link) => {
                Cow::Owned(self.platform.link(LinkId::new(link as u32)).bandwidth.clone())
            }
        };
        trace.is_drawn().then(|| held(&trace, at))
    }
}
