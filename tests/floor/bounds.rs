//! Input of any size is read or refused in bounded time and memory, and nothing outside of what was
//! named is touched.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use clustersim_testing::program::{Output, Place, program};

const HEAD: &str = "title = \"T\"\ncluster.nodes = 4\n";
const JOBS: &str = "[workload]\nkind = \"synthetic\"\njobs = 5\narrivals = \"1min\"\nsizes = 1\nrun-times = \"1h\"\n\
                    estimates = 2\n";
const LOG: &str = "; MaxProcs: 4\n1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n";
/// Far more than any of these takes, for slow machines and builds without optimization.
const LONG: Duration = Duration::from_secs(20);

/// Runs the program within 1 GiB of address space.
fn limited(place: &Place, arguments: &[&str]) -> Output {
    let mut command = Command::new("sh");
    let limit = "ulimit -v 1048576; exec \"$0\" \"$@\"";
    place.wait(command.args(["-c", limit, program()]).args(arguments))
}

/// The start and `count` times the byte, packed: one member of a gzip file for the start, and one
/// for every 4 MiB.
fn packed(start: &str, byte: u8, count: u64) -> Vec<u8> {
    let member = |bytes: &mut dyn Read| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        io::copy(bytes, &mut encoder).unwrap();
        encoder.finish().unwrap()
    };
    assert!(count.is_multiple_of(MEMBER));
    let repeated = member(&mut io::repeat(byte).take(MEMBER));
    [member(&mut start.as_bytes()), repeated.repeat((count / MEMBER) as usize)].concat()
}

const MEMBER: u64 = 4 << 20;

/// Runs the program, which has to end within the time.
#[expect(clippy::disallowed_types, reason = "how long the program takes is what is tested")]
fn in_time(place: &Place, arguments: &[&str]) -> Output {
    let start = std::time::Instant::now();
    let output = place.run(arguments);
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
    output
}

/// The status and errors of a scenario with many mistakes, within the time.
fn many(text: &str) -> String {
    let place = Place::new();
    place.file("s.toml", text);
    let output = in_time(&place, &["validate", "s.toml"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    let drawn = output.stderr.matches("error[").count();
    assert!(drawn <= 100, "{drawn} are drawn");
    let json = place.run(&["validate", "s.toml", "--message-format", "json"]);
    assert!(json.stderr.lines().count() <= 101);
    output.stderr
}

fn listed(count: usize, each: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        writeln!(text, "{}", each(number)).unwrap();
        text
    })
}

#[test]
fn the_first_hundred_mistakes_are_drawn_and_the_rest_is_counted() {
    let keys = listed(10_000, |number| format!("unknown-{number} = {number}"));
    let told = many(&format!("{keys}{HEAD}{JOBS}"));
    assert!(
        told.contains("and 9,900 more") && told.ends_with("10,000 errors\n"),
        "{}",
        &told[told.len() - 200..]
    );
    let one_line: Vec<String> = (0..10_000).map(|number| format!("k{number} = 1")).collect();
    let told = many(&format!("{HEAD}policy = {{ kind = \"fcfs\", {} }}\n{JOBS}", one_line.join(", ")));
    assert!(told.contains("and 9,900 more"), "{}", &told[told.len() - 200..]);
    assert!(
        told.contains("of the line") && told.len() < 200_000,
        "of a long line the surroundings are drawn"
    );
}

#[test]
fn twenty_thousand_axes_are_checked() {
    let same = listed(20_000, |_| "[[vary]]\nseed = [1]".to_owned());
    assert!(many(&format!("{HEAD}{JOBS}{same}")).contains("and 19,899 more"));
    let unknown = listed(20_000, |number| format!("[[vary]]\n\"workload.k{number}\" = [1]"));
    assert!(many(&format!("{HEAD}{JOBS}{unknown}")).contains("and 19,900 more"));
    let wide = listed(20_000, |number| format!("[[vary]]\n\"workload.k{number}\" = [1, 2]"));
    let told = many(&format!("{HEAD}{JOBS}{wide}"));
    assert!(told.contains("2 x 2 x … points, and a study at most 10000"), "{told}");
    let broken = listed(10_000, |number| format!("k{number} = = 1"));
    many(&format!("{HEAD}{JOBS}{broken}"));
}

#[test]
fn tables_of_a_list_are_checked_in_time() {
    let agents = listed(5_000, |number| format!("[[agent]]\nhost = \"h{number}\"\nrole = \"wroker\""));
    many(&format!("title = \"T\"\n[[platform.host]]\nname = \"a\"\nspeed = \"1Gf\"\n{agents}"));
    let hosts =
        listed(5_000, |number| format!("[[platform.host]]\nname = \"node-{number}\"\nspeed = \"1Gf\""));
    let agents = listed(5_000, |number| format!("[[agent]]\nhost = \"nodes-{number}\"\nrole = \"worker\""));
    many(&format!("title = \"T\"\n{hosts}{agents}"));
    let links = listed(5_000, |number| {
        format!(
            "[[platform.route]]\nfrom = \"node-{number}\"\nto = \"nodes-{number}\"\nlinks = [\"l{number}\"]"
        )
    });
    many(&format!("title = \"T\"\n{hosts}{links}[[agent]]\nhost = \"node-1\"\nrole = \"worker\""));
}

#[test]
fn a_file_that_is_included_twice_is_read_once() {
    let place = Place::new();
    for file in 0..30 {
        let next = format!("include = [\"{0}.toml\", \"{0}.toml\"]\n", file + 1);
        place.file(&format!("{file}.toml"), if file < 29 { next } else { "wrong = 1\n".to_owned() });
    }
    place.file("s.toml", format!("include = [\"0.toml\", \"0.toml\"]\n{HEAD}{JOBS}"));
    let output = in_time(&place, &["validate", "s.toml"]);
    assert_eq!(output.stderr.matches("unknown key `wrong`").count(), 1, "{}", output.stderr);
}

#[test]
fn how_many_files_are_included_and_how_deep_is_bounded() {
    let place = Place::new();
    for file in 0..300 {
        place.file(&format!("deep/{file}.toml"), format!("include = [\"{}.toml\"]\n", file + 1));
        place.file(&format!("flat/{file}.toml"), "");
    }
    place.file("deep.toml", format!("include = [\"deep/0.toml\"]\n{HEAD}{JOBS}"));
    let told = place.run(&["validate", "deep.toml"]).stderr;
    assert!(told.contains("files include each other more than 32 deep"), "{told}");
    let flat: Vec<String> = (0..300).map(|file| format!("\"flat/{file}.toml\"")).collect();
    place.file("flat.toml", format!("include = [{}]\n{HEAD}{JOBS}", flat.join(", ")));
    let told = place.run(&["validate", "flat.toml"]).stderr;
    assert_eq!(told.matches("a scenario includes at most 256 files").count(), 1, "{told}");
    place.file("large.toml", format!("# {}\n", "x".repeat(9 << 20)));
    place.file("larger.toml", format!("# {}\n", "x".repeat(9 << 20)));
    place.file("both.toml", format!("include = [\"large.toml\", \"larger.toml\"]\n{HEAD}{JOBS}"));
    let told = place.run(&["validate", "both.toml"]).stderr;
    assert!(told.contains("the files of a scenario have at most 16 MiB"), "{told}");
    place.file("a.toml", "include = [\"b.toml\"]\n").file("b.toml", "include = [\"a.toml\"]\n");
    let told = place.run(&["validate", "a.toml"]).stderr;
    assert!(told.contains("a.toml includes b.toml includes a.toml"), "{told}");
}

#[test]
fn bombs_are_refused_in_little_memory() {
    let place = Place::new();
    let zeros = packed("", 0, 1 << 30);
    let blanks = packed("{\"nb_res\": 1, ", b' ', 1 << 30);
    let long = packed("{\"nb_res\": 1, \"x\": \"", b'a', 1 << 30);
    let deep = packed("{\"nb_res\": 1, \"x\": ", b'[', 1 << 26);
    let cells = packed("host,t0", b',', 1 << 30);
    for (name, bytes, told) in [
        ("zeros.json.gz", &zeros, "unexpected `·`"),
        ("blanks.json.gz", &blanks, "a run of blanks is longer than 4 MiB"),
        ("long.json.gz", &long, "this text is longer than 4 MiB"),
        ("deep.json.gz", &deep, "values stand too deep in each other"),
        ("zeros.csv.gz", &zeros, "this is no text, nor a table of another form: byte 0 is zero"),
        ("cells.csv.gz", &cells, "longer than 256 MiB after decompression"),
        ("zeros.txt.gz", &zeros, "a line is longer than 4 MiB"),
    ] {
        place.file(name, bytes);
        let to = if name.contains(".csv") { "p.toml" } else { "log.swf" };
        let from: &[&str] = match name.split('.').nth(1) {
            Some("json") => &["--from", "batsim"],
            Some("txt") => &["--from", "sacct"],
            _ if name.starts_with("cells") => &["--from", "measured"],
            _ => &[],
        };
        let output = limited(&place, &[&["convert", name, to], from].concat());
        assert_eq!(output.status, 2, "{name}: {}", output.stderr);
        assert!(output.stderr.contains(told), "{name}: {}", output.stderr);
    }
    for (key, name) in [("swf", "zeros.swf.gz"), ("task-trace", "zeros.jsonl.gz")] {
        place
            .file(name, &zeros)
            .file("s.toml", format!("{HEAD}[workload]\nkind = \"{key}\"\nfile = \"{name}\"\n"));
        let output = limited(&place, &["validate", "s.toml"]);
        assert!(output.status == 2 && !output.stderr.contains("panicked"), "{}", output.stderr);
    }
    place.file("zeros.xml.gz", packed("<platform>", b' ', 1 << 30));
    let output = limited(&place, &["show", "platform", "zeros.xml.gz"]);
    assert!(output.stderr.contains("longer than 256 MiB after decompression"), "{}", output.stderr);
}

#[test]
fn graphs_of_any_size_and_depth_are_refused_in_little_memory() {
    let place = Place::new();
    let blanks = packed("", b' ', 300 << 20);
    let deep = |opening: &str| opening.repeat(100_000);
    let name = "n".repeat(1 << 20);
    for (file, bytes, told) in [
        ("blanks.dag.gz", blanks.clone(), "longer than 256 MiB after decompression"),
        ("blanks.dax.gz", blanks.clone(), "longer than 256 MiB after decompression"),
        ("blanks.dot.gz", blanks.clone(), "longer than 256 MiB after decompression"),
        ("blanks.stg.gz", blanks.clone(), "longer than 256 MiB after decompression"),
        ("blanks.json.gz", blanks, "a run of blanks is longer than 4 MiB"),
        ("deep.dax", format!("<adag>{}", deep("<a>")).into(), "more than 64 elements within each other"),
        ("deep.json", format!("{{\"a\": {}", deep("[")).into(), "values stand too deep in each other"),
        (
            "deep.dot",
            format!("digraph g {{ {}", deep("subgraph {")).into(),
            "more than 64 subgraphs within each other",
        ),
        ("many.stg", "10000001\n0 0 0\n".into(), "a graph has at most 10000000 tasks"),
        ("more.stg", "4294967297\n0 0 0\n".into(), "a graph has at most 10000000 tasks"),
        ("few.stg", "10000000\n0 0 0\n".into(), "the file ends after 1 of 10000002 lines"),
        ("name.dag", format!("DagDescription 1\nnode {name} x\n").into(), "the cost is no number"),
        ("name.dot", format!("digraph g {{ {name} -- b }}").into(), "an undirected edge is not read"),
    ] {
        place.file(file, &bytes);
        let output = limited(&place, &["show", "workflow", file]);
        assert_eq!(output.status, 2, "{file}: {}", output.stderr);
        assert!(output.stderr.contains(told), "{file}: {}", output.stderr);
        assert!(output.stderr.len() < 10_000, "{file}: {} bytes", output.stderr.len());
    }
}

#[test]
fn a_batsim_workload_is_one_line_of_any_length() {
    let place = Place::new();
    let job = |number: usize| {
        format!(
            "{{\"id\": {number}, \"subtime\": {number}, \"walltime\": 60, \"res\": 1, \"profile\": \"p\"}}"
        )
    };
    let jobs: Vec<String> = (1..=120_000).map(job).collect();
    let text = format!(
        "{{\"nb_res\": 4, \"jobs\": [{}], \"profiles\": {{\"p\": {{\"type\": \"delay\", \"delay\": 10}}}}}}",
        jobs.join(", ")
    );
    assert!(text.len() > 8 << 20, "longer than a line or a token may be");
    place.file("w.json", &text);
    let output = place.run(&["convert", "w.json", "log.swf"]);
    assert!(output.stdout.contains("120,000 jobs"), "{}{}", output.stdout, output.stderr);
    place.file(
        "w.json",
        text.replacen("\"id\": 99999, \"subtime\": 99999", "\"id\": 99999, \"subtime\": x", 1),
    );
    let told = place.run(&["convert", "w.json", "other.swf"]).stderr;
    assert!(
        told.contains("unexpected `x`, a value should stand here") && told.contains("\"id\": 99999"),
        "{told}"
    );
}

/// A FIFO, a socket, a device and a directory below `place`, as paths.
fn special(place: &Place) -> Vec<(String, &'static str)> {
    let fifo = Command::new("mkfifo").arg(place.path("fifo")).status().unwrap();
    assert!(fifo.success());
    drop(UnixListener::bind(place.path("socket")).unwrap());
    fs::create_dir(place.path("folder")).unwrap();
    let device = if fs::exists("/dev/zero").unwrap() { "/dev/zero" } else { "/dev/null" };
    [("fifo", "a FIFO"), ("socket", "a socket"), (device, "a device"), ("folder", "a directory")]
        .map(|(name, what)| (name.to_owned(), what))
        .to_vec()
}

#[test]
fn what_is_no_regular_file_is_refused_and_not_read() {
    let place = Place::new();
    place.file("log.swf", LOG).file("jobs.csv", "job,kind,on\n");
    for (name, what) in special(&place) {
        let scenario = |text: &str| text.replace("FILE", &name);
        for (number, text) in [
            format!("include = [\"FILE\"]\n{HEAD}{JOBS}"),
            format!("{HEAD}[workload]\nkind = \"swf\"\nfile = \"FILE\"\n"),
            format!("{HEAD}[workload]\nkind = \"batsim\"\nfile = \"FILE\"\n"),
            format!("{HEAD}[workload]\nkind = \"slurm\"\nfile = \"log.swf\"\nconf = \"FILE\"\n"),
            format!("{HEAD}[workload]\nkind = \"task-trace\"\nfile = \"FILE\"\n"),
            format!("{HEAD}[workload]\nkind = \"swf\"\nfile = \"log.swf\"\ndependencies = \"FILE\"\n"),
            format!("{HEAD}[cluster.failures]\ntrace = \"FILE\"\n{JOBS}"),
            "title = \"T\"\nplatform.file = \"FILE\"\n[[agent]]\nhost = \"a\"\nrole = \"worker\"\n"
                .to_owned(),
        ]
        .into_iter()
        .enumerate()
        {
            place.file("s.toml", scenario(&text));
            let output = place.run(&["validate", "s.toml"]);
            assert_eq!(output.status, 2, "{number} {name}: {}", output.stderr);
            assert!(output.stderr.contains(&format!("it is {what}")), "{number} {name}: {}", output.stderr);
        }
        for arguments in [
            &["run", &name][..],
            &["validate", &name],
            &["convert", &name, "x.swf"],
            &["show", "platform", &name],
        ] {
            let output = place.run(arguments);
            assert_eq!(output.status, 2, "{arguments:?}: {}", output.stderr);
            assert!(output.stderr.contains(&format!("it is {what}")), "{arguments:?}: {}", output.stderr);
        }
    }
}

#[test]
fn a_pipe_that_the_caller_opened_is_read() {
    let place = Place::new();
    place.file("s.toml", format!("{HEAD}{JOBS}"));
    let mut command = Command::new("sh");
    let script = "cat s.toml | \"$0\" validate /dev/stdin";
    let output = place.wait(command.args(["-c", script, program()]));
    assert_eq!((output.status, &*output.stdout), (0, "/dev/stdin: valid\n"), "{}", output.stderr);
}

#[test]
fn a_link_in_the_place_of_an_unfinished_run_is_not_followed() {
    let place = Place::new();
    place.file("log.swf", LOG).file("kept/summary.json", "mine").file("kept/plan.json", "mine");
    place.file("kept.swf.partial", "mine");
    for name in ["out.partial", "study.partial", "out.partial.lock"] {
        for linked in ["out.partial", "study.partial", "out.partial.lock"] {
            let _ = fs::remove_file(place.path(linked));
        }
        symlink(place.path(if name.ends_with("lock") { "new" } else { "kept" }), place.path(name)).unwrap();
        let arguments: &[&str] = if name.starts_with("study") {
            &["run", "log.swf", "--vary", "seed=1,2", "-o", "study", "--force"]
        } else {
            &["run", "log.swf", "-o", "out", "--force"]
        };
        let output = place.run(arguments);
        assert!([1, 2].contains(&output.status), "{name}: {}", output.stderr);
        if name != "out.partial" {
            assert!(output.stderr.contains("it is a symbolic link"), "{name}: {}", output.stderr);
        }
        assert_eq!(place.names("kept"), ["plan.json", "summary.json"], "{name}");
        assert!(!place.path("new").exists() && !place.path("out").exists());
    }
    symlink(place.path("kept/plan.json"), place.path("other.swf.partial")).unwrap();
    let output = place.run(&["convert", "log.swf", "other.swf"]);
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert_eq!(place.read("kept/plan.json"), b"mine");
}

#[test]
fn logs_have_any_name() {
    let place = Place::new();
    let names = [
        "nbsp\u{a0}.swf",
        "zero\u{200b}.swf",
        "esc\x1b[2J.swf",
        "quote\".swf",
        "quote'.swf",
        "back\\slash.swf",
        "new\nline.swf",
        "1",
        "true",
        "[a]",
        "{a}",
        "\"a\"",
        "bidi\u{202e}.swf",
        " blank ",
        "a=b.swf",
        "nan",
        "99999999999999999999",
    ];
    for name in names {
        place.file(name, LOG);
        let output = place.run(&["run", name, "-o", "out", "--force"]);
        assert_eq!(output.status, 0, "{name:?}: {}", output.stderr);
        let again = place.run(&["run", "out/scenario.toml", "-o", "out"]);
        assert!(again.status == 0 && again.stderr.contains("identical"), "{name:?}: {}", again.stderr);
        let output = place.run(&["convert", name, "s.toml", "--from", "swf", "--force"]);
        assert_eq!(output.status, 0, "{name:?}: {}", output.stderr);
        let valid = place.run(&["validate", "s.toml"]);
        assert_eq!(valid.status, 0, "{name:?}: {}", valid.stderr);
    }
    let odd = place.path("").join(std::ffi::OsStr::from_bytes(b"odd\xff.swf"));
    if fs::write(&odd, LOG).is_ok() {
        for arguments in [&["run"][..], &["convert", "--force", "--output", "x.toml"]] {
            let mut command = Command::new(program());
            let command = match arguments {
                ["run"] => command.arg("run").arg(&odd),
                _ => command.arg("convert").arg(&odd).args(["s.toml", "--force"]),
            };
            let output = place.wait(command);
            assert_eq!(output.status, 2, "{}", output.stderr);
            assert!(output.stderr.contains("its name is not UTF-8"), "{}", output.stderr);
        }
    }
}

#[test]
fn values_that_an_axis_overrides_are_checked_by_themselves() {
    let place = Place::new();
    let told = |more: &str, axes: &str| {
        place.file("s.toml", format!("{HEAD}{JOBS}{more}\n[[vary]]\n{axes}\n"));
        let output = place.run(&["validate", "s.toml"]);
        (output.status, output.stderr)
    };
    for (more, axes, message) in [
        ("load = -1", "\"workload.load\" = [0.5, 0.6]", "`load` cannot be -1"),
        ("load = \"much\"", "\"workload.load\" = [0.5]", "`load` cannot be a string"),
        ("[policy]\nkind = \"easy\"\nbakfill = 1", "policy = [\"fcfs\", \"easy\"]", "unknown key `bakfill`"),
        (
            "[policy]\nkind = \"space-sharing\"\nbackfill = \"eazy\"",
            "\"policy.backfill\" = [\"none\"]",
            "unknown backfill",
        ),
        ("policy.x = 1\n[run]\nuntil = \"1 parsec\"", "\"run.until\" = [\"1h\"]", "parsec"),
    ] {
        let (status, stderr) = told(more, axes);
        assert!(status == 2 && stderr.contains(message), "{more}: {stderr}");
    }
    // against the rest of the file it is not checked: no point has it
    let apart = "[workload.patience]\nkind = \"uniform\"\nlow = \"5h\"\nhigh = \"1h\"";
    let (status, stderr) = told(apart, "\"workload.patience.high\" = [\"6h\", \"7h\"]");
    assert_eq!(status, 0, "{stderr}");
}

#[test]
fn numbers_that_no_scenario_holds_are_called_what_they_are() {
    let place = Place::new();
    place.file("s.toml", format!("{HEAD}{JOBS}"));
    for (value, message) in [
        ("99999999999999999999", "`99999999999999999999` is out of range"),
        ("-9223372036854775809", "`-9223372036854775809` is out of range"),
        ("nan", "`nan` is no finite number"),
        ("-inf", "`-inf` is no finite number"),
        ("1e400", "`1e400` is no finite number"),
    ] {
        for (flag, assignment) in [
            ("--set", format!("seed={value}")),
            ("--vary", format!("seed=1,{value}")),
            ("--vary", format!("seed=[{value}]")),
        ] {
            let output = place.run(&["run", "s.toml", flag, &assignment]);
            assert_eq!(output.status, 2, "{assignment}: {}", output.stderr);
            assert!(output.stderr.contains(message), "{assignment}: {}", output.stderr);
        }
    }
    let text = place.run(&["run", "s.toml", "--set", "title=\"nan\"", "--dry-run"]);
    assert!(text.stdout.contains("title = \"nan\""), "{}", text.stderr);
}
