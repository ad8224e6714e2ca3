//! Schedulers that a scenario names together: a list, or a table with the list and the switch, of
//! those that take over from one another; and those whose plans are compared, by `record.gap`.

use std::rc::Rc;

use crate::collections::StableSort as _;
use crate::execution::{Merge, Replan};
use crate::registry::{
    Bounds, Complaint, Entry, Key, KeyValue, Kind, Node, Params, Table, Tree, Value, check,
};
use crate::results::gap::GapRequest;
use crate::scheduler::{self, NamedScheduler, Scheduler, SchedulerPhase, Succession, Switch};
use crate::system::keys::{OF_SCHEDULERS, SCHEDULER};

/// Name of the rule by which schedulers take over from one another.
pub(super) const NAME: &str = "take-over";

/// The schedulers by name, with the keys of all, and a list of them; of a list each has these keys
/// in a table of its own.
pub(super) fn schedulers() -> Table<dyn Scheduler> {
    scheduler::table().shared(OF_SCHEDULERS).with(ENTRY).listed(NAME, "schedulers")
}

const ENTRY: Entry<dyn Scheduler> = Entry::published(
    NAME,
    "one scheduler after another, each on what the one before it left",
    "A. Jarry, H. Casanova, F. Berman, DAGSim, 2000",
    &[
        Key::new("schedulers", Kind::List(&Kind::Component("scheduler")))
            .about("the schedulers in order, each with its own keys, `replan` among them"),
        Key::new("switch", Kind::FirstOrTable(SWITCH))
            .or("gives-up")
            .about("when the next one takes over; it does too when the one before it gives up"),
    ],
    |params| Ok(Box::new(succession(params)?)),
);

const SWITCH: &[Key] = &[
    Key::new(
        "when",
        Kind::Choice(&[(
            "gives-up",
            "the one before it has no plan, or places no more tasks while some have no place",
        )]),
    )
    .absent("another key says more")
    .about("the event"),
    Key::new("after", Kind::Duration(Bounds::Positive))
        .absent("time does not count")
        .about("so long after the one before it began"),
    Key::new("completions", Kind::Count { least: 1, most: u32::MAX as u64 })
        .absent("completions are not counted")
        .about("when so many tasks have ended under the one before it"),
];

fn succession(params: &Params<'_>) -> Result<Succession, Complaint> {
    let schedulers = params.components::<dyn Scheduler>("schedulers", "scheduler")?;
    if schedulers.len() < 2 {
        return Err(params.complaint("schedulers", "one scheduler takes over from another: two are needed"));
    }
    let mut phases = Vec::new();
    for (scheduler, table) in schedulers.into_iter().zip(tables(params)) {
        if scheduler.succession().is_some() {
            return Err(table.complaint("kind", "schedulers that take over cannot stand in such a list"));
        }
        let (replan, merge) = plans_again(&table)?;
        let rule = NamedScheduler { name: table.read("kind")?, scheduler: scheduler.into() };
        phases.push(SchedulerPhase { rule, replan, merge });
    }
    let switch = params.section("switch");
    let switch = match (switch.has("after"), switch.has("completions")) {
        (true, true) => {
            let message = "`after` and `completions` both say when the next scheduler takes over";
            return Err(switch.complaint("completions", message).label("take one of them out"));
        }
        (true, false) => Switch::After(switch.read("after")?),
        (false, true) => Switch::Completions(switch.read("completions")?),
        (false, false) => Switch::GivesUp,
    };
    Ok(Succession { phases, switch })
}

/// The tables of the schedulers that `scheduler` names: its own, or those of the schedulers that
/// take over from one another.
pub(super) fn tables<'a>(scheduler: &Params<'a>) -> Vec<Params<'a>> {
    let list = scheduler.tree().get("schedulers").map(|node| &node.value);
    match (list, scheduler.read::<String>("kind").as_deref()) {
        (Some(Value::Array(nodes)), Ok(NAME)) => nodes.iter().map(|node| scheduler.with(node)).collect(),
        _ => vec![*scheduler],
    }
}

/// Occasions on which a scheduler makes a plan again, and their basis.
pub(super) fn plans_again(scheduler: &Params<'_>) -> Result<(Replan, Merge), Complaint> {
    let merges = [("append", Merge::Append), ("interleave", Merge::Interleave)];
    Ok((replan(&scheduler.section("replan"))?, scheduler.pick("merge", &merges)?))
}

/// Instant at which a plan is made again.
fn replan(table: &Params<'_>) -> Result<Replan, Complaint> {
    let said: Vec<&str> =
        ["when", "every", "period", "on-deviation"].into_iter().filter(|key| table.has(key)).collect();
    if let [first, second, ..] = said[..] {
        let message = format!("`{first}` and `{second}` both say when a plan is made again");
        return Err(table.complaint(second, message).label("take one of them out"));
    }
    Ok(match said.first().copied() {
        Some("every") => Replan::Every(table.read("every")?),
        Some("period") => Replan::Period(table.read("period")?),
        Some("on-deviation") => Replan::OnDeviation(table.read("on-deviation")?),
        Some(_) => table.pick(
            "when",
            &[
                ("never", Replan::Never),
                ("on-completion", Replan::Every(1)),
                ("on-failure", Replan::OnFailure),
            ],
        )?,
        None => Replan::Never,
    })
}

/// The schedulers that no comparison has unless they are named: searches may take long.
const LEFT_OUT: [&str; 2] = ["local-search", "optimal"];

/// Comparison requested; `None` if there is none.
///
/// # Errors
/// Keys that contradict each other, or what a scheduler objects to.
pub(super) fn comparison(params: &Params<'_>) -> Result<Option<GapRequest>, Complaint> {
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
