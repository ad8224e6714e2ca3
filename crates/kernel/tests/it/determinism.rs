//! The same program and seed give the same run: twice, with any event list, in steps, observed, on
//! another thread.
//!
//! The program is a small workshop that uses every primitive, ties most of its events (times are
//! multiples of 10 ns), and races, times out, interrupts and kills its processes. Its journal (who
//! did what, when) is compared beside the digest, so that a digest that looks at too little would
//! be noticed.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;
use std::thread;

use clustersim_kernel::event_list::ListKind;
use clustersim_kernel::rng::Stream;
use clustersim_kernel::{
    Buffer, Condition, Event, Facility, Mailbox, Outcome, PreemptiveFacility, SharedFacility, SimDuration,
    SimTime, Simulation, Storage, hold, interruptible, join, now, observe, race, settle, spawn, spawn_daemon,
    spawn_observer, stream, timed,
};

/// Customers of a run: enough for the adaptive event list to change its structure both ways.
const CUSTOMERS: u32 = 4_000;

fn ticks(stream: &mut Stream, most: u64) -> SimDuration {
    SimDuration::from_nanos(10 * stream.below(most + 1))
}

/// What the processes of the workshop share.
struct Workshop {
    lathe: Facility,
    press: PreemptiveFacility,
    office: SharedFacility,
    pallets: Storage,
    coolant: Buffer,
    orders: Mailbox<u32>,
    bell: Event,
    finished: Condition<u64>,
    journal: RefCell<String>,
}

impl Workshop {
    fn new() -> Rc<Self> {
        Rc::new(Workshop {
            lathe: Facility::new("lathe", 3),
            press: PreemptiveFacility::new("press", 1),
            office: SharedFacility::new("office", 2),
            pallets: Storage::new("pallets", 20),
            coolant: Buffer::new("coolant", 50, 25),
            orders: Mailbox::new("orders"),
            bell: Event::new("bell"),
            finished: Condition::new("finished", 0),
            journal: RefCell::new(String::new()),
        })
    }

    fn note(&self, who: u32, what: &str) {
        writeln!(self.journal.borrow_mut(), "{} {who} {what}", now().as_nanos()).unwrap();
    }
}

/// One customer: one of several ways through the workshop.
async fn customer(shop: Rc<Workshop>, number: u32, mut draws: Stream) {
    hold(ticks(&mut draws, 2_000)).await;
    match draws.below(6) {
        0 => {
            let server = shop.lathe.reserve_at(draws.below(3).cast_signed()).await;
            hold(ticks(&mut draws, 30)).await;
            server.release();
            shop.orders.send(number);
        }
        1 => {
            let priority = draws.below(4).cast_signed();
            let in_time = timed(ticks(&mut draws, 400), shop.press.use_for(priority, ticks(&mut draws, 5)));
            let outcome = if in_time.await.is_some() { "pressed" } else { "left the press" };
            shop.note(number, outcome);
        }
        2 => {
            let work = join(shop.office.use_for(ticks(&mut draws, 9)), hold(ticks(&mut draws, 9)));
            let heard = interruptible(race(work, shop.bell.queue())).await;
            shop.note(number, if heard.is_ok() { "served" } else { "called away" });
        }
        3 => {
            let pallets = shop.pallets.allocate(1 + draws.below(5)).await;
            shop.coolant.get(pallets.units()).await;
            hold(ticks(&mut draws, 20)).await;
            shop.bell.set();
        }
        4 => {
            let rung = shop.bell.timed_wait(ticks(&mut draws, 50)).await.is_some();
            settle().await;
            shop.note(number, if rung { "heard the bell" } else { "gave up" });
        }
        _ => {
            let done = 1 + draws.below(100);
            timed(SimDuration::from_nanos(700), shop.finished.until(move |count| *count >= done)).await;
        }
    }
    shop.finished.change(|count| *count += 1);
    shop.note(number, "done");
}

/// Starts everything; every seventh customer is watched by one who interrupts or kills it.
fn open(shop: &Rc<Workshop>) {
    for number in 0..CUSTOMERS {
        let process = spawn(
            ("customer", number),
            customer(Rc::clone(shop), number, stream(&format!("customer-{number}"))),
        );
        if number % 7 == 0 {
            let shop = Rc::clone(shop);
            let mut draws = stream(&format!("watcher-{number}"));
            spawn(("watcher", number), async move {
                hold(ticks(&mut draws, 2_100)).await;
                if draws.below(2) == 0 {
                    process.interrupt("stop");
                } else {
                    process.kill();
                }
                let ended = process.join().await;
                shop.note(number, if ended.is_ok() { "ended" } else { "was killed" });
            });
        }
    }
    let clerk = Rc::clone(shop);
    spawn_daemon("clerk", async move {
        loop {
            let order = clerk.orders.receive().await;
            clerk.note(order, "booked");
            clerk.coolant.put(3).await;
        }
    });
    let supplier = Rc::clone(shop);
    spawn_daemon("supplier", async move {
        loop {
            hold(SimDuration::from_nanos(40)).background().await;
            if supplier.coolant.room() >= 5 {
                supplier.coolant.put(5).await;
            }
        }
    });
}

/// How a run of the workshop is varied.
#[derive(Clone, Copy)]
struct Variation {
    seed: u64,
    list: ListKind,
    observed: bool,
    /// Run in steps of this many nanoseconds.
    step: Option<u64>,
}

const PLAIN: Variation = Variation { seed: 7, list: ListKind::Adaptive, observed: false, step: None };

fn run(variation: Variation) -> (Outcome, String) {
    let mut simulation = Simulation::new(variation.seed).event_list(variation.list);
    let shop = Workshop::new();
    simulation.enter(|| open(&shop));
    if variation.observed {
        let shop = Rc::clone(&shop);
        simulation.enter(|| {
            spawn_observer("probe", async move {
                while shop.orders.len() < usize::MAX {
                    observe(SimDuration::from_nanos(30)).await;
                }
            })
        });
    }
    let outcome = match variation.step {
        None => simulation.run().unwrap(),
        Some(step) => {
            let mut until = 0;
            loop {
                until += step;
                let outcome = simulation.run_until(SimTime::from_nanos(until)).unwrap();
                if outcome.ended_at < SimTime::from_nanos(until) {
                    break outcome;
                }
            }
        }
    };
    let journal = shop.journal.take();
    (outcome, journal)
}

fn assert_same(one: &(Outcome, String), other: &(Outcome, String)) {
    let difference = one.1.lines().zip(other.1.lines()).find(|(a, b)| a != b);
    assert_eq!(difference, None, "the first line in which the journals differ");
    assert_eq!(one.1.len(), other.1.len(), "one journal is longer");
    assert_eq!(one.0, other.0);
}

#[test]
fn the_same_program_gives_the_same_run_twice() {
    let run = [run(PLAIN), run(PLAIN)];
    assert_same(&run[0], &run[1]);
    for deed in
        ["pressed", "left the press", "called away", "heard the bell", "gave up", "booked", "was killed"]
    {
        assert!(run[0].1.contains(deed), "nobody in the workshop {deed}: the test looks at too little");
    }
}

#[test]
fn every_event_list_gives_the_same_run() {
    let plain = run(PLAIN);
    for list in [ListKind::Heap, ListKind::Runs] {
        assert_same(&plain, &run(Variation { list, ..PLAIN }));
    }
}

#[test]
fn another_seed_gives_another_run() {
    let (one, two) = (run(PLAIN), run(Variation { seed: 8, ..PLAIN }));
    assert_ne!(one.0.digest, two.0.digest);
    assert_ne!(one.1, two.1);
}

#[test]
fn an_observer_changes_nothing() {
    assert_same(&run(PLAIN), &run(Variation { observed: true, ..PLAIN }));
}

#[test]
fn a_run_in_steps_is_the_run_at_once() {
    let plain = run(PLAIN);
    for step in [7, 100, 3_333] {
        let stepped = run(Variation { step: Some(step), ..PLAIN });
        assert_same(&plain, &stepped);
    }
}

#[test]
fn runs_on_other_threads_are_the_same_and_do_not_disturb_each_other() {
    let plain = run(PLAIN);
    let threads: Vec<_> = (0..8).map(|_| thread::spawn(|| run(PLAIN))).collect();
    for thread in threads {
        assert_same(&plain, &thread.join().unwrap());
    }
}
