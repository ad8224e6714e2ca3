//! What holds for any bytes read as a trace of a host or link, as SimGrid's text or as
//! comma-separated values.

use clustersim_jobs::workload::source::Problem;
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::text::{MOST_MISTAKES, Mistakes};
use clustersim_platform::{Trace, read_trace, read_trace_csv};

/// Changes of a trace that are visited.
const VISITED: usize = 64;

/// Reading is total and repeatable. It gives a trace with finite values at rising times, or
/// mistakes that lie in their lines.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    checked(text, read_trace);
    for periodicity in [None, Some(SimDuration::from_secs(10))] {
        checked(text, |text| read_trace_csv(text, periodicity));
    }
}

fn checked(text: &str, read: impl Fn(&str) -> Result<Trace, Mistakes<Problem>>) {
    match (read(text), read(text)) {
        (Ok(trace), Ok(again)) => {
            assert_eq!(trace, again, "read twice, it differs");
            let changes = std::iter::successors(Some(SimTime::ZERO), |&at| trace.next_change(at));
            let visited: Vec<SimTime> = changes.take(VISITED).collect();
            assert!(visited.windows(2).all(|pair| pair[0] < pair[1]), "time stands still");
            assert!(visited.iter().all(|&at| trace.value_at(at).is_finite() && trace.value_at(at) >= 0.0));
        }
        (Err(problems), Err(again)) => {
            assert_eq!(format!("{problems:?}"), format!("{again:?}"), "read twice, it differs");
            assert!((1..=MOST_MISTAKES).contains(&problems.len()));
            assert!(problems.iter().all(|problem| !problem.message.is_empty()));
            assert!(problems.iter().filter_map(|problem| problem.place.as_ref()).all(|place| place.line > 0));
        }
        _ => panic!("read twice, it differs"),
    }
}
