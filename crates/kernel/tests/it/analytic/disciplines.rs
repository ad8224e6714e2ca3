//! Other disciplines than first come, first served: processor sharing (G5) and priorities (G6, and
//! preemptive resume).

use clustersim_kernel::rng::Sampler;
use clustersim_kernel::rng::distribution::{Constant, Hyperexponential};
use clustersim_kernel::stats::StationLog;
use clustersim_kernel::{Facility, PreemptiveFacility, SharedFacility, SimTime, now, stream};

use super::{Length, agree, arrivals, assert_little, exponential, mean_number, mean_stay, secs};

/// Processor sharing at load 0.7: mean sojourn and number.
fn shared_server(seed: u64, service: &Sampler, length: Length) -> Vec<f64> {
    let service = service.clone();
    let build = move || {
        let server = SharedFacility::new("server", 1).observed();
        let (shared, mut draws) = (server.clone(), stream("service"));
        arrivals("arrivals", 0.7, move || {
            let (server, span) = (shared.clone(), secs(service.draw(&mut draws)));
            async move { server.use_for(span).await }
        });
        server
    };
    let begin = |server: &SharedFacility| server.station().unwrap().reset(now());
    let read = |server: &SharedFacility| {
        let station = server.station().unwrap();
        assert_little(&station);
        let busy = station.busy().mean(now()).unwrap();
        vec![mean_stay(station.inside()), mean_number(station.inside()), busy]
    };
    length.run(seed, build, begin, read)
}

/// Whatever the law of the service, the mean sojourn is 1 / (1 - 0.7).
const SHARING: [(&str, f64); 3] = [("sojourn", 1.0 / 0.3), ("number", 0.7 / 0.3), ("busy", 0.7)];

#[test]
fn sharing_an_exponential_server_at_load_70_takes_10_thirds() {
    agree(&SHARING, |seed| shared_server(seed, &exponential(1.0), Length::of(100_000.0)));
}

#[test]
fn sharing_a_constant_server_at_load_70_takes_10_thirds() {
    let constant = Sampler::new(Constant::new(1.0).unwrap());
    agree(&SHARING, |seed| shared_server(seed, &constant, Length::of(70_000.0)));
}

#[test]
fn sharing_a_hyperexponential_server_at_load_70_takes_10_thirds() {
    let hyper = Sampler::new(Hyperexponential::balanced(1.0, 2.0).unwrap());
    agree(&SHARING, |seed| shared_server(seed, &hyper, Length::of(220_000.0)));
}

/// Two classes of unit exponential service, 0.3 and 0.4 a second; the first goes first.
const RATES: [f64; 2] = [0.3, 0.4];
const PRIORITIES: [i64; 2] = [1, 0];

/// A log of stays for each class, kept by the customers themselves.
type Classes = [std::rc::Rc<std::cell::RefCell<StationLog>>; 2];

fn classes() -> Classes {
    [(); 2].map(|()| std::rc::Rc::new(std::cell::RefCell::new(StationLog::new(now()))))
}

fn begin(logs: &Classes, now: SimTime) {
    logs.iter().for_each(|log| log.borrow_mut().reset(now));
}

#[test]
fn without_preemption_the_first_class_waits_1_and_the_second_10_thirds() {
    let run = |seed| {
        let build = || {
            let (server, logs) = (Facility::new("server", 1).observed(), classes());
            for (class, name) in [(0, "first class"), (1, "second class")] {
                let (server, log) = (server.clone(), logs[class].clone());
                let (law, mut draws) = (exponential(1.0), stream(["first service", "second service"][class]));
                arrivals(name, RATES[class], move || {
                    let (server, log, span) = (server.clone(), log.clone(), secs(law.draw(&mut draws)));
                    async move {
                        let visit = log.borrow_mut().enter(now());
                        let served = server.reserve_at(PRIORITIES[class]).await;
                        log.borrow_mut().leave(now(), visit);
                        clustersim_kernel::hold(span).await;
                        served.release();
                    }
                });
            }
            (server, logs)
        };
        let read = |(server, logs): &(Facility, Classes)| {
            let station = server.station().unwrap();
            assert_little(&station);
            // the station's queue is both classes together
            let both: u128 = logs.iter().map(|log| log.borrow().time_in_station(now())).sum();
            assert_eq!(both, station.queue().time_in_station(now()));
            vec![mean_stay(&logs[0].borrow()), mean_stay(&logs[1].borrow())]
        };
        Length::of(260_000.0).run(
            seed,
            build,
            |(server, logs): &(Facility, Classes)| {
                server.station().unwrap().reset(now());
                begin(logs, now());
            },
            read,
        )
    };
    // Cobham: W0 / (1 - 0.3) and W0 / ((1 - 0.3) (1 - 0.7)), with W0 = 0.7 of residual service
    agree(&[("first waits", 1.0), ("second waits", 3.333_33)], run);
}

#[test]
fn with_preemption_the_first_class_stays_10_sevenths_and_the_second_100_twenty_firsts() {
    let run = |seed| {
        let build = || {
            let (server, logs) = (PreemptiveFacility::new("server", 1).observed(), classes());
            for (class, name) in [(0, "first class"), (1, "second class")] {
                let (server, log) = (server.clone(), logs[class].clone());
                let (law, mut draws) = (exponential(1.0), stream(["first service", "second service"][class]));
                arrivals(name, RATES[class], move || {
                    let (server, log, span) = (server.clone(), log.clone(), secs(law.draw(&mut draws)));
                    async move {
                        let visit = log.borrow_mut().enter(now());
                        server.use_for(PRIORITIES[class], span).await;
                        log.borrow_mut().leave(now(), visit);
                    }
                });
            }
            (server, logs)
        };
        let read = |(server, logs): &(PreemptiveFacility, Classes)| {
            let station = server.station().unwrap();
            assert_little(&station);
            let both: u128 = logs.iter().map(|log| log.borrow().time_in_station(now())).sum();
            assert_eq!(both, station.inside().time_in_station(now()));
            let busy = station.busy().mean(now()).unwrap();
            vec![mean_stay(&logs[0].borrow()), mean_stay(&logs[1].borrow()), busy]
        };
        Length::of(220_000.0).run(
            seed,
            build,
            |(server, logs): &(PreemptiveFacility, Classes)| {
                server.station().unwrap().reset(now());
                begin(logs, now());
            },
            read,
        )
    };
    // the first class sees M/M/1 of its own; the second 1 / (1 - 0.3) + 0.7 / ((1 - 0.3) (1 - 0.7))
    agree(&[("first stays", 1.0 / 0.7), ("second stays", 1.0 / 0.21), ("busy", 0.7)], run);
}
