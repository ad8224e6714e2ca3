//! `check`: whether a finished run keeps what was promised, as its system judges it from its files.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value as Json, json};

use crate::args::Check;
use crate::failure::Failure;
use crate::finished::finished_run;
use crate::registry::Registry;
use crate::render::Renderer;
use crate::scenario::Checked;
use crate::{print, print_json};
use clustersim_experiment::check::{Judgement, Violation, as_written};
use clustersim_experiment::output::number::grouped;

/// Name and version of what `--json` prints.
const SCHEMA: &str = "clustersim/check/1";
/// The first promise of every run.
const AS_WRITTEN: &str = "files are as the run wrote them";
/// Violations of one promise that are printed in words.
const PRINTED: usize = 10;

pub(super) fn check(registry: &Registry, args: &Check, renderer: &Renderer) -> Result<(), Failure> {
    let directory = &args.directory;
    let note = |message: &str| renderer.note(message);
    let checked = judged(registry, directory, &note)?;
    let broken = checked.promises.iter().filter(|(_, looked)| is_broken(looked)).count();
    if args.json {
        print_json(&as_json(&checked.promises))?;
    } else {
        print(&in_words(directory, &checked.about, &checked.promises))?;
    }
    match broken {
        0 => Ok(()),
        1 => Err(Failure::Failed("the schedule breaks a promise".to_owned())),
        _ => Err(Failure::Failed(format!("the schedule breaks {broken} promises"))),
    }
}

/// The judgement of the run in a directory, of its files before all else.
pub(super) fn judged(registry: &Registry, directory: &Path, note: &dyn Fn(&str)) -> Result<Checked, Failure> {
    let help = "a study keeps no schedules; run one of its runs alone, with --point and --replication";
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

fn is_broken(judged: &Judgement) -> bool {
    matches!(judged, Ok(violations) if !violations.is_empty())
}

/// A judgement in words.
pub(super) fn in_words(directory: &Path, about: &str, judged: &[(String, Judgement)]) -> String {
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
pub(super) fn as_json(judged: &[(String, Judgement)]) -> Json {
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
