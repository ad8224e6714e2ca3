//! The edges of a workload, found from both sides, and without circles.

use crate::ids::JobId;

use super::{Edge, Rule};

/// Jobs that depend on each other in a circle: each on the next, and the last on the first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Circle(pub Vec<JobId>);

/// All edges of a workload.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dependencies {
    /// In order of the job that is held.
    by_job: Vec<Edge>,
    /// In order of the job that others depend on.
    by_other: Vec<Edge>,
    /// True if submissions may follow ends.
    follows: bool,
}

impl Dependencies {
    /// These edges, each pair of jobs and rule once.
    ///
    /// # Errors
    /// Jobs that depend on each other in a circle.
    ///
    /// # Complexity
    /// n log n in the edges.
    pub fn new(mut edges: Vec<Edge>) -> Result<Self, Circle> {
        edges.sort_unstable();
        edges.dedup();
        let mut by_other = edges.clone();
        by_other.sort_unstable_by_key(|edge| (edge.on, edge.job));
        let follows = edges.iter().any(|edge| matches!(edge.rule, Rule::ThinkTime(_)));
        let all = Dependencies { by_job: edges, by_other, follows };
        match all.circle() {
            Some(circle) => Err(circle),
            None => Ok(all),
        }
    }

    /// The same where submissions may follow ends, even if none does.
    #[must_use]
    pub fn with_think_times(self) -> Self {
        Dependencies { follows: true, ..self }
    }

    /// Returns true if submissions may follow ends.
    pub fn has_think_times(&self) -> bool {
        self.follows
    }

    /// Every edge, in order of the job that is held.
    pub fn edges(&self) -> &[Edge] {
        &self.by_job
    }

    /// The edges that hold a job, in order of the jobs that it depends on.
    pub fn of(&self, job: JobId) -> &[Edge] {
        range(&self.by_job, |edge| edge.job, job)
    }

    /// The edges to jobs that depend on a job, in order of the jobs that are held.
    pub fn on(&self, other: JobId) -> &[Edge] {
        range(&self.by_other, |edge| edge.on, other)
    }

    /// Returns true if a job is submitted when another has left, and not by itself.
    pub fn follows(&self, job: JobId) -> bool {
        self.follows && self.of(job).iter().any(|edge| matches!(edge.rule, Rule::ThinkTime(_)))
    }

    /// The first circle, if there is one: jobs are taken away whose others are all gone, until none
    /// is left or none can be.
    fn circle(&self) -> Option<Circle> {
        let mut left: Vec<(JobId, usize)> =
            self.by_job.chunk_by(|one, other| one.job == other.job).map(|of| (of[0].job, of.len())).collect();
        let held = |left: &[(JobId, usize)], job| left.binary_search_by_key(&job, |one| one.0).ok();
        let mut gone: Vec<JobId> = self.by_other.iter().map(|edge| edge.on).collect();
        gone.dedup();
        gone.retain(|&on| held(&left, on).is_none());
        while let Some(other) = gone.pop() {
            for edge in self.on(other) {
                let place = held(&left, edge.job)?;
                left[place].1 -= 1;
                if left[place].1 == 0 {
                    gone.push(edge.job);
                }
            }
        }
        let stays = |job| held(&left, job).is_some_and(|place| left[place].1 > 0);
        let first = left.iter().find(|one| one.1 > 0)?.0;
        // each of those that stay depends on another of them, so the path from one to the next
        // comes back
        let mut path = vec![first];
        loop {
            let last = *path.last()?;
            let next = self.of(last).iter().find(|edge| stays(edge.on))?.on;
            if let Some(place) = path.iter().position(|&job| job == next) {
                return Some(Circle(path.split_off(place)));
            }
            path.push(next);
        }
    }
}

fn range(edges: &[Edge], key: impl Fn(&Edge) -> JobId, of: JobId) -> &[Edge] {
    let from = edges.partition_point(|edge| key(edge) < of);
    let count = edges[from..].partition_point(|edge| key(edge) == of);
    &edges[from..from + count]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge((job, on): (u32, u32)) -> Edge {
        Edge { job: JobId(job), on: JobId(on), rule: Rule::AfterAny }
    }

    #[test]
    fn edges_are_found_from_both_sides() {
        let all = Dependencies::new([(3, 1), (2, 1), (3, 2), (3, 1)].map(edge).to_vec()).expect("no circle");
        assert_eq!(all.edges(), [(2, 1), (3, 1), (3, 2)].map(edge));
        assert_eq!(all.of(JobId(3)), [(3, 1), (3, 2)].map(edge));
        assert_eq!(all.on(JobId(1)), [(2, 1), (3, 1)].map(edge));
        assert!(all.of(JobId(1)).is_empty() && !all.follows(JobId(3)));
    }

    #[test]
    fn a_circle_is_found_and_distinguished_from_its_first_job_on() {
        let circle = |edges: &[(u32, u32)]| Dependencies::new(edges.iter().copied().map(edge).collect());
        assert!(circle(&[(1, 0), (2, 1), (3, 1), (3, 2)]).is_ok());
        assert_eq!(circle(&[(4, 4)]), Err(Circle(vec![JobId(4)])));
        // 9 only waits for the circle
        let three = circle(&[(0, 9), (9, 5), (5, 7), (7, 6), (6, 5), (7, 1)]);
        assert_eq!(three, Err(Circle(vec![JobId(5), JobId(7), JobId(6)])));
    }
}
