//! The grid of the run that is judged.

use crate::judge::{SweepFacts, SweepValue};
use crate::kernel::SimTime;

/// Clusters `A` of hosts `a` and `b`, whose storage holds 6000 B, and `B` of `c` and `d`; links of
/// half a second and 1000 B/s, from the archive as well, and one between the clusters. `c` leaves
/// at 20 s, `B` at 30 s.
pub(super) struct Testbed;

impl SweepFacts for Testbed {
    fn hosts(&self) -> usize {
        4
    }

    fn clusters(&self) -> usize {
        2
    }

    fn links(&self) -> usize {
        5
    }

    fn host_name(&self, host: usize) -> &str {
        ["a", "b", "c", "d"][host]
    }

    fn cluster_name(&self, cluster: usize) -> &str {
        ["A", "B"][cluster]
    }

    fn cluster_of_link(&self, link: usize) -> usize {
        link % 2
    }

    fn links_of(&self, cluster: usize) -> Vec<usize> {
        vec![cluster, 2 + cluster, 4]
    }

    fn extremes(&self, of: SweepValue, number: usize) -> [f64; 2] {
        let at = |secs: u64| self.value(of, number, SimTime::from_secs(secs).expect("it is soon"));
        let values = [0, 100].map(|secs| at(secs).map_or(1.0, |(value, _)| value));
        [values[0].min(values[1]), values[0].max(values[1])]
    }

    fn drawn(&self, of: SweepValue, number: usize, at: SimTime) -> Option<(f64, Option<SimTime>)> {
        let half = SimTime::from_nanos(12_500_000_000);
        let drawn = if at < half { (0.5, Some(half)) } else { (1.0, None) };
        ((of, number) == (SweepValue::Availability, 1)).then_some(drawn)
    }

    fn host(&self, name: &str) -> Option<usize> {
        ["a", "b", "c", "d"].iter().position(|host| *host == name)
    }

    fn cluster(&self, name: &str) -> Option<usize> {
        ["A", "B"].iter().position(|cluster| *cluster == name)
    }

    fn origin(&self, name: &str) -> Option<usize> {
        ["origin", "archive"].iter().position(|origin| *origin == name)
    }

    fn link(&self, name: &str) -> Option<usize> {
        ["A", "B", "archive-A", "archive-B", "A-B"].iter().position(|link| *link == name)
    }

    fn link_of(&self, origin: usize, cluster: usize) -> usize {
        2 * origin + cluster
    }

    fn between(&self, link: usize) -> Option<[usize; 2]> {
        (link == 4).then_some([0, 1])
    }

    fn cluster_of(&self, host: usize) -> usize {
        host / 2
    }

    fn processors(&self, _: usize) -> u32 {
        1
    }

    fn architecture(&self, host: usize) -> usize {
        usize::from(host == 1)
    }

    fn speed(&self, _: usize) -> f64 {
        1.0
    }

    fn waits(&self, _: usize) -> bool {
        false
    }

    fn has_storage(&self, cluster: usize) -> bool {
        cluster == 0
    }

    fn capacity(&self, cluster: usize) -> Option<u64> {
        (cluster == 0).then_some(6_000)
    }

    fn prices(&self, cluster: usize) -> Option<[f64; 2]> {
        (cluster == 0).then_some([2.0, 0.01])
    }

    fn value(&self, of: SweepValue, number: usize, at: SimTime) -> Option<(f64, Option<SimTime>)> {
        let leaves = |secs: u64| {
            let then = SimTime::from_secs(secs).expect("it is soon");
            if at < then { (1.0, Some(then)) } else { (0.0, None) }
        };
        match (of, number) {
            (SweepValue::Availability, 1) => None,
            (SweepValue::HostPresence, 2) => Some(leaves(20)),
            (SweepValue::ClusterPresence, 1) => Some(leaves(30)),
            (SweepValue::Bandwidth, _) => Some((1_000.0, None)),
            (SweepValue::Latency, _) => Some((0.5, None)),
            _ => Some((1.0, None)),
        }
    }
}
