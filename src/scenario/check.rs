//! From what was written to a scenario that can be run: all mistakes of all its texts at once.

use std::fmt;

use crate::instrument::Site;
use crate::instrument::by_class::By;
use crate::instrument::sink::AVAILABLE;
use crate::kernel::stats::WarmUp;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::code;
use crate::registry::{
    Complaint, Node, Params, Registry, Slot, Sources, Span, Tree, Value, check as check_keys, to_toml,
};
use crate::scenario::cluster;
use crate::scenario::expect::{Detail, Expectation};
use crate::scenario::failures;
use crate::scenario::load::Written;
use crate::scenario::nodes;
use crate::scenario::reservations;
use crate::scenario::schema::{MSER_5, NOT_YET, TAKEN_IN};
use crate::scenario::site;
use crate::scenario::study::{Purpose, Study, study, study_for};
use crate::scenario::users;
use crate::workload::resources::Nodes;

/// A scenario in which every value is valid and every default is filled in.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the scenario")]
pub struct Scenario {
    /// What it is about.
    pub title: String,
    /// The root of every random stream.
    pub seed: u64,
    /// Which replication it is, from 0: each draws other numbers from the seed.
    pub replication: u64,
    /// When the run ends at the latest.
    pub until: Option<SimTime>,
    /// What is left out of the statistics at the start; nothing if that is found after the run.
    pub warm_up: WarmUp,
    /// Whether what is left out is found after the run, by MSER-5 over the wait times.
    pub finds_warm_up: bool,
    /// Processors of the machine; `None`: as the log's header says.
    pub procs: Option<u32>,
    /// Tasks that a processor takes, if the policy shares processors.
    pub level: u32,
    /// What the site does beyond giving processors, at detail `job`.
    pub site: Site,
    /// How many nodes it has, at detail `task`; `None` at detail `job`.
    pub nodes: Option<u32>,
    /// What its nodes have beyond processors, at detail `job`, if that is told.
    pub kinds: Option<Nodes>,
    /// By what jobs are told apart, at detail `job`.
    pub classes: Option<By>,
    /// Whether `jobs.csv` is written.
    pub record_jobs: bool,
    /// Whether `jobs.swf` is written.
    pub record_swf: bool,
    /// Whether `report.html` is written.
    pub record_report: bool,
    /// Whether `trace.pftrace` is written.
    pub record_trace: bool,
    /// Whether `jobs.parquet` is written; of a study, `results.parquet`.
    pub record_parquet: bool,
    /// Whether `profile.csv` and `executions.csv` are written, at detail `task`.
    pub record_profile: bool,
    /// The windows by which the computing of jobs is recorded, at detail `task`.
    pub pace: Option<SimDuration>,
    /// The bounds the metrics are held to.
    pub expectations: Vec<Expectation>,
    /// The text of the main file.
    pub text: String,
    root: Node,
    sources: Sources,
}

/// A scenario that is not valid.
#[derive(Debug)]
pub struct Rejected {
    /// The texts that the complaints point into.
    pub sources: Sources,
    /// What is wrong, in the order of the texts.
    pub complaints: Vec<Complaint>,
}

/// Checks a scenario as written; of a study, every point, and gives the first.
///
/// # Errors
/// Everything that is wrong with it, boxed because it carries the texts.
pub fn check(registry: &Registry, written: Written) -> Result<Scenario, Box<Rejected>> {
    study(registry, written).map(Study::into_first)
}

/// Checks the scenario of a run that is over. What only its files needed of the build that made it is not asked of this
/// one.
///
/// # Errors
/// As [`check`].
pub fn check_again(registry: &Registry, written: Written) -> Result<Scenario, Box<Rejected>> {
    study_for(registry, written, Purpose::Reread).map(Study::into_first)
}

/// Checks one point: a scenario without `[[vary]]` and `[repeat]`. Tables of later versions are complained of.
pub(super) fn check_point(
    registry: &Registry,
    sources: &Sources,
    root: &Node,
    complaints: &mut Vec<Complaint>,
) -> Option<Scenario> {
    let mut prepared = root.clone();
    cluster::prepare(&mut prepared, complaints);
    site::prepare(registry, &mut prepared, complaints);
    users::prepare(root, complaints);
    failures::prepare(root, complaints);
    reservations::prepare(root, complaints);
    let resolved = check_keys(registry, sources, &prepared, TAKEN_IN, complaints);
    if let Some(cluster) = root.as_table().and_then(|tree| tree.get("cluster")).and_then(Node::as_table) {
        complaints.extend(twice(cluster));
    }
    complaints.extend(beyond_this_build(root));
    let expected = root.as_table().and_then(|tree| tree.get("expect")).and_then(Node::as_table);
    let detail = cluster::detail_of(root);
    let slots = expected.map_or(&[][..], Tree::slots).iter().filter(|slot| slot.node.as_text().is_some());
    let read_slots: Vec<_> = slots.map(|slot| keep(Expectation::read(slot, detail), complaints)).collect();
    let expectations = read_slots.into_iter().flatten().collect();
    let scenario =
        resolved.map(cluster::complete).and_then(|root| read(registry, sources, &root, complaints))?;
    Some(Scenario { expectations, ..scenario })
}

/// What is left to say when not all is right, in the order of the texts.
#[expect(
    clippy::unnecessary_box_returns,
    reason = "the error of every step, boxed because it carries the texts"
)]
pub(super) fn rejected(sources: Sources, complaints: Vec<Complaint>) -> Box<Rejected> {
    let mut complaints = without_consequences(complaints);
    complaints.sort_by_key(|complaint| complaint.span);
    Box::new(Rejected { sources, complaints })
}

/// Leaves out what only follows from a syntax error: a value that was not understood, keys that were lost.
fn without_consequences(mut complaints: Vec<Complaint>) -> Vec<Complaint> {
    let syntax = |complaint: &&Complaint| complaint.code == code::SYNTAX;
    let places: Vec<Option<Span>> =
        complaints.iter().filter(syntax).map(|complaint| complaint.span).collect();
    complaints.retain(|complaint| {
        let follows = complaint.code == code::MISSING_KEY || places.contains(&complaint.span);
        places.is_empty() || complaint.code == code::SYNTAX || !follows
    });
    complaints
}

/// Takes the tables of later versions out, with a complaint each.
pub(super) fn set_aside(tree: &mut Tree, complaints: &mut Vec<Complaint>) {
    for (name, about) in NOT_YET {
        let Some(slot) = tree.take(name) else { continue };
        let message = format!("`{name}` ({about}) is not available in this version");
        let complaint = Complaint::new(code::NOT_YET, message, slot.span).label("cannot be run yet");
        complaints.push(complaint.help("take it out to run the rest"));
    }
}

fn twice(cluster: &Tree) -> Option<Complaint> {
    let (nodes, procs) = (cluster.slot("nodes")?, cluster.slot("procs")?);
    let complaint = Complaint::new(code::CONTRADICTION, "`nodes` and `procs` both tell the size", procs.span);
    Some(complaint.label("write one of them").note("`nodes` is here", Some(nodes.span)))
}

fn read(
    registry: &Registry,
    sources: &Sources,
    root: &Node,
    complaints: &mut Vec<Complaint>,
) -> Option<Scenario> {
    let params = Params::new(registry, sources, root);
    let (run, cluster, record) = (params.section("run"), params.section("cluster"), params.section("record"));
    let size = if cluster.has("procs") { "procs" } else { "nodes" };
    let title = keep(title(&params), complaints);
    let seed = keep(params.read("seed"), complaints);
    let replication = keep(run.read::<Option<u64>>("replication"), complaints);
    let until = keep(run.read::<Option<SimDuration>>("until"), complaints);
    let warm_up = keep(warm_up(&run), complaints);
    let procs = keep(cluster.read(size), complaints);
    let is_task = keep(cluster.pick("detail", &[("job", false), ("task", true)]), complaints);
    let layout = match (is_task, procs) {
        (Some(true), Some(nodes)) => Some(keep(cluster::layout(&cluster, nodes), complaints)?),
        _ => None,
    };
    if let (Some((_, processors)), Some(Some(procs)), "procs") = (&layout, procs, size)
        && *processors != procs
    {
        let message = format!("the nodes have {processors} processors, but `procs` is {procs}");
        complaints.push(cluster.complaint("procs", message).label("write `nodes` in its place"));
        return None;
    }
    let told = match (is_task, procs) {
        (Some(false), Some(count)) => {
            keep(nodes::read(&cluster, count.map(|count| (size, count))), complaints)?
        }
        _ => None,
    };
    let level = keep(cluster::level(&cluster), complaints);
    let site = keep(site::read(&cluster), complaints);
    let classes = keep(told_apart(&record), complaints);
    let site = site.map(|site| Site { users: users::habits(root), ..site });
    let record_jobs = keep(record.read("jobs"), complaints);
    let record_swf = keep(record.read("swf"), complaints);
    let record_report = keep(record.read("report"), complaints);
    let record_trace = keep(record.read("trace"), complaints);
    let record_parquet = keep(record.read("parquet"), complaints);
    let record_profile = keep(record.read::<Option<bool>>("profile"), complaints);
    let pace = keep(cluster::pace(&record), complaints);
    Some(Scenario {
        title: title?,
        seed: seed?,
        replication: replication?.unwrap_or(0),
        until: until?.map(|span| SimTime::ZERO.saturating_add(span)),
        warm_up: warm_up?,
        finds_warm_up: finds_warm_up(&run),
        procs: layout
            .as_ref()
            .map(|(_, processors)| *processors)
            .or(told.as_ref().map(Nodes::procs))
            .or(procs?),
        level: level?,
        site: site?,
        nodes: layout.map(|(layout, _)| layout.nodes()),
        kinds: told,
        classes: classes?,
        record_jobs: record_jobs?,
        record_swf: record_swf?,
        record_report: record_report?,
        record_trace: record_trace?,
        record_parquet: record_parquet?,
        record_profile: record_profile?.unwrap_or(false),
        pace: pace?,
        expectations: Vec::new(),
        text: String::new(),
        root: root.clone(),
        sources: sources.clone(),
    })
}

/// The value, or its complaint put with the others.
pub(super) fn keep<T>(result: Result<T, Complaint>, complaints: &mut Vec<Complaint>) -> Option<T> {
    result.map_err(|complaint| complaints.push(complaint)).ok()
}

/// By what jobs are told apart.
fn told_apart(record: &Params<'_>) -> Result<Option<By>, Complaint> {
    let words = [
        ("none", None),
        ("queue", Some(By::Queue)),
        ("partition", Some(By::Partition)),
        ("user", Some(By::User)),
        ("group", Some(By::Group)),
    ];
    record.pick("classes", &words)
}

fn title(params: &Params<'_>) -> Result<String, Complaint> {
    let title: String = params.read("title")?;
    if title.trim().is_empty() {
        let complaint = Complaint::new(code::RANGE, "`title` is empty", params.span("title"));
        return Err(complaint.label("expected some words"));
    }
    Ok(title)
}

/// What is asked for and this build cannot do.
fn beyond_this_build(root: &Node) -> Option<Complaint> {
    if AVAILABLE {
        return None;
    }
    let asked = root.as_table()?.at("record.parquet")?;
    matches!(asked.value, Value::Boolean(true)).then(|| {
        let message = "this build cannot write Parquet files";
        let complaint =
            Complaint::new(code::FEATURE, message, asked.span).label("needs the feature `parquet`");
        complaint.help("releases have it; to build it in: cargo install --locked --path . --features parquet")
    })
}

fn finds_warm_up(run: &Params<'_>) -> bool {
    run.tree().get("warm-up").and_then(Node::as_text) == Some(MSER_5)
}

fn warm_up(run: &Params<'_>) -> Result<WarmUp, Complaint> {
    let node = run.tree().get("warm-up");
    if let Some(Node { value: Value::Integer(_), .. }) = node {
        return run
            .read::<u64>("warm-up")
            .map(|jobs| if jobs == 0 { WarmUp::None } else { WarmUp::Count(jobs) });
    }
    if finds_warm_up(run) {
        return Ok(WarmUp::None);
    }
    let span: SimDuration = run.read("warm-up")?;
    Ok(if span.is_zero() { WarmUp::None } else { WarmUp::Until(SimTime::ZERO.saturating_add(span)) })
}

impl Scenario {
    /// Its values, to build the models from.
    pub fn params<'a>(&'a self, registry: &'a Registry) -> Params<'a> {
        Params::new(registry, &self.sources, &self.root)
    }

    /// The whole scenario with every default filled in, as TOML. Running it gives the same results.
    pub fn resolved(&self) -> String {
        self.root.as_table().map(to_toml).unwrap_or_default()
    }

    /// The same scenario as another of its replications.
    #[must_use]
    pub fn with_replication(&self, replication: u64) -> Self {
        let mut other = Scenario { replication, ..self.clone() };
        let run = match &mut other.root.value {
            Value::Table(tree) => tree.slot_mut("run"),
            _ => None,
        };
        if let Some(slot) = run
            && let Value::Table(run) = &mut slot.node.value
        {
            let value = Value::Integer(i64::try_from(replication).unwrap_or(i64::MAX));
            let node = Node::new(value, slot.node.span);
            run.put(Slot { name: "replication".to_owned(), span: slot.span, node });
        }
        other
    }

    /// Its values as a table, every default filled in.
    pub(super) fn root(&self) -> &Node {
        &self.root
    }

    /// How much is simulated.
    pub fn detail(&self) -> Detail {
        if self.nodes.is_some() { Detail::Task } else { Detail::Job }
    }

    /// Whether its jobs run in slices at detail `job`.
    pub fn runs_in_slices(&self) -> bool {
        cluster::runs_in_slices(&self.root)
    }

    /// Whether its jobs may ask for more than processors.
    pub fn asks_for_resources(&self) -> bool {
        cluster::asks_for_resources(&self.root)
    }

    /// The texts it was read from.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The same scenario, rejected after all for what building it found.
    pub fn reject(&self, complaint: Complaint) -> Box<Rejected> {
        self.reject_all(vec![complaint])
    }

    /// As [`Scenario::reject`], for several reasons.
    pub fn reject_all(&self, complaints: Vec<Complaint>) -> Box<Rejected> {
        Box::new(Rejected { sources: self.sources.clone(), complaints })
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, complaint) in self.complaints.iter().enumerate() {
            let end = if index + 1 == self.complaints.len() { "" } else { "\n" };
            match complaint.span {
                Some(span) => {
                    let (line, column) = self.sources.place(span);
                    write!(f, "{}:{line}:{column}: {complaint}{end}", self.sources.name(span.source))?;
                }
                None => write!(f, "{complaint}{end}")?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for Rejected {}
