//! The model: independent tasks and the files that they share, on clusters of hosts behind links
//! that carry one file at a time, with storages that may be full.
//!
//! - [`application`]: tasks and files, and the places that files come from.
//! - [`grid`]: clusters, hosts, links, as a platform has them.
//! - [`storage`]: storages with a limit, and the files on each cluster.

pub mod application;
pub mod storage;

pub use crate::platform::clustered::grid;
