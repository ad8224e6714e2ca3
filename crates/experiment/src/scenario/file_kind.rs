//! Kinds of files: what `show` draws and `convert` turns into other formats.
//!
//! A kind is what a table of a scenario describes: a platform, a graph of tasks. It is read out of
//! a scenario, or out of a file that such a table names and that then is all there is. A system
//! lists its kinds (`SystemData::file_kinds`) and has both commands by that, with flags for the
//! keys of its readers.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use serde_json::Value as Json;

use crate::kernel::rng::Streams;
use crate::output::Drawing;
use crate::registry::{Complaint, Key, Kind, Params, Registry};
use crate::text::mark::FileMark;

/// A kind of file.
pub trait FileKind: fmt::Debug + Send + Sync {
    /// Name, in one word: `show NAME FILE`.
    fn name(&self) -> &'static str;

    /// Description, in words that follow "Draw".
    fn about(&self) -> &'static str;

    /// The tables of a scenario that describe it: the first, and others that are read where they
    /// are there.
    fn tables(&self) -> &'static [Key];

    /// The formats of files that hold one and nothing else.
    fn formats(&self) -> &'static [FileFormat];

    /// Reads or draws one, from checked tables.
    ///
    /// # Errors
    /// What is wrong with it, at its place.
    fn read(&self, params: &Params<'_>, streams: &Streams) -> Result<Box<dyn FileContent>, Vec<Complaint>>;

    /// A scenario that names a file of a format instead of holding its contents; `None` if there is
    /// none of it.
    fn scenario_of(&self, _file: &NamedFile<'_>) -> Option<Result<ScenarioOfFile, Vec<Complaint>>> {
        None
    }
}

/// A file that a scenario is to name.
#[derive(Clone, Copy, Debug)]
pub struct NamedFile<'a> {
    /// The name of its format.
    pub format: &'static str,
    /// The file from where the program runs.
    pub path: &'a Path,
    /// The file as the scenario writes it, a value of TOML.
    pub written: &'a str,
}

/// Tables of a scenario that name a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioOfFile {
    /// The tables.
    pub text: String,
    /// Extent of the file, in a few words.
    pub about: String,
}

/// A format of files.
#[derive(Clone, Copy, Debug)]
pub struct FileFormat {
    /// Name: that of the component which reads it, where the kind is one.
    pub name: &'static str,
    /// Description of the format.
    pub about: &'static str,
    /// Marks of such files: its own, and those of a syntax if no more is to be seen of some.
    pub marks: &'static [&'static FileMark],
    /// Endings of the names of files, `.gz` aside; none without this is meant.
    pub endings: &'static [&'static str],
    /// True if one can be written.
    pub is_written: bool,
    /// Keys and values by which reading leaves out nothing of what can be kept.
    pub whole: &'static [(&'static str, &'static str)],
    /// Contents of such files that reading never keeps; empty if there are none.
    pub unread: &'static str,
}

/// Contents of a file.
pub trait FileContent {
    /// Extent of the contents, in a few words.
    fn about(&self) -> String;

    /// Drawing as nodes and edges.
    fn drawing(&self) -> Drawing;

    /// JSON for programs, under `title`.
    fn json(&self, title: &str) -> Json;

    /// Facts: labels and values.
    fn facts(&self) -> Vec<(&'static str, Option<String>)> {
        Vec::new()
    }

    /// Warnings about contents that may not be as their author meant them.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }

    /// Losses if written in this format, a sentence each.
    fn losses(&self, _format: &str) -> Vec<String> {
        Vec::new()
    }

    /// The files that lie next to a file of this format and belong to it: their names and texts.
    fn companions(&self, _format: &str) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Writes it in a format that is written.
    ///
    /// # Errors
    /// `out` cannot be written.
    fn write(&self, format: &str, _out: &mut dyn Write) -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, format!("nothing is written as {format}")))
    }
}

impl dyn FileKind {
    /// The table that describes it.
    pub fn table(&self) -> &'static Key {
        &self.tables()[0]
    }

    /// The format of a file by the end of its name, which may be followed by `.gz`.
    pub fn named(&self, file: &str) -> Option<&'static FileFormat> {
        let name = file.to_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        self.formats().iter().find(|format| format.endings.iter().any(|ending| name.ends_with(ending)))
    }

    /// Keys by which files of its formats are read: those of their components that not every
    /// component has.
    pub fn keys(&self, registry: &Registry) -> Vec<Key> {
        let Kind::Component(table) = self.table().kind else { return Vec::new() };
        let Some(table) = registry.find(table) else { return Vec::new() };
        let rows = table.rows();
        let has = |keys: &[Key], key: &Key| keys.iter().any(|own| own.name == key.name);
        let of_files = rows.iter().filter(|row| self.formats().iter().any(|format| format.name == row.name));
        let mut keys: Vec<Key> = Vec::new();
        for key in of_files.flat_map(|row| row.keys) {
            // the argument of the command, and further files of logs, which have flags of their own
            let is_path = matches!(key.kind, Kind::Path) && key.name != "times";
            if !is_path && !has(&keys, key) && !rows.iter().all(|row| has(row.keys, key)) {
                keys.push(*key);
            }
        }
        keys
    }
}
