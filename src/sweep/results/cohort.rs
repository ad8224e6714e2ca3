//! Tasks of a parameter sweep as statistics of streams see them.

use crate::kernel::SimDuration;
use crate::measure::cohort::{ListedCohort, Subject};
use crate::sweep::results::bounds::least_seconds;
use crate::sweep::results::record::SweepOutcomes;

impl SweepOutcomes {
    /// The tasks that arrived before the run ended, in their order.
    ///
    /// Work is seconds of a processor of speed 1, of a task by the least of its times; hosts count
    /// with their mean availabilities. The service of a task begins when it would have to on a host
    /// of the greatest speed, all available, with its files there.
    pub fn cohort(&self) -> ListedCohort {
        let grid = &self.grid;
        let fastest = grid.hosts.iter().map(|host| host.speed).fold(0.0, f64::max);
        let capacity =
            grid.hosts.iter().map(|host| host.speed * f64::from(host.processors) * host.availability.mean());
        let came = self.sweep.tasks.iter().zip(&self.tasks).filter(|(task, _)| task.arrival <= self.ended_at);
        let mut cohort = ListedCohort::new(Some(capacity.sum()), &[]);
        for (task, executed) in came {
            let (begin, area) = (task.arrival, least_seconds(task, grid).unwrap_or(0.0));
            let alone = SimDuration::ceil_secs(if fastest > 0.0 { area / fastest } else { 0.0 });
            let late = executed.completed.map(|end| end.since(begin).saturating_sub(alone));
            let (served, end) = (late.map(|late| begin.saturating_add(late)), executed.completed);
            cohort.push(Subject { begin, served, end, area, class: 0, done: end.is_some() }, &[]);
        }
        cohort
    }
}
