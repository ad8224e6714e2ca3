//! Estimation: what a scheduler predicts of links and hosts, in its [`predictions`], and what it
//! [knows](known) of the application.
//!
//! | kind | predicted of a resource |
//! |---|---|
//! | [`perfect`](bounded) | what it will be |
//! | [`uniform`](bounded) | the same, and each sub-task is off by a bounded share |
//! | [`fitted`] | the mean, or a quantile, of the law that fits its measured values best |
//! | [`forecast`] | what the best forecaster says of its measured values |
//!
//! Measured values are one a step, from the start of the run on. Sub-tasks that run are estimated
//! by what is known of them.
//!
//! Source: section 5.2 of the report of the Parameter Sweep Template.

pub mod bounded;
pub mod fitted;
pub mod forecast;
pub mod known;
pub mod measured;
pub mod outputs;
pub mod predictions;
pub mod running;

use std::fmt;

use crate::estimate::predictions::{PredictedHost, PredictedLink, PredictedValue, Predictions};
use crate::kernel::SimTime;
use crate::kernel::rng::Streams;
use crate::kernel::rng::distribution::Moments;
use crate::model::grid::{HostNumber, LinkNumber, SweepGrid};
use crate::registry::{Entry, Table};

pub use measured::Measurements;
pub use outputs::OutputSizes;
pub use running::ProgressEstimate;
pub(crate) use running::RunningEstimate;

/// Question to an estimator.
#[derive(Clone, Copy, Debug)]
pub struct EstimateQuestion<'a> {
    /// The number of the planning, from 0.
    pub planning: u64,
    /// Instant.
    pub now: SimTime,
    /// The grid as it is.
    pub(crate) grid: &'a SweepGrid,
    /// The streams of the run.
    pub streams: &'a Streams,
}

/// A way to predict what resources will be.
pub trait Estimator: fmt::Debug {
    /// Predicts all resources as of now.
    fn predictions(&mut self, question: &EstimateQuestion<'_>) -> Predictions;

    /// Rule that estimates running sub-tasks, if no other is asked for.
    fn progress(&self) -> ProgressEstimate {
        ProgressEstimate::Simple
    }

    /// Returns true if it draws random numbers.
    fn draws(&self) -> bool {
        false
    }
}

impl EstimateQuestion<'_> {
    /// The availability of a host at an instant that is not later than now.
    pub fn measured_host(&self, host: HostNumber, at: SimTime) -> f64 {
        self.grid.host(host).availability.value_at(at.min(self.now))
    }

    /// Latency in seconds and bandwidth in bytes per second of a link at an instant that is not
    /// later than now.
    pub fn measured_link(&self, link: LinkNumber, at: SimTime) -> (f64, f64) {
        let ((latency, bandwidth), at) = (self.grid.link_traces(link), at.min(self.now));
        (latency.value_at(at), bandwidth.value_at(at))
    }

    /// Numbers of links and hosts.
    pub fn counts(&self) -> (usize, usize) {
        (self.grid.link_count(), self.grid.hosts.len())
    }

    /// Predictions out of what is predicted of each link (latency, bandwidth) and of each host
    /// (availability).
    pub fn predicted(
        &self,
        mut link: impl FnMut(LinkNumber) -> (PredictedValue, PredictedValue),
        mut host: impl FnMut(HostNumber) -> PredictedValue,
    ) -> Predictions {
        let links = self.grid.link_numbers().map(|number| {
            let (latency, bandwidth) = link(number);
            PredictedLink { latency, bandwidth }
        });
        let links = links.collect();
        let hosts = self.grid.host_numbers().map(|number| {
            let known = self.grid.host(number);
            PredictedHost {
                availability: host(number),
                queue_wait: known.queue_wait.as_ref().map_or(0.0, |wait| wait.mean().unwrap_or(0.0)),
                speed: known.speed,
                architecture: known.architecture,
            }
        });
        Predictions { planning: self.planning, links, hosts: hosts.collect(), error: None }
    }

    /// Predictions that are right.
    pub fn perfect(&self) -> Predictions {
        let now = self.now;
        self.predicted(
            |link| {
                let (latency, bandwidth) = self.grid.link_traces(link);
                (PredictedValue::new(latency.clone(), now), PredictedValue::new(bandwidth.clone(), now))
            },
            |host| PredictedValue::new(self.grid.host(host).availability.clone(), now),
        )
    }
}

/// The estimators by name.
pub fn table() -> Table<dyn Estimator> {
    const ENTRIES: &[Entry<dyn Estimator>] =
        &[fitted::ENTRY, forecast::ENTRY, bounded::PERFECT, bounded::UNIFORM];
    Table::new(
        "performance-estimate",
        "what the scheduler of a parameter sweep predicts of links and hosts",
        ENTRIES,
    )
}
