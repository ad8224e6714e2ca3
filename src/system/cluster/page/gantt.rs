//! The Gantt chart of jobs: processors as lanes, jobs as spans of them; behind the jobs, reservations and outages.

use serde_json::Value as Json;

use crate::collections::Interval;
use crate::kernel::SimTime;
use crate::report::html::lanes::{Gantt, Over};
use crate::system::cluster::page::rows::Rows;
use crate::workload::UNKNOWN_ID;

/// The chart of what happened on so many processors between two instants [ns]; null if nothing did.
pub(super) fn gantt(rows: &Rows, procs: u32, from: u64, to: u64) -> Json {
    let at = SimTime::from_nanos;
    let mut gantt = Gantt::default();
    gantt.numbered_lanes(procs, "processor");
    for job in rows.jobs.iter().filter(|job| job.ran()) {
        let mut facts = vec![
            ("wait_ns", job.start - job.submit),
            ("estimate_ns", job.estimate),
            ("processors", u64::from(job.procs)),
        ];
        if job.user != UNKNOWN_ID {
            facts.push(("user", u64::from(job.user)));
        }
        let (name, on) = (job.number.to_string(), rows.intervals(job));
        gantt.span(Over {
            from: at(job.start),
            to: at(job.end),
            on,
            name: &name,
            facts: &facts,
            behind: None,
        });
    }
    for one in &rows.behind {
        let (begin, end) = (one.from.max(from), one.to.unwrap_or(to).min(to));
        if begin < end {
            let on: &[Interval] = &[one.on];
            let behind = Some(one.what);
            gantt.span(Over { from: at(begin), to: at(end), on, name: &one.name, facts: &[], behind });
        }
    }
    gantt.drawn()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::system::cluster::page::behind::of_csv;
    use crate::system::cluster::page::rows::Row;

    use super::*;

    const SEC: u64 = 1_000_000_000;

    #[test]
    fn reservations_and_outages_lie_behind_the_jobs_while_these_last() {
        let mut rows = Rows::default();
        let job = Row { number: 7, end: 10 * SEC, procs: 2, user: UNKNOWN_ID, ..Row::default() };
        rows.push(job, &[Interval::new(0, 1)]);
        rows.behind = of_csv(
            Some("reservation,time,processors,from,to\n1,1,0-3,5,\n"),
            Some("node,processors,from,to\n3,2-3,1,2\n3,2-3,11,12\n"),
        )
        .expect("spans");
        let drawn = gantt(&rows, 4, 0, 10 * SEC);
        assert_eq!((&drawn["spans"], &drawn["rows"], &drawn["unit"]), (&json!(3), &json!(4), &json!(1.0)));
        assert_eq!(drawn["behind"], json!(["reserved", "out of service"]));
        assert_eq!(drawn["lanes"], json!([["processor \u{1}", 0, 0, 0, 4]]));
        assert_eq!(gantt(&Rows::default(), 4, 0, 0), Json::Null);
    }
}
