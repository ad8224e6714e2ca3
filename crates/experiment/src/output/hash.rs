//! SHA-256 of what goes in and what comes out.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::text::open_anywhere;

/// The hash of `bytes`, 64 hexadecimal digits.
pub fn of_bytes(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The hash of a file.
///
/// # Errors
/// The file cannot be read.
pub fn of_file(path: &Path) -> io::Result<String> {
    let mut file = open_anywhere(path)?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; 1 << 16];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hexadecimal(&hasher.finalize())),
            count => hasher.update(&block[..count]),
        }
    }
}

/// A writer that hashes what passes through it.
pub struct Hashing<W> {
    inner: W,
    hasher: Sha256,
}

impl<W: Write> Hashing<W> {
    /// Passes on to `inner`.
    pub fn new(inner: W) -> Self {
        Hashing { inner, hasher: Sha256::new() }
    }

    /// The inner writer and the hash of all that was written.
    pub fn finish(self) -> (W, String) {
        (self.inner, hexadecimal(&self.hasher.finalize()))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(buffer)?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one_whole_or_in_parts() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of_bytes(b"abc"), abc);
        let mut parts = Hashing::new(Vec::new());
        parts.write_all(b"a").expect("into memory");
        parts.write_all(b"bc").expect("into memory");
        assert_eq!(parts.finish(), (b"abc".to_vec(), abc.to_owned()));
    }
}
