//! Where the record of a run is written to.

mod columns;
mod jobs_csv;
mod jobs_parquet;
mod jobs_swf;
mod outages_csv;
#[cfg(feature = "parquet")]
mod parquet_file;
mod perfetto;
mod profile_csv;
mod reservations_csv;

pub use columns::{AVAILABLE, Cells, Column, write_columns};
pub use jobs_csv::{HEADER, MOLDED, write as write_jobs_csv};
pub use jobs_parquet::write as write_jobs_parquet;
pub use jobs_swf::write as write_jobs_swf;
pub use outages_csv::{write_attempts, write_outages};
pub use perfetto::{Lane, write as write_trace, write_lanes, write_tasks as write_task_trace};
pub use profile_csv::{write_executions, write_profile};
pub use reservations_csv::write as write_reservations;
