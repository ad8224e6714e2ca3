//! Weighted max-min shares: worked examples, what makes them fair, and the solver that keeps them
//! up against the textbook's.

use SharingPolicy::{Fatpipe, Shared};
use clustersim_kernel::rng::{Stream, Streams};
use clustersim_platform::sharing::{Crossing, FlowId, LinkId, MaxMin, OutOfRange, SharingPolicy};

use super::progressive_filling::{Demand, progressive_filling};

fn crossing(link: usize) -> Crossing {
    Crossing { link: LinkId::new(link as u32), usage: 1.0 }
}

fn demand(weight: f64, route: &[usize]) -> Demand {
    Demand { weight, bound: None, route: route.iter().map(|&link| crossing(link)).collect() }
}

/// The solver with these links and flows, solved once.
fn solver(links: &[(f64, SharingPolicy)], flows: &[Demand]) -> (MaxMin, Vec<FlowId>) {
    let mut shares = MaxMin::new();
    for &(capacity, policy) in links {
        shares.link(capacity, policy).unwrap();
    }
    let ids = flows.iter().map(|flow| shares.add(flow.weight, flow.bound, &flow.route).unwrap()).collect();
    shares.solve();
    (shares, ids)
}

/// Rates by both solvers, to the last bit.
fn both(links: &[(f64, SharingPolicy)], flows: &[Demand], expected: &[f64]) {
    let (shares, ids) = solver(links, flows);
    let found: Vec<f64> = ids.iter().map(|&id| shares.rate(id)).collect();
    let bits = |rates: &[f64]| rates.iter().map(|rate| rate.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&found), bits(expected), "{found:?}, not {expected:?}");
    assert_eq!(bits(&progressive_filling(links, flows)), bits(expected));
}

#[test]
fn worked_examples_have_their_exact_rates() {
    let one = |capacity| [(capacity, Shared)];
    // RTT of 10, 20 and 40
    let rtt = [10.0, 20.0, 40.0].map(|rtt| demand(40.0 / rtt, &[0]));
    both(&one(70.0), &rtt, &[40.0, 20.0, 10.0]);
    let lot = [(100.0, Shared); 3];
    let short = [demand(1.0, &[0]), demand(1.0, &[1]), demand(1.0, &[2])];
    let long = |weight| [&[demand(weight, &[0, 1, 2])], &short[..]].concat();
    both(&lot, &long(1.0), &[50.0; 4]);
    let three = [&[demand(1.0, &[0, 1, 2])], &[0, 1, 2].map(|link| demand(3.0, &[link]))[..]].concat();
    both(&lot, &three, &[25.0, 75.0, 75.0, 75.0]);
    let links = [(100.0, Shared), (60.0, Shared), (30.0, Shared)];
    let routes: [&[usize]; 5] = [&[0, 1, 2], &[0, 1], &[0], &[1], &[2]];
    both(&links, &routes.map(|route| demand(1.0, route)), &[15.0, 22.5, 62.5, 22.5, 15.0]);
    let star = [100.0, 10.0, 20.0, 40.0, 80.0].map(|capacity| (capacity, Shared));
    let leaves = [1, 2, 3, 4].map(|leaf| demand(1.0, &[0, leaf]));
    both(&star, &leaves, &[10.0, 20.0, 35.0, 35.0]);
    let bounded = [Demand { bound: Some(10.0), ..demand(1.0, &[0]) }, demand(1.0, &[0]), demand(1.0, &[0])];
    both(&one(90.0), &bounded, &[10.0, 40.0, 40.0]);
    let links = [(30.0, Fatpipe), (100.0, Shared), (50.0, Shared)];
    let routes: [&[usize]; 4] = [&[0, 1], &[0, 1], &[0, 2], &[2]];
    both(&links, &routes.map(|route| demand(1.0, route)), &[30.0, 30.0, 25.0, 25.0]);
    both(&[], &[demand(1.0, &[])], &[f64::INFINITY]);
}

/// A small random case; some numbers are whole so that levels tie.
struct Case {
    stream: Stream,
}

impl Case {
    fn new(purpose: &str, index: u64) -> Self {
        Case { stream: Streams::new(20_261_122, 0).of(purpose, "case", index) }
    }

    fn below(&mut self, bound: u64) -> usize {
        self.stream.below(bound) as usize
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.stream.below(100) < percent
    }

    fn capacity(&mut self) -> f64 {
        match self.below(12) {
            0 => 0.0,
            1..6 => (1 + self.below(6)) as f64 * 10.0,
            _ => 1.0 + 99.0 * self.stream.uniform01(),
        }
    }

    fn bound(&mut self) -> Option<f64> {
        match self.below(10) {
            0 => Some(0.0),
            1 => Some((1 + self.below(6)) as f64),
            2 | 3 => Some(30.0 * self.stream.uniform01()),
            _ => None,
        }
    }

    fn links(&mut self, most: u64) -> Vec<(f64, SharingPolicy)> {
        let count = 1 + self.below(most);
        let policy = |case: &mut Self| if case.chance(20) { Fatpipe } else { Shared };
        (0..count).map(|_| (self.capacity(), policy(self))).collect()
    }

    fn demand(&mut self, links: usize) -> Demand {
        let weight = match self.below(4) {
            0 => 1.0 + 9.0 * self.stream.uniform01(),
            1 => 1.0 / (1e-4 + self.stream.uniform01()),
            _ => 1.0,
        };
        let hops = 1 + self.below(4);
        let mut route: Vec<Crossing> = (0..hops).map(|_| crossing(self.below(links as u64))).collect();
        if self.chance(20) {
            let back: Vec<Crossing> =
                route.iter().map(|crossing| Crossing { usage: 0.05, ..*crossing }).collect();
            route.extend(back);
        }
        Demand { weight, bound: self.bound(), route }
    }
}

/// What a flow takes of a link.
fn usage(link: usize, policy: SharingPolicy, flow: &Demand) -> f64 {
    let usages = flow.route.iter().filter(|crossing| crossing.link.index() == link);
    let usages = usages.map(|crossing| crossing.usage);
    if policy == Shared { usages.sum() } else { usages.fold(0.0, f64::max) }
}

#[test]
fn no_link_is_overfull_and_every_flow_has_a_bottleneck_in_a_thousand_random_networks() {
    for index in 0..1_000 {
        let mut case = Case::new("fair", index);
        let links = case.links(20);
        let count = 1 + case.below(30);
        let flows: Vec<Demand> = (0..count).map(|_| case.demand(links.len())).collect();
        let (shares, ids) = solver(&links, &flows);
        let rates: Vec<f64> = ids.iter().map(|&id| shares.rate(id)).collect();
        let mut held: Vec<bool> =
            flows.iter().zip(&rates).map(|(flow, rate)| flow.bound.is_some_and(|b| *rate >= b)).collect();
        for (link, &(capacity, policy)) in links.iter().enumerate() {
            let taken: Vec<f64> =
                flows.iter().zip(&rates).map(|(flow, rate)| usage(link, policy, flow) * rate).collect();
            let all: f64 = match policy {
                Shared => taken.iter().sum(),
                Fatpipe => taken.iter().copied().fold(0.0, f64::max),
            };
            assert!(all <= capacity * (1.0 + 1e-9) + 1e-12, "case {index}, link {link}: {all} of {capacity}");
            let level = |flow: usize| rates[flow] / flows[flow].weight;
            let on = || (0..flows.len()).filter(|&flow| usage(link, policy, &flows[flow]) > 0.0);
            let highest = on().map(level).fold(0.0, f64::max);
            for flow in on() {
                let full = |taken: f64| taken >= capacity * (1.0 - 1e-9) - 1e-12;
                held[flow] |= match policy {
                    Shared => full(all) && level(flow) >= highest * (1.0 - 1e-9),
                    Fatpipe => full(taken[flow]),
                };
            }
        }
        assert!(held.iter().all(|held| *held), "case {index}: nothing holds a flow back: {held:?}");
    }
}

#[test]
fn the_order_in_which_flows_and_links_are_entered_changes_no_bit() {
    for index in 0..1_000 {
        let mut case = Case::new("order", index);
        let links = case.links(12);
        let count = 1 + case.below(20);
        let flows: Vec<Demand> = (0..count).map(|_| case.demand(links.len())).collect();
        let mut order: Vec<usize> = (0..flows.len()).collect();
        let mut place: Vec<usize> = (0..links.len()).collect();
        for end in (1..order.len()).rev() {
            order.swap(end, case.below(end as u64 + 1));
        }
        for end in (1..place.len()).rev() {
            place.swap(end, case.below(end as u64 + 1));
        }
        let mut moved_links = links.clone();
        for (link, &place) in place.iter().enumerate() {
            moved_links[place] = links[link];
        }
        let moved = |flow: &Demand| {
            let route = flow.route.iter();
            let route = route.map(|crossing| Crossing {
                link: LinkId::new(place[crossing.link.index()] as u32),
                ..*crossing
            });
            Demand { route: route.collect(), ..flow.clone() }
        };
        let (shares, ids) = solver(&links, &flows);
        let shuffled: Vec<Demand> = order.iter().map(|&flow| moved(&flows[flow])).collect();
        let (others, other_ids) = solver(&moved_links, &shuffled);
        for (place, &flow) in order.iter().enumerate() {
            let (rate, other) = (shares.rate(ids[flow]), others.rate(other_ids[place]));
            assert_eq!(rate.to_bits(), other.to_bits(), "case {index}, flow {flow}: {rate} and {other}");
        }
    }
}

/// Flows come and go and links and bounds change; after each round of it every rate is that of a
/// solve from nothing.
fn interleaved(purpose: &str, index: u64) {
    let mut case = Case::new(purpose, index);
    let mut links = case.links(6);
    let mut flows: Vec<(FlowId, Demand)> = Vec::new();
    let (mut shares, _) = solver(&links, &[]);
    let mut told: Vec<f64> = Vec::new();
    for round in 0..2 + case.below(7) {
        for _ in 0..=case.below(3) {
            match case.below(10) {
                0..5 => {
                    let demand = case.demand(links.len());
                    let id = shares.add(demand.weight, demand.bound, &demand.route).unwrap();
                    told.resize(told.len().max(id.index() + 1), 0.0);
                    told[id.index()] = 0.0;
                    flows.push((id, demand));
                }
                5 | 6 if !flows.is_empty() => {
                    let (id, _) = flows.swap_remove(case.below(flows.len() as u64));
                    shares.remove(id);
                }
                7 if !flows.is_empty() => {
                    let flow = case.below(flows.len() as u64);
                    flows[flow].1.bound = case.bound();
                    shares.set_bound(flows[flow].0, flows[flow].1.bound).unwrap();
                }
                _ => {
                    let link = case.below(links.len() as u64);
                    links[link].0 = case.capacity();
                    shares.set_capacity(LinkId::new(link as u32), links[link].0).unwrap();
                }
            }
        }
        let changed = shares.solve().to_vec();
        for id in changed {
            told[id.index()] = shares.rate(id);
        }
        let demands: Vec<Demand> = flows.iter().map(|(_, demand)| demand.clone()).collect();
        for ((id, demand), expected) in flows.iter().zip(progressive_filling(&links, &demands)) {
            let found = shares.rate(*id);
            let close = (found - expected).abs() <= 1e-9 * expected + 1e-12;
            assert!(
                close || found.to_bits() == expected.to_bits(),
                "{purpose} {index}, round {round}: {found}, not {expected}: {demand:?} of {demands:?} on {links:?}"
            );
            assert_eq!(
                told[id.index()].to_bits(),
                found.to_bits(),
                "{purpose} {index}: a change was not told"
            );
        }
    }
}

#[test]
fn rates_that_are_kept_up_are_those_of_a_solve_from_nothing_in_a_hundred_thousand_interleavings() {
    (0..100_000).for_each(|index| interleaved("interleaved", index));
}

#[test]
#[ignore = "ten times as many cases as the other, for a change of the solver"]
fn rates_that_are_kept_up_are_those_of_a_solve_from_nothing_in_a_million_interleavings() {
    (0..1_000_000).for_each(|index| interleaved("interleaved once more", index));
}

/// Up to `most` flows come and go for a thousand changes; every `look` changes all rates are those
/// of a solve from nothing.
fn rates_stay_right(
    case: &mut Case,
    links: &[(f64, SharingPolicy)],
    (most, look): (usize, usize),
    draw: impl Fn(&mut Case) -> Demand,
) {
    let (mut shares, _) = solver(links, &[]);
    let mut flows: Vec<(FlowId, Demand)> = Vec::new();
    for change in 1..=1_000 {
        if flows.len() < most / 3 || flows.len() < most && case.chance(55) {
            let demand = draw(case);
            flows.push((shares.add(demand.weight, demand.bound, &demand.route).unwrap(), demand));
        } else {
            let (id, _) = flows.swap_remove(case.below(flows.len() as u64));
            shares.remove(id);
        }
        shares.solve();
        if change % look == 0 {
            let demands: Vec<Demand> = flows.iter().map(|(_, demand)| demand.clone()).collect();
            for ((id, _), expected) in flows.iter().zip(progressive_filling(links, &demands)) {
                let found = shares.rate(*id);
                assert!(
                    (found - expected).abs() <= 1e-9 * expected,
                    "change {change}: {found}, not {expected}"
                );
            }
        }
    }
}

/// Three hundred flows on fifty links, where levels are many and regions large.
#[test]
fn rates_stay_right_in_a_network_of_many_levels() {
    let mut case = Case::new("many", 0);
    let links: Vec<(f64, SharingPolicy)> = (0..50).map(|_| (1.0 + case.capacity(), Shared)).collect();
    let draw = |case: &mut Case| Demand { bound: None, ..case.demand(links.len()) };
    rates_stay_right(&mut case, &links, (300, 20), draw);
}

/// Links of three sizes and flows of one weight, so that many links are full at one level, and
/// again at that one after others joined.
#[test]
fn rates_stay_right_where_levels_are_the_same_for_many() {
    for (network, count) in (0..40).map(|network| (network, 4 + network % 20)) {
        let mut case = Case::new("ties", network);
        let links: Vec<(f64, SharingPolicy)> =
            (0..count).map(|_| ([6.0, 12.0, 24.0][case.below(3)], Shared)).collect();
        let draw = |case: &mut Case| {
            let bound = case.chance(20).then(|| 1.0 + case.below(4) as f64);
            let route = (0..=case.below(3)).map(|_| crossing(case.below(count))).collect();
            Demand { weight: 1.0, bound, route }
        };
        rates_stay_right(&mut case, &links, (3 * links.len(), 1), draw);
    }
}

#[test]
fn numbers_out_of_range_are_refused_and_change_nothing() {
    let (mut shares, ids) = solver(&[(10.0, Shared)], &[demand(1.0, &[0])]);
    assert_eq!(shares.link(-1.0, Shared), Err(OutOfRange::Capacity(-1.0)));
    assert!(shares.link(f64::NAN, Shared).is_err() && shares.link(1e19, Shared).is_err());
    assert!(shares.set_capacity(LinkId::new(0), f64::INFINITY).is_err());
    assert_eq!(shares.set_capacity(LinkId::new(7), 1.0), Err(OutOfRange::NoLink(7)));
    assert_eq!(shares.add(0.0, None, &[]), Err(OutOfRange::Weight(0.0)));
    assert_eq!(shares.add(1.0, Some(-1.0), &[]), Err(OutOfRange::Bound(-1.0)));
    assert_eq!(shares.add(1.0, None, &[crossing(1)]), Err(OutOfRange::NoLink(1)));
    assert!(shares.set_bound(ids[0], Some(f64::NAN)).is_err());
    assert!(shares.solve().is_empty());
    assert_eq!(shares.rate(ids[0]).to_bits(), 10.0_f64.to_bits());
}
