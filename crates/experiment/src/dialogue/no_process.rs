//! Programs on systems that cannot start them: sockets in the place of pipes need a Unix system.

use std::io;
use std::time::Duration;

use crate::dialogue::DialoguePeer;

const WHY: &str = "foreign programs need a Unix system";

/// A running process: there are none on this system.
#[derive(Debug)]
pub(super) enum Process {}

impl Process {
    /// # Errors
    /// Always.
    pub(super) fn start(_: &[String], _: Duration) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, WHY))
    }
}

impl DialoguePeer for Process {
    fn exchange(&mut self, _: &str) -> Result<String, String> {
        match *self {}
    }

    fn finish(self: Box<Self>) -> Result<(), String> {
        match *self {}
    }
}

/// # Errors
/// Always.
pub(super) fn can_be_started(_: &str) -> Result<(), String> {
    Err(WHY.to_owned())
}
