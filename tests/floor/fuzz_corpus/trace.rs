//! What holds for any bytes read as a trace of tasks.

use clustersim_jobs::workload::parallel::trace::{Mistake, Trace, Unreadable, read};
use clustersim_jobs::workload::parallel::{Application, pattern};
use clustersim_language::distribution;
use clustersim_language::registry::Registry;

/// Jobs up to so many tasks are looked at task by task.
const LOOKED_AT: u32 = 64;

/// Reading is total and repeatable; it gives jobs that can be run, or mistakes that can be shown.
pub(crate) fn check(bytes: &[u8]) {
    let mut registry = Registry::new();
    registry.table(distribution::table()).table(pattern::table());
    let first = read(bytes, "trace.jsonl", &registry, Some(1_000));
    let again = read(bytes, "trace.jsonl", &registry, Some(1_000));
    assert_eq!(format!("{first:?}"), format!("{again:?}"), "reading it again gives something else");
    match first {
        Ok(trace) => sound(&trace),
        Err(Unreadable::Lines(mistakes)) => {
            assert!((1..=50).contains(&mistakes.len()), "{} mistakes", mistakes.len());
            for Mistake { complaint, excerpt } in mistakes {
                assert!(!complaint.message.is_empty() && excerpt.line > 0);
                assert!(excerpt.text.get(excerpt.range.clone()).is_some(), "{excerpt:?}");
                assert!(!excerpt.text.chars().any(char::is_control), "{excerpt:?}");
            }
        }
        Err(Unreadable::File(kind)) => assert!(!kind.to_string().is_empty()),
        Err(Unreadable::NoJobs) => {}
    }
}

fn sound(trace: &Trace) {
    let Trace { jobs, applications } = trace;
    assert!(!jobs.is_empty() && jobs.len() == applications.of.len());
    assert!(jobs.is_sorted_by_key(|job| job.submit_time));
    for (job, application) in jobs.iter().zip(&applications.of) {
        assert!(job.procs > 0 && job.procs <= 1_000 && !job.run_time.is_zero() && !job.estimate.is_zero());
        assert!(job.submit_time.checked_add(job.run_time).is_some(), "a submission and a run fit into time");
        assert_eq!(application.tasks, job.procs);
        assert!(usize::from(application.class) < applications.classes.len());
        assert_eq!(application.dedicated_time(), Some(job.run_time));
        if application.tasks <= LOOKED_AT {
            matched(application);
        }
    }
}

/// Whoever is sent to receives from the sender, and the other way round.
fn matched(application: &Application) {
    for rank in 0..application.tasks {
        for peer in application.sends_to(rank) {
            assert!(peer < application.tasks && peer != rank);
            assert!(application.receives_from(peer).any(|from| from == rank), "{rank} to {peer}");
        }
        for peer in application.receives_from(rank) {
            assert!(application.sends_to(peer).any(|to| to == rank), "{peer} to {rank}");
        }
    }
}
