//! Pools beside processors: a name, an amount, and how much of it each job holds from its start to
//! its end, wherever it runs. Licences are the case that sites know.
//!
//! A feature of the site declares pools, and how much of them jobs ask for ([`Pool`]). What is free
//! of each is counted as processors are ([`FreePools`]): a pool is a machine of its own, and a job
//! starts where it fits on all of its machines. So the jobs that hold some of a pool are kept by
//! estimated end as the running jobs are ([`Running`](super::Running)), a pool over time is a
//! timetable of counts, and a job is promised the first
//! instant that suits processors and pools alike.

mod free;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::collections::{OrderedMap, StableSort as _};
use crate::ids::JobId;

pub(in crate::batch) use free::FreePool;
pub use free::FreePools;

/// A pool and what jobs ask of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pool {
    /// Its name.
    pub name: String,
    /// All there is of it.
    pub count: u32,
    /// Amounts that jobs ask for, in order of submission; jobs that ask for none are left out.
    pub asked: Vec<(JobId, u32)>,
}

/// Share of a pool that a job asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PoolShare {
    /// Number of the pool among those of its run.
    pub pool: usize,
    /// Amount, above zero.
    pub amount: u32,
}

/// The pools of a run.
#[derive(Clone, Debug)]
pub struct Pools {
    names: Vec<(String, u32)>,
    /// The different lists of shares that jobs ask for; the first is empty.
    lists: Vec<Box<[PoolShare]>>,
    /// Number of the list of each job.
    of: Vec<u32>,
}

impl Pools {
    /// The pools of a run of so many jobs, by name; `None` if there is none.
    pub fn of(mut declared: Vec<Pool>, jobs: usize) -> Option<Arc<Self>> {
        if declared.is_empty() {
            return None;
        }
        declared.stable_sort_by(|one, other| one.name.cmp(&other.name));
        let mut asked: OrderedMap<JobId, Vec<PoolShare>> = OrderedMap::new();
        for (pool, one) in declared.iter().enumerate() {
            for &(job, amount) in one.asked.iter().filter(|(_, amount)| *amount > 0) {
                asked.entry(job).or_default().push(PoolShare { pool, amount });
            }
        }
        let mut all = Pools {
            names: declared.into_iter().map(|pool| (pool.name, pool.count)).collect(),
            lists: vec![Box::default()],
            of: vec![0; jobs],
        };
        let mut numbers: OrderedMap<Vec<PoolShare>, u32> = OrderedMap::new();
        for (job, shares) in asked {
            let next = all.lists.len() as u32;
            let number = *numbers.entry(shares.clone()).or_insert(next);
            if number == next {
                all.lists.push(shares.into());
            }
            if let Some(of) = all.of.get_mut(job.index()) {
                *of = number;
            }
        }
        Some(Arc::new(all))
    }

    /// The same of jobs that go by other ids: `now[id]` is what the job `id` is called.
    #[must_use]
    pub fn renamed(&self, now: &[JobId]) -> Self {
        let mut of = vec![0; self.of.len()];
        self.of.iter().zip(now).for_each(|(&list, name)| of[name.index()] = list);
        Pools { of, ..self.clone() }
    }

    /// Names and amounts, in order of their names.
    pub fn each(&self) -> impl Iterator<Item = (&str, u32)> {
        self.names.iter().map(|(name, count)| (name.as_str(), *count))
    }

    /// Name and amount of a pool.
    pub fn pool(&self, number: usize) -> (&str, u32) {
        let (name, count) = &self.names[number];
        (name, *count)
    }

    /// The shares that a job asks for, in order of the pools.
    pub fn asked(&self, job: JobId) -> &[PoolShare] {
        &self.lists[self.of[job.index()] as usize]
    }
}
