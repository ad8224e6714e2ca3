//! Loads that were drawn, as `loads.csv` has them.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;

use super::{DrawnLoad, PlatformFacts, Violation};
use crate::check::loads::{Holds, at_instant};
use crate::check::near;
use crate::output::RowFile;
use crate::rows::LoadRow;

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
