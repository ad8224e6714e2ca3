//! Typed keys: an index of one kind cannot be used for another.

use std::fmt;

/// Declares a key: an index of one kind of thing, with its number.
#[doc(hidden)]
#[macro_export]
macro_rules! __index {
    ($(#[$meta:meta])* $vis:vis struct $Key:ident($number:vis u32);) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        $vis struct $Key($number u32);

        impl $Key {
            /// Number, from 0.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

#[doc(hidden)]
pub use __index as index;

index! {
    /// A job of the run: its place in the workload, in order of submission.
    ///
    /// At equal submit times the job that stands earlier in the input comes first, so of two
    /// keys the lesser is of the job that came first. The number a log gives a job is
    /// `Job::number`.
    pub struct JobId(pub u32);
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
