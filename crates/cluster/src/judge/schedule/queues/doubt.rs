//! Jobs of which it is not in the files whether limits let them through: those that may find room
//! only on more nodes than limits leave, and then are passed over; and those of their users where
//! only some are considered, as they may be considered in their place.

use crate::collections::OrderedSet;

use super::super::Row;
use super::held_back::{Gate, Hold, Member};
use super::limits::LimitMeasure;

impl Gate<'_> {
    /// Looks for them among the jobs that wait.
    pub(super) fn doubt(&mut self, has_room: &mut impl FnMut(&Row) -> bool) {
        if !self.queues.count_nodes() {
            return;
        }
        // one that limits hold back since is passed over no more
        let through = &self.through;
        self.doubtful.retain(|&row, hold| *hold != Hold::Passable || through[row]);
        let (mut found, mut unsettled) = (Vec::new(), Vec::new());
        for (&key, share) in &self.shares {
            let first = found.len();
            for &row in share.waiting.values().filter(|&&row| self.through[row]) {
                let Some(Member { places, needs, most_nodes, .. }) = &self.members[row] else { continue };
                if *most_nodes <= needs.of(LimitMeasure::Nodes) {
                    continue;
                }
                let left = places.iter().filter_map(|&place| {
                    let queue = &self.queues.0[place];
                    queue.nodes_left(|bound| self.used(key, place, bound, queue.bounds[bound].per_user))
                });
                let few = left.min().is_some_and(|left| left < *most_nodes) && has_room(&self.rows[row]);
                found.push((row, few.then_some(Hold::Passable)));
            }
            let in_turn = |place: &usize| self.queues.0[*place].considered.is_some();
            let passable = found[first..].iter().filter(|one| one.1.is_some());
            let passable = passable.filter_map(|one| self.members[one.0].as_ref());
            let lines = passable.flat_map(|member| member.places.iter().copied().filter(in_turn));
            let before = self.unsettled.get(&key).into_iter().flatten().copied();
            let lines: OrderedSet<usize> = lines.chain(before).collect();
            if !lines.is_empty() {
                let others = share.waiting.values().filter(|&&row| {
                    let shares = lines.iter().any(|&place| self.is_in(row, place));
                    shares && share.holds(self, row, |_| 0).is_none()
                });
                found.extend(others.map(|&row| (row, Some(Hold::Doubt))));
                unsettled.push((key, lines));
            }
        }
        self.unsettled.extend(unsettled);
        for (row, hold) in found {
            self.changed.insert(row);
            if let Some(hold) = hold {
                self.doubtful.insert(row, hold);
                self.by[row] = None;
            }
        }
    }
}
