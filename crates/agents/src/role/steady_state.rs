//! The best that a master can do in the long run: how many tasks a second, if it sends to one
//! worker at a time.
//!
//! A worker receives a task in `c` seconds and then computes it in `w`; it has one task at a time.
//! `n` workers on a host of `k` cores do at most
//!
//! ```text
//!   min(n / (c + w), k / w)   tasks per second
//! ```
//!
//! The first bound is that of the workers, the second that of the cores. With more workers than
//! cores a worker can receive while others keep all cores busy: receiving *overlaps* with
//! computing, and the cores are the bound as soon as there are enough workers. With no more workers
//! than cores a core is idle while its worker receives: *without overlap*.
//!
//! The master's port is busy for `c` with every task that it sends, all of the time at most. So the
//! optimum is that of a linear program: the sum of the rates, each within the bound of its host,
//! while the sum of rate × `c` is at most 1. Hosts are served in the order of `c`, each at its
//! bound as long as the port has time left, the last one at what remains. How fast a host computes
//! does not count in the order.
//!
//! No schedule exceeds it, since each bound holds over any span of time from the start. A schedule
//! comes arbitrarily close in the long run where hosts may store tasks; workers that have one task
//! at a time may stay below.
//!
//! Source: O. Beaumont, L. Carter, J. Ferrante, A. Legrand, Y. Robert, "Bandwidth-centric
//! allocation of independent tasks on heterogeneous platforms", IPDPS 2002. Deviation: several
//! workers and cores on a host.

/// A host with its workers, and what a task costs there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Crew {
    /// Seconds to send a task there.
    pub send: f64,
    /// Seconds to compute a task on one core.
    pub compute: f64,
    /// Workers on the host.
    pub workers: usize,
    /// Cores of the host.
    pub cores: u32,
}

/// Optimum of a master and its workers in the long run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Optimum {
    /// Tasks per second.
    pub rate: f64,
    /// The share of the hosts on which receiving overlaps with computing, from 0 to 1.
    pub overlap: f64,
}

impl Crew {
    /// Tasks per second of the host, if the port is always there for it.
    fn bound(&self) -> f64 {
        let (workers, cores) = (self.workers as f64, f64::from(self.cores));
        (workers / (self.send + self.compute)).min(cores / self.compute)
    }

    fn overlaps(&self) -> bool {
        self.workers > self.cores as usize
    }
}

/// The optimum of these hosts, each of which is there once; `None` if there is none, or if no time
/// passes with a task.
///
/// # Complexity
/// O(n log n) for n hosts.
pub fn steady_state(hosts: &[Crew]) -> Option<Optimum> {
    let mut order = hosts.to_vec();
    order.sort_by(|one, other| one.send.total_cmp(&other.send));
    let (mut port, mut rate) = (1.0_f64, 0.0);
    for host in &order {
        let full = host.bound();
        let share = if host.send > 0.0 { full.min(port / host.send) } else { full };
        rate += share;
        port = (port - share * host.send).max(0.0);
    }
    let overlapping = hosts.iter().filter(|host| host.overlaps()).count();
    let optimum = Optimum { rate, overlap: overlapping as f64 / hosts.len() as f64 };
    (rate.is_finite() && rate > 0.0).then_some(optimum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crews(costs: &[(f64, f64)], workers: usize, cores: u32) -> Vec<Crew> {
        costs.iter().map(|&(send, compute)| Crew { send, compute, workers, cores }).collect()
    }

    fn rate(hosts: &[Crew]) -> f64 {
        steady_state(hosts).map_or(0.0, |optimum| optimum.rate)
    }

    const FOUR: [(f64, f64); 4] = [(1.0, 4.0), (2.0, 6.0), (3.0, 3.0), (6.0, 2.0)];

    /// 1/4 takes a quarter of the port, 1/6 a third; 5/12 of it is left for the third, which would
    /// take all.
    #[test]
    fn the_port_goes_to_the_hosts_to_which_it_costs_least() {
        let with = rate(&crews(&FOUR, 4, 1));
        assert!((with - 5.0 / 9.0).abs() < 1e-12, "{with}");
        let without = rate(&crews(&FOUR, 1, 1));
        assert!((without - 0.5).abs() < 1e-12, "{without}");
    }

    #[test]
    fn the_order_of_the_hosts_has_no_effect() {
        let mut turned = FOUR;
        turned.reverse();
        for workers in [1, 4] {
            let (one, other) = (crews(&FOUR, workers, 1), crews(&turned, workers, 1));
            assert_eq!(rate(&one).to_bits(), rate(&other).to_bits());
        }
    }

    #[test]
    fn hosts_that_are_sent_to_in_no_time_leave_the_port_to_others() {
        let near = Crew { send: 0.0, compute: 2.0, workers: 1, cores: 1 };
        let far = Crew { send: 4.0, compute: 1.0, workers: 2, cores: 1 };
        assert!((rate(&[far, near, near]) - 1.25).abs() < 1e-12);
        assert_eq!(steady_state(&[]), None);
        assert_eq!(steady_state(&[Crew { compute: 0.0, ..near }]), None, "no time passes");
    }

    /// c = 1, w = 4: workers are the bound up to the fifth of four cores, 4 / 4, which the port can
    /// just feed.
    #[test]
    fn workers_or_cores_or_the_port_bound_a_host() {
        for (workers, cores, expected) in [
            (1, 1, 0.2),
            (2, 1, 0.25),
            (9, 1, 0.25),
            (2, 2, 0.4),
            (3, 2, 0.5),
            (4, 4, 0.8),
            (6, 5, 1.0),
            (1, 8, 0.2),
        ] {
            let found = rate(&crews(&[(1.0, 4.0)], workers, cores));
            assert!((found - expected).abs() < 1e-12, "{workers} on {cores}: {found}");
        }
    }

    #[test]
    fn overlap_is_the_share_of_hosts_with_more_workers_than_cores() {
        let hosts = [crews(&FOUR, 2, 1), crews(&FOUR, 2, 2), crews(&FOUR, 3, 4), crews(&FOUR, 1, 1)].concat();
        assert_eq!(steady_state(&hosts).map(|optimum| optimum.overlap), Some(0.25));
    }
}
