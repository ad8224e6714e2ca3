//! The ends of flows: a heap whose entries move when rates change.
//!
//! A change of one link changes the ends of many flows, most of them by little. An entry that is
//! moved in its place costs a look at its neighbours then, where one that is left behind and
//! entered again would cost the depth of the heap twice.

/// Children of an entry.
const ARITY: usize = 4;
/// Not in the heap.
const NOWHERE: u32 = u32::MAX;

/// An end and the flow that has it, the earliest first, at equal times the flow that started first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Entry {
    /// Nanoseconds.
    end: u64,
    /// The flow's place in the order of starting.
    serial: u64,
    flow: u32,
}

/// The ends of the flows that are in progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schedule {
    entries: Vec<Entry>,
    /// The place of each flow's entry.
    places: Vec<u32>,
}

impl Schedule {
    /// The earliest end [ns] and whose it is.
    pub(crate) fn first(&self) -> Option<(u64, u32)> {
        self.entries.first().map(|entry| (entry.end, entry.flow))
    }

    /// Enters or moves the end of a flow.
    pub(crate) fn set(&mut self, flow: u32, serial: u64, end: u64) {
        let index = flow as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, NOWHERE);
        }
        let entry = Entry { end, serial, flow };
        if self.places[index] == NOWHERE {
            self.entries.push(entry);
            self.rise(self.entries.len() - 1, entry);
        } else {
            self.settle(self.places[index] as usize, entry);
        }
    }

    /// Takes a flow out.
    pub(crate) fn remove(&mut self, flow: u32) {
        let Some(place) = self.places.get_mut(flow as usize) else { return };
        let place = std::mem::replace(place, NOWHERE);
        if place == NOWHERE {
            return;
        }
        let last = self.entries.pop().expect("a flow that has a place is in the heap");
        if last.flow != flow {
            self.settle(place as usize, last);
        }
    }

    /// Puts `entry` where it belongs, `place` being free.
    fn settle(&mut self, place: usize, entry: Entry) {
        if place > 0 && entry < self.entries[(place - 1) / ARITY] {
            self.rise(place, entry);
        } else {
            self.sink(place, entry);
        }
    }

    fn put(&mut self, place: usize, entry: Entry) {
        self.entries[place] = entry;
        self.places[entry.flow as usize] = place as u32;
    }

    fn rise(&mut self, mut place: usize, entry: Entry) {
        while place > 0 {
            let parent = (place - 1) / ARITY;
            if self.entries[parent] <= entry {
                break;
            }
            self.put(place, self.entries[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    fn sink(&mut self, mut place: usize, entry: Entry) {
        loop {
            let first = place * ARITY + 1;
            let children = first..(first + ARITY).min(self.entries.len());
            let Some(least) = children.min_by_key(|&child| self.entries[child]) else { break };
            if entry <= self.entries[least] {
                break;
            }
            self.put(place, self.entries[least]);
            place = least;
        }
        self.put(place, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_were_moved_and_removed_come_out_in_order() {
        let mut schedule = Schedule::default();
        let mut ends = [0_u64; 50];
        for step in 0..2_000_u64 {
            let flow = (step * 37 % 50) as usize;
            ends[flow] = if step % 11 == 3 { 0 } else { 1 + step * 7_919 % 97 };
            match ends[flow] {
                0 => schedule.remove(flow as u32),
                end => schedule.set(flow as u32, 50 - flow as u64, end),
            }
            let there = (0..50_usize).filter(|&flow| ends[flow] > 0);
            let expected = there.min_by_key(|&flow| (ends[flow], 50 - flow));
            assert_eq!(schedule.first(), expected.map(|flow| (ends[flow], flow as u32)));
        }
    }
}
