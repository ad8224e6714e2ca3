//! Results of a run of task graphs: figures, files, pictures and text.

use std::io;
use std::rc::Rc;

use serde_json::{Map, Value as Json, json};

use crate::collections::{OrderedMap, StableSort as _};
use crate::execution::{Attempts, Execution, TransferRecord, execute};
use crate::kernel::SimError;
use crate::kernel::stats::WarmUp;
use crate::output::{Explanation, Files, LaneSource, Pictures, RowSource, Shown, TableFormat};
use crate::registry::{Complaint, code, suggestion};
use crate::results::tables::{
    BatsimRows, ComparedRows, CriticalRows, HostRows, LoadRows, PlanRows, StartRows, TaskRows, TransferRows,
};
use crate::scenario::{Figures, Results, Run, Scenario, Session, Subjects};
use crate::scheduler::NamedScheduler;
use crate::system::assembly::{Assembly, Ended, Settings};
use crate::system::graph_file::write_graph;
use crate::system::lanes::{self, Timeline};
use crate::system::{explanation, pictures, warnings, words};
use crate::workflow::{EdgeNumber, TaskNumber};
use crate::{
    Baselines, LowerBounds, SchedulingProblem, by_kind, cohort, critical_path, metrics, responses_alone,
};

impl Run for Assembly {
    fn explain(&mut self, asked: &str) -> Result<(), Complaint> {
        let graph = &self.problem.graph;
        // of several workflows with such a task the first, unless the workflow is named too
        let is_named = |task: TaskNumber, asked: &str| *graph.task(task).name == *asked;
        let in_workflow = |task: &TaskNumber| {
            let workflow = &graph.applications()[graph.application_of(*task)].name;
            let rest = asked.strip_prefix(&**workflow).and_then(|rest| rest.strip_prefix('/'));
            rest.is_some_and(|rest| is_named(*task, rest))
        };
        let by_name = || graph.tasks().find(|task| is_named(*task, asked));
        let by_name = || by_name().or_else(|| graph.tasks().find(in_workflow));
        let by_number =
            || asked.parse::<u32>().ok().map(TaskNumber).filter(|task| task.index() < graph.len());
        let found = by_name().or_else(by_number);
        self.execution.explained = found;
        found.map(drop).ok_or_else(|| {
            let names = graph.tasks().map(|task| &*graph.task(task).name);
            let complaint = Complaint::nowhere(code::JOB, format!("there is no task `{asked}`"));
            complaint.help(suggestion(asked, names))
        })
    }

    fn explain_lane(&mut self, asked: &str) -> bool {
        let platform = self.problem.grid.platform();
        let is_core = || lanes::cores(&self.problem.grid).iter().any(|core| core == asked);
        platform.host_named(asked).is_some() || platform.link_named(asked).is_some() || is_core()
    }

    fn subjects(&self) -> Option<Subjects> {
        Some(Subjects { count: self.problem.graph.len() as u64, called: "tasks" })
    }

    fn run(self: Box<Self>, session: &Session) -> Result<Box<dyn Results>, SimError> {
        let Assembly { problem, rule, execution, gap, streams, until, drew, terms } = *self;
        let run_on = |problem: Rc<SchedulingProblem>, rule: &NamedScheduler, execution: Execution, until| {
            execute(problem, rule, execution, session.another_simulation(streams), until)
        };
        let run =
            |rule: &NamedScheduler, execution: Execution| run_on(Rc::clone(&problem), rule, execution, until);
        let explained = execution.explained;
        let simulation = session.simulation(streams);
        let outcomes = execute(Rc::clone(&problem), &rule, execution.clone(), simulation, until)?;
        let unexplained = Execution { explained: None, ..execution };
        let gap = gap.map(|gap| gap.report(&rule.name, &outcomes, |other| run(other, unexplained.clone())));
        let (bounds, path) = (LowerBounds::of(&problem), critical_path(&outcomes));
        let each = LowerBounds::of_each(&problem);
        let alone = responses_alone(&outcomes, rule.scheduler.draws(), |by_itself| {
            run_on(by_itself, &rule, unexplained.clone(), None)
        });
        let baselines = Baselines {
            bounds: &bounds,
            each: &each,
            alone: &alone,
            gap: gap.as_ref(),
            terms: &terms,
            path: &path,
        };
        let metrics = metrics(&outcomes, &baselines);
        let kinds = by_kind(&outcomes, &alone);
        let first = rule.scheduler.succession().map(|all| all.phases[0].rule.name.clone());
        let scheduler = first.unwrap_or(rule.name);
        let figures = Figures {
            ended: Some(outcomes.ended_at),
            classes: kinds,
            stable_classes: true,
            warnings: warnings::no_progress(&outcomes).into_iter().collect(),
            ..Figures::new(metrics, outcomes.digest, outcomes.events, drew)
        };
        let figures = figures.with_signs_of(&cohort(&outcomes, &each, &alone), WarmUp::None);
        Ok(Box::new(Ended { outcomes, bounds, gap, figures, scheduler, terms, path, explained }))
    }
}

impl Results for Ended {
    fn figures(&self) -> &Figures {
        &self.figures
    }

    fn manifest(&self) -> Map<String, Json> {
        let (outcomes, platform) = (&self.outcomes, self.outcomes.problem.grid.platform());
        let own = json!({
            "platform": { "hosts": platform.hosts().len(), "links": platform.links().len() },
            "scheduler": self.scheduler,
            "counters": {
                "events": outcomes.events,
                "tasks": outcomes.tasks.len(),
                "edges": outcomes.graph().edges().len(),
                "plans": outcomes.plans.len(),
                "questions": outcomes.plans.iter().map(|plan| plan.questions).sum::<u64>(),
                "looked-at": outcomes.plans.iter().map(|plan| plan.looked_at).sum::<u64>(),
            },
        });
        match own {
            Json::Object(members) => members,
            _ => Map::new(),
        }
    }

    fn tables(&self, scenario: &Scenario) -> Vec<(Box<dyn RowSource + '_>, TableFormat)> {
        let Some(settings) = scenario.own::<Settings>() else { return Vec::new() };
        let outcomes = &self.outcomes;
        let mut tables: Vec<Box<dyn RowSource + '_>> = Vec::new();
        if settings.record_tasks {
            tables.extend([
                Box::new(TaskRows(outcomes)) as Box<dyn RowSource + '_>,
                Box::new(PlanRows(outcomes)),
                Box::new(HostRows(outcomes, self.terms.billing.as_ref())),
                Box::new(CriticalRows(outcomes, &self.path)),
                Box::new(BatsimRows(outcomes)),
            ]);
            if Attempts::adds_to_tasks(outcomes) {
                tables.push(Box::new(StartRows(outcomes)));
            }
        }
        if settings.record_loads {
            tables.push(Box::new(LoadRows(outcomes)));
        }
        if settings.record_transfers {
            tables.push(Box::new(TransferRows(outcomes)));
        }
        if let Some(report) = &self.gap {
            tables.push(Box::new(ComparedRows { report, bounds: &self.bounds }));
        }
        let mut tables: Vec<(Box<dyn RowSource + '_>, TableFormat)> =
            tables.into_iter().map(|table| (table, TableFormat::Csv)).collect();
        if scenario.record_parquet {
            tables.push((Box::new(BatsimRows(outcomes)), TableFormat::Parquet));
        }
        tables
    }

    fn lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        Some(Box::new(Timeline(&self.outcomes)))
    }

    fn write_others(&self, scenario: &Scenario, _: &str, files: &mut dyn Files) -> io::Result<()> {
        let wanted = scenario.own::<Settings>().is_some_and(|settings| settings.record_tasks);
        if wanted {
            files.file("plan.json", &mut |out| self.write_plan(out))?;
            files.file("graph.dot", &mut |out| write_graph(self.outcomes.graph(), &scenario.title, out))?;
        }
        Ok(())
    }

    fn pictures(&self, _: &Scenario) -> Pictures<'_> {
        pictures::of_run(self)
    }

    fn shown(&self) -> Shown<'_> {
        words::on_the_terminal(self)
    }

    fn explanation(&self) -> Option<Explanation> {
        Some(explanation::of(&self.outcomes, self.explained?))
    }
}

impl Ended {
    /// The name of a task in a plan: that of its workflow comes before it where there are several.
    fn plan_name(&self, task: crate::workflow::TaskNumber) -> String {
        let graph = self.outcomes.graph();
        let name = &graph.task(task).name;
        match graph.applications() {
            [_] => name.to_string(),
            several => format!("{}/{name}", several[graph.application_of(task)].name),
        }
    }

    /// The tasks in an order that is that of each core: core by core, or host by host where a task
    /// may have several.
    fn plan_order(&self) -> Vec<TaskNumber> {
        let (outcomes, grid) = (&self.outcomes, &self.outcomes.problem.grid);
        let mut order: Vec<_> = outcomes.graph().tasks().collect();
        let is_by_host = outcomes.graph().has_wide_tasks();
        // where all tasks take time, those that begin at one instant share no core
        let by_place = !is_by_host || Attempts::adds_to_tasks(outcomes);
        order.stable_sort_by_key(|task| {
            let record = &outcomes.tasks[task.index()];
            // tasks that take no time begin at one instant, and one after another
            let place = record.start.filter(|_| by_place).map(|_| record.place);
            let end = record.end.filter(|_| !by_place);
            let planned = record.planned.filter(|_| record.start.is_none());
            let began = (record.start, place, end, planned);
            match record.core {
                Some(core) if is_by_host => (
                    Some(grid.cores_of(grid.host_of(core)).next().unwrap_or(core)),
                    record.start.is_none(),
                    began,
                ),
                core => (core, false, began),
            }
        });
        order
    }

    /// The plan as it was executed, which the scheduler `fixed` reads again: the tasks of each core
    /// and the transfers in their order.
    fn write_plan(&self, out: &mut (dyn io::Write + Send)) -> io::Result<()> {
        let (outcomes, grid) = (&self.outcomes, &self.outcomes.problem.grid);
        let order = self.plan_order();
        // of what was sent again the last time counts; a file that is sent once to a host is there
        // for all who read it
        let graph = outcomes.graph();
        let of = |transfer: &TransferRecord| (graph.first_of(transfer.edge), transfer.to);
        let place_of: OrderedMap<_, _> = outcomes.transfers.iter().map(of).zip(0_u64..).collect();
        writeln!(out, "[")?;
        let mut between = "";
        for task in order {
            let record = &outcomes.tasks[task.index()];
            let Some((core, (start, end))) = record.core.zip(record.planned) else { continue };
            let edges = graph.inputs(task).iter().chain(graph.incoming(task));
            let host = grid.host_of(core);
            let place = |edge: &EdgeNumber| place_of.get(&(graph.first_of(*edge), host)).copied();
            let transfers: Vec<Option<u64>> = edges.map(place).collect();
            let mut row = json!({
                "task": self.plan_name(task),
                "host": grid.host(host).name,
                "core": grid.rank(core),
                "start": start.as_secs_f64(),
                "end": end.as_secs_f64(),
                "transfers": transfers,
            });
            let further: Vec<u32> = grid.members(core).skip(1).map(|core| grid.rank(core)).collect();
            if !further.is_empty() {
                row["further-cores"] = further.into();
            }
            write!(out, "{between}  {row}")?;
            between = ",\n";
        }
        writeln!(out, "\n]")
    }
}
