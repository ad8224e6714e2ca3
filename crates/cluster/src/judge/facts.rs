//! Facts of a run of jobs apart from the numbers that are judged: its files, its scenario, its
//! workload.

use serde_json::Value as Json;

use crate::collections::OrderedSet;
use crate::judge::Reservations;
use crate::kernel::stats::WarmUp;
use crate::kernel::{SimDuration, SimTime};
use crate::text::TextSource;
use crate::workload::parallel::Applications;
use crate::workload::resources::Resources;
use crate::workload::{Attributes, Job, Stated, UNKNOWN_ID};

/// The files of a run, `None` for those that it did not write: the text of each, but for the one
/// with a row a job.
#[derive(Clone, Copy, Debug)]
pub struct JobFiles<'a> {
    /// `jobs.csv`.
    pub jobs: TextSource<'a>,
    /// `attempts.csv`.
    pub attempts: Option<&'a str>,
    /// `outages.csv`.
    pub outages: Option<&'a str>,
    /// `reservations.csv`.
    pub reservations: Option<&'a str>,
    /// `features.csv`.
    pub features: Option<&'a str>,
    /// `usage.csv`.
    pub usage: Option<&'a str>,
    /// `matrix.csv`.
    pub matrix: Option<&'a str>,
    /// `executions.csv`.
    pub executions: Option<&'a str>,
    /// `profile.csv`.
    pub profile: Option<&'a str>,
    /// `jobs.swf`.
    pub log: Option<&'a str>,
    /// `summary.json`.
    pub summary: &'a Json,
    /// `manifest.json`.
    pub manifest: &'a Json,
}

/// Rule for the part of a run that is left out at the beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarmUpRule {
    /// This.
    Given(WarmUp),
    /// The part that MSER-5 finds after the run.
    Found,
}

/// By what jobs are classified.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClassRule {
    /// Queues of jobs.
    Queue,
    /// Partitions of jobs.
    Partition,
    /// Users of jobs.
    User,
    /// The groups of their users.
    Group,
    /// Accounts.
    Account,
    /// Qualities of service.
    Qos,
    /// Classes in the words of the input.
    Class,
}

impl ClassRule {
    /// The class of a job of which the input states this.
    pub(super) fn of(self, job: &Job, stated: &Stated<'_>) -> String {
        let text = |name: &str, text: Option<&str>| match text {
            Some(text) => format!("{name}-{text}"),
            None => format!("no-{name}"),
        };
        let known = |id: u32| (id != UNKNOWN_ID).then_some(id);
        let (name, number) = match self {
            ClassRule::Queue => ("queue", job.queue().map(u32::from)),
            ClassRule::Partition => ("partition", job.partition().map(u32::from)),
            ClassRule::User => ("user", known(job.user)),
            ClassRule::Group => ("group", known(job.group)),
            ClassRule::Account => return text("account", stated.account),
            ClassRule::Qos => return text("qos", stated.qos),
            ClassRule::Class => return text("class", stated.class),
        };
        number.map_or_else(|| format!("{name}-unknown"), |number| format!("{name}-{number}"))
    }
}

/// Facts of a run apart from its files: its scenario, and its workload.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct JobFacts<'a> {
    /// Name of the workload.
    pub workload: &'a str,
    /// Processors of the machine.
    pub procs: u32,
    /// Jobs that a processor takes.
    pub level: u32,
    /// Returns true if jobs share processors.
    pub shares: bool,
    /// Returns true if the processors of a job are known until it ends: it neither moves nor leaves
    /// some earlier.
    pub stays: bool,
    /// Returns true if tasks give processors back before their jobs end, also where each has one
    /// job at a time.
    pub leaves: bool,
    /// Returns true at detail `task`.
    pub of_tasks: bool,
    /// Returns true if dedicated times are simulated, and are not those of the workload.
    pub dedicates: bool,
    /// Time for which a job may go on after its request, if it is killed then.
    pub grace: Option<SimDuration>,
    /// Returns true if limits are of all runs of a job together.
    pub limit_of_job: bool,
    /// Names and amounts of pools beside processors, if there are any.
    pub pools: Option<Vec<(String, u32)>>,
    /// Power of an idle and of a busy processor \[mW\].
    pub power: Option<(u64, u64)>,
    /// Processors of a node, where nodes fail.
    pub fails_by: Option<u32>,
    /// Work between two checkpoints, and what one costs.
    pub checkpoint: Option<(SimDuration, SimDuration)>,
    /// Returns true if jobs may run inside reservations.
    pub inside: bool,
    /// Time after an interruption before which a job does not wait again.
    pub delay: SimDuration,
    /// The reservations that were asked for, where processors are reserved.
    pub reserved: Option<&'a Reservations>,
    /// Returns true if users may cancel jobs.
    pub cancels: bool,
    /// Returns true if jobs before which others failed are held for ever.
    pub holds_failed: bool,
    /// Returns true if the policy goes by the times that jobs request.
    pub requests: bool,
    /// Returns true if moldable jobs may be given other sizes.
    pub molds: bool,
    /// Resources beyond processors that nodes have and jobs ask for, if they count.
    pub resources: Option<&'a Resources>,
    /// Rule for the part of the run that is left out at the beginning.
    pub warm_up: WarmUpRule,
    /// Instant at which the run was to end at the latest.
    pub until: Option<SimTime>,
    /// Returns true if it was stopped with jobs in it.
    pub stopped: bool,
    /// By what jobs are classified, at detail `job`.
    pub classes: Option<ClassRule>,
    /// Behaviour of the tasks of jobs, at detail `task`.
    pub applications: Option<&'a Applications>,
    /// The rules of the matrix, where jobs run in its slices at detail `job`.
    pub gang: Option<GangRules<'a>>,
    /// Title and seed of the scenario.
    pub named: (&'a str, u64),
}

impl JobFacts<'_> {
    /// Returns true if jobs may be interrupted.
    pub(super) fn interrupts(&self) -> bool {
        self.fails_by.is_some() || self.reserved.is_some()
    }

    /// The run time alone of a job of the workload, as its limit leaves it.
    pub(super) fn alone(&self, job: &Job) -> SimDuration {
        let limit = self.grace.map(|grace| job.estimate.saturating_add(grace));
        limit.map_or(job.run_time, |limit| job.run_time.min(limit))
    }

    /// Time for which a run of a job may last that has had processors for `held` before, if that is
    /// limited.
    pub(super) fn limit(&self, job: &Job, held: SimDuration) -> Option<SimDuration> {
        let own = job.killed.then_some(job.run_time);
        let site = self.grace.map(|grace| job.estimate.saturating_add(grace));
        let limit = own.into_iter().chain(site).min()?;
        Some(if self.limit_of_job { limit.saturating_sub(held) } else { limit })
    }

    /// The time that a job requests, where its dedicated time is `alone`: not less than that, and
    /// that where it was its run time.
    pub(super) fn request(&self, job: &Job, alone: Option<SimDuration>) -> Option<SimDuration> {
        match alone {
            _ if !self.dedicates => Some(job.estimate),
            Some(alone) if job.estimate == job.run_time => Some(alone),
            Some(alone) => Some(job.estimate.max(alone)),
            None => None,
        }
    }
}

/// Jobs as they were submitted, in order.
#[derive(Clone, Copy, Debug)]
pub struct Submitted<'a> {
    /// The jobs.
    pub jobs: &'a [Job],
    /// Attributes of them that only outputs show.
    pub attributes: &'a Attributes,
    /// Submissions as the workload has them, where some jobs follow others.
    pub planned: Option<&'a [SimTime]>,
    /// Instants at which the others that jobs wait for had left; `None` where no job depends on
    /// another.
    pub held: Option<&'a [(usize, SimTime)]>,
    /// Jobs that were submitted when others had left; `None` where no job is.
    pub followers: Option<&'a [usize]>,
    /// Jobs that are held for ever; `None` where none can be.
    pub for_ever: Option<HeldForEver<'a>>,
}

/// Jobs that are held for ever.
#[derive(Clone, Copy, Debug)]
pub struct HeldForEver<'a> {
    /// All of them.
    pub all: &'a OrderedSet<usize>,
    /// Jobs of them that are not submitted.
    pub never_submitted: &'a OrderedSet<usize>,
}

/// The rules of the matrix and of its slices.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a rule by itself")]
pub struct GangRules<'a> {
    /// Length of a slice without its switch.
    pub quantum: SimDuration,
    /// Time of a switch to another row.
    pub switch: SimDuration,
    /// Order of the queue.
    pub queue: &'a str,
    /// Returns true if jobs go to the row that is left fullest, not to the first.
    pub best: bool,
    /// Returns true if jobs get aligned blocks of powers of two.
    pub buddy: bool,
    /// Returns true if jobs also run in rows where their columns are free.
    pub replicas: bool,
    /// Returns true if jobs move to earlier rows in their own columns.
    pub unification: bool,
    /// Returns true if rows without jobs keep their slices.
    pub keeps_empty: bool,
    /// Returns true if jobs overtake a head that they do not delay.
    pub backfills: bool,
    /// Returns true if jobs that were interrupted stand behind all that came before.
    pub behind: bool,
    /// Returns true if limits of queues hold jobs back.
    pub limited: bool,
    /// Returns true if limits of them consider some of the waiting jobs only, as their turns come.
    pub in_turns: bool,
    /// For how long a job is frozen that moves to other columns, if any does.
    pub migration: Option<SimDuration>,
}
