//! The language of scenarios: names, keys, units, defaults, and complaints with their places.
//!
//! A model declares itself once, as an [`Entry`]: its name, one line about it, its [`Key`]s and a
//! function that builds it. Entries of one kind form a [`Table`]; the tables of a program form its
//! [`Registry`]. From these declarations come the parser, `clustersim list` and `explain`, the JSON
//! Schema and the resolved scenario, so none of them can differ from another.
//!
//! ```text
//!   text ──toml──▶ Tree (as written, placed) ──check──▶ Tree (resolved) ──build──▶ Box<dyn Model>
//!                          │                    │
//!                          └── every complaint of the file, each at its value
//! ```
//!
//! *Checking* walks the declarations over what was written: types, units, ranges, unknown and
//! missing keys, names of components; it fills in every default and expands every shorthand. What
//! it gives back is valid and whole, and is what the resolved file shows. *Building* reads from
//! that and may still object to values that contradict each other ([`Params::complaint`]). A
//! component is written as a table with `kind`, or as that name alone.
//!
//! Serde is not used here: it stops at the first error and loses the places inside tagged enums.

mod check;
mod choice;
pub mod code;
mod complaint;
pub mod definition;
mod entry;
mod key;
mod memory;
mod params;
mod parse;
mod placed;
pub mod problem;
mod schema;
#[cfg(test)]
mod tests;
pub mod topic;
mod tree;
mod write;

pub use crate::text::{SourceId, Sources, Span, nearest, reason, suggestion};
pub use check::{check, unknown_key};
pub use choice::choices;
pub use complaint::{Complaint, Complaints, Excerpt, Note};
pub use entry::{Catalogue, Entry, Preset, Registry, Row, Table};
pub use entry::{entry, presets, variants};
#[doc(hidden)]
pub use key::key;
pub use key::named_keys;
pub use key::{Absent, Bounds, Key, Kind, Quantity, keys};
pub use memory::{MOST_MEMORY, fits, most_numerous, note_count};
pub use params::misfit;
pub use params::{Parameter, Params};
pub use parse::{parse_file, parse_value};
pub use placed::{in_stream, in_text};
pub use problem::Problem;
pub use schema::json_schema;
pub use tree::{KeyValue, Node, Tree, Value, element};
pub use write::{to_inline, to_toml, toml_text};
