//! Results of a run.
//!
//! - [`record`]: outcomes of tasks, transfers and plans; [`tables`]: their rows.
//! - [`mod@metrics`], [`host_time`] and [`prices`]: the same in figures; `cohort`: the same as
//!   statistics of streams see it.
//! - [`bounds`]: how soon a run can end; [`optimum`] and [`gap`]: how soon the best does.

pub mod bounds;
pub(in crate::sweep) mod cohort;
pub mod gap;
pub mod host_time;
pub mod metrics;
pub mod optimum;
pub mod prices;
pub mod record;
pub(in crate::sweep) mod table_rows;
pub mod tables;
