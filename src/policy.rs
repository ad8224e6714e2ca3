//! Policies: processes that decide which job starts when, and where.

pub use clustersim_cluster::policy::{
    BatchScheduler, Capacity, Components, Feature, FrontEnd, Interruption, News, Outcomes, Policy,
    PolicyError, Refusal, Setting, Sharing, SiteEvent, TaskSide, Wrong, async_trait,
};
