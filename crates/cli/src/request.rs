//! Requests of the command line: a scenario, a log alone, or the run of a manifest once more.

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::args::Run;
use crate::failure::Failure;
use crate::registry::{Complaint, Registry, code, toml_text};
use crate::scenario::recognition::{JSON, MANIFEST, SCENARIO, recognize};
use crate::scenario::{BareFile, Override, Written, from_text, load, systems};
use crate::text::mark::FileMark;
use crate::text::{LONGEST_TEXT, read_file};
use crate::units::Moment;
use clustersim_experiment::output::{directory, manifest};
use clustersim_experiment::study::question::Question;
use clustersim_experiment::study::results;

/// A request of the command line for a run.
pub(super) struct Asked {
    pub(super) written: Written,
    /// Directory of the results, if the input states one.
    pub(super) place: Option<PathBuf>,
    /// Identity that the run must have, if it repeats one.
    pub(super) identity: Option<Json>,
    /// Question to the study that it repeats.
    pub(super) question: Question,
}

pub(super) fn asked(registry: &Registry, args: &Run, more: &[Override]) -> Result<Asked, Failure> {
    let overrides: Vec<Override> = overrides(args).into_iter().chain(more.iter().cloned()).collect();
    asked_with(registry, &args.file, &overrides)
}

/// The same of a file, with these overrides.
pub(super) fn asked_with(registry: &Registry, file: &Path, overrides: &[Override]) -> Result<Asked, Failure> {
    let plain = |written| Asked { written, place: None, identity: None, question: Question::default() };
    match input(registry, file)? {
        Input::Manifest => replay(file, overrides),
        Input::Scenario => {
            // a scenario that was copied to its results reads its inputs where the run read them
            let base = file.parent().and_then(directory::read_manifest).and_then(|manifest| base(&manifest));
            Ok(plain(load(file, base.as_deref(), overrides)))
        }
        Input::Bare(bare) => of_file(bare, file, overrides).map(plain),
    }
}

/// Kinds of input of `run`.
enum Input {
    Manifest,
    Scenario,
    /// A file that a system runs by itself.
    Bare(BareFile),
}

/// Kind of a file by its content; by its name, if that does not show it.
fn input(registry: &Registry, file: &Path) -> Result<Input, Failure> {
    if file.is_dir() {
        let message = format!("cannot run {}: it is a directory", file.display());
        let complaint = Complaint::nowhere(code::FILE, message);
        let manifest = file.join(directory::MANIFEST);
        return Err(Failure::usage(if manifest.exists() {
            complaint.help(format!("`clustersim run {}` repeats the run in it", manifest.display()))
        } else {
            complaint.help("name a scenario, a log or a manifest in it")
        }));
    }
    let has = |ending: &str| file.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
    let mut bare = systems(registry).iter().filter_map(|system| system.data().bare_file);
    match recognize(registry, file) {
        Some(mark) if *mark == MANIFEST => Ok(Input::Manifest),
        Some(mark) if *mark == SCENARIO => Ok(Input::Scenario),
        // it may have been a manifest, and reading it as one says what is wrong
        mark if has("json") && mark.is_none_or(|mark| *mark == JSON) => Ok(Input::Manifest),
        Some(other) => {
            let bare = bare.find(|bare| bare.mark == other).map(Input::Bare);
            bare.ok_or_else(|| not_for("run", file, other))
        }
        None if has("toml") => Ok(Input::Scenario),
        None => bare.next().map(Input::Bare).ok_or_else(|| {
            let message = format!("no system runs {} by itself", file.display());
            Failure::usage(Complaint::nowhere(code::FILE, message))
        }),
    }
}

/// Failure of a command that does not read such a file; its help names what does.
pub(super) fn not_for(command: &str, file: &Path, what: &FileMark) -> Failure {
    let message = format!("cannot {command} {}: it is {}", file.display(), what.about);
    let help = what.reader_of(&file.display().to_string());
    Failure::usage(Complaint::nowhere(code::FILE, message).help(help))
}

/// A path as a scenario can name it.
pub(super) fn utf8(file: &Path) -> Result<&str, Failure> {
    file.to_str().ok_or_else(|| {
        let message = format!("cannot read {}: its name is not UTF-8, and a scenario is", file.display());
        Failure::refused(code::FILE, message, "rename it, or make a link to it: ln -s OLD NEW")
    })
}

/// The scenario of a file that is run by itself.
fn of_file(bare: BareFile, file: &Path, overrides: &[Override]) -> Result<Written, Failure> {
    let path = utf8(file)?;
    let title = file.file_name().map_or_else(|| path.into(), |name| name.to_string_lossy());
    let text = format!("title = {}\n\n{}", toml_text(&title), bare.text);
    let key = bare.key.rsplit('.').next().unwrap_or(bare.key);
    let whole = format!("{text}{key} = {}\n", toml_text(path));
    let named = Override::text("run", bare.key, path);
    let overrides: Vec<Override> = [named].into_iter().chain(overrides.iter().cloned()).collect();
    let mut written = from_text("command line", text, Path::new(""), &overrides);
    written.text = whole;
    Ok(written)
}

/// A date in quotes, as TOML has dates of its own.
fn as_text(value: &str) -> String {
    let dated = matches!(Moment::parse(value), Ok(Moment::Date(..)));
    if dated { format!("\"{value}\"") } else { value.to_owned() }
}

/// The flags that are short for keys, and `--set`, in the order in which they win.
pub(super) fn overrides(args: &Run) -> Vec<Override> {
    let number =
        |flag: &str, key: &str, value: Option<String>| value.map(|value| Override::flag(flag, key, &value));
    let flags = [
        number("--procs", "cluster.procs", args.procs.map(|procs| procs.to_string()))
            .map(|procs| procs.replacing("cluster.nodes")),
        number("--nodes", "cluster.nodes", args.nodes.map(|nodes| nodes.to_string()))
            .map(|nodes| nodes.replacing("cluster.procs")),
        number("--replications", "repeat.replications", args.replications.map(|count| count.to_string()))
            .map(|count| if args.to_power { count } else { count.replacing("repeat.until") }),
        number("--to-power", "repeat.to-power", args.to_power.then(|| "true".to_owned())),
        number("--from", "workload.from", args.from.as_deref().map(as_text)),
        number("--to", "workload.to", args.to.as_deref().map(as_text)),
        number("--trace", "record.trace", args.trace.then(|| "true".to_owned())),
        number("--checkable", "record.all", args.checkable.then(|| "true".to_owned())),
        number("--parquet", "record.parquet", args.parquet.then(|| "true".to_owned())),
    ];
    let axes = args.vary.iter().map(|axis| Override::vary(axis));
    args.keys.flags().chain(flags.into_iter().flatten()).chain(args.keys.sets()).chain(axes).collect()
}

/// A question as keys of the scenario, for a study whose runs it decides.
pub(super) fn as_keys(question: &Question) -> Vec<Override> {
    let text = |key: &str, value: &Option<String>| {
        value.as_ref().map(|value| Override::text("--to-power", &format!("question.{key}"), value))
    };
    let names: Vec<String> = question.metrics.iter().map(|name| toml_text(name)).collect();
    let names = format!("[{}]", names.join(", "));
    let metrics = Override::flag("--to-power", "question.metrics", &names);
    let detect =
        question.detect.map(|share| Override::flag("--to-power", "question.detect", &share.to_string()));
    let texts = [text("axis", &question.axis), text("baseline", &question.baseline), detect];
    texts.into_iter().flatten().chain((!question.metrics.is_empty()).then_some(metrics)).collect()
}

/// The directory that the scenario of a finished run takes its paths from.
fn base(manifest: &Json) -> Option<PathBuf> {
    (manifest["schema"] == manifest::SCHEMA || manifest["schema"] == results::SCHEMA)
        .then(|| manifest["invocation"]["directory"].as_str().map(PathBuf::from))?
}

/// The run of a manifest once more.
fn replay(path: &Path, overrides: &[Override]) -> Result<Asked, Failure> {
    let refuse = |code, message: String| Failure::usage(Complaint::nowhere(code, message));
    let text = read_file(path, LONGEST_TEXT)
        .map_err(|why| refuse(code::FILE, format!("cannot read {}: {why}", path.display())))?;
    let manifest: Json = serde_json::from_str(&text)
        .map_err(|error| refuse(code::MANIFEST, format!("{} is no manifest: {error}", path.display())))?;
    let Some(base) = base(&manifest) else {
        let message = format!("{} is no manifest of a run (schema {})", path.display(), manifest::SCHEMA);
        return Err(refuse(code::MANIFEST, message));
    };
    let place = path.parent().unwrap_or(Path::new("")).to_owned();
    let written = load(&place.join("scenario.resolved.toml"), Some(&base), overrides);
    let question = results::question(&manifest);
    if !overrides.is_empty() {
        return Ok(Asked { written, place: None, identity: None, question });
    }
    Ok(Asked { written, place: Some(place), identity: Some(manifest["identity"].clone()), question })
}
