//! `trace.pftrace` of whatever has lines and named spans on them: agents and what they do.
//!
//! One track a line, in their order; spans of a line that overlap go on further tracks of it, each on the first that is free, since the
//! slices of a track must nest. Spans of no length have no slice.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::kernel::SimTime;

use super::packet::{Packets, Track};

/// The track above all others, and the first of these.
const ALL: u64 = 1;
const FIRST: u64 = 16;

/// What was done on a line from when to when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lane<'a> {
    /// The line, a place among their names.
    pub line: u32,
    /// What it is called.
    pub name: &'a str,
    /// From when.
    pub start: SimTime,
    /// To when.
    pub end: SimTime,
}

/// Writes the whole trace: `lines` are the names of the lines, `title` is what they are together.
///
/// # Errors
/// What the writer says.
pub fn write(title: &str, lines: &[String], spans: &[Lane<'_>], out: &mut impl Write) -> io::Result<()> {
    let mut order: Vec<&Lane<'_>> = spans.iter().filter(|span| span.end > span.start).collect();
    order.sort_by_key(|span| (span.start, span.line));
    // when each track of a line is free, and which track each span goes on
    let mut free: Vec<Vec<SimTime>> = vec![Vec::new(); lines.len()];
    let mut events = Vec::with_capacity(2 * order.len());
    for (number, span) in order.iter().enumerate() {
        let Some(tracks) = free.get_mut(span.line as usize) else { continue };
        let track = tracks.iter().position(|free| *free <= span.start).unwrap_or_else(|| {
            tracks.push(SimTime::ZERO);
            tracks.len() - 1
        });
        tracks[track] = span.end;
        // ends before begins of one instant
        events.push((span.start, 1, number, track));
        events.push((span.end, 0, number, track));
    }
    events.sort_unstable();
    let mut packets = Packets::new(out);
    packets.begin()?;
    packets.track(&Track::parent(ALL, title))?;
    let mut first_track = Vec::with_capacity(lines.len());
    let mut next = FIRST;
    for (name, tracks) in lines.iter().zip(&free) {
        first_track.push(next);
        for place in 0..tracks.len() {
            let name = if place == 0 { name.clone() } else { format!("{name} ({})", place + 1) };
            packets.track(&Track::child(ALL, next, &name, next - FIRST))?;
            next += 1;
        }
    }
    let mut names = BTreeMap::<&str, u64>::new();
    for (at, begins, number, track) in events {
        let span = order[number];
        let track = first_track[span.line as usize] + track as u64;
        if begins == 0 {
            packets.end(at.as_nanos(), track)?;
            continue;
        }
        let known = names.len() as u64 + 1;
        let iid = *names.entry(span.name).or_insert(known);
        packets.describe_once(iid, (iid == known).then_some(span.name), &[]);
        packets.start(at.as_nanos(), track)?;
    }
    packets.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(line: u32, name: &str, start: u64, end: u64) -> Lane<'_> {
        Lane { line, name, start: SimTime::from_nanos(start), end: SimTime::from_nanos(end) }
    }

    fn text(spans: &[Lane<'_>]) -> Vec<u8> {
        let mut out = Vec::new();
        write("agents", &["a".to_owned(), "b".to_owned()], spans, &mut out).expect("into memory");
        out
    }

    #[test]
    fn spans_that_overlap_go_on_tracks_of_their_own() {
        let apart = text(&[lane(0, "x", 0, 5), lane(0, "y", 5, 9), lane(1, "x", 2, 4)]);
        let over = text(&[lane(0, "x", 0, 6), lane(0, "y", 5, 9), lane(1, "x", 2, 4)]);
        let holds = |bytes: &[u8], name: &[u8]| bytes.windows(name.len()).any(|part| part == name);
        assert!(!holds(&apart, b"a (2)") && holds(&over, b"a (2)"));
        assert_eq!(text(&[lane(0, "x", 3, 3)]), text(&[]));
    }
}
