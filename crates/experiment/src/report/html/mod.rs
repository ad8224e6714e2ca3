//! `report.html`: a run or a study in pictures, in one file that needs nothing else and no network.
//!
//! ```text
//! the tables of a run ─┐           ┌─ levels, curves, grid, listing ─┐
//!                      ├─ gather ──┤                                 ├─ page
//! its .csv files ──────┘           └─ on_lanes ─ bars of a Gantt ────┤
//! study.json ────────────────────────────────────────────────────────┘
//! ```
//!
//! Everything that is drawn is computed here from exact times; the script in the page scales and
//! draws it. What is thinned out keeps its extremes: a span of time holds the least and the
//! greatest level in it, a curve its first and last step. The same run gives the same bytes, drawn
//! at its end or later from its files.

mod agreement;
mod bars;
mod cells;
mod compared_runs;
mod curve;
mod distribution;
mod fidelity;
mod gather;
mod grid;
mod lanes;
mod level;
mod levels_by;
mod listing;
mod names;
mod on_lanes;
mod packed;
mod page;
mod results;
mod row_names;
mod rows;
mod shade;
mod shares;
mod study;
mod thinned;
mod values_over_time;

pub use agreement::contradictions;
pub use compared_runs::{ComparedRun, Pictured, draw as draw_compared_runs};
pub use curve::rounded;
pub use fidelity::draw as draw_fidelity;
pub use results::{RunPage, draw as draw_results, draw_again};
pub use study::{Unfinished, draw as draw_study, draw_unfinished};
