//! The processes of a program: a group, which ends as a whole with the run, however that
//! ends.
//!
//! A watcher leads the group: a shell that waits for the end of its input, and then kills the group
//! with itself. The other end of that input is held here and passed on to no process, so the system
//! closes it when this value is dropped and when the simulator ends by any signal, `SIGKILL`
//! included. Signals that a process can ignore do not reach the watcher. As it leads the group, the
//! number of the group is not used again while it lives, whatever has become of the program.
//!
//! A process that leaves the group (`setsid`) is not reached.

use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
#[expect(clippy::disallowed_types, reason = "decides when a program is ended, and nothing else")]
use std::time::Instant;

/// Shell commands that the watcher runs.
const WATCH: &str = "trap '' HUP INT QUIT TERM; read -r _; kill -s KILL 0";
/// Longest time that the watcher may take to end.
const PATIENCE: Duration = Duration::from_secs(1);

/// A group of processes with its watcher.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    watcher: Child,
    /// The other end of the watcher's input.
    held: UnixStream,
}

impl ProcessGroup {
    /// A group without a program.
    ///
    /// # Errors
    /// There is no shell.
    pub(super) fn new() -> io::Result<Self> {
        let (held, watched) = UnixStream::pair()?;
        let mut shell = shell(WATCH);
        shell.stdin(Stdio::from(OwnedFd::from(watched))).process_group(0);
        Ok(ProcessGroup { watcher: shell.spawn()?, held })
    }

    /// Number of the process group.
    pub(super) fn id(&self) -> i32 {
        i32::try_from(self.watcher.id()).expect("systems number processes with 31 bits")
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // a process that just forked may still hold a copy of the end
        self.held.shutdown(Shutdown::Both).ok();
        if wait_for(&mut self.watcher, PATIENCE).is_none() {
            // the program has stopped its whole group, which a signal from outside ends all the
            // same
            shell(&format!("kill -s KILL -- -{}", self.id())).stdin(Stdio::null()).status().ok();
        }
        // both fail only where it is over
        self.watcher.kill().ok();
        self.watcher.wait().ok();
    }
}

/// Waits for the end of a process, as long as that may take.
#[expect(clippy::disallowed_types, reason = "decides when a program is ended, and nothing else")]
pub(super) fn wait_for(process: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let begun = Instant::now();
    loop {
        match process.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if begun.elapsed() < limit => std::thread::sleep(Duration::from_millis(1)),
            _ => return None,
        }
    }
}

fn shell(script: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script]).stdout(Stdio::null()).stderr(Stdio::null());
    shell
}
