//! Features of nodes by name, and sets of them.
//!
//! A workload or a site has few different sets, however many jobs and nodes, so a set has a number
//! among those of its [`FeatureNames`]: demands and kinds of nodes are copied and compared at the
//! cost of a number, be their sets empty or of hundreds of features. A set lists its members in
//! order; one covers another if it holds all of its members.
//!
//! A type of GPU is a feature as well, `gpu:TYPE` ([`gpu_feature`]): a job that asks for it runs
//! only where nodes have it. A slice of a GPU (MIG) is a type of its own, named by the type of its
//! device and its size, as `a100_1g.5gb`. Sites that state no types have GPUs of any, and sites
//! that do not state a slice have whole devices for it ([`FeatureNames::served`]).

use crate::collections::OrderedMap;

/// Sign of the features that are types of GPUs.
const GPU: &str = "gpu:";

/// Name of the feature of nodes whose GPUs are of this type.
pub fn gpu_feature(kind: &str) -> String {
    format!("{GPU}{kind}")
}

/// The type of GPU that a feature is; `None` of another feature.
pub(super) fn gpu_type(feature: &str) -> Option<&str> {
    feature.strip_prefix(GPU)
}

/// The type of the whole device, of a type that is a slice of one (`a100_1g.5gb`); the name of a
/// slice may leave it out, and it is empty then.
pub fn whole_gpu(kind: &str) -> Option<&str> {
    let kind = kind.strip_suffix("+me").or_else(|| kind.strip_suffix(".me")).unwrap_or(kind);
    let digits =
        |text: &str| text.len() - text.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
    let parts = kind.strip_suffix("gb").or_else(|| kind.strip_suffix("GB"))?;
    let memory = digits(parts);
    let parts = parts[..parts.len() - memory].strip_suffix("g.").filter(|_| memory > 0)?;
    let size = digits(parts);
    (size > 0).then(|| parts[..parts.len() - size].trim_end_matches(['_', '-', '.', ':']))
}

/// Sign of features that are asked for only where some node has them.
const PERHAPS: &str = "?";

/// Name by which a job asks for a feature that counts only if some node has it: logs give queues
/// and properties of nodes one place.
pub fn perhaps(name: &str) -> String {
    format!("{PERHAPS}{name}")
}

/// Feature of nodes that serves in place of one that jobs ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServedBy<'a> {
    /// The very same.
    Itself,
    /// Nodes state no slices of GPUs: the whole device that this feature names.
    Whole(&'a str),
    /// Nodes state no types of GPUs, or a slice does not state its own: any GPU.
    AnyGpu,
    /// The feature that this names, where some node has it.
    Named(&'a str),
    /// Nothing: no node has it, and it need not be.
    Nothing,
}

/// A set of features that a node has, or that a job asks for; its members are known to the
/// [`FeatureNames`] that made it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Features(u32);

impl Features {
    /// The empty set.
    pub const NONE: Features = Features(0);

    /// Number of the set, from 0 for the empty one.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Features by name, and sets of them; any number of either.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FeatureNames {
    /// Names in the order in which they were taken in.
    names: Vec<String>,
    places: OrderedMap<String, u32>,
    /// Members of each set but the empty one, in order.
    sets: Vec<Box<[u32]>>,
    numbers: OrderedMap<Box<[u32]>, Features>,
}

impl FeatureNames {
    /// The set of one feature, which is taken in if it is new.
    pub fn take_in(&mut self, name: &str) -> Features {
        let place = self.place(name);
        self.set(vec![place])
    }

    /// The set of the features of these names, which are taken in if they are new.
    pub fn take_in_all<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) -> Features {
        let mut members: Vec<u32> = names.into_iter().map(|name| self.place(name)).collect();
        members.sort_unstable();
        members.dedup();
        self.set(members)
    }

    fn place(&mut self, name: &str) -> u32 {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let place = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        // a feature is a set of one, found by its name
        self.set(vec![place]);
        place
    }

    /// The set of one feature, if it was taken in.
    pub fn find(&self, name: &str) -> Option<Features> {
        let place: &[u32] = &[*self.places.get(name)?];
        self.numbers.get(place).copied()
    }

    /// The set of the members of either.
    pub fn union(&mut self, one: Features, other: Features) -> Features {
        if one == other || other == Features::NONE {
            return one;
        }
        let mut members = [self.members(one), self.members(other)].concat();
        members.sort_unstable();
        members.dedup();
        self.set(members)
    }

    /// Returns true if all features of `wanted` are in `had`.
    pub fn cover(&self, had: Features, wanted: Features) -> bool {
        let mut had = self.members(had).iter();
        self.members(wanted).iter().all(|one| had.by_ref().find(|other| *other >= one) == Some(one))
    }

    /// The names of a set, in the order in which they were taken in.
    pub fn names_of(&self, features: Features) -> impl Iterator<Item = &str> {
        self.members(features).iter().map(|&place| self.names[place as usize].as_str())
    }

    /// Feature of nodes with these names that serves a job which asks for one; `None` if none does.
    pub fn served(&self, wanted: &str) -> Option<ServedBy<'_>> {
        if self.places.contains_key(wanted) {
            return Some(ServedBy::Itself);
        }
        if let Some(name) = wanted.strip_prefix(PERHAPS) {
            let place = self.places.get(name).map(|&place| self.names[place as usize].as_str());
            return Some(place.map_or(ServedBy::Nothing, ServedBy::Named));
        }
        let kind = wanted.strip_prefix(GPU)?;
        if !self.names.iter().any(|name| name.starts_with(GPU)) {
            return Some(ServedBy::AnyGpu);
        }
        match whole_gpu(kind)? {
            "" => Some(ServedBy::AnyGpu),
            whole => {
                let place = *self.places.get(&gpu_feature(whole))?;
                Some(ServedBy::Whole(&self.names[place as usize]))
            }
        }
    }

    /// All names, in the order in which they were taken in.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// All sets, the empty one first.
    pub fn sets(&self) -> impl Iterator<Item = Features> + use<> {
        (0..=self.sets.len() as u32).map(Features)
    }

    fn members(&self, features: Features) -> &[u32] {
        features.index().checked_sub(1).map_or(&[], |place| &*self.sets[place])
    }

    /// The number of a set of these members, which are in order.
    fn set(&mut self, members: Vec<u32>) -> Features {
        if members.is_empty() {
            return Features::NONE;
        }
        if let Some(&known) = self.numbers.get(members.as_slice()) {
            return known;
        }
        self.sets.push(members.clone().into());
        let number = Features(self.sets.len() as u32);
        self.numbers.insert(members.into(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::collections::OrderedSet;

    #[test]
    fn sets_have_one_number_and_cover_their_parts() {
        let mut names = FeatureNames::default();
        let (fast, wide) = (names.take_in("fast"), names.take_in("wide"));
        assert_eq!((names.take_in("fast"), names.find("none"), names.find("wide")), (fast, None, Some(wide)));
        let both = names.union(wide, fast);
        assert_eq!((names.union(fast, wide), names.take_in_all(["fast", "wide", "fast"])), (both, both));
        assert_eq!((names.union(both, Features::NONE), names.union(Features::NONE, both)), (both, both));
        assert!(names.cover(both, wide) && !names.cover(fast, both) && names.cover(fast, Features::NONE));
        assert!(!names.cover(Features::NONE, fast));
        assert_eq!(names.names_of(both).collect::<Vec<_>>(), ["fast", "wide"]);
        assert_eq!(names.sets().collect::<Vec<_>>(), [Features::NONE, fast, wide, both]);
        assert_eq!(names.take_in_all([]), Features::NONE);
    }

    #[test]
    fn there_is_no_greatest_number_of_features() {
        let mut names = FeatureNames::default();
        let many: Vec<String> = (0..300).map(|number| format!("feature-{number}")).collect();
        let all = names.take_in_all(many.iter().map(String::as_str));
        let (last, first) = (names.find("feature-299"), names.find("feature-0"));
        assert!(last.is_some_and(|last| names.cover(all, last)) && last != first);
        assert_eq!(names.names_of(all).count(), 300);
    }

    #[test]
    fn slices_of_gpus_are_known_by_their_names() {
        let slices = ["a100_1g.5gb", "h100-3g.40gb", "nvidia_a100_1g.5gb+me", "1g.10gb", "a30_2g.12GB.me"];
        let whole = slices.map(whole_gpu);
        assert_eq!(whole, [Some("a100"), Some("h100"), Some("nvidia_a100"), Some(""), Some("a30")]);
        for whole in ["a100", "h100", "80gb", "a100_80gb", "g.5gb", "a100_1g.gb", "1g5gb", "", "é"] {
            assert_eq!(whole_gpu(whole), None, "{whole}");
        }
    }

    #[test]
    fn a_type_of_gpu_is_served_by_itself_and_by_others_only_where_nodes_do_not_say() {
        let mut names = FeatureNames::default();
        names.take_in("fast");
        let served = |names: &FeatureNames, wanted: &str| {
            names.served(wanted).map(|served| match served {
                ServedBy::Itself => "itself".to_owned(),
                ServedBy::Whole(name) => name.to_owned(),
                ServedBy::AnyGpu => "any".to_owned(),
                ServedBy::Named(name) => format!("named {name}"),
                ServedBy::Nothing => "nothing".to_owned(),
            })
        };
        let found = ["fast", "slow", "gpu:h100", "gpu:h100_1g.10gb"].map(|wanted| served(&names, wanted));
        assert_eq!(found.map(Option::unwrap_or_default), ["itself", "", "any", "any"]);
        let found = ["?fast", "?slow"].map(|wanted| served(&names, wanted).unwrap_or_default());
        assert_eq!(found, ["named fast", "nothing"]);
        names.take_in("gpu:a100");
        let wanted = ["gpu:h100", "gpu:a100", "gpu:a100_1g.5gb", "gpu:h100_1g.10gb", "gpu:1g.5gb"];
        let found = wanted.map(|wanted| served(&names, wanted).unwrap_or_default());
        assert_eq!(found, ["", "itself", "gpu:a100", "", "any"]);
        names.take_in("gpu:a100_1g.5gb");
        assert_eq!(names.served("gpu:a100_1g.5gb"), Some(ServedBy::Itself));
    }

    /// Sets of names as strings, which need no numbers.
    fn plain(members: &[u8]) -> OrderedSet<String> {
        members.iter().map(u8::to_string).collect()
    }

    proptest! {
        #[test]
        fn they_are_what_sets_of_names_are(
            sets in prop::collection::vec(prop::collection::vec(0_u8..90, 0..12), 1..12),
        ) {
            let mut names = FeatureNames::default();
            let numbers: Vec<Features> = sets.iter().map(|members| {
                let members: Vec<String> = members.iter().map(u8::to_string).collect();
                names.take_in_all(members.iter().map(String::as_str))
            }).collect();
            let plain: Vec<OrderedSet<String>> = sets.iter().map(|members| plain(members)).collect();
            for (one, number) in plain.iter().zip(&numbers) {
                let found: OrderedSet<String> = names.names_of(*number).map(str::to_owned).collect();
                prop_assert!(found.iter().eq(one.iter()));
                for (other, wanted) in plain.iter().zip(&numbers) {
                    let covers = other.iter().all(|name| one.contains(name));
                    prop_assert_eq!(names.cover(*number, *wanted), covers);
                    prop_assert_eq!(number == wanted, one.iter().eq(other.iter()));
                    let both = names.union(*number, *wanted);
                    prop_assert!(names.cover(both, *number) && names.cover(both, *wanted));
                    let count = one.iter().chain(other.iter()).collect::<OrderedSet<_>>().len();
                    prop_assert_eq!(names.names_of(both).count(), count);
                }
            }
        }
    }
}
