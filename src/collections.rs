//! Ordered containers that the models need and the standard library lacks.

pub use clustersim_language::collections::{Cursor, Interval, IntervalSet, OrderedMap, OrderedSet};

/// A map in the order of its keys, of little code.
pub mod ordered_map {
    pub use clustersim_language::collections::ordered_map::{
        Entry, IntoIter, Iter, IterMut, OccupiedEntry, Range, RangeMut, VacantEntry,
    };
}

/// A set in the order of its items, of little code.
pub mod ordered_set {
    pub use clustersim_language::collections::ordered_set::{IntoIter, Iter};
}
