//! Links of a log from each job to the one before: its number (SWF field 17), and the think time of
//! the user between the two (field 18).
//!
//! A job may only depend on one that stands before it in the workload, in order of submission; of
//! several with the number it is the nearest. One whose preceding job is not in the workload, or
//! does not stand before it, depends on no job, which is counted. A think time that the log does
//! not state leaves the job its own submission.

use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::SimDuration;
use crate::registry::{Complaint, Key, Params, choices, key};
use crate::workload::Job;
use crate::workload::swf::{Cause, Report};

use super::{Dependencies, Edge, Rule};

choices! {
    /// Outcome of the preceding jobs that a log names.
    #[derive(Default)]
    pub enum Preceding {
        #[default]
        Ignored = "ignored", "nothing: every job is submitted as the log says";
        After = "after", "a job is submitted as the log says, and held until its preceding job has left";
        ThinkTime = "think-time", "a job is submitted when its think time since the end of its preceding job is over";
    }
}

/// Outcome of them, as a scenario says it.
pub const PRECEDING: Key = key! {
    "preceding" Preceding::CHOICES, absent "\"ignored\"" =>
        "what becomes of the preceding jobs and think times that the log has (fields 17 and 18; detail \
         `job` only)", source "think times: N. Zakay and D. G. Feitelson, MASCOTS 2014"
};

impl Preceding {
    /// The outcome that a workload states.
    pub fn read(params: &Params<'_>) -> Result<Self, Complaint> {
        Ok(params.read::<Option<Preceding>>(PRECEDING.name)?.unwrap_or_default())
    }

    /// The dependencies made of these edges of a log.
    pub fn dependencies(self, edges: Vec<Edge>) -> Option<Arc<Dependencies>> {
        let all = || Dependencies::new(edges).expect("each job depends on one before it");
        match self {
            Preceding::Ignored => None,
            Preceding::After => Some(Arc::new(all())),
            Preceding::ThinkTime => Some(Arc::new(all().with_think_times())),
        }
    }
}

/// The link stated by one job line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Number of the job before.
    pub preceding: Option<u64>,
    /// Think time behind it.
    pub think: Option<SimDuration>,
    /// Time from its submission to its cancellation, if it never started.
    pub cancelled: Option<SimDuration>,
    /// The line of the job.
    pub line: u64,
}

/// The edges of jobs with these links, one for each; what leads nowhere is counted.
pub fn edges(jobs: &[Job], links: &[Link], preceding: Preceding, report: &mut Report) -> Vec<Edge> {
    if preceding == Preceding::Ignored {
        return Vec::new();
    }
    let mut places: OrderedMap<u64, Vec<u32>> = OrderedMap::new();
    for (place, job) in (0..).zip(jobs) {
        places.entry(job.number).or_default().push(place);
    }
    let mut edges = Vec::new();
    for (place, link) in (0_u32..).zip(links) {
        let Some(number) = link.preceding else { continue };
        let Some(named) = places.get(&number) else {
            report.count(Cause::PrecedingAbsent, link.line);
            continue;
        };
        let before = named.partition_point(|&other| other < place);
        let Some(&on) = before.checked_sub(1).and_then(|last| named.get(last)) else {
            report.count(Cause::PrecedingLater, link.line);
            continue;
        };
        let rule = match (preceding, link.think) {
            (Preceding::ThinkTime, Some(think)) => Rule::ThinkTime(think),
            _ => Rule::AfterAny,
        };
        edges.push(Edge { job: JobId(place), on: JobId(on), rule });
    }
    edges
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimTime;

    use super::*;

    #[test]
    fn the_nearest_job_before_is_meant_and_what_leads_nowhere_is_counted() {
        let job = |number| Job::new(number, SimTime::ZERO, 1, SimDuration::from_secs(1));
        let jobs = [7, 8, 7, 9, 5].map(job);
        let think = Some(SimDuration::from_secs(3));
        let link = |line, preceding, think| Link { preceding, think, cancelled: None, line };
        let links = [
            link(1, Some(9), think),
            link(2, Some(7), think),
            link(3, Some(7), None),
            link(4, Some(7), think),
            link(5, Some(6), None),
        ];
        let found = |preceding| {
            let mut report = Report::new(9);
            let edges = edges(&jobs, &links, preceding, &mut report);
            let lines = |cause| report.tally(cause).lines.clone();
            assert_eq!((lines(Cause::PrecedingLater), lines(Cause::PrecedingAbsent)), (vec![1], vec![5]));
            edges
        };
        let edge = |job, on, rule| Edge { job: JobId(job), on: JobId(on), rule };
        let after = [(1, 0), (2, 0), (3, 2)].map(|(job, on)| edge(job, on, Rule::AfterAny));
        assert_eq!(found(Preceding::After), after);
        let thinks = Rule::ThinkTime(SimDuration::from_secs(3));
        assert_eq!(
            found(Preceding::ThinkTime),
            [edge(1, 0, thinks), edge(2, 0, Rule::AfterAny), edge(3, 2, thinks)]
        );
    }
}
