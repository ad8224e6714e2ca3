//! A platform by what it is made of: a file of SimGrid, tables, or draws; and the factors that are
//! drawn for it.

use crate::kernel::rng::Streams;
use crate::kernel::rng::distribution::Sampler;
use crate::random::Generator;
use crate::registry::{Complaint, Params, Sources, code};
use crate::scenario::named_files::elsewhere;
use crate::units::REFERENCE_SPEED;
use crate::units::Speed;
use crate::{Perturbation, Platform, grid_text, perturb, simgrid};

use super::Described;
use super::description::TableReader;
use super::keys::DESCRIBED;
use super::sweep_grid::{self, is_sweep_grid};

pub(super) fn build(params: &Params<'_>, streams: &Streams) -> Result<Described, Vec<Complaint>> {
    let whole = ["file", "random"].into_iter().find(|key| params.has(key));
    let mut complaints = Vec::new();
    if let Some(whole) = whole {
        let others = ["random"].into_iter().chain(DESCRIBED).filter(|&key| key != whole && params.has(key));
        complaints.extend(others.map(|key| {
            let complaint =
                params.complaint(key, format!("`{whole}` gives the platform, and `{key}` does, too"));
            complaint
                .label("take one of them out")
                .note(format!("`{whole}` is here"), Some(params.span(whole)))
        }));
    }
    if params.has("reference-speed") && !is_grid_text(params) {
        let message = "`reference-speed` means nothing to a platform that is no grid of DAGSim";
        complaints.push(params.complaint("reference-speed", message).label("take it out"));
    }
    if let Some(key) = ["behaviour", "step"].into_iter().find(|key| params.has(key))
        && !is_sweep_grid(params)
    {
        let message =
            format!("`{key}` means nothing to a platform that is no grid of the Parameter Sweep Template");
        complaints.push(params.complaint(key, message).label("take it out"));
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    match whole {
        Some("file") if is_sweep_grid(params) => sweep_grid::read(params, streams),
        Some("file") => file(params),
        Some(_) => Ok(Described { drawn: true, ..drawn(params, streams)?.into() }),
        None => TableReader::of(params, streams),
    }
}

/// Returns true if a checked `[platform]` names the text of a grid of DAGSim.
pub fn is_grid_text(params: &Params<'_>) -> bool {
    params.has("file") && params.path("file").is_ok_and(|path| grid_text::MARK.is_of(&path))
}

/// The platform of a file: a grid of DAGSim, or one of SimGrid.
fn file(params: &Params<'_>) -> Result<Described, Vec<Complaint>> {
    let path = params.path("file")?;
    let mut sources = Sources::new("");
    let at = params.span("file");
    if is_grid_text(params) {
        let speed: Option<Speed> = params.read("reference-speed")?;
        let speed = speed.map_or(REFERENCE_SPEED, Speed::flops_per_sec);
        if speed <= 0.0 {
            return Err(params.complaint("reference-speed", "nothing is ever computed at this speed").into());
        }
        let read = grid_text::read_file(&path, &mut sources, speed);
        let elsewhere = |one| elsewhere(&sources, one, at);
        return read.map(Described::from).map_err(|all| all.into_iter().map(elsewhere).collect());
    }
    let read = simgrid::read_file(&path, &mut sources);
    let all =
        |complaints: Vec<Complaint>| complaints.into_iter().map(|one| elsewhere(&sources, one, at)).collect();
    match read {
        Ok(loaded) => {
            let mut warnings: Vec<Complaint> = all(loaded.warnings);
            let settings = loaded.config.iter().filter(|(name, _)| name.starts_with("network/"));
            let settings: Vec<String> = settings.map(|(name, value)| format!("{name} = {value}")).collect();
            if !settings.is_empty() {
                let what =
                    format!("settings of SimGrid in this file are passed over: {}", settings.join(", "));
                warnings
                    .push(Complaint::new(code::PLATFORM, what, at).label("`network` says how it carries"));
            }
            Ok(Described { platform: loaded.platform, config: loaded.config, warnings, drawn: false })
        }
        Err(complaints) => Err(all(complaints)),
    }
}

fn drawn(params: &Params<'_>, streams: &Streams) -> Result<Platform, Complaint> {
    let generator = params.component::<dyn Generator>("random", "generator")?;
    generator.draw(streams).map_err(|why| params.complaint("random", why.to_string()))
}

pub(super) fn perturbed(
    table: &Params<'_>,
    platform: &Platform,
    streams: &Streams,
) -> Result<Platform, Complaint> {
    let law = |key: &str| -> Result<Option<Sampler>, Complaint> {
        table.has(key).then(|| Ok(*table.component::<Sampler>(key, "distribution")?)).transpose()
    };
    let perturbation =
        Perturbation { speed: law("speed")?, bandwidth: law("bandwidth")?, latency: law("latency")? };
    perturb(platform, &perturbation, streams).map_err(|bad| {
        let complaint = Complaint::new(code::RANGE, bad.to_string(), table.span(bad.what));
        complaint.label("expected factors above 0 that leave numbers in their ranges")
    })
}
