//! Reading a scenario file, what it includes, and what the command line changes in it.
//!
//! `include = ["parts/site.toml"]` lays the file under the one that includes it: the including file
//! wins, and of several includes the later one. A file may be reached twice, but not from itself;
//! it is read once, and its mistakes are reported once. How many files there are, how deep they
//! include each other and how long they are together is bounded. Paths are relative to the file
//! they stand in. Overrides come last and win over everything.

use std::path::{Path, PathBuf};

use crate::collections::OrderedMap;
use crate::registry::{Complaint, Node, Sources, Span, Tree, Value, code, parse_file};
use crate::scenario::overrides::Override;
use crate::text::{Unreadable, enter_folder, open, open_stream, read_whole, size};

/// Longest scenario that is read: the main file and all that it includes [bytes].
const LONGEST: u64 = 16 << 20;
/// Most files that a scenario includes.
const MOST_FILES: usize = 256;
/// Greatest depth of files that include each other, the main file not counted.
const DEEPEST: usize = 32;

/// A scenario as written: one tree out of all its texts.
#[derive(Debug)]
pub struct Written {
    /// The texts, the main file's first.
    pub sources: Sources,
    /// The whole, a table.
    pub root: Node,
    /// The text of the main file.
    pub text: String,
    /// Complaints so far.
    pub complaints: Vec<Complaint>,
}

/// Reads the file at `path`.
///
/// `base` is the directory its paths are relative to when that is not the file's own (a scenario
/// that was copied next to its results). What is wrong is in the result, so that it can be reported
/// with what `check` finds.
pub fn load(path: &Path, base: Option<&Path>, overrides: &[Override]) -> Written {
    let root = base.map_or_else(|| path.parent().unwrap_or(Path::new("")).to_owned(), Path::to_owned);
    enter_folder(&root);
    let mut complaints = Vec::new();
    let text = open_stream(path).map_err(Unreadable::from).and_then(|file| read_whole(file, LONGEST));
    let text = text.unwrap_or_else(|problem| {
        complaints.push(Complaint::nowhere(code::FILE, format!("cannot read {}: {problem}", path.display())));
        String::new()
    });
    let mut written = written(&path.display().to_string(), text, &root);
    written.complaints.splice(0..0, complaints);
    written.apply(overrides);
    written
}

/// A scenario from a text that is in no file; `name` is what messages call it, `base` the directory
/// of its paths.
pub fn from_text(name: &str, text: String, base: &Path, overrides: &[Override]) -> Written {
    let mut written = written(name, text, base);
    written.apply(overrides);
    written
}

fn written(name: &str, text: String, base: &Path) -> Written {
    let mut loader = Loader {
        sources: Sources::new(base),
        complaints: Vec::new(),
        open: Vec::new(),
        read: OrderedMap::new(),
        left: LONGEST.saturating_sub(text.len() as u64),
    };
    let main = PathBuf::from(name);
    let file_name = main.file_name().map_or_else(PathBuf::new, PathBuf::from);
    loader.open.push(file_name);
    let (tree, span) = loader.tree(name, text.clone(), Path::new(""));
    let root = Node::new(Value::Table(tree), span);
    Written { sources: loader.sources, root, text, complaints: loader.complaints }
}

impl Written {
    fn apply(&mut self, overrides: &[Override]) {
        let Value::Table(tree) = &mut self.root.value else { return };
        for one in overrides {
            self.complaints.extend(one.apply(tree, &mut self.sources).err());
        }
    }
}

struct Loader {
    sources: Sources,
    complaints: Vec<Complaint>,
    /// The files being read, outermost first, from the root.
    open: Vec<PathBuf>,
    /// The files that were read, from the root; `None` where one cannot be read.
    read: OrderedMap<PathBuf, Option<Tree>>,
    /// Bytes that may still be read.
    left: u64,
}

impl Loader {
    /// Parses one text, laid over what it includes.
    fn tree(&mut self, name: &str, text: String, base: &Path) -> (Tree, Span) {
        let source = self.sources.add(name, text, base);
        let text = self.sources.text(source).to_owned();
        let mut upper = parse_file(&text, source, &mut self.complaints);
        let mut tree = Tree::default();
        if let Some(slot) = upper.take("include") {
            for lower in self.includes(&slot.node) {
                tree.overlay(lower);
            }
        }
        tree.overlay(upper);
        (tree, Span::new(source, 0..0))
    }

    fn includes(&mut self, node: &Node) -> Vec<Tree> {
        let Value::Array(entries) = &node.value else {
            let message = format!("`include` cannot be {}", node.type_name());
            let complaint = Complaint::new(code::TYPE, message, node.span);
            self.complaints.push(complaint.label("expected an array of paths"));
            return Vec::new();
        };
        entries.iter().filter_map(|entry| self.include(entry)).collect()
    }

    fn include(&mut self, entry: &Node) -> Option<Tree> {
        let Some(written) = entry.as_text() else {
            let message = format!("an include cannot be {}", entry.type_name());
            return self.refuse(entry, message, "expected a path, a string");
        };
        let path = self.sources.from_root(entry.span.source, written);
        if let Some(start) = self.open.iter().position(|open| *open == path) {
            let circle: Vec<String> =
                self.open[start..].iter().chain([&path]).map(|path| path.display().to_string()).collect();
            let message = format!("files include each other: {}", circle.join(" includes "));
            return self.refuse(entry, message, "closes the circle");
        }
        if let Some(known) = self.read.get(&path) {
            return known.clone();
        }
        if self.open.len() > DEEPEST {
            let message = format!("files include each other more than {DEEPEST} deep");
            return self.refuse(entry, message, "included here");
        }
        if self.read.len() >= MOST_FILES {
            // reported once: every further include would fail alike
            let first = self.read.len() == MOST_FILES;
            self.read.insert(path, None);
            let message = format!("a scenario includes at most {MOST_FILES} files");
            return if first { self.refuse(entry, message, "one too many") } else { None };
        }
        let whole = self.sources.root().join(&path);
        let tree = match open(&whole).map_err(Unreadable::from).and_then(|file| read_whole(file, self.left)) {
            Ok(text) => {
                self.left -= text.len() as u64;
                let base = path.parent().unwrap_or(Path::new("")).to_owned();
                self.open.push(path.clone());
                let (tree, _) = self.tree(&whole.display().to_string(), text, &base);
                self.open.pop();
                Some(tree)
            }
            Err(Unreadable::Long(_)) => {
                let message = format!(
                    "cannot read `{written}`: the files of a scenario have at most {}",
                    size(LONGEST)
                );
                self.refuse(entry, message, "included here")
            }
            Err(why) => self.refuse(entry, format!("cannot read `{written}`: {why}"), "included here"),
        };
        self.read.insert(path, tree.clone());
        tree
    }

    fn refuse(&mut self, entry: &Node, message: String, label: &str) -> Option<Tree> {
        self.complaints.push(Complaint::new(code::INCLUDE, message, entry.span).label(label));
        None
    }
}
