//! Flows over a mesh, of whose links most are never crossed.
//!
//! A link is added to the flows when a transfer first crosses it. Rates do not depend on the order
//! in which links were added, and a link that nothing crosses changes nothing: all ends are those
//! of flows over all links.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::links::network::Carrier;
use crate::links::{End, Ended, Flows, Request, TransferId};
use crate::sharing::{LinkId, OutOfRange};
use crate::topology::Links;

/// Flows that know the links which transfers have crossed.
#[derive(Debug)]
pub(super) struct LinksInUse {
    links: Links,
    flows: Flows,
    /// Numbers in the flows by numbers of the platform, and the other way round.
    known: OrderedMap<LinkId, LinkId>,
    numbers: Vec<LinkId>,
    /// Room for the two routes of a request.
    routes: [Vec<LinkId>; 2],
}

impl LinksInUse {
    /// Flows without links, and the links that there are.
    ///
    /// # Errors
    /// A link that flows refuse.
    pub(super) fn new(flows: Flows, links: &Links) -> Result<Self, OutOfRange> {
        links.iter().try_for_each(|link| flows.check(&link))?;
        let (links, routes) = (links.clone(), [Vec::new(), Vec::new()]);
        Ok(LinksInUse { links, flows, known: OrderedMap::new(), numbers: Vec::new(), routes })
    }

    /// The number of a link in the flows.
    fn known(&mut self, link: LinkId) -> Result<LinkId, OutOfRange> {
        if let Some(known) = self.known.get(&link) {
            return Ok(*known);
        }
        if link.index() >= self.links.len() {
            return Err(OutOfRange::NoLink(link.index()));
        }
        let known = self.flows.add_link(self.links.get(link.index()).into_owned())?;
        self.known.insert(link, known);
        self.numbers.push(link);
        Ok(known)
    }
}

impl Carrier for LinksInUse {
    fn now(&self) -> SimTime {
        self.flows.now()
    }

    fn wants_reverse_route(&self) -> bool {
        self.flows.wants_reverse_route()
    }

    fn start(&mut self, request: Request<'_>) -> Result<TransferId, OutOfRange> {
        let mut routes = std::mem::take(&mut self.routes);
        for (known, links) in routes.iter_mut().zip([request.route, request.back]) {
            known.clear();
            for link in links {
                known.push(self.known(*link)?);
            }
        }
        let started = self.flows.start(Request { route: &routes[0], back: &routes[1], ..request });
        self.routes = routes;
        started
    }

    fn cancel(&mut self, transfer: TransferId) {
        self.flows.cancel(transfer);
    }

    fn next_event(&mut self) -> Option<SimTime> {
        self.flows.next_event()
    }

    fn advance(&mut self, to: SimTime, ended: &mut Vec<Ended>) {
        let before = ended.len();
        Carrier::advance(&mut self.flows, to, ended);
        for Ended { end, .. } in &mut ended[before..] {
            if let End::Failed(link) = end {
                *link = self.numbers[link.index()];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimDuration;
    use crate::kernel::rng::distribution::Uniform;
    use crate::kernel::rng::{Sampler, Streams};
    use crate::links::network::{Flow, Transport as _};
    use crate::{Builder, Cluster, Host, HostId, Link, Load, Platform, Shape, ZoneId};

    /// A mesh behind limiters, which transfers share, with loads that change each second.
    fn platform() -> Platform {
        let mesh = Cluster {
            shape: Shape::Mesh,
            limiter: Some(Link::new(3e6, 0.0)),
            ..Cluster::new("m", 6, Host::new("", 1e9), Link::new(2e6, 0.1))
        };
        let mut builder = Builder::new();
        builder.cluster(ZoneId::TOP, &mesh).expect("a cluster");
        let law = Sampler::new(Uniform::new(0.0, 0.9).expect("a law"));
        let load = Load::new(law, Some(SimDuration::from_secs(1)));
        let count = builder.so_far().links().len() as u32;
        builder.load_links((0..count).map(LinkId::new), Some(&load), &Streams::new(5, 0));
        builder.build()
    }

    /// Transfers between all pairs, a few of them at a time, and all ends.
    fn ends(carrier: &mut dyn Carrier, platform: &Platform) -> Vec<(SimTime, End)> {
        let (mut ended, mut route) = (Vec::new(), Vec::new());
        for number in 0..36_u32 {
            let [from, to] = [number * 7 % 6, number / 6].map(HostId::new);
            platform.route(from, to, &mut route).expect("a mesh");
            let size = 1e6 + f64::from(number) * 1e5;
            let request = Request { size, route: &route, back: &[], bound: None, extra_latency: 0.0 };
            carrier.start(request).expect("a transfer");
            let next = SimTime::ZERO + SimDuration::from_millis(300 * u64::from(number));
            carrier.advance(next, &mut ended);
        }
        carrier.advance(SimTime::ZERO + SimDuration::from_secs(1_000), &mut ended);
        ended.iter().map(|ended| (ended.at, ended.end)).collect()
    }

    #[test]
    fn flows_over_links_in_use_end_as_over_all_links() {
        let platform = platform();
        let mut all = Flows::new(Flow::default().model).expect("a model");
        for link in platform.links().iter() {
            all.add_link(link.into_owned()).expect("a link");
        }
        let mut in_use = Flow::default().carrier(&platform).expect("a carrier");
        assert!(format!("{in_use:?}").starts_with("LinksInUse"));
        let expected = ends(&mut all, &platform);
        assert_eq!(expected.len(), 36);
        assert_eq!(ends(&mut *in_use, &platform), expected);
        let far = [LinkId::new(9_999)];
        let wrong = Request { size: 1.0, route: &far, back: &[], bound: None, extra_latency: 0.0 };
        assert_eq!(in_use.start(wrong), Err(OutOfRange::NoLink(9_999)));
    }
}
