//! PutHandle and getting tasks.
//!
//! [`PutHandle`] and [`GetHandle`] are a put and a get in progress, which may be awaited, looked
//! at, or dropped: dropping one before its end gives it up, and notifies the agent at the other end
//! if there is one. The verbs of [`Agent`] are these, awaited at once.
//!
//! A get that has been served and is dropped before it was looked at leaves its task at the head of
//! the mailbox, where the next one gets it in no time.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use crate::kernel::{SimDuration, SimTime, now, timed};
use crate::platform::HostId;

use super::mailbox::Side;
use super::record::{Entry, Operation, Outcome};
use super::rendezvous::{Rendezvous, Stage};
use super::runtime::{Body, Runtime};
use super::{Agent, AgentError, Channel, Mailbox, NotSent, Sender, Task};

/// Instant at which the transfer of a task starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Departs {
    /// Instant at which an agent gets it.
    WhenGot,
    /// Instant at which it is put.
    AtOnce,
}

/// A put in progress.
#[derive(Debug)]
#[must_use = "a put that is dropped is given up"]
pub struct PutHandle {
    side: Half,
}

/// A get in progress.
#[derive(Debug)]
#[must_use = "a get that is dropped is given up"]
pub struct GetHandle {
    side: Half,
}

/// One agent's part in a rendezvous.
struct Half {
    runtime: Rc<Runtime>,
    body: Rc<Body>,
    rendezvous: Rc<Rendezvous>,
    since: SimTime,
    side: Side,
    /// True if the agent has taken note of its end.
    noted: bool,
    /// Name and size of the task, if operations are logged.
    what: Option<Box<(Cow<'static, str>, f64)>>,
}

impl fmt::Debug for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Half").field("side", &self.side).field("since", &self.since).finish_non_exhaustive()
    }
}

impl Agent {
    /// Puts a task on a channel of a host. The transfer starts when an agent there gets it; both go
    /// on when it has arrived. To the agent's own host it takes no time.
    ///
    /// # Errors
    /// The task comes back with [`AgentError::HostFailure`] if the host fails or does not work,
    /// with [`AgentError::TransferFailure`] if a link fails, nothing joins the hosts, or the agent
    /// at the other end is gone, and with [`AgentError::Fatal`] if its size is no size.
    ///
    /// # Panics
    /// If the host is of another platform.
    pub async fn put(&self, task: Task, to: HostId, channel: Channel) -> Result<(), NotSent> {
        self.start_put(task, to, channel)?.done().await
    }

    /// As [`Agent::put`], but the transfer starts at once; it ends for the agent when the task has
    /// arrived, got or not.
    ///
    /// # Errors
    /// As [`Agent::put`].
    pub async fn put_eager(&self, task: Task, to: HostId, channel: Channel) -> Result<(), NotSent> {
        self.start_put_eager(task, to, channel)?.done().await
    }

    /// As [`Agent::put`], at no more than `rate` in size per second.
    ///
    /// # Errors
    /// As [`Agent::put`].
    pub async fn put_bounded(
        &self,
        task: Task,
        to: HostId,
        channel: Channel,
        rate: f64,
    ) -> Result<(), NotSent> {
        let mailbox = self.runtime.mailboxes.borrow_mut().channel(to, channel);
        self.post(task, mailbox, Departs::WhenGot, Some(rate))?.done().await
    }

    /// As [`Agent::put`], for at most `limit`; what is done at the same instant is done.
    ///
    /// # Errors
    /// As [`Agent::put`]; and [`AgentError::TimedOut`], with the task, if its time is over.
    pub async fn put_within(
        &self,
        task: Task,
        to: HostId,
        channel: Channel,
        limit: SimDuration,
    ) -> Result<(), NotSent> {
        let sent = self.start_put(task, to, channel)?.done_within(limit).await;
        sent.inspect_err(|_| self.runtime.note_wait(&self.body))
    }

    /// Puts a task into a mailbox, as [`Agent::put`] does.
    ///
    /// # Errors
    /// As [`Agent::put`].
    pub async fn put_into(&self, task: Task, mailbox: Mailbox) -> Result<(), NotSent> {
        self.start_put_into(task, mailbox)?.done().await
    }

    /// Begins a put, to be awaited later.
    ///
    /// # Errors
    /// The task, if the host does not work.
    pub fn start_put(&self, task: Task, to: HostId, channel: Channel) -> Result<PutHandle, NotSent> {
        let mailbox = self.runtime.mailboxes.borrow_mut().channel(to, channel);
        self.post(task, mailbox, Departs::WhenGot, None)
    }

    /// Begins an eager put, to be awaited later.
    ///
    /// # Errors
    /// The task, if the host does not work.
    pub fn start_put_eager(&self, task: Task, to: HostId, channel: Channel) -> Result<PutHandle, NotSent> {
        let mailbox = self.runtime.mailboxes.borrow_mut().channel(to, channel);
        self.post(task, mailbox, Departs::AtOnce, None)
    }

    /// Begins a put into a mailbox, to be awaited later. If the mailbox
    /// [belongs](Agent::receive_on) to a host, it is eager.
    ///
    /// # Errors
    /// The task, if the mailbox belongs to a host that does not work.
    pub fn start_put_into(&self, task: Task, mailbox: Mailbox) -> Result<PutHandle, NotSent> {
        let departs = match self.runtime.mailboxes.borrow_mut().queue(mailbox.0).host {
            Some(_) => Departs::AtOnce,
            None => Departs::WhenGot,
        };
        self.post(task, mailbox.0, departs, None)
    }

    /// Gets the first task on a channel of the host that the agent is on, waiting for one.
    ///
    /// # Errors
    /// [`AgentError::TransferFailure`] or [`AgentError::HostFailure`] if the transfer that had
    /// started fails.
    pub async fn get(&self, channel: Channel) -> Result<Task, AgentError> {
        self.start_get(channel).done().await
    }

    /// As [`Agent::get`], for at most `limit`; what is done at the same instant is done. A transfer
    /// in progress is broken off.
    ///
    /// # Errors
    /// As [`Agent::get`]; and [`AgentError::TimedOut`].
    pub async fn get_within(&self, channel: Channel, limit: SimDuration) -> Result<Task, AgentError> {
        let got = self.start_get(channel).done_within(limit).await;
        got.inspect_err(|_| self.runtime.note_wait(&self.body))
    }

    /// Gets the first task of a mailbox, as [`Agent::get`] does.
    ///
    /// # Errors
    /// As [`Agent::get`].
    pub async fn get_from(&self, mailbox: Mailbox) -> Result<Task, AgentError> {
        self.start_get_from(mailbox).done().await
    }

    /// Begins a get, to be awaited later.
    pub fn start_get(&self, channel: Channel) -> GetHandle {
        let mailbox = self.runtime.mailboxes.borrow_mut().channel(self.host(), channel);
        self.ask(mailbox)
    }

    /// Begins a get from a mailbox, to be awaited later.
    pub fn start_get_from(&self, mailbox: Mailbox) -> GetHandle {
        self.ask(mailbox.0)
    }

    /// Returns true if a task waits on a channel of this host.
    pub fn probe(&self, channel: Channel) -> bool {
        self.probe_from(channel).is_some()
    }

    /// The agent that put the first task that waits on a channel of this host.
    pub fn probe_from(&self, channel: Channel) -> Option<Sender> {
        let mut mailboxes = self.runtime.mailboxes.borrow_mut();
        let mailbox = mailboxes.channel(self.host(), channel);
        mailboxes.queue(mailbox).head(Side::Puts)?.sender.get()
    }

    fn half(&self, rendezvous: Rc<Rendezvous>, side: Side) -> Half {
        let (runtime, body) = (Rc::clone(&self.runtime), Rc::clone(&self.body));
        Half { runtime, body, rendezvous, since: now(), side, noted: false, what: None }
    }

    /// Puts a task into the queue of a mailbox, or to the agent that is first in it.
    fn post(
        &self,
        mut task: Task,
        mailbox: u32,
        departs: Departs,
        bound: Option<f64>,
    ) -> Result<PutHandle, NotSent> {
        let runtime = &self.runtime;
        let wrong = |number: &f64| !number.is_finite() || *number < 0.0;
        if let Some(wrong) = [task.size].into_iter().chain(bound).find(wrong) {
            let error = AgentError::Fatal(format!("a size or rate of {wrong}"));
            return Err(NotSent { task, error });
        }
        let what = runtime.log.wants_operations().then(|| Box::new((task.name.clone(), task.size)));
        let (receiver, host) = {
            let mut mailboxes = runtime.mailboxes.borrow_mut();
            let queue = mailboxes.queue(mailbox);
            (queue.pop(Side::Gets), queue.host)
        };
        if let Some(host) = host
            && receiver.is_none()
            && !runtime.processors.works(host)
        {
            let error = AgentError::HostFailure(runtime.host_name(host));
            return Err(NotSent { task, error });
        }
        let sender = self.body.sender();
        task.sender = Some(sender);
        let waited_for = receiver.is_some();
        let rendezvous = receiver.unwrap_or_else(|| runtime.rendezvous(mailbox));
        rendezvous.task.set(Some(task));
        rendezvous.sender.set(Some(sender));
        rendezvous.bound.set(bound);
        let to = match (rendezvous.receiver.get(), departs) {
            (Some(receiver), _) => Some(receiver.host),
            (None, Departs::AtOnce) => host,
            (None, Departs::WhenGot) => None,
        };
        if let Some(to) = to {
            runtime.depart(&rendezvous, to);
        }
        if !waited_for && rendezvous.stage.get() != Stage::Failed {
            let rendezvous = Rc::clone(&rendezvous);
            runtime.mailboxes.borrow_mut().queue(mailbox).push(Side::Puts, rendezvous);
        }
        let mut side = self.half(rendezvous, Side::Puts);
        side.what = what;
        Ok(PutHandle { side })
    }

    /// Takes the first task of a mailbox, or joins its queue.
    fn ask(&self, mailbox: u32) -> GetHandle {
        let runtime = &self.runtime;
        let put = runtime.mailboxes.borrow_mut().queue(mailbox).pop(Side::Puts);
        let me = self.body.sender();
        let rendezvous = if let Some(rendezvous) = put {
            rendezvous.receiver.set(Some(me));
            if rendezvous.stage.get() == Stage::Waiting {
                runtime.depart(&rendezvous, me.host);
            }
            rendezvous
        } else {
            let rendezvous = runtime.rendezvous(mailbox);
            rendezvous.receiver.set(Some(me));
            let waiting = Rc::clone(&rendezvous);
            runtime.mailboxes.borrow_mut().queue(mailbox).push(Side::Gets, waiting);
            rendezvous
        };
        GetHandle { side: self.half(rendezvous, Side::Gets) }
    }
}

impl Half {
    /// Waits until it is over.
    async fn over(&self) {
        while !self.rendezvous.is_over() {
            let (signal, verb) = match self.side {
                Side::Puts => (&self.rendezvous.sent, "put on"),
                Side::Gets => (&self.rendezvous.got, "get on"),
            };
            signal.wait_for(|| self.described(verb)).await;
        }
    }

    /// Description of the agent, and of the mailbox at which it waits.
    #[cold]
    fn described(&self, verb: &str) -> String {
        let Half { runtime, body, rendezvous, .. } = self;
        let mailbox = runtime.mailboxes.borrow().described(rendezvous.mailbox.get(), &runtime.platform);
        let under_way = match rendezvous.stage.get() {
            Stage::InProgress(_) => ", whose transfer is in progress,",
            _ => "",
        };
        let host = runtime.host_name(body.host.get());
        format!("`{}` on host `{host}`: {verb} {mailbox}{under_way}", body.name)
    }

    /// Logs the end of it.
    #[inline]
    fn log(&self, outcome: Outcome) {
        if self.runtime.log.wants_operations() {
            let Sender { agent, host } = self.body.sender();
            let operation = if self.side == Side::Puts { Operation::Put } else { Operation::Get };
            let (name, amount) = self.what.as_ref().map_or(("", 0.0), |what| (&*what.0, what.1));
            let start = self.since;
            let entry = Entry { operation, agent, host, amount, start, end: start, outcome };
            self.runtime.log.operation(name, entry);
        }
    }

    /// Gives it up: no agent of this side is in it any more.
    fn give_up(&mut self) {
        self.noted = true;
        let Half { runtime, rendezvous, side, .. } = self;
        let other = if *side == Side::Puts { &rendezvous.receiver } else { &rendezvous.sender };
        let stage = rendezvous.stage.get();
        if matches!(stage, Stage::Waiting | Stage::InProgress(_)) {
            let alone = other.get().is_none();
            runtime.break_off(rendezvous);
            if alone {
                // it stands in the queue of its mailbox
                rendezvous.stage.set(Stage::Gone);
                runtime.mailboxes.borrow_mut().queue(rendezvous.mailbox.get()).gave_up();
            }
        } else if stage == Stage::Arrived && *side == Side::Gets && runtime.failing.get().is_none() {
            self.put_back();
        }
    }

    /// A task that arrived and was not looked at goes to the next in queue, or to the head of it.
    fn put_back(&self) {
        let Half { runtime, rendezvous, .. } = self;
        let Some(task) = rendezvous.task.take() else { return };
        let mailbox = rendezvous.mailbox.get();
        let next = runtime.mailboxes.borrow_mut().queue(mailbox).pop(Side::Gets);
        let there = next.clone().unwrap_or_else(|| runtime.rendezvous(mailbox));
        there.sender.set(task.sender);
        there.task.set(Some(task));
        there.stage.set(Stage::Arrived);
        if next.is_some() {
            there.got.give();
        } else {
            runtime.mailboxes.borrow_mut().queue(mailbox).push_front(Side::Puts, there);
        }
    }
}

impl Drop for Half {
    #[inline]
    fn drop(&mut self) {
        if !self.noted {
            self.log(Outcome::Aborted);
            self.give_up();
        }
        self.runtime.done_with(&self.rendezvous);
    }
}

impl PutHandle {
    /// Waits until the task has arrived.
    ///
    /// # Errors
    /// As [`Agent::put`].
    #[expect(clippy::manual_async_fn, reason = "an async function would have room for itself twice")]
    pub fn done(mut self) -> impl Future<Output = Result<(), NotSent>> {
        async move {
            self.side.over().await;
            self.result()
        }
    }

    /// As [`PutHandle::done`], for at most `limit`.
    ///
    /// # Errors
    /// As [`Agent::put_within`].
    pub async fn done_within(mut self, limit: SimDuration) -> Result<(), NotSent> {
        if timed(limit, self.side.over()).await.is_some() {
            return self.result();
        }
        let task = self.side.rendezvous.task.take();
        self.side.log(Outcome::Aborted);
        self.side.give_up();
        let task = task.expect("a task that has not arrived is with its sender");
        Err(NotSent { task, error: AgentError::TimedOut(limit) })
    }

    /// Returns true if [`PutHandle::done`] would not wait.
    pub fn is_over(&self) -> bool {
        self.side.rendezvous.is_over()
    }

    fn result(&mut self) -> Result<(), NotSent> {
        let Half { runtime, rendezvous, .. } = &self.side;
        if rendezvous.stage.get() == Stage::Arrived {
            self.side.log(Outcome::Done);
            self.side.noted = true;
            return Ok(());
        }
        let error = runtime.why(rendezvous);
        let task = rendezvous.task.take();
        self.side.log(Outcome::Failed);
        self.side.noted = true;
        let task = task.expect("a task that has not arrived is with its sender");
        Err(NotSent { task, error })
    }
}

impl GetHandle {
    /// Waits until a task has arrived.
    ///
    /// # Errors
    /// As [`Agent::get`].
    #[expect(clippy::manual_async_fn, reason = "an async function would have room for itself twice")]
    pub fn done(mut self) -> impl Future<Output = Result<Task, AgentError>> {
        async move {
            self.side.over().await;
            self.result()
        }
    }

    /// As [`GetHandle::done`], for at most `limit`.
    ///
    /// # Errors
    /// As [`Agent::get_within`].
    pub async fn done_within(mut self, limit: SimDuration) -> Result<Task, AgentError> {
        if timed(limit, self.side.over()).await.is_some() {
            return self.result();
        }
        Err(AgentError::TimedOut(limit))
    }

    /// Returns true if [`GetHandle::done`] would not wait.
    pub fn is_over(&self) -> bool {
        self.side.rendezvous.is_over()
    }

    fn result(&mut self) -> Result<Task, AgentError> {
        self.side.noted = true;
        let Half { runtime, rendezvous, .. } = &self.side;
        let task = if rendezvous.stage.get() == Stage::Arrived { rendezvous.task.take() } else { None };
        if let Some(task) = task {
            if runtime.log.wants_operations() {
                self.side.what = Some(Box::new((task.name.clone(), task.size)));
                self.side.log(Outcome::Done);
            }
            return Ok(task);
        }
        let error = runtime.why(rendezvous);
        self.side.log(Outcome::Failed);
        Err(error)
    }
}
