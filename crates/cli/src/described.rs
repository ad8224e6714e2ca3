//! Contents of a file, as `show` and `convert` read it: a table of a scenario, or a file of one
//! of the formats of its kind.

use std::path::Path;

use crate::failure::Failure;
use crate::kernel::rng::Streams;
use crate::registry::code;
use crate::registry::{Complaint, Kind, Node, Params, Registry, Span, Tree, Value, check};
use crate::request::{not_for, utf8};
use crate::scenario::recognition::{SCENARIO, recognize};
use crate::scenario::{FileContent, FileFormat, FileKind, Override, Rejected, from_text, load};

/// The seed of a scenario that has none.
const SEED: u64 = 1;

/// Options for reading a file.
#[derive(Clone, Copy)]
pub(super) struct Reading<'a> {
    /// The command that asks, for messages.
    pub(super) command: &'static str,
    pub(super) kind: &'static dyn FileKind,
    pub(super) file: &'a Path,
    /// The format, if it is stated.
    pub(super) format: Option<&'static FileFormat>,
    /// Keys of its reader that are set by flags.
    pub(super) keys: &'a [(String, String)],
    pub(super) seed: Option<u64>,
    /// True if all is kept that can be, as far as flags do not say otherwise.
    pub(super) whole: bool,
}

/// Contents that were read, and their title.
pub(super) struct Described {
    pub(super) title: String,
    pub(super) content: Box<dyn FileContent>,
    /// The format that it was read from, if not a scenario.
    pub(super) format: Option<&'static FileFormat>,
}

impl Reading<'_> {
    /// The format of the file: as stated, by its content, or else by its name; none for a scenario.
    fn format(&self, registry: &Registry) -> Result<Option<&'static FileFormat>, Failure> {
        if self.format.is_some() {
            return Ok(self.format);
        }
        let formats = self.kind.formats();
        match recognize(registry, self.file) {
            Some(mark) if *mark == SCENARIO => Ok(None),
            Some(mark) => match formats.iter().find(|format| format.marks.contains(&mark)) {
                Some(format) => Ok(Some(format)),
                None => Err(not_for(self.command, self.file, mark)),
            },
            None => Ok(self.kind.named(&self.file.to_string_lossy())),
        }
    }

    /// Reads it.
    pub(super) fn read(&self, registry: &Registry) -> Result<Described, Failure> {
        let format = self.format(registry)?;
        let table = self.kind.table().name;
        let flag =
            |flag: &str, key: &str, value: &str| Override::flag(flag, &format!("{table}.{key}"), value);
        let mut overrides = Vec::new();
        if let Some(format) = format {
            let asked = format!("{} {}", self.command, self.kind.name());
            if matches!(self.kind.table().kind, Kind::Component(_)) {
                overrides.push(flag("--from", "kind", format.name));
            }
            overrides.push(Override::text(&asked, &format!("{table}.file"), utf8(self.file)?));
            let whole = format.whole.iter().filter(|_| self.whole);
            overrides.extend(whole.map(|(key, value)| flag(&format!("--{key}"), key, value)));
        }
        overrides.extend(self.keys.iter().map(|(key, value)| flag(&format!("--{key}"), key, value)));
        let mut written = match format {
            Some(_) => from_text("command line", String::new(), Path::new(""), &overrides),
            None => load(self.file, None, &overrides),
        };
        let tree = written.root.as_table().cloned().unwrap_or_default();
        let name = self.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let title = tree.get("title").and_then(Node::as_text).map_or(name, ToOwned::to_owned);
        let seed = match tree.get("seed").map(|node| &node.value) {
            Some(Value::Integer(seed)) => u64::try_from(*seed).unwrap_or(SEED),
            _ => SEED,
        };
        let mut complaints = std::mem::take(&mut written.complaints);
        // of a scenario nothing else is looked at, so that a file with no more than this can be
        // read
        let mut alone = Tree::default();
        let slots = self.kind.tables().iter().filter_map(|key| tree.slot(key.name).cloned());
        slots.for_each(|slot| alone.put(slot));
        let Some(at) = alone.slot(table).map(|slot| slot.span) else {
            if complaints.is_empty() {
                let message = format!("{} declares no {table}", self.file.display());
                let complaint = Complaint::nowhere(code::MISSING_KEY, message);
                complaints
                    .push(complaint.help(format!("`clustersim explain {table}` says how one is written")));
            }
            return Err(Failure::Invalid(vec![Rejected { sources: written.sources, complaints }]));
        };
        let there: Vec<_> =
            self.kind.tables().iter().filter(|key| alone.slot(key.name).is_some()).copied().collect();
        let node = Node::new(Value::Table(alone), Span::new(at.source, 0..0));
        let checked = check(registry, &written.sources, &node, &there, &mut complaints);
        let read = match checked {
            Some(node) if complaints.is_empty() => {
                let params = Params::new(registry, &written.sources, &node);
                self.kind.read(&params, &Streams::new(self.seed.unwrap_or(seed), 0))
            }
            _ => Err(complaints),
        };
        match read {
            Ok(content) => Ok(Described { title, content, format }),
            Err(complaints) => Err(Failure::Invalid(vec![Rejected { sources: written.sources, complaints }])),
        }
    }
}
