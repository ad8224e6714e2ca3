//! From a draft to a graph: names are resolved, transfers become edges, roots and ends without cost
//! go, duplicates are merged.
//!
//! Every step goes on where an earlier one found mistakes, with what is known, so that all are
//! reported at once.

use crate::data_files::{Sides, Writers, add_file_edges, carry, external, number_files};
use crate::draft::{Draft, Irregularities, Irregularity, Numbers, RawEdge, Vertex, VertexKind};
use crate::graph::{DataFiles, Edge, EdgeNumber, FileNumber, Lists, TaskNumber, Workflow};
use crate::merge::{Merging, contract_transfers, edge_name, merge};
use crate::order::order;
use crate::paths::check_paths;
use crate::text::{Mistake, Mistakes, Spot, nearest};

impl Draft {
    /// The graph, and what was irregular in it.
    ///
    /// # Errors
    /// Everything that is wrong with it, in the order of the text.
    ///
    /// # Complexity
    /// O((n + m) log m) for n tasks and m edges.
    pub fn finish(mut self) -> Result<(Workflow, Vec<Irregularities>), Mistakes<Mistake>> {
        let workflow = if self.is_full() { None } else { assemble(&mut self) };
        match workflow {
            Some(workflow) if self.noted.is_empty() => {
                let counted = self.irregular.into_iter().map(|(what, (count, first))| Irregularities {
                    what,
                    count,
                    first,
                });
                Ok((workflow, counted.collect()))
            }
            _ => Err(self.mistakes()),
        }
    }

    /// Irregularities, in the order of the text.
    pub(super) fn mistakes(self) -> Mistakes<Mistake> {
        self.noted.sorted_by_key(|mistake| mistake.spot)
    }
}

/// The graph that the draft is; `None` if it has no order. Mistakes are noted in the draft.
fn assemble(draft: &mut Draft) -> Option<Workflow> {
    give_times(draft);
    let mut edges = resolve(draft);
    add_file_edges(draft, &mut edges);
    merge(draft, &mut edges, Merging::Written);
    contract_transfers(draft, &mut edges);
    let parts = parts(draft, &edges);
    check_paths(draft, &edges, &parts);
    let numbers = number(&parts);
    let mut sides = cut(draft, &mut edges, &numbers);
    let count = numbers.iter().flatten().count();
    if count == 0 && draft.noted.is_empty() {
        draft.mistake("there is no task", Spot { at: 0, width: 0 });
    }
    let order = order(draft, &edges, &numbers, count)?;
    let mut pairs = Vec::new();
    if draft.files_have_bytes {
        number_files(draft, &numbers);
        let writers = Writers::new(draft);
        pairs = carry(draft, &writers, &mut edges);
        writers.externals(draft, &mut sides);
    }
    Some(graph(draft, &parts, edges, order, &pairs, sides))
}

/// Gives the tasks their execution times.
fn give_times(draft: &mut Draft) {
    let mut times = std::mem::take(&mut draft.times);
    times.sort_by(|(key, host, _, spot), (other, name, _, at)| (key, host, spot).cmp(&(other, name, at)));
    for group in times.chunk_by(|one, next| one.0 == next.0) {
        for pair in group.windows(2).filter(|pair| pair[0].1 == pair[1].1) {
            let name = draft.keys.name(pair[1].0).to_owned();
            draft.mistake(format!("the time of `{name}` on `{}` is given twice", pair[1].1), pair[1].3);
        }
        let list = group.iter().map(|(_, host, seconds, _)| (host.clone(), *seconds)).collect();
        // a name that is not defined is reported with those of edges
        if let Some(task) = draft.task_mut(Vertex(group[0].0)) {
            task.times = Some(list);
        }
    }
}

/// The edges between defined vertices; names that no vertex has, and edges from a vertex to itself,
/// are mistakes.
fn resolve(draft: &mut Draft) -> Vec<RawEdge> {
    let mut places: Vec<Option<u32>> = Vec::with_capacity(draft.met.len());
    for key in 0..draft.met.len() {
        let (spot, defined) = draft.met[key];
        let alias = || {
            let name = draft.keys.name(key as u32);
            draft.aliases.get(name).map(|vertex| vertex.and_then(|key| draft.met[key as usize].1))
        };
        let known = defined.map(Some).or_else(alias);
        places.push(known.flatten());
        let name = draft.keys.name(key as u32);
        let (message, help) = match known {
            Some(Some(_)) => continue,
            Some(None) => (format!("several tasks are called `{name}`"), None),
            None => {
                let defined = draft.defined.iter().map(|vertex| &*vertex.task.name);
                let near = if draft.noted.are_few() { nearest(name, defined) } else { None };
                (format!("there is no task `{name}`"), near.map(|near| format!("did you mean `{near}`?")))
            }
        };
        draft.push(Mistake { message, help, spot });
    }
    let mut edges = std::mem::take(&mut draft.edges);
    edges.retain_mut(|edge| {
        let (Some(from), Some(to)) = (places[edge.from as usize], places[edge.to as usize]) else {
            return false;
        };
        (edge.from, edge.to) = (from, to);
        if from == to {
            let name = draft.defined[from as usize].task.name.clone();
            draft.mistake(format!("`{name}` is its own parent"), edge.spot);
        }
        from != to
    });
    let place = |vertex: &mut Vertex| match places[vertex.0 as usize] {
        Some(defined) => {
            vertex.0 = defined;
            true
        }
        None => false,
    };
    draft.writes.retain_mut(|(_, vertex, _)| place(vertex));
    draft.reads.retain_mut(|(_, vertex, _)| place(vertex));
    edges
}

/// Final kind of each vertex: a root or end that has a cost, or lies between others, is a task.
fn parts(draft: &mut Draft, edges: &[RawEdge]) -> Vec<VertexKind> {
    let count = draft.defined.len();
    let (mut has_parent, mut has_child) = (vec![false; count], vec![false; count]);
    for edge in edges {
        has_child[edge.from as usize] = true;
        has_parent[edge.to as usize] = true;
    }
    let mut parts = Vec::with_capacity(count);
    for vertex in 0..count {
        let defined = &draft.defined[vertex];
        let (name, spot) = (&defined.task.name, defined.spot);
        let costs = defined.task.work > 0.0 || defined.task.times.is_some();
        let (stands_within, wrong) = match defined.kind {
            VertexKind::Root => (has_parent[vertex], None),
            VertexKind::End => (has_child[vertex], None),
            VertexKind::DeclaredRoot => {
                (false, has_parent[vertex].then(|| format!("the root `{name}` has a parent")))
            }
            VertexKind::DeclaredEnd => {
                (false, has_child[vertex].then(|| format!("the end `{name}` has a child")))
            }
            VertexKind::Computation | VertexKind::Transfer(_) => (false, None),
        };
        let kind = match defined.kind {
            VertexKind::Transfer(bytes) => VertexKind::Transfer(bytes),
            _ if stands_within || costs => VertexKind::Computation,
            VertexKind::Root | VertexKind::DeclaredRoot => VertexKind::Root,
            VertexKind::End | VertexKind::DeclaredEnd => VertexKind::End,
            VertexKind::Computation => VertexKind::Computation,
        };
        let connected = has_parent[vertex] || has_child[vertex];
        if let Some(wrong) = wrong {
            draft.mistake(wrong, spot);
        }
        if kind == VertexKind::Computation && !connected && count > 1 {
            let name = draft.defined[vertex].task.name.to_string();
            draft.count(Irregularity::Isolated, &name);
        }
        parts.push(kind);
    }
    parts
}

/// Numbers the tasks in the order of the file.
fn number(parts: &[VertexKind]) -> Numbers {
    let mut count = 0;
    let next = |kind: &VertexKind| {
        count += u32::from(*kind == VertexKind::Computation);
        (*kind == VertexKind::Computation).then(|| count - 1)
    };
    parts.iter().map(next).collect()
}

/// Leaves the edges between tasks, by their numbers; bytes from a root or to an end become an input
/// or output.
fn cut(draft: &mut Draft, edges: &mut Vec<RawEdge>, numbers: &Numbers) -> Sides {
    let mut sides = Sides::default();
    edges.retain_mut(|edge| {
        let ends = (numbers[edge.from as usize], numbers[edge.to as usize], edge.bytes);
        let (task, list, bytes) = match ends {
            (Some(from), Some(to), _) => {
                (edge.from, edge.to) = (from, to);
                return true;
            }
            (Some(from), None, Some(bytes)) => (from, &mut sides.outputs, bytes),
            (None, Some(to), Some(bytes)) => (to, &mut sides.inputs, bytes),
            _ => return false,
        };
        let marks = edge.marked.checked_sub(1).map(|place| &draft.marked[place as usize]);
        let name = marks.and_then(|marks| marks.name.as_deref().map(str::to_owned));
        let name = name.unwrap_or_else(|| edge_name(draft, edge));
        let file = draft.file(&name, Some(bytes));
        list.push(external(draft, task, file));
        false
    });
    sides
}

/// Takes the draft apart into a graph.
fn graph(
    draft: &mut Draft,
    parts: &[VertexKind],
    edges: Vec<RawEdge>,
    order: Vec<TaskNumber>,
    files: &[(u32, FileNumber)],
    mut sides: Sides,
) -> Workflow {
    let (mut root, mut end) = (None, None);
    let mut tasks = Vec::with_capacity(order.len());
    for (defined, kind) in std::mem::take(&mut draft.defined).into_iter().zip(parts) {
        match kind {
            VertexKind::Computation => tasks.push(defined.task),
            VertexKind::Root | VertexKind::DeclaredRoot => root = root.or(Some(defined.task.name)),
            VertexKind::End | VertexKind::DeclaredEnd => end = end.or(Some(defined.task.name)),
            VertexKind::Transfer(_) => {}
        }
    }
    let pairs: Vec<(u32, EdgeNumber)> =
        edges.iter().zip(0..).map(|(edge, at)| (edge.from, EdgeNumber(at))).collect();
    let outgoing = Lists::of(tasks.len(), &pairs);
    let mut pairs: Vec<(u32, EdgeNumber)> =
        edges.iter().zip(0..).map(|(edge, at)| (edge.to, EdgeNumber(at))).collect();
    pairs.sort_unstable();
    let incoming = Lists::of(tasks.len(), &pairs);
    let files_of_edges = Lists::of(edges.len(), files);
    let mut by_name: Vec<TaskNumber> = (0..tasks.len() as u32).map(TaskNumber).collect();
    by_name.sort_by(|one, other| tasks[one.index()].name.cmp(&tasks[other.index()].name));
    let marked = &mut draft.marked;
    let edges = edges.into_iter().map(|edge| {
        let marks = edge.marked.checked_sub(1).map(|place| std::mem::take(&mut marked[place as usize]));
        let (from, to) = (TaskNumber(edge.from), TaskNumber(edge.to));
        Edge { from, to, bytes: edge.bytes, marks: marks.map(Box::new) }
    });
    let mut edges: Vec<Edge> = edges.collect();
    // they lie where those of the draft were, for which there may be room that is never used
    edges.shrink_to_fit();
    let bytes = draft.sizes.iter().map(|size| size.unwrap_or(0)).collect();
    let files = DataFiles { names: std::mem::take(&mut draft.files).into_names(), bytes };
    sides.inputs.sort_unstable();
    sides.outputs.sort_unstable();
    let (inputs, outputs) = (sides.inputs, sides.outputs);
    let name = std::mem::take(&mut draft.name);
    Workflow {
        name,
        tasks,
        edges,
        incoming,
        outgoing,
        order,
        by_name,
        files,
        files_of_edges,
        inputs,
        outputs,
        root,
        end,
    }
}
