//! The best that a master can do in the long run: how many tasks a second, if it sends to one worker at a time.
//!
//! Worker i takes `c` to be sent a task and `w` to compute it. A worker that receives while it computes can do one task in max(c, w),
//! another in c + w. The master's port is busy c for every task that it sends, all of the time at most. So whoever
//! is fed with the least of the port comes first, however fast it computes: workers in the order of `c`, each at its full rate as
//! long as the port has time left, the last one at what remains.
//!
//! Source: O. Beaumont, L. Carter, J. Ferrante, A. Legrand, Y. Robert, "Bandwidth-centric allocation of independent tasks on
//! heterogeneous platforms", IPDPS 2002.

/// What a task costs at a worker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Seconds to send it there.
    pub send: f64,
    /// Seconds to compute it there.
    pub compute: f64,
}

/// Whether a worker receives the next task while it computes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlap {
    /// It does.
    Receiving,
    /// One after the other.
    None,
}

/// Tasks per second in the long run, at the most.
///
/// # Complexity
/// O(n log n) for n workers.
pub fn steady_state(workers: &[Cost], overlap: Overlap) -> f64 {
    let mut order = workers.to_vec();
    order.sort_by(|one, other| one.send.total_cmp(&other.send));
    let (mut port, mut rate) = (1.0_f64, 0.0);
    for Cost { send, compute } in order {
        let busy = match overlap {
            Overlap::Receiving => send.max(compute),
            Overlap::None => send + compute,
        };
        if busy <= 0.0 {
            return f64::INFINITY;
        }
        let full = 1.0 / busy;
        let share = if send > 0.0 { full.min(port / send) } else { full };
        rate += share;
        port = (port - share * send).max(0.0);
    }
    rate
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workers() -> Vec<Cost> {
        [(1.0, 4.0), (2.0, 6.0), (3.0, 3.0), (6.0, 2.0)].map(|(send, compute)| Cost { send, compute }).into()
    }

    /// 1/4 takes a quarter of the port, 1/6 a third; 5/12 of it is left for the third, which would take all.
    #[test]
    fn the_port_goes_to_whom_it_costs_least() {
        let with = steady_state(&workers(), Overlap::Receiving);
        assert!((with - 5.0 / 9.0).abs() < 1e-12, "{with}");
        let without = steady_state(&workers(), Overlap::None);
        assert!((without - 0.5).abs() < 1e-12, "{without}");
    }

    #[test]
    fn the_order_of_the_workers_says_nothing() {
        let mut turned = workers();
        turned.reverse();
        for overlap in [Overlap::Receiving, Overlap::None] {
            let (one, other) = (steady_state(&workers(), overlap), steady_state(&turned, overlap));
            assert_eq!(one.to_bits(), other.to_bits());
        }
    }

    #[test]
    fn workers_that_are_sent_to_in_no_time_leave_the_port_to_others() {
        let near = Cost { send: 0.0, compute: 2.0 };
        let far = Cost { send: 4.0, compute: 1.0 };
        assert!((steady_state(&[far, near, near], Overlap::Receiving) - 1.25).abs() < 1e-12);
        assert!(steady_state(&[], Overlap::None).abs() < 1e-12);
    }
}
