//! Starts and places of bookings on nodes, by hand and against a plain list of bookings.

use proptest::prelude::*;

use crate::batch::node_resources::Asking;
use crate::batch::planned::PlannedNodes;
use crate::batch::running::Running;
use crate::collections::Interval;
use crate::workload::resources::{Demand, Demands, FeatureNames, Features, NodeKind, NodeUse, Nodes};

use super::*;

/// Processors and memory of each node.
type Site = Vec<(u32, u64)>;

/// A job: processors, processors and memory of a chunk, nodes to itself, span.
type Ask = (u32, u32, u64, bool, u64);

fn at(nanos: u64) -> SimTime {
    SimTime::from_nanos(nanos)
}

/// An empty timetable of these nodes for these jobs, and them as they wait.
fn table(site: &Site, asks: &[Ask]) -> (NodeTimetable, Vec<(Waiting, SimDuration)>) {
    reserved_table(site, asks, &[])
}

/// The same where nodes are reserved.
fn reserved_table(
    site: &Site,
    asks: &[Ask],
    planned: &[Planned],
) -> (NodeTimetable, Vec<(Waiting, SimDuration)>) {
    let (resources, jobs, waiting) = empty_site(site, asks);
    let running = Running::new();
    let instant = Instant { now: SimTime::ZERO, running: &running, resources: &resources, planned };
    (NodeTimetable::new(instant, jobs, None), waiting)
}

/// Nodes without jobs, these jobs, and the same as they wait.
fn empty_site(site: &Site, asks: &[Ask]) -> (FreeResources, Arc<Vec<Job>>, Vec<(Waiting, SimDuration)>) {
    let kind = |&(processors, memory): &(u32, u64)| NodeKind {
        nodes: 1,
        processors,
        memory,
        gpus: 0,
        features: Features::NONE,
    };
    let nodes = Nodes::new(site.iter().map(kind).collect(), FeatureNames::default()).expect("some");
    let mut demands = Demands::default();
    let mut jobs = Vec::new();
    let mut waiting = Vec::new();
    for (number, &(procs, chunk, memory, alone, span)) in (0..).zip(asks) {
        let node_use = if alone { NodeUse::Exclusive } else { NodeUse::Shared };
        let demand = demands.number(Demand { procs: chunk, memory, node_use, ..Demand::PLAIN });
        let span = SimDuration::from_nanos(span);
        let mut job = Job::new(number, SimTime::ZERO, procs, span);
        job.demand = demand;
        jobs.push(job);
        waiting.push((Waiting::new(number, JobId(number as u32), procs, span), span));
    }
    let resources = FreeResources::new(Arc::new(Resources { nodes, demands })).of_jobs(&jobs, &[]);
    (resources, Arc::new(jobs), waiting)
}

/// Books a job at its earliest start: that, and its part on each node.
fn book(table: &mut NodeTimetable, (job, span): &(Waiting, SimDuration)) -> Option<(u64, Vec<(u32, u32)>)> {
    let start = table.earliest(job, *span, table.now)?;
    table.book(job, *span, start);
    Some((start.as_nanos(), place(table, job)))
}

/// Processors of a booking on each node, or numbers of nodes of each kind.
fn place(table: &mut NodeTimetable, job: &Waiting) -> Vec<(u32, u32)> {
    let (span, place) = table.take_out(job.job, job.procs).expect("it is booked");
    let parts = match &place {
        Place::Whole(place) => place.iter().map(|&(kind, nodes)| (kind as u32, nodes as u32)).collect(),
        Place::Named(place) => place.iter().map(|(node, taken)| (*node, taken.procs)).collect(),
    };
    table.put(job.job, job.procs, span, place);
    parts
}

/// Two nodes of four processors: jobs of one processor have the node that is idle for the shortest
/// time before them.
#[test]
fn a_booking_names_the_nodes_that_are_idle_for_the_shortest_time_before_it() {
    let asks = [(4, 1, 0, false, 10), (4, 1, 0, false, 30), (6, 1, 0, false, 5), (2, 1, 0, false, 20)];
    let (mut table, jobs) = table(&vec![(4, NodeKind::ENDLESS); 2], &asks);
    let booked: Vec<_> = jobs.iter().map(|job| book(&mut table, job)).collect();
    let expected = [
        Some((0, vec![(0, 4)])),
        Some((0, vec![(1, 4)])),
        // when both are free; the second has just become so
        Some((30, vec![(1, 4), (0, 2)])),
        Some((10, vec![(0, 2)])),
    ];
    assert_eq!(booked, expected);
    // the second is over early: the third moves to the end of the first, and is there next to the
    // last
    table.release(JobId(1), 4, at(0), at(30));
    let (third, span) = &jobs[2];
    assert_eq!(table.move_forward(Ticket::NONE, third, *span, at(30)), Some(at(10)));
    assert_eq!(place(&mut table, third), [(0, 2), (1, 4)]);
}

/// A job past its estimate has two of four processors, and two are booked for later: by then it has
/// left, so one that starts now has two for long.
#[test]
fn a_job_past_its_estimate_takes_nothing_from_later_bookings() {
    for alone in [false, true] {
        let (size, nodes) = if alone { (1, 4) } else { (4, 1) };
        let asks = [(2, 1, 0, false, 5), (2, 1, 0, false, 10), (3, 1, 0, false, 90), (2, 1, 0, false, 90)];
        let (mut resources, known, jobs) = empty_site(&vec![(size, NodeKind::ENDLESS); nodes], &asks);
        let asking = Asking { procs: 2, demand: known[0].demand };
        resources.take(JobId(0), asking, &[Interval::new(0, 1)]);
        let mut running = Running::new();
        running.insert(JobId(0), 2, at(5));
        let instant = Instant { now: at(10), running: &running, resources: &resources, planned: &[] };
        let mut table = NodeTimetable::new(instant, known, None);
        table.begin(instant);
        table.book(&jobs[1].0, jobs[1].1, at(50));
        let holds: Vec<bool> = jobs[2..].iter().map(|(job, span)| table.holds(job, *span, at(10))).collect();
        assert_eq!(holds, [false, true], "{size} processors a node");
    }
}

/// S21 of the worked examples: four processors, by count and by name.
#[test]
fn on_nodes_of_one_processor_a_booking_is_a_count() {
    let asks = [(1, 1, 0, false, 3), (3, 1, 0, false, 4), (2, 1, 0, false, 3), (1, 1, 0, false, 6)];
    let (mut table, jobs) = table(&vec![(1, NodeKind::ENDLESS); 4], &asks);
    let starts: Vec<_> = jobs.iter().map(|job| book(&mut table, job).map(|(start, _)| start)).collect();
    assert_eq!(starts, [Some(0), Some(0), Some(4), Some(3)]);
}

/// A chunk of two processors and one of a single one, for which a small node alone has memory.
#[test]
fn a_last_chunk_may_be_on_a_kind_that_takes_no_whole_one() {
    let asks = [(3, 2, 3, true, 10), (3, 2, 3, true, 10)];
    let (mut table, jobs) = table(&vec![(1, 4), (1, 4), (4, 4)], &asks);
    let booked: Vec<_> = jobs.iter().map(|job| book(&mut table, job)).collect();
    assert_eq!(booked, [Some((0, vec![(0, 1), (1, 1)])), Some((10, vec![(0, 1), (1, 1)]))]);
}

/// Free processors and memory of a node at an instant, and true if it is empty; `None` if a job has
/// it to itself.
fn free_at(site: &Site, plain: &[Plain], node: u32, at: u64) -> Option<(u32, u64, bool)> {
    let (mut procs, mut memory) = site[node as usize];
    let mut empty = true;
    for one in plain.iter().filter(|one| one.from <= at && at < one.to) {
        for &(_, part) in one.parts.iter().filter(|&&(on, _)| on == node) {
            empty = false;
            if one.alone {
                return None;
            }
            procs -= part;
            memory -= u64::from(part.div_ceil(one.chunk)) * one.memory;
        }
    }
    Some((procs, memory, empty))
}

/// Number of what is no job.
const RESERVED: u32 = u32::MAX;

/// A booking.
struct Plain {
    job: u32,
    from: u64,
    to: u64,
    parts: Vec<(u32, u32)>,
    chunk: u32,
    memory: u64,
    alone: bool,
}

/// The place of a job from an instant on, instant by instant.
fn plain_place(site: &Site, plain: &[Plain], ask: &Ask, from: u64) -> Option<Vec<(u32, u32)>> {
    let &(procs, chunk, memory, alone, span) = ask;
    // free processors and memory throughout the span
    let throughout = |node: u32| {
        let mut least = (u32::MAX, u64::MAX);
        for at in from..from + span {
            let (procs, memory, empty) = free_at(site, plain, node, at)?;
            if alone && !empty {
                return None;
            }
            least = (least.0.min(procs), least.1.min(memory));
        }
        Some(least)
    };
    let idle = |node: u32| {
        let empty = |at: u64| free_at(site, plain, node, at).is_some_and(|(.., empty)| empty);
        (0..from).rev().take_while(|&at| empty(at)).count()
    };
    let mut nodes: Vec<u32> = (0..site.len() as u32).filter(|&node| throughout(node).is_some()).collect();
    nodes.sort_by_key(|&node| (idle(node), node));
    let fits = |(procs, left): (u32, u64), size: u32| procs >= size && left >= memory;
    let mut parts: Vec<(u32, u32, (u32, u64))> = Vec::new();
    let mut whole = procs / chunk;
    for &node in &nodes {
        let (mut free, mut part) = (throughout(node)?, 0);
        while whole > 0 && fits(free, chunk) {
            (free.0, free.1, part, whole) = (free.0 - chunk, free.1 - memory, part + chunk, whole - 1);
        }
        parts.push((node, part, free));
    }
    let rest = procs % chunk;
    if whole > 0 {
        return None;
    }
    if rest > 0 {
        let (_, part, _) = parts.iter_mut().find(|(.., free)| fits(*free, rest))?;
        *part += rest;
    }
    Some(parts.into_iter().filter(|&(_, part, _)| part > 0).map(|(node, part, _)| (node, part)).collect())
}

/// Jobs that may start now for their spans, by the timetable and by the plain list.
fn may_start(
    table: &mut NodeTimetable,
    (site, plain): (&Site, &[Plain]),
    asks: &[Ask],
    jobs: &[(Waiting, SimDuration)],
) -> [Vec<bool>; 2] {
    let holds = jobs.iter().map(|(job, span)| table.holds(job, *span, at(0))).collect();
    [holds, asks.iter().map(|ask| plain_place(site, plain, ask, 0).is_some()).collect()]
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(256))]

    /// Jobs are booked, given up and moved forward; starts and places are those of the plain list.
    #[test]
    fn bookings_are_those_of_a_plain_list(
        site in prop::collection::vec((2_u32..6, 4_u64..12), 1..5),
        asks in prop::collection::vec((1_u32..9, 1_u32..4, 0_u64..4, any::<bool>(), 1_u64..9), 1..12),
        gone in prop::collection::vec(any::<bool>(), 12),
        reserved in prop::collection::vec((0_u32..4, 0_u64..14, 1_u64..6), 0..5),
        mixed in any::<bool>(),
    ) {
        let mut asks = asks;
        // a shared job keeps nodes named
        asks[0].3 = false;
        if !mixed { asks.iter_mut().for_each(|ask| ask.3 = false); }
        let mut plain: Vec<Plain> = Vec::new();
        let mut planned: Vec<Planned> = Vec::new();
        for (node, from, lasts) in reserved {
            let to = from + lasts;
            let meets = |one: &Plain| one.parts[0].0 == node && one.from < to && from < one.to;
            if node as usize >= site.len() || plain.iter().any(meets) {
                continue;
            }
            let parts = vec![(node, site[node as usize].0)];
            plain.push(Plain { job: RESERVED, from, to, parts, chunk: 1, memory: 0, alone: true });
            let nodes = PlannedNodes { booked: vec![Interval::new(node, node)], closed: Vec::new() };
            planned.push(Planned { number: 1, from: at(from), to: at(to), procs: 1, taken: 0, nodes, pools: Vec::new() });
        }
        let held = plain.len();
        let (mut table, jobs) = reserved_table(&site, &asks, &planned);
        for (job, ask) in jobs.iter().zip(&asks) {
            let &(_, chunk, memory, alone, span) = ask;
            let horizon = plain.iter().map(|one| one.to).max().unwrap_or(0);
            let expected = (0..=horizon).find_map(|from| Some((from, plain_place(&site, &plain, ask, from)?)));
            if let Some((from, parts)) = expected.clone() {
                // one that waits alone with its place is no booking for the next search
                table.book_alone(&job.0, job.1, at(from));
                plain.push(Plain { job: job.0.job.0, from, to: from + span, parts, chunk, memory, alone });
                let [holds, expected] = may_start(&mut table, (&site, &plain), &asks, &jobs);
                prop_assert_eq!(holds, expected, "next to job {} that waits", job.0.job.0);
                plain.pop();
                table.leaves(job.0.job, job.0.procs);
            }
            let [holds, plainly] = may_start(&mut table, (&site, &plain), &asks, &jobs);
            prop_assert_eq!(holds, plainly);
            let booked = book(&mut table, job);
            prop_assert_eq!(&booked.as_ref().map(|(start, parts)| (*start, sorted(parts))),
                &expected.as_ref().map(|(start, parts)| (*start, sorted(parts))));
            if let Some((from, parts)) = expected {
                plain.push(Plain { job: job.0.job.0, from, to: from + span, parts, chunk, memory, alone });
            }
        }
        // some are given up, and the others move forward in order
        let gives_up = |one: &Plain| one.job < RESERVED && gone[one.job as usize];
        for one in plain.iter().filter(|one| gives_up(one)) {
            let procs = asks[one.job as usize].0;
            table.release(JobId(one.job), procs, at(one.from), at(one.to));
        }
        plain.retain(|one| !gives_up(one));
        for place in held..plain.len() {
            let one = plain.remove(place);
            let (ask, job) = (&asks[one.job as usize], &jobs[one.job as usize]);
            let earlier = (0..one.from).find_map(|from| Some((from, plain_place(&site, &plain, ask, from)?)));
            let moved = table.move_forward(Ticket::NONE, &job.0, job.1, at(one.from));
            prop_assert_eq!(moved, earlier.as_ref().map(|&(from, _)| at(from)));
            let one = match earlier {
                Some((from, parts)) => Plain { from, to: from + ask.4, parts, ..one },
                None => one,
            };
            plain.insert(place, one);
        }
        let starts: Vec<u64> = table.booked.values().map(|span| span.from.as_nanos()).collect();
        let mut expected: Vec<(u32, u64)> = plain[held..].iter().map(|one| (one.job, one.from)).collect();
        expected.sort_unstable();
        prop_assert_eq!(starts, expected.into_iter().map(|(_, from)| from).collect::<Vec<_>>());
    }
}

fn sorted(parts: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut parts = parts.to_vec();
    parts.sort_unstable();
    parts
}
