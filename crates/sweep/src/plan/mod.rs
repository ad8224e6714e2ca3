//! Plans: the Gantt chart of the future, how it is filled, and the queues that it becomes.
//!
//! - [`planner`]: `do_plan`; [`settings`]; [`subset`]: the tasks that are planned.
//! - [`chart`]: a column for each link and each processor; `placing`: a task in it; `inputs`: where
//!   its inputs come from, and the room for them.
//! - [`fill`]: task after task by a heuristic; `completion_table`: completions that it asks for,
//!   kept while the chart is filled, with `alike`, `class_key`, `bound_queues` and `rank_tree`.

pub(crate) mod alike;
pub(crate) mod bound_queues;
pub mod chart;
pub(crate) mod class_key;
pub(crate) mod completion_table;
pub mod fill;
pub(crate) mod inputs;
pub(crate) mod placing;
pub mod planner;
pub(crate) mod rank_tree;
pub mod settings;
pub mod subset;
