//! Whole runs of clusters, by the library alone.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod analytic;
mod backfilling;
#[expect(dead_code, reason = "shared with tests that run the program, which use more of it")]
mod cluster;
mod coscheduling;
mod gang_jobs;
mod molding;
mod pools;
mod queues;
mod rules_on_nodes;
mod space_sharing;
