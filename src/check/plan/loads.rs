//! Loads that were drawn, as `loads.csv` has them, and when work ends under them.

use crate::collections::OrderedMap;
use crate::kernel::{SimDuration, SimTime};

use super::PlatformFacts;
use super::rows::{each_row, instant, wrong};

/// A value, and until when it holds; for ever if nothing is said.
pub(in crate::check) type Holds = (f64, Option<SimTime>);

/// What loads leave of hosts and links.
#[derive(Debug, Default)]
pub(super) struct Loads {
    hosts: OrderedMap<usize, Vec<(SimTime, f64)>>,
    links: OrderedMap<usize, Vec<(SimTime, f64)>>,
}

impl Loads {
    /// Reads the file.
    ///
    /// # Errors
    /// The first row that is none of a load, and where.
    pub(super) fn read(text: &str, platform: &dyn PlatformFacts) -> Result<Self, String> {
        const FILE: &str = "loads.csv";
        let mut loads = Loads::default();
        each_row(FILE, text, ["resource", "name", "from", "available"], |row| {
            let (resource, name) = (row.cells[0], row.cells[1].text());
            let (of, number) = match resource.raw() {
                "host" => (&mut loads.hosts, platform.host(&name)),
                "link" => (&mut loads.links, platform.link(&name)),
                other => {
                    return Err(wrong(FILE, &resource.place(), &format!("`{other}` is no host and no link")));
                }
            };
            let what = format!("there is no {} `{name}`", resource.raw());
            let number = number.ok_or_else(|| wrong(FILE, &row.cells[1].place(), &what))?;
            let (from, available) = (row.read(2, "time", instant)?, row.number(3)?);
            let values = of.entry(number).or_default();
            let is_next = match values.last() {
                None => from == SimTime::ZERO,
                Some((last, _)) => *last < from,
            };
            if !is_next || available < 0.0 {
                let what = "loads begin at 0, their times rise, and none leaves less than nothing";
                return Err(wrong(FILE, &row.cells[2].place(), what));
            }
            values.push((from, available));
            Ok(())
        })?;
        Ok(loads)
    }

    /// The share of its speed that a host has; nothing if the file has no load of it.
    pub(super) fn of_host(&self, host: usize, at: SimTime) -> Option<Holds> {
        at_instant(self.hosts.get(&host)?, at)
    }

    /// The bandwidth that a link has.
    pub(super) fn of_link(&self, link: usize, at: SimTime) -> Option<Holds> {
        at_instant(self.links.get(&link)?, at)
    }
}

pub(in crate::check) fn at_instant(values: &[(SimTime, f64)], at: SimTime) -> Option<Holds> {
    let next = values.partition_point(|(from, _)| *from <= at);
    let (_, value) = values.get(next.checked_sub(1)?)?;
    Some((*value, values.get(next).map(|(from, _)| *from)))
}

/// When so much is done at a rate that changes, if it is ever done, and the rate is known.
pub(in crate::check) fn finish(
    start: SimTime,
    work: f64,
    rate: impl Fn(SimTime) -> Option<Holds>,
) -> Option<SimTime> {
    let (mut at, mut left) = (start, work);
    loop {
        let (value, until) = rate(at)?;
        let gathered = until.map(|until| value * until.since(at).as_secs_f64());
        match until.zip(gathered) {
            Some((until, gathered)) if gathered < left => (at, left) = (until, left - gathered),
            _ if left <= 0.0 => return Some(at),
            _ if value > 0.0 => return Some(at.saturating_add(SimDuration::ceil_ratio(left, value))),
            _ => return None,
        }
    }
}

/// Whether two instants are the same but for the rounding of what was added up.
pub(in crate::check) fn is_same(one: SimTime, other: SimTime) -> bool {
    one.max(other).since(one.min(other)) <= SimDuration::from_nanos(1)
}
