//! The simulation kernel.

mod combine;
mod core;
mod digest;
mod error;
pub mod event_list;
mod executor;
mod parameter;
pub mod primitive;
mod process;
pub mod rng;
mod sim;
pub mod stats;
mod time;
mod wait;

pub use combine::{JoinBoth, Race, Timed, join, race, timed};
pub use digest::Digest;
pub use error::{Blocked, SimError};
pub use primitive::{
    Buffer, Condition, Event, Facility, Mailbox, PreemptiveFacility, SharedFacility, Storage,
};
pub use process::{
    Interrupted, Interruptible, Join, Killed, Name, Process, Reason, current, interruptible, spawn,
    spawn_daemon, spawn_observer,
};
pub use sim::{Outcome, Simulation, fail, now, stop, stream};
pub use time::{SimDuration, SimTime};
pub use wait::{Delay, Hold, Observe, Settle, Timer, hold, observe, settle, timer};
