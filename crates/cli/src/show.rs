//! `show`: what a file describes, to be looked at.

use std::io::Write;

use crate::args::Show;
use crate::described::Reading;
use crate::failure::Failure;
use crate::registry::Registry;
use crate::render::Renderer;
use crate::scenario::file_kinds;
use crate::written::write;
use crate::{print, print_json};
use clustersim_experiment::report::drawing::svg;
use clustersim_experiment::report::figures::labelled;

pub(super) fn show(registry: &Registry, args: &Show, renderer: &Renderer) -> Result<(), Failure> {
    let kind = file_kinds(registry).into_iter().find(|kind| kind.name() == args.kind);
    let kind = kind.expect("the command line takes no other kinds");
    let reading = Reading {
        command: "show",
        kind,
        file: &args.file,
        format: None,
        keys: &args.keys,
        seed: args.seed,
        whole: false,
    };
    let described = reading.read(registry)?;
    let (title, content) = (&described.title, &described.content);
    content.warnings().iter().for_each(|warning| renderer.note(warning));
    if args.json && args.output.is_none() {
        return print_json(&content.json(title));
    }
    let mut facts = String::new();
    labelled(&mut facts, content.facts());
    let text =
        if args.json { format!("{:#}\n", content.json(title)) } else { svg(title, &content.drawing()) };
    let Some(output) = &args.output else {
        print(&text)?;
        // the picture is the result: what is said of it goes where messages go
        content.facts().into_iter().for_each(|(label, value)| {
            renderer.note(&format!("{label}: {}", value.as_deref().unwrap_or("none")));
        });
        return Ok(());
    };
    Failure::if_there(output, args.force)?;
    write(output, |out| out.write_all(text.as_bytes()))?;
    print(&facts)
}
