//! The section of the manual about traces of tasks.

use crate::registry::Key;
use crate::scenario::manual::{Block, Item};
use crate::workload::parallel::trace::{ITERATING, PIPELINE, RECORDED};

/// The forms of a line of a trace, and the keys of each.
const TRACE: &[(&str, &[Key])] = &[
    ("A job that iterates: compute, do I/O, send to every peer, receive from every peer.", ITERATING),
    ("A job that is a pipeline, known by its `frames`; its tasks are the stages.", PIPELINE),
    ("A job whose tasks were recorded, known by its `steps`.", RECORDED),
];

/// The section.
pub(super) fn trace_of_tasks() -> Vec<Block> {
    let mut blocks = Vec::new();
    blocks.push(Block::Section("A trace of tasks".to_owned()));
    blocks.push(Block::Text(
        "What `[workload] kind = \"task-trace\"` reads: a JSON object on each line, one job each, plain or gzip. Values \
         are written as in a scenario, a duration as \"5ms\". There are three forms:"
            .to_owned(),
    ));
    for (form, keys) in TRACE {
        blocks.push(Block::Text((*form).to_owned()));
        blocks.extend(keys.iter().map(|key| Block::Item(Item::of_key(key.name, key))));
    }
    blocks
}
