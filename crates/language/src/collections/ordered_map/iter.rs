//! The entries of a map, one after another, from both ends.

use std::{slice, vec};

/// Position of an entry: a block and an index in it. After the last entry comes the number of
/// blocks and 0.
pub(super) type Position = (usize, usize);

/// Sorted entries.
pub(super) type Block<K, V> = Vec<(K, V)>;

/// Entries between two positions: the rest of a first block, whole blocks, and the rest of a last
/// one.
struct Blocks<B: Iterator<Item: IntoIterator>> {
    first: <B::Item as IntoIterator>::IntoIter,
    between: B,
    last: <B::Item as IntoIterator>::IntoIter,
}

impl<T, B> Blocks<B>
where
    B: DoubleEndedIterator<Item: IntoIterator<Item = T, IntoIter: DoubleEndedIterator>>,
{
    fn next(&mut self) -> Option<T> {
        loop {
            if let Some(entry) = self.first.next() {
                return Some(entry);
            }
            let Some(block) = self.between.next() else { return self.last.next() };
            self.first = block.into_iter();
        }
    }

    fn next_back(&mut self) -> Option<T> {
        loop {
            if let Some(entry) = self.last.next_back() {
                return Some(entry);
            }
            let Some(block) = self.between.next_back() else { return self.first.next_back() };
            self.last = block.into_iter();
        }
    }
}

/// Entries between two positions.
pub struct Range<'a, K, V>(Blocks<slice::Iter<'a, Block<K, V>>>);

/// Entries between two positions, with values that can be changed.
pub struct RangeMut<'a, K, V>(Blocks<slice::IterMut<'a, Block<K, V>>>);

/// All entries of a map.
pub struct Iter<'a, K, V> {
    entries: Range<'a, K, V>,
    left: usize,
}

/// All entries of a map, with values that can be changed.
pub struct IterMut<'a, K, V> {
    entries: RangeMut<'a, K, V>,
    left: usize,
}

/// All entries of a map that is given up for them.
pub struct IntoIter<K, V> {
    entries: Blocks<vec::IntoIter<Block<K, V>>>,
    left: usize,
}

impl<'a, K, V> Range<'a, K, V> {
    pub(super) fn new(blocks: &'a [Block<K, V>], (begin, end): (Position, Position)) -> Self {
        let mut range = Blocks { first: [].iter(), between: [].iter(), last: [].iter() };
        if begin.0 == end.0 {
            if let Some(block) = blocks.get(begin.0) {
                range.first = block[begin.1..end.1].iter();
            }
        } else {
            range.first = blocks[begin.0][begin.1..].iter();
            range.between = blocks[begin.0 + 1..end.0].iter();
            if let Some(block) = blocks.get(end.0) {
                range.last = block[..end.1].iter();
            }
        }
        Range(range)
    }
}

impl<'a, K, V> RangeMut<'a, K, V> {
    pub(super) fn new(blocks: &'a mut [Block<K, V>], (begin, end): (Position, Position)) -> Self {
        let mut range = Blocks { first: [].iter_mut(), between: [].iter_mut(), last: [].iter_mut() };
        let (before, last) = blocks.split_at_mut(end.0);
        if begin.0 == end.0 {
            if let Some(block) = last.first_mut() {
                range.first = block[begin.1..end.1].iter_mut();
            }
        } else {
            if let Some((first, between)) = before[begin.0..].split_first_mut() {
                range.first = first[begin.1..].iter_mut();
                range.between = between.iter_mut();
            }
            if let Some(block) = last.first_mut() {
                range.last = block[..end.1].iter_mut();
            }
        }
        RangeMut(range)
    }
}

impl<'a, K, V> Iter<'a, K, V> {
    pub(super) fn new(blocks: &'a [Block<K, V>], left: usize) -> Self {
        Iter { entries: Range(Blocks { first: [].iter(), between: blocks.iter(), last: [].iter() }), left }
    }
}

impl<'a, K, V> IterMut<'a, K, V> {
    pub(super) fn new(blocks: &'a mut [Block<K, V>], left: usize) -> Self {
        let entries = Blocks { first: [].iter_mut(), between: blocks.iter_mut(), last: [].iter_mut() };
        IterMut { entries: RangeMut(entries), left }
    }
}

impl<K, V> IntoIter<K, V> {
    pub(super) fn new(blocks: Vec<Block<K, V>>, left: usize) -> Self {
        let none = || Vec::new().into_iter();
        IntoIter { entries: Blocks { first: none(), between: blocks.into_iter(), last: none() }, left }
    }
}

impl<K, V> Clone for Range<'_, K, V> {
    fn clone(&self) -> Self {
        let Blocks { first, between, last } = &self.0;
        Range(Blocks { first: first.clone(), between: between.clone(), last: last.clone() })
    }
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter { entries: self.entries.clone(), left: self.left }
    }
}

impl<'a, K, V> Iterator for Range<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (key, value))
    }
}

impl<K, V> DoubleEndedIterator for Range<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(key, value)| (key, value))
    }
}

impl<'a, K, V> Iterator for RangeMut<'a, K, V> {
    type Item = (&'a K, &'a mut V);

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, value)| (&*key, value))
    }
}

impl<K, V> DoubleEndedIterator for RangeMut<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(key, value)| (&*key, value))
    }
}

/// Iterators that know how many entries are left.
macro_rules! counted {
    ($($iter:ident<$($lifetime:lifetime,)? K, V> => $item:ty;)*) => {$(
        impl<$($lifetime,)? K, V> Iterator for $iter<$($lifetime,)? K, V> {
            type Item = $item;

            fn next(&mut self) -> Option<Self::Item> {
                let next = self.entries.next();
                self.left -= usize::from(next.is_some());
                next
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.left, Some(self.left))
            }
        }

        impl<$($lifetime,)? K, V> DoubleEndedIterator for $iter<$($lifetime,)? K, V> {
            fn next_back(&mut self) -> Option<Self::Item> {
                let next = self.entries.next_back();
                self.left -= usize::from(next.is_some());
                next
            }
        }

        impl<$($lifetime,)? K, V> ExactSizeIterator for $iter<$($lifetime,)? K, V> {}
    )*};
}

counted! {
    Iter<'a, K, V> => (&'a K, &'a V);
    IterMut<'a, K, V> => (&'a K, &'a mut V);
    IntoIter<K, V> => (K, V);
}
