//! What holds for any bytes read as a workload of Batsim.

use std::io::Cursor;

use clustersim_jobs::import::batsim;
use clustersim_jobs::workload::swf::{Effect, Options};

/// Reading is total and repeatable, and gives only jobs that can be run; a speed loses no job.
pub(crate) fn check(bytes: &[u8]) {
    let read = |speed| batsim::read(Cursor::new(bytes), speed, &Options::default());
    let (whole, again) = (read(None), read(None));
    assert_eq!(format!("{whole:?}"), format!("{again:?}"), "read twice, it differs");
    let Ok(log) = whole else { return };
    assert!(log.jobs.is_sorted_by_key(|job| job.submit_time));
    for job in &log.jobs {
        assert!(job.procs > 0 && !job.run_time.is_zero() && job.estimate >= job.run_time);
        assert!(job.submit_time.checked_add(job.run_time).is_some(), "a submission and a run fit into time");
    }
    assert_eq!(log.report.jobs, log.jobs.len() as u64 + log.report.total(Effect::Dropped));
    if let Ok(fast) = read(Some(1e12)) {
        assert!(fast.jobs.len() >= log.jobs.len());
    }
}
