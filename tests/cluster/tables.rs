//! Tables of jobs as workloads of runs.

use std::fs;

use clustersim_testing::program::{Place, repository};

const TABLE: &str = "job,when,from,to,cores,nodes,asked,who
a,2026-03-01 00:00:00,2026-03-01 00:00:00,2026-03-01 01:00:00,48,1,120,ann
b,2026-03-01 00:10:00,2026-03-01 00:10:00,2026-03-01 00:40:00,96,2,60,ben
c,2026-03-01 00:20:00,2026-03-01 01:00:00,2026-03-01 01:30:00,64,2,45,ann
d,2026-03-01 00:30:00,,,64,2,45,cyd
";
const COLUMNS: &str = "[workload.columns]
submit = \"when\"
start = \"from\"
end = \"to\"
procs = \"cores\"
nodes = \"nodes\"
limit = { column = \"asked\", unit = \"min\" }
user = \"who\"
times = { zone = \"+00:00\" }
";
/// The same jobs as Slurm prints them.
const DUMP: &str = "JobIDRaw|JobID|Submit|Start|End|AllocCPUS|AllocNodes|TimelimitRaw|User|State
1|1|2026-03-01T00:00:00|2026-03-01T00:00:00|2026-03-01T01:00:00|48|1|120|ann|
2|2|2026-03-01T00:10:00|2026-03-01T00:10:00|2026-03-01T00:40:00|96|2|60|ben|
3|3|2026-03-01T00:20:00|2026-03-01T01:00:00|2026-03-01T01:30:00|64|2|45|ann|
4|4|2026-03-01T00:30:00|Unknown|Unknown|64|2|45|cyd|
";

fn scenario(workload: &str) -> String {
    format!("title = \"t\"\n\n[cluster]\nprocs = 128\n\n[workload]\n{workload}\n[policy]\nkind = \"easy\"\n")
}

fn place() -> Place {
    let place = Place::new();
    place.file("jobs.csv", TABLE);
    place.file("jobs.txt", DUMP);
    place.file("table.toml", scenario(&format!("kind = \"table\"\nfile = \"jobs.csv\"\n{COLUMNS}")));
    place.file("dump.toml", scenario("kind = \"slurm\"\nfile = \"jobs.txt\"\nattributes = \"kept\"\n"));
    place
}

#[test]
fn a_table_is_run_and_its_run_keeps_the_rules() {
    let place = place();
    let output = place.run(&["run", "table.toml", "-o", "run"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stderr.contains("1 never-started"), "{}", output.stderr);
    let manifest = String::from_utf8(place.read("run/manifest.json")).unwrap();
    assert!(manifest.contains("jobs.csv") && !manifest.contains("tzdb"), "{manifest}");
    let judged = place.run(&["check", "run"]);
    assert_eq!(judged.status, 0, "{}{}", judged.stdout, judged.stderr);
}

#[test]
fn the_version_of_named_zones_is_part_of_what_a_run_is_known_by() {
    let place = place();
    let zone = "workload.columns.times.zone=Europe/Rome";
    let output = place.run(&["run", "table.toml", "-o", "run", "--set", zone]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let manifest = String::from_utf8(place.read("run/manifest.json")).unwrap();
    assert!(manifest.contains("\"tzdb-20"), "{manifest}");
}

#[test]
fn the_same_jobs_by_dump_and_by_table_give_the_same_bytes() {
    let place = place();
    for name in ["table", "dump"] {
        let output = place.run(&["run", &format!("{name}.toml"), "-o", name]);
        assert_eq!(output.status, 0, "{}", output.stderr);
    }
    assert_eq!(place.read("table/jobs.csv"), place.read("dump/jobs.csv"));
}

#[test]
fn a_public_source_runs_by_its_name_alone() {
    let place = place();
    let sample = repository("crates/jobs/tests/data/tables/acme-kalos.csv.gz");
    place.file("kalos.csv.gz", fs::read(sample).unwrap());
    let like = "kind = \"table\"\nfile = \"kalos.csv.gz\"\nlike = \"acme\"\nresources = \"allocated\"\n";
    let nodes =
        "title = \"t\"\n[[cluster.group]]\nnodes = 302\nprocessors = 128\ngpus = 8\nmemory = \"2 TiB\"\n";
    place.file("kalos.toml", format!("{nodes}\n[workload]\n{like}\n[policy]\nkind = \"easy\"\n"));
    let output = place.run(&["run", "kalos.toml", "-o", "run"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let judged = place.run(&["check", "run"]);
    assert_eq!(judged.status, 0, "{}{}", judged.stdout, judged.stderr);
}

#[test]
fn what_is_wrong_with_a_table_is_shown_at_its_cell() {
    let place = place();
    place.file("jobs.csv", TABLE.replace(",96,", ",many,"));
    let output = place.run(&["run", "table.toml", "-o", "run"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("jobs.csv:3:"), "{}", output.stderr);
    place.file("jobs.csv", TABLE.replace("cores", "Cores"));
    let output = place.run(&["run", "table.toml", "-o", "run"]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("did you mean `Cores`?"), "{}", output.stderr);
}

#[test]
fn a_table_of_nodes_sets_the_size_of_the_machine() {
    let place = place();
    for name in ["openb-head500.csv.gz", "openb-nodes-head40.csv.gz"] {
        place.file(name, fs::read(repository("crates/jobs/tests/data/tables").join(name)).unwrap());
    }
    let like = "kind = \"table\"\nfile = \"openb-head500.csv.gz\"\nlike = \"openb\"\nmachine = \"openb-nodes-head40.csv.gz\"\n";
    place.file("openb.toml", format!("title = \"t\"\n[workload]\n{like}\n[policy]\nkind = \"easy\"\n"));
    let output = place.run(&["run", "openb.toml", "-o", "run"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let manifest = String::from_utf8(place.read("run/manifest.json")).unwrap();
    assert!(manifest.contains("openb-nodes-head40.csv.gz"), "{manifest}");
    assert!(output.stdout.contains("processors   1,280"), "{}", output.stdout);
}
