//! Pools beside processors of a run.

use std::sync::Arc;

use crate::batch::pools::Pools;

use super::jobs::Record;

impl Record {
    /// The same of a site with these pools beside processors, if it has any.
    #[must_use]
    pub fn with_pools(mut self, pools: Option<Arc<Pools>>) -> Self {
        self.pools = pools;
        self
    }

    /// Pools beside processors with what jobs ask of them, if there are any.
    pub fn pools(&self) -> Option<&Pools> {
        self.pools.as_deref()
    }
}
