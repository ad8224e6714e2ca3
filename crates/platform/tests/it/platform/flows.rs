//! Flows in time: SimGrid's completion times, worked examples, and a plain stepper over the
//! textbook's shares.

use clustersim_kernel::rng::{Stream, Streams};
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_platform::network::Carrier;
use clustersim_platform::sharing::{Crossing, LinkId, OutOfRange, SharingPolicy};
use clustersim_platform::{End, Ended, Flows, Link, Model, Request, Trace, TransferId};
use serde_json::Value;

use super::progressive_filling::{Demand, progressive_filling};

use clustersim_testing::program::repository;

fn secs(secs: f64) -> SimTime {
    SimTime::ZERO + SimDuration::ceil_secs(secs)
}

fn flows(model: Model, links: Vec<Link>) -> Flows {
    let mut flows = Flows::new(model).unwrap();
    for link in links {
        flows.add_link(link).unwrap();
    }
    flows
}

fn route(links: &[u32]) -> Vec<LinkId> {
    links.iter().map(|&link| LinkId::new(link)).collect()
}

fn start(flows: &mut Flows, size: f64, links: &[u32]) -> TransferId {
    let request = Request { size, route: &route(links), back: &[], bound: None, extra_latency: 0.0 };
    flows.start(request).unwrap()
}

/// When each of `transfers` completed, after everything has happened.
fn completions(flows: &mut Flows, transfers: &[TransferId]) -> Vec<SimTime> {
    let ended = flows.advance(secs(1e6));
    let end = |id: &TransferId| *ended.iter().find(|ended| ended.transfer == *id).expect("it ended");
    let ends: Vec<Ended> = transfers.iter().map(end).collect();
    assert!(ends.iter().all(|ended| ended.end == End::Completed), "{ends:?}");
    ends.into_iter().map(|ended| ended.at).collect()
}

/// A set of flows with the completion times of SimGrid.
fn compare(case: &Value) {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let links = case["platform"]["links"].as_array().unwrap();
    let names: Vec<String> = links.iter().map(|link| text(&link["name"])).collect();
    let mut network = Flows::new(Model::default()).unwrap();
    for link in links {
        let made = Link::new(link["bandwidth"].as_f64().unwrap(), link["latency"].as_f64().unwrap());
        network.add_link(if link["policy"] == "FATPIPE" { made.fatpipe() } else { made }).unwrap();
    }
    let mut asked: Vec<(SimTime, usize)> = Vec::new();
    let flows = case["flows"].as_array().unwrap();
    for (index, flow) in flows.iter().enumerate() {
        asked.push((secs(flow["start"].as_f64().unwrap()), index));
    }
    asked.sort();
    let (mut started, mut ends) = (vec![None; flows.len()], Vec::new());
    for (at, index) in asked {
        ends.extend(network.advance(at));
        let flow = &flows[index];
        let routes = case["platform"]["routes"].as_array().unwrap();
        let way = routes.iter().find(|way| way["src"] == flow["src"] && way["dst"] == flow["dst"]).unwrap();
        let number = |name: &Value| names.iter().position(|other| other == name.as_str().unwrap()).unwrap();
        let way: Vec<u32> = way["links"].as_array().unwrap().iter().map(|name| number(name) as u32).collect();
        let (size, bound) = (flow["bytes"].as_f64().unwrap(), flow["rate"].as_f64());
        started[index] = Some(
            network
                .start(Request { size, route: &route(&way), back: &[], bound, extra_latency: 0.0 })
                .unwrap(),
        );
    }
    ends.extend(network.advance(secs(1e9)));
    let tolerance = case["tolerance_rel"].as_f64().unwrap();
    assert_eq!(ends.len(), flows.len());
    for (index, completion) in case["completion"].as_array().unwrap().iter().enumerate() {
        assert_eq!(completion["id"], flows[index]["id"]);
        let end = ends.iter().find(|ended| Some(ended.transfer) == started[index]).unwrap();
        let (found, expected) = (end.at.as_secs_f64(), completion["simgrid"].as_f64().unwrap());
        let name = &case["name"];
        assert!((found - expected).abs() <= tolerance * expected, "{name} {index}: {found}, not {expected}");
    }
}

#[test]
fn flows_complete_when_they_do_in_simgrid() {
    let folder = repository("tests/data/flows");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert_eq!(files.len(), 17);
    for file in files {
        compare(&serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap());
    }
}

/// A link of 10: A (40) has it to itself until B (20) has waited 2 s, as long as to have half of
/// each afterwards.
#[test]
fn a_flow_takes_no_bandwidth_while_it_waits_for_its_latency() {
    let mut network = flows(Model::default(), vec![Link::new(10.0, 0.0), Link::new(100.0, 2.0)]);
    // a round-trip time of 4 s for both: equal weights
    let floor = Some(SimDuration::from_secs(4));
    let mut even = flows(
        Model { rtt_floor: floor, ..Model::default() },
        vec![Link::new(10.0, 0.0), Link::new(100.0, 2.0)],
    );
    for (network, ends) in [(&mut even, [6.0, 6.0]), (&mut network, [5.0, 6.0])] {
        let transfers = [start(network, 40.0, &[0]), start(network, 20.0, &[0, 1])];
        assert_eq!(network.rate(transfers[1]).to_bits(), 0.0_f64.to_bits());
        assert_eq!(completions(network, &transfers), ends.map(secs));
    }
}

/// 100 kB over 10 ms and 1 Mbit/s: 0.8 s and the latency; 13.01 latencies and 1.05 times the size
/// at 0.97 with all corrections.
#[test]
fn corrections_give_the_times_that_simgrid_documents() {
    let run = |model: Model| {
        let mut network = flows(model, vec![Link::new(125_000.0, 0.01)]);
        let way = route(&[0]);
        let request = Request { size: 100_000.0, route: &way, back: &way, bound: None, extra_latency: 0.0 };
        let transfer = network.start(request).unwrap();
        completions(&mut network, &[transfer])[0].as_secs_f64()
    };
    assert!((run(Model::default()) - 0.81).abs() < 1e-9);
    assert!((run(Model::lv08()) - 0.996_079).abs() < 1e-6);
    assert!((run(Model { cross_traffic: 0.0, ..Model::lv08() }) - 0.954_842).abs() < 1e-6);
    // a window of 1 kB in a round trip of 20 ms is 50 kB/s
    assert!((run(Model { tcp_window: Some(1_000.0), ..Model::default() }) - 2.01).abs() < 1e-9);
}

/// A link of 10 for two, of whom one has a latency of 1 s and, from 5 s on, of 3 s: 5 each from 1
/// s, then 2.5 and 7.5.
#[test]
fn weights_follow_latencies() {
    let latency = Trace::new(&[(secs(5.0), 3.0)], None).unwrap().before(1.0);
    let changing = Link { latency, ..Link::new(100.0, 0.0) };
    let links = vec![Link::new(10.0, 0.0), changing, Link::new(100.0, 1.0)];
    let mut network = flows(Model::default(), links.clone());
    let transfers = [start(&mut network, 40.0, &[0, 1]), start(&mut network, 50.0, &[0, 2])];
    // the second has 20 by 5 s and 30 more by 9 s; the first has 10 left then
    assert_eq!(completions(&mut network, &transfers), [10.0, 9.0].map(secs));
    // the window as well: 6 in a round trip of 2 s, and of 6 s; who waits for its latency is no
    // exception
    let mut network = flows(Model { tcp_window: Some(6.0), ..Model::default() }, links);
    let first = start(&mut network, 20.0, &[0, 1]);
    network.advance(secs(4.5));
    let second = start(&mut network, 1.0, &[0, 1]);
    // 12 by 5 s, then 1 a second; the second waits for 1 s and has 1 a second
    assert_eq!(completions(&mut network, &[first, second]), [13.0, 6.5].map(secs));
}

/// 10 until 2 s, nothing until 5 s, 20 from then on; another link of 10 comes round.
#[test]
fn bandwidths_follow_their_traces() {
    let points = [(secs(2.0), 0.0), (secs(5.0), 20.0)];
    let bandwidth = Trace::new(&points, None).unwrap().before(10.0);
    let round = Trace::new(&[(secs(0.0), 10.0), (secs(1.0), 5.0)], Some(SimDuration::from_secs(1))).unwrap();
    let links =
        vec![Link { bandwidth, ..Link::new(0.0, 0.0) }, Link { bandwidth: round, ..Link::new(0.0, 0.0) }];
    let mut network = flows(Model::default(), links);
    let transfers =
        [start(&mut network, 40.0, &[0]), start(&mut network, 80.0, &[0]), start(&mut network, 34.0, &[1])];
    // 10 each by 2 s; from 5 s 10 a second, so that the first has its 40 at 8 s; the other has 40
    // left for 20 a second
    assert_eq!(completions(&mut network, &transfers), [8.0, 10.0, 4.4].map(secs));
}

#[test]
fn a_link_that_fails_ends_its_flows_and_those_that_start_on_it() {
    let states = [(secs(4.0), 0.0), (secs(6.0), 1.0)];
    let working = Trace::new(&states, None).unwrap();
    let links = vec![Link { working, ..Link::new(10.0, 0.0) }, Link::new(10.0, 0.0), Link::new(10.0, 5.0)];
    let mut network = flows(Model::default(), links);
    // one completes just as the link fails, one is in progress, one waits for its latency, and one
    // is elsewhere
    let sizes: [(f64, &[u32]); 4] = [(20.0, &[0]), (50.0, &[0, 1]), (1.0, &[0, 2]), (50.0, &[1])];
    let ids = sizes.map(|(size, links)| start(&mut network, size, links));
    let failed = |transfer| Ended { transfer, at: secs(4.0), end: End::Failed(LinkId::new(0)) };
    let done = |transfer, at| Ended { transfer, at: secs(at), end: End::Completed };
    let ended = network.advance(secs(4.0));
    assert_eq!(ended, [done(ids[0], 4.0), failed(ids[1]), failed(ids[2])]);
    let late = start(&mut network, 1.0, &[0]);
    assert_eq!(network.next_event(), Some(secs(4.0)));
    assert_eq!(network.advance(secs(4.0)), [failed(late)]);
    // 4 s at 5, and then alone
    assert_eq!(network.advance(secs(6.0)), []);
    let again = start(&mut network, 10.0, &[0]);
    assert_eq!(network.advance(secs(100.0)), [done(ids[3], 7.0), done(again, 7.0)]);
    assert_eq!(network.next_event(), None);
}

#[test]
fn what_needs_no_time_ends_at_once_and_what_is_cancelled_never_does() {
    let mut network = flows(Model::default(), vec![Link::new(10.0, 0.0), Link::new(10.0, 1.0)]);
    let within = start(&mut network, 1e9, &[]);
    let nothing = start(&mut network, 0.0, &[0]);
    let cancelled = [start(&mut network, 10.0, &[0]), start(&mut network, 10.0, &[1])];
    let whole = start(&mut network, 10.0, &[0]);
    network.cancel(cancelled[0]);
    network.cancel(cancelled[1]);
    network.cancel(cancelled[1]);
    assert_eq!(network.next_event(), Some(SimTime::ZERO));
    let ended: Vec<(TransferId, SimTime)> =
        network.advance(secs(9.0)).iter().map(|ended| (ended.transfer, ended.at)).collect();
    assert_eq!(ended, [(within, SimTime::ZERO), (nothing, SimTime::ZERO), (whole, secs(1.0))]);
    assert_eq!(network.now(), secs(9.0));
}

#[test]
fn requests_and_links_out_of_range_are_refused() {
    let mut network = flows(Model::default(), vec![Link::new(10.0, 0.0)]);
    let way = route(&[0]);
    let request = Request { size: 1.0, route: &way, back: &[], bound: None, extra_latency: 0.0 };
    assert!(network.start(Request { size: f64::NAN, ..request }).is_err());
    assert!(network.start(Request { bound: Some(-1.0), ..request }).is_err());
    assert_eq!(network.start(Request { back: &route(&[3]), ..request }), Err(OutOfRange::NoLink(3)));
    assert!(
        network.add_link(Link::new(-1.0, 0.0)).is_err() && network.add_link(Link::new(1.0, -1.0)).is_err()
    );
    let later = Trace::new(&[(secs(1.0), 1e30)], None).unwrap();
    assert!(network.add_link(Link { bandwidth: later, ..Link::new(1.0, 0.0) }).is_err());
    for wrong in [
        Model { cross_traffic: 2.0, ..Model::default() },
        Model { latency_factor: -1.0, ..Model::default() },
        Model { tcp_window: Some(0.0), ..Model::default() },
    ] {
        assert!(Flows::new(wrong).is_err());
    }
    assert_eq!(network.next_event(), None);
}

/// A link and a flow of a random case.
#[derive(Clone, Debug)]
struct PlainLink {
    policy: SharingPolicy,
    latency: f64,
    /// Bandwidth by the quarter second from which it holds, the first at 0.
    bandwidths: Vec<(u64, f64)>,
}

#[derive(Clone, Debug)]
struct PlainFlow {
    start: u64,
    size: f64,
    bound: Option<f64>,
    links: Vec<u32>,
}

struct Drawing(Stream);

impl Drawing {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    fn amount(&mut self) -> f64 {
        if self.below(2) == 0 { (1 + self.below(5)) as f64 * 10.0 } else { 1.0 + 50.0 * self.0.uniform01() }
    }

    fn link(&mut self) -> PlainLink {
        let policy = if self.below(5) == 0 { SharingPolicy::Fatpipe } else { SharingPolicy::Shared };
        let latency = [0.0, 0.25, 0.5, 1.0][self.below(4) as usize];
        let mut bandwidths = vec![(0, self.amount())];
        let mut at = 0;
        for _ in 0..self.below(4) {
            at += 1 + self.below(8);
            let bandwidth = if self.below(4) == 0 { 0.0 } else { self.amount() };
            bandwidths.push((at, bandwidth));
        }
        // whatever came before, in the end everything gets through
        bandwidths.push((at + 4, 10.0));
        PlainLink { policy, latency, bandwidths }
    }

    fn flow(&mut self, links: usize) -> PlainFlow {
        let mut route: Vec<u32> = (0..links as u32).filter(|_| self.below(2) == 0).collect();
        if route.is_empty() {
            route.push(self.below(links as u64) as u32);
        }
        let bound = (self.below(4) == 0).then(|| self.amount() / 4.0);
        PlainFlow { start: self.below(12), size: self.amount(), bound, links: route }
    }
}

/// Completion times [s] by stepping from event to event, with every rate and all that is left
/// worked out anew each time. Ends are rounded up to nanoseconds, as what is carried in the last of
/// them is lost to others.
fn stepped(links: &[PlainLink], flows: &[PlainFlow]) -> Vec<f64> {
    let latency =
        |flow: &PlainFlow| -> f64 { flow.links.iter().map(|&link| links[link as usize].latency).sum() };
    let begins: Vec<f64> = flows.iter().map(|flow| flow.start as f64 / 4.0 + latency(flow)).collect();
    let mut left: Vec<f64> = flows.iter().map(|flow| flow.size).collect();
    let mut ends = vec![f64::INFINITY; flows.len()];
    let mut now = 0.0;
    while ends.iter().any(|end| end.is_infinite()) {
        let bandwidth = |link: &PlainLink| {
            link.bandwidths.iter().rev().find(|(at, _)| *at as f64 / 4.0 <= now).expect("one from 0 on").1
        };
        let capacities: Vec<(f64, SharingPolicy)> =
            links.iter().map(|link| (bandwidth(link), link.policy)).collect();
        let active: Vec<usize> =
            (0..flows.len()).filter(|&flow| begins[flow] <= now && ends[flow].is_infinite()).collect();
        let demand = |&flow: &usize| {
            let penalty = latency(&flows[flow]);
            let crossing = |&link: &u32| Crossing { link: LinkId::new(link), usage: 1.0 };
            let route = flows[flow].links.iter().map(crossing).collect();
            let weight = if penalty > 0.0 { 1.0 / penalty } else { 1.0 };
            Demand { weight, bound: flows[flow].bound, route }
        };
        let demands: Vec<Demand> = active.iter().map(demand).collect();
        let rates = progressive_filling(&capacities, &demands);
        let changes = links.iter().flat_map(|link| link.bandwidths.iter().map(|(at, _)| *at as f64 / 4.0));
        let next = changes.chain(begins.iter().copied()).filter(|at| *at > now);
        let whole = |end: f64| (end * 1e9).ceil() / 1e9;
        let done = active.iter().zip(&rates).map(|(&flow, rate)| whole(now + left[flow] / rate));
        let next = next.chain(done).fold(f64::INFINITY, f64::min);
        for (&flow, rate) in active.iter().zip(&rates) {
            if whole(now + left[flow] / rate) <= next {
                ends[flow] = next;
            }
            left[flow] -= rate * (next - now);
        }
        now = next;
    }
    ends
}

#[test]
fn flows_that_start_end_and_meet_traces_complete_when_a_plain_stepper_says_in_a_hundred_thousand_cases() {
    for index in 0..100_000 {
        let mut drawing = Drawing(Streams::new(20_261_122, 0).of("flows", "case", index));
        let links: Vec<PlainLink> = (0..=drawing.below(4)).map(|_| drawing.link()).collect();
        let mut asked: Vec<PlainFlow> = (0..=drawing.below(7)).map(|_| drawing.flow(links.len())).collect();
        asked.sort_by_key(|flow| flow.start);
        let quarter = |at: u64| SimTime::from_nanos(at * 250_000_000);
        let made = |link: &PlainLink| {
            let points: Vec<_> =
                link.bandwidths.iter().map(|&(at, bandwidth)| (quarter(at), bandwidth)).collect();
            let bandwidth = Trace::new(&points, None).unwrap();
            Link { bandwidth, policy: link.policy, ..Link::new(0.0, link.latency) }
        };
        let mut network = flows(Model::default(), links.iter().map(made).collect());
        let (mut ends, mut ids) = (Vec::new(), Vec::new());
        for flow in &asked {
            ends.extend(network.advance(quarter(flow.start)));
            let request = Request {
                size: flow.size,
                route: &route(&flow.links),
                back: &[],
                bound: flow.bound,
                extra_latency: 0.0,
            };
            ids.push(network.start(request).unwrap());
        }
        ends.extend(network.advance(secs(1e6)));
        for (flow, expected) in stepped(&links, &asked).into_iter().enumerate() {
            let end = ends.iter().find(|ended| ended.transfer == ids[flow]).unwrap();
            let found = end.at.as_secs_f64();
            let close = (found - expected).abs() <= 1e-9 * expected + 1e-8;
            assert!(close, "case {index}, flow {flow}: {found}, not {expected}: {links:?} {asked:?}");
        }
    }
}
