//! What converting refuses, and files that are written as a whole.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use crate::cli::args::{Convert, Foreign};
use crate::cli::failure::Failure;
use crate::output::path::refuse_link;
use crate::registry::code;
use crate::registry::{Complaint, reason};

pub(super) fn refused(message: &str, help: &str) -> Failure {
    Failure::refused(code::CONVERT, message, help)
}

/// Refuses flags that mean nothing to this input.
pub(super) fn refuse_idle_flags(args: &Convert, from: Option<Foreign>) -> Result<(), Failure> {
    let is = |of: Foreign| from == Some(of);
    let dump = is(Foreign::Sacct);
    for (flag, given, means) in [
        ("--conf", args.conf.is_some(), dump),
        ("--count", args.count.is_some(), dump),
        ("--resources", args.resources.is_some(), dump),
        ("--submitted", args.submitted.is_some(), dump),
        ("--utc-offset", args.utc_offset.is_some(), dump),
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
