//! Refusals of converting, and files that are written as a whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::convert_args::{Convert, Foreign};
use crate::failure::Failure;
use crate::registry::code;
use crate::registry::{Complaint, reason, toml_text};
use crate::text::open_stream;
use clustersim_experiment::output::path::refuse_link;

pub(super) fn refused(message: &str, help: &str) -> Failure {
    Failure::refused(code::CONVERT, message, help)
}

/// Refuses flags that mean nothing to this input.
pub(super) fn refuse_idle_flags(args: &Convert, from: Option<Foreign>) -> Result<(), Failure> {
    let is = |of: Foreign| from == Some(of);
    let dump = is(Foreign::Sacct);
    for (flag, given, means) in [
        ("--conf", args.conf.is_some(), dump),
        ("--gres", args.gres.is_some(), dump || is(Foreign::SlurmConf)),
        ("--qos", args.qos.is_some(), dump),
        ("--shares", args.shares.is_some(), dump),
        ("--count", args.count.is_some(), dump),
        ("--resources", args.resources.is_some(), dump),
        ("--submitted", args.submitted.is_some(), dump),
        ("--utc-offset", args.utc_offset.is_some(), dump),
        ("--timezone", args.timezone.is_some(), dump),
        ("--most-unread", args.most_unread.is_some(), dump),
        ("--strict", args.strict, dump),
        ("--speed", args.speed.is_some(), is(Foreign::Batsim) || is(Foreign::Measured)),
        ("--unit", !args.unit.is_empty(), is(Foreign::Measured)),
        ("--hosts-are", args.hosts_are.is_some(), is(Foreign::Measured)),
        ("--detail", args.detail.is_some(), is(Foreign::SlurmConf)),
    ] {
        if given && !means {
            let message = format!("{flag} means nothing to {}", args.input().display());
            return Err(refused(&message, "take it out, or state by --from what the input is"));
        }
    }
    Ok(())
}

/// Writes a file as a whole or not at all.
pub(super) fn write(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    let partial = PathBuf::from(name);
    let written = (|| {
        refuse_link(&partial)?;
        let mut out = BufWriter::new(File::create(&partial)?);
        fill(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&partial, path)
    })();
    written.map_err(|error: io::Error| {
        // what cannot be written can perhaps not be taken away either
        if refuse_link(&partial).is_ok() {
            let _ = fs::remove_file(&partial);
        }
        let why = match error.kind() {
            io::ErrorKind::NotFound => "its folder is not there".to_owned(),
            _ => reason(&error),
        };
        let message = format!("cannot write {}: {why}", path.display());
        Failure::Place(Complaint::nowhere(code::OUTPUT, message))
    })
}

pub(super) fn open(path: &Path) -> Result<File, Failure> {
    let reported = |why: &str| {
        Failure::usage(Complaint::nowhere(code::FILE, format!("cannot read {}: {why}", path.display())))
    };
    open_stream(path).map_err(|error| reported(&reason(&error)))
}

/// A path as the scenario in `output` must write it.
pub(super) fn path_as_written(output: &Path, path: &Path) -> String {
    let folder = |path: &Path| {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::canonicalize(parent).ok()
    };
    let name = match (folder(output), folder(path), path.file_name()) {
        (Some(out), Some(own), Some(name)) if out == own => PathBuf::from(name),
        (_, Some(own), Some(name)) => own.join(name),
        _ => path.to_owned(),
    };
    toml_text(&name.to_string_lossy())
}

/// Writes a platform, and its traces into a folder next to it.
pub(super) fn write_tables(
    args: &Convert,
    folder: &str,
    text: &str,
    files: &[(String, String)],
) -> Result<(), Failure> {
    let traces = args.output.parent().unwrap_or(Path::new("")).join(folder);
    if !files.is_empty() {
        Failure::if_there(&traces, args.force)?;
        fs::create_dir_all(&traces).map_err(|error| {
            let message = format!("cannot write {}: {}", traces.display(), reason(&error));
            Failure::Place(Complaint::nowhere(code::OUTPUT, message))
        })?;
    }
    for (name, text) in files {
        write(&traces.join(name), |out| out.write_all(text.as_bytes()))?;
    }
    let from: Vec<String> = args.inputs.iter().map(|input| input.display().to_string()).collect();
    let from = from.join(", ").replace(|letter: char| letter.is_control(), " ");
    let head = format!("# The platform of {from}, to be taken into a scenario by `include = [\"…\"]`.\n\n");
    write(&args.output, |out| out.write_all(format!("{head}{text}").as_bytes()))
}

/// A text in one line, as comments have it.
pub(super) fn printable(text: &str) -> String {
    text.replace(|letter: char| letter.is_control(), " ")
}
