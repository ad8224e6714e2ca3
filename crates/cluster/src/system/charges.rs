//! Charges of running jobs (`charge` of the order `priority`), which weigh what the site has.

use crate::registry::{Complaint, Node, Params, Value, code, suggestion};
use crate::workload::resources::Nodes;

use super::pools::POOLS;

/// The charges of the policy and of its queues.
fn charges<'a>(params: &Params<'a>) -> impl Iterator<Item = &'a Node> + use<'a> {
    let tree = params.tree();
    let of_queues = tree.at("policy.queues").map_or(&[][..], Node::items);
    let own = of_queues.iter().filter_map(|table| table.at("order.charge"));
    tree.at("policy.queue.charge").into_iter().chain(own)
}

/// Complains about weights of GPUs, memory or pools that the site has not.
pub(super) fn can_be_charged(params: &Params<'_>, nodes: Option<&Nodes>) -> Result<(), Complaint> {
    let known = params.section("cluster").tree().get(POOLS.name).and_then(Node::as_table);
    let known: Vec<&str> =
        known.iter().flat_map(|pools| pools.slots()).map(|slot| slot.name.as_str()).collect();
    let counts = |node: &Node| match node.value {
        Value::Integer(weight) => weight > 0,
        Value::Float(weight) => weight > 0.0,
        _ => false,
    };
    for charge in charges(params) {
        let weighed = |key: &str| charge.at(key).filter(|weight| counts(weight)).map(|weight| weight.span);
        let lacks = |at, message: &str| Err(Complaint::new(code::CONTRADICTION, message, at));
        if let Some(at) = weighed("gpu").filter(|_| !nodes.is_some_and(Nodes::have_gpus)) {
            return lacks(at, "no node has a GPU that could be charged");
        }
        if let Some(at) = weighed("memory-gib").filter(|_| !nodes.is_some_and(Nodes::state_memory)) {
            return lacks(at, "no node states its memory, so none could be charged");
        }
        let pools = charge.at("pools").and_then(Node::as_table).map_or(&[][..], |pools| pools.slots());
        if let Some(slot) = pools.iter().find(|slot| !known.contains(&slot.name.as_str())) {
            let message = format!("the site has no pool `{}`", slot.name);
            let complaint = Complaint::new(code::CONTRADICTION, message, slot.span);
            return Err(complaint.help(suggestion(&slot.name, known.iter().copied())));
        }
    }
    Ok(())
}
