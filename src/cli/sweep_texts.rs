//! `convert` of the texts of the Parameter Sweep Template: a grid as tables of a scenario, an
//! application as a scenario that reads it.

use std::io::Write;
use std::path::Path;

use crate::cli::args::Convert;
use crate::cli::failure::Failure;
use crate::cli::print;
use crate::cli::render::Renderer;
use crate::cli::written::{open, path_as_written, refuse_idle_flags, write, write_tables};
use crate::kernel::SimDuration;
use crate::kernel::rng::Streams;
use crate::output::number::grouped;
use crate::platform::clustered::grid::SweepGrid;
use crate::platform::clustered::read::behaviour::{ResourceBehaviour, file_next_to};
use crate::platform::clustered::read::grid::{self, GridOptions};
use crate::platform::clustered::write::toml::toml;
use crate::platform::described::{SWEEP_SPEED, SWEEP_STEP};
use crate::platform::simgrid::add;
use crate::registry::{Complaint, Sources, Span};
use crate::scenario::Rejected;
use crate::sweep::read::application;
use crate::sweep::source::recorded::read_text;

/// Name of the origin.
const ORIGIN: &str = "origin";

/// Converts a text of the template.
type Converter = fn(&Convert, &Renderer) -> Result<(), Failure>;

/// Converts to TOML, if the input is a text of the template.
pub(super) fn convert(args: &Convert, renderer: &Renderer) -> Option<Result<(), Failure>> {
    let is_toml = args.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    if !is_toml || args.from.is_some() {
        return None;
    }
    let converters = [(grid::MARK, grid as Converter), (application::MARK, application)];
    let (_, converted) = converters.into_iter().find(|(mark, _)| mark.is_of(args.input()))?;
    let refused = || {
        refuse_idle_flags(args, None)?;
        Failure::if_there(&args.output, args.force)
    };
    Some(refused().and_then(|()| converted(args, renderer)))
}

fn invalid(sources: Sources, complaints: Vec<Complaint>) -> Failure {
    Failure::Invalid(vec![Rejected { sources, complaints }])
}

/// A grid, with the behaviours that lie next to it, as tables of a platform.
fn grid(args: &Convert, renderer: &Renderer) -> Result<(), Failure> {
    let path = args.input();
    let mut sources = Sources::new("");
    let source = match add(path, &mut sources) {
        Ok(source) => source,
        Err(complaint) => return Err(invalid(sources, vec![complaint])),
    };
    let step: SimDuration = SWEEP_STEP;
    let streams = Streams::new(1, 0);
    let options = GridOptions { step, origin: ORIGIN, speed: SWEEP_SPEED, streams: &streams };
    let mut behaviours = |name: &str, of, at: Span| match file_next_to(path, name) {
        Some(file) => ResourceBehaviour::read(&file, (name, at), of, step).map(Some),
        None => Ok(ResourceBehaviour::stable(name, of)),
    };
    let read = match grid::read(source, &sources, &options, &mut behaviours) {
        Ok(read) => read,
        Err(complaints) => return Err(invalid(sources, complaints)),
    };
    let made = match read.platform.host_named(ORIGIN) {
        Some(origin) => SweepGrid::of(&read.platform, &[origin], SWEEP_SPEED),
        None => Ok(SweepGrid::default()),
    };
    let grid = made.map_err(|complaints| invalid(sources, complaints))?;
    let stem = args.output.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = format!("{stem}.traces");
    let written = toml(&grid, ORIGIN, SWEEP_SPEED, &folder);
    let traces = grouped(written.traces.len() as u64);
    write_tables(args, &folder, &written.text, &written.traces)?;
    read.warnings.iter().for_each(|warning| renderer.note(&warning.message));
    written.losses.iter().for_each(|loss| renderer.note(loss));
    let [clusters, hosts] = [grid.clusters.len(), grid.hosts.len()].map(|count| grouped(count as u64));
    print(&format!("{}: {clusters} clusters, {hosts} hosts, {traces} traces\n", args.output.display()))
}

/// A scenario that reads an application.
fn application(args: &Convert, _: &Renderer) -> Result<(), Failure> {
    let path: &Path = args.input();
    let sweep = read_text(open(path)?, &path.display().to_string())
        .map_err(|complaints| invalid(Sources::new(""), complaints))?;
    let file = path_as_written(&args.output, path);
    let text = format!(
        "# An application of the Parameter Sweep Template, to be taken into a scenario by `include = [\"…\"]`.\n\n\
         [application]\nkind = \"pst\"\nfile = {file}\n"
    );
    write(&args.output, |out| out.write_all(text.as_bytes()))?;
    let [tasks, files] = [sweep.tasks.len(), sweep.files.len()].map(|count| grouped(count as u64));
    print(&format!("{}: {tasks} tasks, {files} files\n", args.output.display()))
}
