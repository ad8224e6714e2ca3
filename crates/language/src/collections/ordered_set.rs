//! A set in the order of its items, of little code.

use std::borrow::Borrow;
use std::fmt::{self, Debug, Formatter};
use std::ops::RangeBounds;

use super::OrderedMap;

/// A set whose items are in their order.
///
/// It has the methods of [`std::collections::BTreeSet`] that the simulator uses, with the same
/// meaning. Complexity is that of [`OrderedMap`].
#[derive(Clone, PartialEq, Eq)]
pub struct OrderedSet<T> {
    map: OrderedMap<T, ()>,
}

impl<T> OrderedSet<T> {
    /// An empty set; it allocates nothing.
    pub const fn new() -> Self {
        OrderedSet { map: OrderedMap::new() }
    }

    /// Number of items.
    pub const fn len(&self) -> usize {
        self.map.len()
    }

    /// Returns true if there are no items.
    pub const fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Removes all items.
    pub fn clear(&mut self) {
        self.map.clear();
    }

    /// The items, in their order.
    pub fn iter(&self) -> Iter<'_, T> {
        self.map.iter().map(key)
    }

    /// The least item.
    pub fn first(&self) -> Option<&T> {
        self.map.first_key_value().map(key)
    }

    /// Removes the least item.
    pub fn pop_first(&mut self) -> Option<T> {
        self.map.pop_first().map(|(item, ())| item)
    }

    /// Keeps the items of which `keep` says so, asked in their order.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.map.retain(|item, ()| keep(item));
    }
}

impl<T: Ord> OrderedSet<T> {
    /// Returns true if an item is there.
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.contains_key(item)
    }

    /// An item as it was inserted.
    pub fn get<Q: Ord + ?Sized>(&self, item: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.map.get_key_value(item).map(key)
    }

    /// Adds an item, and returns whether it was not there.
    pub fn insert(&mut self, item: T) -> bool {
        self.map.insert(item, ()).is_none()
    }

    /// Removes an item, and returns whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.map.remove(item).is_some()
    }

    /// The items in a range, in their order.
    pub fn range<Q: Ord + ?Sized>(
        &self,
        range: impl RangeBounds<Q>,
    ) -> impl DoubleEndedIterator<Item = &T> + Clone
    where
        T: Borrow<Q>,
    {
        self.map.range(range).map(key)
    }

    /// Returns true if no item is in `other`.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        !self.iter().any(|item| other.contains(item))
    }
}

fn key<'a, T>((item, ()): (&'a T, &'a ())) -> &'a T {
    item
}

/// The items of a set, in their order.
pub type Iter<'a, T> = std::iter::Map<super::ordered_map::Iter<'a, T, ()>, fn((&'a T, &'a ())) -> &'a T>;

/// The items of a set that is given up for them, in their order.
pub type IntoIter<T> = std::iter::Map<super::ordered_map::IntoIter<T, ()>, fn((T, ())) -> T>;

impl<T> Default for OrderedSet<T> {
    fn default() -> Self {
        OrderedSet::new()
    }
}

impl<T: Debug> Debug for OrderedSet<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl<T: Ord> Extend<T> for OrderedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| {
            self.insert(item);
        });
    }
}

impl<'a, T: Ord + Copy + 'a> Extend<&'a T> for OrderedSet<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, items: I) {
        self.extend(items.into_iter().copied());
    }
}

impl<T: Ord> FromIterator<T> for OrderedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = OrderedSet::new();
        set.extend(items);
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for OrderedSet<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T> IntoIterator for OrderedSet<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        self.map.into_iter().map(|(item, ())| item)
    }
}

impl<'a, T> IntoIterator for &'a OrderedSet<T> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
