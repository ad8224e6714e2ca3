//! Text from outside: how it is opened, read and bounded, places in it, and characters that a
//! terminal does not show as they are.

pub use clustersim_language::text::{Place, TextParts, TextSource, Unreadable};

/// Comma-separated values (RFC 4180), read row by row without a copy, each cell with its place.
pub mod csv {
    pub use clustersim_language::text::csv::Field;
}

/// Marks of recognition: the format of a file, by its content. Its name may say anything, or
/// nothing.
pub mod mark {
    pub use clustersim_language::text::mark::{Evidence, FileMark, Head};
}
