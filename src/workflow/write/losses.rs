//! What a graph has that a format cannot hold.

use crate::workflow::graph::{Task, Workflow};
use crate::workflow::read::GraphFormat;

/// What a graph may have and a format may not hold, with the sentence about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Names,
    Times,
    Categories,
    Cores,
    Memory,
    Properties,
    FileNames,
    TransferNames,
    Bytes,
    EmptyTransfers,
    ControlEdges,
    Externals,
    RootAndEnd,
}

impl Content {
    const ALL: [Content; 13] = [
        Content::Names,
        Content::Times,
        Content::Categories,
        Content::Cores,
        Content::Memory,
        Content::Properties,
        Content::FileNames,
        Content::TransferNames,
        Content::Bytes,
        Content::EmptyTransfers,
        Content::ControlEdges,
        Content::Externals,
        Content::RootAndEnd,
    ];

    /// What becomes of it where a format does not hold it.
    fn sentence(self) -> &'static str {
        match self {
            Content::Names => "the names of tasks become numbers",
            Content::Times => "execution times on single hosts become their mean",
            Content::Categories => "the categories of tasks are left out",
            Content::Cores => "the cores that tasks ask for are left out",
            Content::Memory => "the memory that tasks ask for is left out",
            Content::Properties => "other properties of tasks and edges are left out",
            Content::FileNames => "the names of files are left out: only their bytes are written",
            Content::TransferNames => "the names of transfers are left out",
            Content::Bytes => "the data on edges are left out",
            Content::EmptyTransfers => "transfers of 0 bytes become control edges",
            Content::ControlEdges => "control edges become transfers of 0 bytes",
            Content::Externals => "what comes from outside or is left at the end is left out",
            Content::RootAndEnd => "the names of the root and the end are left out",
        }
    }

    fn is_in(self, workflow: &Workflow) -> bool {
        let any_task = |test: fn(&Task) -> bool| workflow.tasks().iter().any(test);
        let edges = workflow.edges();
        match self {
            Content::Names => {
                workflow.tasks().iter().zip(1_u64..).any(|(task, number)| *task.name != *number.to_string())
            }
            Content::Times => any_task(|task| task.times.is_some()),
            Content::Categories => any_task(|task| task.category.is_some()),
            Content::Cores => any_task(|task| task.cores != 1),
            Content::Memory => any_task(|task| task.memory.is_some()),
            Content::Properties => {
                any_task(|task| task.properties.is_some())
                    || edges.iter().any(|edge| edge.properties.is_some())
            }
            Content::FileNames => !workflow.files().is_empty(),
            Content::TransferNames => edges.iter().any(|edge| edge.name.is_some()),
            Content::Bytes => edges.iter().any(|edge| edge.bytes.is_some()),
            Content::EmptyTransfers => edges.iter().any(|edge| edge.bytes == Some(0)),
            Content::ControlEdges => edges.iter().any(|edge| edge.bytes.is_none()),
            Content::Externals => !workflow.inputs().is_empty() || !workflow.outputs().is_empty(),
            Content::RootAndEnd => workflow.root().is_some() || workflow.end().is_some(),
        }
    }
}

/// What a format holds.
fn holds(format: GraphFormat) -> &'static [Content] {
    use Content::{
        Bytes, Categories, ControlEdges, Cores, EmptyTransfers, Externals, FileNames, Memory, Names,
        Properties, RootAndEnd, Times,
    };
    match format {
        GraphFormat::DagText => &[Names, Times, Bytes, EmptyTransfers, ControlEdges, Externals, RootAndEnd],
        GraphFormat::Dax => &[Names, Categories, FileNames, Bytes, EmptyTransfers, Externals],
        GraphFormat::Dot => &[Names, Categories, Properties, Bytes, ControlEdges, Externals, RootAndEnd],
        GraphFormat::Stg => &[ControlEdges, RootAndEnd],
        GraphFormat::WfFormat => {
            &[Names, Categories, Cores, Memory, FileNames, Bytes, EmptyTransfers, Externals]
        }
    }
}

/// What a graph has that a file of this format cannot hold, a sentence for each without a full stop.
pub fn losses(workflow: &Workflow, format: GraphFormat) -> Vec<&'static str> {
    let lost = |content: &Content| {
        // where all data go, none of their properties has to be named
        let is_within =
            matches!(content, Content::EmptyTransfers | Content::FileNames | Content::TransferNames);
        let holds = holds(format);
        !holds.contains(content) && (!is_within || holds.contains(&Content::Bytes))
    };
    let lost = Content::ALL.into_iter().filter(lost).filter(|content| content.is_in(workflow));
    lost.map(Content::sentence).collect()
}
