//! simcore, the simulation core of DSLab, in its asynchronous mode. It has no resource: M/M/1 takes
//! its one server from a queue with one token.

use std::cell::RefCell;
use std::rc::Rc;

use common::{INTERVAL, Outcome, SERVICE, Source};
use simcore::{Event, Simulation, SimulationContext, StaticEventHandler};

type Shared = Rc<RefCell<Outcome>>;

/// Tasks belong to a component, and a component handles events: this one has none.
struct Component;

impl StaticEventHandler for Component {
    fn on(self: Rc<Self>, _: Event) {}
}

/// Runs what `set` sets up.
fn simulate(set: impl FnOnce(&mut Simulation, Rc<SimulationContext>, &Shared)) -> Outcome {
    let outcome = Shared::default();
    let mut simulation = Simulation::new(1);
    let context = Rc::new(simulation.create_context("model"));
    simulation.add_static_handler("model", Rc::new(Component));
    set(&mut simulation, context, &outcome);
    simulation.step_until_no_events();
    outcome.take()
}

fn hold(size: u64, each: u64) -> Outcome {
    simulate(|_, context, outcome| {
        for i in 0..size {
            let (ctx, outcome) = (Rc::clone(&context), Rc::clone(outcome));
            context.spawn(async move {
                let mut source = Source::new(i);
                for _ in 0..each {
                    ctx.sleep(source.exponential(1.0)).await;
                    outcome.borrow_mut().events += 1;
                }
                outcome.borrow_mut().check += ctx.time() / size as f64;
            });
        }
    })
}

fn mm1(_: u64, customers: u64) -> Outcome {
    simulate(|simulation, context, outcome| {
        let server = Rc::new(simulation.create_queue::<(), _>("server"));
        server.put(());
        let (ctx, outcome) = (Rc::clone(&context), Rc::clone(outcome));
        context.spawn(async move {
            let mut source = Source::new(0);
            for _ in 0..customers {
                ctx.sleep(source.exponential(INTERVAL)).await;
                let service = source.exponential(SERVICE);
                let (me, server, outcome) = (Rc::clone(&ctx), Rc::clone(&server), Rc::clone(&outcome));
                ctx.spawn(async move {
                    let arrival = me.time();
                    server.take().await;
                    me.sleep(service).await;
                    server.put(());
                    let mut outcome = outcome.borrow_mut();
                    outcome.events += 1;
                    outcome.check += (me.time() - arrival) / customers as f64;
                });
            }
        });
    })
}

fn ring(size: u64, each: u64) -> Outcome {
    simulate(|simulation, context, outcome| {
        let ring: Vec<_> =
            (0..size).map(|i| Rc::new(simulation.create_queue::<(), _>(format!("box {i}")))).collect();
        for i in 0..size {
            let (ctx, outcome) = (Rc::clone(&context), Rc::clone(outcome));
            let (own, next) = (Rc::clone(&ring[i as usize]), Rc::clone(&ring[((i + 1) % size) as usize]));
            context.spawn(async move {
                let mut source = Source::new(i);
                for _ in 0..each {
                    ctx.sleep(source.exponential(1.0)).await;
                    next.put(());
                    own.take().await;
                    outcome.borrow_mut().events += 1;
                }
                outcome.borrow_mut().check = ctx.time();
            });
        }
    })
}

fn main() {
    common::main(hold, mm1, ring);
}
