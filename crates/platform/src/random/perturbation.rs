//! One platform as a collection: every speed, bandwidth and latency times a factor that is drawn
//! for it.
//!
//! Measurements give one platform, and a result that holds on it alone is worth little. Here each
//! host's speed (in all of its power states alike), each link's bandwidth and each link's latency
//! is multiplied by a draw from a stream of its own, named after the host or link
//! (`perturb/speed/NAME`). So another seed or replication gives another platform of the same kind,
//! and a host more moves no other draw. Where bandwidths or latencies change over time, all their
//! values are multiplied by the one factor. Routes, cores, disks, shares of availability and
//! failures stay. The factor 1 gives the same platform, bit for bit.
//!
//! Source: MODELS 3.1; what is multiplied is a choice of ours.

use crate::kernel::rng::{Sampler, Streams};
use crate::sharing::{LEAST, MOST};
use crate::topology::Factors;
use crate::{Platform, Trace};

/// The laws of the factors; what has none stays.
#[derive(Clone, Debug, Default)]
pub struct Perturbation {
    /// Of the speeds of hosts.
    pub speed: Option<Sampler>,
    /// Of the bandwidths of links.
    pub bandwidth: Option<Sampler>,
    /// Of the latencies of links.
    pub latency: Option<Sampler>,
}

/// A factor that gives a host or link what none can have.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error("the {what} of `{whose}` cannot be multiplied by {factor}")]
pub struct BadFactor {
    /// The property that was to be multiplied: a speed, a bandwidth, a latency.
    pub what: &'static str,
    /// The host or link.
    pub whose: String,
    /// The draw.
    pub factor: f64,
}

/// The platform with every speed, bandwidth and latency multiplied by its draw.
///
/// # Errors
/// A factor that is negative or no number, or gives a speed of 0 or a bandwidth out of range.
pub fn perturb(
    platform: &Platform,
    perturbation: &Perturbation,
    streams: &Streams,
) -> Result<Platform, BadFactor> {
    let mut drawn = platform.clone();
    let factor = |law: &Option<Sampler>, what: &'static str, whose: &str| {
        law.as_ref().map(|law| law.draw(&mut streams.stream(&format!("perturb/{what}/{whose}"))))
    };
    for host in &mut drawn.hosts {
        let Some(factor) = factor(&perturbation.speed, "speed", &host.name) else { continue };
        host.speeds.iter_mut().for_each(|speed| *speed *= factor);
        if !host.speeds.iter().all(|speed| speed.is_finite() && *speed > 0.0) {
            return Err(BadFactor { what: "speed", whose: host.name.clone(), factor });
        }
    }
    if perturbation.bandwidth.is_none() && perturbation.latency.is_none() {
        return Ok(drawn);
    }
    drawn.links.scale(|name, link| {
        let bandwidth = factor(&perturbation.bandwidth, "bandwidth", name);
        if let Some(factor) = bandwidth {
            let holds = |value: f64| value.abs() <= 0.0 || (LEAST..=MOST).contains(&value);
            check(&link.bandwidth, holds, ("bandwidth", name, factor))?;
        }
        let latency = factor(&perturbation.latency, "latency", name);
        if let Some(factor) = latency {
            check(&link.latency, |value| (0.0..=1e9).contains(&value), ("latency", name, factor))?;
        }
        Ok(Factors { bandwidth, latency })
    })?;
    Ok(drawn)
}

/// Refuses a factor by which values of a trace do not hold.
fn check(
    trace: &Trace,
    holds: impl Fn(f64) -> bool,
    (what, whose, factor): (&'static str, &str, f64),
) -> Result<(), BadFactor> {
    let fine = factor.is_finite() && factor >= 0.0 && trace.values().all(|value| holds(value * factor));
    if fine { Ok(()) } else { Err(BadFactor { what, whose: whose.to_owned(), factor }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::distribution::{Constant, Uniform};
    use crate::kernel::{SimDuration, SimTime};
    use crate::{Builder, Host, HostId, Link};

    /// Two hosts and a link whose bandwidth changes and repeats.
    fn platform() -> Platform {
        let mut builder = Builder::new();
        let [a, b] = ["a", "b"].map(|name| builder.host(Host::new(name, 3e9)).expect("one"));
        let points = [(SimTime::ZERO, 1e6 / 3.0), (SimTime::from_nanos(1_000_000_007), 2.7e6)];
        let bandwidth = Trace::new(&points, Some(SimDuration::from_secs(3))).expect("a trace").before(1e6);
        let link = builder.link("ab", Link { bandwidth, ..Link::new(1e6, 0.1) }).expect("one");
        builder.symmetric_route(a, b, &[link]);
        builder.build()
    }

    fn by(sampler: &Sampler) -> Perturbation {
        let law = Some(sampler.clone());
        Perturbation { speed: law.clone(), bandwidth: law.clone(), latency: law }
    }

    #[test]
    fn the_factor_1_gives_the_same_platform_and_so_does_no_law() {
        let one = Sampler::new(Constant::new(1.0).expect("a law"));
        for perturbation in [by(&one), Perturbation::default()] {
            let same = perturb(&platform(), &perturbation, &Streams::new(1, 0)).expect("drawn");
            assert_eq!(same.hosts(), platform().hosts());
            assert_eq!(same.links(), platform().links());
        }
    }

    #[test]
    fn a_factor_multiplies_every_value_and_moves_no_time() {
        let half = Sampler::new(Constant::new(0.5).expect("a law"));
        let drawn = perturb(&platform(), &by(&half), &Streams::new(1, 0)).expect("drawn");
        let was = platform().links().get(0).into_owned();
        let link = drawn.links().get(0);
        for at in [0, 500_000_000, 1_000_000_007, 5_000_000_000].map(SimTime::from_nanos) {
            let (now, then) = (link.bandwidth.value_at(at), was.bandwidth.value_at(at));
            assert_eq!(now.to_bits(), (then / 2.0).to_bits());
            assert_eq!(link.bandwidth.next_change(at), was.bandwidth.next_change(at));
        }
        assert_eq!(link.latency, Trace::constant(0.05));
        assert_eq!(drawn.hosts()[0].speeds, [1.5e9]);
        drawn.route(HostId::new(0), HostId::new(1), &mut Vec::new()).expect("still joined");
    }

    #[test]
    fn each_host_and_each_replication_has_a_draw_of_its_own() {
        let law = by(&Sampler::new(Uniform::new(0.5, 1.5).expect("a law")));
        let speeds = |replication| {
            let drawn = perturb(&platform(), &law, &Streams::new(7, replication)).expect("drawn");
            drawn.hosts().iter().map(|host| host.speed().to_bits()).collect::<Vec<_>>()
        };
        assert_ne!(speeds(0)[0], speeds(0)[1]);
        assert_ne!(speeds(0), speeds(1));
        assert_eq!(speeds(1), speeds(1));
    }

    #[test]
    fn a_factor_that_leaves_no_speed_is_an_error() {
        let none = Sampler::new(Constant::new(0.0).expect("a law"));
        let law = Perturbation { speed: Some(none), ..Perturbation::default() };
        let bad = perturb(&platform(), &law, &Streams::new(1, 0)).expect_err("no speed");
        assert_eq!(bad.to_string(), "the speed of `a` cannot be multiplied by 0");
    }
}
