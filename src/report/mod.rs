//! What a finished run is turned into for people and programs: a table, a summary, a directory of files.
//!
//! Nothing here decides anything: figures come from [`instrument`](crate::instrument) and are only laid out.

pub mod directory;
pub mod hash;
pub mod html;
pub mod lock;
pub mod manifest;
pub mod number;
pub mod platform;
pub mod summary;
