//! Features of a scenario, and those that a policy refuses before a run.

/// Feature that a scenario asks for. Further versions may have more: a policy refuses what it does
/// not know by [`Feature::beyond_processors`].
#[non_exhaustive]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feature {
    /// Detail `job`: jobs have processors for their run times.
    DetailJob,
    /// Detail `task`: tasks run on nodes.
    DetailTask,
    /// Nodes have more than processors, and jobs ask for it.
    Resources,
    /// Queues have nodes of their own, and some of them share nodes.
    JointQueues,
    /// Nodes fail: a policy takes up jobs that were interrupted
    /// ([`SiteEvent::Interrupted`](super::SiteEvent::Interrupted)).
    Failures,
    /// Processors are reserved: a policy plans around that
    /// ([`FrontEnd::planned`](super::FrontEnd::planned)).
    Reservations,
    /// Some reservations are promised in advance and interrupt nothing. Who takes
    /// [`Feature::Reservations`] takes these, unless it says otherwise.
    AdvanceReservations,
    /// Some reservations hold amounts of pools. Who takes [`Feature::Reservations`] takes these,
    /// unless it says otherwise.
    ReservedPools,
    /// Pools lie beside processors, and jobs ask for amounts of them
    /// ([`FrontEnd::pools`](super::FrontEnd::pools)).
    Pools,
    /// Features of another crate take jobs over and have them started: a policy starts them before
    /// all others, or hands them back ([`SiteEvent::Due`](super::SiteEvent::Due)).
    TakeOver,
}

impl Feature {
    /// Reason to refuse the feature in a policy that knows processors and run times alone.
    pub fn beyond_processors(self) -> Option<&'static str> {
        match self {
            // of reservations all is said by the first of their features
            Feature::DetailJob
            | Feature::DetailTask
            | Feature::AdvanceReservations
            | Feature::ReservedPools => None,
            Feature::Resources => Some("counts processors, and does not look at what nodes have beyond them"),
            Feature::JointQueues => Some("has one head, and knows no queues with nodes of their own"),
            Feature::Failures => Some("does not take up jobs that were interrupted"),
            Feature::Reservations => Some("does not plan around reservations of processors"),
            Feature::TakeOver => Some("does not start jobs that features have taken over"),
            Feature::Pools => Some("counts processors, and does not look at pools beside them"),
        }
    }
}

/// A feature that a policy cannot run with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The feature.
    pub feature: Feature,
    /// Reason, as what is said of the policy.
    pub why: &'static str,
}

impl Refusal {
    /// The refusals of the features that a scenario asks for, of which `why` says what speaks
    /// against one.
    pub fn of(asked: &[Feature], why: impl Fn(Feature) -> Option<&'static str>) -> Vec<Refusal> {
        let refusal = |&feature: &Feature| Some(Refusal { feature, why: why(feature)? });
        asked.iter().filter_map(refusal).collect()
    }
}
