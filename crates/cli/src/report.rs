//! `report`: the pictures of a finished run or study once more, from its files.

use std::io;
use std::path::Path;

use serde_json::Value as Json;

use crate::args::Report;
use crate::failure::Failure;
use crate::finished::{finished_run, is_run, manifest_of};
use crate::open as browser;
use crate::registry::{Complaint, Registry, code, reason};
use crate::render::Renderer;
use crate::text::open_anywhere;
use clustersim_experiment::output::directory::REPORT;
use clustersim_experiment::output::hash;
use clustersim_experiment::output::path::put_whole;
use clustersim_experiment::report::html::{draw_again, draw_study};

pub(super) fn report(registry: &Registry, args: &Report, renderer: &Renderer) -> Result<(), Failure> {
    let directory = &args.directory;
    let manifest = manifest_of(directory)?;
    let page = drawn(registry, directory, &manifest, &|message| renderer.note(message))?;
    let place = directory.join(REPORT);
    put_whole(&place, &page)
        .map_err(|error| Failure::io(&format!("cannot write {}", place.display()), &error))?;
    let recorded = &manifest["outputs"][REPORT];
    let same = recorded.as_str().is_some_and(|sha256| sha256 == hash::of_bytes(&page));
    let how = if same { ", as it was" } else { "" };
    renderer.note(&format!("drawn again{how}: {}", place.display()));
    if !same && recorded.is_string() {
        renderer
            .note("it differs from the one that was written with the results, which manifest.json records");
    }
    if args.open {
        browser::open(&place, renderer);
    }
    Ok(())
}

/// The page of a finished run or study.
pub(super) fn drawn(
    registry: &Registry,
    directory: &Path,
    manifest: &Json,
    note: &dyn Fn(&str),
) -> Result<Vec<u8>, Failure> {
    if is_run(manifest) {
        finished_run(registry, directory, note, "", |run| Ok(draw_again(run)?))
    } else {
        redraw_study(directory)
    }
}

fn refused(directory: &Path, name: &str, message: &str) -> Failure {
    let message = format!("{} cannot be drawn: {message}", directory.join(name).display());
    Failure::usage(Complaint::nowhere(code::MANIFEST, message))
}

/// The page of a study, from `study.json`.
fn redraw_study(directory: &Path) -> Result<Vec<u8>, Failure> {
    let name = "study.json";
    let path = directory.join(name);
    let text = open_anywhere(&path).and_then(io::read_to_string).map_err(|error| {
        let message = format!("cannot read {}: {}", path.display(), reason(&error));
        Failure::refused(code::FILE, message, "name the directory of a finished run or study")
    })?;
    let summary: Json =
        serde_json::from_str(&text).map_err(|error| refused(directory, name, &error.to_string()))?;
    draw_study(summary).map_err(|message| refused(directory, name, &message))
}
