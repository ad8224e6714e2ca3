//! Where the record of a run is written to.

mod jobs_csv;
mod jobs_swf;
mod perfetto;

pub use jobs_csv::{HEADER, write as write_jobs_csv};
pub use jobs_swf::write as write_jobs_swf;
pub use perfetto::write as write_trace;
