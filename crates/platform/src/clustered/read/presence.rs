//! Presence of hosts and clusters of a grid: when they are there.

use crate::Trace;
use crate::kernel::SimTime;

/// The state of a host or cluster that comes and leaves at these instants: of an instant the last
/// change holds, and one that was there and is there again has left and returned.
pub(super) fn presence(changes: &[(SimTime, f64)]) -> Trace {
    let mut points = Vec::new();
    let mut before = 0.0;
    for instant in changes.chunk_by(|one, other| one.0 == other.0) {
        let Some(&(at, last)) = instant.last() else { continue };
        let has_left = before > 0.0 && instant.iter().any(|(_, state)| *state <= 0.0);
        if has_left && last > 0.0 {
            points.push((at, 0.0));
        }
        points.push((at, last));
        before = last;
    }
    match points[..] {
        [(SimTime::ZERO, state)] => Trace::constant(state),
        _ => Trace::states(&points, None).expect("instants in order").before(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_and_returns_has_left_and_what_comes_and_leaves_was_never_there() {
        let at = |secs: u64| SimTime::from_nanos(secs * 1_000_000_000);
        let points = |changes: &[(u64, f64)]| {
            let changes: Vec<(SimTime, f64)> =
                changes.iter().map(|(secs, state)| (at(*secs), *state)).collect();
            let presence = presence(&changes);
            let points = presence.points().map(|(time, state)| (time.as_secs_f64() as u64, state > 0.0));
            points.collect::<Vec<_>>()
        };
        assert_eq!(points(&[(0, 1.0), (5, 0.0), (5, 1.0)]), [(0, true), (5, false), (5, true)]);
        // a constant has no points
        assert_eq!(points(&[(0, 1.0), (0, 0.0)]), []);
        assert!(presence(&[(at(0), 1.0), (at(0), 0.0)]).least() <= 0.0);
        assert_eq!(points(&[(3, 1.0), (3, 0.0), (7, 1.0)]), [(3, false), (7, true)]);
    }
}
