//! Links, and how the network model turns them into latencies, weights and bounds of flows.

use crate::Trace;
use crate::error::{PlatformError, rate};
use crate::kernel::SimDuration;
use crate::sharing::{OutOfRange, SharingPolicy};

/// A link: what it can carry, how long it takes, and whether it works.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Size per second; a trace has the bandwidth itself, and has the fixed one
    /// [before](Trace::before) its first point.
    pub bandwidth: Trace,
    /// Seconds; a flow has the latency that holds when it starts.
    pub latency: Trace,
    /// Above 0 while the link works.
    pub working: Trace,
    /// The sharing of the link among its flows.
    pub policy: SharingPolicy,
}

impl Link {
    /// A shared link that works for ever, of `bandwidth` in size per second and `latency` in
    /// seconds.
    pub fn new(bandwidth: f64, latency: f64) -> Self {
        let [bandwidth, latency, working] = [bandwidth, latency, 1.0].map(Trace::constant);
        Link { bandwidth, latency, working, policy: SharingPolicy::Shared }
    }

    /// The same link as a fatpipe.
    #[must_use]
    pub fn fatpipe(self) -> Self {
        Link { policy: SharingPolicy::Fatpipe, ..self }
    }

    /// The same link with `times` times the bandwidth.
    pub(crate) fn times(&self, times: f64) -> Self {
        Link { bandwidth: self.bandwidth.times(times), ..self.clone() }
    }

    /// Refuses numbers that are none.
    pub(crate) fn check(&self, name: &str) -> Result<(), PlatformError> {
        self.bandwidth.values().try_for_each(|bandwidth| rate(name, "bandwidth", bandwidth))?;
        match self.latency.values().find(|latency| !(latency.is_finite() && *latency >= 0.0)) {
            None => Ok(()),
            Some(value) => {
                let expected = "a number of seconds of 0 or more";
                Err(PlatformError::Value { name: name.to_owned(), what: "latency", value, expected })
            }
        }
    }
}

/// The corrections of latencies and bandwidths in the flow model. The default corrects nothing.
///
/// Sources: H. Casanova, L. Marchal, "A Network Model for Simulation of Grid Application",
/// RR2002-40, LIP, ENS Lyon (weights by round-trip time); P. Velho, A. Legrand, "Accuracy study and
/// improvement of network simulation in the SimGrid framework", SIMUTools 2009 (the factors of
/// [`Model::lv08`]); P. Velho, L. Schnorr, H. Casanova, A. Legrand, "On the validity of flow-level
/// TCP network models", ACM TOMACS 23(4), 2013 (cross traffic).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Model {
    /// Flows wait this many times their latency before they transfer.
    pub latency_factor: f64,
    /// Links carry this share of their bandwidth.
    pub bandwidth_factor: f64,
    /// Size over which a flow's round-trip time grows with each link's bandwidth: twice this over
    /// the bandwidth is added for each.
    pub weight_size: f64,
    /// Share of a flow's rate that acknowledgements take of each link of the route back.
    pub cross_traffic: f64,
    /// Size of the TCP window: a flow has at most this over its round-trip time, times the factor
    /// of bandwidths.
    pub tcp_window: Option<f64>,
    /// The least round-trip time that weights are made of, as if no flow were closer. Without it a
    /// flow without latency has the weight that one of a latency of one second has.
    pub rtt_floor: Option<SimDuration>,
}

impl Default for Model {
    fn default() -> Self {
        Model {
            latency_factor: 1.0,
            bandwidth_factor: 1.0,
            weight_size: 0.0,
            cross_traffic: 0.0,
            tcp_window: None,
            rtt_floor: None,
        }
    }
}

/// The weights that flows may have: of latencies from a picosecond to 10,000 s. What lies outside
/// is taken as the nearest.
const WEIGHTS: (f64, f64) = (1e-4, 1e12);

impl Model {
    /// The corrections fitted to TCP by Velho and Legrand, with acknowledgements of 5 % and
    /// SimGrid's window of 4 MiB.
    pub fn lv08() -> Self {
        Model {
            latency_factor: 13.01,
            bandwidth_factor: 0.97,
            weight_size: 20_537.0,
            cross_traffic: 0.05,
            tcp_window: Some(4_194_304.0),
            rtt_floor: None,
        }
    }

    /// The weight of a flow of this `latency` [s] over links of these bandwidths: 1 over half the
    /// round-trip time, so that one of a latency of 1 s has the weight 1.
    pub(crate) fn weight(&self, latency: f64, bandwidths: impl Iterator<Item = f64>) -> f64 {
        let mut penalty = latency;
        if self.weight_size > 0.0 {
            penalty += bandwidths.map(|bandwidth| self.weight_size / bandwidth).sum::<f64>();
        }
        if let Some(floor) = self.rtt_floor {
            penalty = penalty.max(floor.as_secs_f64() / 2.0);
        }
        let weight = if penalty > 0.0 { 1.0 / penalty } else { 1.0 };
        weight.clamp(WEIGHTS.0, WEIGHTS.1)
    }

    /// The most that a flow of this `latency` [s] may have, of its own bound and its window.
    pub(crate) fn bound(&self, own: Option<f64>, latency: f64) -> Option<f64> {
        let window = self.tcp_window.filter(|_| latency > 0.0);
        let window = window.map(|window| self.bandwidth_factor * window / (2.0 * latency));
        own.into_iter().chain(window).reduce(f64::min)
    }

    /// Refuses shares of cross traffic whose weights would be out of range, and factors that are no
    /// factors.
    pub(crate) fn checked(self) -> Result<Self, OutOfRange> {
        let factors = [self.latency_factor, self.bandwidth_factor, self.weight_size];
        let fine = |factor: &f64| factor.is_finite() && *factor >= 0.0;
        if let Some(&factor) = factors.iter().find(|factor| !fine(factor)) {
            return Err(OutOfRange::Weight(factor));
        }
        let traffic = self.cross_traffic;
        if traffic.abs() > 0.0 && !(0.01..=1.0).contains(&traffic) {
            return Err(OutOfRange::Weight(traffic));
        }
        match self.tcp_window {
            Some(window) if !(window.is_finite() && window > 0.0) => Err(OutOfRange::Bound(window)),
            _ => Ok(self),
        }
    }
}
