//! Playback of recorded steps: faults that keep them from their end, and the least time that they
//! take.
//!
//! Two things keep a recorded program from ending: a receive whose message no task sends, and
//! receives that wait for each other in a circle. [`faults`] finds the first by counting, message
//! by message, and reports superfluous messages as well, because a recording in which one is never
//! received has lost a step. [`dedicated_time`] then plays the steps with messages that take no
//! time and buffers that never fill: whatever cannot end there cannot end anywhere.

use std::collections::VecDeque;

use crate::collections::OrderedMap;
use crate::kernel::{PAST_THE_END, SimDuration};

use super::program::RecordedStep;

/// A step that keeps a recorded program from ending, or does not belong in it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Unplayable {
    /// The task.
    pub rank: u32,
    /// The place of the step among those of the task, from 0.
    pub step: usize,
    /// The mistake.
    pub reason: String,
}

/// Every message that is received but not sent, or sent but not received, or of a task that is not
/// there.
///
/// # Complexity
/// The number of steps, times the logarithm of the number of pairs of tasks that communicate.
pub fn faults(tasks: &[Box<[RecordedStep]>]) -> Vec<Unplayable> {
    let mut faults = Vec::new();
    // for each (from, to): the steps that send and the steps that receive, in order
    let mut pairs: OrderedMap<(u32, u32), (Vec<usize>, Vec<usize>)> = OrderedMap::new();
    for (rank, steps) in (0_u32..).zip(tasks) {
        for (step, done) in steps.iter().enumerate() {
            let (peer, sends) = match *done {
                RecordedStep::Send { to, .. } => (to, true),
                RecordedStep::Receive { from } => (from, false),
                RecordedStep::Compute(_) | RecordedStep::Io(_) => continue,
            };
            if peer as usize >= tasks.len() {
                let reason = format!("there is no task {peer}: tasks are 0 to {}", tasks.len() - 1);
                faults.push(Unplayable { rank, step, reason });
            } else if peer == rank {
                let reason = format!("task {rank} cannot communicate with itself");
                faults.push(Unplayable { rank, step, reason });
            } else if sends {
                pairs.entry((rank, peer)).or_default().0.push(step);
            } else {
                pairs.entry((peer, rank)).or_default().1.push(step);
            }
        }
    }
    for ((from, to), (sent, received)) in pairs {
        for &step in received.iter().skip(sent.len()) {
            let reason = format!("task {to} waits here for a message that task {from} never sends");
            faults.push(Unplayable { rank: to, step, reason });
        }
        for &step in sent.iter().skip(received.len()) {
            let reason = format!("task {to} never receives this message of task {from}");
            faults.push(Unplayable { rank: from, step, reason });
        }
    }
    faults.sort_by_key(|fault| (fault.rank, fault.step));
    faults
}

/// Time that the steps take if messages take no time.
///
/// # Errors
/// The steps cannot end: the first task that waits for ever, its step, and what it waits for; or
/// they take more than 584 years.
///
/// # Complexity
/// As [`faults`].
pub fn dedicated_time(tasks: &[Box<[RecordedStep]>]) -> Result<SimDuration, Unplayable> {
    let mut play = Play {
        at: vec![(0, SimDuration::ZERO); tasks.len()],
        under_way: OrderedMap::new(),
        woken: (0..tasks.len() as u32).collect(),
    };
    while let Some(rank) = play.woken.pop_front() {
        play.go_on(rank, &tasks[rank as usize])?;
    }
    for ((rank, steps), &(step, _)) in (0_u32..).zip(tasks).zip(&play.at) {
        if step < steps.len() {
            return Err(Unplayable { rank, step, reason: play.circle(rank, tasks) });
        }
    }
    Ok(play.at.iter().map(|&(_, time)| time).max().unwrap_or_default())
}

/// Recorded steps while they are played.
struct Play {
    /// Of each task: its next step and its time.
    at: Vec<(usize, SimDuration)>,
    /// By (from, to): when each message that was not received yet was sent.
    under_way: OrderedMap<(u32, u32), VecDeque<SimDuration>>,
    /// Tasks that may go on.
    woken: VecDeque<u32>,
}

impl Play {
    /// Plays the steps of a task up to a receive without a message.
    fn go_on(&mut self, rank: u32, steps: &[RecordedStep]) -> Result<(), Unplayable> {
        let (mut next, mut time) = self.at[rank as usize];
        while let Some(step) = steps.get(next) {
            match *step {
                RecordedStep::Compute(span) | RecordedStep::Io(span) => {
                    time = time.checked_add(span).ok_or_else(|| Unplayable {
                        rank,
                        step: next,
                        reason: format!("task {rank} would end {PAST_THE_END}"),
                    })?;
                }
                RecordedStep::Send { to, .. } => {
                    let messages = self.under_way.entry((rank, to)).or_default();
                    messages.push_back(time);
                    // only a first message can be waited for
                    if messages.len() == 1 && (to as usize) < self.at.len() {
                        self.woken.push_back(to);
                    }
                }
                RecordedStep::Receive { from } => {
                    let sent = self.under_way.get_mut(&(from, rank)).and_then(VecDeque::pop_front);
                    let Some(sent) = sent else { break };
                    time = time.max(sent);
                }
            }
            next += 1;
        }
        self.at[rank as usize] = (next, time);
        Ok(())
    }

    /// Tasks that wait for each other, from `rank` on until one repeats or none follows.
    fn circle(&self, rank: u32, tasks: &[Box<[RecordedStep]>]) -> String {
        let mut text = format!("task {rank} waits for ever");
        let mut seen = vec![rank];
        while let Some(&last) = seen.last() {
            let next = tasks.get(last as usize).and_then(|steps| steps.get(self.at[last as usize].0));
            let Some(&RecordedStep::Receive { from }) = next else { break };
            text.push_str(&format!(", for task {from}"));
            if seen.contains(&from) || seen.len() >= 8 || from as usize >= tasks.len() {
                break;
            }
            text.push_str(", which waits");
            seen.push(from);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::units::Bytes;

    use super::*;

    const A_SECOND: RecordedStep = RecordedStep::Compute(SimDuration::from_secs(1));

    fn send(to: u32) -> RecordedStep {
        RecordedStep::Send { to, size: Bytes::new(64) }
    }

    fn receive(from: u32) -> RecordedStep {
        RecordedStep::Receive { from }
    }

    fn program(tasks: &[&[RecordedStep]]) -> Vec<Box<[RecordedStep]>> {
        tasks.iter().map(|steps| Box::from(*steps)).collect()
    }

    fn found(tasks: &[&[RecordedStep]]) -> Vec<(u32, usize, String)> {
        let faults = faults(&program(tasks));
        faults.into_iter().map(|fault| (fault.rank, fault.step, fault.reason)).collect()
    }

    #[test]
    fn a_receive_ends_no_sooner_than_its_send() {
        let first = [A_SECOND, send(1), receive(1)];
        let second = [receive(0), A_SECOND, A_SECOND, send(0), RecordedStep::Io(SimDuration::from_secs(4))];
        let both = program(&[&first, &second]);
        assert_eq!(faults(&both), []);
        assert_eq!(dedicated_time(&both), Ok(SimDuration::from_secs(7)));
        assert_eq!(dedicated_time(&[]), Ok(SimDuration::ZERO));
    }

    #[test]
    fn every_message_that_is_not_matched_is_reported() {
        let found = found(&[&[receive(1), send(1), receive(1)], &[send(0), send(2)], &[send(2), receive(7)]]);
        let reasons = [
            (0, 1, "task 1 never receives this message of task 0"),
            (0, 2, "task 0 waits here for a message that task 1 never sends"),
            (1, 1, "task 2 never receives this message of task 1"),
            (2, 0, "task 2 cannot communicate with itself"),
            (2, 1, "there is no task 7: tasks are 0 to 2"),
        ];
        assert_eq!(found, reasons.map(|(rank, step, reason)| (rank, step, reason.to_owned())));
    }

    #[test]
    fn receives_that_wait_in_a_circle_are_reported() {
        let circle =
            program(&[&[A_SECOND, receive(1), send(1)], &[receive(2), send(0)], &[receive(0), send(1)]]);
        let balanced = program(&[&[receive(1), send(1)], &[receive(0), send(0)], &[A_SECOND]]);
        assert_eq!(faults(&balanced), []);
        let stuck = dedicated_time(&balanced).expect_err("a circle");
        assert_eq!((stuck.rank, stuck.step), (0, 0));
        assert_eq!(stuck.reason, "task 0 waits for ever, for task 1, which waits, for task 0");
        let stuck = dedicated_time(&circle).expect_err("a circle");
        assert_eq!((stuck.rank, stuck.step), (0, 1));
        assert!(stuck.reason.ends_with("which waits, for task 0"), "{}", stuck.reason);
    }

    #[test]
    fn messages_of_one_task_are_received_in_order_and_buffered() {
        let many = program(&[&[send(1), A_SECOND, send(1), send(1)], &[receive(0), receive(0), receive(0)]]);
        assert_eq!(dedicated_time(&many), Ok(SimDuration::from_secs(1)));
    }

    #[test]
    fn steps_past_the_end_of_time_are_reported() {
        let long = RecordedStep::Compute(SimDuration::MAX);
        let error = dedicated_time(&program(&[&[long, long]])).expect_err("too long");
        assert_eq!(error.reason, format!("task 0 would end {PAST_THE_END}"));
    }
}
