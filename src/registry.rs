//! The language of scenarios: names, keys, units, defaults, and complaints with their places.

pub use clustersim_language::registry::{
    Absent, Bounds, Catalogue, Complaint, Entry, Excerpt, Key, KeyValue, Kind, Node, Note, Parameter, Params,
    Preset, Quantity, Registry, Row, SourceId, Sources, Span, Table, Tree, Value, keys,
};

/// The kinds of complaint, each with a code that `clustersim explain` takes.
pub mod code {
    pub use clustersim_language::registry::code::Code;
}

/// Definitions: what the words mean that results, warnings and files hold.
pub mod definition {
    pub use clustersim_language::registry::definition::{Definition, Words};
}
