//! The life of an agent: how it begins, is suspended, ends, fails with its host, and begins again.
//!
//! ```text
//!          1             suspend                      2
//!   (none) ──▶ running ──────────▶ suspended        ──▶ ended
//!                 ◀───── resume ────┘        running ──▶ failed: 3
//!                 ◀── 4: host works again ───────────────┘
//! ```
//! 1. At its start, or when another agent begins it, if its host works then. A deployment that
//!    restarts waits for its host.
//! 2. Its program returns.
//! 3. Its program returns an error, it is killed, or its host fails.
//! 4. Only after its host failed, and if it is to begin again: it is a new agent of the same name.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use crate::kernel::{Signal, SimTime, hold, now, spawn, spawn_daemon, timer};
use crate::platform::{HostId, HostObserver};

use super::flows::GivenFlows;
use super::mailbox::Side;
use super::program::{Program, Running};
use super::rendezvous::{self, Lost};
use super::runtime::{Body, Expected, Relaunch, RunState, Runtime};
use super::{Agent, AgentError, DeployedAgent, OnFailure, Peer};

/// Program with which an agent begins again, and the instant at which it is killed.
struct Restart {
    program: Rc<dyn Fn(Agent) -> Running>,
    kill: Option<SimTime>,
}

impl Relaunch for Restart {
    fn relaunch(self: Rc<Self>, runtime: &Rc<Runtime>, host: HostId, name: Cow<'static, str>) {
        begin_again(runtime, host, name, self);
    }
}

impl Agent {
    /// Suspends itself until another agent resumes it.
    pub async fn suspend(&self) {
        self.body.run_state.set(RunState::Suspended);
        park().await;
    }

    /// Begins another agent on a host; it runs behind everything already scheduled for this
    /// instant.
    ///
    /// # Errors
    /// [`AgentError::HostFailure`] if that host does not work.
    ///
    /// # Panics
    /// If the host is of another platform.
    pub fn spawn<F, R>(
        &self,
        host: HostId,
        name: impl Into<Cow<'static, str>>,
        program: F,
    ) -> Result<Peer, AgentError>
    where
        F: FnOnce(Agent) -> R + 'static,
        R: Future<Output = Result<(), AgentError>> + 'static,
    {
        self.check_works(host)?;
        let body = begin(&self.runtime, host, name.into(), (Program::once(program), None));
        Ok(Peer::new(&self.runtime, body))
    }
}

/// Begins an agent at the present instant on a host that works.
fn begin(
    runtime: &Rc<Runtime>,
    host: HostId,
    name: Cow<'static, str>,
    (program, relaunch): (Program, Option<Rc<dyn Relaunch>>),
) -> Rc<Body> {
    let body = Rc::new(Body {
        id: runtime.next_agent(),
        name,
        host: Cell::new(host),
        place: Cell::new(0),
        process: Cell::new(None),
        run_state: Cell::new(RunState::Running),
        resumed: RefCell::default(),
        computing: RefCell::default(),
        relaunch,
    });
    runtime.settle_down(&body);
    runtime.log.begins(body.id, &body.name, host);
    let life =
        Life { me: Agent(Peer::new(runtime, Rc::clone(&body))), stage: Stage::New(program), parked: None };
    body.process.set(Some(spawn(("agent", body.id.0), life)));
    body
}

/// Stage of the life of an agent.
enum Stage {
    New(Program),
    Running(Running),
    Over,
}

/// The process of an agent: its program, which is not resumed while the agent is suspended.
struct Life {
    me: Agent,
    stage: Stage,
    /// Waits to be resumed.
    parked: Option<Pin<Box<dyn Future<Output = ()>>>>,
}

impl Future for Life {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let life = &mut *self;
        loop {
            if life.me.body.run_state.get() == RunState::Suspended || life.parked.is_some() {
                let body = &life.me.body;
                let parked = life.parked.get_or_insert_with(|| Box::pin(resumed(Rc::clone(body))));
                ready!(parked.as_mut().poll(cx));
                life.parked = None;
            }
            if let Stage::New(_) = life.stage
                && let Stage::New(program) = std::mem::replace(&mut life.stage, Stage::Over)
            {
                life.stage = Stage::Running(match program {
                    Program::Once(program) => program(life.me.clone()),
                    Program::Again(program) => program(life.me.clone()),
                });
            }
            let Stage::Running(running) = &mut life.stage else { return Poll::Ready(()) };
            if let Poll::Ready(result) = running.as_mut().poll(cx) {
                life.end(result);
                return Poll::Ready(());
            }
            if life.me.body.run_state.get() == RunState::Running {
                return Poll::Pending;
            }
            // it has suspended itself
        }
    }
}

/// Waits until an agent is suspended no more.
async fn resumed(body: Rc<Body>) {
    let signal = Rc::clone(body.resumed.borrow_mut().get_or_insert_with(|| Rc::new(Signal::new("resumed"))));
    while body.run_state.get() == RunState::Suspended {
        signal.wait_for(|| format!("`{}` is suspended", body.name)).await;
    }
}

/// Yields once: an agent that suspended itself is suspended then.
async fn park() {
    let mut yielded = false;
    poll_fn(|_| if std::mem::replace(&mut yielded, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

impl Life {
    /// Notes that its program has returned.
    fn end(&mut self, result: Result<(), AgentError>) {
        self.stage = Stage::Over;
        let Peer { runtime, body } = &*self.me;
        match result {
            Ok(()) => runtime.log.ends(body.id, &body.name),
            Err(error) => runtime.log.fails(&body.name, body.host.get(), Some(error)),
        }
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        let ended = matches!(self.stage, Stage::Over);
        // whatever it waits for is given up first
        self.stage = Stage::Over;
        let Peer { runtime, body } = &*self.me;
        runtime.move_out(body, None);
        if !ended && !runtime.over.get() {
            let host = body.host.get();
            let failed = runtime.failing.get().map(|host| AgentError::HostFailure(runtime.host_name(host)));
            runtime.log.fails(&body.name, host, failed);
        }
    }
}

/// Begins what was deployed, each at its time.
pub(super) fn deploy(runtime: &Rc<Runtime>, deployment: DeployedAgent) {
    let DeployedAgent { host, name, start, kill, on_failure, program } = deployment;
    let relaunch = match &program {
        Program::Again(program) if on_failure == OnFailure::Restart => {
            Some(Rc::new(Restart { program: Rc::clone(program), kill }))
        }
        _ => None,
    };
    let runtime = Rc::clone(runtime);
    if start == SimTime::ZERO {
        return launch(&runtime, host, name, (program, relaunch), kill);
    }
    spawn("deployment", async move {
        hold(start.since(now())).await;
        launch(&runtime, host, name, (program, relaunch), kill);
    });
}

/// Begins an agent now, or when its host works if it restarts; and ends it when it is to be killed.
fn launch(
    runtime: &Rc<Runtime>,
    host: HostId,
    name: Cow<'static, str>,
    (program, relaunch): (Program, Option<Rc<Restart>>),
    kill: Option<SimTime>,
) {
    if !runtime.processors.works(host) {
        let error = AgentError::HostFailure(runtime.host_name(host));
        runtime.log.fails(&name, host, Some(error));
        if let Some(relaunch) = relaunch {
            begin_again(runtime, host, name, relaunch);
        }
        return;
    }
    let relaunch = relaunch.map(|restart| -> Rc<dyn Relaunch> { restart });
    let body = begin(runtime, host, name, (program, relaunch));
    if let (Some(kill), Some(process)) = (kill, body.process.get()) {
        spawn_daemon("end of a deployment", async move {
            // among the time-outs: what happens at the same instant goes first
            timer(kill.since(now())).await;
            process.kill();
        });
    }
}

/// Begins an agent again when its host works again, if it ever does.
fn begin_again(runtime: &Rc<Runtime>, host: HostId, name: Cow<'static, str>, relaunch: Rc<Restart>) {
    let (runtime, kill) = (Rc::clone(runtime), relaunch.kill);
    let trace = runtime.platform.host(host).working.clone();
    if trace.next_change(now()).is_none() || kill.is_some_and(|kill| kill <= now()) {
        return;
    }
    runtime.expect(host, Expected::OneMore);
    spawn("restart", async move {
        while let Some(change) = trace.next_change(now())
            && !runtime.processors.works(host)
        {
            timer(change.since(now())).await;
        }
        runtime.expect(host, Expected::OneLess);
        if runtime.processors.works(host) {
            let program = Program::Again(Rc::clone(&relaunch.program));
            launch(&runtime, host, name, (program, Some(relaunch)), kill);
        }
    });
}

/// Lets agents and given flows fail with their hosts.
pub(super) struct Neighbourhood {
    pub(super) runtime: Rc<Runtime>,
    pub(super) flows: Rc<GivenFlows>,
}

impl HostObserver for Neighbourhood {
    fn failed(&self, host: HostId) {
        let runtime = &self.runtime;
        runtime.failing.set(Some(host));
        let residents = runtime.residents(host);
        for body in &residents {
            if let Some(process) = body.process.get() {
                process.kill();
            }
        }
        let mailboxes = runtime.mailboxes.borrow().of_host(host);
        for mailbox in mailboxes {
            let puts = runtime.mailboxes.borrow_mut().queue(mailbox).clear(Side::Puts);
            for put in puts.into_iter().filter(|put| put.stage.get() != rendezvous::Stage::Arrived) {
                if let rendezvous::Stage::InProgress(transfer) = put.stage.get() {
                    runtime.network.cancel(transfer);
                }
                put.fail(Lost::Error(AgentError::HostFailure(runtime.host_name(host))));
            }
        }
        runtime.failing.set(None);
        self.flows.fail_with(host);
        for body in residents {
            if let Some(relaunch) = &body.relaunch {
                Rc::clone(relaunch).relaunch(runtime, host, body.name.clone());
            }
        }
    }

    fn repaired(&self, _: HostId) {}

    fn depends(&self, host: HostId) -> bool {
        self.runtime.is_inhabited(host) || self.flows.depends(host)
    }
}
