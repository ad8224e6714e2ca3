//! The GPUs of one node, each with the parts of it that are free.

use std::rc::Rc;

use crate::workload::resources::{GpuChoice, GpuGroup, GpuKind};

/// A GPU of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gpu {
    /// Kind of it.
    pub kind: GpuKind,
    /// Parts that it has.
    pub parts: u32,
    /// Parts of them that are free; a GPU that is held whole has none.
    pub free: u32,
}

impl Gpu {
    /// Returns true if no job has any of it.
    pub fn is_empty(&self) -> bool {
        self.free == self.parts
    }

    /// Free parts in common parts, of which each GPU has `common`.
    pub fn amount(&self, common: u64) -> u64 {
        u64::from(self.free) * (common / u64::from(self.parts))
    }

    /// Returns true if it may be given to a chunk that asks so: whole, or for as many parts.
    pub fn holds(&self, choice: GpuChoice) -> bool {
        let enough = if choice.parts == 0 { self.is_empty() } else { self.free >= choice.parts };
        enough && self.kind.serves(choice.kind)
    }
}

/// A GPU of a node that a job holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeldGpu {
    /// Place among the GPUs of the node.
    pub slot: u32,
    /// Parts that are held; 0 for all of it.
    pub parts: u32,
}

/// The GPUs of a node, in order; copies are cheap until one of them changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeGpus(Rc<[Gpu]>);

impl NodeGpus {
    /// The GPUs of these groups, all free.
    pub fn new(groups: &[GpuGroup]) -> Self {
        let slots = groups.iter().flat_map(|group| {
            let slot = Gpu { kind: group.kind, parts: group.parts, free: group.parts };
            (0..group.count).map(move |_| slot)
        });
        NodeGpus(slots.collect())
    }

    /// The GPUs.
    pub fn each(&self) -> &[Gpu] {
        &self.0
    }

    /// Number of chunks that ask for `count` GPUs so, and that fit together.
    pub fn chunks(&self, count: u32, choice: GpuChoice) -> u32 {
        let able = self.0.iter().filter(|slot| slot.holds(choice));
        match (count, choice.parts) {
            (0, _) => u32::MAX,
            (_, 0) => able.count() as u32 / count,
            (_, parts) => able.fold(0, |chunks: u32, slot| chunks.saturating_add(slot.free / parts)),
        }
    }

    /// The lowest GPUs for `chunks` chunks, the whole of them; `None` if there are too few.
    pub fn lowest(&self, chunks: u32, count: u32, choice: GpuChoice) -> Option<Vec<HeldGpu>> {
        let mut missing = u64::from(chunks) * u64::from(count);
        let mut held = Vec::new();
        for (slot, state) in (0..).zip(self.0.iter()) {
            if missing == 0 {
                break;
            }
            if state.holds(choice) {
                let most = state.free.checked_div(choice.parts).unwrap_or(1);
                let taken = u64::from(most).min(missing);
                held.extend((0..taken).map(|_| HeldGpu { slot, parts: choice.parts }));
                missing -= taken;
            }
        }
        (missing == 0).then_some(held)
    }

    /// A job holds these from now on.
    ///
    /// # Panics
    /// If they are not free.
    pub fn take(&mut self, held: &[HeldGpu]) {
        let slots = Rc::make_mut(&mut self.0);
        for one in held {
            let slot = &mut slots[one.slot as usize];
            assert!(
                one.parts > 0 || slot.is_empty(),
                "a GPU is held whole only if no other job has any of it"
            );
            let parts = if one.parts == 0 { slot.parts } else { one.parts };
            slot.free = slot.free.checked_sub(parts).expect("a job gets parts of GPUs that are free");
        }
    }

    /// A job gives these back.
    pub fn give_back(&mut self, held: &[HeldGpu]) {
        let slots = Rc::make_mut(&mut self.0);
        for one in held {
            let slot = &mut slots[one.slot as usize];
            slot.free += if one.parts == 0 { slot.parts } else { one.parts };
        }
    }

    /// These are not free, as far as they were.
    pub fn withhold(&mut self, held: &[HeldGpu]) {
        if held.is_empty() {
            return;
        }
        let slots = Rc::make_mut(&mut self.0);
        for one in held {
            let slot = &mut slots[one.slot as usize];
            slot.free = if one.parts == 0 { 0 } else { slot.free.saturating_sub(one.parts) };
        }
    }

    /// Parts that are free both here and there, which are one node at two times.
    #[must_use]
    pub fn both(&self, other: &NodeGpus) -> NodeGpus {
        self.with(other, u32::min)
    }

    /// Parts that are free here and not there.
    #[must_use]
    pub fn beyond(&self, other: &NodeGpus) -> NodeGpus {
        self.with(other, u32::saturating_sub)
    }

    fn with(&self, other: &NodeGpus, free: impl Fn(u32, u32) -> u32) -> NodeGpus {
        if Rc::ptr_eq(&self.0, &other.0) && self.0.iter().all(|slot| free(slot.free, slot.free) == slot.free)
        {
            return self.clone();
        }
        let pairs = self.0.iter().zip(other.0.iter());
        NodeGpus(pairs.map(|(one, other)| Gpu { free: free(one.free, other.free), ..*one }).collect())
    }
}
