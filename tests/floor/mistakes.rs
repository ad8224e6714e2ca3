//! What wrong input looks like to its author: tables of input and whole message, a file a topic in
//! `tests/floor/mistakes`.
//!
//! A table begins with a sentence on its topic and the files that all its rows have. A row has a
//! title (`## `), a piece of a scenario, further files (`@ name`, and their text) and commands (`$
//! `), each followed by all that it prints and its exit status. The piece is put into the table's
//! `scenario.toml`: a key that is there is replaced, or taken out if the piece has no value for it;
//! a new key ends its table; a table with a `kind` takes the place of the old one; a new table, and
//! every `[[table]]`, stands at the end.
//!
//! For a new row write everything but the messages; `INSTA_UPDATE=always cargo test --test floor
//! mistakes` adds these, to be reviewed. Nothing that is refused leaves a file behind.

use std::collections::BTreeMap;
use std::fs;

use clustersim_testing::program::{Place, repository};

/// A test for each table, and one that no table is forgotten.
macro_rules! tables {
    ($($topic:ident),* $(,)?) => {
        $(
            #[test]
            fn $topic() {
                compare(stringify!($topic));
            }
        )*

        #[test]
        fn every_table_is_compared() {
            let folder = fs::read_dir(repository("tests/floor/mistakes")).unwrap();
            for entry in folder {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let known = [$(stringify!($topic)),*, "parquet"];
                assert!(known.iter().any(|topic| name.starts_with(&format!("{topic}.snap"))), "{name}");
            }
        }
    };
}

tables!(
    cancellations,
    command_line,
    dependencies,
    failures,
    graphs,
    includes,
    inside,
    interconnects,
    logs,
    models,
    moldable,
    nodes,
    parallel,
    policies,
    power,
    renamed,
    reservations,
    resources,
    scenario,
    sweeps,
);

#[test]
#[cfg(not(feature = "parquet"))]
fn parquet() {
    compare("parquet");
}

/// Runs the commands of a table, and compares what they print with what stands there.
fn compare(topic: &str) {
    let text = fs::read_to_string(repository("tests/floor/mistakes").join(format!("{topic}.snap"))).unwrap();
    // before it stands what insta notes
    let table = text.splitn(3, "---\n").nth(2).unwrap();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("mistakes");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(topic, again(table)));
}

/// The table with the messages of today.
fn again(table: &str) -> String {
    let (head, rows) = table.split_once("\n## ").unwrap();
    let (_, shared) = blocks(head);
    // a blank line before the next file, or the first row, is none of theirs
    let shared: Vec<(&str, String)> =
        shared.into_iter().map(|(name, text)| (name, format!("{}\n", text.trim_end()))).collect();
    let rows = rows.split("\n## ").map(|row| {
        let (input, commands) = row.split_once("\n$ ").unwrap_or_else(|| panic!("no command: {row}"));
        let (title, pieces) = input.split_once('\n').unwrap_or((input, ""));
        let (piece, own) = blocks(pieces);
        let place = Place::new();
        let mut files: BTreeMap<&str, String> = shared.iter().cloned().collect();
        files.entry("scenario.toml").and_modify(|scenario| *scenario = merged(scenario, &piece));
        files.extend(own);
        for (name, text) in &files {
            place.file(name, text);
        }
        let before = place.all();
        let mut row = format!("## {input}\n");
        for command in commands.split("\n$ ") {
            let command = command.lines().next().unwrap();
            let arguments: Vec<&str> = command.split(' ').skip(1).collect();
            let printed = place.transcript(&arguments);
            assert!(!printed.ends_with("exit status: 0\n"), "{title}: it is not refused");
            row += &printed;
        }
        assert_eq!(place.all(), before, "{title}: what is refused leaves no file");
        row
    });
    format!("{head}\n{}", rows.collect::<Vec<_>>().join("\n"))
}

/// The text before the first file, and each file with its text.
fn blocks(text: &str) -> (String, Vec<(&str, String)>) {
    let mut first = String::new();
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("@ ") {
            files.push((name, String::new()));
        } else {
            let text = files.last_mut().map_or(&mut first, |(_, text)| text);
            *text += line;
            text.push('\n');
        }
    }
    (first, files)
}

/// The scenario with a piece put into it.
fn merged(scenario: &str, piece: &str) -> String {
    let mut tables = sections(scenario);
    let mut behind = String::new();
    for (header, lines) in sections(piece) {
        let same = tables.iter_mut().find(|(other, _)| *other == header && !header.starts_with("[["));
        let Some((_, old)) = same else {
            write(&mut behind, header, &lines);
            continue;
        };
        let key = |line: &str| line.split_once(" =").map(|(key, _)| key.to_owned());
        if lines.iter().any(|line| line.starts_with("kind =")) {
            old.retain(|line| line.is_empty());
        }
        for line in lines {
            let there = old.iter().position(|old| key(old).is_some() && key(old) == key(line));
            if let Some(there) = there {
                old.splice(there..=there, (!line.ends_with(" =")).then_some(line));
            } else if !line.is_empty() {
                let end = old.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
                old.insert(end, line);
            }
        }
    }
    let mut text = String::new();
    for (header, lines) in &tables {
        write(&mut text, header, lines);
    }
    if behind.is_empty() { text } else { format!("{text}\n{behind}") }
}

/// Adds a table; what stands before the first has no header.
fn write(text: &mut String, header: &str, lines: &[&str]) {
    let header = Some(header).filter(|header| !header.is_empty());
    for line in header.into_iter().chain(lines.iter().copied()) {
        *text += line;
        text.push('\n');
    }
}

/// Headers of tables, the first of which is empty, and the lines below each.
fn sections(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut sections = vec![("", Vec::new())];
    for line in text.lines() {
        if line.starts_with('[') {
            sections.push((line, Vec::new()));
        } else if let Some((_, lines)) = sections.last_mut() {
            lines.push(line);
        }
    }
    sections.retain(|(header, lines)| !header.is_empty() || !lines.is_empty());
    sections
}
