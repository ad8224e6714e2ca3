//! The requests of tasks for servers, and the servers that they may try again.
//!
//! A task asks as soon as it is issued or given up; where no server is in question for it, it waits
//! and tries all again. A server that failed it is out of question until it was found up, and one
//! on which it would have been late until all others were tried.

use crate::check::Violation;
use crate::collections::OrderedMap;
use crate::kernel::SimTime;

use super::facts::JudgedStation;
use super::run::{AttemptRow, Run, TaskEnd, TaskRow, of_task};

/// The instants at which each server was read.
type Readings<'a> = OrderedMap<&'a str, Vec<SimTime>>;

/// The servers that a task has given up.
struct Tries<'a> {
    run: &'a Run<'a>,
    task: &'a TaskRow,
    /// `None` where they are not in the files.
    readings: Option<&'a Readings<'a>>,
    given_up: Vec<&'a AttemptRow>,
    /// Since when it asks.
    since: SimTime,
    waits: u64,
}

/// Faults in the instants and servers of attempts.
pub(super) fn judged(run: &Run<'_>, attempts: &[AttemptRow]) -> Vec<Violation> {
    let mut by_task: OrderedMap<u64, Vec<&AttemptRow>> = OrderedMap::new();
    for attempt in attempts {
        by_task.entry(attempt.task).or_default().push(attempt);
    }
    let mut readings = Readings::new();
    for row in run.measurements.iter().flatten().filter(|row| row.series[0] == "load") {
        readings.entry(&row.series[1]).or_default().push(row.time);
    }
    let is_known = run.measurements.is_some() || !run.files.asking.reads_servers;
    let mut found = Vec::new();
    for task in &run.tasks {
        let Some(issued) = task.steps[0] else { continue };
        let readings = is_known.then_some(&readings);
        let mut tries = Tries { run, task, readings, given_up: Vec::new(), since: issued, waits: 0 };
        for attempt in by_task.get(&task.number).into_iter().flatten() {
            tries.go(attempt.decided, Some(&attempt.server), &mut found);
            tries.given_up.retain(|before| before.server != attempt.server);
            tries.given_up.push(attempt);
            tries.since = attempt.until;
        }
        if let Some(decided) = task.steps[1] {
            tries.go(decided, Some(&*task.server).filter(|_| task.state != TaskEnd::Rejected), &mut found);
        }
    }
    found
}

impl Tries<'_> {
    /// The task is answered.
    fn go(&mut self, decided: SimTime, server: Option<&str>, found: &mut Vec<Violation>) {
        let asking = self.run.files.asking;
        let span = decided.since(self.since);
        let has_waited = match asking.query {
            None => span >= asking.after,
            Some(query) => {
                let (span, turn) = (span.as_nanos(), (asking.after + query).as_nanos());
                let rest = span.checked_sub(query.as_nanos());
                let waits = rest.filter(|rest| *rest == 0 || turn > 0 && rest % turn == 0);
                let waits = waits.map(|rest| rest.checked_div(turn).unwrap_or(0));
                self.waits += waits.unwrap_or(0);
                if waits.is_none() || self.waits > asking.times {
                    let what = "is answered at an instant that no number of waits takes";
                    found.push(of_task(self.task.number, Some(decided), what));
                }
                waits != Some(0)
            }
        };
        // of copies the files have one
        let Some(server) = server.filter(|_| !self.run.files.has_copies) else { return };
        if has_waited {
            return self.given_up.clear();
        }
        let before = self.given_up.iter().find(|before| before.server == server);
        let what = match before {
            Some(before) if before.is_late => {
                let what = (!self.all_were_tried()).then_some("before all others were tried");
                self.given_up.retain(|before| !before.is_late);
                what
            }
            Some(before) => {
                let read = self.readings.map(|readings| readings.get(server).map_or(&[][..], |all| all));
                let is_between = |at: &SimTime| *at > before.until && *at <= decided;
                let is_unread = read.is_some_and(|read| !read.iter().any(is_between));
                is_unread.then_some("before it was found up")
            }
            None => None,
        };
        if let Some(when) = what {
            let what = format!("tries `{server}` again {when}");
            found.push(of_task(self.task.number, Some(decided), &what));
        }
    }

    /// Returns true if each server that never fails, and has the processors, was given up.
    fn all_were_tried(&self) -> bool {
        let (facts, servers) = (self.run.facts, self.run.files.whole.map_or(&[][..], |whole| whole.servers));
        servers.iter().enumerate().all(|(number, server)| {
            let processors = facts.station(JudgedStation::Server(number)).processors;
            facts.fails(number)
                || u64::from(processors) < self.task.processors
                || self.given_up.iter().any(|before| before.server == server.name)
        })
    }
}
