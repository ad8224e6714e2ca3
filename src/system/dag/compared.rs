//! Comparison that a scenario asks for: `record.gap`.

use std::rc::Rc;

use crate::collections::StableSort as _;
use crate::dag::results::gap::GapRequest;
use crate::dag::scheduler::{NamedScheduler, Scheduler};
use crate::registry::{Complaint, KeyValue, Node, Params, Tree, Value, check};
use crate::system::dag::keys::SCHEDULER;

/// The schedulers that no comparison has unless they are named: searches may take long.
const LEFT_OUT: [&str; 2] = ["local-search", "optimal"];

/// Comparison requested; `None` if there is none.
///
/// # Errors
/// Keys that contradict each other, or what a scheduler objects to.
pub(super) fn request(params: &Params<'_>) -> Result<Option<GapRequest>, Complaint> {
    let record = params.section("record");
    if !record.has("gap") {
        return Ok(None);
    }
    let gap = record.section("gap");
    let schedulers = match (gap.read::<Option<String>>("with")?, gap.has("schedulers")) {
        (Some(_), true) => {
            let complaint = gap.complaint("with", "`with` and `schedulers` both say with what is compared");
            return Err(complaint.label("take one of them out"));
        }
        (None, true) => listed(&gap)?,
        (Some(with), false) if with == "none" => Vec::new(),
        _ => all_others(params)?,
    };
    Ok(Some(GapRequest { schedulers, most_tasks: gap.read("most-tasks")?, nodes: gap.read("nodes")? }))
}

fn listed(gap: &Params<'_>) -> Result<Vec<NamedScheduler>, Complaint> {
    let built = gap.components::<dyn Scheduler>("schedulers", "scheduler")?;
    let names = match gap.tree().get("schedulers").map(|node| &node.value) {
        Some(Value::Array(nodes)) => nodes.iter().map(|node| gap.with(node).read("kind")).collect(),
        _ => Ok(Vec::new()),
    };
    let names: Vec<String> = names?;
    Ok(names.into_iter().zip(built).map(named).collect())
}

/// Every scheduler but the run's own kind that can be built from its name alone.
fn all_others(params: &Params<'_>) -> Result<Vec<NamedScheduler>, Complaint> {
    let own: String = params.section(SCHEDULER.name).read("kind")?;
    let registry = params.registry();
    let table = registry.typed::<dyn Scheduler>("scheduler").expect("the table of schedulers is registered");
    let mut names: Vec<&str> = table.entries().iter().map(|entry| entry.name).collect();
    names.retain(|name| !LEFT_OUT.contains(name) && *name != own);
    names.stable_sort();
    let span = params.span("record");
    let by_name = |name: &str| {
        let mut tree = Tree::default();
        let node = Node::new(Value::String(name.to_owned()), span);
        tree.put(KeyValue { name: SCHEDULER.name.to_owned(), span, node });
        let node = Node::new(Value::Table(tree), span);
        let checked = check(registry, params.sources(), &node, &[SCHEDULER], &mut Vec::new())?;
        let scheduler = params.with(&checked).component(SCHEDULER.name, "scheduler").ok()?;
        Some(named((name.to_owned(), scheduler)))
    };
    Ok(names.into_iter().filter_map(by_name).collect())
}

fn named((name, scheduler): (String, Box<dyn Scheduler>)) -> NamedScheduler {
    NamedScheduler { name, scheduler: Rc::from(scheduler) }
}
