//! GPUs of jobs, where they are distinguished.

use crate::ids::JobId;
use crate::workload::resources::GpuShare;

use super::jobs::Record;

impl Record {
    /// A job holds these GPUs.
    pub fn holds_gpus(&mut self, job: JobId, gpus: Vec<GpuShare>) {
        self.gpus.insert(job, gpus.into());
    }

    /// The GPUs of the last run of a job, where they are distinguished.
    pub fn gpus(&self, job: JobId) -> &[GpuShare] {
        self.gpus.get(&job).map_or(&[], |gpus| gpus)
    }
}
