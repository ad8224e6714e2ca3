//! Values that hold for a time, and when work ends at a rate that changes.

use crate::kernel::{SimDuration, SimTime};

/// A value, and until when it holds; for ever if nothing is said.
pub type Holds = (f64, Option<SimTime>);

/// The value that holds at an instant; `None` before the first.
pub fn at_instant(values: &[(SimTime, f64)], at: SimTime) -> Option<Holds> {
    let next = values.partition_point(|(from, _)| *from <= at);
    let (_, value) = values.get(next.checked_sub(1)?)?;
    Some((*value, values.get(next).map(|(from, _)| *from)))
}

/// The instant at which `work` is done at a rate that changes; `None` if it never is, or the rate
/// is not known.
pub fn finish(start: SimTime, work: f64, rate: impl Fn(SimTime) -> Option<Holds>) -> Option<SimTime> {
    /// Changes of a rate that may be 0 in turn, for ever.
    const MOST_CHANGES: usize = 10_000_000;
    let (mut at, mut left) = (start, work);
    for _ in 0..MOST_CHANGES {
        let (value, until) = rate(at)?;
        let gathered = until.map(|until| value * until.since(at).as_secs_f64());
        match until.zip(gathered) {
            Some((until, gathered)) if gathered < left => (at, left) = (until, left - gathered),
            _ if left <= 0.0 => return Some(at),
            _ if value > 0.0 => return Some(at.saturating_add(SimDuration::ceil_ratio(left, value))),
            _ => return None,
        }
    }
    None
}

/// Returns true if two instants are the same but for the rounding of what was added up.
pub fn is_same(one: SimTime, other: SimTime) -> bool {
    one.max(other).since(one.min(other)) <= SimDuration::from_nanos(1)
}

/// Returns true if work that starts then may end so: exactly where its rate stays, else but for the
/// rounding of what was added up.
pub fn is_end(
    (start, end): (SimTime, SimTime),
    work: f64,
    right: Option<SimTime>,
    rate: impl Fn(SimTime) -> Option<Holds>,
) -> bool {
    let Some(right) = right else { return false };
    let stays = rate(start).is_some_and(|(_, until)| until.is_none_or(|until| until >= right));
    if right == end || !stays && is_same(right, end) {
        return true;
    }
    // over many changes sums are off by more than a nanosecond, or a standstill lies between
    let off = work * (1.0 + 1e-12) - work;
    !stays && {
        let [early, late] = [work - off, work + off].map(|work| finish(start, work, &rate));
        let is_from = |early: SimTime| early <= end || is_same(early, end);
        early.is_some_and(is_from) && late.is_none_or(|late| end <= late || is_same(late, end))
    }
}
