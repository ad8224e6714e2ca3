//! `manual`: everything that can be said to the program and in a scenario, on one page.
//!
//! Nothing is written here that is declared elsewhere: commands and flags come from the arguments'
//! own definition, keys and components from the registry that the parser walks, codes from the list
//! of codes. What is written here is what has no other definition (the forms of values, the files
//! of a run), and tests hold it to what the program does.
//!
//! A manual is a list of blocks, laid out as a manual page or as Markdown; both say the same.

mod commands;
mod files;
mod language;
mod page;

use crate::args::ManualFormat;
use crate::command::command;
use crate::definitions;
use crate::exit_status::exit_status;
use crate::registry::definition::Definition;
use crate::registry::{Registry, code};
use crate::scenario::manual::{Block, Item};
use crate::scenario::systems;

/// The command that writes the reference of the repository again.
const REGENERATE: &str = "cargo run -- manual --format markdown > docs/reference.md";

/// The manual of the program with the components of `registry`.
pub(super) fn manual(registry: &Registry, format: ManualFormat) -> String {
    let mut command = command(registry);
    command.build();
    let mut blocks = commands::blocks(&command);
    blocks.extend(language::blocks(registry));
    blocks.extend(words(registry));
    let parts = || systems(registry).iter().map(|system| system.manual());
    blocks.extend(parts().flat_map(|parts| parts.chapters));
    let input = parts().flat_map(|parts| parts.input).collect();
    blocks.extend(files::blocks(registry, input));
    blocks.push(Block::Chapter("Exit status".to_owned()));
    blocks.push(Block::Verbatim(statuses()));
    blocks.push(Block::Chapter("Codes of diagnostics".to_owned()));
    blocks.extend(code::ALL.iter().map(|code| Block::Item(Item::new(code.id, code.title).fact(code.advice))));
    match format {
        ManualFormat::Man => page::man(&command, &blocks),
        ManualFormat::Markdown => page::markdown(&preface(), &blocks),
    }
}

fn preface() -> String {
    format!(
        "# Reference\n\n\
         <!-- Written by the program: do not edit. {REGENERATE} -->\n\n\
         Every command, key and component of clustersim, from the definitions that the program itself reads by. \
         `clustersim manual` prints the same as a manual page; `clustersim explain` explains one key, component, \
         metric, word or code at a time. To learn by doing, begin with the [tutorial](tutorial.md); to \
         write a policy of your own, read [its chapter](policies.md).\n"
    )
}

/// The words of results with their meanings, sort by sort.
fn words(registry: &Registry) -> Vec<Block> {
    let mut blocks = vec![Block::Chapter("Words of results".to_owned())];
    for sort in definitions::words(registry) {
        blocks.push(Block::Section(sort.title.to_owned()));
        blocks.push(Block::Text(sort.about.to_owned()));
        blocks.extend(sort.definitions.iter().map(|definition| Block::Item(defined(definition))));
    }
    blocks
}

/// A definition as an item.
fn defined(definition: &Definition) -> Item {
    let item = Item::new(&definition.name, &definition.about);
    definition.facts.iter().fold(item, |item, (label, fact)| item.labelled(label, fact))
}

/// The table of the help text, without its heading.
fn statuses() -> String {
    let text = exit_status();
    let lines = text.lines().skip(1).map(|line| line.strip_prefix("  ").unwrap_or(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}
