//! `convert` between the formats of a kind of file: what was read is written in another format, and
//! what that cannot hold is said.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::convert_args::Convert;
use crate::described::Reading;
use crate::failure::Failure;
use crate::print;
use crate::registry::Registry;
use crate::render::Renderer;
use crate::scenario::{FileFormat, FileKind, file_kinds};
use crate::written::{refuse_idle_flags, refused, write};
use clustersim_experiment::output::number::grouped;

/// A kind and one of its formats.
type OfKind = (&'static dyn FileKind, &'static FileFormat);

/// The kind and format that the name of an output stands for.
fn written_as(registry: &Registry, output: &Path) -> Option<OfKind> {
    let name = output.to_string_lossy();
    let of =
        |kind: &'static dyn FileKind| Some((kind, kind.named(&name).filter(|format| format.is_written)?));
    file_kinds(registry).into_iter().find_map(of)
}

/// Endings of the names of files that are written, and the contents of such files.
pub(super) fn endings(registry: &Registry) -> String {
    let of = |kind: &dyn FileKind| {
        let written = kind.formats().iter().filter(|format| format.is_written);
        let endings: Vec<&str> = written.flat_map(|format| format.endings).copied().collect();
        if endings.is_empty() {
            String::new()
        } else {
            let article = if kind.name().starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            format!(", in {} for {article} {}", endings.join(" "), kind.name())
        }
    };
    file_kinds(registry).into_iter().map(of).collect()
}

/// Converts, if the output is of a format of some kind.
pub(super) fn convert(
    registry: &Registry,
    args: &Convert,
    renderer: &Renderer,
) -> Option<Result<(), Failure>> {
    let (kind, to) = written_as(registry, &args.output)?;
    Some(converted(registry, args, (kind, to), renderer))
}

fn converted(
    registry: &Registry,
    args: &Convert,
    (kind, to): OfKind,
    renderer: &Renderer,
) -> Result<(), Failure> {
    let known = |name: &String| {
        let format = kind.formats().iter().find(|format| format.name == *name);
        let message = || format!("a file of {name} holds no {}", kind.name());
        format.ok_or_else(|| refused(&message(), "end the output in .swf for a log, in .toml for a scenario"))
    };
    let format = args.from.as_ref().map(known).transpose()?;
    refuse_idle_flags(args, None)?;
    if args.inputs.len() > 1 {
        return Err(refused("only measurements come in several files", "convert the others one by one"));
    }
    Failure::if_there(&args.output, args.force)?;
    let reading = Reading {
        command: "convert",
        kind,
        file: args.input(),
        format,
        keys: &args.keys,
        seed: None,
        whole: true,
    };
    let described = reading.read(registry)?;
    let content = &described.content;
    let companions = content.companions(to.name);
    for (name, text) in &companions {
        let path = args.output.with_file_name(name);
        if fs::read(&path).is_ok_and(|there| there == text.as_bytes()) {
            continue;
        }
        Failure::if_there(&path, args.force)?;
        write(&path, |out| out.write_all(text.as_bytes()))?;
    }
    let is_packed = args.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    write(&args.output, |out| {
        if !is_packed {
            return content.write(to.name, out);
        }
        let mut packed = GzEncoder::new(out, Compression::default());
        content.write(to.name, &mut packed)?;
        packed.finish().map(drop)
    })?;
    content.warnings().iter().for_each(|warning| renderer.note(warning));
    let unread = described.format.map(|format| format.unread).filter(|unread| !unread.is_empty());
    unread.into_iter().for_each(|unread| renderer.note(unread));
    content.losses(to.name).iter().for_each(|loss| renderer.note(loss));
    let files = match companions.len() {
        0 => String::new(),
        count => format!(", {} files of behaviours beside it", grouped(count as u64)),
    };
    print(&format!("{}: {}{files}\n", args.output.display(), content.about()))
}
