//! Runs of the built program and of built examples, in a directory of their own.

use std::env::{self, consts::EXE_SUFFIX};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

/// A directory with files, in which the program runs.
pub struct Place {
    directory: TempDir,
}

/// Status and texts of a run of the program.
pub struct Output {
    /// Exit status.
    pub status: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Place {
    /// Makes an empty directory.
    #[expect(clippy::new_without_default, reason = "each call makes another directory")]
    pub fn new() -> Self {
        Place { directory: tempfile::tempdir().unwrap() }
    }

    /// Writes a file into it.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs the program in it, without colours.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.wait(Command::new(program()).args(arguments))
    }

    /// Runs the program in it, not letting it write files longer than so many blocks of 512 bytes:
    /// past that, writing fails as it does on a full disk.
    #[cfg(unix)]
    pub fn squeezed(&self, blocks: u64, arguments: &[&str]) -> Output {
        let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let mut command = Command::new("sh");
        self.wait(command.args(["-c", &limited, program()]).args(arguments))
    }

    /// Runs a command in it, without colours, and waits for its end.
    pub fn wait(&self, command: &mut Command) -> Output {
        let command = command.current_dir(self.directory.path()).env("NO_COLOR", "1");
        Output::of(command.output().unwrap())
    }

    /// Command, standard error and exit status of a run that fails, for a golden file.
    pub fn transcript(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.stdout, "", "a failing command prints no result");
        format!("$ clustersim {}\n{}exit status: {}\n", arguments.join(" "), output.stderr, output.status)
    }

    /// The bytes of a file in it.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Paths of all files in it, sorted.
    pub fn all(&self) -> Vec<PathBuf> {
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
    pub fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Output {
    /// Status and texts of a process that has ended.
    pub fn of(output: std::process::Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Output {
            status: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// Folder of the build: that of the program, above that of the running test.
fn built() -> PathBuf {
    // where Cargo runs the tests of the root package it says where the program is
    let program = env::var_os("CARGO_BIN_EXE_clustersim").map(PathBuf::from);
    let file = program.unwrap_or_else(|| env::current_exe().unwrap().parent().unwrap().to_owned());
    file.parent().unwrap().to_owned()
}

/// The program as it was built for the tests of the root package.
pub fn program() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        let path = built().join(format!("clustersim{EXE_SUFFIX}"));
        assert!(path.exists(), "{} is built by `cargo test` of the root package", path.display());
        path.into_os_string().into_string().unwrap()
    });
    &PROGRAM
}

/// The program, heeding signals even where the tests run in the background of a script: such a
/// shell has its children ignore interrupts, and they hand that on.
pub fn heeding() -> Command {
    let program = program();
    let reset = ["--default-signal=INT,TERM,HUP"];
    let tried = Command::new("env").args(reset).arg("true").stderr(Stdio::null()).status();
    if !tried.is_ok_and(|status| status.success()) {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.args(reset).arg(program);
    command
}

/// A file of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().parent().unwrap().join(path)
}
