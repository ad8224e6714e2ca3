//! The limit: the same models as an event loop over a binary heap, without processes, queues of a
//! library or a kernel.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use common::{INTERVAL, Outcome, SERVICE, Source};

/// Pending events: time in bits (of a positive number, so in order), sequence, process.
#[derive(Default)]
struct Events {
    heap: BinaryHeap<Reverse<(u64, u64, u32)>>,
    sequence: u64,
    now: f64,
}

impl Events {
    #[inline]
    fn after(&mut self, delay: f64, process: u32) {
        self.sequence += 1;
        self.heap.push(Reverse(((self.now + delay).to_bits(), self.sequence, process)));
    }

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let Reverse((at, _, process)) = self.heap.pop()?;
        self.now = f64::from_bits(at);
        Some(process)
    }
}

fn hold(size: u64, each: u64) -> Outcome {
    let (mut events, mut outcome) = (Events::default(), Outcome::default());
    let mut processes: Vec<(Source, u64)> = (0..size).map(|i| (Source::new(i), each)).collect();
    for (i, (source, _)) in processes.iter_mut().enumerate() {
        events.after(source.exponential(1.0), i as u32);
    }
    while let Some(i) = events.next() {
        outcome.events += 1;
        let (source, left) = &mut processes[i as usize];
        *left -= 1;
        if *left > 0 {
            let delay = source.exponential(1.0);
            events.after(delay, i);
        } else {
            outcome.check += events.now / size as f64;
        }
    }
    outcome
}

fn mm1(_: u64, customers: u64) -> Outcome {
    const ARRIVAL: u32 = 0;
    const DEPARTURE: u32 = 1;
    let (mut events, mut outcome, mut source) = (Events::default(), Outcome::default(), Source::new(0));
    // arrival and service time of everybody inside, the first of them in service
    let mut inside: VecDeque<(f64, f64)> = VecDeque::new();
    let mut arrived = 0;
    events.after(source.exponential(INTERVAL), ARRIVAL);
    while let Some(kind) = events.next() {
        if kind == ARRIVAL {
            arrived += 1;
            inside.push_back((events.now, source.exponential(SERVICE)));
            if inside.len() == 1 {
                events.after(inside[0].1, DEPARTURE);
            }
            if arrived < customers {
                events.after(source.exponential(INTERVAL), ARRIVAL);
            }
        } else {
            let (arrival, _) = inside.pop_front().expect("somebody is in service");
            outcome.events += 1;
            outcome.check += (events.now - arrival) / customers as f64;
            if let Some(&(_, service)) = inside.front() {
                events.after(service, DEPARTURE);
            }
        }
    }
    outcome
}

fn ring(size: u64, each: u64) -> Outcome {
    struct Station {
        source: Source,
        left: u64,
        messages: u64,
        waits: bool,
    }
    let (mut events, mut outcome) = (Events::default(), Outcome::default());
    let station = |i| Station { source: Source::new(i), left: each, messages: 0, waits: false };
    let mut stations: Vec<Station> = (0..size).map(station).collect();
    for (i, station) in stations.iter_mut().enumerate() {
        events.after(station.source.exponential(1.0), i as u32);
    }
    while let Some(i) = events.next() {
        let next = (i + 1) % size as u32;
        stations[i as usize].waits = true;
        stations[next as usize].messages += 1;
        for at in [next, i] {
            let station = &mut stations[at as usize];
            if station.waits && station.messages > 0 {
                station.waits = false;
                station.messages -= 1;
                station.left -= 1;
                outcome.events += 1;
                if station.left > 0 {
                    let delay = station.source.exponential(1.0);
                    events.after(delay, at);
                }
            }
        }
    }
    outcome.check = events.now;
    outcome
}

fn main() {
    common::main(hold, mm1, ring);
}
