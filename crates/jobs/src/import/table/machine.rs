//! Tables of nodes: the machine of a public source, as groups of nodes that are alike.

use std::ops::ControlFlow;

use crate::collections::OrderedMap;
use crate::import::slurm::can_be_asked_for;
use crate::registry::{Problem, toml_text};
use crate::text::Mistakes;
use crate::workload::resources::gpu_feature;
use crate::workload::swf::Header;

use super::input::Input;
use super::mapping::{Mapping, Role};
use super::open;
use super::row::WrongCell;
use super::size::Size;

/// Units of memory, the larger ones first.
const MEMORY: [(&str, u64); 5] =
    [("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20), ("MB", 1_000_000), ("kB", 1_000)];

/// Nodes that are alike.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct NodeGroup {
    /// Number of them.
    pub nodes: u32,
    /// Processors of each.
    pub processors: u32,
    /// GPUs of each.
    pub gpus: u32,
    /// Type of the GPUs, if it is stated.
    pub gpu_type: Option<String>,
    /// Memory of each \[bytes\]; 0 if it is not stated.
    pub memory: u64,
}

/// The groups of a table of nodes, in the order in which they come up.
///
/// # Errors
/// All that is wrong with the table, each at its place.
pub fn read_nodes(
    input: Input<'_>,
    file: &str,
    mapping: &Mapping,
) -> Result<Vec<NodeGroup>, Mistakes<Problem>> {
    let mut groups: Vec<NodeGroup> = Vec::new();
    let mut places: OrderedMap<NodeGroup, usize> = OrderedMap::new();
    open::read(input, file, mapping, &mut |row, wrong| {
        let size = Size::of(mapping, row, wrong);
        let Some(processors) = size.procs else {
            if wrong.is_empty() {
                wrong.push(WrongCell::new(0, "a node without processors"));
            }
            return ControlFlow::Continue(());
        };
        let gpu_type = mapping.column(Role::GpuType).filter(|_| size.gpus > 0);
        let gpu_type =
            gpu_type.and_then(|column| column.named(row)?.name()).map(std::borrow::Cow::into_owned);
        let one = NodeGroup { nodes: 1, processors, gpus: size.gpus, gpu_type, memory: size.memory };
        match places.get(&one) {
            Some(&place) => groups[place].nodes = groups[place].nodes.saturating_add(1),
            None => {
                places.insert(one.clone(), groups.len());
                groups.push(one);
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(groups)
}

/// The sum of an amount over the nodes of all groups.
pub fn sum_of(groups: &[NodeGroup], amount: impl Fn(&NodeGroup) -> u32) -> u64 {
    groups.iter().map(|group| u64::from(group.nodes) * u64::from(amount(group))).sum()
}

impl NodeGroup {
    /// The group as a table of a scenario.
    pub fn toml(&self) -> String {
        let mut text =
            format!("[[cluster.group]]\nnodes = {}\nprocessors = {}\n", self.nodes, self.processors);
        if self.memory > 0 {
            let whole = |(_, bytes): &&(&str, u64)| self.memory.is_multiple_of(*bytes);
            let (unit, bytes) = MEMORY.iter().find(whole).copied().unwrap_or(("B", 1));
            text += &format!("memory = \"{}{unit}\"\n", self.memory / bytes);
        }
        if self.gpus > 0 {
            text += &format!("gpus = {}\n", self.gpus);
        }
        let feature = self.gpu_type.as_deref().map(gpu_feature).filter(|name| can_be_asked_for(name));
        text + &feature.map(|name| format!("features = [{}]\n", toml_text(&name))).unwrap_or_default()
    }
}

/// Writes the size of a machine of these nodes into the header of a log.
pub(super) fn describe(groups: &[NodeGroup], header: &mut Header) {
    header.push("MaxNodes", sum_of(groups, |_| 1).to_string());
    header.push("MaxProcs", sum_of(groups, |group| group.processors).to_string());
}
