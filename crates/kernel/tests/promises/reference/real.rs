//! Programs on the kernel itself.

use std::cell::{Cell, RefCell};
use std::pin::{Pin, pin};
use std::rc::Rc;

use clustersim_kernel::event_list::ListKind;
use clustersim_kernel::primitive::{AllocatedUnits, Server};
use clustersim_kernel::{
    Buffer, Condition, Digest, Either, Event, Facility, Mailbox, PreemptiveFacility, Process, SimError,
    Simulation, Storage, hold, interruptible, join, now, race, settle, spawn, timed, timer,
};
use futures::future::poll_fn;

use super::super::support::ns;
use super::program::{KINDS, Outcome, Program, SERVERS, Step, UNITS, Wait};
use super::{Happened, Left, REAPING, Run};

/// What the processes of a run share.
struct World {
    events: [Event; KINDS],
    mailboxes: [Mailbox<u64>; KINDS],
    facilities: [Facility; KINDS],
    preemptive: PreemptiveFacility,
    storages: [Storage; KINDS],
    buffer: Buffer,
    level: Condition<i64>,
    sent: Cell<u64>,
    received: Cell<u64>,
    processes: RefCell<Vec<Process>>,
    journal: RefCell<Vec<(u64, usize, Happened)>>,
}

/// Something taken that goes back.
enum Taken<'a> {
    Server(#[expect(dead_code, reason = "held until dropped")] Server<'a>),
    Units(#[expect(dead_code, reason = "held until dropped")] AllocatedUnits<'a>),
}

type Awaited<'a> = Pin<Box<dyn Future<Output = (Vec<Outcome>, Vec<Taken<'a>>)> + 'a>>;

fn plain(outcome: Outcome) -> (Vec<Outcome>, Vec<Taken<'static>>) {
    (vec![outcome], Vec::new())
}

impl World {
    fn new() -> Self {
        World {
            events: [0, 1].map(|i| Event::new(("event", i))),
            mailboxes: [0, 1].map(|i| Mailbox::new(("mailbox", i))),
            facilities: SERVERS.map(|servers| Facility::new("facility", servers)),
            preemptive: PreemptiveFacility::new("preemptive", 1),
            storages: [Storage::new("storage", UNITS), Storage::first_fit("storage", UNITS)],
            buffer: Buffer::new("buffer", UNITS, UNITS / 2),
            level: Condition::new("level", 0),
            sent: Cell::new(0),
            received: Cell::new(0),
            processes: RefCell::default(),
            journal: RefCell::default(),
        }
    }

    fn note(&self, process: usize, what: Happened) {
        self.journal.borrow_mut().push((now().as_nanos(), process, what));
    }

    fn process(&self, number: usize) -> Process {
        let processes = self.processes.borrow();
        processes[number % processes.len()]
    }

    fn start(self: &Rc<Self>, program: Program) {
        let (number, world) = (self.processes.borrow().len(), Rc::clone(self));
        let body = async move {
            let mut body = pin!(run(&world, number, program));
            poll_fn(|cx| {
                world.note(number, Happened::Resumed);
                body.as_mut().poll(cx)
            })
            .await;
        };
        let process = spawn(("process", number as u32), body);
        self.processes.borrow_mut().push(process);
    }

    fn future<'a>(&'a self, wait: &Wait) -> Awaited<'a> {
        match *wait {
            Wait::Hold(span) => Box::pin(async move {
                hold(ns(span)).await;
                plain(Outcome::Done)
            }),
            Wait::Timer(span) => Box::pin(async move {
                timer(ns(span)).await;
                plain(Outcome::Done)
            }),
            Wait::Settle => Box::pin(async {
                settle().await;
                plain(Outcome::Done)
            }),
            Wait::Event(event) => Box::pin(async move {
                self.events[event].wait().await;
                plain(Outcome::Done)
            }),
            Wait::Queue(event) => Box::pin(async move {
                self.events[event].queue().await;
                plain(Outcome::Done)
            }),
            Wait::Receive(mailbox) => Box::pin(async move {
                let message = self.mailboxes[mailbox].receive().await;
                self.received.set(self.received.get() + 1);
                plain(Outcome::Message(message))
            }),
            Wait::Reserve(facility, priority) => Box::pin(async move {
                let server = self.facilities[facility].reserve_at(priority).await;
                (vec![Outcome::Server], vec![Taken::Server(server)])
            }),
            Wait::Preempt(priority, service) => Box::pin(async move {
                self.preemptive.use_for(priority, ns(service)).await;
                plain(Outcome::Done)
            }),
            Wait::Allocate(storage, units) => Box::pin(async move {
                let allocation = self.storages[storage].allocate(units).await;
                (vec![Outcome::Units], vec![Taken::Units(allocation)])
            }),
            Wait::Get(units) => Box::pin(async move {
                self.buffer.get(units).await;
                plain(Outcome::Done)
            }),
            Wait::Put(units) => Box::pin(async move {
                self.buffer.put(units).await;
                plain(Outcome::Done)
            }),
            Wait::Until(least) => Box::pin(async move {
                self.level.until(|level| *level >= least).await;
                plain(Outcome::Done)
            }),
            Wait::Join(number) => {
                let process = self.process(number);
                Box::pin(
                    async move { plain(process.join().await.map_or(Outcome::Killed, |()| Outcome::Ended)) },
                )
            }
            Wait::Race(ref first, ref second) => {
                let raced = race(self.future(first), self.future(second));
                Box::pin(async move {
                    let (which, (outcomes, taken)) = match raced.await {
                        Either::Left(result) => (Outcome::First, result),
                        Either::Right(result) => (Outcome::Second, result),
                    };
                    (std::iter::once(which).chain(outcomes).collect(), taken)
                })
            }
            Wait::Both(ref first, ref second) => {
                let both = join(self.future(first), self.future(second));
                Box::pin(async move {
                    let ((mut outcomes, mut taken), second) = both.await;
                    outcomes.extend(second.0);
                    taken.extend(second.1);
                    (outcomes, taken)
                })
            }
            Wait::Timed(limit, ref inner) => {
                let limited = timed(ns(limit), self.future(inner));
                Box::pin(async move { limited.await.unwrap_or_else(|| plain(Outcome::TimedOut)) })
            }
            Wait::Interruptible(ref inner) => {
                let listening = interruptible(self.future(inner));
                Box::pin(async move { listening.await.unwrap_or_else(|_| plain(Outcome::Interrupted)) })
            }
        }
    }
}

async fn run(world: &Rc<World>, number: usize, program: Program) {
    let mut taken: Vec<Taken<'_>> = Vec::new();
    for step in program {
        match step {
            Step::Await(wait) => {
                let (outcomes, new) = world.future(&wait).await;
                taken.extend(new);
                world.note(number, Happened::Awaited(outcomes));
            }
            Step::Set(event) => world.events[event].set(),
            Step::Clear(event) => world.events[event].clear(),
            Step::Send(mailbox) => {
                world.sent.set(world.sent.get() + 1);
                world.mailboxes[mailbox].send(world.sent.get());
            }
            Step::Change(by) => world.level.change(|level| *level += by),
            Step::GiveBack => {
                if !taken.is_empty() {
                    drop(taken.remove(0));
                }
            }
            Step::Spawn(program) => world.start(program),
            Step::Kill(number) => _ = world.process(number).kill(),
            Step::Interrupt(number) => _ = world.process(number).interrupt("interrupt"),
        }
    }
    world.note(number, Happened::Ended);
}

/// How a simulation is set up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    pub(super) list: ListKind,
    pub(super) sequence_limit: Option<u64>,
}

/// Runs the programs; with `reap`, whoever is left is killed at [`REAPING`], so that the run ends
/// without a deadlock.
pub(super) fn execute(programs: &[Program], reap: bool, setup: Setup) -> (Run, Option<Digest>) {
    let world = Rc::new(World::new());
    let mut simulation = Simulation::new(1).event_list(setup.list);
    if let Some(limit) = setup.sequence_limit {
        simulation = simulation.sequence_limit(limit);
    }
    simulation.enter(|| {
        for program in programs {
            world.start(program.clone());
        }
        if reap {
            let world = Rc::clone(&world);
            spawn("reaper", async move {
                hold(ns(REAPING)).await;
                let processes = world.processes.borrow().clone();
                for process in processes {
                    process.kill();
                }
            });
        }
    });
    let (blocked, digest) = match simulation.run() {
        Ok(outcome) => (Vec::new(), Some(outcome.digest)),
        Err(SimError::Deadlock { blocked, .. }) => {
            (blocked.iter().map(|blocked| blocked.process.to_string()).collect(), None)
        }
        Err(error) => panic!("{error}"),
    };
    let left = Left {
        sent: world.sent.get(),
        received: world.received.get(),
        messages: world.mailboxes.iter().map(Mailbox::len).sum(),
        occurred: world.events.each_ref().map(Event::has_occurred),
        busy: world.facilities.iter().map(|facility| facility.busy() as usize).sum::<usize>()
            + world.preemptive.busy(),
        available: world.storages.each_ref().map(Storage::available),
        buffer: (world.buffer.level(), world.buffer.room()),
        waiting: world.events.iter().map(Event::waiting).sum::<usize>()
            + world.mailboxes.iter().map(Mailbox::receivers).sum::<usize>()
            + world.facilities.iter().map(Facility::queued).sum::<usize>()
            + world.preemptive.queued()
            + world.storages.iter().map(Storage::waiting).sum::<usize>()
            + world.level.waiting(),
    };
    let journal = world.journal.take();
    (Run { journal, blocked, left }, digest)
}
