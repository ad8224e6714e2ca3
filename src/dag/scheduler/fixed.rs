//! A plan from a file: hosts and orders are given, instants follow from predictions.
//!
//! Every task that is to be planned is in the file; those that have started are passed over. The format is that of `plan.json`
//! ([`plan_file`](crate::dag::plan_file)), so that a run can be repeated with the plan of another.

use std::collections::BTreeMap;

use crate::dag::error::CannotPlan;
use crate::dag::grid::Core;
use crate::dag::plan::TaskPlan;
use crate::dag::plan_file::{self, WrittenTask};
use crate::dag::ranks::{children_now_ready, open_parents};
use crate::dag::schedule::{PartialSchedule, Search};
use crate::dag::scheduler::Scheduler;
use crate::dag::view::View;
use crate::registry::code;
use crate::registry::{Complaint, Entry, Excerpt, Key, Kind, Params};
use crate::text::{open, reason, suggestion};
use crate::workflow::TaskNumber;

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::new(
    "fixed",
    "hosts and orders from a file",
    &[Key::new("file", Kind::Path)
        .about("the plan: a JSON list of {task, host, core, start, end}, in order")],
    |params| Ok(Box::new(Fixed::read(params)?)),
);

/// Mistakes that a message names.
const MOST_NAMED: usize = 20;

/// A plan from a file.
#[derive(Clone, Debug)]
pub struct Fixed {
    /// What messages call the file.
    pub file: String,
    /// Its tasks, in order.
    pub tasks: Vec<WrittenTask>,
}

impl Fixed {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let (file, span): (String, _) = (params.read("file")?, params.span("file"));
        let unreadable =
            |why: String| Complaint::new(code::FILE, format!("cannot use `{file}`: {why}"), span);
        let input = open(&params.path("file")?).map_err(|error| unreadable(reason(&error)))?;
        match plan_file::read(input) {
            Ok(tasks) => Ok(Fixed { file, tasks }),
            Err(bad) => Err(match bad.place {
                None => unreadable(bad.message),
                Some(place) => {
                    Complaint::new(code::TYPE, bad.message, span).excerpt(Excerpt::at(place, file))
                }
            }),
        }
    }

    /// The orders of all cores; everything that is wrong with the plan.
    fn orders(&self, view: &View<'_>) -> Result<Vec<Vec<TaskNumber>>, Vec<String>> {
        let tasks = names(view);
        let hosts: BTreeMap<&str, _> = view.hosts().map(|host| (view.host_name(host), host)).collect();
        let mut orders = vec![Vec::new(); view.cores().len()];
        let mut line_of = vec![None; view.graph().len()];
        let mut wrong = Vec::new();
        for planned in &self.tasks {
            let mut at_line = |what: String| wrong.push(format!("line {}: {what}", planned.line));
            let task = tasks.get(&planned.task).copied();
            let host = hosts.get(&*planned.host).copied();
            if task.is_none() {
                let known = suggestion(&planned.task, tasks.keys().map(|name| &**name));
                at_line(format!("there is no task `{}`; {known}", planned.task));
            }
            if host.is_none() {
                let known = suggestion(&planned.host, hosts.keys().copied());
                at_line(format!("there is no host `{}`; {known}", planned.host));
            }
            let Some((task, host)) = task.zip(host) else { continue };
            let Some(core) = view.cores_of(host).nth(planned.core as usize) else {
                let count = view.cores_of(host).len();
                at_line(format!("host `{}` has no core {} of {count}", planned.host, planned.core));
                continue;
            };
            if let Some(before) = line_of[task.index()].replace(planned.line) {
                at_line(format!("task `{}` is in line {before} already", planned.task));
            } else if view.is_open(task) {
                view.explain(task, || format!("Line {} of `{}` says so", planned.line, self.file));
                orders[core.index()].push(task);
            }
        }
        let left_out = view.open().filter(|task| line_of[task.index()].is_none());
        wrong.extend(left_out.map(|task| format!("task `{}` is left out", view.name(task))));
        if wrong.is_empty() { Ok(orders) } else { Err(wrong) }
    }

    fn refuse(&self, mut wrong: Vec<String>) -> CannotPlan {
        let more = wrong.len().saturating_sub(MOST_NAMED);
        wrong.truncate(MOST_NAMED);
        if more > 0 {
            wrong.push(format!("and {more} more"));
        }
        CannotPlan::Own(format!("the plan `{}` does not fit: {}", self.file, wrong.join("; ")))
    }
}

impl Scheduler for Fixed {
    fn is_given(&self) -> bool {
        true
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let orders = self.orders(view).map_err(|wrong| self.refuse(wrong))?;
        let mut schedule = PartialSchedule::new(view);
        let mut missing = open_parents(view);
        let mut core_of = vec![Core(0); view.graph().len()];
        let mut next = vec![0; orders.len()];
        for (order, core) in orders.iter().zip(view.cores()) {
            for task in order {
                core_of[task.index()] = core;
            }
        }
        // cores whose next task may have become ready
        let mut cores: Vec<Core> = view.cores().collect();
        while let Some(core) = cores.pop() {
            let Some(&task) = orders[core.index()].get(next[core.index()]) else { continue };
            if missing[task.index()] > 0 {
                continue;
            }
            let slot = schedule.earliest(task, core, Search::Tail);
            let Some(slot) = slot else {
                let host = view.host_name(view.host_of(core));
                return Err(
                    self.refuse(vec![format!("host `{host}` cannot have task `{}`", view.name(task))])
                );
            };
            schedule.place(task, slot);
            next[core.index()] += 1;
            cores.push(core);
            let ready = children_now_ready(view, &mut missing, task);
            cores.extend(ready.into_iter().map(|child| core_of[child.index()]));
        }
        if let Some(task) = view.open().find(|task| schedule.slot(*task).is_none()) {
            let name = view.name(task);
            return Err(
                self.refuse(vec![format!("task `{name}` would wait for itself by the order of the cores")])
            );
        }
        Ok(schedule.into_plan())
    }
}

/// The tasks by what a plan calls them.
fn names(view: &View<'_>) -> BTreeMap<String, TaskNumber> {
    let graph = view.graph();
    let is_alone = graph.applications().len() == 1;
    let name = |task| {
        let application = &graph.applications()[graph.application_of(task)].name;
        if is_alone { view.name(task).to_owned() } else { format!("{application}/{}", view.name(task)) }
    };
    graph.tasks().map(|task| (name(task), task)).collect()
}
