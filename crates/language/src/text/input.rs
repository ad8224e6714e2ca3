//! Opening and reading input files, with the bounds that all readers share.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use flate2::read::MultiGzDecoder;

/// Longest line that is read \[bytes\]: a job on 100,000 named nodes stays below it, and so do
/// 250,000 recorded steps.
pub const LONGEST_LINE: usize = 4 << 20;
/// Longest text that is read whole, after decompression \[bytes\].
pub const LONGEST_TEXT: u64 = 256 << 20;
/// Longest text that is read line by line, or token by token, after decompression \[bytes\].
pub const LONGEST_UNPACKED: u64 = 16 << 30;

/// Reason that there is no text.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file cannot be opened or read.
    #[error("{}", reason(.0))]
    Io(#[from] io::Error),
    /// Longer than this after decompression \[bytes\].
    #[error("it is longer than {} after decompression", size(*.0))]
    Long(u64),
    /// A gzip stream that is damaged or cut.
    #[error("its gzip stream is damaged: {0}")]
    Damaged(io::Error),
    /// Not text: the first byte that is not UTF-8.
    #[error("byte {0} is not UTF-8, so it is no text")]
    NotText(usize),
}

/// A count of bytes in words, in the largest unit that it is a whole number of.
pub fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.into_iter().find(|(power, _)| bytes > 0 && bytes.trailing_zeros() >= *power);
    match unit {
        Some((power, unit)) => format!("{} {unit}", bytes >> power),
        None => format!("{bytes} bytes"),
    }
}

/// An I/O error in a few words that are the same on every system.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::AlreadyExists => "a file stands in the place of a directory".to_owned(),
        ErrorKind::IsADirectory => "it is a directory".to_owned(),
        ErrorKind::NotADirectory => "a part of the path is not a directory".to_owned(),
        _ => error.to_string(),
    }
}

/// Place in which files that scenarios name may lie.
#[derive(Debug)]
enum Confinement {
    /// Anywhere.
    Off,
    /// In the folder of the scenario that is read, once there is one.
    In(Option<PathBuf>),
}

static CONFINEMENT: RwLock<Confinement> = RwLock::new(Confinement::Off);

/// From now on [`open`] refuses files outside the folder of the scenario that is read.
pub fn confine() {
    *CONFINEMENT.write().unwrap_or_else(PoisonError::into_inner) = Confinement::In(None);
}

/// A scenario of this folder is read from now on.
pub fn enter_folder(folder: &Path) {
    if let Confinement::In(confined) = &mut *CONFINEMENT.write().unwrap_or_else(PoisonError::into_inner) {
        *confined = real_folder(folder);
    }
}

/// A folder after links are resolved; the empty path is the one that the program runs in.
fn real_folder(folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    fs::canonicalize(folder).ok()
}

/// Returns true if there is such a file, and it is outside the folder after links are resolved.
pub fn is_outside(folder: &Path, path: &Path) -> bool {
    let is_within = |file: PathBuf| real_folder(folder).is_some_and(|folder| file.starts_with(folder));
    fs::canonicalize(path).is_ok_and(|file| !is_within(file))
}

/// Opens a regular file.
///
/// # Errors
/// It cannot be opened, or it is a directory, a FIFO, a device or a socket; a FIFO is not opened,
/// which could take for ever. It is outside the folder of the scenario after [`confine`].
pub fn open(path: &Path) -> io::Result<File> {
    if let Confinement::In(Some(folder)) = &*CONFINEMENT.read().unwrap_or_else(PoisonError::into_inner)
        && is_outside(folder, path)
    {
        return Err(io::Error::other("it is outside the scenario's folder, which --confined forbids"));
    }
    open_anywhere(path)
}

/// Opens a regular file that the user named, or that the program wrote.
///
/// # Errors
/// As [`open`], wherever it is.
pub fn open_anywhere(path: &Path) -> io::Result<File> {
    lawful(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // another file may have taken its name since
    lawful(&file.metadata()?)?;
    Ok(file)
}

/// Opens a regular file, or a pipe that the caller of the program opened: `/dev/stdin`, or
/// `/dev/fd/63` as shells name it for `<(command)`. It can be read once only.
///
/// # Errors
/// As [`open`].
pub fn open_stream(path: &Path) -> io::Result<File> {
    let handed_over = path == Path::new("/dev/stdin") || path.parent() == Some(Path::new("/dev/fd"));
    if handed_over && kind(&fs::metadata(path)?) == FIFO { File::open(path) } else { open_anywhere(path) }
}

/// The text of a regular file, as [`read_whole`] reads it.
///
/// # Errors
/// As [`open`] and [`read_whole`].
pub fn read_file(path: &Path, longest: u64) -> Result<String, Unreadable> {
    read_whole(open(path)?, longest)
}

/// The text of a file, plain or gzip, of at most `longest` bytes after decompression, without a
/// byte order mark.
///
/// # Errors
/// It cannot be read, is longer, or is no text.
pub fn read_whole(file: impl Read, longest: u64) -> Result<String, Unreadable> {
    let (input, is_packed) = unpacked(file)?;
    let mut bytes = Vec::new();
    input.take(longest + 1).read_to_end(&mut bytes).map_err(|error| damaged(error, is_packed))?;
    if bytes.len() as u64 > longest {
        return Err(Unreadable::Long(longest));
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map_err(|error| Unreadable::NotText(error.utf8_error().valid_up_to()))
}

/// The bytes of a file after decompression, and true if it is compressed.
pub(super) fn unpacked<'a>(mut file: impl Read + 'a) -> io::Result<(Box<dyn Read + 'a>, bool)> {
    let mut head = Vec::new();
    file.by_ref().take(2).read_to_end(&mut head)?;
    let is_packed = head == b"\x1f\x8b";
    let whole = io::Cursor::new(head).chain(file);
    Ok(if is_packed { (Box::new(MultiGzDecoder::new(whole)), true) } else { (Box::new(whole), false) })
}

/// Reason that the bytes of a file end early, compressed or not.
pub(super) fn damaged(error: io::Error, is_packed: bool) -> Unreadable {
    if is_packed { Unreadable::Damaged(error) } else { Unreadable::Io(error) }
}

/// Succeeds if a file is none of those that cannot be read to an end.
fn lawful(about: &fs::Metadata) -> io::Result<()> {
    if about.is_file() {
        return Ok(());
    }
    if about.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    Err(io::Error::other(format!("it is {}, not a regular file", kind(about))))
}

/// Name of a FIFO.
const FIFO: &str = "a FIFO";

#[cfg(unix)]
fn kind(about: &fs::Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let of = about.file_type();
    if of.is_fifo() {
        FIFO
    } else if of.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind(_about: &fs::Metadata) -> &'static str {
    "a device"
}
