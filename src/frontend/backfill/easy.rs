//! EASY (aggressive) backfilling: a queued job may overtake if the head of the queue is not delayed.
//!
//! Source: D. A. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995; the exact rule as in A. W. Mu'alem and
//! D. G. Feitelson, IEEE TPDS 12(6), 2001. For the head that does not fit, shadow time and extra processors follow
//! from the estimates of the running jobs. In queue order, a job that fits now is started if by its estimate it is
//! over by the shadow time, or if it needs at most the extra processors; these are used up by jobs that last longer.
//!
//! Deviation: `reservations` above 1 protects that many jobs from the head on, by reservations in an availability
//! profile; the published rule is the case 1. A job among them that can start at once without moving a reservation
//! before it is started, and uses up none.

use std::num::NonZeroUsize;

use crate::frontend::profile::Profile;
use crate::frontend::queue::{Gap, Waiting};
use crate::kernel::SimDuration;
use crate::registry::{Absent, Entry, Key, Kind};

use super::{Backfill, View};

const RESERVATIONS: Key = Key {
    name: "reservations",
    kind: Kind::Count { least: 1, most: 1_000_000 },
    default: Absent::Count(1),
    about: "how many waiting jobs, from the head on, must not be delayed by those that overtake",
    source: "1: Lifka, JSSPP 1995",
};

pub(super) const ENTRY: Entry<dyn Backfill> = Entry {
    name: "easy",
    about: "a job may overtake if the head of the queue is not delayed by the estimates",
    source: "D. A. Lifka, JSSPP 1995; A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001",
    keys: &[RESERVATIONS],
    build: |params| {
        let reservations: u64 = params.read("reservations")?;
        let reservations = usize::try_from(reservations).ok().and_then(NonZeroUsize::new);
        Ok(Box::new(Easy { reservations: reservations.unwrap_or(NonZeroUsize::MIN) }))
    },
};

#[derive(Debug)]
struct Easy {
    reservations: NonZeroUsize,
}

impl Backfill for Easy {
    fn pick(&self, view: &View<'_>, picked: &mut Vec<Waiting>) {
        if view.free == 0 {
            return;
        }
        if self.reservations == NonZeroUsize::MIN {
            behind_shadow(view, picked);
        } else {
            behind_reservations(view, self.reservations, picked);
        }
    }
}

/// The published rule: one reservation, for the head.
fn behind_shadow(view: &View<'_>, picked: &mut Vec<Waiting>) {
    let Some(head) = view.queue.head() else { return };
    let Some(shadow) = view.running.shadow(view.now, view.free, u64::from(head.procs)) else { return };
    let mut gap = Gap { free: view.free, extra: shadow.extra, until: shadow.time.since(view.now) };
    let mut place = view.queue.behind_head();
    while gap.free > 0
        && let Some((job, after)) = view.queue.first_fit(place, &gap)
    {
        gap.free -= u64::from(job.procs);
        if job.estimate > gap.until {
            gap.extra -= u64::from(job.procs);
        }
        picked.push(job);
        place = after;
    }
}

/// The first blocked jobs of the queue reserve their earliest place each; others start where no reservation moves.
fn behind_reservations(view: &View<'_>, reservations: NonZeroUsize, picked: &mut Vec<Waiting>) {
    let mut profile = Profile::new(view.now, view.free, view.running);
    let mut reserved = 0;
    let mut free = view.free;
    for job in view.queue.iter() {
        let holds = reserved < reservations.get();
        if free == 0 || (!holds && u64::from(job.procs) > free) {
            // nothing more can start, or this one cannot and reserves nothing
            if free == 0 {
                return;
            }
            continue;
        }
        let procs = u64::from(job.procs);
        let Some(start) = profile.earliest(procs, job.estimate) else { continue };
        if start == view.now {
            profile.reserve(start, job.estimate.max(SimDuration::from_nanos(1)), procs);
            free -= procs;
            picked.push(*job);
        } else if holds {
            profile.reserve(start, job.estimate, procs);
            reserved += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::frontend::queue::{Discipline, Queue};
    use crate::frontend::running::Running;
    use crate::ids::JobId;
    use crate::kernel::SimTime;
    use crate::workload::Job;

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

    /// Running jobs as (estimated end, processors), waiting ones as (processors, estimate).
    fn scene(runs: &[(u64, u32)], waits: &[(u32, u64)]) -> (Running, Queue) {
        let (mut running, mut queue) = (Running::new(), Queue::new());
        for (id, &(end, procs)) in (1000..).zip(runs) {
            running.insert(JobId(id), procs, at(end));
        }
        for (id, &(procs, estimate)) in (0..).zip(waits) {
            queue.insert(JobId(id), &Job::new(1, at(0), procs, SimDuration::from_nanos(estimate)), &InOrder);
        }
        (running, queue)
    }

    fn pick(reservations: usize, now: u64, free: u64, runs: &[(u64, u32)], waits: &[(u32, u64)]) -> Vec<u32> {
        let (running, queue) = scene(runs, waits);
        let mut picked = Vec::new();
        let reservations = NonZeroUsize::new(reservations).expect("one at least");
        Easy { reservations }
            .pick(&View { now: at(now), free, queue: &queue, running: &running }, &mut picked);
        picked.iter().map(|job| job.job.0).collect()
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

    /// The rule as it reads, by a plain scan.
    fn naive(now: u64, free: u64, runs: &[(u64, u32)], waits: &[(u32, u64)]) -> Vec<u32> {
        let mut ends: Vec<(u64, u64)> =
            runs.iter().map(|&(end, procs)| (end.max(now + 1), u64::from(procs))).collect();
        ends.sort_unstable();
        let need = u64::from(waits[0].0);
        let free_at = |by| free + ends.iter().filter(|job| job.0 <= by).map(|job| job.1).sum::<u64>();
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

    proptest! {
        #[test]
        fn the_rule_is_that_of_a_plain_scan_and_of_a_profile_with_one_reservation(
            runs in prop::collection::vec((0_u64..50, 1_u32..20), 1..100),
            mut waits in prop::collection::vec((1_u32..30, 1_u64..60), 1..200),
            now in 0_u64..30,
            free in 0_u64..25,
        ) {
            waits[0].0 = waits[0].0.max(free as u32 + 1);
            let expected = naive(now, free, &runs, &waits);
            prop_assert_eq!(&pick(1, now, free, &runs, &waits), &expected);

            let total = free + runs.iter().map(|run| u64::from(run.1)).sum::<u64>();
            if u64::from(waits[0].0) <= total {
                let (running, queue) = scene(&runs, &waits);
                let view = View { now: at(now), free, queue: &queue, running: &running };
                let mut picked = Vec::new();
                behind_reservations(&view, NonZeroUsize::MIN, &mut picked);
                prop_assert_eq!(picked.iter().map(|job| job.job.0).collect::<Vec<_>>(), expected);
            }
        }
    }
}
