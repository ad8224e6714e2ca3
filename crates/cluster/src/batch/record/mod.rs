//! The record of a run: what became of each job, of nodes that failed, of reservations of
//! processors and of features of another crate.
//!
//! The machine writes it while the run goes on; metrics and outputs read it afterwards.

mod dependents;
mod feature_steps;
mod gpus;
mod jobs;
mod matrix;
mod outages;
mod own_cells;
mod own_columns;
mod places;
mod pools;
mod reason;
mod renamed;
mod reservations;
mod site;

pub use feature_steps::{FeatureAct, FeatureStep, FeatureSteps};
pub use jobs::{Outcome, Record, State};
pub use matrix::{MatrixPlace, MatrixSpan, MatrixSpans};
pub use outages::{Attempt, Outage, Outages};
pub use own_cells::{FeatureCell, OwnCells};
pub use places::Keep;
pub use reason::{OwnReason, Reason};
pub use reservations::{Begun, Reserved, ReservedProcessors, Which};
pub use site::{Draw, Failures, OnNodeFailure, Requeue, RequeuePlace, RequeueSize, SiteModel};
