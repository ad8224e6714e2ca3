//! Commands and flags, from the definition of the arguments.

use clap::{Arg, ArgAction, Command};

use crate::scenario::manual::{Block, Item};

pub(super) fn blocks(program: &Command) -> Vec<Block> {
    let mut blocks = vec![
        Block::Chapter("Commands".to_owned()),
        Block::Text(
            "Results go to standard output, everything else to standard error. Flags work in any position. A pipe \
             that its reader closes is no failure."
                .to_owned(),
        ),
    ];
    for command in shown(program) {
        describe(&mut blocks, command, "clustersim");
    }
    blocks.push(Block::Section("Flags of every command".to_owned()));
    blocks.extend(arguments(program).map(|argument| Block::Item(item(argument))));
    blocks
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
}

/// A command, and those within it.
fn describe(blocks: &mut Vec<Block>, command: &Command, before: &str) {
    let name = format!("{before} {}", command.get_name());
    blocks.push(Block::Section(name.clone()));
    blocks.push(Block::Verbatim(format!("{}\n", usage(command, &name))));
    if let Some(about) = command.get_about() {
        blocks.push(Block::Text(format!("{about}.")));
    }
    blocks.extend(
        arguments(command)
            .filter(|argument| !argument.is_global_set())
            .map(|argument| Block::Item(item(argument))),
    );
    for inner in shown(command) {
        describe(blocks, inner, &name);
    }
}

fn usage(command: &Command, name: &str) -> String {
    let mut usage = name.to_owned();
    let optional = |argument: &Arg| !argument.is_positional() && !argument.is_global_set();
    if arguments(command).any(optional) {
        usage += " [OPTIONS]";
    }
    for argument in arguments(command).filter(|argument| argument.is_positional()) {
        usage += " ";
        usage += &term(argument);
    }
    if shown(command).next().is_some() {
        usage += " <COMMAND>";
    }
    usage
}

fn arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    let own = |argument: &&Arg| {
        let help =
            matches!(argument.get_action(), ArgAction::Help | ArgAction::HelpLong | ArgAction::HelpShort);
        !argument.is_hide_set() && !help
    };
    command.get_arguments().filter(own)
}

/// Notation of an argument: `-o, --output <DIR>`, `<FILE>...`, `[DIR]`.
fn term(argument: &Arg) -> String {
    let mut names = Vec::new();
    names.extend(argument.get_short().map(|short| format!("-{short}")));
    names.extend(argument.get_long().map(|long| format!("--{long}")));
    let takes = argument.get_action().takes_values();
    let values: Vec<String> = match argument.get_value_names() {
        Some(values) if takes => values.iter().map(ToString::to_string).collect(),
        _ if takes => vec![argument.get_id().to_string().to_uppercase()],
        _ => Vec::new(),
    };
    let bare = argument.is_positional() && !argument.is_required_set();
    let values: Vec<String> =
        values.iter().map(|value| if bare { format!("[{value}]") } else { format!("<{value}>") }).collect();
    let many = argument.get_num_args().is_some_and(|range| range.max_values() > 1)
        || argument.is_positional() && matches!(argument.get_action(), ArgAction::Append);
    let mut term = names.join(", ");
    if !values.is_empty() {
        let gap = if term.is_empty() { "" } else { " " };
        term = format!("{term}{gap}{}", values.join(" "));
    }
    if many { format!("{term}...") } else { term }
}

fn item(argument: &Arg) -> Item {
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let mut item = Item::new(&term(argument), &help);
    let takes = argument.get_action().takes_values();
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
    if takes && !defaults.is_empty() {
        item = item.labelled("default", &format!("`{}`", defaults.join(" ")));
    }
    for value in argument.get_possible_values() {
        if takes && !value.is_hide_set() {
            let about = value.get_help().map(ToString::to_string).unwrap_or_default();
            item = item.labelled(&format!("`{}`", value.get_name()), &about);
        }
    }
    item
}
