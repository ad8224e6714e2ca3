//! The process behind a foreign program: a line goes in, a line comes out.
//!
//! Its standard input and output are sockets, whose reads and writes end after a time limit: a
//! program that neither reads nor writes cannot hold up the simulator. Standard error, environment
//! and directory are those of the simulator, and no other file is passed on. The process is in a
//! group of its own, so that an interrupt at the terminal reaches the simulator alone. Whatever
//! happens, the group is ended, and the process waited for.

use std::io;
use std::time::Duration;

#[cfg(unix)]
pub(in crate::broker::foreign) use unix::wait_for;
#[cfg(unix)]
pub use unix::{Child, can_be_started};

/// Longest line that a program may answer with \[bytes\].
pub const LONGEST_ANSWER: usize = 1 << 20;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Silence {
    /// The time limit has passed, with this number of bytes of a line there.
    Late(usize),
    /// The program ended, or closed its output: how, and the unfinished line.
    Ended(String, String),
    /// A line is longer than it may be.
    TooLong,
    /// The line is no text.
    NotText,
    /// There are more lines than were asked for.
    MoreLines(String),
    /// The question cannot be sent, or the answer not be read.
    Broken(String),
}

impl Silence {
    /// Describes the silence; `limit` is the longest time that an answer may take.
    pub fn words(&self, limit: Duration) -> String {
        let seconds = limit.as_secs_f64();
        match self {
            Silence::Late(0) => format!("has not answered after {seconds} s"),
            Silence::Late(bytes) => {
                format!("has not answered with a whole line after {seconds} s, only with {bytes} bytes")
            }
            Silence::Ended(how, rest) if rest.is_empty() => format!("{how} before it answered"),
            Silence::Ended(how, rest) => format!("{how} in the middle of a line, `{rest}`"),
            Silence::TooLong => format!("answered with a line of more than {LONGEST_ANSWER} bytes"),
            Silence::NotText => "answered with bytes that are not UTF-8".to_owned(),
            Silence::MoreLines(line) => format!("wrote more than it was asked for, `{line}`"),
            Silence::Broken(why) => format!("cannot be asked: {why}"),
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::Shutdown;
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt as _;
    use std::path::Path;
    use std::process::{self, Command, ExitStatus, Stdio};
    #[expect(clippy::disallowed_types, reason = "decides when a program has failed, and nothing else")]
    use std::time::Instant;
    use std::{env, fmt, fs};

    use super::super::answer::in_short;
    use super::super::process_group::ProcessGroup;
    use super::{Duration, LONGEST_ANSWER, Silence, io};

    /// A running process.
    pub struct Child {
        process: process::Child,
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

    impl fmt::Debug for Child {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_tuple("Child").field(&self.process.id()).finish()
        }
    }

    impl Child {
        /// Starts a program with arguments; without a `/` it is looked for in the directories of
        /// `PATH`.
        ///
        /// # Errors
        /// It cannot be started.
        pub fn start(command: &[String], limit: Duration) -> io::Result<Self> {
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
            Ok(Child { process, group: Some(group), input, output, limit, rest: Vec::new() })
        }

        /// Sends a line, and waits for the one that answers it.
        ///
        /// # Errors
        /// There is no such line.
        #[expect(clippy::disallowed_types, reason = "decides when a program has failed, and nothing else")]
        pub fn exchange(&mut self, question: &str) -> Result<String, Silence> {
            let begun = Instant::now();
            let mut line = Vec::with_capacity(question.len() + 1);
            line.extend_from_slice(question.as_bytes());
            line.push(b'\n');
            let mut unsent = &line[..];
            while !unsent.is_empty() {
                match self.input.write(unsent) {
                    Ok(sent) => unsent = &unsent[sent..],
                    Err(error) => self.goes_on(&error, "closed its input")?,
                }
                if begun.elapsed() >= self.limit {
                    return Err(Silence::Late(0));
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
                    return Err(Silence::TooLong);
                }
                if begun.elapsed() >= self.limit {
                    return Err(Silence::Late(self.rest.len()));
                }
            }
        }

        /// The line that ends here; nothing may follow it.
        fn line(&mut self, end: usize) -> Result<String, Silence> {
            let more = self.rest.split_off(end + 1);
            if !more.is_empty() {
                return Err(Silence::MoreLines(in_short(&String::from_utf8_lossy(&more))));
            }
            let mut line = std::mem::take(&mut self.rest);
            line.truncate(end);
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if line.len() > LONGEST_ANSWER {
                return Err(Silence::TooLong);
            }
            String::from_utf8(line).map_err(|_| Silence::NotText)
        }

        /// Returns `Ok` if reading or writing may be tried again.
        fn goes_on(&mut self, error: &io::Error, closed: &str) -> Result<(), Silence> {
            match error.kind() {
                ErrorKind::Interrupted => Ok(()),
                ErrorKind::WouldBlock | ErrorKind::TimedOut => Err(Silence::Late(self.rest.len())),
                ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Err(self.ended(closed)),
                _ => Err(Silence::Broken(error.to_string())),
            }
        }

        /// End of a program that says no more.
        fn ended(&mut self, closed: &str) -> Silence {
            // it may be about to end
            let soon = self.limit.min(Duration::from_secs(1));
            let how = wait_for(&mut self.process, soon).map_or_else(|| closed.to_owned(), words);
            Silence::Ended(how, in_short(&String::from_utf8_lossy(&self.rest)))
        }

        /// Closes its input and lets it come to its end, as long as an answer may take.
        ///
        /// # Errors
        /// It has written more than it was asked for.
        pub fn finish(mut self) -> Result<(), Silence> {
            self.input.shutdown(Shutdown::Both).ok();
            wait_for(&mut self.process, self.limit);
            self.output.set_nonblocking(true).ok();
            let mut block = [0; 1024];
            match self.output.read(&mut block) {
                Ok(count) if count > 0 => {
                    Err(Silence::MoreLines(in_short(&String::from_utf8_lossy(&block[..count]))))
                }
                _ => Ok(()),
            }
        }
    }

    impl Drop for Child {
        fn drop(&mut self) {
            // what it started itself ends too, also where it has ended before
            self.group = None;
            // both fail only where it is over
            self.process.kill().ok();
            self.process.wait().ok();
        }
    }

    /// Waits for the end of a process, as long as that may take.
    #[expect(clippy::disallowed_types, reason = "decides when a program is ended, and nothing else")]
    pub(in crate::broker::foreign) fn wait_for(
        process: &mut process::Child,
        limit: Duration,
    ) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            match process.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if begun.elapsed() < limit => std::thread::sleep(Duration::from_millis(1)),
                _ => return None,
            }
        }
    }

    /// Returns `Ok` if such a program exists and may be executed; it is not started.
    ///
    /// # Errors
    /// Why it cannot be started.
    pub fn can_be_started(program: &str) -> Result<(), String> {
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
}

/// Returns `Ok` if such a program exists and may be executed.
///
/// # Errors
/// Always: sockets in the place of pipes need a Unix system.
#[cfg(not(unix))]
pub fn can_be_started(_: &str) -> Result<(), String> {
    Err("foreign programs need a Unix system".to_owned())
}

/// A running process: there are none on this system.
#[cfg(not(unix))]
#[derive(Debug)]
pub enum Child {}

#[cfg(not(unix))]
impl Child {
    /// Starts a program with arguments.
    ///
    /// # Errors
    /// Always: sockets in the place of pipes need a Unix system.
    pub fn start(_: &[String], _: Duration) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "foreign programs need a Unix system"))
    }

    /// Sends a line, and waits for the one that answers it.
    ///
    /// # Errors
    /// There is no such line.
    pub fn exchange(&mut self, _: &str) -> Result<String, Silence> {
        match *self {}
    }

    /// Lets it come to its end.
    ///
    /// # Errors
    /// It has written more than it was asked for.
    pub fn finish(self) -> Result<(), Silence> {
        match self {}
    }
}
