//! From what was written to a scenario that can be run: all mistakes of all its texts at once.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::collections::{OrderedSet, StableSort as _};
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::measure::metric::Metric;
use crate::output::PARQUET_AVAILABLE;
use crate::registry::{
    Complaint, KeyValue, Node, Params, Registry, Sources, Span, Tree, Value, code, to_toml,
};
use crate::scenario::expect::Expectation;
use crate::scenario::outside::unquoted;
use crate::scenario::schema::USUAL_PATIENCE;
use crate::scenario::system::{AsWritten, System};
use crate::scenario::systems::{Claimed, system_of, systems};
use crate::text::MOST_MISTAKES;

/// The key of a workload that makes a log random.
const RANDOMIZE: &str = "randomize";

/// A scenario in which every value is valid and every default is filled in.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Title of the scenario.
    pub title: String,
    /// The root of every random stream.
    pub seed: u64,
    /// Number of the replication, from 0: each draws other numbers from the seed.
    pub replication: u64,
    /// Instant at which the run ends at the latest.
    pub until: Option<SimTime>,
    /// Decisions in a row that complete nothing, after which a run is given up.
    pub give_up_after: u64,
    /// True if `report.html` is written.
    pub record_report: bool,
    /// True if `trace.pftrace` is written.
    pub record_trace: bool,
    /// True if the rows of a run are also written in Parquet; of a study, `results.parquet`.
    pub record_parquet: bool,
    /// System that it simulates.
    pub system: &'static dyn System,
    /// The bounds the metrics are held to.
    pub expectations: Vec<Expectation>,
    /// The text of the main file.
    pub text: String,
    own: Arc<dyn Any + Send + Sync>,
    root: Node,
    sources: Sources,
}

/// A scenario that is not valid.
#[derive(Debug)]
pub struct Rejected {
    /// The texts that the complaints point into.
    pub sources: Sources,
    /// Complaints, in the order of the texts.
    pub complaints: Vec<Complaint>,
}

/// Checks one point: a scenario without `[[vary]]` and `[repeat]`. Tables of later versions are
/// complained of.
pub(super) fn check_point(written: &AsWritten<'_>, complaints: &mut Vec<Complaint>) -> Option<Scenario> {
    let AsWritten { registry, sources, root } = *written;
    complaints.extend(beyond_this_build(root));
    let claimed = system_of(written).map_err(|found| {
        complaints.extend(found);
        // whatever it simulates: bounds are held against the metrics of all systems
        let all = systems(registry);
        let known = || all.iter().flat_map(|system| system.bounded(root)).collect();
        let is_share = |metric: &str| all.iter().any(|system| system.is_share(metric));
        expectations(root, known, &is_share, complaints);
    });
    let Claimed { system, root, foreign } = claimed.ok()?;
    let root = &root;
    complaints.extend(foreign);
    let resolved = system.check(&AsWritten { registry, sources, root }, complaints);
    let expectations =
        expectations(root, || system.bounded(root), &|metric| system.is_share(metric), complaints);
    let scenario = resolved.and_then(|root| read(registry, sources, system, &root, complaints))?;
    Some(Scenario { expectations, ..scenario })
}

/// The bounds of `[expect]`, on a run that may have these metrics.
fn expectations(
    root: &Node,
    known: impl FnOnce() -> Vec<Metric>,
    is_share: &dyn Fn(&str) -> bool,
    complaints: &mut Vec<Complaint>,
) -> Vec<Expectation> {
    let expected = root.table_at("expect");
    let slots = expected.map_or(&[][..], Tree::slots).iter().filter(|slot| slot.node.as_text().is_some());
    let slots: Vec<&KeyValue> = slots.collect();
    // most points of most studies bound nothing
    let known = if slots.is_empty() { Vec::new() } else { known() };
    let read = slots.into_iter().map(|slot| Expectation::read(slot, &known, is_share));
    read.filter_map(|read| keep(read, complaints)).collect()
}

/// Complaints that remain if not all is right, in the order of the texts.
#[expect(
    clippy::unnecessary_box_returns,
    reason = "the error of every step, boxed because it carries the texts"
)]
pub(super) fn rejected(sources: Sources, complaints: Vec<Complaint>) -> Box<Rejected> {
    let quoted = without_consequences(complaints).into_iter();
    let mut complaints: Vec<Complaint> = quoted.map(|complaint| unquoted(&sources, complaint)).collect();
    complaints.stable_sort_by_key(|complaint| complaint.span);
    Box::new(Rejected { sources, complaints })
}

/// Leaves out what only follows from a syntax error: a value that was not understood, keys that
/// were lost.
fn without_consequences(mut complaints: Vec<Complaint>) -> Vec<Complaint> {
    let syntax = |complaint: &&Complaint| complaint.code == code::SYNTAX;
    let places: OrderedSet<Option<Span>> =
        complaints.iter().filter(syntax).map(|complaint| complaint.span).collect();
    complaints.retain(|complaint| {
        let follows = complaint.code == code::MISSING_KEY || places.contains(&complaint.span);
        places.is_empty() || complaint.code == code::SYNTAX || !follows
    });
    complaints
}

fn read(
    registry: &Registry,
    sources: &Sources,
    system: &'static dyn System,
    root: &Node,
    complaints: &mut Vec<Complaint>,
) -> Option<Scenario> {
    let params = Params::new(registry, sources, root);
    let (run, record) = (params.section("run"), params.section("record"));
    let title = keep(title(&params), complaints);
    let seed = keep(params.read("seed"), complaints);
    let replication = keep(run.read::<Option<u64>>("replication"), complaints);
    let until = keep(run.read::<Option<SimDuration>>("until"), complaints);
    let give_up_after = run.has("give-up-after").then(|| keep(run.read::<u64>("give-up-after"), complaints));
    // a system need not have all of them
    let mut records =
        |name| keep(record.read::<Option<bool>>(name), complaints).map(Option::unwrap_or_default);
    let (record_report, record_trace, record_parquet) =
        (records("report"), records("trace"), records("parquet"));
    let own = system.read(&params, root, complaints);
    Some(Scenario {
        title: title?,
        seed: seed?,
        replication: replication?.unwrap_or(0),
        until: until?.map(|span| SimTime::ZERO.saturating_add(span)),
        give_up_after: give_up_after.unwrap_or(Some(USUAL_PATIENCE))?,
        record_report: record_report?,
        record_trace: record_trace?,
        record_parquet: record_parquet?,
        system,
        own: own?,
        expectations: Vec::new(),
        text: String::new(),
        root: root.clone(),
        sources: sources.clone(),
    })
}

/// The value, or its complaint put with the others.
pub fn keep<T>(result: Result<T, Complaint>, complaints: &mut Vec<Complaint>) -> Option<T> {
    result.map_err(|complaint| complaints.push(complaint)).ok()
}

/// Reads a struct, each field by an expression that may complain: all complaints are kept, and
/// the function that reads it returns `None` if there is one.
///
/// ```
/// use clustersim::registry::{Complaint, code};
/// use clustersim::scenario::keep_all;
///
/// struct Counter {
///     windows: u32,
///     customers: u64,
/// }
/// fn read(customers: Result<u64, Complaint>, complaints: &mut Vec<Complaint>) -> Option<Counter> {
///     keep_all!(complaints => Counter { windows: Ok(1), customers: customers, })
/// }
/// let mut complaints = Vec::new();
/// let too_many = Complaint::nowhere(code::RANGE, "too many");
/// assert!(read(Err(too_many), &mut complaints).is_none() && complaints.len() == 1);
/// let counter = read(Ok(2), &mut complaints).unwrap();
/// assert_eq!((counter.windows, counter.customers), (1, 2));
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __keep_all {
    ($complaints:expr => $Type:ident { $($field:ident: $read:expr,)* }) => {{
        $(let $field = $crate::scenario::keep($read, $complaints);)*
        Some($Type { $($field: $field?),* })
    }};
}

#[doc(inline)]
pub use __keep_all as keep_all;

fn title(params: &Params<'_>) -> Result<String, Complaint> {
    let title: String = params.read("title")?;
    if title.trim().is_empty() {
        let complaint = Complaint::new(code::RANGE, "`title` is empty", params.span("title"));
        return Err(complaint.label("expected some words"));
    }
    Ok(title)
}

/// Complaint about a request that this build cannot serve.
fn beyond_this_build(root: &Node) -> Option<Complaint> {
    if PARQUET_AVAILABLE {
        return None;
    }
    let asked = root.at("record.parquet")?;
    matches!(asked.value, Value::Boolean(true)).then(|| {
        let message = "this build cannot write Parquet files";
        let complaint =
            Complaint::new(code::FEATURE, message, asked.span).label("needs the feature `parquet`");
        complaint.help("releases have it; to build it in: cargo install --locked --path . --features parquet")
    })
}

impl Scenario {
    /// Streams of random numbers of the replication.
    pub fn streams(&self) -> Streams {
        Streams::new(self.seed, self.replication)
    }

    /// Values, to build the models from.
    pub fn params<'a>(&'a self, registry: &'a Registry) -> Params<'a> {
        Params::new(registry, &self.sources, &self.root)
    }

    /// The features that a build must have to give all its results. Others make no difference to
    /// any of its bytes, so they are no part of what a run is known by: they stand in the block
    /// `invocation` of a manifest.
    pub fn features(&self) -> Vec<&'static str> {
        if self.record_parquet { vec!["parquet"] } else { Vec::new() }
    }

    /// The whole scenario with every default filled in, as TOML. Running it gives the same results.
    pub fn resolved(&self) -> String {
        self.root.as_table().map(to_toml).unwrap_or_default()
    }

    /// The same scenario as another of its replications.
    #[must_use]
    pub fn with_replication(&self, replication: u64) -> Self {
        let mut other = Scenario { replication, ..self.clone() };
        if let Value::Table(tree) = &mut other.root.value
            && let Some(span) = tree.slot("run").map(|run| run.span)
            && let Some(run) = tree.table_mut("run")
        {
            run.set("replication", span, Value::Integer(i64::try_from(replication).unwrap_or(i64::MAX)));
        }
        other
    }

    /// First replication with the log as recorded; `None` unless the log is randomized.
    #[must_use]
    pub fn as_recorded(&self) -> Option<Self> {
        let mut recorded = self.with_replication(0);
        let Value::Table(tree) = &mut recorded.root.value else { return None };
        tree.table_mut("workload")?.take(RANDOMIZE)?;
        Some(recorded)
    }

    /// Returns true if its log is randomized, so that [`Scenario::as_recorded`] is another run.
    pub fn is_randomized(&self) -> bool {
        self.root.table_at("workload").is_some_and(|workload| workload.slot(RANDOMIZE).is_some())
    }

    /// Values as a table, every default filled in.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Settings that its system read, if they are a `T`.
    pub fn own<T: Any>(&self) -> Option<&T> {
        (*self.own).downcast_ref()
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
        let complaints = complaints.into_iter().map(|complaint| unquoted(&self.sources, complaint)).collect();
        Box::new(Rejected { sources: self.sources.clone(), complaints })
    }
}

impl Rejected {
    /// Number of mistakes, with those that are only counted.
    pub fn count(&self) -> u64 {
        self.complaints.iter().map(|complaint| 1 + complaint.besides).sum()
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.complaints.len().min(MOST_MISTAKES);
        for (index, complaint) in self.complaints.iter().take(MOST_MISTAKES).enumerate() {
            let end = if index + 1 == shown { "" } else { "\n" };
            match complaint.span {
                Some(span) => {
                    let (line, column) = self.sources.place(span);
                    write!(f, "{}:{line}:{column}: {complaint}{end}", self.sources.name(span.source))?;
                }
                None => write!(f, "{complaint}{end}")?,
            }
        }
        match self.count() - shown as u64 {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Rejected {}
