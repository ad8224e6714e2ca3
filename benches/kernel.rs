//! The kernel's rows of the speed table, each as a ratio to a bare event loop measured in the same
//! run.
//!
//! `cargo bench --bench kernel` prints the table. The bare loop pops an event, draws an exponential
//! variate and pushes the next event; it uses the kernel's own event-list structures, the better
//! one at each size, and no process. Rows and bare loop take turns, round by round, so that a noisy
//! machine disturbs both; a figure is the median over the rounds.
//!
//! `cargo bench --bench kernel -- --count ROW N OPS` runs one row once and prints nothing else: for
//! instruction counts.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark reads the wall clock; nothing here is a result of a model"
)]
#![expect(clippy::disallowed_methods, reason = "the bare loop draws with the machine's own logarithm")]

mod bare;

use std::cell::Cell;
use std::hint::black_box;
use std::rc::Rc;

use bare::{Rate, Source, bare_adaptive, bare_best, bare_heap, bare_runs, median, timed};
use clustersim_kernel::{Event, Facility, SimDuration, SimTime, Simulation, hold, spawn, stop};

const NO_LIVELOCK: u64 = u64::MAX;

/// What the processes of a run share.
struct Work {
    source: Source,
    left: Cell<u64>,
}

impl Work {
    fn new(operations: u64) -> Rc<Self> {
        Rc::new(Work { source: Source::new(), left: Cell::new(operations) })
    }

    #[inline]
    fn done(&self) {
        let left = self.left.get() - 1;
        self.left.set(left);
        if left == 0 {
            stop();
        }
    }
}

fn simulation() -> Simulation {
    Simulation::new(1).livelock_after(NO_LIVELOCK)
}

/// `n` processes that hold for ever; the start of the processes is not timed.
fn hold_loop(n: u64, operations: u64) -> (Rate, f64) {
    let before = resident_bytes();
    let work = Work::new(operations);
    let mut simulation = simulation();
    for i in 0..n {
        let work = Rc::clone(&work);
        simulation.spawn(("holder", i as u32), async move {
            loop {
                hold(work.source.exponential(1e9)).await;
                work.done();
            }
        });
    }
    simulation.run_until(SimTime::ZERO).expect("the holders begin");
    let rate = timed(operations, || {
        simulation.run_until(SimTime::MAX).expect("the holders hold");
    });
    (rate, (resident_bytes() - before) / n as f64)
}

/// Two processes that set each other's event, in zero time.
fn ping_pong(operations: u64) -> Rate {
    let simulation = simulation();
    let (ping, pong) = (Event::new("ping"), Event::new("pong"));
    let (ping2, pong2) = (ping.clone(), pong.clone());
    simulation.spawn("a", async move {
        for _ in 0..operations / 2 {
            ping.set();
            pong.wait().await;
        }
    });
    simulation.spawn("b", async move {
        for _ in 0..operations / 2 {
            ping2.wait().await;
            pong2.set();
        }
    });
    timed(operations, || {
        simulation.run().expect("they play to the end");
    })
}

/// M/M/1 at load 0.9, a new process for every customer.
fn mm1(operations: u64) -> Rate {
    let simulation = simulation();
    let source = Rc::new(Source::new());
    let server = Facility::new("server", 1);
    simulation.spawn("arrivals", async move {
        for i in 0..operations {
            hold(source.exponential(1e9)).await;
            let (source, server) = (Rc::clone(&source), server.clone());
            spawn(("customer", i as u32), async move {
                let server = server.reserve().await;
                hold(source.exponential(0.9e9)).await;
                server.release();
            });
        }
    });
    timed(operations, || {
        simulation.run().expect("every customer is served");
    })
}

/// `pairs` of a process that waits with a time-out and one that sets the event every second time
/// before it.
fn timed_wait(pairs: u64, operations: u64) -> Rate {
    let simulation = simulation();
    let each = operations / pairs;
    for i in 0..pairs {
        let event = Event::new(("event", i as u32));
        let set = event.clone();
        simulation.spawn(("waiter", i as u32), async move {
            for _ in 0..each {
                black_box(event.timed_wait(SimDuration::from_nanos(10)).await);
            }
        });
        simulation.spawn(("setter", i as u32), async move {
            hold(SimDuration::from_nanos(5)).await;
            for _ in 0..each / 2 {
                set.set();
                hold(SimDuration::from_nanos(15)).await;
            }
        });
    }
    timed(operations, || {
        simulation.run().expect("every wait ends");
    })
}

/// A far time-out that is always cancelled; gives the rate and the longest event list.
fn guard(pairs: u64, operations: u64) -> (Rate, usize) {
    let mut simulation = simulation();
    let each = operations / pairs;
    let work = Work::new(each * pairs);
    for i in 0..pairs {
        let event = Event::new(("event", i as u32));
        let (set, w) = (event.clone(), Rc::clone(&work));
        simulation.spawn(("job", i as u32), async move {
            for _ in 0..each {
                event.timed_wait(SimDuration::from_secs(1_000)).await;
                w.done();
            }
        });
        let work = Rc::clone(&work);
        simulation.spawn(("end", i as u32), async move {
            for _ in 0..each {
                hold(work.source.exponential(1e9)).await;
                set.set();
            }
        });
    }
    let mut longest = 0;
    let rate = timed(operations, || {
        let mut until = SimTime::ZERO;
        while work.left.get() > 0 {
            until += SimDuration::from_millis(500);
            simulation.run_until(until).expect("no time-out fires");
            longest = longest.max(simulation.pending());
        }
    });
    (rate, longest)
}

/// Processes that are started, resumed once and end.
fn spawn_and_end(operations: u64) -> Rate {
    let simulation = simulation();
    simulation.spawn("parent", async move {
        for i in 0..operations {
            spawn(("child", i as u32), async move {
                black_box(i);
            });
            hold(SimDuration::ZERO).await;
        }
    });
    timed(operations, || {
        simulation.run().expect("every child ends");
    })
}

/// Resident memory of this process; 0 where the system does not tell.
fn resident_bytes() -> f64 {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()));
    pages.unwrap_or(0.0) * 4096.0
}

struct Row {
    name: &'static str,
    pending: u64,
    operations: u64,
    floor: f64,
    goal: f64,
    run: Box<dyn Fn(u64) -> (Rate, String)>,
}

fn row(name: &'static str, pending: u64, operations: u64, bounds: (f64, f64), run: fn(u64) -> Rate) -> Row {
    let run = Box::new(move |operations| (run(operations), String::new()));
    Row { name, pending, operations, floor: bounds.0, goal: bounds.1, run }
}

fn hold_row(name: &'static str, n: u64, operations: u64, bounds: (f64, f64)) -> Row {
    let run = Box::new(move |operations| {
        let (rate, bytes) = hold_loop(n, operations);
        (rate, if n < 10_000 { String::new() } else { format!("{bytes:.0} bytes a process") })
    });
    Row { name, pending: n, operations, floor: bounds.0, goal: bounds.1, run }
}

fn rows() -> Vec<Row> {
    let guard_run = Box::new(|operations| {
        let (rate, longest) = guard(1_000, operations);
        (rate, format!("event list at most {longest} for 1000 pairs"))
    });
    vec![
        // first, while no earlier row has left memory behind
        hold_row("hold, 10^6 processes", 1_000_000, 6_000_000, (0.25, 0.45)),
        hold_row("hold, 10^2 processes", 100, 4_000_000, (0.60, 0.75)),
        hold_row("hold, 10^4 processes", 10_000, 4_000_000, (0.55, 0.75)),
        row("ping-pong, resumptions", 100, 6_000_000, (0.9, 1.3), ping_pong),
        row("M/M/1, customers", 100, 1_000_000, (0.23, 0.32), mm1),
        row("timed wait, 1 pair", 100, 4_000_000, (0.6, 1.1), |n| timed_wait(1, n)),
        row("timed wait, 1000 pairs", 100, 4_000_000, (0.3, 0.75), |n| timed_wait(1_000, n)),
        Row {
            name: "far time-out, cancelled",
            pending: 100,
            operations: 1_000_000,
            floor: 0.0,
            goal: 0.0,
            run: guard_run,
        },
        row("spawn and end", 100, 2_000_000, (0.0, 0.0), spawn_and_end),
    ]
}

fn count(row: &str, n: u64, operations: u64) {
    let rate = match row {
        "bare-heap" => bare_heap(n, operations),
        "bare-runs" => bare_runs(n, operations),
        "hold" => hold_loop(n, operations).0,
        "ping" => ping_pong(operations),
        "mm1" => mm1(operations),
        "timed" => timed_wait(n, operations),
        "guard" => guard(n, operations).0,
        "spawn" => spawn_and_end(operations),
        other => panic!("unknown row {other}"),
    };
    eprintln!("{row} {n} {operations}: {:.2} M/s", rate / 1e6);
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--count") {
        let number = |i: usize| args[at + i].parse::<f64>().expect("a number") as u64;
        return count(&args[at + 1], number(2), number(3));
    }
    let rounds = if args.iter().any(|arg| arg == "--quick") { 1 } else { 5 };
    println!("{:<26}{:>12}{:>12}{:>8}{:>8}{:>8}", "work", "M/s", "bare M/s", "ratio", "floor", "goal");
    for row in rows() {
        let (mut bare, mut rates, mut note) = (Vec::new(), Vec::new(), String::new());
        for round in 0..rounds {
            let events = row.operations.min(4_000_000);
            bare.push(bare_best(row.pending, events));
            let (rate, said) = (row.run)(row.operations);
            rates.push(rate);
            if round == 0 {
                note = said;
            }
        }
        let (rate, limit) = (median(rates), median(bare));
        let ratio = rate / limit;
        let verdict = match ratio {
            _ if row.floor <= 0.0 => "",
            r if r >= row.goal => "goal reached",
            r if r >= row.floor => "floor reached",
            _ => "BELOW THE FLOOR",
        };
        let (rate, limit) = (rate / 1e6, limit / 1e6);
        let (name, floor, goal) = (row.name, row.floor, row.goal);
        println!("{name:<26}{rate:>12.2}{limit:>12.2}{ratio:>8.2}{floor:>8.2}{goal:>8.2}  {verdict} {note}");
    }
    println!("\nevent list alone, pop + push, M/s (heap / runs / adaptive):");
    for n in [100, 10_000, 1_000_000] {
        let (heap, runs) = (bare_heap(n, 3_000_000) / 1e6, bare_runs(n, 3_000_000) / 1e6);
        println!("{n:>9} pending {heap:>8.2} {runs:>8.2} {:>8.2}", bare_adaptive(n, 3_000_000) / 1e6);
    }
}
