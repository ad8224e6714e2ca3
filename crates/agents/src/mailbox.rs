//! Mailboxes: where tasks wait for agents, and agents for tasks.
//!
//! A channel is a mailbox of a host, which has one for each number; a named one belongs to no host,
//! unless it is said which host's agents will get from it. A mailbox has a queue, of puts or of
//! gets, never of both. Those that were given up stay in the queue until they come to the head of
//! it, or are more than those that were not: so giving up costs O(1), spread over all.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::collections::OrderedMap;
use crate::platform::{HostId, Platform};

use super::rendezvous::{Rendezvous, Stage};

/// A numbered mailbox of a host.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Channel(pub u32);

/// A mailbox with a name, from [`Agent::mailbox`](super::Agent::mailbox).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mailbox(pub(super) u32);

/// An agent in a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Puts,
    Gets,
}

/// Name of a mailbox.
enum Label {
    Channel(HostId, Channel),
    Named(Rc<str>),
}

/// A mailbox of a run. Most have one in queue at most, which needs no more memory.
pub(super) struct Queue {
    label: Label,
    /// Host on which tasks are got from it, if that is known before they are.
    pub(super) host: Option<HostId>,
    first: Option<Rc<Rendezvous>>,
    rest: VecDeque<Rc<Rendezvous>>,
    side: Side,
    given_up: u32,
}

impl Queue {
    fn new(label: Label, host: Option<HostId>) -> Self {
        Queue { label, host, first: None, rest: VecDeque::new(), side: Side::Puts, given_up: 0 }
    }

    /// Takes out those at the head that were given up; gives the first of the others, if it stands
    /// on this side.
    pub(super) fn head(&mut self, side: Side) -> Option<&Rc<Rendezvous>> {
        while let Some(first) = &self.first
            && first.stage.get() == Stage::Gone
        {
            self.given_up = self.given_up.saturating_sub(1);
            self.first = self.rest.pop_front();
        }
        self.first.as_ref().filter(|_| self.side == side)
    }

    /// Takes the first out, if it stands on this side.
    pub(super) fn pop(&mut self, side: Side) -> Option<Rc<Rendezvous>> {
        self.head(side)?;
        let next = self.rest.pop_front();
        std::mem::replace(&mut self.first, next)
    }

    /// Joins the end of the queue; none of the other side is in it.
    pub(super) fn push(&mut self, side: Side, rendezvous: Rc<Rendezvous>) {
        self.side = side;
        if self.first.is_none() {
            self.first = Some(rendezvous);
        } else {
            self.rest.push_back(rendezvous);
        }
    }

    /// Joins the head of the queue.
    pub(super) fn push_front(&mut self, side: Side, rendezvous: Rc<Rendezvous>) {
        self.side = side;
        if let Some(second) = self.first.replace(rendezvous) {
            self.rest.push_front(second);
        }
    }

    /// One of the queue was given up.
    pub(super) fn gave_up(&mut self) {
        self.given_up += 1;
        self.head(self.side);
        if self.given_up as usize > 8 + self.rest.len() / 2 {
            self.rest.retain(|rendezvous| rendezvous.stage.get() != Stage::Gone);
            self.given_up = 0;
        }
    }

    /// Takes out all; gives those of this side that were not given up, in order.
    pub(super) fn clear(&mut self, side: Side) -> Vec<Rc<Rendezvous>> {
        let first = self.head(side).is_some();
        let all = self.first.take().into_iter().chain(self.rest.drain(..));
        self.given_up = 0;
        all.filter(|rendezvous| first && rendezvous.stage.get() != Stage::Gone).collect()
    }
}

/// The mailboxes of a run, which come into being when they are first used.
pub(super) struct Mailboxes {
    queues: Vec<Queue>,
    /// Of each host, channels and their mailboxes, by channel.
    channels: Vec<Vec<(u32, u32)>>,
    named: OrderedMap<Rc<str>, u32>,
}

impl Mailboxes {
    pub(super) fn new(hosts: usize) -> Self {
        Mailboxes { queues: Vec::new(), channels: vec![Vec::new(); hosts], named: OrderedMap::new() }
    }

    #[inline]
    pub(super) fn channel(&mut self, host: HostId, channel: Channel) -> u32 {
        let known = &mut self.channels[host.index()];
        match known.binary_search_by_key(&channel.0, |&(number, _)| number) {
            Ok(place) => known[place].1,
            Err(place) => {
                let mailbox = self.queues.len() as u32;
                known.insert(place, (channel.0, mailbox));
                self.queues.push(Queue::new(Label::Channel(host, channel), Some(host)));
                mailbox
            }
        }
    }

    pub(super) fn named(&mut self, name: &str) -> u32 {
        if let Some(&mailbox) = self.named.get(name) {
            return mailbox;
        }
        let (mailbox, name): (u32, Rc<str>) = (self.queues.len() as u32, name.into());
        self.named.insert(Rc::clone(&name), mailbox);
        self.queues.push(Queue::new(Label::Named(name), None));
        mailbox
    }

    #[inline]
    pub(super) fn queue(&mut self, mailbox: u32) -> &mut Queue {
        &mut self.queues[mailbox as usize]
    }

    /// The mailboxes that belong to a host, named ones too.
    pub(super) fn of_host(&self, host: HostId) -> Vec<u32> {
        let queues = self.queues.iter().enumerate().filter(|(_, queue)| queue.host == Some(host));
        queues.map(|(mailbox, _)| mailbox as u32).collect()
    }

    /// Name of a mailbox, to follow "get on".
    pub(super) fn described(&self, mailbox: u32, platform: &Platform) -> String {
        match &self.queues[mailbox as usize].label {
            Label::Channel(host, channel) => {
                format!("channel {} of host `{}`", channel.0, platform.host(*host).name)
            }
            Label::Named(name) => format!("mailbox `{name}`"),
        }
    }
}
