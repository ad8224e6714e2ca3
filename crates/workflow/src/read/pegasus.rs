//! Abstract workflows of Pegasus 5: `workflow.yml`.
//!
//! A job of `jobs` has an `id`, which is its key, the `name` of its program, which repeats, and
//! names the files that it `uses`. Its parents are those that `jobDependencies` states, and every
//! job that writes a file which it reads. The bytes of an edge are the sizes of the files between
//! the two; a size stands at a file that is used, in its `metadata`, or in the `replicaCatalog`,
//! and the first one counts.
//!
//! The profile `runtime` \[s\] of the name space `pegasus` is the cost of a job, `cores` and
//! `memory` \[MiB\] are what it asks for. Profiles of its program in the `transformationCatalog` go
//! before its own, and these before those of the whole workflow, as in Pegasus. `nodeLabel` is kept
//! as the label. Arguments, sites, hooks and other profiles mean nothing here. Not read: workflows
//! in workflows.
//!
//! Source: the schema wf-5.0 of Pegasus (E. Deelman et al., FGCS 46, 2015) and its user guide,
//! "Profiles Conflict Resolution".

use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::draft::{Draft, EdgeOrigin, Vertex, VertexKind};
use crate::graph::Task;
use crate::read::ReadOptions;
use crate::read::costs::{self, Measured};
use crate::text::yaml::{Content, Parsed, Reader, Value};
use crate::text::{Mistake, Spot};

/// Bytes in a unit of `memory`.
const MEBIBYTE: u64 = 1 << 20;

/// Name space, name and version of a program.
type Program = [Option<Box<str>>; 3];

pub(super) fn read(text: &str, draft: &mut Draft, options: &ReadOptions) -> Result<(), Mistake> {
    draft.data_by_files(true);
    let mut file = File { draft, jobs: Vec::new(), programs: OrderedMap::new(), common: Measured::default() };
    let (mut reader, mut has_version) = (Reader::new(text), false);
    let read = reader.map(|reader, key| {
        match &*key.name {
            "jobs" => return reader.each(|value| file.job(value)),
            "jobDependencies" => return reader.each(|value| file.children(value)),
            _ => {}
        }
        let value = reader.value()?;
        match &*key.name {
            "pegasus" => {
                has_version = true;
                file.version(&value);
            }
            "name" => {
                if let Some(name) = value.text().filter(|name| !name.trim().is_empty()) {
                    file.draft.rename(name);
                }
            }
            "profiles" => file.common = file.measured(Some(&value)),
            "replicaCatalog" => file.replicas(&value),
            "transformationCatalog" => file.transformations(&value),
            _ => {}
        }
        Ok(())
    });
    file.costs(options);
    draft.append(reader.mistakes());
    read?;
    if !has_version {
        let message = "the key `pegasus` is missing: this is no workflow of Pegasus".to_owned();
        return Err(Mistake { message, help: None, spot: Spot::new(0, 0) });
    }
    Ok(())
}

/// A file while it is read.
struct File<'d> {
    draft: &'d mut Draft,
    /// The jobs, their programs and what they state themselves.
    jobs: Vec<(Vertex, Program, Measured)>,
    /// Statements of the catalogue about programs.
    programs: OrderedMap<Program, Measured>,
    /// Statements of the workflow about all jobs.
    common: Measured,
}

impl File<'_> {
    fn version(&mut self, value: &Value) {
        let version = value.text().unwrap_or_default();
        if version.split('.').next() != Some("5") {
            let message = format!("version `{version}` of such workflows is not read; 5 is");
            self.draft.mistake(message, value.spot);
        }
    }

    /// Ends the reading once a bound is reached; the draft has the mistake.
    fn go_on(&self, spot: Spot) -> Parsed<()> {
        let bound = || Mistake { message: "a bound is reached".to_owned(), help: None, spot };
        if self.draft.is_full() { Err(bound()) } else { Ok(()) }
    }

    /// The text of a key that must be there, and its place.
    fn required<'v>(&mut self, of: &str, value: &'v Value, key: &str) -> Option<(&'v str, Spot)> {
        let found = value.get(key);
        match found.map(|found| (found.text(), found.spot)) {
            Some((Some(text), spot)) => return Some((text, spot)),
            Some((None, spot)) => self.draft.mistake(format!("`{key}` of {of} is a text"), spot),
            None => self.draft.mistake(format!("{of} has no `{key}`"), value.spot),
        }
        None
    }

    /// The list of a key, which may be missing.
    fn list<'v>(&mut self, value: &'v Value, key: &str) -> &'v [Rc<Value>] {
        let Some(found) = value.get(key) else { return &[] };
        if !matches!(found.content, Content::List(_)) {
            self.draft.mistake(format!("`{key}` is a list"), found.spot);
        }
        found.list()
    }

    fn job(&mut self, value: &Value) -> Parsed<()> {
        match value.get("type").map(|kind| (kind.text().unwrap_or_default(), kind.spot)) {
            None | Some(("job", _)) => {}
            Some(("dag" | "dax" | "dagWorkflow" | "condorWorkflow" | "pegasusWorkflow", spot)) => {
                self.draft.mistake("a workflow in a workflow is not read", spot);
                return Ok(());
            }
            Some((other, spot)) => self.draft.mistake(format!("unknown type `{other}` of a job"), spot),
        }
        let Some((id, spot)) = self.required("the job", value, "id") else { return Ok(()) };
        let mut task = Task::new(id, 0.0);
        let text = |key: &str| value.get(key).and_then(Value::text).map(Box::from);
        task.category = text("name");
        task.properties = text("nodeLabel").map(|label| Box::new([("label".into(), label)].into()));
        let vertex = self.draft.define(task, VertexKind::Computation, spot);
        for used in self.list(value, "uses") {
            self.used(vertex, used);
        }
        let own = self.measured(value.get("profiles"));
        self.jobs.push((vertex, ["namespace", "name", "version"].map(text), own));
        self.go_on(spot)
    }

    /// A file that a job reads or writes.
    fn used(&mut self, vertex: Vertex, used: &Value) {
        let (Some((name, spot)), Some((link, at))) =
            (self.required("the file", used, "lfn"), self.required("the file", used, "type"))
        else {
            return;
        };
        let (reads, writes) = match link {
            "input" => (true, false),
            "output" => (false, true),
            "inout" => (true, true),
            "none" | "checkpoint" => return,
            other => {
                let help = Some("it is `input`, `output` or `inout`".to_owned());
                let message = format!("unknown type `{other}` of a file");
                return self.draft.push(Mistake { message, help, spot: at });
            }
        };
        let size = self.size(used);
        let file = self.draft.file(name, size);
        if reads {
            self.draft.reads(vertex, file, spot);
        }
        if writes {
            self.draft.writes(vertex, file, spot);
        }
    }

    /// The size of a file that is used or catalogued.
    fn size(&mut self, value: &Value) -> Option<u64> {
        let found = value.get("size").or_else(|| value.get("metadata")?.get("size"))?;
        Some(self.draft.size("the size", found.text().unwrap_or_default().trim(), found.spot))
    }

    fn children(&mut self, value: &Value) -> Parsed<()> {
        let Some((parent, spot)) = self.required("the parent", value, "id") else { return Ok(()) };
        let from = self.draft.vertex(parent, spot);
        for child in self.list(value, "children") {
            let Some(name) = child.text() else {
                self.draft.mistake("the `id` of a job should stand here", child.spot);
                continue;
            };
            let to = self.draft.vertex(name, child.spot);
            self.draft.edge(from, to, None, EdgeOrigin::Parents, child.spot);
        }
        self.go_on(spot)
    }

    /// Sizes of files that the catalogue states.
    fn replicas(&mut self, value: &Value) {
        for replica in self.list(value, "replicas") {
            if let (Some(name), Some(size)) = (replica.get("lfn").and_then(Value::text), self.size(replica)) {
                self.draft.file(name, Some(size));
            }
        }
    }

    /// Statements of the catalogue about programs; of several sites the first counts.
    fn transformations(&mut self, value: &Value) {
        for program in self.list(value, "transformations") {
            let text = |key: &str| program.get(key).and_then(Value::text).map(Box::from);
            let mut stated = self.measured(program.get("profiles"));
            for site in self.list(program, "sites") {
                let here = self.measured(site.get("profiles"));
                stated = or(stated, here);
            }
            self.programs.insert(["namespace", "name", "version"].map(text), stated);
        }
    }

    /// Statements of profiles about a job.
    fn measured(&mut self, profiles: Option<&Value>) -> Measured {
        let Some(pegasus) = profiles.and_then(|profiles| profiles.get("pegasus")) else {
            return Measured::default();
        };
        let stated = |key: &str| {
            let found = pegasus.get(key)?;
            Some((found.text().unwrap_or_default().trim(), found.spot))
        };
        let seconds = stated("runtime").map(|(text, at)| self.draft.amount("the runtime", text, at));
        let cores = stated("cores").map(|(text, at)| self.draft.cores(text, at));
        let memory = stated("memory").map(|(text, at)| self.draft.amount("the memory", text, at));
        // beyond 2^64 the cast saturates
        let memory = memory.map(|memory| (memory * MEBIBYTE as f64).round() as u64);
        Measured { seconds, cores, memory }
    }

    /// Gives the jobs what is stated of them.
    fn costs(&mut self, options: &ReadOptions) {
        for (vertex, program, own) in std::mem::take(&mut self.jobs) {
            let catalogued = self.programs.get(&program).copied().unwrap_or_default();
            let measured = or(or(catalogued, own), self.common);
            costs::give(self.draft, vertex, measured, options.reference_speed, options);
        }
    }
}

/// The statements of the first, and those of the second where the first has none.
fn or(first: Measured, second: Measured) -> Measured {
    Measured {
        seconds: first.seconds.or(second.seconds),
        cores: first.cores.or(second.cores),
        memory: first.memory.or(second.memory),
    }
}
