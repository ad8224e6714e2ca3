//! How much memory the jobs of a log request.

use crate::registry::{Complaint, Key, Kind, Params};

/// What jobs of a log ask of the memory of nodes; each processor of a job asks for what its line states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Memory {
    /// Nothing.
    #[default]
    Ignored,
    /// What they requested (field 10); where that is unknown, what they used.
    Requested,
    /// What they used (field 7); where that is unknown, what they requested.
    Used,
}

/// The key under which a scenario states it.
pub const MEMORY_KEY: Key = Key::new(
    "memory",
    Kind::Choice(&[
        ("ignored", "jobs ask for none, as far as the log goes"),
        ("requested", "what each processor requested (field 10), or used where that is not told"),
        ("used", "what each processor used (field 7), or requested where that is not told"),
    ]),
)
.or("ignored")
.about("what jobs ask of the memory of nodes, which `cluster.group` tells")
.source("SWF fields 7 and 10, in kilobytes a processor");

impl Memory {
    /// Reads the key.
    ///
    /// # Errors
    /// It is none of the words.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        let words = [("ignored", Memory::Ignored), ("requested", Memory::Requested), ("used", Memory::Used)];
        params.pick("memory", &words)
    }

    /// The fields that state it, the first of those that do.
    pub(super) fn fields(self) -> &'static [usize] {
        match self {
            Memory::Ignored => &[],
            Memory::Requested => &[10, 7],
            Memory::Used => &[7, 10],
        }
    }
}
