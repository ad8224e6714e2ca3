//! The report of one run: what goes into its page.

mod behind;
mod gantt;
mod grid;
mod rows;

use serde_json::{Value as Json, json};

use crate::report::html::curve::{curve, rounded};
use crate::report::html::levels::levels;
use crate::report::html::page::page;

use gantt::gantt;
use grid::{bounded_slowdown, heat, users};
use rows::Row;

pub use rows::Rows;

const SCRIPT: &str = concat!(
    include_str!("../../../report/html/profile.js"),
    include_str!("../../../report/html/unpack.js"),
    include_str!("../../../report/html/lanes.js"),
    include_str!("../../../report/html/shares.js"),
    include_str!("page.js")
);

/// Equal spans of time in which levels are drawn.
const SPANS: usize = 720;

const NANOS_PER_SEC: f64 = 1e9;

/// What a run's page tells beside its jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    /// `summary.json`.
    pub(super) summary: &'a Json,
    /// What outputs call the workload.
    pub(super) workload: &'a str,
    /// Processors of the machine.
    pub(super) procs: u32,
    /// The scenario with every default filled in.
    pub(super) resolved: &'a str,
}

/// The page of a run.
pub(super) fn draw(about: &About<'_>, rows: &Rows) -> Vec<u8> {
    let summary = about.summary;
    let title = summary["title"].as_str().unwrap_or_default();
    let accepted = || rows.jobs.iter().filter(|row| row.ran());
    let observed = || accepted().filter(|row| row.observed);
    let from = accepted().map(|row| row.submit).min().unwrap_or(0);
    let to = accepted().map(|row| row.end).max().unwrap_or(from);
    let in_use =
        accepted().flat_map(|row| [(row.start, i64::from(row.procs)), (row.end, -i64::from(row.procs))]);
    let queue = accepted().flat_map(|row| [(row.submit, 1), (row.start, -1)]);
    let secs = |nanos: u64| rounded(nanos as f64 / NANOS_PER_SEC);
    let spans = |of: fn(&Row) -> u64| -> Vec<f64> {
        observed().map(|row: &Row| of(row) as f64 / NANOS_PER_SEC).collect()
    };
    let mut waits = spans(|row| row.start - row.submit);
    let mut responses = spans(|row| row.end - row.submit);
    let mut slowdowns: Vec<f64> = observed().map(bounded_slowdown).collect();
    let data = json!({
        "schema": "clustersim/run-report/1",
        "version": env!("CARGO_PKG_VERSION"),
        "title": title,
        "seed": summary["seed"],
        "digest": summary["digest"],
        "events": summary["events"],
        "workload": about.workload,
        "processors": about.procs,
        "metrics": summary["metrics"],
        "warnings": summary["warnings"],
        "notes": summary["notes"],
        "classes": summary["classes"],
        "from": secs(from),
        "to": secs(to),
        "observed-from": rows.observed_from.map(secs),
        "observed": waits.len(),
        "utilization": levels(in_use.collect(), from, to, SPANS).to_json(f64::from(about.procs)),
        "queue": levels(queue.collect(), from, to, SPANS).to_json(1.0),
        "wait": curve(&mut waits),
        "response": curve(&mut responses),
        "slowdown": curve(&mut slowdowns),
        "heat": heat(observed()),
        "users": users(observed()),
        "scenario": about.resolved,
        "gantt": gantt(rows, about.procs, from, to),
    });
    page(title, &data, SCRIPT)
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::system::cluster::page::rows::Row;

    use super::*;

    const SEC: u64 = 1_000_000_000;

    fn rows(count: u64) -> Rows {
        let mut rows = Rows::default();
        for number in 0..count {
            let mix = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let submit = number * 97 * SEC + mix;
            let start = submit + mix % 90_000 * SEC + mix;
            let job = Row {
                place: number as u32,
                number: number + 1,
                submit,
                start,
                end: start + (mix % 50_000 + 1) * SEC / 3,
                estimate: (mix % 90_000 + 1) * SEC,
                procs: 5,
                user: (mix % 500) as u32,
                observed: true,
                ..Row::default()
            };
            let first = (mix % 90) as u32;
            rows.push(job, &[Interval::new(first, first + 1), Interval::new(first + 3, first + 5)]);
        }
        rows
    }

    fn drawn(rows: &Rows) -> Vec<u8> {
        let summary = json!({ "title": "a </script> of <b>jobs</b>", "seed": 1, "metrics": {} });
        draw(&About { summary: &summary, workload: "w", procs: 100, resolved: "title = \"t\"\n" }, rows)
    }

    #[test]
    fn a_hundred_thousand_jobs_take_less_than_five_megabytes() {
        let bytes = drawn(&rows(100_000));
        assert!(bytes.len() < 5_000_000, "{} bytes", bytes.len());
    }

    #[test]
    fn the_same_jobs_give_the_same_bytes_and_others_do_not() {
        assert!(drawn(&rows(500)) == drawn(&rows(500)));
        assert!(drawn(&rows(500)) != drawn(&rows(501)));
    }

    #[test]
    fn a_run_without_jobs_has_a_page() {
        let text = String::from_utf8(drawn(&Rows::default())).expect("text");
        assert!(text.contains("&lt;/script&gt;") && text.ends_with("</html>\n"));
    }
}
