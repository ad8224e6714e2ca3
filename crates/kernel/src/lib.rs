//! The simulation kernel: processes in virtual time, on one thread.
//!
//! A process is an `async` function, started with [`spawn`], that reads as the story of the thing
//! simulated: it [`hold`]s, waits for an [`Event`], receives from a [`Mailbox`], uses a
//! [`Facility`]. There is no handle to pass around: inside a [`Simulation`] the kernel is ambient.
//! Names and meaning are those of CSIM, which the papers used (H. Schwetman, "CSIM: a C-based,
//! process-oriented simulation language", Winter Simulation Conference 1986); what differs is said
//! at each primitive.
//!
//! **Time** is whole nanoseconds ([`SimTime`]); ties are ties.
//!
//! **Order.** An instant has four phases: *events*, *timeouts*, *decisions*, *observations*
//! ([`event_list::Phase`]). What fires next is always the least (phase, sequence) pending at this
//! instant, sequence numbers being given in the order of scheduling; a lower phase that becomes
//! non-empty is served first. So an event at the very instant of a time-out wins over it
//! ([`timed`]), a scheduler that [`settle`]s sees a closed instant, and an observer sees what all
//! others have done.
//!
//! **Waits.** A process may have many waits pending at once, under [`race`], [`join`], [`timed`] or
//! the combinators of the `futures` crate. What is handed to a wait (a message, a server, an
//! event's occurrence) counts from that moment: if the process is resumed for another reason before
//! that, it finds it there, and in a race the first argument wins. A `hold` is over when its
//! resumption is next in the order. Under a combinator with wakers of its own (`FuturesUnordered`)
//! the process is resumed at the place of the wait that woke it. Every wait may be dropped at any
//! time and then undoes itself.
//!
//! **Ends.** A run ends when every process that is not a daemon has ended, at a stated time, when a
//! process calls [`stop`] (after a count, or when a statistic is precise: [`stats::RunLength`]), or
//! with a [`SimError`].
//!
//! **The same twice.** Every resumption enters the [`Digest`]. Random numbers come from named
//! [`stream`]s.
//!
//! What is left out: real parallelism within a run, and going back in time.
//!
//! ```
//! use clustersim_kernel::{Facility, SimDuration, Simulation, hold, now, spawn};
//!
//! let simulation = Simulation::new(1);
//! simulation.spawn("arrivals", async {
//!     let counter = Facility::new("counter", 1);
//!     for customer in 0..3 {
//!         let counter = counter.clone();
//!         spawn(("customer", customer), async move {
//!             counter.use_for(SimDuration::from_secs(10)).await;
//!             println!("customer {customer} leaves at {}", now());
//!         });
//!         hold(SimDuration::from_secs(4)).await;
//!     }
//! });
//! assert_eq!(simulation.run()?.ended_at.as_secs_f64(), 30.0);
//! # Ok::<(), clustersim_kernel::SimError>(())
//! ```

mod combine;
mod core;
mod digest;
mod error;
pub mod event_list;
mod executor;
mod name;
mod places;
pub mod primitive;
mod process;
pub mod rng;
mod sim;
pub mod stats;
mod time;
mod wait;
mod watchdog;

pub use combine::{Either, JoinBoth, Race, Timed, TimedInLine, join, race, timed};
pub use digest::Digest;
pub use error::{Blocked, SimError};
pub use name::Name;
pub use primitive::{
    Buffer, Condition, Event, Facility, Mailbox, PreemptiveFacility, SharedFacility, Signal, Storage, Work,
};
pub use process::{
    InterruptReason, Interrupted, Interruptible, Join, Killed, Process, current, interruptible, spawn,
    spawn_daemon, spawn_observer,
};
pub use sim::{
    Outcome, Simulation, ends_too_late, events, fail, note_completion, note_decision, note_over, now,
    patience, stop, stream, subjects_over,
};
pub use time::{PAST_THE_END, SimDuration, SimTime};
pub use wait::{Delay, Hold, Observe, Settle, Timer, hold, observe, settle, settle_after, timer};
