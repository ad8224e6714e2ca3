//! Records of several lines, and those that are cut short, in any order of columns.

use super::*;
use crate::registry::Problem;
use crate::workload::swf::{Cause, Log, Options};

fn read_with(dump: &str, most_unread: f64) -> Result<Log, Problem> {
    let reading = Reading { most_unread, ..Reading::default() };
    read(dump.as_bytes(), &reading, None, &Options::default())
}

/// Numbers of the jobs, and lines of records that are cut short.
fn found(dump: &str) -> (Vec<u64>, Vec<u64>) {
    let log = read_with(dump, 1.0).expect("some may be missing");
    let numbers = log.jobs.iter().map(|job| job.number).collect();
    (numbers, log.report.tally(Cause::UnreadFields).lines.clone())
}

/// The dump of these columns: name of each, and a record as a function of its number.
fn dump(columns: &[&str], rows: &[(u64, &str, Option<usize>)]) -> String {
    let mut text = columns.join("|") + "\n";
    for &(number, name, cut) in rows {
        let cells = columns.iter().map(|&column| match column {
            "JobID" => number.to_string(),
            "JobName" => name.to_owned(),
            "User" => "ada".to_owned(),
            "Partition" => "batch".to_owned(),
            "Submit" => format!("2026-03-01T08:00:{number:02}"),
            "ElapsedRaw" => "60".to_owned(),
            "State" => "COMPLETED".to_owned(),
            _ => "4".to_owned(),
        });
        let cells: Vec<String> = cells.collect();
        text += &(cells[..cut.unwrap_or(cells.len())].join("|") + "\n");
    }
    text
}

const LAST: [&str; 7] = ["JobID", "User", "Submit", "ElapsedRaw", "State", "AllocCPUS", "JobName"];
const FIRST: [&str; 6] = ["JobName", "JobID", "Submit", "ElapsedRaw", "State", "AllocCPUS"];
const USER: [&str; 7] = ["User", "Submit", "JobName", "JobID", "ElapsedRaw", "State", "AllocCPUS"];

#[test]
fn names_with_ends_of_lines_are_joined_wherever_their_column_is() {
    let rows = |name| [(1, "x", None), (2, name, None), (3, "x", None), (4, name, None)];
    for columns in [&LAST[..], &FIRST, &USER] {
        for name in ["one\ntwo", "one\ntwo\nthree", "one|two\nthree", "one\n12", "one\ntwo|three", "a b\n"] {
            let text = dump(columns, &rows(name));
            assert_eq!(found(&text), (vec![1, 2, 3, 4], vec![]), "{text}");
            let log = read_with(&text, 0.0).expect("nothing is missing");
            // the second name is one, and the same as the fourth
            let names = [0, 1, 2, 3].map(|place| log.attributes.of(place).executable);
            assert!(names[0] == names[2] && names[1] == names[3] && names[0] != names[1], "{text}");
        }
    }
    // names that differ behind the end of a line differ
    let text = dump(&LAST, &[(1, "a\nb", None), (2, "a\nc", None)]);
    let log = read_with(&text, 0.0).expect("right");
    assert_ne!(log.attributes.of(0).executable, log.attributes.of(1).executable);
}

#[test]
fn records_that_are_cut_short_are_counted_each_in_any_order_of_columns() {
    for (columns, cuts) in [(&LAST[..], 2..6), (&FIRST, 3..5), (&USER, 2..6)] {
        for cut in cuts {
            let cut = Some(cut);
            let rows = [
                (1, "x", None),
                (2, "x", cut),
                (3, "x", cut),
                (4, "x", None),
                (5, "x", cut),
                (6, "x\ny", None),
                (7, "x", cut),
            ];
            let text = dump(columns, &rows);
            let (jobs, lines) = found(&text);
            assert_eq!((jobs, lines), (vec![1, 4, 6], vec![3, 4, 6, 9]), "{text}");
            let log = read_with(&text, 1.0).expect("right");
            assert_eq!(log.report.tally(Cause::UnreadFields).count, 4, "{text}");
        }
    }
}

#[test]
fn records_that_are_cut_short_count_for_their_partition_and_group() {
    let head = "JobID|Partition|Group|Submit|JobName|ElapsedRaw|State|AllocCPUS|Reservation\n";
    let row = |number: u64, partition: &str, group: &str, name: &str, of: usize| {
        let text = format!("{number}|{partition}|{group}|1000|{name}|60|COMPLETED|4|");
        text.split('|').take(of).collect::<Vec<_>>().join("|") + "\n"
    };
    let common = (1..=1000).map(|number| row(number, "batch", "g", "x", 9));
    // cut short, and with bars that two columns may hold
    let of_rare = |partition, group, name, of| {
        let rare = (1001..=1008).map(|number| row(number, partition, group, name, of));
        read_with(&(head.to_owned() + &common.clone().chain(rare).collect::<String>()), 0.1)
            .map_or_else(|problem| problem.message, |log| log.jobs.len().to_string())
    };
    for of in 4..=8 {
        let message = of_rare("rare", "g", "x", of);
        assert!(message.contains("8 of 8 records of partition `rare` cannot be read"), "{message}");
        let message = of_rare("batch", "few", "x", of);
        assert!(message.contains("8 of 8 records of group `few` cannot be read"), "{message}");
    }
    let message = of_rare("rare", "g", "x|60|COMPLETED|?|y|", 9);
    assert!(message.contains("8 of 8 records of partition `rare` cannot be read"), "{message}");
    // what is cut off is not known, and the last field may be a part of it
    assert_eq!(of_rare("rare", "g", "x", 1), "1000");
    assert_eq!(of_rare("rare", "g", "x", 2), "1000");
}

#[test]
fn lines_of_fixed_widths_that_are_cut_short_are_not_read() {
    let wide = "       JobID  Partition              Submit    Elapsed      State  AllocCPUS \n\
                ------------ ---------- ------------------- ---------- ---------- ---------- \n";
    let row = |number: u64| {
        format!(
            "{number:<12} {:>10} 2026-03-01T08:00:{number:02} {:>10} {:>10} {:>10} ",
            "batch", "01:00:00", "COMPLETED", 64
        )
    };
    let (whole, tail) = (row(1), row(3));
    let kept: Vec<&str> = wide.lines().collect();
    // blanks at the ends of lines may be lost
    for is_kept in [true, false] {
        let line = |text: &str| if is_kept { text.to_owned() } else { text.trim_end().to_owned() };
        let head = kept.iter().map(|text| line(text)).collect::<Vec<_>>().join("\n");
        for cut in 1..whole.len() - 1 {
            let text = format!("{head}\n{}\n{}\n{}\n", line(&whole), &row(2)[..cut], line(&tail));
            let (jobs, lines) = found(&text);
            assert_eq!((jobs, lines), (vec![1, 3], vec![4]), "{is_kept} {cut}\n{text}");
            let problem = read_with(&text, 0.0).expect_err("strict");
            assert_eq!(problem.place.map(|place| place.line), Some(4), "{is_kept} {cut}");
        }
    }
    // a last column that may be blank
    let head = "JobID        Submit              Elapsed    State      AllocCPUS  Comment\n\
                ------------ ------------------- ---------- ---------- ---------- --------------------\n";
    let row = "1            2026-03-01T08:00:00   01:00:00  COMPLETED         64";
    let other = "2            2026-03-01T08:00:00   01:00:00  COMPLETED         64 done";
    assert_eq!(found(&format!("{head}{row}\n{other}\n")), (vec![1, 2], vec![]));
    let cut = "3            2026-03-01T08:00:00   01:00";
    assert_eq!(found(&format!("{head}{row}\n{cut}\n")), (vec![1], vec![4]));
}

#[test]
fn torn_records_of_any_size_take_time_in_proportion() {
    // none of the lines is a record, however many are joined
    let text = |lines: usize| LAST.join("|") + "\n1|ada|1000|60|COMPLETED|4|x\n" + &"1|a\n".repeat(lines);
    let (jobs, lines) = found(&text(40_000));
    assert_eq!((jobs, lines), (vec![1], vec![3, 4, 5, 6, 7]));
    let long = "2|ada|".to_owned() + &"y\n".repeat(100_000);
    let (jobs, _) = found(&(LAST.join("|") + "\n1|ada|1000|60|COMPLETED|4|x\n" + &long));
    assert_eq!(jobs, [1]);
}

#[test]
fn messages_help_with_the_record_first() {
    let text = dump(&USER, &[(1, "x", None), (2, "x", Some(4))]);
    let help = read_with(&text, 0.01).expect_err("one of two").help.expect("help");
    let own = "the dump may have been cut short, or a name holds the end of a line; ";
    assert!(help.starts_with(own) && help.contains("--most-unread"), "{help}");
    let text = "JobID|User|Submit|ElapsedRaw|AllocCPUS\n7|a|b|10|5|2\n";
    let help = read_with(text, 0.01).expect_err("bars").help.expect("help");
    assert!(help.starts_with("names of jobs may hold `|`: leave JobName out of --format, or name it last; "));
}
