//! Links: what they are, and how transfers cross them in virtual time.

mod flow;
mod link;
pub mod network;
mod packet;

pub use flow::{End, Ended, Flows, Request, TransferId};
pub use link::{Link, Model};
pub use packet::{PacketLink, packet_time, store_and_forward_time};
