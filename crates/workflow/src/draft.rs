//! A graph as it is put together: tasks, edges and files in any order, and what is wrong with them.
//!
//! Readers and generators add what they find, each with its place; a name may be used before its
//! task is defined. [`Draft::finish`] then looks at the whole and reports every mistake at once, or
//! gives the graph and what was irregular in it.

use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::graph::{EdgeMarks, Properties, Task};
use crate::names::Interner;
use crate::text::{Mistake, Mistakes, Spot};

/// Tasks that a graph may have.
pub const MOST_TASKS: usize = 10_000_000;
/// Edges that a graph may have.
pub const MOST_EDGES: usize = 100_000_000;
/// Files that a graph may have.
const MOST_FILES: usize = 30_000_000;
/// Edges that may follow from files alone: one file of many writers and many readers makes many of
/// them.
pub(super) const MOST_FILE_EDGES: usize = 10_000_000;

/// Irregularity of a graph that its author may not have meant, and that is read all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Irregularity {
    /// A file has several writers: each is a parent of each reader.
    SeveralWriters,
    /// An edge is there more than once; its bytes count once.
    DuplicateEdge,
    /// A count that the file states about itself is not that of what is in it.
    DeclaredCount,
    /// A size of a file differs from the first one written, which counts.
    FileSize,
    /// A file has no size: it is empty.
    FileWithoutSize,
    /// A task has no edge, in a graph that has several tasks.
    Isolated,
    /// A task is named in edges only.
    EdgesOnly,
    /// Nothing states the cost of a task.
    WithoutCost,
    /// The machine of a task has no known speed: the reference speed counts.
    UnknownMachine,
    /// A task reads a file of another that is not its parent.
    ReadWithoutEdge,
}

impl Irregularity {
    /// Name for so many, and what was done about it.
    pub fn words(self, count: u64) -> String {
        let (one, many, then) = match self {
            Irregularity::SeveralWriters => {
                ("file has", "files have", " several writers: each is a parent of each reader")
            }
            Irregularity::DuplicateEdge => {
                ("edge is", "edges are", " there more than once: its bytes count once")
            }
            Irregularity::DeclaredCount => {
                ("count", "counts", " that the file states about itself: what is in the file counts")
            }
            Irregularity::FileSize => (
                "size of a file differs",
                "sizes of files differ",
                " from the first one written, which counts",
            ),
            Irregularity::FileWithoutSize => ("file has", "files have", " no size: 0 bytes"),
            Irregularity::Isolated => ("task has", "tasks have", " no edges"),
            Irregularity::EdgesOnly => ("task is", "tasks are", " named in edges only"),
            Irregularity::WithoutCost => ("task has", "tasks have", " no cost: 0 operations"),
            Irregularity::UnknownMachine => {
                ("task has", "tasks have", " no machine of known speed: the reference speed counts")
            }
            Irregularity::ReadWithoutEdge => {
                ("file is", "files are", " read by a task that is no child of its writer: this makes no edge")
            }
        };
        format!("{count} {}{then}", if count == 1 { one } else { many })
    }
}

/// An irregularity, how often it is there, and where it was met first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Irregularities {
    /// Kind.
    pub what: Irregularity,
    /// Number of occurrences.
    pub count: u64,
    /// The first task, edge or file.
    pub first: String,
}

/// A name in a draft: a task or transfer that is defined, or is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Vertex(pub(super) u32);

/// A file in a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileKey(pub(super) u32);

/// Kind of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexKind {
    /// A task that computes.
    Computation,
    /// Sends these bytes from its one parent to its one child: an edge of the graph.
    Transfer(u64),
    /// A root if it has no parents, else a task.
    Root,
    /// An end if it has no children, else a task.
    End,
    /// A root that is declared: it has no parents, and every task lies on a path from it.
    DeclaredRoot,
    /// An end that is declared: it has no children, and every task lies on a path to it.
    DeclaredEnd,
}

/// Place in which an edge was written: the same edge in two such lists is no duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeOrigin {
    /// As an edge, or in the parents of the child.
    Parents,
    /// In the children of the parent.
    Children,
    /// By a file that one task writes and the other reads.
    Files,
}

/// A defined vertex.
#[derive(Debug)]
pub(super) struct Defined {
    pub(super) kind: VertexKind,
    pub(super) task: Task,
    pub(super) spot: Spot,
}

/// An edge between keys, later between vertices.
#[derive(Clone, Debug)]
pub(super) struct RawEdge {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) bytes: Option<u64>,
    pub(super) spot: Spot,
    pub(super) origin: EdgeOrigin,
    /// Place of its name or properties in `Draft::marked`, one above; 0 if it has none.
    pub(super) marked: u32,
}

/// The number of the task of each vertex; `None` for those that are none.
pub(super) type Numbers = Vec<Option<u32>>;

/// A graph as it is put together.
#[derive(Debug, Default)]
pub struct Draft {
    pub(super) name: Box<str>,
    pub(super) keys: Interner,
    /// By key: where it was met first, and the place of its definition.
    pub(super) met: Vec<(Spot, Option<u32>)>,
    /// Other names of vertices; `None` where several have it.
    pub(super) aliases: OrderedMap<Box<str>, Option<u32>>,
    pub(super) defined: Vec<Defined>,
    pub(super) edges: Vec<RawEdge>,
    pub(super) marked: Vec<EdgeMarks>,
    pub(super) hosts: OrderedMap<Box<str>, Arc<str>>,
    /// Execution times: key, host, seconds, place.
    pub(super) times: Vec<(u32, Arc<str>, f64, Spot)>,
    pub(super) files: Interner,
    /// By file.
    pub(super) sizes: Vec<Option<u64>>,
    pub(super) writes: Vec<(FileKey, Vertex, Spot)>,
    pub(super) reads: Vec<(FileKey, Vertex, Spot)>,
    /// True if what one writes and another reads is an edge.
    pub(super) files_are_edges: bool,
    /// True if the bytes of edges are those of common files.
    pub(super) files_have_bytes: bool,
    /// Tasks of which the text states no cost.
    pub(super) costless: Vec<Vertex>,
    pub(super) irregular: OrderedMap<Irregularity, (u64, String)>,
    pub(super) noted: Mistakes<Mistake>,
    is_full: bool,
}

impl Draft {
    /// Nothing yet; `name` is what outputs call the graph.
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Draft { name: name.into(), ..Draft::default() }
    }

    /// Names the graph.
    pub fn rename(&mut self, name: impl Into<Box<str>>) {
        self.name = name.into();
    }

    /// Takes the bytes of edges from the files that the parent writes and the child reads; an edge
    /// without one carries 0 bytes. With `are_edges`, each such pair is an edge.
    pub fn data_by_files(&mut self, are_edges: bool) {
        (self.files_have_bytes, self.files_are_edges) = (true, are_edges);
    }

    /// The vertex of this name, whether it is defined or not.
    pub fn vertex(&mut self, name: &str, spot: Spot) -> Vertex {
        let (key, is_new) = self.keys.add(name);
        if is_new {
            self.met.push((spot, None));
            // root, end and the transfers have names, too; more are used in edges only
            if self.met.len() > 2 * MOST_TASKS {
                self.full(format!("a graph has at most {MOST_TASKS} tasks, and more names are used"), spot);
            }
        }
        Vertex(key)
    }

    /// Returns true if a vertex is defined.
    pub fn is_defined(&self, vertex: Vertex) -> bool {
        self.met[vertex.0 as usize].1.is_some()
    }

    /// The names that were used and not defined, in the order in which they came, with their
    /// places.
    pub fn undefined(&self) -> Vec<(String, Spot)> {
        let names = self.keys.names().zip(&self.met);
        names.filter(|(_, met)| met.1.is_none()).map(|(name, met)| (name.to_owned(), met.0)).collect()
    }

    /// Defines the vertex that is called as the task is.
    pub fn define(&mut self, task: Task, kind: VertexKind, spot: Spot) -> Vertex {
        let vertex = self.vertex(&task.name, spot);
        if self.defined.len() >= MOST_TASKS {
            self.full(format!("a graph has at most {MOST_TASKS} tasks"), spot);
            return vertex;
        }
        if self.is_defined(vertex) {
            self.mistake(format!("`{}` is defined twice", task.name), spot);
            return vertex;
        }
        if !(task.work.is_finite() && task.work >= 0.0) {
            self.mistake(format!("the work of `{}` is not a finite number of zero or more", task.name), spot);
        }
        self.met[vertex.0 as usize].1 = Some(self.defined.len() as u32);
        self.defined.push(Defined { kind, task, spot });
        vertex
    }

    /// The name of a defined vertex, and where it is defined.
    pub fn definition(&self, vertex: Vertex) -> Option<(String, Spot)> {
        let place = self.met[vertex.0 as usize].1?;
        let defined = &self.defined[place as usize];
        Some((defined.task.name.to_string(), defined.spot))
    }

    /// The name of a vertex.
    pub(super) fn name(&self, vertex: Vertex) -> &str {
        self.keys.name(vertex.0)
    }

    /// The vertices that are defined as tasks, by the order in which their names came.
    pub fn computations(&self) -> Vec<Vertex> {
        let is_computation = |place: &u32| self.defined[*place as usize].kind == VertexKind::Computation;
        let vertices = self.met.iter().zip(0..).filter(|(met, _)| met.1.as_ref().is_some_and(is_computation));
        vertices.map(|(_, key)| Vertex(key)).collect()
    }

    /// The task of a defined vertex, to add to.
    pub fn task_mut(&mut self, vertex: Vertex) -> Option<&mut Task> {
        let place = self.met[vertex.0 as usize].1?;
        Some(&mut self.defined[place as usize].task)
    }

    /// Gives a vertex a second name, by which edges may call it where no vertex has it as its
    /// first.
    pub fn alias(&mut self, name: &str, vertex: Vertex) {
        let known = self.aliases.entry(name.into()).or_insert(Some(vertex.0));
        if *known != Some(vertex.0) {
            *known = None;
        }
    }

    /// Adds an edge.
    pub fn edge(&mut self, from: Vertex, to: Vertex, bytes: Option<u64>, origin: EdgeOrigin, spot: Spot) {
        if self.edges.len() >= MOST_EDGES {
            return self.full(format!("a graph has at most {MOST_EDGES} edges"), spot);
        }
        self.edges.push(RawEdge { from: from.0, to: to.0, bytes, spot, origin, marked: 0 });
    }

    /// Gives the last edge properties.
    pub fn mark_edge(&mut self, properties: Properties) {
        if let Some(edge) = self.edges.last_mut() {
            self.marked.push(EdgeMarks { name: None, properties: Some(properties) });
            edge.marked = self.marked.len() as u32;
        }
    }

    /// States how long a vertex takes on a host, in seconds.
    pub fn time(&mut self, vertex: Vertex, host: &str, seconds: f64, spot: Spot) {
        let host = match self.hosts.get(host) {
            Some(known) => Arc::clone(known),
            None => Arc::clone(self.hosts.entry(host.into()).or_insert(Arc::from(host))),
        };
        if self.times.len() >= MOST_EDGES {
            return self.full(format!("a graph has at most {MOST_EDGES} execution times"), spot);
        }
        self.times.push((vertex.0, host, seconds, spot));
    }

    /// The file of this name; the first size counts.
    pub fn file(&mut self, name: &str, bytes: Option<u64>) -> FileKey {
        let (file, is_new) = self.files.add(name);
        if is_new {
            self.sizes.push(bytes);
            if self.sizes.len() > MOST_FILES {
                self.full(format!("a graph has at most {MOST_FILES} files"), Spot::NOWHERE);
            }
        }
        match (self.sizes[file as usize], bytes) {
            (None, Some(_)) => self.sizes[file as usize] = bytes,
            (Some(first), Some(other)) if first != other => self.count(Irregularity::FileSize, name),
            _ => {}
        }
        FileKey(file)
    }

    /// States that a vertex writes a file.
    pub fn writes(&mut self, vertex: Vertex, file: FileKey, spot: Spot) {
        if self.writes.len() >= MOST_EDGES {
            return self.full(format!("a graph names at most {MOST_EDGES} written files"), spot);
        }
        self.writes.push((file, vertex, spot));
    }

    /// States that a vertex reads a file.
    pub fn reads(&mut self, vertex: Vertex, file: FileKey, spot: Spot) {
        if self.reads.len() >= MOST_EDGES {
            return self.full(format!("a graph names at most {MOST_EDGES} read files"), spot);
        }
        self.reads.push((file, vertex, spot));
    }

    /// Counts something irregular about `which`.
    pub fn count(&mut self, what: Irregularity, which: &str) {
        self.irregular.entry(what).or_insert_with(|| (0, which.to_owned())).0 += 1;
    }

    /// States that the text has no cost of a task.
    pub(super) fn without_cost(&mut self, vertex: Vertex) {
        self.costless.push(vertex);
    }

    /// Notes a mistake.
    pub fn mistake(&mut self, message: impl Into<String>, spot: Spot) {
        self.push(Mistake { message: message.into(), help: None, spot });
    }

    /// Notes a mistake and how to mend it.
    pub fn push(&mut self, mistake: Mistake) {
        self.noted.push(mistake);
    }

    /// Notes the mistakes of a part.
    pub(super) fn append(&mut self, mistakes: Mistakes<Mistake>) {
        self.noted.append(mistakes);
    }

    /// Notes a bound that is reached; once.
    pub(super) fn full(&mut self, message: String, spot: Spot) {
        if !std::mem::replace(&mut self.is_full, true) {
            self.mistake(message, spot);
        }
    }

    /// Returns true if a bound is reached: a reader need not go on.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// A number of zero or more that stands in a text; a mistake, and 0, if it is none.
    pub fn amount(&mut self, what: &str, text: &str, spot: Spot) -> f64 {
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => return number.abs(),
            Ok(number) if number < 0.0 => self.mistake(format!("{what} is negative"), spot),
            Ok(_) => self.mistake(format!("{what} is not finite"), spot),
            Err(_) => self.mistake(format!("{what} is no number"), spot),
        }
        0.0
    }

    /// A number of cores that stands in a text, rounded up, and at least one; a mistake, and 1, if
    /// it is no number.
    pub(super) fn cores(&mut self, text: &str, spot: Spot) -> u32 {
        // beyond 2^32 the cast saturates
        self.amount("the number of cores", text, spot).ceil().max(1.0) as u32
    }

    /// A size in whole bytes that stands in a text, rounded; a mistake, and 0, if it is none.
    pub fn size(&mut self, what: &str, text: &str, spot: Spot) -> u64 {
        match text.parse::<u64>() {
            Ok(bytes) => bytes,
            // beyond 2^64 the cast saturates
            Err(_) => self.amount(what, text, spot).round() as u64,
        }
    }
}
