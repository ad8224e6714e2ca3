//! Reading a scenario file, what it includes, and what the command line changes in it.
//!
//! `include = ["parts/site.toml"]` lays the file under the one that includes it: the including file wins, and of
//! several includes the later one. A file may be reached twice, but not from itself. Paths are relative to the file
//! they stand in. Overrides come last and win over everything.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::registry::code;
use crate::registry::{Complaint, Node, Sources, Span, Tree, Value, parse_file, reason};
use crate::scenario::overrides::Override;

/// Longest scenario file that is read.
const LONGEST: u64 = 16 << 20;

/// A scenario as written: one tree out of all its texts.
#[derive(Debug)]
pub struct Written {
    /// The texts, the main file's first.
    pub sources: Sources,
    /// The whole, a table.
    pub root: Node,
    /// The text of the main file.
    pub text: String,
    /// What is wrong so far.
    pub complaints: Vec<Complaint>,
}

/// Reads the file at `path`.
///
/// `base` is the directory its paths are relative to when that is not the file's own (a scenario that was copied
/// beside its results). What is wrong is in the result, so that it can be told with what `check` finds.
pub fn load(path: &Path, base: Option<&Path>, overrides: &[Override]) -> Written {
    let root = base.map_or_else(|| path.parent().unwrap_or(Path::new("")).to_owned(), Path::to_owned);
    let mut complaints = Vec::new();
    let text = read(path).unwrap_or_else(|problem| {
        complaints.push(Complaint::nowhere(code::FILE, format!("cannot read {}: {problem}", path.display())));
        String::new()
    });
    let mut written = written(&path.display().to_string(), text, &root);
    written.complaints.splice(0..0, complaints);
    written.apply(overrides);
    written
}

/// A scenario from a text that is in no file; `name` is what messages call it, `base` the directory of its paths.
pub fn from_text(name: &str, text: String, base: &Path, overrides: &[Override]) -> Written {
    let mut written = written(name, text, base);
    written.apply(overrides);
    written
}

fn written(name: &str, text: String, base: &Path) -> Written {
    let mut loader = Loader { sources: Sources::new(base), complaints: Vec::new(), open: Vec::new() };
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
            one.apply(tree, &mut self.sources, &mut self.complaints);
        }
    }
}

struct Loader {
    sources: Sources,
    complaints: Vec<Complaint>,
    /// The files being read, outermost first, from the root.
    open: Vec<PathBuf>,
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
        let complain = |message: String, label: &str| {
            Some(Complaint::new(code::INCLUDE, message, entry.span).label(label.to_owned()))
        };
        let problem = match entry.as_text() {
            None => {
                complain(format!("an include cannot be {}", entry.type_name()), "expected a path, a string")
            }
            Some(written) => {
                let path = self.sources.from_root(entry.span.source, written);
                if let Some(start) = self.open.iter().position(|open| *open == path) {
                    let circle: Vec<String> = self.open[start..]
                        .iter()
                        .chain([&path])
                        .map(|path| path.display().to_string())
                        .collect();
                    complain(
                        format!("files include each other: {}", circle.join(" includes ")),
                        "closes the circle",
                    )
                } else {
                    match read(&self.sources.root().join(&path)) {
                        Ok(text) => {
                            let base = path.parent().unwrap_or(Path::new("")).to_owned();
                            let name = self.sources.root().join(&path).display().to_string();
                            self.open.push(path);
                            let (tree, _) = self.tree(&name, text, &base);
                            self.open.pop();
                            return Some(tree);
                        }
                        Err(problem) => {
                            complain(format!("cannot read `{written}`: {problem}"), "included here")
                        }
                    }
                }
            }
        };
        self.complaints.extend(problem);
        None
    }
}

/// The text of a file, or in a few words why there is none.
fn read(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| reason(&error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err("it is a directory".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    if bytes.len() as u64 > LONGEST {
        return Err("it is longer than 16 MiB, so it is no scenario".to_owned());
    }
    String::from_utf8(bytes)
        .map_err(|error| format!("byte {} is not UTF-8, so it is no text", error.utf8_error().valid_up_to()))
}
