//! Journals: append-only files of finished runs, one line a run.
//!
//! A journal is opened once, by one writer, and never again for writing, so a torn last line stays
//! the last. Any number of journals may hold the same run; then their rows must be equal. A line
//! goes to the system in one write when its run is over: that survives the end of the process. What
//! the system holds is forced to the disk a quarter of a second later at the latest while runs
//! finish, and when the journal ends: that much work a power failure may cost.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::collections::StableSort as _;
#[expect(clippy::disallowed_types, reason = "decides when data is forced to the disk, and nothing else")]
use std::time::Instant;

use crate::output::path::at;
use crate::study::row::{Row, Rows, run_name};
use crate::study::run_metrics::SharedNames;

/// Time for which a line may lie in the system's memory only.
const FORCED_AFTER: Duration = Duration::from_millis(250);

/// A journal that is being written.
#[derive(Debug)]
#[expect(clippy::disallowed_types, reason = "decides when data is forced to the disk, and nothing else")]
pub struct Journal {
    file: File,
    path: PathBuf,
    forced: Instant,
}

impl Journal {
    /// Opens a new journal of shard `shard` in the directory `parts`.
    ///
    /// # Errors
    /// It cannot be made.
    #[expect(clippy::disallowed_types, reason = "decides when data is forced to the disk, and nothing else")]
    pub fn create(parts: &Path, shard: u32) -> io::Result<Self> {
        let mut writer = 0_u32;
        loop {
            let path = parts.join(format!("part-{shard:05}.{writer}.jsonl"));
            match File::create_new(&path) {
                Ok(file) => {
                    at(parts, force_directory(parts))?;
                    return Ok(Journal { file, path, forced: Instant::now() });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => writer += 1,
                Err(error) => return at(&path, Err(error)),
            }
        }
    }

    /// Checks that the file still stands under its name: rows written to one that was removed are
    /// lost, and no write says so.
    fn is_there(&self) -> io::Result<()> {
        let there = fs::metadata(&self.path)?;
        if is_same(&there, &self.file.metadata()?) {
            return Ok(());
        }
        Err(io::Error::other("another file has taken its place"))
    }

    /// Appends a row.
    ///
    /// # Errors
    /// It cannot be written: the disk is full, for example, and the journal's last line may then be
    /// torn; or the journal is gone.
    #[expect(clippy::disallowed_types, reason = "decides when data is forced to the disk, and nothing else")]
    pub fn append(&mut self, row: &Row) -> io::Result<()> {
        at(&self.path, self.file.write_all(row.line().as_bytes()))?;
        at(&self.path, self.is_there())?;
        if self.forced.elapsed() >= FORCED_AFTER {
            at(&self.path, self.file.sync_data())?;
            self.forced = Instant::now();
        }
        Ok(())
    }

    /// Forces all of it to the disk.
    ///
    /// # Errors
    /// That fails.
    pub fn finish(self) -> io::Result<PathBuf> {
        at(&self.path, self.file.sync_all())?;
        Ok(self.path)
    }
}

/// Every whole row of the journals in the directory `parts`; none if it is not there. Torn and
/// damaged lines are left out: their runs are made again.
///
/// # Errors
/// A journal cannot be read, or two hold different rows of one run: a mistake of the simulator.
pub fn read(parts: &Path) -> io::Result<Rows> {
    let (mut rows, mut names) = (Rows::new(), SharedNames::default());
    for path in journals(parts)? {
        let bytes = at(&path, fs::read(&path))?;
        // what stands behind the last line end was torn, or is being written
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        for mut row in bytes[..whole].split(|&byte| byte == b'\n').filter_map(Row::of_line) {
            row.metrics.share(&mut names);
            match rows.get(&row.key()) {
                Some(other) if *other != row => {
                    let message = format!(
                        "{} holds another result of {} than was found before: a mistake of the simulator",
                        path.display(),
                        run_name(row.key())
                    );
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                _ => {
                    rows.insert(row.key(), row);
                }
            }
        }
    }
    Ok(rows)
}

/// Forces the journals of shard `shard` to the disk, those that earlier tries left included.
///
/// # Errors
/// That fails.
pub fn force(parts: &Path, shard: u32) -> io::Result<()> {
    let own = format!("part-{shard:05}.");
    for path in journals(parts)? {
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&own)) {
            at(&path, File::open(&path).and_then(|file| file.sync_all()))?;
        }
    }
    Ok(())
}

/// The journals in the directory `parts`, sorted by name.
///
/// # Errors
/// The directory is there and cannot be read.
pub fn journals(parts: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(parts) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            paths.push(path);
        }
    }
    paths.stable_sort();
    Ok(paths)
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    one.created().ok() == other.created().ok()
}

/// Forces the names in a directory to the disk, where the system can.
pub(super) fn force_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::row::State;
    use crate::study::run_metrics::RunMetrics;

    fn row(point: u32, replication: u32) -> Row {
        Row {
            point,
            replication: Some(replication),
            state: State::Done,
            digest: None,
            events: 1,
            drew: true,
            warm_up: 0,
            metrics: RunMetrics::default(),
            seldom: None,
        }
    }

    #[test]
    fn journals_are_united_and_torn_lines_left_out() {
        let place = tempfile::tempdir().expect("a directory");
        let mut one = Journal::create(place.path(), 0).expect("made");
        one.append(&row(1, 0)).expect("written");
        let path = one.finish().expect("forced");
        let mut torn = fs::read(&path).expect("there");
        let line = row(2, 0).line();
        torn.extend(&line.as_bytes()[..line.len() - 4]);
        fs::write(&path, torn).expect("written");
        let mut two = Journal::create(place.path(), 0).expect("made");
        two.append(&row(0, 0)).expect("written");
        two.append(&row(1, 0)).expect("written");
        let other = two.finish().expect("forced");
        assert_ne!(path, other);
        let rows = read(place.path()).expect("read");
        assert_eq!(rows.keys().copied().collect::<Vec<_>>(), [(0, Some(0)), (1, Some(0))]);
    }

    #[test]
    fn two_results_of_one_run_are_refused() {
        let place = tempfile::tempdir().expect("a directory");
        for events in [1, 2] {
            let mut journal = Journal::create(place.path(), 0).expect("made");
            journal.append(&Row { events, ..row(0, 0) }).expect("written");
        }
        let error = read(place.path()).expect_err("they differ");
        assert!(error.to_string().contains("replication 0 of point 0"), "{error}");
    }
}
