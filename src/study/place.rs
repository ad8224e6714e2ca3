//! The directory of a study: written beside its place, continued there, and moved when it is complete.
//!
//! ```text
//!   DIR.partial/ plan.json, lock, parts/*.jsonl     runs are being made; ends at any instant and is continued
//!   DIR.partial/ + results.csv, study.json, ...     made from the journals, again if that was interrupted
//!   DIR.partial/ + manifest.json                    the results are complete; only tidying up is left
//!   DIR/         the final files                    one rename
//! ```
//!
//! Each file is forced to the disk before the manifest is, and the manifest appears by a rename, so a manifest never
//! vouches for what a power failure could still take. One process works on a `DIR.partial` at a time: it holds a lock
//! that the system takes back whatever becomes of it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::report::directory::{self, MANIFEST, Placed, beside, read_manifest};
use crate::report::hash;
use crate::report::manifest::Identity;
use crate::study::journal::force_directory;
use crate::study::plan::{PLAN, Plan};

/// The directory of the journals.
pub const PARTS: &str = "parts";
const LOCK: &str = "lock";
/// Every final file a study may write.
const FILES: [&str; 6] =
    ["scenario.toml", "scenario.resolved.toml", "results.csv", "study.json", "report.html", MANIFEST];

/// Why a study cannot be begun or continued in a place.
#[derive(Debug)]
pub enum Refused {
    /// It cannot be written.
    Io(io::Error),
    /// Another study was begun there, and is not complete.
    OtherStudy(PathBuf),
    /// Another process works on it.
    Busy(PathBuf),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused::Io(error)
    }
}

/// A study directory that is being written.
#[derive(Debug)]
pub struct Partial {
    place: PathBuf,
    beside: PathBuf,
    outputs: Vec<(&'static str, String)>,
    lock: File,
}

/// Whether an unfinished study lies beside `place`.
pub fn is_begun(place: &Path) -> bool {
    beside(place).join(PLAN).exists()
}

impl Partial {
    /// Begins the study beside `place`, or continues the one of the same identity that was begun there.
    ///
    /// # Errors
    /// It cannot be written, or `place.partial` is taken. With `force`, another unfinished study is thrown away.
    pub fn open(place: &Path, plan: &Plan, identity: &Identity, force: bool) -> Result<Self, Refused> {
        let beside = beside(place);
        fs::create_dir_all(beside.join(PARTS))?;
        let lock = File::create(beside.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Refused::Busy(beside)),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let partial = Partial { place: place.to_owned(), beside, outputs: Vec::new(), lock };
        if partial.beside.join(PLAN).exists() {
            if Plan::read(&partial.beside).is_some_and(|begun| begun.is_of(identity)) {
                return Ok(partial);
            }
            if !force {
                return Err(Refused::OtherStudy(partial.beside));
            }
        }
        if partial.complete(identity).is_some() {
            // the last session ended between taking the plan away and the move
            return Ok(partial);
        }
        // what an interrupted run, or another study, left there
        partial.clear_all()?;
        fs::create_dir_all(partial.parts())?;
        replace(&partial.beside, PLAN, &plan.document())?;
        Ok(partial)
    }

    /// The directory of the journals.
    pub fn parts(&self) -> PathBuf {
        self.beside.join(PARTS)
    }

    /// The directory the files lie in until it is moved.
    pub fn directory(&self) -> &Path {
        &self.beside
    }

    /// The manifest, if the results were complete when the last session ended.
    pub fn complete(&self, identity: &Identity) -> Option<Json> {
        read_manifest(&self.beside).filter(|manifest| manifest["identity"] == identity.to_json())
    }

    /// Writes one final file, forces it to the disk and notes its hash.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, name: &'static str, bytes: &[u8]) -> io::Result<()> {
        debug_assert!(FILES.contains(&name), "a study directory holds only known files");
        let mut file = File::create(self.beside.join(name))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        self.outputs.push((name, hash::of_bytes(bytes)));
        Ok(())
    }

    /// The files written so far and their hashes.
    pub fn outputs(&self) -> &[(&'static str, String)] {
        &self.outputs
    }

    /// Writes the manifest and moves everything to its place; or, with a complete study of the same identity there,
    /// compares and goes away.
    ///
    /// # Errors
    /// It cannot be written or moved.
    pub fn finish(self, standing: directory::Standing, manifest: &Json, whole: &[u8]) -> io::Result<Placed> {
        if standing == directory::Standing::Same {
            let placed = directory::compare(&self.place, manifest);
            self.clear_all()?;
            drop(self.lock);
            fs::remove_dir(&self.beside)?;
            return Ok(placed);
        }
        force_directory(&self.beside)?;
        replace(&self.beside, MANIFEST, whole)?;
        self.move_to_place(standing)
    }

    /// Tidies up behind a manifest that is there, and moves everything to its place.
    ///
    /// # Errors
    /// It cannot be moved.
    pub fn move_to_place(self, standing: directory::Standing) -> io::Result<Placed> {
        // the plan goes last: as long as it is there, the next session knows what this is
        remove_parts(&self.beside)?;
        let over = standing == directory::Standing::Other;
        if over && !self.place.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "a file stands in its place"));
        }
        if over {
            clear(&self.place)?;
            for name in FILES.iter().filter(|name| self.beside.join(name).exists()) {
                fs::rename(self.beside.join(name), self.place.join(name))?;
            }
        }
        remove(&self.beside.join(PLAN))?;
        remove(&self.beside.join(LOCK))?;
        drop(self.lock);
        if over {
            fs::remove_dir(&self.beside)?;
        } else {
            // an empty directory may stand there, and renaming over it is not the same everywhere
            let _ = fs::remove_dir(&self.place);
            fs::rename(&self.beside, &self.place)?;
        }
        let parent = self.place.parent().filter(|parent| !parent.as_os_str().is_empty());
        force_directory(parent.unwrap_or(Path::new(".")))?;
        Ok(Placed::New)
    }

    /// Removes the plan, then what was computed, then the rest: in that order, so that half of it is never taken for a
    /// study.
    fn clear_all(&self) -> io::Result<()> {
        remove(&self.beside.join(PLAN))?;
        remove_parts(&self.beside)?;
        clear(&self.beside)?;
        // the lock is held by its file, not by its name
        remove(&self.beside.join(LOCK))
    }
}

fn remove_parts(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory.join(PARTS)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the final files of a study or a run, and nothing else.
fn clear(directory: &Path) -> io::Result<()> {
    FILES.iter().chain(&directory::FILES).try_for_each(|name| remove(&directory.join(name)))
}

/// Writes a file under another name, forces it to the disk and gives it its name.
pub(super) fn replace(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let other = directory.join(format!("{name}.tmp"));
    let mut file = File::create(&other)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&other, directory.join(name))?;
    force_directory(directory)
}
