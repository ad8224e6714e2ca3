//! Periodic boost: the first ready task whose message has come, or else the first that has work of
//! its own.
//!
//! Source: S. Nagar, A. Banerjee, A. Sivasubramaniam, C. R. Das, Journal of Parallel and
//! Distributed Computing, 1999; "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 4.2.2 (third
//! technique). The order of the scan is not published: here from the head of the highest level
//! down.

use crate::kernel::SimDuration;
use crate::registry::{Bounds, Entry, Key, Kind, entry};

use super::{Candidate, PeriodicAction};

/// The key of the daemon's period, which two actions share.
pub(super) const fn period(default: &'static str, about: &'static str) -> Key {
    Key::new("period", Kind::Duration(Bounds::Positive))
        .or(default)
        .about(about)
        .source("\"ClusterSchedSim\", section 5.2 (rescheduling frequency)")
}

pub(super) const ENTRY: Entry<dyn PeriodicAction> = entry! {
    "boost" => "raises a ready task whose message has come, or else one that has work to do",
    source "Nagar et al., Journal of Parallel and Distributed Computing, 1999; \"ClusterSchedSim\", section 4.2.2",
    keys &[period("1ms", "how often the daemon of a processor looks")],
    reads |params| Boost { period: params.read("period")? }
};

#[derive(Debug)]
struct Boost {
    period: SimDuration,
}

impl PeriodicAction for Boost {
    fn period(&self) -> Option<SimDuration> {
        Some(self.period)
    }

    fn choose(&self, ready: &[Candidate]) -> Option<usize> {
        let served = ready.iter().position(|task| task.waits && task.message_there);
        served.or_else(|| ready.iter().position(|task| !task.waits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_before_work_and_work_before_nothing() {
        let boost = Boost { period: SimDuration::from_millis(1) };
        let spins = Candidate { waits: true, message_there: false, unconsumed: 3 };
        let served = Candidate { waits: true, message_there: true, unconsumed: 1 };
        let works = Candidate { waits: false, message_there: false, unconsumed: 0 };
        assert_eq!(boost.choose(&[spins, works, served, served]), Some(2));
        assert_eq!(boost.choose(&[spins, works, works]), Some(1));
        assert_eq!(boost.choose(&[spins]), None);
    }
}
