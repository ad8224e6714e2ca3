//! Links: what they are, and how transfers cross them in virtual time.

mod flow;
mod link;
pub mod network;

pub use flow::{End, Ended, Flows, Request, TransferId};
pub use link::{Link, Model};
