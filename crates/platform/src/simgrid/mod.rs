//! Platform files and deployment files of SimGrid.
//!
//! A platform file is XML after the document type of SimGrid 4 (`<platform version="4.1">`).
//! [`ELEMENTS`] lists every element and attribute that is read: zones with full, Floyd, Dijkstra,
//! cluster, star, Vivaldi and no routing, hosts with power states, disks and profiles, routers,
//! links, routes of hosts and of zones and what bypasses them, clusters (flat, fat tree, torus,
//! dragonfly), cabinets, backbones, peers, traces in the file, and properties. Settings in
//! `<config>` mean nothing here and are handed to the caller. Files may be compressed by gzip.
//! Nothing is fetched: the document type is passed over.
//!
//! Not read, and refused by name ([`REFUSED`]): wireless links and zones, storages of before
//! SimGrid 3.27, included files, and agents in a platform file. Everything that is wrong with a
//! file is reported at once, each mistake at its place, with the nearest name where one is not
//! known.
//!
//! How it differs from SimGrid 4.1:
//! - A flow over a link whose bandwidth changes has its share of what there is; in SimGrid it never
//!   has more than the least bandwidth on its route when it started.
//! - A zone may use what is defined later in the file.
//! - A zone in a Vivaldi zone has the coordinates of the router in it that is called `router_` and
//!   its id, as in older versions.
//!
//! As in SimGrid, and not as in its manual or in what is published:
//! - What bypasses zones is one way unless `symmetrical` says otherwise.
//! - `lat` of a peer is passed over and FATPIPE of a cluster's links taken as SHARED, both with a
//!   warning.
//! - Routes within a group of a dragonfly, and parallel cables down a fat tree, are SimGrid's own
//!   ([`ClusterRouting`](crate::ClusterRouting)).
//! - A host without a loopback reaches itself over a link of 10 GB/s without latency (zones with
//!   tables of routes that hold no zones), or over its own links (clusters, stars, peers).
//!
//! Source: the manual of SimGrid 4.1, "Complete XML reference" and "Platform examples" (H.
//! Casanova, A. Giersch, A. Legrand, M. Quinson, F. Suter, JPDC 74(10), 2014), and what its Python
//! bindings say of routes.

mod build;
mod check;
mod clusters;
mod deployment;
pub mod marks;
mod profiles;
mod routes;
mod table;
mod text;
mod value;

use std::path::Path;

use crate::collections::{OrderedMap, OrderedSet};
use crate::registry::{Complaint, Complaints, SourceId, Sources};
use crate::simgrid::build::PlatformReader;
use crate::topology::{Builder, Platform, ZoneId};

pub use deployment::{DeployedActor, OnFailure, deployment};
pub use table::{AttributeRow, ELEMENTS, ElementRow, Need, REFUSED};
pub use text::add;
use text::root;

/// A platform file as read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The platform.
    pub platform: Platform,
    /// The settings of SimGrid in it: name and value, in the order of the file.
    pub config: Vec<(String, String)>,
    /// Parts that may not be as their author meant them.
    pub warnings: Vec<Complaint>,
}

/// Reads a platform from a text of `sources`; profiles are looked for next to it.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read(source: SourceId, sources: &Sources) -> Result<Loaded, Vec<Complaint>> {
    let mut reader = PlatformReader {
        sources,
        builder: Builder::new(),
        links: OrderedMap::new(),
        profiles: profiles::Profiles::default(),
        coordinates: OrderedMap::new(),
        complaints: Complaints::new(),
        warnings: Vec::new(),
    };
    let mut config = Vec::new();
    if let Some(mut root) = root(sources.text(source), source, &mut reader.complaints) {
        check::check(&mut root, check::File::Platform, &mut reader.complaints);
        if root.name == "platform" {
            let settings = root.children("config").flat_map(|config| config.children("prop"));
            config.extend(settings.map(|prop| (prop.value("id").to_owned(), prop.value("value").to_owned())));
            reader.profiles(&root);
            reader.contents(&root, ZoneId::TOP);
            reader.left();
            reader.routes(&root, ZoneId::TOP);
            reader.loopbacks();
        }
    }
    if !reader.complaints.is_empty() {
        let complaints = reader.complaints.sorted_by_key(|complaint| complaint.span.map(|span| span.start));
        return Err(complaints.into());
    }
    Ok(Loaded { platform: reader.builder.build(), config, warnings: reader.warnings })
}

/// Reads a platform from a file, whose path is relative to the root of `sources`; its text is added
/// to these.
///
/// # Errors
/// The file cannot be read, or everything that is wrong with it.
pub fn read_file(path: &Path, sources: &mut Sources) -> Result<Loaded, Vec<Complaint>> {
    let source = add(path, sources).map_err(|complaint| vec![complaint])?;
    read(source, sources)
}

/// The files with profiles that a platform file names, as paths from where that one lies; none if
/// it cannot be read.
pub fn profiles_of(path: &Path) -> OrderedSet<String> {
    let (mut sources, mut files) = (Sources::new(""), OrderedSet::new());
    // most files name none, and need not be read as elements to know that
    let names_any = |text: &str| text.contains("_file") || text.contains("<trace");
    if let Ok(source) = add(path, &mut sources)
        && names_any(sources.text(source))
        && let Some(root) = root(sources.text(source), source, &mut Complaints::new())
    {
        profiles::named_in(&root, &mut files);
    }
    files
}
