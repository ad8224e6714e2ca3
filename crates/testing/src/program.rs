//! Running the built program in a directory of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A directory with files, in which the program runs.
pub(crate) struct Place {
    directory: TempDir,
}

/// What a run of the program gave.
pub(crate) struct Output {
    /// Exit status.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Place {
    /// An empty directory.
    pub(crate) fn new() -> Self {
        Place { directory: tempfile::tempdir().unwrap() }
    }

    /// Writes a file into it.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs the program in it, without colours.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.wait(Command::new(env!("CARGO_BIN_EXE_clustersim")).args(arguments))
    }

    /// Runs the program in it, not letting it write files longer than so many blocks of 512 bytes:
    /// past that, writing fails as it does on a full disk.
    #[cfg(unix)]
    pub(crate) fn squeezed(&self, blocks: u64, arguments: &[&str]) -> Output {
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        self.wait(command.args(["-c", &limited, env!("CARGO_BIN_EXE_clustersim")]).args(arguments))
    }

    /// Runs a command in it, without colours, and waits for its end.
    pub(crate) fn wait(&self, command: &mut Command) -> Output {
        let command = command.current_dir(self.directory.path()).env("NO_COLOR", "1");
        Output::of(command.output().unwrap())
    }

    /// Exit status and standard error of a run, to be compared with a golden file.
    pub(crate) fn told(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.stdout, "", "a failing command prints no result");
        format!("$ clustersim {}\n{}exit status: {}\n", arguments.join(" "), output.stderr, output.status)
    }

    /// The bytes of a file in it.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Paths of all files in it, sorted.
    pub(crate) fn all(&self) -> Vec<PathBuf> {
        let (mut files, mut folders) = (Vec::new(), vec![self.path("")]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { folders.push(path) } else { files.push(path) }
            }
        }
        files.sort();
        files
    }

    /// Names of everything in a directory in it, sorted.
    pub(crate) fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Output {
    /// What a process gave that has ended.
    pub(crate) fn of(output: std::process::Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Output {
            status: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
