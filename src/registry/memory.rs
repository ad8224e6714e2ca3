//! The memory that numbers of a scenario may ask for.

use crate::registry::{Complaint, Params, code};
use crate::units::grouped;

/// Bytes that any one number of a scenario may ask for: a larger one is refused before anything is allocated. A million
/// agents or ten million jobs need less.
pub const MOST_MEMORY: u64 = 4 << 30;

impl Params<'_> {
    /// Whether `count` things, of which each takes so many `bytes` at least, are within [`MOST_MEMORY`].
    ///
    /// # Errors
    /// They are not; at the key `name`, which says how many there are. `things` is their plural.
    pub fn fits(&self, name: &str, things: &str, count: u64, bytes: usize) -> Result<(), Complaint> {
        let most = MOST_MEMORY / (bytes as u64).max(1);
        if count <= most {
            return Ok(());
        }
        let message = format!("{} {things} need more memory than a scenario may ask for", grouped(count));
        let complaint = Complaint::new(code::RANGE, message, self.span(name));
        let bound = MOST_MEMORY >> 30;
        Err(complaint.label(format!("expected {} {things} at most, which need {bound} GiB", grouped(most))))
    }
}
