//! Files of task graphs, of every format, plain or gzip.
//!
//! | format | work | bytes | names |
//! |---|---|---|---|
//! | DAX 2, 3 | `runtime` \[s\] | sizes of common files | `id` |
//! | WfFormat 1.0 to 1.5 | `runtimeInSeconds`, `runtime` | sizes of common files | `id`, before 1.5 `name` |
//! | DOT, as SimGrid writes it | `size` \[flop\] | `size` of an edge | those of DOT |
//! | STG | time × time unit | none | numbers |
//! | text of DAGSim | seconds | of an edge | as written |
//!
//! Seconds become flop by the reference speed. Sizes are whole bytes: fractions are rounded. Each reader puts what it finds into a
//! [`Draft`]; whatever is wrong is reported at once, each mistake with its line and column.

mod dax;
mod dot;
mod grid;
mod place;
mod stg;
mod text;
mod wfformat;

use std::io::{Read, Seek};

use crate::registry::Complaint;
use crate::registry::code;
use crate::text::json::Reader;
use crate::text::{LONGEST_TEXT, Unpacked, Unreadable, read_whole};
use crate::workflow::draft::{Draft, Irregularities, Mistake, Spot};
use crate::workflow::graph::Workflow;

pub use grid::{Grid, GridHost, GridLink, GridLoad, GridPath, read as read_grid};

/// Flop in a second of the machines on which times were measured, unless stated otherwise.
pub const REFERENCE_SPEED: f64 = 1e10;
/// Bytes by which a format is recognised.
const HEAD: usize = 4096;

/// A format of task graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GraphFormat {
    /// The text of DAGSim: `DagDescription 1`.
    DagText,
    /// Abstract DAGs of Pegasus, in XML.
    Dax,
    /// Directed graphs of Graphviz.
    Dot,
    /// The Standard Task Graph Set.
    Stg,
    /// JSON of WfCommons.
    WfFormat,
}

impl GraphFormat {
    /// All of them, by name.
    pub const ALL: [GraphFormat; 5] = [Self::DagText, Self::Dax, Self::Dot, Self::Stg, Self::WfFormat];

    /// Its name, which is that of its entry among the applications.
    pub fn name(self) -> &'static str {
        match self {
            GraphFormat::DagText => "dag-text",
            GraphFormat::Dax => "dax",
            GraphFormat::Dot => "dot",
            GraphFormat::Stg => "stg",
            GraphFormat::WfFormat => "wfformat",
        }
    }

    /// How names of such files end, `.gz` aside; the first is the one to write.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            GraphFormat::DagText => &[".dag"],
            GraphFormat::Dax => &[".dax", ".xml"],
            GraphFormat::Dot => &[".dot", ".gv"],
            GraphFormat::Stg => &[".stg"],
            GraphFormat::WfFormat => &[".json"],
        }
    }

    /// The format that a file's name tells.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.strip_suffix(".gz").unwrap_or(name);
        Self::ALL.into_iter().find(|format| format.endings().iter().any(|ending| name.ends_with(ending)))
    }

    /// The format of a text that begins like this.
    pub fn of_text(head: &str) -> Option<Self> {
        let lines = head.lines().map(str::trim_start);
        let head = lines.skip_while(|line| line.is_empty() || line.starts_with('#')).next()?;
        let word = head.split(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or_default();
        match (head.as_bytes().first()?, word) {
            (b'<', _) => Some(GraphFormat::Dax),
            (b'{', _) => Some(GraphFormat::WfFormat),
            (b'/', _) | (_, "digraph" | "graph" | "strict") => Some(GraphFormat::Dot),
            (_, "DagDescription") => Some(GraphFormat::DagText),
            (b'0'..=b'9', _) => Some(GraphFormat::Stg),
            _ => None,
        }
    }
}

/// What the text of a file leaves open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadOptions {
    /// Flop in a second of the machines on which times were measured.
    pub reference_speed: f64,
    /// Whether tasks ask for the cores that the file states; else for one.
    pub cores: bool,
    /// Whether the speed of the machine that ran a task counts, where the file states it, and not the reference speed.
    pub machine_speed: bool,
    /// Seconds in a unit of time of a file that states none (STG).
    pub time_unit: f64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { reference_speed: REFERENCE_SPEED, cores: false, machine_speed: false, time_unit: 1.0 }
    }
}

/// A graph from outside, and what was irregular in its description.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedWorkflow {
    /// The graph.
    pub workflow: Workflow,
    /// What was read all the same, by kind.
    pub irregularities: Vec<Irregularities>,
}

/// Reads a graph. `file` is what messages call the file, and its format is recognised by the text, or else the name, if none is given.
///
/// # Errors
/// Everything that is wrong with it, each mistake at its place.
pub fn read(
    mut input: impl Read + Seek,
    file: &str,
    format: Option<GraphFormat>,
    options: &ReadOptions,
) -> Result<LoadedWorkflow, Vec<Complaint>> {
    let refused = |code, why: &str| vec![Complaint::nowhere(code, format!("cannot read `{file}`: {why}"))];
    let head = head(&mut input).map_err(|why| refused(code::FILE, &why))?;
    let format = format.or(GraphFormat::of_text(&head)).or(GraphFormat::of_name(file));
    let Some(format) = format else {
        let known = "DAX, WfFormat, DOT, STG or DagDescription 1";
        return Err(refused(code::WORKFLOW, &format!("it is in no format of task graphs ({known})")));
    };
    let mut draft = Draft::new(stem(file, format));
    if format == GraphFormat::WfFormat {
        let read = json(&mut input, &mut draft, options);
        let result = read.and_then(|()| draft.finish());
        return result.map(loaded).map_err(|mistakes| place::in_stream(mistakes, input, file));
    }
    let text = read_whole(&mut input, LONGEST_TEXT).map_err(|why| {
        let code = match why {
            Unreadable::Damaged(_) => code::COMPRESSED,
            Unreadable::NotText(_) => code::WORKFLOW,
            Unreadable::Io(_) | Unreadable::Long(_) => code::FILE,
        };
        refused(code, &why.to_string())
    })?;
    let read = match format {
        GraphFormat::DagText => text::read(&text, &mut draft, options),
        GraphFormat::Dax => dax::read(&text, &mut draft, options),
        GraphFormat::Dot => dot::read(&text, &mut draft),
        GraphFormat::Stg => stg::read(&text, &mut draft, options),
        GraphFormat::WfFormat => Ok(()),
    };
    let result = read.and_then(|()| draft.finish());
    result.map(loaded).map_err(|mistakes| place::in_text(mistakes, &text, file))
}

fn loaded((workflow, irregularities): (Workflow, Vec<Irregularities>)) -> LoadedWorkflow {
    LoadedWorkflow { workflow, irregularities }
}

/// The first bytes of a text, after decompression; the input stands at its beginning again.
fn head(input: &mut (impl Read + Seek)) -> Result<String, String> {
    let mut bytes = vec![0; HEAD];
    let mut filled = 0;
    let read = Unpacked::new(&mut *input).and_then(|mut unpacked| {
        while filled < HEAD {
            match unpacked.read(&mut bytes[filled..])? {
                0 => break,
                count => filled += count,
            }
        }
        Ok(())
    });
    read.map_err(|broken| broken.to_string())?;
    input.rewind().map_err(|error| crate::registry::reason(&error))?;
    Ok(String::from_utf8_lossy(&bytes[..filled]).into_owned())
}

fn json(
    input: &mut (impl Read + Seek),
    draft: &mut Draft,
    options: &ReadOptions,
) -> Result<(), Vec<Mistake>> {
    let nowhere = |message: String| vec![Mistake { message, help: None, spot: Spot::NOWHERE }];
    let mut reader = Reader::new(input).map_err(|broken| nowhere(broken.to_string()))?;
    let read = wfformat::read(&mut reader, draft, options);
    if let Some(broken) = reader.failed() {
        return Err(nowhere(broken.to_string()));
    }
    read.map_err(|wrong| {
        let spot = Spot::new(wrong.at, wrong.width);
        vec![Mistake { message: wrong.sentence(), help: None, spot }]
    })
}

/// The file's name without folders, `.gz` and the ending of its format.
fn stem(file: &str, format: GraphFormat) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let ending = format.endings().iter().find_map(|ending| name.strip_suffix(ending));
    ending.unwrap_or(name)
}

#[cfg(test)]
mod tests;
