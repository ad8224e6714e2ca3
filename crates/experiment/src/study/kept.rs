//! Runs of a study that are kept: each a complete directory, as that of the run made alone.
//!
//! ```text
//!   DIR.partial/runs/point-3-replication-0.partial/   being written
//!   DIR.partial/runs/point-3-replication-0/           complete; then its row goes to the journal
//!   DIR/runs/point-3-replication-0/                   moved with the study
//! ```
//!
//! The files come from the very run whose row is recorded, by the code that writes a run alone
//! ([`files::write`]). A row vouches for its directory, but for what a power failure took: a study
//! that is continued compares the files with their hashes, and makes a run again whose files are
//! not as they were written. Shards of a study in shards write into the directory of the study,
//! and no shard touches the runs of another.

use std::borrow::Borrow;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::check::as_written;
use crate::collections::OrderedMap;
use crate::output::directory::{MANIFEST, Partial, Standing, clear, read_manifest, shared};
use crate::output::hash;
use crate::output::lock::Taken;
use crate::output::manifest::{Identity, document, with_invocation};
use crate::output::path::{at, refuse_link, remove, remove_if_empty};
use crate::report::files;
use crate::scenario::{Results, Scenario, Study};
use crate::study::journal::force_directory;
use crate::study::row::{KeptRun, RECORDED, Row, Rows, RunKey, State};
use crate::study::summary::StudySummary;
use crate::study::threads;

/// The directory of kept runs in that of a study.
pub const RUNS: &str = "runs";
/// Runs that are forced to the disk at once: a disk takes many together in the time of one.
const AT_ONCE: usize = 16;

/// The name of the directory of a run: `point-3-replication-0`, or `point-3-recorded`.
pub fn name((point, replication): RunKey) -> String {
    match replication {
        Some(replication) => format!("point-{point}-replication-{replication}"),
        None => format!("point-{point}-{RECORDED}"),
    }
}

/// The run whose directory has this name; `None` if no run's has.
fn named(text: &str) -> Option<RunKey> {
    let (point, run) = text.strip_prefix("point-")?.split_once('-')?;
    let replication = match run.strip_prefix("replication-") {
        Some(number) => Some(number.parse().ok()?),
        None => None,
    };
    let key = (point.parse().ok()?, replication);
    (name(key) == text).then_some(key)
}

/// Returns true if a run is kept, unless it fails.
fn is_kept(study: &Study, (point, replication): RunKey) -> bool {
    study.points[point as usize].scenario.record_runs.has(replication)
}

/// The runs among these rows that are kept.
fn kept<'a, R: Borrow<Row>>(
    study: &'a Study,
    rows: &'a OrderedMap<RunKey, R>,
) -> impl Iterator<Item = RunKey> {
    let rows = rows.values().map(R::borrow).filter(|row| row.state == State::Done);
    rows.map(Row::key).filter(|key| is_kept(study, *key))
}

/// Notes the kept runs at the points of a summary.
pub(super) fn note<R: Borrow<Row>>(study: &Study, rows: &OrderedMap<RunKey, R>, summary: &mut StudySummary) {
    for key @ (point, replication) in kept(study, rows) {
        let directory = format!("{RUNS}/{}", name(key));
        let report = study.points[point as usize].scenario.record_report;
        summary.points[point as usize].runs.push(KeptRun { replication, directory, report });
    }
}

/// Removes the directories of runs from that of kept runs, finished or not, but for those of a
/// name that `stays`; nothing else there is touched.
///
/// # Errors
/// One cannot be removed.
pub(super) fn clear_runs(runs: &Path, files: &[String], stays: impl Fn(RunKey) -> bool) -> io::Result<()> {
    refuse_link(runs)?;
    let entries = match fs::read_dir(runs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => at(runs, entries)?,
    };
    for entry in entries {
        let path = at(runs, entry)?.path();
        let Some(text) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let (run, ending) = text.split_at(text.find('.').unwrap_or(text.len()));
        let Some(key) = named(run) else { continue };
        match ending {
            "" if stays(key) => {}
            "" | ".partial" => remove_run(&path, files)?,
            ".partial.lock" => remove(&path)?,
            _ => {}
        }
    }
    remove_if_empty(runs)
}

/// Removes the files of a run and its directory.
fn remove_run(directory: &Path, files: &[String]) -> io::Result<()> {
    refuse_link(directory)?;
    if !directory.exists() {
        return Ok(());
    }
    at(directory, clear(directory, files))?;
    remove_if_empty(directory)
}

/// Moves the runs in `from` to `to`, each over the one that stands there.
///
/// # Errors
/// One cannot be moved.
pub(super) fn move_runs(from: &Path, to: &Path, files: &[String]) -> io::Result<()> {
    let entries = match fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => at(from, entries)?,
    };
    refuse_link(to)?;
    at(to, fs::create_dir_all(to))?;
    for entry in entries {
        let entry = at(from, entry)?;
        move_run(&entry.path(), &to.join(entry.file_name()), files)?;
    }
    at(to, force_directory(to))?;
    remove_if_empty(from)
}

/// Moves a run, its manifest last; what an earlier session has moved stays.
fn move_run(from: &Path, to: &Path, files: &[String]) -> io::Result<()> {
    refuse_link(to)?;
    if !to.exists() {
        return at(to, fs::rename(from, to));
    }
    let manifest = read_manifest(from).unwrap_or_default();
    let is_own = |name: &String| manifest["outputs"].get(name.as_str()).is_some();
    files.iter().filter(|name| !is_own(name)).try_for_each(|name| remove(&to.join(name)))?;
    let own = files.iter().filter(|name| is_own(name)).map(String::as_str);
    for name in own.chain([MANIFEST]).filter(|name| from.join(name).exists()) {
        let target = to.join(name);
        at(&target, fs::rename(from.join(name), &target))?;
    }
    remove_if_empty(from)
}

/// A finished run, ready to be kept.
#[derive(Clone, Copy)]
pub(super) struct FinishedRun<'a> {
    pub(super) scenario: &'a Scenario,
    /// The files that it read, as the scenario names them and by their paths.
    pub(super) inputs: &'a [(String, PathBuf)],
    pub(super) results: &'a dyn Results,
}

/// The directory of the kept runs of a study while its runs are made.
#[derive(Debug)]
pub struct RunKeeper<'a> {
    /// The study.
    pub study: &'a Study,
    /// Identity of the study, with the hashes of its inputs.
    pub identity: &'a Identity,
    /// The directory that [`RUNS`] lies in.
    pub directory: &'a Path,
    /// Every file that a run may have.
    pub files: Vec<String>,
}

impl RunKeeper<'_> {
    /// The directory of a run.
    fn place(&self, key: RunKey) -> PathBuf {
        self.directory.join(RUNS).join(name(key))
    }

    /// Returns true if a run is kept, unless it fails.
    pub(super) fn keeps(&self, key: RunKey) -> bool {
        is_kept(self.study, key)
    }

    /// Writes the directory of a run; `invocation` is the last block of its manifest. One that
    /// another try left whole stays.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn keep(&self, key: RunKey, run: FinishedRun<'_>, invocation: Json) -> io::Result<()> {
        let (place, FinishedRun { scenario, results, .. }) = (self.place(key), run);
        let identity = Identity {
            resolved: hash::of_bytes(scenario.resolved().as_bytes()),
            inputs: self.hashed(run.inputs)?,
            features: scenario.features(),
        };
        let whole = whole(&place).is_some_and(|manifest| manifest["identity"] == identity.to_json());
        if whole {
            return Ok(());
        }
        remove_run(&place, &self.files)?;
        let mut partial = Partial::create(&place, self.files.clone()).map_err(|why| match why {
            Taken::Io(error) => error,
            Taken::Busy(place) => io::Error::other(format!("another process works on {}", place.display())),
        })?;
        match files::write(scenario, &identity, results, &mut partial) {
            Ok(manifest) => {
                let whole = document(&with_invocation(&manifest, invocation));
                partial.finish(Standing::Free, &manifest, &whole).map(|_| ())
            }
            Err(error) => {
                partial.abandon();
                Err(error)
            }
        }
    }

    /// The hashes of files that a run read: those of the inputs of the study.
    fn hashed(&self, inputs: &[(String, PathBuf)]) -> io::Result<Vec<(String, String)>> {
        let hashed = |(written, path): &(String, PathBuf)| {
            let known = self.identity.inputs.iter().find(|(known, _)| known == written);
            let sha256 =
                known.map_or_else(|| at(path, hash::of_file(path)), |(_, known)| Ok(known.clone()))?;
            Ok((written.clone(), sha256))
        };
        inputs.iter().map(hashed).collect()
    }

    /// The runs among these rows whose directories are not as they were written: they have to be
    /// made again.
    pub fn lost(&self, rows: &Rows) -> Vec<RunKey> {
        kept(self.study, rows).filter(|key| whole(&self.place(*key)).is_none()).collect()
    }

    /// Takes the directories of all other runs away and forces those of these rows to the disk;
    /// gives their names, each with the hash of its manifest ([`of_manifest`]).
    ///
    /// # Errors
    /// The directory of a row is not there, or another cannot be removed.
    pub fn settle(&self, rows: &Rows) -> io::Result<Vec<(String, String)>> {
        let runs = self.directory.join(RUNS);
        let stays =
            |key: RunKey| self.keeps(key) && rows.get(&key).is_some_and(|row| row.state == State::Done);
        clear_runs(&runs, &self.files, stays)?;
        let keys: Vec<RunKey> = kept(self.study, rows).collect();
        let settled = threads::map(AT_ONCE, &keys, |_, key| self.forced(*key))?;
        if !settled.is_empty() {
            at(&runs, force_directory(&runs))?;
        }
        settled.into_iter().collect()
    }

    /// Forces the files of a run to the disk; gives its name and the hash of its manifest.
    fn forced(&self, key: RunKey) -> io::Result<(String, String)> {
        let place = self.place(key);
        let manifest = read_manifest(&place)
            .ok_or_else(|| io::Error::other(format!("{} is not there any more", place.display())))?;
        let outputs = manifest["outputs"].as_object().into_iter().flatten();
        for file in outputs.map(|(file, _)| file.as_str()).chain([MANIFEST]) {
            let path = place.join(file);
            at(&path, File::open(&path).and_then(|file| file.sync_all()))?;
        }
        at(&place, force_directory(&place))?;
        Ok((name(key), of_manifest(&manifest)))
    }
}

/// The manifest of a run whose files are as they were written; `None` of any other directory.
fn whole(place: &Path) -> Option<Json> {
    let manifest = read_manifest(place)?;
    as_written(place, &manifest).is_ok_and(|changed| changed.is_empty()).then_some(manifest)
}

/// The hash of the part of the manifest of a kept run that equal runs share.
pub fn of_manifest(manifest: &Json) -> String {
    hash::of_bytes(&document(&shared(manifest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_directory_is_that_of_one_run() {
        for (key, text) in [
            ((3, Some(0)), "point-3-replication-0"),
            ((0, None), "point-0-recorded"),
            ((12, Some(345)), "point-12-replication-345"),
        ] {
            assert_eq!((name(key).as_str(), named(text)), (text, Some(key)));
        }
        for other in [
            "point-3",
            "point-03-replication-0",
            "point-3-replication-",
            "point-x-recorded",
            "notes",
            "point-1-else",
        ] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn directories_of_runs_are_cleared_and_nothing_else_is() {
        let place = tempfile::tempdir().expect("a directory");
        let runs = place.path().join(RUNS);
        let file = |name: &str| {
            let path = runs.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "x").expect("written");
        };
        let own = [
            "point-0-replication-0/jobs.csv",
            "point-0-replication-1/jobs.csv",
            "point-0-replication-2/jobs.csv",
            "point-0-replication-2/notes.txt",
            "point-1-recorded.partial/jobs.csv",
            "point-1-recorded.partial.lock",
            "notes.txt",
            "point-9/jobs.csv",
        ];
        own.iter().for_each(|name| file(name));
        let left = || {
            let mut names: Vec<String> = Vec::new();
            for entry in fs::read_dir(&runs).expect("there") {
                names.push(entry.expect("readable").file_name().to_string_lossy().into_owned());
            }
            names.into_iter().collect::<crate::collections::OrderedSet<String>>()
        };
        let files = ["jobs.csv".to_owned()];
        clear_runs(&runs, &files, |key| key == (0, Some(0))).expect("cleared");
        let expected = ["notes.txt", "point-0-replication-0", "point-0-replication-2", "point-9"];
        assert!(left().iter().eq(expected.iter()), "{:?}", left());
        assert!(!runs.join("point-0-replication-2/jobs.csv").exists());
        clear_runs(&place.path().join("nowhere"), &files, |_| false).expect("nothing is there");
    }

    #[test]
    fn a_run_is_moved_over_another_and_what_was_moved_stays() {
        let place = tempfile::tempdir().expect("a directory");
        let [from, to] = ["from", "to"].map(|name| place.path().join(name));
        let run = |directory: &Path, name: &str, text: &str| {
            let directory = directory.join("point-0-replication-0");
            fs::create_dir_all(&directory).expect("made");
            fs::write(directory.join(name), text).expect("written");
        };
        let files = ["jobs.csv", "tasks.csv", "summary.json", MANIFEST].map(ToOwned::to_owned);
        run(&from, MANIFEST, r#"{"outputs": {"jobs.csv": "1", "summary.json": "2"}}"#);
        run(&from, "summary.json", "new");
        // `jobs.csv` was moved when the last session ended
        run(&to, "jobs.csv", "new");
        for (name, text) in
            [("tasks.csv", "old"), ("summary.json", "old"), (MANIFEST, "{}"), ("notes.txt", "mine")]
        {
            run(&to, name, text);
        }
        move_runs(&from, &to, &files).expect("moved");
        assert!(!from.exists());
        let text = |name: &str| fs::read_to_string(to.join("point-0-replication-0").join(name)).ok();
        assert_eq!(text("jobs.csv").as_deref(), Some("new"));
        assert_eq!(text("summary.json").as_deref(), Some("new"));
        assert_eq!(text("notes.txt").as_deref(), Some("mine"));
        assert!(text("tasks.csv").is_none() && text(MANIFEST).is_some_and(|text| text.len() > 2));
    }
}
