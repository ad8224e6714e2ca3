//! The numbers of a run of jobs, file by file: promises, and the list of what is not checked.

use serde_json::Value as Json;
use serde_json::json;

use crate::check::{Judgement, Recomputation, Violation};
use crate::judge::Promise;
use crate::kernel::SimTime;
use crate::output::NoRows;

use super::run::JobRun;
use super::{
    JobFacts, JobFiles, STOPPED, Submitted, capacity, counts, gang, gpus, interrupted, log, matrix_rows,
    task_rows, tasks, usage,
};

const CELLS: &str = "matrix.csv has each job in one row of its own from its start to its end, and no two on one \
    processor of a row";
const ROWS: &str = "matrix.csv has the rows and the replicas that the slices make";
const PICTURES: &str = "they are pictures of the numbers that are judged, in formats that are not read here";
const WORDS: &str = "the policy says it, and nothing else follows from it";
const DRAWN: &str = "it is drawn, or read from a file; what follows from it is checked";
const ALONE: &str =
    "they are of runs of each job alone, of which there are no files; what follows from them is checked";
const SPANS: &str = "when tasks had processors is not in the files";
const BY_THE_RUN: &str = "the run alone says it; run it again, which compares the files";

/// Judges the numbers of a run.
///
/// # Errors
/// The first cell of a file that cannot be read, and its place.
///
/// # Complexity
/// n log n in the jobs, some 200 bytes each, as the rows of jobs come a few at a time; in slices a
/// step for each slice in which something happens.
pub fn judge_jobs(
    files: &JobFiles<'_>,
    facts: &JobFacts<'_>,
    submitted: Result<Submitted<'_>, &'static str>,
) -> Result<Vec<(String, Judgement)>, NoRows> {
    let dedicated = files.executions.map(task_rows::dedicated).transpose()?.unwrap_or_default();
    let (run, cells) = JobRun::read(files, facts, submitted.as_ref().ok(), &dedicated)?;
    let mut judged = vec![(
        "cells of the jobs that follow from others, and the order of rows, are as these make them".to_owned(),
        Ok(cells),
    )];
    if let (Some(executions), Some(profile)) = (files.executions, files.profile) {
        let found = match submitted {
            Ok(_) => Ok(tasks::rows(&run, executions, profile)?),
            Err(why) => Err(why),
        };
        judged.push((
            "times of tasks and processors add up, job by job and processor by processor".to_owned(),
            found,
        ));
    }
    if let Some(text) = files.usage {
        let found = match submitted.and_then(|_| capacity::spans_in_use(&run)) {
            Ok(spans) => Ok(usage::rows(&spans, text)?),
            Err(why) => Err(why),
        };
        judged.push(("usage.csv has the processors in use over time".to_owned(), found));
    }
    if let Some(text) = files.log {
        let found = submitted.map(|_| log::same_jobs(&run, text));
        judged.push(("jobs.swf has the jobs with their waits".to_owned(), found));
    }
    if let (Some(per_node), Some(text)) = (facts.fails_by, files.outages) {
        judged.push((
            "outages are of the processors of their nodes, in order".to_owned(),
            Ok(interrupted::of_nodes(text, per_node, (facts.procs, facts.resources))?),
        ));
    }
    let slices = facts.gang.as_ref().map(|rules| submitted.and_then(|all| gang::replay(&run, rules, &all)));
    if let Some(slices) = &slices {
        judged.push((Promise::Slices.about().to_owned(), gang::judged(slices)));
    }
    if let Some(text) = files.matrix {
        let stands = matrix_rows::read(text)?;
        judged.push((CELLS.to_owned(), Ok(matrix_rows::by_itself(&run, &stands))));
        judged.extend(slices.as_ref().map(|slices| (ROWS.to_owned(), gang::rows(slices, &stands))));
    }
    judged.push(("the manifest counts what the summary does".to_owned(), Ok(counted(files, &run))));
    judged.extend(findings(files, &run, submitted, slices.as_ref())?.compare(files.summary));
    let never = [
        ("why each job started when it did (reason)", true, WORDS),
        ("when nodes failed and were back", facts.fails_by.is_some(), DRAWN),
        ("dedicated times of jobs", facts.dedicates, ALONE),
        ("what each task did, beyond sums over jobs and processors", facts.of_tasks, SPANS),
        ("window-ns in manifest.json", facts.stopped, STOPPED),
        ("report.html, trace.pftrace, jobs.parquet", true, PICTURES),
    ];
    let never = never.into_iter().filter(|(_, is_there, _)| *is_there);
    judged.extend(never.map(|(what, _, why)| (what.to_owned(), Err(why))));
    Ok(judged)
}

/// All numbers of the summary, as they are found again.
fn findings(
    files: &JobFiles<'_>,
    run: &JobRun<'_>,
    submitted: Result<Submitted<'_>, &'static str>,
    slices: Option<&Result<gang::Slices, &'static str>>,
) -> Result<Recomputation, String> {
    let (mut found, facts) = (Recomputation::default(), run.facts);
    let (title, seed) = facts.named;
    found.value("title", json!(title));
    found.value("seed", json!(seed));
    found.value("digest", files.manifest["digest"].clone());
    found.value("events", files.manifest["counters"]["events"].clone());
    ["drew", "warnings", "notes", "rejections"].into_iter().for_each(|name| found.never(name, BY_THE_RUN));
    match submitted {
        Err(why) => found.never("", why),
        Ok(submitted) => {
            counts::find(run, &submitted, files.summary, &mut found);
            capacity::find(run, &submitted, files, &mut found)?;
            gpus::find(run, &submitted, &mut found);
            interrupted::find(run, slices, &mut found);
            if facts.of_tasks {
                tasks::find(run, files, &mut found)?;
            }
            if let Some(slices) = slices {
                gang::find(slices, &mut found);
            }
        }
    }
    Ok(found)
}

/// Numbers of the manifest that are not those of the summary or of the workload.
fn counted(files: &JobFiles<'_>, run: &JobRun<'_>) -> Vec<Violation> {
    let (manifest, summary) = (files.manifest, files.summary);
    let mut violations = Vec::new();
    let mut is = |name: &str, stated: &Json, found: &Json| {
        if stated != found {
            let what = format!("{name} is {stated} in the manifest, and {found} by the other files");
            violations.push(Violation::of_no_job(SimTime::ZERO, what));
        }
    };
    for (name, stated) in manifest["counters"].as_object().into_iter().flatten() {
        let found = if name == "events" { &summary["events"] } else { &summary["metrics"][name]["value"] };
        is(name, stated, found);
    }
    for name in ["title", "seed", "digest"] {
        is(name, &manifest[name], &summary[name]);
    }
    if !run.jobs.is_empty() {
        is("workload.jobs", &manifest["workload"]["jobs"], &json!(run.jobs.len()));
        let stays = |place: &usize| run.for_ever.is_some_and(|held| held.all.contains(place));
        let is_stopped =
            run.outcomes.iter().enumerate().any(|(place, outcome)| outcome.is_none() && !stays(&place));
        is("stopped", &manifest["stopped"], &json!(is_stopped));
        // versions before it wrote none
        if !run.facts.stopped && manifest.get("window-ns").is_some() {
            let window = Some(run.window()).filter(|window| window.from < SimTime::MAX);
            let window = window.map(|window| [window.from.as_nanos(), window.to.as_nanos()]);
            is("window-ns", &manifest["window-ns"], &json!(window));
        }
    }
    violations
}
