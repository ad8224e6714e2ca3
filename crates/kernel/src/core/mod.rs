//! The schedule of one simulation: clock, event list, the zero-time queues of the instant, and the
//! waits.
//!
//! A *wait* is an object of its own, so that a process may have many pending at once. Its record is
//! one word: the state and, where it has one, the sequence number of the entry that will resume it.
//! An entry whose number is not in the word any more is *stale* and is passed over: that is how a
//! timer is cancelled.
//!
//! ```text
//!            queue            grant (handed over, resumed in order)
//!   free ───────────▶ queued ───────────────▶ granted ──┐ popped
//!     │                │   ▲ schedule / unschedule       ▼
//!     │                ▼   │                           fired ──▶ free (collected)
//!     └─────────────▶ timed ──────────────────────────▶─┘
//!            time                popped
//! ```
//!
//! A queued wait may have a *limit*: then it is timed, and can still be granted; a process that
//! finds it over asks its line whether it was served or its time ran out.
//!
//! Where the record lives: the first wait of a process that is pending lies in the head of the
//! process itself, in the cache line that the executor touches anyway; any further one, one that is
//! polled with the waker of a combinator, and a background hold take a record from a table.
//!
//! Ordering. An instant has four phases (see [`Phase`]); within one phase entries fire by sequence
//! number. Wake-ups at the present instant never go through the event list: they wait in a first-in
//! first-out queue. An entry of the list that is due now was scheduled before this instant began,
//! hence before every entry of that queue, and so the list goes first. Nothing in this file runs
//! process code, wakes a foreign waker or drops one.

mod arming;
mod ending;
mod firing;
mod life;
mod record;
mod step;
mod upkeep;
mod zero_time;

use std::collections::{BTreeMap, BTreeSet};
use std::task::Waker;

pub(super) use record::{TABLE, word};
pub(super) use step::{Caller, Kind, Role, Started, Step};

use self::life::Extra;
use self::record::Record;
use self::zero_time::ZeroTimeQueue;
use super::digest::Digest;
use super::error::SimError;
use super::event_list::{EventKey, EventList};
use super::executor::Store;
use super::rng::Streams;
use super::time::SimTime;
use super::watchdog::Watchdog;

/// See the [module](self).
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about the run")]
pub(super) struct Core {
    pub(super) now: SimTime,
    pub(super) store: Store,
    list: EventList,
    ready: ZeroTimeQueue,
    decisions: ZeroTimeQueue,
    observations: ZeroTimeQueue,
    /// Entries in these three.
    zero_time: usize,
    /// True if the list has no more events for the present instant; it gets no new ones.
    list_served: bool,
    records: Vec<Record>,
    free_records: Vec<u32>,
    sequence: u64,
    pub(super) sequence_limit: u64,
    /// True if the run ends with an error when sequence numbers reach their limit.
    pub(super) is_bounded: bool,
    /// Records that the table has at most.
    pub(super) wait_limit: u32,
    /// Cancelled entries still in the list.
    stale: usize,
    /// Background holds pending.
    background: usize,
    /// The process being resumed.
    pub(super) current: u32,
    /// The number of this simulation.
    pub(super) simulation: u32,
    pub(super) events: u64,
    pub(super) digest: Digest,
    /// `events` when the present instant began.
    instant_began: u64,
    pub(super) livelock_after: u64,
    resumed_here: BTreeMap<u32, u64>,
    pub(super) watchdog: Watchdog,
    /// Subjects of the run that are over.
    pub(super) over: i64,
    /// Entries after this time wait for the next run.
    limit: EventKey,
    /// End of the run that the caller wants …
    pub(super) until: SimTime,
    /// … unless a process ends it before.
    stopped: bool,
    /// Processes alive that are neither daemons nor observers.
    pub(super) live: usize,
    pub(super) next_pid: u64,
    pub(super) next_observer: u64,
    pub(super) kinds: Vec<&'static str>,
    /// The kind of the process that was started last.
    pub(super) latest_kind: u32,
    pub(super) extras: BTreeMap<u32, Extra>,
    pub(super) killed: BTreeSet<u64>,
    /// Wakers of combinators, by record …
    foreign: BTreeMap<u32, Waker>,
    /// … and by process, for waits that lie in one and were last polled elsewhere.
    redirects: BTreeMap<u32, Waker>,
    /// The foreign waker to be woken next, and why.
    pub(super) to_wake: Option<(Waker, Kind)>,
    /// While a foreign waker runs: the processes it woke.
    pub(super) woken: Option<Vec<u32>>,
    /// While a deadlock is being described: what the polled process waits for.
    pub(super) report: Option<Vec<String>>,
    pub(super) error: Option<SimError>,
    pub(super) ending: bool,
    pub(super) streams: Streams,
    /// Number of times that a process asked for a stream.
    pub(super) streams_taken: u64,
}
