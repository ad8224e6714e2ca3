//! Reading a file: its format, its text, and complaints with places.

use std::io::{Read, Seek};

use crate::draft::Draft;
use crate::read::{GraphFormat, LoadedWorkflow, ReadOptions};
use crate::read::{costs, dax, dot, pegasus, stg, text, wfformat};
use crate::registry::code;
use crate::registry::{Complaint, in_stream, in_text, reason};
use crate::text::json::Reader;
use crate::text::{LONGEST_TEXT, Mistake, Mistakes, Spot, Unpacked, Unreadable, read_whole};

/// Bytes by which a format is recognised.
const HEAD: usize = 4096;

/// Reads a graph. `file` is what messages call the file, and its format is recognised by the text,
/// or else the name, if none is given.
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
        let known = "DAX, YAML of Pegasus, WfFormat, DOT, STG or DagDescription 1";
        return Err(refused(code::WORKFLOW, &format!("it is in no format of task graphs ({known})")));
    };
    let mut draft = Draft::new(stem(file, format));
    if format == GraphFormat::WfFormat {
        let read = json(&mut input, &mut draft, options);
        let result = finished(read, draft, true, options);
        return result.map_err(|mistakes| in_stream(mistakes, input, file, code::WORKFLOW));
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
        GraphFormat::Dot => dot::read(&text, &mut draft, options),
        GraphFormat::Pegasus => pegasus::read(&text, &mut draft, options),
        GraphFormat::Stg => stg::read(&text, &mut draft, options),
        GraphFormat::WfFormat => Ok(()),
    };
    let has_times = format != GraphFormat::Dot;
    let result = finished(read, draft, has_times, options);
    result.map_err(|mistakes| in_text(mistakes, &text, file, code::WORKFLOW))
}

/// The graph of a draft, or what is wrong with it: what was found before a text breaks off comes
/// first.
fn finished(
    read: Result<(), Mistake>,
    mut draft: Draft,
    has_times: bool,
    options: &ReadOptions,
) -> Result<LoadedWorkflow, Mistakes<Mistake>> {
    costs::count(&mut draft, has_times && !options.without_costs);
    if let Err(broken) = read {
        let mut mistakes = draft.mistakes();
        mistakes.push(broken);
        return Err(mistakes);
    }
    let without = std::mem::take(&mut draft.costless);
    let names: Vec<Box<str>> = without.iter().map(|vertex| draft.name(*vertex).into()).collect();
    let (workflow, irregularities) = draft.finish()?;
    let without_cost = names.iter().filter_map(|name| workflow.find(name)).collect();
    Ok(LoadedWorkflow { workflow, irregularities, without_cost })
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
    input.rewind().map_err(|error| reason(&error))?;
    Ok(String::from_utf8_lossy(&bytes[..filled]).into_owned())
}

fn json(input: &mut (impl Read + Seek), draft: &mut Draft, options: &ReadOptions) -> Result<(), Mistake> {
    let nowhere = |message: String| Mistake { message, help: None, spot: Spot::NOWHERE };
    let mut reader = Reader::new(input).map_err(|broken| nowhere(broken.to_string()))?;
    let read = wfformat::read(&mut reader, draft, options);
    if let Some(broken) = reader.failed() {
        return Err(nowhere(broken.to_string()));
    }
    if draft.is_full() {
        return Ok(()); // it was read no further; the draft has the mistake
    }
    read.map_err(|wrong| {
        let spot = Spot::new(wrong.at, wrong.width);
        Mistake { message: wrong.sentence(), help: None, spot }
    })
}

/// The file's name without folders, `.gz` and the ending of its format.
fn stem(file: &str, format: GraphFormat) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let name = name.strip_suffix(".gz").unwrap_or(name);
    let ending = format.endings().iter().find_map(|ending| name.strip_suffix(ending));
    ending.unwrap_or(name)
}
