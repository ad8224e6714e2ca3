//! Jobs on a cluster, by the program and its public interface.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod analytic;
mod attributes;
#[cfg(unix)]
mod cancellations;
mod changed_table;
#[cfg(unix)]
mod charges;
mod checked_numbers;
#[path = "../../crates/cluster/tests/it/cluster.rs"]
mod cluster;
mod coscheduling;
mod dependencies;
mod described;
mod failing_nodes;
mod features;
mod fidelity;
mod gang_matrix;
mod gang_sites;
mod gpus;
#[cfg(unix)]
mod inside_reservations;
mod job_metrics;
mod killed_jobs;
mod matrix;
mod models;
mod moldable_files;
mod moldable_sites;
#[cfg(unix)]
mod node_resources;
mod openb;
mod own_backfill;
mod own_cpu_scheduler;
mod own_discipline;
mod own_feature;
mod own_policy;
mod own_wait_action;
mod parallel;
mod planted_faults;
mod pools;
mod promises;
mod queues;
mod random_sites;
#[cfg(unix)]
mod recorded;
mod reference;
mod refused_pairs;
mod reservations;
mod reserved_pools;
mod site_features;
mod site_keys;
mod site_scheduler;
mod studies;
mod tables;
mod task_detail;
mod why;
