//! What inputs state of jobs beyond the schedule, from the file to the outputs: columns of
//! `jobs.csv`, classes, rules of demands, types of GPUs.

use clustersim_language::collections::OrderedMap;
use serde_json::Value as Json;

use clustersim_testing::program::Place;
use clustersim_testing::program::repository;

/// A dump of jobs: account, quality of service, resources.
const DUMP: &str = "JobID|Submit|Start|ElapsedRaw|State|Account|QOS|AllocCPUS|AllocTRES|ConsumedEnergyRaw\n\
    1|1000|1000|100|COMPLETED|zoology|normal|4|cpu=4,gres/gpu:h100=2,gres/gpu=2,node=1|5000\n\
    2|1000|1000|100|COMPLETED|art|high|4|cpu=4,gres/gpu:a100=1,gres/gpu=1,node=1|\n\
    3|1010|1005|100|COMPLETED||normal|2|cpu=2,gres/gpu:a100_1g.5gb=1,node=1|70\n\
    4|1020|1020|100|COMPLETED|art|normal|4|cpu=4,gres/gpu:h100=4,node=1|0\n";

/// Rows of a `jobs.csv` by the number of the job, each by the names of its columns.
fn rows(text: &[u8]) -> OrderedMap<String, OrderedMap<String, String>> {
    let text = String::from_utf8(text.to_vec()).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    lines.map(|cells| (cells[0].clone(), head.iter().cloned().zip(cells).collect())).collect()
}

fn column(place: &Place, directory: &str, name: &str) -> Vec<Option<String>> {
    let rows = rows(&place.read(&format!("{directory}/jobs.csv")));
    rows.values().map(|row| row.get(name).cloned()).collect()
}

fn some(cells: [&str; 4]) -> Vec<Option<String>> {
    cells.map(|cell| Some(cell.to_owned())).to_vec()
}

#[test]
fn attributes_of_a_dump_are_columns_and_classes_only_where_they_are_kept() {
    let place = Place::new();
    let scenario = |attributes: &str, record: &str| {
        format!(
            "title = \"T\"\npolicy = \"easy\"\n{record}\n[cluster]\nprocs = 16\n[workload]\nkind = \"slurm\"\n\
             file = \"dump.txt\"\nattributes = \"{attributes}\"\n"
        )
    };
    place
        .file("dump.txt", DUMP)
        .file("plain.toml", scenario("ignored", ""))
        .file("kept.toml", scenario("kept", "record = { classes = \"account\" }"));
    for name in ["plain", "kept"] {
        let output = place.run(&["run", &format!("{name}.toml"), "-o", name]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let checked = place.run(&["check", name]);
        assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    }
    assert_eq!(column(&place, "kept", "account"), some(["zoology", "art", "", "art"]));
    assert_eq!(column(&place, "kept", "qos"), some(["normal", "high", "normal", "normal"]));
    assert_eq!(column(&place, "kept", "gpus"), some(["2", "1", "1", "4"]));
    assert_eq!(column(&place, "kept", "nodes"), some(["1"; 4]));
    assert_eq!(column(&place, "kept", "recorded_energy"), some(["5000", "", "70", "0"]));
    assert_eq!(column(&place, "kept", "class"), [const { None }; 4]);
    assert_eq!(column(&place, "plain", "account"), [const { None }; 4]);
    // all else of the two files is the same
    let (plain, kept) = (rows(&place.read("plain/jobs.csv")), rows(&place.read("kept/jobs.csv")));
    for (job, row) in &plain {
        row.iter().for_each(|(name, cell)| assert_eq!(&kept[job][name], cell, "{job} {name}"));
    }
    let summary: Json = serde_json::from_slice(&place.read("kept/summary.json")).unwrap();
    let classes: Vec<&String> = summary["classes"].as_object().unwrap().keys().collect();
    assert_eq!(classes.len(), 3, "{classes:?}");
    assert!(
        ["account-zoology", "account-art", "no-account"]
            .iter()
            .all(|name| summary["classes"][name].is_object())
    );
    let unknown = place.run(&["run", "plain.toml", "--set", "record.classes=account", "-o", "none"]);
    assert_eq!(unknown.status, 2, "{}", unknown.stderr);
    assert!(unknown.stderr.contains("the workload does not state this of its jobs"), "{}", unknown.stderr);
}

#[test]
fn a_type_of_gpu_is_never_another_one_and_a_slice_that_holds_a_whole_gpu_is_counted() {
    let place = Place::new();
    let scenario = |a100: &str, h100: &str| {
        format!(
            "title = \"T\"\npolicy = \"easy\"\n\
             [[cluster.group]]\nnodes = 2\nprocessors = 8\ngpus = 4\nfeatures = [{a100}]\n\
             [[cluster.group]]\nnodes = 1\nprocessors = 8\ngpus = 4\nfeatures = [{h100}]\n\
             [workload]\nkind = \"slurm\"\nfile = \"dump.txt\"\nresources = \"allocated\"\nattributes = \"kept\"\n"
        )
    };
    place
        .file("dump.txt", DUMP)
        .file("typed.toml", scenario("\"gpu:a100\"", "\"gpu:h100\""))
        .file("sliced.toml", scenario("\"gpu:a100\", \"gpu:a100_1g.5gb\"", "\"gpu:h100\""))
        .file("untyped.toml", scenario("", ""))
        .file("other.toml", scenario("\"gpu:a100\"", "\"gpu:v100\""));
    let typed = place.run(&["run", "typed.toml", "-o", "typed"]);
    assert_eq!(typed.status, 0, "{}", typed.stderr);
    // jobs 1 and 4 are on the last node, one after the other: it has four GPUs
    let on = column(&place, "typed", "allocated_resources");
    let first = |cell: &Option<String>| -> u32 {
        cell.as_ref().unwrap().split(['-', ' ']).next().unwrap().parse().unwrap()
    };
    let is_h100: Vec<bool> = on.iter().map(|cell| first(cell) >= 16).collect();
    assert_eq!(is_h100, [true, false, false, true]);
    let starts = column(&place, "typed", "starting_time");
    assert_eq!(starts[3].as_deref(), Some("100"));
    assert!(typed.stderr.contains("1 gpu-part") && !typed.stderr.contains("any-gpu"), "{}", typed.stderr);
    let sliced = place.run(&["run", "sliced.toml", "-o", "sliced"]);
    assert!(sliced.status == 0 && !sliced.stderr.contains("gpu-part"), "{}", sliced.stderr);
    let untyped = place.run(&["run", "untyped.toml", "-o", "untyped"]);
    assert!(
        untyped.stderr.contains("1 gpu-part") && untyped.stderr.contains("4 any-gpu"),
        "{}",
        untyped.stderr
    );
    let other = place.run(&["run", "other.toml", "-o", "other"]);
    assert_eq!(other.status, 2, "{}", other.stderr);
    assert!(other.stderr.contains("jobs ask for the feature `gpu:h100`"), "{}", other.stderr);
    for name in ["typed", "sliced", "untyped"] {
        let checked = place.run(&["check", name]);
        assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    }
}

#[test]
fn rules_of_demands_pick_jobs_by_what_the_input_states() {
    let place = Place::new();
    place.file("dump.txt", DUMP).file(
        "site.toml",
        "title = \"T\"\npolicy = \"easy\"\n\
         [[cluster.group]]\nnodes = 4\nprocessors = 4\n[[cluster.group]]\nnodes = 1\nprocessors = 4\nfeatures = [\"own\"]\n\
         [workload]\nkind = \"slurm\"\nfile = \"dump.txt\"\nattributes = \"kept\"\n\
         [[workload.demand]]\naccounts = [\"art\"]\nqos = [\"high\", \"urgent\"]\nfeatures = [\"own\"]\n",
    );
    let output = place.run(&["run", "site.toml", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let on = column(&place, "out", "allocated_resources");
    let own: Vec<bool> = on.iter().map(|cell| cell.as_deref() == Some("16-19")).collect();
    assert_eq!(own, [false, true, false, false]);
}

#[test]
fn logs_of_21_fields_run_with_their_gpus_and_nodes_in_the_rows() {
    for (file, sums) in [
        ("synthetic-alea.swf", [60_620.0, 194_300.0, 2_496_312.0]),
        ("synthetic-frontier.swf", [361_709_016.0, 70_544_886.0, 5_821_615_688.0]),
    ] {
        let place = Place::new();
        let log = repository(&format!("tests/data/extended-swf/{file}"));
        let output = place.run(&["run", log.to_str().unwrap(), "--procs", "2000000", "-o", "out"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let rows = rows(&place.read("out/jobs.csv"));
        let of = |row: &OrderedMap<String, String>, name: &str| row[name].parse::<f64>().unwrap_or(0.0);
        let sum =
            |name: &str| rows.values().map(|row| of(row, name) * of(row, "execution_time")).sum::<f64>();
        let found = ["gpus", "nodes", "requested_number_of_resources"].map(sum);
        assert_eq!(found.map(f64::to_bits), sums.map(f64::to_bits), "{file}");
        let checked = place.run(&["check", "out"]);
        assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    }
}
