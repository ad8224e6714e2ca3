//! The event list: what is due, in the order in which it fires.
//!
//! An entry is one 128-bit [`EventKey`]: time, phase, sequence number and the wait it resumes.
//! Packed like this an entry takes 16 bytes, a comparison is one wide integer compare, and four
//! children of a heap node fill one cache line. Two structures keep the same order:
//!
//! - [`QuaternaryHeap`]: least overhead while few entries are pending;
//! - [`RadixRuns`]: insensitive to the number pending and to the distribution of the increments,
//!   and it knows its next entries ahead, so that the executor can prefetch their processes.
//!
//! [`EventList`] begins as the one and turns into the other as it grows and shrinks;
//! `docs/performance.md` has the measurements behind the thresholds and the structures that were
//! not taken (binary heap, ladder, calendar).
//!
//! A cancelled timer stays in the list until it comes up or until the cancelled ones outnumber the
//! others, when [`EventList::retain`] sweeps them out: constant amortized cost, and no memory held
//! by far time-outs that never fire.

mod adaptive;
mod key;
pub mod quaternary_heap;
pub mod radix_runs;
#[cfg(test)]
mod tests;

pub use adaptive::{EventList, ListKind};
pub(super) use key::SEQUENCE_BITS;
pub use key::{EventKey, Phase};
pub use quaternary_heap::QuaternaryHeap;
pub use radix_runs::RadixRuns;
