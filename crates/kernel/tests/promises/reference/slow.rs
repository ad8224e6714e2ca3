//! The slow executor: one sorted vector of what is pending, and an interpreter of programs.

use std::collections::{BTreeMap, VecDeque};

use super::lines::Lines;
use super::program::{Outcome, Program, Step, Wait};
use super::{Happened, Left, REAPING, Run};

/// Names a wait.
pub(super) type Id = u64;

/// Something taken that goes back when it is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Server(usize),
    Units(usize, u64),
}

type Result = (Vec<Outcome>, Vec<Taken>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Queued,
    Timed(u64),
    Granted(u64),
    Fired,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Events,
    Timeouts,
    Decisions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Start(usize),
    Wait(Id),
    Reaper(bool),
}

/// A wait under evaluation.
#[derive(Debug)]
enum Node {
    Leaf { wait: Wait, id: Option<Id>, ticket: Option<u64> },
    Race(Box<Node>, Box<Node>),
    Both(Half, Half),
    Timed(Box<Node>, Box<Node>),
    Interruptible(Box<Node>, Option<Id>),
}

/// One side of a wait for both.
#[derive(Debug)]
enum Half {
    Pending(Box<Node>),
    Done(Result),
}

#[derive(Debug, Default)]
struct Process {
    steps: VecDeque<Step>,
    tree: Option<Node>,
    taken: Vec<Taken>,
    ended: bool,
    killed: bool,
    joiners: Vec<Id>,
    reasons: u64,
    listening: Vec<Id>,
}

/// The kernel's side: clock, pending entries, waits.
#[derive(Debug, Default)]
pub(super) struct Clock {
    pub(super) now: u64,
    sequence: u64,
    pending: Vec<(u64, Phase, u64, Target)>,
    waits: BTreeMap<Id, (usize, State)>,
    next_id: Id,
    running: usize,
}

impl Clock {
    fn put(&mut self, at: u64, phase: Phase, target: Target) -> u64 {
        self.sequence += 1;
        let entry = (at, phase, self.sequence, target);
        self.pending.insert(self.pending.partition_point(|other| *other < entry), entry);
        self.sequence
    }

    /// A wait of the running process that something will grant.
    pub(super) fn queue(&mut self) -> Id {
        self.next_id += 1;
        self.waits.insert(self.next_id, (self.running, State::Queued));
        self.next_id
    }

    /// Hands a wait over: its process is resumed behind everything scheduled for this instant.
    pub(super) fn grant(&mut self, id: Id) {
        assert_eq!(self.waits[&id].1, State::Queued);
        let sequence = self.put(self.now, Phase::Events, Target::Wait(id));
        self.set(id, State::Granted(sequence));
    }

    /// Ends a queued wait `span` from now.
    pub(super) fn schedule(&mut self, id: Id, span: u64) {
        if span == 0 {
            self.grant(id);
        } else {
            let sequence = self.put(self.now + span, Phase::Events, Target::Wait(id));
            self.set(id, State::Timed(sequence));
        }
    }

    pub(super) fn unschedule(&mut self, id: Id) {
        if matches!(self.waits[&id].1, State::Timed(_)) {
            self.set(id, State::Queued);
        }
    }

    fn set(&mut self, id: Id, state: State) {
        self.waits.get_mut(&id).unwrap().1 = state;
    }

    fn is_over(&self, id: Id) -> bool {
        matches!(self.waits[&id].1, State::Granted(_) | State::Fired)
    }

    pub(super) fn forget(&mut self, id: Id) {
        self.waits.remove(&id);
    }

    /// The next living entry, in order of time, phase and sequence.
    fn next(&mut self) -> Option<Target> {
        while !self.pending.is_empty() {
            let (at, _, sequence, target) = self.pending.remove(0);
            if let Target::Wait(id) = target {
                match self.waits.get(&id) {
                    Some((_, State::Timed(own) | State::Granted(own))) if *own == sequence => {
                        self.set(id, State::Fired);
                    }
                    _ => continue,
                }
            }
            self.now = at;
            return Some(target);
        }
        None
    }
}

#[derive(Default)]
struct Slow {
    clock: Clock,
    lines: Lines,
    processes: Vec<Process>,
    sent: u64,
    received: u64,
    journal: Vec<(u64, usize, Happened)>,
    kill_running: bool,
}

impl Slow {
    fn start(&mut self, program: Program) {
        self.clock.put(self.clock.now, Phase::Events, Target::Start(self.processes.len()));
        self.processes.push(Process { steps: program.into(), ..Process::default() });
    }

    fn note(&mut self, process: usize, what: Happened) {
        self.journal.push((self.clock.now, process, what));
    }

    // ---- processes
    // ------------------------------------------------------------------------------------------------

    /// Resumes a process until it waits or ends.
    fn resume(&mut self, number: usize) {
        self.clock.running = number;
        self.note(number, Happened::Resumed);
        loop {
            if let Some(mut tree) = self.processes[number].tree.take() {
                match self.poll(&mut tree) {
                    Some((outcomes, taken)) => {
                        self.processes[number].taken.extend(taken);
                        self.note(number, Happened::Awaited(outcomes));
                    }
                    None => {
                        self.processes[number].tree = Some(tree);
                        if std::mem::take(&mut self.kill_running) {
                            self.end(number, true);
                        }
                        return;
                    }
                }
            }
            let Some(step) = self.processes[number].steps.pop_front() else { break };
            self.step(number, step);
        }
        self.note(number, Happened::Ended);
        self.kill_running = false;
        self.end(number, false);
    }

    fn step(&mut self, number: usize, step: Step) {
        let clock = &mut self.clock;
        match step {
            Step::Await(wait) => {
                let tree = self.node(&wait);
                self.processes[number].tree = Some(tree);
            }
            Step::Set(event) => self.lines.set(clock, event),
            Step::Clear(event) => self.lines.events[event].occurred = false,
            Step::Send(mailbox) => {
                self.sent += 1;
                self.lines.put_message(clock, mailbox, self.sent);
            }
            Step::Change(by) => self.lines.change(clock, by),
            Step::GiveBack => {
                if !self.processes[number].taken.is_empty() {
                    let taken = self.processes[number].taken.remove(0);
                    self.give_back(taken);
                }
            }
            Step::Spawn(program) => self.start(program),
            Step::Kill(other) => {
                let other = other % self.processes.len();
                if other == number {
                    self.kill_running = true;
                } else {
                    self.end(other, true);
                }
            }
            Step::Interrupt(other) => {
                let other = other % self.processes.len();
                let process = &mut self.processes[other];
                if !process.ended {
                    process.reasons += 1;
                    if let Some(&id) = process.listening.last()
                        && !clock.is_over(id)
                    {
                        clock.grant(id);
                    }
                }
            }
        }
    }

    /// Drops what a process awaits and has, and resumes those who join it.
    fn end(&mut self, number: usize, killed: bool) {
        if self.processes[number].ended {
            return;
        }
        if let Some(tree) = self.processes[number].tree.take() {
            self.abandon(tree, number);
        }
        for taken in std::mem::take(&mut self.processes[number].taken) {
            self.give_back(taken);
        }
        let process = &mut self.processes[number];
        (process.ended, process.killed) = (true, killed);
        for joiner in std::mem::take(&mut process.joiners) {
            self.clock.grant(joiner);
        }
    }

    fn give_back(&mut self, taken: Taken) {
        match taken {
            Taken::Server(facility) => self.lines.release(&mut self.clock, facility),
            Taken::Units(storage, units) => self.lines.deallocate(&mut self.clock, storage, units),
        }
    }

    // ---- waits
    // ----------------------------------------------------------------------------------------------------

    fn node(&self, wait: &Wait) -> Node {
        let boxed = |wait: &Wait| Box::new(self.node(wait));
        match wait {
            Wait::Race(first, second) => Node::Race(boxed(first), boxed(second)),
            Wait::Both(first, second) => {
                Node::Both(Half::Pending(boxed(first)), Half::Pending(boxed(second)))
            }
            Wait::Timed(limit, inner) => Node::Timed(boxed(inner), boxed(&Wait::Timer(*limit))),
            Wait::Interruptible(inner) => Node::Interruptible(boxed(inner), None),
            Wait::Join(number) => {
                Node::Leaf { wait: Wait::Join(number % self.processes.len()), id: None, ticket: None }
            }
            leaf => Node::Leaf { wait: leaf.clone(), id: None, ticket: None },
        }
    }

    fn poll(&mut self, node: &mut Node) -> Option<Result> {
        match node {
            Node::Leaf { wait, id, ticket } => {
                let (outcome, taken) = self.poll_leaf(wait, id, ticket)?;
                Some((vec![outcome], taken.into_iter().collect()))
            }
            Node::Race(first, second) => {
                let number = self.clock.running;
                if let Some(result) = self.poll(first) {
                    self.abandon_in(second, number);
                    return Some(after(Outcome::First, result));
                }
                let result = self.poll(second)?;
                self.abandon_in(first, number);
                Some(after(Outcome::Second, result))
            }
            Node::Both(first, second) => {
                self.poll_half(first);
                self.poll_half(second);
                match (first, second) {
                    (Half::Done(first), Half::Done(second)) => {
                        let (mut outcomes, mut taken) = std::mem::take(first);
                        outcomes.append(&mut second.0);
                        taken.append(&mut second.1);
                        Some((outcomes, taken))
                    }
                    _ => None,
                }
            }
            Node::Timed(inner, timer) => {
                let number = self.clock.running;
                if let Some(result) = self.poll(inner) {
                    self.abandon_in(timer, number);
                    return Some(result);
                }
                self.poll(timer)?;
                self.abandon_in(inner, number);
                Some((vec![Outcome::TimedOut], Vec::new()))
            }
            Node::Interruptible(inner, listening) => {
                let number = self.clock.running;
                if let Some(result) = self.poll(inner) {
                    self.stop_listening(number, listening);
                    return Some(result);
                }
                if self.processes[number].reasons > 0 {
                    self.processes[number].reasons -= 1;
                    self.stop_listening(number, listening);
                    self.abandon_in(inner, number);
                    return Some((vec![Outcome::Interrupted], Vec::new()));
                }
                if let Some(id) = *listening
                    && !self.clock.is_over(id)
                {
                    return None;
                }
                self.stop_listening(number, listening);
                let id = self.clock.queue();
                *listening = Some(id);
                self.processes[number].listening.push(id);
                None
            }
        }
    }

    fn poll_half(&mut self, half: &mut Half) {
        if let Half::Pending(node) = half
            && let Some(result) = self.poll(node)
        {
            *half = Half::Done(result);
        }
    }

    fn stop_listening(&mut self, number: usize, listening: &mut Option<Id>) {
        if let Some(id) = listening.take() {
            self.processes[number].listening.retain(|other| *other != id);
            self.clock.forget(id);
        }
    }

    /// Polls what is no combinator.
    fn poll_leaf(
        &mut self,
        wait: &Wait,
        id: &mut Option<Id>,
        ticket: &mut Option<u64>,
    ) -> Option<(Outcome, Option<Taken>)> {
        let clock = &mut self.clock;
        let timed = match *wait {
            Wait::Hold(span) => Some((span, Phase::Events)),
            Wait::Timer(span) => Some((span, Phase::Timeouts)),
            Wait::Settle => Some((0, Phase::Decisions)),
            _ => None,
        };
        if let Some(own) = *id {
            let over = if timed.is_some() { clock.waits[&own].1 == State::Fired } else { clock.is_over(own) };
            if !over {
                return None;
            }
            clock.forget(own);
            if let Wait::Until(least) = *wait {
                *id = self.lines.wait_until(clock, least, ticket);
                return id.is_none().then_some((Outcome::Done, None));
            }
            *id = None;
            let result = self.lines.collect(clock, wait, own);
            self.received += u64::from(matches!(result.0, Outcome::Message(_)));
            return Some(match *wait {
                Wait::Join(other) => (self.how_ended(other), None),
                _ => result,
            });
        }
        if let Some((span, phase)) = timed {
            let own = clock.queue();
            let sequence = clock.put(clock.now + span, phase, Target::Wait(own));
            clock.set(own, State::Timed(sequence));
            *id = Some(own);
            return None;
        }
        if let Wait::Join(other) = *wait {
            if self.processes[other].ended {
                return Some((self.how_ended(other), None));
            }
            let own = clock.queue();
            self.processes[other].joiners.push(own);
            *id = Some(own);
            return None;
        }
        match self.lines.begin(clock, wait, ticket) {
            Ok(result) => {
                self.received += u64::from(matches!(result.0, Outcome::Message(_)));
                Some(result)
            }
            Err(own) => {
                *id = Some(own);
                None
            }
        }
    }

    fn how_ended(&self, number: usize) -> Outcome {
        if self.processes[number].killed { Outcome::Killed } else { Outcome::Ended }
    }

    fn abandon_in(&mut self, node: &mut Node, number: usize) {
        let gone = Node::Leaf { wait: Wait::Settle, id: None, ticket: None };
        self.abandon(std::mem::replace(node, gone), number);
    }

    /// Drops a wait that has not come to an end: what was handed to it goes back.
    fn abandon(&mut self, node: Node, number: usize) {
        match node {
            Node::Leaf { wait, id, ticket } => {
                let Some(own) = id else { return };
                match wait {
                    Wait::Hold(_) | Wait::Timer(_) | Wait::Settle => {}
                    Wait::Join(other) => self.processes[other].joiners.retain(|joiner| *joiner != own),
                    _ => self.lines.abandon(&mut self.clock, &wait, own, ticket),
                }
                self.clock.forget(own);
            }
            Node::Race(first, second) | Node::Timed(first, second) => {
                self.abandon(*first, number);
                self.abandon(*second, number);
            }
            Node::Both(first, second) => {
                for half in [first, second] {
                    match half {
                        Half::Pending(node) => self.abandon(*node, number),
                        Half::Done((_, taken)) => taken.into_iter().for_each(|taken| self.give_back(taken)),
                    }
                }
            }
            Node::Interruptible(inner, mut listening) => {
                self.abandon(*inner, number);
                self.stop_listening(number, &mut listening);
            }
        }
    }
}

fn after(which: Outcome, (outcomes, taken): Result) -> Result {
    (std::iter::once(which).chain(outcomes).collect(), taken)
}

/// See `real::execute`.
pub(super) fn execute(programs: &[Program], reap: bool) -> Run {
    let mut slow = Slow::default();
    for program in programs {
        slow.start(program.clone());
    }
    if reap {
        slow.clock.put(0, Phase::Events, Target::Reaper(false));
    }
    while let Some(target) = slow.clock.next() {
        match target {
            Target::Start(number) if slow.processes[number].ended => {}
            Target::Start(number) => slow.resume(number),
            Target::Wait(id) => slow.resume(slow.clock.waits[&id].0),
            Target::Reaper(false) => {
                slow.clock.put(REAPING, Phase::Events, Target::Reaper(true));
            }
            Target::Reaper(true) => (0..slow.processes.len()).for_each(|number| slow.end(number, true)),
        }
    }
    let waiting: Vec<usize> =
        (0..slow.processes.len()).filter(|&number| !slow.processes[number].ended).collect();
    // for its report the kernel resumes each of them once
    waiting.iter().for_each(|&number| slow.note(number, Happened::Resumed));
    waiting.iter().for_each(|&number| slow.end(number, true));
    let left = Left {
        sent: slow.sent,
        received: slow.received,
        messages: slow.lines.mailboxes.iter().map(|mailbox| mailbox.messages.len()).sum(),
        occurred: slow.lines.events.each_ref().map(|event| event.occurred),
        busy: slow.lines.busy(),
        available: slow.lines.storages.each_ref().map(|storage| storage.free),
        buffer: (slow.lines.buffer.level, slow.lines.buffer.room),
        waiting: slow.lines.waiting(),
    };
    let blocked = waiting.iter().map(|number| format!("process {number}")).collect();
    Run { journal: slow.journal, blocked, left }
}
