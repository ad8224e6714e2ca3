//! `check`: whether a finished run keeps what was promised, as its system judges it from its files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::slice;

use serde_json::{Value as Json, json};

use crate::args::Check;
use crate::failure::Failure;
use crate::finished::{finished_run, is_run, manifest_of};
use crate::kernel::SimTime;
use crate::registry::Registry;
use crate::render::Renderer;
use crate::scenario::Checked;
use crate::study as several;
use crate::{print, print_json};
use clustersim_experiment::check::{Judgement, Violation, as_written, unchanged};
use clustersim_experiment::output::directory::read_manifest;
use clustersim_experiment::output::number::{counted, grouped};
use clustersim_experiment::study::kept::{self, RUNS};

/// Name and version of what `--json` prints.
const SCHEMA: &str = "clustersim/check/1";
/// The first promise of every run.
const AS_WRITTEN: &str = "files are as the run wrote them";
/// The promise of a study.
const AS_WRITTEN_BY_STUDY: &str = "files are as the study wrote them";
/// Violations of one promise that are printed in words.
const PRINTED: usize = 10;

/// The judgement of a finished run or study.
#[derive(Debug)]
pub(super) struct Outcome {
    /// In words.
    pub(super) text: String,
    /// As `--json` prints it.
    pub(super) document: Json,
    /// The sentence that says which promises are broken, if any are.
    broken: Option<String>,
}

pub(super) fn check(registry: &Registry, args: &Check, renderer: &Renderer) -> Result<(), Failure> {
    let outcome = outcome(registry, &args.directory, &|message: &str| renderer.note(message))?;
    if args.json {
        print_json(&outcome.document)?;
    } else {
        print(&outcome.text)?;
    }
    outcome.broken.map_or(Ok(()), |broken| Err(Failure::Failed(broken)))
}

/// Judges the run or the study in a directory; `note` takes remarks.
pub(super) fn outcome(
    registry: &Registry,
    directory: &Path,
    note: &dyn Fn(&str),
) -> Result<Outcome, Failure> {
    let manifest = manifest_of(directory)?;
    if !is_run(&manifest) && manifest[RUNS].is_object() {
        return of_study(registry, directory, &manifest, note);
    }
    let Checked { about, promises } = judged(registry, directory, note)?;
    let broken = match broken(&promises) {
        0 => None,
        1 => Some("the schedule breaks a promise".to_owned()),
        count => Some(format!("the schedule breaks {count} promises")),
    };
    Ok(Outcome { text: in_words(directory, &about, &promises), document: as_json(&promises), broken })
}

/// The judgement of the run in a directory, of its files before all else.
fn judged(registry: &Registry, directory: &Path, note: &dyn Fn(&str)) -> Result<Checked, Failure> {
    let help = "a study keeps no schedules unless `record.runs` says so; run one of its runs alone, with --point and --replication";
    finished_run(registry, directory, note, help, |run| {
        let written = as_written(run.place, run.manifest);
        let mut checked = run.scenario.system.judge(run).inspect_err(|_| {
            // a file that cannot be read any more may have been changed
            let changed = written.as_ref().into_iter().flatten();
            changed.for_each(|violation| note(&violation.what));
        })?;
        checked.promises.insert(0, (AS_WRITTEN.to_owned(), written));
        Ok(checked)
    })
}

/// Judges the files of a study and each of its kept runs.
fn of_study(
    registry: &Registry,
    directory: &Path,
    manifest: &Json,
    note: &dyn Fn(&str),
) -> Result<Outcome, Failure> {
    let own = (AS_WRITTEN_BY_STUDY.to_owned(), as_kept(directory, manifest));
    let mut runs = Vec::new();
    for (name, _) in manifest[RUNS].as_object().into_iter().flatten() {
        let place = directory.join(RUNS).join(name);
        let checked = judged(registry, &place, note)?;
        runs.push((name, place, checked));
    }
    let is_kept = |(_, _, checked): &&(&String, PathBuf, Checked)| broken(&checked.promises) == 0;
    let each = |(name, _, checked): &(&String, PathBuf, Checked)| json!({ "directory": format!("{RUNS}/{name}"), "promises": as_json(&checked.promises)["promises"] });
    let mut document = as_json(slice::from_ref(&own));
    document[RUNS] = runs.iter().map(each).collect();
    let about = format!("a study of which {} kept", several::counted(runs.len() as u64));
    let mut text = in_words(directory, &about, slice::from_ref(&own));
    for (name, _, checked) in runs.iter().filter(is_kept) {
        let open = checked.promises.iter().filter(|(_, judged)| judged.is_err()).count();
        let count = counted((checked.promises.len() - open) as u64, "promise");
        let open = if open > 0 { format!(", {open} not checked") } else { String::new() };
        // writing into a String cannot fail
        let _ = writeln!(text, " kept         {RUNS}/{name}: {count}{open}");
    }
    for (_, place, checked) in runs.iter().filter(|run| !is_kept(run)) {
        text += &format!("\n{}", in_words(place, &checked.about, &checked.promises));
    }
    let broken = match (is_broken(&own.1), runs.iter().filter(|run| !is_kept(run)).count()) {
        (false, 0) => None,
        (true, 0) => Some("files of the study are not as it wrote them".to_owned()),
        (_, 1) => Some("a schedule breaks promises".to_owned()),
        (_, count) => Some(format!("{} schedules break promises", grouped(count as u64))),
    };
    Ok(Outcome { text, document, broken })
}

/// Compares the files of a study and the manifests of its kept runs with its manifest.
fn as_kept(directory: &Path, manifest: &Json) -> Judgement {
    let mut violations = unchanged(directory, manifest)?;
    for (name, recorded) in manifest[RUNS].as_object().into_iter().flatten() {
        let found = read_manifest(&directory.join(RUNS).join(name)).map(|found| kept::of_manifest(&found));
        if found.as_deref() != recorded.as_str() {
            let what = format!("{RUNS}/{name} is not the run that was kept");
            violations.push(Violation::of_no_job(SimTime::ZERO, what));
        }
    }
    Ok(violations)
}

fn broken(promises: &[(String, Judgement)]) -> usize {
    promises.iter().filter(|(_, looked)| is_broken(looked)).count()
}

fn is_broken(judged: &Judgement) -> bool {
    matches!(judged, Ok(violations) if !violations.is_empty())
}

/// A judgement in words.
fn in_words(directory: &Path, about: &str, judged: &[(String, Judgement)]) -> String {
    let mut text = format!("{}: {about}\n\n", directory.display());
    for (promise, judged) in judged {
        // writing into a String cannot fail
        let _ = match judged {
            Err(why) => writeln!(text, " not checked  {promise}: {why}"),
            Ok(violations) if violations.is_empty() => {
                writeln!(text, " kept         {promise}")
            }
            Ok(violations) => {
                let _ = writeln!(text, " BROKEN       {promise}");
                for violation in violations.iter().take(PRINTED) {
                    let _ = writeln!(text, "                {violation}");
                }
                let more = violations.len().saturating_sub(PRINTED);
                if more > 0 {
                    writeln!(text, "                and {} more", grouped(more as u64))
                } else {
                    Ok(())
                }
            }
        };
    }
    text
}

/// A judgement as a document.
fn as_json(judged: &[(String, Judgement)]) -> Json {
    let promises: Vec<Json> = judged
        .iter()
        .map(|(promise, judged)| match judged {
            Err(why) => json!({ "promise": promise, "state": "not-checked", "why": why }),
            Ok(violations) => {
                let each = |violation: &Violation| {
                    let job = Some(violation.job).filter(|&job| job != Violation::NO_JOB);
                    json!({ "job": job, "at": violation.at.as_secs_f64(), "what": violation.what })
                };
                let state = if violations.is_empty() { "kept" } else { "broken" };
                let violations: Vec<Json> = violations.iter().map(each).collect();
                json!({ "promise": promise, "state": state, "violations": violations })
            }
        })
        .collect();
    json!({ "schema": SCHEMA, "promises": promises })
}
