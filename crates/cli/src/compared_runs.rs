//! `compare RUN RUN …`: finished runs of one system side by side, and the first decision in which
//! each differs from the first run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process;

use serde_json::{Value as Json, json};

use crate::args::Compare;
use crate::collections::OrderedSet;
use crate::failure::Failure;
use crate::finished::finished_run;
use crate::registry::{Complaint, Registry, code};
use crate::scenario::{RunDirectory, ScheduleColumns, System};
use crate::{Console, open, print, print_json};
use clustersim_experiment::output::number::{grouped, span};
use clustersim_experiment::output::path::put_whole;
use clustersim_experiment::output::{Table, TableFormat};
use clustersim_experiment::report::compared_runs::{Difference, Schedule, first_difference};
use clustersim_experiment::report::html::{ComparedRun, Pictured, draw_compared_runs};
use clustersim_experiment::report::side_by_side::SideBySide;
use clustersim_experiment::report::summary::read_summary;

/// Name and version of what `--json` prints of two runs.
const SCHEMA_OF_TWO: &str = "clustersim/two-runs/1";
/// The same of more runs.
const SCHEMA: &str = "clustersim/several-runs/1";
/// Runs that are compared at once, at most: so many curves of one figure differ in colour and dash.
const MOST: usize = 8;

/// A finished run, as far as it is compared.
struct Finished {
    system: &'static dyn System,
    columns: ScheduleColumns,
    schedule: Schedule,
    summary: Json,
    headline: &'static [&'static str],
    /// Figures of the run, if a page is drawn.
    pictured: Option<Pictured>,
}

/// Compares the runs in these directories with the first.
pub(super) fn compare(console: Console<'_>, args: &Compare) -> Result<(), Failure> {
    let Console { registry, renderer, .. } = console;
    let places: Vec<&Path> = [&args.run.file].into_iter().chain(&args.others).map(PathBuf::as_path).collect();
    if places.len() > MOST {
        let message = format!("{} runs are compared at once, at most {MOST} can be", places.len());
        let complaint = Complaint::nowhere(code::CONTRADICTION, message);
        return Err(Failure::usage(complaint.help("so many curves of one figure can be distinguished")));
    }
    let is_drawn = args.run.open || args.run.output.is_some();
    let mut runs: Vec<Finished> = Vec::new();
    for place in &places {
        let note = |text: &str| renderer.note(&format!("{}: {text}", place.display()));
        let run = finished(registry, place, is_drawn, &note)?;
        if let Some(first) = runs.first() {
            goes_with(first, &run, [places[0], place])?;
        }
        runs.push(run);
    }
    let differences: Vec<Option<Difference>> =
        runs.iter().map(|run| first_difference(&runs[0].schedule, &run.schedule)).collect();
    let names: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
    let (system, columns, headline) = (runs[0].system, runs[0].columns, runs[0].headline);
    let summaries: Vec<Json> = runs.iter_mut().map(|run| run.summary.take()).collect();
    let metrics = SideBySide::of(system, headline.iter().copied(), &summaries);
    if is_drawn {
        let pictured = runs.iter_mut().filter_map(|run| run.pictured.take()).collect();
        let compared = names.iter().zip(&runs).zip(&differences).map(|((name, run), difference)| {
            ComparedRun { name, schedule: &run.schedule, difference: difference.as_ref() }
        });
        let compared: Vec<ComparedRun<'_>> = compared.collect();
        let page = draw_compared_runs(system, &columns, &compared, pictured, &summaries);
        let file = page_file(args)?;
        put_whole(&file, &page)
            .map_err(|error| Failure::io(&format!("cannot write {}", file.display()), &error))?;
        renderer.note(&format!("in pictures: {}", file.display()));
        if args.run.open {
            open::open(&file, renderer);
        }
    }
    let counts: Vec<u64> = runs.iter().map(|run| run.schedule.rows().len() as u64).collect();
    if args.run.json {
        return print_json(&document(&names, &counts, &differences[1..], &metrics));
    }
    let mut text = String::new();
    for (name, count) in names.iter().zip(counts) {
        // writing into a String cannot fail
        let _ = writeln!(text, "{name}: {} {}s started", grouped(count), columns.what);
    }
    for (name, difference) in names.iter().zip(&differences).skip(1) {
        text.push_str(&in_words(&columns, [&names[0], name], difference.as_ref(), names.len() > 2));
    }
    print(&format!("{text}\n{}", metrics.text(&names)))
}

/// The comparison as JSON; `differences` are those of the runs after the first.
fn document(
    names: &[String],
    counts: &[u64],
    differences: &[Option<Difference>],
    metrics: &SideBySide,
) -> Json {
    let of = |difference: &Option<Difference>| difference.as_ref().map_or(Json::Null, Difference::to_json);
    let mut document = json!({
        "schema": if differences.len() == 1 { SCHEMA_OF_TWO } else { SCHEMA },
        "runs": names,
        "started": counts,
        "differences": differences.iter().map(of).collect::<Vec<_>>(),
        "metrics": metrics.to_json(),
    });
    if let [difference] = differences {
        document["difference"] = of(difference);
    }
    document
}

/// File of the page: the file that is named, unless there is one, else a file of the system's
/// for temporary ones.
fn page_file(args: &Compare) -> Result<PathBuf, Failure> {
    let Some(file) = &args.run.output else {
        return Ok(std::env::temp_dir().join(format!("clustersim-compare-{}.html", process::id())));
    };
    if file.exists() && !args.run.force {
        let help = "name another file with -o, or replace it with --force";
        return Err(Failure::refused(code::OCCUPIED, format!("{} exists", file.display()), help));
    }
    Ok(file.clone())
}

/// The run in a directory.
fn finished(
    registry: &Registry,
    directory: &Path,
    is_drawn: bool,
    note: &dyn Fn(&str),
) -> Result<Finished, Failure> {
    let help = "name finished runs; --point and --replication make one of a study";
    finished_run(registry, directory, note, help, |run| {
        let system = run.scenario.system;
        let Some(columns) = system.data().schedule.filter(|columns| run.has(columns.file)) else {
            let what = format!("{} holds a run of {}", directory.display(), system.about());
            let help = "runs of jobs have one, jobs.csv (record.jobs)";
            return Err(Failure::refused(
                code::MANIFEST,
                format!("{what}, without a table that has a start, an end and lanes"),
                help,
            ));
        };
        let summary = read_summary(run, "compared")?;
        let pictured = if is_drawn { Some(Pictured::of(run, &columns)?) } else { None };
        let headline = system.headline(&[run.scenario]);
        Ok(Finished { system, columns, schedule: schedule(run, &columns)?, summary, headline, pictured })
    })
}

/// The schedule of a finished run.
fn schedule(run: &RunDirectory<'_>, columns: &ScheduleColumns) -> Result<Schedule, Failure> {
    let file = |table: &Table| TableFormat::Csv.file(table) == columns.file;
    let table = run.scenario.system.tables().into_iter().find(file).expect("a table of the system");
    let schedule = Schedule::read(&*run.table(&table, "compared")?, columns);
    Ok(schedule.map_err(|why| run.not_understood(columns.file, "compared", &why))?)
}

/// Refuses a run that cannot be compared with the first: one of another system, or without an item
/// of its workload.
fn goes_with(first: &Finished, run: &Finished, [of_first, place]: [&Path; 2]) -> Result<(), Failure> {
    let refused = |message: String| {
        let complaint = Complaint::nowhere(code::MANIFEST, message);
        Failure::usage(complaint.help("runs of one system and of the same items are compared"))
    };
    let [one, other] = [of_first, place].map(Path::display);
    if run.system.name() != first.system.name() {
        let (about, others) = (first.system.about(), run.system.about());
        return Err(refused(format!("{one} holds a run of {about}, {other} one of {others}")));
    }
    let keys = |of: &Finished| -> OrderedSet<Vec<String>> {
        of.schedule.rows().iter().map(|row| row.key.clone()).collect()
    };
    if keys(first).is_disjoint(&keys(run)) {
        let what = first.columns.what;
        return Err(refused(format!("no {what} of {one} is in {other}: they are of different workloads")));
    }
    Ok(())
}

/// The first difference of a run from the first; `is_named` says which run it is.
fn in_words(
    columns: &ScheduleColumns,
    names: [&String; 2],
    difference: Option<&Difference>,
    is_named: bool,
) -> String {
    let what = columns.what;
    let [first, name] = names;
    let (of, same) = if is_named {
        (format!("{name}: "), format!("as in {first}"))
    } else {
        (String::new(), "in both".to_owned())
    };
    let Some(difference) = difference else {
        return format!("\n{of}no difference: every {what} starts at the same time {same}\n");
    };
    let number = difference.key.first().map_or("", String::as_str);
    let at = difference.at();
    let exact = at.to_string();
    let rounded = Some(span(at.as_secs_f64())).filter(|rounded| *rounded != exact);
    let rounded = rounded.map(|rounded| format!(" ({rounded})")).unwrap_or_default();
    let mut text = format!("\n{of}first difference at {exact}{rounded}: {what} {number}\n");
    for (name, side) in names.iter().zip([&difference.one, &difference.other]) {
        // writing into a String cannot fail
        let _ = match side {
            Some((start, reason)) => writeln!(text, "  {name}: starts at {start}{}", because(reason)),
            None => writeln!(text, "  {name}: does not start"),
        };
    }
    text
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(", reason {reason}") }
}
