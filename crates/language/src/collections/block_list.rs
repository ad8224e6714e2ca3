//! A sorted list in blocks of at most 64 items, each block with a summary of its items.
//!
//! The list serves three masters: the free processors (no summary), the running jobs by estimated
//! end (the sum of their processors) and the waiting jobs (the least need and the least estimate).
//! All of them are short most of the time and huge in bad cases, so the short list has to be a
//! plain sorted slice, and the long one must not cost its length. Finding, inserting and removing
//! touch one block and the directory of blocks; a search skips every block whose summary rules it
//! out.

/// Summary of a block's items, known without looking at them.
pub trait BlockSummary<T>: Copy {
    /// The summary of no items.
    const EMPTY: Self;
    /// Takes in one more item.
    fn add(&mut self, item: &T);
    /// Takes out an item; `rest` are the items that stay.
    fn remove(&mut self, item: &T, rest: &[T]);

    /// The summary of these items.
    fn of(items: &[T]) -> Self {
        let mut summary = Self::EMPTY;
        items.iter().for_each(|item| summary.add(item));
        summary
    }
}

impl<T> BlockSummary<T> for () {
    const EMPTY: Self = ();
    fn add(&mut self, _: &T) {}
    fn remove(&mut self, _: &T, _: &[T]) {}
}

/// Items a block holds before it is split.
const FULL: usize = 64;

#[derive(Clone, Debug)]
struct Block<T, S> {
    items: Vec<T>,
    summary: S,
}

impl<T: Copy, S: BlockSummary<T>> Block<T, S> {
    fn new(items: Vec<T>) -> Self {
        Block { summary: S::of(&items), items }
    }
}

/// A place in a [`BlockList`]; any insertion or removal makes it stale.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cursor {
    block: usize,
    item: usize,
}

impl Cursor {
    /// The first place of any list.
    pub const START: Cursor = Cursor { block: 0, item: 0 };
}

/// A sorted list of distinct items, with a summary for each block of them.
///
/// # Complexity
/// Inserting and removing take a binary search and a move within one block; a search over summaries
/// takes one step for each block it skips.
#[derive(Clone, Debug)]
pub struct BlockList<T, S = ()> {
    /// Never empty; no block is empty except a lone one.
    blocks: Vec<Block<T, S>>,
    len: usize,
}

impl<T: Copy + Ord, S: BlockSummary<T>> Default for BlockList<T, S> {
    fn default() -> Self {
        BlockList { blocks: vec![Block::new(Vec::new())], len: 0 }
    }
}

impl<T: Copy + Ord, S: BlockSummary<T>> BlockList<T, S> {
    /// A list of no items.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of items there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The least item.
    pub fn first(&self) -> Option<&T> {
        self.blocks[0].items.first()
    }

    /// The item at a place.
    pub fn get(&self, at: Cursor) -> Option<&T> {
        self.blocks.get(at.block)?.items.get(at.item)
    }

    /// All items, from the least.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().flat_map(|block| block.items.iter())
    }

    /// The blocks in order, each as its summary and its items.
    pub fn blocks(&self) -> impl Iterator<Item = (&S, &[T])> {
        self.blocks.iter().map(|block| (&block.summary, block.items.as_slice()))
    }

    /// The place of the first item that is not less than `item`.
    pub fn lower_bound(&self, item: &T) -> Cursor {
        let block = if self.blocks.len() == 1 {
            0
        } else {
            self.blocks.partition_point(|block| block.items.last().is_some_and(|last| last < item))
        };
        match self.blocks.get(block) {
            Some(found) => Cursor { block, item: found.items.partition_point(|other| other < item) },
            None => Cursor { block, item: 0 },
        }
    }

    /// The place before `at`, if there is one.
    pub fn before(&self, at: Cursor) -> Option<Cursor> {
        if at.item > 0 {
            return Some(Cursor { block: at.block, item: at.item - 1 });
        }
        let block = at.block.checked_sub(1)?;
        Some(Cursor { block, item: self.blocks[block].items.len() - 1 })
    }

    /// The place after `at`.
    pub fn after(&self, at: Cursor) -> Cursor {
        if self.blocks.get(at.block).is_some_and(|block| at.item + 1 < block.items.len()) {
            Cursor { block: at.block, item: at.item + 1 }
        } else {
            Cursor { block: at.block + 1, item: 0 }
        }
    }

    /// The first place from `from` on whose item passes `fits`; blocks whose summary fails `may`
    /// are skipped.
    pub fn find(&self, from: Cursor, may: impl Fn(&S) -> bool, fits: impl Fn(&T) -> bool) -> Option<Cursor> {
        let mut skip = from.item;
        for (block, Block { items, summary }) in self.blocks.iter().enumerate().skip(from.block) {
            if may(summary)
                && let Some(item) = items.iter().skip(skip).position(&fits)
            {
                return Some(Cursor { block, item: item + skip });
            }
            skip = 0;
        }
        None
    }

    /// Puts an item in its place. An equal item must not be there already.
    pub fn insert(&mut self, item: T) {
        if self.push(item) {
            return;
        }
        let mut at = self.lower_bound(&item);
        debug_assert!(self.get(at) != Some(&item), "an item is put into a sorted list once");
        if self.blocks[at.block].items.len() >= FULL {
            at = self.split(at);
        }
        let block = &mut self.blocks[at.block];
        block.items.insert(at.item, item);
        block.summary.add(&item);
        self.len += 1;
    }

    /// Puts an item at the end if it belongs there; a list that only grows at its end fills its
    /// blocks.
    fn push(&mut self, item: T) -> bool {
        let last = self.blocks.last_mut().expect("there is always a block");
        if last.items.last().is_some_and(|end| *end >= item) {
            return false;
        }
        if last.items.len() >= FULL {
            self.blocks.push(Block::new(Vec::with_capacity(FULL)));
        }
        let last = self.blocks.last_mut().expect("there is always a block");
        last.items.push(item);
        last.summary.add(&item);
        self.len += 1;
        true
    }

    /// Takes an item out; whether it was there.
    pub fn remove(&mut self, item: &T) -> bool {
        let at = self.lower_bound(item);
        let found = self.get(at) == Some(item);
        if found {
            self.remove_at(at);
        }
        found
    }

    /// Takes the item at a place out.
    ///
    /// # Panics
    /// If the place is stale.
    pub fn remove_at(&mut self, at: Cursor) -> T {
        let block = &mut self.blocks[at.block];
        let item = block.items.remove(at.item);
        block.summary.remove(&item, &block.items);
        self.len -= 1;
        self.tidy(at.block);
        item
    }

    /// Replaces the item at a place by one that keeps the order.
    ///
    /// # Panics
    /// If the place is stale.
    pub fn replace_at(&mut self, at: Cursor, item: T) {
        let block = &mut self.blocks[at.block];
        let old = std::mem::replace(&mut block.items[at.item], item);
        block.summary.remove(&old, &block.items);
        block.summary.add(&item);
    }

    /// Offers every item in order to `each`, which may put another in its place that keeps the
    /// order; blocks whose summary fails `may` are skipped.
    #[inline(never)]
    pub fn replace_each(&mut self, may: impl Fn(&S) -> bool, mut each: impl FnMut(&T) -> Option<T>) {
        for Block { items, summary } in self.blocks.iter_mut().filter(|block| may(&block.summary)) {
            let mut changed = false;
            for item in items.iter_mut() {
                if let Some(other) = each(item) {
                    *item = other;
                    changed = true;
                }
            }
            if changed {
                *summary = S::of(items);
            }
        }
    }

    /// Halves a full block; answers where the place is now.
    fn split(&mut self, at: Cursor) -> Cursor {
        let cut = FULL / 2;
        let mut upper = Vec::with_capacity(FULL);
        upper.extend(self.blocks[at.block].items.drain(cut..));
        let lower = std::mem::take(&mut self.blocks[at.block].items);
        self.blocks[at.block] = Block::new(lower);
        self.blocks.insert(at.block + 1, Block::new(upper));
        if at.item <= cut { at } else { Cursor { block: at.block + 1, item: at.item - cut } }
    }

    /// Drops an empty block, and joins a thin one with the next, so that blocks stay worth their
    /// summary.
    fn tidy(&mut self, block: usize) {
        let held = self.blocks[block].items.len();
        if self.blocks.len() == 1 || held >= FULL / 4 {
            return;
        }
        if held == 0 {
            self.blocks.remove(block);
        } else if let Some(next) = self.blocks.get(block + 1)
            && held + next.items.len() <= FULL / 2
        {
            let next = self.blocks.remove(block + 1);
            let mut items = std::mem::take(&mut self.blocks[block].items);
            items.extend(next.items);
            self.blocks[block] = Block::new(items);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Sum(u64);

    impl BlockSummary<u32> for Sum {
        const EMPTY: Self = Sum(0);
        fn add(&mut self, item: &u32) {
            self.0 += u64::from(*item);
        }
        fn remove(&mut self, item: &u32, _: &[u32]) {
            self.0 -= u64::from(*item);
        }
    }

    fn check(list: &BlockList<u32, Sum>, model: &BTreeSet<u32>) {
        assert!(list.iter().eq(model.iter()));
        assert_eq!(list.len(), model.len());
        assert_eq!(list.first(), model.first());
        for (summary, items) in list.blocks() {
            assert_eq!(summary.0, items.iter().map(|&item| u64::from(item)).sum::<u64>());
            assert!(list.blocks.len() == 1 || !items.is_empty());
        }
    }

    proptest! {
        #[test]
        fn a_list_holds_what_a_sorted_set_holds(steps in prop::collection::vec((any::<bool>(), 0_u32..400), 0..900)) {
            let (mut list, mut model) = (BlockList::<u32, Sum>::new(), BTreeSet::new());
            for (put, item) in steps {
                if put && model.insert(item) {
                    list.insert(item);
                } else if !put {
                    prop_assert_eq!(list.remove(&item), model.remove(&item));
                }
            }
            check(&list, &model);
        }

        #[test]
        fn a_search_finds_the_first_match_from_a_place_on(
            items in prop::collection::btree_set(0_u32..2000, 0..500),
            from in 0_u32..2000,
            modulus in 2_u32..300,
        ) {
            let mut list = BlockList::<u32, Sum>::new();
            items.iter().rev().for_each(|&item| list.insert(item));
            check(&list, &items);
            let found = list.find(list.lower_bound(&from), |_| true, |item| item % modulus == 0);
            let expected = items.range(from..).find(|item| *item % modulus == 0);
            prop_assert_eq!(found.and_then(|at| list.get(at)), expected);
        }
    }

    #[test]
    fn items_are_replaced_in_the_blocks_that_may_change() {
        let mut list = BlockList::<u32, Sum>::new();
        (0..200).for_each(|number| list.insert(10 * number));
        let skipped = list.blocks[1].summary;
        let is_skipped = |item: u32| item / 10 / FULL as u32 == 1;
        let is_changed = |item: u32| item.is_multiple_of(70);
        let mut offered = Vec::new();
        list.replace_each(
            |sum| *sum != skipped,
            |&item| {
                offered.push(item);
                is_changed(item).then_some(item + 5)
            },
        );
        let items = || (0..200).map(|number| 10 * number);
        assert!(offered.into_iter().eq(items().filter(|&item| !is_skipped(item))));
        let expected =
            items().map(|item| if is_changed(item) && !is_skipped(item) { item + 5 } else { item });
        check(&list, &expected.collect());
    }

    #[test]
    fn a_list_that_grows_at_its_end_fills_its_blocks() {
        let mut list = BlockList::<u32, Sum>::new();
        (0..1000).for_each(|item| list.insert(item));
        assert_eq!(list.blocks.len(), 1000_usize.div_ceil(FULL));
    }

    #[test]
    fn places_step_over_the_ends_of_blocks() {
        let mut list = BlockList::<u32>::new();
        (0..200).for_each(|item| list.insert(item));
        let mut at = Cursor::START;
        for item in 0..200 {
            assert_eq!(list.get(at), Some(&item));
            assert_eq!(list.before(at).and_then(|before| list.get(before)).copied(), item.checked_sub(1));
            at = list.after(at);
        }
        assert_eq!(list.get(at), None);
    }
}
