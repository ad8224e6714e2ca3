//! A record whose jobs go by other ids, as they came in another order.

use std::sync::Arc;

use crate::ids::JobId;

use super::jobs::Record;

impl Record {
    /// The same record of jobs that go by other ids: `now[id]` is what the job `id` is called.
    ///
    /// # Panics
    /// If not every job has one name of its own.
    #[must_use]
    pub fn renamed(mut self, now: &[JobId]) -> Self {
        let blank = Record::new(self.starts.len());
        let (mut starts, mut ends, mut fates) = (blank.starts, blank.ends, blank.fates);
        for (old, name) in now.iter().enumerate() {
            let new = name.index();
            (starts[new], ends[new], fates[new]) = (self.starts[old], self.ends[old], self.fates[old]);
        }
        (self.starts, self.ends, self.fates) = (starts, ends, fates);
        let name = |job: JobId| now[job.index()];
        self.released = self.released.into_iter().map(|(job, at)| (name(job), at)).collect();
        self.outages.rename(name);
        self.steps.iter_mut().for_each(|steps| steps.rename(name));
        self.own_cells = self.own_cells.map(|cells| cells.renamed(now));
        self.followers = self.followers.into_iter().map(name).collect();
        self.held_for_ever = self.held_for_ever.into_iter().map(name).collect();
        self.never_submitted = self.never_submitted.into_iter().map(name).collect();
        self.asked = self.asked.into_iter().map(|(job, asked)| (name(job), asked)).collect();
        self.gpus = self.gpus.into_iter().map(|(job, gpus)| (name(job), gpus)).collect();
        self.pools = self.pools.map(|pools| Arc::new(pools.renamed(now)));
        self.places = self.places.renamed(now);
        self.matrix = self.matrix.map(|spans| spans.renamed(name));
        if !self.attributes.is_empty() {
            let mut old_places = vec![0; now.len()];
            (0..).zip(now).for_each(|(old, name)| old_places[name.index()] = old);
            self.attributes = Arc::new(Arc::unwrap_or_clone(self.attributes).gather(&old_places));
        }
        self
    }
}
