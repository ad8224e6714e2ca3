//! Traces from their text to their jobs, and the messages about wrong ones.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::super::program::{Program, RecordedStep};
use super::super::{Quality, pattern};
use super::*;
use crate::distribution;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::Registry;
use crate::text::MOST_MISTAKES;

fn read_for(procs: Option<u32>, text: &[u8]) -> Result<Trace, Unreadable> {
    let mut registry = Registry::new();
    registry.table(distribution::table()).table(pattern::table());
    read(text, "trace.jsonl", &registry, procs)
}

fn trace(text: &str) -> Trace {
    read_for(None, text.as_bytes()).expect("right")
}

/// Line, text that is marked, and message of every mistake.
fn mistakes(text: &str) -> Vec<(u64, String, String)> {
    match read_for(Some(64), text.as_bytes()).expect_err("wrong") {
        Unreadable::Lines(mistakes) => mistakes
            .into_iter()
            .map(|Mistake { complaint, excerpt }| {
                (excerpt.line, excerpt.text[excerpt.range.clone()].to_owned(), complaint.message)
            })
            .collect(),
        other => panic!("{other:?}"),
    }
}

fn expected(line: u64, marked: &str, message: &str) -> (u64, String, String) {
    (line, marked.to_owned(), message.to_owned())
}

#[test]
fn iterations_are_read_with_their_laws_pattern_and_class() {
    let trace = trace(concat!(
        r#"{"arrival": "1500ms", "tasks": 4, "iterations": 10, "compute": "5ms", "pattern": "linear", "class": "comm"}"#,
        "\n\n",
        r#"{"arrival": "0s", "tasks": 2, "compute-each": ["1s", {"kind": "uniform", "low": "2s", "high": "4s"}], "io": "1s", "#,
        r#""pattern": {"kind": "explicit", "peers": [[1], []]}, "messages": 3, "message-size": "8 KiB", "number": 7, "#,
        r#""memory": "1GiB", "real-time": {"period": "5s", "share": "25%"}, "estimate": "1h", "class": "io"}"#,
    ));
    assert_eq!(trace.applications.classes, ["comm", "io"]);
    let [early, late] = &trace.jobs[..] else { panic!("two jobs") };
    assert_eq!((early.number, early.procs, early.submit_time), (7, 2, SimTime::ZERO));
    assert_eq!((late.number, late.procs, late.submit_time), (1, 4, SimTime::from_nanos(1_500_000_000)));
    assert_eq!((late.run_time, late.estimate), (SimDuration::from_millis(50), SimDuration::from_millis(50)));
    // the second task's mean of 3 s, and 1 s of I/O
    assert_eq!((early.run_time, early.estimate), (SimDuration::from_secs(4), SimDuration::from_secs(3600)));
    let application = &trace.applications.of[0];
    assert_eq!((application.class, application.memory.get()), (1, 1 << 30));
    let period = SimDuration::from_secs(5);
    assert_eq!(application.quality, Quality::RealTime { period, deadline: period, share: 0.25 });
    assert_eq!((application.sends_to(0).collect::<Vec<_>>(), application.sends_to(1).len()), (vec![1], 0));
    assert_eq!(trace.applications.of[1].sends_to(1).collect::<Vec<_>>(), [0, 2]);
    let Program::Iterations(iterations) = &application.program else { panic!("iterations") };
    assert_eq!((iterations.messages, iterations.size.get(), iterations.iterations), (3, 8192, 1));
}

#[test]
fn pipelines_and_recorded_steps_are_forms_of_their_own() {
    let trace = trace(concat!(
        r#"{"arrival": "1s", "tasks": 3, "frames": 11, "period": "33ms", "compute": "5ms"}"#,
        "\r\n",
        r#"{"arrival": "2s", "steps": [["compute 1s", "send 1 4KiB"], ["receive 0", "io 3s"]]}"#,
    ));
    assert_eq!(trace.jobs[0].run_time, SimDuration::from_millis(345));
    assert!(matches!(trace.applications.of[0].program, Program::Pipeline(_)));
    assert_eq!((trace.jobs[1].procs, trace.jobs[1].run_time), (2, SimDuration::from_secs(4)));
    let Program::Recorded(steps) = &trace.applications.of[1].program else { panic!("recorded") };
    assert_eq!(*steps[1], [RecordedStep::Receive { from: 0 }, RecordedStep::Io(SimDuration::from_secs(3))]);
    assert_eq!(trace.applications.classes, ["job"]);
}

#[test]
fn all_mistakes_of_a_file_are_reported_at_their_values() {
    let text = concat!(
        r#"{"arrival": 5, "tasks": 0, "iteratons": 3, "pattern": "tre"}"#,
        "\n",
        r#"{"arrival": "1s", "tasks": 2}"#,
        "\n",
        r#"{"arrival": "1s", "tasks": 2"#,
        "\n[]\n",
        r#"{"arrival": "1s", "tasks": 65}"#,
        "\n",
        r#"{"arrival": "1s", "tasks": 2, "compute": "1s", "compute-each": ["1s", "2s"]}"#,
        "\n",
        r#"{"arrival": "1s", "tasks": 3, "compute-each": ["1s", "2s"]}"#,
        "\n",
        r#"{"arrival": "1s", "tasks": 3, "pattern": {"kind": "explicit", "peers": [[1], [1]]}}"#,
        "\n",
        r#"{"arrival": "1s", "tasks": 3, "pattern": {"kind": "explicit", "peers": [[1], [0]]}}"#,
        "\n",
        r#"{"arrival": "1s", "tasks": 1, "number": 5}"#,
        "\n",
        r#"{"arrival": "1s", "tasks": 1, "compute": {"kind": "uniform", "low": "2s", "high": "1s"}}"#,
    );
    assert_eq!(
        mistakes(text),
        [
            expected(1, "5", "`arrival` cannot be an integer"),
            expected(1, "0", "`tasks` cannot be 0"),
            expected(1, "\"iteratons\"", "unknown key `iteratons`"),
            expected(1, "\"tre\"", "unknown pattern `tre`"),
            expected(3, "", "the line ends too early"),
            expected(4, "[]", "a job is an object, not an array"),
            expected(5, "65", "the job has 65 tasks, but the machine has 64 processors"),
            expected(6, "[\"1s\", \"2s\"]", "`compute` and `compute-each` say two things"),
            expected(7, "[\"1s\", \"2s\"]", "`compute-each` has 2 distributions for 3 tasks"),
            expected(8, "1", "task 1 cannot be its own peer"),
            expected(
                9,
                "{\"kind\": \"explicit\", \"peers\": [[1], [0]]}",
                "the peers of 2 tasks are listed, but the job has 3"
            ),
            expected(10, "5", "two jobs have the number 5"),
            expected(11, "\"1s\"", "`high` must be finite and not below `low`"),
        ]
    );
}

#[test]
fn a_refused_line_keeps_its_number_and_gives_it_to_no_other() {
    let job = |more: &str| format!("{{\"arrival\": \"1s\", \"tasks\": 1{more}}}\n");
    let large = "{\"arrival\": \"1s\", \"tasks\": 65}\n";
    let message = "the job has 65 tasks, but the machine has 64 processors";
    let text = [large, &job(""), "\n", "{\n", large, &job("")].concat();
    let broken = expected(4, "", "the line ends too early");
    assert_eq!(mistakes(&text), [expected(1, "65", message), broken, expected(5, "65", message)]);
    let given = [large, &job(", \"number\": 1")].concat();
    let twice = expected(2, "1", "two jobs have the number 1");
    assert_eq!(mistakes(&given), [expected(1, "65", message), twice]);
    let numbers = |text: &str| trace(text).jobs.iter().map(|job| job.number).collect::<Vec<_>>();
    assert_eq!(numbers(&[job(""), "\n".to_owned(), job("")].concat()), [1, 2]);
}

#[test]
fn steps_that_cannot_be_played_are_reported_at_the_step() {
    let text = concat!(
        r#"{"arrival": "0s", "steps": [["compute 5", "sleep 1s"], []]}"#,
        "\n",
        r#"{"arrival": "0s", "steps": [["receive 1"], ["io 1s"]]}"#,
        "\n",
        r#"{"arrival": "0s", "steps": [["receive 1", "send 1 1B"], ["receive 0", "send 0 1B"]]}"#,
        "\n",
        r#"{"arrival": "0s", "steps": []}"#,
    );
    let found = mistakes(text);
    let marked: Vec<(u64, &str)> = found.iter().map(|(line, marked, _)| (*line, marked.as_str())).collect();
    assert_eq!(
        marked,
        [(1, "\"compute 5\""), (1, "\"sleep 1s\""), (2, "\"receive 1\""), (3, "\"receive 1\""), (4, "[]")]
    );
    assert_eq!(found[2].2, "task 0 waits here for a message that task 1 never sends");
    assert_eq!(found[3].2, "task 0 waits for ever, for task 1, which waits, for task 0");
}

#[test]
fn mistakes_are_bounded_and_long_lines_are_shown_in_part() {
    let found = mistakes(&"{}\n".repeat(200));
    assert_eq!(found.len(), MOST_MISTAKES);
    let long = format!("{{{}\"arrival\": 5, \"tasks\": 1}}", " ".repeat(10_000));
    let Err(Unreadable::Lines(mistakes)) = read_for(None, long.as_bytes()) else { panic!("wrong") };
    let excerpt = &mistakes[0].excerpt;
    assert!(excerpt.text.len() < 300 && excerpt.text[excerpt.range.clone()] == *"5");
    assert_eq!(excerpt.column, Some(10_013));
}

#[test]
fn gzip_bytes_that_are_no_text_and_files_without_jobs() {
    let text = "{\"arrival\": \"0s\", \"tasks\": 1, \"compute\": \"1s\"}\n";
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).expect("into memory");
    let packed = encoder.finish().expect("into memory");
    assert_eq!(read_for(None, &packed).expect("right").jobs, trace(text).jobs);
    let file = |bytes: &[u8]| match read_for(None, bytes).expect_err("wrong") {
        Unreadable::File(kind) => kind.to_string(),
        Unreadable::Lines(mistakes) => mistakes[0].complaint.message.clone(),
        Unreadable::NoJobs => "no jobs".to_owned(),
    };
    assert_eq!(
        file(&packed[..packed.len() - 9]),
        "the gzip stream ends in the middle: the file is truncated"
    );
    assert_eq!((file(b""), file(b"\n \n")), ("no jobs".to_owned(), "no jobs".to_owned()));
    assert_eq!(file(b"{\"class\": \"\xff\"}\n"), "the line is no text in UTF-8");
}
