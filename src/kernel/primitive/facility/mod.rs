//! Facilities: servers that processes use and queue for.
//!
//! | type | discipline | use |
//! |---|---|---|
//! | [`Facility`] | first come, first served within a priority, servers | `reserve` … `release`, `use_for` |
//! | [`PreemptiveFacility`] | preemptive resume by priority, servers | `use_for` |
//! | [`SharedFacility`] | processor sharing | `use_for` |
//!
//! Servers are one or more. Larger priorities go first. The last two own the remaining service of
//! their customers and are therefore used by `use_for` only.
//!
//! Each keeps exact statistics: see [`Station`].

pub mod preemptive;
pub mod servers;
pub mod sharing;
pub mod station;

pub use preemptive::{PreemptiveFacility, PreemptiveUse};
pub use servers::{Facility, Reserve, Server};
pub use sharing::{SharedFacility, SharedUse};
pub use station::Station;
