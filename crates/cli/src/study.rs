//! `run` of a study: its plan, its runs on all cores, its results, and what was continued.

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use serde_json::{Value as Json, json};

use crate::args::{MatrixFormat, Run};
use crate::cost::Account;
use crate::failure::Failure;
use crate::invocation::{Invocation, absolute};
use crate::progress::StudyProgress;
use crate::registry::{Complaint, Registry, code, reason};
use crate::run::{is_repeated, print_input_notes, print_place, standing, taken};
use crate::scenario::{Repeat, Study, tables};
use crate::study_page::StudyPage;
use crate::text::in_one_line;
use crate::{Console, dry_run, interrupt, print, print_json};
use clustersim_experiment::output::TableFormat;
use clustersim_experiment::output::directory::{self, Placed, REPORT, Standing};
use clustersim_experiment::output::lock::Lock;
use clustersim_experiment::output::manifest::{self, Identity, document};
use clustersim_experiment::output::number::{grouped, plain};
use clustersim_experiment::report::html::draw_study;
use clustersim_experiment::study::compare_formats::{self, MatrixCells};
use clustersim_experiment::study::directory::{PartialStudy, Refused};
use clustersim_experiment::study::execute::{Execution, execute, left, missing, settle};
use clustersim_experiment::study::journal::{self, Journal};
use clustersim_experiment::study::kept::{RUNS, RunKeeper};
use clustersim_experiment::study::plan::{self, Plan};
use clustersim_experiment::study::preflight::{MOST_DRAWN, Seen, look_at};
use clustersim_experiment::study::question::Question;
use clustersim_experiment::study::results::{ResultRows, StudyFiles};
use clustersim_experiment::study::row::{Row, Rows, RunKey, reproduce, run_name};
use clustersim_experiment::study::run::{NoRow, make};
use clustersim_experiment::study::summarise::summarise;
use clustersim_experiment::study::summary::{Findings, StudySummary};
use clustersim_experiment::study::verdict::DETECT;
use clustersim_experiment::study::{
    compare_table, crossover, expect, results, table, to_power, warnings_by_code,
};

/// Failed runs that are reported in full.
const REPORTED: usize = 10;

/// A form of the whole answer.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// The lines of a terminal.
    Terminal,
    /// Tables for a paper.
    Paper(MatrixFormat),
}

/// A study and what is known of where it goes.
pub(super) struct Task<'a> {
    pub(super) study: &'a Study,
    /// Directory of the results, if the input states one.
    pub(super) place: Option<PathBuf>,
    /// Identity that the study must have, if it repeats one.
    pub(super) identity: Option<Json>,
    /// Question to the study.
    pub(super) question: Question,
    /// Form in which the answer is printed in full; `None`: of the primary metric alone.
    pub(super) compare: Option<Form>,
    /// Runs, if they were made elsewhere, and the lock of its place.
    pub(super) made: Option<(Rows, &'a Lock)>,
    /// Replications of each point that were not requested, and are reported for this.
    pub(super) unasked: Option<u32>,
}

pub(super) fn run(
    console: Console<'_>,
    task: Task<'_>,
    args: &Run,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let Console { registry, renderer, .. } = console;
    let study = task.study;
    let threads = args.threads.map_or_else(cores, usize::from);
    if task.made.is_none() {
        look_at_points(console, study, threads)?;
    }
    let identity =
        plan::identity(registry, study).map_err(|error| Failure::io("cannot read an input", &error))?;
    is_repeated("study", task.identity.as_ref(), &identity)?;
    let place = args.output.clone().or(task.place);
    let place = place.unwrap_or_else(|| directory::default_place(&study.first().title, &identity));
    let place = place.as_path();
    if args.dry {
        return print(&dry_run::plan(console, study, (place, &identity), threads)?);
    }
    let question = &task.question;
    let making = Making { console, study, question, identity: &identity, place, threads };
    let summary = match task.made {
        Some((rows, lock)) => making.run(lock, Some(rows), args.force, invocation)?,
        None => {
            standing(place, &identity, args.force)?;
            let lock = Lock::take(place).map_err(|why| taken(place, why))?;
            making.run(&lock, None, args.force, invocation)?
        }
    };
    let random = summary.points.iter().any(|point| point.random);
    if let Some(count) = task.unasked.filter(|_| random) {
        renderer.note(&format!("{count} replications of each point (--replications sets how many)"));
    }
    if args.json {
        print_json(&json!(summary))?;
    } else {
        let advice = match task.compare {
            Some(Form::Paper(format)) => return for_paper(&summary, format),
            Some(Form::Terminal) => Some(study.system().how_to_draw(registry, study.first())?),
            None => None,
        };
        let asked = match &study.repeat {
            Repeat::Times(count) if task.unasked.is_none() => Some(*count),
            _ => None,
        };
        print(&answer(&summary, asked, advice))?;
    }
    if !summary.failures.is_empty() {
        return Err(Failure::Incomplete(reported_failures(&summary, place)));
    }
    let mut broken = expect::broken(study, &summary);
    broken.extend(crossover::broken(study, &summary.crossovers));
    if broken.is_empty() { Ok(()) } else { Err(Failure::BrokenPoints(broken)) }
}

/// Prints the matrices of a study for a paper.
fn for_paper(summary: &StudySummary, format: MatrixFormat) -> Result<(), Failure> {
    let nothing = Findings::default();
    let findings = summary.findings.as_ref().unwrap_or(&nothing);
    print(&match format {
        MatrixFormat::Markdown => compare_formats::markdown(findings),
        MatrixFormat::Latex => compare_formats::latex(findings),
        MatrixFormat::Csv => {
            let bytes = TableFormat::Csv.bytes(&MatrixCells(findings));
            let bytes = bytes.map_err(|error| Failure::io("cannot write the matrices", &error))?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    })
}

/// The answer with its matrices, with `advice` all that were asked for and how they came about,
/// then the points and the warnings; `asked` replications were asked for.
pub(super) fn answer(summary: &StudySummary, asked: Option<u32>, advice: Option<&str>) -> String {
    let mut text = format!("{}\n\n", in_one_line(&summary.title));
    if let Some(findings) = &summary.findings {
        let shown = match advice {
            Some(advice) => compare_table::text(findings, advice),
            None => compare_table::primary(findings),
        };
        if !shown.is_empty() {
            text += &format!("{shown}\n");
        }
    }
    text += &table::text(summary, asked);
    text += &crossover::text(&summary.crossovers);
    text + &warnings_by_code::text(&summary.warnings, summary.points.len())
}

/// Processors that may be used, for as many threads.
pub fn cores() -> usize {
    available_parallelism().map_or(1, NonZero::get)
}

/// Objections of a run at any point of the study, looked for before the first one.
pub(super) fn looked_at(
    Console { registry, renderer, .. }: Console<'_>,
    study: &Study,
    threads: usize,
    name: &str,
) -> Result<Seen, Failure> {
    let seen =
        look_at(registry, study, threads).map_err(|error| Failure::io("cannot begin a thread", &error))?;
    if seen.left_out > 0 {
        renderer.note(&format!(
            "{name}: the jobs of the first {MOST_DRAWN} different workloads were drawn; {} points have others",
            grouped(seen.left_out)
        ));
    }
    Ok(seen)
}

/// Looks at every point, and notes what reading each log had to repair: what is wrong is wrong
/// before anything runs.
pub(super) fn look_at_points(console: Console<'_>, study: &Study, threads: usize) -> Result<(), Failure> {
    let seen = looked_at(console, study, threads, &study.first().title)?;
    if !seen.wrong.is_empty() {
        return Err(Failure::Invalid(seen.wrong));
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for (number, workload) in seen.workloads.into_iter().enumerate() {
        if number > 0 && workload.files.iter().all(|file| files.contains(file)) {
            continue;
        }
        workload.warnings.iter().for_each(|warning| console.renderer.note(warning));
        print_input_notes(&workload.notes, console);
        files.extend(workload.files);
    }
    Ok(())
}

fn reported_failures(summary: &StudySummary, place: &Path) -> Vec<String> {
    let count = summary.failures.len();
    let recorded = summary.points.iter().filter(|point| point.recorded.is_some()).count()
        + summary.failures.iter().filter(|failure| failure.replication.is_none()).count();
    let replications: u64 = summary.points.iter().map(|point| point.replications + point.failed).sum();
    let runs = replications + recorded as u64;
    let mut reported: Vec<String> = Vec::new();
    for failure in summary.failures.iter().take(REPORTED) {
        let key = (failure.point, failure.replication);
        let command = reproduce(&format!("{}/", place.display()), key);
        reported.push(format!("{} failed: {}\n  repeat it: {command}", run_name(key), failure.error));
    }
    if count > REPORTED {
        reported.push(format!("and {} more failed: study.json lists all", count - REPORTED));
    }
    reported.push(format!("{count} of {} runs failed", grouped(runs)));
    reported
}

/// Makes a run of a study that goes to `place`.
pub(super) fn make_run(
    registry: &Registry,
    keeper: &RunKeeper<'_>,
    place: &Path,
    key: RunKey,
) -> Result<Row, NoRow> {
    let clock = Invocation::start();
    let base = keeper.study.first().sources().root();
    make(registry, keeper, key, &|name| clock.to_json(base, &place.join(RUNS).join(name), 1))
}

/// So many runs and their verb.
pub(super) fn counted(runs: u64) -> String {
    if runs == 1 { "1 run is".to_owned() } else { format!("{} runs are", grouped(runs)) }
}

/// One go at a study.
struct Making<'a> {
    console: Console<'a>,
    study: &'a Study,
    question: &'a Question,
    identity: &'a Identity,
    place: &'a Path,
    threads: usize,
}

impl Making<'_> {
    fn run(
        &self,
        lock: &Lock,
        made: Option<Rows>,
        force: bool,
        invocation: &Invocation,
    ) -> Result<StudySummary, Failure> {
        let lost = |error| self.lost(&error);
        // another process may have ended just before the lock was free
        let standing = standing(self.place, self.identity, force)?;
        let base = absolute(self.study.first().sources().root());
        let plan = Plan::of(self.study, self.question, self.identity, &base);
        let mut partial = PartialStudy::open(
            lock,
            &plan,
            self.identity,
            directory::files(&tables(self.console.registry)),
            force,
        )
        .map_err(|why| self.refused(why))?;
        if let Some(manifest) = partial.complete(self.identity)
            && (standing != Standing::Same || partial.answers_another_question(&manifest))
        {
            // the last session ended between its last file and the move
            let summary = partial.read("study.json").map_err(lost)?;
            let summary = serde_json::from_slice(&summary)
                .map_err(|error| Failure::Failed(format!("study.json is damaged: {error}")))?;
            let placed = partial.move_to_place(standing, &manifest).map_err(lost)?;
            if results::question(&manifest) != *self.question {
                // it answers another question than is asked now
                return self.run(lock, made, force, invocation);
            }
            self.reported(&placed)?;
            return Ok(summary);
        }
        // the runs of shards are in their place already
        let directory = if made.is_some() { self.place } else { partial.directory() }.to_owned();
        let keeper = RunKeeper {
            study: self.study,
            identity: self.identity,
            directory: &directory,
            files: directory::files(&tables(self.console.registry)),
        };
        let rows = match made {
            Some(rows) => rows,
            None => self.rows(&partial, &keeper)?,
        };
        self.say_power(&rows);
        let kept = settle(self.study, rows).expect("every run that is wanted was made");
        let runs = keeper.settle(&kept).map_err(lost)?;
        let summary = summarise(self.study, self.question, &kept);
        let study = self.study;
        let table = ResultRows { study, rows: &kept };
        let wrote = partial
            .write("scenario.toml", study.text.as_bytes())
            .and_then(|()| partial.write("scenario.resolved.toml", study.resolved().as_bytes()))
            .and_then(|()| partial.write_table(&table, TableFormat::Csv))
            .and_then(|()| partial.write_json("study.json", &summary));
        wrote.map_err(lost)?;
        if study.first().record_parquet {
            partial.write_table(&table, TableFormat::Parquet).map_err(lost)?;
        }
        if study.first().record_report {
            let page = draw_study(json!(summary.without_values())).map_err(Failure::Failed)?;
            partial.write(REPORT, &page).map_err(lost)?;
        }
        let files = StudyFiles { outputs: partial.outputs(), runs: &runs };
        let part = results::manifest(study, self.question, self.identity, &kept, files);
        let block = invocation.to_json(study.first().sources().root(), self.place, self.threads);
        let whole = document(&manifest::with_invocation(&part, block));
        let placed = partial.finish(standing, &part, &whole).map_err(lost)?;
        interrupt::clear();
        self.reported(&placed)?;
        Ok(summary)
    }

    /// All rows: those of earlier sessions, and those that are made now.
    fn rows(&self, partial: &PartialStudy, keeper: &RunKeeper<'_>) -> Result<Rows, Failure> {
        let lost = |error| self.lost(&error);
        let mut rows = journal::read(&partial.parts())
            .map_err(|error| Failure::io("cannot continue the study", &error))?;
        for lost in keeper.lost(&rows) {
            rows.remove(&lost);
        }
        if !rows.is_empty() {
            self.console
                .renderer
                .note(&format!("the study is continued: {} runs were done", grouped(rows.len() as u64)));
        }
        if missing(self.study, &rows).is_empty() {
            return Ok(rows);
        }
        let mut journal = Journal::create(&partial.parts(), 0).map_err(lost)?;
        let account = Account::start(&left(self.study, &rows), self.threads);
        let progress = StudyProgress::start(self.console.output, rows.len() as u64);
        let page = StudyPage::start(self.console, self.study, self.question, partial, rows.len() as u64);
        let kept = |runs: u64| {
            let parts = partial.parts();
            let (runs, parts) = (counted(runs), parts.display());
            interrupt::announce(
                self.console.renderer,
                format!("{runs} kept in {parts}; the same command continues the study"),
            );
        };
        kept(rows.len() as u64);
        let execution = Execution {
            study: self.study,
            make: &|key| {
                let make = || make_run(self.console.registry, keeper, self.place, key);
                let made = account.note(key, make, |made| made.as_ref().ok());
                if let Some(line) = account.first_line() {
                    progress.aside(|| self.console.renderer.note(&line));
                }
                made.map(Some)
            },
            wanted: &|_| true,
            threads: self.threads,
            watch: &|standing, rows| {
                progress.show(standing);
                kept(standing.done);
                page.show(standing, rows);
            },
            piloted: &|rows| {
                if let Some(line) = account.after_pilot(&left(self.study, rows)) {
                    progress.aside(|| self.console.renderer.note(&line));
                }
            },
        };
        let rows = execute(&execution, rows, &mut |row| journal.append(row));
        progress.end();
        let rows = rows.map_err(lost)?;
        journal.finish().map_err(lost)?;
        Ok(rows)
    }

    /// Says how many replications were made and why, where they follow from a pilot.
    fn say_power(&self, rows: &Rows) {
        let Repeat::ToPower { pilot, at_most } = self.study.repeat else { return };
        let Some(planned) = to_power::planned(self.study, rows) else { return };
        let detect = self.study.asked.detect.unwrap_or(DETECT) * 100.0;
        let target = format!("a change of {} % is found in four studies of five", plain(detect));
        let say = |text: &str| self.console.renderer.note(text);
        let made = |counts: &[u32]| match (counts.iter().min(), counts.iter().max()) {
            (Some(least), Some(most)) if least != most => format!("{least} to {most}"),
            (_, most) => most.map_or_else(String::new, ToString::to_string),
        };
        let counts = made(&planned.counts);
        match planned.most_needed {
            None => say(&format!("{counts} replications of each point: no pair of the pilot asks for more")),
            Some(needed) if needed <= u64::from(at_most) => {
                say(&format!(
                    "{counts} replications of each point: after a pilot of {pilot}, with {needed} {target}"
                ));
            }
            Some(needed) => say(&format!(
                "{counts} replications of each point, the most that repeat.at-most allows: with {} {target}",
                grouped(needed)
            )),
        }
    }

    fn reported(&self, placed: &Placed) -> Result<(), Failure> {
        print_place(self.place, placed, self.study.first().record_report, self.console.renderer)
    }

    /// The study cannot be written, or an input of it not be read any more. What is done is kept.
    fn lost(&self, error: &io::Error) -> Failure {
        let place = self.place.display();
        let message = format!("the study in {place} cannot go on: {}", reason(error));
        let help =
            "the same command continues it with the runs that are done; or choose another directory with -o";
        Failure::Place(Complaint::nowhere(code::OUTPUT, message).help(help))
    }

    fn refused(&self, why: Refused) -> Failure {
        match why {
            Refused::Io(error) => self.lost(&error),
            Refused::OtherStudy(directory) => {
                let message =
                    format!("another study was begun in {} and is not finished", directory.display());
                let help = "finish it with the scenario, inputs and version it was begun with, choose another directory with \
                            -o, or throw it away with --force";
                Failure::refused(code::OCCUPIED, message, help)
            }
        }
    }
}
