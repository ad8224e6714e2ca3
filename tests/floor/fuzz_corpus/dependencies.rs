//! What holds for any bytes read as a table of dependencies.

use clustersim_jobs::workload::Job;
use clustersim_jobs::workload::dependency::{Dependencies, join_table};
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::registry::{Sources, Span};
use clustersim_language::text::MOST_MISTAKES;

/// The numbers of the jobs that a table is read for; two jobs have the last one.
const NUMBERS: [u64; 9] = [1, 2, 3, 4, 5, 7, u64::MAX, 9, 9];

/// Reading is total and repeatable. It gives edges between jobs that exist, or mistakes that lie in
/// their lines.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let at = Span::new(Sources::new("").add("scenario.toml", "", ""), 0..0);
    let jobs = NUMBERS.map(|number| Job::new(number, SimTime::ZERO, 1, SimDuration::from_secs(1)));
    let read = || join_table(text, ("after.csv", at), &jobs, &Dependencies::default());
    match (read(), read()) {
        (Ok(joined), Ok(again)) => {
            assert_eq!(joined.edges(), again.edges(), "read twice, it differs");
            let edges = joined.edges();
            assert!(edges.iter().all(|edge| edge.job.index() < jobs.len() && edge.on.index() < jobs.len()));
            assert!(edges.iter().all(|edge| edge.job != edge.on), "a job depends on itself");
        }
        (Err(complaints), Err(again)) => {
            assert_eq!(complaints, again, "read twice, it differs");
            assert!((1..=MOST_MISTAKES).contains(&complaints.len()));
            for complaint in complaints {
                assert!(!complaint.message.is_empty());
                if let Some(excerpt) = complaint.excerpt {
                    assert!(
                        excerpt.line > 0 && excerpt.text.get(excerpt.range.clone()).is_some(),
                        "{excerpt:?}"
                    );
                }
            }
        }
        _ => panic!("read twice, it differs"),
    }
}
