//! The view of a scheduler, and its answer: a plan.
//!
//! - [`view`]: tasks, hosts, events so far and predictions; `standing`: the progress of a run;
//!   `window`: values of the tasks that are planned; [`ranks`].
//! - [`plan`]: a slot for each task, and the reasons for it; [`plan_file`]: plans in files.
//! - [`assumption`]: what a rule expects of its input; `no_host`: tasks that no host can have.

pub mod assumption;
pub(crate) mod no_host;
pub mod plan;
pub mod plan_file;
pub mod ranks;
pub(crate) mod standing;
pub mod view;
pub(crate) mod window;
