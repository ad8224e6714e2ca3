//! `report.html`: a run or a study in pictures, in one file that needs nothing else and no network.
//!
//! ```text
//! a run that is over ─┐
//!                     ├─ rows ─ figures (levels, curves, heat map, users) ─┐
//! its jobs.csv ───────┘         packed bars of the Gantt chart ────────────┼─ page
//! study.json ──────────────────────────────────────────────────────────────┘
//! ```
//!
//! Everything that is drawn is computed here from exact times; the script in the page scales and draws it. What is
//! thinned out keeps its extremes: a span of time holds the least and the greatest level in it, a curve its first and
//! last step. The same run gives the same bytes, drawn at its end or later from its files.

mod bars;
pub(crate) mod curve;
pub(crate) mod lanes;
pub(crate) mod levels;
mod names;
mod packed;
pub(crate) mod page;
mod results;
mod rows;
mod shade;
mod study;
mod two_runs;

pub use results::{draw as draw_results, draw_again};
pub use study::draw as draw_study;
pub use two_runs::draw as draw_two_runs;
