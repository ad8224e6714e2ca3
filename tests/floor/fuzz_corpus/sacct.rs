//! What holds for any bytes read as an accounting dump of Slurm.

use clustersim_jobs::import::slurm::{Reading, SiteClock, Unit, read};
use clustersim_jobs::workload::swf::{Effect, Options};

/// Reading is total and repeatable, and gives only jobs that can be run; every record is accounted
/// for.
pub(crate) fn check(bytes: &[u8]) {
    for reading in [
        Reading { resources: true, attributes: true, most_unread: 1.0, ..Reading::default() },
        Reading { clock: SiteClock::Fixed(-50_400), eligible: true, unit: Unit::Nodes, ..Reading::default() },
        Reading { clock: SiteClock::parse("Europe/Paris").expect("known"), ..Reading::default() },
    ] {
        let whole = read(bytes, &reading, None, &Options::default());
        let again = read(bytes, &reading, None, &Options::default());
        assert_eq!(format!("{whole:?}"), format!("{again:?}"), "read twice, it differs");
        let Ok(log) = whole else { continue };
        assert!(log.jobs.is_sorted_by_key(|job| job.submit_time));
        for job in &log.jobs {
            assert!(job.procs > 0 && !job.run_time.is_zero() && job.estimate >= job.run_time);
            assert!(
                job.submit_time.checked_add(job.run_time).is_some(),
                "a submission and a run fit into time"
            );
        }
        let effects = [Effect::Dropped, Effect::Folded, Effect::NotRun, Effect::Unread];
        let lost = effects.map(|effect| log.report.total(effect)).into_iter().fold(0, u64::saturating_add);
        assert_eq!(log.report.jobs, lost.saturating_add(log.jobs.len() as u64), "every record is told");
    }
}
