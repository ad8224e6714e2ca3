//! Results of a run.
//!
//! - [`record`]: outcomes of tasks, transfers and plans, and reasons of plans; [`tables`]: rows.
//! - [`mod@metrics`], [`host_time`] and [`prices`]: the same in figures, and as statistics of
//!   streams see it.
//! - [`bounds`]: how soon a run can end; [`optimum`]: how soon the best does, and the gap to it.

pub mod bounds;
pub mod host_time;
pub mod metrics;
pub mod optimum;
pub mod prices;
pub mod record;
pub mod tables;
