//! Nodes whose GPUs are distinguished as an instrument sees them: jobs where a record has them, and
//! what is free there.

use crate::batch::devices::{HeldGpu, NodeGpus};
use crate::collections::{Interval, OrderedMap};
use crate::ids::JobId;
use crate::workload::resources::GpuShare;

use super::free_resources::{Asking, FreeResources};
use super::gpu_choice::Held;

impl FreeResources {
    /// A job has these processors and GPUs from now on, as its record says; the nodes of them.
    ///
    /// # Panics
    /// If it does not fit there.
    pub fn take_recorded(
        &mut self,
        job: JobId,
        of: Asking,
        on: &[Interval],
        shares: &[GpuShare],
    ) -> Vec<u32> {
        let nodes = &self.resources.nodes;
        let mut gpus: OrderedMap<u32, Vec<HeldGpu>> = OrderedMap::new();
        for share in shares {
            for gpu in share.first..=share.last {
                let Some((node, _)) = nodes.gpu(gpu) else { continue };
                let slot = (gpu - nodes.first_gpu(node)) as u32;
                gpus.entry(node).or_default().push(HeldGpu { slot, parts: share.parts, slice: share.slice });
            }
        }
        let parts = self.parts_on(on);
        let changed = parts.iter().map(|part| part.node).collect();
        self.hold(job, Held { demand: of.demand, parts, gpus: gpus.into_iter().collect() });
        changed
    }

    /// The nodes on which a job is.
    pub fn nodes_of(&self, job: JobId) -> Vec<u32> {
        self.jobs.get(&job).map(|held| held.parts.iter().map(|part| part.node).collect()).unwrap_or_default()
    }

    /// Returns true if a node is out of service.
    pub fn is_down(&self, node: u32) -> bool {
        self.now[node as usize].is_down()
    }

    /// Processors that a job may get on a node, and its GPUs, where they are distinguished.
    pub fn free_on(&self, node: u32) -> Option<(u32, &NodeGpus)> {
        let free = &self.now[node as usize];
        Some((if free.is_open() { free.procs() } else { 0 }, free.node_gpus()?))
    }

    /// Returns true if a chunk of so many processors fits on a node now.
    pub fn holds_chunk(&self, node: u32, of: Asking) -> bool {
        self.now[node as usize].chunks(&self.chunk(of.demand).of_procs(of.procs)) > 0
    }
}
