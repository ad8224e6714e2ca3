//! The reason why a job never fits on nodes, with what it asks for and what there is.

use std::fmt;

use crate::batch::devices::NodeGpus;
use crate::batch::record::Reason;
use crate::workload::resources::{Demand, DemandId, GpuGroup, NodeKind, PartsOf, Resources};

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
    /// No node has GPUs of this kind.
    GpuKind(String),
    /// More parts of a GPU than the largest has, or all on a node where they may be of several.
    GpuParts(u64, u64),
    /// More instances of GPUs than fit on any node.
    Instances(String, u64, u64),
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
        let (kinds, names) = (resources.nodes.kinds(), resources.demands.features());
        let is_able = |kind: &&NodeKind| names.cover(kind.features, demand.features);
        let groups = resources.nodes.gpu_groups();
        let gpus = |groups: &[GpuGroup]| resources.distinguishes_gpus().then(|| NodeGpus::new(groups));
        let each = kinds.iter().zip(&groups).filter(|(kind, _)| is_able(kind));
        let able: Vec<(&NodeKind, Option<NodeGpus>)> =
            each.map(|(kind, groups)| (kind, gpus(groups))).collect();
        if able.is_empty() {
            let named = names.names_of(demand.features).map(|name| format!("`{name}`"));
            return Lack::Features(named.collect::<Vec<_>>().join(" and "));
        }
        let most = |size: fn(&NodeKind) -> u64| able.iter().map(|(kind, _)| size(kind)).max().unwrap_or(0);
        // a job that is smaller than a chunk has a part of one
        let procs = u64::from(demand.procs.min(asked));
        let sizes: [(Short, u64, u64); 3] = [
            (Lack::Processors, procs, most(|kind| kind.processors.into())),
            (Lack::Memory, demand.memory, most(|kind| kind.memory)),
            (Lack::Gpus, demand.gpus.into(), most(|kind| kind.gpus.into())),
        ];
        let short = sizes.into_iter().find(|(_, wanted, most)| wanted > most);
        if let Some((lack, wanted, most)) = short {
            return lack(wanted, most);
        }
        let of_gpus = able.iter().filter_map(|(_, gpus)| gpus.as_ref());
        Self::of_gpus(resources, of_gpus, &demand)
            .unwrap_or_else(|| Lack::Together(asked.into(), together(&able, &demand)))
    }

    /// Lack of GPUs of the kind and with the parts that are asked for, on nodes with these; `None`
    /// if some has enough.
    fn of_gpus<'a>(
        resources: &Resources,
        nodes: impl Iterator<Item = &'a NodeGpus> + Clone,
        demand: &Demand,
    ) -> Option<Self> {
        let choice = demand.gpu_choice;
        if !resources.distinguishes_gpus()
            || demand.gpus == 0
            || nodes.clone().any(|gpus| gpus.chunks(demand.gpus, choice) > 0)
        {
            return None;
        }
        let serve = |gpus: &'a NodeGpus| gpus.each().iter().filter(move |gpu| gpu.kind.serves(choice.kind));
        let most = nodes.clone().map(|gpus| serve(gpus).count() as u64).max().unwrap_or(0);
        match resources.nodes.gpus().name(choice.kind) {
            Some(name) if most == 0 => Some(Lack::GpuKind(name.to_owned())),
            _ if choice.parts == 0 => Some(Lack::Gpus(demand.gpus.into(), most)),
            _ => Some(match choice.of {
                PartsOf::Instance(profile) => {
                    let most = nodes.map(|gpus| u64::from(gpus.chunks(1, choice))).max();
                    Lack::Instances(profile.name().to_owned(), demand.gpus.into(), most.unwrap_or(0))
                }
                PartsOf::Several => {
                    let parts = |gpus| serve(gpus).map(|gpu| u64::from(gpu.parts)).sum::<u64>();
                    Lack::GpuParts(choice.parts.into(), nodes.map(parts).max().unwrap_or(0))
                }
                PartsOf::One => {
                    let parts = nodes.flat_map(serve).map(|gpu| u64::from(gpu.parts)).max();
                    Lack::GpuParts(choice.parts.into(), parts.unwrap_or(0))
                }
            }),
        }
    }

    /// Reason that the record has for it.
    pub fn reason(&self) -> Reason {
        match self {
            Lack::Features(_) => Reason::NodeFeatures,
            Lack::Processors(..) => Reason::NodeProcessors,
            Lack::Memory(..) => Reason::NodeMemory,
            Lack::Gpus(..) => Reason::NodeGpus,
            Lack::GpuKind(_) | Lack::GpuParts(..) | Lack::Instances(..) | Lack::Together(..) => {
                Reason::NoSuchNodes
            }
        }
    }
}

/// The processors of the largest job of such chunks that these nodes take without jobs.
fn together(kinds: &[(&NodeKind, Option<NodeGpus>)], demand: &Demand) -> u64 {
    let of_kind = |(kind, gpus): &(&NodeKind, Option<NodeGpus>)| {
        u64::from(kind.nodes) * whole_chunks(kind, gpus.as_ref(), demand)
    };
    kinds.iter().map(of_kind).sum::<u64>() * u64::from(demand.procs)
}

/// Whole chunks that a node takes which has their features, and these GPUs where they are
/// distinguished.
fn whole_chunks(kind: &NodeKind, gpus: Option<&NodeGpus>, demand: &Demand) -> u64 {
    let by_memory = kind.memory.checked_div(demand.memory).filter(|_| kind.memory != NodeKind::ENDLESS);
    let by_gpus = match gpus {
        Some(gpus) => Some(u64::from(gpus.chunks(demand.gpus, demand.gpu_choice))),
        None => kind.gpus.checked_div(demand.gpus).map(u64::from),
    };
    let by_procs = u64::from(kind.processors / demand.procs);
    [by_memory, by_gpus].into_iter().flatten().fold(by_procs, u64::min)
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
            Lack::GpuKind(ref name) => write!(f, "it asks for GPUs of kind `{name}`, and no node has any"),
            Lack::GpuParts(asked, most) => {
                write!(f, "it asks for {asked} parts of a GPU; the largest has {most}")
            }
            Lack::Instances(ref name, asked, most) => {
                write!(f, "it asks for {asked} instances {name} of GPUs on a node; at most {most} fit on one")
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
