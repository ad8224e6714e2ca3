//! Where an input of a task comes from by a plan, and over which link.

use crate::sweep::chart::{Chart, SentSpan};
use crate::sweep::grid::ClusterNumber;
use crate::sweep::predictions::SubTask;
use crate::workflow::FileNumber;

impl Chart {
    /// The slot in which an input comes to a cluster, not before `from`, between those in `sent`: over the link of its origin.
    pub(super) fn input_span(
        &self,
        file: FileNumber,
        cluster: ClusterNumber,
        from: u64,
        sent: &[SentSpan],
    ) -> Option<SentSpan> {
        let (link, bytes) = (self.link_of(file, cluster), self.known.bytes(file));
        let (start, end) = self.gap(link, SubTask::Input(file), bytes, from, sent)?;
        Some((link, start, end))
    }
}
