//! A finished run in its directory, as `check` and `report` ask its system about it.

use std::fmt;
use std::path::Path;

use serde_json::Value as Json;

use crate::check::Judgement;
use crate::output::{FileRows, Row, RowFile, RowSource, Table, TableFormat, hash};
use crate::registry::{Complaint, Registry, code, reason};
use crate::scenario::valid::{Rejected, Scenario};
use crate::text::{TextSource, Unreadable, open_anywhere, read_whole};

/// The longest file of a run that is read \[bytes\].
const LONGEST_RUN_FILE: u64 = 4 << 30;

/// The directory of a finished run.
#[derive(Clone, Copy)]
pub struct RunDirectory<'a> {
    /// Path of the directory.
    pub place: &'a Path,
    /// `manifest.json`.
    pub manifest: &'a Json,
    /// Scenario, with every default.
    pub scenario: &'a Scenario,
    /// The components.
    pub registry: &'a Registry,
    /// Prints a note.
    pub note: &'a dyn Fn(&str),
}

/// Outcome of judging a run.
#[derive(Debug)]
pub struct Checked {
    /// Subject of the judgement, in words.
    pub about: String,
    /// Each promise, and what came of it.
    pub promises: Vec<(String, Judgement)>,
}

impl RunDirectory<'_> {
    /// Returns true if the run wrote a file of this name.
    pub fn has(&self, name: &str) -> bool {
        self.manifest["outputs"].get(name).is_some()
    }

    /// The text of one of its files.
    ///
    /// # Errors
    /// It cannot be read, or has more than 4 GiB, which memory might not hold.
    pub fn text(&self, name: &str) -> Result<String, Box<Rejected>> {
        let path = self.place.join(name);
        let text = open_anywhere(&path).map_err(Unreadable::from);
        text.and_then(|file| read_whole(file, LONGEST_RUN_FILE)).map_err(|why| self.unreadable(&path, &why))
    }

    /// The text of one of its files, by its path, which is read in parts.
    pub fn source<'p>(&self, path: &'p Path) -> TextSource<'p> {
        TextSource::File(path, LONGEST_RUN_FILE)
    }

    /// The rows of a table that it wrote.
    ///
    /// # Errors
    /// The file cannot be read, or a line is no such row.
    pub fn rows<R: for<'t> Row<'t>>(&self) -> Result<Vec<R>, Box<Rejected>> {
        let file = <R as Row<'_>>::FILE;
        let text = self.text(file)?;
        let rows = RowFile::<R>::new(&text).and_then(RowFile::all);
        rows.map_err(|why| self.not_understood(file, "judged", &why))
    }

    /// Rejection because a file of it cannot be read.
    pub fn unreadable(&self, path: &Path, why: &Unreadable) -> Box<Rejected> {
        if let (Some(name), false) = (self.not_recorded(path), path.exists()) {
            let message = format!("the run in {} did not record {name}.csv", self.place.display());
            let complaint = Complaint::nowhere(code::FILE, message);
            let help =
                format!("run the scenario again with `--set record.{name}=true`: it is judged by its rows");
            return self.reject(complaint.help(help));
        }
        let message = format!("cannot read {}: {}", path.display(), why);
        let complaint = Complaint::nowhere(code::FILE, message);
        self.reject(complaint.help("name the directory of a finished run or study"))
    }

    /// The key of `[record]` that leaves a file out, if the scenario says so.
    fn not_recorded<'p>(&self, path: &'p Path) -> Option<&'p str> {
        let name = path.file_stem()?.to_str()?;
        let record = self.scenario.params(self.registry).section("record");
        (record.has(name) && matches!(record.read(name), Ok(false))).then_some(name)
    }

    /// Tables, as far as it wrote them.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub fn tables(&self) -> Result<Vec<Box<dyn RowSource>>, Box<Rejected>> {
        let mut tables = Vec::new();
        for table in self.scenario.system.tables() {
            if self.has(&TableFormat::Csv.file(&table)) {
                tables.push(self.table(&table, "drawn")?);
            }
        }
        Ok(tables)
    }

    /// A table that it wrote, which is to be used so.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn table(&self, table: &Table, used: &str) -> Result<Box<dyn RowSource>, Box<Rejected>> {
        let file = TableFormat::Csv.file(table);
        let path = self.place.join(&file);
        open_anywhere(&path).map_err(|error| self.unreadable(&path, &error.into()))?;
        let rows = FileRows::open(table, path).map_err(|why| self.not_understood(&file, used, &why))?;
        Ok(Box::new(rows))
    }

    /// Succeeds if its inputs are unchanged; else names one that is not.
    ///
    /// # Errors
    /// An input cannot be read, or has changed.
    pub fn has_its_inputs(&self) -> Result<(), String> {
        let inputs = self.scenario.system.inputs(self.registry, self.scenario);
        let inputs = inputs.map_err(|rejected| rejected.to_string())?;
        for (place, (written, path)) in inputs.into_iter().enumerate() {
            let sha256 =
                hash::of_file(&path).map_err(|error| format!("cannot read {written}: {}", reason(&error)))?;
            if self.manifest["identity"]["inputs"][place]["sha256"] != sha256 {
                return Err(format!("{written} is no longer what it was"));
            }
        }
        Ok(())
    }

    /// One of its files that is JSON.
    ///
    /// # Errors
    /// It cannot be read, or is no JSON.
    pub fn json(&self, name: &str) -> Result<Json, Box<Rejected>> {
        serde_json::from_str(&self.text(name)?)
            .map_err(|error| self.not_understood(name, "drawn", &error.to_string()))
    }

    /// Rejection because a file of it cannot be used as asked for.
    pub fn not_understood(&self, name: &str, used: &str, why: &str) -> Box<Rejected> {
        let message = format!("{} cannot be {used}: {why}", self.place.join(name).display());
        self.reject(Complaint::nowhere(code::MANIFEST, message))
    }

    /// Rejection because it cannot be used at all, with this complaint.
    pub fn reject(&self, complaint: Complaint) -> Box<Rejected> {
        self.scenario.reject(complaint)
    }
}

impl fmt::Debug for RunDirectory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunDirectory").field("place", &self.place).finish_non_exhaustive()
    }
}
