//! What wrong input looks like to its author: every diagnostic, rendered, with its exit status.
//!
//! `INSTA_UPDATE=always cargo test --test it diagnostics` writes the golden files anew; they are then reviewed.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use insta::assert_snapshot;

use crate::program::Place;

/// A scenario that is right, up to its workload.
const HEAD: &str = "title = \"Test\"\n\n[cluster]\nnodes = 4\n\n";

const SYNTHETIC: &str = "\
[workload]
kind = \"synthetic\"
jobs = 10
arrivals = \"1min\"
sizes = 1
run-times = \"1h\"
";

/// One log line.
const JOB: &str = "1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n";

fn validate(scenario: &str) -> String {
    Place::new().file("scenario.toml", scenario).told(&["validate", "scenario.toml"])
}

fn run_log(name: &str, bytes: &[u8]) -> String {
    Place::new().file(name, bytes).told(&["run", name, "--procs", "4"])
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_text_that_is_no_toml_is_told_with_all_its_errors() {
    assert_snapshot!(validate("title = Test\nseed = = 1\n[cluster\n"));
}

#[test]
fn a_value_of_the_wrong_type() {
    assert_snapshot!(validate(&format!("{HEAD}{SYNTHETIC}").replace("nodes = 4", "nodes = \"four\"")));
}

#[test]
fn a_quantity_with_an_unknown_unit() {
    assert_snapshot!(validate(&format!("{HEAD}{SYNTHETIC}").replace("\"1h\"", "\"1 parsec\"")));
}

#[test]
fn a_duration_without_a_unit() {
    assert_snapshot!(validate(&format!("{HEAD}[run]\nuntil = 3600\n\n{SYNTHETIC}")));
}

#[test]
fn an_unknown_key_with_the_nearest_right_name() {
    assert_snapshot!(validate(&format!("{HEAD}{SYNTHETIC}").replace("run-times", "runtimes")));
}

#[test]
fn a_missing_key() {
    assert_snapshot!(validate(&format!("{HEAD}{SYNTHETIC}").replace("jobs = 10\n", "")));
}

#[test]
fn an_empty_file() {
    assert_snapshot!(validate(""));
}

#[test]
fn a_value_out_of_range() {
    assert_snapshot!(validate(&format!("{HEAD}{SYNTHETIC}load = 0\n")));
}

#[test]
fn an_unknown_component() {
    assert_snapshot!(validate(&format!(
        "{HEAD}{SYNTHETIC}\n[policy]\nkind = \"space-sharing\"\nbackfill = \"eazy\"\n"
    )));
}

#[test]
fn kills_and_power_that_cannot_be() {
    let cluster = |more: &str| HEAD.replace("nodes = 4\n", &format!("nodes = 4\n{more}"));
    let with = |more: &str| validate(&format!("{}{SYNTHETIC}", cluster(more)));
    assert_snapshot!(with("kill-grace = \"5min\"\n"));
    assert_snapshot!(with("kill-at-estimate = \"yes\"\nkill-grace = \"-1s\"\n"));
    assert_snapshot!(with("power = { idle = \"200 W\", busy = \"95 W\" }\n"));
    assert_snapshot!(with("power = { idle = \"95 VA\" }\n"));
    let log = "[workload]\nkind = \"swf\"\nfile = \"log.swf\"\nestimate-floor = \"run-time\"\n";
    let scenario = format!("{}{log}", cluster("kill-at-estimate = true\n"));
    let place = Place::new();
    assert_snapshot!(
        place.file("log.swf", JOB).file("scenario.toml", scenario).told(&["validate", "scenario.toml"])
    );
    let parallel = "[workload]\nkind = \"task-trace\"\nfile = \"jobs.jsonl\"\n";
    let more = "detail = \"task\"\nkill-at-estimate = true\npower = { idle = \"1 W\", busy = \"2 W\" }\n";
    assert_snapshot!(validate(&format!("{}{parallel}", cluster(more))));
}

#[test]
fn dependencies_that_cannot_be() {
    let log = "[workload]\nkind = \"swf\"\nfile = \"log.swf\"\n";
    let jobs: String = (1..=4).map(|number| JOB.replacen('1', &number.to_string(), 1)).collect();
    let told = |more: &str, table: &str| {
        let scenario = format!("{HEAD}{log}{more}");
        let place = Place::new();
        place.file("log.swf", jobs.as_str()).file("own.csv", table).file("scenario.toml", scenario);
        place.told(&["validate", "scenario.toml"])
    };
    let own = "dependencies = \"own.csv\"\n";
    assert_snapshot!(told(own, "job,kind,on\n2,after-okay,1\n3,after-any,11\nfour,after-ok,1\n4,after-ok\n"));
    assert_snapshot!(told(own, "job,on\n2,1\n"));
    assert_snapshot!(told(own, "job,kind,on\n3,after-ok,2\n2,after-ok,1\n2,after-any,4\n4,after-ok,3\n"));
    assert_snapshot!(told("dependencies = \"none.csv\"\npreceding = \"afer\"\n", ""));
    assert_snapshot!(told(
        &format!("{own}preceding = \"after\"\nrandomize = {{ kind = \"jitter\", by = \"1h\" }}\n"),
        "job,kind,on\n"
    ));
    let task = HEAD.replace("nodes = 4\n", "nodes = 4\ndetail = \"task\"\n");
    let structure = "structure = \"cpu\"\npreceding = \"think-time\"\n";
    assert_snapshot!(validate(&format!("{task}{log}{structure}")));
}

#[test]
fn cancellations_that_cannot_be() {
    let patience = "patience = { kind = \"exponential\", mean = \"-1s\" }\n";
    assert_snapshot!(validate(&format!("{HEAD}{SYNTHETIC}{patience}cancelled = \"replayed\"\n")));
    let task = HEAD.replace("nodes = 4\n", "nodes = 4\ndetail = \"task\"\n");
    assert_snapshot!(validate(&format!("{task}{SYNTHETIC}patience = \"1h\"\n")));
    let log = "[workload]\nkind = \"swf\"\nfile = \"log.swf\"\ncancelled = \"replay\"\n";
    assert_snapshot!(validate(&format!("{HEAD}{log}")));
}

#[test]
fn failures_of_nodes_that_cannot_be() {
    let with = |more: &str| validate(&format!("{HEAD}{SYNTHETIC}\n{more}"));
    let failures = |more: &str| with(&format!("[cluster.failures]\n{more}"));
    let drawn = "up = { kind = \"exponential\", mean = \"1h\" }\ndown = \"5min\"\n";
    assert_snapshot!(failures(""));
    assert_snapshot!(failures("up = \"1h\"\n"));
    assert_snapshot!(failures(&format!("{drawn}trace = \"nodes.csv\"\n")));
    assert_snapshot!(failures("up = \"0s\"\ndown = \"5min\"\nthen = \"forget\"\n"));
    assert_snapshot!(failures("up = \"0s\"\ndown = \"5min\"\n"));
    assert_snapshot!(failures(&format!("{drawn}then = \"lose\"\ncheckpoint = {{ interval = \"1h\" }}\n")));
    assert_snapshot!(failures(&format!("{drawn}checkpoint = {{ interval = \"0.1ns\", cots = \"1s\" }}\n")));
    let kills = HEAD.replace("nodes = 4\n", "nodes = 4\nkill-at-estimate = true\n");
    let checkpoint = "checkpoint = { interval = \"1h\" }\n";
    assert_snapshot!(validate(&format!("{kills}{SYNTHETIC}\n[cluster.failures]\n{drawn}{checkpoint}")));
    let gang = format!("[policy]\nkind = \"gang\"\n[cluster.failures]\n{drawn}");
    assert_snapshot!(with(&gang));
    assert_snapshot!(validate(&format!(
        "{HEAD}{SYNTHETIC}patience = \"1h\"\n\n[[workload.demand]]\ngpus = 1\n\n[cluster.failures]\n{drawn}"
    )));
    let trace = |text: &str| {
        let place = Place::new();
        let scenario = format!("{HEAD}{SYNTHETIC}\n[cluster.failures]\ntrace = \"nodes.csv\"\n");
        place.file("nodes.csv", text).file("scenario.toml", scenario).told(&[
            "run",
            "--dry-run",
            "scenario.toml",
        ])
    };
    assert_snapshot!(trace("node,from,to\n0,1,2\n4,1,2\n1,10,20\n1,soon,3\n1,15,30\n2,5\n3,9,8\n"));
    assert_snapshot!(trace("node;from;to\n"));
}

#[test]
fn reservations_of_processors_that_cannot_be() {
    let with = |more: &str| validate(&format!("{HEAD}{SYNTHETIC}\n{more}"));
    let one = |more: &str| with(&format!("[[cluster.reservation]]\n{more}"));
    let night = "at = \"22h\"\nfor = \"4h\"\n";
    assert_snapshot!(one("every = \"soon\"\nprocessors = 0\nuse = \"holiday\"\nwho = \"me\"\n"));
    assert_snapshot!(one("at = \"1h\"\nfor = \"0s\"\n"));
    assert_snapshot!(one(&format!("{night}processors = 5\n")));
    assert_snapshot!(one(&format!("{night}times = 3\n")));
    assert_snapshot!(one(&format!("{night}every = \"24h\"\n")));
    assert_snapshot!(one(&format!("{night}every = \"3h\"\ntimes = 3\n")));
    assert_snapshot!(one("at = \"200000d\"\nfor = \"13505d\"\nevery = \"20000d\"\ntimes = 7\n"));
    let until = "[run]\nuntil = \"10d\"\n[[cluster.reservation]]\n";
    assert_snapshot!(with(&format!("{until}at = \"10d\"\nfor = \"1h\"\n")));
    assert_snapshot!(with(&format!("{until}at = \"1d\"\nfor = \"1ms\"\nevery = \"1s\"\n")));
    // together, too many at the second time of the first
    assert_snapshot!(one(&format!(
        "{night}every = \"24h\"\ntimes = 3\nprocessors = 2\n[[cluster.reservation]]\nat = \"47h\"\nfor = \"1h\"\nprocessors = 3\n"
    )));
    let gang = format!("[policy]\nkind = \"gang\"\n[[cluster.reservation]]\n{night}");
    assert_snapshot!(with(&gang));
    let kept = "[policy]\nkind = \"space-sharing\"\nbackfill = { kind = \"easy\", reservation = \"kept\" }\n";
    assert_snapshot!(with(&format!("{kept}[[cluster.reservation]]\n{night}processors = 9\n")));
    assert_snapshot!(validate(&format!(
        "{HEAD}{SYNTHETIC}patience = \"1h\"\n\n[cluster.failures]\nup = \"1h\"\ndown = \"1h\"\n[[cluster.reservation]]\n{night}"
    )));
    let task = HEAD.replace("nodes = 4\n", "nodes = 4\ndetail = \"task\"\n");
    assert_snapshot!(validate(&format!("{task}{SYNTHETIC}\n[[cluster.reservation]]\n{night}")));
}

#[test]
fn a_preset_that_is_contradicted() {
    assert_snapshot!(validate(&format!(
        "{HEAD}{SYNTHETIC}\n[policy]\nkind = \"easy\"\nbackfill = \"none\"\n"
    )));
}

#[test]
fn backfilling_beside_a_queue_that_leaves_none() {
    let queue = |more| {
        validate(&format!(
            "{HEAD}{SYNTHETIC}\n[policy]\nkind = \"space-sharing\"\nqueue = \"first-fit\"\n{more}"
        ))
    };
    assert_snapshot!(queue("backfill = { kind = \"easy\", reservations = 2 }\n"));
    assert_snapshot!(queue(""));
}

#[test]
fn a_distribution_with_impossible_values() {
    let scenario = format!("{HEAD}{SYNTHETIC}");
    let uniform = "{ kind = \"uniform\", low = \"2h\", high = \"1h\" }";
    assert_snapshot!(validate(&scenario.replace("\"1h\"", uniform)));
}

#[test]
fn several_mistakes_are_told_at_once() {
    let policy = "policy = { kind = \"space-sharing\", queue = \"fcsf\", backfil = \"easy\" }\n";
    let cluster = "[cluster]\nnodes = 0\nprocs = 4\n\n";
    let workload = SYNTHETIC.replace("\"1min\"", "\"1 fortnight\"").replace("sizes = 1", "sizes = true");
    let expect = "\n[expect]\n\"wait-time.average\" = \"< 60\"\nutilization = \"high\"\n";
    assert_snapshot!(validate(&format!("title = \"Test\"\n{policy}\n{cluster}{workload}{expect}")));
}

#[test]
fn mistakes_of_several_files_are_all_told() {
    let place = Place::new();
    place.file("one.toml", format!("{HEAD}{SYNTHETIC}").replace("nodes = 4", "nodes = \"four\""));
    place.file("two.toml", format!("{HEAD}[workload]\nkind = \"swf\"\nfile = \"word.swf\"\nlaod = 1\n"));
    place.file("three.toml", format!("{HEAD}[workload]\nkind = \"swf\"\nfile = \"word.swf\"\n"));
    place.file("word.swf", format!("{JOB}2 5 -1 ten 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n"));
    assert_snapshot!(place.told(&["validate", "one.toml", "two.toml", "three.toml"]));
}

#[test]
fn a_mistyped_command() {
    assert_snapshot!(Place::new().told(&["valdate", "scenario.toml"]));
    assert_snapshot!(Place::new().told(&["run", "x.toml", "--sed", "7"]));
}

#[test]
fn both_sizes_of_a_cluster() {
    assert_snapshot!(validate(&format!("{HEAD}{SYNTHETIC}").replace("nodes = 4", "nodes = 4\nprocs = 8")));
}

#[test]
fn a_table_of_a_later_version() {
    let later = "\n[[client]]\nkind = \"poisson\"\n\n[scheduler]\nkind = \"heft\"\n";
    assert_snapshot!(validate(&format!("{HEAD}{SYNTHETIC}{later}")));
}

#[test]
fn axes_that_cannot_be_read() {
    let study = "\n[[vary]]\n\"workload.laod\" = [0.5]\n[[vary]]\nseed = []\n[[vary]]\n\"workload.load\" = [0.5, -1, \"x\"]\n\
                 \"cluster.nodes\" = [1]\n[repeat]\nuntil = { metric = \"wait\", half-width = \"2%\" }\n";
    assert_snapshot!(validate(&format!("{HEAD}{SYNTHETIC}{study}")));
    let values = "\n[[vary]]\n\"workload.load\" = [0.5, -1, \"x\"]\n[[vary]]\nseed = [1, 2]\n";
    assert_snapshot!(validate(&format!("{HEAD}{SYNTHETIC}{values}")));
}

#[test]
fn an_include_that_is_not_there() {
    assert_snapshot!(validate(&format!("include = [\"parts/site.toml\", 7]\n{HEAD}{SYNTHETIC}")));
}

#[test]
fn files_that_include_each_other() {
    let place = Place::new();
    place.file("scenario.toml", format!("include = [\"parts/a.toml\"]\n{HEAD}{SYNTHETIC}"));
    place.file("parts/a.toml", "include = [\"b.toml\"]\n");
    place.file("parts/b.toml", "include = [\"../scenario.toml\"]\n");
    assert_snapshot!(place.told(&["validate", "scenario.toml"]));
}

#[test]
fn a_mistake_in_an_included_file_is_told_there() {
    let place = Place::new();
    place.file("scenario.toml", format!("include = [\"site.toml\"]\ntitle = \"Test\"\n{SYNTHETIC}"));
    place.file("site.toml", "[cluster]\nnodes = -4\n");
    assert_snapshot!(place.told(&["validate", "scenario.toml"]));
}

#[test]
fn mistakes_of_the_command_line_are_told_in_the_command_line() {
    let place = Place::new();
    place.file("scenario.toml", format!("{HEAD}{SYNTHETIC}"));
    let sets = ["run", "scenario.toml", "--set", "workload.jobs=many", "--set", "seed", "--policy", "eazy"];
    assert_snapshot!(place.told(&sets));
}

#[test]
fn a_scenario_that_is_not_there() {
    assert_snapshot!(Place::new().told(&["run", "nowhere.toml"]));
}

#[test]
fn a_scenario_that_is_no_text() {
    assert_snapshot!(
        Place::new().file("scenario.toml", b"title = \"\xff\"").told(&["validate", "scenario.toml"])
    );
}

#[test]
fn a_log_that_a_scenario_names_and_that_is_not_there() {
    assert_snapshot!(validate(
        "title = \"Test\"\n\n[workload]\nkind = \"swf\"\nfile = \"logs/gone.swf.gz\"\n"
    ));
}

#[test]
fn a_log_on_the_command_line_that_is_not_there() {
    assert_snapshot!(Place::new().told(&["run", "gone.swf"]));
}

#[test]
fn a_log_with_too_few_fields() {
    assert_snapshot!(run_log(
        "short.swf",
        format!("; MaxProcs: 4\n{JOB}2 5 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1\n").as_bytes()
    ));
}

#[test]
fn a_log_with_a_word_for_a_number() {
    assert_snapshot!(run_log(
        "word.swf",
        format!("{JOB}2 5 -1 ten 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n").as_bytes()
    ));
}

#[test]
fn a_log_with_a_number_out_of_range() {
    let line = "2 99999999999999999999 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n";
    assert_snapshot!(run_log("range.swf", format!("{JOB}{line}").as_bytes()));
}

#[test]
fn a_log_with_more_processors_than_can_be_named() {
    let line = "2 5 -1 10 4294967296 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n";
    assert_snapshot!(run_log("procs.swf", format!("{JOB}{line}").as_bytes()));
}

#[test]
fn a_log_that_is_binary_garbage() {
    let garbage: Vec<u8> = (0..2000_u32).map(|index| ((index * 7919) >> 3) as u8).collect();
    assert_snapshot!(run_log("garbage.swf", &garbage));
}

#[test]
fn an_empty_log() {
    assert_snapshot!(run_log("empty.swf", b""));
}

#[test]
fn a_log_of_comments_only() {
    assert_snapshot!(run_log("comments.swf", b"; MaxProcs: 4\n;\n"));
}

#[test]
fn a_truncated_gzip_file() {
    let whole = gzip(&JOB.repeat(100));
    assert_snapshot!(run_log("cut.swf.gz", &whole[..whole.len() - 20]));
}

#[test]
fn a_damaged_gzip_file() {
    let mut whole = gzip(&JOB.repeat(100));
    let checksum = whole.len() - 8;
    whole[checksum] ^= 0xff;
    assert_snapshot!(run_log("damaged.swf.gz", &whole));
}

#[test]
fn a_log_in_another_compression() {
    assert_snapshot!(run_log("log.swf.bz2", b"BZh91AY&SY and so on"));
}

#[test]
fn a_log_with_half_a_processor() {
    assert_snapshot!(run_log("half.swf", b"1 0 -1 10 1.5 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n"));
}

#[test]
fn a_log_whose_jobs_cannot_be_used() {
    assert_snapshot!(run_log("unusable.swf", b"1 0 -1 -1 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n"));
}

#[test]
fn a_window_without_jobs() {
    let place = Place::new();
    place.file("log.swf", JOB);
    assert_snapshot!(place.told(&["run", "log.swf", "--procs", "4", "--from", "10h", "--to", "11h"]));
}

#[test]
fn a_window_that_ends_before_it_begins() {
    let place = Place::new();
    place.file("log.swf", JOB);
    assert_snapshot!(place.told(&["run", "log.swf", "--procs", "4", "--from", "10h", "--to", "2h"]));
}

#[test]
fn a_log_that_does_not_tell_its_machine() {
    let place = Place::new();
    place.file("log.swf", JOB);
    assert_snapshot!(place.told(&["run", "log.swf"]));
}

#[test]
fn a_synthetic_job_that_never_fits() {
    let place = Place::new();
    place.file("scenario.toml", format!("{HEAD}{SYNTHETIC}").replace("sizes = 1", "sizes = 5"));
    assert_snapshot!(place.told(&["run", "scenario.toml"]));
}

#[test]
fn a_synthetic_workload_without_a_machine() {
    let place = Place::new();
    place.file("scenario.toml", format!("{HEAD}{SYNTHETIC}").replace("nodes = 4", ""));
    assert_snapshot!(place.told(&["run", "scenario.toml"]));
}

#[test]
fn a_directory_that_holds_something_else() {
    let place = Place::new();
    place.file("scenario.toml", format!("{HEAD}{SYNTHETIC}")).file("results/notes.txt", "mine");
    assert_snapshot!(place.told(&["run", "scenario.toml", "-o", "results"]));
    assert_eq!(place.names("."), ["results", "scenario.toml"], "nothing is left half-written");
}

#[test]
fn a_directory_that_cannot_be_written() {
    let place = Place::new();
    // a file stands where a directory is needed: not even an administrator can write there
    place.file("scenario.toml", format!("{HEAD}{SYNTHETIC}")).file("results", "a file");
    assert_snapshot!(place.told(&["run", "scenario.toml", "-o", "results/run"]));
}

#[test]
fn a_broken_expectation() {
    let place = Place::new();
    place.file("scenario.toml", format!("{HEAD}{SYNTHETIC}\n[expect]\n\"wait-time.mean\" = \"<= 1min\"\n"));
    let output = place.run(&["run", "scenario.toml", "--quiet"]);
    assert_snapshot!(format!("{}exit status: {}\n", output.stderr, output.status));
}

#[test]
fn a_file_that_is_no_manifest() {
    let place = Place::new();
    place.file("manifest.json", "{}").file("broken.json", "{");
    assert_snapshot!(place.told(&["run", "manifest.json"]));
    assert_snapshot!(place.told(&["run", "broken.json"]));
}

#[test]
fn something_to_explain_or_list_that_is_not_there() {
    assert_snapshot!(Place::new().told(&["explain", "backfil"]));
    assert_snapshot!(Place::new().told(&["list", "polices"]));
}

#[test]
#[cfg(not(feature = "parquet"))]
fn a_parquet_file_asked_of_a_build_that_cannot_write_one() {
    let scenario = format!("{HEAD}{SYNTHETIC}lod = 1\n[record]\nparquet = true\n");
    assert_snapshot!(validate(&scenario));
    let place = Place::new();
    place.file("scenario.toml", format!("{HEAD}{SYNTHETIC}"));
    assert_snapshot!(place.told(&["run", "scenario.toml", "--parquet"]));
    assert_eq!(place.names("."), ["scenario.toml"], "nothing was run");
}

#[test]
fn diagnostics_as_json_have_one_object_a_line() {
    let place = Place::new();
    place.file("scenario.toml", format!("{HEAD}{SYNTHETIC}lod = 1\nload = \"x\"\n"));
    let told = place.told(&["validate", "scenario.toml", "--message-format", "json"]);
    for line in told.lines().filter(|line| line.starts_with('{')) {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    assert_snapshot!(told);
}

#[test]
fn bad_usage() {
    let output = Place::new().run(&["run", "x.toml", "--sed", "7"]);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.contains("--seed"), "{}", output.stderr);
}

/// A space-sharing policy with these lines.
fn space_sharing(lines: &str) -> String {
    validate(&format!("{HEAD}{SYNTHETIC}\n[policy]\nkind = \"space-sharing\"\n{lines}"))
}

#[test]
fn queues_that_cannot_be_told_apart_or_have_no_such_limit() {
    let queue = |more| format!("\n[[policy.queues]]\nname = \"day\"\n{more}");
    assert_snapshot!(space_sharing(
        &(queue("numbers = [1, 2]\n") + &queue("numbers = [2]\n").replace("day", "night"))
    ));
    assert_snapshot!(space_sharing(&(queue("") + &queue(""))));
    assert_snapshot!(space_sharing(&queue("max-procs = 0\nmax-run-time = \"-1h\"\nmax-runing = 3\n")));
    assert_snapshot!(space_sharing("\n[[policy.queues]]\nnumbers = [70000]\n"));
}

#[test]
fn priorities_that_cannot_be_computed() {
    let queue =
        "queue = { kind = \"priority\", fairshare = \"high\", half-life = \"0s\", accounts = \"team\", ";
    assert_snapshot!(space_sharing(&format!("{queue}shares = {{ \"12\" = -1 }} }}\n")));
    let queue = |more| format!("queue = {{ kind = \"priority\", {more} }}\n");
    assert_snapshot!(space_sharing(&queue("shares = { \"someone\" = 1 }")));
    assert_snapshot!(space_sharing(&queue("wieght = 3, max-age = \"0s\"")));
}

#[test]
fn options_of_backfilling_that_do_not_exist_or_do_not_go_together() {
    let easy = |more| format!("backfill = {{ kind = \"easy\", {more} }}\n");
    assert_snapshot!(space_sharing(&easy("reservations = 2, extra = \"none\"")));
    assert_snapshot!(space_sharing(&easy("reservations = 2, reservation = \"kept\"")));
    let wrong = "reservations = 0, order = \"shortest\", judged-by = \"runtime\", overdue = \"-1s\"";
    assert_snapshot!(space_sharing(&easy(wrong)));
    assert_snapshot!(space_sharing("backfill = { kind = \"conservative\", reservations = 2 }\n"));
}

#[test]
fn estimates_that_nobody_makes() {
    assert_snapshot!(space_sharing("estimates = \"last-three\"\n"));
    assert_snapshot!(space_sharing("estimates = { kind = \"phi\", phi = 1.5 }\n"));
    assert_snapshot!(space_sharing(
        "estimates = { kind = \"last-two\", correct = \"yes\" }\ndecide = \"later\"\n"
    ));
}

#[test]
fn resources_that_nodes_or_policies_do_not_have() {
    let group = "[[cluster.group]]\nnodes = 2\nprocessors = 2\ngpus = 1\nfeatures = [\"fast\"]\n\n";
    let head = HEAD.replace("nodes = 4\n", group);
    let demand = |what: &str| format!("\n[[workload.demand]]\n{what}\n");
    let told = |head: &str, what: &str, policy: &str| {
        validate(&format!("{head}{SYNTHETIC}{}\n[policy]\nkind = \"{policy}\"\n", demand(what)))
    };
    let cases = [
        told(HEAD, "gpus = 1", "easy"),
        told(&head, "features = [\"fats\"]", "easy"),
        told(&head, "gpus = 1", "gs"),
        told(&head, "memory = \"1 GB\"", "conservative"),
        told(&head, "memory = 4\nexclusive = \"yes\"\nprocs = 0", "easy"),
        told(&format!("{head}{}", group.replace("gpus", "tick")), "gpus = 1", "easy"),
        told(&head.replace("[cluster]\n", "[cluster]\ndetail = \"task\"\n"), "gpus = 1", "easy"),
        told(&head.replace("[cluster]\n", "[cluster]\nprocs = 9\n"), "gpus = 1", "easy"),
    ];
    assert_snapshot!(cases.join("\n"));
}
