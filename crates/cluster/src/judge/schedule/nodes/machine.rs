//! The nodes of a machine at an instant, and the jobs that run on them.

use crate::collections::{Interval, OrderedMap, OrderedSet};
use crate::kernel::SimTime;
use crate::workload::resources::{DemandId, Resources};

use super::super::supply::SupplyChange;
use super::super::{Row, Supply};
use super::stock::{Need, Share, Stock, has_features, nodes_of, shares, stocks};

/// Demands of which the chunks that fit are remembered.
const MOST: usize = 64;

/// The chunks of a demand that each node takes.
#[derive(Clone)]
struct Fitting {
    has_features: Vec<bool>,
    chunks: Vec<i64>,
    all: i64,
    /// Changes of nodes that it knows of.
    seen: usize,
}

impl Fitting {
    fn of(has_features: Vec<bool>) -> Self {
        Fitting { chunks: vec![0; has_features.len()], has_features, all: 0, seen: 0 }
    }

    fn look(&mut self, node: usize, stock: &Stock, need: &Need<'_>) {
        let chunks = if self.has_features[node] { stock.chunks(need.demand) } else { 0 };
        self.all += chunks - self.chunks[node];
        self.chunks[node] = chunks;
    }

    /// Returns true if the nodes take a job.
    fn takes<'s>(&self, need: &Need<'_>, stock: impl Fn(usize) -> &'s Stock) -> bool {
        let last = |node: usize| self.has_features[node] && stock(node).takes_last(need, self.chunks[node]);
        let has_room = || need.rest == 0 || (0..self.chunks.len()).any(last);
        self.all > need.chunks || self.all == need.chunks && has_room()
    }
}

/// The nodes of a machine.
pub(super) struct Machine<'a> {
    resources: &'a Resources,
    stocks: Vec<Stock>,
    held: OrderedMap<usize, Vec<Share>>,
    /// The nodes without jobs, and the chunks of each demand that those in service take.
    empty: Vec<Stock>,
    able: OrderedMap<DemandId, Fitting>,
    /// Nodes that have changed, one after the other.
    changed: Vec<usize>,
    fitting: OrderedMap<DemandId, Fitting>,
}

impl<'a> Machine<'a> {
    /// Without a job.
    pub(super) fn new(resources: &'a Resources) -> Self {
        Machine {
            resources,
            stocks: stocks(resources),
            held: OrderedMap::new(),
            empty: stocks(resources),
            able: OrderedMap::new(),
            changed: Vec::new(),
            fitting: OrderedMap::new(),
        }
    }

    /// A job takes what it has.
    pub(super) fn starts(&mut self, job: usize, row: &Row) {
        let shares = shares(row, self.resources);
        for share in &shares {
            self.stocks[share.node as usize].take(share);
            self.changed.push(share.node as usize);
        }
        self.held.insert(job, shares);
    }

    /// A job gives back what it has.
    pub(super) fn ends(&mut self, job: usize) {
        for share in self.held.remove(&job).unwrap_or_default() {
            self.stocks[share.node as usize].give(&share);
            self.changed.push(share.node as usize);
        }
    }

    /// Nodes go out of service, or are back.
    pub(super) fn serves(&mut self, on: Interval, is_away: bool) {
        for node in nodes_of(self.resources, on) {
            (self.stocks[node].is_away, self.empty[node].is_away) = (is_away, is_away);
            self.changed.push(node);
        }
        self.able.clear();
    }

    /// A reservation has nodes from now on, or gives them back.
    pub(super) fn closes(&mut self, on: Interval, is_closed: bool) {
        for node in nodes_of(self.resources, on) {
            self.stocks[node].close(is_closed);
            self.changed.push(node);
        }
    }

    /// A change of what there is apart from jobs.
    pub(super) fn changes(&mut self, spans: &Supply<'_>, change: SupplyChange, index: usize) {
        match change {
            SupplyChange::Fails | SupplyChange::Back => {
                self.serves(spans.away[index].on, change == SupplyChange::Fails);
            }
            SupplyChange::Takes | SupplyChange::Returns => {
                self.closes(spans.pieces[index].on, change == SupplyChange::Takes);
            }
            // processors that are counted do not shrink by name
            SupplyChange::Known | SupplyChange::Dropped | SupplyChange::Shrinks | SupplyChange::Regrows => {}
        }
    }

    /// The nodes as they are now.
    pub(super) fn stocks(&self) -> &[Stock] {
        &self.stocks
    }

    /// Returns true if the nodes in service could take a job, were no other on them.
    pub(super) fn is_able(&mut self, row: &Row) -> bool {
        let (resources, empty, need) = (self.resources, &self.empty, Need::of(row, self.resources));
        let all = self.able.entry(row.demand).or_insert_with(|| {
            let mut all = Fitting::of(has_features(resources, need.demand));
            empty.iter().enumerate().for_each(|(node, stock)| all.look(node, stock, &need));
            all
        });
        all.takes(&need, |node| &empty[node])
    }

    /// The chunks of a job's demand that fit now.
    fn fitting(&mut self, row: &Row, need: &Need<'_>) -> &Fitting {
        if self.changed.len() > 4 * self.stocks.len() + 1024 || self.fitting.len() > MOST {
            self.changed.clear();
            self.fitting = OrderedMap::new();
        }
        let (stocks, changed, resources) = (&self.stocks, &self.changed, self.resources);
        let all = self.fitting.entry(row.demand).or_insert_with(|| {
            let mut all = Fitting::of(has_features(resources, need.demand));
            (0..stocks.len()).for_each(|node| all.look(node, &stocks[node], need));
            all.seen = changed.len();
            all
        });
        for &node in &changed[all.seen..] {
            all.look(node, &stocks[node], need);
        }
        all.seen = changed.len();
        all
    }

    /// Returns true if a job fits.
    pub(super) fn fits(&mut self, row: &Row) -> bool {
        let need = Need::of(row, self.resources);
        self.fitting(row, &need);
        self.fitting[&row.demand].takes(&need, |node| &self.stocks[node])
    }

    /// The first of these ends of running jobs at which a job fits that does not fit now.
    pub(super) fn shadow(&mut self, row: &Row, running: &OrderedSet<(SimTime, usize)>) -> Option<SimTime> {
        let need = Need::of(row, self.resources);
        let mut all = self.fitting(row, &need).clone();
        let mut later: OrderedMap<usize, Stock> = OrderedMap::new();
        let ends: Vec<(SimTime, usize)> = running.iter().copied().collect();
        for instant in ends.chunk_by(|one, other| one.0 == other.0) {
            for share in instant.iter().filter_map(|(_, job)| self.held.get(job)).flatten() {
                let node = share.node as usize;
                let stock = later.entry(node).or_insert_with(|| self.stocks[node].clone());
                stock.give(share);
                all.look(node, stock, &need);
            }
            if all.takes(&need, |node| later.get(&node).unwrap_or(&self.stocks[node])) {
                return Some(instant[0].0);
            }
        }
        None
    }
}
