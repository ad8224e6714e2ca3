//! Networks as processes: what transfers take alone, together, and where links fail.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use clustersim_kernel::rng::distribution::{Constant, Exponential, Sampler};
use clustersim_kernel::{Outcome, SimDuration, SimError, SimTime, Simulation, hold, now, timed};
use clustersim_platform::network::traffic::Traffic;
use clustersim_platform::network::{Flow, Network, Packet, TransferFailed, Transport};
use clustersim_platform::sharing::Discipline;
use clustersim_platform::{
    Builder, Duplex, Host, HostId, Link, Model, Platform, Routing, Spoke, Trace, ZoneId,
};
use proptest::prelude::*;

use super::packet_time::{PacketLink, packet_time};

pub(crate) fn secs(secs: f64) -> SimTime {
    SimTime::ZERO + SimDuration::ceil_secs(secs)
}

/// Hosts in a row, and a route over all of `links` from the first to the last.
fn row(links: &[Link]) -> Arc<Platform> {
    let mut builder = Builder::new();
    let [from, to] = ["a", "b"].map(|name| builder.host(Host::new(name, 1.0)).unwrap());
    let ids: Vec<_> = links
        .iter()
        .enumerate()
        .map(|(place, link)| builder.link(format!("l{place}"), link.clone()).unwrap())
        .collect();
    builder.symmetric_route(from, to, &ids);
    Arc::new(builder.build())
}

const A: HostId = HostId::new(0);
const B: HostId = HostId::new(1);

/// Ends of transfers from A to B of (start, size), in the order in which they are given.
fn ends(
    platform: &Arc<Platform>,
    transport: &dyn Transport,
    transfers: &[(f64, f64)],
) -> Vec<(SimTime, Result<(), TransferFailed>)> {
    let simulation = Simulation::new(1);
    let network = simulation.enter(|| Network::begin(platform, transport)).unwrap();
    let ends = Rc::new(RefCell::new(vec![None; transfers.len()]));
    for (place, &(start, size)) in transfers.iter().enumerate() {
        let (network, ends) = (network.clone(), Rc::clone(&ends));
        simulation.spawn("transfer", async move {
            hold(SimDuration::ceil_secs(start)).await;
            let result = network.transfer(A, B, size, None).await;
            ends.borrow_mut()[place] = Some((now(), result));
        });
    }
    simulation.run().unwrap();
    ends.take().into_iter().map(|end| end.expect("every transfer ends")).collect()
}

fn times(platform: &Arc<Platform>, transport: &dyn Transport, transfers: &[(f64, f64)]) -> Vec<SimTime> {
    let fine = |(at, result): (SimTime, Result<(), TransferFailed>)| {
        result.expect("nothing fails");
        at
    };
    ends(platform, transport, transfers).into_iter().map(fine).collect()
}

fn packets(size: f64, discipline: Discipline) -> Packet {
    Packet { size: Some(size), discipline }
}

/// One that starts at the very instant at which another ends takes nothing from it, whoever of the
/// two is seen to first.
#[test]
fn a_transfer_may_start_as_another_ends() {
    let platform = row(&[Link::new(10.0, 0.0)]);
    let transports: [&dyn Transport; 3] = [
        &Flow::default(),
        &packets(5.0, Discipline::Fifo),
        &Packet { size: None, discipline: Discipline::Shared },
    ];
    for transport in transports {
        let found = times(&platform, transport, &[(0.0, 20.0), (2.0, 10.0), (3.0, 0.0), (3.0, 10.0)]);
        assert_eq!(found, [secs(2.0), secs(3.0), secs(3.0), secs(4.0)], "{transport:?}");
    }
}

/// EXPERIMENTS C5: 1 MB over two links of 1 MB/s.
#[test]
fn a_megabyte_in_packets_whole_and_as_a_flow_takes_1_1_and_2_and_1_seconds() {
    let platform = row(&[Link::new(1e6, 0.0), Link::new(1e6, 0.0)]);
    for discipline in [Discipline::Fifo, Discipline::Frfo, Discipline::Shared] {
        assert_eq!(times(&platform, &packets(1e5, discipline), &[(0.0, 1e6)]), [secs(1.1)], "{discipline:?}");
        let whole = Packet { size: None, discipline };
        assert_eq!(times(&platform, &whole, &[(0.0, 1e6)]), [secs(2.0)], "{discipline:?}");
    }
    assert_eq!(times(&platform, &Flow::default(), &[(0.0, 1e6)]), [secs(1.0)]);
}

/// EXPERIMENTS C6: one flow without latency, one with 2 s, over a link of 10 that both share.
#[test]
fn a_flow_takes_no_bandwidth_while_it_waits_for_its_latency() {
    let mut builder = Builder::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| builder.host(Host::new(name, 1.0)).unwrap());
    let shared = builder.link("shared", Link::new(10.0, 0.0)).unwrap();
    let far = builder.link("far", Link::new(1e9, 2.0)).unwrap();
    builder.route(a, b, &[shared]);
    builder.route(a, c, &[shared, far]);
    let platform = Arc::new(builder.build());
    let simulation = Simulation::new(1);
    // weights by round-trip time, made equal
    let model =
        clustersim_platform::Model { rtt_floor: Some(SimDuration::from_secs(4)), ..Default::default() };
    let network = simulation.enter(|| Network::begin(&platform, &Flow { model })).unwrap();
    for (to, size) in [(b, 40.0), (c, 20.0)] {
        let network = network.clone();
        simulation.spawn("transfer", async move {
            network.transfer(a, to, size, None).await.unwrap();
            assert_eq!(now(), secs(6.0), "to {to:?}");
        });
    }
    assert_eq!(simulation.run().unwrap().ended_at, secs(6.0));
}

/// EXPERIMENTS C7: 100 kB over 10 ms and 1 Mbit/s, plain and with the corrections fitted to TCP.
#[test]
fn one_transfer_takes_what_is_published_with_and_without_corrections() {
    let platform = row(&[Link::new(125_000.0, 0.01)]);
    assert_eq!(times(&platform, &Flow::default(), &[(0.0, 1e5)]), [secs(0.81)]);
    let fitted = times(&platform, &Flow::lv08(), &[(0.0, 1e5)])[0].as_secs_f64();
    assert!((fitted - 0.996_079).abs() < 1e-5, "{fitted}");
}

#[test]
fn a_transfer_within_a_host_takes_no_time_and_one_without_a_route_is_an_error() {
    let mut builder = Builder::new();
    let [a, b] = ["a", "b"].map(|name| builder.host(Host::new(name, 1.0)).unwrap());
    let platform = Arc::new(builder.build());
    let simulation = Simulation::new(1);
    let network = simulation.enter(|| Network::begin(&platform, &Flow::default())).unwrap();
    simulation.spawn("transfer", async move {
        assert_eq!(network.transfer(a, a, 1e9, None).await, Ok(()));
        let lost = network.transfer(a, b, 1.0, None).await.expect_err("no route");
        assert_eq!(lost.to_string(), "no route from `a` to `b`");
        assert_eq!(network.under_way(), 0);
    });
    assert_eq!(simulation.run().unwrap().ended_at, SimTime::ZERO);
}

/// 1,000 transfers that start at one instant, one of them only after others have been resumed in
/// it. A Vivaldi zone: 3 and 4 ms aside of each other in the plane, 1 and 2 ms high, which makes 8
/// ms.
fn coordinates(spokes: bool) -> Arc<Platform> {
    let mut builder = Builder::new();
    let zone = builder.zone(ZoneId::TOP, "net", Routing::Vivaldi).unwrap();
    for (name, place) in [("a", [3.0, 0.0, 1.0]), ("b", [0.0, 4.0, 2.0])] {
        let host = builder.host_in(zone, Host::new(name, 1.0)).unwrap();
        builder.place(host, place, None).unwrap();
        if spokes {
            let Duplex { up, down } = builder.split_link(name, Link::new(1e6, 0.001)).unwrap();
            builder.spoke(host, Spoke::new(up, down)).unwrap();
        }
    }
    Arc::new(builder.build())
}

#[test]
fn coordinates_make_transfers_longer_by_what_no_link_takes() {
    let platform = coordinates(true);
    // 2 ms on the links, 8 ms beyond them
    assert_eq!(times(&platform, &Flow::default(), &[(0.0, 1e6)]), [secs(1.010)]);
    for discipline in [Discipline::Fifo, Discipline::Frfo, Discipline::Shared] {
        assert_eq!(
            times(&platform, &packets(1e5, discipline), &[(0.0, 1e6)]),
            [secs(1.110)],
            "{discipline:?}"
        );
        let whole = Packet { size: None, discipline };
        assert_eq!(times(&platform, &whole, &[(0.0, 1e6)]), [secs(2.010)], "{discipline:?}");
    }
    // the round trip that the window has to last for is of all of it: 10 ms there, 20 ms both ways
    let windowed = Flow { model: Model { tcp_window: Some(10_000.0), ..Model::default() } };
    assert_eq!(times(&platform, &windowed, &[(0.0, 1e6)]), [secs(2.010)]);
    let platform = coordinates(false);
    let whole = Packet { size: None, discipline: Discipline::Frfo };
    for transport in [&Flow::default() as &dyn Transport, &whole] {
        assert_eq!(times(&platform, transport, &[(0.0, 1e6)]), [secs(0.008)], "{transport:?}");
    }
}

#[test]
fn many_starts_at_one_instant_cost_the_network_one_turn() {
    let platform = row(&[Link::new(1e3, 0.0)]);
    let events = |count: u32| {
        let simulation = Simulation::new(1);
        let network = simulation.enter(|| Network::begin(&platform, &Flow::default())).unwrap();
        for index in 0..count {
            let network = network.clone();
            simulation.spawn(("transfer", index), async move {
                hold(SimDuration::from_secs(1)).await;
                hold(SimDuration::ZERO).await;
                network.transfer(A, B, 1.0, None).await.unwrap();
            });
        }
        let outcome = simulation.run().unwrap();
        assert_eq!(outcome.ended_at, secs(1.0 + f64::from(count) / 1e3));
        outcome.events
    };
    // start, two holds and an end for each transfer; the network has the same turns for all
    assert_eq!(events(1_000) - events(10), 4 * 990);
}

#[test]
fn a_link_that_fails_ends_its_transfers_with_an_error_at_that_instant() {
    let working = Trace::new(&[(secs(2.0), 0.0), (secs(5.0), 1.0)], None).unwrap().before(1.0);
    let platform = row(&[Link::new(10.0, 0.0), Link { working, ..Link::new(10.0, 0.0) }]);
    let lost = Err(TransferFailed::Link("l1".to_owned()));
    let transfers = [(0.0, 100.0), (3.0, 10.0), (6.0, 10.0)];
    let flows = ends(&platform, &Flow::default(), &transfers);
    assert_eq!(flows, [(secs(2.0), lost.clone()), (secs(3.0), lost.clone()), (secs(7.0), Ok(()))]);
    for discipline in [Discipline::Fifo, Discipline::Frfo, Discipline::Shared] {
        let found = ends(&platform, &packets(1.0, discipline), &transfers);
        let expected = [(secs(2.0), lost.clone()), (secs(3.0), lost.clone()), (secs(7.1), Ok(()))];
        assert_eq!(found, expected, "{discipline:?}");
    }
}

#[test]
fn transfers_that_start_at_one_instant_over_a_link_that_does_not_work_all_fail() {
    let working = Trace::new(&[(secs(2.0), 0.0)], None).unwrap().before(1.0);
    let platform = row(&[Link::new(10.0, 0.0), Link { working, ..Link::new(10.0, 0.0) }]);
    let lost = (secs(3.0), Err(TransferFailed::Link("l1".to_owned())));
    let transports: [&dyn Transport; 2] = [&Flow::default(), &packets(1.0, Discipline::Fifo)];
    for transport in transports {
        assert_eq!(ends(&platform, transport, &[(3.0, 10.0); 3]), vec![lost.clone(); 3]);
    }
}

#[test]
fn a_transfer_whose_future_is_dropped_gives_its_bandwidth_back() {
    for transport in [&Flow::default() as &dyn Transport, &packets(1.0, Discipline::Shared)] {
        let platform = row(&[Link::new(10.0, 0.0)]);
        let simulation = Simulation::new(1);
        let network = simulation.enter(|| Network::begin(&platform, transport)).unwrap();
        let other = network.clone();
        simulation.spawn("impatient", async move {
            let limit = SimDuration::from_secs(2);
            assert_eq!(timed(limit, other.transfer(A, B, 1_000.0, None)).await, None);
            assert_eq!(other.under_way(), 1);
        });
        simulation.spawn("patient", async move {
            network.transfer(A, B, 30.0, None).await.unwrap();
            // 10 by 2 s at half the rate, the rest at all of it
            assert_eq!(now(), secs(4.0));
        });
        simulation.run().unwrap();
    }
}

#[test]
fn a_bound_limits_a_transfer_in_every_model() {
    let platform = row(&[Link::new(10.0, 0.0)]);
    for transport in [&Flow::default() as &dyn Transport, &packets(1.0, Discipline::Frfo)] {
        let simulation = Simulation::new(1);
        let network = simulation.enter(|| Network::begin(&platform, transport)).unwrap();
        simulation.spawn("transfer", async move {
            network.transfer(A, B, 10.0, Some(2.0)).await.unwrap();
        });
        let end = simulation.run().unwrap().ended_at;
        // ten packets a half second apart, the last sent at 4.5 s and carried for 0.1 s
        assert!(end == secs(5.0) || end == secs(4.6), "{end}");
    }
}

/// Two transfers of three packets each, the second half a packet later, over two links that carry
/// one a second.
#[test]
fn packets_of_two_transfers_go_as_the_discipline_says() {
    let platform = row(&[Link::new(1.0, 0.0), Link::new(1.0, 0.0)]);
    let transfers = [(0.0, 3.0), (0.5, 3.0)];
    for discipline in [Discipline::Fifo, Discipline::Frfo] {
        assert_eq!(times(&platform, &packets(1.0, discipline), &transfers), [4.0, 7.0].map(secs));
    }
    // Worked out by hand: on the first link packets end at 1.5, 2.5, 3.5 twice etc.; both have
    // theirs within a second
    let shared = times(&platform, &packets(1.0, Discipline::Shared), &transfers);
    assert!(shared[0] > secs(6.0) && shared[1] <= secs(7.5), "{shared:?}");
}

/// The link to `c` is far: its packets leave `a` first and arrive last.
#[test]
fn a_fifo_link_waits_for_the_packet_that_left_first_and_an_frfo_link_does_not() {
    let mut builder = Builder::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| builder.host(Host::new(name, 1.0)).unwrap());
    let far = builder.link("far", Link::new(1.0, 5.0)).unwrap();
    let near = builder.link("near", Link::new(1.0, 0.0)).unwrap();
    let last = builder.link("last", Link::new(1.0, 0.0)).unwrap();
    builder.route(a, c, &[far, last]);
    builder.route(b, c, &[near, last]);
    let platform = Arc::new(builder.build());
    for (discipline, ends) in [(Discipline::Fifo, [7.0, 8.0]), (Discipline::Frfo, [7.0, 3.0])] {
        let simulation = Simulation::new(1);
        let network = simulation.enter(|| Network::begin(&platform, &packets(1.0, discipline))).unwrap();
        for (from, start, end) in [(a, 0.0, ends[0]), (b, 1.0, ends[1])] {
            let network = network.clone();
            simulation.spawn("transfer", async move {
                hold(SimDuration::ceil_secs(start)).await;
                network.transfer(from, c, 1.0, None).await.unwrap();
                assert_eq!(now(), secs(end), "{discipline:?}");
            });
        }
        simulation.run().unwrap();
    }
}

#[test]
fn each_transfer_has_all_of_a_fatpipe() {
    let platform = row(&[Link::new(10.0, 0.5).fatpipe()]);
    let transfers = [(0.0, 20.0), (0.0, 20.0), (1.0, 10.0)];
    for transport in [&Flow::default() as &dyn Transport, &packets(1.0, Discipline::Frfo)] {
        assert_eq!(times(&platform, transport, &transfers), [2.5, 2.5, 2.5].map(secs), "{transport:?}");
    }
}

#[test]
fn a_million_packets_take_no_longer_than_their_number() {
    let platform = row(&[Link::new(1e6, 0.0), Link::new(1e6, 0.0)]);
    for discipline in [Discipline::Frfo, Discipline::Shared] {
        let ends = times(&platform, &packets(1.0, discipline), &[(0.0, 2e5)]);
        assert_eq!(ends, [secs(0.200_001)], "{discipline:?}");
    }
}

/// Background flows take half of the link while they last, and end no run.
#[test]
fn background_traffic_slows_others_down_and_keeps_no_run_from_being_over() {
    let platform = row(&[Link::new(10.0, 0.0)]);
    let counted = |seed: u64, interarrival: Sampler, count: Option<u64>| -> Outcome {
        let simulation = Simulation::new(seed);
        let network = simulation.enter(|| Network::begin(&platform, &Flow::default())).unwrap();
        let size = Sampler::new(Constant::new(5.0).unwrap());
        let (name, start) = ("noise".to_owned(), SimTime::ZERO);
        let traffic = Traffic { name, from: A, to: B, start, count, interarrival, size };
        simulation.enter(|| traffic.begin(&network));
        simulation.spawn("transfer", async move {
            network.transfer(A, B, 40.0, None).await.unwrap();
        });
        simulation.run().unwrap()
    };
    let run = |seed: u64, interarrival: Sampler| counted(seed, interarrival, None);
    // every 2 s one of 5: it takes a second at half the rate
    let steady = run(1, Sampler::new(Constant::new(2.0).unwrap()));
    assert_eq!(steady.ended_at, secs(5.0));
    // only the first of them
    assert_eq!(counted(1, Sampler::new(Constant::new(2.0).unwrap()), Some(1)).ended_at, secs(4.5));
    let drawn = || Sampler::new(Exponential::new(2.0).unwrap());
    assert_eq!(run(7, drawn()), run(7, drawn()));
    assert_ne!(run(7, drawn()).ended_at, run(8, drawn()).ended_at);
}

#[test]
fn a_transfer_that_never_ends_is_a_deadlock_that_is_named() {
    let bandwidth = Trace::new(&[(secs(1.0), 0.0)], None).unwrap().before(10.0);
    let platform = row(&[Link { bandwidth, ..Link::new(1.0, 0.0) }]);
    let simulation = Simulation::new(1);
    let network = simulation.enter(|| Network::begin(&platform, &Flow::default())).unwrap();
    simulation.spawn("sender", async move {
        network.transfer(A, B, 20.0, None).await.unwrap();
    });
    let error = simulation.run().expect_err("10 are left and nothing carries them");
    assert!(matches!(error, SimError::Deadlock { .. }));
    assert!(error.to_string().contains("the end of a transfer"), "{error}");
}

#[test]
fn traces_of_links_that_nobody_uses_wake_nobody() {
    let bandwidth = Trace::new(&[(secs(0.0), 5.0), (secs(0.001), 10.0)], Some(SimDuration::from_millis(1)));
    let platform = row(&[Link { bandwidth: bandwidth.unwrap(), ..Link::new(1.0, 0.0) }]);
    let simulation = Simulation::new(1);
    let network = simulation.enter(|| Network::begin(&platform, &Flow::default())).unwrap();
    simulation.spawn("idler", async move {
        hold(SimDuration::from_secs(1_000)).await;
        network.transfer(A, B, 0.015, None).await.unwrap();
        assert_eq!(now(), secs(1_000.002));
    });
    assert!(simulation.run().unwrap().events < 20);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A transfer by itself takes what the closed form says, and up to a nanosecond more for every
    /// packet and link.
    #[test]
    fn packets_by_themselves_take_what_the_closed_form_says(
        route in prop::collection::vec((1_u32..1_000, 0_u32..50), 1..5),
        size in 1_u32..5_000,
        packet in 1_u32..500,
        fifo in any::<bool>(),
    ) {
        let links: Vec<Link> =
            route.iter().map(|&(bandwidth, latency)| Link::new(f64::from(bandwidth), f64::from(latency))).collect();
        let plain: Vec<PacketLink> = route
            .iter()
            .map(|&(bandwidth, latency)| PacketLink { bandwidth: bandwidth.into(), latency: latency.into() })
            .collect();
        let expected = packet_time(&plain, size.into(), packet.into()).as_nanos();
        let discipline = if fifo { Discipline::Fifo } else { Discipline::Shared };
        let found = times(&row(&links), &packets(packet.into(), discipline), &[(0.0, size.into())]);
        let found = found[0].as_nanos();
        let slack = u64::from(size.div_ceil(packet)) + route.len() as u64 + 1;
        prop_assert!(found + 2 >= expected && found <= expected + slack, "{found} {expected}");
    }
}

/// The second starts at the very instant at which the first ends, and before that is told.
#[test]
fn a_transfer_that_starts_as_another_ends_leaves_it_its_end() {
    let platform = row(&[Link::new(1.0, 0.0)]);
    let transports: [&dyn Transport; 2] = [&Flow::default(), &packets(1.0, Discipline::Fifo)];
    for transport in transports {
        assert_eq!(times(&platform, transport, &[(0.0, 1.0), (1.0, 2.0)]), [secs(1.0), secs(3.0)]);
    }
}
