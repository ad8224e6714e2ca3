//! GPUs of jobs, where they are distinguished.

use std::sync::Arc;

use crate::ids::JobId;
use crate::workload::resources::{GpuShare, Resources};

use super::jobs::Record;

impl Record {
    /// A job holds these GPUs.
    pub fn holds_gpus(&mut self, job: JobId, gpus: Vec<GpuShare>) {
        self.gpus.insert(job, gpus.into());
    }

    /// Resources of nodes and demands of jobs, where GPUs are distinguished.
    pub fn with_distinct_gpus(&self) -> Option<&Arc<Resources>> {
        self.resources.as_ref().filter(|resources| resources.distinguishes_gpus())
    }

    /// The GPUs of the last run of a job, where they are distinguished.
    pub fn gpus(&self, job: JobId) -> &[GpuShare] {
        self.gpus.get(&job).map_or(&[], |gpus| gpus)
    }
}
