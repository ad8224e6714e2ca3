//! `usage.csv` against `jobs.csv` and `attempts.csv`: the processors in use at each instant, a
//! shared one once.

use crate::check::Violation;
use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::output::RowFile;
use crate::rows::UsageRow;

/// Instants at which the rows change the number of processors in use otherwise than the jobs do;
/// `spans` are those of the jobs.
///
/// # Errors
/// The first cell that cannot be read.
pub(super) fn rows(spans: &[(SimTime, SimTime, u64)], text: &str) -> Result<Vec<Violation>, String> {
    // by how much the rows say more than the jobs, from each instant on
    let mut excess: OrderedMap<SimTime, i128> = OrderedMap::new();
    let mut add = |from: SimTime, to: SimTime, procs: i128| {
        *excess.entry(from).or_default() += procs;
        *excess.entry(to).or_default() -= procs;
    };
    RowFile::<UsageRow>::new(text)?.each(|UsageRow { from, to, processors }, _| {
        add(from, to, processors.into());
        Ok(())
    })?;
    for &(from, to, procs) in spans {
        add(from, to, -i128::from(procs));
    }
    let changes = excess.into_iter().filter(|(_, more)| *more != 0);
    let broken = |(at, more): (SimTime, i128)| {
        let what = format!("the processors in use change there by {more} more than the jobs make them");
        Violation::of_no_job(at, what)
    };
    Ok(changes.map(broken).collect())
}
