//! Starts and moves that the machine allows, and those that it refuses.

use crate::batch::record::{Reason, State};
use crate::collections::Interval;
use crate::ids::JobId;
use crate::kernel::SimTime;

use super::*;

const NOW: SimTime = SimTime::ZERO;

fn start(machine: &mut Machine, job: u32, needed: u32, on: &[(u32, u32)]) -> Result<(), Unlawful> {
    let on: Vec<Interval> = on.iter().map(|&(first, last)| Interval::new(first, last)).collect();
    machine.start(JobId(job), needed, &on, Reason::Head, NOW)
}

#[test]
fn processors_are_held_from_start_to_end() {
    let mut machine = Machine::new(8, 2);
    assert_eq!(start(&mut machine, 0, 4, &[(0, 1), (4, 5)]), Ok(()));
    assert_eq!(machine.free().iter().collect::<Vec<_>>(), [Interval::new(2, 3), Interval::new(6, 7)]);
    machine.end(JobId(0), SimTime::from_nanos(5), State::Completed);
    assert_eq!(machine.free().count(), 8);
    assert_eq!(machine.record().outcome(JobId(0)).end, SimTime::from_nanos(5));
}

#[test]
fn processors_that_are_taken_away_are_the_highest_free_ones_and_come_back() {
    let mut machine = Machine::new(8, 2);
    assert_eq!(start(&mut machine, 0, 2, &[(6, 7)]), Ok(()));
    assert_eq!(machine.take_highest(2), [Interval::new(4, 5)]);
    assert_eq!(start(&mut machine, 1, 1, &[(4, 4)]), Err(Unlawful::Busy(Interval::new(4, 4))));
    machine.end(JobId(0), SimTime::from_nanos(5), State::Completed);
    assert_eq!(machine.take_highest(9), [Interval::new(0, 3), Interval::new(6, 7)]);
    machine.give_back(&[Interval::new(4, 5), Interval::new(0, 3)]);
    assert_eq!(machine.free().iter().collect::<Vec<_>>(), [Interval::new(0, 5)]);
}

#[test]
fn of_shared_processors_those_without_a_task_are_taken_away() {
    let mut machine = Machine::new(4, 2).shared(2);
    let on = |first, last| vec![Interval::new(first, last)];
    assert_eq!(start(&mut machine, 0, 1, &[(3, 3)]), Ok(()));
    assert_eq!(machine.take_highest(2), on(1, 2));
    machine.fail(0, Interval::new(0, 1), NOW);
    assert_eq!(machine.out_of_use().iter().collect::<Vec<_>>(), on(0, 2));
    assert_eq!((machine.free_slots(), machine.take_highest(1)), (1, vec![]));
    let started = start(&mut machine.clone(), 1, 1, &[(2, 2)]);
    assert_eq!(started, Err(Unlawful::Busy(Interval::new(2, 2))));
    machine.give_back(&on(2, 2));
    assert_eq!(machine.out_of_use().iter().collect::<Vec<_>>(), on(0, 1));
}

#[test]
fn unlawful_starts_are_refused_with_their_reason() {
    let mut machine = Machine::new(8, 3);
    machine.record_mut().rejected(JobId(2), NOW, Reason::TooLarge);
    assert_eq!(start(&mut machine, 0, 4, &[(0, 3)]), Ok(()));
    assert_eq!(start(&mut machine, 0, 4, &[(4, 7)]), Err(Unlawful::Twice));
    assert_eq!(start(&mut machine, 1, 4, &[(4, 6)]), Err(Unlawful::WrongCount { needed: 4, given: 3 }));
    assert_eq!(start(&mut machine, 1, 2, &[(3, 4)]), Err(Unlawful::Busy(Interval::new(3, 4))));
    assert_eq!(start(&mut machine, 1, 2, &[(7, 8)]), Err(Unlawful::Busy(Interval::new(7, 8))));
    assert_eq!(start(&mut machine, 2, 9, &[(0, 8)]), Err(Unlawful::Rejected));
    let twice = start(&mut machine.clone(), 1, 2, &[(4, 4), (4, 4)]);
    assert_eq!(twice, Err(Unlawful::Busy(Interval::new(4, 4))));
}
