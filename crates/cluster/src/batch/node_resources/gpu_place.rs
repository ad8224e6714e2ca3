//! Places of jobs on nodes whose GPUs are distinguished.

use crate::batch::devices::{GpuRule, GpuScores, MigStarts, TaskMix};
use crate::collections::IntervalSet;
use crate::ids::JobId;
use crate::kernel::rng::Stream;
use crate::workload::Job;
use crate::workload::resources::GpuShare;

use super::free_resources::{Asking, FreeResources};
use super::gpu_choice::{GpuPlace, Held};
use super::reservation::Reservation;

impl FreeResources {
    /// The same with GPUs given by this rule, and by the tasks of these jobs; `draws` for a rule
    /// that draws.
    #[must_use]
    pub fn placed_by(
        mut self,
        rule: (GpuRule, GpuScores, MigStarts),
        jobs: &[Job],
        draws: Option<Stream>,
    ) -> Self {
        let mix = || TaskMix::of_jobs(jobs, &self.resources.demands);
        self.chooser = self.chooser.take().map(|chooser| chooser.by(rule, mix, draws));
        self
    }

    /// The nodes and GPUs of a job, where GPUs are distinguished, next to a reservation if one is
    /// given. `None` elsewhere, if it does not fit, and under first-fit for a job that asks for no
    /// GPU; all other rules choose its nodes too.
    pub fn gpu_place(&mut self, of: Asking, alongside: Option<&Reservation>) -> Option<GpuPlace> {
        let mut chooser = self.chooser.take()?;
        let chunk = self.chunk(of.demand);
        let place = if chunk.demand.gpus == 0 && !chooser.places_all() {
            None
        } else {
            let nodes: Vec<u32> = self.open_nodes().collect();
            let of_demand = (of.demand, alongside.is_none());
            chooser.place(&self.offered(of, alongside), &nodes, of_demand, chunk, of.procs)
        };
        self.chooser = Some(chooser);
        place
    }

    /// The processors of a place: the lowest free ones on each of its nodes.
    pub fn processors_of(&self, place: &GpuPlace, free: &IntervalSet) -> IntervalSet {
        let mut among = IntervalSet::default();
        for part in &place.parts {
            self.lowest_on(*part, free, &mut among);
        }
        among
    }

    /// A job has the processors and the GPUs of this place from now on.
    ///
    /// # Panics
    /// If it does not fit there.
    pub fn take_place(&mut self, job: JobId, of: Asking, place: GpuPlace) {
        self.hold(job, Held { demand: of.demand, parts: place.parts, gpus: place.gpus });
    }

    /// The GPUs that a job holds, where they are distinguished.
    pub fn gpus(&self, job: JobId) -> Vec<GpuShare> {
        let mut shares = Vec::new();
        let held = self.jobs.get(&job).filter(|_| self.chooser.is_some());
        for (node, gpus) in held.iter().flat_map(|held| &held.gpus) {
            let first = self.resources.nodes.first_gpu(*node);
            let mut gpus = gpus.clone();
            gpus.sort_unstable();
            for one in gpus {
                GpuShare::append(&mut shares, first + u64::from(one.slot), one.parts, one.slice);
            }
        }
        shares
    }
}
