//! The book of what runs and waits in each queue, by user, and whose turn a start or an end makes
//! it.

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::workload::Job;

use super::{Limit, QueueLimits};

/// Running jobs, and their processors.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    jobs: u64,
    procs: u64,
}

/// A user's jobs in a queue.
#[derive(Clone, Debug, Default)]
struct Share {
    used: Use,
    /// The waiting jobs: the processors each needs, and whether it is considered.
    waiting: OrderedMap<JobId, (u64, bool)>,
}

#[derive(Clone, Debug)]
struct Line {
    limits: QueueLimits,
    used: Use,
    users: OrderedMap<u32, Share>,
}

/// The queues of a run, and which of their jobs are held back.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    lines: Vec<Line>,
    highest: f64,
}

/// A job that is considered from now on, or no longer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HoldChange {
    /// The job.
    pub job: JobId,
    /// True if it is considered now.
    pub considered: bool,
}

impl Line {
    /// The limit that keeps a job from running now, the number of its user's considered jobs before
    /// it being `ahead`.
    fn holds(&self, user: Use, procs: u64, ahead: u64) -> Option<Limit> {
        let limits = &self.limits;
        let over = |used: u64, most: Option<u64>, more: u64| most.filter(|&most| used + more > most);
        None.or(over(self.used.jobs, limits.max_running, 1).map(Limit::Running))
            .or(over(self.used.procs, limits.max_running_procs, procs).map(Limit::RunningProcs))
            .or(over(user.jobs, limits.max_running_per_user, 1).map(Limit::RunningPerUser))
            .or(over(user.procs, limits.max_running_procs_per_user, procs).map(Limit::RunningProcsPerUser))
            .or(over(ahead, limits.max_queued_per_user, 1).map(Limit::QueuedPerUser))
    }

    /// Looks at the waiting jobs of a user again.
    fn look(&mut self, user: u32, turns: &mut Vec<HoldChange>) {
        let Some(mut share) = self.users.remove(&user) else { return };
        let mut ahead = 0;
        for (&job, (procs, considered)) in &mut share.waiting {
            let now = self.holds(share.used, *procs, ahead).is_none();
            ahead += u64::from(now);
            if now != *considered {
                *considered = now;
                turns.push(HoldChange { job, considered: now });
            }
        }
        if share.used.jobs > 0 || !share.waiting.is_empty() {
            self.users.insert(user, share);
        }
    }

    fn look_at_all(&mut self, turns: &mut Vec<HoldChange>) {
        let users: Vec<u32> = self.users.keys().copied().collect();
        for user in users {
            self.look(user, turns);
        }
    }

    /// After the whole queue's use has changed from `before`: whether that may matter to other
    /// users' jobs.
    fn matters(&self, before: Use) -> bool {
        let reached = |used: u64, most: Option<u64>| most.is_some_and(|most| used >= most);
        let jobs =
            reached(before.jobs, self.limits.max_running) != reached(self.used.jobs, self.limits.max_running);
        jobs || self.limits.max_running_procs.is_some()
    }
}

impl Limits {
    /// These queues.
    pub fn new(queues: Vec<QueueLimits>) -> Self {
        let highest = queues.iter().map(|queue| queue.priority).fold(0.0, f64::max);
        let line = |limits| Line { limits, used: Use::default(), users: OrderedMap::new() };
        Limits { lines: queues.into_iter().map(line).collect(), highest }
    }

    /// Returns true if there are none, so that every job is considered at once.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    fn line(&self, job: &Job) -> Option<usize> {
        let number = job.queue();
        let listed = |line: &Line| number.is_some_and(|number| line.limits.numbers.contains(&number));
        let other = || self.lines.iter().position(|line| line.limits.numbers.is_empty());
        self.lines.iter().position(listed).or_else(other)
    }

    /// The priority of a job's queue, as a share of the highest: from 0 to 1.
    pub fn priority(&self, job: &Job) -> f64 {
        let Some(line) = self.line(job).filter(|_| self.highest > 0.0) else { return 0.0 };
        self.lines[line].limits.priority / self.highest
    }

    /// The name of a job's queue.
    pub fn name(&self, job: &Job) -> Option<&str> {
        self.line(job).map(|line| self.lines[line].limits.name.as_str())
    }

    /// The limit that can never let a job run.
    pub fn forbids(&self, job: &Job) -> Option<Limit> {
        let limits = &self.lines[self.line(job)?].limits;
        let procs = u64::from(job.procs);
        let above = |most: Option<u64>| most.filter(|&most| procs > most);
        let too_long = limits.max_run_time.filter(|&most| job.estimate > most);
        too_long
            .map(Limit::RunTime)
            .or(above(limits.max_procs).map(Limit::Procs))
            .or(above(limits.max_running_procs).map(Limit::RunningProcs))
            .or(above(limits.max_running_procs_per_user).map(Limit::RunningProcsPerUser))
    }

    /// A job comes to wait: the limit that holds it back, or `None` if it is considered at once.
    pub fn submitted(&mut self, id: JobId, job: &Job) -> Option<Limit> {
        let line = self.line(job)?;
        let line = &mut self.lines[line];
        let share = line.users.get(&job.user).map(|share| share.used).unwrap_or_default();
        let considered = |share: &Share| share.waiting.values().filter(|one| one.1).count() as u64;
        let ahead = line.users.get(&job.user).map_or(0, considered);
        let procs = u64::from(job.procs);
        let limit = line.holds(share, procs, ahead);
        line.users.entry(job.user).or_default().waiting.insert(id, (procs, limit.is_none()));
        limit
    }

    /// The limit that holds a waiting job back now, if one does.
    pub fn holds_back(&self, id: JobId, job: &Job) -> Option<Limit> {
        let line = &self.lines[self.line(job)?];
        let share = line.users.get(&job.user)?;
        let &(procs, considered) = share.waiting.get(&id)?;
        let ahead = share.waiting.range(..id).filter(|(_, one)| one.1).count() as u64;
        if considered { None } else { line.holds(share.used, procs, ahead) }
    }

    /// A job that was considered has started. Gives the jobs that are released, and those that are
    /// held again.
    pub fn started(&mut self, id: JobId, job: &Job, turns: &mut Vec<HoldChange>) {
        self.change(job, turns, |share, used| {
            share.waiting.remove(&id);
            for used in [&mut share.used, used] {
                used.jobs += 1;
                used.procs += u64::from(job.procs);
            }
        });
    }

    /// A job that waits is cancelled. Gives the jobs that are released.
    pub fn withdrawn(&mut self, id: JobId, job: &Job, turns: &mut Vec<HoldChange>) {
        self.change(job, turns, |share, _| {
            share.waiting.remove(&id);
        });
    }

    /// A running job has ended. Gives the jobs that are released.
    pub fn ended(&mut self, job: &Job, turns: &mut Vec<HoldChange>) {
        self.change(job, turns, |share, used| {
            for used in [&mut share.used, used] {
                used.jobs -= 1;
                used.procs -= u64::from(job.procs);
            }
        });
    }

    fn change(&mut self, job: &Job, turns: &mut Vec<HoldChange>, change: impl FnOnce(&mut Share, &mut Use)) {
        let Some(line) = self.line(job) else { return };
        let line = &mut self.lines[line];
        let before = line.used;
        change(line.users.entry(job.user).or_default(), &mut line.used);
        if line.matters(before) {
            line.look_at_all(turns);
        } else {
            line.look(job.user, turns);
        }
    }
}
