//! The memory that tasks of agents take: those that are sent ahead, and what is recorded of those
//! that are computed.

use crate::Recording;
use crate::registry::{Complaint, Span, fits};
use crate::role::TaskCount;

/// Memory of a task that is sent before it is received \[bytes\], measured.
const AHEAD_BYTES: u64 = 360;

/// Memory of the record of a task that is computed, with its operations and with what pages show of
/// them \[bytes\], measured.
const TASK_BYTES: u64 = 40;
const OPERATIONS_BYTES: u64 = 340;
const PICTURES_BYTES: u64 = 920;

const THINGS: &str = "tasks of agents";

/// Memory of what is kept of a task that is computed \[bytes\].
pub(super) fn bytes_of_task(recording: Recording, pictures: bool) -> u64 {
    match recording {
        Recording::Counts => 0,
        Recording::Tasks => TASK_BYTES,
        Recording::Operations if pictures => PICTURES_BYTES,
        Recording::Operations => OPERATIONS_BYTES,
    }
}

/// Tasks of agents, and the memory that they take.
#[derive(Clone, Copy, Default)]
struct Need {
    tasks: u64,
    bytes: u64,
}

impl Need {
    fn of(count: TaskCount, task_bytes: u64) -> Self {
        let bytes = count.computed.saturating_mul(task_bytes);
        let tasks = count.computed.max(count.ahead);
        Need { tasks, bytes: bytes.saturating_add(count.ahead.saturating_mul(AHEAD_BYTES)) }
    }

    fn and(self, other: Need) -> Need {
        let tasks = self.tasks.saturating_add(other.tasks);
        Need { tasks, bytes: self.bytes.saturating_add(other.bytes) }
    }

    /// Checks that they are within what a scenario may ask for.
    fn fits(self, span: Span) -> Result<(), Complaint> {
        let each = usize::try_from(self.bytes.div_ceil(self.tasks.max(1))).unwrap_or(usize::MAX);
        // where nothing is kept of them there may be any number
        if each == 0 { Ok(()) } else { fits(span, THINGS, self.tasks, each) }
    }
}

/// Checks the tasks of all agents, as the roles of a group have them, each with the place that says
/// how many there are. Of those that are computed `task_bytes` are kept.
///
/// # Errors
/// They need more memory than a scenario may ask for.
pub(super) fn check(
    counts: impl Iterator<Item = (TaskCount, Span)>,
    task_bytes: u64,
) -> Result<(), Complaint> {
    let (mut all, mut largest) = (Need::default(), None);
    for (count, at) in counts {
        let need = Need::of(count, task_bytes);
        need.fits(at)?;
        all = all.and(need);
        if largest.is_none_or(|(bytes, _)| bytes < need.bytes) {
            largest = Some((need.bytes, at));
        }
    }
    largest.map_or(Ok(()), |(_, at)| all.fits(at))
}
