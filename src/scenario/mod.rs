//! The scenario language: one TOML file says everything about a run.
//!
//! ```text
//!   files, --set ──load──▶ Written ──check──▶ Scenario ──build──▶ Experiment ──run──▶ Finished
//!                  (as written, with places)  (valid, every default)   (jobs, machine, policy)   (record, metrics)
//! ```
//!
//! [`schema`] declares the keys; what a component's own table holds is declared where the component lives
//! ([`crate::registry`]). `check` tells every mistake of every text at once, each at its place; what it lets
//! through is valid, and is written beside the results with every default filled in. `[[vary]]` and `[repeat]` make
//! a [`Study`] of it: every point of the product of the axes is a scenario of its own. Which system a scenario is of,
//! its tables tell ([`System`]); those of systems that cannot be run yet are part of the language and refused by name.

mod agents;
mod agents_side;
mod axis;
mod build;
mod check;
mod cluster;
mod cluster_side;
mod deployment;
pub mod expect;
mod failures;
mod flows;
mod foreign;
mod load;
pub mod metrics;
mod nodes;
mod overridden;
mod overrides;
mod places;
pub mod platform;
mod ready;
mod reservations;
pub mod schema;
mod site;
mod study;
mod system;
mod users;

pub use agents::{Assembly, Ended as AgentsEnded};
pub use agents_side::Agents;
pub use axis::Axis;
pub use build::{Cut, Experiment, Finished, build, fit, jobs_of, policy_of, standard, workload};
pub use check::{Rejected, Scenario, check, check_again};
pub use cluster_side::Cluster;
pub use failures::inputs;
pub use load::{Written, from_text, load};
pub use overrides::Override;
pub use ready::{Figures, Ready, Run, files, ready};
pub use study::{Point, Repeat, Study, study};
pub use system::System;
