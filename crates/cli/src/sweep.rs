//! `sweep`: a study in shards, made here, by Slurm, or by whatever calls `sweep shard`.
//!
//! ```text
//!   plan ──▶ DIR/plan.json, shards.json ──shard 0..N──▶ DIR/parts/ ──collect──▶ files of a study
//! ```
//!
//! `collect` hands the rows of all shards to the same code that ends a study on one machine, so its
//! files have the same bytes. What it needs is removed last: a collector that was interrupted is
//! called again.

use std::ffi::OsStr;
use std::path::Path;
use std::{fs, io};

use clap::{Args as _, FromArgMatches as _};
use serde_json::json;

use crate::args::Run;
use crate::collections::OrderedMap;
use crate::failure::Failure;
use crate::invocation::{Invocation, absolute};
use crate::programs::{checked, permitted};
use crate::registry::{Registry, code, reason};
use crate::render::Renderer;
use crate::request::overrides;
use crate::run::{question, taken, unwritable};
use crate::scenario::{Repeat, Study, from_text, load, study, tables};
use crate::study as several;
use crate::study::{cores, look_at_points, make_run};
use crate::sweep_args::{Engine, Sweep, SweepAction, SweepPlan};
use crate::{Console, interrupt, print, print_json};
use clustersim_experiment::output::directory::{files, read_manifest};
use clustersim_experiment::output::lock::Lock;
use clustersim_experiment::output::manifest::{Identity, document};
use clustersim_experiment::output::path::remove;
use clustersim_experiment::study::directory::{PARTS, replace};
use clustersim_experiment::study::execute::{Execution, execute, missing as missing_runs};
use clustersim_experiment::study::journal::{self, Journal};
use clustersim_experiment::study::kept::RunKeeper;
use clustersim_experiment::study::plan::{self, PLAN, Plan};
use clustersim_experiment::study::question::Question;
use clustersim_experiment::study::shards::{Seal, Shards, lay, missing, tidy};
use clustersim_experiment::study::slurm::{self, Jobs, Seen, Submission};

pub(super) fn sweep(console: Console<'_>, sweep: &Sweep) -> Result<(), Failure> {
    let Console { registry, renderer, .. } = console;
    match &sweep.action {
        Some(SweepAction::Plan(plan)) => make_plan(console, plan),
        Some(SweepAction::Shard { directory, index, threads }) => {
            let sharded = Sharded::open(registry, directory)?;
            permitted(console, &sharded.study)?;
            make_shard(&sharded, *index, usize::from(*threads), renderer)
        }
        Some(SweepAction::Status { directory, json }) => status(directory, *json, renderer),
        Some(SweepAction::Resume { directory }) => resume(directory, renderer),
        Some(SweepAction::Collect { directory }) => collect(console, directory),
        None => {
            let plan = sweep.plan.as_ref().expect("clap asks for a scenario where there is no action");
            if sweep.engine == Engine::Local {
                return crate::run::run(console, &as_run(plan), None);
            }
            make_plan(console, plan)?;
            begin_array(&plan.output, sweep, renderer)
        }
    }
}

/// The arguments of `run` for this input and place.
fn run_args(file: &Path, place: &Path, more: &[String]) -> Run {
    let words: [&OsStr; 4] = ["run".as_ref(), file.as_os_str(), "-o".as_ref(), place.as_os_str()];
    let words = words.into_iter().chain(more.iter().map(AsRef::as_ref));
    let matches = Run::augment_args(clap::Command::new("run")).get_matches_from(words);
    Run::from_arg_matches(&matches).expect("its own arguments are arguments of `run`")
}

/// Arguments of `run` that make the study on this machine.
fn as_run(plan: &SweepPlan) -> Run {
    let flags = |name: &str, values: &[String]| -> Vec<String> {
        values.iter().map(|value| format!("--{name}={value}")).collect()
    };
    let replications: Vec<String> = plan.replications.iter().map(u32::to_string).collect();
    let more =
        [flags("set", &plan.set), flags("vary", &plan.vary), flags("replications", &replications)].concat();
    run_args(&plan.file, &plan.output, &more)
}

fn make_plan(console: Console<'_>, asked: &SweepPlan) -> Result<(), Failure> {
    let Console { registry, renderer, .. } = console;
    let place = &asked.output;
    let study = checked(console, load(&asked.file, None, &overrides(&as_run(asked))))?;
    let each = match &study.repeat {
        Repeat::Times(count) => Some(*count + u32::from(study.is_randomized())),
        Repeat::Until { .. } => None,
        Repeat::ToPower { .. } => {
            let message =
                "a study in shards cannot draw `to-power`: each shard would have to know the pilot of all";
            let help = "take it out, and write the number of replications that `run` says after the pilot";
            return Err(Failure::refused(code::CONTRADICTION, message, help));
        }
    };
    let identity =
        plan::identity(registry, &study).map_err(|error| Failure::io("cannot read an input", &error))?;
    look_at_points(console, &study, cores())?;
    let question = question(&study, &as_run(asked), None, Question::default())?;
    let plan = Plan::of(&study, &question, &identity, &absolute(study.first().sources().root()));
    let _lock = Lock::take(place).map_err(|why| taken(place, why))?;
    if let Some(begun) = Plan::read(place).filter(|begun| begun.is_of(&identity)) {
        if begun.question != question {
            replace(place, PLAN, &plan.document()).map_err(|error| unwritable(place, &error))?;
        }
        renderer.note(&format!("{} holds this study already: it is continued", place.display()));
        return Ok(());
    }
    let taken = fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_some()) || place.is_file();
    if taken {
        let message = format!("{} exists and holds something else", place.display());
        return Err(Failure::refused(code::OCCUPIED, message, "choose another directory with -o"));
    }
    let shards = Shards::new(study.points.len() as u32, each, asked.shards);
    lay(place, &plan, &shards).map_err(|error| unwritable(place, &error))?;
    renderer.note(&format!("{} shards planned in {}", shards.count, place.display()));
    Ok(())
}

/// A study in shards that was planned earlier.
struct Sharded<'a> {
    registry: &'a Registry,
    directory: &'a Path,
    study: Study,
    identity: Identity,
    plan: Plan,
    shards: Shards,
}

impl<'a> Sharded<'a> {
    /// Reads it and makes sure that it is still what was planned.
    fn open(registry: &'a Registry, directory: &'a Path) -> Result<Self, Failure> {
        let (Some(plan), Some(shards)) = (Plan::read(directory), Shards::read(directory)) else {
            return Err(unplanned(directory));
        };
        let base = Path::new(&plan.directory);
        let mut study = study(registry, from_text("plan.json", plan.resolved.clone(), base, &[]))?;
        study.text.clone_from(&plan.written);
        study.points.iter_mut().for_each(|point| point.scenario.text.clone_from(&plan.written));
        let identity =
            plan::identity(registry, &study).map_err(|error| Failure::io("cannot read an input", &error))?;
        if !plan.is_of(&identity) {
            let message = "the study is not what was planned: another version of the simulator, or an input that changed";
            return Err(Failure::refused(code::MANIFEST, message, "plan it again in another directory"));
        }
        Ok(Sharded { registry, directory, study, identity, plan, shards })
    }

    /// Keeps runs in the directory of the study.
    fn keeper(&self) -> RunKeeper<'_> {
        let Sharded { registry, directory, study, identity, .. } = self;
        RunKeeper { study, identity, directory, files: files(&tables(registry)) }
    }
}

fn unplanned(directory: &Path) -> Failure {
    let message = format!("{} holds no study that is divided into shards", directory.display());
    Failure::refused(code::MANIFEST, message, "`clustersim sweep plan SCENARIO -o DIR` makes one")
}

fn make_shard(sharded: &Sharded<'_>, shard: u32, threads: usize, renderer: &Renderer) -> Result<(), Failure> {
    let clock = Invocation::start();
    let (shards, parts) = (&sharded.shards, sharded.directory.join(PARTS));
    if shard >= shards.count {
        let message = format!("there is no shard {shard}");
        let help = format!("there are {}, numbered from 0", shards.count);
        return Err(Failure::refused(code::RANGE, message, help));
    }
    if Seal::read(&parts, shard).is_some() {
        renderer.note(&format!("shard {shard} is done"));
        return Ok(());
    }
    let again = |error: io::Error| Failure::Again(format!("shard {shard} cannot go on: {}", reason(&error)));
    let keeper = sharded.keeper();
    let mut rows = journal::read(&parts).map_err(|error| match error.kind() {
        // a mistake of the simulator, which another try does not mend
        io::ErrorKind::InvalidData => Failure::io("cannot continue the shard", &error),
        _ => again(error),
    })?;
    for lost in keeper.lost(&rows).into_iter().filter(|key| shards.shard_of(*key) == shard) {
        rows.remove(&lost);
    }
    let before = rows.len();
    let mut journal = Journal::create(&parts, shard).map_err(again)?;
    let kept = |runs: u64| {
        let (runs, parts) = (several::counted(runs), parts.display());
        interrupt::announce(
            renderer,
            format!("{runs} kept in {parts}; the same command continues shard {shard}"),
        );
    };
    kept(before as u64);
    let execution = Execution {
        study: &sharded.study,
        make: &|key| make_run(sharded.registry, &keeper, sharded.directory, key).map(Some),
        wanted: &|key| shards.shard_of(key) == shard,
        threads,
        watch: &|standing, _| kept(standing.done),
        piloted: &|_| {},
    };
    let rows = execute(&execution, rows, &mut |row| journal.append(row)).map_err(again)?;
    journal.finish().and_then(|_| journal::force(&parts, shard)).map_err(again)?;
    let block = clock.to_json(sharded.study.first().sources().root(), sharded.directory, threads);
    let restart = std::env::var("SLURM_RESTART_COUNT").ok().and_then(|count| count.parse().ok());
    let seal = Seal {
        host: block["host"].as_str().unwrap_or_default().to_owned(),
        restart: restart.unwrap_or(0),
        wall_s: block["wall-s"].as_f64().unwrap_or(0.0),
        ..Seal::of(shards, shard, &rows)
    };
    seal.write(&parts).map_err(again)?;
    interrupt::clear();
    renderer.note(&format!("shard {shard}: {} runs, {} made now", seal.rows, rows.len() - before));
    Ok(())
}

/// Progress of a study in shards: parts are believed first, Slurm second.
#[derive(Default)]
struct Status {
    shards: u32,
    done: u32,
    failed_runs: u64,
    running: Vec<u32>,
    waiting: Vec<u32>,
    /// Neither done nor with Slurm, and what Slurm says of it.
    missing: Vec<(u32, String)>,
    /// Reason that Slurm could not be asked.
    silent: Option<String>,
}

impl Status {
    fn of(directory: &Path) -> Result<Self, Failure> {
        let shards = Shards::read(directory).ok_or_else(|| unplanned(directory))?;
        let parts = directory.join(PARTS);
        let open = missing(&shards, &parts);
        let seals = (0..shards.count).filter_map(|shard| Seal::read(&parts, shard));
        let mut status = Status {
            shards: shards.count,
            done: shards.count - open.len() as u32,
            failed_runs: seals.map(|seal| seal.failed).sum(),
            ..Status::default()
        };
        let jobs = Jobs::read(&directory.join(slurm::FOLDER));
        let seen = match jobs.filter(|_| !open.is_empty()).map(|jobs| slurm::queue(directory, &jobs)) {
            Some(Ok(seen)) => seen,
            Some(Err(error)) => {
                status.silent = Some(error.to_string());
                OrderedMap::default()
            }
            None => OrderedMap::default(),
        };
        for shard in open {
            match seen.get(&shard) {
                Some(Seen::Running) => status.running.push(shard),
                Some(Seen::Waiting) => status.waiting.push(shard),
                Some(Seen::Over(how)) => status.missing.push((shard, how.clone())),
                None => status.missing.push((shard, "not begun".to_owned())),
            }
        }
        Ok(status)
    }

    fn text(&self) -> String {
        let mut text = format!(" shards   {}\n done     {}\n", self.shards, self.done);
        for (name, shards) in [("running", &self.running), ("waiting", &self.waiting)] {
            if !shards.is_empty() {
                text += &format!(" {name}  {}  ({})\n", shards.len(), slurm::ranges(shards));
            }
        }
        if !self.missing.is_empty() {
            text += &format!(" missing  {}\n", self.missing.len());
        }
        for (shard, how) in &self.missing {
            text += &format!("   {shard:>5}  {how}\n");
        }
        if self.failed_runs > 0 {
            text += &format!(" failed runs  {}\n", self.failed_runs);
        }
        text
    }
}

fn status(directory: &Path, as_json: bool, renderer: &Renderer) -> Result<(), Failure> {
    if is_collected(directory) {
        let text = json!({ "schema": "clustersim/sweep-status/1", "complete": true });
        return print(&if as_json { format!("{text}\n") } else { " complete\n".to_owned() });
    }
    let status = Status::of(directory)?;
    if let Some(why) = &status.silent {
        renderer.note(why);
    }
    if !as_json {
        return print(&status.text());
    }
    let missing: Vec<_> =
        status.missing.iter().map(|(shard, how)| json!({ "shard": shard, "state": how })).collect();
    let whole = json!({
        "schema": "clustersim/sweep-status/1",
        "complete": false,
        "shards": status.shards,
        "done": status.done,
        "running": status.running,
        "waiting": status.waiting,
        "missing": missing,
        "failed-runs": status.failed_runs,
    });
    print_json(&whole)
}

/// Writes the script and submits every shard that is missing.
fn begin_array(directory: &Path, sweep: &Sweep, renderer: &Renderer) -> Result<(), Failure> {
    let lost = |error: io::Error| unwritable(directory, &error);
    let folder = directory.join(slurm::FOLDER);
    if Jobs::read(&folder).is_some() {
        return resume(directory, renderer);
    }
    let program = std::env::current_exe().map_err(|error| Failure::io("cannot find this program", &error))?;
    fs::create_dir_all(&folder).map_err(lost)?;
    fs::create_dir_all(directory.join(slurm::LOGS)).map_err(lost)?;
    let script = slurm::script(&program.to_string_lossy(), sweep.retries);
    fs::write(folder.join(slurm::SCRIPT), script).map_err(lost)?;
    hand_over(directory, Jobs::new(sweep.throttle, sweep.options.clone()), renderer)
}

fn resume(directory: &Path, renderer: &Renderer) -> Result<(), Failure> {
    let Some(jobs) = Jobs::read(&directory.join(slurm::FOLDER)) else {
        let message = format!("{} was not submitted to Slurm", directory.display());
        let help = "`clustersim sweep SCENARIO -o DIR --engine slurm` does so";
        return Err(Failure::refused(code::MANIFEST, message, help));
    };
    hand_over(directory, jobs, renderer)
}

/// Submits what is missing and notes its number.
fn hand_over(directory: &Path, mut jobs: Jobs, renderer: &Renderer) -> Result<(), Failure> {
    let status = Status::of(directory)?;
    if let Some(why) = status.silent {
        return Err(Failure::Failed(why));
    }
    let open: Vec<u32> = status.missing.iter().map(|(shard, _)| *shard).collect();
    if open.is_empty() {
        renderer.note("nothing is missing that Slurm does not run already");
        return Ok(());
    }
    let place = absolute(directory);
    let name =
        place.file_name().map_or_else(|| "clustersim".to_owned(), |name| name.to_string_lossy().into_owned());
    let submission = Submission { directory: &place, name: &name, shards: &open };
    let array = slurm::submit(&submission, &jobs).map_err(|error| Failure::Failed(error.to_string()))?;
    let collector =
        array.collector.as_ref().map_or_else(String::new, |id| format!(", collected by job {id}"));
    renderer.note(&format!("{} shards submitted as array {}{collector}", open.len(), array.id));
    jobs.arrays.push(array);
    let file = directory.join(slurm::FOLDER).join(slurm::JOBS);
    fs::write(file, document(&json!(jobs))).map_err(|error| unwritable(directory, &error))
}

fn collect(console: Console<'_>, directory: &Path) -> Result<(), Failure> {
    let Console { registry, renderer, .. } = console;
    // tidied up behind its manifest, `.` still needs a name
    let directory = &absolute(directory).components().collect::<std::path::PathBuf>();
    if !is_collected(directory) && Shards::read(directory).is_none() {
        return Err(unplanned(directory));
    }
    let lock = Lock::take(directory).map_err(|why| taken(directory, why))?;
    if is_collected(directory) {
        renderer.note(&format!("{} is complete", directory.display()));
        return tidy(directory).map_err(|error| unwritable(directory, &error));
    }
    let sharded = Sharded::open(registry, directory)?;
    let parts = directory.join(PARTS);
    let rows = journal::read(&parts).map_err(|error| Failure::io("cannot collect", &error))?;
    let lost = |error: io::Error| unwritable(directory, &error);
    for key in missing_runs(&sharded.study, &rows).into_iter().chain(sharded.keeper().lost(&rows)) {
        // a journal or a kept run was lost behind the seal: the shard is made again
        remove(&Seal::path(&parts, sharded.shards.shard_of(key))).map_err(lost)?;
    }
    let (open, count) = (missing(&sharded.shards, &parts), sharded.shards.count);
    if !open.is_empty() {
        let outcome = format!("{} of {count} shards are missing: {}", open.len(), slurm::ranges(&open));
        return Err(Failure::Incomplete(vec![outcome]));
    }
    let args = run_args(Path::new("plan.json"), directory, &["--force".to_owned()]);
    let task = several::Task {
        study: &sharded.study,
        question: sharded.plan.question.clone(),
        place: None,
        identity: Some(sharded.plan.identity.clone()),
        compare: None,
        made: Some((rows, &lock)),
        unasked: None,
    };
    let outcome = several::run(console, task, &args, &Invocation::start());
    if read_manifest(directory).is_some_and(|manifest| manifest["identity"] == sharded.plan.identity) {
        tidy(directory).map_err(lost)?;
    }
    outcome
}

/// Returns true if an earlier collector came to its end, or near it: the plan is the first that it
/// takes away.
fn is_collected(directory: &Path) -> bool {
    read_manifest(directory).is_some() && Plan::read(directory).is_none()
}
