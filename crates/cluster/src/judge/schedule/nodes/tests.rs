//! Schedules on nodes, by hand and by a plain simulator, and those of nodes that are processors.

use crate::collections::Interval;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::resources::{
    Demand, DemandId, Demands, FeatureNames, Features, NodeKind, NodeUse, Nodes, Resources,
};

use super::super::{
    Away, NodeSupply, Order, QueueHead, Row, Supply, Violation, head_starts, nothing_fits, nothing_fits_on,
    reservation_promise, reservation_promise_on, reservation_promise_on_nodes, row, shadow_time,
};
use super::{head_starts_on_nodes, nothing_fits_on_nodes, shadow_time_on_nodes};

/// Numbers from 0 on, drawn one after the other.
struct Draws(u64);

impl Draws {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Nodes of these kinds: number, processors, memory.
fn site(kinds: &[(u32, u32, u64)], demands: Demands) -> Resources {
    let kind = |&(nodes, processors, memory): &(u32, u32, u64)| NodeKind {
        nodes,
        processors,
        memory,
        gpus: 0,
        features: Features::NONE,
    };
    let nodes = Nodes::new(kinds.iter().map(kind).collect(), FeatureNames::default()).expect("some");
    Resources { nodes, demands }
}

fn asking(demand: DemandId, row: Row) -> Row {
    Row { demand, ..row }
}

fn found(violations: &[Violation]) -> Vec<(u64, u64)> {
    violations.iter().map(|one| (one.job, one.at.as_nanos())).collect()
}

fn estimated(estimate: u64, row: Row) -> Row {
    Row { estimate: SimDuration::from_nanos(estimate), ..row }
}

/// Spans in which each of 8 processors is out of service, one after the other.
fn any_outages(draws: &mut Draws) -> Vec<Away> {
    let mut all = Vec::new();
    for processor in 0..8 {
        let mut now = 0;
        for _ in 0..draws.below(4) {
            let from = now + draws.below(90);
            now = from + 1 + draws.below(30);
            let [from, to] = [from, now].map(SimTime::from_nanos);
            all.push(Away { on: Interval::new(processor, processor), from, to });
        }
    }
    all
}

/// Any schedule, right or wrong: jobs of up to 8 processors that run no longer than estimated, each
/// on processors of its own that are in service.
fn any_schedule(draws: &mut Draws, away: &[Away]) -> Vec<Row> {
    let (mut now, mut all) = (0, Vec::<Row>::new());
    for number in 1..=25 {
        now += draws.below(12);
        let (wait, run, more) = (draws.below(40) * draws.below(2), 1 + draws.below(30), draws.below(20));
        let procs = 1 + draws.below(8) as usize;
        let free = |start: u64| {
            let mut free: Vec<u32> = (0..8).collect();
            let meets = |from: SimTime, to: SimTime| from.as_nanos() < start + run && start < to.as_nanos();
            let held = all.iter().filter(|row| meets(row.start, row.end)).flat_map(|row| &row.on);
            let held = held.chain(away.iter().filter(|one| meets(one.from, one.to)).map(|one| &one.on));
            held.for_each(|on| free.retain(|&processor| processor < on.first || on.last < processor));
            free
        };
        let start =
            (now + wait..now + wait + 10_000).find(|&start| free(start).len() >= procs).expect("some day");
        let on = free(start)[..procs].iter().map(|&processor| Interval::new(processor, processor)).collect();
        let one = row(number, now, start, run, (0, procs as u32 - 1));
        all.push(estimated(run + more, Row { on, ..one }));
    }
    all
}

#[test]
fn nodes_that_are_processors_alone_are_judged_as_their_number() {
    // a node a processor, of one kind and of two; and one node of all processors
    let sites = [&[(8, 1, 9)][..], &[(3, 1, 9), (5, 1, 7)], &[(1, 8, 9)]];
    let sites = sites.map(|kinds| site(kinds, Demands::default()));
    let (mut draws, mut broken) = (Draws(1), 0);
    for round in 0..60 {
        let rows = any_schedule(&mut draws, &[]);
        let by_number = [
            // what is promised after a start that was not is a matter of taste
            reservation_promise(&rows, 8).into_iter().take(1).collect(),
            head_starts(&rows, 8.into(), Order::Submission, QueueHead::First),
            shadow_time(&rows, 8.into(), Order::Estimate),
            // one that still waits though it fits is looked at again only when something ends
            nothing_fits(&rows, 8).into_iter().take(1).collect(),
        ];
        broken += by_number.iter().filter(|one| !one.is_empty()).count();
        for site in &sites {
            let on_nodes = [
                reservation_promise_on_nodes(&rows, site.into()).into_iter().take(1).collect(),
                head_starts_on_nodes(&rows, site.into(), Order::Submission, QueueHead::First),
                shadow_time_on_nodes(&rows, site.into(), Order::Estimate),
                nothing_fits_on_nodes(&rows, site.into()).into_iter().take(1).collect(),
            ];
            assert_eq!(
                on_nodes.each_ref().map(|one| found(one)),
                by_number.each_ref().map(|one| found(one)),
                "{round}"
            );
        }
    }
    assert!(broken > 150, "{broken} promises are broken");
}

#[test]
fn nodes_of_a_processor_that_fail_are_judged_as_their_number() {
    let sites = [&[(8, 1, 9)][..], &[(3, 1, 9), (5, 1, 7)]].map(|kinds| site(kinds, Demands::default()));
    let (mut draws, mut broken) = (Draws(3), 0);
    for round in 0..60 {
        let away = any_outages(&mut draws);
        let rows = any_schedule(&mut draws, &away);
        let supply = Supply::failing(8, &away);
        let by_number = [
            reservation_promise_on(&rows, supply).into_iter().take(1).collect(),
            head_starts(&rows, supply, Order::Submission, QueueHead::Able),
            shadow_time(&rows, supply, Order::Submission),
            nothing_fits_on(&rows, supply).into_iter().take(1).collect(),
        ];
        broken += by_number.iter().filter(|one| !one.is_empty()).count();
        for resources in &sites {
            let supply = NodeSupply { away: &away, ..NodeSupply::from(resources) };
            let on_nodes = [
                reservation_promise_on_nodes(&rows, supply).into_iter().take(1).collect(),
                head_starts_on_nodes(&rows, supply, Order::Submission, QueueHead::Able),
                shadow_time_on_nodes(&rows, supply, Order::Submission),
                nothing_fits_on_nodes(&rows, supply).into_iter().take(1).collect(),
            ];
            let [on_nodes, by_number] =
                [&on_nodes, &by_number].map(|all| all.each_ref().map(|one| found(one)));
            assert_eq!(on_nodes, by_number, "{round}");
        }
    }
    assert!(broken > 150, "{broken} promises are broken");
}

/// Two nodes of 4 processors and 8 bytes; demands of a byte a processor, of 4 bytes, of chunks of
/// two processors with 3 bytes, and of nodes to oneself.
fn two_nodes() -> (Resources, [DemandId; 4]) {
    let mut demands = Demands::default();
    let plain = Demand { memory: 1, ..Demand::PLAIN };
    let all = [
        plain,
        Demand { memory: 4, ..plain },
        Demand { procs: 2, memory: 3, ..plain },
        Demand { node_use: NodeUse::Exclusive, ..plain },
    ];
    let ids = all.map(|demand| demands.number(demand));
    (site(&[(2, 4, 8)], demands), ids)
}

#[test]
fn a_head_that_waits_though_nodes_have_room_is_found() {
    let (site, [light, heavy, pairs, alone]) = two_nodes();
    let fcfs = |rows: &[Row]| {
        found(&head_starts_on_nodes(rows, (&site).into(), Order::Submission, QueueHead::First))
    };
    // the first has 8 bytes of node 0, so only node 1 takes others
    let first = asking(heavy, row(1, 0, 0, 10, (0, 1)));
    let late = |demand, last| fcfs(&[first.clone(), asking(demand, row(2, 1, 10, 5, (4, last)))]);
    assert_eq!([late(light, 7).len(), late(heavy, 5).len(), late(alone, 7).len()], [1, 1, 1]);
    let five = |demand| fcfs(&[first.clone(), Row { procs: 5, ..asking(demand, row(2, 1, 10, 5, (4, 8))) }]);
    assert_eq!([five(light), five(pairs), five(alone)], [vec![], vec![], vec![]]);
    // three heavy ones need both nodes, and two pairs with a rest of one node 0 as well
    assert_eq!(fcfs(&[first.clone(), asking(heavy, row(2, 1, 10, 5, (2, 4)))]), []);
    // a light job does not let a job have its node to itself
    let shared = [asking(light, row(1, 0, 0, 10, (0, 0))), asking(light, row(2, 0, 0, 10, (4, 4)))];
    let with = |demand| fcfs(&[&shared[..], &[asking(demand, row(3, 1, 10, 5, (1, 1)))]].concat());
    assert_eq!([with(light), with(alone)], [vec![(3, 1)], vec![]]);
}

#[test]
fn the_shadow_time_counts_everything_that_the_head_asks_for() {
    let (site, [light, heavy, _, alone]) = two_nodes();
    let promised = |demand, start| {
        let rows = [
            asking(heavy, row(1, 0, 0, 10, (0, 1))),
            asking(light, row(2, 0, 0, 20, (4, 4))),
            asking(light, row(3, 0, 0, 30, (5, 5))),
            asking(demand, row(4, 1, start, 5, (0, 3))),
        ];
        found(&shadow_time_on_nodes(&rows, (&site).into(), Order::Submission))
    };
    // four heavy processors: two of node 0 at 10, two of node 1 once but one light job has left
    assert_eq!(
        [promised(heavy, 20), promised(heavy, 30), promised(heavy, 31)],
        [vec![], vec![], vec![(4, 31)]]
    );
    assert_eq!([promised(alone, 10), promised(alone, 11)], [vec![], vec![(4, 11)]]);
}

#[test]
fn a_small_job_that_waits_though_a_node_has_room_is_found() {
    let (site, [light, heavy, ..]) = two_nodes();
    let rows = |start| {
        [
            asking(heavy, row(1, 0, 0, 10, (0, 1))),
            asking(heavy, row(2, 1, 10, 10, (0, 2))),
            asking(light, row(3, 2, start, 3, (4, 6))),
        ]
    };
    assert_eq!(found(&nothing_fits_on_nodes(&rows(2), (&site).into())), []);
    assert_eq!(found(&nothing_fits_on_nodes(&rows(3), (&site).into())), [(3, 2)]);
}

#[test]
fn nodes_that_jobs_have_whole_are_booked_by_their_number() {
    // four jobs on four processors: by count the last starts at 3, beside a reservation at 4
    let rows = |last| {
        [
            row(1, 0, 0, 3, (0, 0)),
            row(2, 0, 0, 4, (1, 3)),
            row(3, 0, 4, 3, (1, 2)),
            estimated(6, row(4, 2, last, 4, (0, 0))),
        ]
    };
    let site = site(&[(4, 1, NodeKind::ENDLESS)], Demands::default());
    let promised = |last| found(&reservation_promise_on_nodes(&rows(last), (&site).into()));
    assert_eq!([promised(3), promised(4)], [vec![], vec![(4, 4)]]);
}

#[test]
fn whole_nodes_of_two_kinds_are_booked_the_first_kind_first() {
    let mut demands = Demands::default();
    let alone = Demand { node_use: NodeUse::Exclusive, ..Demand::PLAIN };
    let large = demands.number(Demand { memory: 8, procs: 2, ..alone });
    let any = demands.number(alone);
    // two small nodes of 2 processors, one large one of 4 that alone holds chunks of 8 bytes
    let site = site(&[(2, 2, 4), (1, 4, 16)], demands);
    let rows = |second, third| {
        [
            asking(any, row(1, 0, 0, 10, (0, 3))),
            asking(large, row(2, 1, second, 20, (4, 7))),
            asking(any, row(3, 2, third, 5, (0, 1))),
            asking(any, row(4, 3, 10, 5, (2, 3))),
        ]
    };
    // the second has the large node at once, so the third waits for a small one, up to 10
    let promised = |second, third| found(&reservation_promise_on_nodes(&rows(second, third), (&site).into()));
    assert_eq!([promised(1, 10), promised(2, 10), promised(1, 11)], [vec![], vec![(2, 2)], vec![(3, 11)]]);
}

#[test]
fn a_booking_goes_to_the_node_that_was_busy_last() {
    let (site, [light, heavy, ..]) = two_nodes();
    // node 0 is free from 5 on, node 1 from 10: the third is booked from 10 on both nodes, and the
    // fourth, after an early end, takes what they leave
    let rows = |fourth| {
        [
            asking(heavy, row(1, 0, 0, 5, (0, 1))),
            asking(heavy, row(2, 0, 0, 10, (4, 5))),
            asking(light, row(3, 1, 10, 4, (0, 7))),
            asking(heavy, row(4, 2, fourth, 5, (0, 1))),
            asking(heavy, row(5, 3, 14, 5, (4, 5))),
        ]
    };
    let promised = |fourth| found(&reservation_promise_on_nodes(&rows(fourth), (&site).into()));
    assert_eq!([promised(5), promised(6)], [vec![], vec![(4, 6)]]);
}

#[test]
fn a_last_chunk_is_booked_where_no_whole_one_fits() {
    let (site, [light, _, pairs, _]) = two_nodes();
    // a processor of node 0 is free from 5 on, the others from 10, and node 1 from 20
    let rows = |start| {
        [
            asking(light, row(1, 0, 0, 10, (0, 2))),
            asking(light, row(2, 0, 0, 5, (3, 3))),
            asking(light, row(3, 0, 0, 20, (4, 7))),
            asking(pairs, row(4, 1, start, 3, (3, 3))),
        ]
    };
    let promised = |start| found(&reservation_promise_on_nodes(&rows(start), (&site).into()));
    assert_eq!([promised(5), promised(6)], [vec![], vec![(4, 6)]]);
}

#[test]
fn a_job_for_which_the_nodes_in_service_do_not_suffice_is_promised_nothing_until_one_is_back() {
    let (site, [light, ..]) = two_nodes();
    let at = SimTime::from_nanos;
    let away = [Away { on: Interval::new(4, 7), from: at(5), to: at(25) }];
    let supply = NodeSupply { away: &away, ..NodeSupply::from(&site) };
    let rows = |second, third| {
        [
            asking(light, row(1, 0, 0, 10, (0, 3))),
            asking(light, row(2, 6, second, 5, (0, 7))),
            asking(light, row(3, 7, third, 4, (0, 3))),
        ]
    };
    let heads = |second, third, head| {
        found(&head_starts_on_nodes(&rows(second, third), supply, Order::Submission, head))
    };
    // without overtaking all wait for the second, under EASY the third may start meanwhile
    assert_eq!(heads(25, 30, QueueHead::First), []);
    assert_eq!(heads(25, 30, QueueHead::Able), [(3, 10)]);
    assert_eq!(heads(25, 10, QueueHead::Able), []);
    assert_eq!(heads(26, 10, QueueHead::Able), [(2, 25)]);
    let shadow = |third| found(&shadow_time_on_nodes(&rows(40, third), supply, Order::Submission));
    assert_eq!([shadow(10), shadow(11)], [vec![], vec![(3, 11)]]);
    let booked = |second, third| found(&reservation_promise_on_nodes(&rows(second, third), supply));
    assert_eq!([booked(25, 10), booked(26, 10), booked(25, 11)], [vec![], vec![(2, 26)], vec![(3, 11)]]);
    assert_eq!(found(&nothing_fits_on_nodes(&rows(25, 11), supply)), [(3, 10)]);
}

/// A job of the plain simulator: submission, processors, memory of each, run time, estimate.
type Plain = (u64, u64, u64, u64, u64);

/// Processors and memory of a node that are held from one second to another, by a job.
#[derive(Clone, Copy)]
struct Held {
    job: usize,
    node: usize,
    from: u64,
    to: u64,
    procs: u64,
    memory: u64,
}

/// Conservative backfilling with bookings that name nodes, second by second: when each job starts,
/// and where.
struct Simulator<'a> {
    jobs: &'a [Plain],
    nodes: usize,
    held: Vec<Held>,
}

/// Processors and memory of a node of the simulator.
const NODE: (u64, u64) = (4, 8);

impl Simulator<'_> {
    /// Processors with their memory that a node has for a job from a second on.
    fn room(&self, job: usize, node: usize, at: u64) -> u64 {
        let (_, procs, memory, _, estimate) = self.jobs[job];
        let free = |second: u64| {
            let on = self.held.iter().filter(|one| one.node == node && one.job != job);
            let on = on.filter(|one| one.from <= second && second < one.to);
            let (held, bytes) = on.fold((0, 0), |sum, one| (sum.0 + one.procs, sum.1 + one.memory));
            (NODE.0 - held).min((NODE.1 - bytes) / memory)
        };
        (at..at + estimate).map(free).min().unwrap_or(0).min(procs)
    }

    /// Holds what a job gets at a second, from these nodes one after the other.
    fn hold(&mut self, job: usize, at: u64, order: &[usize]) {
        let (_, mut left, memory, _, estimate) = self.jobs[job];
        let rooms: Vec<u64> = order.iter().map(|&node| self.room(job, node, at)).collect();
        self.held.retain(|one| one.job != job);
        for (&node, room) in order.iter().zip(rooms) {
            let procs = room.min(left);
            left -= procs;
            if procs > 0 {
                self.held.push(Held {
                    job,
                    node,
                    from: at,
                    to: at + estimate,
                    procs,
                    memory: procs * memory,
                });
            }
        }
    }

    /// Books the earliest start before a second, if there is one.
    fn book(&mut self, job: usize, now: u64, before: u64) -> Option<u64> {
        let fits =
            |at: &u64| (0..self.nodes).map(|node| self.room(job, node, *at)).sum::<u64>() >= self.jobs[job].1;
        let at = (now..before).find(fits)?;
        let idle = |node: usize| {
            let on = |second: &u64| {
                let mut others = self.held.iter().filter(|one| one.node == node && one.job != job);
                others.any(|one| one.from <= *second && *second < one.to)
            };
            (now..at).rev().take_while(|second| !on(second)).count()
        };
        let mut order: Vec<usize> = (0..self.nodes).collect();
        order.sort_by_key(|&node| (idle(node), node));
        self.hold(job, at, &order);
        Some(at)
    }
}

fn simulated(jobs: &[Plain], nodes: usize) -> Vec<(u64, Vec<(usize, u64)>)> {
    let mut all = Simulator { jobs, nodes, held: Vec::new() };
    let mut starts: Vec<Option<u64>> = vec![None; jobs.len()];
    let mut booked: Vec<Option<u64>> = vec![None; jobs.len()];
    let mut places = vec![(0, Vec::new()); jobs.len()];
    for now in 0.. {
        if starts.iter().all(Option::is_some) {
            break;
        }
        let ends = |&job: &usize| starts[job].is_some_and(|start| start + jobs[job].3 == now);
        let ended: Vec<usize> = (0..jobs.len()).filter(ends).collect();
        let early = ended.iter().any(|&job| jobs[job].3 < jobs[job].4);
        all.held.retain(|one| !ended.contains(&one.job));
        for job in 0..jobs.len() {
            if let Some(start) = booked[job].filter(|_| early && starts[job].is_none()) {
                booked[job] = all.book(job, now, start).or(booked[job]);
            }
        }
        for job in (0..jobs.len()).filter(|&job| jobs[job].0 == now) {
            booked[job] = all.book(job, now, u64::MAX / 2);
        }
        for job in 0..jobs.len() {
            if booked[job] == Some(now) {
                starts[job] = Some(now);
                // the allocation takes the highest nodes
                let order: Vec<usize> = (0..nodes).rev().collect();
                all.hold(job, now, &order);
                let own = all.held.iter().filter(|one| one.job == job);
                places[job] = (now, own.map(|one| (one.node, one.procs)).collect());
            }
        }
    }
    places
}

#[test]
fn schedules_of_a_plain_simulator_keep_their_promises() {
    let mut draws = Draws(5);
    let mut delayed = 0;
    for round in 0..40 {
        let mut demands = Demands::default();
        let of = [1, 2, 4].map(|memory| demands.number(Demand { memory, ..Demand::PLAIN }));
        let site = site(&[(3, NODE.0 as u32, NODE.1)], demands);
        let mut now = 0;
        let jobs: Vec<Plain> = (0..20)
            .map(|_| {
                now += draws.below(4);
                let run = 1 + draws.below(9);
                // three nodes hold six processors of the greatest memory
                (now, 1 + draws.below(6), 1 << draws.below(3), run, run + draws.below(2) * draws.below(9))
            })
            .collect();
        let places = simulated(&jobs, 3);
        let rows: Vec<Row> = (0..)
            .zip(jobs.iter().zip(&places))
            .map(|(number, (&(submit, procs, memory, run, estimate), (start, nodes)))| {
                // which of the processors of a node it has changes nothing
                let on = |&(node, procs): &(usize, u64)| {
                    Interval::new(node as u32 * 4, node as u32 * 4 + procs as u32 - 1)
                };
                let one = estimated(estimate, row(number, submit, *start, run, (0, procs as u32 - 1)));
                Row { on: nodes.iter().map(on).collect(), demand: of[memory.ilog2() as usize], ..one }
            })
            .collect();
        assert_eq!(reservation_promise_on_nodes(&rows, (&site).into()), [], "{round}");
        // each start is the promised one, or earlier: a job that waits longer is found, if it
        // started when it was promised to
        let late = |job: usize| {
            let mut rows = rows.clone();
            let (row, second) = (&mut rows[job], SimDuration::from_nanos(1));
            (row.start, row.end) = (row.start.saturating_add(second), row.end.saturating_add(second));
            reservation_promise_on_nodes(&rows, (&site).into()).iter().any(|one| one.job == job as u64)
        };
        delayed += (0..rows.len()).filter(|&job| late(job)).count();
    }
    assert!(delayed > 400, "{delayed} of 800 jobs start when they were promised to");
}
