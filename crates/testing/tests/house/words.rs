//! One word an idea, one idea a word: identifiers, names of public types, the glossary, and names
//! that were replaced.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::layers::lexer::{Token, tokens};
use clustersim_testing::program::repository;
use clustersim_testing::sources::{SourceFile, sources, sources_in};

/// Words of which no identifier is made.
const BANNED: &[&str] = &[
    "anew", "beside", "deeds", "desk", "nobody", "reckon", "reckons", "seat", "somebody", "tell", "telling",
    "tells", "told", "vain", "way", "ways", "who", "whoever", "whom",
];

/// Two words that together are the field's, or plain English in names: a one-way link, transfers
/// `under_way`.
const COMPOUNDS: &[[&str; 2]] = &[["one", "way"], ["two", "way"], ["under", "way"]];

/// Names that several public types share for one idea, and which idea that is.
const ONE_IDEA: &[(&str, &str)] = &[
    ("Attempt", "a run of a job that was interrupted"),
    ("Axis", "an axis of a study, as it is written and as it is summarised"),
    ("Broken", "a text, or an expectation, that does not hold what it should"),
    ("Carrier", "what brings data from one end to the other"),
    ("Class", "jobs that results are given for apart"),
    ("Cluster", "equal computers that are joined: of nodes, of hosts, and the system of that name"),
    ("Discipline", "the order in which what waits is served"),
    ("Edge", "what must come before what"),
    ("Ended", "what is left of something that has ended"),
    ("Entry", "a row of a table"),
    ("Execution", "computing from its start to its end"),
    ("Explanation", "why a job waited, as it is kept and as it is printed"),
    ("Failure", "what failed, when and why"),
    ("Figures", "the metrics of a run or study"),
    ("HostRows", "the rows of a table of hosts"),
    ("Jobs", "the jobs of a run or array"),
    ("Knowledge", "what is known of availability when a duration is predicted"),
    ("Law", "how a value follows from another"),
    ("Link", "what joins two ends and carries data"),
    ("Mailbox", "where messages wait for a receiver"),
    ("Mistake", "what is wrong with a text, and where"),
    (
        "Moldable",
        "how a job runs on other numbers of processors, as a workload draws and as the judge reads it",
    ),
    ("Nodes", "the nodes of a machine"),
    ("OnFailure", "what becomes of an agent whose host fails, here and in files of SimGrid"),
    ("Outcome", "what came of something"),
    ("Outcomes", "what came out of a run"),
    ("Point", "a combination of the values of a study's axes, as it is run and as it is summarised"),
    ("Reader", "reads a text of one format"),
    ("Recording", "what is recorded of a run"),
    ("Refused", "what was refused, and why"),
    ("Reservation", "a share or processors kept for one job"),
    ("Reservations", "the reservations of a run, as it keeps and as the judge reads them"),
    ("Role", "what one of several does"),
    ("Row", "a row of a table"),
    ("Rows", "the rows of a table"),
    ("Sharing", "how those that use something together get on"),
    ("State", "where something is in its life"),
    ("Table", "rows of one sort"),
    ("Task", "a piece of work of an application, which one processor does"),
    ("TaskRows", "the rows of a table of tasks"),
    ("Trace", "what was recorded over time"),
    ("Unlawful", "what is wrong with a decision"),
    ("Unreadable", "what could not be read, and why"),
    ("Value", "one of several types of value"),
    ("Verdict", "what can be concluded from figures"),
    ("View", "what a rule sees"),
    ("Waiting", "one that waits"),
    ("Warning", "what the author of a run should know of its results"),
];

/// Names that public types of different rooms have for different ideas and that are still to be
/// resolved: none may join them.
const TWO_IDEAS: &[&str] = &[];

/// Every Rust file of the program, with its text.
fn program() -> Vec<(String, String)> {
    sources().into_iter().map(|file| (file.path, file.text)).collect()
}

/// The words of an identifier: between underscores, and where small letters meet a capital.
fn words(identifier: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in identifier.split('_').filter(|part| !part.is_empty()) {
        let mut after_small = false;
        for (place, letter) in part.char_indices() {
            if place == 0 || (letter.is_uppercase() && after_small) {
                words.push(String::new());
            }
            after_small = !letter.is_uppercase();
            words.last_mut().unwrap().extend(letter.to_lowercase());
        }
    }
    words
}

#[test]
fn identifiers_are_split_at_underscores_and_capitals() {
    assert_eq!(words("wait_for_IO2"), ["wait", "for", "io2"]);
    assert_eq!(words("OneWay"), ["one", "way"]);
    assert_eq!(words("_MOST_SHOWN"), ["most", "shown"]);
}

#[test]
fn no_identifier_has_a_private_word() {
    let mut uses = Vec::new();
    let mut files = program();
    files.extend(sources_in("examples").into_iter().map(|file| (file.path, file.text)));
    for (file, text) in files {
        for (token, line) in tokens(&text) {
            let Token::Word(identifier) = token else { continue };
            let words = words(&identifier);
            for (place, word) in words.iter().enumerate() {
                let before = place.checked_sub(1).map_or("", |place| words[place].as_str());
                if BANNED.contains(&word.as_str()) && !COMPOUNDS.contains(&[before, word]) {
                    uses.push(format!("{file}:{line}: {identifier}"));
                }
            }
        }
    }
    assert!(uses.is_empty(), "identifiers with words that the field does not use:\n{}", uses.join("\n"));
}

/// The names of types behind one of these tokens, each with the rooms that have one: `pub`, and the
/// bracket that ends `pub(crate)`.
fn types(visible: &[Token]) -> BTreeMap<String, BTreeSet<String>> {
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in sources() {
        // rows of all systems count as one room: their names say the table, their crates the system
        let is_row = file.parts().first() == Some(&"rows");
        let room = if is_row { "rows".to_owned() } else { SourceFile::room(&file.module()).join("/") };
        for window in tokens(&file.text).windows(3) {
            let [(first, _), (kind, _), (Token::Word(name), _)] = window else { continue };
            if visible.contains(first)
                && ["struct", "enum", "trait", "type"].iter().any(|word| kind.is_word(word))
            {
                types.entry(name.clone()).or_default().insert(room.clone());
            }
        }
    }
    types
}

#[test]
fn a_public_type_has_a_name_of_its_own() {
    let types = types(&[Token::Word("pub".to_owned())]);
    let is_shared = |name: &str| types.get(name).is_some_and(|rooms| rooms.len() > 1);
    let known = |name: &str| ONE_IDEA.iter().any(|(one, _)| *one == name) || TWO_IDEAS.contains(&name);
    let unknown: Vec<_> = types.iter().filter(|(name, rooms)| rooms.len() > 1 && !known(name)).collect();
    assert!(unknown.is_empty(), "public types of several rooms, and one word is one idea: {unknown:?}");
    for (name, idea) in ONE_IDEA {
        assert!(is_shared(name), "`{name}` ({idea}) is a type of one room: take it out of ONE_IDEA");
    }
    for name in TWO_IDEAS {
        assert!(is_shared(name), "`{name}` is a type of one room: take it out of TWO_IDEAS");
    }
}

/// The words of the text in small letters, with one blank before, between and behind them.
fn plain(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.trim().trim_start_matches("//!").trim_start_matches("///").trim())
        .collect();
    let letters = |letter: char| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' };
    let text: String = lines.join(" ").chars().map(letters).collect();
    format!(" {} ", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn the_glossary_is_in_order_and_its_words_are_used() {
    let glossary = fs::read_to_string(repository("docs/glossary.md")).unwrap();
    let types = types(&[Token::Word("pub".to_owned()), Token::Mark(')')]);
    let mut used: String = program().iter().map(|(_, text)| plain(text)).collect();
    for entry in fs::read_dir(repository("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") && !path.ends_with("glossary.md") {
            used += &plain(&fs::read_to_string(path).unwrap());
        }
    }
    let rows = glossary.lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut terms: Vec<String> = Vec::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [term, meaning, named, source] = cells[..] else { panic!("four columns: {row}") };
        assert!(!meaning.is_empty() && !source.is_empty(), "{term}");
        let named = named.trim_matches('`');
        assert!(types.contains_key(named), "{term}: there is no type `{named}`");
        let term_alone = |end: &str| used.contains(&format!(" {}{end} ", plain(term).trim()));
        assert!(["", "s", "es"].iter().any(|end| term_alone(end)), "{term} is used nowhere in src and docs");
        terms.push(term.to_lowercase());
    }
    assert!(terms.len() >= 80, "only {} terms", terms.len());
    assert!(terms.is_sorted(), "not in order: {terms:?}");
}
