//! GPUs of nodes as devices: kinds, whole ones and parts, and their shares in the hands of jobs.
//!
//! A GPU is of a kind, a property of the device and not of its node, and has parts, equal shares of
//! it (Slurm's shards, per cents of MPS). A chunk asks for whole GPUs or for parts of one; a GPU is
//! held whole or in parts, never both. Nodes that state a plain number have GPUs of one part and of
//! no kind. GPUs are distinguished only where kinds or parts are stated or asked for
//! ([`Resources::distinguishes_gpus`](super::Resources::distinguishes_gpus)); elsewhere they are
//! counted.

use std::fmt;

use super::mig::{Mig, MigProfile, MigSlice, SEVENTHS};

/// Kind of a GPU, numbered by [`Nodes`](super::Nodes); the default has no name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct GpuKind(pub(super) u16);

impl GpuKind {
    /// The kind without a name; of a demand, any kind.
    pub const ANY: GpuKind = GpuKind(0);

    /// Returns true if a GPU of this kind serves a job that asks for the kind `asked`: its own, or
    /// any.
    pub fn serves(self, asked: GpuKind) -> bool {
        asked == GpuKind::ANY || self == asked
    }
}

/// GPUs of a node that are alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GpuGroup {
    /// Kind of each.
    pub kind: GpuKind,
    /// Number of them.
    pub count: u32,
    /// Parts of each; above zero.
    pub parts: u32,
    /// Use of instances.
    pub mig: Mig,
}

impl GpuGroup {
    /// GPUs without instances.
    pub const fn plain(kind: GpuKind, count: u32, parts: u32) -> Self {
        GpuGroup { kind, count, parts, mig: Mig::Never }
    }

    /// A part of one in common parts, of which a whole GPU has `common`.
    pub fn unit(&self, common: u64) -> u64 {
        unit(self.parts, self.mig, common)
    }
}

/// A part of a GPU in common parts, of which a whole GPU has `common`.
pub fn unit(parts: u32, mig: Mig, common: u64) -> u64 {
    common * u64::from(mig.sevenths()) / (u64::from(parts) * u64::from(SEVENTHS))
}

/// The GPUs that serve a chunk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct GpuChoice {
    /// Kind asked for; the default is any.
    pub kind: GpuKind,
    /// Parts asked for; 0 for whole ones, of an instance its compute parts.
    pub parts: u32,
    /// The parts of a GPU that these are.
    pub of: PartsOf,
}

/// Parts of GPUs that a chunk asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum PartsOf {
    /// Equal ones, all of one GPU.
    #[default]
    One,
    /// Equal ones of one GPU or of several, device by device.
    Several,
    /// An instance of this profile.
    Instance(MigProfile),
}

impl GpuChoice {
    /// Parts of one GPU of a kind; 0 for a whole one.
    pub const fn parts(kind: GpuKind, parts: u32) -> Self {
        GpuChoice { kind, parts, of: PartsOf::One }
    }

    /// An instance on a GPU of a kind.
    pub const fn instance(kind: GpuKind, profile: MigProfile) -> Self {
        GpuChoice { kind, parts: profile.sevenths(), of: PartsOf::Instance(profile) }
    }
}

/// GPUs of one number after the other that a job holds in the same way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GpuShare {
    /// The first, counted through all nodes.
    pub first: u64,
    /// The last.
    pub last: u64,
    /// Parts held of each; 0 if it is held whole.
    pub parts: u32,
    /// The instance that they are, if they are one.
    pub slice: Option<MigSlice>,
}

impl GpuShare {
    /// Appends one GPU to shares in order, joined with the last if they are neighbours held whole.
    pub fn append(shares: &mut Vec<GpuShare>, gpu: u64, parts: u32, slice: Option<MigSlice>) {
        match shares.last_mut() {
            Some(last) if parts == 0 && last.parts == 0 && last.last + 1 == gpu => last.last = gpu,
            _ => shares.push(GpuShare { first: gpu, last: gpu, parts, slice }),
        }
    }

    /// Reads shares as [`GpuShare`] displays them, with blanks between; `None` if a share is none.
    pub fn parse_all(text: &str) -> Option<Vec<GpuShare>> {
        text.split_ascii_whitespace().map(Self::parse).collect()
    }

    fn parse(text: &str) -> Option<GpuShare> {
        let (gpus, parts, slice) = match text.split_once(':') {
            Some((gpus, slice)) if slice.contains('@') => {
                let slice = MigSlice::parse(slice)?;
                (gpus, slice.profile.sevenths(), Some(slice))
            }
            Some((gpus, parts)) => (gpus, parts.parse().ok().filter(|&parts| parts > 0)?, None),
            None => (text, 0, None),
        };
        let (first, last) = gpus.split_once('-').unwrap_or((gpus, gpus));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some(GpuShare { first, last, parts, slice })
    }
}

impl fmt::Display for GpuShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        if self.last > self.first {
            write!(f, "-{}", self.last)?;
        }
        match self.slice {
            Some(slice) => write!(f, ":{slice}"),
            None if self.parts > 0 => write!(f, ":{}", self.parts),
            None => Ok(()),
        }
    }
}

/// The GPUs of a site where its nodes list them, kind of nodes by kind of nodes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GpuLists {
    names: Vec<String>,
    /// Of each kind of nodes; empty if no node lists any.
    of_nodes: Vec<Vec<GpuGroup>>,
}

impl GpuLists {
    /// The kind of this name, which is taken in if it is new; `None` if there are 65,535 others.
    pub fn kind(&mut self, name: &str) -> Option<GpuKind> {
        let known = self.names.iter().position(|known| known == name);
        let place = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        u16::try_from(place + 1).ok().map(GpuKind)
    }

    /// The GPUs that a name asks for: those of this kind, or instances on those of the kind that it
    /// begins with, if nodes divide such. As [`GpuLists::kind`].
    pub fn choice(&mut self, name: &str) -> Option<GpuChoice> {
        let divided = |kind: &str| {
            let place = self.names.iter().position(|known| known == kind)?;
            let groups =
                || self.of_nodes.iter().flatten().filter(move |group| usize::from(group.kind.0) == place + 1);
            groups().find(|group| group.mig == Mig::AtStarts).map(|group| group.kind)
        };
        let found = MigProfile::of_kind(name).filter(|_| !self.names.iter().any(|known| known == name));
        match found.and_then(|(kind, profile)| Some((divided(kind)?, profile))) {
            Some((kind, profile)) => Some(GpuChoice::instance(kind, profile)),
            None => self.kind(name).map(|kind| GpuChoice::parts(kind, 0)),
        }
    }

    /// The kind of this name, if nodes list GPUs of it.
    pub fn listed(&self, name: &str) -> Option<GpuKind> {
        let listed = |kind: GpuKind| self.of_nodes.iter().flatten().any(|group| group.kind == kind);
        let place = self.names.iter().position(|known| known == name)?;
        u16::try_from(place + 1).ok().map(GpuKind).filter(|&kind| listed(kind))
    }

    /// Returns true if nodes list GPUs by kind.
    pub fn state_kinds(&self) -> bool {
        self.of_nodes.iter().flatten().any(|group| group.kind != GpuKind::ANY)
    }

    /// Returns true if nodes list GPUs that serve this kind and have equal parts.
    pub fn have_parts(&self, kind: GpuKind) -> bool {
        let have =
            |group: &GpuGroup| group.parts > 1 && group.mig != Mig::AtStarts && group.kind.serves(kind);
        self.of_nodes.iter().flatten().any(have)
    }

    /// Name of a kind; `None` of the one without.
    pub fn name(&self, kind: GpuKind) -> Option<&str> {
        usize::from(kind.0).checked_sub(1).map(|place| self.names[place].as_str())
    }

    /// The lists of the kinds of nodes, in their order.
    pub fn set(&mut self, of_nodes: Vec<Vec<GpuGroup>>) {
        self.of_nodes = of_nodes;
    }

    /// Least number of which the parts of every GPU are a divisor, where instances are made
    /// beforehand also seven times their parts.
    pub fn common_parts(&self) -> u64 {
        let divisor = |mut one: u64, mut other: u64| {
            while other > 0 {
                (one, other) = (other, one % other);
            }
            one
        };
        let parts = self.of_nodes.iter().flatten().map(|gpus| {
            let sevenths = if gpus.mig.sevenths() < SEVENTHS { SEVENTHS } else { 1 };
            u64::from(gpus.parts) * u64::from(sevenths)
        });
        parts.fold(1, |all, parts| (all / divisor(all, parts)).saturating_mul(parts))
    }

    /// Returns true if some node lists GPUs.
    pub fn are_there(&self) -> bool {
        !self.of_nodes.is_empty()
    }

    /// The GPUs of a kind of nodes, the place-th, whose number of GPUs is `count`.
    pub(super) fn groups(&self, place: usize, count: u32) -> Vec<GpuGroup> {
        let plain = || vec![GpuGroup::plain(GpuKind::ANY, count, 1)];
        self.of_nodes.get(place).cloned().unwrap_or_else(|| if count > 0 { plain() } else { Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_they_are_written() {
        let mut shares = Vec::new();
        let slice = MigSlice { profile: MigProfile::Three, start: 4 };
        for (gpu, parts) in [(3, 0), (4, 0), (6, 0), (7, 500), (7, 250), (8, 0)] {
            GpuShare::append(&mut shares, gpu, parts, None);
        }
        GpuShare::append(&mut shares, 9, 3, Some(slice));
        let text = shares.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(text, "3-4 6 7:500 7:250 8 9:3g@4");
        assert_eq!(GpuShare::parse_all(&text), Some(shares));
        for bad in ["x", "5-4", "1:0", "1:", "-1", "1-"] {
            assert_eq!(GpuShare::parse_all(bad), None, "{bad}");
        }
    }

    #[test]
    fn instances_are_asked_for_by_the_kind_that_is_divided() {
        let mut lists = GpuLists::default();
        let [whole, made] = ["a100", "a100-2g.20gb"].map(|name| lists.kind(name).expect("few"));
        let divided = GpuGroup { mig: Mig::AtStarts, ..GpuGroup::plain(whole, 2, 7) };
        let made_before = GpuGroup { mig: Mig::Beforehand(MigProfile::Two), ..GpuGroup::plain(made, 1, 2) };
        lists.set(vec![vec![divided, made_before]]);
        assert_eq!(lists.choice("a100_3g.20gb"), Some(GpuChoice::instance(whole, MigProfile::Three)));
        assert_eq!(lists.choice("a100-2g.20gb"), Some(GpuChoice::parts(made, 0)));
        assert_eq!(lists.choice("a100"), Some(GpuChoice::parts(whole, 0)));
        let other = lists.choice("h100-3g.40gb").expect("few").kind;
        assert_eq!(lists.name(other), Some("h100-3g.40gb"));
        // of 14 common parts a divided GPU has 14, a half of the instance has 2 of its 4
        assert_eq!((lists.common_parts(), divided.unit(14), made_before.unit(14)), (14, 2, 2));
    }

    #[test]
    fn kinds_have_numbers_by_name_and_serve_their_own_and_any() {
        let mut lists = GpuLists::default();
        let [old, new, again] = ["a100", "h100", "a100"].map(|name| lists.kind(name).expect("few"));
        assert_eq!((old, lists.name(new), lists.name(GpuKind::default())), (again, Some("h100"), None));
        assert!(old.serves(old) && old.serves(GpuKind::default()) && !old.serves(new));
        assert!(GpuKind::default().serves(GpuKind::default()) && !GpuKind::default().serves(old));
    }
}
