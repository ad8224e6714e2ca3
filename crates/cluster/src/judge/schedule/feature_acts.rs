//! Features of another crate: no job runs while one holds it, and what one rejects or ends has left
//! then.
//!
//! What such a feature is to do is not known here; what it did stands in `features.csv`. A job that
//! was held is considered from the instant on at which the last feature has let it go.

use crate::collections::OrderedMap;
use crate::kernel::SimTime;
use crate::output::RowFile;
use crate::rows::FeatureRow;

use super::{Attempt, Row, ScheduledJobs, Violation};

/// Act of a feature on a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Act {
    kind: ActKind,
    from: SimTime,
    /// [`SimTime::MAX`] if it was not over when the run was.
    to: SimTime,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ActKind {
    Held,
    Started,
    Rejected,
    Ended,
}

/// Acts of features on jobs, by the numbers and submissions of these, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FeatureActs(OrderedMap<(u64, SimTime), Vec<Act>>);

impl FeatureActs {
    /// Reads the text of a `features.csv`.
    ///
    /// # Errors
    /// Which line cannot be read.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut acts = FeatureActs::default();
        RowFile::<FeatureRow<'_>>::new(text)?.each(|row, line| {
            let kind = match row.action.0 {
                "held" => ActKind::Held,
                "started" => ActKind::Started,
                "rejected" => ActKind::Rejected,
                "ended" => ActKind::Ended,
                _ => return Err(line.wrong("the action is none")),
            };
            let to = row.to.unwrap_or(SimTime::MAX);
            if row.submitted > row.from || row.from > to {
                return Err(
                    line.wrong("the action does not go from the submission over its beginning to its end")
                );
            }
            acts.0.entry((row.job, row.submitted)).or_default().push(Act { kind, from: row.from, to });
            Ok(())
        })?;
        Ok(acts)
    }

    fn of(&self, job: (u64, SimTime), kind: ActKind) -> impl Iterator<Item = &Act> {
        self.0.get(&job).into_iter().flatten().filter(move |act| act.kind == kind)
    }

    /// Instant from which on a job is considered that could be from `from` on, and waits until
    /// `until` at the latest.
    pub(in crate::judge) fn considered(&self, job: (u64, SimTime), from: SimTime, until: SimTime) -> SimTime {
        let held = self.of(job, ActKind::Held).filter(|act| act.from >= from && act.from <= until);
        held.map(|act| act.to.min(until)).max().unwrap_or(from)
    }

    /// Instant at which a feature rejected a job, if one did.
    pub fn rejected(&self, job: (u64, SimTime)) -> Option<SimTime> {
        self.of(job, ActKind::Rejected).map(|act| act.from).next()
    }

    /// Instant at which a job is refused that could be considered from `from` on: when a feature
    /// rejects it; else, as `inside` says, from when the last feature has let it go, or then.
    pub fn refused_at(
        &self,
        job: (u64, SimTime),
        from: SimTime,
        inside: impl Fn(SimTime) -> Option<SimTime>,
    ) -> SimTime {
        let considered = || self.considered(job, from, SimTime::MAX);
        self.rejected(job).unwrap_or_else(|| inside(considered()).unwrap_or_else(considered))
    }

    /// Returns true if features had jobs started.
    pub(in crate::judge) fn start_jobs(&self) -> bool {
        self.0.values().flatten().any(|act| act.kind == ActKind::Started)
    }

    /// Returns true if a feature ended the run of a job at its end.
    pub(super) fn ended(&self, row: &Row) -> bool {
        self.of((row.number, row.submit_time), ActKind::Ended).any(|act| act.from == row.end)
    }
}

/// Puts into the rows when their jobs were considered, with the first of their runs in `attempts`.
pub(super) fn hold(schedule: &mut ScheduledJobs, acts: &FeatureActs, attempts: &[Attempt]) {
    if acts.0.is_empty() {
        return;
    }
    let mut first: OrderedMap<(u64, SimTime), SimTime> = OrderedMap::new();
    for attempt in attempts {
        first.entry((attempt.number, attempt.submit_time)).or_insert(attempt.start);
    }
    for row in schedule.ran.iter_mut().chain(&mut schedule.cancelled) {
        let key = (row.number, row.submit_time);
        let until = first.get(&key).copied().unwrap_or(row.start);
        row.considered = acts.considered(key, row.considered, until);
    }
}

/// No run of a job begins or goes on while a feature holds it; one that a feature has started
/// starts then, one that is rejected has not run after that, and one whose run is ended is killed
/// then.
pub fn acts_kept(schedule: &ScheduledJobs, acts: &FeatureActs, attempts: &[Attempt]) -> Vec<Violation> {
    let mut runs: OrderedMap<(u64, SimTime), Vec<(SimTime, SimTime)>> = OrderedMap::new();
    for one in attempts {
        runs.entry((one.number, one.submit_time)).or_default().push((one.start, one.end));
    }
    let mut killed: OrderedMap<(u64, SimTime), SimTime> = OrderedMap::new();
    for row in &schedule.ran {
        runs.entry((row.number, row.submit_time)).or_default().push((row.start, row.end));
        if row.killed {
            killed.insert((row.number, row.submit_time), row.end);
        }
    }
    let mut violations = Vec::new();
    for (&key, acts) in &acts.0 {
        let own = runs.get(&key).map_or(&[][..], Vec::as_slice);
        let mut broken =
            |at, what: &str| violations.push(Violation { job: key.0, at, what: what.to_owned() });
        for act in acts {
            match act.kind {
                ActKind::Held => {
                    if let Some(run) = own.iter().find(|run| run.0 < act.to && run.1 > act.from) {
                        broken(run.0, "it runs while a feature holds it");
                    }
                }
                ActKind::Started => {
                    if own.iter().all(|run| run.0 != act.from) {
                        broken(act.from, "it does not start, though a feature has it started");
                    }
                }
                ActKind::Rejected => {
                    if let Some(run) = own.iter().find(|run| run.1 > act.from) {
                        broken(run.0, "it runs, though a feature has rejected it");
                    }
                }
                ActKind::Ended => {
                    if killed.get(&key) != Some(&act.from) {
                        broken(act.from, "it is not killed, though a feature ends its run");
                    }
                }
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::super::row;
    use super::*;
    use crate::kernel::SimDuration;

    const HEAD: &str = "job_id,submission_time,feature,kind,action,from,to\n";

    fn acts(rows: &str) -> FeatureActs {
        FeatureActs::read(&[HEAD, rows].concat()).expect("readable")
    }

    #[test]
    fn a_job_is_considered_when_the_last_feature_lets_it_go() {
        // held by two features in turn, and again after an interruption at 30
        let text = "1,0,1,a,held,0,0.000000004\n1,0,2,b,held,0.000000004,0.000000009\n\
                    1,0,1,a,held,0.00000003,0.00000004\n";
        let at = SimTime::from_nanos;
        let acts = acts(text);
        let considered = |from, until| acts.considered((1, at(0)), at(from), at(until)).as_nanos();
        assert_eq!([considered(0, 10), considered(30, 50), considered(41, 50)], [9, 40, 41]);
        let refused = |inside: Option<u64>| {
            let later = |from: SimTime| Some(from + SimDuration::from_nanos(inside?));
            acts.refused_at((1, at(0)), at(0), later).as_nanos()
        };
        assert_eq!([refused(None), refused(Some(2))], [40, 42]);
        // cancelled while it was held
        assert_eq!(considered(0, 6), 6);
        assert_eq!(acts.considered((2, at(0)), at(3), at(9)), at(3));
    }

    #[test]
    fn runs_of_jobs_that_are_held_rejected_or_not_ended_are_found() {
        let killed = Row { killed: true, ..row(1, 0, 9, 5, (0, 0)) };
        let schedule = ScheduledJobs { ran: vec![killed], ..ScheduledJobs::default() };
        let count = |text: &str| acts_kept(&schedule, &acts(text), &[]).len();
        let good = "1,0,1,a,held,0,0.000000009\n1,0,1,a,ended,0.000000014,0.000000014\n";
        assert_eq!(count(good), 0);
        assert_eq!(count("1,0,1,a,held,0,0.00000001\n"), 1);
        assert_eq!(count("1,0,1,a,held,0.000000003,\n"), 1);
        assert_eq!(count("1,0,1,a,held,0,0.000000009\n1,0,1,a,started,0.000000009,0.000000009\n"), 0);
        assert_eq!(count("1,0,1,a,started,0.000000008,0.000000008\n"), 1);
        assert_eq!(count("1,0,1,a,rejected,0,0\n"), 1);
        assert_eq!(count("1,0,1,a,ended,0.000000013,0.000000013\n"), 1);
        assert!(FeatureActs::read(&[HEAD, "1,5,1,a,held,4,6\n"].concat()).is_err());
        assert!(FeatureActs::read(&[HEAD, "1,5,1,a,kept,5,6\n"].concat()).is_err());
    }
}
