//! Interrupts of a run: one line says what is kept, then the signal does what it does to any
//! program.
//!
//! Nothing is tidied up for a signal: results are complete or stand in `DIR.partial`, and what ends
//! the program without a word (`SIGKILL`, a power failure) loses no more. So the line is all there
//! is to do. A signal that is ignored stays ignored (`nohup`).

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::render::Renderer;

/// Text of the line; `None` while there is none.
static KEPT: OnceLock<Mutex<Option<String>>> = OnceLock::new();

/// From now on an interrupt prints this line.
pub(super) fn announce(renderer: &Renderer, kept: String) {
    if KEPT.get().is_none() && KEPT.set(Mutex::new(None)).is_ok() {
        // without a handler the run is interrupted all the same
        let _ = unix::watch(renderer.clone());
    }
    say(Some(kept));
}

/// From now on an interrupt prints nothing: the results are complete.
pub(super) fn clear() {
    say(None);
}

fn say(kept: Option<String>) {
    if let Some(line) = KEPT.get() {
        *line.lock().unwrap_or_else(PoisonError::into_inner) = kept;
    }
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, PoisonError};
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag::register_conditional_default;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use super::KEPT;
    use crate::render::Renderer;

    /// Waits for signals on a thread of its own. A second signal ends the program at once, even if
    /// the line cannot be written.
    pub(super) fn watch(renderer: Renderer) -> io::Result<()> {
        let heeded = heeded();
        let seen = Arc::new(AtomicBool::new(false));
        for &signal in &heeded {
            register_conditional_default(signal, Arc::clone(&seen))?;
        }
        let mut signals = Signals::new(&heeded)?;
        let wait = move || {
            for signal in signals.forever() {
                seen.store(true, Ordering::SeqCst);
                let kept =
                    KEPT.get().and_then(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner).take());
                if let Some(kept) = kept {
                    renderer.interrupted(&kept);
                }
                // it fails for signals without a default only
                let _ = emulate_default_handler(signal);
            }
        };
        thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
    }

    /// The signals that end this program: those that its parent does not have it ignore.
    fn heeded() -> Vec<i32> {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        match ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()) {
            Some(mask) => {
                [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| mask >> (signal - 1) & 1 == 0).collect()
            }
            // not known here: that of a hang-up is left to the system, lest `nohup` had no effect
            None => vec![SIGINT, SIGTERM],
        }
    }
}

#[cfg(not(unix))]
mod unix {
    use crate::render::Renderer;

    /// The system ends the program without a line.
    pub(super) fn watch(_: Renderer) -> std::io::Result<()> {
        Ok(())
    }
}
