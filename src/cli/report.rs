//! `report`: the pictures of a finished run or study once more, from its files.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value as Json;

use crate::cli::args::Report;
use crate::cli::failure::Failure;
use crate::cli::finished;
use crate::cli::open;
use crate::cli::render::Renderer;
use crate::registry::code;
use crate::registry::{Complaint, Registry};
use crate::report::directory::{REPORT, read_manifest};
use crate::report::html::{About, Rows, draw_run, draw_study};
use crate::report::{hash, manifest};
use crate::scenario::{check_again, load};

pub(super) fn report(registry: &Registry, args: &Report, renderer: &Renderer) -> Result<(), Failure> {
    let directory = &args.directory;
    let manifest = read_manifest(directory).ok_or_else(|| finished::none(directory))?;
    let page = if manifest["schema"] == manifest::SCHEMA {
        redraw_run(registry, directory, &manifest, renderer)?
    } else {
        let name = "study.json";
        let summary = json(directory, name)?;
        draw_study(&summary).map_err(|message| refused(directory, name, &message))?
    };
    let place = directory.join(REPORT);
    put(&place, &page).map_err(|error| Failure::io(&format!("cannot write {}", place.display()), &error))?;
    let told = &manifest["outputs"][REPORT];
    let same = told.as_str().is_some_and(|sha256| sha256 == hash::of_bytes(&page));
    let how = if same { ", as it was" } else { "" };
    renderer.note(&format!("drawn again{how}: {}", place.display()));
    if !same && told.is_string() {
        renderer
            .note("it differs from the one that was written with the results, which manifest.json tells of");
    }
    if args.open {
        open::open(&place, renderer);
    }
    Ok(())
}

/// The page of a run, from `summary.json`, `jobs.csv` and the resolved scenario.
fn redraw_run(
    registry: &Registry,
    directory: &Path,
    manifest: &Json,
    renderer: &Renderer,
) -> Result<Vec<u8>, Failure> {
    let summary = json(directory, "summary.json")?;
    let base = manifest["invocation"]["directory"].as_str().map(Path::new);
    let scenario = check_again(registry, load(&directory.join("scenario.resolved.toml"), base, &[]))?;
    let Some(cluster) = scenario.cluster() else {
        let message =
            format!("{} holds a run of agents, whose pictures its files do not hold", directory.display());
        let complaint = Complaint::nowhere(code::MANIFEST, message);
        return Err(Failure::usage(
            complaint.help("run it again: the same scenario draws the same pictures"),
        ));
    };
    let csv = finished::text(directory, "jobs.csv")?;
    // the workload may have moved or changed since: then the page is drawn from what is in the directory
    let whole = finished::jobs(registry, &scenario, manifest)
        .and_then(|workload| finished::submitted(workload.work, manifest, &csv))
        .and_then(|work| Rows::of_csv(&csv, cluster.warm_up, Some(&work.jobs)));
    let rows = match whole {
        Ok(rows) => rows,
        Err(why) => {
            let rows = Rows::of_csv(&csv, cluster.warm_up, None)
                .map_err(|message| refused(directory, "jobs.csv", &message))?;
            renderer.note(&format!("the users of the jobs are left out: {why}"));
            rows
        }
    };
    let about = About {
        summary: &summary,
        workload: manifest["workload"]["name"].as_str().unwrap_or_default(),
        procs: manifest["processors"]
            .as_u64()
            .and_then(|procs| u32::try_from(procs).ok())
            .unwrap_or(1)
            .max(1),
        resolved: &scenario.resolved(),
    };
    Ok(draw_run(&about, &rows))
}

fn json(directory: &Path, name: &str) -> Result<Json, Failure> {
    let text = finished::text(directory, name)?;
    serde_json::from_str(&text).map_err(|error| refused(directory, name, &error.to_string()))
}

fn refused(directory: &Path, name: &str, message: &str) -> Failure {
    let message = format!("{} cannot be drawn: {message}", directory.join(name).display());
    Failure::usage(Complaint::nowhere(code::MANIFEST, message))
}

/// Puts a file into its place whole or not at all.
fn put(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = place.with_extension("html.partial");
    fs::write(&beside, bytes)?;
    fs::rename(&beside, place)
}
