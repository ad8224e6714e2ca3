//! odem-rs: jobs from a pool, as its own benchmarks have them.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::pin::pin;
use std::task::Waker;

use common::{INTERVAL, Outcome, SERVICE, Source};
use odem_rs::core::ops::waker;
use odem_rs::prelude::*;

/// Lets the main process wait until all others have ended.
struct Ends {
    left: Cell<u64>,
    main: Waker,
}

impl Ends {
    fn one(&self) {
        self.left.set(self.left.get() - 1);
        if self.left.get() == 0 {
            self.main.wake_by_ref();
        }
    }
}

#[odem_rs::main]
async fn hold(sim: &Sim, size: u64, each: u64) -> Outcome {
    let outcome = RefCell::new(Outcome::default());
    let ends = Ends { left: Cell::new(size), main: waker().await };
    let pool = pin!(Pool::with_capacity(size as usize).with(Job::new));
    let (results, end) = (&outcome, &ends);
    for i in 0..size {
        sim.activate(pool.alloc(async move {
            let mut source = Source::new(i);
            for _ in 0..each {
                sim.advance(source.exponential(1.0)).await;
                results.borrow_mut().events += 1;
            }
            results.borrow_mut().check += sim.now() / size as f64;
            end.one();
        }));
    }
    sleep().await;
    outcome.take()
}

#[odem_rs::main]
async fn mm1(sim: &Sim, _size: u64, customers: u64) -> Outcome {
    let outcome = RefCell::new(Outcome::default());
    let ends = Ends { left: Cell::new(customers), main: waker().await };
    let server = Facility::new();
    let pool = pin!(Pool::with_capacity(64).with(Job::new));
    let (results, end, server) = (&outcome, &ends, &server);
    let mut source = Source::new(0);
    for _ in 0..customers {
        sim.advance(source.exponential(INTERVAL)).await;
        let service = source.exponential(SERVICE);
        sim.activate(pool.alloc(async move {
            let arrival = sim.now();
            let seized = server.seize().await;
            sim.advance(service).await;
            seized.release();
            let mut results = results.borrow_mut();
            results.events += 1;
            results.check += (sim.now() - arrival) / customers as f64;
            end.one();
        }));
    }
    if ends.left.get() > 0 {
        sleep().await;
    }
    outcome.take()
}

#[odem_rs::main]
async fn ring(sim: &Sim, size: u64, each: u64) -> Outcome {
    let outcome = RefCell::new(Outcome::default());
    let ends = Ends { left: Cell::new(size), main: waker().await };
    let pool = pin!(Pool::with_capacity(size as usize).with(Job::new));
    let (results, end) = (&outcome, &ends);
    let (mut senders, receivers): (VecDeque<_>, Vec<_>) =
        (0..size).map(|_| channel(VecDeque::<()>::new())).unzip();
    senders.rotate_left(1);
    for (i, (next, own)) in senders.into_iter().zip(receivers).enumerate() {
        sim.activate(pool.alloc(async move {
            let mut source = Source::new(i as u64);
            for _ in 0..each {
                sim.advance(source.exponential(1.0)).await;
                // one that has ended needs no message
                let _ = next.send(()).await;
                own.recv().await.expect("a message");
                results.borrow_mut().events += 1;
            }
            results.borrow_mut().check = sim.now();
            end.one();
        }));
    }
    sleep().await;
    outcome.take()
}

fn main() {
    common::main(hold, mm1, ring);
}
