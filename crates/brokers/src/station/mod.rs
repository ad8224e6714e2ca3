//! Stations: queues of networks and of servers, which are the same thing (HPDC 1999, figure 2: Qns,
//! Qs, Qnr).
//!
//! A station serves work, bytes or operations, at a [`Rate`], in the order of a [`Discipline`];
//! others' work may arrive at it as well. One that serves a packet after the other in order of
//! arrival knows the end of each when it enters ([`fcfs`]). Every other is brought up to date by a
//! process of its own, which has nothing to do while no work of ours is there.
//!
//! At an instant, what ends leaves first. Work that arrives is there before anything begins, also
//! that which is sent because something ended or was decided at this instant. What leaves the line
//! unserved takes nothing of the station, and those behind it move up.

pub mod ahead;
pub mod copy;
pub mod expected;
pub mod extraneous;
pub mod fcfs;
pub mod order;
pub mod ordered;
pub mod rate;
pub mod served;
pub mod shared;
pub mod usage;

#[cfg(test)]
mod tests;

pub(crate) use ahead::StationAhead;
pub use copy::{LookLimit, StationCopy};
pub use extraneous::{Extraneous, ExtraneousLaw, ExtraneousStreams, Spread};
pub(crate) use fcfs::Fcfs;
pub use order::{Discipline, StationDemand};
pub use rate::Rate;
pub use served::{Failed, Served};
pub use usage::{ServiceSpan, StationTraffic, Usage};
