//! Divisions of a machine: queues with nodes of their own, and which of them share nodes.
//!
//! Queues that share a node are in one division, and so are queues that each share one with a
//! third. Jobs that belong to no queue with nodes may have any node, so where there are such jobs
//! all queues are in one division with them. No node serves jobs of two divisions: a run over
//! several is the runs of each alone, side by side.

use crate::ids::JobId;
use crate::workload::Job;
use crate::workload::resources::Resources;

use super::{Limits, QueueLimits};

/// The divisions of a machine. Without queues that have nodes there is one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Divisions {
    /// Queue of each job by its place in the list of queues, that of jobs without one behind all;
    /// empty if there is one division without distinctions.
    queues: Vec<u16>,
    /// Queues by their places, and the division of each.
    of_queue: Vec<usize>,
    /// Places of the queues with nodes in each division, and of jobs without one.
    members: Vec<Vec<u16>>,
}

/// The queues of a division that has several, which share nodes.
#[derive(Clone, Copy, Debug)]
pub struct JointQueues<'a> {
    /// Queue of each job.
    queues: &'a [u16],
    /// Number of queues.
    pub count: usize,
}

impl JointQueues<'_> {
    /// Queue of a job, by its place in the list.
    pub fn of(&self, job: JobId) -> u16 {
        self.queues[job.index()]
    }
}

impl Divisions {
    /// The divisions of nodes by the queues that have some, for these jobs.
    pub fn new(limits: &Limits, jobs: &[Job], resources: Option<&Resources>) -> Self {
        let queues: Vec<&QueueLimits> = limits.queues().collect();
        let Some(resources) = resources.filter(|_| queues.iter().any(|queue| !queue.nodes.is_empty())) else {
            return Divisions::default();
        };
        let rest = queues.len() as u16;
        let of_jobs: Vec<u16> = jobs.iter().map(|job| limits.with_nodes(job).unwrap_or(rest)).collect();
        // kinds of nodes of each; jobs without a queue that has nodes may have all
        let mut nodes: Vec<(u16, Vec<bool>)> = (0..)
            .zip(&queues)
            .filter(|(_, queue)| !queue.nodes.is_empty())
            .map(|(place, queue)| (place, resources.nodes.having_any(&queue.nodes)))
            .collect();
        if of_jobs.contains(&rest) {
            nodes.push((rest, vec![true; resources.nodes.kinds().len()]));
        }
        let mut members: Vec<(Vec<u16>, Vec<bool>)> = Vec::new();
        for (place, own) in nodes {
            let shares = |other: &[bool]| other.iter().zip(&own).any(|(one, other)| *one && *other);
            let (mut joined, mut all) = (Vec::new(), own.clone());
            members.retain(|(places, other)| {
                let is_joined = shares(other);
                if is_joined {
                    joined.extend_from_slice(places);
                    all.iter_mut().zip(other).for_each(|(one, other)| *one |= other);
                }
                !is_joined
            });
            joined.push(place);
            members.push((joined, all));
        }
        let mut members: Vec<Vec<u16>> = members.into_iter().map(|(places, _)| places).collect();
        members.sort_unstable();
        let mut of_queue = vec![0; queues.len() + 1];
        for (division, places) in members.iter().enumerate() {
            places.iter().for_each(|&place| of_queue[usize::from(place)] = division);
        }
        Divisions { queues: of_jobs, of_queue, members }
    }

    /// Number of divisions.
    pub fn count(&self) -> usize {
        self.members.len().max(1)
    }

    /// Division of a job.
    pub fn of(&self, job: JobId) -> usize {
        self.queues.get(job.index()).map_or(0, |&queue| self.of_queue[usize::from(queue)])
    }

    /// Place of the queue of a job that has nodes of its own, where some have.
    pub fn queue_of(&self, job: JobId) -> Option<usize> {
        let place = usize::from(*self.queues.get(job.index())?);
        (place + 1 < self.of_queue.len()).then_some(place)
    }

    /// Places of the queues of a division, in order; jobs without a queue that has nodes of its own
    /// have the place behind all.
    pub fn places(&self, division: usize) -> impl Iterator<Item = usize> {
        self.members.get(division).into_iter().flatten().map(|&place| usize::from(place))
    }

    /// The queues of a division, if it has several.
    pub fn joint(&self, division: usize) -> Option<JointQueues<'_>> {
        let count = self.members.get(division)?.len();
        (count > 1).then_some(JointQueues { queues: &self.queues, count })
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::{SimDuration, SimTime};
    use crate::workload::resources::{Demands, FeatureNames, NodeKind, Nodes};

    use super::super::QueueOf;
    use super::*;

    /// Three nodes `a`, `b`, and one that is `b` and `c`.
    fn resources() -> Resources {
        let mut names = FeatureNames::default();
        let sets = [&["a"][..], &["b"], &["b", "c"]].map(|set| names.take_in_all(set.iter().copied()));
        let kind =
            |features| NodeKind { nodes: 1, processors: 1, memory: NodeKind::ENDLESS, gpus: 0, features };
        let nodes = Nodes::new(sets.map(kind).to_vec(), names).expect("some");
        Resources { nodes, demands: Demands::default() }
    }

    fn divisions(nodes: &[&[&str]], jobs: &[u16]) -> Divisions {
        let queue = |(number, nodes): (u16, &&[&str])| QueueLimits {
            of: QueueOf::Partition,
            numbers: vec![number],
            nodes: nodes.iter().map(|&name| name.to_owned()).collect(),
            ..QueueLimits::default()
        };
        let limits = Limits::new((0..).zip(nodes).map(queue).collect());
        let job = |&number: &u16| {
            Job::new(1, SimTime::ZERO, 1, SimDuration::from_nanos(1)).in_queue(None, Some(number))
        };
        let jobs: Vec<Job> = jobs.iter().map(job).collect();
        Divisions::new(&limits, &jobs, Some(&resources()))
    }

    #[test]
    fn queues_that_share_nodes_are_one_division() {
        let found = divisions(&[&["a"], &["c"], &["a", "b"]], &[0, 1, 2]);
        assert_eq!((found.count(), found.joint(0).map(|joint| joint.count)), (1, Some(3)));
        let found = divisions(&[&["a"], &["c"], &["b"]], &[2, 1, 0]);
        assert_eq!([0, 1, 2].map(|job| found.of(JobId(job))), [1, 1, 0]);
        let places = |division| found.places(division).collect::<Vec<_>>();
        assert_eq!((places(0), places(1), found.count()), (vec![0], vec![1, 2], 2));
        assert_eq!(found.joint(1).map(|joint| (joint.count, joint.of(JobId(1)))), Some((2, 1)));
    }

    #[test]
    fn jobs_without_a_queue_that_has_nodes_join_all() {
        let found = divisions(&[&["a"], &["b"]], &[0, 1]);
        assert_eq!((found.count(), found.queue_of(JobId(1))), (2, Some(1)));
        let found = divisions(&[&["a"], &["b"]], &[0, 1, 9]);
        assert_eq!((found.count(), found.queue_of(JobId(2))), (1, None));
        assert_eq!(found.joint(0).map(|joint| (joint.count, joint.of(JobId(2)))), Some((3, 2)));
        assert_eq!(Divisions::default().count(), 1);
    }
}
