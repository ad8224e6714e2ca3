//! Steps in a row, each at an instant of its own, in blocks.
//!
//! A step keeps its number as long as it is there, so that a booking remembers the steps at which
//! it begins and ends. A block knows bounds of its steps, and a number that is to be added to all
//! of them. A change of a part of a block widens the bounds as far as that part needs, so that they
//! hold; only now and then are they made exact again.

use std::ops::{Index, IndexMut};

use crate::kernel::SimTime;

/// Number of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::batch) struct StepId(u32);

impl StepId {
    /// The number of no step.
    pub(in crate::batch) const NONE: StepId = StepId(u32::MAX);

    /// Place of the step among all numbers.
    pub(in crate::batch) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Number of a block.
type BlockId = u32;

/// The block of a step that is over or gone.
const OVER: BlockId = BlockId::MAX;

/// Steps that a block holds before it is split.
const FULL: u32 = if cfg!(test) { 8 } else { 32 };

/// Changes of a part after which a block looks for its bounds again.
const LOOSE: u8 = 32;

/// Free processors from an instant on, until the next step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) from: SimTime,
    /// Short of the number that is to be added to all steps of the block.
    free: i64,
    pub(super) before: StepId,
    pub(super) next: StepId,
    block: BlockId,
    /// Bookings that begin or end here.
    pub(super) held: u32,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    first: StepId,
    last: StepId,
    len: u32,
    add: i64,
    /// No step is lower; short of `add`.
    least: i64,
    /// No step is higher; short of `add`.
    most: i64,
    /// Number of times that a part has been changed since the bounds were exact.
    loose: u8,
}

/// The steps of a profile; there is always one.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    all: Vec<Step>,
    blocks: Vec<Block>,
    /// The blocks in order of time, each with the beginning of its first step.
    order: Vec<(SimTime, BlockId)>,
    unused: Vec<StepId>,
    unused_blocks: Vec<BlockId>,
}

/// Bounds of some steps.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// No step is lower.
    least: i64,
    /// No step is higher.
    most: i64,
}

impl Index<StepId> for Steps {
    type Output = Step;

    #[inline]
    fn index(&self, id: StepId) -> &Step {
        &self.all[id.index()]
    }
}

impl IndexMut<StepId> for Steps {
    #[inline]
    fn index_mut(&mut self, id: StepId) -> &mut Step {
        &mut self.all[id.index()]
    }
}

impl Steps {
    /// The steps with these beginnings and levels, in order of time.
    pub(super) fn new(levels: &[(SimTime, i64)]) -> Self {
        let mut made = Steps {
            all: Vec::with_capacity(levels.len()),
            blocks: Vec::new(),
            order: Vec::new(),
            unused: Vec::new(),
            unused_blocks: Vec::new(),
        };
        for part in levels.chunks(FULL as usize / 2) {
            let first = made.all.len() as u32;
            let (block, last) = (made.blocks.len() as BlockId, first + part.len() as u32 - 1);
            for (id, &(from, free)) in (first..).zip(part) {
                let before = if id == 0 { StepId::NONE } else { StepId(id - 1) };
                made.all.push(Step { from, free, before, next: StepId(id + 1), block, held: 0 });
            }
            let (first, last) = (StepId(first), StepId(last));
            let len = part.len() as u32;
            made.blocks.push(Block { first, last, len, add: 0, least: 0, most: 0, loose: 0 });
            made.order.push((part[0].0, block));
            made.look(block);
        }
        if let Some(last) = made.all.last_mut() {
            last.next = StepId::NONE;
        }
        made
    }

    /// Number of steps.
    pub(super) fn len(&self) -> usize {
        self.order.iter().map(|&(_, block)| self.blocks[block as usize].len as usize).sum()
    }

    /// The first of all steps.
    pub(super) fn begin(&self) -> StepId {
        self.blocks[self.order[0].1 as usize].first
    }

    /// Free processors in a step.
    #[inline]
    pub(super) fn free(&self, id: StepId) -> i64 {
        let step = &self[id];
        step.free + self.blocks[step.block as usize].add
    }

    /// A step and the free processors in it, if there is one with the number.
    #[inline]
    pub(super) fn get(&self, id: StepId) -> Option<(&Step, i64)> {
        let step = self.all.get(id.index())?;
        Some((step, step.free + self.blocks.get(step.block as usize)?.add))
    }

    /// The first step from one on that is not lower than a need, if it begins before an instant.
    pub(super) fn first_high(&self, from: StepId, need: i64, before: SimTime) -> Option<StepId> {
        self.first(from, before, |block| block.most < need, |free| free >= need)
    }

    /// The first step from one on that is lower than a need, if it begins before an instant.
    pub(super) fn first_low(&self, from: StepId, need: i64, before: SimTime) -> Option<StepId> {
        self.first(from, before, |block| block.least >= need, |free| free < need)
    }

    /// The first step from one on that is wanted, if it begins before an instant; no step of a
    /// block with some bounds is.
    #[inline]
    fn first(
        &self,
        from: StepId,
        before: SimTime,
        passes: impl Fn(Bounds) -> bool,
        wants: impl Fn(i64) -> bool,
    ) -> Option<StepId> {
        let (mut at, mut number, mut add) = (from, OVER, 0);
        while at != StepId::NONE {
            let step = &self[at];
            if step.from >= before {
                return None;
            }
            if step.block != number {
                number = step.block;
                let block = &self.blocks[number as usize];
                add = block.add;
                if passes(Bounds { least: block.least + add, most: block.most + add }) {
                    at = self[block.last].next;
                    continue;
                }
            }
            if wants(step.free + add) {
                return Some(at);
            }
            at = step.next;
        }
        None
    }

    /// The step that covers an instant.
    ///
    /// # Panics
    /// If the instant is before the beginning.
    pub(super) fn place(&self, instant: SimTime) -> StepId {
        let block = self.order.partition_point(|&(from, _)| from <= instant);
        let block = block.checked_sub(1).expect("the profile begins before what is asked of it");
        let mut at = self.blocks[self.order[block].1 as usize].first;
        loop {
            let next = self[at].next;
            if next == StepId::NONE || self[next].from > instant {
                return at;
            }
            at = next;
        }
    }

    /// Returns true if there is such a step and it covers an instant.
    pub(super) fn covers(&self, id: StepId, instant: SimTime) -> bool {
        let Some(step) = self.all.get(id.index()) else { return false };
        step.block != OVER
            && step.from <= instant
            && self.all.get(step.next.index()).is_none_or(|next| next.from > instant)
    }

    /// Makes an instant begin a step; `place` is the one that covers it.
    pub(super) fn cut(&mut self, place: StepId, at: SimTime) -> StepId {
        let Step { from, free, next, block, .. } = self[place];
        if from == at {
            return place;
        }
        let step = Step { from: at, free, before: place, next, block, held: 0 };
        let id = match self.unused.pop() {
            Some(id) => {
                self[id] = step;
                id
            }
            None => {
                self.all.push(step);
                StepId(self.all.len() as u32 - 1)
            }
        };
        self[place].next = id;
        if next != StepId::NONE {
            self[next].before = id;
        }
        let all = &mut self.blocks[block as usize];
        all.len += 1;
        if all.last == place {
            all.last = id;
        }
        if all.len > FULL {
            self.split(block);
        }
        id
    }

    /// A booking begins or ends at a step, which therefore stays.
    pub(super) fn hold(&mut self, id: StepId) {
        self[id].held += 1;
    }

    /// A booking begins or ends at a step no longer. Returns true if the step is gone therefore.
    pub(super) fn let_go(&mut self, id: StepId) -> bool {
        let step = &mut self[id];
        step.held -= 1;
        if step.held > 0 {
            return false;
        }
        if step.block != OVER {
            return self.join(id);
        }
        self.unused.push(id);
        false
    }

    /// Takes a step out that no booking holds, if it is as high as the one before it.
    pub(super) fn join(&mut self, id: StepId) -> bool {
        let Step { before, held, free, block, .. } = self[id];
        let Some(last) = self.all.get(before.index()).filter(|_| held == 0) else { return false };
        let joins = if last.block == block { last.free == free } else { self.free(before) == self.free(id) };
        if joins {
            self.take_out(id);
        }
        joins
    }

    /// Adds to the steps from one on, up to another or the end of all.
    pub(super) fn add(&mut self, from: StepId, upto: StepId, by: i64) {
        let mut at = from;
        if at != upto && self[at].next == upto && upto != StepId::NONE {
            self.add_to_one(at, by);
            return;
        }
        while at != upto && at != StepId::NONE {
            let number = self[at].block;
            let Block { first, last, add, .. } = self.blocks[number as usize];
            if at == first && (upto == StepId::NONE || self[upto].block != number) {
                self.blocks[number as usize].add = add + by;
                at = self[last].next;
                continue;
            }
            let (mut least, mut most) = (i64::MAX, i64::MIN);
            while at != upto && at != StepId::NONE {
                let step = &mut self.all[at.index()];
                if step.block != number {
                    break;
                }
                step.free += by;
                (least, most) = (least.min(step.free), most.max(step.free));
                at = step.next;
            }
            let block = &mut self.blocks[number as usize];
            (block.least, block.most) = (block.least.min(least), block.most.max(most));
            block.loose += 1;
            if block.loose == LOOSE {
                self.look(number);
            }
        }
    }

    /// Adds to one step.
    fn add_to_one(&mut self, id: StepId, by: i64) {
        let step = &mut self.all[id.index()];
        step.free += by;
        let (free, number) = (step.free, step.block);
        let block = &mut self.blocks[number as usize];
        (block.least, block.most) = (block.least.min(free), block.most.max(free));
        block.loose += 1;
        if block.loose == LOOSE {
            self.look(number);
        }
    }

    /// Lets a step begin at another instant between its neighbours.
    pub(super) fn shift(&mut self, id: StepId, to: SimTime) {
        let Step { from, block, .. } = self[id];
        if self.blocks[block as usize].first == id {
            let place = self.position(from);
            self.order[place].0 = to;
        }
        self[id].from = to;
    }

    /// Forgets the steps that are over at an instant.
    pub(super) fn advance(&mut self, now: SimTime) {
        let place = self.place(now);
        let mut at = self.begin();
        while at != place {
            let Step { next, block, held, .. } = self[at];
            let own = &mut self.blocks[block as usize];
            own.len -= 1;
            own.first = next;
            if own.len == 0 {
                self.unused_blocks.push(block);
            }
            if held == 0 {
                self.unused.push(at);
            }
            self[at].block = OVER;
            at = next;
        }
        let gone = self.order.iter().position(|&(_, block)| block == self[place].block);
        self.order.drain(..gone.unwrap_or(0));
        self.order[0].0 = now;
        let first = &mut self[place];
        (first.from, first.before) = (now, StepId::NONE);
    }

    /// Place in the order of blocks of the one that begins at an instant.
    fn position(&self, from: SimTime) -> usize {
        self.order.partition_point(|&(begin, _)| begin < from)
    }

    /// Finds the bounds of a block again.
    fn look(&mut self, block: BlockId) {
        let Block { first, len, .. } = self.blocks[block as usize];
        let (mut least, mut most, mut at) = (i64::MAX, i64::MIN, first);
        for _ in 0..len {
            let step = &self[at];
            (least, most, at) = (least.min(step.free), most.max(step.free), step.next);
        }
        let block = &mut self.blocks[block as usize];
        (block.least, block.most, block.loose) = (least, most, 0);
    }

    /// Gives the upper half of a block to a new one.
    fn split(&mut self, lower: BlockId) {
        let Block { first, last, len, .. } = self.blocks[lower as usize];
        let mut middle = first;
        for _ in 0..len / 2 {
            middle = self[middle].next;
        }
        let half = Block { first: middle, len: len - len / 2, ..self.blocks[lower as usize] };
        let upper = match self.unused_blocks.pop() {
            Some(id) => {
                self.blocks[id as usize] = half;
                id
            }
            None => {
                self.blocks.push(half);
                self.blocks.len() as BlockId - 1
            }
        };
        let before = self[middle].before;
        let block = &mut self.blocks[lower as usize];
        (block.last, block.len) = (before, len / 2);
        let mut at = middle;
        loop {
            self[at].block = upper;
            if at == last {
                break;
            }
            at = self[at].next;
        }
        self.look(lower);
        self.look(upper);
        let place = self.position(self[first].from);
        self.order.insert(place + 1, (self[middle].from, upper));
    }

    fn take_out(&mut self, id: StepId) {
        let Step { from, before, next, block, .. } = self[id];
        self[before].next = next;
        if next != StepId::NONE {
            self[next].before = before;
        }
        self[id].block = OVER;
        self.unused.push(id);
        let own = &mut self.blocks[block as usize];
        own.len -= 1;
        let Block { first, last, len, .. } = *own;
        if len == 0 {
            let place = self.position(from);
            self.order.remove(place);
            self.unused_blocks.push(block);
            return;
        }
        if last == id {
            own.last = before;
        }
        if first == id {
            own.first = next;
            let begin = self[next].from;
            let place = self.position(from);
            self.order[place].0 = begin;
        }
        if len <= FULL / 8 {
            self.give_to_next(block);
        }
    }

    /// Gives the steps of a thin block to the next, if they would not fill it.
    fn give_to_next(&mut self, thin: BlockId) {
        let Block { first, last, len, add, .. } = self.blocks[thin as usize];
        let place = self.position(self[first].from);
        let Some(&(_, into)) = self.order.get(place + 1) else { return };
        if len + self.blocks[into as usize].len > FULL / 2 {
            return;
        }
        let by = add - self.blocks[into as usize].add;
        let mut at = first;
        for _ in 0..len {
            let step = &mut self[at];
            (step.block, step.free) = (into, step.free + by);
            at = step.next;
        }
        debug_assert_eq!(self[last].next, self.blocks[into as usize].first);
        let block = &mut self.blocks[into as usize];
        (block.first, block.len) = (first, block.len + len);
        self.look(into);
        self.order.remove(place + 1);
        self.order[place].1 = into;
        self.unused_blocks.push(thin);
    }
}
