//! Networks as processes: transfers between hosts that take their time while others are in
//! progress.
//!
//! A [`Transport`] is a network model, described; a [`Carrier`] is one at work on the links of a
//! platform, a plain data structure that knows when something happens next; a [`Network`] is the
//! process around it, of which everything else has a handle.
//!
//! ```text
//!   transfer(from, to, size) ──▶ Network ── start ──▶ Carrier: flows │ packets │ whole transfers
//!        ◀── resumed at its end ── process ◀─ ended ──┘
//! ```
//!
//! There is one process for all transfers of a run and none for each. It sleeps until the carrier's
//! next event or until something was started or taken back, and then looks at the carrier once,
//! when everything of that instant is over: many starts at one instant cost one solve. What happens
//! to links while nothing is in progress wakes no process.
//!
//! | kind | links | in one line |
//! |---|---|---|
//! | `flow` | share bandwidth by weighted max-min | default; rates change with flows and links |
//! | `packet` | carry packets, by a discipline | hop by hop, finer and dearer when small |
//! | `store-and-forward` | carry whole transfers, by a discipline | a link has it whole |
//!
//! Sources: those of the models, each in its file. Left out: routing that changes during a
//! transfer, and losses of packets.

mod flow;
mod handle;
mod links_in_use;
mod packet;
mod store_and_forward;
pub mod traffic;
mod unloaded;

use std::fmt;

use crate::Platform;
use crate::kernel::SimTime;
use crate::links::{Ended, Request, TransferId};
use crate::registry::{Entry, Table};
use crate::sharing::OutOfRange;

pub use flow::{CORRECTIONS, Flow};
pub use handle::{Network, Started, TransferClass, TransferFailed, TransferObserver, Transfers};
pub use packet::{Packet, Packets};
pub use unloaded::Unloaded;

/// A network model, described.
pub trait Transport: fmt::Debug {
    /// The carrier of transfers over the links of `platform`, which keep their numbers, from the
    /// start of a run on.
    ///
    /// # Errors
    /// A link that the model cannot have.
    fn carrier(&self, platform: &Platform) -> Result<Box<dyn Carrier>, OutOfRange>;

    /// Returns true if a link lets go of what it has carried of a transfer while other links of the
    /// route carry it on.
    fn lets_go(&self) -> bool {
        false
    }

    /// Refuses a transfer of a size that the model cannot carry at all.
    ///
    /// # Errors
    /// A size that the model cannot carry.
    fn carries(&self, _size: f64) -> Result<(), OutOfRange> {
        Ok(())
    }

    /// The most that a transfer may have sent before the bound of its rate slows it: of a network
    /// of packets, the first of them.
    fn at_once(&self) -> f64 {
        0.0
    }
}

/// A carrier of transfers over links: a structure in virtual time without a process.
///
/// It is started at an instant, and advanced to later ones; it does not know what drives it.
pub trait Carrier: fmt::Debug {
    /// The present instant: where it was advanced to last.
    fn now(&self) -> SimTime;

    /// Returns true if acknowledgements take their part of the route back, so that a request needs
    /// it.
    fn wants_reverse_route(&self) -> bool {
        false
    }

    /// Starts a transfer at the present instant; its end comes from [`Carrier::advance`], even if
    /// it is now.
    ///
    /// # Errors
    /// Sizes and bounds that are none, and links that are not there; then nothing was started.
    fn start(&mut self, request: Request<'_>) -> Result<TransferId, OutOfRange>;

    /// Takes back a transfer without a word; nothing if it has ended.
    fn cancel(&mut self, transfer: TransferId);

    /// The instant of the next event; the present instant if something is left to happen in it,
    /// `None` if nothing ever does. What would happen after the last instant happens at it.
    fn next_event(&mut self) -> Option<SimTime>;

    /// Lets everything happen up to and at `to`, which becomes the present instant, and puts what
    /// ended into `ended`, in order.
    fn advance(&mut self, to: SimTime, ended: &mut Vec<Ended>);
}

/// The network models by name.
pub fn table() -> Table<dyn Transport> {
    const ENTRIES: &[Entry<dyn Transport>] = &[flow::ENTRY, packet::ENTRY, store_and_forward::ENTRY];
    Table::new("network", "how transfers get over the links of a platform", ENTRIES)
}
