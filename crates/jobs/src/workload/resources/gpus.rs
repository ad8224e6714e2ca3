//! GPUs of nodes as devices: kinds, whole ones and parts, and their shares in the hands of jobs.
//!
//! A GPU is of a kind, a property of the device and not of its node, and has parts, equal shares of
//! it (Slurm's shards, per cents of MPS). A chunk asks for whole GPUs or for parts of one; a GPU is
//! held whole or in parts, never both. Nodes that state a plain number have GPUs of one part and of
//! no kind. GPUs are distinguished only where kinds or parts are stated or asked for
//! ([`Resources::distinguishes_gpus`](super::Resources::distinguishes_gpus)); elsewhere they are
//! counted.

use std::fmt;

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
}

/// The GPUs that serve a chunk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct GpuChoice {
    /// Kind asked for; the default is any.
    pub kind: GpuKind,
    /// Parts asked for of one GPU; 0 for whole ones.
    pub parts: u32,
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
}

impl GpuShare {
    /// Appends one GPU to shares in order, joined with the last if they are neighbours held whole.
    pub fn append(shares: &mut Vec<GpuShare>, gpu: u64, parts: u32) {
        match shares.last_mut() {
            Some(last) if parts == 0 && last.parts == 0 && last.last + 1 == gpu => last.last = gpu,
            _ => shares.push(GpuShare { first: gpu, last: gpu, parts }),
        }
    }

    /// Reads shares as [`GpuShare`] displays them, with blanks between; `None` if a share is none.
    pub fn parse_all(text: &str) -> Option<Vec<GpuShare>> {
        text.split_ascii_whitespace().map(Self::parse).collect()
    }

    fn parse(text: &str) -> Option<GpuShare> {
        let (gpus, parts) = match text.split_once(':') {
            Some((gpus, parts)) => (gpus, parts.parse().ok().filter(|&parts| parts > 0)?),
            None => (text, 0),
        };
        let (first, last) = gpus.split_once('-').unwrap_or((gpus, gpus));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some(GpuShare { first, last, parts })
    }
}

impl fmt::Display for GpuShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        if self.last > self.first {
            write!(f, "-{}", self.last)?;
        }
        if self.parts > 0 {
            write!(f, ":{}", self.parts)?;
        }
        Ok(())
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

    /// Name of a kind; `None` of the one without.
    pub fn name(&self, kind: GpuKind) -> Option<&str> {
        usize::from(kind.0).checked_sub(1).map(|place| self.names[place].as_str())
    }

    /// The lists of the kinds of nodes, in their order.
    pub fn set(&mut self, of_nodes: Vec<Vec<GpuGroup>>) {
        self.of_nodes = of_nodes;
    }

    /// Least number of which the parts of every GPU are a divisor.
    pub fn common_parts(&self) -> u64 {
        let divisor = |mut one: u64, mut other: u64| {
            while other > 0 {
                (one, other) = (other, one % other);
            }
            one
        };
        let parts = self.of_nodes.iter().flatten().map(|gpus| u64::from(gpus.parts));
        parts.fold(1, |all, parts| (all / divisor(all, parts)).saturating_mul(parts))
    }

    /// Returns true if some node lists GPUs.
    pub fn are_there(&self) -> bool {
        !self.of_nodes.is_empty()
    }

    /// The GPUs of a kind of nodes, the place-th, whose number of GPUs is `count`.
    pub(super) fn groups(&self, place: usize, count: u32) -> Vec<GpuGroup> {
        let plain = || vec![GpuGroup { kind: GpuKind::default(), count, parts: 1 }];
        self.of_nodes.get(place).cloned().unwrap_or_else(|| if count > 0 { plain() } else { Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_as_they_are_written() {
        let mut shares = Vec::new();
        for (gpu, parts) in [(3, 0), (4, 0), (6, 0), (7, 500), (7, 250), (8, 0)] {
            GpuShare::append(&mut shares, gpu, parts);
        }
        let text = shares.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(text, "3-4 6 7:500 7:250 8");
        assert_eq!(GpuShare::parse_all(&text), Some(shares));
        for bad in ["x", "5-4", "1:0", "1:", "-1", "1-"] {
            assert_eq!(GpuShare::parse_all(bad), None, "{bad}");
        }
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
