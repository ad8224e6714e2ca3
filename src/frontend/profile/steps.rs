//! A block of steps, with its least and its largest one, and what is to be added to all of them.

use crate::kernel::SimTime;

/// Steps that a block holds before it is split.
const FULL: usize = 128;

/// Free processors from an instant on, until the next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) from: SimTime,
    pub(super) free: i64,
}

#[derive(Clone, Debug)]
pub(super) struct Block {
    /// In order of time, short of `add`.
    steps: Vec<Step>,
    add: i64,
    /// Short of `add`.
    least: i64,
    /// Short of `add`.
    most: i64,
}

impl Block {
    /// Blocks that hold these steps.
    pub(super) fn all(steps: &[Step]) -> Vec<Block> {
        steps.chunks(FULL / 2).map(|steps| Block::new(steps.to_vec())).collect()
    }

    fn new(steps: Vec<Step>) -> Self {
        let mut block = Block { steps, add: 0, least: 0, most: 0 };
        block.look();
        block
    }

    /// Finds the least and the largest step anew.
    fn look(&mut self) {
        let free = || self.steps.iter().map(|step| step.free);
        (self.least, self.most) = (free().min().unwrap_or(0), free().max().unwrap_or(0));
    }

    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn from(&self) -> SimTime {
        self.steps[0].from
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
        if from == 0 && upto == self.steps.len() {
            self.add += by;
            return;
        }
        for step in &mut self.steps[from..upto] {
            step.free += by;
        }
        self.look();
    }

    /// Puts in a step that begins at an instant and is as high as the one before it.
    pub(super) fn insert(&mut self, place: usize, from: SimTime) {
        let free = self.steps[place - 1].free;
        self.steps.insert(place, Step { from, free });
    }

    pub(super) fn remove(&mut self, step: usize) {
        // what goes is equal to the step before it, which may be in another block
        self.steps.remove(step);
        self.look();
    }

    /// Lets the block begin with this step, at this instant.
    pub(super) fn begin(&mut self, step: usize, at: SimTime) {
        self.steps.drain(..step);
        self.steps[0].from = at;
        self.look();
    }

    /// Gives away the upper half if there is no room for another step.
    pub(super) fn split_if_full(&mut self) -> Option<Block> {
        if self.steps.len() < FULL {
            return None;
        }
        let mut upper = Block::new(self.steps.split_off(FULL / 2));
        upper.add = self.add;
        self.look();
        Some(upper)
    }

    /// Whether this block and the next are so thin that one would do.
    pub(super) fn thin_beside(&self, next: &Block) -> bool {
        self.len() + next.len() <= FULL / 2
    }

    /// Takes in the steps of the next block.
    pub(super) fn take_in(&mut self, next: &Block) {
        let add = self.add;
        self.steps.extend(next.steps(0).map(|step| Step { free: step.free - add, ..step }));
        self.look();
    }
}
