//! The run directory: written next to its place and moved there when it is complete.
//!
//! An unfinished run is `DIR.partial`. A complete one of the same identity is never overwritten:
//! the run is made again, compared and found equal, or else the simulator is at fault. Any other
//! directory is left alone, unless replacing was asked for; then the run's own files are put into
//! it and nothing else in it is touched.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::output::hash::Hashing;
use crate::output::lock::{Lock, Taken};
use crate::output::manifest::{Identity, without_invocation};
#[cfg(feature = "parquet")]
use crate::output::parquet;
use crate::output::path::{at, unfinished};
use crate::output::{FileWriter, Files, LaneSource, RowSource, Table, csv, perfetto};
use crate::text::open_anywhere;

/// The manifest's file name; it is written last.
pub const MANIFEST: &str = "manifest.json";
/// The report's file name.
pub const REPORT: &str = "report.html";
/// The timeline's file name.
pub const TRACE: &str = "trace.pftrace";
/// The mark in the head of a page that is shown while its study runs.
pub const UNFINISHED_PAGE: &str = "<meta name=\"clustersim\" content=\"unfinished\">";
/// The bytes of a page that its head lies in.
const HEAD: u64 = 1024;
/// The files of a run besides its tables.
const FIXED: [&str; 13] = [
    "scenario.toml",
    "scenario.resolved.toml",
    "summary.json",
    "jobs.swf",
    "graph.dot",
    "plan.json",
    "dialogue.jsonl",
    "transcript-database.jsonl",
    "transcript-predictor.jsonl",
    "transcript-scheduler.jsonl",
    TRACE,
    REPORT,
    MANIFEST,
];

/// Every file that a run may write, if these are the tables that there are.
pub fn files(tables: &[Table]) -> Vec<String> {
    let of = |table: &Table| [TableFormat::Csv, TableFormat::Parquet].map(|format| format.file(table));
    FIXED.iter().map(ToString::to_string).chain(tables.iter().flat_map(of)).collect()
}

/// A format that tables are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    /// Comma-separated text.
    Csv,
    /// Typed columns, for DuckDB, pandas, polars or R.
    Parquet,
}

impl TableFormat {
    /// The name of the file of a table.
    pub fn file(self, table: &Table) -> String {
        let extension = match self {
            TableFormat::Csv => "csv",
            TableFormat::Parquet => "parquet",
        };
        format!("{}.{extension}", table.name)
    }

    /// Writes a table.
    ///
    /// # Errors
    /// What the writer says; [`io::ErrorKind::Unsupported`] if this build cannot
    /// ([`crate::output::PARQUET_AVAILABLE`]).
    pub fn write(self, source: &dyn RowSource, out: &mut (impl Write + Send)) -> io::Result<()> {
        match self {
            TableFormat::Csv => csv::write(source, out),
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => parquet::write(source, parquet::GROUP, out),
            #[cfg(not(feature = "parquet"))]
            TableFormat::Parquet => {
                Err(io::Error::new(io::ErrorKind::Unsupported, "this build has no feature `parquet`"))
            }
        }
    }

    /// The bytes of the file of a table.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if this build cannot write the format.
    pub fn bytes(self, source: &dyn RowSource) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.write(source, &mut bytes)?;
        Ok(bytes)
    }
}

/// State of the place of a run's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing, an empty directory, or one with the page of an unfinished study alone.
    Free,
    /// A complete run of the same identity.
    Same,
    /// Something else.
    Other,
}

/// Outcome of the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placed {
    /// Results that were written.
    New,
    /// Results equal to those that were there.
    Identical,
    /// Results that differ from those that were there, first in this file or member: a mistake of
    /// the simulator.
    Different(String),
}

/// Looks at what stands at `directory`.
///
/// # Errors
/// It cannot be looked at.
pub fn standing(directory: &Path, identity: &Identity) -> io::Result<Standing> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return if fs::symlink_metadata(directory).is_ok() {
                Err(io::Error::other("it is a symbolic link to nothing"))
            } else {
                Ok(Standing::Free)
            };
        }
        // a file in its place, or in the place of a directory above it: then making it fails
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let taken = fs::symlink_metadata(directory).is_ok();
            return Ok(if taken { Standing::Other } else { Standing::Free });
        }
        Err(error) => return Err(error),
    };
    if is_free(directory, entries)? {
        return Ok(Standing::Free);
    }
    let same = read_manifest(directory).is_some_and(|manifest| manifest["identity"] == identity.to_json());
    Ok(if same { Standing::Same } else { Standing::Other })
}

/// Returns true if a directory with these entries holds at most the page of an unfinished study.
fn is_free(directory: &Path, entries: fs::ReadDir) -> io::Result<bool> {
    for entry in entries {
        if entry?.file_name() != REPORT || !is_unfinished(&directory.join(REPORT))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns true if a file is the page of an unfinished study.
fn is_unfinished(page: &Path) -> io::Result<bool> {
    if !fs::symlink_metadata(page)?.is_file() {
        return Ok(false);
    }
    let mut head = Vec::new();
    File::open(page)?.take(HEAD).read_to_end(&mut head)?;
    let mark = UNFINISHED_PAGE.as_bytes();
    Ok(head.windows(mark.len()).any(|part| part == mark))
}

/// Shows the page of an unfinished study in the place of its results, if that is free: `draft` is
/// where it is written until it is whole. Returns false if something else is there.
///
/// # Errors
/// It cannot be written.
pub fn show_unfinished(place: &Path, draft: &Path, page: &[u8]) -> io::Result<bool> {
    at(place, fs::create_dir_all(place))?;
    if !at(place, fs::read_dir(place).and_then(|entries| is_free(place, entries)))? {
        return Ok(false);
    }
    at(draft, fs::write(draft, page))?;
    at(place, fs::rename(draft, place.join(REPORT)))?;
    Ok(true)
}

/// Takes away what may stand in a free place, so that a directory can be renamed to it.
pub fn vacate(place: &Path) {
    let page = place.join(REPORT);
    if is_unfinished(&page).is_ok_and(|is| is) {
        let _ = fs::remove_file(page);
    }
    // an empty directory may stand there, and renaming over it is not the same everywhere
    let _ = fs::remove_dir(place);
}

/// The manifest of a complete run; `None` if there is none that can be read.
pub fn read_manifest(directory: &Path) -> Option<Json> {
    let file = open_anywhere(&directory.join(MANIFEST)).ok()?;
    serde_json::from_str(&io::read_to_string(file).ok()?).ok()
}

/// A run directory that is being written.
#[derive(Debug)]
pub struct Partial {
    lock: Lock,
    unfinished: PathBuf,
    outputs: Vec<(String, String)>,
    /// Every file that a run may have, and that another run may have left.
    files: Vec<String>,
}

impl Partial {
    /// Makes `place.partial`, clearing what an interrupted run left there of these [`files`].
    ///
    /// # Errors
    /// It cannot be made, or another process works on it.
    pub fn create(place: &Path, files: Vec<String>) -> Result<Self, Taken> {
        let lock = Lock::take(place)?;
        let partial = unfinished(place);
        match fs::create_dir(&partial) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                at(&partial, clear(&partial, &files))?;
            }
            other => at(&partial, other)?,
        }
        Ok(Partial { lock, unfinished: partial, outputs: Vec::new(), files })
    }

    /// Writes one file and notes its hash.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.file(name, &mut |out| out.write_all(bytes))
    }

    /// Writes a table in a format and notes its hash.
    ///
    /// # Errors
    /// It cannot be written, or this build cannot write the format.
    pub fn write_table(&mut self, source: &dyn RowSource, format: TableFormat) -> io::Result<()> {
        self.file(&format.file(&source.table()), &mut |mut out| format.write(source, &mut out))
    }

    /// Writes a timeline and notes its hash.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_lanes(&mut self, source: &dyn LaneSource) -> io::Result<()> {
        self.file(TRACE, &mut |mut out| perfetto::write(source, &mut out))
    }

    /// The files written so far and their hashes.
    pub fn outputs(&self) -> &[(String, String)] {
        &self.outputs
    }

    /// Writes the manifest and moves everything to its place; or, with a complete run of the same
    /// identity there, compares and goes away.
    ///
    /// # Errors
    /// It cannot be written or moved.
    pub fn finish(self, standing: Standing, manifest: &Json, whole: &[u8]) -> io::Result<Placed> {
        let place = self.lock.place();
        if standing == Standing::Same {
            let placed = compare(place, manifest);
            clear(&self.unfinished, &self.files)?;
            fs::remove_dir(&self.unfinished)?;
            return Ok(placed);
        }
        let path = self.unfinished.join(MANIFEST);
        at(&path, fs::write(&path, whole))?;
        if standing == Standing::Free {
            vacate(place);
            fs::rename(&self.unfinished, place)?;
            return Ok(Placed::New);
        }
        if !place.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "a file stands in its place"));
        }
        clear(place, &self.files)?;
        for name in self.files.iter().filter(|name| self.unfinished.join(name).exists()) {
            fs::rename(self.unfinished.join(name), place.join(name))?;
        }
        fs::remove_dir(&self.unfinished)?;
        Ok(Placed::New)
    }

    /// Leaves what was written where it is, after a failure; gives the directory, which the next
    /// run clears.
    pub fn leave(self) -> PathBuf {
        self.unfinished
    }

    /// Takes away what was written, after a failure.
    pub fn abandon(self) {
        // what cannot be taken away is left: the next run clears it
        if clear(&self.unfinished, &self.files).is_ok() {
            let _ = fs::remove_dir(&self.unfinished);
        }
    }
}

impl Files for Partial {
    fn file(&mut self, name: &str, write: &mut FileWriter<'_>) -> io::Result<()> {
        debug_assert!(self.files.iter().any(|known| known == name), "a run directory holds only known files");
        let path = self.unfinished.join(name);
        let sha256 = File::create(&path).and_then(|file| {
            let mut out = Hashing::new(BufWriter::new(file));
            write(&mut out)?;
            let (mut inner, sha256) = out.finish();
            inner.flush().map(|()| sha256)
        });
        self.outputs.push((name.to_owned(), at(&path, sha256)?));
        Ok(())
    }
}

/// Removes a run's own files from a directory, and nothing else.
///
/// # Errors
/// One cannot be removed.
pub fn clear(directory: &Path, files: &[String]) -> io::Result<()> {
    for name in files {
        match fs::remove_file(directory.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// The part of a manifest that equal runs share. The text a scenario was written in is not in it:
/// comments and shorthands may differ where the resolved scenario does not.
pub fn shared(manifest: &Json) -> Json {
    let mut part = without_invocation(manifest);
    if let Some(outputs) = part["outputs"].as_object_mut() {
        outputs.shift_remove("scenario.toml");
    }
    part
}

/// Compares a manifest with the one at `place`.
pub fn compare(place: &Path, manifest: &Json) -> Placed {
    let old = read_manifest(place).as_ref().map(shared).unwrap_or_default();
    let manifest = &shared(manifest);
    if old == *manifest {
        return Placed::Identical;
    }
    let member = |json: &Json, name: &str| json.get(name).cloned();
    if let Some(outputs) = manifest["outputs"].as_object()
        && let Some((name, _)) = outputs.iter().find(|(name, hash)| old["outputs"].get(*name) != Some(hash))
    {
        return Placed::Different(name.clone());
    }
    let members = manifest.as_object().into_iter().flatten();
    let first = members.map(|(name, _)| name).find(|name| member(&old, name) != member(manifest, name));
    Placed::Different(first.map_or_else(|| MANIFEST.to_owned(), |name| format!("{MANIFEST}, `{name}`")))
}

/// The default directory of a run: its title, and eight digits of its identity.
pub fn default_place(title: &str, identity: &Identity) -> PathBuf {
    Path::new("out").join(format!("{}-{}", slug(title), identity.short()))
}

/// The letters and digits of a title, in lower case, with single dashes between.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for letter in title.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= 48 {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "run".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_becomes_a_name_for_a_directory() {
        assert_eq!(slug("Spin, block or boost?"), "spin-block-or-boost");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("???"), "run");
    }

    #[test]
    fn an_unfinished_run_is_partial_and_a_finished_one_is_in_its_place() {
        let root = tempfile::tempdir().expect("a directory");
        let place = root.path().join("run");
        let identity = Identity { resolved: "x".to_owned(), inputs: Vec::new(), features: Vec::new() };
        assert_eq!(standing(&place, &identity).expect("readable"), Standing::Free);
        let mut partial =
            Partial::create(&place, files(&[Table::new("jobs", "rows", &[])])).expect("writable");
        partial.write("summary.json", b"{}\n").expect("writable");
        assert!(!place.exists() && root.path().join("run.partial").exists());
        let manifest = serde_json::json!({ "identity": identity.to_json() });
        let placed = partial.finish(Standing::Free, &manifest, manifest.to_string().as_bytes());
        assert_eq!(placed.expect("moved"), Placed::New);
        assert!(place.join("summary.json").exists() && !root.path().join("run.partial").exists());
        assert_eq!(standing(&place, &identity).expect("readable"), Standing::Same);
        let other = Identity { resolved: "y".to_owned(), ..identity };
        assert_eq!(standing(&place, &other).expect("readable"), Standing::Other);
    }

    #[test]
    fn the_same_run_again_is_compared_and_what_differs_is_named() {
        let root = tempfile::tempdir().expect("a directory");
        let place = root.path().join("run");
        let manifest = |hash: &str| serde_json::json!({ "outputs": { "summary.json": hash } });
        let run = |standing, hash| {
            let partial =
                Partial::create(&place, files(&[Table::new("jobs", "rows", &[])])).expect("writable");
            let manifest = manifest(hash);
            partial.finish(standing, &manifest, manifest.to_string().as_bytes()).expect("done")
        };
        assert_eq!(run(Standing::Free, "1"), Placed::New);
        assert_eq!(run(Standing::Same, "1"), Placed::Identical);
        assert_eq!(run(Standing::Same, "2"), Placed::Different("summary.json".to_owned()));
        assert!(!root.path().join("run.partial").exists());
    }

    #[test]
    fn only_the_page_of_an_unfinished_study_is_replaced() {
        let root = tempfile::tempdir().expect("a directory");
        let (place, draft) = (root.path().join("study"), root.path().join("draft"));
        let identity = Identity { resolved: "x".to_owned(), inputs: Vec::new(), features: Vec::new() };
        let page = format!("<head>{UNFINISHED_PAGE}</head>");
        for _ in 0..2 {
            assert!(show_unfinished(&place, &draft, page.as_bytes()).expect("shown"));
            assert!(place.join(REPORT).exists() && !draft.exists());
        }
        assert_eq!(standing(&place, &identity).expect("readable"), Standing::Free);
        let partial = Partial::create(&place, files(&[])).expect("writable");
        let placed = partial.finish(Standing::Free, &serde_json::json!({}), b"{}").expect("moved");
        assert_eq!(placed, Placed::New);
        assert!(place.join(MANIFEST).exists() && !place.join(REPORT).exists());
        assert!(!show_unfinished(&place, &draft, page.as_bytes()).expect("looked at"));
        // a page of something else, alone and with another file
        let other = root.path().join("other");
        fs::create_dir(&other).expect("writable");
        fs::write(other.join(REPORT), "<head></head>").expect("writable");
        assert_eq!(standing(&other, &identity).expect("readable"), Standing::Other);
        fs::write(other.join(REPORT), &page).expect("writable");
        fs::write(other.join("notes.txt"), "mine").expect("writable");
        assert_eq!(standing(&other, &identity).expect("readable"), Standing::Other);
        assert!(!show_unfinished(&other, &draft, page.as_bytes()).expect("looked at"));
    }

    #[test]
    fn replacing_leaves_foreign_files_alone() {
        let root = tempfile::tempdir().expect("a directory");
        let place = root.path().join("run");
        fs::create_dir(&place).expect("writable");
        fs::write(place.join("notes.txt"), "mine").expect("writable");
        fs::write(place.join("jobs.csv"), "old").expect("writable");
        let partial = Partial::create(&place, files(&[Table::new("jobs", "rows", &[])])).expect("writable");
        let placed = partial.finish(Standing::Other, &serde_json::json!({}), b"{}").expect("moved");
        assert_eq!(placed, Placed::New);
        assert!(place.join("notes.txt").exists() && !place.join("jobs.csv").exists());
    }
}
