//! `convert` of a table of jobs: a scenario that reads it by a guess at its columns.

use std::io::Write;

use crate::convert_args::{Convert, Foreign};
use crate::describe::survey;
use crate::failure::Failure;
use crate::import::table::TableSurvey;
use crate::print;
use crate::registry::{Registry, toml_text};
use crate::render::Renderer;
use crate::request::utf8;
use crate::scenario::recognition::{JSON, PARQUET, TABLE, recognize};
use crate::workload::LogSummary;
use crate::written::{path_as_written, refused, write};
use clustersim_experiment::output::number::grouped;

/// Endings of names of tables, compression aside.
const ENDINGS: [&str; 4] = [".csv", ".tsv", ".jsonl", ".parquet"];

/// The table of jobs that is to be converted, if the input is one.
///
/// # Errors
/// A file that is stated to be a table, or can be nothing else, and is none.
pub(super) fn jobs_in(registry: &Registry, args: &Convert) -> Result<Option<TableSurvey>, Failure> {
    if let Some(stated) = &args.from {
        return if stated == "table" { survey(args.input()).map(Some) } else { Ok(None) };
    }
    let name = args.input().to_string_lossy().to_lowercase();
    let name = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    let may_be = match recognize(registry, args.input()) {
        Some(mark) if *mark == PARQUET => return survey(args.input()).map(Some),
        Some(mark) => *mark == TABLE || *mark == JSON,
        None => ENDINGS.iter().any(|ending| name.ends_with(ending)),
    };
    // what is no table of jobs may be another input, whose reader says what is wrong
    let found = may_be.then(|| survey(args.input()).ok()).flatten();
    match found.as_ref().and_then(|survey| survey.foreign) {
        Some((about, help)) if !found.as_ref().is_some_and(TableSurvey::is_of_jobs) => {
            let message = format!("cannot convert {}: it is {about}", args.input().display());
            Err(refused(&message, help))
        }
        _ => Ok(found.filter(TableSurvey::is_of_jobs)),
    }
}

/// Writes the scenario.
pub(super) fn convert(args: &Convert, survey: TableSurvey, renderer: &Renderer) -> Result<(), Failure> {
    crate::written::refuse_idle_flags(args, Some(Foreign::Table))?;
    if args.inputs.len() > 1 {
        return Err(refused("only measurements come in several files", "convert the others one by one"));
    }
    let is_scenario = args.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    if !is_scenario {
        let message = "what the columns of a table mean is a guess, and a log does not say so";
        return Err(refused(message, "write a scenario (.toml), and look at its [workload.columns]"));
    }
    Failure::if_there(&args.output, args.force)?;
    utf8(args.input())?;
    let file = args.input().display().to_string();
    let (log, _) = survey.jobs.map_err(|problem| {
        let help = problem.help.clone().unwrap_or_default();
        let more = format!("`clustersim describe {file}` shows its columns");
        let help = if help.is_empty() { more } else { format!("{help}; {more}") };
        Failure::usage(problem.help(help).complaint(&file, None))
    })?;
    let summary = LogSummary::of(&log);
    let title = args.input().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut text = format!("title = {}\n\n[cluster]\n", toml_text(&title));
    text +=
        "# a guess: the table does not state the size of its machine; so many were in use at once at most\n";
    text += &format!("procs = {}\n\n", summary.processors());
    text += &survey.guess.workload(&path_as_written(&args.output, args.input()));
    let report = log.report.long();
    if !report.is_empty() {
        text += &format!("\n# Of {} rows {} are jobs here:\n", log.report.jobs, summary.jobs);
        report.iter().for_each(|line| text += &format!("# {line}\n"));
    }
    text += "\n[policy]\nkind = \"easy\"\n";
    write(&args.output, |out| out.write_all(text.as_bytes()))?;
    report.iter().for_each(|line| renderer.note(line));
    for own in &survey.guess.columns {
        if let Some(doubt) = &own.doubt {
            renderer.note(&format!("{} = {} is a guess: {doubt}", own.key, own.value));
        }
    }
    let (jobs, rows) = (grouped(summary.jobs), grouped(log.report.jobs));
    print(&format!("{}: {jobs} jobs of {rows} rows\n", args.output.display()))
}
