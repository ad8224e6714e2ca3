//! Time of the lanes of a run by the causes of their spans: what shares of time are made of, and
//! what metrics are held against.

use crate::kernel::SimTime;
use crate::output::{LaneSource, LaneTotal};

use super::lane_spans::{LaneSpan, LaneSpans};

impl LaneSpans {
    /// Seconds of the spans of some causes between two instants.
    fn seconds(&self, causes: &[&str], window: (SimTime, SimTime), once: bool) -> f64 {
        let clipped =
            |span: &LaneSpan| LaneSpan { from: span.from.max(window.0), to: span.to.min(window.1), ..*span };
        let counted = self.spans.iter().filter(|span| causes.contains(&span.cause)).map(clipped);
        let mut counted: Vec<LaneSpan> = counted.filter(|span| span.from < span.to).collect();
        if once {
            counted.sort_unstable();
        }
        let (mut nanos, mut before) = (0_u128, None);
        for LaneSpan { lane, from, to, .. } in counted {
            let begun = match before.filter(|_| once) {
                Some((of, until)) if of == lane => from.max(until),
                _ => from,
            };
            nanos += u128::from(to.max(begun).since(begun).as_nanos());
            before = Some((lane, to.max(begun)));
        }
        nanos as f64 / 1e9
    }
}

/// The seconds of the spans of each total.
pub fn seconds(source: &dyn LaneSource, totals: &[LaneTotal]) -> Vec<f64> {
    let spans = LaneSpans::of(source, &|_| true);
    let of = |total: &LaneTotal| spans.seconds(&total.causes, total.window, total.once);
    totals.iter().map(of).collect()
}

/// Shares of the time of all lanes by cause, in the order in which the timeline declares causes,
/// from the beginning of the run to its end, or to that of the last span if it states none. Of
/// spans of one lane that overlap each counts. Empty if the run took no time or has no lanes.
pub fn shares(source: &dyn LaneSource, ended: Option<SimTime>) -> Vec<(&'static str, f64)> {
    let spans = LaneSpans::of(source, &|_| true);
    let until = ended.unwrap_or(spans.last);
    let whole = spans.names.len() as f64 * until.as_secs_f64();
    if whole <= 0.0 {
        return Vec::new();
    }
    let share = |cause| spans.seconds(&[cause], (SimTime::ZERO, until), false) / whole;
    source.lanes().causes.iter().map(|(cause, _)| (*cause, share(*cause))).collect()
}

#[cfg(test)]
mod tests {
    use std::io;

    use crate::output::{LaneCause, LaneSink, Lanes, NamedSpan, push_spans};

    use super::*;

    /// Two servers: the first serves two at a time.
    struct Servers;

    const CAUSES: &[LaneCause] = &[("serves", "a customer"), ("breaks", "nothing")];

    impl LaneSource for Servers {
        fn lanes(&self) -> Lanes {
            Lanes { title: "servers", number: 1, counters: &[], causes: CAUSES }
        }

        fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
            let lanes = ["a", "b"].map(ToOwned::to_owned);
            let span = |lane, cause, start, end| {
                let [start, end] = [start, end].map(|at: u64| SimTime::from_nanos(at * 1_000_000_000));
                NamedSpan { lane, name: "one", cause, start, end }
            };
            let spans = [
                span(0, "serves", 0, 6),
                span(0, "serves", 4, 8),
                span(1, "breaks", 2, 3),
                span(1, "serves", 5, 10),
            ];
            push_spans(&lanes, &spans, sink)
        }
    }

    fn total(window: (u64, u64), once: bool) -> LaneTotal {
        let [from, to] = [window.0, window.1].map(|at| SimTime::from_nanos(at * 1_000_000_000));
        let (metrics, causes) = (vec!["busy".to_owned()], vec!["serves"]);
        LaneTotal { metrics, causes, window: (from, to), whole: 1.0, once }
    }

    #[test]
    fn spans_add_up_within_a_window_each_or_once() {
        let totals = [total((0, 10), false), total((0, 10), true), total((3, 7), false), total((3, 7), true)];
        assert_eq!(seconds(&Servers, &totals), [15.0, 13.0, 8.0, 6.0]);
    }

    #[test]
    fn shares_are_of_the_time_of_all_lanes_by_declared_cause() {
        assert_eq!(shares(&Servers, None), [("serves", 0.75), ("breaks", 0.05)]);
        let later = SimTime::from_nanos(20_000_000_000);
        assert_eq!(shares(&Servers, Some(later)), [("serves", 0.375), ("breaks", 0.025)]);
        assert_eq!(shares(&Servers, Some(SimTime::ZERO)), []);
    }
}
