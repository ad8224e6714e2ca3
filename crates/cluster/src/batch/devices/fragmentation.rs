//! Fragmentation: the free GPUs of a node that the tasks of a workload could not use there.
//!
//! F(n, m) is what is free on the node n and of no use to the task m: all of it, if m asks for no
//! GPU, or n has no GPU of its kind, too few processors, or fewer GPUs that hold it than it asks
//! for; else the GPUs that do not hold it. F(n) is the mean over the tasks, by their shares of the
//! workload: the most frequent ones until 95 % of all jobs. Tasks without GPUs may be left out of
//! the mix ([`MixOf`]).
//!
//! Source: Q. Weng, L. Yang, Y. Yu et al., USENIX ATC 2023 (FGD), as its authors' `frag.go` has it.
//!
//! Amounts are whole: of each GPU as many parts as the least common multiple of all GPUs' parts
//! says, and shares of tasks are numbers of jobs. Choices: a job is one task, of the processors of
//! its first chunk; on nodes with GPUs of several kinds those of other kinds are of no use to m.

use crate::collections::{OrderedMap, StableSort as _};
use crate::workload::Job;
use crate::workload::resources::{DemandId, Demands, GpuChoice, MixOf};

use super::node_gpus::NodeGpus;

/// A chunk as far as processors and GPUs go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GpuTask {
    /// Processors.
    pub procs: u32,
    /// GPUs; 1 for parts of one.
    pub gpus: u32,
    /// The GPUs that serve it.
    pub choice: GpuChoice,
}

/// The tasks of a workload, each with the number of jobs that are alike.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TaskMix {
    pub(super) tasks: Vec<(GpuTask, u64)>,
}

/// Free parts of all GPUs of a node in common parts.
pub fn free_amount(slots: &NodeGpus, common: u64) -> u64 {
    slots.each().iter().map(|slot| slot.amount(common)).sum()
}

impl TaskMix {
    /// The mix of tasks, each with its number.
    pub fn new(tasks: impl IntoIterator<Item = (GpuTask, u64)>) -> Self {
        let mut tasks: Vec<(GpuTask, u64)> = tasks.into_iter().collect();
        tasks.stable_sort_by_key(|&(task, count)| (std::cmp::Reverse(count), task));
        let all: u64 = tasks.iter().map(|(_, count)| count).sum();
        let mut seen = 0;
        // a task is of the most frequent as long as those before it are fewer than 95 %
        let frequent = tasks.iter().take_while(|(_, count)| {
            let before = seen;
            seen += count;
            before * 100 < all * 95
        });
        let kept = frequent.count();
        tasks.truncate(kept);
        TaskMix { tasks }
    }

    /// The tasks of these jobs, or of those among them that ask for GPUs.
    pub fn of_jobs<'a>(jobs: impl IntoIterator<Item = &'a Job>, demands: &Demands) -> Self {
        let mut counts: OrderedMap<(DemandId, u32), u64> = OrderedMap::new();
        for job in jobs {
            let procs = demands.of(job.demand).procs.min(job.procs);
            *counts.entry((job.demand, procs)).or_default() += 1;
        }
        let mut tasks: OrderedMap<GpuTask, u64> = OrderedMap::new();
        for ((demand, procs), count) in counts {
            let demand = demands.of(demand);
            if demand.gpus == 0 && demands.mix() == MixOf::GpuJobs {
                continue;
            }
            let task = GpuTask { procs, gpus: demand.gpus, choice: demand.gpu_choice };
            *tasks.entry(task).or_default() += count;
        }
        TaskMix::new(tasks)
    }

    /// Number of jobs that the mix is of.
    pub fn jobs(&self) -> u64 {
        self.tasks.iter().map(|(_, count)| count).sum()
    }

    /// Fragmentation of a node with so many free processors, times the number of jobs \[common
    /// parts\].
    pub fn fragmentation(&self, procs: u32, slots: &NodeGpus, common: u64) -> u128 {
        let of_task = |(task, count): &(GpuTask, u64)| {
            u128::from(*count) * u128::from(task.fragmentation(procs, slots, common))
        };
        self.tasks.iter().map(of_task).sum()
    }
}

impl GpuTask {
    fn fragmentation(&self, procs: u32, slots: &NodeGpus, common: u64) -> u64 {
        let (mut of_no_use, mut all) = (0, 0);
        for slot in slots.each() {
            let free = slot.amount(common);
            all += free;
            if !slot.holds(self.choice) {
                of_no_use += free;
            }
        }
        let is_of_use = self.gpus > 0 && procs >= self.procs && slots.chunks(self.gpus, self.choice) > 0;
        if is_of_use { of_no_use } else { all }
    }
}
