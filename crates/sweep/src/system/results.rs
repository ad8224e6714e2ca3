//! Results of a run of a parameter sweep: figures, files, pictures and text.

use std::io;

use serde_json::{Map, Value as Json, json};

use crate::dialogue::recorder::recorded;
use crate::kernel::SimError;
use crate::kernel::stats::WarmUp;
use crate::output::{Explanation, Files, LaneSource, Pictures, RowSource, Shown, TableFormat};
use crate::registry::{Complaint, code, suggestion};
use crate::results::tables::SweepTable;
use crate::run::execution::execute;
use crate::scenario::{Figures, Results, Run, Scenario, Session, Subjects};
use crate::system::assembly::{Assembly, Ended, Explained, Settings};
use crate::system::lanes::{self, Timeline, WholeTime};
use crate::system::{explanation, pictures, words};
use crate::workflow::TaskNumber;
use crate::{SweepBounds, metrics, metrics_of_gap, metrics_of_terms};

/// The tables that go with tasks.csv.
const OF_TASKS: [SweepTable; 8] = [
    SweepTable::Tasks,
    SweepTable::Plans,
    SweepTable::Hosts,
    SweepTable::Clusters,
    SweepTable::Files,
    SweepTable::Works,
    SweepTable::Sizes,
    SweepTable::Jobs,
];

impl Run for Assembly {
    fn explain(&mut self, asked: &str) -> Result<(), Complaint> {
        let sweep = &self.problem.sweep;
        let by_name = sweep.task_numbers().find(|task| *sweep.task(*task).name == *asked);
        let by_number = || asked.parse().ok().map(TaskNumber).filter(|task| task.index() < sweep.tasks.len());
        let grid = &self.problem.grid;
        let host = || grid.host_numbers().find(|host| grid.host(*host).name == asked);
        let task = by_name.or_else(by_number).map(Explained::Task);
        self.explained = task.or_else(|| host().map(Explained::Host));
        self.explained.map(drop).ok_or_else(|| {
            let message = format!("there is no task `{asked}`, and no host of that name");
            let names = sweep.tasks.iter().map(|task| &*task.name);
            let names = names.chain(grid.hosts.iter().map(|host| &*host.name));
            Complaint::nowhere(code::JOB, message).help(suggestion(asked, names))
        })
    }

    fn explain_lane(&mut self, asked: &str) -> bool {
        let grid = &self.problem.grid;
        lanes::processors(grid).into_iter().chain(lanes::links(grid)).any(|lane| lane == asked)
    }

    fn subjects(&self) -> Option<Subjects> {
        Some(Subjects { count: self.problem.sweep.tasks.len() as u64, called: "tasks" })
    }

    fn run(self: Box<Self>, session: &Session) -> Result<Box<dyn Results>, SimError> {
        let Assembly { problem, mut scheduler, estimator, streams, until, drew, .. } = *self;
        let Assembly { terms, gap, name, explained, has_dialogue, .. } = *self;
        if let Some(Explained::Task(task)) = explained {
            scheduler.explain(task);
        }
        let mut record = None;
        if has_dialogue && !session.only_figures {
            let recorded = recorded(scheduler, &problem.sweep, &problem.grid);
            (scheduler, record) = (recorded.0, Some(recorded.1));
        }
        let outcomes = execute(problem, scheduler, estimator, session.simulation(streams), until)?;
        let bounds = SweepBounds::new(&outcomes.sweep, &outcomes.grid);
        let mut metrics = metrics(&outcomes, &bounds);
        metrics.extend(metrics_of_terms(&outcomes, &terms));
        let optimum = gap.and_then(|gap| gap.search(&outcomes.sweep, &outcomes.grid));
        if gap.is_some() {
            metrics.extend(metrics_of_gap(&outcomes, optimum));
        }
        let dialogue = record.map(|record| record.finish(&outcomes));
        let figures = Figures {
            ended: Some(outcomes.ended_at),
            ..Figures::new(metrics, outcomes.digest, outcomes.events, drew)
        };
        let figures = figures.with_signs_of(&outcomes.cohort(), WarmUp::None);
        Ok(Box::new(Ended { outcomes, optimum, figures, scheduler: name, explained, dialogue }))
    }
}

impl Results for Ended {
    fn figures(&self) -> &Figures {
        &self.figures
    }

    fn manifest(&self) -> Map<String, Json> {
        let outcomes = &self.outcomes;
        let own = json!({
            "platform": { "clusters": outcomes.grid.clusters.len(), "hosts": outcomes.grid.hosts.len() },
            "scheduler": self.scheduler,
            "counters": {
                "events": outcomes.events,
                "tasks": outcomes.tasks.len(),
                "files": outcomes.sweep.files.len(),
                "transfers": outcomes.transfers.len(),
                "plans": outcomes.plans.len(),
                "looks": outcomes.plans.iter().map(|plan| plan.looks).sum::<u64>(),
            },
        });
        match own {
            Json::Object(members) => members,
            _ => Map::new(),
        }
    }

    fn tables(&self, scenario: &Scenario) -> Vec<(Box<dyn RowSource + '_>, TableFormat)> {
        let Some(settings) = scenario.own::<Settings>() else { return Vec::new() };
        let mut wanted: Vec<(SweepTable, TableFormat)> = Vec::new();
        if settings.record_tasks {
            wanted.extend(OF_TASKS.map(|table| (table, TableFormat::Csv)));
            if self.outcomes.duplicates > 0 {
                wanted.push((SweepTable::Duplicates, TableFormat::Csv));
            }
        }
        if settings.record_transfers {
            wanted.push((SweepTable::Transfers, TableFormat::Csv));
        }
        if settings.record_loads {
            wanted.push((SweepTable::Loads, TableFormat::Csv));
        }
        if scenario.record_parquet {
            wanted.push((SweepTable::Jobs, TableFormat::Parquet));
        }
        let rows = |(table, format): (SweepTable, TableFormat)| {
            (Box::new(table.rows(&self.outcomes)) as Box<dyn RowSource + '_>, format)
        };
        wanted.into_iter().map(rows).collect()
    }

    fn write_others(&self, _: &Scenario, _: &str, files: &mut dyn Files) -> io::Result<()> {
        self.dialogue.iter().try_for_each(|dialogue| {
            files.file("dialogue.jsonl", &mut |out| out.write_all(dialogue.as_bytes()))
        })
    }

    fn lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        Some(Box::new(Timeline(&self.outcomes)))
    }

    fn explained_lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        Some(Box::new(WholeTime(&self.outcomes)))
    }

    fn pictures(&self, _: &Scenario) -> Pictures<'_> {
        pictures::of_run(self)
    }

    fn shown(&self) -> Shown<'_> {
        words::on_the_terminal(self)
    }

    fn explanation(&self) -> Option<Explanation> {
        Some(match self.explained? {
            Explained::Task(task) => explanation::of(&self.outcomes, task),
            Explained::Host(host) => explanation::of_host(&self.outcomes, host),
        })
    }
}
