//! Several stations: tandem (G6), closed network and machine repair (G7), barrier (G8), Amdahl's
//! law.

use std::cell::RefCell;
use std::rc::Rc;

use clustersim_kernel::stats::{DurationTable, StationLog, ratio};
use clustersim_kernel::{Facility, Simulation, hold, now, spawn, spawn_daemon, stream};
use futures::future::join_all;

use super::{Length, agree, arrivals, assert_little, exponential, mean_number, mean_stay, secs};

#[test]
fn two_exponential_servers_in_a_row_take_5_and_a_third() {
    let run = |seed| {
        let build = || {
            let stations = [("one", 1.0), ("two", 0.8)].map(|(name, _)| Facility::new(name, 1).observed());
            let whole = Rc::new(RefCell::new(StationLog::new(now())));
            let (shared, log) = (stations.clone(), Rc::clone(&whole));
            let laws = [exponential(1.0), exponential(1.0 / 0.8)];
            let mut draws = [stream("service/one"), stream("service/two")];
            arrivals("arrivals", 0.5, move || {
                let (stations, log) = (shared.clone(), Rc::clone(&log));
                let spans = [0, 1].map(|i| secs(laws[i].draw(&mut draws[i])));
                async move {
                    let visit = log.borrow_mut().enter(now());
                    stations[0].use_for(spans[0]).await;
                    stations[1].use_for(spans[1]).await;
                    log.borrow_mut().leave(now(), visit);
                }
            });
            (stations, whole)
        };
        let begin = |(stations, whole): &([Facility; 2], Rc<RefCell<StationLog>>)| {
            stations.iter().for_each(|station| station.station().unwrap().reset(now()));
            whole.borrow_mut().reset(now());
        };
        let read = |(stations, whole): &([Facility; 2], Rc<RefCell<StationLog>>)| {
            let [one, two] = [0, 1].map(|i| stations[i].station().unwrap());
            assert_little(&one);
            assert_little(&two);
            vec![mean_stay(&whole.borrow()), mean_stay(one.inside()), mean_stay(two.inside())]
        };
        Length::of(100_000.0).run(seed, build, begin, read)
    };
    agree(&[("both", 5.333_33), ("first", 2.0), ("second", 3.333_33)], run);
}

/// Customers that think for 15 s and then visit three exponential servers: throughput and response.
fn closed_network(seed: u64, customers: u32, length: Length) -> Vec<f64> {
    let build = move || {
        let stations = ["cpu", "disk", "tape"].map(|name| Facility::new(name, 1).observed());
        let system = Rc::new(RefCell::new(StationLog::new(now())));
        for customer in 0..customers {
            let (stations, system) = (stations.clone(), Rc::clone(&system));
            let laws = [15.0, 0.605, 2.1, 1.35].map(exponential);
            let names = ["think", "cpu", "disk", "tape"];
            let mut draws = names.map(|name| stream(&format!("{name}/{customer}")));
            spawn_daemon(("customer", customer), async move {
                loop {
                    hold(secs(laws[0].draw(&mut draws[0]))).await;
                    let visit = system.borrow_mut().enter(now());
                    for (i, station) in stations.iter().enumerate() {
                        station.use_for(secs(laws[i + 1].draw(&mut draws[i + 1]))).await;
                    }
                    system.borrow_mut().leave(now(), visit);
                }
            });
        }
        (stations, system)
    };
    let begin = |(stations, system): &([Facility; 3], Rc<RefCell<StationLog>>)| {
        stations.iter().for_each(|station| station.station().unwrap().reset(now()));
        system.borrow_mut().reset(now());
    };
    let read = |(stations, system): &([Facility; 3], Rc<RefCell<StationLog>>)| {
        stations.iter().for_each(|station| assert_little(&station.station().unwrap()));
        let system = system.borrow();
        let window = system.number().window(now());
        let throughput = system.left() as f64 / window.as_secs_f64();
        vec![throughput, mean_stay(&system)]
    };
    length.run(seed, build, begin, read)
}

#[test]
fn a_closed_network_has_the_throughput_of_mean_value_analysis() {
    let throughputs = [0.052_479_7, 0.103_086, 0.151_516];
    for (customers, throughput) in (1..).zip(throughputs) {
        // the response-time law
        let response = f64::from(customers) / throughput - 15.0;
        let theory = [("throughput", throughput), ("response", response)];
        agree(&theory, |seed| closed_network(seed, customers, Length::of(60_000.0)));
    }
    assert!((3.0 / throughputs[2] - 15.0 - 4.799_82_f64).abs() < 1e-3);
}

#[test]
fn six_machines_and_one_repairman_leave_him_idle_a_fifth_of_the_time() {
    let run = |seed| {
        let build = || {
            let repair = Facility::new("repair", 1).observed();
            for machine in 0..6 {
                let repair = repair.clone();
                let mut draws = stream(&format!("machine/{machine}"));
                spawn_daemon(("machine", machine), async move {
                    let (up, down) = (exponential(5.0), exponential(1.0));
                    loop {
                        hold(secs(up.draw(&mut draws))).await;
                        repair.use_for(secs(down.draw(&mut draws))).await;
                    }
                });
            }
            repair
        };
        let read = |repair: &Facility| {
            let station = repair.station().unwrap();
            assert_little(&station);
            vec![
                1.0 - station.busy().mean(now()).unwrap(),
                mean_number(station.inside()),
                mean_stay(station.inside()),
            ]
        };
        let begin = |repair: &Facility| repair.station().unwrap().reset(now());
        Length::of(40_000.0).run(seed, build, begin, read)
    };
    agree(&[("idle", 0.191_847), ("number", 1.959_24), ("response", 2.424_34)], run);
}

/// Mean time of an iteration of `tasks` exponential tasks that wait for each other at its end.
fn barrier(seed: u64, tasks: u32, length: Length) -> Vec<f64> {
    let build = move || {
        let iterations = Rc::new(RefCell::new(DurationTable::new()));
        let noted = Rc::clone(&iterations);
        spawn_daemon("program", async move {
            let law = exponential(1.0);
            let mut draws = stream("tasks");
            loop {
                let begun = now();
                let tasks: Vec<_> = (0..tasks)
                    .map(|task| {
                        let span = secs(law.draw(&mut draws));
                        spawn_daemon(("task", task), hold(span))
                    })
                    .collect();
                for task in tasks {
                    task.join().await.unwrap();
                }
                noted.borrow_mut().record(now() - begun);
            }
        });
        iterations
    };
    let read = |iterations: &Rc<RefCell<DurationTable>>| vec![iterations.borrow().mean_secs().unwrap()];
    length.run(seed, build, |iterations| iterations.borrow_mut().reset(), read)
}

#[test]
fn a_barrier_of_exponential_tasks_takes_a_harmonic_number() {
    for (tasks, expected) in [(8, 2.717_86), (16, 3.380_73)] {
        let harmonic: f64 = (1..=tasks).map(|k| 1.0 / f64::from(k)).sum();
        assert!((harmonic - expected).abs() < 1e-5);
        agree(&[("iteration", harmonic)], |seed| barrier(seed, tasks, Length::of(8_000.0)));
    }
}

#[test]
fn amdahls_law_holds_to_the_nanosecond() {
    // a serial tenth, then the rest divided among n: the speed-up is 1 / (0.1 + 0.9 / n)
    for workers in [1, 2, 9, 45] {
        let simulation = Simulation::new(1);
        simulation.spawn("program", async move {
            hold(secs(1.0)).await;
            let parts = (0..workers).map(|part| spawn(("part", part), hold(secs(9.0 / f64::from(workers)))));
            join_all(parts.map(clustersim_kernel::Process::join)).await;
        });
        let took = simulation.run().unwrap().ended_at.as_nanos();
        let expected = 1_000_000_000 + 9_000_000_000 / u64::from(workers);
        assert_eq!(took, expected);
        let speed_up = ratio(10_000_000_000, u128::from(took));
        assert!((speed_up - 1.0 / (0.1 + 0.9 / f64::from(workers))).abs() < 1e-9);
    }
}
