//! Opening a report where the system opens such files. Whatever goes wrong is a note and changes
//! nothing.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::render::Renderer;

/// The program that opens a file as its owner would.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer"
} else {
    "xdg-open"
};

/// Number and length of the pauses after which the opener is checked for giving up at once.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// Opens a file; a failure is only a note.
pub(super) fn open(file: &Path, renderer: &Renderer) {
    let failed = |why: &str| renderer.note(&format!("cannot open {}: {why}", file.display()));
    if !file.exists() {
        return failed("it was not written");
    }
    let mut command = Command::new(OPENER);
    command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return failed(&format!("{OPENER}: {error}")),
    };
    // a browser that was not running stays: its end is not waited for
    for _ in 0..LOOKS {
        match child.try_wait() {
            Ok(None) => thread::sleep(PAUSE),
            Ok(Some(status)) if status.success() || cfg!(windows) => return,
            Ok(Some(status)) => return failed(&format!("{OPENER}: {status}")),
            Err(error) => return failed(&format!("{OPENER}: {error}")),
        }
    }
}
