//! Platforms by chance: generators that draw hosts, routers and links from the streams of a seed.
//!
//! One seed gives one platform, another seed another one of the same kind, so that a study may be
//! made over many. Speeds, bandwidths and latencies are distributions; every host and every link
//! draws from streams of its own (`platform/speed/host-3`), so that a host more moves nothing else.
//! Every platform is connected.
//!
//! | kind | what is drawn | routes |
//! |---|---|---|
//! | `waxman` | routers on a plane, joined the likelier the nearer | the shortest by latency |
//! | `tree` | routers, each below an earlier one | the only ones there are |
//! | `clusters` | sites of clusters of equal hosts | over the switches of cluster and site |
//!
//! Left out: transit-stub hierarchies beyond `clusters`, and power laws of degrees.
//!
//! Sources: B. M. Waxman, IEEE Journal on Selected Areas in Communications 6(9), 1988; K. Calvert,
//! M. Doar, E. Zegura, IEEE Communications 35(6), 1997; D. Lu, P. Dinda, "Synthesizing Realistic
//! Computational Grids", SC 2003.

mod clusters;
mod draws;
mod perturbation;
mod tree;
mod waxman;

pub use perturbation::{BadFactor, Perturbation, perturb};

use std::fmt;

use crate::Platform;
use crate::kernel::rng::Streams;
use crate::registry::{Entry, Table};

/// A generator of random platforms.
pub trait Generator: fmt::Debug {
    /// The platform of these streams.
    ///
    /// # Errors
    /// A draw that nothing can have, such as a host without speed, or more hosts than are drawn at
    /// most.
    fn draw(&self, streams: &Streams) -> Result<Platform, Undrawable>;
}

/// Reason that a platform cannot be drawn.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Undrawable {
    /// A draw that nothing can have.
    #[error("the {what} of {whose} is drawn as {value}; {rule}")]
    Value {
        /// The property that was drawn.
        what: &'static str,
        /// The host or link that it was drawn for.
        whose: String,
        /// The draw.
        value: f64,
        /// The rule for such a value.
        rule: &'static str,
    },
    /// More hosts than a drawn platform may have.
    #[error("more than {MOST_HOSTS} hosts are drawn")]
    TooMany,
    /// More routers and switches than a drawn platform may have.
    #[error("more than {MOST_ROUTERS} routers and switches are drawn")]
    TooManyRouters,
}

/// The most hosts of a drawn platform.
pub const MOST_HOSTS: usize = 1_000_000;

/// The most routers of a drawn platform, switches of clusters among them, for routes are kept for
/// each pair of them that is asked for.
pub const MOST_ROUTERS: usize = 10_000;

/// The generators by name.
pub fn table() -> Table<dyn Generator> {
    const ENTRIES: &[Entry<dyn Generator>] = &[clusters::ENTRY, tree::ENTRY, waxman::ENTRY];
    Table::new("generator", "how hosts, routers and links of a platform are drawn", ENTRIES)
}
