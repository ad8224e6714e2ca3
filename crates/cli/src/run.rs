//! `run`: a scenario, a log or a manifest in; a table on stdout and a directory of results out.

use std::io;
use std::path::Path;

use serde_json::Value as Json;

use crate::args::{Compare, Run};
use crate::failure::Failure;
use crate::general::Output;
use crate::invocation::Invocation;
use crate::output::terminal_width;
use crate::programs::checked;
use crate::progress::Progress;
use crate::registry::{Complaint, Registry, code, reason};
use crate::render::Renderer;
use crate::replication::Replication;
use crate::request::{as_keys, asked};
use crate::scenario::{
    AskedQuestion, InputNote, LeftFiles, Override, Ready, Repeat, Results, Run as Assembled, Scenario,
    Session, Study, tables,
};
use crate::study::{self as several, Form};
use crate::{Console, interrupt, open, print, print_json};
use clustersim_experiment::output::directory::{self, Partial, Placed, REPORT, Standing};
use clustersim_experiment::output::hash;
use clustersim_experiment::output::lock::Taken;
use clustersim_experiment::output::manifest::{self, Identity, document};
use clustersim_experiment::output::path::unfinished;
use clustersim_experiment::report::summary::summary;
use clustersim_experiment::report::{files, lane, terminal};
use clustersim_experiment::study::directory::is_begun;
use clustersim_experiment::study::question::Question;

/// Replications of a comparison unless requested.
const REPLICATIONS: u32 = 10;

pub(super) fn run(console: Console<'_>, args: &Run, compare: Option<&Compare>) -> Result<(), Failure> {
    let Console { registry, output, renderer } = console;
    let invocation = Invocation::start();
    let first = asked(registry, args, &[])?;
    let (mut place, mut identity) = (first.place, first.identity);
    let mut earlier = first.question;
    let mut several = checked(console, first.written)?;
    let mut unasked = None;
    if compare.is_some() {
        has_two_points(&several)?;
        if several.repeat == Repeat::Times(1) && args.replications.is_none() {
            // one run of each gives no verdict
            let often = [Override::flag("compare", "repeat.replications", &REPLICATIONS.to_string())];
            let again = asked(registry, args, &often)?;
            (place, identity) = (again.place, again.identity);
            several = checked(console, again.written)?;
            unasked = Some(REPLICATIONS);
        }
    }
    let one = args.point.is_some() || args.replication.is_some();
    if args.to_power && !one {
        // the question decides the runs, and is a part of the study
        let keys = as_keys(&question(&several, args, compare, earlier)?);
        let again = asked(registry, args, &keys)?;
        (place, identity) = (again.place, again.identity);
        several = checked(console, again.written)?;
        earlier = Question::default();
    }
    let one = one || !several.is_several();
    if args.explain.is_some() && (compare.is_some() || !one) {
        let (message, help) = (
            "a study has many runs: of which is the job to be explained?",
            "name one with `run`, --point and --replication",
        );
        return Err(Failure::refused(code::POINT, message, help));
    }
    if compare.is_some() || several.is_several() && args.point.is_none() && args.replication.is_none() {
        let question = question(&several, args, compare, earlier)?;
        let task = several::Task {
            study: &several,
            question,
            place,
            identity,
            compare: compare.map(|compare| compare.format.map_or(Form::Terminal, Form::Paper)),
            made: None,
            unasked,
        };
        return several::run(console, task, args, &invocation);
    }
    let identity_asked = identity;
    let scenario = one_of(several, args)?;
    let (Ready { run, inputs: files, warnings, .. }, lane) = prepared(console, &scenario, args)?;
    warnings.iter().for_each(|warning| renderer.note(&warning.message));
    if args.dry {
        return print(&scenario.resolved());
    }
    let mut inputs = Vec::new();
    for (written, path) in files {
        let sha256 =
            hash::of_file(&path).map_err(|error| Failure::io(&format!("cannot read {written}"), &error))?;
        inputs.push((written, sha256));
    }
    let resolved = hash::of_bytes(scenario.resolved().as_bytes());
    let identity = Identity { resolved, inputs, features: scenario.features() };
    is_repeated("run", identity_asked.as_ref(), &identity)?;
    let place = args.output.clone().or(place);
    let place = place.unwrap_or_else(|| directory::default_place(&scenario.title, &identity));
    interrupt::announce(renderer, "no result is kept; the same command makes the run again".to_owned());
    let (standing, mut partial) = prepare(registry, &place, &identity, args.force)?;
    let left = LeftFiles::default();
    let (identity, invocation, left) = (&identity, &invocation, &left);
    let task = Task { scenario: &scenario, identity, place: &place, invocation, left };
    let over = match simulate(&task, run, output, &mut partial) {
        Ok((over, manifest, whole)) => {
            let placed =
                partial.finish(standing, &manifest, &whole).map_err(|error| unwritable(&place, &error))?;
            interrupt::clear();
            print_place(&place, &placed, scenario.record_report, renderer)?;
            if args.open {
                open::open(&place.join(REPORT), renderer);
            }
            over
        }
        Err(failure) => {
            leave(partial, &left.take(), renderer);
            return Err(failure);
        }
    };
    if args.json {
        let mut whole = summary(&scenario, over.figures());
        if let Some(explained) = lane::asked(over.as_ref(), lane.as_deref()) {
            whole["explanation"] = explained.to_json();
        }
        print_json(&whole)?;
    } else {
        let text = terminal::text(&scenario, over.as_ref(), terminal_width());
        let explained =
            lane::asked(over.as_ref(), lane.as_deref()).map(|explained| explained.text()).unwrap_or_default();
        print(&(text + &explained))?;
    }
    let broken = over.figures().broken(&scenario);
    if broken.is_empty() { Ok(()) } else { Err(Failure::Broken(broken)) }
}

/// Refuses to compare a single point.
fn has_two_points(study: &Study) -> Result<(), Failure> {
    if study.points.len() > 1 {
        return Ok(());
    }
    let message = "there is one point, and nothing to compare it with";
    Err(Failure::refused(code::POINT, message, "vary a key: --vary policy.backfill=none,easy"))
}

/// Keeps what a failed run leaves, and nothing else of it.
fn leave(mut partial: Partial, files: &[(String, String)], renderer: &Renderer) {
    let mut write = || files.iter().try_for_each(|(name, text)| partial.write(name, text.as_bytes()));
    if files.is_empty() || write().is_err() {
        return partial.abandon();
    }
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    renderer.note(&format!("the failed run left {} in {}", names.join(", "), partial.leave().display()));
}

/// Makes sure that what is repeated, if it is, is what it was.
pub(super) fn is_repeated(what: &str, asked: Option<&Json>, identity: &Identity) -> Result<(), Failure> {
    if asked.is_none_or(|asked| *asked == identity.to_json()) {
        return Ok(());
    }
    let why = "its version, scenario or inputs are no longer what they were";
    let message = format!("the {what} cannot be repeated: {why}");
    Err(Failure::usage(Complaint::nowhere(code::MANIFEST, message)))
}

/// Reads or draws all that the run needs, and reports what reading it had to do; with the lane that
/// is to be explained.
fn prepared(
    console: Console<'_>,
    scenario: &Scenario,
    args: &Run,
) -> Result<(Ready, Option<String>), Failure> {
    let mut ready = scenario.system.assemble(console.registry, scenario)?;
    let mut lane = None;
    if let Some(asked) = &args.explain {
        lane = ready.explain(asked).map_err(Failure::usage)?;
    }
    print_input_notes(&ready.notes, console);
    Ok((ready, lane))
}

/// Question of the command line to a study; parts that it does not ask are those of the study, or
/// of the one that it repeats.
pub(super) fn question(
    study: &Study,
    args: &Run,
    compare: Option<&Compare>,
    earlier: Question,
) -> Result<Question, Failure> {
    let varied = args.vary.first().and_then(|axis| axis.split_once('=')).map(|(key, _)| key.trim());
    let axis = compare.and_then(|compare| compare.axis.as_deref()).or(varied);
    let baseline = compare.and_then(|compare| compare.baseline.as_deref());
    let metrics = compare.map_or(&[][..], |compare| &compare.metric);
    let detect = compare.and_then(|compare| compare.detect);
    let stated =
        if earlier.is_default() { Question::stated(study).map_err(Failure::usage)? } else { earlier };
    if axis.is_none() && baseline.is_none() && metrics.is_empty() {
        return Ok(Question { detect: detect.or(stated.detect), ..stated });
    }
    let asked = stated.with(study, axis, baseline, metrics).map_err(Failure::usage)?;
    let same = Question { detect: None, afterwards: false, ..stated.clone() } == asked;
    // the study was made for another question
    let afterwards = stated.afterwards || !same && study.asked != AskedQuestion::default();
    Ok(Question { detect: detect.or(stated.detect), afterwards, ..asked })
}

/// The point and replication that the flags name; the first point of a study that is none.
fn one_of(study: Study, args: &Run) -> Result<Scenario, Failure> {
    let number = match args.point {
        Some(number) => number,
        None if study.points.len() == 1 => 0,
        None => {
            let help = "give its number with --point; --dry-run lists the points";
            return Err(Failure::refused(code::POINT, "which point is to be run?", help));
        }
    };
    let count = study.points.len();
    let Some(point) = study.points.into_iter().nth(number as usize) else {
        let message = format!("the study has no point {number}");
        let help = format!("it has {count}, numbered from 0; --dry-run lists them");
        return Err(Failure::refused(code::POINT, message, help));
    };
    match args.replication {
        Some(Replication(Some(replication))) => Ok(point.scenario.with_replication(u64::from(replication))),
        Some(Replication(None)) => point.scenario.as_recorded().ok_or_else(|| {
            Failure::refused(
                code::POINT,
                "there is no log that is randomized",
                "every replication runs the workload as it is: give its number",
            )
        }),
        None => Ok(point.scenario),
    }
}

/// Makes sure that the results can be written, before anything is simulated.
fn prepare(
    registry: &Registry,
    place: &Path,
    identity: &Identity,
    force: bool,
) -> Result<(Standing, Partial), Failure> {
    standing(place, identity, force)?;
    if is_begun(place) {
        let message = format!("an unfinished study lies in {}", unfinished(place).display());
        let help = "finish it, take it away, or choose another directory with -o";
        return Err(Failure::refused(code::OCCUPIED, message, help));
    }
    let partial =
        Partial::create(place, directory::files(&tables(registry))).map_err(|why| taken(place, why))?;
    // another process may have ended in between
    Ok((standing(place, identity, force)?, partial))
}

/// State of the place, unless something there is not to be replaced.
pub(super) fn standing(place: &Path, identity: &Identity, force: bool) -> Result<Standing, Failure> {
    let standing = directory::standing(place, identity).map_err(|error| unwritable(place, &error))?;
    if standing == Standing::Other && !force {
        let message = format!("{} exists and holds something else", place.display());
        let help = "choose another directory with -o, or replace it with --force";
        return Err(Failure::refused(code::OCCUPIED, message, help));
    }
    Ok(standing)
}

/// Failure of a command whose place cannot be written now.
pub(super) fn taken(place: &Path, why: Taken) -> Failure {
    match why {
        Taken::Io(error) => unwritable(place, &error),
        Taken::Busy(place) => Failure::Again(format!(
            "another process works on {}: try again when it is over, or choose another directory with -o",
            place.display()
        )),
    }
}

pub(super) fn unwritable(place: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write {}: {}", place.display(), reason(error));
    Failure::Place(Complaint::nowhere(code::OUTPUT, message).help("choose another directory with -o"))
}

/// A run and where it goes.
struct Task<'a> {
    scenario: &'a Scenario,
    identity: &'a Identity,
    place: &'a Path,
    invocation: &'a Invocation,
    left: &'a LeftFiles,
}

/// A run that is over, and its manifest without and with its last block.
type Done = (Box<dyn Results>, Json, Vec<u8>);

/// Runs it and writes every file but the manifest; gives that with and without its last block.
fn simulate(
    task: &Task<'_>,
    run: Box<dyn Assembled>,
    output: &Output,
    partial: &mut Partial,
) -> Result<Done, Failure> {
    let scenario = task.scenario;
    let (progress, watch) = Progress::start(run.subjects(), scenario.until, output);
    let session = Session { watch, left: task.left.clone(), ..Session::of(scenario) };
    let over = session.make(scenario, run);
    progress.end();
    let over = over?;
    let part = files::write(scenario, task.identity, &*over, partial)
        .map_err(|error| unwritable(task.place, &error))?;
    let block = task.invocation.to_json(scenario.sources().root(), task.place, 1);
    let whole = document(&manifest::with_invocation(&part, block));
    Ok((over, part, whole))
}

pub(super) fn print_place(
    place: &Path,
    placed: &Placed,
    report: bool,
    renderer: &Renderer,
) -> Result<(), Failure> {
    match placed {
        Placed::New if report => {
            let pictures = place.join(REPORT);
            renderer.note(&format!("results in {}; in pictures: {}", place.display(), pictures.display()));
        }
        Placed::New => renderer.note(&format!("results in {}", place.display())),
        Placed::Identical => renderer.note(&format!("identical to the complete run in {}", place.display())),
        Placed::Different(what) => {
            let place = place.display();
            let message =
                format!("the run differs from the one in {place}, in {what}: a mistake of the simulator");
            return Err(Failure::Failed(message));
        }
    }
    Ok(())
}

/// Prints notes on inputs: one line, or one line a cause with its places in the input.
pub(super) fn print_input_notes(notes: &[InputNote], Console { output, renderer, .. }: Console<'_>) {
    for note in notes {
        match output.verbose {
            0 => renderer.note(&note.short),
            _ => note.long.iter().for_each(|line| renderer.note(line)),
        }
    }
}
