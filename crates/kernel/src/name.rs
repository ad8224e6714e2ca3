//! Names of processes: a name where one is printed, a number and flags where one is kept.

use std::fmt;

/// Bits of a process's identity word below its number.
pub(super) mod flag {
    pub(crate) const BITS: u32 = 12;
    pub(crate) const ALIVE: u64 = 1;
    pub(crate) const DAEMON: u64 = 1 << 1;
    pub(crate) const OBSERVER: u64 = 1 << 2;
    pub(crate) const WOKEN: u64 = 1 << 3;
    /// Killed while it was running: it ends at its next await.
    pub(crate) const KILLED: u64 = 1 << 4;
    pub(crate) const EXTRA: u64 = 1 << 5;
    pub(crate) const REDIRECT: u64 = 1 << 6;
    pub(crate) const ENDING: u64 = 1 << 7;
    pub(crate) const FRESH: u64 = 1 << 8;
}

/// The name of a process: what it is and which one of them. Formatted only when printed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name {
    kind: &'static str,
    index: Option<u64>,
}

impl Name {
    const ALONE: u32 = u32::MAX;

    /// As the head of a process has it.
    pub(super) fn stored(kind: &'static str, index: u32) -> Self {
        Name { kind, index: (index != Self::ALONE).then_some(index.into()) }
    }

    /// The number in the head of a process.
    pub(super) fn index_stored(self) -> u32 {
        self.index.map_or(Self::ALONE, |index| index as u32)
    }

    /// Kind of the process.
    pub fn kind(self) -> &'static str {
        self.kind
    }

    /// Number among the processes of its kind; `None` if there is only one.
    pub fn index(self) -> Option<u64> {
        self.index
    }

    /// The same kind with another number.
    #[must_use]
    pub fn numbered(self, index: u64) -> Self {
        Name { index: Some(index), ..self }
    }
}

impl From<&'static str> for Name {
    fn from(kind: &'static str) -> Self {
        Name { kind, index: None }
    }
}

impl From<(&'static str, u32)> for Name {
    fn from((kind, index): (&'static str, u32)) -> Self {
        Name::stored(kind, index)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            None => f.write_str(self.kind),
            Some(index) => write!(f, "{} {index}", self.kind),
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
