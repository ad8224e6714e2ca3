//! A run of global computing, and what it hands over.

use std::io;

use serde_json::{Map, Value as Json, json};

use crate::agreement::Agreement;
use crate::kernel::SimError;
use crate::kernel::stats::WarmUp;
use crate::measure::rejections::{Rejections, by_frequency};
use crate::metrics::metrics;
use crate::outcomes::BrokerOutcomes;
use crate::output::{Explanation, Files, LaneSource, Pictures, RowSource, Shown, TableFormat};
use crate::record::{Kept, TaskRejection};
use crate::registry::{Complaint, code};
use crate::run::execute;
use crate::scenario::{Figures, Results, Run, Scenario, Session, Subjects, WarmUpCut};
use crate::system::assembly::{Assembly, Ended, Settings};
use crate::system::lanes::Timeline;
use crate::system::warnings::idle_servers;
use crate::system::{clients, explanation, pictures, run_on, words};
use crate::tables::BrokerTable;

impl Run for Assembly {
    fn explain(&mut self, asked: &str) -> Result<(), Complaint> {
        let refused = |expected: &str| {
            Complaint::nowhere(code::JOB, format!("no task is called `{asked}`")).help(expected)
        };
        let number =
            asked.parse().map_err(|_| refused("tasks have numbers from 0, in the order of issue"))?;
        if let Some(Subjects { count, .. }) = self.subjects().filter(|tasks| number >= tasks.count) {
            return Err(refused(&format!(
                "the run has {count} tasks, numbered from 0 in the order of issue"
            )));
        }
        // the explanation ends with what became of the task
        self.settings.kept.tasks = true;
        self.explained = Some(number);
        Ok(())
    }

    fn explain_lane(&mut self, asked: &str) -> bool {
        let of_clients = self.names.iter().any(|client| {
            let rest = asked.strip_prefix(&**client);
            rest.is_some_and(|rest| ["", " sends", " receives"].contains(&rest))
        });
        let is_known = of_clients
            || self.servers.iter().any(|server| server.name == asked)
            || self.network.names().any(|queue| queue == asked);
        if is_known {
            let kept = self.settings.kept;
            self.settings.kept = Kept { tasks: true, packets: true, probes: true, ..kept };
        }
        is_known
    }

    fn subjects(&self) -> Option<Subjects> {
        let each = self.clients.iter().map(clients::count);
        let count = each.reduce(|sum, count| Some(sum?.saturating_add(count?))).flatten()?;
        Some(Subjects { count, called: "tasks" })
    }

    fn run(mut self: Box<Self>, session: &Session) -> Result<Box<dyn Results>, SimError> {
        let (streams, again) = (self.streams, self.again.take());
        let simulation = session.simulation(streams);
        let (until, drew, called, explained) = (self.until, self.drew, self.called.clone(), self.explained);
        if session.only_figures {
            // no file is written, so nothing need be kept but what metrics are of
            let Kept { regret, candidates, subjects, .. } = self.settings.kept;
            self.settings.kept = Kept { regret, candidates, tasks: candidates, subjects, ..Kept::default() };
            self.programs.iter().for_each(|program| drop(program.dialogue().transcript()));
        } else {
            self.agreement = self.agreement.map(Agreement::keeping);
        }
        // when results were back is read from tasks
        self.settings.kept.tasks |= again.is_some();
        let run_on = self.settings.run_on;
        let has_timeline = self.settings.kept.probes;
        let is_measured = self.monitors.server.is_some() || self.monitors.network.is_some();
        let has_warm_up = !self.settings.warm_up.is_zero();
        let problem = simulation.enter(|| self.problem());
        let programs = problem.programs.clone();
        let mut outcomes = execute(problem, simulation, until).inspect_err(|_| {
            for dialogue in programs.iter().map(|program| program.dialogue()) {
                if let Some(text) = dialogue.transcript().filter(|text| !text.is_empty()) {
                    session.left.leave(transcript_file(dialogue.part()), text);
                }
            }
        })?;
        if let Some(again) = again {
            let another = || session.another_simulation(streams);
            run_on::run_on(&again, &mut outcomes, run_on, another)?;
        }
        let mut metrics = metrics(&mut outcomes);
        metrics.extend(outcomes.agreement.iter_mut().flat_map(Agreement::metrics));
        let figures = Figures {
            ended: Some(outcomes.ended),
            cut: has_warm_up.then_some(WarmUpCut { jobs: outcomes.left_out, found: None }),
            rejections: rejections(&outcomes),
            warnings: idle_servers(&outcomes, &called, is_measured).into_iter().collect(),
            ..Figures::new(metrics, outcomes.digest, outcomes.events, drew)
        };
        let figures = figures.with_signs_of(&outcomes, WarmUp::Until(outcomes.warm_up));
        Ok(Box::new(Ended { outcomes, figures, explained, has_timeline, called }))
    }
}

/// Rejections of observed tasks, by reason.
fn rejections(outcomes: &BrokerOutcomes) -> Vec<Rejections> {
    let counted = TaskRejection::ALL.into_iter().zip(outcomes.figures.rejections);
    let rejections = counted.filter(|(_, count)| *count > 0).map(|(why, count)| Rejections {
        reason: why.name(),
        about: why.about(),
        count,
    });
    by_frequency(rejections.collect())
}

/// The file of the transcript of the program of this part.
fn transcript_file(part: &str) -> String {
    format!("transcript-{part}.jsonl")
}

/// The tables that go with tasks.csv.
const OF_TASKS: [BrokerTable; 5] =
    [BrokerTable::Tasks, BrokerTable::Attempts, BrokerTable::Servers, BrokerTable::Queues, BrokerTable::Jobs];

/// Tables that go with forecasts.csv.
const OF_FORECASTS: [BrokerTable; 3] =
    [BrokerTable::Forecasts, BrokerTable::Forecasters, BrokerTable::Believed];

impl Results for Ended {
    fn figures(&self) -> &Figures {
        &self.figures
    }

    fn manifest(&self) -> Map<String, Json> {
        let outcomes = &self.outcomes;
        let own = json!({
            "platform": { "clients": outcomes.clients.len(), "servers": outcomes.servers.len() },
            "scheduler": self.called[0],
            "predictor": self.called[1],
            "counters": { "events": outcomes.events, "tasks": outcomes.issued, "decisions": outcomes.asked },
        });
        match own {
            Json::Object(members) => members,
            _ => Map::new(),
        }
    }

    fn tables(&self, scenario: &Scenario) -> Vec<(Box<dyn RowSource + '_>, TableFormat)> {
        let Some(settings) = scenario.own::<Settings>() else { return Vec::new() };
        let mut wanted: Vec<(BrokerTable, TableFormat)> = Vec::new();
        if settings.kept.tasks {
            wanted.extend(OF_TASKS.map(|table| (table, TableFormat::Csv)));
        }
        if settings.kept.packets {
            wanted.push((BrokerTable::Packets, TableFormat::Csv));
        }
        if settings.kept.regret {
            wanted.push((BrokerTable::Decisions, TableFormat::Csv));
        }
        if settings.kept.measurements {
            wanted.push((BrokerTable::Measurements, TableFormat::Csv));
        }
        if settings.kept.forecasts {
            wanted.extend(OF_FORECASTS.map(|table| (table, TableFormat::Csv)));
        }
        if settings.agreement {
            wanted.push((BrokerTable::Agreement, TableFormat::Csv));
        }
        if scenario.record_parquet {
            wanted.push((BrokerTable::Jobs, TableFormat::Parquet));
        }
        let rows = |(table, format): (BrokerTable, TableFormat)| {
            (Box::new(table.rows(&self.outcomes)) as Box<dyn RowSource + '_>, format)
        };
        wanted.into_iter().map(rows).collect()
    }

    fn write_others(&self, _: &Scenario, _: &str, files: &mut dyn Files) -> io::Result<()> {
        for (part, transcript) in &self.outcomes.transcripts {
            files.file(&transcript_file(part), &mut |out| out.write_all(transcript.as_bytes()))?;
        }
        Ok(())
    }

    fn lanes(&self) -> Option<Box<dyn LaneSource + '_>> {
        self.has_timeline.then(|| Box::new(Timeline(&self.outcomes)) as Box<dyn LaneSource + '_>)
    }

    fn pictures(&self, _: &Scenario) -> Pictures<'_> {
        pictures::of_run(self)
    }

    fn shown(&self) -> Shown<'_> {
        words::on_the_terminal(self)
    }

    fn explanation(&self) -> Option<Explanation> {
        Some(explanation::of(&self.outcomes, self.explained?, &self.called[0]))
    }
}
