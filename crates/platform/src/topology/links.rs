//! The links of a platform by number, and their names.
//!
//! A mesh has a link for each two of its hosts, which are alike, and whose names follow from the
//! two: such links are one stretch of numbers that holds one link and one name. Links of a stretch
//! may differ in what is drawn or stated for each: that alone is kept of each
//! ([`OwnValues`]), and the link is made when it is asked for.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::Trace;
use crate::collections::OrderedMap;
use crate::error::PlatformError;
use crate::kernel::SimTime;
use crate::links::Link;
use crate::sharing::LinkId;
use crate::topology::own_values::OwnValues;

/// A link that is kept, and its name; of a stretch the link that all are like, and the name of
/// their cluster.
#[derive(Clone, Debug)]
struct Kept {
    name: Arc<str>,
    link: Link,
}

/// Links between each two hosts of a mesh.
#[derive(Clone, Debug)]
struct Stretch {
    first: u32,
    count: u32,
    /// The place of what is kept.
    place: u32,
    pairs: PairNames,
    own: Arc<OwnValues>,
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

/// The name of a link, written without being kept.
#[derive(Clone, Copy)]
pub(super) enum LinkName<'a> {
    /// A name of its own.
    Own(&'a str),
    /// By the cluster and the numbers of two hosts.
    Pair(&'a str, (u32, u32)),
}

impl fmt::Display for LinkName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkName::Own(name) => f.write_str(name),
            LinkName::Pair(cluster, (from, to)) => write!(f, "{cluster}{FROM}{from}{TO}{to}"),
        }
    }
}

/// The links of a platform, by number.
#[derive(Clone, Debug, Default)]
pub struct Links {
    kept: Vec<Kept>,
    stretches: Vec<Stretch>,
    by_name: OrderedMap<Arc<str>, LinkId>,
    /// Of each of the two links of a split link, the other, where both have names of their own.
    twins: OrderedMap<LinkId, LinkId>,
}

impl Links {
    /// Number of links.
    pub fn len(&self) -> usize {
        let beyond: usize = self.stretches.iter().map(|stretch| stretch.count as usize - 1).sum();
        self.kept.len() + beyond
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The link of this number; a link of a mesh whose links differ is made.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn get(&self, number: usize) -> Cow<'_, Link> {
        if self.stretches.is_empty() {
            return Cow::Borrowed(&self.kept[number].link);
        }
        let (place, stretch) = self.place(number);
        let link = &self.kept[place].link;
        match stretch {
            Some((stretch, at)) => stretch.own.of(link, at),
            None => Cow::Borrowed(link),
        }
    }

    /// The links in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, Link>> + Clone {
        (0..self.len()).map(|number| self.get(number))
    }

    /// A link of each kind: those of a mesh differ in values alone, and not in whether they change
    /// or fail.
    pub fn kinds(&self) -> impl Iterator<Item = &Link> {
        self.kept.iter().map(|kept| &kept.link)
    }

    /// Place of what is kept of a link, and the stretch that it lies in with its place there.
    fn place(&self, number: usize) -> (usize, Option<(&Stretch, usize)>) {
        let before = self.stretches.partition_point(|stretch| stretch.first as usize <= number);
        let Some(stretch) = before.checked_sub(1).map(|at| &self.stretches[at]) else {
            return (number, None);
        };
        let (place, count) = (stretch.place as usize, stretch.count as usize);
        match number - stretch.first as usize {
            within if within < count => (place, Some((stretch, within))),
            within => (place + 1 + within - count, None),
        }
    }

    /// The name of a link, to be written.
    pub(super) fn written(&self, id: LinkId) -> LinkName<'_> {
        match self.place(id.index()) {
            (place, None) => LinkName::Own(&self.kept[place].name),
            (place, Some((stretch, at))) => {
                LinkName::Pair(&self.kept[place].name, stretch.pairs.ends(at as u32))
            }
        }
    }

    pub(super) fn name(&self, id: LinkId) -> Cow<'_, str> {
        match self.written(id) {
            LinkName::Own(name) => Cow::Borrowed(name),
            pair @ LinkName::Pair(..) => Cow::Owned(pair.to_string()),
        }
    }

    pub(super) fn named(&self, name: &str) -> Option<LinkId> {
        self.by_name.get(name).copied().or_else(|| {
            if self.stretches.is_empty() {
                return None;
            }
            let (cluster, ends) = parts(name)?;
            let of_cluster = |stretch: &&Stretch| *self.kept[stretch.place as usize].name == *cluster;
            let stretch = self.stretches.iter().find(of_cluster)?;
            Some(LinkId::new(stretch.first + stretch.pairs.place(ends)?))
        })
    }

    /// At most `most` names, for messages.
    pub(crate) fn some_names(&self, most: usize) -> Vec<String> {
        self.by_name.keys().take(most).map(ToString::to_string).collect()
    }

    /// Adds a link of a name that is free.
    pub(super) fn add(&mut self, name: String, link: Link) -> LinkId {
        let (name, id): (Arc<str>, _) = (name.into(), LinkId::new(self.len() as u32));
        self.by_name.insert(Arc::clone(&name), id);
        self.kept.push(Kept { name, link });
        id
    }

    /// Notes that two links are the directions of one.
    pub(super) fn join(&mut self, up: LinkId, down: LinkId) {
        self.twins.insert(up, down);
        self.twins.insert(down, up);
    }

    /// The other direction's link of a split link.
    pub(super) fn twin(&self, link: LinkId) -> Option<LinkId> {
        if let (_, Some((stretch, at))) = self.place(link.index()) {
            let is_split = stretch.pairs.width == 2;
            return is_split.then(|| LinkId::new(stretch.first + (at as u32 ^ 1)));
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
            let (first, place) = (self.len() as u32, self.kept.len() as u32);
            let own = Arc::new(OwnValues::of_many(count as usize));
            self.stretches.push(Stretch { first, count, place, pairs, own });
            self.kept.push(Kept { name: cluster.into(), link });
        }
        Ok(())
    }

    /// Kept part of a link, and its own values if it has only those.
    fn kept_mut(&mut self, id: LinkId) -> (&mut Link, Option<(&mut OwnValues, usize)>) {
        let (place, stretch) = self.place(id.index());
        let at = stretch.map(|(_, at)| at);
        let before = self.stretches.partition_point(|stretch| stretch.first as usize <= id.index());
        let own = at.map(|at| (Arc::make_mut(&mut self.stretches[before - 1].own), at));
        (&mut self.kept[place].link, own)
    }

    /// Leaves to a link what is available of its bandwidth.
    pub(super) fn leave(&mut self, id: LinkId, available: &Trace) {
        match self.kept_mut(id) {
            (like, Some((own, at))) => own.leave(like, at, available),
            (link, None) => link.bandwidth = available.times(link.bandwidth.value_at(SimTime::ZERO)),
        }
    }

    /// Gives a link a bandwidth of its own that never changes, times that of its cable; before
    /// loads [leave](Links::leave) less of it.
    pub(super) fn draw(&mut self, id: LinkId, drawn: &Trace) {
        match self.kept_mut(id) {
            (like, Some((own, at))) => own.draw(like, at, drawn),
            (link, None) => link.bandwidth = drawn.times(link.bandwidth.value_at(SimTime::ZERO)),
        }
    }

    /// Multiplies bandwidths and latencies, in the order of the numbers of the links.
    ///
    /// # Errors
    /// The first of `factors`, which is given the name and the link.
    pub(crate) fn scale<E>(
        &mut self,
        mut factors: impl FnMut(&str, &Link) -> Result<Factors, E>,
    ) -> Result<(), E> {
        for id in (0..self.len() as u32).map(LinkId::new) {
            let factors = factors(&self.name(id), &self.get(id.index()))?;
            match self.kept_mut(id) {
                (like, Some((own, at))) => own.scale(like, at, factors),
                (link, None) => factors.scale(link),
            }
        }
        Ok(())
    }
}

/// Factors of the properties of a link; what has none stays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    pub(crate) bandwidth: Option<f64>,
    pub(crate) latency: Option<f64>,
}

impl Factors {
    fn scale(self, link: &mut Link) {
        let scaled = |trace: &mut Trace, factor: Option<f64>| {
            if let Some(factor) = factor {
                *trace = trace.times(factor);
            }
        };
        scaled(&mut link.bandwidth, self.bandwidth);
        scaled(&mut link.latency, self.latency);
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
        links.add_pairs("m", hosts, width, Link::new(2.0, 0.1)).expect("free names");
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
                let (bandwidth, latency) = match number {
                    0 => (1.0, 0.0),
                    _ if id.index() + 1 == links.len() => (3.0, 0.0),
                    _ => (2.0, 0.1),
                };
                assert_eq!(*link, Link::new(bandwidth, latency));
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
        assert_eq!(links.kinds().count(), 5);
        let all: Result<(), ()> = links.scale(|name, _| {
            let latency = (name == "m_link_from_2_to_0").then_some(2.0);
            Ok(Factors { bandwidth: None, latency })
        });
        let latencies: Vec<f64> =
            links.iter().map(|link| link.latency.value_at(crate::kernel::SimTime::ZERO)).collect();
        assert_eq!(latencies, [0.0, 0.1, 0.1, 0.1, 0.2, 0.1, 0.1, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(links.name(LinkId::new(4)), "m_link_from_2_to_0");
        assert_eq!(all, Ok(()));
    }
}
