//! Utilization over time, for strip charts: the mean share of allocated processors in equal spans of a window.

use crate::kernel::SimTime;
use crate::kernel::stats::ratio;

use super::metrics::{Run, Window};

/// The mean utilization in each of `parts` equal spans of `window`; exact but for one rounding each.
///
/// An empty window gives no values.
///
/// # Complexity
/// One step for each job and each part, however long the jobs run.
pub fn utilization(run: &Run<'_>, window: Window, parts: usize) -> Vec<f64> {
    let length = window.to.since(window.from).as_nanos();
    if length == 0 || parts == 0 {
        return Vec::new();
    }
    // nanoseconds times parts: the bounds of all spans are whole
    let width = u128::from(length);
    let place = |at: SimTime| {
        u128::from(at.max(window.from).min(window.to).since(window.from).as_nanos()) * parts as u128
    };
    let mut inside = vec![0_u128; parts];
    let mut across = vec![0_i128; parts + 1];
    for (start, end, held) in run.spans_held(window) {
        let (start, end, procs) = (place(start), place(end), u128::from(held));
        let (first, last) = ((start / width) as usize, (end / width) as usize);
        if start >= end {
            continue;
        }
        if first == last {
            inside[first] += procs * (end - start);
            continue;
        }
        inside[first] += procs * ((first as u128 + 1) * width - start);
        if last < parts {
            inside[last] += procs * (end - last as u128 * width);
        }
        across[first + 1] += i128::from(held);
        across[last.min(parts)] -= i128::from(held);
    }
    let mut level = 0_i128;
    let spans = inside.into_iter().zip(across).map(|(partly, change)| {
        level += change;
        ratio(partly + level.unsigned_abs() * width, width * u128::from(run.procs))
    });
    spans.collect()
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::ids::JobId;
    use crate::instrument::{Reason, Record};
    use crate::kernel::SimDuration;
    use crate::kernel::stats::WarmUp;
    use crate::workload::Job;

    use super::*;

    #[test]
    fn a_job_counts_in_every_span_it_touches() {
        let at = SimTime::from_nanos;
        let mut record = Record::new(2);
        let jobs = [
            Job::new(1, at(0), 4, SimDuration::from_nanos(35)),
            Job::new(2, at(0), 2, SimDuration::from_nanos(4)),
        ];
        for (id, start, end) in [(0, 5, 40), (1, 12, 16)] {
            record.started(JobId(id), at(start), &[Interval::new(0, 0)], Reason::Head);
            record.ended(JobId(id), at(end));
        }
        let run = Run { jobs: &jobs, record: &record, procs: 8, until: None, warm_up: WarmUp::None };
        let window = Window { from: at(0), to: at(40) };
        assert_eq!(utilization(&run, window, 4), [0.25, 0.6, 0.5, 0.5]);
        assert_eq!(utilization(&run, window, 1), [(4.0 * 35.0 + 8.0) / 320.0]);
        assert_eq!(utilization(&run, Window { from: at(20), to: at(30) }, 3), [0.5, 0.5, 0.5]);
        assert_eq!(utilization(&run, Window { from: at(3), to: at(3) }, 3), [] as [f64; 0]);
    }
}
