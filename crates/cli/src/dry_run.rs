//! `--dry-run` of a study: its plan, and its cost by one run of each point.
//!
//! Nothing is written, and the runs are thrown away. A run that is not over within the time that is
//! given to all of them is broken off, and its point counts with the time that it took.

use std::io;
use std::path::Path;

use crate::Console;
use crate::collections::StableSort as _;
use crate::cost::Account;
use crate::failure::Failure;
use crate::programs::named;
use crate::scenario::{Point, Repeat, Study};
use crate::text::in_one_line;
use clustersim_experiment::output::directory::{self, Standing};
use clustersim_experiment::output::manifest::Identity;
use clustersim_experiment::output::number::grouped;
use clustersim_experiment::output::path::unfinished;
use clustersim_experiment::study::directory::PARTS;
use clustersim_experiment::study::execute::{left, missing};
use clustersim_experiment::study::journal;
use clustersim_experiment::study::plan::Plan;
use clustersim_experiment::study::row::{Row, Rows, RunKey, run_name};
use clustersim_experiment::study::run::{NoRow, make_watched};
use clustersim_experiment::study::threads;

/// Failed runs that are reported in full.
const REPORTED: usize = 3;

/// The study as it would be run to `place`, and the cost of that.
pub(super) fn plan(
    console: Console<'_>,
    study: &Study,
    (place, identity): (&Path, &Identity),
    threads: usize,
) -> Result<String, Failure> {
    let is_complete = directory::standing(place, identity).is_ok_and(|standing| standing == Standing::Same);
    let cost = if is_complete {
        format!(" CPU time       none: {} is complete\n", place.display())
    } else if named(console.registry, study).is_empty() {
        let rows = begun(place, identity);
        let tried = rows.and_then(|rows| tried(console, study, &rows, threads));
        tried.map_err(|error| Failure::io("cannot try the study", &error))?
    } else {
        " CPU time       not estimated, as runs start programs\n".to_owned()
    };
    let numbers = numbers(study);
    let title = in_one_line(&study.first().title);
    Ok(format!("{title}\n\n{numbers} threads        {threads}\n{cost}{}", points(study)))
}

/// The rows that earlier sessions made.
fn begun(place: &Path, identity: &Identity) -> io::Result<Rows> {
    let unfinished = unfinished(place);
    let is_same = Plan::read(&unfinished).is_some_and(|begun| begun.is_of(identity));
    if is_same { journal::read(&unfinished.join(PARTS)) } else { Ok(Rows::new()) }
}

/// Makes the next run of each point, as far as patience goes; gives the lines of their cost.
fn tried(console: Console<'_>, study: &Study, rows: &Rows, threads: usize) -> io::Result<String> {
    let account = Account::start(&left(study, rows), threads);
    let mut keys = missing(study, rows);
    // that of the recorded log comes first at its point, and one run of a point is enough
    keys.dedup_by_key(|(point, _)| *point);
    // the first ones of this order lie evenly among all points
    keys.stable_sort_by_key(|(point, _)| point.reverse_bits());
    let made = threads::map(threads, &keys, |_, &key| {
        let make = || make_watched(console.registry, study, key, account.watch());
        account.is_patient().then(|| account.note(key, make, |made| made.as_ref().ok()?.as_ref()))
    })?;
    let error = |(key, made): (&RunKey, Option<Result<Option<Row>, NoRow>>)| match made? {
        Err(NoRow(why)) => Some((*key, why)),
        Ok(row) => Some((*key, row?.error()?.to_owned())),
    };
    let mut failed: Vec<(RunKey, String)> = keys.iter().zip(made).filter_map(error).collect();
    failed.stable_sort_by_key(|(key, _)| *key);
    for (key, error) in failed.iter().take(REPORTED) {
        console.renderer.note(&format!("{} fails: {error}", run_name(*key)));
    }
    if failed.len() > REPORTED {
        console.renderer.note(&format!("and {} more fail", grouped((failed.len() - REPORTED) as u64)));
    }
    let made = if rows.is_empty() {
        String::new()
    } else {
        format!(" made           {}\n", grouped(rows.len() as u64))
    };
    Ok(made + &account.estimate().map_or_else(String::new, |estimate| estimate.lines()))
}

/// The numbers of points, replications and runs.
fn numbers(study: &Study) -> String {
    let points = study.points.len();
    let between = |least: u32, most: u32| {
        let [least, most] = [least, most].map(|count| grouped(points as u64 * u64::from(count)));
        format!("{least} to {most}")
    };
    let (often, runs) = match &study.repeat {
        Repeat::Times(count) => (count.to_string(), grouped(points as u64 * u64::from(*count))),
        Repeat::ToPower { pilot, at_most } => (
            format!("{pilot} to {at_most}, as the spread of the first {pilot} asks for"),
            between(*pilot, *at_most),
        ),
        Repeat::Until { metric, half_width, at_most } => (
            format!(
                "10 to {at_most}, until the half-width of {metric} is at most {} % of its mean",
                half_width * 100.0
            ),
            between(10, *at_most),
        ),
    };
    format!(" points         {}\n replications   {often}\n runs           {runs}\n", grouped(points as u64))
}

/// The points by number.
fn points(study: &Study) -> String {
    if study.axes.is_empty() {
        return String::new();
    }
    let lines = study.points.iter().enumerate();
    let line = |(number, point): (usize, &Point)| format!(" {number:>5}  {}\n", in_one_line(&point.label()));
    format!("\n{}", lines.map(line).collect::<String>())
}
