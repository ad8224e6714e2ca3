//! The directory of a study: written next to its place, continued there, and moved when it is
//! complete.
//!
//! ```text
//!   DIR.partial/ plan.json, parts/*.jsonl       runs are being made; may end and be continued
//!   DIR.partial/ runs/                          those that are kept, each before its row
//!   DIR/         report.html                    the page of what there is so far, if it takes long
//!   DIR.partial/ + results.csv, study.json, ... made from the journals, again if interrupted
//!   DIR.partial/ + manifest.json                results are complete; tidying up is left
//!   DIR/         the final files                one rename
//! ```
//!
//! Each file is forced to the disk before the manifest is, and the manifest appears by a rename, so
//! a manifest never vouches for what a power failure could still take. Where `DIR` holds something
//! that is replaced, its files are moved one by one, the manifest last; what was moved is not
//! looked for again. The page of an unfinished study lies where the final one will, so that a
//! browser finds both at one address; a directory with nothing else is a free place. One process
//! works on a `DIR.partial` at a time: it holds the [`Lock`] of the place.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value as Json;

use crate::output::directory::{self, MANIFEST, Placed, REPORT, read_manifest};
use crate::output::hash::Hashing;
use crate::output::lock::Lock;
use crate::output::manifest::Identity;
use crate::output::path::{at, refuse_link, remove, remove_if_empty, unfinished};
use crate::output::{RowSource, TableFormat};
use crate::study::journal::force_directory;
use crate::study::kept::{self, RUNS, clear_runs, move_runs};
use crate::study::plan::{PLAN, Plan};
use crate::study::results::question;

/// The directory of the journals.
pub const PARTS: &str = "parts";
/// The rows of a study.
const RESULTS: &str = "results.csv";
/// Every final file a study may write.
const FILES: [&str; 7] =
    ["scenario.toml", "scenario.resolved.toml", RESULTS, "results.parquet", "study.json", REPORT, MANIFEST];

/// Reason that a study cannot be begun or continued in a place.
#[derive(Debug)]
pub enum Refused {
    /// The place cannot be written.
    Io(io::Error),
    /// Another study was begun there, and is not complete.
    OtherStudy(PathBuf),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused::Io(error)
    }
}

/// A study directory that is being written.
#[derive(Debug)]
pub struct PartialStudy<'a> {
    place: &'a Path,
    unfinished: PathBuf,
    outputs: Vec<(String, String)>,
    /// The files that a run may have left there.
    of_runs: Vec<String>,
}

/// Returns true if an unfinished study lies next to `place`.
pub fn is_begun(place: &Path) -> bool {
    unfinished(place).join(PLAN).exists()
}

impl<'a> PartialStudy<'a> {
    /// Begins the study next to the place of `lock`, or continues the one of the same identity that
    /// was begun there.
    ///
    /// # Errors
    /// It cannot be written, or `place.partial` is taken. With `force`, another unfinished study is
    /// thrown away, and so are the files `of_runs` that are there.
    pub fn open(
        lock: &'a Lock,
        plan: &Plan,
        identity: &Identity,
        of_runs: Vec<String>,
        force: bool,
    ) -> Result<Self, Refused> {
        let place = lock.place();
        let partial = PartialStudy { place, unfinished: unfinished(place), outputs: Vec::new(), of_runs };
        let parts = partial.parts();
        refuse_link(&parts)?;
        refuse_link(&partial.unfinished.join(RUNS))?;
        if partial.unfinished.join(PLAN).exists() {
            if Plan::read(&partial.unfinished).is_some_and(|begun| begun.is_of(identity)) {
                at(&parts, fs::create_dir_all(&parts))?;
                return Ok(partial);
            }
            if !force {
                return Err(Refused::OtherStudy(partial.unfinished));
            }
        }
        if partial.complete(identity).is_some() {
            // the last session ended between taking the plan away and the move
            return Ok(partial);
        }
        // what an interrupted run, or another study, left there
        partial.clear_all()?;
        at(&parts, fs::create_dir_all(&parts))?;
        replace(&partial.unfinished, PLAN, &plan.document())?;
        Ok(partial)
    }

    /// The directory of the journals.
    pub fn parts(&self) -> PathBuf {
        self.unfinished.join(PARTS)
    }

    /// The directory the files lie in until it is moved.
    pub fn directory(&self) -> &Path {
        &self.unfinished
    }

    /// Shows a page of the unfinished study in its place; returns false if results stand there.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn show(&self, page: &[u8]) -> io::Result<bool> {
        // among the journals, which go as a whole, a draft is never left
        directory::show_unfinished(self.place, &self.parts().join(REPORT), page)
    }

    /// The manifest, if the results were complete when the last session ended.
    pub fn complete(&self, identity: &Identity) -> Option<Json> {
        read_manifest(&self.unfinished).filter(|manifest| manifest["identity"] == identity.to_json())
    }

    /// Writes one final file, forces it to the disk and notes its hash.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.write_by(name, |out| out.write_all(bytes))
    }

    /// Writes a table in a format, as [`PartialStudy::write`].
    ///
    /// # Errors
    /// It cannot be written, or this build cannot write the format.
    pub fn write_table(&mut self, source: &dyn RowSource, format: TableFormat) -> io::Result<()> {
        self.write_by(&format.file(&source.table()), |out| format.write(source, out))
    }

    /// Writes a document, as [`PartialStudy::write`].
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_json(&mut self, name: &str, document: &impl Serialize) -> io::Result<()> {
        self.write_by(name, |out| {
            serde_json::to_writer_pretty(&mut *out, document)?;
            out.write_all(b"\n")
        })
    }

    /// Writes what `write` writes, as [`PartialStudy::write`]; no part of it is held in memory.
    fn write_by(
        &mut self,
        name: &str,
        write: impl FnOnce(&mut BufWriter<Hashing<File>>) -> io::Result<()>,
    ) -> io::Result<()> {
        debug_assert!(FILES.contains(&name), "a study directory holds only known files");
        let path = self.unfinished.join(name);
        let hash = File::create(&path).and_then(|file| {
            let mut out = BufWriter::with_capacity(1 << 16, Hashing::new(file));
            write(&mut out)?;
            let (file, hash) = out.into_inner()?.finish();
            file.sync_all().map(|()| hash)
        });
        self.outputs.push((name.to_owned(), at(&path, hash)?));
        Ok(())
    }

    /// The files written so far and their hashes.
    pub fn outputs(&self) -> &[(String, String)] {
        &self.outputs
    }

    /// Writes the manifest and moves everything to its place; or, with a complete study of the same
    /// identity there, compares and goes away.
    ///
    /// # Errors
    /// It cannot be written or moved.
    pub fn finish(self, standing: directory::Standing, manifest: &Json, whole: &[u8]) -> io::Result<Placed> {
        if standing == directory::Standing::Same && !self.answers_another_question(manifest) {
            let placed = directory::compare(self.place, manifest);
            self.clear_all()?;
            remove_if_empty(&self.unfinished)?;
            return Ok(placed);
        }
        at(&self.unfinished, force_directory(&self.unfinished))?;
        replace(&self.unfinished, MANIFEST, whole)?;
        self.move_to_place(standing, manifest)
    }

    /// Returns true if the same runs stand in the place with the answer to another question, which
    /// this one then replaces.
    pub fn answers_another_question(&self, manifest: &Json) -> bool {
        let rows = |manifest: &Json| manifest["outputs"][RESULTS].clone();
        read_manifest(self.place).is_some_and(|old| {
            let same = old["identity"] == manifest["identity"] && rows(&old) == rows(manifest);
            same && question(&old) != question(manifest)
        })
    }

    /// Tidies up behind a manifest that is there, and moves everything to its place.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn move_to_place(self, standing: directory::Standing, manifest: &Json) -> io::Result<Placed> {
        // the plan goes last: as long as it is there, the next session knows what this is
        remove_parts(&self.unfinished)?;
        let over = standing != directory::Standing::Free;
        if over {
            self.move_files(standing, manifest)?;
        }
        remove(&self.unfinished.join(PLAN))?;
        if over {
            remove_if_empty(&self.unfinished)?;
        } else {
            directory::vacate(self.place);
            at(self.place, fs::rename(&self.unfinished, self.place))?;
        }
        let parent = self.place.parent().filter(|parent| !parent.as_os_str().is_empty());
        let parent = parent.unwrap_or(Path::new("."));
        at(parent, force_directory(parent))?;
        Ok(Placed::New)
    }

    /// Moves the files one by one over those of another study or run. No manifest stands there
    /// before all of them do, but that of the same runs with another answer; what an earlier
    /// session has moved stays.
    fn move_files(&self, standing: directory::Standing, manifest: &Json) -> io::Result<()> {
        if !self.place.is_dir() {
            return at(self.place, Err(io::Error::other("a file stands in its place")));
        }
        if standing == directory::Standing::Other {
            remove(&self.place.join(MANIFEST))?;
        }
        for name in self.known().filter(|name| *name != MANIFEST && manifest["outputs"].get(*name).is_none())
        {
            remove(&self.place.join(name))?;
        }
        let runs = self.place.join(RUNS);
        let is_listed = |key| manifest[RUNS].get(kept::name(key)).is_some();
        clear_runs(&runs, &self.of_runs, is_listed)?;
        move_runs(&self.unfinished.join(RUNS), &runs, &self.of_runs)?;
        for name in FILES.iter().filter(|name| self.unfinished.join(name).exists()) {
            if *name == MANIFEST {
                at(self.place, force_directory(self.place))?;
            }
            let target = self.place.join(name);
            at(&target, fs::rename(self.unfinished.join(name), &target))?;
        }
        at(self.place, force_directory(self.place))
    }

    /// The bytes of a final file that was complete when the last session ended; it may have been
    /// moved already.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let path = self.unfinished.join(name);
        let path = if path.exists() { path } else { self.place.join(name) };
        at(&path, fs::read(&path))
    }

    /// The final files of a study and of a run.
    fn known(&self) -> impl Iterator<Item = &str> {
        FILES.into_iter().chain(self.of_runs.iter().map(String::as_str))
    }

    /// Removes the plan, then what was computed, then the rest: in that order, so that half of it
    /// is never taken for a study.
    fn clear_all(&self) -> io::Result<()> {
        remove(&self.unfinished.join(PLAN))?;
        remove_parts(&self.unfinished)?;
        clear_runs(&self.unfinished.join(RUNS), &self.of_runs, |_| false)?;
        self.known().try_for_each(|name| remove(&self.unfinished.join(name)))?;
        [PLAN, MANIFEST].iter().try_for_each(|name| remove(&unnamed(&self.unfinished, name)))
    }
}

/// Removes the journals in a study's directory.
pub(super) fn remove_parts(directory: &Path) -> io::Result<()> {
    let parts = directory.join(PARTS);
    match fs::remove_dir_all(&parts) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => at(&parts, Err(error)),
        _ => Ok(()),
    }
}

/// The name of a file until it is whole.
fn unnamed(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.tmp"))
}

/// Writes a file and forces it to the disk.
pub(super) fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Writes a file under another name, forces it to the disk and gives it its name.
///
/// # Errors
/// It cannot be written.
pub fn replace(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let (path, unnamed) = (directory.join(name), unnamed(directory, name));
    at(&unnamed, write_through(&unnamed, bytes))?;
    at(&path, fs::rename(&unnamed, &path))?;
    at(directory, force_directory(directory))
}
