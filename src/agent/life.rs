//! The life of an agent: how it begins, is suspended, ends, fails with its host, and begins again.
//!
//! ```text
//!          1             suspend                      2
//!   (none) ──▶ running ──────────▶ suspended        ──▶ ended
//!                 ◀───── resume ────┘        running ──▶ failed: 3
//!                 ◀── 4: host works again ───────────────┘
//! ```
//! 1. At its start, or when another agent begins it, if its host works then. A deployment that restarts waits for its host.
//! 2. Its program returns.
//! 3. Its program returns an error, it is killed, or its host fails.
//! 4. Only after its host failed, and if it is to begin again: it is a new agent of the same name.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use crate::kernel::{Signal, SimTime, hold, now, spawn, spawn_daemon, timer};
use crate::platform::{HostId, HostNews};

use super::mailbox::Side;
use super::program::{Program, Running};
use super::rendezvous::{Lost, Stage};
use super::runtime::{Body, Expected, Runtime};
use super::{Agent, AgentError, Deployment, OnFailure};

/// How an agent is begun again.
pub(super) struct Relaunch {
    program: Rc<dyn Fn(Agent) -> Running>,
    kill: Option<SimTime>,
}

/// Begins an agent at the present instant on a host that works.
pub(super) fn begin(
    runtime: &Rc<Runtime>,
    host: HostId,
    name: Cow<'static, str>,
    (program, relaunch): (Program, Option<Rc<Relaunch>>),
) -> Rc<Body> {
    let body = Rc::new(Body {
        id: runtime.next_agent(),
        name,
        host: Cell::new(host),
        place: Cell::new(0),
        process: Cell::new(None),
        suspended: Cell::new(false),
        resumed: Signal::new("to be resumed"),
        computing: RefCell::default(),
        relaunch,
    });
    runtime.settle_down(&body);
    runtime.log.begins(body.id, &body.name, host);
    let living = Living { me: Agent { runtime: Rc::clone(runtime), body: Rc::clone(&body) }, ended: false };
    body.process.set(Some(spawn(("agent", body.id.0), live(living, program))));
    body
}

/// The process of an agent.
async fn live(mut living: Living, program: Program) {
    let me = living.me.clone();
    let body = Rc::clone(&me.body);
    let mut running = match program {
        Program::Once(program) => program(me),
        Program::Again(program) => program(me),
    };
    loop {
        let ended = poll_fn(|cx| {
            if body.suspended.get() {
                return Poll::Ready(None);
            }
            match running.as_mut().poll(cx) {
                Poll::Ready(result) => Poll::Ready(Some(result)),
                // it has suspended itself
                Poll::Pending if body.suspended.get() => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            }
        });
        if let Some(result) = ended.await {
            return living.end(result);
        }
        while body.suspended.get() {
            body.resumed.wait_for(|| format!("`{}` is suspended", body.name)).await;
        }
    }
}

/// Gives way once: whoever suspended itself is suspended then.
pub(super) async fn park() {
    let mut given_way = false;
    poll_fn(|_| if std::mem::replace(&mut given_way, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// Keeps the books of an agent's life, whichever way it ends.
struct Living {
    me: Agent,
    ended: bool,
}

impl Living {
    fn end(&mut self, result: Result<(), AgentError>) {
        self.ended = true;
        let Agent { runtime, body } = &self.me;
        match result {
            Ok(()) => runtime.log.ends(body.id, &body.name),
            Err(error) => runtime.log.fails(&body.name, body.host.get(), Some(error)),
        }
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        let Agent { runtime, body } = &self.me;
        runtime.move_out(body, None);
        if !self.ended && !runtime.over.get() {
            let host = body.host.get();
            let failed = runtime.failing.get().map(|host| AgentError::HostFailure(runtime.host_name(host)));
            runtime.log.fails(&body.name, host, failed);
        }
    }
}

/// Begins what was deployed, each at its time.
pub(super) fn deploy(runtime: &Rc<Runtime>, deployment: Deployment) {
    let Deployment { host, name, start, kill, on_failure, program } = deployment;
    let relaunch = match &program {
        Program::Again(program) if on_failure == OnFailure::Restart => {
            Some(Rc::new(Relaunch { program: Rc::clone(program), kill }))
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
    (program, relaunch): (Program, Option<Rc<Relaunch>>),
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
    let body = begin(runtime, host, name, (program, relaunch));
    if let (Some(kill), Some(process)) = (kill, body.process.get()) {
        spawn_daemon("end of a deployment", async move {
            // among the time-outs: what happens at the same instant goes first
            timer(kill.since(now())).await;
            process.kill();
        });
    }
}

/// Begins an agent anew when its host works again, if it ever does.
fn begin_again(runtime: &Rc<Runtime>, host: HostId, name: Cow<'static, str>, relaunch: Rc<Relaunch>) {
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

/// Lets agents fail with their hosts.
pub(super) struct Neighbourhood(pub(super) Rc<Runtime>);

impl HostNews for Neighbourhood {
    fn failed(&self, host: HostId) {
        let runtime = &self.0;
        runtime.failing.set(Some(host));
        let residents = runtime.residents(host);
        for body in &residents {
            if let Some(process) = body.process.get() {
                process.kill();
            }
        }
        let mailboxes = runtime.mailboxes.borrow().of_host(host);
        for mailbox in mailboxes {
            let puts = runtime.mailboxes.borrow_mut().line(mailbox).clear(Side::Puts);
            for put in puts.into_iter().filter(|put| put.stage.get() != Stage::Arrived) {
                if let Stage::UnderWay(transfer) = put.stage.get() {
                    runtime.network.cancel(transfer);
                }
                put.fail(Lost::Error(AgentError::HostFailure(runtime.host_name(host))));
            }
        }
        runtime.failing.set(None);
        for body in residents {
            if let Some(relaunch) = &body.relaunch {
                begin_again(runtime, host, body.name.clone(), Rc::clone(relaunch));
            }
        }
    }

    fn repaired(&self, _: HostId) {}

    fn depends(&self, host: HostId) -> bool {
        self.0.is_inhabited(host)
    }
}
