//! This repository's kernel: `default-features = false`.

use std::cell::RefCell;
use std::rc::Rc;

use clustersim_kernel::{Facility, Mailbox, SimDuration, Simulation, hold, now, spawn};
use common::{INTERVAL, Outcome, SERVICE, Source};

fn seconds(span: f64) -> SimDuration {
    SimDuration::from_nanos((span * 1e9) as u64)
}

type Shared = Rc<RefCell<Outcome>>;

/// Runs what `set` sets up.
fn simulate(set: impl FnOnce(&Simulation, &Shared)) -> Outcome {
    let outcome = Shared::default();
    let simulation = Simulation::new(1);
    set(&simulation, &outcome);
    simulation.run().expect("every process ends");
    outcome.take()
}

fn holders(size: u64, each: u64) -> Outcome {
    simulate(|simulation, outcome| {
        for i in 0..size {
            let outcome = Rc::clone(outcome);
            simulation.spawn(("holder", i as u32), async move {
                let mut source = Source::new(i);
                for _ in 0..each {
                    hold(seconds(source.exponential(1.0))).await;
                    outcome.borrow_mut().events += 1;
                }
                outcome.borrow_mut().check += now().as_secs_f64() / size as f64;
            });
        }
    })
}

fn mm1(_: u64, customers: u64) -> Outcome {
    simulate(|simulation, outcome| {
        let outcome = Rc::clone(outcome);
        simulation.spawn("arrivals", async move {
            let (server, mut source) = (Facility::new("server", 1), Source::new(0));
            for i in 0..customers {
                hold(seconds(source.exponential(INTERVAL))).await;
                let service = seconds(source.exponential(SERVICE));
                let (server, outcome) = (server.clone(), Rc::clone(&outcome));
                spawn(("customer", i as u32), async move {
                    let arrival = now();
                    server.use_for(service).await;
                    let mut outcome = outcome.borrow_mut();
                    outcome.events += 1;
                    outcome.check += (now() - arrival).as_secs_f64() / customers as f64;
                });
            }
        });
    })
}

fn ring(size: u64, each: u64) -> Outcome {
    simulate(|simulation, outcome| {
        let ring: Vec<Mailbox<()>> = (0..size).map(|i| Mailbox::new(("box", i as u32))).collect();
        for i in 0..size {
            let outcome = Rc::clone(outcome);
            let (own, next) = (ring[i as usize].clone(), ring[((i + 1) % size) as usize].clone());
            simulation.spawn(("station", i as u32), async move {
                let mut source = Source::new(i);
                for _ in 0..each {
                    hold(seconds(source.exponential(1.0))).await;
                    next.send(());
                    own.receive().await;
                    outcome.borrow_mut().events += 1;
                }
                outcome.borrow_mut().check = now().as_secs_f64();
            });
        }
    })
}

fn main() {
    common::main(holders, mm1, ring);
}
