//! `convert` to a scenario: of a grid of the Parameter Sweep Template, as tables, and of files that
//! a scenario names.

use std::io::Write;

use crate::convert_args::Convert;
use crate::failure::Failure;
use crate::kernel::SimDuration;
use crate::kernel::rng::Streams;
use crate::platform::clustered::grid::{ORIGIN, SweepGrid};
use crate::platform::clustered::read::behaviour::{ResourceBehaviour, file_next_to};
use crate::platform::clustered::read::grid::{self, GridOptions};
use crate::platform::clustered::write::toml::toml;
use crate::platform::described::{SWEEP_SPEED, SWEEP_STEP};
use crate::platform::simgrid::add;
use crate::print;
use crate::registry::{Complaint, Registry, Sources, Span};
use crate::render::Renderer;
use crate::scenario::{FileFormat, NamedFile, Rejected, ScenarioOfFile, file_kinds};
use crate::written::{path_as_written, refuse_idle_flags, write, write_tables};
use clustersim_experiment::output::number::grouped;

/// Converts to TOML, if the input is a grid of the template or a file that a scenario names.
pub(super) fn convert(
    registry: &Registry,
    args: &Convert,
    renderer: &Renderer,
) -> Option<Result<(), Failure>> {
    let is_toml = args.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    if !is_toml || args.from.is_some() {
        return None;
    }
    let path = args.input();
    let refused = || {
        refuse_idle_flags(args, None)?;
        Failure::if_there(&args.output, args.force)
    };
    if grid::MARK.is_of(path) {
        return Some(refused().and_then(|()| grid(args, renderer)));
    }
    let written = path_as_written(&args.output, path);
    let made = file_kinds(registry).into_iter().find_map(|kind| {
        let is_marked = |format: &&FileFormat| format.marks.iter().any(|mark| mark.is_of(path));
        let format = kind.formats().iter().find(is_marked)?.name;
        kind.scenario_of(&NamedFile { format, path, written: &written })
    })?;
    Some(refused().and_then(|()| named(args, made)))
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

/// Writes a scenario that names the input.
fn named(args: &Convert, made: Result<ScenarioOfFile, Vec<Complaint>>) -> Result<(), Failure> {
    let made = made.map_err(|complaints| invalid(Sources::new(""), complaints))?;
    write(&args.output, |out| out.write_all(made.text.as_bytes()))?;
    print(&format!("{}: {}\n", args.output.display(), made.about))
}
