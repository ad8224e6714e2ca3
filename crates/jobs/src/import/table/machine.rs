//! Tables of nodes: the machine of a public source, as groups of nodes that are alike.

use crate::collections::OrderedMap;
use crate::registry::Problem;
use crate::workload::swf::Header;

use super::input::Input;
use super::mapping::{Mapping, Role};
use super::open;
use super::row::wrong;
use super::size::Size;

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
/// A damaged table, with the place.
pub fn read_nodes(input: Input<'_>, file: &str, mapping: &Mapping) -> Result<Vec<NodeGroup>, Problem> {
    let mut groups: Vec<NodeGroup> = Vec::new();
    let mut places: OrderedMap<NodeGroup, usize> = OrderedMap::new();
    open::read(input, file, mapping, &mut |row| {
        let size = Size::of(mapping, row)?;
        let Some(processors) = size.procs else { return Err(wrong(row, 0, "a node without processors")) };
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
        Ok(())
    })?;
    Ok(groups)
}

/// Writes the size of a machine of these nodes into the header of a log.
pub(super) fn describe(groups: &[NodeGroup], header: &mut Header) {
    let nodes: u64 = groups.iter().map(|group| u64::from(group.nodes)).sum();
    let processors: u64 =
        groups.iter().map(|group| u64::from(group.nodes) * u64::from(group.processors)).sum();
    header.push("MaxNodes", nodes.to_string());
    header.push("MaxProcs", processors.to_string());
}
