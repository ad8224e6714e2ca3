//! `convert` of measurements: tables and series of a monitoring tool as a platform in TOML.

use std::path::Path;

use crate::convert::speed;
use crate::convert_args::{Convert, HostSeries};
use crate::failure::Failure;
use crate::platform::measured::{Reader, Units, Use};
use crate::print;
use crate::registry::{Complaint, Sources, code};
use crate::scenario::Rejected;
use crate::text::{LONGEST_TEXT, read_whole};
use crate::written::{open, refused, write_tables};
use clustersim_experiment::output::number::grouped;

/// Returns true if a file holds a table of measurements: its first line has commas and no bars, as
/// dumps of sacct have them.
pub(super) fn is_measured(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let plain = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
    if plain.extension().is_none_or(|ending| ending != "csv") {
        return false;
    }
    // what cannot be read is reported where it is read
    text(path)
        .is_ok_and(|text| text.lines().next().is_some_and(|line| line.contains(',') && !line.contains('|')))
}

fn text(path: &Path) -> Result<String, Failure> {
    let unreadable = |why: &str| {
        Failure::usage(Complaint::nowhere(code::FILE, format!("cannot read {}: {why}", path.display())))
    };
    read_whole(open(path)?, LONGEST_TEXT).map_err(|why| unreadable(&why.to_string()))
}

fn units(args: &Convert) -> Result<Units, Failure> {
    let mut units = Units::default();
    for stated in &args.unit {
        let Some((of, unit)) = stated.split_once('=') else {
            let message = format!("`{stated}` states no unit");
            return Err(refused(&message, "write such as --unit bandwidth=Mbps"));
        };
        units.state(of, unit).map_err(|bad| refused(&bad.problem, &bad.help))?;
    }
    units.use_of = match args.hosts_are {
        None | Some(HostSeries::Free) => Use::Available,
        Some(HostSeries::FreePercent) => Use::AvailablePercent,
        Some(HostSeries::Used) => Use::Used,
        Some(HostSeries::UsedPercent) => Use::UsedPercent,
    };
    Ok(units)
}

/// Reads all inputs and writes the platform, with its traces in a folder next to it.
pub(super) fn convert(args: &Convert) -> Result<(), Failure> {
    let mut reader = Reader::new(units(args)?, speed(args)?);
    for input in &args.inputs {
        reader.read(&input.display().to_string(), &text(input)?);
    }
    let measured = reader.finish().map_err(|problems| {
        let complaints = problems.map(|(file, problem)| problem.complaint(&file, None)).into();
        Failure::Invalid(vec![Rejected { sources: Sources::new(""), complaints }])
    })?;
    let stem = args.output.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = format!("{stem}.traces");
    let toml = measured.toml(&folder);
    write_tables(args, &folder, &toml.text, &toml.traces)?;
    let platform = &measured.platform;
    let [hosts, links, traces] = [platform.hosts().len(), platform.links().len(), toml.traces.len()]
        .map(|count| grouped(count as u64));
    print(&format!("{}: {hosts} hosts, {links} links, {traces} traces\n", args.output.display()))
}
