//! The rules by hand and against plain readings of them.

use proptest::prelude::*;

use crate::batch::Obstacle;
use crate::batch::queue::{Discipline, Queue, Waiting};
use crate::batch::running::Running;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};
use crate::workload::Job;

use super::room::CountRoom;
use super::*;

#[derive(Debug)]
struct InOrder;

impl Discipline for InOrder {
    fn key(&self, _: &Job) -> u64 {
        0
    }
}

fn at(nanos: u64) -> SimTime {
    SimTime::from_nanos(nanos)
}

/// A rule as a scenario writes it.
fn rule(text: &str) -> Box<dyn Backfill> {
    crate::batch::tests::built(text, table())
}

/// Running jobs as (estimated end, processors), waiting ones as (processors, estimate, run time).
fn scene(runs: &[(u64, u32)], waits: &[(u32, u64, u64)], rule: &mut dyn Backfill) -> (Running, Queue) {
    let (mut running, mut queue) = (Running::new(), Queue::new());
    for (id, &(end, procs)) in (1000..).zip(runs) {
        running.insert(JobId(id), procs, at(end));
    }
    for (id, &(procs, estimate, run_time)) in (0..).zip(waits) {
        let job = Job::new(1, at(0), procs, SimDuration::from_nanos(estimate));
        queue.insert(JobId(id), &job, &InOrder);
        let waiting = Waiting::new(0, JobId(id), procs, job.estimate);
        if rule.capabilities().follows {
            rule.note(Change::Waits(waiting, SimDuration::from_nanos(run_time)));
        }
    }
    (running, queue)
}

fn pick_of(text: &str, now: u64, free: u64, runs: &[(u64, u32)], waits: &[(u32, u64, u64)]) -> Vec<u32> {
    let mut rule = rule(text);
    let (running, queue) = scene(runs, waits, rule.as_mut());
    let mut picks = Picks::default();
    rule.pick(&View::new(at(now), free, &queue, &running), &mut picks);
    picks.jobs.iter().map(|job| job.waiting.job.0).collect()
}

fn pick(reservations: usize, now: u64, free: u64, runs: &[(u64, u32)], waits: &[(u32, u64)]) -> Vec<u32> {
    let waits: Vec<_> = waits.iter().map(|&(procs, estimate)| (procs, estimate, estimate)).collect();
    pick_of(&format!("{{ kind = 'easy', reservations = {reservations} }}"), now, free, runs, &waits)
}

#[test]
fn a_job_that_ends_exactly_at_the_shadow_time_may_start() {
    // the head needs 8 of 10, 6 run until 100
    assert_eq!(pick(1, 0, 4, &[(100, 6)], &[(8, 50), (4, 100)]), [1]);
    assert_eq!(pick(1, 0, 4, &[(100, 6)], &[(8, 50), (4, 101)]), [] as [u32; 0]);
}

#[test]
fn long_jobs_use_up_the_extra_processors_and_short_ones_do_not() {
    // extra is 2: the second long job must wait, the short one need not
    assert_eq!(pick(1, 0, 4, &[(100, 6)], &[(8, 50), (2, 500), (1, 500), (2, 50)]), [1, 3]);
    // a short job that would also fit in the extra leaves it to others
    assert_eq!(pick(1, 0, 4, &[(100, 6)], &[(8, 50), (2, 50), (2, 500)]), [1, 2]);
}

#[test]
fn a_second_reservation_protects_the_second_waiter() {
    // example B of MODELS 2.4 at time 3: job 4 would delay the second waiter
    let (runs, waits) = ([(100, 6)], [(8, 50), (10, 100), (2, 400)]);
    assert_eq!(pick(1, 3, 4, &runs, &waits), [2]);
    assert_eq!(pick(2, 3, 4, &runs, &waits), [] as [u32; 0]);
}

/// 8 of 10 are in service, of which 4 run until 100: the first can hold no reservation, so the
/// second and the third have the two, and the last, which would fit, delays them.
#[test]
fn a_job_that_needs_more_than_there_is_uses_up_no_reservation() {
    let waits = [(10, 50, 50), (8, 50, 50), (8, 50, 50), (2, 400, 400)];
    let mut rule = rule("{ kind = 'easy', reservations = 2 }");
    let (running, queue) = scene(&[(100, 4)], &waits, rule.as_mut());
    let view = View::new(at(1), 4, &queue, &running);
    let last = *queue.iter().last().expect("it waits");
    assert_eq!(rule.obstacle(&view, &last), Obstacle::Reservations(2));
    let mut picks = Picks::default();
    rule.pick(&view, &mut picks);
    assert!(picks.jobs.is_empty());
}

#[test]
fn the_options_of_easy_differ_as_they_say() {
    // 4 of 10 are free until 100, then 2 next to the head
    let (runs, waits) = ([(100, 6)], [(8, 50, 50), (2, 300, 90), (4, 90, 90), (2, 60, 60), (1, 400, 400)]);
    let started = |keys: &str| pick_of(&format!("{{ kind = 'easy'{keys} }}"), 0, 4, &runs, &waits);
    assert_eq!(started(""), [1, 3]);
    assert_eq!(started(", extra = 'none'"), [2]);
    // the head is delayed: by 2 processors until 300, and by 1 until 400
    assert_eq!(started(", extra = 'all'"), [1, 3]);
    assert_eq!(
        pick_of("{ kind = 'easy', extra = 'all' }", 0, 4, &runs, &[(8, 50, 50), (3, 300, 90), (1, 400, 400)]),
        [1, 2]
    );
    assert_eq!(started(", order = 'sjbf'"), [3, 1]);
    assert_eq!(started(", order = 'smallest'"), [4, 3]);
    assert_eq!(started(", order = 'largest'"), [2]);
    // the run time of the second is 90, so it leaves the extra processors to the last
    assert_eq!(started(", judged-by = 'run-time'"), [1, 3]);
    let late = [(8, 50, 50), (2, 300, 90), (1, 400, 400), (1, 400, 400)];
    assert_eq!(pick_of("'easy'", 0, 4, &runs, &late), [1]);
    assert_eq!(pick_of("{ kind = 'easy', judged-by = 'run-time' }", 0, 4, &runs, &late), [1, 2, 3]);
    // a job past its estimate: by the rule it ends at once, so that only the extra processors may
    // be used
    let past = [(5, 6)];
    assert_eq!(pick_of("'easy'", 10, 4, &past, &[(8, 50, 50), (4, 90, 90), (2, 9, 9)]), [2]);
    let later = "{ kind = 'easy', overdue = '90ns' }";
    assert_eq!(pick_of(later, 10, 4, &past, &[(8, 50, 50), (4, 90, 90), (2, 9, 9)]), [1]);
}

#[test]
fn a_head_that_keeps_its_reservation_starts_no_earlier() {
    let mut rule = rule("{ kind = 'easy', head-reservation = 'kept' }");
    let (mut running, queue) = scene(&[(100, 6)], &[(8, 50, 50)], rule.as_mut());
    let mut picks = Picks::default();
    rule.pick(&View::new(at(1), 4, &queue, &running), &mut picks);
    running.remove(JobId(1000), 6, at(100));
    rule.pick(&View::new(at(30), 10, &queue, &running), &mut picks);
    assert!(picks.jobs.is_empty(), "the running job ended before its estimate");
    rule.pick(&View::new(at(100), 10, &queue, &running), &mut picks);
    assert_eq!(picks.jobs.len(), 1);
}

/// A head of 8 of 10 is promised 100, when the 6 that run are over: 2 are left next to it.
#[test]
fn next_to_a_kept_reservation_is_room_for_what_the_head_does_not_need() {
    for (procs, expected) in [(2, vec![JobId(1)]), (3, vec![])] {
        let mut rule = rule("{ kind = 'easy', head-reservation = 'kept' }");
        let (running, mut queue) = scene(&[(100, 6)], &[(8, 50, 50)], rule.as_mut());
        let mut picks = Picks::default();
        rule.pick(&View::new(at(1), 4, &queue, &running), &mut picks);
        queue.insert(JobId(1), &Job::new(1, at(2), procs, SimDuration::from_nanos(500)), &InOrder);
        rule.pick(&View::new(at(2), 4, &queue, &running), &mut picks);
        let started: Vec<JobId> = picks.jobs.iter().map(|job| job.waiting.job).collect();
        assert_eq!(started, expected, "{procs}");
    }
}

/// The rule as it reads, by a plain scan.
fn naive(now: u64, free: u64, runs: &[(u64, u32)], waits: &[(u32, u64)]) -> Vec<u32> {
    let mut ends: Vec<(u64, u64)> =
        runs.iter().map(|&(end, procs)| (end.max(now + 1), u64::from(procs))).collect();
    ends.sort_unstable();
    let need = u64::from(waits[0].0);
    let free_at = |by| free + ends.iter().filter(|job| job.0 <= by).map(|job| job.1).sum::<u64>();
    // where all processors are in service, the head fits once all have ended
    let Some(shadow) = ends.iter().map(|job| job.0).find(|&end| free_at(end) >= need) else {
        return Vec::new();
    };
    let (mut extra, mut free, mut picked) = (free_at(shadow) - need, free, Vec::new());
    for (id, &(procs, estimate)) in (0..).zip(waits).skip(1) {
        let procs = u64::from(procs);
        let short = now + estimate <= shadow;
        if procs <= free && (short || procs <= extra) {
            free -= procs;
            extra -= if short { 0 } else { procs };
            picked.push(id);
        }
    }
    picked
}

#[test]
fn a_head_that_needs_more_than_is_in_service_keeps_no_job_waiting() {
    // 4 processors in service, 2 of them free until 50; the head needs 6, the next 3, and the
    // others 2
    let waits = [(6, 10), (3, 10), (2, 60), (2, 49)];
    assert_eq!(pick(1, 1, 2, &[(50, 2)], &waits), [3], "the next is promised a start at 50");
    assert_eq!(pick(1, 1, 3, &[(50, 1)], &waits), [1], "and is started first if it fits");
    assert_eq!(pick(2, 1, 3, &[(50, 1)], &waits), [1]);
    assert!(pick(1, 1, 0, &[(50, 4)], &waits).is_empty());
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(256))]
    #[test]
    fn the_rule_is_that_of_a_plain_scan_and_of_a_profile_with_one_reservation(
        runs in prop::collection::vec((0_u64..50, 1_u32..20), 1..100),
        mut waits in prop::collection::vec((1_u32..30, 1_u64..60), 1..200),
        now in 0_u64..30,
        free in 0_u64..25,
    ) {
        let total = free + runs.iter().map(|run| u64::from(run.1)).sum::<u64>();
        waits[0].0 = waits[0].0.max(free as u32 + 1).min(total as u32);
        let expected = naive(now, free, &runs, &waits);
        prop_assert_eq!(&pick(1, now, free, &runs, &waits), &expected);
        // the same by candidates of their own, judged by what is the estimate here
        let same: Vec<_> = waits.iter().map(|&(procs, estimate)| (procs, estimate, estimate)).collect();
        let judged = "{ kind = 'easy', judged-by = 'run-time' }";
        prop_assert_eq!(&pick_of(judged, now, free, &runs, &same), &expected);

        let mut easy = easy::Easy::published();
        let (running, queue) = scene(&runs, &same, &mut easy);
        let view = View::new(at(now), free, &queue, &running);
        let mut picks = Picks::default();
        easy.behind_reservations(&mut CountRoom::new(&view, &mut picks), None);
        prop_assert_eq!(picks.jobs.iter().map(|job| job.waiting.job.0).collect::<Vec<_>>(), expected);
    }
}
