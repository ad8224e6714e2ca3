//! Global computing as Bricks models it: clients call servers over networks that are queues, and a
//! scheduling unit decides which.
//!
//! ```text
//!              (1) task      ┌─────────── scheduling unit ───────────┐
//!    client ────────────────▶│ scheduler ◀──▶ predictor              │
//!      ▲ │                   │     │ (2)   (3)–(5)  ▲                │
//!      │ │ (6) server ◀──────│─────┘                │                │
//!      │ │                   │ database ────────────┘                │
//!      │ │ (7) packets       └────▲───────────────▲──────────────────┘
//!      │ │                        │ (0a)          │ (0b)
//!      │ ▼                 network monitor   server monitor
//!      │ ╞═ Qns ═▶ server (8), (9)
//!      ╘═ Qnr ══════ results (10)
//! ```
//!
//! A client that has a task asks the scheduling unit for a server. It sends the arguments of the
//! task there in packets, one after another, through the queues of the network. The task waits for
//! the server, is executed, and its results come back in packets. The scheduling unit has four
//! parts, each of which can be replaced. Monitors measure networks and servers. A database keeps
//! what they measured. A predictor says from it what will be, and a scheduler chooses a server by
//! that.
//!
//! A network or a server may behave as a real one did that was measured. A measurement is a series
//! of points in time:
//!
//! - [`series`]: series in files, as monitoring tools write them.
//! - [`curve`]: what such a series is between its points, and when work under it ends.
//!
//! Source: A. Takefusa, S. Matsuoka, H. Nakada, K. Aida, U. Nagashima, "Overview of a Performance
//! Evaluation System for Global Computing Scheduling Algorithms", HPDC 1999.

pub mod agreement;
pub mod call;
pub mod client;
pub mod completion;
pub mod curve;
pub mod database;
pub mod decision;
pub mod environment;
pub mod foreign;
pub mod info;
pub mod knowledge;
pub mod load;
pub mod measured_tables;
pub mod metrics;
pub mod monitor;
pub mod outages;
pub mod outcomes;
pub mod predictor;
pub mod queue;
pub mod record;
pub mod regret;
pub mod retry;
pub mod run;
pub mod scheduler;
pub mod series;
pub mod station;
pub mod tables;
pub mod transfer;
pub mod unit;
pub mod view;

#[cfg(test)]
mod tests;

pub mod judge;
pub mod rows;
pub mod system;

pub(crate) use clustersim_experiment::{check, dialogue, measure, output, scenario};
pub(crate) use clustersim_forecast as forecast;
pub(crate) use clustersim_kernel as kernel;
pub(crate) use clustersim_language::{collections, ids, registry, text, units};
pub(crate) use clustersim_platform as platform;
