//! Jobs on a cluster as a system: its tables, what is looked for before a run, and what can be said
//! of its runs.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crate::import::table::{self, ACCOUNTING, TABLE};
use crate::import::{batsim, slurm};
use crate::instrument::FAMILIES;
use crate::instrument::job_shares::JOB_SHARES;
use crate::instrument::tables::declared;
use crate::measure::metric::Metric;
use crate::measure::own_warnings::OwnWarnings;
use crate::output::Pictures;
use crate::registry::{Complaint, Node, Params, Registry, Tree};
use crate::scenario::manual::Block;
use crate::scenario::{
    AsWritten, BareFile, Checked, InputNote, Preflight, Ready, Rejected, ReplayRequest, RunDirectory,
    Scenario, ScheduleColumns, ScheduleReplay, System, SystemData, whole_keys,
};
use crate::system::components;
use crate::system::description::Cluster;
use crate::system::experiment::{build, fit, jobs_of, policy_of, workload};
use crate::system::failures::inputs;
use crate::system::manual::trace_of_tasks;
use crate::system::task_detail::runs_in_slices;
use crate::system::{Jobs, judge, keys, metrics, pictures, replay, settings, words};
use crate::workload::parallel;
use crate::workload::source::LoadedWorkload;
use crate::workload::swf::{self, Report};

static DATA: SystemData = SystemData {
    components,
    required: &["workload"],
    warnings: OwnWarnings { shares: JOB_SHARES, ..OwnWarnings::NONE },
    tables: declared,
    words: words::words,
    schedule: Some(
        ScheduleColumns::of_jobs("job", &["job_id", "submission_time"])
            .pictured(&[pictures::SCHEDULE, pictures::MATRIX]),
    ),
    bare_file: Some(BareFile {
        mark: &swf::MARK,
        text: "[workload]\nkind = \"swf\"\n",
        key: "workload.file",
    }),
    file_marks: &[&swf::MARK, &slurm::DUMP, &slurm::CONF, &ACCOUNTING, &parallel::MARK, &batsim::MARK],
    ..SystemData::new(
        "cluster",
        "jobs on a cluster",
        keys::KEYS,
        &["workload", "cluster", "policy"],
        FAMILIES,
    )
};

impl System for Jobs {
    fn data(&self) -> &'static SystemData {
        &DATA
    }

    /// Headline metrics. Jobs that share processors start at once: a wait says nothing of them, and
    /// the response time stands in its place.
    fn headline(&self, scenarios: &[&Scenario]) -> &'static [&'static str] {
        let of_tasks =
            |scenario: &&Scenario| scenario.own::<Cluster>().is_some_and(|cluster| cluster.nodes.is_some());
        if scenarios.iter().any(of_tasks) {
            &["response-time.mean", "slowdown.mean", "useful-utilization", "makespan"]
        } else if scenarios.iter().any(|scenario| runs_in_slices(scenario.root())) {
            &["response-time.mean", "bounded-slowdown.mean", "useful-utilization", "makespan"]
        } else {
            &["wait-time.mean", "bounded-slowdown.mean", "useful-utilization", "makespan"]
        }
    }

    fn judged_by(&self, root: &Tree) -> &'static [&'static str] {
        match root.get("cluster").and_then(|cluster| cluster.text_at("detail")) {
            Some("task") => &["jobs", "profile"],
            _ => &["jobs"],
        }
    }

    fn needs(&self, root: &Tree) -> Vec<&'static str> {
        let workload = root.get("workload");
        let of_table = workload.filter(|workload| workload.text_at("kind") == Some(TABLE.name));
        of_table.map(table::needs).unwrap_or_default()
    }

    fn manual(&self) -> Vec<Block> {
        trace_of_tasks()
    }

    fn check(&self, written: &AsWritten<'_>, complaints: &mut Vec<Complaint>) -> Option<Node> {
        settings::check(written, &whole_keys(DATA.keys, DATA.required), complaints)
    }

    fn read(
        &self,
        params: &Params<'_>,
        root: &Node,
        complaints: &mut Vec<Complaint>,
    ) -> Option<Arc<dyn Any + Send + Sync>> {
        Some(Arc::new(settings::read(params, root, complaints)?))
    }

    fn bounded(&self, root: &Node) -> Vec<Metric> {
        metrics::bounded(root)
    }

    fn metrics(&self, scenarios: &[&Scenario]) -> Vec<Metric> {
        metrics::of_study(scenarios)
    }

    fn inputs(
        &self,
        registry: &Registry,
        scenario: &Scenario,
    ) -> Result<Vec<(String, PathBuf)>, Box<Rejected>> {
        Ok(inputs(registry, scenario, workload(registry, scenario)?.as_ref()))
    }

    fn assemble(&self, registry: &Registry, scenario: &Scenario) -> Result<Ready, Box<Rejected>> {
        let source = workload(registry, scenario)?;
        let experiment = build(registry, scenario, source.as_ref())?;
        let inputs = inputs(registry, scenario, source.as_ref());
        let notes = notes(&experiment.loaded);
        Ok(Ready { run: Box::new(experiment), inputs, notes, warnings: Vec::new() })
    }

    fn replay(&self, request: &ReplayRequest<'_>) -> Result<ScheduleReplay, Box<Rejected>> {
        replay::replay(request)
    }

    /// All of it but the parts that come in after the jobs are there.
    fn decides_input(&self, scenario: &Scenario) -> String {
        let mut counts = true;
        let resolved = scenario.resolved();
        let decides = |line: &&str| {
            if let Some(table) = line.strip_prefix('[') {
                let table = table.split(['.', ']']).next().unwrap_or_default();
                counts = !["policy", "expect", "fidelity", "record", "run"].contains(&table);
            }
            counts && !line.starts_with("title =")
        };
        resolved.lines().filter(decides).collect::<Vec<_>>().join("\n")
    }

    /// Jobs are read or drawn once; each point is then made ready with them as for a run.
    fn preflight(&self, registry: &Registry, scenarios: &[&Scenario], whole: bool) -> Preflight {
        let mut found = Preflight::default();
        let mut loaded = None;
        if whole {
            match jobs_of(registry, scenarios[0]) {
                Ok(jobs) => {
                    let files = self.inputs(registry, scenarios[0]).unwrap_or_default();
                    found.loading.files = files.into_iter().map(|(_, path)| path).collect();
                    found.loading.notes = notes(&jobs);
                    loaded = Some(jobs);
                }
                Err(rejected) => found.wrong.push((0, rejected)),
            }
        }
        for (place, scenario) in scenarios.iter().enumerate() {
            let mut fits = || {
                let policy = policy_of(registry, scenario)?;
                match &loaded {
                    Some(jobs) => fit(registry, scenario, policy, jobs.clone()).map(|ready| {
                        // what nodes cannot serve is known with them
                        found.loading.notes = notes(&ready.loaded);
                    }),
                    None => workload(registry, scenario).map(drop),
                }
            };
            match fits() {
                Err(rejected) if found.wrong.iter().all(|(known, _)| *known != place) => {
                    found.wrong.push((place, rejected));
                }
                _ => {}
            }
        }
        found
    }

    fn how_to_draw(&self, registry: &Registry, scenario: &Scenario) -> Result<&'static str, Box<Rejected>> {
        let drawn = workload(registry, scenario)?.inputs().is_empty();
        Ok(if drawn {
            "for intervals, draw the jobs from distributions: `clustersim list distributions`"
        } else {
            "for intervals over other logs like this one, add to [workload]: randomize = \"weeks\"  (or --set workload.randomize=weeks)"
        })
    }

    fn judge(&self, run: &RunDirectory<'_>) -> Result<Checked, Box<Rejected>> {
        judge::judge(run)
    }

    fn pictures(&self, run: &RunDirectory<'_>) -> Result<Pictures<'static>, Box<Rejected>> {
        pictures::of_files(run)
    }
}

/// Notes on what was dropped or repaired of the log, if the jobs are of one.
pub(super) fn notes(loaded: &LoadedWorkload) -> Vec<InputNote> {
    let report = loaded.log.as_ref().map(|(_, report)| report);
    let note = |report: &Report| Some(InputNote { short: report.short()?, long: report.long() });
    report.and_then(note).into_iter().collect()
}
