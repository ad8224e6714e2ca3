//! The memory that numbers of a scenario may ask for.

use std::sync::{Mutex, PoisonError};

use crate::registry::{Complaint, Params, Span, code};
use crate::units::grouped;

/// Bytes that any one number of a scenario may ask for: a larger one is refused before anything is
/// allocated. A million agents or ten million jobs need less.
pub const MOST_MEMORY: u64 = 4 << 30;

/// The things of which there are most, of those that a run has asked memory for.
static MOST: Mutex<Option<(u64, &'static str)>> = Mutex::new(None);

/// Notes that there are `count` of these things, for the message that memory has ended.
pub fn note_count(count: u64, things: &'static str) {
    let mut most = MOST.lock().unwrap_or_else(PoisonError::into_inner);
    if most.is_none_or(|(known, _)| known < count) {
        *most = Some((count, things));
    }
}

/// The things of which there are most, as far as was noted; it asks for no memory.
pub fn most_numerous() -> Option<(u64, &'static str)> {
    MOST.try_lock().ok().and_then(|most| *most)
}

/// Checks that `count` things, each of `bytes` at least, are within [`MOST_MEMORY`].
///
/// # Errors
/// They are not; at `span`, which says how many there are. `things` is their plural.
pub fn fits(span: Span, things: &'static str, count: u64, bytes: usize) -> Result<(), Complaint> {
    let most = MOST_MEMORY / (bytes as u64).max(1);
    if count <= most {
        note_count(count, things);
        return Ok(());
    }
    let message = format!("{} {things} need more memory than a scenario may ask for", grouped(count));
    let complaint = Complaint::new(code::RANGE, message, span);
    let bound = MOST_MEMORY >> 30;
    Err(complaint.label(format!("expected {} {things} at most, which need {bound} GiB", grouped(most))))
}

impl Params<'_> {
    /// The same at the key `name`, as [`fits`] has it.
    ///
    /// # Errors
    /// The things are not within [`MOST_MEMORY`].
    pub fn fits(&self, name: &str, things: &'static str, count: u64, bytes: usize) -> Result<(), Complaint> {
        fits(self.span(name), things, count, bytes)
    }
}
