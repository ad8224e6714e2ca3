//! Parts that all agents of a run share: the parts of the platform at work, the mailboxes, and the
//! host of each agent.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use crate::kernel::{Process, Signal, note_decision, now};
use crate::platform::network::{
    Network, Started, TransferClass, TransferFailed, TransferObserver, Transfers,
};
use crate::platform::{Disks, HostId, HostWatch, Platform, Processors, Ticket};

use super::log::Log;
use super::mailbox::Mailboxes;
use super::rendezvous::{Lost, Rendezvous, Stage};
use super::{AgentError, AgentId, Sender};

/// An agent, as the run knows it.
pub(super) struct Body {
    pub(super) id: AgentId,
    pub(super) name: Cow<'static, str>,
    pub(super) host: Cell<HostId>,
    /// Place among those of its host.
    pub(super) place: Cell<u32>,
    pub(super) process: Cell<Option<Process>>,
    pub(super) run_state: Cell<RunState>,
    /// Signal of its resumption, once it was suspended.
    pub(super) resumed: RefCell<Option<Rc<Signal>>>,
    /// Executions in progress.
    pub(super) computing: RefCell<Vec<Ticket>>,
    pub(super) relaunch: Option<Rc<dyn Relaunch>>,
}

/// Restart of an agent after its host has failed.
pub(super) trait Relaunch {
    /// Begins it when its host works again, if it ever does.
    fn relaunch(self: Rc<Self>, runtime: &Rc<Runtime>, host: HostId, name: Cow<'static, str>);
}

/// True if an agent goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RunState {
    Running,
    Suspended,
}

/// Values by their type.
type Values = Vec<(TypeId, Rc<dyn Any>)>;

/// Parts that the agents of one host share.
#[derive(Default)]
struct Home {
    residents: Vec<Rc<Body>>,
    data: Values,
    /// Agents that will begin again here.
    expected: u32,
}

/// Parts that all agents share.
pub(super) struct Runtime {
    pub(super) platform: Arc<Platform>,
    pub(super) network: Network,
    pub(super) processors: Processors,
    pub(super) disks: Disks,
    pub(super) mailboxes: RefCell<Mailboxes>,
    pub(super) log: Rc<Log>,
    homes: RefCell<Vec<Home>>,
    bodies: RefCell<Vec<Rc<Body>>>,
    /// Rendezvous to be used again.
    pool: RefCell<Vec<Rc<Rendezvous>>>,
    /// The processes that let hosts fail.
    watch: OnceCell<HostWatch>,
    /// The host whose agents are being killed since it failed.
    pub(super) failing: Cell<Option<HostId>>,
    /// True if the run is over, and agents that are left are only put away.
    pub(super) over: Cell<bool>,
}

impl Runtime {
    pub(super) fn new(network: Network, log: Log) -> Self {
        let platform = Arc::clone(network.platform());
        let hosts = platform.hosts().len();
        Runtime {
            processors: Processors::new(&platform),
            disks: Disks::new(&platform),
            network,
            mailboxes: RefCell::new(Mailboxes::new(hosts)),
            log: Rc::new(log),
            homes: RefCell::new(std::iter::repeat_with(Home::default).take(hosts).collect()),
            bodies: RefCell::default(),
            pool: RefCell::default(),
            watch: OnceCell::new(),
            failing: Cell::new(None),
            over: Cell::new(false),
            platform,
        }
    }

    pub(super) fn host_name(&self, host: HostId) -> String {
        self.platform.host(host).name.clone()
    }

    /// A rendezvous that no agent is in.
    #[inline]
    pub(super) fn rendezvous(&self, mailbox: u32) -> Rc<Rendezvous> {
        let used = self.pool.borrow_mut().pop();
        let rendezvous = used.unwrap_or_else(|| Rc::new(Rendezvous::new(&self.log)));
        rendezvous.mailbox.set(mailbox);
        rendezvous
    }

    /// Keeps a rendezvous for another if no agent has it any more.
    #[inline]
    pub(super) fn done_with(&self, rendezvous: &Rc<Rendezvous>) {
        // the one that is done with it, and no other
        if Rc::strong_count(rendezvous) == 1 {
            rendezvous.clear();
            self.pool.borrow_mut().push(Rc::clone(rendezvous));
        }
    }

    /// Starts the transfer of a rendezvous to `to`.
    pub(super) fn depart(&self, rendezvous: &Rc<Rendezvous>, to: HostId) {
        let task = rendezvous.task.take();
        let size = task.as_ref().map_or(0.0, |task| task.size);
        rendezvous.task.set(task);
        let Some(from) = rendezvous.source() else { return };
        let what = Transfers { from, to, size, bound: rendezvous.bound.get() };
        let observer: Rc<dyn TransferObserver> = Rc::<Rendezvous>::clone(rendezvous);
        rendezvous.departs(size, now());
        match self.network.start(what, Some(observer), TransferClass::Foreground) {
            Ok(Started::Over) => rendezvous.arrive(),
            Ok(Started::InProgress(transfer)) => rendezvous.stage.set(Stage::InProgress(transfer)),
            Err(TransferFailed::Wrong(wrong)) => {
                rendezvous.fail(Lost::Error(AgentError::Fatal(wrong.to_string())));
            }
            Err(failed) => rendezvous.fail(Lost::Error(AgentError::TransferFailure(failed.to_string()))),
        }
    }

    /// Cause of the failure of a rendezvous, as an error of the agent.
    pub(super) fn why(&self, rendezvous: &Rendezvous) -> AgentError {
        match rendezvous.lost() {
            Some(Lost::Error(error)) => error,
            Some(Lost::Link(link)) => AgentError::TransferFailure(self.network.failed(link).to_string()),
            None => AgentError::TransferFailure("the other agent is gone".to_owned()),
        }
    }

    /// One side of a rendezvous that is in progress is gone: the other is notified.
    pub(super) fn break_off(&self, rendezvous: &Rendezvous) {
        if let Stage::InProgress(transfer) = rendezvous.stage.get() {
            self.network.cancel(transfer);
        }
        let error = match self.failing.get() {
            Some(host) => AgentError::HostFailure(self.host_name(host)),
            None => AgentError::TransferFailure("the other agent is gone".to_owned()),
        };
        rendezvous.fail(Lost::Error(error));
    }

    /// Returns true if an agent lives on a host or will begin again there.
    pub(super) fn is_inhabited(&self, host: HostId) -> bool {
        let homes = self.homes.borrow();
        let home = &homes[host.index()];
        !home.residents.is_empty() || home.expected > 0
    }

    /// Returns true if there is an agent at all.
    pub(super) fn has_agents(&self) -> bool {
        self.homes.borrow().iter().any(|home| !home.residents.is_empty())
    }

    /// An agent lets time pass. A run in which all do, and nothing is computed or sent, would never
    /// end.
    pub(super) fn note_wait(&self, body: &Body) {
        note_decision(|rounds, _| {
            let mut hosts = (0..self.platform.hosts().len() as u32).map(HostId::new);
            let is_busy = self.network.under_way() > 0 || hosts.any(|host| self.processors.load(host) > 0);
            let agents: usize = self.homes.borrow().iter().map(|home| home.residents.len()).sum();
            (!is_busy && rounds >= agents as u64).then(|| {
                format!(
                    "agent `{}` on host `{}` waits again, {agents} agents live, and nothing is computed or sent",
                    body.name,
                    self.host_name(body.host.get())
                )
            })
        });
    }

    /// One agent more, or less, will begin again on a host.
    pub(super) fn expect(&self, host: HostId, change: Expected) {
        let expected = &mut self.homes.borrow_mut()[host.index()].expected;
        match change {
            Expected::OneMore => {
                *expected += 1;
                self.look_again(host);
            }
            Expected::OneLess => *expected -= 1,
        }
    }

    /// The number of the next agent.
    pub(super) fn next_agent(&self) -> AgentId {
        AgentId(self.bodies.borrow().len() as u32)
    }

    /// A new agent lives on its host.
    pub(super) fn settle_down(&self, body: &Rc<Body>) {
        self.bodies.borrow_mut().push(Rc::clone(body));
        self.move_in(body);
    }

    /// Hosts fail by `watch`, which is notified where agents live.
    pub(super) fn watch_by(&self, watch: HostWatch) {
        // there is one for a run, set before the first agent begins
        let _first = self.watch.set(watch);
    }

    /// Something depends on a host from now on.
    pub(super) fn look_again(&self, host: HostId) {
        if let Some(watch) = self.watch.get() {
            watch.look_again(host);
        }
    }

    fn move_in(&self, body: &Rc<Body>) {
        self.look_again(body.host.get());
        let residents = &mut self.homes.borrow_mut()[body.host.get().index()].residents;
        body.place.set(residents.len() as u32);
        residents.push(Rc::clone(body));
    }

    /// An agent lives nowhere any more, or elsewhere from now on.
    pub(super) fn move_out(&self, body: &Rc<Body>, to: Option<HostId>) {
        {
            let residents = &mut self.homes.borrow_mut()[body.host.get().index()].residents;
            let place = body.place.get() as usize;
            if residents.get(place).is_some_and(|there| Rc::ptr_eq(there, body)) {
                residents.swap_remove(place);
                if let Some(moved) = residents.get(place) {
                    moved.place.set(place as u32);
                }
            }
        }
        if let Some(host) = to {
            body.host.set(host);
            self.move_in(body);
        }
    }

    /// The agents on a host, in the order in which they began.
    pub(super) fn residents(&self, host: HostId) -> Vec<Rc<Body>> {
        let mut residents = self.homes.borrow()[host.index()].residents.clone();
        residents.sort_unstable_by_key(|body| body.id);
        residents
    }

    /// The agent of this number.
    pub(super) fn body(&self, agent: AgentId) -> Option<Rc<Body>> {
        self.bodies.borrow().get(agent.index()).cloned()
    }

    /// The first agent of this name that lives.
    pub(super) fn body_named(&self, name: &str) -> Option<Rc<Body>> {
        let alive = |body: &&Rc<Body>| body.process.get().is_some_and(Process::is_alive);
        self.bodies.borrow().iter().filter(alive).find(|body| body.name == name).cloned()
    }

    /// Names of agents, by number.
    pub(super) fn names(&self) -> Vec<String> {
        self.bodies.borrow().iter().map(|body| body.name.clone().into_owned()).collect()
    }

    /// Keeps a value on a host, in place of one of its type.
    pub(super) fn keep<T: Any>(&self, host: HostId, value: Rc<T>) -> Option<Rc<dyn Any>> {
        let data = &mut self.homes.borrow_mut()[host.index()].data;
        let place = data.iter().position(|(kind, _)| *kind == TypeId::of::<T>());
        let value: Rc<dyn Any> = value;
        match place {
            Some(place) => Some(std::mem::replace(&mut data[place].1, value)),
            None => {
                data.push((TypeId::of::<T>(), value));
                None
            }
        }
    }

    /// The value of this type that a host has.
    pub(super) fn kept<T: Any>(&self, host: HostId) -> Option<Rc<T>> {
        let homes = self.homes.borrow();
        let (_, value) = homes[host.index()].data.iter().find(|(kind, _)| *kind == TypeId::of::<T>())?;
        Rc::clone(value).downcast().ok()
    }
}

/// One more or one less that will begin again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Expected {
    OneMore,
    OneLess,
}

impl Body {
    /// Name, and its host.
    pub(super) fn sender(&self) -> Sender {
        Sender { agent: self.id, host: self.host.get() }
    }
}
