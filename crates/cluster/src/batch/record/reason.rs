//! Reasons for starts and rejections of jobs.
//!
//! The reasons of the simulator's own policies are declared here. A policy of another crate states
//! its own ([`Reason::Own`]): `jobs.csv`, the report and `--explain` show its name and its meaning.

use crate::registry::definition::words;

words! {
    /// Reason that a job was started when it was, or was rejected.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Reason {
        Head = "head", "it was the head of the queue, and enough was free";
        Fits = "fits", "it fitted, and the discipline passes over jobs that do not";
        BeforeShadow = "before-shadow", "it overtook, being over by its estimate before the head of the queue can start";
        Extra = "extra-processors", "it overtook, on processors that the head of the queue leaves free";
        HeadUnable = "head-unable", "it overtook jobs that need more processors than are in service";
        DelaysNoReservation = "delays-no-reservation", "it overtook, delaying none of several reservations";
        Reservation = "own-reservation", "its own reservation was reached, or could be moved to that instant, while jobs before it wait";
        LimitLifted = "limit-lifted", "a limit that had held it back was lifted at that instant";
        ReservationOver = "reservation-over", "enough is free because a reservation of processors was over at that instant";
        Inside = "inside-reservation", "a reservation of processors, inside which it runs, had enough free";
        ByFeature = "by-feature", "a feature of another crate, which had taken it over, had it started before all that wait";
        Row = "row-with-room", "it was next, and a row of the matrix had enough free columns";
        Compacted = "after-compaction", "it was next, and a row had enough free columns once rows had been compacted";
        OtherRow = "other-row", "it overtook, in another row than the one promised to the head of the queue";
        Admitted = "admitted", "the share of processors or slices that it reserves could be kept";
        TooLarge = "too-large", "rejected: it needs more processors than there are";
        NodeFeatures = "node-features", "rejected: no node has all the features that it asks for";
        NodeProcessors = "node-processors", "rejected: it asks for more processors on a node than any has";
        NodeMemory = "node-memory", "rejected: it asks for more memory on a node than any has";
        NodeGpus = "node-gpus", "rejected: it asks for more GPUs on a node than any has";
        NoSuchNodes = "no-such-nodes", "rejected: no node has all that it asks for at once, or too few nodes have";
        NoSuchPool = "no-such-pool", "rejected: it asks for more of a pool than there is, or for a pool that there is not";
        QueueLimit = "queue-limit", "rejected: a limit of its queue can never let it run";
        NoReservation = "no-reservation", "rejected: no reservation of processors that is to come can take it, inside which it is to run";
        Admission = "admission", "rejected: the share of processors or slices that it asks for cannot be kept";
        Refused = "refused", "rejected: the policy refused it";
        Dependency = "dependency-failed", "rejected: a job that had to succeed before it did not";
        Withdrawn = "cancelled", "cancelled by its user before it started";
        _ Own(&'static OwnReason), "a reason of a policy of another crate";
    }
}

/// A reason that is not declared here.
///
/// ```
/// use clustersim_cluster::instrument::{OwnReason, Reason};
///
/// const SMALLEST: Reason = Reason::Own(&OwnReason {
///     name: "smallest",
///     about: "it needed the fewest processors of the jobs that waited",
/// });
/// assert_eq!(SMALLEST.name(), "smallest");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnReason {
    /// Word in outputs, in lower case with hyphens.
    pub name: &'static str,
    /// Meaning, as half a sentence about the job.
    pub about: &'static str,
}
