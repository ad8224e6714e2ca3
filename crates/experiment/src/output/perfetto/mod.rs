//! Timelines as files that ui.perfetto.dev opens.
//!
//! One track a lane, in order of number, below a track of them all; counters next to it. The slices
//! of a track never overlap, which Perfetto demands (they must nest). Times are nanoseconds of
//! simulated time. A span on many lanes has a slice on each: some 100 bytes a slice. The bytes
//! depend on the timeline alone.
//!
//! Source: perfetto.dev, "Synthetic TrackEvent", and the field numbers in `protos/perfetto/trace`
//! of its sources.

mod message;
mod packet;

use std::io::{self, Write};

use crate::collections::Interval;
use crate::kernel::SimTime;

use super::lanes::{Arrow, Label, LaneSink, LaneSource, Lanes};
use packet::{Packets, Track};

/// The track of lane 0; those of counters and of all lanes together come before it.
const FIRST: u64 = 16;

/// Writes the whole timeline.
///
/// # Errors
/// What the writer says.
pub fn write(source: &dyn LaneSource, out: &mut dyn Write) -> io::Result<()> {
    let lanes = source.lanes();
    let mut packets = Packets::new(out);
    packets.begin()?;
    for counter in lanes.counters {
        packets.track(&Track::counter(counter.number, counter.name, counter.unit))?;
    }
    packets.track(&Track::parent(lanes.number, lanes.title))?;
    let values = vec![None; lanes.counters.len()];
    let mut sink = Sink { lanes, packets, values };
    source.push(&mut sink)?;
    sink.packets.finish()
}

/// A file that is being written, with the last value of each counter.
struct Sink<'a> {
    lanes: Lanes,
    packets: Packets<'a>,
    values: Vec<Option<u64>>,
}

impl LaneSink for Sink<'_> {
    fn lane(&mut self, number: u32, name: &str) -> io::Result<()> {
        self.packets.track(&Track::child(self.lanes.number, track(number), name, u64::from(number)))
    }

    fn begin(&mut self, at: SimTime, on: &[Interval], label: Label<'_>) -> io::Result<()> {
        self.packets.describe(label);
        tracks(on).try_for_each(|track| self.packets.start(at.as_nanos(), track))
    }

    fn end(&mut self, at: SimTime, on: &[Interval]) -> io::Result<()> {
        tracks(on).try_for_each(|track| self.packets.end(at.as_nanos(), track))
    }

    fn mark(&mut self, at: SimTime, on: u32, label: Label<'_>, arrow: Arrow) -> io::Result<()> {
        self.packets.describe(label);
        self.packets.mark(at.as_nanos(), track(on), arrow)
    }

    fn count(&mut self, at: SimTime, counter: usize, value: u64) -> io::Result<()> {
        if self.values[counter].replace(value) == Some(value) {
            return Ok(());
        }
        self.packets.count(at.as_nanos(), self.lanes.counters[counter].number, value)
    }
}

fn track(lane: u32) -> u64 {
    FIRST + u64::from(lane)
}

fn tracks(lanes: &[Interval]) -> impl Iterator<Item = u64> {
    lanes.iter().flat_map(|part| part.first..=part.last).map(track)
}

#[cfg(test)]
mod tests {
    use crate::output::Counter;

    use super::*;

    /// A span on two of three lanes with a fact of a name of its own, and a counter that stays.
    struct Tickets;

    impl LaneSource for Tickets {
        fn lanes(&self) -> Lanes {
            const WAITING: Counter = Counter { number: 1, name: "waiting", unit: "customers" };
            Lanes { title: "counters", number: 2, counters: &[WAITING], causes: &[] }
        }

        fn push(&self, sink: &mut dyn LaneSink) -> io::Result<()> {
            let at = SimTime::from_nanos;
            (0..3).try_for_each(|lane| sink.lane(lane, &format!("counter {lane}")))?;
            for (number, name) in [(1, Some("served")), (1, None)] {
                let on = [Interval::new(0, 0), Interval::new(2, 2)];
                sink.begin(at(5), &on, Label { number, name, facts: &[("patience_ns", 7)], cause: "" })?;
                sink.end(at(6), &on)?;
                sink.count(at(6), 0, 3)?;
            }
            Ok(())
        }
    }

    #[test]
    fn names_are_written_once_and_counters_where_they_change() {
        let mut bytes = Vec::new();
        write(&Tickets, &mut bytes).expect("into memory");
        let times = |text: &str| bytes.windows(text.len()).filter(|part| *part == text.as_bytes()).count();
        for name in ["counters", "counter 0", "counter 1", "counter 2", "waiting", "served", "patience_ns"] {
            assert_eq!(times(name), 1, "{name}");
        }
        let mut again = Vec::new();
        write(&Tickets, &mut again).expect("into memory");
        assert_eq!(bytes, again);
    }
}
