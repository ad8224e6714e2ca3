//! Free parts of a node over time, by the estimates of those who hold or are promised something.

use crate::kernel::{SimDuration, SimTime};

use super::stock::{Need, Share, Stock};

/// The stock of a node from an instant on, up to the next.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Step {
    at: SimTime,
    stock: Stock,
}

/// The stock of a node over time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line(Vec<Step>);

impl Line {
    pub(super) fn new(stock: Stock) -> Self {
        Line(vec![Step { at: SimTime::ZERO, stock }])
    }

    /// Forgets everything before an instant.
    pub(super) fn advance(&mut self, now: SimTime) {
        let past = self.place(now);
        self.0.drain(..past);
    }

    /// The step of an instant.
    fn place(&self, at: SimTime) -> usize {
        self.0.partition_point(|step| step.at <= at).saturating_sub(1)
    }

    /// Lets a step begin at an instant.
    fn cut(&mut self, at: SimTime) -> usize {
        let place = self.place(at);
        if self.0[place].at == at {
            return place;
        }
        let stock = self.0[place].stock.clone();
        self.0.insert(place + 1, Step { at, stock });
        place + 1
    }

    /// Changes the stock in a span.
    pub(super) fn change(&mut self, from: SimTime, to: SimTime, change: impl Fn(&mut Stock)) {
        if from >= to {
            return;
        }
        let first = self.cut(from);
        let end = if to < SimTime::MAX { self.cut(to) } else { self.0.len() };
        self.0[first..end].iter_mut().for_each(|step| change(&mut step.stock));
        for place in [end, first] {
            if place > 0 && place < self.0.len() && self.0[place - 1].stock == self.0[place].stock {
                self.0.remove(place);
            }
        }
    }

    pub(super) fn take(&mut self, from: SimTime, to: SimTime, share: &Share) {
        self.change(from, to, |stock| stock.take(share));
    }

    pub(super) fn give(&mut self, from: SimTime, to: SimTime, share: &Share) {
        self.change(from, to, |stock| stock.give(share));
    }

    /// Parts that are free from an instant on for a span.
    pub(super) fn free(&self, from: SimTime, span: SimDuration) -> Stock {
        let (first, to) = (self.place(from), from.saturating_add(span));
        let mut free = self.0[first].stock.clone();
        self.0[first + 1..].iter().take_while(|step| step.at < to).for_each(|step| free.meet(&step.stock));
        free
    }

    /// Shows the chunks that it takes for a span from each instant of [`from`, `before`) at which
    /// that may change, or room for a smaller last one.
    pub(super) fn chunks(
        &self,
        need: &Need<'_>,
        span: SimDuration,
        (from, before): (SimTime, SimTime),
        mut show: impl FnMut(SimTime, i64),
    ) {
        let first = self.place(from);
        let reach = before.saturating_add(span);
        let steps = &self.0[first..];
        let steps = &steps[..steps.partition_point(|step| step.at < reach).max(1)];
        let chunks: Vec<i64> = steps.iter().map(|step| step.stock.chunks(need.demand)).collect();
        // a step is left when it ends, and met by those who reach into it
        let least = SimDuration::from_nanos(1);
        let met = |at: SimTime| {
            let behind = at.saturating_add(least).as_nanos();
            SimTime::from_nanos(behind.saturating_sub(span.as_nanos()))
        };
        let mut instants: Vec<SimTime> = steps.iter().flat_map(|step| [step.at, met(step.at)]).collect();
        instants.retain(|&at| at > from && at < before);
        instants.push(from);
        instants.sort_unstable();
        instants.dedup();
        let mut last = None;
        let mut place = 0;
        for at in instants {
            while steps.get(place + 1).is_some_and(|next| next.at <= at) {
                place += 1;
            }
            let to = at.saturating_add(span);
            let end = place + steps[place..].partition_point(|step| step.at < to).max(1);
            let mut found = chunks[place..end].iter().copied().min().unwrap_or(0);
            if found > 0 && end > place + 1 && !steps[place].stock.is_counted() {
                found = self.free(at, span).chunks(need.demand);
            }
            // a smaller last chunk may come to fit at any of them
            if last != Some(found) || need.rest > 0 {
                last = Some(found);
                show(at, found);
            }
        }
    }

    /// Time for which no job is on it before an instant, counted from `now` on.
    pub(super) fn idle(&self, now: SimTime, at: SimTime) -> SimDuration {
        let Some(before) = at.as_nanos().checked_sub(1).map(SimTime::from_nanos).filter(|&one| one >= now)
        else {
            return SimDuration::ZERO;
        };
        let steps = &self.0[..=self.place(before)];
        let empty = steps.iter().rev().take_while(|step| step.stock.jobs == 0).last();
        empty.map_or(SimDuration::ZERO, |step| at.since(step.at.max(now)))
    }
}

#[cfg(test)]
mod tests {
    use crate::workload::resources::{Demand, Features, NodeKind};

    use super::*;

    #[test]
    fn the_chunks_of_a_span_are_those_of_its_fullest_instant() {
        let (at, nanos) = (SimTime::from_nanos, SimDuration::from_nanos);
        let kind = NodeKind {
            nodes: 1,
            processors: 4,
            memory: NodeKind::ENDLESS,
            gpus: 0,
            features: Features::NONE,
        };
        let whole = Stock::of(&kind, &[], false);
        let need = Need { demand: &Demand::PLAIN, chunks: 1, rest: 0 };
        let share = |procs| whole.share(0, &need, procs, false);
        let mut line = Line::new(whole.clone());
        line.take(at(0), at(10), &share(3));
        line.take(at(20), at(30), &share(4));
        let shown = |span, from, before| {
            let mut all = Vec::new();
            line.chunks(&need, nanos(span), (at(from), at(before)), |at, count| {
                all.push((at.as_nanos(), count));
            });
            all
        };
        assert_eq!(shown(10, 0, 99), [(0, 1), (10, 4), (11, 0), (30, 4)]);
        assert_eq!(shown(11, 2, 30), [(2, 1), (10, 0)]);
        assert_eq!(shown(5, 12, 20), [(12, 4), (16, 0)]);
        // idle from 10 to 20, and from 30 on; at the instant of the search no node is idle yet
        let idle = |now, then| line.idle(at(now), at(then)).as_nanos();
        assert_eq!(
            [idle(0, 10), idle(0, 14), idle(0, 25), idle(0, 33), idle(12, 14), idle(12, 12)],
            [0, 4, 0, 3, 2, 0]
        );
        line.give(at(0), at(10), &share(3));
        line.give(at(20), at(30), &share(4));
        assert_eq!(line, Line::new(whole));
    }
}
