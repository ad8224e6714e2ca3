//! A block of steps, with bounds of them, and what is to be added to all of them.
//!
//! A change of a part of a block widens the bounds as far as that part needs, so that they hold;
//! only now and then are they made exact again. A search that enters a block without success reads
//! its steps once, which is what exact bounds would cost at each change.

use crate::kernel::SimTime;

/// Steps that a block holds before it is split.
const FULL: usize = 128;

/// Free processors from an instant on, until the next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) from: SimTime,
    pub(super) free: i64,
}

/// Changes of a part after which a block looks for its bounds again.
const LOOSE: u8 = 16;

#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Beginning of the first step.
    from: SimTime,
    /// In order of time, short of `add`.
    steps: Vec<Step>,
    add: i64,
    /// No step is lower; short of `add`.
    least: i64,
    /// No step is higher; short of `add`.
    most: i64,
    /// Number of times that a part has been changed since the bounds were exact.
    loose: u8,
}

impl Block {
    /// Blocks that hold these steps.
    pub(super) fn all(steps: &[Step]) -> Vec<Block> {
        steps.chunks(FULL / 2).map(|steps| Block::new(steps.to_vec())).collect()
    }

    fn new(steps: Vec<Step>) -> Self {
        let mut block = Block { from: steps[0].from, steps, add: 0, least: 0, most: 0, loose: 0 };
        block.look();
        block
    }

    /// Finds the bounds again.
    fn look(&mut self) {
        (self.least, self.most) = bounds(&self.steps);
        self.loose = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn from(&self) -> SimTime {
        self.from
    }

    pub(super) fn begins(&self, step: usize) -> SimTime {
        self.steps[step].from
    }

    pub(super) fn free(&self, step: usize) -> i64 {
        self.steps[step].free + self.add
    }

    pub(super) fn least(&self) -> i64 {
        self.least + self.add
    }

    pub(super) fn most(&self) -> i64 {
        self.most + self.add
    }

    /// The steps from a place on.
    pub(super) fn steps(&self, from: usize) -> impl Iterator<Item = Step> {
        let add = self.add;
        self.steps[from..].iter().map(move |step| Step { free: step.free + add, ..*step })
    }

    /// The step that covers an instant, which is not before the first.
    pub(super) fn covering(&self, instant: SimTime) -> usize {
        self.steps.partition_point(|step| step.from <= instant) - 1
    }

    /// Adds to the steps from one place up to another.
    pub(super) fn add(&mut self, from: usize, upto: usize, by: i64) {
        if from >= upto {
            return;
        }
        if from == 0 && upto == self.steps.len() {
            self.add += by;
            return;
        }
        for step in &mut self.steps[from..upto] {
            step.free += by;
        }
        self.loose += 1;
        if self.loose == LOOSE {
            return self.look();
        }
        let (least, most) = bounds(&self.steps[from..upto]);
        (self.least, self.most) = (self.least.min(least), self.most.max(most));
    }

    /// Puts in a step that begins at an instant and is as high as the one before it.
    pub(super) fn insert(&mut self, place: usize, from: SimTime) {
        let free = self.steps[place - 1].free;
        self.steps.insert(place, Step { from, free });
    }

    pub(super) fn remove(&mut self, step: usize) {
        self.steps.remove(step);
        if let Some(first) = self.steps.first() {
            self.from = first.from;
        }
    }

    /// Lets the block begin with this step, at this instant.
    pub(super) fn begin(&mut self, step: usize, at: SimTime) {
        self.steps.drain(..step);
        self.steps[0].from = at;
        self.from = at;
    }

    /// Gives away the upper half if no other step fits.
    pub(super) fn split_if_full(&mut self) -> Option<Block> {
        if self.steps.len() < FULL {
            return None;
        }
        let mut upper = Block::new(self.steps.split_off(FULL / 2));
        upper.add = self.add;
        self.look();
        Some(upper)
    }

    /// Returns true if this block and the next are so thin that one would do.
    pub(super) fn thin_alongside(&self, next: &Block) -> bool {
        self.len() + next.len() <= FULL / 2
    }

    /// Takes in the steps of the next block.
    pub(super) fn take_in(&mut self, next: &Block) {
        let add = self.add;
        self.steps.extend(next.steps(0).map(|step| Step { free: step.free - add, ..step }));
        self.look();
    }
}

/// The lowest and the highest step.
fn bounds(steps: &[Step]) -> (i64, i64) {
    let (mut least, mut most) = (i64::MAX, i64::MIN);
    for step in steps {
        (least, most) = (least.min(step.free), most.max(step.free));
    }
    (least, most)
}
