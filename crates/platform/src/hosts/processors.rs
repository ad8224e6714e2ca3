//! Execution on hosts: tasks that share the cores of a host by priority.
//!
//! A task computes on one core at most; the cores of a host go to its tasks in proportion to their
//! priorities, what one cannot take going to the others (the rule is that of `sharing::fair`). Work
//! is counted in the unit of speeds and integrated exactly over the trace of the host's
//! availability: it ends at the least nanosecond by which it is done.
//!
//! There is no process: the end of a task is waited for on a [`Work`] of its own, and of the tasks
//! of a host the timer of the one that ends first is running. So a task that is alone costs one
//! timer, whatever the trace does meanwhile, an idle host nothing, and a change on a host of n
//! tasks O(log n).
//!
//! ```text
//!            begin                      end of work
//!   (none) ────────▶ sharing the cores ─────────────▶ done
//!                     │   ▲      └── host fails ────▶ failed: what was done is lost
//!               pause ▼   │ resume
//!                   standing still ── dropped ──────▶ (none)
//! ```
//!
//! At one instant, tasks of a host end in the order in which they began, and before the host fails.
//! A bound limits a task to a share of a core, that of the bound in the host's speed as it begins.
//! Left out: memory, and cores that differ.
//!
//! Source: the SHARED discipline of H. Casanova, "Simgrid: a toolkit for the simulation of
//! application scheduling", CCGrid 2001; cores as in SimGrid's hosts (H. Casanova et al., JPDC
//! 74(10), 2014).

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::kernel::{SimDuration, SimTime, Work, hold, now};
use crate::sharing::LEAST;
use crate::sharing::fair::{Fair, Place};
use crate::{Host, HostId, Platform};

/// Reason that work was not done.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ExecutionFailed {
    /// The host failed, or did not work from the beginning.
    #[error("host `{0}` failed")]
    Host(String),
    /// Work, priority or bound is no such number.
    #[error("{0} of a task: a number of 0 or more was expected, and a priority above 0")]
    Wrong(f64),
}

/// The largest priority, so that a million of them can be added up.
const HEAVIEST: f64 = 1e12;

/// The processors of all hosts of a run; clones share them. See the module's essay.
#[derive(Clone)]
pub struct Processors(Rc<Shared>);

struct Shared {
    platform: Arc<Platform>,
    /// State of each host that was used; `None` for the others.
    hosts: RefCell<Vec<Option<Box<Computing>>>>,
    /// Tasks that have ended, to be used again.
    pool: RefCell<Vec<Rc<Job>>>,
}

/// A host that computes, or has.
struct Computing {
    fair: Fair,
    /// By their places in `fair`.
    jobs: Vec<Option<Rc<Job>>>,
    /// Job whose timer is running.
    timed: Option<Rc<Job>>,
    updated: SimTime,
    /// Work per second of one core.
    speed: f64,
    power_state: usize,
    works: bool,
    /// Seconds of cores in use, at full availability.
    busy: f64,
    /// The last instant at which a core of it was in use.
    used_until: SimTime,
    /// The work that it did.
    done: f64,
}

/// A task.
#[derive(Debug)]
struct Job {
    end: Work,
    host: Cell<HostId>,
    /// Place among the tasks that share the cores; `None` while it stands still, and when it has
    /// ended.
    place: Cell<Option<Place>>,
    /// The work that is left while it stands still.
    left: Cell<f64>,
    priority: Cell<f64>,
    most: Cell<f64>,
    lost: Cell<bool>,
}

/// A task that is computed; dropping it before its end takes it back.
#[derive(Debug)]
pub struct Execution {
    processors: Processors,
    job: Rc<Job>,
}

/// Names a task that has not ended.
#[derive(Clone, Debug)]
pub struct Ticket(Rc<Job>);

impl PartialEq for Ticket {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Processors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Processors").field("hosts", &self.0.platform.hosts().len()).finish_non_exhaustive()
    }
}

impl Computing {
    fn new(host: &Host, now: SimTime) -> Self {
        Computing {
            fair: Fair::default(),
            jobs: Vec::new(),
            timed: None,
            updated: now,
            speed: host.speed(),
            power_state: host.power_state,
            works: host.working.value_at(now) > 0.0,
            busy: 0.0,
            used_until: SimTime::ZERO,
            done: 0.0,
        }
    }

    /// Brings what was done up to `now`.
    fn update(&mut self, host: &Host, now: SimTime) {
        if now > self.updated {
            if self.fair.count() > 0 {
                let available = host.availability.integral(self.updated, now);
                let used = self.fair.used(f64::from(host.cores));
                self.busy += available * used;
                self.used_until = now;
                self.done += available * used * self.speed;
                self.fair.pass(available * self.speed);
            }
            self.updated = now;
        }
    }

    /// Lets the timer run of the task that ends first, and no other.
    fn time(&mut self, host: &Host) {
        let first = self.fair.first();
        let next = first.and_then(|(place, _)| self.jobs[place as usize].as_ref());
        if let Some(timed) = &self.timed
            && next.is_none_or(|next| !Rc::ptr_eq(next, timed))
        {
            timed.end.pause();
            self.timed = None;
        }
        let (Some((_, span)), Some(next)) = (first, next) else { return };
        match host.availability.finish_at(self.updated, span, self.speed) {
            Some(end) => {
                next.end.set(end.since(self.updated));
                next.end.go();
            }
            None => next.end.pause(),
        }
        if self.timed.is_none() {
            self.timed = Some(Rc::clone(next));
        }
    }

    fn enter(&mut self, host: &Host, job: &Rc<Job>, work: f64) {
        let place = self.fair.enter(work, job.priority.get(), job.most.get(), f64::from(host.cores));
        if self.jobs.len() <= place as usize {
            self.jobs.resize_with(place as usize + 1, || None);
        }
        self.jobs[place as usize] = Some(Rc::clone(job));
        job.place.set(Some(place));
        self.time(host);
    }

    /// Takes a task off the cores; gives what is left of its work.
    fn leave(&mut self, host: &Host, job: &Job) -> f64 {
        let Some(place) = job.place.take() else { return 0.0 };
        self.jobs[place as usize] = None;
        let left = self.fair.leave(place, f64::from(host.cores));
        self.time(host);
        left
    }
}

impl Processors {
    /// The processors of the hosts of `platform`, all idle.
    pub fn new(platform: &Arc<Platform>) -> Self {
        let hosts = std::iter::repeat_with(|| None).take(platform.hosts().len()).collect();
        let shared =
            Shared { platform: Arc::clone(platform), hosts: RefCell::new(hosts), pool: RefCell::default() };
        Processors(Rc::new(shared))
    }

    /// The platform that they are of.
    pub fn platform(&self) -> &Arc<Platform> {
        &self.0.platform
    }

    /// Computes `work` on a host, with a share of its cores by `priority` (from [`LEAST`] to 1e12,
    /// what lies outside being taken as the nearest), at no more than `bound` a second. Work of 0
    /// takes no time and does not yield. A task whose future is dropped is taken back.
    ///
    /// # Errors
    /// The host fails, or a number is none.
    ///
    /// # Panics
    /// Outside a simulation, or if the host is of another platform.
    ///
    /// # Complexity
    /// O(log n) for n tasks on the host, and the same for each task that gets or loses a core of
    /// its own by that.
    pub async fn execute(
        &self,
        host: HostId,
        work: f64,
        priority: f64,
        bound: Option<f64>,
    ) -> Result<(), ExecutionFailed> {
        self.begin(host, work, priority, bound)?.done().await
    }

    /// Begins a task as [`Processors::execute`] does, to be waited for with [`Execution::done`].
    ///
    /// # Errors
    /// The host does not work, or a number is none.
    ///
    /// # Panics
    /// As [`Processors::execute`].
    pub fn begin(
        &self,
        host: HostId,
        work: f64,
        priority: f64,
        bound: Option<f64>,
    ) -> Result<Execution, ExecutionFailed> {
        let wrong = |number: &f64| !number.is_finite() || *number < 0.0;
        if let Some(wrong) = [work, priority].into_iter().chain(bound).find(wrong) {
            return Err(ExecutionFailed::Wrong(wrong));
        }
        self.at(host, |computing, described| {
            if !computing.works {
                return Err(ExecutionFailed::Host(described.name.clone()));
            }
            let job = self.0.pool.borrow_mut().pop().unwrap_or_else(|| Rc::new(Job::new()));
            let most = bound.map_or(1.0, |bound| (bound / computing.speed).min(1.0));
            job.host.set(host);
            job.priority.set(priority.clamp(LEAST, HEAVIEST));
            job.most.set(if most.is_finite() { most.max(LEAST) } else { 1.0 });
            job.lost.set(false);
            job.end.pause();
            computing.enter(described, &job, work);
            Ok(Execution { processors: self.clone(), job })
        })
    }

    /// Returns true if a host works at the present instant.
    ///
    /// # Panics
    /// Outside a simulation, or if the host is of another platform.
    pub fn works(&self, host: HostId) -> bool {
        match self.0.hosts.borrow().get(host.index()) {
            Some(Some(computing)) => computing.works,
            _ => self.0.platform.host(host).working.value_at(now()) > 0.0,
        }
    }

    /// The host fails: every task on it ends with an error, and what was done of it is lost.
    /// Nothing if it has failed already.
    ///
    /// # Panics
    /// As [`Processors::works`].
    pub fn fail(&self, host: HostId) {
        self.at(host, |computing, described| {
            computing.works = false;
            for place in 0..computing.jobs.len() {
                if let Some(job) = computing.jobs[place].take() {
                    job.place.set(None);
                    computing.fair.leave(place as Place, f64::from(described.cores));
                    job.lost.set(true);
                    job.end.set(SimDuration::ZERO);
                    job.end.go();
                }
            }
            computing.timed = None;
        });
    }

    /// The host works again.
    ///
    /// # Panics
    /// As [`Processors::works`].
    pub fn repair(&self, host: HostId) {
        self.at(host, |computing, _| computing.works = true);
    }

    /// The power state of a host, a place in its speeds.
    ///
    /// # Panics
    /// As [`Processors::works`].
    pub fn power_state(&self, host: HostId) -> usize {
        self.at(host, |computing, _| computing.power_state)
    }

    /// Puts a host into another power state at the present instant; what is in progress goes on at
    /// the new speed. Says whether there is such a state.
    ///
    /// # Panics
    /// As [`Processors::works`].
    pub fn set_power_state(&self, host: HostId, power_state: usize) -> bool {
        self.at(host, |computing, described| {
            let speed = described.speeds.get(power_state).copied();
            if let Some(speed) = speed {
                (computing.speed, computing.power_state) = (speed, power_state);
                computing.time(described);
            }
            speed.is_some()
        })
    }

    /// As [`Execution::pause`]; the task must not have ended.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn pause(&self, task: &Ticket) {
        let job = &task.0;
        if job.place.get().is_some() {
            self.at(job.host.get(), |computing, host| job.left.set(computing.leave(host, job)));
            job.end.pause();
        }
    }

    /// As [`Execution::resume`]; the task must not have ended.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn resume(&self, task: &Ticket) {
        let job = &task.0;
        let left = job.left.replace(0.0);
        if job.place.get().is_none() && left > 0.0 && !job.lost.get() {
            self.at(job.host.get(), |computing, host| computing.enter(host, job, left));
        }
    }

    /// Tasks in progress on a host.
    pub fn load(&self, host: HostId) -> u32 {
        let hosts = self.0.hosts.borrow();
        hosts.get(host.index()).and_then(Option::as_ref).map_or(0, |computing| computing.fair.count())
    }

    /// Seconds of cores that a host has spent on tasks so far, each at full availability, work that
    /// was lost included.
    ///
    /// # Panics
    /// As [`Processors::works`].
    pub fn busy(&self, host: HostId) -> f64 {
        self.spent(host, |computing| computing.busy)
    }

    /// The last instant at which a core of a host was in use; the beginning if none ever was.
    ///
    /// # Panics
    /// As [`Processors::works`].
    pub fn used_until(&self, host: HostId) -> SimTime {
        self.spent(host, |computing| computing.used_until)
    }

    /// The work that a host has done so far, in the unit of speeds, work that was lost included.
    ///
    /// # Panics
    /// As [`Processors::works`].
    pub fn work_done(&self, host: HostId) -> f64 {
        self.spent(host, |computing| computing.done)
    }

    /// A figure of a host's use so far; the default if it was never used.
    fn spent<T: Default>(&self, host: HostId, what: fn(&Computing) -> T) -> T {
        let is_used = self.0.hosts.borrow()[host.index()].is_some();
        if is_used { self.at(host, |computing, _| what(computing)) } else { T::default() }
    }

    /// Does something to a host that has been brought up to the present instant.
    fn at<R>(&self, host: HostId, act: impl FnOnce(&mut Computing, &Host) -> R) -> R {
        let mut hosts = self.0.hosts.borrow_mut();
        let (described, now) = (self.0.platform.host(host), now());
        let computing = hosts[host.index()].get_or_insert_with(|| Box::new(Computing::new(described, now)));
        computing.update(described, now);
        act(computing, described)
    }
}

impl Job {
    fn new() -> Self {
        Job {
            end: Work::new("a task"),
            host: Cell::new(HostId::new(0)),
            place: Cell::new(None),
            left: Cell::new(0.0),
            priority: Cell::new(1.0),
            most: Cell::new(1.0),
            lost: Cell::new(false),
        }
    }
}

impl Execution {
    /// Waits until the work is done.
    ///
    /// # Errors
    /// The host failed.
    ///
    /// # Panics
    /// Outside a simulation, or if another process waits already.
    pub async fn done(&self) -> Result<(), ExecutionFailed> {
        self.job.end.done().await;
        if now() == SimTime::MAX {
            // it would end later, for which there is no time
            hold(SimDuration::MAX).await;
        }
        if self.job.lost.get() {
            let host = self.processors.0.platform.host(self.job.host.get());
            return Err(ExecutionFailed::Host(host.name.clone()));
        }
        self.processors.at(self.job.host.get(), |computing, host| {
            if let Some(place) = self.job.place.get() {
                computing.fair.reach(place);
                computing.leave(host, &self.job);
            }
        });
        Ok(())
    }

    /// The work that is left.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn left(&self) -> f64 {
        let place = self.job.place.get();
        place.map_or(self.job.left.get(), |place| {
            self.processors.at(self.job.host.get(), |computing, _| computing.fair.left(place))
        })
    }

    /// Lets the task stand still, off the cores; nothing if it does, or has ended.
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn pause(&self) {
        self.processors.pause(&self.ticket());
    }

    /// Lets the task go on after [`Execution::pause`].
    ///
    /// # Panics
    /// Outside a simulation.
    pub fn resume(&self) {
        self.processors.resume(&self.ticket());
    }

    /// By which others can pause and resume the task until it ends.
    pub fn ticket(&self) -> Ticket {
        Ticket(Rc::clone(&self.job))
    }
}

impl Drop for Execution {
    fn drop(&mut self) {
        if self.job.place.get().is_some() {
            self.processors.at(self.job.host.get(), |computing, host| computing.leave(host, &self.job));
        }
        self.job.left.set(0.0);
        self.processors.0.pool.borrow_mut().push(Rc::clone(&self.job));
    }
}
