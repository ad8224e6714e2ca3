//! Facilities: servers that processes use and queue for.
//!
//! | type | discipline | use |
//! |---|---|---|
//! | [`Facility`] | first come, first served by priority | `reserve` … `release`, `use_for` |
//! | [`PreemptiveFacility`] | preemptive resume by priority | `use_for` |
//! | [`SharedFacility`] | processor sharing | `use_for` |
//!
//! The first two have one or more servers. Larger priorities go first. The last two own the
//! remaining service of their customers and are therefore used by `use_for` only.
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
