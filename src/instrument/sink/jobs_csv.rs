//! `jobs.csv`: one row a job, in Batsim's columns and order, so that its users' tools load it, and one column after them.
//!
//! Header and meaning: Batsim 5, `export.cpp` and its documentation. Rows stand in order of leaving: by end time (of a
//! rejected job: its submission), at equal times by submission. Jobs that had not ended when the run was stopped
//! have no row. Times are seconds, exact to the nanosecond; stretch is response time over
//! run time, to the millionth. A rejected job
//! leaves the columns of its run empty; so does one that is cancelled before it starts, but for when that was and how long it waited. One that is
//! killed at its limit, cancelled, or lost with a node, is no success. Of a job that was
//! interrupted the row tells the last run, and its waiting time leaves out what it had processors before; `attempts.csv` tells
//! the earlier runs. Energy [J] is exact where power is
//! known and processors are not shared, and -1 elsewhere; metadata are empty. The last column, `reason`, is not Batsim's: why the job
//! started when it did, or was rejected, as [`Reason::name`](crate::instrument::Reason::name) calls it. Where
//! moldable jobs may be given other sizes, three columns follow ([`MOLDED`]): what was requested is what the job asked for, and these tell the
//! processors that it was given, the time requested for them, and its run time alone on what it asked for, which stretch is over.

use std::io::{self, Write};

use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::energy::{self, Energy};
use crate::instrument::metrics::Run;
use crate::instrument::record::State;
use crate::kernel::{SimDuration, SimTime};

/// The first line, without its end.
pub const HEADER: &str = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,\
success,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
allocated_resources,consumed_energy,metadata,reason";

/// The columns after those, where moldable jobs may be given other sizes.
pub const MOLDED: &str = ",given_number_of_resources,given_time,dedicated_time";

/// Bytes gathered before they are written.
const CHUNK: usize = 64 * 1024;

/// Millionths of one.
pub(super) const MILLION: u128 = 1_000_000;

/// Writes header and rows; `workload` names the workload in every row.
///
/// # Errors
/// What the writer says.
pub fn write(run: &Run<'_>, workload: &str, out: &mut impl Write) -> io::Result<()> {
    let workload = quoted(workload);
    let mut buffer = Vec::with_capacity(CHUNK + 4096);
    let molds = run.record.site().users.molds;
    buffer.extend_from_slice(HEADER.as_bytes());
    buffer.extend_from_slice(if molds { MOLDED.as_bytes() } else { b"" });
    buffer.push(b'\n');
    for id in run.record.left() {
        let (job, outcome) = (&run.jobs[id.index()], run.record.outcome(id));
        integer(&mut buffer, job.number);
        buffer.push(b',');
        buffer.extend_from_slice(workload.as_bytes());
        buffer.extend_from_slice(b",rigid,");
        let origin = SimTime::ZERO;
        seconds(&mut buffer, job.submit_time.since(origin));
        buffer.push(b',');
        integer(&mut buffer, u64::from(run.asked_procs(id)));
        buffer.push(b',');
        seconds(&mut buffer, run.asked_time(id));
        buffer.extend_from_slice(if outcome.state == State::Completed { b",1," } else { b",0," });
        buffer.extend_from_slice(outcome.state.final_state().unwrap_or_default().as_bytes());
        if outcome.state == State::Rejected {
            buffer.extend_from_slice(b",,,,,,,,-1,,");
        } else if !outcome.ran() {
            buffer.extend_from_slice(b",,,");
            seconds(&mut buffer, outcome.end.since(origin));
            buffer.push(b',');
            seconds(&mut buffer, outcome.end.since(job.submit_time));
            buffer.extend_from_slice(b",,,,-1,,");
        } else {
            let execution = outcome.end.since(outcome.start);
            let turnaround = outcome.end.since(job.submit_time);
            let start = outcome.start.since(origin);
            let waiting = run.waited(id);
            for span in [start, execution, outcome.end.since(origin), waiting, turnaround] {
                buffer.push(b',');
                seconds(&mut buffer, span);
            }
            buffer.push(b',');
            stretch(&mut buffer, turnaround, run.dedicated_time(id));
            buffer.push(b',');
            intervals(&mut buffer, &run.record.processors(id));
            buffer.push(b',');
            match energy::of_job(run, id) {
                Some(consumed) => joules(&mut buffer, consumed),
                None => buffer.extend_from_slice(b"-1"),
            }
            buffer.extend_from_slice(b",,");
        }
        buffer.extend_from_slice(outcome.reason.name().as_bytes());
        if molds {
            given(&mut buffer, run, id);
        }
        buffer.push(b'\n');
        if buffer.len() >= CHUNK {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)
}

/// What a job was given: processors and time, and the run time alone on those that it asked for, if it ran.
fn given(buffer: &mut Vec<u8>, run: &Run<'_>, id: JobId) {
    let job = &run.jobs[id.index()];
    buffer.push(b',');
    integer(buffer, u64::from(job.procs));
    buffer.push(b',');
    seconds(buffer, job.estimate);
    buffer.push(b',');
    if run.record.outcome(id).ran() {
        seconds(buffer, run.dedicated_time(id));
    }
}

/// Response time over run time, to the nearest millionth.
fn stretch(buffer: &mut Vec<u8>, turnaround: SimDuration, run_time: SimDuration) {
    let millionths = stretch_in_millionths(turnaround, run_time);
    integer(buffer, (millionths / MILLION) as u64);
    fraction(buffer, (millionths % MILLION) as u32, 100_000);
}

/// Response time over run time, in millionths.
pub(super) fn stretch_in_millionths(turnaround: SimDuration, run_time: SimDuration) -> u128 {
    let (turnaround, run_time) = (u128::from(turnaround.as_nanos()), u128::from(run_time.as_nanos()));
    if turnaround == run_time || run_time == 0 {
        return MILLION;
    }
    (turnaround * MILLION + run_time / 2) / run_time
}

/// `0-3 7 10-12`
pub(super) fn intervals(buffer: &mut Vec<u8>, intervals: &[Interval]) {
    for (place, interval) in intervals.iter().enumerate() {
        if place > 0 {
            buffer.push(b' ');
        }
        integer(buffer, u64::from(interval.first));
        if interval.last > interval.first {
            buffer.push(b'-');
            integer(buffer, u64::from(interval.last));
        }
    }
}

/// Seconds with as many decimals as the value needs.
pub(super) fn seconds(buffer: &mut Vec<u8>, span: SimDuration) {
    let nanos = span.as_nanos();
    integer(buffer, nanos / 1_000_000_000);
    fraction(buffer, (nanos % 1_000_000_000) as u32, 100_000_000);
}

/// Joules with as many decimals as the value needs.
fn joules(buffer: &mut Vec<u8>, energy: Energy) {
    let (whole, rest) = energy.parts();
    // past 2^64 J, more than the world takes in a week, it is no longer told exactly
    integer(buffer, u64::try_from(whole).unwrap_or(u64::MAX));
    if rest > 0 {
        buffer.extend_from_slice(format!(".{rest:012}").trim_end_matches('0').as_bytes());
    }
}

/// The decimals of a fraction whose first has this weight, without idle zeros.
fn fraction(buffer: &mut Vec<u8>, mut rest: u32, mut weight: u32) {
    if rest > 0 {
        buffer.push(b'.');
    }
    while rest > 0 {
        buffer.push(b'0' + (rest / weight) as u8);
        rest %= weight;
        weight /= 10;
    }
}

/// A whole number, two digits at a step.
pub(super) fn integer(buffer: &mut Vec<u8>, mut value: u64) {
    const PAIRS: &[u8; 200] = b"00010203040506070809101112131415161718192021222324252627282930313233343536373839\
4041424344454647484950515253545556575859606162636465666768697071727374757677787980818283848586878889909192939495969798\
99";
    let mut digits = [0_u8; 20];
    let mut first = digits.len();
    while value >= 100 {
        let pair = (value % 100) as usize * 2;
        value /= 100;
        first -= 2;
        digits[first..first + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    }
    let pair = value as usize * 2;
    first -= 2;
    digits[first..first + 2].copy_from_slice(&PAIRS[pair..pair + 2]);
    buffer.extend_from_slice(&digits[first + usize::from(value < 10)..]);
}

/// A text as a field of a comma-separated file.
pub(super) fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::instrument::{Reason, Record};
    use crate::kernel::stats::WarmUp;
    use crate::workload::Job;

    use super::*;

    #[test]
    fn rows_are_batsims_in_order_of_end() {
        let at = SimTime::from_nanos;
        let second = 1_000_000_000;
        let mut record = Record::new(3);
        let jobs = [
            Job::new(7, at(0), 4, SimDuration::from_nanos(4 * second)),
            Job::new(8, at(second / 2), 2, SimDuration::from_nanos(second)),
            Job::new(9, at(second), 99, SimDuration::from_nanos(second)),
        ];
        record.started(JobId(0), at(0), &[Interval::new(0, 2), Interval::new(7, 7)], Reason::Head);
        record.rejected(JobId(2), at(second), Reason::TooLarge);
        record.started(JobId(1), at(second), &[Interval::new(3, 4)], Reason::BeforeShadow);
        record.ended(JobId(1), at(2 * second));
        record.ended(JobId(0), at(4 * second));
        let run = Run { jobs: &jobs, record: &record, procs: 8, until: None, warm_up: WarmUp::None };
        let mut bytes = Vec::new();
        write(&run, "a, b", &mut bytes).expect("into memory");
        let text = String::from_utf8(bytes).expect("ASCII");
        let expected = format!(
            "{HEADER}\n\
             9,\"a, b\",rigid,1,99,1,0,REJECTED,,,,,,,,-1,,too-large\n\
             8,\"a, b\",rigid,0.5,2,1,1,COMPLETED_SUCCESSFULLY,1,1,2,0.5,1.5,1.5,3-4,-1,,before-shadow\n\
             7,\"a, b\",rigid,0,4,4,1,COMPLETED_SUCCESSFULLY,0,4,4,0,4,1,0-2 7,-1,,head\n"
        );
        assert_eq!(text, expected);
        let columns = HEADER.split(',').count();
        assert!(text.lines().skip(1).all(|row| row.replace("\"a, b\"", "w").split(',').count() == columns));
    }

    #[test]
    fn stretch_is_rounded_to_the_millionth() {
        let text = |turnaround, run| {
            let mut buffer = Vec::new();
            stretch(&mut buffer, SimDuration::from_nanos(turnaround), SimDuration::from_nanos(run));
            String::from_utf8(buffer).expect("ASCII")
        };
        assert_eq!(text(3, 2), "1.5");
        assert_eq!(text(5, 3), "1.666667");
        assert_eq!(text(1_999_999_999, 1_000_000_000), "2");
        assert_eq!(text(100_000_003, 100_000_000), "1");
        assert_eq!(text(u64::MAX, 1), "18446744073709551615");
    }

    #[test]
    fn joules_keep_every_picojoule() {
        let text = |picojoules| {
            let mut buffer = Vec::new();
            joules(&mut buffer, Energy::from_picojoules(picojoules));
            String::from_utf8(buffer).expect("ASCII")
        };
        assert_eq!(text(0), "0");
        assert_eq!(text(1_000_000_000_001), "1.000000000001");
        assert_eq!(text(30_060_500_000_000_000), "30060.5");
    }

    #[test]
    fn seconds_keep_every_nanosecond() {
        let text = |nanos| {
            let mut buffer = Vec::new();
            seconds(&mut buffer, SimDuration::from_nanos(nanos));
            String::from_utf8(buffer).expect("ASCII")
        };
        assert_eq!(text(0), "0");
        assert_eq!(text(1_000_000_001), "1.000000001");
        assert_eq!(text(12_340_000_000), "12.34");
        assert_eq!(text(u64::MAX), "18446744073.709551615");
    }
}
