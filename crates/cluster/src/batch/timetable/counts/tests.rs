//! Which jobs look again, by hand.

use crate::batch::profile::Profile;
use crate::batch::queue::Waiting;
use crate::batch::running::Running;
use crate::batch::timetable::Timetable;
use crate::ids::JobId;
use crate::kernel::{SimDuration, SimTime};

use super::Counts;

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
