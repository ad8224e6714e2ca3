//! `manual`: everything that can be said to the program and in a scenario, in parts: a common one
//! and one a system.
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

use clap::Command;

use crate::args::{Manual, ManualFormat};
use crate::command::command;
use crate::definitions;
use crate::exit_status::exit_status;
use crate::failure::Failure;
use crate::output::print;
use crate::registry::definition::{Definition, Words};
use crate::registry::{Complaint, Registry, code, suggestion};
use crate::scenario::manual::{Block, Item};
use crate::scenario::{System, systems, with_additions};

/// The script that writes the reference of the repository again.
const REGENERATE: &str = ".ci/reference";

/// The name of the part that all systems have in common.
const COMMON: &str = "common";

/// Prints the manual of the program with the components of `registry`, or one part of it.
pub(super) fn manual(registry: &Registry, args: &Manual) -> Result<(), Failure> {
    let mut command = command(registry);
    command.build();
    let (depth, preface, blocks) = match args.part.as_deref() {
        None => {
            let own = systems(registry).iter().flat_map(|system| of_system(registry, *system));
            (2, preface(registry, "reference/"), [common(registry, &command), own.collect()].concat())
        }
        Some(COMMON) => (2, preface(registry, "reference/"), common(registry, &command)),
        Some(name) => (1, marker(), of_system(registry, named(registry, name)?)),
    };
    print(&match args.format {
        ManualFormat::Man => page::man(&command, &blocks),
        ManualFormat::Markdown => page::markdown(&preface, depth, &blocks),
    })
}

fn named(registry: &Registry, asked: &str) -> Result<&'static dyn System, Failure> {
    let found = systems(registry).iter().find(|system| system.name() == asked);
    found.copied().ok_or_else(|| {
        let names = systems(registry).iter().map(|system| system.name()).chain([COMMON]);
        let complaint = Complaint::nowhere(code::UNKNOWN_NAME, format!("the manual has no part `{asked}`"));
        Failure::usage(complaint.help(suggestion(asked, names)))
    })
}

/// The part that all systems have in common.
fn common(registry: &Registry, command: &Command) -> Vec<Block> {
    let mut blocks = commands::blocks(command);
    blocks.extend(language::common(registry));
    blocks.push(Block::Chapter("Words of results".to_owned()));
    blocks.extend(definitions::common_words().iter().flat_map(words));
    blocks.extend(files::common());
    blocks.push(Block::Chapter("Exit status".to_owned()));
    blocks.push(Block::Verbatim(statuses()));
    blocks.push(Block::Chapter("Codes of diagnostics".to_owned()));
    blocks.extend(code::ALL.iter().map(|code| Block::Item(Item::new(code.id, code.title).fact(code.advice))));
    blocks
}

/// The chapter of a system: its keys, components, metrics, words and files.
fn of_system(registry: &Registry, system: &dyn System) -> Vec<Block> {
    let mut blocks = vec![
        Block::Chapter(format!("System {}: {}", system.name(), system.about())),
        Block::Text("Keys, components, metrics and files that no other system has.".to_owned()),
    ];
    blocks.extend(language::of_system(registry, system));
    blocks.extend(definitions::words_of(system).iter().flat_map(words));
    blocks.push(Block::Section("Tables of a run".to_owned()));
    blocks.extend(files::tables(&with_additions(registry, system)));
    blocks.extend(system.manual());
    blocks
}

/// The mark of a page that is made.
fn marker() -> String {
    format!("<!-- Written by the program: do not edit. {REGENERATE} -->\n")
}

/// The opening of the page about what is common; the pages of systems lie at `place`.
fn preface(registry: &Registry, place: &str) -> String {
    let page = |system: &&dyn System| format!("- [{}]({place}{}.md)\n", system.about(), system.name());
    let pages = systems(registry).iter().map(page).collect::<Vec<_>>().concat();
    format!(
        "# Reference\n\n\
         {}\n\
         Every command, key and component of clustersim, from the definitions that the program itself reads by. \
         `clustersim manual` prints the same as a manual page; `clustersim explain` explains one key, component, \
         metric, word or code at a time. To learn by doing, begin with the [tutorial](tutorial.md); to \
         write a policy of your own, read [its chapter](policies.md).\n\n\
         Each system has its own keys, components, metrics and tables on a page:\n\n{pages}",
        marker(),
    )
}

/// A section about words of one sort, with their meanings.
fn words(sort: &Words) -> Vec<Block> {
    let mut blocks = vec![Block::Section(sort.title.to_owned()), Block::Text(sort.about.to_owned())];
    blocks.extend(sort.definitions.iter().map(|definition| Block::Item(defined(definition))));
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
