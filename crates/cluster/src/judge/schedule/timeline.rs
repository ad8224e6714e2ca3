//! Free processors over time: a step function that is lowered and raised in spans, and searched for
//! the first span that holds a job.
//!
//! The steps lie in blocks. A block knows the least and the most of its steps, so that a search
//! passes it at a glance, and a change of all its steps is one number.

use crate::kernel::{SimDuration, SimTime};

/// Steps of a block that is cut in two.
const MOST: usize = 64;

/// Free processors from an instant on, up to the next step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Step {
    at: SimTime,
    free: i64,
}

/// Steps that follow each other.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Block {
    steps: Vec<Step>,
    /// Processors that are free beyond those of each step.
    more: i64,
    /// Least and most of the steps, without those.
    least: i64,
    most: i64,
}

impl Block {
    fn of(steps: Vec<Step>, more: i64) -> Self {
        let mut block = Block { steps, more, least: 0, most: 0 };
        block.look_again();
        block
    }

    fn look_again(&mut self) {
        let free = || self.steps.iter().map(|step| step.free);
        (self.least, self.most) = (free().min().unwrap_or(0), free().max().unwrap_or(0));
    }

    fn begins(&self) -> SimTime {
        self.steps.first().map_or(SimTime::MAX, |step| step.at)
    }
}

/// Free processors as a step function of time; too many jobs make it negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Timeline {
    /// In order of time; no block is empty.
    blocks: Vec<Block>,
}

impl Timeline {
    /// So many processors are free at all times.
    pub(super) fn new(free: i64) -> Self {
        Timeline { blocks: vec![Block::of(vec![Step { at: SimTime::ZERO, free }], 0)] }
    }

    /// Forgets everything before an instant.
    pub(super) fn advance(&mut self, now: SimTime) {
        let gone = self.blocks[1..].iter().take_while(|block| block.begins() <= now).count();
        self.blocks.drain(..gone);
        let steps = &mut self.blocks[0].steps;
        let past = steps.partition_point(|step| step.at <= now).saturating_sub(1);
        if past > 0 {
            steps.drain(..past);
            self.blocks[0].look_again();
        }
    }

    /// Makes so many processors more free in a span, or fewer.
    pub(super) fn change(&mut self, from: SimTime, to: SimTime, by: i64) {
        if from >= to || by == 0 {
            return;
        }
        let (first, begins) = self.cut(from);
        let mut last = first;
        for place in first..self.blocks.len() {
            last = place;
            let next = self.blocks.get(place + 1).map_or(SimTime::MAX, Block::begins);
            let skip = if place == first { begins } else { 0 };
            if skip == 0 && next <= to {
                self.blocks[place].more += by;
            } else {
                // the last of them may be divided, and then holds the end as well
                self.change_in(place, skip, to, by);
            }
            if next >= to {
                break;
            }
        }
        self.divide(last);
        if first < last {
            self.divide(first);
        }
        self.join(to);
        self.join(from);
    }

    /// As [`Timeline::change`], in one block from a step on.
    fn change_in(&mut self, place: usize, skip: usize, to: SimTime, by: i64) {
        let ends_here = self.blocks.get(place + 1).is_none_or(|next| next.begins() > to);
        let block = &mut self.blocks[place];
        let end = block.steps.partition_point(|step| step.at < to);
        let is_cut = block.steps.get(end).is_none_or(|step| step.at > to);
        if is_cut && ends_here && to < SimTime::MAX {
            let free = block.steps[end - 1].free;
            block.steps.insert(end, Step { at: to, free });
        }
        block.steps[skip..end].iter_mut().for_each(|step| step.free += by);
        block.look_again();
    }

    /// Lets a step begin at an instant: its block and its place there.
    fn cut(&mut self, at: SimTime) -> (usize, usize) {
        let place = self.blocks.partition_point(|block| block.begins() <= at).saturating_sub(1);
        let steps = &mut self.blocks[place].steps;
        let next = steps.partition_point(|step| step.at <= at);
        let Some(before) = next.checked_sub(1) else { return (place, 0) };
        if steps[before].at == at {
            return (place, before);
        }
        let free = steps[before].free;
        steps.insert(next, Step { at, free });
        (place, next)
    }

    /// Drops a step that begins at an instant and changes nothing.
    fn join(&mut self, at: SimTime) {
        let place = self.blocks.partition_point(|block| block.begins() <= at).saturating_sub(1);
        let block = &self.blocks[place];
        let Ok(step) = block.steps.binary_search_by_key(&at, |step| step.at) else { return };
        let own = block.steps[step].free + block.more;
        let before = match step.checked_sub(1) {
            Some(before) => block.steps[before].free + block.more,
            None => {
                let Some(before) = place.checked_sub(1) else { return };
                let before = &self.blocks[before];
                before.steps[before.steps.len() - 1].free + before.more
            }
        };
        if before != own {
            return;
        }
        let block = &mut self.blocks[place];
        block.steps.remove(step);
        block.look_again();
        if block.steps.is_empty() {
            self.blocks.remove(place);
        }
    }

    fn divide(&mut self, place: usize) {
        let block = &mut self.blocks[place];
        if block.steps.len() > MOST {
            let rest = block.steps.split_off(MOST / 2);
            block.look_again();
            let rest = Block::of(rest, block.more);
            self.blocks.insert(place + 1, rest);
        }
    }

    /// The first instant from `from` on, and before `before`, from which `procs` processors are
    /// free for `span`, or up to `clear`, from which on all are.
    fn search(
        &self,
        procs: u32,
        span: SimDuration,
        from: SimTime,
        (before, clear): (SimTime, SimTime),
    ) -> Option<SimTime> {
        let need = i64::from(procs);
        let mut found: Option<SimTime> = None;
        let first = self.blocks.partition_point(|block| block.begins() <= from).saturating_sub(1);
        for block in &self.blocks[first..] {
            let begins = block.begins();
            match found {
                Some(start) if begins >= clear.min(start.saturating_add(span)) => return found,
                None if begins >= before => return None,
                Some(_) if block.least + block.more >= need => continue,
                Some(_) if block.most + block.more < need => {
                    // it is too full from its first step on
                    found = None;
                    continue;
                }
                None if block.most + block.more < need => continue,
                _ => {}
            }
            let skip = block.steps.partition_point(|step| step.at <= from).saturating_sub(1);
            for step in &block.steps[skip..] {
                if let Some(start) = found
                    && step.at >= clear.min(start.saturating_add(span))
                {
                    return found;
                }
                if step.free + block.more < need {
                    found = None;
                } else if found.is_none() {
                    let start = step.at.max(from);
                    if start >= before {
                        return None;
                    }
                    found = Some(start);
                }
            }
        }
        found
    }

    /// The first instant from `from` on from which `procs` processors are free for `span`;
    /// [`SimTime::MAX`] if there is none.
    pub(super) fn earliest(&self, procs: u32, span: SimDuration, from: SimTime) -> SimTime {
        self.search(procs, span, from, (SimTime::MAX, SimTime::MAX)).unwrap_or(SimTime::MAX)
    }

    /// The same before `start`, of a job that has these processors for `span` from `start` on: what
    /// it has itself then is free for it.
    pub(super) fn earlier(
        &self,
        procs: u32,
        span: SimDuration,
        from: SimTime,
        start: SimTime,
    ) -> Option<SimTime> {
        self.search(procs, span, from, (start, start))
    }

    /// Least number of processors that are free in a span from an instant on.
    pub(super) fn least(&self, from: SimTime, span: SimDuration) -> i64 {
        let to = from.saturating_add(span);
        let first = self.blocks.partition_point(|block| block.begins() <= from).saturating_sub(1);
        let mut least = i64::MAX;
        for block in self.blocks[first..].iter().take_while(|block| block.begins() < to) {
            let skip = block.steps.partition_point(|step| step.at <= from).saturating_sub(1);
            let steps = block.steps[skip..].iter().take_while(|step| step.at < to);
            least = steps.map(|step| step.free + block.more).min().unwrap_or(least).min(least);
        }
        least
    }

    /// The first instant after another at which the number changes; [`SimTime::MAX`] if there is
    /// none.
    pub(super) fn next(&self, at: SimTime) -> SimTime {
        let place = self.blocks.partition_point(|block| block.begins() <= at).saturating_sub(1);
        let later = self.blocks[place].steps.iter().find(|step| step.at > at).map(|step| step.at);
        later.unwrap_or_else(|| self.blocks.get(place + 1).map_or(SimTime::MAX, Block::begins))
    }

    /// Returns true if `procs` processors are free for `span` from an instant on.
    pub(super) fn holds(&self, procs: u32, from: SimTime, span: SimDuration) -> bool {
        let next = from.saturating_add(SimDuration::from_nanos(1));
        self.search(procs, span, from, (next, SimTime::MAX)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(nanos: u64) -> SimTime {
        SimTime::from_nanos(nanos)
    }

    fn nanos(nanos: u64) -> SimDuration {
        SimDuration::from_nanos(nanos)
    }

    #[test]
    fn the_first_span_that_holds_a_job_is_found() {
        // 4 free up to 10, 1 up to 20, 6 up to 30, 10 from then on
        let mut line = Timeline::new(10);
        line.change(at(0), at(10), -6);
        line.change(at(10), at(20), -9);
        line.change(at(20), at(30), -4);
        let first = |procs, span, from| line.earliest(procs, nanos(span), at(from)).as_nanos();
        assert_eq!([first(4, 10, 0), first(4, 11, 0), first(1, 99, 3), first(7, 1, 0)], [0, 20, 3, 30]);
        assert_eq!(line.earliest(11, nanos(1), at(0)), SimTime::MAX);
        // one that has its own from 25 on need not find room beyond that
        assert_eq!(line.earlier(6, nanos(9), at(0), at(25)), Some(at(20)));
        assert_eq!(line.earlier(7, nanos(9), at(0), at(25)), None);
        assert!(line.holds(6, at(20), nanos(99)) && !line.holds(6, at(19), nanos(1)));
        let least = |from, span| line.least(at(from), nanos(span));
        assert_eq!([least(0, 10), least(0, 11), least(25, 99), least(30, 1)], [4, 1, 6, 10]);
        assert_eq!([line.next(at(9)), line.next(at(10)), line.next(at(30))], [at(10), at(20), SimTime::MAX]);
        line.change(at(10), at(20), 9);
        line.advance(at(12));
        assert_eq!(line.earliest(6, nanos(19), at(12)).as_nanos(), 12);
    }

    #[test]
    fn many_changes_give_what_a_plain_list_gives() {
        let mut state = 7_u64;
        let mut draw = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let (mut line, mut plain) = (Timeline::new(9), [9_i64; 500]);
        for round in 0..3000 {
            let (from, lasts, by) = (draw(390), 1 + draw(40), draw(7).cast_signed() - 3);
            line.change(at(from), at(from + lasts), by);
            plain[from as usize..(from + lasts) as usize].iter_mut().for_each(|free| *free += by);
            let (procs, span, start) = (draw(12), 1 + draw(30), draw(399));
            let fits = |from: u64| (from..from + span).all(|at| plain[at as usize] >= procs.cast_signed());
            let found = (start..460).find(|&from| fits(from)).map_or(SimTime::MAX, at);
            assert_eq!(line.earliest(procs as u32, nanos(span), at(start)), found, "{round}");
        }
    }
}
