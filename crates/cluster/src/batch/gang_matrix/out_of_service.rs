//! Columns of the matrix that are out of service, in all rows alike.

use crate::collections::{Interval, IntervalSet};

use super::Matrix;

impl Matrix {
    /// Columns go out of service: no job gets cells in them. Jobs that use one have been taken out.
    pub fn fail(&mut self, part: Interval) {
        let gone: Vec<Interval> = self.in_service.within(part).collect();
        for part in gone {
            self.in_service.remove(part);
            self.rows.iter_mut().for_each(|row| row.lose(part));
        }
    }

    /// Columns are back in service, in all rows.
    pub fn repair(&mut self, part: Interval) {
        for part in self.in_service.missing(part) {
            self.in_service.insert(part);
            self.rows.iter_mut().for_each(|row| row.regain(part));
        }
    }

    /// Leaves just these columns out, as if the others were repaired and they had failed.
    pub fn leave_out(&mut self, out: &IntervalSet) {
        let all = self.shape().nodes.checked_sub(1).map(|last| Interval::new(0, last));
        all.into_iter().flat_map(|all| out.missing(all)).for_each(|part| self.repair(part));
        out.iter().for_each(|part| self.fail(part));
    }

    /// Returns true if an empty row would take a job of so many tasks, with the columns that are in
    /// service.
    pub fn could_hold(&self, tasks: u32) -> bool {
        u64::from(tasks) <= self.capacity_of_new_row()
    }

    /// The tasks of the largest job that an empty row takes.
    pub(super) fn capacity_of_new_row(&self) -> u64 {
        let nodes = self.shape().nodes;
        if self.in_service.count() == u64::from(nodes) {
            return nodes.into();
        }
        self.shape().packing.capacity(&self.in_service, nodes)
    }
}
