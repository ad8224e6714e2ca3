//! The model: independent tasks and the files that they share, on clusters of hosts behind links
//! that carry one file at a time, with storages that may be full.
//!
//! - [`application`]: tasks and files, and the places that files come from.
//! - [`grid`]: clusters, hosts, links; `links_between`: links from one cluster to another;
//!   [`clusters`]: the grid that a platform is.
//! - [`storage`]: storages with a limit, and the files on each cluster.

pub mod application;
pub mod clusters;
pub mod grid;
pub(in crate::sweep) mod links_between;
pub mod storage;
