//! WfFormat: workflows of WfCommons, versions 1.0 to 1.6.
//!
//! From version 1.5 on the tasks stand in `specification`, with the `id` as their key, and what was
//! measured in `execution`; before, a task has both, and its `name` is its key (an `id` next to it
//! is a second one). Parents and children are named by key, or else by the other name; both lists
//! are joined, and files alone make no edge. The bytes of an edge are the sizes of the files that
//! the parent writes and the child reads; none in common is a transfer of 0 bytes. A task of `type`
//! `transfer` with `writtenBytes` is the transfer itself.
//!
//! Work is `runtimeInSeconds`, or `runtime`, times the reference speed, or with `machine-speed =
//! "file"` times the speed of the machine. `coreCount`, before version 1.5 `cores`, is the number
//! of cores that a task holds, where the scenario has it count. `memoryInBytes` is kept. Commands,
//! priorities and use of processors mean nothing here.
//!
//! Source: T. Coleman et al., "WfCommons", FGCS 128, 2022; schemas 1.0 to 1.5.

use crate::collections::OrderedMap;
use crate::draft::{Draft, EdgeOrigin, Irregularity, MOST_TASKS, Vertex, VertexKind};
use crate::graph::Task;
use crate::read::ReadOptions;
use crate::read::costs::{self, Measured};
use crate::text::Spot;
use crate::text::json::{Mistake, Next, ObjectKey, Reader};

type Parsed<T> = Result<T, Mistake>;

const VERSIONS: [&str; 7] = ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"];

/// Reads a graph. A text that is no such JSON is read no further.
pub(super) fn read(reader: &mut Reader<'_>, draft: &mut Draft, options: &ReadOptions) -> Parsed<()> {
    draft.data_by_files(false);
    let mut file = File { draft, runs: Vec::new(), machines: OrderedMap::new() };
    let mut is_workflow = false;
    reader.object(|reader, key| match &*key.name {
        "name" => {
            let name = reader.string()?;
            if !name.trim().is_empty() {
                file.draft.rename(name);
            }
            Ok(())
        }
        "schemaVersion" => version(reader),
        "workflow" => {
            is_workflow = true;
            reader.object(|reader, key| file.part(reader, &key, Place::Flat))
        }
        _ => reader.skip(),
    })?;
    reader.finish()?;
    if !is_workflow {
        return Err(Mistake::new(reader.end(), 0, "the key `workflow` is missing: this is no WfFormat"));
    }
    file.costs(options);
    Ok(())
}

fn version(reader: &mut Reader<'_>) -> Parsed<()> {
    let at = reader.place();
    let version = reader.string()?;
    if VERSIONS.contains(&&*version) {
        return Ok(());
    }
    let width = usize::try_from(reader.end() - at).unwrap_or(0);
    Err(Mistake::new(
        at,
        width,
        format!("version `{version}` of WfFormat is not read; {} are", VERSIONS.join(", ")),
    ))
}

/// Place of a list of tasks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In `workflow`, before version 1.5.
    Flat,
    Specification,
    Execution,
}

/// Measurements of a task.
#[derive(Default)]
struct Run {
    measured: Measured,
    machine: Option<String>,
    written: Option<u64>,
}

/// A file that a task reads or writes: name, size, place.
type UsedFile = (String, Option<u64>, Spot);

/// Name, size and link of a file.
type FileObject = (Option<(String, Spot)>, Option<u64>, Option<(String, Spot)>);

/// A task as it stands in a list.
#[derive(Default)]
struct Listed {
    name: Option<(String, Spot)>,
    id: Option<(String, Spot)>,
    category: Option<String>,
    is_transfer: bool,
    parents: Vec<(String, Spot)>,
    children: Vec<(String, Spot)>,
    reads: Vec<UsedFile>,
    writes: Vec<UsedFile>,
    run: Run,
}

struct File<'d> {
    draft: &'d mut Draft,
    runs: Vec<(Vertex, Run)>,
    /// The speeds of machines \[flop/s\].
    machines: OrderedMap<String, Option<f64>>,
}

impl File<'_> {
    fn part(&mut self, reader: &mut Reader<'_>, key: &ObjectKey, place: Place) -> Parsed<()> {
        match &*key.name {
            "specification" if place == Place::Flat => {
                reader.object(|reader, key| self.part(reader, &key, Place::Specification))
            }
            "execution" if place == Place::Flat => {
                reader.object(|reader, key| self.part(reader, &key, Place::Execution))
            }
            "tasks" | "jobs" => reader.array(|reader| {
                let at = reader.place();
                let listed = self.listed(reader)?;
                self.task(listed, Spot::new(at, 1), place);
                self.go_on(at)
            }),
            "files" if place == Place::Specification => reader.array(|reader| {
                let at = reader.place();
                match self.file(reader)? {
                    (Some((name, _)), size, _) => drop(self.draft.file(&name, size)),
                    _ => self.draft.mistake("the file has no `id`", Spot::new(at, 1)),
                }
                self.go_on(at)
            }),
            "machines" => reader.array(|reader| self.machine(reader)),
            _ => reader.skip(),
        }
    }

    /// Ends the reading once a bound is reached; the draft has the mistake.
    fn go_on(&self, at: u64) -> Parsed<()> {
        if self.draft.is_full() { Err(Mistake::new(at, 0, "a bound is reached")) } else { Ok(()) }
    }

    fn listed(&mut self, reader: &mut Reader<'_>) -> Parsed<Listed> {
        let mut listed = Listed::default();
        reader.object(|reader, key| {
            match &*key.name {
                "name" => listed.name = Some(text(reader)?),
                "id" => listed.id = id(reader)?,
                "category" => listed.category = optional_text(reader)?,
                "type" => listed.is_transfer = optional_text(reader)?.is_some_and(|kind| kind == "transfer"),
                "parents" => self.names(reader, &mut listed.parents)?,
                "children" => self.names(reader, &mut listed.children)?,
                "inputFiles" => self.used(reader, &mut listed.reads)?,
                "outputFiles" => self.used(reader, &mut listed.writes)?,
                "files" => self.files(reader, &mut listed)?,
                "runtimeInSeconds" | "runtime" => {
                    let seconds =
                        number(reader)?.map(|(text, at)| self.draft.amount("the runtime", &text, at));
                    listed.run.measured.seconds = seconds.or(listed.run.measured.seconds);
                }
                "coreCount" | "cores" => {
                    listed.run.measured.cores = number(reader)?.map(|(text, at)| self.draft.cores(&text, at));
                }
                "memoryInBytes" => listed.run.measured.memory = self.bytes(reader, "the memory")?,
                "writtenBytes" => listed.run.written = self.bytes(reader, "the size")?,
                "machine" => listed.run.machine = optional_text(reader)?,
                "machines" => reader.array(|reader| {
                    let machine = text(reader)?.0;
                    listed.run.machine.get_or_insert(machine);
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok(listed)
    }

    /// A list of names.
    fn names(&mut self, reader: &mut Reader<'_>, into: &mut Vec<(String, Spot)>) -> Parsed<()> {
        reader.array(|reader| {
            into.push(match id(reader)? {
                Some(found) => found,
                None => text(reader)?,
            });
            self.bound_list(into.len(), reader.end())
        })
    }

    /// A list of files by their names.
    fn used(&mut self, reader: &mut Reader<'_>, into: &mut Vec<UsedFile>) -> Parsed<()> {
        let mut names = Vec::new();
        self.names(reader, &mut names)?;
        into.extend(names.into_iter().map(|(name, spot)| (name, None, spot)));
        Ok(())
    }

    /// Bounds the length of a list, which is kept until its end is read.
    fn bound_list(&mut self, count: usize, at: u64) -> Parsed<()> {
        if count > MOST_TASKS {
            self.draft.full(format!("a list has at most {MOST_TASKS} entries"), Spot::new(at, 0));
        }
        self.go_on(at)
    }

    fn bytes(&mut self, reader: &mut Reader<'_>, what: &str) -> Parsed<Option<u64>> {
        Ok(number(reader)?.map(|(text, at)| self.draft.size(what, &text, at)))
    }

    /// A file as an object: its name, size and link.
    fn file(&mut self, reader: &mut Reader<'_>) -> Parsed<FileObject> {
        let (mut name, mut size, mut link) = (None, None, None);
        reader.object(|reader, key| {
            match &*key.name {
                "id" => name = id(reader)?.or(name.take()),
                "name" => name = name.take().or(Some(text(reader)?)),
                "sizeInBytes" | "size" => size = self.bytes(reader, "the size")?.or(size),
                "link" => link = Some(text(reader)?),
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        Ok((name, size, link))
    }

    /// The files in a task, before version 1.5.
    fn files(&mut self, reader: &mut Reader<'_>, listed: &mut Listed) -> Parsed<()> {
        reader.array(|reader| {
            let at = Spot::new(reader.place(), 1);
            let (name, size, link) = self.file(reader)?;
            let Some((name, spot)) = name else {
                self.draft.mistake("the file has no `name`", at);
                return Ok(());
            };
            match link.as_ref().map(|(link, _)| &**link) {
                Some("input") => listed.reads.push((name, size, spot)),
                Some("output") => listed.writes.push((name, size, spot)),
                Some("inout") => {
                    listed.reads.push((name.clone(), size, spot));
                    listed.writes.push((name, size, spot));
                }
                _ => {
                    let at = link.map_or(spot, |(_, at)| at);
                    self.draft.mistake("a file has a `link` that is \"input\" or \"output\"", at);
                }
            }
            self.bound_list(listed.reads.len().max(listed.writes.len()), reader.end())
        })
    }

    fn machine(&mut self, reader: &mut Reader<'_>) -> Parsed<()> {
        let (mut name, mut speed) = (None, None);
        reader.object(|reader, key| {
            match (&*key.name, reader.next_kind()?) {
                ("nodeName", Next::Text) => name = Some(reader.string()?),
                ("cpu", Next::Object) => reader.object(|reader, key| {
                    match (&*key.name, reader.next_kind()?) {
                        ("speedInMHz" | "speed", Next::Number) => {
                            speed = number(reader)?
                                .map(|(text, at)| self.draft.amount("the speed", &text, at) * 1e6);
                        }
                        _ => reader.skip()?,
                    }
                    Ok(())
                })?,
                _ => reader.skip()?,
            }
            Ok(())
        })?;
        if let Some(name) = name {
            self.machines.insert(name, speed.filter(|speed| *speed > 0.0));
        }
        self.bound_list(self.machines.len(), reader.end())
    }

    fn task(&mut self, listed: Listed, at: Spot, place: Place) {
        let Listed { name, id, category, is_transfer, parents, children, reads, writes, run } = listed;
        let (key, other) = if place == Place::Flat { (name, id) } else { (id, name) };
        let (key, other) = if key.is_some() { (key, other) } else { (other, None) };
        let Some((key, spot)) = key else {
            let key = if place == Place::Flat { "name" } else { "id" };
            return self.draft.mistake(format!("the task has no `{key}`"), at);
        };
        if place == Place::Execution {
            let vertex = self.draft.vertex(&key, spot);
            return self.runs.push((vertex, run));
        }
        let kind = match run.written {
            Some(written) if is_transfer => VertexKind::Transfer(written),
            _ => VertexKind::Computation,
        };
        let other = other.map(|(other, _)| other).filter(|other| *other != key);
        let mut task = Task::new(key, 0.0);
        // in version 1.5 the name of several tasks is that of their program
        let program = other.clone().filter(|_| place == Place::Specification);
        task.category = category.or(program).map(Into::into);
        let was_defined = self.draft.noted.count();
        let vertex = self.draft.define(task, kind, spot);
        if self.draft.noted.count() > was_defined {
            return;
        }
        if let Some(other) = other {
            self.draft.alias(&other, vertex);
        }
        for (parent, spot) in parents {
            let parent = self.draft.vertex(&parent, spot);
            self.draft.edge(parent, vertex, None, EdgeOrigin::Parents, spot);
        }
        for (child, spot) in children {
            let child = self.draft.vertex(&child, spot);
            self.draft.edge(vertex, child, None, EdgeOrigin::Children, spot);
        }
        for (name, size, spot) in reads {
            let file = self.draft.file(&name, size);
            self.draft.reads(vertex, file, spot);
        }
        for (name, size, spot) in writes {
            let file = self.draft.file(&name, size);
            self.draft.writes(vertex, file, spot);
        }
        if place == Place::Flat && kind == VertexKind::Computation {
            self.runs.push((vertex, run));
        }
    }

    /// Gives the tasks what was measured of them.
    fn costs(&mut self, options: &ReadOptions) {
        self.runs.sort_by_key(|(vertex, _)| *vertex);
        let runs = std::mem::take(&mut self.runs);
        for twice in runs.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            if let Some((name, spot)) = self.draft.definition(twice[0].0) {
                self.draft.mistake(format!("`{name}` was executed twice"), spot);
            }
        }
        let mut runs = runs.into_iter().peekable();
        for vertex in self.draft.computations() {
            while runs.next_if(|(other, _)| *other < vertex).is_some() {}
            let run = runs.next_if(|(other, _)| *other == vertex).map(|(_, run)| run).unwrap_or_default();
            self.cost(vertex, run, options);
        }
    }

    fn cost(&mut self, vertex: Vertex, run: Run, options: &ReadOptions) {
        let mut speed = options.reference_speed;
        if options.machine_speed && run.measured.seconds.is_some() {
            match run.machine.and_then(|machine| self.machines.get(&machine).copied().flatten()) {
                Some(known) => speed = known,
                None => {
                    let name = self.draft.name(vertex).to_owned();
                    self.draft.count(Irregularity::UnknownMachine, &name);
                }
            }
        }
        costs::give(self.draft, vertex, run.measured, speed, options);
    }
}

fn text(reader: &mut Reader<'_>) -> Parsed<(String, Spot)> {
    let at = reader.place();
    let text = reader.string()?;
    let width = usize::try_from(reader.end() - at).unwrap_or(0);
    Ok((text, Spot::new(at, width)))
}

/// A text, if it is one.
fn optional_text(reader: &mut Reader<'_>) -> Parsed<Option<String>> {
    match reader.next_kind()? {
        Next::Text => reader.string().map(Some),
        _ => reader.skip().map(|()| None),
    }
}

/// A key, which may be a number; `null` is none.
fn id(reader: &mut Reader<'_>) -> Parsed<Option<(String, Spot)>> {
    match reader.next_kind()? {
        Next::Number => number(reader),
        Next::Word => reader.word().map(|_| None),
        _ => text(reader).map(Some),
    }
}

/// A number; `null` is none.
fn number(reader: &mut Reader<'_>) -> Parsed<Option<(String, Spot)>> {
    if reader.next_kind()? == Next::Word {
        return reader.word().map(|_| None);
    }
    let at = reader.place();
    let text = reader.number()?;
    let width = text.len();
    Ok(Some((text, Spot::new(at, width))))
}
