//! `convert` with a `gres.conf`: the devices of nodes beside the `slurm.conf` that counts them.

use insta::assert_snapshot;

use clustersim_testing::program::Place;

/// Nodes with GPUs of each sort that a `gres.conf` tells apart.
const CONF: &str = "ClusterName=delta
GresTypes=gpu,shard,mps,nic
NodeName=h[1-4] CPUs=32 RealMemory=256000 Gres=gpu:4
NodeName=a[1-2] CPUs=32 RealMemory=256000 Gres=gpu:a100:2,gpu:a100_3g.20gb:4
NodeName=s1 CPUs=16 Gres=gpu:2,shard:12
NodeName=s2 CPUs=16 Gres=gpu:2,shard:12
NodeName=m1 CPUs=16 Gres=gpu:v100:2,mps:200
NodeName=x1 CPUs=16 Gres=gpu:t4:4,shard:8
NodeName=c1 CPUs=16
PartitionName=all Nodes=ALL Default=YES
";

const GRES: &str = "# devices of delta
NodeName=h[1-3] AutoDetect=off Name=gpu Type=h100 File=/dev/nvidia[0-3] Cores=0-15
NodeName=h4 Name=gpu Type=h100 File=/dev/nvidia[0-1]
NodeName=h4 Name=gpu Type=h200 \\
   File=/dev/nvidia2,/dev/nvidia3
NodeName=a[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-1] Links=-1,4
NodeName=a[1-2] Name=gpu Type=a100_3g.20gb MultipleFiles=/dev/nvidia2,/dev/nvidia-caps/nvidia-cap[21-22]
NodeName=a[1-2] Name=gpu Type=a100_3g.20gb MultipleFiles=/dev/nvidia2,/dev/nvidia-caps/nvidia-cap[30-31]
Include instances.conf
NodeName=s1 Name=gpu Type=l40 File=/dev/nvidia[0-1]
NodeName=s1 Name=shard Count=8 File=/dev/nvidia0
NodeName=s1 Name=shard Count=4 File=/dev/nvidia1
NodeName=s2 Name=gpu Type=l40 File=/dev/nvidia[0-1]
NodeName=s2 Name=shard Count=12
NodeName=m1 Name=mps Count=200
NodeName=m1 Name=gpu Type=v100 File=/dev/nvidia[0-1]
NodeName=x1 AutoDetect=off Name=gpu Type=t4 File=/dev/nvidia[0-2]
NodeName=x1 Name=shard Count=16
NodeName=c1 Name=gpu File=/dev/nvidia0
NodeName=z9 Name=gpu File=/dev/nvidia0
Name=nic Count=1K Flags=CountOnly
AutoDetect=nvml
";

const INSTANCES: &str = "NodeName=a[1-2] Name=gpu Type=a100_3g.20gb Count=2 Colour=red\n";

fn place() -> Place {
    let place = Place::new();
    place.file("slurm.conf", CONF);
    place.file("instances.conf", INSTANCES);
    place
}

#[test]
fn devices_of_a_gres_conf_are_those_of_the_groups() {
    let place = place();
    let without = place.run(&["convert", "slurm.conf", "counted.toml"]);
    assert_eq!(without.status, 0, "{}", without.stderr);
    // found beside the slurm.conf
    place.file("gres.conf", GRES);
    let beside = place.run(&["convert", "slurm.conf", "nodes.toml"]);
    assert_eq!(beside.status, 0, "{}", beside.stderr);
    let nodes = String::from_utf8(place.read("nodes.toml")).unwrap();
    assert_snapshot!("devices_of_a_gres_conf", format!("{}{}\n{nodes}", beside.stdout, beside.stderr));
    let counted = String::from_utf8(place.read("counted.toml")).unwrap();
    assert!(counted.contains("gpus = 4\n") && !counted.contains("h100"), "{counted}");
    // named, wherever it is: the same
    place.file("other/devices", GRES);
    place.file("other/instances.conf", INSTANCES);
    let named = place.run(&["convert", "slurm.conf", "named.toml", "--gres", "other/devices"]);
    assert_eq!((named.status, place.read("named.toml")), (0, nodes.into_bytes()), "{}", named.stderr);
    // and the nodes run
    let job = "title = \"one\"\ninclude = [\"nodes.toml\"]\n[workload]\nkind = \"swf\"\nfile = \"jobs.swf\"\n\
               [[workload.demand]]\ngpus = { kind = \"h200\", count = 2 }\n[policy]\nkind = \"easy\"\n";
    place.file("one.toml", job);
    place.file("jobs.swf", "1 0 -1 60 1 -1 -1 1 60 -1 1 1 1 -1 0 -1 -1 -1\n");
    let run = place.run(&["run", "one.toml", "-o", "out", "--no-progress"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let jobs = String::from_utf8(place.read("out/jobs.csv")).unwrap();
    // there are two of that kind, on h4
    assert!(jobs.lines().nth(1).is_some_and(|row| row.contains(",96,")), "{jobs}");
    assert_eq!(place.run(&["check", "out"]).status, 0);
}

#[test]
fn jobs_of_a_dump_get_devices_of_the_kinds_of_a_gres_conf() {
    let place = Place::new();
    place.file("slurm.conf", "NodeName=a CPUs=8 Gres=gpu:2\nNodeName=b CPUs=8 Gres=gpu:2\n");
    place.file("gres.conf", "NodeName=a Name=gpu Type=a100 Count=2\nNodeName=b Name=gpu Type=h100 Count=2\n");
    let row = |number: u32, kind: &str| {
        format!("{number}|{number}|{number}|60|COMPLETED|2|cpu=2,gres/gpu:{kind}=1,node=1\n")
    };
    let head = "JobID|Submit|Start|ElapsedRaw|State|AllocCPUS|AllocTRES\n";
    place.file("dump.txt", format!("{head}{}{}", row(1, "h100"), row(2, "a100")));
    let asked = ["convert", "dump.txt", "site.toml", "--conf", "slurm.conf", "--resources", "allocated"];
    let told = place.run(&asked);
    assert_eq!(told.status, 0, "{}", told.stderr);
    let run = place.run(&["run", "site.toml", "-o", "out", "--no-progress"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let jobs = String::from_utf8(place.read("out/jobs.csv")).unwrap();
    let on = |number: &str| {
        let row = jobs.lines().find(|row| row.starts_with(&format!("{number},"))).unwrap();
        row.split(',').nth(14).unwrap().to_owned()
    };
    assert_eq!([on("1"), on("2")], ["8-9", "0-1"], "{jobs}");
}

#[test]
fn what_is_wrong_with_a_gres_conf_is_told_at_its_place() {
    let place = place();
    let wrong = [
        "NodeName=h[1-4 Name=gpu File=/dev/nvidia0\n",
        "# first\nName=gpu File=/dev/nvidia[0-3] Count=3\n",
        "Name=gpu Type=h100 Count=many\n",
        "Name=gpu Count=2K\n",
        "Name=gpu File=/dev/nvidia[3-1]\n",
        "Name=gpu File=/dev/nvidia0 MultipleFiles=/dev/nvidia1\n",
        "NodeName=h1 Count=3\n",
        "Name=gpu word\n",
        "Name=shard Count=8G\n",
        "Include gone.conf\n",
        "Include inner.conf\n",
    ];
    place.file("inner.conf", "\n  Name=mps Count=-1\n");
    let told = wrong.map(|text| {
        place.file("gres.conf", text);
        place.transcript(&["convert", "slurm.conf", "nodes.toml"])
    });
    let refused: [&[&str]; 4] = [
        &["convert", "slurm.conf", "nodes.toml", "--gres", "missing"],
        &["convert", "slurm.conf", "nodes.toml", "--gres", "gres.conf", "--detail", "task"],
        &["convert", "dump.txt", "new.swf", "--gres", "gres.conf"],
        &["convert", "log.swf", "site.toml", "--gres", "gres.conf"],
    ];
    place.file("dump.txt", "JobID|Submit|ElapsedRaw|AllocCPUS\n1|10|5|2\n");
    place.file("log.swf", "1 0 -1 60 1 -1 -1 1 60 -1 1 1 1 -1 0 -1 -1 -1\n");
    let refused = refused.map(|arguments| place.transcript(arguments));
    assert_snapshot!("what_is_wrong_with_a_gres_conf", [told.concat(), refused.concat()].concat());
}
