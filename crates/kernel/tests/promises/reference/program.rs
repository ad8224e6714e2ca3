//! Programs as data: what both executors run, and how they are drawn at random.

use proptest::prelude::*;

/// Number of events, mailboxes, facilities and so on in the world.
pub(super) const KINDS: usize = 2;

/// Units of a storage, and room of a buffer.
pub(super) const UNITS: u64 = 4;

/// Servers of a facility, by number.
pub(super) const SERVERS: [u32; KINDS] = [1, 2];

/// Something to await.
#[derive(Clone, Debug)]
pub(super) enum Wait {
    Hold(u64),
    Timer(u64),
    Settle,
    Event(usize),
    Queue(usize),
    Receive(usize),
    /// Facility and priority.
    Reserve(usize, i64),
    /// Priority and service.
    Preempt(i64, u64),
    /// Storage (the second is first fit) and units.
    Allocate(usize, u64),
    Get(u64),
    Put(u64),
    /// Until the level is at least this.
    Until(i64),
    /// The process of this number, counted round.
    Join(usize),
    Race(Box<Wait>, Box<Wait>),
    Both(Box<Wait>, Box<Wait>),
    Timed(u64, Box<Wait>),
    Interruptible(Box<Wait>),
}

/// A step of a process.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Await(Wait),
    Set(usize),
    Clear(usize),
    Send(usize),
    /// Changes the level of the condition.
    Change(i64),
    /// Gives back what was taken, the oldest first.
    GiveBack,
    Spawn(Program),
    /// The process of this number, counted round.
    Kill(usize),
    Interrupt(usize),
}

pub(super) type Program = Vec<Step>;

/// What a wait came to, for the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    Message(u64),
    Server,
    Units,
    Ended,
    Killed,
    TimedOut,
    Interrupted,
    First,
    Second,
}

fn wait() -> impl Strategy<Value = Wait> {
    let span = || 0..4_u64;
    let leaf = prop_oneof![
        4 => span().prop_map(Wait::Hold),
        1 => span().prop_map(Wait::Timer),
        1 => Just(Wait::Settle),
        2 => (0..KINDS).prop_map(Wait::Event),
        2 => (0..KINDS).prop_map(Wait::Queue),
        3 => (0..KINDS).prop_map(Wait::Receive),
        3 => (0..KINDS, -1..2_i64).prop_map(|(facility, priority)| Wait::Reserve(facility, priority)),
        2 => (0..3_i64, span()).prop_map(|(priority, service)| Wait::Preempt(priority, service)),
        3 => (0..KINDS, 1..=UNITS).prop_map(|(store, units)| Wait::Allocate(store, units)),
        2 => (1..=UNITS).prop_map(Wait::Get),
        2 => (1..=UNITS).prop_map(Wait::Put),
        1 => (0..3_i64).prop_map(Wait::Until),
        2 => (0..8_usize).prop_map(Wait::Join),
    ];
    leaf.prop_recursive(3, 6, 2, move |inner| {
        let inner = inner.prop_map(Box::new);
        prop_oneof![
            2 => (inner.clone(), inner.clone()).prop_map(|(first, second)| Wait::Race(first, second)),
            2 => (inner.clone(), inner.clone()).prop_map(|(first, second)| Wait::Both(first, second)),
            2 => (0..4_u64, inner.clone()).prop_map(|(limit, inner)| Wait::Timed(limit, inner)),
            2 => inner.prop_map(Wait::Interruptible),
        ]
    })
}

/// What a process does to the others.
fn deed() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..KINDS).prop_map(Step::Set),
        1 => (0..KINDS).prop_map(Step::Clear),
        4 => (0..KINDS).prop_map(Step::Send),
        2 => (-1..3_i64).prop_map(Step::Change),
        1 => (0..9_usize).prop_map(Step::Kill),
        3 => (0..9_usize).prop_map(Step::Interrupt),
    ]
}

/// A process that takes part in everything.
fn worker(length: usize) -> BoxedStrategy<Program> {
    let step = prop_oneof![
        10 => wait().prop_map(Step::Await),
        4 => deed(),
        3 => Just(Step::GiveBack),
    ];
    prop::collection::vec(step, 0..length).boxed()
}

/// A worker that has children.
fn parent() -> BoxedStrategy<Program> {
    (worker(6), prop::collection::vec(worker(5), 1..4), worker(6))
        .prop_map(|(before, children, after)| {
            before.into_iter().chain(children.into_iter().map(Step::Spawn)).chain(after).collect()
        })
        .boxed()
}

/// A process that keeps the others going.
fn driver() -> BoxedStrategy<Program> {
    let beat = (0..3_u64, prop::collection::vec(deed(), 1..4))
        .prop_map(|(span, deeds)| std::iter::once(Step::Await(Wait::Hold(span))).chain(deeds));
    prop::collection::vec(beat, 5..15).prop_map(|beats| beats.into_iter().flatten().collect()).boxed()
}

/// The programs of the processes that are there at the start.
pub(super) fn programs() -> impl Strategy<Value = Vec<Program>> {
    prop::collection::vec(prop_oneof![5 => worker(16), 1 => parent(), 2 => driver()], 1..10)
}
