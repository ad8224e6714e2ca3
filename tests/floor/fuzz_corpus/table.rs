//! What holds for any bytes read as a table of jobs.

use clustersim_jobs::import::table::{Input, mapping_of, read, read_nodes, survey};
use clustersim_jobs::workload::swf::{Effect, Options};

/// Mappings of what the corpus has; the first is of everything that a column can be.
const MAPPINGS: [&str; 5] = [
    "[columns]\nsubmit = [\"submit\", \"s\"]\nstart = { column = \"start\", none = 0, optional = true }\n\
     run-time = { column = \"run\", unit = \"s\" }\nlimit = { column = \"limit\", unit = \"min\", none = [-1, \"x\"], optional = true }\n\
     procs = { column = \"procs\", scale = 0.5, round = \"up\", per = \"node\" }\nnodes = { column = \"count(nodes)\", optional = true }\n\
     gpus = { column = \"gpus\", share = \"share\", of = 1000, optional = true }\ngpu-type = { column = \"kind\", optional = true }\n\
     memory = { column = \"memory\", unit = \"GiB\", per = \"processor\", optional = true }\ntres = { column = \"tres\", optional = true }\n\
     user = { column = \"user\", optional = true }\nstate = { column = \"state\", optional = true }\n\
     times = { unit = \"s\", zone = \"Europe/Rome\" }",
    "like = \"eagle\"",
    "like = \"philly\"",
    "like = \"gavel\"\n[columns]\nrun-time = { column = \"steps\", unit = \"ms\" }",
    "like = \"torque\"",
];

/// Reading is total and repeatable, and gives only jobs that can be run; every row is accounted
/// for.
pub(crate) fn check(bytes: &[u8]) {
    for (columns, asks) in MAPPINGS.iter().zip([true, false, true, false, true]) {
        let mapping = mapping_of(columns).expect("a right mapping");
        let whole = read(Input::Bytes(bytes), "t", &mapping, asks, &Options::default());
        let again = read(Input::Bytes(bytes), "t", &mapping, asks, &Options::default());
        assert_eq!(format!("{whole:?}"), format!("{again:?}"), "read twice, it differs");
        let nodes = read_nodes(Input::Bytes(bytes), "t", &mapping);
        assert!(nodes.is_err() || nodes.is_ok_and(|groups| groups.iter().all(|group| group.processors > 0)));
        let Ok(log) = whole else { continue };
        assert!(log.jobs.is_sorted_by_key(|job| job.submit_time));
        for job in &log.jobs {
            assert!(job.procs > 0 && !job.run_time.is_zero() && job.estimate >= job.run_time);
            assert!(
                job.submit_time.checked_add(job.run_time).is_some(),
                "a submission and a run fit into time"
            );
        }
        let lost = log.report.total(Effect::Dropped);
        assert_eq!(log.report.jobs, lost + log.jobs.len() as u64, "every row is accounted for");
    }
    let Ok(seen) = survey(Input::Bytes(bytes), "t") else { return };
    assert!(!seen.damage.is_empty() || seen.rows > 0, "a whole table has rows");
    assert!(seen.all_columns >= seen.columns.len() as u64);
    // the guess is a text that can be pasted, and is read as the survey read it
    if let Ok((log, _)) = seen.jobs {
        let mapping = mapping_of(&seen.guess.keys("columns")).expect("a right guess");
        let options = Options { keep_unrequested: true, ..Options::default() };
        let pasted = read(Input::Bytes(bytes), "t", &mapping, false, &options).expect("right");
        assert_eq!(format!("{:?}", log.jobs), format!("{:?}", pasted.jobs));
    }
}
