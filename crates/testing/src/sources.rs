//! The sources of all crates of the workspace, for tests that read them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::repository;

/// Crates that are one room: their files lie right below `src/`.
const ONE_ROOM: &[&str] =
    &["agents", "brokers", "cli", "dag", "forecast", "kernel", "platform", "python", "sweep", "workflow"];

/// A source file.
pub struct SourceFile {
    /// Path from the root of the repository, with `/`.
    pub path: String,
    /// Text of the file.
    pub text: String,
}

impl SourceFile {
    /// The folder of the file's crate in `crates/`, and `clustersim` for that of the root.
    pub fn package(&self) -> &str {
        let inner = self.path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"));
        inner.map_or("clustersim", |(package, _)| package)
    }

    /// The path below `src/` of its crate.
    pub fn below(&self) -> &str {
        self.path.split_once("src/").map_or(&*self.path, |(_, below)| below)
    }

    /// The path's parts below `src/`: folders, then the file's name without `.rs`.
    pub fn parts(&self) -> Vec<&str> {
        self.below().trim_end_matches(".rs").split('/').collect()
    }

    /// The module that the file holds: its crate, then the names below the crate's root (none for
    /// `lib.rs` and `main.rs`).
    pub fn module(&self) -> Vec<String> {
        let mut parts = self.parts();
        if matches!(parts.last(), Some(&"mod" | &"lib" | &"main")) {
            parts.pop();
        }
        [self.package()].into_iter().chain(parts).map(str::to_owned).collect()
    }

    /// The room of a module: its crate and its name there, or its crate where that is one room.
    pub fn room(module: &[String]) -> &[String] {
        let length = if module.first().is_some_and(|name| ONE_ROOM.contains(&&**name)) { 1 } else { 2 };
        &module[..length.min(module.len())]
    }
}

/// Rust files below a folder, in order of their paths.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The Rust files of a folder of the repository.
pub fn sources_in(folder: &str) -> Vec<SourceFile> {
    let root = repository("");
    let source = |path: PathBuf| {
        let parts = path.strip_prefix(&root).unwrap().iter();
        let name = parts.map(|part| part.to_str().unwrap()).collect::<Vec<_>>().join("/");
        SourceFile { path: name, text: fs::read_to_string(&path).unwrap() }
    };
    rust_files(&repository(folder)).into_iter().map(source).collect()
}

/// The sources of the root package and of all crates, without tests and their helpers.
pub fn sources() -> Vec<SourceFile> {
    let mut files = sources_in("src");
    files.extend(sources_in("crates").into_iter().filter(|file| {
        let mut parts = file.path.split('/').skip(1);
        parts.next() != Some("testing") && parts.next() == Some("src")
    }));
    assert!(files.iter().any(|file| file.path == "src/lib.rs"), "the sources were not found");
    files
}
