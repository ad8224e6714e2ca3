//! Weighted max-min shares as a textbook has them: raise all rates together, and hold those that
//! meet a limit.
//!
//! Every flow's rate is its weight times one rising level. The level stops where a link is full or
//! a flow has reached its bound; the flows on that link, or that flow, keep their rate, and the
//! others go on rising with what is left. Each round looks at every link and flow again, so that n
//! flows on m links take O(n · m) at worst for each of up to n rounds. It is what the faster solver
//! (`MaxMin`) is held to.
//!
//! Source: D. Bertsekas and R. Gallager, "Data Networks", 2nd edition 1992, section 6.5.2; with
//! weights and bounds as in H. Casanova and L. Marchal, "A Network Model for Simulation of Grid
//! Application", research report RR2002-40, LIP, ENS Lyon.

use clustersim_platform::sharing::{Crossing, SharingPolicy};

/// A flow to be given a rate.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Demand {
    /// Its share of a link, relative to those of others.
    pub(super) weight: f64,
    /// The most it may have, if anything limits it by itself.
    pub(super) bound: Option<f64>,
    /// The links it crosses; a link named twice counts twice if it is shared.
    pub(super) route: Vec<Crossing>,
}

/// The rates of `flows` over links of these capacities and policies, in their order; infinite where
/// nothing limits a flow.
///
/// # Panics
/// On a route over a link that is not there.
pub(super) fn progressive_filling(links: &[(f64, SharingPolicy)], flows: &[Demand]) -> Vec<f64> {
    let bound = |flow: &Demand| {
        let pipes =
            flow.route.iter().filter(|crossing| links[crossing.link.index()].1 == SharingPolicy::Fatpipe);
        let pipes = pipes.map(|crossing| links[crossing.link.index()].0 / crossing.usage);
        pipes.fold(flow.bound.unwrap_or(f64::INFINITY), f64::min)
    };
    let bounds: Vec<f64> = flows.iter().map(bound).collect();
    let mut rates = vec![f64::INFINITY; flows.len()];
    let mut rising: Vec<bool> = vec![true; flows.len()];
    while rising.contains(&true) {
        let levels: Vec<f64> = links
            .iter()
            .enumerate()
            .map(|(link, &(capacity, policy))| {
                let (mut left, mut weight) = (capacity, 0.0);
                for ((flow, rate), rising) in flows.iter().zip(&rates).zip(&rising) {
                    for crossing in flow.route.iter().filter(|crossing| crossing.link.index() == link) {
                        match rising {
                            true => weight += crossing.usage * flow.weight,
                            false => left -= crossing.usage * rate,
                        }
                    }
                }
                let alone = policy == SharingPolicy::Fatpipe || weight <= 0.0;
                if alone { f64::INFINITY } else { left.max(0.0) / weight }
            })
            .collect();
        let own = |flow: usize| bounds[flow] / flows[flow].weight;
        let bounded = (0..flows.len()).filter(|&flow| rising[flow]).map(own);
        let level = levels.iter().copied().chain(bounded).fold(f64::INFINITY, f64::min);
        if level.is_infinite() {
            return rates;
        }
        for (flow, demand) in flows.iter().enumerate().filter(|(flow, _)| rising[*flow]).collect::<Vec<_>>() {
            if own(flow) <= level {
                (rates[flow], rising[flow]) = (bounds[flow], false);
            } else if demand.route.iter().any(|crossing| levels[crossing.link.index()] <= level) {
                (rates[flow], rising[flow]) = (demand.weight * level, false);
            }
        }
    }
    rates
}
