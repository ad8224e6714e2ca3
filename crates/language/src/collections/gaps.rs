//! Busy spans in time, and the earliest gap between them.
//!
//! A scheduler with insertion asks of each host where a task of some length may go: the first gap
//! from the instant at which its data are there. The answer is at the end of the column most of the
//! time, or in one of the next few gaps; a column that is packed has none, however long it is. So
//! the spans lie sorted in blocks of at most 64, and a tree of maxima above the blocks knows the
//! longest gap of each. A question reads the root, then at most two blocks and one path of the
//! tree.
//!
//! Instants are whole numbers, for instance of nanoseconds. A span holds its start and not its end,
//! so that spans may touch. A span of no length takes no time, yet nothing runs across it: gaps end
//! at it and begin again. Of spans with one start, those of no length come first, in the order in
//! which they were inserted.

/// Spans that a block holds before it is split.
const FULL: usize = 64;

/// One busy span of a [`BusySpans`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BusySpan<T = u32> {
    /// First instant.
    pub start: u64,
    /// The first instant after it; `start` or later.
    pub end: u64,
    /// Item that takes the time.
    pub item: T,
}

impl<T> BusySpan<T> {
    fn key(&self) -> (u64, u64) {
        (self.start, self.end)
    }
}

/// Spans that do not overlap, in order.
///
/// # Complexity
/// A question costs O(1) at the end of the column or where no gap is long enough, else O(log n);
/// inserting and removing cost a move within one block, and every 32nd or so O(n / 64).
#[derive(Clone, Debug)]
pub struct BusySpans<T = u32> {
    /// None is empty.
    blocks: Vec<Vec<BusySpan<T>>>,
    /// End of each block.
    ends: Vec<u64>,
    /// The longest gap before a span of each block.
    longest: Maxima,
    len: usize,
}

impl<T> Default for BusySpans<T> {
    fn default() -> Self {
        BusySpans { blocks: Vec::new(), ends: Vec::new(), longest: Maxima::default(), len: 0 }
    }
}

impl<T: Copy> BusySpans<T> {
    /// A column that is free for ever.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of spans there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no spans.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The instant from which on it is free for ever.
    #[inline]
    pub fn end(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// All spans, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &BusySpan<T>> {
        self.blocks.iter().flatten()
    }

    /// The earliest start, at or after `ready`, of something that takes `length`.
    #[inline]
    pub fn earliest(&self, ready: u64, length: u64) -> u64 {
        let end = self.end();
        if ready >= end {
            ready
        } else if length > self.longest.all() {
            end
        } else {
            self.search(ready, length)
        }
    }

    /// As [`earliest`](BusySpans::earliest), where `ready` lies before the end of the column.
    fn search(&self, ready: u64, length: u64) -> u64 {
        let block = self.ends.partition_point(|&end| end <= ready);
        if self.longest.of(block) >= length {
            let spans = &self.blocks[block];
            let first = spans.partition_point(|span| span.end <= ready);
            if let Some(start) = first_gap(ready, length, &spans[first..]) {
                return start;
            }
        }
        // all other gaps lie wholly after `ready`, so that a block whose longest is long enough has
        // one
        let found = self.longest.first_at_least(block + 1, length).filter(|&block| block < self.blocks.len());
        let start = found.and_then(|block| first_gap(self.ends[block - 1], length, &self.blocks[block]));
        start.unwrap_or_else(|| self.end())
    }

    /// The first span that ends after `instant`.
    pub fn next_busy(&self, instant: u64) -> Option<&BusySpan<T>> {
        let block = self.ends.partition_point(|&end| end <= instant);
        let spans = self.blocks.get(block)?;
        spans.get(spans.partition_point(|span| span.end <= instant))
    }

    /// Returns true if nothing lies between `start` and `end`.
    pub fn is_free(&self, start: u64, end: u64) -> bool {
        self.earliest(start, end - start) == start
    }

    /// Inserts a span.
    ///
    /// # Panics
    /// If it overlaps another, or ends before it starts.
    pub fn insert(&mut self, start: u64, end: u64, item: T) {
        assert!(start <= end, "a span ends after it starts");
        let span = BusySpan { start, end, item };
        self.len += 1;
        if start >= self.end() {
            return self.push(span);
        }
        let block =
            self.blocks.partition_point(|spans| spans.last().is_none_or(|last| last.key() <= span.key()));
        let spans = self.blocks.get_mut(block).expect("busy spans do not overlap: the last one ends later");
        let place = spans.partition_point(|other| other.key() <= span.key());
        let before = match place.checked_sub(1) {
            Some(before) => spans[before].end,
            None => block.checked_sub(1).map_or(0, |before| self.ends[before]),
        };
        assert!(before <= start && end <= spans[place].start, "busy spans do not overlap");
        spans.insert(place, span);
        if spans.len() > FULL {
            let upper = spans.split_off(FULL / 2);
            self.blocks.insert(block + 1, upper);
            self.ends.insert(block + 1, 0);
            self.longest.insert(block + 1);
        }
        self.refresh(block);
    }

    fn push(&mut self, span: BusySpan<T>) {
        if self.blocks.last().is_none_or(|last| last.len() >= FULL) {
            self.blocks.push(Vec::new());
            self.ends.push(0);
            self.longest.insert(self.blocks.len() - 1);
        }
        let last = self.blocks.len() - 1;
        let gap = span.start - self.end_before_new(last);
        self.blocks[last].push(span);
        self.ends[last] = span.end;
        self.longest.set(last, gap.max(self.longest.of(last)));
    }

    /// End of the last span, `last` being the last block, which may be empty.
    fn end_before_new(&self, last: usize) -> u64 {
        match self.blocks[last].last() {
            Some(span) => span.end,
            None => last.checked_sub(1).map_or(0, |before| self.ends[before]),
        }
    }

    /// Takes a span out: the first that starts at `start` and passes `is`.
    pub fn remove(&mut self, start: u64, is: impl Fn(&T) -> bool) -> Option<BusySpan<T>> {
        let first = self.blocks.partition_point(|spans| spans.last().is_none_or(|last| last.start < start));
        for block in first..self.blocks.len() {
            let spans = &mut self.blocks[block];
            let from = spans.partition_point(|span| span.start < start);
            let there =
                spans[from..].iter().take_while(|span| span.start == start).position(|span| is(&span.item));
            if let Some(place) = there {
                let span = spans.remove(from + place);
                self.len -= 1;
                self.join(block);
                return Some(span);
            }
            if spans.last().is_none_or(|last| last.start > start) {
                break;
            }
        }
        None
    }

    /// Drops a block that became empty, and joins a thin one with the next.
    fn join(&mut self, block: usize) {
        let held = self.blocks[block].len();
        let next = self.blocks.get(block + 1).map(Vec::len);
        if held == 0 {
            self.drop_block(block);
        } else if held < FULL / 4 && next.is_some_and(|next| held + next <= FULL / 2) {
            let upper = self.drop_block(block + 1);
            self.blocks[block].extend(upper);
        }
        if block < self.blocks.len() {
            self.refresh(block);
        }
    }

    fn drop_block(&mut self, block: usize) -> Vec<BusySpan<T>> {
        self.ends.remove(block);
        self.longest.remove(block);
        self.blocks.remove(block)
    }

    /// Takes out every span that starts at `instant` or later.
    pub fn clear_from(&mut self, instant: u64) {
        let first = self.blocks.partition_point(|spans| spans.last().is_none_or(|last| last.start < instant));
        let Some(spans) = self.blocks.get_mut(first) else { return };
        let kept = spans.partition_point(|span| span.start < instant);
        spans.truncate(kept);
        let blocks = if kept == 0 { first } else { first + 1 };
        self.blocks.truncate(blocks);
        self.ends.truncate(blocks);
        self.longest.truncate(blocks);
        self.len = self.blocks.iter().map(Vec::len).sum();
        if kept > 0 {
            self.refresh(first);
        }
    }

    /// Works out again where a block ends, and the longest gaps of it and of the next, whose first
    /// begins there.
    fn refresh(&mut self, block: usize) {
        for block in block..(block + 2).min(self.blocks.len()) {
            let mut before = block.checked_sub(1).map_or(0, |before| self.ends[before]);
            let mut longest = 0;
            for span in &self.blocks[block] {
                longest = longest.max(span.start - before);
                before = span.end;
            }
            self.ends[block] = before;
            self.longest.set(block, longest);
        }
    }
}

/// The start of the first gap of at least `length` from `free` on before one of these spans.
#[inline]
fn first_gap<T>(mut free: u64, length: u64, spans: &[BusySpan<T>]) -> Option<u64> {
    for span in spans {
        if span.start.checked_sub(free).is_some_and(|gap| gap >= length) {
            return Some(free);
        }
        free = span.end;
    }
    None
}

/// Numbers in order, in a tree: each inner node is the greater of its two children.
///
/// The node `n` has the children `2 n` and `2 n + 1`; the root is 1, the leaves are the upper half,
/// 0 beyond the last.
#[derive(Clone, Debug, Default)]
struct Maxima {
    nodes: Vec<u64>,
    len: usize,
}

impl Maxima {
    /// The greatest of all; 0 of none.
    #[inline]
    fn all(&self) -> u64 {
        self.nodes.get(1).copied().unwrap_or(0)
    }

    #[inline]
    fn of(&self, place: usize) -> u64 {
        self.nodes[self.nodes.len() / 2 + place]
    }

    fn set(&mut self, place: usize, number: u64) {
        let mut node = self.nodes.len() / 2 + place;
        self.nodes[node] = number;
        while node > 1 {
            node /= 2;
            let greater = self.nodes[2 * node].max(self.nodes[2 * node + 1]);
            if self.nodes[node] == greater {
                return;
            }
            self.nodes[node] = greater;
        }
    }

    /// The first place from `from` on with at least `least`.
    fn first_at_least(&self, from: usize, least: u64) -> Option<usize> {
        let leaves = self.nodes.len() / 2;
        if from >= self.len {
            return None;
        }
        let mut node = leaves + from;
        while self.nodes[node] < least {
            while node % 2 == 1 {
                node /= 2;
            }
            if node == 0 {
                return None;
            }
            node += 1;
        }
        while node < leaves {
            node *= 2;
            node += usize::from(self.nodes[node] < least);
        }
        Some(node - leaves)
    }

    /// Makes a place; it holds 0.
    fn insert(&mut self, place: usize) {
        let leaves = self.nodes.len() / 2;
        if place == self.len && place < leaves {
            self.len += 1;
            return;
        }
        let mut numbers = self.nodes.split_off(leaves);
        numbers.truncate(self.len);
        numbers.insert(place, 0);
        self.rebuild(numbers);
    }

    fn remove(&mut self, place: usize) {
        let mut numbers = self.nodes.split_off(self.nodes.len() / 2);
        numbers.truncate(self.len);
        numbers.remove(place);
        self.rebuild(numbers);
    }

    fn truncate(&mut self, len: usize) {
        let mut numbers = self.nodes.split_off(self.nodes.len() / 2);
        numbers.truncate(len);
        self.rebuild(numbers);
    }

    fn rebuild(&mut self, numbers: Vec<u64>) {
        self.len = numbers.len();
        let leaves = self.len.next_power_of_two();
        self.nodes.clear();
        self.nodes.resize(leaves, 0);
        self.nodes.extend(numbers);
        self.nodes.resize(2 * leaves, 0);
        for node in (1..leaves).rev() {
            self.nodes[node] = self.nodes[2 * node].max(self.nodes[2 * node + 1]);
        }
    }
}

#[cfg(test)]
mod tests;
