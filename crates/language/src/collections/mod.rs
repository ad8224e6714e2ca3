//! Ordered containers that the models need and the standard library lacks.
//!
//! [`BlockList`] is a sorted list cut into blocks, each with a summary, so that a question like
//! "the first job that needs at most 12 processors" skips a whole block at a glance.
//! [`IntervalSet`] keeps processors as intervals: its cost grows with the number of holes, never
//! with the number of processors. [`BusySpans`] keeps what is planned for one resource over time,
//! and finds the earliest gap for something more. [`NumberedTexts`] keeps each of many texts once.
//! [`sort_by_numbers`] sorts millions of rows by their times. [`OrderedMap`], [`OrderedSet`] and
//! [`StableSort`] are what the standard library's ordered map, ordered set and sort are, of a
//! fraction of the code.

mod block_list;
mod gaps;
mod interval_set;
mod numbered_texts;
pub mod ordered_map;
pub mod ordered_set;
mod sort;

pub use block_list::{BlockList, BlockSummary, Cursor};
pub use gaps::{BusySpan, BusySpans};
pub use interval_set::{Interval, IntervalSet};
pub use numbered_texts::NumberedTexts;
pub use ordered_map::OrderedMap;
pub use ordered_set::OrderedSet;
pub use sort::{StableSort, sort_by_numbers};
