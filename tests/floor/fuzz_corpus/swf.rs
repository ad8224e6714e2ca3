//! What holds for any bytes read as a log.

use std::io::{self, Read};

use clustersim_jobs::workload::estimate::{Floor, Rule, Source};
use clustersim_jobs::workload::swf::{Effect, Log, LogWindow, Memory, Options, read, read_from};
use clustersim_kernel::SimDuration;

/// The bytes in pieces of uneven length, as a pipe may give them.
struct Pieces<'a> {
    rest: &'a [u8],
    length: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.length = self.length % 7 + 1;
        let taken = self.rest.len().min(buffer.len()).min(self.length);
        let (piece, rest) = self.rest.split_at(taken);
        buffer[..taken].copy_from_slice(piece);
        self.rest = rest;
        Ok(taken)
    }
}

/// Reading is total and repeatable, does not depend on how the bytes arrive, and gives only jobs
/// that can be run.
pub(crate) fn check(bytes: &[u8]) {
    let plain = Options::default();
    let whole = read(bytes, &plain);
    assert_eq!(
        whole,
        read_from(Pieces { rest: bytes, length: bytes.len() }, &plain),
        "pieces give another log"
    );
    if let Err(error) = &whole {
        assert!(!error.to_string().is_empty());
        return;
    }
    let whole = whole.expect("an error was returned before");
    sound(&whole, &plain);

    let exact = Rule { source: Source::Exact, floor: Floor::None };
    let span = |secs| Some(SimDuration::from_secs(secs).into());
    let window = LogWindow { from: span(10), to: span(1_000) };
    let memory = Memory::Requested;
    let cut = Options { estimate: exact, window, keep_lines: 0, memory, ..Options::default() };
    if let Ok(part) = read(bytes, &cut) {
        sound(&part, &cut);
        assert!(part.jobs.len() <= whole.jobs.len(), "a window adds no jobs");
        assert_eq!(part.report.total(Effect::Dropped), whole.report.total(Effect::Dropped));
    }
}

fn sound(log: &Log, options: &Options) {
    assert_eq!(
        log.jobs.first().map(|job| job.submit_time.as_nanos()),
        Some(0),
        "time 0 is the first submission"
    );
    assert!(log.jobs.is_sorted_by_key(|job| job.submit_time));
    for job in &log.jobs {
        assert!(job.procs > 0 && !job.run_time.is_zero() && !job.estimate.is_zero());
        assert!(options.estimate.floor == Floor::None || job.estimate >= job.run_time);
        assert!(job.submit_time.checked_add(job.run_time).is_some(), "a submission and a run fit into time");
    }
    let report = &log.report;
    let accounted = log.jobs.len() as u64
        + report.total(Effect::Dropped)
        + report.total(Effect::Folded)
        + report.total(Effect::Cut);
    assert_eq!(report.jobs, accounted, "every job line is kept, dropped or cut");
    for (_, tally) in report.tallies() {
        assert!(tally.lines.len() as u64 <= tally.count && tally.lines.len() <= options.keep_lines);
    }
}
