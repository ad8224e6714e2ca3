//! The process behind a program: a line goes in, a line comes out.
//!
//! Its standard input and output are sockets, whose reads and writes end after a time limit: a
//! program that neither reads nor writes cannot hold up the simulator. Standard error, environment
//! and directory are those of the simulator, and no other file is passed on. The process is in a
//! group of its own, so that an interrupt at the terminal reaches the simulator alone. Whatever
//! happens, the group is ended, and the process waited for.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
#[expect(clippy::disallowed_types, reason = "decides when a program has failed, and nothing else")]
use std::time::Instant;
use std::{env, fmt, fs};

use crate::dialogue::process_group::{ProcessGroup, wait_for};
use crate::dialogue::{DialoguePeer, in_short};

/// Longest line that a program may answer with \[bytes\].
const LONGEST_ANSWER: usize = 1 << 20;

/// A running process.
pub(super) struct Process {
    child: Child,
    /// The process and those that it started; `None` once they are over.
    group: Option<ProcessGroup>,
    /// To its standard input, and from its standard output.
    input: UnixStream,
    output: UnixStream,
    /// Time that a question and its answer may take.
    limit: Duration,
    /// Bytes that were read and are no whole line.
    rest: Vec<u8>,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Process").field(&self.child.id()).finish()
    }
}

impl Process {
    /// Starts a program with arguments; without a `/` it is looked for in the directories of
    /// `PATH`.
    ///
    /// # Errors
    /// It cannot be started.
    pub(super) fn start(command: &[String], limit: Duration) -> io::Result<Self> {
        let [program, arguments @ ..] = command else { return Err(ErrorKind::NotFound.into()) };
        let (input, its_input) = UnixStream::pair()?;
        let (output, its_output) = UnixStream::pair()?;
        input.set_write_timeout(Some(limit))?;
        output.set_read_timeout(Some(limit))?;
        let [stdin, stdout] = [its_input, its_output].map(|end| Stdio::from(OwnedFd::from(end)));
        let group = ProcessGroup::new()?;
        let mut command = Command::new(program);
        // the ends of the program close here when the command is dropped
        command.args(arguments).stdin(stdin).stdout(stdout).process_group(group.id());
        let process = command.spawn()?;
        Ok(Process { child: process, group: Some(group), input, output, limit, rest: Vec::new() })
    }

    /// The line that ends here; nothing may follow it.
    fn line(&mut self, end: usize) -> Result<String, String> {
        let more = self.rest.split_off(end + 1);
        if !more.is_empty() {
            return Err(more_lines(&more));
        }
        let mut line = std::mem::take(&mut self.rest);
        line.truncate(end);
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if line.len() > LONGEST_ANSWER {
            return Err(too_long());
        }
        String::from_utf8(line).map_err(|_| "answered with bytes that are not UTF-8".to_owned())
    }

    /// Returns `Ok` if reading or writing may be tried again.
    fn goes_on(&mut self, error: &io::Error, closed: &str) -> Result<(), String> {
        match error.kind() {
            ErrorKind::Interrupted => Ok(()),
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Err(self.late()),
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Err(self.ended(closed)),
            _ => Err(format!("cannot be asked: {error}")),
        }
    }

    /// The time limit has passed, with some bytes of a line there.
    fn late(&self) -> String {
        let seconds = self.limit.as_secs_f64();
        match self.rest.len() {
            0 => format!("has not answered after {seconds} s"),
            bytes => format!("has not answered with a whole line after {seconds} s, only with {bytes} bytes"),
        }
    }

    /// The program says no more: its end, and the unfinished line.
    fn ended(&mut self, closed: &str) -> String {
        // it may be about to end
        let soon = self.limit.min(Duration::from_secs(1));
        let how = wait_for(&mut self.child, soon).map_or_else(|| closed.to_owned(), words);
        match in_short(&String::from_utf8_lossy(&self.rest)) {
            rest if rest.is_empty() => format!("{how} before it answered"),
            rest => format!("{how} in the middle of a line, `{rest}`"),
        }
    }
}

impl DialoguePeer for Process {
    #[expect(clippy::disallowed_types, reason = "decides when a program has failed, and nothing else")]
    fn exchange(&mut self, line: &str) -> Result<String, String> {
        let begun = Instant::now();
        let line = [line.as_bytes(), b"\n"].concat();
        let mut unsent = &line[..];
        while !unsent.is_empty() {
            match self.input.write(unsent) {
                Ok(sent) => unsent = &unsent[sent..],
                Err(error) => self.goes_on(&error, "closed its input")?,
            }
            if begun.elapsed() >= self.limit {
                return Err(self.late());
            }
        }
        let mut block = [0; 4096];
        loop {
            match self.output.read(&mut block) {
                Ok(0) => return Err(self.ended("closed its output")),
                Ok(count) => {
                    let from = self.rest.len();
                    self.rest.extend_from_slice(&block[..count]);
                    if let Some(end) = self.rest[from..].iter().position(|byte| *byte == b'\n') {
                        return self.line(from + end);
                    }
                }
                Err(error) => self.goes_on(&error, "closed its output")?,
            }
            if self.rest.len() > LONGEST_ANSWER {
                return Err(too_long());
            }
            if begun.elapsed() >= self.limit {
                return Err(self.late());
            }
        }
    }

    /// Closes its input and lets it come to its end, as long as an answer may take.
    fn finish(mut self: Box<Self>) -> Result<(), String> {
        self.input.shutdown(Shutdown::Both).ok();
        wait_for(&mut self.child, self.limit);
        self.output.set_nonblocking(true).ok();
        let mut block = [0; 1024];
        match self.output.read(&mut block) {
            Ok(count) if count > 0 => Err(more_lines(&block[..count])),
            _ => Ok(()),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // what it started itself ends too, also where it has ended before
        self.group = None;
        // both fail only where it is over
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Returns `Ok` if such a program exists and may be executed; it is not started.
///
/// # Errors
/// Reason why it cannot be started.
pub(super) fn can_be_started(program: &str) -> Result<(), String> {
    let may_be = |path: &Path| -> io::Result<()> {
        let about = fs::metadata(path)?;
        match () {
            () if about.is_dir() => Err(ErrorKind::IsADirectory.into()),
            () if about.permissions().mode() & 0o111 == 0 => Err(ErrorKind::PermissionDenied.into()),
            () => Ok(()),
        }
    };
    if program.contains('/') {
        return may_be(Path::new(program)).map_err(|error| crate::text::reason(&error));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).any(|directory| may_be(&directory.join(program)).is_ok());
    if found { Ok(()) } else { Err("it is in no directory of PATH".to_owned()) }
}

fn words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with exit status {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

fn more_lines(bytes: &[u8]) -> String {
    format!("wrote more than it was asked for, `{}`", in_short(&String::from_utf8_lossy(bytes)))
}

fn too_long() -> String {
    format!("answered with a line of more than {LONGEST_ANSWER} bytes")
}
