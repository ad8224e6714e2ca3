//! Where measurements are kept: a file, of which each path and server knows its lines.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

/// A store of lines by key.
#[derive(Default)]
pub struct Store {
    /// The file, or a list in memory.
    file: Option<File>,
    memory: Vec<u8>,
    end: u64,
    /// Where the lines of a key begin, and how long they are.
    lines: BTreeMap<String, Vec<(u64, usize)>>,
}

impl Store {
    /// In a directory, under a name that no other process has; in memory without one.
    pub fn new(directory: Option<String>) -> io::Result<Self> {
        let mut store = Store::default();
        if let Some(directory) = directory {
            fs::create_dir_all(&directory)?;
            let name = format!("{directory}/measurements-{}.jsonl", std::process::id());
            store.file =
                Some(OpenOptions::new().read(true).write(true).create(true).truncate(true).open(name)?);
        }
        Ok(store)
    }

    /// Keeps a line.
    pub fn put(&mut self, key: &str, line: &str) -> io::Result<()> {
        let bytes = format!("{line}\n").into_bytes();
        match &mut self.file {
            Some(file) => {
                file.seek(SeekFrom::Start(self.end))?;
                file.write_all(&bytes)?;
            }
            None => self.memory.extend_from_slice(&bytes),
        }
        self.lines.entry(key.to_owned()).or_default().push((self.end, line.len()));
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// How many lines of a key there are.
    pub fn count(&self, key: &str) -> usize {
        self.lines.get(key).map_or(0, Vec::len)
    }

    /// The lines of a key from a number on.
    pub fn get(&mut self, key: &str, since: usize) -> io::Result<Vec<String>> {
        let places = self.lines.get(key).map_or(&[][..], |places| places.get(since..).unwrap_or_default());
        let mut found = Vec::new();
        for (begin, length) in places {
            let mut bytes = vec![0; *length];
            match &mut self.file {
                Some(file) => {
                    file.seek(SeekFrom::Start(*begin))?;
                    file.read_exact(&mut bytes)?;
                }
                None => bytes.copy_from_slice(&self.memory[*begin as usize..][..*length]),
            }
            found.push(String::from_utf8_lossy(&bytes).into_owned());
        }
        Ok(found)
    }
}
