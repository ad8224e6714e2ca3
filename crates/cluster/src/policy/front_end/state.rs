//! State of a front end, which changes while it is used.

use std::collections::VecDeque;

use crate::batch::machine::Machine;
use crate::batch::pools::FreePools;
use crate::collections::{Interval, OrderedMap, OrderedSet};
use crate::ids::JobId;
use crate::instrument::LossOfCapacity;
use crate::kernel::rng::Stream;
use crate::kernel::{Process, now};
use crate::workload::Job;

use super::events::Gathered;
use super::runs::Runs;

/// The slots of the machine, as far as loss of capacity is concerned.
#[derive(Debug)]
pub(super) struct FreeSlots {
    /// Jobs that wait.
    pub(super) waiting: u64,
    /// Slots without a task.
    pub(super) free: u64,
    pub(super) loss: LossOfCapacity,
    /// True if what is observed has begun.
    pub(super) marked: bool,
}

impl FreeSlots {
    /// Something changes now.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut Self)) {
        change(self);
        self.loss.update(now(), self.waiting > 0, self.free);
    }
}

/// State of a front end.
#[derive(Debug)]
pub(super) struct State {
    pub(super) machine: Machine,
    /// Events since the policy heard of any.
    pub(super) news: Gathered,
    /// Jobs that are not in this run as the workload has them.
    pub(super) revised: OrderedMap<JobId, Job>,
    /// Jobs submitted so far: those before this place, but for some that are submitted when others
    /// have left.
    pub(super) submitted: usize,
    /// Jobs that have left for good, of which features have not heard yet.
    pub(super) leaving: VecDeque<JobId>,
    /// Jobs that are to be considered, which no feature has been asked to take over yet.
    pub(super) considering: VecDeque<JobId>,
    /// Jobs that were interrupted and are to wait again at once, where features may keep them back.
    pub(super) returning: VecDeque<JobId>,
    /// Jobs that features keep back: no policy knows of them.
    pub(super) kept_back: OrderedSet<JobId>,
    /// Numbers of the features of another crate that will end the runs of these jobs.
    pub(super) ended_by: OrderedMap<JobId, u32>,
    /// Jobs that features took over: no policy knows of them.
    pub(super) taken_over: OrderedSet<JobId>,
    /// Jobs that were interrupted and cannot start again yet, with the processes that wait for
    /// that.
    pub(super) delayed: OrderedMap<JobId, Process>,
    /// Jobs that were interrupted and of which features have not heard yet that they wait again.
    pub(super) waiting_again: VecDeque<JobId>,
    /// Jobs that features took over and that have started, and whose runs are still to begin.
    pub(super) beginning: VecDeque<JobId>,
    /// Buffer for the choice of [`FrontEnd::start_on`].
    pub(super) chosen: Vec<Interval>,
    /// Stream of random allocations, once one has drawn.
    pub(super) draws: Option<Stream>,
    /// True if the policy has returned.
    pub(super) deserted: bool,
    pub(super) slots: FreeSlots,
    /// Reservations that could not be kept, where all jobs have one.
    pub(super) moved: Option<u64>,
    /// The runs that are under way, where they may be interrupted.
    pub(super) runs: Option<Runs>,
    /// Free amounts of pools, if there are any.
    pub(super) pools: Option<FreePools>,
}

impl State {
    /// No job is submitted.
    pub(super) fn new(machine: Machine, slots: FreeSlots, runs: Option<Runs>) -> Self {
        State {
            machine,
            news: Gathered::default(),
            revised: OrderedMap::new(),
            submitted: 0,
            leaving: VecDeque::new(),
            considering: VecDeque::new(),
            returning: VecDeque::new(),
            kept_back: OrderedSet::new(),
            ended_by: OrderedMap::new(),
            taken_over: OrderedSet::new(),
            delayed: OrderedMap::new(),
            waiting_again: VecDeque::new(),
            beginning: VecDeque::new(),
            chosen: Vec::new(),
            draws: None,
            deserted: false,
            slots,
            moved: None,
            runs,
            pools: None,
        }
    }
}
