//! `describe`: files of every kind, and scenarios made of a guess.

use std::fs;

use insta::assert_snapshot;

use clustersim_testing::program::{Place, repository};
use serde_json::Value as Json;

const TABLE: &str = "job,queued,began,ended,cores,nodes,asked,account,result
a1,2026-03-01 08:00:00,2026-03-01 08:00:00,2026-03-01 09:00:00,96,3,120,physics,COMPLETED
a2,2026-03-01 08:05:00,2026-03-01 09:00:00,2026-03-01 10:00:00,64,2,60,biology,TIMEOUT
a3,2026-03-01 08:10:00,2026-03-01 08:10:00,2026-03-01 08:30:00,32,1,30,physics,COMPLETED
a4,2026-03-01 08:20:00,,,32,1,30,physics,PENDING
";

fn described(place: &Place, name: &str) -> Json {
    let output = place.run(&["describe", name, "--json"]);
    assert_eq!(output.status, 0, "{name}: {}", output.stderr);
    let document: Json = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(document["schema"], "clustersim/describe/1");
    document
}

fn sample(place: &Place, name: &str) {
    place.file(name, fs::read(repository("crates/jobs/tests/data/tables").join(name)).unwrap());
}

#[test]
fn tables_of_known_sources_are_named_and_counted() {
    let place = Place::new();
    for (name, like, rows, jobs, with_gpus) in [
        ("acme-kalos.csv.gz", "acme", 50, 48, 38),
        ("helios.csv.gz", "helios", 50, 49, 32),
        ("philly.json.gz", "philly", 40, 35, 35),
    ] {
        sample(&place, name);
        let document = described(&place, name);
        assert_eq!(document["guess"]["like"], like);
        let found = &document["jobs"];
        assert_eq!((document["rows"].as_u64(), found["jobs"].as_u64()), (Some(rows), Some(jobs)), "{name}");
        assert_eq!(found["with-gpus"].as_u64(), Some(with_gpus), "{name}");
        assert!(document["columns"].as_array().is_some_and(|columns| columns.len() >= 5), "{name}");
    }
}

#[test]
fn a_table_is_described_and_the_text_to_paste_runs() {
    let place = Place::new();
    place.file("jobs.csv", TABLE);
    let output = place.run(&["describe", "jobs.csv"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_snapshot!("described_table", output.stdout);
    let toml = described(&place, "jobs.csv")["guess"]["toml"].as_str().unwrap().to_owned();
    assert!(output.stdout.contains(&toml), "{toml}");
    place.file(
        "pasted.toml",
        format!("title = \"p\"\ncluster.procs = 128\n\n{toml}\n[policy]\nkind = \"easy\"\n"),
    );
    let run = place.run(&["run", "pasted.toml", "-o", "pasted"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("1 never-started"), "{}", run.stderr);
}

#[test]
fn a_table_becomes_a_scenario_that_runs_and_says_what_was_guessed() {
    let place = Place::new();
    place.file("jobs.csv", TABLE);
    for name in ["acme-kalos.csv.gz", "philly.json.gz", "eagle-60.jsonl.gz"] {
        sample(&place, name);
    }
    for name in ["jobs.csv", "acme-kalos.csv.gz", "philly.json.gz", "eagle-60.jsonl.gz"] {
        let (scenario, out) = (format!("{name}.toml"), format!("{name}.out"));
        let output = place.run(&["convert", name, &scenario]);
        assert_eq!(output.status, 0, "{name}: {}", output.stderr);
        let run = place.run(&["run", &scenario, "-o", &out]);
        assert_eq!(run.status, 0, "{name}: {}", run.stderr);
        let judged = place.run(&["check", &out]);
        assert_eq!(judged.status, 0, "{name}: {}{}", judged.stdout, judged.stderr);
    }
    let output = place.run(&["convert", "jobs.csv", "again.toml"]);
    assert!(
        output.stderr.contains("limit = { column = \"asked\", unit = \"min\" } is a guess"),
        "{}",
        output.stderr
    );
    let refused = place.run(&["convert", "jobs.csv", "log.swf"]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    assert!(refused.stderr.contains("write a scenario (.toml)"), "{}", refused.stderr);
}

#[test]
fn a_log_has_its_load_by_week_and_the_use_of_its_limits() {
    let place = Place::new();
    let name = "KTH-SP2-1996-2.1-cln-4-weeks.swf.gz";
    place.file(name, fs::read(repository("scenarios/data").join(name)).unwrap());
    let found = &described(&place, name)["jobs"];
    assert_eq!(found["machine"], 100);
    assert!((4..=5).contains(&found["weeks"].as_array().unwrap().len()), "{found}");
    let weeks = found["weeks"].as_array().unwrap();
    let jobs: u64 = weeks.iter().map(|week| week["jobs"].as_u64().unwrap()).sum();
    assert_eq!(Some(jobs), found["jobs"].as_u64());
    assert!(weeks.iter().take(4).all(|week| (0.1..1.5).contains(&week["load"].as_f64().unwrap())), "{found}");
    let (reached, requested) = (&found["limits"]["reached"], &found["limits"]["requested"]);
    assert!(reached.as_u64().unwrap() < requested.as_u64().unwrap(), "{found}");
    let text = place.run(&["describe", name]).stdout;
    assert!(
        text.contains("Standard Workload Format") && text.contains("Load by week, on 100 processors"),
        "{text}"
    );
}

#[test]
fn files_of_other_kinds_say_what_they_are() {
    let place = Place::new();
    place.file("slurm.conf", "ClusterName=c\nNodeName=n[1-4] CPUs=8\n");
    place.file("s.toml", "title = \"T\"\ncluster.nodes = 4\n[workload]\nkind = \"synthetic\"\n");
    place.file("letter.txt", "Dear reader\n\nthis is a letter\n");
    let conf = described(&place, "slurm.conf");
    assert_eq!((&conf["facts"]["nodes"], &conf["facts"]["processors"]), (&"4".into(), &"32".into()));
    assert!(described(&place, "s.toml")["reader"].as_str().unwrap().contains("clustersim run s.toml"));
    for (name, why) in [
        ("letter.txt", "no sign between cells"),
        (".", "is a directory"),
        ("none.csv", "cannot read none.csv"),
    ] {
        let output = place.run(&["describe", name]);
        assert_eq!(output.status, 2, "{name}: {}", output.stderr);
        assert!(output.stderr.contains(why), "{name}: {}", output.stderr);
    }
}

/// The places at which a command finds something wrong with a file, `LINE:COLUMN` each, and how
/// many there are; it writes nothing.
#[track_caller]
fn refused(place: &Place, words: &[&str], file: &str) -> Vec<String> {
    let output = place.run(words);
    assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{words:?}: {}", output.stderr);
    let behind = format!("{file}:");
    let places = output.stderr.match_indices(&behind).map(|(at, _)| &output.stderr[at + behind.len()..]);
    places.filter_map(|rest| rest.split_whitespace().next()).map(ToOwned::to_owned).collect()
}

#[test]
fn a_damaged_table_is_refused_at_each_place() {
    let place = Place::new();
    let row = |end: &str| {
        format!(
            "{{\"submit\": \"2026-03-01 08:00\", \"start\": \"2026-03-01 08:00\", \"end\": \"2026-03-01 09:00\", \"cpus\": {end}"
        )
    };
    let [right, wrong] = [row("4}"), row("\"x\"}")];
    let json = format!("[{right},\n{wrong},\n{right},\n{}", &right[..60]);
    place.file("cut.json", &json);
    place.file("short.csv", TABLE.replace(",physics", "").replace("64,2,60", "64,2,60,7"));
    place.file("cut.csv.gz", {
        let packed = fs::read(repository("crates/jobs/tests/data/tables/eagle-sample.csv.gz")).unwrap();
        packed[..packed.len() / 2].to_vec()
    });
    for command in [
        &["describe", "cut.json"][..],
        &["describe", "cut.json", "--json"],
        &["convert", "cut.json", "a.toml"],
    ] {
        assert_eq!(refused(&place, command, "cut.json"), ["2:96", "4:61"], "{command:?}");
    }
    for command in [&["describe", "short.csv"][..], &["convert", "short.csv", "a.toml"]] {
        assert_eq!(refused(&place, command, "short.csv"), ["2:73", "3:82", "4:72", "5:34"], "{command:?}");
    }
    for command in [&["describe", "cut.csv.gz"][..], &["convert", "cut.csv.gz", "a.toml"]] {
        let output = place.run(command);
        assert_eq!(output.status, 2, "{}", output.stderr);
        assert!(output.stderr.contains("the gzip stream ends in the middle"), "{}", output.stderr);
    }
    assert!(!place.path("a.toml").exists());
    // what is whole and no table is not damaged
    place.file("other.json", "{\"name\": [1, {\"a\": null}]}\n[1, 2]\n");
    let other = place.run(&["describe", "other.json"]);
    assert_eq!(other.status, 0, "{}", other.stderr);
}

#[test]
fn what_may_be_a_table_of_jobs_is_refused_as_one() {
    let place = Place::new();
    let head = "job,submit,start,end,cpus";
    let row = "1,2026-03-01 08:00:00,2026-03-01 08:00:00,2026-03-01 09:00:00,4";
    place.file("head.csv", format!("{head}\n"));
    place.file("zero.csv", format!("{head}\n{row}\0\n"));
    place.file("long.csv", format!("{head}\n{row}\n{},1\n", "x".repeat(5_000_000)));
    place.file("first.csv", format!("{},1\n1,2\n", "x".repeat(5_000_000)));
    place.file("bare.csv", format!("{row}\n{row}\n"));
    place.file("wrong.csv", format!("{head}\n1,soon,now,later,many\n"));
    place.file("semicolons.csv", format!("{head}\n1,soon,now,later,many\n").replace(',', ";"));
    place.file("twice.csv", format!("{head},cpus\n{row},4\n"));
    place.file(
        "hosts.csv",
        "job,host,begin,end,cpus,time\n1,a,2026-03-01 08:00:00,2026-03-01 09:00:00,4,3600\n",
    );
    place.file("other.csv", "name,colour\nann,red\n");
    for (name, why) in [
        ("head.csv", "the table holds the names of columns and no row"),
        ("zero.csv", "this is no text, nor a table of another form: byte 89 is zero"),
        ("long.csv", "long.csv:3:1"),
        ("first.csv", "first.csv:1:1"),
        ("bare.csv", "its first line is a row already and names no columns"),
        ("wrong.csv", "wrong.csv:2:3"),
        ("semicolons.csv", "semicolons.csv:2:3"),
        ("twice.csv", "several columns are called `cpus`"),
        ("hosts.csv", "nothing says when jobs were submitted"),
        ("other.csv", "its columns are neither those of jobs nor those of measurements"),
    ] {
        let output = place.run(&["convert", name, "a.toml"]);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{name}: {}", output.stderr);
        let is_other =
            output.stderr.contains("the first line does not say") || output.stderr.contains("sacct");
        assert!(output.stderr.contains(why) && !is_other, "{name}: {}", output.stderr);
    }
    assert!(!place.path("a.toml").exists());
    // bars and tabs stand between cells as well, whatever the name
    for (name, sign) in [("bars.txt", "|"), ("tabs.log", "\t")] {
        place.file(name, format!("{head}\n{row}\n").replace(',', sign));
        let output = place.run(&["convert", name, &format!("{name}.toml")]);
        assert_eq!(output.stdout, format!("{name}.toml: 1 job of 1 row\n"), "{}", output.stderr);
    }
}

#[test]
fn an_archive_is_refused_with_its_members_and_the_command_that_unpacks_one() {
    let place = Place::new();
    // a header of tar and a file of two bytes
    let mut tar = vec![0; 2048];
    tar[..8].copy_from_slice(b"jobs.csv");
    tar[124..135].copy_from_slice(b"00000000002");
    tar[156] = b'0';
    tar[257..262].copy_from_slice(b"ustar");
    // the directory of a zip archive
    let entry = [b"PK\x01\x02".as_slice(), &[0; 24], &[8, 0], &[0; 16], b"jobs.csv"].concat();
    let zip = [b"PK\x03\x04".as_slice(), &entry].concat();
    for (name, bytes) in [("t.tar", &tar), ("t.csv", &tar), ("t.zip", &zip), ("z.csv", &zip)] {
        place.file(name, bytes);
        let output = place.run(&["convert", name, "a.toml"]);
        assert_eq!(output.status, 2, "{name}: {}", output.stderr);
        let command = if bytes == &tar { "tar -xf" } else { "unzip" };
        for words in ["archive, not a table: it holds `jobs.csv`", &format!("`{command} {name} jobs.csv`")] {
            assert!(output.stderr.contains(words), "{name}: {}", output.stderr);
        }
    }
}

#[test]
fn a_table_with_mistakes_is_no_other_file() {
    let place = Place::new();
    place.file("jobs.csv", TABLE.replace("64,2", "many,2").replace("30,physics,C", "?,physics,C"));
    let semicolons = TABLE.replace(',', ";").replace("64;2", "many;2");
    place.file("jobs.tsv", TABLE.replace(',', "\t").replace("64\t2", "many\t2"));
    place.file("other.csv", &semicolons);
    place.file("few.csv", "job,start,end,cores\na,2026-03-01 08:00:00,2026-03-01 09:00:00,4\n");
    for name in ["jobs.csv", "jobs.tsv", "other.csv"] {
        let found = refused(&place, &["convert", name, "a.toml"], name);
        assert_eq!(found[0], "3:64", "{name}: {found:?}");
        assert_eq!(found.len(), 1 + usize::from(name == "jobs.csv"), "{name}");
        let text = place.run(&["describe", name]);
        assert_eq!(text.status, 0, "{}", text.stderr);
        let told = "A run would refuse it:\n   line 3, column 64: `many` is no number";
        assert!(text.stdout.contains(told), "{}", text.stdout);
    }
    let output = place.run(&["convert", "few.csv", "a.toml"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("nothing says when jobs were submitted"), "{}", output.stderr);
    assert!(output.stderr.contains("`clustersim describe few.csv` shows its columns"), "{}", output.stderr);
    // measurements stay what they are
    place.file("hosts.csv", "host,speed,cores\na,1Gf,4\nb,fast,4\n");
    assert_eq!(refused(&place, &["convert", "hosts.csv", "a.toml"], "hosts.csv"), ["3:3"]);
    assert!(!place.path("a.toml").exists());
}

#[test]
fn a_table_of_nodes_becomes_groups_on_which_its_jobs_run() {
    let place = Place::new();
    for name in [
        "openb-nodes-head40.csv.gz",
        "openb-head500.csv.gz",
        "alibaba-2026-spot-nodes.csv.gz",
        "alibaba-2026-spot.csv.gz",
        "philly-machines.csv.gz",
        "philly.json.gz",
        "pai-machine.csv.gz",
        "helios-gpu-number.csv.gz",
    ] {
        sample(&place, name);
    }
    for (name, extent) in [
        ("openb-nodes-head40.csv.gz", "40 nodes of "),
        ("alibaba-2026-spot-nodes.csv.gz", "nodes of "),
        ("philly-machines.csv.gz", "40 nodes of 2 kinds, 236 processors, 236 GPUs"),
        ("pai-machine.csv.gz", "20 nodes of "),
    ] {
        let text = place.run(&["describe", name]);
        let command = format!("`clustersim convert {name} nodes.toml`");
        assert!(text.stdout.contains(&command) && text.stdout.contains(extent), "{}", text.stdout);
        assert!(!text.stdout.contains("[workload"), "{}", text.stdout);
        let nodes = format!("{name}.toml");
        let output = place.run(&["convert", name, &nodes]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert!(output.stdout.contains(extent), "{}", output.stdout);
        let scenario = format!(
            "title = \"t\"\ninclude = [\"{nodes}\"]\n[workload]\nkind = \"lublin-feitelson\"\njobs = 50\nload = 0.5\n[policy]\nkind = \"easy\"\n"
        );
        place.file("site.toml", scenario);
        let valid = place.run(&["validate", "site.toml"]);
        assert_eq!(valid.status, 0, "{name}: {}", valid.stderr);
        assert_eq!(place.run(&["convert", name, "log.swf"]).status, 2);
    }
    for (jobs, nodes) in [
        ("openb-head500.csv.gz", "openb-nodes-head40.csv.gz"),
        ("alibaba-2026-spot.csv.gz", "alibaba-2026-spot-nodes.csv.gz"),
        ("philly.json.gz", "philly-machines.csv.gz"),
    ] {
        let output = place.run(&["convert", jobs, nodes, "both.toml", "--force"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let text = String::from_utf8(place.read("both.toml")).unwrap();
        assert!(text.contains("[[cluster.group]]") && text.contains("resources = \"allocated\""), "{text}");
        let results = format!("of-{jobs}");
        let run = place.run(&["run", "both.toml", "-o", &results]);
        assert_eq!(run.status, 0, "{jobs}: {}", run.stderr);
        let judged = place.run(&["check", &results]);
        assert_eq!(judged.status, 0, "{jobs}: {}{}", judged.stdout, judged.stderr);
    }
    assert_snapshot!("converted_nodes", String::from_utf8(place.read("pai-machine.csv.gz.toml")).unwrap());
    let output = place.run(&["convert", "helios-gpu-number.csv.gz", "a.toml"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("GPUs by queue and day"), "{}", output.stderr);
    place.file("broken.csv", "sn,cpu_milli,memory_mib,gpu,model\na,x,1024,0,\nb,1000,1024,y,\n");
    assert_eq!(refused(&place, &["convert", "broken.csv", "a.toml"], "broken.csv"), ["2:3", "3:13"]);
}

#[test]
fn the_size_of_a_known_machine_is_that_of_its_source() {
    let place = Place::new();
    sample(&place, "eagle-60.jsonl.gz");
    let output = place.run(&["convert", "eagle-60.jsonl.gz", "eagle.toml"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let text = String::from_utf8(place.read("eagle.toml")).unwrap();
    assert!(
        text.contains("# Eagle: 2,600 nodes of 36 processors") && text.contains("procs = 93600\n"),
        "{text}"
    );
}

#[test]
fn tables_with_odd_columns_say_so() {
    let place = Place::new();
    place.file("twice.csv", TABLE.replace("asked,account", "who,who"));
    let text = place.run(&["describe", "twice.csv"]).stdout;
    assert!(text.contains("Several columns are called `who`"), "{text}");
    let output = place.run(&["convert", "twice.csv", "twice.toml"]);
    assert!(
        output.status == 0 && output.stderr.contains("several columns are called `who`"),
        "{}",
        output.stderr
    );
    place.file("bare.csv", TABLE.split_once('\n').unwrap().1);
    let text = place.run(&["describe", "bare.csv"]).stdout;
    assert!(text.contains("header = false\n") || text.contains("header = false "), "{text}");
    assert!(text.contains("names = [\"column-1\", \"column-2\""), "{text}");
}

#[test]
fn columns_are_counted_in_letters_by_every_output() {
    let place = Place::new();
    let head = "note,submit,start,end,cpus";
    let row = |note: &str, cpus: &str| {
        format!("{note},2026-03-01 08:00:00,2026-03-01 08:00:00,2026-03-01 09:00:00,{cpus}\n")
    };
    let rows = [row("é", "4"), row("é", "4"), row("éé", "many"), row(&"é".repeat(300), "x")].concat();
    place.file("jobs.csv", format!("{head}\n{rows}"));
    let described = described(&place, "jobs.csv");
    let columns: Vec<&Json> =
        described["refused"].as_array().unwrap().iter().map(|one| &one["column"]).collect();
    assert_eq!(columns, [64, 362]);
    let output = place.run(&["convert", "jobs.csv", "a.toml", "--message-format", "json"]);
    let errors = output.stderr.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    assert_eq!(errors.map(|one| one["at"]["column"].clone()).collect::<Vec<_>>(), [64, 362]);
    let text = place.run(&["describe", "jobs.csv"]).stdout;
    assert!(text.contains("line 4, column 64: ") && text.contains("line 5, column 362: "), "{text}");
}
