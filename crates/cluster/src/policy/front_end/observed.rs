//! Observation of a run by the front end: its beginning, and its results.

use std::rc::Rc;

use crate::instrument::LossOfCapacity;
use crate::instrument::execution::ExecutionProfile;
use crate::instrument::slice_metrics::SliceSide;
use crate::kernel::now;
use crate::kernel::rng::Streams;

use super::{FrontEnd, Shared};

impl FrontEnd {
    /// The front end that others share as `shared`.
    pub(in crate::policy) fn of(shared: Rc<Shared>) -> Self {
        FrontEnd(shared)
    }

    /// Makes the nodes on which tasks run, inside the simulation.
    pub(in crate::policy) fn begin(&self, streams: Streams) {
        self.0.execution.begin(Rc::downgrade(&self.0), streams);
    }

    /// Begins the observation of processors and slots now.
    pub(in crate::policy) fn mark(&self) {
        let slots = &mut self.0.state.borrow_mut().slots;
        slots.marked = true;
        slots.loss.restart(now());
        if let Some(cluster) = self.0.execution.cluster() {
            cluster.mark();
        }
    }

    /// Times of the processors and loss of capacity, at detail `task`; the nodes are cleared.
    pub(in crate::policy) fn close(&self) -> Option<(ExecutionProfile, LossOfCapacity)> {
        if !self.0.state.borrow().slots.marked {
            // the run is over before the warm-up: nothing is observed
            self.mark();
        }
        let profile = self.0.execution.close()?;
        Some((profile, self.0.state.borrow().slots.loss))
    }

    /// Counts of slices and loss of capacity, where jobs run in slices.
    pub(in crate::policy) fn close_slices(&self) -> Option<SliceSide> {
        let slices = self.0.execution.slices()?;
        if !self.0.state.borrow().slots.marked {
            self.mark();
        }
        let mut service = slices.service.borrow_mut();
        let (begun, switches) = service.as_mut().map_or((0, 0), |service| {
            service.advance(now());
            service.counts()
        });
        Some(SliceSide {
            capacity: self.0.state.borrow().slots.loss,
            until: now(),
            procs: u64::from(self.procs()),
            slots: u64::from(self.procs()) * u64::from(self.level()),
            slices: begun,
            switches,
            migrations: slices.migrations.get(),
        })
    }

    /// The processors that stayed free while jobs waited, as a share of all, up to now.
    pub(in crate::policy) fn lost_capacity(&self) -> Option<f64> {
        let state = self.0.state.borrow();
        let observed = Some(&state.slots).filter(|slots| slots.marked);
        observed.and_then(|slots| slots.loss.share(now(), u64::from(state.machine.procs())))
    }
}
