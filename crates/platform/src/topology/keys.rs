//! Shapes of clusters out of tables: the keys that say how hosts are joined, for every table that
//! has them.
//!
//! A table names its topology under `topology`; each topology has keys of its own, which mean
//! nothing to another. Sources are those of the topologies, each in its file.

use crate::registry::{Absent, Complaint, Key, Kind, Params, code};
use crate::topology::{Dragonfly, FatTree, Level, Shape, Tier, Torus};

const NUMBERS: Kind = Kind::List(&Kind::count_from(1));

/// A key that means something to one topology only.
const fn only(
    is: &'static str,
    name: &'static str,
    kind: Kind,
    means: &'static str,
    about: &'static str,
) -> Key {
    Key::new(name, kind).otherwise(Absent::OnlyIf { key: "topology", is, means }).about(about)
}

const fn dragonfly(name: &'static str, means: &'static str, about: &'static str) -> Key {
    only("dragonfly", name, Kind::count_from(1), means, about)
}

/// The keys of fat trees, tori and dragonflies.
pub const SHAPE: [Key; 11] = [
    only("fat-tree", "down", NUMBERS, "no fat tree", "fat-tree: nodes below a switch of each level"),
    only("fat-tree", "up", NUMBERS, "no fat tree", "fat-tree: switches of each level above a node"),
    only(
        "fat-tree",
        "cables",
        NUMBERS,
        "1 at each level",
        "fat-tree: cables between a node and a switch of each level",
    ),
    only("torus", "dimensions", NUMBERS, "no torus", "torus: hosts along each dimension"),
    dragonfly("groups", "no dragonfly", "dragonfly: groups"),
    dragonfly("chassis", "no dragonfly", "dragonfly: chassis of a group"),
    dragonfly("routers", "no dragonfly", "dragonfly: routers of a chassis"),
    dragonfly("nodes", "no dragonfly", "dragonfly: hosts of a router"),
    dragonfly("group-cables", "1", "dragonfly: cables between two groups"),
    dragonfly("chassis-cables", "1", "dragonfly: cables between routers of two chassis"),
    dragonfly("router-cables", "1", "dragonfly: cables between two routers of a chassis"),
];

/// The topologies, each with its meaning, for the key `topology`; crossbars, stars and meshes have
/// no keys in [`SHAPE`].
pub const TOPOLOGIES: [(&str, &str); 6] = [
    ("crossbar", "each host has a cable to one switch"),
    ("star", "a crossbar with a `backbone` in its middle"),
    ("fat-tree", "by `down`, `up` and `cables` of each level of switches, from the hosts up"),
    ("torus", "by `dimensions`"),
    ("dragonfly", "by `groups` of `chassis` of `routers` with `nodes` hosts each"),
    ("mesh", "each host has a link to each other host, and one from it"),
];

/// The sources of the topologies of [`TOPOLOGIES`].
pub const TOPOLOGY_SOURCES: &str = "E. Zahavi, CCIT 776, 2010 (fat-tree); W. J. Dally, C. L. Seitz, IEEE TC C-36(5), 1987 (torus); G. Faanes and others, SC 2012 (dragonfly)";

/// The keys that mean something to one topology only: those it needs, and more.
const SHAPED: &[(&str, &[&str], &[&str])] = &[
    ("fat-tree", &["down", "up"], &["cables"]),
    ("torus", &["dimensions"], &[]),
    (
        "dragonfly",
        &["groups", "chassis", "routers", "nodes"],
        &["group-cables", "chassis-cables", "router-cables"],
    ),
];

/// Mistakes of which keys `table` has: keys of other topologies, and those of its own that are
/// missing.
pub fn misplaced(table: &Params<'_>, topology: &str) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (of, needed, more) in SHAPED {
        for key in needed.iter().chain(*more).filter(|key| *of != topology && table.has(key)) {
            let complaint = table.complaint(key, format!("`{key}` means nothing to the topology {topology}"));
            complaints.push(complaint.help(format!("write topology = \"{of}\", or take it out")));
        }
        for key in needed.iter().filter(|key| *of == topology && !table.has(key)) {
            let message = format!("missing key `{key}`: a {topology} needs it");
            complaints.push(Complaint::new(code::MISSING_KEY, message, table.span("topology")));
        }
    }
    if topology == "star" && !table.has("backbone") {
        let message = "missing key `backbone`: a star has one in its middle";
        let complaint = Complaint::new(code::MISSING_KEY, message, table.span("topology"));
        complaints.push(complaint.help("write topology = \"crossbar\" if nothing limits it there"));
    }
    complaints
}

/// The topology of hosts, and the number of hosts it takes; any number in a crossbar or mesh. Keys
/// are [in their places](misplaced).
///
/// # Errors
/// Levels of a fat tree that some of its keys give and others do not.
pub fn shape(table: &Params<'_>, topology: &str) -> Result<(Shape, Option<u32>), Complaint> {
    match topology {
        "fat-tree" => {
            let (down, up): (Vec<u32>, Vec<u32>) = (table.read("down")?, table.read("up")?);
            let cables = table.read::<Option<Vec<u32>>>("cables")?.unwrap_or_else(|| vec![1; down.len()]);
            for (key, list) in [("up", &up), ("cables", &cables)] {
                if list.len() != down.len() {
                    let message = format!("`down` has {} levels, but `{key}` {}", down.len(), list.len());
                    return Err(table.complaint(key, message).label("expected a number for each level"));
                }
            }
            let levels = down.into_iter().zip(up).zip(cables);
            let levels = levels.map(|((down, up), cables)| Level { down, up, cables }).collect();
            let tree = FatTree { levels };
            let hosts = tree.hosts();
            Ok((Shape::FatTree(tree), hosts))
        }
        "torus" => {
            let torus = Torus { dimensions: table.read("dimensions")? };
            let hosts = torus.hosts();
            Ok((Shape::Torus(torus), hosts))
        }
        "dragonfly" => {
            let tier = |count: &str, cables: &str| -> Result<Tier, Complaint> {
                Ok(Tier {
                    count: table.read(count)?,
                    cables: table.read::<Option<u32>>(cables)?.unwrap_or(1),
                })
            };
            let dragonfly = Dragonfly {
                groups: tier("groups", "group-cables")?,
                chassis: tier("chassis", "chassis-cables")?,
                routers: tier("routers", "router-cables")?,
                nodes: table.read("nodes")?,
            };
            Ok((Shape::Dragonfly(dragonfly), dragonfly.hosts()))
        }
        "mesh" => Ok((Shape::Mesh, None)),
        _ => Ok((Shape::Crossbar, None)),
    }
}
