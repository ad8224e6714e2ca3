//! Losses of a graph in a format that cannot hold all of it.

use std::fmt;

use crate::graph::{Edge, FileNumber, Task, Workflow};
use crate::read::GraphFormat;
use crate::write::wfformat::is_id;

/// Content that a graph may have and a format may not hold, with the sentence about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Names,
    Blanks,
    Signs,
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
    const ALL: [Content; 15] = [
        Content::Names,
        Content::Blanks,
        Content::Signs,
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

    /// Outcome of it where a format does not hold it.
    fn sentence(self) -> &'static str {
        match self {
            Content::Names => "the names of tasks become numbers",
            Content::Blanks => "blanks in names become underscores",
            Content::Signs => "signs in names that an id may not have become underscores",
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

    /// Number of what have it.
    fn count_in(self, workflow: &Workflow) -> (usize, &'static str) {
        let tasks = |test: fn(&Task) -> bool| workflow.tasks().iter().filter(|task| test(task)).count();
        let edges = |test: fn(&Edge) -> bool| workflow.edges().iter().filter(|edge| test(edge)).count();
        match self {
            Content::Names => {
                let numbered = workflow.tasks().iter().zip(1_u64..);
                (numbered.filter(|(task, number)| *task.name != *number.to_string()).count(), "tasks")
            }
            Content::Blanks => (tasks(|task| task.name.contains(char::is_whitespace)), "tasks"),
            Content::Signs => {
                let files = workflow.files();
                let named = (0..files.len() as u32).map(|file| files.name(FileNumber(file)));
                let named = workflow.tasks().iter().map(|task| &*task.name).chain(named);
                (named.filter(|name| !is_id(name)).count(), "tasks and files")
            }
            Content::Times => (tasks(|task| task.times.is_some()), "tasks"),
            Content::Categories => (tasks(|task| task.category.is_some()), "tasks"),
            Content::Cores => (tasks(|task| task.cores != 1), "tasks"),
            Content::Memory => (tasks(|task| task.memory.is_some()), "tasks"),
            Content::Properties => {
                let both =
                    tasks(|task| task.properties.is_some()) + edges(|edge| edge.properties().is_some());
                (both, "tasks and edges")
            }
            Content::FileNames => (workflow.files().len(), "files"),
            Content::TransferNames => (edges(|edge| edge.name().is_some()), "edges"),
            Content::Bytes => (edges(|edge| edge.bytes.is_some()), "edges"),
            Content::EmptyTransfers => (edges(|edge| edge.bytes == Some(0)), "edges"),
            Content::ControlEdges => (edges(|edge| edge.bytes.is_none()), "edges"),
            Content::Externals => (workflow.inputs().len() + workflow.outputs().len(), "files of tasks"),
            Content::RootAndEnd => (workflow.root().iter().count() + workflow.end().iter().count(), "names"),
        }
    }
}

/// Something that a graph has and a format cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Outcome of it, a sentence without a full stop.
    pub what: &'static str,
    /// Number of times that it is there.
    pub count: usize,
    of: &'static str,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} {})", self.what, self.count, self.of)
    }
}

/// Contents that a format holds.
fn holds(format: GraphFormat) -> &'static [Content] {
    use Content::{
        Blanks, Bytes, Categories, ControlEdges, Cores, EmptyTransfers, Externals, FileNames, Memory, Names,
        Properties, RootAndEnd, Signs, Times,
    };
    match format {
        GraphFormat::DagText => {
            &[Names, Signs, Times, Bytes, EmptyTransfers, ControlEdges, Externals, RootAndEnd]
        }
        GraphFormat::Dax => {
            &[Names, Blanks, Signs, Categories, Cores, FileNames, Bytes, EmptyTransfers, Externals]
        }
        GraphFormat::Dot => {
            &[Names, Blanks, Signs, Categories, Cores, Properties, Bytes, ControlEdges, Externals, RootAndEnd]
        }
        GraphFormat::Pegasus => {
            &[Names, Blanks, Signs, Categories, Cores, Memory, FileNames, Bytes, EmptyTransfers, Externals]
        }
        GraphFormat::Stg => &[ControlEdges, RootAndEnd],
        GraphFormat::WfFormat => {
            &[Names, Blanks, Categories, Cores, Memory, FileNames, Bytes, EmptyTransfers, Externals]
        }
    }
}

/// Returns the contents of a graph that a file of this format cannot hold.
pub fn losses(workflow: &Workflow, format: GraphFormat) -> Vec<Loss> {
    let holds = holds(format);
    let lost = |content: &Content| {
        // where all names or data go, nothing has to be said of some
        let whole = match content {
            Content::EmptyTransfers | Content::FileNames | Content::TransferNames => Some(Content::Bytes),
            Content::Blanks | Content::Signs => Some(Content::Names),
            _ => None,
        };
        !holds.contains(content) && whole.is_none_or(|whole| holds.contains(&whole))
    };
    let counted = |content: Content| {
        let (count, of) = content.count_in(workflow);
        Loss { what: content.sentence(), count, of }
    };
    Content::ALL.into_iter().filter(lost).map(counted).filter(|loss| loss.count > 0).collect()
}
