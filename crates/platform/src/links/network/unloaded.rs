//! The unloaded network: how long a transfer takes that has all links to itself.
//!
//! Each transfer is carried by the network model itself, one after the other, so that latencies,
//! windows, acknowledgements and packets count as they do in a run. The time is known only where
//! nothing on the route changes: links with traces have none.

use crate::kernel::SimTime;
use crate::links::{End, Request};
use crate::sharing::{LinkId, OutOfRange};
use crate::{HostId, Platform, Trace};

use super::{Carrier, Transport};

/// A network that carries one transfer at a time.
#[derive(Debug)]
pub struct Unloaded<'a> {
    platform: &'a Platform,
    carrier: Box<dyn Carrier>,
    route: Vec<LinkId>,
    back: Vec<LinkId>,
}

impl<'a> Unloaded<'a> {
    /// The network `transport` over the links of `platform`.
    ///
    /// # Errors
    /// A link that the model cannot have.
    pub fn new(platform: &'a Platform, transport: &dyn Transport) -> Result<Self, OutOfRange> {
        let carrier = transport.carrier(platform)?;
        Ok(Unloaded { platform, carrier, route: Vec::new(), back: Vec::new() })
    }

    /// The platform.
    pub fn platform(&self) -> &'a Platform {
        self.platform
    }

    /// Seconds that a transfer of `size` takes; `None` if there is no route, if a link of the route
    /// changes or fails over time, or if the transfer never ends.
    pub fn secs(&mut self, from: HostId, to: HostId, size: f64) -> Option<f64> {
        let Unloaded { platform, carrier, route, back } = self;
        let extra_latency = platform.route_with_delay(from, to, route).ok()?;
        if route.is_empty() && extra_latency <= 0.0 {
            return Some(0.0);
        }
        back.clear();
        if carrier.wants_reverse_route() {
            platform.route(to, from, back).ok()?;
        }
        let is_constant = |trace: &Trace| trace.next_change(SimTime::ZERO).is_none();
        let links = route.iter().chain(&*back).map(|link| platform.link(*link));
        for link in links {
            if ![&link.bandwidth, &link.latency, &link.working].into_iter().all(is_constant) {
                return None;
            }
        }
        let start = carrier.now();
        let transfer = carrier.start(Request { size, route, back, bound: None, extra_latency }).ok()?;
        let mut ended = Vec::new();
        while ended.is_empty() {
            let Some(next) = carrier.next_event().filter(|&next| next < SimTime::MAX) else {
                carrier.cancel(transfer);
                return None;
            };
            carrier.advance(next, &mut ended);
        }
        let over = ended.iter().find(|over| over.transfer == transfer && over.end == End::Completed)?;
        Some(over.at.since(start).as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Flow;
    use crate::{Builder, Host, Link};

    #[test]
    fn a_transfer_takes_what_it_takes_alone_each_time() {
        let mut builder = Builder::new();
        let host = |name: &str| Host::new(name, 1e9);
        let [a, b, c] = ["a", "b", "c"].map(|name| builder.host(host(name)).expect("a host"));
        let wire = builder.link("wire", Link::new(125_000.0, 0.01)).expect("a link");
        let bandwidth = Trace::new(&[(SimTime::from_nanos(9), 1.0)], None).expect("a trace").before(2.0);
        let changing = builder.link("changing", Link { bandwidth, ..Link::new(2.0, 0.0) }).expect("a link");
        builder.symmetric_route(a, b, &[wire]);
        builder.symmetric_route(a, c, &[changing]);
        let platform = builder.build();
        let secs = |transport: Flow, from, to| {
            let mut network = Unloaded::new(&platform, &transport).expect("links that can be");
            [network.secs(from, to, 1e5), network.secs(from, to, 1e5)]
        };
        assert_eq!(secs(Flow::default(), a, b), [Some(0.81); 2]);
        assert_eq!(secs(Flow::default(), a, a), [Some(0.0); 2]);
        assert_eq!(secs(Flow::default(), b, c), [None; 2], "no route");
        assert_eq!(secs(Flow::default(), a, c), [None; 2], "its bandwidth changes");
        let corrected = secs(Flow::lv08(), b, a);
        assert!(corrected.iter().all(|secs| secs.is_some_and(|secs| (secs - 0.996_079).abs() < 1e-6)));
    }
}
