//! The GPUs of one node, each with the parts of it that are free.

use std::rc::Rc;

use crate::workload::resources::{
    GpuChoice, GpuGroup, GpuKind, Mig, MigProfile, MigSlice, PartsOf, gpu_unit,
};

/// All memory slices of a GPU.
const ALL_SLICES: u8 = u8::MAX;

/// A GPU of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Gpu {
    /// Kind of it.
    pub kind: GpuKind,
    /// Parts that it has; of one that is divided into instances its compute parts.
    pub parts: u32,
    /// Parts of them that are free; a GPU that is held whole has none.
    pub free: u32,
    /// Use of instances.
    pub mig: Mig,
    /// Memory slices that jobs hold, the lowest as the lowest bit, where it is divided.
    pub taken: u8,
}

impl Gpu {
    /// Free parts in common parts, of which a whole GPU has `common`.
    pub fn amount(&self, common: u64) -> u64 {
        u64::from(self.free) * self.unit(common)
    }

    /// A part of it in common parts.
    pub fn unit(&self, common: u64) -> u64 {
        gpu_unit(self.parts, self.mig, common)
    }

    /// Returns true if no job has any of it.
    pub fn is_empty(&self) -> bool {
        self.free == self.parts && self.taken == 0
    }

    /// Returns true if it may be given to a chunk that asks so: whole, or as many parts or an
    /// instance; some part of it, where the parts may be of several.
    pub fn holds(&self, choice: GpuChoice) -> bool {
        let is_divided = self.mig == Mig::AtStarts;
        let enough = match (choice.of, choice.parts) {
            (PartsOf::Instance(profile), _) => is_divided && self.instances(profile) > 0,
            (PartsOf::One, 0) => self.is_empty(),
            (PartsOf::One, parts) => !is_divided && self.free >= parts,
            (PartsOf::Several, _) => !is_divided && self.free > 0,
        };
        enough && self.kind.serves(choice.kind)
    }

    /// The memory slices with which an instance may begin now.
    pub fn starts(&self, profile: MigProfile) -> impl Iterator<Item = MigSlice> {
        let enough = self.free >= profile.sevenths();
        let taken = self.taken;
        let all = profile.starts().iter().map(move |&start| MigSlice { profile, start });
        all.filter(move |slice| enough && slice.mask() & taken == 0)
    }

    /// Number of instances of a profile that fit together.
    fn instances(&self, profile: MigProfile) -> u32 {
        (self.free / profile.sevenths()).min(self.starts(profile).count() as u32)
    }

    /// Chunks of this sort that it holds; of parts of several GPUs those parts that it has.
    fn most(&self, choice: GpuChoice) -> u32 {
        match choice.of {
            PartsOf::Instance(profile) => self.instances(profile),
            PartsOf::One => self.free.checked_div(choice.parts).unwrap_or(1),
            PartsOf::Several => self.free,
        }
    }

    fn take(&mut self, held: HeldGpu) {
        assert!(held.parts > 0 || self.is_empty(), "a GPU is held whole only if no other job has any of it");
        let parts = if held.parts == 0 { self.parts } else { held.parts };
        self.free = self.free.checked_sub(parts).expect("a job gets parts of GPUs that are free");
        let mask = held.mask(self.mig);
        assert!(self.taken & mask == 0, "a job gets memory slices that are free");
        self.taken |= mask;
    }
}

/// A GPU of a node that a job holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct HeldGpu {
    /// Place among the GPUs of the node.
    pub slot: u32,
    /// Parts that are held; 0 for all of it.
    pub parts: u32,
    /// The instance that they are, if they are one.
    pub slice: Option<MigSlice>,
}

impl HeldGpu {
    /// Parts that are no instance; 0 for all of it.
    pub fn parts(slot: u32, parts: u32) -> Self {
        HeldGpu { slot, parts, slice: None }
    }

    /// An instance.
    pub fn instance(slot: u32, slice: MigSlice) -> Self {
        HeldGpu { slot, parts: slice.profile.sevenths(), slice: Some(slice) }
    }

    /// Memory slices that are held.
    fn mask(&self, mig: Mig) -> u8 {
        let of_whole = if mig == Mig::AtStarts { ALL_SLICES } else { 0 };
        self.slice.map_or(of_whole, MigSlice::mask)
    }
}

/// The GPUs of a node, in order; copies are cheap until one of them changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeGpus(Rc<[Gpu]>);

impl NodeGpus {
    /// The GPUs of these groups, all free.
    pub fn new(groups: &[GpuGroup]) -> Self {
        let slots = groups.iter().flat_map(|group| {
            let GpuGroup { kind, parts, mig, .. } = *group;
            (0..group.count).map(move |_| Gpu { kind, parts, free: parts, mig, taken: 0 })
        });
        NodeGpus(slots.collect())
    }

    /// The GPUs.
    pub fn each(&self) -> &[Gpu] {
        &self.0
    }

    /// Number of chunks that ask for `count` GPUs so, and that fit together.
    pub fn chunks(&self, count: u32, choice: GpuChoice) -> u32 {
        if count == 0 {
            return u32::MAX;
        }
        let able = self.0.iter().filter(|slot| slot.holds(choice));
        let most = able.fold(0_u32, |most, slot| most.saturating_add(slot.most(choice)));
        match choice.of {
            PartsOf::Several => most / choice.parts,
            PartsOf::One | PartsOf::Instance(_) => most / count,
        }
    }

    /// The lowest GPUs for `chunks` chunks, the whole of them; `None` if there are too few.
    pub fn lowest(&self, chunks: u32, count: u32, choice: GpuChoice) -> Option<Vec<HeldGpu>> {
        let of_chunk = if choice.of == PartsOf::Several && count > 0 { choice.parts } else { count };
        let mut missing = u64::from(chunks) * u64::from(of_chunk);
        let mut held = Vec::new();
        for (slot, state) in (0..).zip(self.0.iter()) {
            if missing == 0 {
                break;
            }
            if !state.holds(choice) {
                continue;
            }
            let taken = u64::from(state.most(choice)).min(missing);
            missing -= taken;
            match choice.of {
                PartsOf::One => held.extend((0..taken).map(|_| HeldGpu::parts(slot, choice.parts))),
                PartsOf::Several => held.push(HeldGpu::parts(slot, taken as u32)),
                PartsOf::Instance(profile) => {
                    let starts = state.starts(profile).take(taken as usize);
                    held.extend(starts.map(|slice| HeldGpu::instance(slot, slice)));
                }
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
        held.iter().for_each(|one| slots[one.slot as usize].take(*one));
    }

    /// A job gives these back.
    pub fn give_back(&mut self, held: &[HeldGpu]) {
        let slots = Rc::make_mut(&mut self.0);
        for one in held {
            let slot = &mut slots[one.slot as usize];
            slot.free += if one.parts == 0 { slot.parts } else { one.parts };
            slot.taken &= !one.mask(slot.mig);
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
            slot.taken |= one.mask(slot.mig);
        }
    }

    /// Parts that are free both here and there, which are one node at two times.
    #[must_use]
    pub fn both(&self, other: &NodeGpus) -> NodeGpus {
        self.with(other, |one, other| (one.free.min(other.free), one.taken | other.taken))
    }

    /// Parts that are free here and not there.
    #[must_use]
    pub fn beyond(&self, other: &NodeGpus) -> NodeGpus {
        self.with(other, |one, other| (one.free.saturating_sub(other.free), one.taken | !other.taken))
    }

    fn with(&self, other: &NodeGpus, free: impl Fn(&Gpu, &Gpu) -> (u32, u8)) -> NodeGpus {
        let with = |one: &Gpu, other: &Gpu| {
            let (free, taken) = free(one, other);
            Gpu { free, taken: if one.mig == Mig::AtStarts { taken } else { 0 }, ..*one }
        };
        if Rc::ptr_eq(&self.0, &other.0) && self.0.iter().all(|slot| with(slot, slot) == *slot) {
            return self.clone();
        }
        NodeGpus(self.0.iter().zip(other.0.iter()).map(|(one, other)| with(one, other)).collect())
    }
}
