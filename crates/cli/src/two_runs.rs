//! `compare RUN RUN`: two finished runs side by side, and the first decision in which they differ.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process;

use serde_json::{Value as Json, json};

use crate::args::Compare;
use crate::collections::OrderedSet;
use crate::failure::Failure;
use crate::finished::finished_run;
use crate::registry::{Complaint, Registry, code};
use crate::scenario::ScheduleColumns;
use crate::{Console, open, print, print_json};
use clustersim_experiment::output::number::{grouped, span};
use clustersim_experiment::output::path::put_whole;
use clustersim_experiment::output::{Table, TableFormat};
use clustersim_experiment::report::html::draw_two_runs;
use clustersim_experiment::report::two_runs::{Difference, Schedule, first_difference};

/// Name and version of what `--json` prints.
const SCHEMA: &str = "clustersim/two-runs/1";

/// Compares the runs in two directories.
pub(super) fn compare(console: Console<'_>, args: &Compare, other: &Path) -> Result<(), Failure> {
    let Console { registry, renderer, .. } = console;
    let places = [args.run.file.as_path(), other];
    let [(columns, one), (_, other)] = [schedule(registry, places[0])?, schedule(registry, places[1])?];
    let keys = |schedule: &Schedule| -> OrderedSet<Vec<String>> {
        schedule.rows().iter().map(|row| row.key.clone()).collect()
    };
    if keys(&one).is_disjoint(&keys(&other)) {
        let message =
            format!("no {} of one run is in the other: they are of different workloads", columns.what);
        return Err(Failure::usage(Complaint::nowhere(code::MANIFEST, message)));
    }
    let difference = first_difference(&one, &other);
    let names = places.map(|place| place.display().to_string());
    let counts = [&one, &other].map(|schedule| schedule.rows().len() as u64);
    if args.run.open || args.run.output.is_some() {
        let page = draw_two_runs(columns.what, &names, [&one, &other], difference.as_ref());
        let file = page_file(args)?;
        put_whole(&file, &page)
            .map_err(|error| Failure::io(&format!("cannot write {}", file.display()), &error))?;
        renderer.note(&format!("in pictures: {}", file.display()));
        if args.run.open {
            open::open(&file, renderer);
        }
    }
    if args.run.json {
        print_json(&json!({
            "schema": SCHEMA,
            "runs": names,
            "started": counts,
            "difference": difference.as_ref().map_or(Json::Null, Difference::to_json),
        }))?;
    } else {
        print(&text(&columns, &names, counts, difference.as_ref()))?;
    }
    Ok(())
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

/// The schedule of a finished run.
fn schedule(registry: &Registry, directory: &Path) -> Result<(ScheduleColumns, Schedule), Failure> {
    let help = "name two finished runs; --point and --replication make one of a study";
    finished_run(registry, directory, &|_| {}, help, |run| {
        let Some(columns) = run.scenario.system.data().schedule.filter(|columns| run.has(columns.file))
        else {
            let what = format!("{} holds a run of {}", directory.display(), run.scenario.system.about());
            let help = "runs of jobs have one, jobs.csv (record.jobs)";
            return Err(Failure::refused(
                code::MANIFEST,
                format!("{what}, without a table that has a start, an end and lanes"),
                help,
            ));
        };
        let file = |table: &Table| TableFormat::Csv.file(table) == columns.file;
        let table = run.scenario.system.tables().into_iter().find(file).expect("a table of the system");
        let schedule = Schedule::read(&*run.table(&table, "compared")?, &columns);
        Ok((columns, schedule.map_err(|why| run.not_understood(columns.file, "compared", &why))?))
    })
}

fn text(
    columns: &ScheduleColumns,
    names: &[String; 2],
    counts: [u64; 2],
    difference: Option<&Difference>,
) -> String {
    let mut text = String::new();
    for (name, count) in names.iter().zip(counts) {
        // writing into a String cannot fail
        let _ = writeln!(text, "{name}: {} {}s started", grouped(count), columns.what);
    }
    let Some(difference) = difference else {
        let _ = writeln!(text, "\nno difference: every {} starts at the same time in both", columns.what);
        return text;
    };
    let number = difference.key.first().map_or("", String::as_str);
    let at = difference.at();
    let exact = at.to_string();
    let rounded = Some(span(at.as_secs_f64())).filter(|rounded| *rounded != exact);
    let rounded = rounded.map(|rounded| format!(" ({rounded})")).unwrap_or_default();
    let _ = writeln!(text, "\nfirst difference at {exact}{rounded}: {} {number}", columns.what);
    for (name, side) in names.iter().zip([&difference.one, &difference.other]) {
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
