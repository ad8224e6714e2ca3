//! Wrong tables: each message has its place and what to do.

use super::*;

const COLUMNS: &str = "[columns]\nsubmit = \"submit\"\nstart = \"start\"\nend = \"end\"\nprocs = \"procs\"\n";

/// Messages of a table that is refused, each with line, column and advice, and how many there are.
fn all_refused(file: &str, bytes: &[u8], columns: &str) -> (Vec<String>, u64) {
    let mistakes = log_of(file, bytes, columns).map(|_| ()).expect_err("refused");
    let count = mistakes.count();
    let worded = |problem: Problem| {
        let place = problem.place.map_or(String::new(), |place| format!("{}:{}: ", place.line, place.column));
        format!("{place}{} [{}]", problem.message, problem.help.unwrap_or_default())
    };
    (mistakes.into_iter().map(worded).collect(), count)
}

/// First message of a table that is refused.
fn refused(file: &str, bytes: &[u8], columns: &str) -> String {
    all_refused(file, bytes, columns).0.swap_remove(0)
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
    // behind the quote that ends a cell a quote is a letter of it
    for cell in ["\"a\"b\"c", "\"a\"\"\"b\"c", "\"\"\"a,\"\"\"", "\"\"b\"", "a\"\"b\"c\""] {
        let place = format!("2:{}: `soon` is no time", cell.len() + 2);
        is_refused(&format!("name,{head}{cell},soon,{right},{right},1\n"), &place);
    }
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

/// The beginnings of all messages of a table.
#[track_caller]
fn are_refused(file: &str, bytes: &[u8], columns: &str, beginnings: &[&str]) {
    let (found, count) = all_refused(file, bytes, columns);
    let are = found.len() == beginnings.len() && count == found.len() as u64;
    let is = |(found, beginning): (&String, &&str)| found.starts_with(*beginning);
    assert!(are && found.iter().zip(beginnings).all(is), "{found:#?}");
}

#[test]
fn all_wrong_cells_are_reported_at_once_in_their_order() {
    let right = "2026-03-01 00:00:00";
    let text = format!(
        "procs,submit,start,end\nmany,soon,{right},{right}\n1,{right},{right},2026-03-01 00:10:00\n\
         1,{right},{right}\n\"\n-1\",{right},{right},\"la,\nter\"\n1,{right},now,{right},4\n2.5,{right},{right},{right}\n"
    );
    let places = [
        "2:1: `many` is no number",
        "2:6: `soon` is no time",
        "4:23: the table has 4 columns, this row has 3 cells",
        "5:1: `·-1` is below zero",
        "6:45: `la,·ter` is no time",
        "8:47: the table has 4 columns, this row has 5 cells",
        "9:1: 2.5 is no whole number of processors",
    ];
    are_refused("t.csv", text.as_bytes(), COLUMNS, &places);
    let packed = |text: &str| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, text.as_bytes()).expect("memory");
        packed.finish().expect("memory")
    };
    are_refused("t.csv.gz", &packed(&text), COLUMNS, &places);
    let columns = format!("{COLUMNS}times = {{ unit = \"s\" }}");
    let lines = "{\"end\": \"x\", \"start\": 1, \"submit\": [2], \"procs\": 1}\n{\"submit\": 1, \"start\": 1, \"end\": 9, \"procs\": 1}\n\
                 {\"submit\": 1, \"start\": 2, \"end\": 3, \"procs\": 1, \"procs\": 7}\n{\"submit\": 1, \"start\": 2,\n \"end\": 3, \"procs\": \"x\"}\n";
    let places = [
        "1:9: `x` is no time",
        "1:36: a list of 1 is no time",
        "3:58: two columns are called `procs`",
        "5:21: `x` is no number",
    ];
    for bytes in [lines.as_bytes().to_vec(), packed(lines)] {
        are_refused("t.jsonl", &bytes, &columns, &places);
    }
    // damage ends the reading, behind the mistakes before it
    let cut = format!("[{}", &lines.replace("}\n{", "},\n{")[..100]);
    are_refused("t.json", cut.as_bytes(), &columns, &["1:10: `x`", "1:37: a list of 1", "2:48: "]);
    let row = format!("{right},{right},{right},none\nx,{right},{right},1\n\"");
    let text = format!("submit,start,end,procs\n{row}{}", "x,\n".repeat(2 << 20));
    are_refused(
        "t.csv",
        text.as_bytes(),
        COLUMNS,
        &["3:1: `x` is no time", "4:1: a line is longer than 4 MiB"],
    );
}

#[test]
fn mistakes_without_end_are_counted_in_little_time() {
    let rows = 200_000;
    let text = format!("submit,start,end,procs\n{}", "soon,now,later,many\n".repeat(rows));
    let (found, count) = all_refused("t.csv", text.as_bytes(), COLUMNS);
    assert_eq!((found.len(), count), (100, 4 * rows as u64));
    assert!(found[99].starts_with("26:16: `many` is no number"), "{}", found[99]);
    let text = "{\"submit\": \"a\", \"start\": \"b\", \"end\": \"c\", \"procs\": \"d\"}".repeat(rows);
    let (found, count) = all_refused("t.json", text.as_bytes(), COLUMNS);
    assert_eq!((found.len(), count), (100, 4 * rows as u64));
    assert!(found[99].starts_with("1:1372: `d` is no number"), "{}", found[99]);
}

#[test]
fn empty_cut_and_foreign_files_say_what_they_are() {
    is_refused("", "the log is empty");
    is_refused("submit,start,end,procs\n", "the table holds the names of columns and no row");
    is_refused("submit,start,end,procs\n,,,\n", "none of its 1 records is a job");
    is_refused("[]", "the log is empty");
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
    assert!(found.contains("Torque") && found.contains("no columns `submit_time`"), "{found}");
    assert!(found.contains("[like = \"torque\" says what its pairs mean; "), "{found}");
    is_refused("03/18/2017 00:01:15;E;6335144.bw;user=x\n", "accounting log of Torque");
    for text in [
        "host,speed,cores\na,1Gf,4\n",
        "from,to,bandwidth,latency\na,b,1Gbps,1ms\n",
        "host,t0,t300\na,0.1,0.2\n",
    ] {
        is_refused(
            text,
            "its columns are those of measured hosts and links [`clustersim convert FILE platform.toml`",
        );
    }
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
fn amounts_that_cannot_be_are_shown() {
    let right = "2026-03-01 00:00:00,2026-03-01 00:00:00,2026-03-01 00:00:09,1";
    let text = |column: &str, cell: &str| format!("submit,start,end,procs,{column}\n{right},\"{cell}\"\n");
    let found = |key: &str, column: &str, cell: &str| {
        refused("t.csv", text(column, cell).as_bytes(), &format!("{COLUMNS}{key}"))
    };
    let memory = "memory = { column = \"m\", unit = \"GB\", per = \"job\" }";
    let message = found(memory, "m", "1e30");
    assert!(message.starts_with("2:63: `1e30` is more memory than a job can have"), "{message}");
    let message = found("tres = \"t\"", "t", "cpu=4,gres/gpu=two");
    assert!(message.contains("`gres/gpu=two` in this list of resources is no amount"), "{message}");
    let message = found("nodes = \"count(n)\"", "n", "a b");
    assert!(message.starts_with("1:24: `count(n)` counts the values of a list"), "{message}");
    // few digits of a number that has many
    let message = found("nodes = { column = \"n\", scale = 2 }", "n", "1e300");
    assert!(message.starts_with("2:63: 2e300 nodes are more than a job can have"), "{message}");
    let message = found("nodes = { column = \"n\", scale = 0.5 }", "n", "61");
    assert!(message.starts_with("2:63: 30.5 is no whole number of nodes"), "{message}");
}

#[test]
fn amounts_of_each_node_are_wrong_at_the_nodes() {
    let right =
        "\"2026-03-01 00:00:00\", \"start\": \"2026-03-01 00:00:00\", \"end\": \"2026-03-01 00:00:09\"";
    let of_nodes = "[columns]\nsubmit = \"submit\"\nstart = \"start\"\nend = \"end\"\nnodes = \"nodes\"\n";
    let json = format!("{{\"submit\": {right}, \"nodes\": 3}}");
    let csv = "submit,start,end,nodes\n2026-03-01 00:00:00,2026-03-01 00:00:00,2026-03-01 00:00:09,3\n";
    for (keys, message) in [
        ("procs = { value = 1.5, per = \"node\" }", "4.5 is no whole number of processors"),
        ("procs = { value = 4e9, per = \"node\" }", "12000000000 processors are more than a job can have"),
    ] {
        let columns = format!("{of_nodes}{keys}");
        are_refused("t.csv", csv.as_bytes(), &columns, &[&format!("2:61: {message}")]);
        are_refused("t.json", json.as_bytes(), &columns, &[&format!("1:106: {message}")]);
    }
    // what stands in no cell is wrong with the row
    let columns = format!("{of_nodes}tres = \"list\"");
    let text = csv.replace("nodes\n", "nodes,list\n").replace(",3\n", ",3,\"a,mem=1e30G\"\n");
    let found = refused("t.csv", text.as_bytes(), &columns);
    assert!(found.starts_with("2:63: "), "{found}");
}

#[test]
fn values_are_counted_in_lists_alone() {
    let keys = "submit = \"s\"\nstart = \"b\"\nend = \"e\"\nprocs = \"count(p)\"\ntimes = { unit = \"s\" }";
    let columns = format!("[columns]\nheader = false\nnames = [\"s\", \"b\", \"e\", \"p\"]\n{keys}");
    let message = "`count(p)` counts the values of a list, and a cell of this table is one text [name the column, \"p\"";
    let found = refused("t.csv", b"1,2,3,4\n", &columns);
    assert!(found.starts_with(message), "{found}");
    let record = b"03/18/2017 00:01:15;E;1;s=10 b=20 e=30 p=8\n";
    let found = refused("t", record, &format!("[columns]\n{keys}"));
    assert!(found.starts_with(message), "{found}");
    // values that are null are none
    let rows = "{\"s\": 1, \"b\": 2, \"e\": 3, \"p\": [null, 7, null, \"x\"]}\n{\"s\": 1, \"b\": 2, \"e\": 3, \"p\": 16}\n";
    let log = log_of("t.json", rows.as_bytes(), &format!("[columns]\n{keys}")).expect("right");
    assert_eq!(log.jobs.iter().map(|job| job.procs).collect::<Vec<_>>(), [2, 1]);
}

#[test]
fn records_of_accounting_are_rows_and_wrong_ones_have_places() {
    let stamp = "03/18/2017 00:01:15";
    let ended = |id: &str, end: &str| {
        format!(
            "{stamp};E;{id};user=a queue=q qtime=10 start=20 end={end} Exit_status=0 Resource_List.walltime=00:01:00 total_execution_slots=8\n"
        )
    };
    let text = [
        ended("1", "90"),
        format!(
            "{stamp};Q;2;queue=q\n\n{stamp};S;2;user=a\n{stamp};D;2;requestor=a\n{stamp};A;3;requestor=a\n"
        ),
        ended("2", "70"),
    ]
    .concat();
    let log = log_of("20170318", text.as_bytes(), "like = \"torque\"").expect("right");
    let runs: Vec<_> =
        log.jobs.iter().map(|job| (job.number, job.procs, job.run_time.as_secs_f64())).collect();
    assert_eq!(runs, [(1, 8, 70.0), (3, 8, 50.0)]);
    assert_eq!(log.report.tally(crate::workload::swf::Cause::NeverStarted).lines, [6]);
    let wrong =
        format!("{}\n{}no record\n{}", ended("1", "now").trim_end(), ended("2", "9"), ended("3", "later"));
    are_refused(
        "t",
        wrong.as_bytes(),
        "like = \"torque\"",
        &["1:62: `now` is no time", "3:1: this line is no record", "4:62: `later`"],
    );
    let found = refused("t", b"03/18/2017 00:01:15;E;6335144.bw;user=x\n", "like = \"torque\"");
    assert!(found.contains("no columns `qtime`, `start`, `end`, `queue`"), "{found}");
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
        (
            "[columns]\nsubmit = \"s\"\nstart = \"b\"\nend = \"e\"\nprocs = { value = 1e20 }",
            "1e20 is a larger amount than a job can have",
        ),
        (
            "[columns]\nsubmit = \"s\"\nstart = \"b\"\nend = \"e\"\nprocs = { value = 1.5 }",
            "1.5 is no whole number",
        ),
        (
            &format!("{base}nodes = {{ column = \"n\", scale = 1e12 }}"),
            "with this scale a 1 in the column is a larger amount than a job can have",
        ),
        (
            &format!("{base}memory = {{ column = \"m\", unit = \"TB\", per = \"job\", scale = 1e12 }}"),
            "with this scale a 1 in the column is a larger amount",
        ),
        (
            &format!("{base}limit = {{ column = \"l\", unit = \"d\", scale = 1e9 }}"),
            "with this scale a 1 in the column is a larger span",
        ),
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
