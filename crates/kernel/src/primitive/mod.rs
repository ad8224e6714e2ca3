//! Primitives that processes wait for and share: one a file, with the names and meaning that CSIM
//! gave them.
//!
//! Three promises hold for all of them.
//!
//! - *No process barges in.* What becomes free is handed to the first in line at that moment; a
//!   process that comes later in the same instant queues behind, even if the one served has not
//!   been resumed yet.
//! - *Everything may be dropped.* A wait that is dropped before it returned, because it was raced,
//!   timed, interrupted, killed, or because the run ended, undoes itself: it leaves its line, and
//!   what was already handed to it goes to the next or back.
//! - *Nothing is polled.* A process that waits costs nothing until it is resumed.

pub mod buffer;
pub mod condition;
pub mod event;
pub mod facility;
mod line;
pub mod mailbox;
pub mod signal;
pub mod storage;
pub mod work;

pub use buffer::{Buffer, Transfer};
pub use condition::{Condition, Until};
pub use event::{Event, EventWait};
pub use facility::{
    Facility, PreemptiveFacility, PreemptiveUse, Reserve, Server, SharedFacility, SharedUse, Station,
};
pub use mailbox::{Mailbox, Receive};
pub use signal::{Signal, SignalWait};
pub use storage::{Allocate, AllocatedUnits, Storage};
pub use work::{Done, Work};
