//! Task graphs, by the library alone.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod dags;
mod mesh;
