//! Jobs that look again, by hand and against a plain step function.

use proptest::prelude::*;

use crate::batch::profile::{Profile, Seen, signed};
use crate::batch::queue::Waiting;
use crate::batch::running::Running;
use crate::batch::timetable::Timetable;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::Counts;
use super::gap::{Gap, Shortest};
use super::needs::class;

fn at(nanos: u64) -> SimTime {
    SimTime::from_nanos(nanos)
}

/// 6 of 10 processors run until 100. Jobs of 10, 7, 3 and 6 for 50, 60, 130 and 40 hold the
/// earliest starts, of which the last is next to the third.
#[test]
fn only_jobs_that_a_raised_span_can_reach_look_again() {
    let mut running = Running::new();
    running.insert(JobId(9), 6, at(100));
    let mut table = Counts::new(Profile::new(at(0), 4, &running, SimDuration::ZERO), at(0));
    let jobs = [(10, 50), (7, 60), (3, 130), (6, 40)];
    let jobs: Vec<Waiting> = (0..)
        .zip(jobs)
        .map(|(job, (procs, span))| Waiting::new(0, JobId(job), procs, SimDuration::from_nanos(span)))
        .collect();
    let mut held = Vec::new();
    for job in &jobs {
        let start = table.earliest(job, job.estimate, at(0)).expect("it fits");
        held.push((table.promise(job, job.estimate, start), start));
    }
    assert_eq!(held.iter().map(|one| one.1).collect::<Vec<_>>(), [100, 150, 150, 210].map(at));
    for (job, &(ticket, start)) in jobs.iter().zip(&held) {
        assert_eq!(table.move_forward(ticket, job, job.estimate, start), None);
    }
    let marked = |table: &Counts| held.iter().map(|one| table.may_move(one.0)).collect::<Vec<_>>();
    assert_eq!(marked(&table), [false; 4], "nothing was raised");
    // all are free from 40 to 100: the first slides, the second and the last fit there as a whole
    table.begin(at(40), 0);
    table.release(JobId(9), 6, at(40), at(100));
    assert_eq!(marked(&table), [true, true, false, true]);
    let mut look = |place: usize| {
        let (ticket, start) = held[place];
        table.move_forward(ticket, &jobs[place], jobs[place].estimate, start)
    };
    assert_eq!([look(0), look(1), look(2), look(3)], [40, 90, 90, 150].map(|nanos| Some(at(nanos))));
    assert_eq!(marked(&table), [false; 4]);
}

const UNITS: u64 = 120;

/// Processors taken from a profile of nine, and given back, as (instant, span, processors).
fn changes() -> impl Strategy<Value = Vec<(u64, u64, i64)>> {
    prop::collection::vec((0..UNITS, 1_u64..40, -4_i64..3), 0..40)
}

proptest! {
    #![proptest_config(crate::batch::tests::seeded(256))]
    #[test]
    fn a_gap_takes_the_jobs_that_a_plain_step_function_lets_through(
        changes in changes(),
        (from, long, by) in (0..UNITS, 1_u64..50, 1_u64..6),
        jobs in prop::collection::vec((1_u32..14, 1_u64..70, 1_u64..80), 1..30),
    ) {
        let to = from + long;
        let mut profile = Profile::idle(at(0), 9);
        let mut free = vec![9_i64; 4 * UNITS as usize];
        for (from, span, by) in changes.into_iter().chain([(from, long, signed(by))]) {
            let procs = by.unsigned_abs();
            if by < 0 {
                profile.reserve(at(from), SimDuration::from_nanos(span), procs);
            } else {
                profile.release(at(from), at(from + span), procs);
            }
            free[from as usize..(from + span) as usize].iter_mut().for_each(|free| *free += by);
        }
        let raised = profile.raised(at(from), at(to), by);
        let end = profile.seen_from(raised.first).find(|step| step.from >= at(to)).unwrap_or(Seen::NONE);
        let within = free[from as usize..to as usize].iter().copied();
        let (least, most) = (within.clone().min().unwrap_or(0), within.max().unwrap_or(0));
        let before = least - signed(by);
        let mut shortest = Shortest::NO_JOB;
        for &(procs, span, _) in &jobs {
            shortest.add(class(procs.into()), SimDuration::from_nanos(span));
        }
        let mut gap = Gap::none();
        let around = (profile.seen(raised.first), end);
        let takes = gap.widen(&profile, raised, around, (before, most), &shortest);
        for (procs, span, after) in jobs {
            let (need, start) = (i64::from(procs), from + after);
            let fits = |&begin: &u64| {
                begin + span > from
                    && (begin..start.min(begin + span)).all(|unit| free[unit as usize] >= need)
            };
            let expected = (0..start.min(to)).find(fits).map(at).filter(|_| need > before);
            // one that is only found because the job holds its own processors behind is a slide
            let is_jump = (0..to).take_while(|begin| begin + span <= start).any(|begin| fits(&begin));
            let span = SimDuration::from_nanos(span);
            let class = class(procs.into());
            let may = takes && need > before && gap.classes().contains(&class) && span <= gap.longest(class);
            let found = if may { gap.start(&profile, procs, span, at(start)) } else { None };
            let found = found.map(|(found, _)| found);
            if is_jump || found.is_some() {
                prop_assert_eq!(found, expected);
            }
        }
    }
}
