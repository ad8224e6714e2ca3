//! The end of memory: one message and exit status 1 instead of an abort.
//!
//! The standard library aborts the process when the system gives no more memory, with a backtrace
//! of no use to a user. This allocator is the system's; where that has nothing left it says
//! of what the run has most, and ends the process. The message is put together in place: nothing is
//! allocated, and nothing of the run is touched.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::registry::most_numerous;

/// Longest message \[bytes\].
const LONGEST: usize = 256;

/// The system's allocator, which says when memory ends.
#[derive(Debug)]
pub struct MemoryGuard;

/// Set once a thread has begun to say so.
static REPORTED: AtomicBool = AtomicBool::new(false);

#[cold]
fn ended(bytes: usize) -> ! {
    if REPORTED.swap(true, Ordering::SeqCst) {
        // another thread says it, or saying it needs memory
        exit();
    }
    let mut message = [0_u8; LONGEST];
    let mut left = &mut message[..];
    // a message that is too long is cut
    let _ = match most_numerous() {
        Some((count, things)) => writeln!(
            left,
            "error: memory ended: the system gave no {bytes} bytes more; of what the run has, {things} are most, {count} of them"
        ),
        None => writeln!(left, "error: memory ended: the system gave no {bytes} bytes more"),
    };
    let written = LONGEST - left.len();
    let _ = io::stderr().write_all(&message[..written]);
    exit()
}

/// Ends the process at once: what would be done at its end may need memory.
fn exit() -> ! {
    #[cfg(unix)]
    signal_hook::low_level::exit(1);
    #[cfg(not(unix))]
    std::process::exit(1)
}

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: each call is handed on as it is to the system's allocator, which keeps the contract; an
// address that is given back is one that it gave
unsafe impl GlobalAlloc for MemoryGuard {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the whole
        let place = unsafe { System.alloc(layout) };
        if place.is_null() {
            ended(layout.size());
        }
        place
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the whole
        let place = unsafe { System.alloc_zeroed(layout) };
        if place.is_null() {
            ended(layout.size());
        }
        place
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the whole
        let place = unsafe { System.realloc(old, layout, size) };
        if place.is_null() {
            ended(size);
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the whole
        unsafe { System.dealloc(place, layout) }
    }
}
