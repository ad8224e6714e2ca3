//! From a draft to a graph: names are resolved, transfers become edges, roots and ends without cost go, duplicates are merged.
//!
//! Every step goes on where an earlier one found mistakes, with what is known, so that all are reported at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::text::nearest;
use crate::workflow::draft::{
    Draft, FileKey, Irregularity, MOST_EDGES, Mistake, Origin, RawEdge, Spot, Vertex, VertexKind,
};
use crate::workflow::graph::{DataFile, Edge, EdgeNumber, External, FileNumber, Lists, TaskNumber, Workflow};

/// Unknown names for which the nearest known one is looked for.
const MOST_HELPED: usize = 10;
/// Names of a cycle that are printed.
const MOST_OF_CYCLE: usize = 100;

/// The graph that the draft is; `None` if it has no order. Mistakes are noted in the draft.
pub(super) fn assemble(draft: &mut Draft) -> Option<Workflow> {
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
    if count == 0 && draft.mistakes() == 0 {
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

/// The number of the task of each vertex; `None` for those that are none.
type Numbers = Vec<Option<u32>>;

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

/// The edges between defined vertices; names that no vertex has, and edges from a vertex to itself, are mistakes.
fn resolve(draft: &mut Draft) -> Vec<RawEdge> {
    let mut helped = 0;
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
                helped += 1;
                let near = if helped <= MOST_HELPED { nearest(name, defined) } else { None };
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

/// The writers of each file.
struct Writers(Lists<u32>);

impl Writers {
    fn new(draft: &mut Draft) -> Self {
        draft.writes.sort_by_key(|(file, vertex, _)| (*file, *vertex));
        draft.writes.dedup_by_key(|(file, vertex, _)| (*file, *vertex));
        let pairs: Vec<(u32, u32)> =
            draft.writes.iter().map(|(file, vertex, _)| (file.0, vertex.0)).collect();
        Writers(Lists::of(draft.files.len(), &pairs))
    }

    fn of(&self, file: FileKey) -> &[u32] {
        self.0.get(file.0 as usize)
    }

    /// Files that no task writes, and files that no task reads.
    fn externals(&self, draft: &Draft, sides: &mut Sides) {
        let mut is_read = vec![false; draft.files.len()];
        for (file, vertex, _) in &draft.reads {
            is_read[file.0 as usize] = true;
            if self.of(*file).is_empty() {
                sides.inputs.push(external(draft, vertex.0, *file));
            }
        }
        let unread = draft.writes.iter().filter(|(file, ..)| !is_read[file.0 as usize]);
        sides.outputs.extend(unread.map(|(file, vertex, _)| external(draft, vertex.0, *file)));
    }
}

fn external(draft: &Draft, task: u32, file: FileKey) -> External {
    let bytes = draft.sizes[file.0 as usize].0.unwrap_or(0);
    External { task: TaskNumber(task), file: FileNumber(file.0), bytes }
}

/// Adds an edge from each writer of a file to each reader, where the format has such edges.
fn add_file_edges(draft: &mut Draft, edges: &mut Vec<RawEdge>) {
    let writers = Writers::new(draft);
    draft.reads.sort_by_key(|(file, vertex, _)| (*vertex, *file));
    draft.reads.dedup_by_key(|(file, vertex, _)| (*vertex, *file));
    for file in 0..draft.files.len() as u32 {
        let name = draft.files.name(file).to_owned();
        if writers.of(FileKey(file)).len() > 1 {
            draft.count(Irregularity::SeveralWriters, &name);
        }
        if draft.sizes[file as usize].0.is_none() && draft.files_have_bytes {
            draft.count(Irregularity::FileWithoutSize, &name);
        }
    }
    if !draft.files_are_edges {
        return;
    }
    let reads = std::mem::take(&mut draft.reads);
    for (file, reader, spot) in &reads {
        let writers = writers.of(*file);
        if edges.len() + writers.len() > MOST_EDGES {
            draft.mistake(format!("files make more than {MOST_EDGES} edges"), *spot);
            break;
        }
        edges.extend(writers.iter().filter(|writer| **writer != reader.0).map(|writer| RawEdge {
            from: *writer,
            to: reader.0,
            bytes: None,
            spot: *spot,
            origin: Origin::Files,
            marked: 0,
        }));
    }
    draft.reads = reads;
}

/// What becomes of the bytes of edges that are merged.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Merging {
    /// Edges as written: the first that has bytes counts, and duplicates are counted.
    Written,
    /// Transfers of their own: their bytes are summed.
    Transfers,
}

/// Sorts edges by parent and child, and makes one of those that join the same two.
fn merge(draft: &mut Draft, edges: &mut Vec<RawEdge>, merging: Merging) {
    edges.sort_by_key(|edge| (edge.from, edge.to, edge.origin));
    let mut last = None;
    edges.dedup_by(|next, kept| {
        let before = last.replace(next.origin).unwrap_or(kept.origin);
        if (next.from, next.to) != (kept.from, kept.to) {
            return false;
        }
        kept.bytes = match (kept.bytes, next.bytes, merging) {
            (Some(one), Some(other), Merging::Transfers) => Some(one.saturating_add(other)),
            (one, other, _) => one.or(other),
        };
        if merging == Merging::Written && next.origin == before && before != Origin::Files {
            let name = edge_name(draft, kept);
            draft.count(Irregularity::DuplicateEdge, &name);
        }
        kept.marked = if kept.marked == 0 { next.marked } else { kept.marked };
        true
    });
}

/// The names of the two ends of an edge between vertices.
fn edge_name(draft: &Draft, edge: &RawEdge) -> String {
    let [from, to] = [edge.from, edge.to].map(|vertex| &draft.defined[vertex as usize].task.name);
    format!("{from}->{to}")
}

/// Makes an edge of each transfer, its parent and its child.
fn contract_transfers(draft: &mut Draft, edges: &mut Vec<RawEdge>) {
    let is_transfer =
        |draft: &Draft, vertex: u32| matches!(draft.defined[vertex as usize].kind, VertexKind::Transfer(_));
    if !(0..draft.defined.len() as u32).any(|vertex| is_transfer(draft, vertex)) {
        return;
    }
    // by vertex: how many parents and children, and the last of each with its edge's place
    let mut ends = vec![([0_u64; 2], [0_u32; 2], Spot::NOWHERE); draft.defined.len()];
    for edge in edges.iter() {
        let (count, last, spot) = &mut ends[edge.to as usize];
        (count[0], last[0], *spot) = (count[0] + 1, edge.from, edge.spot);
        let (count, last, _) = &mut ends[edge.from as usize];
        (count[1], last[1]) = (count[1] + 1, edge.to);
    }
    edges.retain(|edge| !is_transfer(draft, edge.from) && !is_transfer(draft, edge.to));
    for vertex in 0..draft.defined.len() {
        let VertexKind::Transfer(bytes) = draft.defined[vertex].kind else { continue };
        let (counts, [from, to], at) = ends[vertex];
        let (name, spot) = (draft.defined[vertex].task.name.clone(), draft.defined[vertex].spot);
        if counts != [1, 1] {
            let [parents, children] = counts;
            let message = format!(
                "the transfer `{name}` has {parents} parents and {children} children, not one of each"
            );
            draft.mistake(message, spot);
        } else if is_transfer(draft, from) || is_transfer(draft, to) {
            draft.mistake(format!("the transfer `{name}` leads to or from another transfer"), spot);
        } else if from == to {
            draft.mistake(format!("the transfer `{name}` leads from a task to itself"), spot);
        } else {
            draft.marked.push((Some(name), None));
            let marked = draft.marked.len() as u32;
            let spot = if at == Spot::NOWHERE { spot } else { at };
            edges.push(RawEdge { from, to, bytes: Some(bytes), spot, origin: Origin::Parents, marked });
        }
    }
    merge(draft, edges, Merging::Transfers);
}

/// What each vertex is in the end: a root or end that has a cost, or lies between others, is a task.
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

/// Checks that every vertex lies on a path from a declared root, and to a declared end.
fn check_paths(draft: &mut Draft, edges: &[RawEdge], parts: &[VertexKind]) {
    let declared = |draft: &Draft, kind: VertexKind| {
        draft
            .defined
            .iter()
            .enumerate()
            .filter(|(_, vertex)| vertex.kind == kind)
            .map(|(place, _)| place as u32)
            .collect::<Vec<_>>()
    };
    for (kind, word, from) in
        [(VertexKind::DeclaredRoot, "root", Side::Parents), (VertexKind::DeclaredEnd, "end", Side::Children)]
    {
        let starts = declared(draft, kind);
        let Some(&first) = starts.first() else { continue };
        for &second in &starts[1..] {
            let (message, spot) = (format!("a second {word}"), draft.defined[second as usize].spot);
            draft.mistake(message, spot);
        }
        let mut pairs: Vec<(u32, u32)> = match from {
            Side::Parents => edges.iter().map(|edge| (edge.from, edge.to)).collect(),
            Side::Children => edges.iter().map(|edge| (edge.to, edge.from)).collect(),
        };
        pairs.sort_unstable();
        let next = Lists::of(parts.len(), &pairs);
        let mut reached = vec![false; parts.len()];
        let mut open = vec![first];
        reached[first as usize] = true;
        while let Some(vertex) = open.pop() {
            for &next in next.get(vertex as usize) {
                if !std::mem::replace(&mut reached[next as usize], true) {
                    open.push(next);
                }
            }
        }
        for vertex in (0..parts.len()).filter(|vertex| !reached[*vertex]) {
            if matches!(parts[vertex], VertexKind::Transfer(_)) || starts.contains(&(vertex as u32)) {
                continue;
            }
            let defined = &draft.defined[vertex];
            let (from_or_to, root) = match from {
                Side::Parents => ("from", &draft.defined[first as usize].task.name),
                Side::Children => ("to", &draft.defined[first as usize].task.name),
            };
            let message = format!("`{}` lies on no path {from_or_to} the {word} `{root}`", defined.task.name);
            let spot = defined.spot;
            draft.mistake(message, spot);
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Parents,
    Children,
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

/// What comes from outside and what is left.
#[derive(Default)]
struct Sides {
    inputs: Vec<External>,
    outputs: Vec<External>,
}

/// Leaves the edges between tasks, by their numbers; bytes from a root or to an end become an input or output.
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
        let name = marks.and_then(|(name, _)| name.as_deref().map(str::to_owned));
        let name = name.unwrap_or_else(|| edge_name(draft, edge));
        let file = draft.file(&name, Some(bytes));
        list.push(external(draft, task, file));
        false
    });
    sides
}

/// The topological order, the lowest number first; a cycle is a mistake.
fn order(draft: &mut Draft, edges: &[RawEdge], numbers: &Numbers, count: usize) -> Option<Vec<TaskNumber>> {
    let pairs: Vec<(u32, u32)> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    let children = Lists::of(count, &pairs);
    let mut waiting = vec![0_u32; count];
    for edge in edges {
        waiting[edge.to as usize] += 1;
    }
    let mut ready: BinaryHeap<Reverse<u32>> =
        (0..count as u32).filter(|task| waiting[*task as usize] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse(task)) = ready.pop() {
        order.push(TaskNumber(task));
        for &child in children.get(task as usize) {
            waiting[child as usize] -= 1;
            if waiting[child as usize] == 0 {
                ready.push(Reverse(child));
            }
        }
    }
    if order.len() == count {
        return Some(order);
    }
    report_cycle(draft, edges, numbers, &waiting);
    None
}

/// Reports one cycle among the tasks that still wait for a parent, each by name, at one of its edges.
fn report_cycle(draft: &mut Draft, edges: &[RawEdge], numbers: &Numbers, waiting: &[u32]) {
    // from a task that waits, parents that wait lead back without end: some task is met again
    let mut parent: Vec<Option<&RawEdge>> = vec![None; waiting.len()];
    for edge in edges.iter().filter(|edge| waiting[edge.from as usize] > 0) {
        let first = &mut parent[edge.to as usize];
        *first = first.or(Some(edge));
    }
    let mut met = vec![false; waiting.len()];
    let Some(mut task) = (0..waiting.len()).find(|task| waiting[*task] > 0) else { return };
    while let Some(edge) = parent[task].filter(|_| !met[task]) {
        met[task] = true;
        task = edge.from as usize;
    }
    let closing = task;
    let mut back = vec![closing];
    let mut spot = Spot::NOWHERE;
    while let Some(edge) = parent[task] {
        if spot == Spot::NOWHERE {
            spot = edge.spot;
        }
        task = edge.from as usize;
        back.push(task);
        if task == closing {
            break;
        }
    }
    let mut vertices = vec![0; waiting.len()];
    for (vertex, number) in numbers.iter().enumerate() {
        if let Some(number) = number {
            vertices[*number as usize] = vertex;
        }
    }
    let mut names: Vec<&str> =
        back.iter().rev().map(|task| &*draft.defined[vertices[*task]].task.name).collect();
    let hidden = names.len().saturating_sub(MOST_OF_CYCLE + 1);
    let more = format!("({hidden} more)");
    if hidden > 0 {
        names.splice(MOST_OF_CYCLE..MOST_OF_CYCLE + hidden, [&*more]);
    }
    let message = format!("the tasks form a cycle: {}", names.join(" -> "));
    draft.mistake(message, spot);
}

/// Puts the numbers of tasks in place of the vertices that read and write.
fn number_files(draft: &mut Draft, numbers: &Numbers) {
    let number = |vertex: &mut Vertex| match numbers[vertex.0 as usize] {
        Some(task) => {
            vertex.0 = task;
            true
        }
        None => false,
    };
    draft.writes.retain_mut(|(_, vertex, _)| number(vertex));
    draft.reads.retain_mut(|(_, vertex, _)| number(vertex));
}

/// Finds the files that each edge carries, and adds their bytes to it.
fn carry(draft: &mut Draft, writers: &Writers, edges: &mut [RawEdge]) -> Vec<(u32, FileNumber)> {
    let mut pairs = Vec::new();
    for edge in edges.iter_mut() {
        edge.bytes = edge.bytes.or(Some(0));
    }
    let reads = std::mem::take(&mut draft.reads);
    for (file, reader, _) in &reads {
        let size = draft.sizes[file.0 as usize].0.unwrap_or(0);
        let mut is_unrelated = false;
        for &writer in writers.of(*file) {
            match edges.binary_search_by_key(&(writer, reader.0), |edge| (edge.from, edge.to)) {
                Ok(place) => {
                    pairs.push((place as u32, FileNumber(file.0)));
                    edges[place].bytes = edges[place].bytes.map(|bytes| bytes.saturating_add(size));
                }
                Err(_) => is_unrelated |= writer != reader.0,
            }
        }
        if is_unrelated {
            let name = draft.files.name(file.0).to_owned();
            draft.count(Irregularity::ReadWithoutEdge, &name);
        }
    }
    draft.reads = reads;
    pairs.sort_unstable();
    pairs
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
        let (name, properties) = marks.unwrap_or_default();
        let (from, to) = (TaskNumber(edge.from), TaskNumber(edge.to));
        Edge { from, to, bytes: edge.bytes, name, properties }
    });
    let edges = edges.collect();
    let names = draft.files.names().zip(&draft.sizes);
    let files =
        names.map(|(name, size)| DataFile { name: name.into(), bytes: size.0.unwrap_or(0) }).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workflow::Task;
    use crate::workflow::draft::Irregularities;

    fn named(draft: &mut Draft, name: &str, kind: VertexKind) -> Vertex {
        draft.define(
            Task::new(name, if kind == VertexKind::Computation { 1.0 } else { 0.0 }),
            kind,
            Spot::new(1, 1),
        )
    }

    fn join(draft: &mut Draft, from: &str, to: &str, bytes: Option<u64>) {
        let [from, to] = [from, to].map(|name| draft.vertex(name, Spot::new(2, 1)));
        draft.edge(from, to, bytes, Origin::Parents, Spot::new(3, 1));
    }

    fn messages(draft: Draft) -> Vec<String> {
        draft.finish().expect_err("mistakes").into_iter().map(|mistake| mistake.message).collect()
    }

    fn edges(workflow: &Workflow) -> Vec<(u32, u32, Option<u64>)> {
        workflow.edges().iter().map(|edge| (edge.from.0, edge.to.0, edge.bytes)).collect()
    }

    #[test]
    fn a_root_and_an_end_without_cost_leave_their_names_and_their_bytes() {
        let mut draft = Draft::new("g");
        named(&mut draft, "root", VertexKind::Root);
        for name in ["a", "b"] {
            named(&mut draft, name, VertexKind::Computation);
        }
        named(&mut draft, "end", VertexKind::End);
        join(&mut draft, "root", "a", Some(7));
        join(&mut draft, "a", "b", None);
        join(&mut draft, "b", "end", Some(9));
        join(&mut draft, "root", "end", Some(1));
        let (graph, counted) = draft.finish().expect("a graph");
        assert_eq!((graph.root(), graph.end(), counted), (Some("root"), Some("end"), Vec::new()));
        assert_eq!(edges(&graph), [(0, 1, None)]);
        let side = |side: &[External]| {
            side.iter()
                .map(|one| (one.task.0, one.bytes, &*graph.files()[one.file.index()].name))
                .collect::<Vec<_>>()
        };
        assert_eq!(side(graph.inputs()), [(0, 7, "root->a")]);
        assert_eq!(side(graph.outputs()), [(1, 9, "b->end")]);
        assert_eq!((graph.find("b"), graph.find("root")), (Some(TaskNumber(1)), None));
    }

    #[test]
    fn a_root_between_others_is_a_task() {
        let mut draft = Draft::new("g");
        named(&mut draft, "root", VertexKind::Root);
        named(&mut draft, "a", VertexKind::Computation);
        join(&mut draft, "a", "root", None);
        let (graph, _) = draft.finish().expect("a graph");
        assert_eq!(graph.order(), [TaskNumber(1), TaskNumber(0)]);
        assert_eq!(graph.root(), None);
    }

    #[test]
    fn transfers_become_edges_and_add_up() {
        let mut draft = Draft::new("g");
        for name in ["a", "b"] {
            named(&mut draft, name, VertexKind::Computation);
        }
        for (name, bytes) in [("t", 5), ("u", 6)] {
            named(&mut draft, name, VertexKind::Transfer(bytes));
            join(&mut draft, "a", name, None);
            join(&mut draft, name, "b", None);
        }
        join(&mut draft, "a", "b", None);
        let (graph, counted) = draft.finish().expect("a graph");
        assert_eq!((edges(&graph), counted), (vec![(0, 1, Some(11))], Vec::new()));
        assert_eq!(graph.edge_name(EdgeNumber(0)), "t");
    }

    #[test]
    fn duplicates_are_merged_and_counted_and_their_bytes_count_once() {
        let mut draft = Draft::new("g");
        for name in ["a", "b", "c"] {
            named(&mut draft, name, VertexKind::Computation);
        }
        for bytes in [None, Some(5), Some(6)] {
            join(&mut draft, "a", "b", bytes);
        }
        let (graph, counted) = draft.finish().expect("a graph");
        assert_eq!(edges(&graph), [(0, 1, Some(5))]);
        let count = |what, count, first: &str| Irregularities { what, count, first: first.to_owned() };
        let expected = [count(Irregularity::DuplicateEdge, 2, "a->b"), count(Irregularity::Isolated, 1, "c")];
        assert_eq!(counted, expected);
        assert_eq!(counted[0].what.words(2), "2 edges are there more than once: its bytes count once");
    }

    #[test]
    fn every_mistake_is_found_at_once() {
        let mut draft = Draft::new("g");
        for name in ["alpha", "beta", "gamma", "alpha"] {
            named(&mut draft, name, VertexKind::Computation);
        }
        draft.define(Task::new("bad", f64::NAN), VertexKind::Computation, Spot::new(1, 1));
        named(&mut draft, "t", VertexKind::Transfer(5));
        for (from, to) in [
            ("alpha", "beta"),
            ("beta", "gamma"),
            ("gamma", "alpha"),
            ("beta", "beta"),
            ("alpha", "delta"),
            ("t", "beta"),
        ] {
            join(&mut draft, from, to, None);
        }
        let found = draft.finish().expect_err("mistakes");
        let help = found.iter().find_map(|mistake| mistake.help.as_deref());
        assert_eq!(help, Some("did you mean `beta`?"));
        let found: Vec<&str> = found.iter().map(|mistake| &*mistake.message).collect();
        assert_eq!(
            found,
            [
                "`alpha` is defined twice",
                "the work of `bad` is not a finite number of zero or more",
                "the transfer `t` has 0 parents and 1 children, not one of each",
                "there is no task `delta`",
                "`beta` is its own parent",
                "the tasks form a cycle: alpha -> beta -> gamma -> alpha",
            ]
        );
    }

    #[test]
    fn a_graph_needs_a_task_and_paths_from_its_declared_root() {
        assert_eq!(messages(Draft::new("g")), ["there is no task"]);
        let mut draft = Draft::new("g");
        named(&mut draft, "r", VertexKind::DeclaredRoot);
        for name in ["a", "b"] {
            named(&mut draft, name, VertexKind::Computation);
        }
        join(&mut draft, "r", "a", None);
        assert_eq!(messages(draft), ["`b` lies on no path from the root `r`"]);
    }

    #[test]
    fn files_give_bytes_and_where_they_are_edges_also_edges() {
        for are_edges in [false, true] {
            let mut draft = Draft::new("g");
            draft.data_by_files(are_edges);
            let tasks = ["a", "b", "c"].map(|name| named(&mut draft, name, VertexKind::Computation));
            let files = [("x", 3), ("y", 4), ("in", 5)].map(|(name, bytes)| draft.file(name, Some(bytes)));
            let spot = Spot::NOWHERE;
            draft.writes(tasks[0], files[0], spot);
            draft.writes(tasks[0], files[1], spot);
            draft.reads(tasks[0], files[2], spot);
            for reader in [1, 2] {
                draft.reads(tasks[reader], files[0], spot);
            }
            join(&mut draft, "a", "b", None);
            join(&mut draft, "b", "c", None);
            let (graph, counted) = draft.finish().expect("a graph");
            let (between, apart) = ((0, 1, Some(3)), (1, 2, Some(0)));
            if are_edges {
                assert_eq!(edges(&graph), [between, (0, 2, Some(3)), apart]);
            } else {
                assert_eq!(edges(&graph), [between, apart]);
                assert_eq!(counted[0].what, Irregularity::ReadWithoutEdge);
            }
            assert_eq!(graph.files_on(EdgeNumber(0)), [FileNumber(0)]);
            assert_eq!((graph.inputs()[0].bytes, graph.outputs()[0].bytes), (5, 4));
        }
    }
}
