//! Jobs that no policy will start, because it has returned: a deadlock that the kernel reports.

use crate::ids::JobId;
use crate::kernel::primitive::Event;
use crate::kernel::spawn;

use super::FrontEnd;

impl FrontEnd {
    /// The policy has returned: every job that waits, and every later one, does so for ever, which
    /// the kernel reports.
    pub(in crate::policy) fn desert(&self) {
        self.0.state.borrow_mut().deserted = true;
        let mut waiting = self.waiting();
        waiting.retain(|&id| self.considers(&self.0.state.borrow(), id));
        for id in waiting {
            wait_for_ever(id);
        }
    }
}

/// A job that no policy will start is a process that waits for ever.
pub(super) fn wait_for_ever(id: JobId) {
    spawn(("job", id.0), async { Event::new("start (the policy has returned)").wait().await });
}
