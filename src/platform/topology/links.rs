//! The links of a platform by number, and their names.
//!
//! A mesh has a link for each two of its hosts, which are alike, and whose names follow from the
//! two: such links are one stretch of numbers that holds one link and one name. Once a link of a
//! stretch differs from the others all of them are kept.

use std::borrow::Cow;
use std::ops::Index;
use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::platform::error::PlatformError;
use crate::platform::links::Link;
use crate::platform::sharing::LinkId;

/// Numbers of items that are one item.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stretch {
    first: u32,
    count: u32,
    /// The place of the item.
    place: u32,
}

/// Items by number, stretches of which are kept once.
#[derive(Clone, Debug, PartialEq)]
struct Stretches<T> {
    items: Vec<T>,
    stretches: Vec<Stretch>,
}

impl<T> Default for Stretches<T> {
    fn default() -> Self {
        Stretches { items: Vec::new(), stretches: Vec::new() }
    }
}

impl<T> Stretches<T> {
    fn len(&self) -> usize {
        let beyond: usize = self.stretches.iter().map(|stretch| stretch.count as usize - 1).sum();
        self.items.len() + beyond
    }

    fn push_stretch(&mut self, item: T, count: u32) {
        let (first, place) = (self.len() as u32, self.items.len() as u32);
        self.stretches.push(Stretch { first, count, place });
        self.items.push(item);
    }

    /// The stretch that a number lies in, or the last one before it.
    fn stretch(&self, number: u32) -> Option<usize> {
        self.stretches.partition_point(|stretch| stretch.first <= number).checked_sub(1)
    }

    /// Place of the item, and the stretch that it stands for, if it does.
    fn place(&self, number: usize) -> (usize, Option<usize>) {
        let Some(at) = self.stretch(number as u32) else { return (number, None) };
        let Stretch { first, count, place } = self.stretches[at];
        match number - first as usize {
            within if within < count as usize => (place as usize, Some(at)),
            within => (place as usize + 1 + within - count as usize, None),
        }
    }

    fn get(&self, number: usize) -> &T {
        if self.stretches.is_empty() {
            return &self.items[number];
        }
        &self.items[self.place(number).0]
    }
}

impl<T: Clone> Stretches<T> {
    /// Keeps each item for itself.
    fn spread(&mut self) {
        if self.stretches.is_empty() {
            return;
        }
        self.items = (0..self.len()).map(|number| self.get(number).clone()).collect();
        self.stretches.clear();
    }
}

/// The names of a stretch of links between each two of `hosts` hosts.
#[derive(Clone, Copy, Debug)]
struct PairNames {
    hosts: u32,
    /// Links of a pair: 1, or 2 if there is one for each direction.
    width: u32,
}

impl PairNames {
    /// The two numbers of the link at this place.
    fn ends(self, at: u32) -> (u32, u32) {
        let [pair, hosts] = [at / self.width, self.hosts].map(u64::from);
        // the pairs before those of `low`
        let before = |low: u64| low * (2 * hosts - low - 1) / 2;
        let (mut low, mut beyond) = (0, hosts);
        while beyond - low > 1 {
            let middle = low.midpoint(beyond);
            if before(middle) <= pair { low = middle } else { beyond = middle }
        }
        let ends = (low as u32, (low + 1 + pair - before(low)) as u32);
        if at.is_multiple_of(self.width) { ends } else { (ends.1, ends.0) }
    }

    /// The place of the link of these ends.
    fn place(self, (from, to): (u32, u32)) -> Option<u32> {
        let [low, high] = [from.min(to), from.max(to)].map(u64::from);
        if low == high || high >= self.hosts.into() || (from > to && self.width == 1) {
            return None;
        }
        let pair = low * (2 * u64::from(self.hosts) - low - 1) / 2 + high - low - 1;
        Some(pair as u32 * self.width + u32::from(from > to))
    }
}

/// The words in the names of a stretch between the name of the cluster and the numbers.
const FROM: &str = "_link_from_";
const TO: &str = "_to_";

/// The name of the cluster and the two numbers of a name of a stretch.
fn parts(name: &str) -> Option<(&str, (u32, u32))> {
    let (rest, to) = name.rsplit_once(TO)?;
    let (cluster, from) = rest.rsplit_once(FROM)?;
    let number = |text: &str| text.parse().ok().filter(|number: &u32| number.to_string() == text);
    Some((cluster, (number(from)?, number(to)?)))
}

/// The links of a platform, by number.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_field_names, reason = "they are the links")]
pub struct Links {
    links: Stretches<Link>,
    /// Of a stretch the name of its cluster.
    names: Stretches<Arc<str>>,
    /// By stretch of names.
    pairs: Vec<PairNames>,
    by_name: OrderedMap<Arc<str>, LinkId>,
    /// Of each of the two links of a split link, the other, where both have names of their own.
    twins: OrderedMap<LinkId, LinkId>,
}

impl Links {
    /// Number of links.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The links in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Link> + Clone {
        (0..self.len()).map(|number| self.links.get(number))
    }

    /// The links that differ from the one before: all there are, those that are alike once.
    pub(in crate::platform) fn kept(&self) -> &[Link] {
        &self.links.items
    }

    pub(super) fn name(&self, id: LinkId) -> Cow<'_, str> {
        match self.names.place(id.index()) {
            (place, None) => Cow::Borrowed(&self.names.items[place]),
            (place, Some(stretch)) => {
                let at = id.index() as u32 - self.names.stretches[stretch].first;
                let (from, to) = self.pairs[stretch].ends(at);
                Cow::Owned(format!("{}{FROM}{from}{TO}{to}", self.names.items[place]))
            }
        }
    }

    pub(super) fn named(&self, name: &str) -> Option<LinkId> {
        self.by_name.get(name).copied().or_else(|| {
            if self.pairs.is_empty() {
                return None;
            }
            let (cluster, ends) = parts(name)?;
            let mut stretches = self.names.stretches.iter().zip(&self.pairs);
            let (stretch, pairs) =
                stretches.find(|(stretch, _)| *self.names.items[stretch.place as usize] == *cluster)?;
            Some(LinkId::new(stretch.first + pairs.place(ends)?))
        })
    }

    /// At most `most` names, for messages.
    pub(in crate::platform) fn some_names(&self, most: usize) -> Vec<String> {
        self.by_name.keys().take(most).map(ToString::to_string).collect()
    }

    /// Adds a link of a name that is free.
    pub(super) fn add(&mut self, name: String, link: Link) -> LinkId {
        let (name, id): (Arc<str>, _) = (name.into(), LinkId::new(self.len() as u32));
        self.by_name.insert(Arc::clone(&name), id);
        self.names.items.push(name);
        self.links.items.push(link);
        id
    }

    /// Notes that two links are the directions of one.
    pub(super) fn join(&mut self, up: LinkId, down: LinkId) {
        self.twins.insert(up, down);
        self.twins.insert(down, up);
    }

    /// The other direction's link of a split link.
    pub(super) fn twin(&self, link: LinkId) -> Option<LinkId> {
        if let (_, Some(stretch)) = self.names.place(link.index()) {
            let at = link.index() as u32 - self.names.stretches[stretch].first;
            let is_split = self.pairs[stretch].width == 2;
            return is_split.then(|| LinkId::new(self.names.stretches[stretch].first + (at ^ 1)));
        }
        self.twins.get(&link).copied()
    }

    /// Adds links between each two of `hosts` hosts, or two of them that are split.
    ///
    /// # Errors
    /// A link has such a name already, or the numbers of the link are none.
    pub(super) fn add_pairs(
        &mut self,
        cluster: &str,
        hosts: u32,
        width: u32,
        link: Link,
    ) -> Result<(), PlatformError> {
        let pairs = PairNames { hosts, width };
        let taken = |name: &&Arc<str>| {
            parts(name).is_some_and(|(of, ends)| of == cluster && pairs.place(ends).is_some())
        };
        if let Some(name) = self.by_name.keys().find(taken) {
            return Err(PlatformError::Twice(name.to_string()));
        }
        let count = hosts * hosts.saturating_sub(1) / 2 * width;
        if count > 0 {
            link.check(&format!("{cluster}{FROM}0{TO}1"))?;
            self.names.push_stretch(cluster.into(), count);
            self.links.push_stretch(link, count);
            self.pairs.push(pairs);
        }
        Ok(())
    }

    /// Changes links, each for itself, in the order of their numbers.
    ///
    /// # Errors
    /// The first of `change`.
    pub(in crate::platform) fn change<E>(
        &mut self,
        mut change: impl FnMut(&str, &mut Link) -> Result<(), E>,
    ) -> Result<(), E> {
        self.links.spread();
        let mut links = std::mem::take(&mut self.links.items);
        let mut numbered = (0..).zip(&mut links);
        let changed = numbered.try_for_each(|(number, link)| change(&self.name(LinkId::new(number)), link));
        self.links.items = links;
        changed
    }

    /// The link of this number, to be changed.
    pub(in crate::platform) fn get_mut(&mut self, id: LinkId) -> &mut Link {
        self.links.spread();
        &mut self.links.items[id.index()]
    }
}

impl Index<usize> for Links {
    type Output = Link;

    fn index(&self, number: usize) -> &Link {
        self.links.get(number)
    }
}

/// The same links, whatever they are called.
impl PartialEq for Links {
    fn eq(&self, other: &Links) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(hosts: u32, width: u32) -> Links {
        let mut links = Links::default();
        links.add("first".to_owned(), Link::new(1.0, 0.0));
        links.add_pairs("m", hosts, width, Link::new(2.0, 0.0)).expect("free names");
        links.add("last".to_owned(), Link::new(3.0, 0.0));
        links
    }

    #[test]
    fn names_of_pairs_are_found_as_they_are_made() {
        for (hosts, width) in [(2, 1), (2, 2), (7, 1), (7, 2), (40, 2)] {
            let links = mesh(hosts, width);
            assert_eq!(links.len(), (hosts * (hosts - 1) / 2 * width) as usize + 2);
            for (number, link) in (0..).zip(links.iter()) {
                let id = LinkId::new(number);
                assert_eq!(links.named(&links.name(id)), Some(id), "{}", links.name(id));
                let bandwidth = match number {
                    0 => 1.0,
                    _ if id.index() + 1 == links.len() => 3.0,
                    _ => 2.0,
                };
                assert_eq!(*link, Link::new(bandwidth, 0.0));
                let twin = links.twin(id).map(|twin| links.name(twin).into_owned());
                let ends = parts(&links.name(id)).filter(|_| width == 2).map(|(_, ends)| ends);
                assert_eq!(twin, ends.map(|(from, to)| format!("m_link_from_{to}_to_{from}")));
            }
        }
        let links = mesh(4, 2);
        assert_eq!(links.name(LinkId::new(1)), "m_link_from_0_to_1");
        assert_eq!(links.name(LinkId::new(2)), "m_link_from_1_to_0");
        for other in ["m_link_from_0_to_4", "m_link_from_1_to_1", "m_link_from_01_to_2", "n_link_from_0_to_1"]
        {
            assert_eq!(links.named(other), None, "{other}");
        }
        assert_eq!(mesh(4, 1).named("m_link_from_1_to_0"), None);
        assert_eq!(mesh(1, 2).len(), 2);
    }

    #[test]
    fn a_name_is_free_once_and_a_changed_link_differs_from_the_others() {
        let mut links = mesh(3, 2);
        let twice = links.add_pairs("m", 2, 2, Link::new(1.0, 0.0));
        assert!(twice.is_ok(), "clusters have names of their own");
        links.add("n_link_from_2_to_1".to_owned(), Link::new(1.0, 0.0));
        let taken = links.add_pairs("n", 3, 2, Link::new(1.0, 0.0));
        assert_eq!(taken, Err(PlatformError::Twice("n_link_from_2_to_1".to_owned())));
        assert_eq!(links.kept().len(), 5);
        links.get_mut(LinkId::new(4)).latency = crate::platform::Trace::constant(7.0);
        let latencies: Vec<f64> =
            links.iter().map(|link| link.latency.value_at(crate::kernel::SimTime::ZERO)).collect();
        assert_eq!(latencies, [0.0, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(links.name(LinkId::new(4)), "m_link_from_2_to_0");
        let mut names = Vec::new();
        let all: Result<(), ()> = links.change(|name, _| {
            names.push(name.to_owned());
            Ok(())
        });
        assert_eq!((all, names.len(), &*names[7]), (Ok(()), 11, "last"));
    }
}
