//! The reason why a job never fits on nodes, with what it asks for and what there is.

use std::fmt;

use crate::batch::record::Reason;
use crate::workload::resources::{Demand, DemandId, FeatureNames, Features, NodeKind, Resources};

use super::free::Free;

/// Reason why a job never fits on nodes without jobs. Sizes are those of a node, in the unit of the
/// variant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lack {
    /// No node has all these features.
    Features(String),
    /// More processors on a node than the largest has.
    Processors(u64, u64),
    /// More memory on a node than the largest has \[bytes\].
    Memory(u64, u64),
    /// More GPUs on a node than the largest has.
    Gpus(u64, u64),
    /// No node has all of that at once, or too few nodes have: processors that it asks for, and
    /// that can be given so.
    Together(u64, u64),
}

/// A lack of an amount: asked for, and the most there is.
type Short = fn(u64, u64) -> Lack;

impl Lack {
    /// Lack of these nodes for a job of `asked` processors that never fits on them; the first that
    /// holds, in the order above.
    pub(super) fn of(resources: &Resources, (demand, asked): (DemandId, u32)) -> Self {
        let demand = *resources.demands.of(demand);
        let (kinds, names) = (resources.nodes.kinds(), resources.nodes.features());
        let able: Vec<&NodeKind> = kinds.iter().filter(|kind| kind.features.cover(demand.features)).collect();
        if able.is_empty() {
            return Lack::Features(named(names, demand.features));
        }
        let most = |size: fn(&NodeKind) -> u64| able.iter().map(|kind| size(kind)).max().unwrap_or(0);
        // a job that is smaller than a chunk has a part of one
        let procs = u64::from(demand.procs.min(asked));
        let sizes: [(Short, u64, u64); 3] = [
            (Lack::Processors, procs, most(|kind| kind.processors.into())),
            (Lack::Memory, demand.memory, most(|kind| kind.memory)),
            (Lack::Gpus, demand.gpus.into(), most(|kind| kind.gpus.into())),
        ];
        let short = sizes.into_iter().find(|(_, wanted, most)| wanted > most);
        short.map_or_else(
            || Lack::Together(asked.into(), together(kinds, &demand)),
            |(lack, wanted, most)| lack(wanted, most),
        )
    }

    /// Reason that the record has for it.
    pub fn reason(&self) -> Reason {
        match self {
            Lack::Features(_) => Reason::NodeFeatures,
            Lack::Processors(..) => Reason::NodeProcessors,
            Lack::Memory(..) => Reason::NodeMemory,
            Lack::Gpus(..) => Reason::NodeGpus,
            Lack::Together(..) => Reason::NoSuchNodes,
        }
    }
}

/// The processors of the largest job of such chunks that nodes without jobs take.
fn together(kinds: &[NodeKind], demand: &Demand) -> u64 {
    let of_kind = |kind: &NodeKind| u64::from(kind.nodes) * u64::from(Free::all(kind).chunks(demand));
    kinds.iter().map(of_kind).sum::<u64>() * u64::from(demand.procs)
}

/// The names of features.
fn named(names: &FeatureNames, wanted: Features) -> String {
    let is_wanted = |name: &&str| names.find(name).is_some_and(|one| wanted.cover(one));
    let names: Vec<String> = names.iter().filter(is_wanted).map(|name| format!("`{name}`")).collect();
    names.join(" and ")
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Lack::Features(ref names) => write!(f, "it asks for nodes with {names}, and no node has that"),
            Lack::Processors(asked, most) => {
                write!(f, "it asks for {asked} processors on a node; the largest has {most}")
            }
            Lack::Memory(asked, most) => {
                let (scale, unit) = unit_of_bytes(asked);
                let (asked, most) = (asked as f64 / scale, most as f64 / scale);
                write!(f, "it asks for {} {unit} on a node; the largest has {}", short(asked), short(most))
            }
            Lack::Gpus(asked, most) => {
                write!(f, "it asks for {asked} GPUs on a node; the largest has {most}")
            }
            Lack::Together(asked, given) => write!(
                f,
                "it asks for {asked} processors with all that it wants on their nodes; there are {given} such"
            ),
        }
    }
}

/// The greatest binary unit that is at most `bytes`.
fn unit_of_bytes(bytes: u64) -> (f64, &'static str) {
    const UNITS: [(f64, &str); 5] = [
        (1_099_511_627_776.0, "TiB"),
        (1_073_741_824.0, "GiB"),
        (1_048_576.0, "MiB"),
        (1024.0, "KiB"),
        (1.0, "B"),
    ];
    UNITS.into_iter().find(|(scale, _)| bytes as f64 >= *scale).unwrap_or((1.0, "B"))
}

/// Two decimals at most.
fn short(value: f64) -> String {
    format!("{value:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
}
