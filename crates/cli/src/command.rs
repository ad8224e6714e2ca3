//! The command line of a registry: its systems add kinds of files, their formats, and flags for the
//! keys by which these are read.

use std::ffi::OsString;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, CommandFactory, FromArgMatches, ValueEnum};

use crate::args::{Args, Command, Show};
use crate::convert_args::{Convert, Foreign};
use crate::registry::{Key, Registry};
use crate::scenario::{FileKind, file_kinds};

/// Keys of readers that are flags of `show` and `convert`, each with the name of its kind of file.
fn flags(registry: &Registry) -> Vec<(&'static str, Key)> {
    let of = |kind: &'static dyn FileKind| kind.keys(registry).into_iter().map(|key| (kind.name(), key));
    file_kinds(registry).into_iter().flat_map(of).collect()
}

/// The command line. What the systems add to it are kinds of files, their formats, and flags for
/// the keys by which these are read.
pub(super) fn command(registry: &Registry) -> clap::Command {
    let kinds = file_kinds(registry);
    let value = |name: &'static str, about: &str| PossibleValue::new(name).help(about.to_owned());
    let shown: Vec<PossibleValue> = kinds.iter().map(|kind| value(kind.name(), kind.about())).collect();
    let foreign = Foreign::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let formats = kinds.iter().flat_map(|kind| kind.formats()).filter(|format| format.is_written);
    let formats: Vec<PossibleValue> =
        foreign.chain(formats.map(|format| value(format.name, format.about))).collect();
    let with_flags = |command: clap::Command| {
        let flag = |(kind, key): (&str, Key)| {
            let help = format!("{}: {}", capitalized(kind), key.about);
            Arg::new(key.name).long(key.name).value_name("VALUE").help(help)
        };
        command.args(flags(registry).into_iter().map(flag))
    };
    Args::command()
        .mut_subcommand("show", |show| {
            with_flags(show.mut_arg("kind", |kind| kind.value_parser(PossibleValuesParser::new(shown))))
        })
        .mut_subcommand("convert", |convert| {
            with_flags(convert.mut_arg("from", |from| from.value_parser(PossibleValuesParser::new(formats))))
        })
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// Reads the command line.
pub(super) fn parse(
    registry: &Registry,
    words: impl IntoIterator<Item = OsString>,
) -> Result<Args, clap::Error> {
    let matches = command(registry).try_get_matches_from(words)?;
    let mut args = Args::from_arg_matches(&matches)?;
    if let Command::Show(Show { keys, .. }) | Command::Convert(Convert { keys, .. }) = &mut args.command
        && let Some((_, own)) = matches.subcommand()
    {
        let given =
            |(_, key): (&str, Key)| Some((key.name.to_owned(), own.get_one::<String>(key.name)?.clone()));
        *keys = flags(registry).into_iter().filter_map(given).collect();
    }
    Ok(args)
}
