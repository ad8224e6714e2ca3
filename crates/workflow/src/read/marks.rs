//! Marks of the formats of task graphs.

use crate::text::mark::{FileMark, Head};

use super::format::is_pegasus;

macro_rules! graph {
    ($kind:literal) => {
        concat!(
            "`clustersim show workflow {file}` draws it, `clustersim convert {file} graph.dot` writes another format; a scenario \
             reads it: [application] with kind = \"",
            $kind,
            "\" and file = \"{file}\""
        )
    };
}

/// The mark of the text of DAGSim.
pub const DAG_TEXT: FileMark =
    FileMark::new("a task graph in the text of DAGSim", graph!("dag-text"), |head| {
        head.begins_with("DagDescription")
    });

/// The mark of abstract DAGs of Pegasus.
pub const DAX: FileMark =
    FileMark::new("a task graph of Pegasus (DAX, XML)", graph!("dax"), |head| head.has_element("adag"));

/// The mark of directed graphs of Graphviz.
pub const DOT: FileMark = FileMark::new("a directed graph in DOT", graph!("dot"), |head| {
    let behind_comment = head.statements().next().is_some_and(|line| line.starts_with('/'));
    head.begins_with("digraph")
        || head.begins_with("strict")
        || (behind_comment && head.text().contains("digraph"))
});

/// The mark of abstract workflows of Pegasus 5.
pub const PEGASUS: FileMark =
    FileMark::new("an abstract workflow of Pegasus (YAML)", graph!("pegasus"), |head| {
        !head.is_markup() && is_pegasus(head.text()) && !is_wfformat(head)
    });

/// The mark of the Standard Task Graph Set: the number of tasks alone, then the root, which has no
/// time and no parents.
pub const STG: FileMark = FileMark::new("a graph of the Standard Task Graph Set", graph!("stg"), |head| {
    let mut lines = head.lines();
    let count = lines.next().is_some_and(|line| line.parse::<u32>().is_ok());
    count && lines.next().is_some_and(|line| line.split_whitespace().eq(["0", "0", "0"]))
});

/// The mark of workflows of WfCommons.
pub const WFFORMAT: FileMark =
    FileMark::new("a workflow in WfFormat (JSON)", graph!("wfformat"), is_wfformat);

fn is_wfformat(head: &Head<'_>) -> bool {
    head.has_key("schemaVersion") && head.has_key("workflow")
}
