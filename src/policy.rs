//! Policies: processes that decide which job starts when, and where; and features of a site.

pub use clustersim_cluster::policy::{
    BatchScheduler, Capacity, Components, Feature, FeatureAccess, FeatureRun, FeatureSite, FeatureVerdict,
    FeatureWork, FrontEnd, Interruption, News, Outcomes, OwnFeature, Policy, PolicyError, Refusal, Setting,
    Sharing, SiteEvent, SiteRules, TaskSide, Wrong, async_trait, declare_feature,
};
