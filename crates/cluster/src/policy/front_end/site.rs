//! The site as hooks of features see it: questions about jobs, and what a feature may do with them.

use std::cell::RefMut;
use std::rc::{Rc, Weak};

use crate::batch::machine::Machine;
use crate::batch::planned::{Planned, PlannedList};
use crate::collections::{Interval, IntervalSet};
use crate::ids::JobId;
use crate::instrument::explanation::Explanation;
use crate::instrument::{OnNodeFailure, OwnCells, Reason, Record, State as JobState};
use crate::kernel::{SimDuration, hold, now, spawn, timer};
use crate::measure::metric::Metric;
use crate::policy::Capacity;
use crate::workload::Job;
use tracing::trace;

use super::runs::Runs;
use super::{FrontEnd, Run, Shared, SiteEvent, State, Submission};

/// The site, at an instant.
#[derive(Debug)]
pub(in crate::policy) struct Site<'a> {
    front: &'a FrontEnd,
    pub(super) state: &'a mut State,
}

impl<'a> Site<'a> {
    pub(super) fn new(front: &'a FrontEnd, state: &'a mut State) -> Self {
        Site { front, state }
    }

    /// The same site for a shorter time.
    pub(in crate::policy) fn reborrowed(&mut self) -> Site<'_> {
        Site { front: self.front, state: self.state }
    }

    /// Number of the feature of another crate that has ended the run of a job, if one did; asked
    /// once.
    pub(in crate::policy) fn take_ended_by(&mut self, id: JobId) -> Option<u32> {
        self.state.ended_by.remove(&id)
    }

    /// A job as it is in this run.
    pub(in crate::policy) fn job(&self, id: JobId) -> Job {
        self.front.0.job(self.state, id)
    }

    /// Number of a job in its workload.
    pub(in crate::policy) fn number(&self, id: JobId) -> u64 {
        self.front.0.jobs[id.index()].number
    }

    /// State of a job.
    pub(in crate::policy) fn state(&self, id: JobId) -> JobState {
        self.state.machine.record().state(id)
    }

    /// The record, to note there what is the feature's own.
    pub(in crate::policy) fn record_mut(&mut self) -> &mut Record {
        self.state.machine.record_mut()
    }

    /// The explanation, if it is of this job.
    pub(in crate::policy) fn explains(&self, id: JobId) -> Option<RefMut<'_, Explanation>> {
        self.front.explains(id)
    }

    /// Lets a job be considered when the hook is over: it arrives at the policy, unless a feature
    /// takes it over.
    pub(in crate::policy) fn consider(&mut self, id: JobId) {
        self.state.considering.push_back(id);
    }

    /// Rejects a job that no policy knows. Features hear that it has left when the hook is over.
    pub(in crate::policy) fn reject(&mut self, id: JobId, reason: Reason) {
        self.state.kept_back.remove(&id);
        self.front.note_rejected(self.state, id, reason);
        self.state.leaving.push_back(id);
    }

    /// The machine.
    pub(in crate::policy) fn machine(&self) -> &Machine {
        &self.state.machine
    }

    /// The machine, to give and take processors of which no policy knows.
    pub(in crate::policy) fn machine_mut(&mut self) -> &mut Machine {
        &mut self.state.machine
    }

    /// Notes how many slots are free now, after a feature has given or taken some.
    pub(in crate::policy) fn count_free(&mut self) {
        let free = self.state.machine.free_slots();
        self.state.slots.change(|slots| slots.free = free);
    }

    /// The explanation, if one is asked for.
    pub(in crate::policy) fn explanation(&self) -> Option<RefMut<'_, Explanation>> {
        self.front.explanation()
    }

    /// Reports an event to the policy.
    pub(in crate::policy) fn report(&mut self, event: SiteEvent) {
        self.state.news.push(event);
    }

    /// The jobs that run and that no feature took over, in order of submission.
    pub(in crate::policy) fn underway(&self) -> impl Iterator<Item = JobId> {
        let others = |job: &JobId| !self.state.taken_over.contains(job);
        self.state.runs.iter().flat_map(Runs::underway).filter(others)
    }

    /// Interrupts a job: it leaves its processors now.
    pub(in crate::policy) fn interrupt(&mut self, id: JobId, then: OnNodeFailure) {
        self.front.interrupt(self.state, id, then);
    }

    /// Begins the run of a job that the feature has started, when the hook is over. The feature
    /// will hear that the job has left its processors ([`ended`](super::SiteFeature::ended)).
    pub(in crate::policy) fn run(&mut self, id: JobId) {
        self.state.beginning.push_back(id);
    }

    /// Kills a job that the feature has started. Features hear that it has left when the hook is
    /// over.
    pub(in crate::policy) fn kill(&mut self, id: JobId) {
        self.state.cut_short(id);
    }

    /// Lets a feature act again at this instant, after time-outs that other features set now.
    pub(in crate::policy) fn act_later(&self, act: impl FnOnce(&mut Site<'_>) + 'static) {
        let front = self.front.clone();
        spawn("later", async move {
            // those are set by the first at the latest
            timer(SimDuration::ZERO).await;
            timer(SimDuration::ZERO).await;
            front.act_aloud(act);
        });
    }

    /// Submits a job after so much time, at which it is one that was submitted then.
    pub(in crate::policy) fn submit_after(&mut self, id: JobId, span: SimDuration) {
        let mut job = self.job(id);
        job.submit_time = now().saturating_add(span);
        self.state.revised.insert(id, job);
        let front = self.front.clone();
        spawn(("job", id.0), async move {
            hold(span).await;
            front.submit_now(id);
        });
    }
}

impl FrontEnd {
    /// Lets features act, and then what follows from jobs that have left by that.
    pub(super) fn act<R>(&self, state: &mut State, act: impl FnOnce(&mut Site<'_>) -> R) -> R {
        let result = act(&mut Site::new(self, state));
        self.follow_up(state);
        result
    }

    /// Features hear of the jobs that have left for good, and runs begin of jobs that they started.
    pub(super) fn follow_up(&self, state: &mut State) {
        loop {
            while let Some(gone) = state.leaving.pop_front() {
                for feature in self.0.features.borrow_mut().iter_mut() {
                    feature.left(&mut Site::new(self, state), gone);
                }
            }
            while let Some(waits) = state.waiting_again.pop_front() {
                for feature in self.0.features.borrow_mut().iter_mut() {
                    feature.waits_again(&mut Site::new(self, state), waits);
                }
            }
            while let Some(back) = state.returning.pop_front() {
                if self.is_let_in(state, back) {
                    state.news.waits_again(back);
                    state.comes_to_wait(back);
                }
            }
            while let Some(comes) = state.considering.pop_front() {
                if !self.is_let_in(state, comes) {
                    continue;
                }
                let mut features = self.0.features.borrow_mut();
                if features.iter_mut().any(|feature| feature.takes_over(&mut Site::new(self, state), comes)) {
                    state.taken_over.insert(comes);
                } else {
                    let due = self.0.gated && features.iter().any(|feature| feature.is_due(comes));
                    state.news.push(if due { SiteEvent::Due(comes) } else { SiteEvent::Arrived(comes) });
                    state.comes_to_wait(comes);
                }
            }
            let settled = state.leaving.is_empty() && state.waiting_again.is_empty();
            if !(settled && state.returning.is_empty()) {
                continue;
            }
            let Some(begins) = state.beginning.pop_front() else { return };
            let (job, on) =
                (self.0.job(state, begins), state.machine.record().processors(begins).into_owned());
            self.begin_run(state, begins, job, &on);
        }
    }

    /// Returns true if no feature keeps a job back which others let be considered, or which waits
    /// again; one that a feature rejects has left.
    fn is_let_in(&self, state: &mut State, id: JobId) -> bool {
        if !self.0.gated {
            return true;
        }
        state.kept_back.remove(&id);
        let mut features = self.0.features.borrow_mut();
        let mut answers = features.iter_mut().map(|feature| feature.lets_in(&mut Site::new(self, state), id));
        match answers.find(|&answer| answer != Submission::Considered) {
            None | Some(Submission::Considered) => return true,
            Some(Submission::Held) => {
                trace!(at = now().as_secs_f64(), job = self.0.jobs[id.index()].number, "is held");
                state.kept_back.insert(id);
            }
            Some(Submission::Rejected(reason)) => {
                self.note_rejected(state, id, reason);
                state.leaving.push_back(id);
            }
        }
        false
    }

    /// Lets a feature act out of a process of its own.
    pub(in crate::policy) fn with_site<R>(&self, act: impl FnOnce(&mut Site<'_>) -> R) -> R {
        self.act(&mut self.0.state.borrow_mut(), act)
    }

    /// Lets a feature act as [`with_site`](Self::with_site) does, of which a policy hears.
    pub(in crate::policy) fn act_aloud<R>(&self, act: impl FnOnce(&mut Site<'_>) -> R) -> R {
        let mut state = self.0.state.borrow_mut();
        let result = self.act(&mut state, act);
        self.wake_policy_if_due(state);
        result
    }

    /// Returns true if a feature took over a job, which has left its processors, and has taken
    /// these back.
    pub(super) fn taken_back(&self, state: &mut State, id: JobId) -> bool {
        let mut features = self.0.features.borrow_mut();
        state.taken_over.contains(&id)
            && features.iter_mut().any(|feature| feature.ended(&mut Site::new(self, state), id))
    }

    /// The run of a job begins: features may name ends of it.
    pub(super) fn let_features_end(&self, state: &mut State, run: &mut Run) {
        for feature in self.0.features.borrow_mut().iter_mut() {
            feature.run(&mut Site::new(self, state), run);
        }
    }

    /// Processors have become free: features take theirs before the policy hears of it.
    pub(super) fn let_features_take(&self, state: &mut State) {
        for feature in self.0.features.borrow_mut().iter_mut() {
            feature.capacity_changed(&mut Site::new(self, state));
        }
    }

    /// Features hear of processors that go out of service, or are back.
    pub(super) fn report_part(&self, state: &mut State, part: Interval, out: bool) {
        for feature in self.0.features.borrow_mut().iter_mut() {
            let site = &mut Site::new(self, state);
            if out { feature.failed(site, part) } else { feature.repaired(site, part) }
        }
    }

    /// Returns true if processors are reserved in this run, at any time.
    pub fn reserves(&self) -> bool {
        self.0.features.borrow().iter().any(|feature| feature.reserves())
    }

    /// Processors on which nothing may start: those out of service, and those that are reserved.
    pub(in crate::policy) fn out_of_use(&self) -> IntervalSet {
        self.0.state.borrow().machine.out_of_use()
    }

    /// The nodes that are reserved by name at any time, a set for each reservation.
    pub(in crate::policy) fn named_nodes(&self) -> Vec<IntervalSet> {
        self.0.features.borrow().iter().flat_map(|feature| feature.named_nodes()).collect()
    }

    /// Puts the reservations that are known and not over into `all`, in place of what is there.
    ///
    /// Reservations ahead come first, from the last to the first, then those that have begun.
    pub fn planned(&self, all: &mut Vec<Planned>) {
        let mut list = PlannedList::default();
        self.list_planned(&mut list);
        *all = list.into_all();
    }

    /// Brings the list of the reservations that are known and not over up to date.
    pub(in crate::policy) fn list_planned(&self, list: &mut PlannedList) {
        self.0.features.borrow().iter().for_each(|feature| feature.planned(list));
    }

    /// Uses of the processors now.
    pub(super) fn capacity(&self, state: &State) -> Capacity {
        let mut planned = Vec::new();
        self.planned(&mut planned);
        Capacity {
            procs: u64::from(state.machine.procs()),
            free: state.machine.free().count(),
            reserved: planned.iter().map(|one| one.taken).sum(),
            down: state.machine.out_of_service(),
        }
    }

    /// A job has left for good: features hear of it.
    pub(super) fn leaves_for_good(&self, state: &mut State, id: JobId) {
        if !self.0.features.borrow().is_empty() {
            state.leaving.push_back(id);
            self.follow_up(state);
        }
    }

    /// Number of jobs that features keep back which others let be considered.
    pub(in crate::policy) fn kept_back(&self) -> u64 {
        self.0.state.borrow().kept_back.len() as u64
    }

    /// Metrics of features' own.
    pub(in crate::policy) fn own_metrics(&self) -> Vec<Metric> {
        self.0.features.borrow().iter().flat_map(|feature| feature.metrics()).collect()
    }

    /// Columns of features' own.
    ///
    /// # Errors
    /// A feature has a cell that is none of its column.
    pub(in crate::policy) fn own_cells(&self) -> Result<Option<OwnCells>, String> {
        let jobs = self.0.jobs.len() as u32;
        let features = self.0.features.borrow();
        features
            .iter()
            .map(|feature| feature.cells(jobs))
            .find(|own| !matches!(own, Ok(None)))
            .unwrap_or(Ok(None))
    }

    /// The part that all clones share, for those that do not keep it alive.
    pub(in crate::policy) fn downgraded(&self) -> Weak<Shared> {
        Rc::downgrade(&self.0)
    }

    /// Lets features make their processes, inside the simulation.
    pub(in crate::policy) fn begin_features(&self) {
        self.0.features.borrow_mut().iter_mut().for_each(|feature| feature.begins(self));
    }

    /// Lets features make processes that go behind submissions, inside the simulation.
    pub(in crate::policy) fn watch_submissions(&self) {
        self.0.features.borrow().iter().for_each(|feature| feature.watches(self));
    }

    /// Returns true if a feature submits this job, when it is time.
    pub(in crate::policy) fn submits_later(&self, id: JobId) -> bool {
        self.0.features.borrow().iter().any(|feature| feature.submits(id))
    }

    /// Returns true if a job is submitted and may be started or refused by a policy.
    pub(super) fn considers(&self, state: &State, id: JobId) -> bool {
        let lets = self.0.features.borrow().iter().find_map(|feature| feature.lets(id));
        let submitted = lets.unwrap_or(id.index() < state.submitted);
        submitted && !state.delayed.contains_key(&id) && !state.kept_back.contains(&id)
    }
}
