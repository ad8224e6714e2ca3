//! Single queues, first come, first served: G1 to G4.

use std::cell::RefCell;
use std::rc::Rc;

use clustersim_kernel::rng::Sampler;
use clustersim_kernel::rng::distribution::{Constant, Erlang, Hyperexponential, Uniform};
use clustersim_kernel::stats::{Quantiles, Table};
use clustersim_kernel::{Facility, Storage, now, stream};

use super::{Length, agree, arrivals, assert_little, exponential, mean_number, mean_stay, secs};

/// M/G/1 of mean service one second: mean wait, sojourn and number, and the busy share.
fn single_server(seed: u64, load: f64, service: &Sampler, length: Length) -> Vec<f64> {
    let service = service.clone();
    let build = move || {
        let server = Facility::new("server", 1).observed();
        let (shared, mut draws) = (server.clone(), stream("service"));
        arrivals("arrivals", load, move || {
            let (server, span) = (shared.clone(), secs(service.draw(&mut draws)));
            async move { server.use_for(span).await }
        });
        server
    };
    let begin = |server: &Facility| server.station().unwrap().reset(now());
    let read = |server: &Facility| {
        let station = server.station().unwrap();
        assert_little(&station);
        vec![
            mean_stay(station.queue()),
            mean_stay(station.inside()),
            mean_number(station.inside()),
            station.busy().mean(now()).unwrap(),
        ]
    };
    length.run(seed, build, begin, read)
}

/// Wait by Pollaczek and Khinchine, for a mean service of one and its squared coefficient of
/// variation; the rest follows.
fn pollaczek_khinchine(load: f64, cs2: f64) -> [(&'static str, f64); 4] {
    let wait = load * (1.0 + cs2) / (2.0 * (1.0 - load));
    [("wait", wait), ("sojourn", wait + 1.0), ("number", load * (wait + 1.0)), ("busy", load)]
}

#[test]
fn one_exponential_server_at_load_80_waits_4_and_stays_5() {
    let theory = pollaczek_khinchine(0.8, 1.0);
    assert!((theory[1].1 - 5.0).abs() < 1e-9 && (theory[2].1 - 4.0).abs() < 1e-9);
    agree(&theory, |seed| single_server(seed, 0.8, &exponential(1.0), Length::of(260_000.0)));
}

#[test]
fn one_exponential_server_at_load_50_stays_2() {
    let theory = pollaczek_khinchine(0.5, 1.0);
    assert!((theory[1].1 - 2.0).abs() < 1e-9);
    agree(&theory, |seed| single_server(seed, 0.5, &exponential(1.0), Length::of(40_000.0)));
}

#[test]
fn one_constant_server_at_load_80_waits_2() {
    let constant = Sampler::new(Constant::new(1.0).unwrap());
    let theory = pollaczek_khinchine(0.8, 0.0);
    assert!((theory[0].1 - 2.0).abs() < 1e-9);
    agree(&theory, |seed| single_server(seed, 0.8, &constant, Length::of(150_000.0)));
}

#[test]
fn one_hyperexponential_server_of_cs2_4_at_load_80_waits_10() {
    let hyper = Sampler::new(Hyperexponential::balanced(1.0, 2.0).unwrap());
    let theory = pollaczek_khinchine(0.8, 4.0);
    assert!((theory[0].1 - 10.0).abs() < 1e-9);
    agree(&theory, |seed| single_server(seed, 0.8, &hyper, Length::of(700_000.0)));
}

#[test]
fn one_erlang_4_server_at_load_70_waits_1_4583() {
    let erlang = Sampler::new(Erlang::new(4, 1.0).unwrap());
    let theory = pollaczek_khinchine(0.7, 0.25);
    assert!((theory[0].1 - 1.458_333).abs() < 1e-6);
    agree(&theory, |seed| single_server(seed, 0.7, &erlang, Length::of(80_000.0)));
}

#[test]
fn one_uniform_server_at_load_60_waits_1() {
    let uniform = Sampler::new(Uniform::new(0.0, 2.0).unwrap());
    let theory = pollaczek_khinchine(0.6, 1.0 / 3.0);
    assert!((theory[0].1 - 1.0).abs() < 1e-9);
    agree(&theory, |seed| single_server(seed, 0.6, &uniform, Length::of(60_000.0)));
}

#[test]
fn nine_of_ten_customers_of_an_exponential_server_at_load_80_stay_less_than_11_513() {
    let run = |seed| {
        let sojourns = Rc::new(RefCell::new(Quantiles::new()));
        let all = Rc::clone(&sojourns);
        let build = move || {
            let server = Facility::new("server", 1);
            let mut draws = stream("service");
            let law = exponential(1.0);
            arrivals("arrivals", 0.8, move || {
                let (server, span) = (server.clone(), secs(law.draw(&mut draws)));
                let sojourns = Rc::clone(&sojourns);
                async move {
                    let arrived = now();
                    server.use_for(span).await;
                    sojourns.borrow_mut().record((now() - arrived).as_secs_f64());
                }
            });
            all
        };
        Length::of(300_000.0).run(
            seed,
            build,
            |all| all.borrow_mut().reset(),
            |all| vec![all.borrow_mut().quantile(9, 10).unwrap()],
        )
    };
    agree(&[("90 % quantile", 11.513)], run);
}

/// M/M/c with unit service: the share of customers that wait, and the mean wait.
fn many_servers(seed: u64, servers: u32, rate: f64, length: Length) -> Vec<f64> {
    let build = move || {
        let server = Facility::new("servers", servers).observed();
        let waited = Rc::new(RefCell::new(Table::new()));
        let (shared, noted) = (server.clone(), Rc::clone(&waited));
        let (law, mut draws) = (exponential(1.0), stream("service"));
        arrivals("arrivals", rate, move || {
            let (server, span, waited) = (shared.clone(), secs(law.draw(&mut draws)), Rc::clone(&noted));
            async move {
                let must_wait = server.busy() == server.servers();
                waited.borrow_mut().record(f64::from(u8::from(must_wait)));
                server.use_for(span).await;
            }
        });
        (server, waited)
    };
    let begin = |(server, waited): &(Facility, Rc<RefCell<Table>>)| {
        server.station().unwrap().reset(now());
        waited.borrow_mut().reset();
    };
    let read = |(server, waited): &(Facility, Rc<RefCell<Table>>)| {
        let station = server.station().unwrap();
        assert_little(&station);
        vec![waited.borrow().mean().unwrap(), mean_stay(station.queue()), mean_number(station.queue())]
    };
    length.run(seed, build, begin, read)
}

#[test]
fn of_four_exponential_servers_at_load_80_six_customers_in_ten_wait() {
    let theory = [("waiting share", 0.596_43), ("wait", 0.745_54), ("queue", 3.2 * 0.745_54)];
    agree(&theory, |seed| many_servers(seed, 4, 3.2, Length::of(120_000.0)));
}

#[test]
fn of_two_exponential_servers_at_load_80_seven_customers_in_ten_wait() {
    let theory = [("waiting share", 0.711_11), ("wait", 1.777_78), ("queue", 1.6 * 1.777_78)];
    agree(&theory, |seed| many_servers(seed, 2, 1.6, Length::of(160_000.0)));
}

/// The same customers at a facility of four servers and at a store of four units: every sojourn is
/// equal.
#[test]
fn one_unit_requests_to_a_storage_are_served_as_by_as_many_servers() {
    let run = |stored: bool| {
        let build = move || {
            let (server, store) = (Facility::new("servers", 4), Storage::new("store", 4));
            let sojourns = Rc::new(RefCell::new(Vec::new()));
            let (law, mut draws, noted) = (exponential(1.0), stream("service"), Rc::clone(&sojourns));
            arrivals("arrivals", 3.2, move || {
                let (server, store) = (server.clone(), store.clone());
                let (span, noted) = (secs(law.draw(&mut draws)), Rc::clone(&noted));
                async move {
                    let arrived = now();
                    if stored {
                        let unit = store.allocate(1).await;
                        clustersim_kernel::hold(span).await;
                        unit.deallocate();
                    } else {
                        server.use_for(span).await;
                    }
                    noted.borrow_mut().push((now() - arrived).as_secs_f64());
                }
            });
            sojourns
        };
        Length::of(5_000.0).run(1, build, |_| (), |sojourns| sojourns.take())
    };
    let (served, stored) = (run(false), run(true));
    assert!(served.len() > 10_000);
    assert_eq!(served, stored);
}

#[test]
fn a_room_for_five_at_load_80_turns_nine_customers_in_a_hundred_away() {
    let run = |seed| {
        let build = || {
            let server = Facility::new("server", 1).observed();
            let lost = Rc::new(RefCell::new(Table::new()));
            let (shared, noted) = (server.clone(), Rc::clone(&lost));
            let (law, mut draws) = (exponential(1.0), stream("service"));
            arrivals("arrivals", 0.8, move || {
                let (server, span, lost) = (shared.clone(), secs(law.draw(&mut draws)), Rc::clone(&noted));
                async move {
                    let full = server.busy() as usize + server.queued() == 5;
                    lost.borrow_mut().record(f64::from(u8::from(full)));
                    if !full {
                        server.use_for(span).await;
                    }
                }
            });
            (server, lost)
        };
        let begin = |(server, lost): &(Facility, Rc<RefCell<Table>>)| {
            server.station().unwrap().reset(now());
            lost.borrow_mut().reset();
        };
        let read = |(server, lost): &(Facility, Rc<RefCell<Table>>)| {
            let station = server.station().unwrap();
            assert_little(&station);
            vec![lost.borrow().mean().unwrap(), mean_number(station.inside()), mean_stay(station.inside())]
        };
        Length::of(60_000.0).run(seed, build, begin, read)
    };
    agree(&[("lost", 0.088_819), ("number", 1.868_33), ("sojourn of the accepted", 2.563_07)], run);
}

#[test]
#[should_panic(expected = "not by the rule")]
fn the_rule_notices_a_theory_that_is_3_percent_off() {
    agree(&[("wait", 1.03), ("sojourn", 2.0), ("number", 1.0), ("busy", 0.5)], |seed| {
        single_server(seed, 0.5, &exponential(1.0), Length::of(40_000.0))
    });
}
