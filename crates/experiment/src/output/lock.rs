//! One process at a time works on what is to be `DIR`.
//!
//! The lock is that of the system on the open file `DIR.partial.lock`: it ends with the process,
//! whatever becomes of it. The file lies next to `DIR.partial`, because that is cleared and moved
//! while the lock is held. The process that holds the lock removes the file last of all. So a lock
//! that was taken may be one on a file that has lost its name, while the next process makes a
//! new one: then it protects nothing, and is taken again.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::output::path::{at, refuse_link, unfinished};

/// Reason why there is no lock.
#[derive(Debug)]
pub enum Taken {
    /// Another process has it, and works on this place.
    Busy(PathBuf),
    /// The lock cannot be made.
    Io(io::Error),
}

impl From<io::Error> for Taken {
    fn from(error: io::Error) -> Self {
        Taken::Io(error)
    }
}

/// The right to write what is to be a place. It ends when this is dropped.
#[derive(Debug)]
pub struct Lock {
    place: PathBuf,
    path: PathBuf,
    // closed behind the end of `drop`, so that the name is gone before the lock is
    _file: File,
}

impl Lock {
    /// Takes the lock of `place`, without waiting for it.
    ///
    /// # Errors
    /// Another process has it, the file cannot be made, or a symbolic link stands in its place or
    /// in that of `DIR.partial`.
    pub fn take(place: &Path) -> Result<Self, Taken> {
        refuse_link(&unfinished(place))?;
        let mut path = unfinished(place).into_os_string();
        path.push(".lock");
        let path = PathBuf::from(path);
        if let Some(parent) = path.parent() {
            at(parent, fs::create_dir_all(parent))?;
        }
        refuse_link(&path)?;
        loop {
            let file = File::options().write(true).create(true).truncate(false).open(&path);
            let file = at(&path, file)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(Taken::Busy(place.to_owned())),
                Err(TryLockError::Error(error)) => at(&path, Err(error))?,
            }
            if at(&path, has_its_name(&file, &path))? {
                return Ok(Lock { place: place.to_owned(), path, _file: file });
            }
        }
    }

    /// Place that may be written.
    pub fn place(&self) -> &Path {
        &self.place
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // elsewhere an open file may not be removed; it is left, and does no harm
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Returns true if the file at `path` is this one.
#[cfg(unix)]
fn has_its_name(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let held = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (held.dev(), held.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns true if the file at `path` is this one: it is never removed.
#[cfg(not(unix))]
fn has_its_name(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn one_has_it_and_the_next_gets_it_when_it_is_dropped() {
        let root = tempfile::tempdir().expect("a directory");
        let place = root.path().join("a").join("study");
        let one = Lock::take(&place).expect("free");
        assert!(matches!(Lock::take(&place), Err(Taken::Busy(_))));
        assert!(Lock::take(&root.path().join("a").join("other")).is_ok());
        drop(one);
        assert_eq!(fs::read_dir(root.path().join("a")).expect("readable").count(), 0);
        assert!(Lock::take(&place).is_ok());
    }

    #[test]
    fn never_two_have_it_however_often_it_is_taken_and_dropped() {
        let root = tempfile::tempdir().expect("a directory");
        let place = root.path().join("study");
        let (inside, taken) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while taken.load(Ordering::SeqCst) < 2000 {
                        let Ok(lock) = Lock::take(&place) else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two have it");
                        taken.fetch_add(1, Ordering::SeqCst);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
    }
}
