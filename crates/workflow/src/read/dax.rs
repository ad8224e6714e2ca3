//! DAX: abstract DAGs of Pegasus, versions 2 and 3.
//!
//! A `job` may have a `runtime` and names the files that it `uses`. Its parents are those that
//! `child` and `parent` elements state, and every job that writes a file which it reads: without
//! these, files that were cut out of larger ones would have no edges. The bytes of an edge are the
//! sizes of the files between the two; a file's size is the one first written. The `id` of a job is
//! its key: its `name` is that of the program, which repeats. Its profile `cores` in the namespace
//! `pegasus` is the number of cores that it holds, where the scenario has it count.
//!
//! Not read: workflows in workflows (`dax` and `dag` elements). Catalogs, other profiles and
//! arguments mean nothing here.
//!
//! Source: the schemas DAX 2.1 and 3.6 of Pegasus (E. Deelman et al., FGCS 46, 2015).

use crate::draft::{Draft, EdgeOrigin, Irregularity, VertexKind};
use crate::graph::Task;
use crate::read::ReadOptions;
use crate::read::costs::{self, Measured};
use crate::text::xml::{self, Element};
use crate::text::{Mistake, Mistakes, Sources, Spot};

pub(super) fn read(text: &str, draft: &mut Draft, options: &ReadOptions) -> Result<(), Mistake> {
    let source = Sources::new("").add("", "", "");
    let mut wrong = Mistakes::new();
    let (mut jobs, mut children) = (0_u64, 0_u64);
    draft.data_by_files(true);
    let root = xml::parse_each(text, source, &mut wrong, |element| {
        if draft.is_full() {
            return;
        }
        match &*element.name {
            "job" => {
                jobs += 1;
                job(&element, draft, options);
            }
            "child" => {
                children += 1;
                child(&element, draft);
            }
            "dag" | "dax" => draft.mistake("a workflow in a workflow is not read", name_spot(&element)),
            _ => {}
        }
    });
    draft.append(wrong.map(of_xml));
    let root = root.map_err(of_xml)?;
    if root.name != "adag" {
        let message = format!("the file is no DAX: its outermost element is `{}`, not `adag`", root.name);
        return Err(Mistake { message, help: None, spot: name_spot(&root) });
    }
    if !root.value("name").is_empty() && !matches!(root.value("name"), "test") {
        draft.rename(root.value("name"));
    }
    for (name, count) in [("jobCount", jobs), ("childCount", children)] {
        let declared = root.value(name);
        if !declared.is_empty() && declared.parse() != Ok(count) {
            draft.count(Irregularity::DeclaredCount, name);
        }
    }
    Ok(())
}

fn of_xml(wrong: xml::Mistake) -> Mistake {
    Mistake { message: wrong.message, help: None, spot: spot(wrong.at) }
}

fn spot(at: crate::text::Span) -> Spot {
    Spot::new(at.start.into(), at.range().len())
}

fn name_spot(element: &Element) -> Spot {
    spot(element.at)
}

/// The value of an attribute that must be there, and its place.
fn required<'a>(element: &'a Element, names: &[&str], draft: &mut Draft) -> Option<(&'a str, Spot)> {
    let found = names.iter().find_map(|name| element.get(name));
    if found.is_none() {
        let message = format!("`{}` is missing in `{}`", names[0], element.name);
        draft.mistake(message, name_spot(element));
    }
    found.map(|found| (&*found.value, spot(found.value_at)))
}

fn job(element: &Element, draft: &mut Draft, options: &ReadOptions) {
    let id = required(element, &["id"], draft);
    let seconds = element
        .get("runtime")
        .map(|runtime| draft.amount("the runtime", runtime.value.trim(), spot(runtime.value_at)));
    let Some((id, at)) = id else { return };
    let mut task = Task::new(id, 0.0);
    task.category = Some(element.value("name")).filter(|name| !name.is_empty()).map(Into::into);
    let vertex = draft.define(task, VertexKind::Computation, at);
    let cores = if options.cores { cores(element, draft) } else { None };
    let measured = Measured { seconds, cores, ..Measured::default() };
    costs::give(draft, vertex, measured, options.reference_speed, options);
    for uses in element.children("uses") {
        let (Some((name, at)), Some((link, link_at))) =
            (required(uses, &["file", "name"], draft), required(uses, &["link"], draft))
        else {
            continue;
        };
        let size =
            uses.get("size").map(|size| draft.size("the size", size.value.trim(), spot(size.value_at)));
        let (reads, writes) = match link {
            "input" => (true, false),
            "output" => (false, true),
            "inout" => (true, true),
            "none" | "checkpoint" => continue,
            other => {
                let help = Some("it is `input`, `output` or `inout`".to_owned());
                draft.push(Mistake { message: format!("unknown link `{other}`"), help, spot: link_at });
                continue;
            }
        };
        let file = draft.file(name, size);
        if reads {
            draft.reads(vertex, file, at);
        }
        if writes {
            draft.writes(vertex, file, at);
        }
    }
}

/// The cores that the profile of a job states, or one.
fn cores(job: &Element, draft: &mut Draft) -> Option<u32> {
    let is_it = |profile: &&Element| {
        profile.value("namespace").eq_ignore_ascii_case("pegasus") && profile.value("key") == "cores"
    };
    let profile = job.children("profile").find(is_it)?;
    let text = profile.text.as_ref().map_or("", |(_, text)| text.trim());
    Some(draft.cores(text, name_spot(profile)))
}

fn child(element: &Element, draft: &mut Draft) {
    let Some((child, at)) = required(element, &["ref"], draft) else { return };
    let to = draft.vertex(child, at);
    for parent in element.children("parent") {
        if let Some((name, at)) = required(parent, &["ref"], draft) {
            let from = draft.vertex(name, at);
            draft.edge(from, to, None, EdgeOrigin::Parents, at);
        }
    }
}
