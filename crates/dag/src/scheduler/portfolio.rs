//! Several rules plan the same, and the plan that is predicted to end first is kept; of equal ones
//! that of the rule named first.
//!
//! A rule that has no plan is left out. Rules that wait or watch have none.

use std::rc::Rc;

use crate::error::CannotPlan;
use crate::kernel::SimTime;
use crate::output::number::plain;
use crate::planning::plan::{SlotReasons, TaskPlan};
use crate::planning::view::View;
use crate::registry::{Complaint, Entry, Key, Kind, Params};
use crate::scheduler::{NamedScheduler, Scheduler};

pub(super) const ENTRY: Entry<dyn Scheduler> = Entry::new(
    "portfolio",
    "the plan that is predicted to end first, of those of several schedulers",
    &[Key::new("of", Kind::List(&Kind::Component("scheduler")))
        .about("the schedulers that plan; when plans are made again is as the portfolio says")],
    |params| Ok(Box::new(Portfolio::read(params)?)),
);

/// Several rules, of which the one with the shortest plan counts.
#[derive(Clone, Debug)]
pub struct Portfolio {
    /// The rules, one at least.
    pub of: Vec<NamedScheduler>,
}

impl Portfolio {
    fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let schedulers = params.components::<dyn Scheduler>("of", "scheduler")?;
        if schedulers.is_empty() {
            let complaint = params.complaint("of", "a portfolio of nothing");
            return Err(complaint.label("expected at least one scheduler"));
        }
        let mut of = Vec::with_capacity(schedulers.len());
        for (scheduler, node) in schedulers.into_iter().zip(params.items("of")) {
            let table = params.with(node);
            if scheduler.dynamic().is_some() || scheduler.succession().is_some() {
                let message = "this scheduler has no plan that could be compared";
                return Err(table.complaint("kind", message).label("expected one that plans"));
            }
            of.push(NamedScheduler { name: table.read("kind")?, scheduler: Rc::from(scheduler) });
        }
        Ok(Portfolio { of })
    }
}

impl Scheduler for Portfolio {
    fn draws(&self) -> bool {
        self.of.iter().any(|rule| rule.scheduler.draws())
    }

    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let explained = view.open().find(|task| view.explains(*task));
        let mut best: Option<(SimTime, TaskPlan, Option<SlotReasons>, &str)> = None;
        let mut without = None;
        let mut ends = Vec::new();
        for rule in &self.of {
            let plan = rule.scheduler.plan(view);
            // what a rule said is of its own plan
            let reasons = view.reasons();
            match plan {
                Err(error) => without = without.or(Some(error)),
                Ok(plan) => {
                    let end = plan.end();
                    ends.push(format!("`{}` {} s", rule.name, plain(end.as_secs_f64())));
                    if best.as_ref().is_none_or(|(least, ..)| end < *least) {
                        best = Some((end, plan, reasons, &*rule.name));
                    }
                }
            }
        }
        let Some((_, plan, reasons, name)) = best else {
            return Err(without.unwrap_or_else(|| CannotPlan::Own("no scheduler is named".to_owned())));
        };
        if let Some(task) = explained {
            view.explain(task, || {
                format!("The plan of `{name}` is predicted to end first: {}", ends.join(", "))
            });
            let reasons = reasons.into_iter().map(|reasons| (reasons.said, reasons.choice));
            for (said, choice) in reasons {
                said.into_iter().for_each(|sentence| view.explain(task, || sentence));
                choice.into_iter().for_each(|choice| view.chose(choice));
            }
        }
        Ok(plan)
    }
}
