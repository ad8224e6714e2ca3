//! Loads that were drawn, as `loads.csv` has them, and when work ends under them.

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};

use super::{DrawnLoad, PlatformFacts, Violation};
use crate::check::near;
use crate::output::RowFile;
use crate::rows::dag::LoadRow;

/// A value, and until when it holds; for ever if nothing is said.
pub(in crate::check) type Holds = (f64, Option<SimTime>);

/// The shares that loads leave of hosts and links.
#[derive(Debug, Default)]
pub(super) struct Loads {
    of: OrderedMap<DrawnLoad, Vec<(SimTime, f64)>>,
}

impl Loads {
    /// Reads the file.
    ///
    /// # Errors
    /// The first row that is none of a load, and where.
    pub(super) fn read(text: &str, platform: &dyn PlatformFacts) -> Result<Self, String> {
        let mut loads = Loads::default();
        RowFile::<LoadRow<'_>>::new(text)?.each(|row, line| {
            let LoadRow { resource, name, from, available } = row;
            let is_host = |text: &str| {
                [("host", true), ("link", false)]
                    .iter()
                    .find(|(word, _)| *word == text)
                    .map(|(_, is_host)| *is_host)
            };
            let is_host = line.find(&resource, "host and no link", is_host)?;
            let of = |name: &str| {
                if is_host {
                    platform.host(name).map(DrawnLoad::Host)
                } else {
                    platform.link(name).map(DrawnLoad::Link)
                }
            };
            let of = line.find(&name, &resource, of)?;
            let values = loads.of.entry(of).or_default();
            let is_next = match values.last() {
                None => from == SimTime::ZERO,
                Some((last, _)) => *last < from,
            };
            if !is_next || available < 0.0 {
                let what = "loads begin at 0, their times rise, and none leaves less than nothing";
                return Err(line.wrong(what));
            }
            values.push((from, available));
            Ok(())
        })?;
        Ok(loads)
    }

    /// The share of its speed that a host has; nothing if the file has no load of it.
    pub(super) fn of_host(&self, host: usize, at: SimTime) -> Option<Holds> {
        at_instant(self.of.get(&DrawnLoad::Host(host))?, at)
    }

    /// The bandwidth that a link has.
    pub(super) fn of_link(&self, link: usize, at: SimTime) -> Option<Holds> {
        at_instant(self.of.get(&DrawnLoad::Link(link))?, at)
    }

    /// Differences of the loads from those that the seed draws.
    pub(super) fn against(&self, platform: &dyn PlatformFacts) -> Vec<Violation> {
        let hosts = (0..platform.hosts()).map(DrawnLoad::Host);
        let all = hosts.chain((0..platform.links()).map(DrawnLoad::Link));
        let mut found = Vec::new();
        for of in all {
            let rows = self.of.get(&of).map_or(&[][..], |rows| rows);
            if platform.drawn(of, SimTime::ZERO).is_some() && rows.is_empty() {
                let what = format!("{of:?} has a load that was drawn, and no rows");
                found.push(Violation::of_no_job(SimTime::ZERO, what));
            }
            let mut next = Some(SimTime::ZERO);
            for &(from, available) in rows {
                let drawn = platform.drawn(of, from);
                let is_right = drawn.is_some_and(|(value, _)| near(value, available));
                if !is_right || next != Some(from) {
                    let what = format!("loads.csv has {available} of {of:?}, which was not drawn");
                    found.push(Violation::of_no_job(from, what));
                }
                next = drawn.and_then(|(_, until)| until);
            }
        }
        found
    }
}

pub(in crate::check) fn at_instant(values: &[(SimTime, f64)], at: SimTime) -> Option<Holds> {
    let next = values.partition_point(|(from, _)| *from <= at);
    let (_, value) = values.get(next.checked_sub(1)?)?;
    Some((*value, values.get(next).map(|(from, _)| *from)))
}

/// The instant at which `work` is done at a rate that changes; `None` if it never is, or the rate
/// is not known.
pub(in crate::check) fn finish(
    start: SimTime,
    work: f64,
    rate: impl Fn(SimTime) -> Option<Holds>,
) -> Option<SimTime> {
    /// Changes of a rate that may be 0 in turn, for ever.
    const MOST_CHANGES: usize = 10_000_000;
    let (mut at, mut left) = (start, work);
    for _ in 0..MOST_CHANGES {
        let (value, until) = rate(at)?;
        let gathered = until.map(|until| value * until.since(at).as_secs_f64());
        match until.zip(gathered) {
            Some((until, gathered)) if gathered < left => (at, left) = (until, left - gathered),
            _ if left <= 0.0 => return Some(at),
            _ if value > 0.0 => return Some(at.saturating_add(SimDuration::ceil_ratio(left, value))),
            _ => return None,
        }
    }
    None
}

/// Returns true if two instants are the same but for the rounding of what was added up.
pub(in crate::check) fn is_same(one: SimTime, other: SimTime) -> bool {
    one.max(other).since(one.min(other)) <= SimDuration::from_nanos(1)
}

/// Returns true if work that starts then may end so: exactly where its rate stays, else but for the
/// rounding of what was added up.
pub(in crate::check) fn is_end(
    (start, end): (SimTime, SimTime),
    work: f64,
    right: Option<SimTime>,
    rate: impl Fn(SimTime) -> Option<Holds>,
) -> bool {
    let Some(right) = right else { return false };
    let stays = rate(start).is_some_and(|(_, until)| until.is_none_or(|until| until >= right));
    if right == end || !stays && is_same(right, end) {
        return true;
    }
    // over many changes sums are off by more than a nanosecond, or a standstill lies between
    let off = work * (1.0 + 1e-12) - work;
    !stays && {
        let [early, late] = [work - off, work + off].map(|work| finish(start, work, &rate));
        let is_from = |early: SimTime| early <= end || is_same(early, end);
        early.is_some_and(is_from) && late.is_none_or(|late| end <= late || is_same(late, end))
    }
}
