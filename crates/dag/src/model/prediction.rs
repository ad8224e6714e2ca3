//! Predictions: what a scheduler knows of durations, and how far that is from the truth.
//!
//! A prediction is an answer times a factor. The answer is one of [`Knowledge`]; the factor says
//! how wrong it is, and is a pure function of the question and, unless it holds for the whole run,
//! of the sweep: asking in another order changes nothing.
//!
//! A prediction of one's own is a [`PredictionError`] or a function ([`Prediction::by`]), with
//! right answers or others of [`Knowledge`]; as a component it is a
//! [`PredictionKind`](crate::model::predictions::PredictionKind).
//!
//! Source: "DAGSim" (perfect, random and user-given predictions; the same question has the same
//! answer within one sweep).

use std::fmt;

use crate::kernel::{SimDuration, SimTime};
use crate::model::forecasting::{Forecasting, Measured};
use crate::model::grid::{Grid, PairCost, PairSums};
use crate::platform::{HostId, Trace};
use crate::workflow::{EdgeNumber, TaskNumber};

/// Knowledge of availability over time.
#[derive(Clone, Debug, Default)]
pub enum Knowledge {
    /// All of it.
    #[default]
    Perfect,
    /// Present value, which is taken to stay.
    Now,
    /// Mean.
    Mean,
    /// Value that forecasters expect after samples of it so far, which is taken to stay.
    Forecast(Forecasting),
}

/// Cost of the mean transfer between two hosts: over ordered pairs of different hosts that are
/// joined, as predicted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct MeanTransfer {
    /// Seconds before the first byte.
    pub latency: f64,
    /// Seconds for each byte.
    pub per_byte: f64,
}

impl MeanTransfer {
    /// Seconds for these bytes; 0 for an edge that only waits.
    pub fn seconds(self, bytes: Option<u64>) -> f64 {
        bytes.map_or(0.0, |bytes| self.latency + bytes as f64 * self.per_byte)
    }
}

/// Usual value of several hosts or links.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Caution {
    /// Mean of the values.
    #[default]
    Mean,
    /// The worst of them.
    Worst,
}

/// Question to an error: the duration of a task on a host, or of a transfer between two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PredictionQuestion {
    /// A task on a host.
    Execution(TaskNumber, HostId),
    /// The data of an edge from one host to another.
    Transfer(EdgeNumber, HostId, HostId),
}

/// Error of predictions: a pure function of the question and the sweep.
pub trait PredictionError: std::fmt::Debug {
    /// The factor of the right answer, above 0.
    fn factor(&self, question: PredictionQuestion, sweep: u64) -> f64;
}

/// Knowledge beforehand, and its error.
#[derive(Debug, Default)]
pub struct Prediction {
    /// The answer.
    pub knowledge: Knowledge,
    /// Error.
    pub error: Option<Box<dyn PredictionError>>,
}

/// Predicted speed of a host.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Rate {
    /// This share of its speed, at all times.
    Stays(f64),
    /// As its availability says.
    Changes,
}

impl Prediction {
    /// Right answers with an error.
    pub fn wrong(error: impl PredictionError + 'static) -> Self {
        Prediction { error: Some(Box::new(error)), ..Prediction::default() }
    }

    /// Answers of this knowledge times what a function makes of the question and the sweep: a
    /// factor above 0.
    pub fn by(knowledge: Knowledge, factor: impl Fn(PredictionQuestion, u64) -> f64 + 'static) -> Self {
        Prediction { knowledge, error: Some(Box::new(ByFunction(factor))) }
    }

    fn known(&self, measured: Measured, trace: &Trace, now: SimTime) -> Option<f64> {
        match &self.knowledge {
            Knowledge::Perfect => {
                trace.next_change(SimTime::ZERO).is_none().then(|| trace.value_at(SimTime::ZERO))
            }
            Knowledge::Now => Some(trace.value_at(now)),
            Knowledge::Mean => Some(trace.mean()),
            Knowledge::Forecast(forecasting) => Some(forecasting.expected(measured, trace, now)),
        }
    }

    pub(crate) fn rate(&self, grid: &Grid, host: HostId, now: SimTime) -> Rate {
        let availability = &grid.host(host).availability;
        self.known(Measured::Availability(host), availability, now).map_or(Rate::Changes, Rate::Stays)
    }

    pub(crate) fn execution_factor(&self, task: TaskNumber, host: HostId, sweep: u64) -> f64 {
        self.error
            .as_ref()
            .map_or(1.0, |error| error.factor(PredictionQuestion::Execution(task, host), sweep))
    }

    pub(crate) fn of_execution(
        &self,
        right: SimDuration,
        task: TaskNumber,
        host: HostId,
        sweep: u64,
    ) -> SimDuration {
        self.with_error(right, PredictionQuestion::Execution(task, host), sweep)
    }

    pub(crate) fn of_transfer(
        &self,
        right: SimDuration,
        edge: EdgeNumber,
        from: HostId,
        to: HostId,
        sweep: u64,
    ) -> SimDuration {
        self.with_error(right, PredictionQuestion::Transfer(edge, from, to), sweep)
    }

    fn with_error(&self, right: SimDuration, question: PredictionQuestion, sweep: u64) -> SimDuration {
        match &self.error {
            None => right,
            Some(error) => SimDuration::ceil_secs(right.as_secs_f64() * error.factor(question, sweep)),
        }
    }

    /// Duration of a transfer over a route that changes, without an error.
    pub(crate) fn transfer(
        &self,
        grid: &Grid,
        from: HostId,
        to: HostId,
        bytes: u64,
        start: SimTime,
        now: SimTime,
    ) -> Option<SimDuration> {
        if let Knowledge::Perfect = self.knowledge {
            let end = grid.carried(from, to, bytes, start)?;
            return (end < SimTime::MAX).then(|| end.since(start));
        }
        let known = |measured, trace: &Trace| self.known(measured, trace, now).unwrap_or_default();
        Some(grid.cost_by(from, to, known)?.span(bytes))
    }

    /// The means over ordered pairs of different hosts that are joined.
    pub fn mean_transfer(&self, grid: &Grid, now: SimTime) -> MeanTransfer {
        let known =
            |measured, trace: &Trace| self.known(measured, trace, now).unwrap_or_else(|| trace.value_at(now));
        let sums = grid
            .steady_pairs()
            .unwrap_or_else(|| changing_pairs(grid, |from, to| grid.cost_by(from, to, known)));
        let count = sums.count.max(1) as f64;
        MeanTransfer { latency: sums.latency / count, per_byte: sums.per_byte / count }
    }
}

/// Sums of the costs of transfers over all ordered pairs of different hosts that are joined, with
/// the `usual` cost over links that change.
fn changing_pairs(grid: &Grid, usual: impl Fn(HostId, HostId) -> Option<PairCost>) -> PairSums {
    let mut sums = PairSums::default();
    for from in grid.hosts() {
        for to in grid.hosts().filter(|to| *to != from) {
            let Some(mut cost) = grid.pair_in_passing(from, to) else { continue };
            if cost.changes {
                cost = usual(from, to).expect("the pair is joined");
            }
            sums.add(&cost);
        }
    }
    sums
}

/// A function of question and sweep as an error.
struct ByFunction<F>(F);

impl<F> fmt::Debug for ByFunction<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByFunction")
    }
}

impl<F: Fn(PredictionQuestion, u64) -> f64> PredictionError for ByFunction<F> {
    fn factor(&self, question: PredictionQuestion, sweep: u64) -> f64 {
        (self.0)(question, sweep)
    }
}

/// The share of a host's speed that is usually available.
pub(crate) fn usual_rate(grid: &Grid, host: HostId, caution: Caution) -> f64 {
    usual(&grid.host(host).availability, caution)
}

/// Latency and bandwidth of the usual pair of different hosts that are joined; one that costs
/// nothing if there is none.
pub(crate) fn usual_pair(grid: &Grid, caution: Caution) -> PairCost {
    let changing = |from, to| {
        let mut cost = grid.cost_by(from, to, |_, trace| usual(trace, caution))?;
        if caution == Caution::Worst {
            cost.latency = grid.cost_by(from, to, |_, trace| most(trace))?.latency;
        }
        Some(cost)
    };
    let sums = grid.steady_pairs().unwrap_or_else(|| changing_pairs(grid, changing));
    let (latency, bandwidth) = match caution {
        Caution::Mean if sums.count > 0 => {
            (sums.latency / sums.count as f64, sums.bandwidth / sums.count as f64)
        }
        _ => (sums.greatest_latency, sums.least_bandwidth),
    };
    PairCost { latency, bandwidth, changes: false }
}

fn usual(trace: &Trace, caution: Caution) -> f64 {
    match caution {
        Caution::Mean => trace.mean(),
        Caution::Worst => trace.least(),
    }
}

fn most(trace: &Trace) -> f64 {
    trace.values().fold(0.0, f64::max)
}
