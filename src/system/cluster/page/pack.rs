//! The bars of the Gantt chart in few bytes: columns of differences, in base 128, as base 64.
//!
//! A column after another: job numbers (to the one before), submissions (to the one before), waits, run times,
//! estimates (to the run time), processors, users (0 unknown, else one more), then the intervals of each job: how many,
//! and of each the gap to the one before and the processors beyond the first. Each number is written with seven bits a
//! byte, the lowest first; what may be negative alternates (0, -1, 1, -2, ...). Times are whole seconds, or whole
//! milliseconds where a time is not a whole second: finer than any screen.

use serde_json::{Value as Json, json};

use crate::system::cluster::page::rows::Rows;
use crate::workload::UNKNOWN_ID;

/// Bars at most; of more jobs those that hold the most processor time are drawn.
pub(super) const MOST_JOBS: usize = 120_000;
/// Intervals at most, over all bars: each takes two bytes or more.
const MOST_INTERVALS: usize = 500_000;

const NANOS_PER_SEC: u64 = 1_000_000_000;
const NANOS_PER_MILLI: u64 = 1_000_000;

/// The bars as a document: `{jobs, of, unit, intervals, packed}`, in order of start.
pub(super) fn pack(rows: &Rows) -> Json {
    let (places, total) = chosen(rows);
    let unit = unit(rows, &places);
    let mut bytes = Vec::with_capacity(places.len() * 24);
    let at = |nanos: u64| nanos / unit;
    let mut before = 0;
    for &place in &places {
        let number = rows.jobs[place].number;
        signed(&mut bytes, number.wrapping_sub(before).cast_signed());
        before = number;
    }
    before = 0;
    for &place in &places {
        let submit = at(rows.jobs[place].submit);
        signed(&mut bytes, submit.wrapping_sub(before).cast_signed());
        before = submit;
    }
    let jobs = || places.iter().map(|&place| &rows.jobs[place]);
    jobs().for_each(|job| unsigned(&mut bytes, at(job.start) - at(job.submit)));
    jobs().for_each(|job| unsigned(&mut bytes, at(job.end) - at(job.start)));
    for job in jobs() {
        let run = at(job.end) - at(job.start);
        signed(&mut bytes, at(job.estimate).wrapping_sub(run).cast_signed());
    }
    jobs().for_each(|job| unsigned(&mut bytes, u64::from(job.procs)));
    for job in jobs() {
        unsigned(&mut bytes, if job.user == UNKNOWN_ID { 0 } else { u64::from(job.user) + 1 });
    }
    let mut intervals = 0;
    for job in jobs() {
        let held = rows.intervals(job);
        intervals += held.len();
        unsigned(&mut bytes, held.len() as u64);
        let mut next = 0;
        for interval in held {
            // intervals stand in rising order, as the record and jobs.csv have them
            signed(&mut bytes, i64::from(interval.first) - next);
            unsigned(&mut bytes, u64::from(interval.last - interval.first));
            next = i64::from(interval.last) + 1;
        }
    }
    json!({
        "jobs": places.len(),
        "of": total,
        "unit": if unit == NANOS_PER_SEC { 1.0 } else { 0.001 },
        "intervals": intervals,
        "packed": base64(&bytes),
    })
}

/// The jobs that are drawn, in order of start, and how many there are.
fn chosen(rows: &Rows) -> (Vec<usize>, usize) {
    let mut places: Vec<usize> = (0..rows.jobs.len()).filter(|&place| rows.jobs[place].ran()).collect();
    let total = places.len();
    let held: usize = places.iter().map(|&place| rows.intervals(&rows.jobs[place]).len()).sum();
    if total > MOST_JOBS || held > MOST_INTERVALS {
        places.sort_by_key(|&place| std::cmp::Reverse(rows.jobs[place].area()));
        let mut room = MOST_INTERVALS;
        let fits = places.iter().take(MOST_JOBS).take_while(|&&place| {
            let needed = rows.intervals(&rows.jobs[place]).len();
            let fits = needed <= room;
            room = room.saturating_sub(needed);
            fits
        });
        let count = fits.count();
        places.truncate(count);
    }
    places.sort_by_key(|&place| (rows.jobs[place].start, place));
    (places, total)
}

/// The coarsest unit that is as exact as the picture needs [ns].
fn unit(rows: &Rows, places: &[usize]) -> u64 {
    let whole = |nanos: u64| nanos.is_multiple_of(NANOS_PER_SEC);
    let all_whole = places
        .iter()
        .map(|&place| &rows.jobs[place])
        .all(|job| whole(job.submit) && whole(job.start) && whole(job.end) && whole(job.estimate));
    if all_whole { NANOS_PER_SEC } else { NANOS_PER_MILLI }
}

fn unsigned(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn signed(bytes: &mut Vec<u8>, value: i64) {
    unsigned(bytes, ((value << 1) ^ (value >> 63)).cast_unsigned());
}

/// RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * index)) as usize & 63];
            text.push(if index <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::system::cluster::page::rows::Row;

    use super::*;

    /// Reads the columns again, as the script does.
    struct Reader {
        bytes: Vec<u8>,
        next: usize,
    }

    impl Reader {
        fn of(text: &str) -> Self {
            const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            let values: Vec<u32> =
                text.chars().filter_map(|letter| LETTERS.find(letter)).map(|value| value as u32).collect();
            let mut bytes = Vec::new();
            for group in values.chunks(4) {
                let bits =
                    group.iter().enumerate().fold(0, |bits, (at, value)| bits | value << (18 - 6 * at));
                bytes.extend((0..group.len() - 1).map(|at| (bits >> (16 - 8 * at)) as u8));
            }
            Reader { bytes, next: 0 }
        }

        fn unsigned(&mut self) -> u64 {
            let (mut value, mut shift) = (0, 0);
            loop {
                let byte = self.bytes[self.next];
                self.next += 1;
                value |= u64::from(byte & 127) << shift;
                shift += 7;
                if byte < 128 {
                    return value;
                }
            }
        }

        fn signed(&mut self) -> i64 {
            let value = self.unsigned();
            (value >> 1).cast_signed() ^ -(value & 1).cast_signed()
        }
    }

    fn rows(count: u64, spread: u64) -> Rows {
        let mut rows = Rows::default();
        for number in 0..count {
            let mix = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let submit = number * 30_000 * NANOS_PER_MILLI;
            let start = submit + mix % spread * 123 * NANOS_PER_MILLI;
            let job = Row {
                number: number + 1,
                submit,
                start,
                end: start + (mix % 50_000 + 1) * NANOS_PER_SEC,
                estimate: 86_400 * NANOS_PER_SEC,
                procs: 6,
                user: (mix % 200) as u32,
                ..Row::default()
            };
            let first = (mix % 500) as u32;
            rows.push(job, &[Interval::new(first, first + 3), Interval::new(first + 9, first + 10)]);
        }
        rows
    }

    #[test]
    fn what_is_packed_reads_back() {
        let rows = rows(300, 100_000);
        let packed = pack(&rows);
        let mut reader = Reader::of(packed["packed"].as_str().expect("text"));
        let mut order: Vec<&Row> = rows.jobs.iter().collect();
        order.sort_by_key(|job| job.start);
        let (mut number, mut submit) = (0, 0);
        for job in &order {
            number += reader.signed();
            assert_eq!(number, job.number.cast_signed());
        }
        for job in &order {
            submit += reader.signed();
            assert_eq!(submit as u64 * NANOS_PER_MILLI, job.submit);
        }
        for job in &order {
            assert_eq!(reader.unsigned() * NANOS_PER_MILLI, job.start - job.submit);
        }
        for job in &order {
            assert_eq!(reader.unsigned() * NANOS_PER_MILLI, job.end - job.start);
        }
        for job in &order {
            let run = ((job.end - job.start) / NANOS_PER_MILLI).cast_signed();
            assert_eq!((reader.signed() + run) as u64 * NANOS_PER_MILLI, job.estimate);
        }
        for job in &order {
            assert_eq!(reader.unsigned(), u64::from(job.procs));
        }
        for job in &order {
            assert_eq!(reader.unsigned(), u64::from(job.user) + 1);
        }
        for job in &order {
            let mut next = 0;
            let held: Vec<Interval> = (0..reader.unsigned())
                .map(|_| {
                    let first = (next + reader.signed()) as u32;
                    let last = first + reader.unsigned() as u32;
                    next = i64::from(last) + 1;
                    Interval::new(first, last)
                })
                .collect();
            assert_eq!(held, rows.intervals(job));
        }
        assert_eq!(reader.next, reader.bytes.len());
    }

    #[test]
    fn a_hundred_thousand_jobs_with_odd_times_take_less_than_four_megabytes() {
        let packed = pack(&rows(100_000, 1_000_000));
        assert_eq!(packed["jobs"], 100_000);
        let length = packed["packed"].as_str().expect("text").len();
        assert!(length < 4_000_000, "{length} bytes");
    }

    #[test]
    fn of_too_many_jobs_the_largest_are_drawn() {
        let rows = rows(MOST_JOBS as u64 + 1_000, 10);
        let (places, total) = chosen(&rows);
        assert_eq!((places.len(), total), (MOST_JOBS, MOST_JOBS + 1_000));
        let largest = (0..total).max_by_key(|&place| rows.jobs[place].area()).expect("jobs");
        assert!(places.contains(&largest));
    }

    #[test]
    fn base_64_is_the_published_one() {
        let texts = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(texts, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }
}
