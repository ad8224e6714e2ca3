//! No circle of more than two files inside a room: which file of a room imports from which, as its
//! paths say.
//!
//! A name that a `mod.rs` passes on is imported from the file that it comes from. What a `mod.rs`
//! names of its own folder is the folder's list (its tables of entries, what it passes on) and no
//! import. Tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::lexer::{Token, tokens};
use clustersim_testing::sources::{SourceFile, sources};

/// Rooms that have larger circles, and how many files the largest has. A bound may only shrink.
const LARGER_CIRCLES: &[(&str, usize)] = &[("experiment/scenario", 4)];

/// A path, its crate first, and the name that it has where it is imported.
struct Import {
    path: Vec<String>,
    name: String,
}

/// Everything that the paths of `file` name, tests aside.
fn imports(file: &SourceFile) -> Vec<Import> {
    let tokens = tokens(&file.text);
    let mut found = Vec::new();
    let mut module = file.module();
    // where inline modules end, by braces
    let (mut braces, mut opened) = (0, Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let word = |i: usize| match tokens.get(i) {
            Some((Token::Word(word), _)) => Some(word.as_str()),
            _ => None,
        };
        let is = |i: usize, token: &Token| tokens.get(i).is_some_and(|(found, _)| found == token);
        match &tokens[at].0 {
            Token::Word(keyword) if keyword == "mod" && is(at + 2, &Token::Mark('{')) => {
                let name = word(at + 1).unwrap_or_default().to_owned();
                if name == "tests" {
                    at = past_block(&tokens, at + 2);
                    continue;
                }
                opened.push(braces);
                module.push(name);
                braces += 1;
                at += 3;
                continue;
            }
            Token::Mark('{') => braces += 1,
            Token::Mark('}') => {
                braces -= 1;
                if opened.last() == Some(&braces) {
                    opened.pop();
                    module.pop();
                }
            }
            Token::Word(keyword) if keyword == "use" => {
                at = tree(&tokens, at + 1, &mut Vec::new(), &module, &mut found);
                continue;
            }
            Token::Word(start) if ["crate", "super", "self"].contains(&start.as_str()) => {
                let continues = at > 0 && is(at - 1, &Token::PathSep);
                if !continues && is(at + 1, &Token::PathSep) {
                    at = tree(&tokens, at, &mut Vec::new(), &module, &mut found);
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// The token behind the block that begins at `open`.
fn past_block(tokens: &[(Token, usize)], open: usize) -> usize {
    let mut depth = 0;
    for (at, (token, _)) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Mark('{') => depth += 1,
            Token::Mark('}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    tokens.len()
}

/// Reads a tree of paths behind `before`; answers where it ends.
fn tree(
    tokens: &[(Token, usize)],
    mut at: usize,
    before: &mut Vec<String>,
    module: &[String],
    found: &mut Vec<Import>,
) -> usize {
    let length = before.len();
    loop {
        match tokens.get(at).map(|(token, _)| token) {
            Some(Token::Word(word)) => {
                before.push(word.clone());
                at += 1;
            }
            Some(Token::Mark('*')) => {
                before.push("*".to_owned());
                at += 1;
            }
            Some(Token::Mark('{')) => {
                at += 1;
                while !matches!(tokens.get(at), None | Some((Token::Mark('}'), _))) {
                    let start = at;
                    at = tree(tokens, at, before, module, found);
                    if matches!(tokens.get(at), Some((Token::Mark(','), _))) || at == start {
                        at += 1;
                    }
                }
                before.truncate(length);
                return at + 1;
            }
            _ => break,
        }
        match tokens.get(at) {
            Some((Token::PathSep, _)) => at += 1,
            _ => break,
        }
    }
    let mut name = before.last().cloned().unwrap_or_default();
    if tokens.get(at).is_some_and(|(token, _)| token.is_word("as")) {
        if let Some((Token::Word(other), _)) = tokens.get(at + 1) {
            name.clone_from(other);
        }
        at += 2;
    }
    if let Some(path) = absolute(before, module) {
        found.push(Import { path, name });
    }
    before.truncate(length);
    at
}

/// A path with its crate in front; `None` if it leads out of the crate.
fn absolute(path: &[String], module: &[String]) -> Option<Vec<String>> {
    let mut base = module.to_vec();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => {
            base.truncate(1);
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        // `use child::Item`, or another crate: then no file has this name
        _ => {}
    }
    while rest.first().is_some_and(|part| part == "super") {
        base.pop()?;
        rest = &rest[1..];
    }
    // `a::{self, B}`
    base.extend(rest.iter().filter(|part| *part != "self").cloned());
    Some(base)
}

/// Which files a room's files import from, by path.
struct Rooms<'a> {
    /// The file of each module.
    files: BTreeMap<Vec<String>, &'a SourceFile>,
    imports: BTreeMap<&'a str, Vec<Import>>,
}

impl<'a> Rooms<'a> {
    fn new(sources: &'a [SourceFile]) -> Self {
        let is_test = |file: &SourceFile| file.parts().last().is_some_and(|name| *name == "tests");
        let files = sources.iter().filter(|file| !is_test(file));
        let files: BTreeMap<_, _> = files.map(|file| (file.module(), file)).collect();
        let imports = files.values().map(|file| (file.path.as_str(), imports(file))).collect();
        Rooms { files, imports }
    }

    /// The file that a path leads to: that of its module, or the one that a name passed on there
    /// comes from.
    fn file_of(&self, path: &[String], steps: usize) -> Option<&'a SourceFile> {
        let (length, file) =
            (1..=path.len()).rev().find_map(|length| Some((length, *self.files.get(&path[..length])?)))?;
        let passed_on = path.get(length).filter(|_| steps > 0).and_then(|name| {
            let import = self.imports[file.path.as_str()].iter().find(|import| import.name == *name)?;
            // a name that is imported by its own path would lead back here
            (import.path != path[..=length]).then_some(import)
        });
        match passed_on {
            Some(import) => {
                let path: Vec<String> = import.path.iter().chain(&path[length + 1..]).cloned().collect();
                self.file_of(&path, steps - 1).or(Some(file))
            }
            None => Some(file),
        }
    }

    /// The files that `file` imports from in its own room.
    fn neighbours(&self, file: &SourceFile) -> BTreeSet<&'a str> {
        let module = file.module();
        let room = SourceFile::room(&module);
        let is_list = file.path.ends_with("/mod.rs") || file.path.ends_with("/lib.rs");
        let others = self.imports[file.path.as_str()].iter().filter_map(|import| {
            (SourceFile::room(&import.path) == room).then(|| self.file_of(&import.path, 8))?
        });
        // what a room passes on of another one is no import inside it
        let others =
            others.filter(|other| other.path != file.path && SourceFile::room(&other.module()) == room);
        others
            .filter(|other| !is_list || !other.module().starts_with(&module))
            .map(|other| other.path.as_str())
            .collect()
    }

    /// The files of a room that all lead to each other, in sets of two and more.
    fn circles(&self, room: &str) -> Vec<BTreeSet<&'a str>> {
        let files = self.files.iter().filter(|(module, _)| SourceFile::room(module).join("/") == room);
        let edges: BTreeMap<&str, BTreeSet<&str>> =
            files.map(|(_, file)| (file.path.as_str(), self.neighbours(file))).collect();
        let reached = |from: &'a str| {
            let (mut seen, mut left) = (BTreeSet::new(), vec![from]);
            while let Some(file) = left.pop() {
                for next in edges.get(file).into_iter().flatten() {
                    if seen.insert(*next) {
                        left.push(next);
                    }
                }
            }
            seen
        };
        let reach: BTreeMap<&str, BTreeSet<&str>> = edges.keys().map(|&file| (file, reached(file))).collect();
        let mut circles: BTreeSet<BTreeSet<&str>> = BTreeSet::new();
        for (file, others) in reach.iter().filter(|(file, others)| others.contains(*file)) {
            circles.insert(others.iter().copied().filter(|other| reach[other].contains(file)).collect());
        }
        circles.into_iter().filter(|circle| circle.len() > 1).collect()
    }

    /// What a room breaks of the rule; `bounds` are the exceptions.
    fn breaches(&self, room: &str, bounds: &[(&str, usize)]) -> Option<String> {
        let bound = bounds.iter().find(|(name, _)| *name == room).map_or(2, |(_, bound)| *bound);
        let circles = self.circles(room);
        let largest = circles.iter().map(BTreeSet::len).max().unwrap_or(0);
        if bound > 2 && largest < bound {
            return Some(format!(
                "`{room}` has no circle of more than {largest} files now: shrink its bound"
            ));
        }
        let mut report = String::new();
        for circle in circles.iter().filter(|circle| circle.len() > bound) {
            write!(report, "`{room}` has a circle of {} files, above {bound}:", circle.len()).unwrap();
            for file in circle {
                let module = self.files.values().find(|other| other.path == *file);
                let next = module.map(|file| self.neighbours(file)).unwrap_or_default();
                let next: Vec<&str> = next.intersection(circle).copied().collect();
                write!(report, "\n    {file} -> {}", next.join(", ")).unwrap();
            }
        }
        (!report.is_empty()).then_some(report)
    }
}

#[test]
fn no_circle_in_a_room_has_more_than_two_files() {
    let sources = sources();
    let rooms = Rooms::new(&sources);
    let names: BTreeSet<String> =
        rooms.files.keys().map(|module| SourceFile::room(module).join("/")).collect();
    let breaches: Vec<String> =
        names.iter().filter_map(|room| rooms.breaches(room, LARGER_CIRCLES)).collect();
    assert!(breaches.is_empty(), "rules of the house broken:\n  {}", breaches.join("\n  "));
    for (room, _) in LARGER_CIRCLES {
        assert!(names.contains(*room), "LARGER_CIRCLES names {room}, which is not there");
    }
}

/// The checker itself.
mod checker {
    use super::Rooms;
    use clustersim_testing::sources::SourceFile;

    fn breach(files: &[(&str, &str)], bounds: &[(&str, usize)]) -> Option<String> {
        let file = |(path, text): &(&str, &str)| SourceFile { path: (*path).into(), text: (*text).into() };
        let files: Vec<SourceFile> = files.iter().map(file).collect();
        Rooms::new(&files).breaches("clustersim/room", bounds)
    }

    #[test]
    fn a_circle_of_three_files_is_found_whatever_its_paths() {
        let files = [
            ("src/room/mod.rs", "mod a; mod b; mod c; pub use c::C; const ALL: &[E] = &[a::E, b::E];"),
            ("src/room/a.rs", "use super::{Trait, b::{self, B as Other}};"),
            ("src/room/b.rs", "fn f(c: crate::room::C) {}"),
            ("src/room/c.rs", "use crate::room::a::A;\nuse super::Trait;"),
        ];
        let found = breach(&files, &[]).expect("a circle");
        assert!(found.starts_with("`clustersim/room` has a circle of 3 files"), "{found}");
        assert!(found.contains("src/room/b.rs -> src/room/c.rs"), "{found}");
        assert_eq!(breach(&files, &[("clustersim/room", 3)]), None);
        assert!(breach(&files, &[("clustersim/room", 4)]).expect("stale").contains("shrink its bound"));
        let mut open = files;
        open[3].1 = "use super::Trait;\n#[cfg(test)]\nmod tests { use super::super::a::A; }\nmod inner { use super::super::Trait; }";
        assert_eq!(breach(&open, &[]), None);
    }

    #[test]
    fn two_files_may_know_each_other_and_a_folder_lists_its_files() {
        let files = [
            ("src/room/mod.rs", "mod a; mod b; pub mod d; use a::A; use b::B; use d::e::E;"),
            ("src/room/a.rs", "use super::b::B; use super::Trait;"),
            ("src/room/b.rs", "use super::{a::A, Trait}; use other::Thing;"),
            ("src/room/d/mod.rs", "mod e; pub use e::E;"),
            ("src/room/d/e.rs", "use super::super::Trait; use crate::room::d::Q;"),
        ];
        assert_eq!(breach(&files, &[]), None);
    }
}
