//! Rows of the tables of each system: what is written by one side and read by the other.
//!
//! A row is declared once, with its columns, their units and meanings, its cells and its reader.
//! The system that makes it, the declaration of its tables and the judge of its runs import it from
//! here; a row knows none of them: it has plain values only (numbers, times, texts, intervals).

pub mod batsim;
pub mod jobs;

#[cfg(test)]
mod tests;
