//! Pools: no more of a pool is held than there is, and than reservations leave.
//!
//! A job holds its amounts from the start to the end of each of its runs. What each asks for is in
//! the schedule as a text, and is compared with the workload where that is known. In the span of a
//! reservation that holds some of a pool no job outside it starts with that, and jobs inside hold
//! no more.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::workload::Job;
use crate::workload::resources::amounts_of_pools;

use super::changes::holds;
use super::{RequestedReservation, Row, Violation, violation_of};

/// Amount of a pool, by its number.
pub(super) type Amount = (usize, u32);

/// Amounts of pools that a reservation holds, once for each time that it takes place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ReservedAmounts {
    pub(super) what: RequestedReservation,
    pub(super) amounts: Vec<Amount>,
}

/// Pools of a site, and what jobs ask of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PoolSupply {
    pools: Vec<(String, u32)>,
    /// Amounts of each list that jobs state, in the order of the numbers of the lists.
    lists: Vec<Vec<Amount>>,
    /// Amounts that are reserved.
    pub(super) reserved: Vec<ReservedAmounts>,
}

impl PoolSupply {
    /// These pools, and jobs that state these lists. A pool that a list names and that there is not
    /// is one of nothing.
    pub fn new<'a>(pools: impl IntoIterator<Item = (&'a str, u32)>, lists: &[String]) -> Self {
        let pools = pools.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
        let mut all = PoolSupply { pools, lists: Vec::new(), reserved: Vec::new() };
        for text in lists {
            let amounts = amounts_of_pools(text).unwrap_or_default();
            let of = |(name, amount): (&str, u32)| (all.place(name), amount);
            let list = amounts.into_iter().map(of).filter(|&(_, amount)| amount > 0).collect();
            all.lists.push(list);
        }
        all
    }

    /// The same with what reservations hold.
    #[must_use]
    pub fn reserving(
        mut self,
        requested: &[RequestedReservation],
        amounts: &OrderedMap<u32, Vec<(String, u32)>>,
    ) -> Self {
        for what in requested {
            let Some(own) = amounts.get(&what.which.0) else { continue };
            let amounts = own.iter().map(|(name, amount)| (self.place(name), *amount)).collect();
            self.reserved.push(ReservedAmounts { what: *what, amounts });
        }
        self
    }

    /// Amount of a pool that the reservation of this number holds.
    fn share(&self, number: u32, pool: usize) -> u64 {
        let own = self.reserved.iter().find(|one| one.what.which.0 == number);
        let own = own.into_iter().flat_map(|one| &one.amounts).filter(|(other, _)| *other == pool);
        own.map(|(_, amount)| u64::from(*amount)).sum()
    }

    /// Amount of a pool that reservations hold at an instant.
    fn reserved_at(&self, pool: usize, at: SimTime) -> u64 {
        let live = self.reserved.iter().filter(|one| one.what.from <= at && at < one.what.to);
        let own = live.flat_map(|one| &one.amounts).filter(|(other, _)| *other == pool);
        own.map(|(_, amount)| u64::from(*amount)).sum()
    }

    fn place(&mut self, name: &str) -> usize {
        let known = self.pools.iter().position(|(other, _)| other == name);
        known.unwrap_or_else(|| {
            self.pools.push((name.to_owned(), 0));
            self.pools.len() - 1
        })
    }

    /// Amounts that a job asks for.
    pub(super) fn of(&self, row: &Row) -> &[Amount] {
        row.pools.and_then(|list| self.lists.get(list as usize)).map_or(&[], Vec::as_slice)
    }

    /// The same with their names.
    pub(super) fn named(&self, row: &Row) -> impl Iterator<Item = (&str, u32)> {
        self.of(row).iter().map(|&(pool, amount)| (self.pools[pool].0.as_str(), amount))
    }

    /// All there is of each.
    pub(super) fn counts(&self) -> impl Iterator<Item = i64> {
        self.pools.iter().map(|(_, count)| i64::from(*count))
    }

    /// Returns true if there is as much of each pool as a job asks for.
    pub(super) fn could_take(&self, row: &Row) -> bool {
        self.of(row).iter().all(|&(pool, amount)| amount <= self.pools[pool].1)
    }
}

/// No more of a pool is held than there is and than reservations leave; rows are all runs of all
/// jobs, and `inside` gives the number of the reservation inside which one is.
///
/// # Complexity
/// n log n, and for each start a look at each reservation that holds some of a pool.
pub fn in_pools(rows: &[Row], supply: &PoolSupply, inside: impl Fn(&Row) -> Option<u32>) -> Vec<Violation> {
    let mut held = vec![0_u64; supply.pools.len()];
    let mut reserved: OrderedMap<(u32, usize), u64> = OrderedMap::new();
    let mut violations = Vec::new();
    for (at, starts, place) in holds(rows) {
        let row = &rows[place];
        for &(pool, amount) in supply.of(row) {
            let of = inside(row);
            let own = of.map_or(&mut held[pool], |number| reserved.entry((number, pool)).or_default());
            if !starts {
                *own -= u64::from(amount);
                continue;
            }
            *own += u64::from(amount);
            let (own, (name, count)) = (*own, &supply.pools[pool]);
            let (most, what) = match of {
                Some(number) => {
                    let share = supply.share(number, pool);
                    let what =
                        format!("jobs inside reservation {number} hold {own} of pool {name}, and it {share}");
                    (share, what)
                }
                None => match supply.reserved_at(pool, at) {
                    0 => {
                        let what = format!("jobs hold {own} of pool {name}, of which there are {count}");
                        (u64::from(*count), what)
                    }
                    reserved => {
                        let left = u64::from(*count).saturating_sub(reserved);
                        let what =
                            format!("jobs hold {own} of pool {name}, of which reservations leave {left}");
                        (left, what)
                    }
                },
            };
            if own > most {
                violations.push(violation_of(row, at, what));
            }
        }
    }
    violations
}

/// Returns true if a job that states these amounts asks for more than a reservation holds.
pub fn asks_beyond(text: &str, share: &[(String, u32)]) -> bool {
    let of = |name: &str| share.iter().find(|(other, _)| other == name).map_or(0, |(_, amount)| *amount);
    amounts_of_pools(text).unwrap_or_default().into_iter().any(|(name, amount)| amount > of(name))
}

/// Rows whose jobs ask for other amounts than the workload says, which has these texts by job.
pub(super) fn other_amounts<'a>(
    rows: impl Iterator<Item = &'a Row>,
    lists: &[String],
    stated: impl Iterator<Item = (&'a Job, Option<&'a str>)>,
) -> Vec<Violation> {
    let mut known: OrderedMap<u64, Vec<Option<&str>>> = OrderedMap::new();
    stated.for_each(|(job, text)| known.entry(job.number).or_default().push(text));
    let mut violations = Vec::new();
    for row in rows {
        let own = row.pools.and_then(|list| lists.get(list as usize)).map(String::as_str);
        if known.get(&row.number).is_some_and(|texts| !texts.contains(&own)) {
            let said = own.unwrap_or("nothing");
            let what = format!("it asks for {said} of pools, which the workload does not say");
            violations.push(violation_of(row, row.submit_time, what));
        }
    }
    violations
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::row;
    use super::*;

    pub(in crate::judge::schedule) fn supply() -> PoolSupply {
        let lists = ["matlab:2", "matlab:1,abaqus", "comsol"].map(str::to_owned);
        PoolSupply::new([("abaqus", 1), ("matlab", 2)], &lists)
    }

    pub(in crate::judge::schedule) fn asking(row: Row, list: u32) -> Row {
        Row { pools: Some(list), ..row }
    }

    #[test]
    fn more_than_there_is_of_a_pool_is_found() {
        let rows = |start| [asking(row(1, 0, 0, 10, (0, 0)), 0), asking(row(2, 0, start, 5, (1, 1)), 1)];
        let none = |_: &Row| None;
        assert_eq!(in_pools(&rows(10), &supply(), none), []);
        let found = in_pools(&rows(9), &supply(), none);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].to_string(),
            "job 2 at 0.000000009 s: jobs hold 3 of pool matlab, of which there are 2"
        );
        // one that there is not
        assert_eq!(in_pools(&[asking(row(1, 0, 0, 1, (0, 0)), 2)], &supply(), none).len(), 1);
        assert!(!supply().could_take(&asking(row(1, 0, 0, 1, (0, 0)), 2)));
        assert!(supply().could_take(&row(1, 0, 0, 1, (0, 0))));
    }
}
