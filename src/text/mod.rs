//! Text from outside: files that are read whole, and characters that a terminal does not show as they are.
//!
//! [`open`] refuses what is no regular file: a FIFO without a writer is never read to its end, and a device may have none.
//! [`read_whole`] reads a text, plain or gzip, up to a bound after decompression. The bounds of this module are those of all
//! readers. [`escaped`] and [`in_one_line`] make text safe for a terminal; every printer uses them.

mod escape;
mod input;

pub use escape::{escaped, escaped_json, in_one_line, is_hidden, pictured};
pub use input::{
    LONGEST_LINE, LONGEST_TEXT, LONGEST_UNPACKED, Unreadable, open, open_stream, read_file, read_whole,
    reason, size,
};
