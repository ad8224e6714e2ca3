//! How much memory the jobs of a log request.

use crate::registry::{Key, choices};

choices! {
    /// What jobs of a log ask of the memory of nodes; each processor of a job asks for what its line states.
    #[derive(Default)]
    pub enum Memory {
        #[default]
        Ignored = "ignored", "jobs ask for none, as far as the log goes";
        Requested = "requested", "what each processor requested (field 10), or used where that is not recorded";
        Used = "used", "what each processor used (field 7), or requested where that is not recorded";
    }
}

/// The key under which a scenario states it.
pub const MEMORY_KEY: Key = Key::new("memory", Memory::CHOICES)
    .or("ignored")
    .about("what jobs ask of the memory of nodes, which `cluster.group` states")
    .source("SWF fields 7 and 10, in kilobytes a processor");

impl Memory {
    /// The fields that state it, the first of those that do.
    pub(super) fn fields(self) -> &'static [usize] {
        match self {
            Memory::Ignored => &[],
            Memory::Requested => &[10, 7],
            Memory::Used => &[7, 10],
        }
    }
}
