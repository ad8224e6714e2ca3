//! Platforms in scenarios: `[platform]` names a file of SimGrid, describes hosts and what joins them, or has a platform drawn.
//!
//! ```toml
//! [[platform.host]]
//! name = "node"
//! count = 4
//! speed = "1.5Gf"
//!
//! [[platform.link]]
//! name = "wire"
//! bandwidth = "125MBps"
//! latency = "50us"
//!
//! [[platform.route]]
//! from = "node-0"
//! to = "node-1"
//! links = ["wire"]
//! ```
//!
//! What is described may name what is described further down. A route is put into the zone that both of its ends lie in; between hosts
//! of different zones it is a way of these two alone, which no zone is asked about. Of a zone a route or spoke begins or ends at a gateway, for a cluster by itself at
//! its router. Whatever the platform is made of, `perturb` may multiply its numbers by factors that are drawn.
//!
//! All mistakes are told at once, each at its value; what cannot be found is told with the nearest name. Mistakes in files
//! that are named here are told with the lines of these.
//!
//! Left out: coordinates (Vivaldi) and bypasses of zones, which platform files of SimGrid may have.

mod clusters;
mod describing;
mod keys;
mod routes;
mod traces;

use std::path::PathBuf;

use crate::kernel::rng::Streams;
use crate::kernel::rng::distribution::Sampler;
use crate::platform::random::Generator;
use crate::platform::{Perturbation, Platform, perturb, simgrid};
use crate::registry::code;
use crate::registry::{Absent, Complaint, Excerpt, Key, Kind, Node, Params, Sources, Value};

use describing::Describing;
use keys::{DESCRIBED, KEYS};

/// Hosts and what joins them.
pub const PLATFORM: Key = Key {
    name: "platform",
    kind: Kind::Table(KEYS),
    default: Absent::Means("there is none: the scenario is of another system"),
    about: "hosts, links and routes: a file of SimGrid, tables that describe them, or what draws them",
    source: "",
};

/// A platform, and what of it may not be as its author meant it.
#[derive(Clone, Debug)]
pub struct Described {
    /// The platform.
    pub platform: Platform,
    /// Settings that a file of SimGrid holds besides it: name and value.
    pub config: Vec<(String, String)>,
    /// What is worth a second look.
    pub warnings: Vec<Complaint>,
}

impl From<Platform> for Described {
    fn from(platform: Platform) -> Self {
        Described { platform, config: Vec::new(), warnings: Vec::new() }
    }
}

/// The tables of a list.
fn tables<'a>(params: &Params<'a>, name: &str) -> &'a [Node] {
    match params.tree().get(name).map(|list| &list.value) {
        Some(Value::Array(list)) => list,
        _ => &[],
    }
}

/// The platform of a checked `[platform]`; what is drawn of it is drawn from `streams`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(params: &Params<'_>, streams: &Streams) -> Result<Described, Vec<Complaint>> {
    let mut described = made(params, streams)?;
    if params.has("perturb") {
        let table = params.section("perturb");
        described.platform =
            perturbed(&table, &described.platform, streams).map_err(|complaint| vec![complaint])?;
    }
    Ok(described)
}

fn made(params: &Params<'_>, streams: &Streams) -> Result<Described, Vec<Complaint>> {
    let whole = ["file", "random"].into_iter().find(|key| params.has(key));
    let mut complaints = Vec::new();
    if let Some(whole) = whole {
        let others = ["random"].into_iter().chain(DESCRIBED).filter(|&key| key != whole && params.has(key));
        complaints.extend(others.map(|key| {
            let complaint =
                params.complaint(key, format!("`{whole}` tells the platform, and `{key}` does, too"));
            complaint
                .label("take one of them out")
                .note(format!("`{whole}` is here"), Some(params.span(whole)))
        }));
    }
    if !complaints.is_empty() {
        return Err(complaints);
    }
    match whole {
        Some("file") => file(params),
        Some(_) => drawn(params, streams).map(Described::from).map_err(|complaint| vec![complaint]),
        None => Describing::of(params).map(Described::from),
    }
}

/// The platform of a file of SimGrid.
fn file(params: &Params<'_>) -> Result<Described, Vec<Complaint>> {
    let path = params.path("file").map_err(|complaint| vec![complaint])?;
    let mut sources = Sources::new("");
    let at = params.span("file");
    let elsewhere = |sources: &Sources, complaint: Complaint| match complaint.span {
        Some(span) => {
            let (line, column) = sources.place(span);
            let text = sources.text(span.source).lines().nth(line - 1).unwrap_or("").to_owned();
            let start = text.char_indices().nth(column - 1).map_or(text.len(), |(byte, _)| byte);
            let end = (start + span.range().len()).min(text.len());
            let file = sources.name(span.source).to_owned();
            let complaint = Complaint { span: Some(at), notes: Vec::new(), ..complaint };
            complaint.excerpt(Excerpt { file, line: line as u64, text, range: start..end })
        }
        None => Complaint { span: Some(at), ..complaint },
    };
    let read = simgrid::read_file(&path, &mut sources);
    let all =
        |complaints: Vec<Complaint>| complaints.into_iter().map(|one| elsewhere(&sources, one)).collect();
    match read {
        Ok(loaded) => {
            Ok(Described { platform: loaded.platform, config: loaded.config, warnings: all(loaded.warnings) })
        }
        Err(complaints) => Err(all(complaints)),
    }
}

fn drawn(params: &Params<'_>, streams: &Streams) -> Result<Platform, Complaint> {
    let generator = params.component::<dyn Generator>("random", "generator")?;
    generator.draw(streams).map_err(|why| params.complaint("random", why.to_string()))
}

fn perturbed(table: &Params<'_>, platform: &Platform, streams: &Streams) -> Result<Platform, Complaint> {
    let law = |key: &str| -> Result<Option<Sampler>, Complaint> {
        if !table.has(key) {
            return Ok(None);
        }
        table.component::<Sampler>(key, "distribution").map(|sampler| Some(*sampler))
    };
    let perturbation =
        Perturbation { speed: law("speed")?, bandwidth: law("bandwidth")?, latency: law("latency")? };
    perturb(platform, &perturbation, streams).map_err(|bad| {
        let complaint = Complaint::new(code::RANGE, bad.to_string(), table.span(bad.what));
        complaint.label("expected factors above 0 that leave numbers in their ranges")
    })
}

/// The files that a checked `[platform]` names: as it names them, and from where the program runs.
pub fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let named = |table: &Params<'_>, key: &str| {
        table.has(key).then_some(())?;
        Some((table.read(key).ok()?, table.path(key).ok()?))
    };
    let mut inputs: Vec<(String, PathBuf)> = named(params, "file").into_iter().collect();
    for (list, keys) in [
        ("host", &["availability-trace", "state"][..]),
        ("link", &["bandwidth-trace", "latency-trace", "state"]),
    ] {
        for table in tables(params, list).iter().map(|node| params.beside(node)) {
            inputs.extend(keys.iter().filter_map(|key| named(&table, key)));
        }
    }
    inputs.sort();
    inputs.dedup();
    inputs
}

#[cfg(test)]
mod tests;
