//! Files between tasks: the edges that follow from them, the bytes that edges carry, and what comes
//! from outside or is left.

use crate::draft::{
    Draft, EdgeOrigin, FileKey, Irregularity, MOST_EDGES, MOST_FILE_EDGES, Numbers, RawEdge, Vertex,
};
use crate::graph::{External, FileNumber, Lists, TaskNumber};

/// Files from outside, and files that are left.
#[derive(Default)]
pub(super) struct Sides {
    pub(super) inputs: Vec<External>,
    pub(super) outputs: Vec<External>,
}

/// The writers of each file.
pub(super) struct Writers(Lists<u32>);

impl Writers {
    pub(super) fn new(draft: &mut Draft) -> Self {
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
    pub(super) fn externals(&self, draft: &Draft, sides: &mut Sides) {
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

pub(super) fn external(draft: &Draft, task: u32, file: FileKey) -> External {
    let bytes = draft.sizes[file.0 as usize].unwrap_or(0);
    External { task: TaskNumber(task), file: FileNumber(file.0), bytes }
}

/// Adds an edge from each writer of a file to each reader, where the format has such edges.
pub(super) fn add_file_edges(draft: &mut Draft, edges: &mut Vec<RawEdge>) {
    let writers = Writers::new(draft);
    draft.reads.sort_by_key(|(file, vertex, _)| (*vertex, *file));
    draft.reads.dedup_by_key(|(file, vertex, _)| (*vertex, *file));
    for file in 0..draft.files.len() as u32 {
        let name = draft.files.name(file).to_owned();
        if writers.of(FileKey(file)).len() > 1 {
            draft.count(Irregularity::SeveralWriters, &name);
        }
        if draft.sizes[file as usize].is_none() && draft.files_have_bytes {
            draft.count(Irregularity::FileWithoutSize, &name);
        }
    }
    let reads = std::mem::take(&mut draft.reads);
    let (most, what) = if draft.files_are_edges {
        (MOST_FILE_EDGES, "edges follow from files")
    } else {
        (MOST_EDGES, "files are sent from a writer to a reader")
    };
    let mut count = 0_usize;
    for (file, _, spot) in &reads {
        count += writers.of(*file).len();
        if count > most {
            // nothing is made of them, which would take much memory
            return draft.mistake(format!("more than {most} {what}"), *spot);
        }
    }
    if !draft.files_are_edges {
        draft.reads = reads;
        return;
    }
    edges.reserve_exact(count);
    for (file, reader, spot) in &reads {
        let writers = writers.of(*file);
        edges.extend(writers.iter().filter(|writer| **writer != reader.0).map(|writer| RawEdge {
            from: *writer,
            to: reader.0,
            bytes: None,
            spot: *spot,
            origin: EdgeOrigin::Files,
            marked: 0,
        }));
    }
    draft.reads = reads;
}

/// Puts the numbers of tasks in place of the vertices that read and write.
pub(super) fn number_files(draft: &mut Draft, numbers: &Numbers) {
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
pub(super) fn carry(draft: &mut Draft, writers: &Writers, edges: &mut [RawEdge]) -> Vec<(u32, FileNumber)> {
    let mut pairs = Vec::new();
    for edge in edges.iter_mut() {
        edge.bytes = edge.bytes.or(Some(0));
    }
    let reads = std::mem::take(&mut draft.reads);
    for (file, reader, _) in &reads {
        let size = draft.sizes[file.0 as usize].unwrap_or(0);
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
