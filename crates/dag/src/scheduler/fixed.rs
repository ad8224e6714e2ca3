//! A plan from a file: hosts and orders are given, instants follow from predictions.
//!
//! Every task that is to be planned is in the file; those that have started are passed over. The
//! format is that of `plan.json` ([`plan_file`](crate::planning::plan_file)), so that a run can be
//! repeated with the plan of another.

use crate::collections::OrderedMap;
use crate::error::CannotPlan;
use crate::model::circle::Circle;
use crate::model::grid::Core;
use crate::planning::no_host::barrier;
use crate::planning::plan::TaskPlan;
use crate::planning::plan_file::{self, WrittenPlan, WrittenTask};
use crate::planning::ranks::{children_now_ready, open_parents};
use crate::planning::view::View;
use crate::platform::HostId;
use crate::registry::code;
use crate::registry::{Complaint, Entry, Excerpt, Key, Kind, Params};
use crate::schedule::partial::{PartialSchedule, Search};
use crate::scheduler::Scheduler;
use crate::text::{Mistakes, Spot, open, reason, suggestion};
use crate::workflow::{EdgeNumber, TaskNumber};

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::new(
    "fixed",
    "hosts and orders from a file",
    &[Key::new("file", Kind::Path)
        .about("the plan: a JSON list of {task, host, core, start, end}, in order")],
    |params| Ok(Box::new(Fixed::read(params)?)),
);

/// A plan from a file.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// Name of the file in messages.
    pub file: String,
    /// Plan in the file.
    pub plan: WrittenPlan,
    /// Mistakes of the file by itself.
    unread: Vec<Complaint>,
}

/// Misfit of a plan with graph and grid, and its line and spot in the file, if it has one.
struct Misfit {
    what: String,
    at: Option<(u64, Spot)>,
}

/// Fit of a plan with a view.
struct Fit {
    /// The tasks of each core.
    orders: Vec<Vec<TaskNumber>>,
    /// By task: where it stands in the file, and its core or what stands for its cores.
    written: Vec<Option<(usize, Core)>>,
    wrong: Mistakes<Misfit>,
}

impl Misfit {
    /// About one of the words of a task: the task itself, its host, its core or its further cores.
    fn of(what: String, planned: &WrittenTask, word: usize) -> Self {
        Misfit { what, at: Some((planned.line, planned.spots[word])) }
    }
}

/// Tasks that are left out and named.
const MOST_NAMED: usize = 10;
const TASK: usize = 0;
const HOST: usize = 1;
const CORE: usize = 2;
const FURTHER: usize = 3;

impl Fixed {
    /// A plan that messages call `file`.
    pub fn new(file: String, plan: WrittenPlan) -> Self {
        Fixed { file, plan, unread: Vec::new() }
    }

    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let (file, span): (String, _) = (params.read("file")?, params.span("file"));
        let unreadable =
            |why: String| Complaint::new(code::FILE, format!("cannot use `{file}`: {why}"), span);
        let input = open(&params.path("file")?).map_err(|error| unreadable(reason(&error)))?;
        let bad = match plan_file::read(input) {
            Ok(plan) => return Ok(Fixed::new(file, plan)),
            Err(bad) => bad,
        };
        let complaint = |bad: plan_file::BadPlan| match bad.place {
            None => unreadable(bad.message),
            Some(place) => {
                Complaint::new(code::TYPE, bad.message, span).excerpt(Excerpt::at(place, file.clone()))
            }
        };
        let unread: Vec<Complaint> = bad.map(complaint).into();
        Ok(Fixed { unread, ..Fixed::new(file, WrittenPlan::default()) })
    }

    /// The orders of all cores; everything that is wrong with the plan by itself.
    fn fit(&self, view: &View<'_>) -> Fit {
        let tasks = names(view);
        let hosts: OrderedMap<&str, _> = view.hosts().map(|host| (view.host_name(host), host)).collect();
        let mut orders = vec![Vec::new(); view.cores().len()];
        let mut written: Vec<Option<(usize, Core)>> = vec![None; view.graph().len()];
        let mut line_of: Vec<Option<u64>> = vec![None; view.graph().len()];
        let mut wrong = Mistakes::new();
        for (place, planned) in self.plan.tasks.iter().enumerate() {
            let is_helped = wrong.are_few();
            let mut note = |what: String, word: usize| wrong.push(Misfit::of(what, planned, word));
            let task = tasks.get(&planned.task).copied();
            let host = hosts.get(&*planned.host).copied();
            let before = task.and_then(|task| line_of[task.index()]);
            match task {
                None => {
                    let known = tasks.keys().map(|name| &**name);
                    note(
                        format!(
                            "there is no task `{}`{}",
                            planned.task,
                            near(is_helped, &planned.task, known)
                        ),
                        TASK,
                    );
                }
                Some(task) => {
                    line_of[task.index()].get_or_insert(planned.line);
                }
            }
            if let Some(before) = before {
                note(format!("task `{}` is in line {before} already", planned.task), TASK);
            }
            let Some(host) = host else {
                let known = hosts.keys().copied();
                note(
                    format!("there is no host `{}`{}", planned.host, near(is_helped, &planned.host, known)),
                    HOST,
                );
                continue;
            };
            let core = cores(view, host, planned);
            if let Err((core, word)) = core {
                let count = view.cores_of(host).len();
                note(format!("host `{}` has no core {core} of {count}", planned.host), word);
            }
            let Some(task) = task else { continue };
            let count = view.graph().inputs(task).len() + view.graph().incoming(task).len();
            if let Some(transfers) = planned.transfers.as_ref().filter(|transfers| transfers.len() != count) {
                let given = transfers.len();
                note(format!("`transfers` of task `{}` has {given} places, not {count}", planned.task), TASK);
            }
            if !view.can_run(task, host) {
                note(format!("host `{}` cannot run task `{}`", planned.host, planned.task), HOST);
            } else if let Ok(core) = core {
                let (asked, held) = (view.width(task), view.members(core).len() as u32);
                if asked != held {
                    note(
                        format!(
                            "task `{}` asks for {asked} of the cores of a host and is on {held}",
                            planned.task
                        ),
                        FURTHER,
                    );
                } else if view.is_open(task) && before.is_none() {
                    view.explain(task, || format!("Line {} of `{}` says so", planned.line, self.file));
                    view.members(core).for_each(|core| orders[core.index()].push(task));
                    written[task.index()] = Some((place, core));
                }
            }
        }
        let left_out = view.open().filter(|task| line_of[task.index()].is_none());
        let left_out: Vec<TaskNumber> = left_out.collect();
        let named = left_out.iter().take(MOST_NAMED).map(|task| format!("`{}`", name(view, *task)));
        let named = named.collect::<Vec<_>>().join(", ");
        let what = match left_out.len() {
            0 => None,
            1 => Some(format!("task {named} is left out")),
            2..=MOST_NAMED => Some(format!("tasks {named} are left out")),
            count => Some(format!("{count} tasks are left out: {named} and {} more", count - MOST_NAMED)),
        };
        wrong.extend(what.map(|what| Misfit { what, at: None }));
        Fit { orders, written, wrong }
    }

    /// Children that their parents' data do not reach, and tasks that wait for each other.
    fn contradictions(&self, view: &View<'_>, fit: &Fit) -> Vec<Misfit> {
        let host = |task: TaskNumber| -> Option<HostId> {
            let (_, core) = fit.written[task.index()]?;
            Some(view.host_of(core))
        };
        let apart = view.open().filter_map(|task| {
            let (place, core) = fit.written[task.index()]?;
            let what = barrier(view, task, view.host_of(core), host)?;
            let what = format!("task `{}` cannot be here: {what}", view.name(task));
            Some(Misfit::of(what, &self.plan.tasks[place], HOST))
        });
        let mut found: Vec<Misfit> = apart.collect();
        // workflows that arrive one after another may be planned so that none waits for a later one
        if let [_] = view.graph().applications() {
            let orders = fit.orders.iter().zip(view.cores());
            let placed = orders.flat_map(|(order, core)| order.iter().map(move |task| (*task, core)));
            found.extend(Circle::of(view.graph(), &view.problem().grid, placed).and_then(|circle| {
                let (place, _) = fit.written[circle.out_of_turn().index()]?;
                let what = format!("tasks would wait for each other: {circle}");
                Some(Misfit::of(what, &self.plan.tasks[place], TASK))
            }));
        }
        found
    }

    /// The order in which links carry, if the file has it of every task that is to be planned.
    fn transfers(&self, view: &View<'_>, written: &[Option<(usize, Core)>]) -> Option<Vec<EdgeNumber>> {
        let graph = view.graph();
        let mut order = Vec::new();
        for task in view.open() {
            let (place, _) = written[task.index()]?;
            let places = self.plan.tasks[place].transfers.as_ref()?;
            let edges = graph.inputs(task).iter().chain(graph.incoming(task));
            order.extend(edges.zip(places).filter_map(|(edge, place)| Some(((*place)?, *edge))));
        }
        order.sort_unstable();
        Some(order.into_iter().map(|(_, edge)| edge).collect())
    }

    fn refuse(&self, wrong: Mistakes<Misfit>) -> CannotPlan {
        let (wrong, more) = wrong.into_parts();
        let sentence = |one: Misfit| match one.at {
            Some((line, _)) => format!("line {line}: {}", one.what),
            None => one.what,
        };
        let mut sentences: Vec<String> = wrong.into_iter().map(sentence).collect();
        if more > 0 {
            sentences.push(format!("and {more} more"));
        }
        CannotPlan::Own(format!("the plan `{}` does not fit: {}", self.file, sentences.join("; ")))
    }

    /// Error that a core cannot have a task.
    fn no_slot(
        &self,
        schedule: &PartialSchedule<'_>,
        task: TaskNumber,
        core: Core,
        planned: &WrittenTask,
    ) -> CannotPlan {
        let (view, host) = (schedule.view(), schedule.view().host_of(core));
        let place = |parent| Some(view.host_of(schedule.slot(parent)?.core));
        let why = barrier(view, task, host, place).map_or_else(String::new, |why| format!(": {why}"));
        let what = format!("host `{}` cannot have task `{}`{why}", planned.host, view.name(task));
        self.refuse(Misfit::of(what, planned, HOST).into())
    }
}

/// The core of a task, or what stands for all of them.
///
/// # Errors
/// A core that the host does not have, and the word that says it.
fn cores(view: &View<'_>, host: HostId, planned: &WrittenTask) -> Result<Core, (u32, usize)> {
    let words = [(planned.core, CORE)].into_iter().chain(planned.further.iter().map(|core| (*core, FURTHER)));
    let core = |(core, word): (u32, usize)| view.cores_of(host).nth(core as usize).ok_or((core, word));
    Ok(view.together(&words.map(core).collect::<Result<Vec<_>, _>>()?))
}

/// The name that was meant, where it is looked for.
fn near<'a>(is_helped: bool, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    if is_helped { format!("; {}", suggestion(name, known)) } else { String::new() }
}

impl Scheduler for Fixed {
    fn mistakes(&self, view: &View<'_>) -> Vec<Complaint> {
        if !self.unread.is_empty() {
            return self.unread.clone();
        }
        let mut fit = self.fit(view);
        let contradictions = self.contradictions(view, &fit);
        let mut wrong = std::mem::take(&mut fit.wrong);
        wrong.extend(contradictions);
        // what has no place of its own comes last
        let wrong = wrong.sorted_by_key(|one| one.at.map_or(Spot::NOWHERE, |(_, spot)| spot));
        let file = &self.file;
        let complaint = |one: Misfit| {
            let place = one.at.and_then(|(_, spot)| self.plan.place(spot));
            let Some(place) = place else {
                return Complaint::nowhere(code::CONTRADICTION, format!("the plan `{file}`: {}", one.what));
            };
            Complaint::nowhere(code::CONTRADICTION, one.what).excerpt(Excerpt::at(place, file.clone()))
        };
        wrong.map(complaint).into()
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let Fit { orders, written, wrong } = self.fit(view);
        if !wrong.is_empty() {
            return Err(self.refuse(wrong));
        }
        let mut schedule = PartialSchedule::new(view);
        let mut missing = open_parents(view);
        let mut next = vec![0; orders.len()];
        // cores whose next task may have become ready
        let mut cores: Vec<Core> = view.cores().collect();
        while let Some(core) = cores.pop() {
            let Some(&task) = orders[core.index()].get(next[core.index()]) else { continue };
            let (place, held) = written[task.index()].expect("a task of an order stands in the file");
            let is_next = |core: Core| orders[core.index()].get(next[core.index()]) == Some(&task);
            if missing[task.index()] > 0 || !view.members(held).all(is_next) {
                continue;
            }
            let slot = schedule.earliest(task, held, Search::Tail);
            let Some(slot) = slot else {
                return Err(self.no_slot(&schedule, task, core, &self.plan.tasks[place]));
            };
            schedule.place(task, slot);
            for core in view.members(held) {
                next[core.index()] += 1;
                cores.push(core);
            }
            let ready = children_now_ready(view, &mut missing, task);
            let core_of = |child: TaskNumber| view.members(written[child.index()]?.1).next();
            cores.extend(ready.into_iter().filter_map(core_of));
        }
        if view.open().any(|task| schedule.slot(task).is_none()) {
            let orders = orders.iter().zip(view.cores());
            let placed = orders.flat_map(|(order, core)| order.iter().map(move |task| (*task, core)));
            let circle =
                Circle::of(view.graph(), &view.problem().grid, placed).expect("some task waits for itself");
            let what = format!("tasks would wait for each other: {circle}");
            return Err(self.refuse(Misfit { what, at: None }.into()));
        }
        let transfers = self.transfers(view, &written);
        Ok(TaskPlan { transfers, ..schedule.into_plan() })
    }
}

/// The tasks by what a plan calls them.
fn names(view: &View<'_>) -> OrderedMap<String, TaskNumber> {
    view.graph().tasks().map(|task| (name(view, task), task)).collect()
}

/// Name of a task in plans: where there are several workflows, that of the task comes before it.
fn name(view: &View<'_>, task: TaskNumber) -> String {
    let graph = view.graph();
    match graph.applications() {
        [_] => view.name(task).to_owned(),
        several => format!("{}/{}", several[graph.application_of(task)].name, view.name(task)),
    }
}
