//! From what was written to a scenario that can be run: all mistakes of all its texts at once.

use crate::collections::{OrderedSet, StableSort as _};
use crate::kernel::{SimDuration, SimTime};
use crate::measure::metric::Metric;
use crate::output::PARQUET_AVAILABLE;
use crate::registry::{Complaint, KeyValue, Node, Params, Registry, Sources, Span, Tree, Value, code};
use crate::scenario::expect::Expectation;
use crate::scenario::kept_runs::{KeptRuns, RUNS};
use crate::scenario::outside::unquoted;
use crate::scenario::schema::USUAL_PATIENCE;
use crate::scenario::system::{AsWritten, System};
use crate::scenario::systems::{Claimed, system_of, systems};
use crate::scenario::valid::{Rejected, Scenario};

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
    let record_runs = keep(record.read::<Option<KeptRuns>>(RUNS.name), complaints);
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
        record_runs: record_runs?.unwrap_or_default(),
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
/// use clustersim_language::registry::{Complaint, code};
/// use clustersim_experiment::scenario::keep_all;
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
