//! Task graphs on a platform, by the program and its public interface.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod dag_gap;
mod dag_mixed;
mod dag_settings;
mod dag_streams;
mod dag_studies;
mod dags;
mod dags_chapter;
mod graph_costs;
mod grid_text;
mod own_dags;
mod ready_tasks;
mod unequal_meshes;
mod wide_tasks;
mod workflow_files;
