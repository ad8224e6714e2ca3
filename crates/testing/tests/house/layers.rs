//! The architecture, held by a test: a module imports only from lower layers, and modules of one
//! layer do not know each other. What two siblings need moves a layer down; what joins two siblings
//! moves a layer up. Between crates Cargo holds the same; inside a crate each paragraph of modules in
//! its `lib.rs` is a layer, lowest first.
//!
//! The test reads the source text, tests modules included: `use crate::…` on one line or many, `pub
//! use`, `crate::…` in expressions, and `super::super::…` where it climbs out of its module. Beside
//! the layers it holds the rules of the house that no lint knows: sizes, depth, names of files, an
//! essay at the top of each, `unsafe` in one place.

mod circles;
pub(crate) mod lexer;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;

use clustersim_testing::sources::{SourceFile, sources};
use lexer::{Token, tokens};

use clustersim_testing::program::repository;

/// Files above `MAX_FILE_LINES` that were looked at and hold one idea all the same, each with its
/// own bound and reason.
const LONG_FILES: &[(&str, usize, &str)] = &[(
    "crates/kernel/src/executor.rs",
    600,
    "all unsafe code in one file: store, wakers, ambient kernel and the life of a process, each with its reasons",
)];

/// The file where measurements earn `unsafe`, and two that cannot be written without: the allocator, and
/// structures of C that Python takes tables by.
const UNSAFE_FILES: [&str; 3] =
    ["crates/kernel/src/executor.rs", "crates/cli/src/memory_guard.rs", "crates/python/src/arrow.rs"];

const MAX_FILE_LINES: usize = 500;
const MAX_MOD_LINES: usize = 150;
const MAX_MAIN_LINES: usize = 30;
const MAX_FOLDERS_DEEP: usize = 3;
const NAMES_THAT_SAY_NOTHING: &[&str] = &["common", "helper", "helpers", "misc", "util", "utils"];

/// A broken rule and its place.
#[derive(Debug)]
struct Breach {
    file: String,
    line: usize,
    what: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

impl Breach {
    fn at(file: &SourceFile, line: usize, what: impl Into<String>) -> Self {
        Breach { file: file.path.clone(), line, what: what.into() }
    }
}

/// The modules of a crate in layers, lowest first, and the names that it takes from other crates.
struct Layers {
    layers: Vec<Vec<String>>,
    outside: Vec<String>,
}

impl Layers {
    /// Reads the paragraphs of a `lib.rs`.
    fn of(lib: &str) -> Self {
        let layers = lib.split("\n\n").map(declared_modules).filter(|layer| !layer.is_empty()).collect();
        let mut outside = Vec::new();
        let mut is_outside = false;
        for (token, _) in tokens(lib) {
            match token {
                Token::Word(word) if word.starts_with("clustersim_") => is_outside = true,
                Token::Word(word) if is_outside => outside.push(word),
                Token::Mark(';') => is_outside = false,
                _ => {}
            }
        }
        Layers { layers, outside }
    }

    fn layer_of(&self, module: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.iter().any(|name| name == module))
    }
}

/// Every import of `file` that does not point strictly downwards, and every one that hides where it
/// points.
fn import_breaches(file: &SourceFile, layers: &Layers) -> Vec<Breach> {
    let mut breaches = Vec::new();
    for (name, line) in root_paths(file) {
        let RootPath::Module(name) = name else {
            breaches.push(Breach::at(file, line, "names no module: write `use crate::module::Item;`"));
            continue;
        };
        let module = file.module();
        let Some(own) = module.get(1).filter(|own| **own != name) else { continue };
        let breach = match (layers.layer_of(own), layers.layer_of(&name)) {
            // macros for other crates lie at the root of their own
            _ if layers.outside.contains(&name) || name.starts_with("__") => continue,
            (_, None) => format!("`{name}` is no module of its crate"),
            (None, _) => format!("`{own}` is not in the list of its crate"),
            (Some(from), Some(to)) if to == from => format!("`{own}` imports sideways from `{name}`"),
            (Some(from), Some(to)) if to > from => format!("`{own}` imports upwards from `{name}`"),
            _ => continue,
        };
        breaches.push(Breach::at(file, line, breach));
    }
    breaches
}

/// What a path names just below the crate's root.
enum RootPath {
    Module(String),
    /// `crate::{…}`, `crate::*`, `crate as …`
    Hidden,
}

/// Every path of `file` that starts at the crate's root, with its line.
fn root_paths(file: &SourceFile) -> Vec<(RootPath, usize)> {
    let tokens = tokens(&file.text);
    let at = |i: usize| tokens.get(i).map(|(token, _)| token);
    let mut found = Vec::new();
    let mut inline = InlineModules::default();
    for (i, (token, line)) in tokens.iter().enumerate() {
        inline.see(token, at(i + 1), at(i + 2));
        let starts_a_path = i == 0 || at(i - 1) != Some(&Token::PathSep);
        let behind_root = if token.is_word("crate") {
            Some(i + 1)
        } else if starts_a_path && (token.is_word("super") || token.is_word("self")) {
            climb_to_root(&tokens, i, file.module().len() - 1 + inline.depth())
        } else {
            None
        };
        let Some(next) = behind_root else { continue };
        match (at(next), at(next + 1)) {
            (Some(Token::PathSep), Some(Token::Word(name))) => {
                found.push((RootPath::Module(name.clone()), *line));
            }
            (Some(Token::PathSep), _) => found.push((RootPath::Hidden, *line)),
            (Some(renamed), _) if renamed.is_word("as") => found.push((RootPath::Hidden, *line)),
            _ => {}
        }
    }
    found
}

/// The place behind `self::super::…` if that many `super` lead from `depth` to the crate's root.
fn climb_to_root(tokens: &[(Token, usize)], start: usize, depth: usize) -> Option<usize> {
    let mut climbed = 0;
    let mut i = start;
    loop {
        climbed += usize::from(tokens[i].0.is_word("super"));
        let separated = tokens.get(i + 1).is_some_and(|(token, _)| *token == Token::PathSep);
        match tokens.get(i + 2) {
            Some((next, _)) if separated && next.is_word("super") => i += 2,
            _ => break,
        }
    }
    (climbed == depth && climbed > 0).then_some(i + 1)
}

/// The `mod name { … }` blocks that enclose the current token.
#[derive(Default)]
struct InlineModules {
    braces: usize,
    opened_at: Vec<usize>,
    entering: bool,
}

impl InlineModules {
    fn see(&mut self, token: &Token, next: Option<&Token>, after: Option<&Token>) {
        match token {
            Token::Word(word) if word == "mod" => {
                self.entering = matches!((next, after), (Some(Token::Word(_)), Some(Token::Mark('{'))));
            }
            Token::Mark('{') => {
                if std::mem::take(&mut self.entering) {
                    self.opened_at.push(self.braces);
                }
                self.braces += 1;
            }
            Token::Mark('}') => {
                self.braces = self.braces.saturating_sub(1);
                if self.opened_at.last() == Some(&self.braces) {
                    self.opened_at.pop();
                }
            }
            _ => {}
        }
    }

    fn depth(&self) -> usize {
        self.opened_at.len()
    }
}

/// The rules of the house that concern one file by itself; `long_files` are the allowed exceptions.
fn house_breaches(file: &SourceFile, long_files: &[(&str, usize, &str)]) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let lines = file.text.lines().count();
    let exception = long_files.iter().find(|(path, ..)| *path == file.path);
    let limit = match (file.parts().last(), exception) {
        (Some(&"main"), _) => MAX_MAIN_LINES,
        (Some(&"mod"), _) => MAX_MOD_LINES,
        (_, Some((_, limit, _))) => *limit,
        _ => MAX_FILE_LINES,
    };
    if lines > limit {
        breaches.push(Breach::at(
            file,
            lines,
            format!("{lines} lines, above {limit}: look for the second idea"),
        ));
    }
    if exception.is_some() && lines <= MAX_FILE_LINES {
        breaches.push(Breach::at(file, 1, "is short enough now: take it out of `LONG_FILES`"));
    }
    if !file.text.starts_with("//!") {
        breaches.push(Breach::at(file, 1, "does not open with an essay (`//!`)"));
    }
    if file.parts().len() > MAX_FOLDERS_DEEP + 1 {
        breaches.push(Breach::at(file, 1, format!("lies more than {MAX_FOLDERS_DEEP} folders deep")));
    }
    for part in file.parts().iter().filter(|part| NAMES_THAT_SAY_NOTHING.contains(part)) {
        breaches.push(Breach::at(file, 1, format!("the name `{part}` does not say what is inside")));
    }
    for (token, line) in tokens(&file.text) {
        if token.is_word("unsafe") && !UNSAFE_FILES.contains(&&*file.path) {
            breaches.push(Breach::at(file, line, format!("`unsafe` outside {}", UNSAFE_FILES.join(" and "))));
        }
        if token.is_word("await") && file.path.starts_with("crates/cluster/src/batch/") {
            breaches.push(Breach::at(
                file,
                line,
                "a decision of the batch scheduler does not wait: that is a policy's part",
            ));
        }
    }
    breaches
}

/// The modules that a text declares by `mod name;`.
fn declared_modules(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let declarations = tokens.windows(3).filter_map(|window| match window {
        [(keyword, _), (Token::Word(name), _), (Token::Mark(';'), _)] if keyword.is_word("mod") => {
            Some(name.clone())
        }
        _ => None,
    });
    declarations.collect()
}

fn assert_none(breaches: &[Breach]) {
    let report: Vec<String> = breaches.iter().map(Breach::to_string).collect();
    assert!(breaches.is_empty(), "rules of the house broken:\n  {}", report.join("\n  "));
}

#[test]
fn every_import_points_strictly_downwards() {
    let files = sources();
    let mut crates: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
    for file in &files {
        crates.entry(file.package()).or_default().push(file);
    }
    for (name, files) in crates {
        let lib = files.iter().find(|file| file.below() == "lib.rs");
        let lib = lib.unwrap_or_else(|| panic!("{name} has no lib.rs"));
        let layers = Layers::of(&lib.text);
        for file in &files {
            let module = file.module();
            let Some(top) = module.get(1) else { continue };
            assert!(layers.layer_of(top).is_some(), "{} belongs to no module of its lib.rs", file.path);
        }
        if SourceFile::room(&[name.to_owned(), String::new()]).len() > 1 {
            assert_none(&files.iter().flat_map(|file| import_breaches(file, &layers)).collect::<Vec<_>>());
        }
    }
}

/// Crates bottom-up; those of a line do not know each other.
const CRATES: &[&[&str]] = &[
    // helpers of tests, which know no other crate
    &["testing"],
    &["kernel"],
    &["language"],
    &["experiment"],
    &["platform", "workflow", "forecast", "jobs"],
    &["cli"],
    &["cluster", "dag", "sweep", "brokers", "agents"],
    // above the package, whose systems it runs
    &["python"],
];

#[test]
fn a_crate_depends_on_lower_ones_alone() {
    let rank_of = |name: &str| CRATES.iter().position(|line| line.contains(&name));
    let folder = repository("crates");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let rank = rank_of(&name).unwrap_or_else(|| panic!("{name} has no place in CRATES"));
        let manifest: toml::Table = fs::read_to_string(path.join("Cargo.toml")).unwrap().parse().unwrap();
        for header in ["dependencies", "dev-dependencies"] {
            let table = manifest.get(header).and_then(toml::Value::as_table);
            let names = table.into_iter().flat_map(toml::Table::keys);
            for other in names.filter_map(|name| name.strip_prefix("clustersim-")) {
                assert!(rank_of(other).is_some_and(|lower| lower < rank), "{name} depends on {other}");
            }
        }
        seen += 1;
    }
    assert_eq!(seen, CRATES.concat().len());
}

/// The modules that a judge of runs may name in the crate of its system: rows, and none of the
/// model.
const JUDGES_KNOW: [&str; 2] = ["judge", "rows"];

#[test]
fn a_judge_imports_no_model() {
    let files = sources();
    let is_judge = |file: &&SourceFile| file.parts().first() == Some(&"judge");
    let mut judges = BTreeMap::new();
    for file in files.iter().filter(is_judge) {
        let package = file.package();
        *judges.entry(package).or_insert(0) += 1;
        let lib = files.iter().find(|other| other.package() == package && other.below() == "lib.rs").unwrap();
        let outside = Layers::of(&lib.text).outside;
        for (name, line) in root_paths(file) {
            let RootPath::Module(name) = name else { continue };
            let is_known = JUDGES_KNOW.contains(&&*name) || outside.contains(&name);
            assert!(is_known, "{}:{line}: a judge imports `{name}` of its system", file.path);
        }
    }
    assert_eq!(judges.keys().copied().collect::<Vec<_>>(), ["agents", "brokers", "cluster", "dag", "sweep"]);
}

#[test]
fn every_file_keeps_the_rules_of_the_house() {
    let files = sources();
    assert_none(&files.iter().flat_map(|file| house_breaches(file, LONG_FILES)).collect::<Vec<_>>());
    for (path, ..) in LONG_FILES {
        assert!(files.iter().any(|file| file.path == *path), "LONG_FILES names {path}, which is not there");
    }
}

/// The checker itself: each rule is seen to fail on a snippet that breaks it, and only on that.
mod checker {
    use super::{Breach, Layers, MAX_FILE_LINES, SourceFile, house_breaches, import_breaches};

    const LIB: &str = "pub use clustersim_language::{text, units};\n\npub mod ids;\n\npub mod kernel;\n\n\
                       pub mod batch;\npub mod platform;\n\npub mod policy;\n\npub mod cli;\n";

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.to_owned() }
    }

    fn imports(path: &str, text: &str) -> Vec<String> {
        import_breaches(&file(path, text), &Layers::of(LIB)).iter().map(Breach::to_string).collect()
    }

    fn house(path: &str, text: &str) -> Vec<String> {
        house_breaches(&file(path, text), &[]).iter().map(Breach::to_string).collect()
    }

    #[test]
    fn imports_from_lower_layers_and_from_ones_own_module_pass() {
        let text = "use crate::kernel::SimTime;\nuse crate::text::Span;\nuse crate::policy::Policy;\nuse super::Policy;\n\
                    pub(crate) fn f() -> crate::ids::JobId { self::g() }\npub(in crate::policy) fn h() {}\n\
                    mod tests { use super::super::Policy; use super::h; }";
        assert!(imports("src/policy/fcfs.rs", text).is_empty());
        assert!(imports("src/lib.rs", "pub mod kernel; pub use crate::cli::run;").is_empty());
    }

    #[test]
    fn an_import_from_a_higher_layer_is_found_wherever_it_hides() {
        let snippets = [
            "use crate::policy::Policy;",
            "pub use crate::policy::Policy;",
            "use crate\n    ::policy\n    ::{Policy, Other};",
            "use {std::fmt, crate::policy::Policy};",
            "fn f() { crate::policy::go(); }",
            "mod tests { use crate::policy::Policy; }",
            "macro_rules! m { () => { $crate::policy::go() } }",
            "use super::super::policy::Policy;",
            "use self::super::super::policy::Policy;",
            "mod tests { use super::super::super::policy::Policy; }",
            "mod a { fn f() { if x { y } } } fn f() { super::super::policy::go() }",
        ];
        for snippet in snippets {
            let found = imports("src/kernel/time.rs", snippet);
            assert_eq!(found.len(), 1, "{snippet}: {found:?}");
            assert!(found[0].contains("`kernel` imports upwards from `policy`"), "{snippet}: {found:?}");
        }
        assert!(imports("src/ids.rs", "use super::kernel::SimTime;")[0].contains("upwards"));
        assert!(imports("src/kernel/mod.rs", "use super::policy::Policy;")[0].contains("upwards"));
    }

    #[test]
    fn an_import_from_the_same_layer_is_found_with_its_line() {
        let found = imports("src/batch/queue/fcfs.rs", "//! Essay.\n\nuse crate::platform::Platform;\n");
        assert_eq!(found, ["src/batch/queue/fcfs.rs:3: `batch` imports sideways from `platform`"]);
    }

    #[test]
    fn an_import_that_hides_its_module_is_refused() {
        for snippet in
            ["use crate::{ids::JobId};", "use crate::*;", "use crate as root;", "use super::super::*;"]
        {
            let found = imports("src/kernel/time.rs", snippet);
            assert!(found.len() == 1 && found[0].contains("names no module"), "{snippet}: {found:?}");
        }
    }

    #[test]
    fn modules_that_no_crate_lists_are_refused_on_both_ends() {
        assert!(imports("src/kernel/time.rs", "use crate::gizmo::X;")[0].contains("no module of its crate"));
        assert!(imports("src/gizmo.rs", "use crate::ids::JobId;")[0].contains("`gizmo` is not in the list"));
    }

    #[test]
    fn comments_and_strings_import_nothing() {
        let text = "// use crate::policy::A;\n/* crate::policy */\nconst S: &str = \"crate::policy::B\";";
        assert!(imports("src/kernel/time.rs", text).is_empty());
    }

    #[test]
    fn a_long_file_is_refused_unless_it_is_on_the_list_and_a_stale_entry_is_refused_too() {
        let long = "//! Essay.\n".repeat(MAX_FILE_LINES + 1);
        assert!(house("src/kernel/sim.rs", &long)[0].contains("501 lines, above 500"));
        assert!(house("src/kernel/sim.rs", &long[11..]).is_empty());
        assert!(house("src/kernel/mod.rs", &"//! Essay.\n".repeat(151))[0].contains("above 150"));
        assert!(house("src/main.rs", &"//! Essay.\n".repeat(31))[0].contains("above 30"));
        let listed = [("src/kernel/sim.rs", 600, "one idea")];
        assert!(house_breaches(&file("src/kernel/sim.rs", &long), &listed).is_empty());
        let stale = house_breaches(&file("src/kernel/sim.rs", "//! Essay.\n"), &listed);
        assert!(stale[0].to_string().contains("short enough now"));
    }

    #[test]
    fn names_depth_essay_unsafe_and_waiting_decisions_are_looked_at() {
        let essay = "//! Essay.\n";
        assert!(house("src/kernel/utils.rs", essay)[0].contains("`utils`"));
        assert!(house("src/common/x.rs", essay)[0].contains("`common`"));
        assert!(house("src/a/b/c/d.rs", essay).is_empty());
        assert!(house("src/a/b/c/d/e.rs", essay)[0].contains("folders deep"));
        assert!(house("src/kernel/sim.rs", "use std::fmt;")[0].contains("essay"));
        assert!(house("src/kernel/sim.rs", "//! Essay.\nunsafe { f() }")[0].contains("`unsafe` outside"));
        assert!(house("crates/kernel/src/executor.rs", "//! Essay.\nunsafe { f() }").is_empty());
        assert!(house("src/kernel/sim.rs", "//! On unsafe code.\n#![deny(unsafe_code)]\n").is_empty());
        assert!(
            house("crates/cluster/src/batch/easy.rs", "//! Essay.\nx.await;")[0].contains("does not wait")
        );
    }
}
