//! Origin of a run: the last block of a manifest, and the only one that may differ between
//! equal runs.

use std::path::{Path, PathBuf};
use std::time::Duration;
#[expect(clippy::disallowed_types, reason = "wall time is in the manifest's last block only")]
use std::time::{Instant, SystemTime};

use serde_json::{Value as Json, json};

use clustersim_experiment::report::manifest::FEATURES;

/// The clock on the wall, from the start of the program's work.
#[derive(Debug)]
#[expect(clippy::disallowed_types, reason = "wall time is in the manifest's last block only")]
pub(super) struct Invocation {
    started: SystemTime,
    clock: Instant,
}

impl Invocation {
    /// Starts the clock.
    #[expect(clippy::disallowed_types, reason = "wall time is in the manifest's last block only")]
    pub(super) fn start() -> Self {
        Invocation { started: SystemTime::now(), clock: Instant::now() }
    }

    /// The block. `base` is the directory that the scenario's paths are relative to.
    #[expect(clippy::disallowed_types, reason = "wall time is in the manifest's last block only")]
    pub(super) fn to_json(&self, base: &Path, place: &Path, threads: usize) -> Json {
        let started = self.started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let arguments: Vec<String> =
            std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        json!({
            "command-line": arguments,
            "directory": absolute(base),
            "output": absolute(place),
            "host": host(),
            "threads": threads,
            "features": FEATURES,
            "started-unix-s": started.as_secs(),
            "wall-s": self.clock.elapsed().as_secs_f64(),
        })
    }
}

/// `path` from the root of the file system, without touching it.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn host() -> String {
    let from_file = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let from_variable = || std::env::var("HOSTNAME").ok();
    from_file.or_else(from_variable).map(|name| name.trim().to_owned()).unwrap_or_default()
}
