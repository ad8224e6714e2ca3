//! What a run of task graphs hands over: figures, files, pictures and text.

use std::io;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use crate::dag::execution::{Execution, execute};
use crate::dag::scheduler::NamedScheduler;
use crate::dag::tables::{
    BatsimRows, ComparedRows, CriticalRows, HostRows, LoadRows, PlanRows, TaskRows, TransferRows,
};
use crate::dag::{Baselines, LowerBounds, by_kind, critical_path, metrics};
use crate::kernel::{SimError, Simulation};
use crate::output::{Explanation, Files, LaneSource, Pictures, RowSource, TableFormat};
use crate::registry::{Complaint, code, suggestion};
use crate::scenario::{Figures, Making, Results, Run, Scenario};
use crate::system::dag::assembly::{Assembly, Settings};
use crate::system::dag::ended::Ended;
use crate::system::dag::lanes::Timeline;
use crate::system::dag::{explanation, pictures, text};
use crate::workflow::TaskNumber;

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

    fn run(self: Box<Self>, making: Making) -> Result<Box<dyn Results>, SimError> {
        let Assembly { problem, rule, execution, gap, streams, until, drew, links, terms } = *self;
        let run = |rule: &NamedScheduler, execution: Execution| {
            let simulation = Simulation::with_streams(streams).at_most(making.at_most);
            execute(Rc::clone(&problem), rule, execution, simulation, until)
        };
        let explained = execution.explained;
        let outcomes = run(&rule, execution.clone())?;
        let unexplained = Execution { explained: None, ..execution };
        let gap = gap.map(|gap| gap.report(&rule.name, &outcomes, |other| run(other, unexplained.clone())));
        let (bounds, path) = (LowerBounds::of(&problem), critical_path(&outcomes));
        let each = LowerBounds::of_each(&problem);
        let baselines =
            Baselines { bounds: &bounds, each: &each, gap: gap.as_ref(), terms: &terms, path: &path };
        let metrics = metrics(&outcomes, &baselines);
        let kinds = by_kind(&outcomes, &each);
        let scheduler = rule.name;
        Ok(Box::new(Ended {
            outcomes,
            bounds,
            gap,
            metrics,
            kinds,
            scheduler,
            links,
            terms,
            path,
            drew,
            explained,
        }))
    }
}

impl Results for Ended {
    fn figures(&self) -> Figures<'_> {
        let outcomes = &self.outcomes;
        let figures = Figures::new(&self.metrics, outcomes.digest, outcomes.events, self.drew);
        Figures { classes: &self.kinds, stable_classes: true, ..figures }
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
        }
        if settings.record_loads {
            tables.push(Box::new(LoadRows(outcomes)));
        }
        if settings.record_transfers {
            tables.push(Box::new(TransferRows(outcomes)));
        }
        if let Some(report) = &self.gap {
            tables.push(Box::new(ComparedRows { report, lower: self.bounds.lower() }));
        }
        let mut tables: Vec<(Box<dyn RowSource + '_>, TableFormat)> =
            tables.into_iter().map(|table| (table, TableFormat::Csv)).collect();
        if scenario.record_parquet {
            tables.push((Box::new(BatsimRows(outcomes)), TableFormat::Parquet));
        }
        tables
    }

    fn lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        Some(Box::new(Timeline { outcomes: &self.outcomes, links: self.links }))
    }

    fn write_others(&self, scenario: &Scenario, _: &str, files: &mut dyn Files) -> io::Result<()> {
        let wanted = scenario.own::<Settings>().is_some_and(|settings| settings.record_tasks);
        if wanted {
            files.file("plan.json", &mut |out| self.write_plan(out))?;
            files.file("graph.dot", &mut |out| self.write_graph(&scenario.title, out))?;
        }
        Ok(())
    }

    fn pictures(&self, _: &Scenario) -> Pictures<'_> {
        pictures::of_run(self)
    }

    fn text(&self, scenario: &Scenario, width: Option<usize>) -> Option<String> {
        Some(text::text(scenario, self, width))
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

    /// The plan as it was executed, which the scheduler `fixed` reads again: the tasks of each core in their order.
    fn write_plan(&self, out: &mut (dyn io::Write + Send)) -> io::Result<()> {
        let (outcomes, grid) = (&self.outcomes, &self.outcomes.problem.grid);
        let mut order: Vec<_> = outcomes.graph().tasks().collect();
        order.sort_by_key(|task| {
            let record = &outcomes.tasks[task.index()];
            (record.core, record.start, record.planned)
        });
        writeln!(out, "[")?;
        let mut between = "";
        for task in order {
            let record = &outcomes.tasks[task.index()];
            let Some((core, (start, end))) = record.core.zip(record.planned) else { continue };
            let row = json!({
                "task": self.plan_name(task),
                "host": grid.host(grid.host_of(core)).name,
                "core": grid.rank(core),
                "start": start.as_secs_f64(),
                "end": end.as_secs_f64(),
            });
            write!(out, "{between}  {row}")?;
            between = ",\n";
        }
        writeln!(out, "\n]")
    }
}

impl Ended {
    /// The graph, as the judge reads it: a line a task, then a line an edge.
    fn write_graph(&self, title: &str, out: &mut (dyn io::Write + Send)) -> io::Result<()> {
        let graph = self.outcomes.graph();
        let quoted = |text: &str| {
            format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
        };
        let name = |task| {
            let application = &graph.applications()[graph.application_of(task)].name;
            quoted(&format!("{application}/{}", graph.task(task).name))
        };
        writeln!(out, "digraph {} {{", quoted(title))?;
        for number in graph.tasks() {
            let task = graph.task(number);
            let cost = match &task.times {
                None => format!("size=\"{}\"", task.work),
                Some(times) => {
                    let of = |(host, seconds): &(Arc<str>, f64)| {
                        format!("{}=\"{seconds}\"", quoted(&format!("time:{host}")))
                    };
                    times.iter().map(of).collect::<Vec<_>>().join(", ")
                }
            };
            writeln!(out, "  {} [{cost}];", name(number))?;
        }
        for edge in graph.edges() {
            let size = edge.bytes.map_or(String::new(), |bytes| format!(" [size=\"{bytes}\"]"));
            writeln!(out, "  {} -> {}{size};", name(edge.from), name(edge.to))?;
        }
        writeln!(out, "}}")
    }
}
