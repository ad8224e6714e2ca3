//! Text from outside: how it is opened, read and bounded, places in it, and characters that a
//! terminal does not show as they are.
//!
//! - *Opening.* [`open`] refuses what is no regular file: a FIFO without a writer is never read to
//!   its end, and a device may have none. [`read_whole`] reads a text, plain or gzip, up to a bound
//!   after decompression; [`Unpacked`] and [`Lines`] read a longer one as a stream. The bounds of
//!   this module are those of all readers.
//! - *Formats.* [`csv`] reads every table of comma-separated values, [`json`] every JSON text that
//!   others write, [`xml`] every XML text, [`yaml`] every YAML text. Each gives the place of what
//!   is wrong, and bounds depth and size. `statements` are lines of words.
//! - *Marks.* [`mark`] says what a file is, by its beginning.
//! - *Mistakes.* [`Mistakes`] keeps the first of a text and counts the others; every reader notes
//!   what is wrong there.
//! - *Places.* A [`Span`] points into a text that is held ([`Sources`]), a [`Place`] into one that
//!   is not and keeps its line.
//! - *Terminals.* [`escaped`] and [`in_one_line`] make text safe to print; every printer uses them.

mod broken;
pub mod csv;
mod escape;
mod input;
pub mod json;
mod lines;
pub mod mark;
mod mistakes;
mod parts;
mod position;
mod source;
mod statements;
mod suggest;
mod unpacked;
pub mod xml;
pub mod yaml;
mod zstd;

pub use broken::Broken;
pub use escape::in_toml;
pub use escape::{escaped, escaped_json, in_markup, in_one_line, is_hidden, pictured};
pub use input::{
    LONGEST_LINE, LONGEST_TEXT, LONGEST_UNPACKED, Unreadable, confine, enter_folder, is_outside, open,
    open_anywhere, open_stream, read_file, read_whole, reason, size,
};
pub use lines::Lines;
pub use mistakes::{MOST_MISTAKES, Mistakes};
pub use parts::{TextParts, TextSource};
pub use position::Place;
pub use source::{SourceId, Sources, Span};
pub use statements::{Forms, LineWords, Statement, TextLine, lines, statements};
pub use statements::{Mistake, Spot};
pub use suggest::{nearest, suggestion};
pub use unpacked::{Unpacked, stop_reading_when};
