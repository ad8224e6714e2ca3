//! The position of one key.

use super::OrderedMap;
use super::iter::Position;

/// The position of a key in a map.
pub enum Entry<'a, K, V> {
    /// The key is there.
    Occupied(OccupiedEntry<'a, K, V>),
    /// The key is not there.
    Vacant(VacantEntry<'a, K, V>),
}

/// The position of a key that is there.
pub struct OccupiedEntry<'a, K, V> {
    map: &'a mut OrderedMap<K, V>,
    position: Position,
}

/// The position of a key that is not there.
pub struct VacantEntry<'a, K, V> {
    map: &'a mut OrderedMap<K, V>,
    position: Position,
    key: K,
}

impl<'a, K, V> Entry<'a, K, V> {
    pub(super) fn new(map: &'a mut OrderedMap<K, V>, key: K, position: Position, found: bool) -> Self {
        if found {
            Entry::Occupied(OccupiedEntry::new(map, position))
        } else {
            Entry::Vacant(VacantEntry { map, position, key })
        }
    }

    /// The value; where there is none, this one becomes it.
    pub fn or_insert(self, value: V) -> &'a mut V {
        match self {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(value),
        }
    }

    /// The value; where there is none, what `value` makes becomes it.
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        match self {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(value()),
        }
    }

    /// The value; where there is none, the usual one of its type becomes it.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<'a, K, V> OccupiedEntry<'a, K, V> {
    pub(super) fn new(map: &'a mut OrderedMap<K, V>, position: Position) -> Self {
        OccupiedEntry { map, position }
    }

    /// The key.
    pub fn key(&self) -> &K {
        &self.map.blocks[self.position.0][self.position.1].0
    }

    /// The value.
    pub fn get(&self) -> &V {
        &self.map.blocks[self.position.0][self.position.1].1
    }

    /// The value, to be changed.
    pub fn get_mut(&mut self) -> &mut V {
        &mut self.map.blocks[self.position.0][self.position.1].1
    }

    /// The value, to be changed for as long as the map is borrowed.
    pub fn into_mut(self) -> &'a mut V {
        &mut self.map.blocks[self.position.0][self.position.1].1
    }

    /// Sets the value, and returns the one before it.
    pub fn insert(&mut self, value: V) -> V {
        std::mem::replace(self.get_mut(), value)
    }

    /// Removes the entry, and returns its value.
    pub fn remove(self) -> V {
        self.map.remove_at(self.position).1
    }
}

impl<'a, K, V> VacantEntry<'a, K, V> {
    /// The key.
    pub fn key(&self) -> &K {
        &self.key
    }

    /// Sets the value, and returns it to be changed.
    pub fn insert(self, value: V) -> &'a mut V {
        let (block, index) = self.map.insert_at(self.position, self.key, value);
        &mut self.map.blocks[block][index].1
    }
}
