//! A judgement of a finished run as it grows: promises that its rows keep or break, and the numbers
//! of its summary as they are found again.
//!
//! A judge reads rows and computes with code of its own; it calls nothing of the model that made
//! them. Of every number of `summary.json` it says the value, or that the files do not hold it:
//! one that it says nothing of is listed as not checked.

use serde_json::Value as Json;

use crate::check::{JudgedPromise, Recomputation, Violation};
use crate::kernel::SimTime;
use crate::output::{Row, name_of};
use crate::scenario::run_directory::{Checked, RunDirectory};
use crate::scenario::valid::Rejected;

/// A judgement that is being made.
#[derive(Debug)]
pub struct Judging {
    summary: Json,
    promises: Vec<JudgedPromise>,
    /// Numbers of the summary, as they are by the rows.
    pub numbers: Recomputation,
}

impl RunDirectory<'_> {
    /// Begins a judgement of the run: title, seed, digest and events of the summary are known from
    /// the scenario and the manifest.
    ///
    /// # Errors
    /// There is no summary.
    pub fn judging(&self) -> Result<Judging, Box<Rejected>> {
        let mut numbers = Recomputation::default();
        numbers.of_run((&self.scenario.title, self.scenario.seed), self.manifest);
        numbers.value("warm-up", Json::Null);
        Ok(Judging { summary: self.json("summary.json")?, promises: Vec::new(), numbers })
    }
}

impl Judging {
    /// Adds a promise that rows keep unless one of them breaks it: when and how, in words.
    pub fn promise(&mut self, promise: &str, broken: impl IntoIterator<Item = (SimTime, String)>) {
        let violations = broken.into_iter().map(|(at, what)| Violation::of_no_job(at, what));
        self.promises.push((promise.to_owned(), Ok(violations.collect())));
    }

    /// Adds a promise that each row keeps or breaks, with the instant and the words of a broken
    /// one. A row is named by its first column.
    pub fn each<'a, R: Row<'a>>(
        &mut self,
        promise: &str,
        rows: &[R],
        when: impl Fn(&R) -> SimTime,
        is_kept: impl Fn(&R) -> bool,
    ) {
        let broken = rows.iter().filter(|row| !is_kept(row));
        self.promise(promise, broken.map(|row| (when(row), format!("{} breaks it", name_of(row)))));
    }

    /// Adds the metrics of subjects that queue for so many servers, each by the start of its
    /// service and its departure: counts of departures with and without service, and the share of
    /// the servers' time in service, up to the last departure.
    pub fn service(
        &mut self,
        [served, lost, busy]: [&str; 3],
        servers: u32,
        subjects: impl IntoIterator<Item = (Option<SimTime>, Option<SimTime>)>,
    ) {
        let (mut counts, mut seconds, mut last) = ([0, 0], 0.0, SimTime::ZERO);
        for (start, end) in subjects {
            let Some(end) = end else { continue };
            counts[usize::from(start.is_none())] += 1;
            seconds += start.map_or(0.0, |start| end.since(start).as_secs_f64());
            last = last.max(end);
        }
        let whole = f64::from(servers) * last.as_secs_f64();
        self.numbers.count(served, counts[0]);
        self.numbers.count(lost, counts[1]);
        self.numbers.is(busy, (whole > 0.0).then(|| seconds / whole));
    }

    /// Adds mean, median, 95th percentile and maximum of a family, and the half-width of its mean:
    /// of subjects in their order, each with the instant at which it came and its value, if it has
    /// one.
    pub fn spread(&mut self, family: &str, subjects: &[(SimTime, Option<f64>)]) {
        let values = subjects.iter().filter_map(|(_, value)| *value).collect();
        self.numbers.spread(family, values);
        let mean = format!("{family}.mean");
        self.numbers.half_width_of_arrivals(&mean, subjects.iter().copied(), &self.summary);
    }

    /// The outcome, of a run of this extent in words.
    pub fn judged(mut self, about: String) -> Checked {
        self.promises.extend(self.numbers.compare(&self.summary));
        Checked { about, promises: self.promises }
    }
}
