//! Paths that the program writes to: where a result lies until it is complete, and what is never
//! written over.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::text::reason;

/// The result of an operation on `path`; its error, if it is one, names it.
///
/// # Errors
/// That of the operation.
pub fn at<T>(path: &Path, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::other(format!("{}: {}", path.display(), reason(&error))))
}

/// Puts a file into its place whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn put_whole(place: &Path, bytes: &[u8]) -> io::Result<()> {
    let partial = unfinished(place);
    fs::write(&partial, bytes)?;
    fs::rename(&partial, place)
}

/// Refuses a symbolic link where the program is to write something of its own: its target is not
/// the program's to change.
///
/// # Errors
/// `path` is a symbolic link.
pub fn refuse_link(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink()) {
        return at(
            path,
            Err(io::Error::other("it is a symbolic link, and what it leads to would be changed")),
        );
    }
    Ok(())
}

/// Removes a file, if it is there.
///
/// # Errors
/// It is there and cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => at(path, Err(error)),
        _ => Ok(()),
    }
}

/// Removes a directory, if it is there, unless it holds a file of another program.
///
/// # Errors
/// It is empty and cannot be removed.
pub fn remove_if_empty(directory: &Path) -> io::Result<()> {
    match fs::remove_dir(directory) {
        Err(error) if !matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound) => {
            at(directory, Err(error))
        }
        _ => Ok(()),
    }
}

/// Path of `place` while it is written and until it is complete: `place.partial`.
pub fn unfinished(place: &Path) -> PathBuf {
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    place.with_file_name(name)
}
