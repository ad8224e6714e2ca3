//! Servers taken and given back: first come, first served within a priority.

use std::cell::{RefCell, RefMut};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use super::station::Station;
use crate::name::Name;
use crate::primitive::line::{EntryKey, Line};
use crate::sim::{now, now_if_running};
use crate::stats::Visit;
use crate::time::{SimDuration, SimTime};
use crate::wait::{Wait, WaitKey, hold};

/// One or more equal servers; clones share them.
///
/// Waiting processes are served by priority, larger ones first, and within one in order of arrival.
/// A server that is given back is handed to the first in line in the same step: a process that
/// comes later in that instant queues.
#[derive(Clone, Debug)]
pub struct Facility(Rc<Shared>);

#[derive(Debug)]
struct Shared {
    name: Name,
    servers: u32,
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    busy: u32,
    queue: Ranks,
    station: Option<Box<Station>>,
}

/// A line for every priority in use; the usual one, 0, is at hand.
#[derive(Debug)]
struct Ranks {
    usual: Line<Option<Visit>>,
    others: BTreeMap<Reverse<i64>, Line<Option<Visit>>>,
}

impl Ranks {
    fn join(&mut self, priority: i64, wait: WaitKey, visit: Option<Visit>) -> EntryKey {
        match priority {
            0 => self.usual.join(wait, visit),
            _ => self.others.entry(Reverse(priority)).or_insert_with(Line::new).join(wait, visit),
        }
    }

    #[inline]
    fn leave(&mut self, priority: i64, key: EntryKey) -> Option<(Option<Visit>, bool)> {
        match priority {
            0 => self.usual.leave(key),
            _ => self.leave_other(priority, key),
        }
    }

    /// Takes away an entry that was served.
    #[inline]
    fn collect(&mut self, priority: i64, key: EntryKey) {
        match priority {
            0 => self.usual.collect(key),
            _ => drop(self.leave_other(priority, key)),
        }
    }

    fn leave_other(&mut self, priority: i64, key: EntryKey) -> Option<(Option<Visit>, bool)> {
        let line = self.others.get_mut(&Reverse(priority))?;
        let left = line.leave(key);
        if line.is_forgotten() {
            self.others.remove(&Reverse(priority));
        }
        left
    }

    /// Serves the first in line.
    fn serve_first(&mut self) -> Option<Served> {
        if self.others.is_empty() {
            return serve(&mut self.usual);
        }
        let urgent = self.others.range_mut(..Reverse(0)).find_map(|(_, line)| serve(line));
        urgent
            .or_else(|| serve(&mut self.usual))
            .or_else(|| self.others.range_mut(Reverse(0)..).find_map(|(_, line)| serve(line)))
    }

    fn len(&self) -> usize {
        self.usual.len() + self.others.values().map(Line::len).sum::<usize>()
    }
}

/// A process was handed a server; this was its stay in the queue, where stays are logged.
#[derive(Clone, Copy)]
struct Served(Option<Visit>);

#[inline]
fn serve(line: &mut Line<Option<Visit>>) -> Option<Served> {
    line.serve_first().map(|visit| Served(*visit))
}

impl Facility {
    /// A facility of idle servers.
    ///
    /// # Panics
    /// If there are no servers.
    pub fn new(name: impl Into<Name>, servers: u32) -> Self {
        assert!(servers > 0, "a facility has at least one server");
        let queue = Ranks { usual: Line::new(), others: BTreeMap::new() };
        let state = RefCell::new(State { busy: 0, queue, station: None });
        Facility(Rc::new(Shared { name: name.into(), servers, state }))
    }

    /// The same facility with statistics, from the present instant on. Without them it is faster.
    ///
    /// # Panics
    /// Outside a simulation.
    #[must_use]
    pub fn observed(self) -> Self {
        self.0.state.borrow_mut().station = Some(Box::new(Station::new(now())));
        self
    }

    /// The statistics; to look at, or to begin a new window. `None` unless
    /// [`observed`](Facility::observed).
    pub fn station(&self) -> Option<RefMut<'_, Station>> {
        RefMut::filter_map(self.0.state.borrow_mut(), |state| state.station.as_deref_mut()).ok()
    }

    /// All servers.
    pub fn servers(&self) -> u32 {
        self.0.servers
    }

    /// Servers in use, those just handed over included.
    pub fn busy(&self) -> u32 {
        self.0.state.borrow().busy
    }

    /// Processes in line.
    pub fn queued(&self) -> usize {
        self.0.state.borrow().queue.len()
    }

    /// Takes a server, waiting in line for one if none is idle; returns at once without yielding if
    /// one is.
    pub fn reserve(&self) -> Reserve<'_> {
        self.reserve_at(0)
    }

    /// [`Facility::reserve`] at a priority; larger ones go first, and 0 is the usual one.
    pub fn reserve_at(&self, priority: i64) -> Reserve<'_> {
        let wait = Wait::new();
        Reserve { facility: self, priority, wait, entry: None, since: SimTime::ZERO, inside: None }
    }

    /// Takes a server, holds it for `span` and gives it back.
    pub async fn use_for(&self, span: SimDuration) {
        let server = self.reserve().await;
        hold(span).await;
        server.release();
    }

    /// [`Facility::use_for`] at a priority.
    pub async fn use_for_at(&self, priority: i64, span: SimDuration) {
        let server = self.reserve_at(priority).await;
        hold(span).await;
        server.release();
    }

    fn release(&self, inside: Option<Visit>) {
        let mut state = self.0.state.borrow_mut();
        let state = &mut *state;
        let next = state.queue.serve_first();
        if next.is_none() {
            state.busy -= 1;
        }
        if let Some(station) = &mut state.station
            && let Some(now) = now_if_running()
        {
            if let Some(visit) = inside {
                station.inside.leave(now, visit);
            }
            match next {
                Some(Served(Some(visit))) => station.queue.leave(now, visit),
                Some(Served(None)) => {}
                None => station.busy.fall(now, 1),
            }
        }
    }
}

/// The future of [`Facility::reserve`].
#[derive(Debug)]
#[must_use = "nothing is reserved before `.await`"]
pub struct Reserve<'a> {
    facility: &'a Facility,
    priority: i64,
    wait: Wait,
    entry: Option<EntryKey>,
    since: SimTime,
    inside: Option<Visit>,
}

impl<'a> Future for Reserve<'a> {
    type Output = Server<'a>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Server<'a>> {
        let this = &mut *self;
        let shared = &*this.facility.0;
        if let Some(key) = this.entry {
            ready!(this.wait.poll_granted(cx, || {
                format!("reserves facility `{}` since {}", shared.name, this.since)
            }));
            this.entry = None;
            shared.state.borrow_mut().queue.collect(this.priority, key);
            return Poll::Ready(Server { facility: this.facility, inside: this.inside.take() });
        }
        let mut state = shared.state.borrow_mut();
        if state.busy < shared.servers {
            state.busy += 1;
            let inside = state.station.as_deref_mut().map(|station| {
                let now = now();
                station.busy.rise(now, 1);
                let queued = station.queue.enter(now);
                station.queue.leave(now, queued);
                station.inside.enter(now)
            });
            return Poll::Ready(Server { facility: this.facility, inside });
        }
        drop(state);
        let (wait, now) = this.wait.queue(cx);
        this.since = now;
        let mut state = shared.state.borrow_mut();
        let visits = state
            .station
            .as_deref_mut()
            .map(|station| (station.inside.enter(this.since), station.queue.enter(this.since)));
        this.inside = visits.map(|(inside, _)| inside);
        let queued = visits.map(|(_, queued)| queued);
        this.entry = Some(state.queue.join(this.priority, wait, queued));
        Poll::Pending
    }
}

impl Reserve<'_> {
    fn give_up(&mut self, key: EntryKey) {
        let left = self.facility.0.state.borrow_mut().queue.leave(self.priority, key);
        match left {
            Some((_, false)) => self.facility.release(self.inside.take()),
            Some((queued, true)) => {
                let mut state = self.facility.0.state.borrow_mut();
                if let (Some(station), Some(now)) = (&mut state.station, now_if_running()) {
                    if let Some(visit) = queued {
                        station.queue.leave(now, visit);
                    }
                    if let Some(visit) = self.inside.take() {
                        station.inside.leave(now, visit);
                    }
                }
            }
            None => {}
        }
    }
}

impl Drop for Reserve<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(key) = self.entry.take() {
            self.give_up(key);
        }
    }
}

/// A server taken from a [`Facility`]; it is given back when this is dropped.
#[derive(Debug)]
#[must_use = "dropping it gives the server back"]
pub struct Server<'a> {
    facility: &'a Facility,
    inside: Option<Visit>,
}

impl Server<'_> {
    /// Gives the server back; the same as dropping it, in the model's words.
    pub fn release(self) {}
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        self.facility.release(self.inside.take());
    }
}
