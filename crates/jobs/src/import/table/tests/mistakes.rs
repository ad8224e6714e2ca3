//! Wrong tables: each message has its place and what to do.

use super::*;

const COLUMNS: &str = "[columns]\nsubmit = \"submit\"\nstart = \"start\"\nend = \"end\"\nprocs = \"procs\"\n";

/// Message of a table that is refused, with line, column and advice.
fn refused(file: &str, bytes: &[u8], columns: &str) -> String {
    let problem = log_of(file, bytes, columns).map(|_| ()).expect_err("refused");
    let place = problem.place.map_or(String::new(), |place| format!("{}:{}: ", place.line, place.column));
    format!("{place}{} [{}]", problem.message, problem.help.unwrap_or_default())
}

#[track_caller]
fn is_refused(text: &str, message: &str) {
    let found = refused("t.csv", text.as_bytes(), COLUMNS);
    assert!(found.contains(message), "{found}");
}

#[test]
fn columns_that_are_not_there_are_named_with_the_nearest() {
    is_refused(
        "job,submitt,start,end,procs\n1,2,3,4,5\n",
        "1:1: the table has no column `submit` [did you mean `submitt`?",
    );
    is_refused("a,b\n1,2\n", "no columns `submit`, `start`, `end`, `procs` [known: a, b]");
    is_refused("submit,start,end,procs,end\n1,2,3,4,5\n", "1:24: two columns are called `end`");
    let lines = b"{\"submit\": 1, \"start\": 2, \"ende\": 3, \"procs\": 1}\n";
    let columns = format!("{COLUMNS}times = {{ unit = \"s\" }}");
    let found = refused("t.jsonl", lines, &columns);
    assert!(found.contains("no column `end` [did you mean `ende`?"), "{found}");
}

#[test]
fn a_cell_that_cannot_be_read_is_shown_at_its_place() {
    let head = "submit,start,end,procs\n";
    let right = "2026-03-01 00:00:00";
    is_refused(&format!("{head}soon,{right},{right},1\n"), "2:1: `soon` is no time in a form that is read");
    is_refused(
        &format!("{head}1772323200,{right},{right},1\n"),
        "2:1: the time `1772323200` is a number, and nothing states its unit",
    );
    is_refused(
        &format!("{head}{right},{right},2026-03-01 00:00:09,128.5\n"),
        "2:61: 128.5 is no whole number of processors",
    );
    is_refused(&format!("{head}{right},{right},2026-03-01 00:00:09,-1\n"), "2:61: `-1` is below zero");
    is_refused(&format!("{head}\"a\nb\",{right},{right},1\n"), "2:1: ");
    is_refused(&format!("{head}\"{right}\n\",{right},{right},many\n"), "3:43: `many` is no number");
    is_refused(&format!("name,{head}5\" d,soon,{right},{right},1\n"), "2:6: `soon` is no time");
    let no_day = |text: &str| format!("`{text}` is no day from 1970 on");
    is_refused(&format!("{head}2026-02-30 00:00:00,{right},{right},1\n"), &no_day("2026-02-30 00:00:00"));
    is_refused(&format!("{head}{right},9999-12-31 23:59:59,{right},1\n"), &no_day("9999-12-31 23:59:59"));
    is_refused(&format!("{head}{right},{right}\n"), "2:21: the table has 4 columns, this row has 2 cells");
    is_refused(&format!("{head}{right},{right},{right},1,2\n"), "this row has 5 cells");
    let lines = b"{\"submit\": \"2026-03-01 00:00\", \"start\": true, \"end\": 3, \"procs\": 1}\n";
    let found = refused("t", lines, COLUMNS);
    assert!(found.starts_with("1:41: `true` is no time"), "{found}");
    let twice = b"{\"submit\": \"2026-03-01 00:00\", \"procs\": 96, \"procs\": 3}\n";
    let found = refused("t", twice, COLUMNS);
    assert!(found.starts_with("1:54: two columns are called `procs`"), "{found}");
    let found = refused("t", b"{\"submit\": [1, 2}", COLUMNS);
    assert!(found.starts_with("1:17: unexpected `}`"), "{found}");
}

#[test]
fn empty_cut_and_foreign_files_say_what_they_are() {
    is_refused("", "the log is empty");
    is_refused("submit,start,end,procs\n", "the table holds the names of columns and no row");
    is_refused("submit,start,end,procs\n,,,\n", "none of its 1 records is a job");
    is_refused("[]", "the log is empty");
    is_refused("03/18/2017 00:01:15;E;6335144.bw;user=x\n", "accounting log of Torque");
    is_refused("JobID|User|State\n1|a|COMPLETED\n", "an accounting dump of Slurm");
    is_refused(
        "; MaxProcs: 4\n1 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n",
        "a log in the Standard Workload Format",
    );
    is_refused("sn,cpu_milli,memory_mib,gpu,model\nn,1,1,0,\n", "the nodes of Alibaba's openb cluster");
    is_refused("a\0b", "this is no text");
    let packed = sample("eagle-sample.csv.gz");
    let found = refused("t.csv.gz", &packed[..packed.len() / 2], "like = \"eagle\"");
    assert!(found.contains("the gzip stream ends in the middle"), "{found}");
    let found = refused("t.jsonl", &sample("google-2019.jsonl.gz"), "like = \"eagle\"");
    assert!(found.contains("events of Google's cluster trace"), "{found}");
    let found = refused("t", &sample("bluewaters-torque.txt.gz"), "like = \"eagle\"");
    assert!(found.contains("Torque"), "{found}");
    for name in [
        "helios-gpu-number",
        "lassen-node",
        "philly-machines",
        "alibaba-2026-spot-nodes",
        "openb-nodes-head40",
    ] {
        let found = refused("t", &sample(&format!("{name}.csv.gz")), "like = \"eagle\"");
        assert!(found.contains("this is no table of jobs: it is"), "{name}: {found}");
    }
}

#[test]
fn a_path_of_json_that_leads_nowhere_is_reported() {
    let row = b"{\"submit\": 1, \"start\": 2, \"end\": 3, \"procs\": 1, \"nodes\": [{\"gpus\": [0, 1]}]}\n";
    let columns = |path: &str| format!("{COLUMNS}times = {{ unit = \"s\" }}\ngpus = \"{path}\"");
    let log = log_of("t.jsonl", row, &columns("count(nodes.gpus)")).expect("right");
    assert_eq!(log.jobs.len(), 1);
    let found = refused("t.jsonl", row, &columns("count(nodes.gpu)"));
    assert!(found.contains("no column `count(nodes.gpu)`"), "{found}");
}

#[test]
fn a_quote_that_is_not_closed_does_not_take_the_whole_text() {
    let text = format!("submit,start,end,procs\n\"{}", "x,\n".repeat(2 << 20));
    let found = refused("t.csv", text.as_bytes(), COLUMNS);
    assert!(found.contains("longer than 4 MiB"), "{found}");
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_its_feature_parquet_is_refused_by_name() {
    let found = refused("t.parquet", &sample("eagle-sample.parquet"), "like = \"eagle\"");
    assert!(found.contains("feature `parquet`"), "{found}");
}

#[test]
fn keys_that_contradict_each_other_are_reported_at_their_place() {
    let wrong = |text: &str| mapping_of(text).map(|_| ()).expect_err("wrong")[0].message.clone();
    let base = "[columns]\nsubmit = \"s\"\nstart = \"b\"\nend = \"e\"\nprocs = \"p\"\n";
    for (text, message) in [
        ("", "nothing says which column states what"),
        ("[columns]\nstart = \"b\"\nend = \"e\"\nprocs = \"p\"", "nothing says when jobs were submitted"),
        ("[columns]\nsubmit = \"s\"\nprocs = \"p\"", "nothing says how long jobs ran"),
        (
            "[columns]\nsubmit = \"s\"\nend = \"e\"\nprocs = \"p\"",
            "the run time is not known by the end alone",
        ),
        ("[columns]\nsubmit = \"s\"\nstart = \"b\"\nend = \"e\"", "nothing says how large jobs were"),
        ("like = \"acmee\"", "`like` cannot be \"acmee\""),
        (
            &format!("{base}gpus = {{ column = \"g\", value = 2 }}"),
            "a column states the amount, and so does `value`",
        ),
        (&format!("{base}gpus = {{ per = \"node\" }}"), "neither a column nor a value"),
        (&format!("{base}gpus = {{ column = \"g\", per = \"node\" }}"), "nothing says how many: `nodes`"),
        (&format!("{base}memory = \"m\""), "missing key `unit`"),
        (
            &format!("{base}memory = {{ column = \"m\", unit = \"s\", per = \"job\" }}"),
            "`unit` cannot be \"s\"",
        ),
        (&format!("{base}limit = {{ column = \"l\", unit = \"GB\" }}"), "`unit` cannot be \"GB\""),
        (&format!("{base}times = {{ zone = \"Europe/Roma\" }}"), "`Europe/Roma` is no zone that is known"),
        (&format!("{base}times = {{ format = \"%H\" }}"), "`%H` is no format"),
        (
            &format!("utc-offset = \"+01:00\"\n{base}times = {{ zone = \"+01:00\" }}"),
            "the zone of times is stated twice",
        ),
        (&format!("{base}states = {{ completed = 0, failed = [1, 0] }}"), "the state `0` is listed twice"),
        (&format!("{base}header = false"), "nothing names the columns"),
        (
            &format!("{base}header = false\nnames = [\"p\", \"s\", \"b\", \"e\", \"p\"]"),
            "two columns are called `p`",
        ),
        (&format!("{base}states = {{ dropped = \"X\" }}"), "nothing is read by `states`"),
        (&format!("{base}tres-ids = {{ 1 = \"cpu\" }}"), "nothing is read by `tres-ids`"),
        (&format!("{base}sumbit = \"s\""), "unknown key `sumbit`"),
    ] {
        let found = wrong(text);
        assert!(found.contains(message), "{text}: {found}");
    }
}
