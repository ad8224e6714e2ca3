//! Schedulers by name: the one that plans, whose heuristic may also be a workqueue, and those of
//! other crates.

use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;

use crate::dialogue::replay;
use crate::heuristic::Heuristic;
use crate::kernel::SimDuration;
use crate::kernel::rng::Streams;
use crate::model::application::Sweep;
use crate::model::grid::SweepGrid;
use crate::plan::chart::CompletedWhen;
use crate::plan::planner::Planner;
use crate::plan::settings::{Delta, Fill, PlanSettings, PlanningTime};
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, Table, entry, keys};
use crate::scheduler::interfaces::SweepScheduler;
use crate::scheduler::link_queue::LinkDiscipline;
use crate::scheduler::workqueue::WorkqueueScheduler;

/// A scheduler that a scenario names.
pub trait SweepSchedulerKind: fmt::Debug {
    /// The scheduler of a run, which draws from these streams.
    fn begin(self: Box<Self>, streams: Streams) -> Box<dyn SweepScheduler>;

    /// The files it reads: as the scenario names them, and from where the program runs.
    fn inputs(&self) -> Vec<(String, PathBuf)> {
        Vec::new()
    }

    /// Keys of it that contradict each other.
    fn contradictions(&self) -> Vec<Complaint> {
        Vec::new()
    }

    /// Reads these files for an application and a grid, before it begins.
    ///
    /// # Errors
    /// What is wrong with them.
    fn load(&mut self, _sweep: &Rc<Sweep>, _grid: &Rc<SweepGrid>) -> Result<(), Vec<Complaint>> {
        Ok(())
    }

    /// Returns true if it draws random numbers.
    fn draws(&self) -> bool {
        false
    }

    /// The link between the name of its heuristic and what is shown: that, or the name of the
    /// scheduler.
    fn heuristic(&self) -> Option<&str> {
        None
    }
}

const SOURCE: &str = "F. Berman, H. Casanova, A. Legrand, D. Zagorodnov, LIP RR1999-46, 1999";

const TRIGGERS: Kind = Kind::List(&Kind::Choice(&[
    ("add", "when hosts are added"),
    ("remove", "when hosts are removed"),
    ("idle", "when a host has nothing to do and tasks have no host"),
]));

const KEYS: &[Key] = &keys! {
    "heuristic" Kind::Component("heuristic"), or "xsufferage" =>
        "which task is planned next, and on which host", source SOURCE;
    "interval" Kind::Component("interval"), or "constant" => "when the next plan is made", source SOURCE;
    "subset" Kind::Component("subset"), or "all" => "which tasks are planned", source SOURCE;
    "fill" Fill::CHOICES, or "horizon" => "how much a plan holds", source SOURCE;
    "per-host" Kind::count_from(1), or_count 4 => "tasks for each host, of plans with `fill` = \"proportional\"";
    "delta" Delta::CHOICES, or "interval" => "how long after the next plan each host still has tasks", source SOURCE;
    "delta-span" Kind::Duration(Bounds::NotNegative), absent "as `delta` says" => "the same, as a span of time";
    "keep" Kind::count_from(0), or_count 1 =>
        "tasks that the queue of a host keeps when the next plan is made", source SOURCE;
    "links" LinkDiscipline::CHOICES, or "greedy" => "what a link carries next", source SOURCE;
    "steal" Kind::Flag, or_flag false =>
        "whether an idle host takes a task that is ready from the queue of another host of its cluster", source SOURCE;
    "duplicate" Kind::Flag, or_flag false =>
        "whether a host that has nothing to do computes the task that is predicted to end last, if it would end there earlier", source SOURCE;
    "replan-on" TRIGGERS, or_list &["add", "idle"] => "when a plan is made besides scheduling events", source SOURCE;
    "planning-time" Kind::Duration(Bounds::NotNegative), or "0s" => "how long a plan takes, while work goes on", source SOURCE;
    "per-look" Kind::Duration(Bounds::Positive), absent "a plan takes `planning-time`" =>
        "how long a plan takes for each pair of a task and a host that it looks at";
    "completion" CompletedWhen::CHOICES, or "returned" => "when a task counts as completed in plans";
};

/// The schedulers by name.
pub fn table() -> Table<dyn SweepSchedulerKind> {
    const PLAN: Entry<dyn SweepSchedulerKind> = entry!(
        "plan" => "plans on a chart of hosts and links, again and again; by a workqueue nothing is planned",
        source SOURCE, keys KEYS, reads |params| plan(params)?
    );
    const ENTRIES: &[Entry<dyn SweepSchedulerKind>] = &[PLAN, replay::ENTRY];
    Table::new("sweep-scheduler", "how the tasks of a parameter sweep get hosts", ENTRIES)
}

/// Keys of plans, which contradict a workqueue.
const OF_PLANS: [&str; 12] = [
    "fill",
    "per-host",
    "interval",
    "delta",
    "delta-span",
    "subset",
    "keep",
    "steal",
    "replan-on",
    "planning-time",
    "per-look",
    "completion",
];

/// Refuses keys of plans that are written where a workqueue is; where an axis or the command line
/// puts one, they have no effect.
fn without_plans(params: &Params<'_>) -> Result<(), Complaint> {
    let whole = params.span("");
    let written = |key: &&str| params.has(key) && params.span(key) != whole;
    let heuristic = params.span("heuristic");
    let is_with_it = |key: &&str| {
        let at = params.span(key);
        let (from, to) = (heuristic.start.min(at.start) as usize, heuristic.start.max(at.start) as usize);
        // no other table begins between the two
        at.source == heuristic.source
            && !params.sources().text(at.source)[from..to].lines().skip(1).any(|line| line.starts_with('['))
    };
    let keys: Vec<&str> = OF_PLANS.into_iter().filter(written).filter(is_with_it).collect();
    // a resolved scenario has every key
    if ["fill", "interval", "delta", "keep", "steal", "replan-on", "completion"]
        .iter()
        .all(|key| keys.contains(key))
    {
        return Ok(());
    }
    let Some(first) = keys.first() else { return Ok(()) };
    let listed: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    let what = if *first == "fill" { "no plan to fill up to a horizon" } else { "no plans" };
    let message = format!("a workqueue makes {what}: {} contradict it", listed.join(", "));
    Err(params.complaint(first, message).note("the workqueue is chosen here", Some(heuristic)))
}

fn plan(params: &Params<'_>) -> Result<Plan, Complaint> {
    let heuristic: Box<dyn Heuristic> = params.component("heuristic", "heuristic")?;
    let mut contradictions = Vec::new();
    if heuristic.workqueue().is_some() {
        contradictions.extend(without_plans(params).err());
    }
    let interval: Box<dyn crate::interval::EventInterval> = params.component("interval", "interval")?;
    let subset: Box<dyn crate::plan::subset::Subset> = params.component("subset", "subset")?;
    let planning = match params.read::<Option<SimDuration>>("per-look")? {
        Some(look) => PlanningTime::PerLook(look.as_secs_f64()),
        None => PlanningTime::Constant(params.read("planning-time")?),
    };
    if matches!(planning, PlanningTime::PerLook(_))
        && params.read::<SimDuration>("planning-time")? > SimDuration::ZERO
    {
        let message = "a plan takes `planning-time`, or a time for each look, not both";
        contradictions.push(params.complaint("per-look", message));
    }
    let fill: Fill = params.read("fill")?;
    let triggers: Vec<String> = params.read("replan-on")?;
    let on = |word: &str| triggers.iter().any(|trigger| trigger == word);
    let draws = heuristic.tolerance().is_some() || subset.draws();
    let name: String = params.section("heuristic").read("kind")?;
    Ok(Plan {
        name,
        draws,
        contradictions,
        settings: PlanSettings {
            heuristic,
            interval,
            subset,
            fill,
            per_host: params.read("per-host")?,
            delta: params.read("delta")?,
            fixed_delta: params.read("delta-span")?,
            keep: params.read("keep")?,
            links: params.read("links")?,
            steal: params.read("steal")?,
            duplicate: params.read("duplicate")?,
            planning,
            on_added: on("add"),
            on_removed: on("remove"),
            on_idle: on("idle"),
            completed_when: params.read("completion")?,
            individually: false,
        },
    })
}

#[derive(Debug)]
struct Plan {
    name: String,
    draws: bool,
    contradictions: Vec<Complaint>,
    settings: PlanSettings,
}

impl SweepSchedulerKind for Plan {
    fn begin(self: Box<Self>, streams: Streams) -> Box<dyn SweepScheduler> {
        match self.settings.heuristic.workqueue() {
            Some(order) => {
                let PlanSettings { links, duplicate, .. } = self.settings;
                Box::new(WorkqueueScheduler::new(order, links).duplicating(duplicate))
            }
            None => Box::new(Planner::new(self.settings, streams)),
        }
    }

    fn contradictions(&self) -> Vec<Complaint> {
        self.contradictions.clone()
    }

    fn draws(&self) -> bool {
        self.draws
    }

    fn heuristic(&self) -> Option<&str> {
        Some(&self.name)
    }
}
