//! Building a platform: hosts, links, and the routes between them.

use std::collections::BTreeMap;

use crate::platform::host::{Host, HostId};
use crate::platform::link::Link;
use crate::platform::sharing::LinkId;

/// Two hosts that no route joins.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no route from `{from}` to `{to}`")]
pub struct NoRoute {
    /// Where from.
    pub from: String,
    /// Where to.
    pub to: String,
}

/// Why a part is no part of a platform.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum WrongPart {
    /// There is one of this name already.
    #[error("there are two of the name `{0}`")]
    Twice(String),
}

/// Hosts, links and routes, from which a [`Platform`] is built.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    built: Platform,
}

/// Hosts, links, and the routes between them.
#[derive(Clone, Debug, Default)]
pub struct Platform {
    hosts: Vec<Host>,
    host_names: BTreeMap<String, HostId>,
    links: Vec<Link>,
    link_names: Vec<String>,
    links_by_name: BTreeMap<String, LinkId>,
    routes: BTreeMap<(HostId, HostId), Vec<LinkId>>,
}

impl Builder {
    /// Nothing yet.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Adds a host.
    ///
    /// # Errors
    /// There is one of its name.
    pub fn host(&mut self, host: Host) -> Result<HostId, WrongPart> {
        let id = HostId::new(self.built.hosts.len() as u32);
        if self.built.host_names.contains_key(&host.name) {
            return Err(WrongPart::Twice(host.name));
        }
        self.built.host_names.insert(host.name.clone(), id);
        self.built.hosts.push(host);
        Ok(id)
    }

    /// Adds a link.
    ///
    /// # Errors
    /// There is one of its name.
    pub fn link(&mut self, name: impl Into<String>, link: Link) -> Result<LinkId, WrongPart> {
        let name = name.into();
        let id = LinkId::new(self.built.links.len() as u32);
        if self.built.links_by_name.contains_key(&name) {
            return Err(WrongPart::Twice(name));
        }
        self.built.links_by_name.insert(name.clone(), id);
        self.built.link_names.push(name);
        self.built.links.push(link);
        Ok(id)
    }

    /// The way from one host to another, and nothing about the way back.
    pub fn route(&mut self, from: HostId, to: HostId, links: &[LinkId]) {
        self.built.routes.insert((from, to), links.to_vec());
    }

    /// The way from one host to another, and back over the same links.
    pub fn symmetric_route(&mut self, from: HostId, to: HostId, links: &[LinkId]) {
        self.route(from, to, links);
        let back: Vec<LinkId> = links.iter().rev().copied().collect();
        self.route(to, from, &back);
    }

    /// The platform.
    pub fn build(self) -> Platform {
        self.built
    }
}

impl Platform {
    /// Its hosts, by number.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The host of this number.
    ///
    /// # Panics
    /// If it belongs to another platform.
    pub fn host(&self, id: HostId) -> &Host {
        &self.hosts[id.index()]
    }

    /// The host of this name.
    pub fn host_named(&self, name: &str) -> Option<HostId> {
        self.host_names.get(name).copied()
    }

    /// Its links, by number.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// What a link is called.
    pub fn link_name(&self, id: LinkId) -> &str {
        &self.link_names[id.index()]
    }

    /// The link of this name.
    pub fn link_named(&self, name: &str) -> Option<LinkId> {
        self.links_by_name.get(name).copied()
    }

    /// Puts the links from one host to another into `route`, which is cleared first, in order. From a host to itself there are none,
    /// unless a route says otherwise: that takes no time.
    ///
    /// # Errors
    /// Nothing joins the two.
    pub fn route(&self, from: HostId, to: HostId, route: &mut Vec<LinkId>) -> Result<(), NoRoute> {
        route.clear();
        match self.routes.get(&(from, to)) {
            Some(links) => route.extend(links),
            None if from == to => {}
            None => {
                let [from, to] = [from, to].map(|id| self.host(id).name.clone());
                return Err(NoRoute { from, to });
            }
        }
        Ok(())
    }
}
