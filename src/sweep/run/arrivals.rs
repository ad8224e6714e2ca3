//! Ends of transfers: what arrives, and what is broken off.

use std::rc::Rc;

use crate::kernel::now;
use crate::sweep::estimate::predictions::{SubTask, SweepTransfer};
use crate::sweep::model::storage::LimitedStorage;
use crate::sweep::run::grid_state::{GridState, ServerPlace, Serving, TaskState};

impl GridState {
    /// A transfer has arrived.
    pub(in crate::sweep) fn arrived(&mut self, transfer: SweepTransfer) {
        let SweepTransfer { cluster, file, task, .. } = transfer;
        self.is_over(transfer, true);
        match file {
            SubTask::Input(file) if self.problem.grid.cluster(cluster).has_storage => {
                Rc::make_mut(&mut self.stored).store(cluster, file);
            }
            SubTask::Input(file) => {
                self.received.insert((task, file, cluster));
            }
            SubTask::Output(file) => {
                self.returned[file.index() / 64] |= 1 << (file.index() % 64);
                if let TaskState::Computed(left) = &mut self.tasks[task.index()] {
                    *left -= 1;
                    if *left == 0 {
                        self.complete(task);
                    }
                }
            }
            SubTask::Computation(_) => {}
        }
    }

    /// The storage that a transfer reads from, if that has a limit.
    pub(in crate::sweep) fn storage_of_source(
        &mut self,
        transfer: SweepTransfer,
    ) -> Option<&mut LimitedStorage> {
        let source = self.problem.grid.source_of(transfer.link, transfer.cluster)?;
        self.storages[source.index()].as_mut()
    }

    /// Releases the promises that storages made to a transfer.
    fn is_over(&mut self, transfer: SweepTransfer, has_arrived: bool) {
        let SubTask::Input(file) = transfer.file else { return };
        let sweep = Rc::clone(&self.problem.sweep);
        if let Some(storage) = &mut self.storages[transfer.cluster.index()] {
            storage.transfer_ends(file, has_arrived, &sweep);
        }
        if let Some(storage) = self.storage_of_source(transfer) {
            storage.sending_ends(file, &sweep);
        }
    }

    /// Breaks off what a server does.
    pub(in crate::sweep) fn break_off(&mut self, place: ServerPlace) -> Option<Serving> {
        let server = self.server(place);
        let serving = server.task.take()?;
        server.aborted.set();
        if let Some(transfer) = serving.transfer {
            self.is_over(transfer, false);
        }
        if let ServerPlace::Processor(host, _) = place {
            let spent = &mut self.broken_off[host.index()];
            *spent = spent.saturating_add(now().since(serving.start));
        }
        Some(serving)
    }
}
