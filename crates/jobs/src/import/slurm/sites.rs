//! Tests of sites that a `slurm.conf` states, and of limits that jobs have by them.

use crate::workload::swf::Options;

use super::{Reading, read, read_conf};

#[test]
fn numbers_of_nodes_are_read_as_slurm_reads_them() {
    let text = "NodeName=n[1-2] CPUs=0x10 RealMemory=4k\nNodeName=m Sockets=010 CoresPerSocket=2\n";
    let site = read_conf(text.as_bytes()).expect("right");
    let found: Vec<_> = site.groups.iter().map(|group| (group.processors, group.memory)).collect();
    assert_eq!(found, [(16, Some(4096)), (16, None)]);
}

#[test]
fn what_is_no_pair_or_usual_is_said_with_its_line_or_not_at_all() {
    let text = "NodeName=n1 Weight=1\nno pair\n# no line\nmore\nPartitionName=p Nodes=ALL PriorityTier=1 \
                OverSubscribe=NO MaxNodes=UNLIMITED PreemptMode=OFF\nPreemptType=preempt/none\n";
    let site = read_conf(text.as_bytes()).expect("right");
    assert_eq!(site.remarks, ["lines that are no KEY=VALUE: 2: line 2, 4"]);
    assert!(site.lost_of_nodes.0.is_empty() && site.partitions[0].lost.is_empty());
    assert_eq!((site.scheduler.lost.len(), site.scheduler.stated), (0, 0));
    // a partition that leaves out what the site does is not as usual
    let text = "NodeName=n1\nPartitionName=p Nodes=ALL PreemptMode=OFF\nPreemptMode=REQUEUE\n";
    let site = read_conf(text.as_bytes()).expect("right");
    assert_eq!(site.partitions[0].lost, [("PreemptMode".to_owned(), "OFF".to_owned())]);
}

#[test]
fn a_job_without_a_limit_has_that_of_its_partition() {
    let conf = "NodeName=n1 CPUs=8\nPartitionName=both Nodes=ALL DefaultTime=1:00:00 MaxTime=1-0\n\
                PartitionName=most Nodes=ALL MaxTime=2-0\nPartitionName=free Nodes=ALL\n\
                PartitionName=never Nodes=ALL MaxTime=0\nPartitionName=odd Nodes=ALL DefaultTime=2-0 MaxTime=60\n";
    let site = read_conf(conf.as_bytes()).expect("right");
    let estimate = |partition: &str, limit: &str| {
        let dump = format!(
            "JobID|Partition|Submit|Elapsed|Timelimit|State|NCPUS\n1|{partition}|10|10:00|{limit}|COMPLETED|2\n"
        );
        let log =
            read(dump.as_bytes(), &Reading::default(), Some(&site), &Options::default()).expect("right");
        (log.jobs[0].estimate.as_secs_f64(), log.jobs[0].asks_for_time())
    };
    for limit in ["Partition_Limit", "UNLIMITED", "2982616-04:14:00"] {
        assert_eq!(estimate("both", limit), (3600.0, false), "{limit}");
        assert_eq!(estimate("most", limit), (172_800.0, false), "{limit}");
        // Slurm plans a year where nothing is limited, and the shorter one of two limits
        assert_eq!(estimate("free", limit), (31_536_000.0, false), "{limit}");
        assert_eq!(estimate("never", limit), (31_536_000.0, false), "{limit}");
        assert_eq!(estimate("odd", limit), (3600.0, false), "{limit}");
        // of a partition that is not known there is the run time
        assert_eq!(estimate("other", limit), (600.0, false), "{limit}");
    }
    assert_eq!(estimate("both", "30:00"), (1800.0, true));
}

#[test]
fn wrong_configurations_are_reported_at_their_place() {
    let found = |text: &str| {
        let problem = read_conf(text.as_bytes()).expect_err("wrong");
        (problem.message, problem.place.map(|place| (place.line, place.column)))
    };
    assert_eq!(
        found("NodeName=n[1-2 CPUs=4\n"),
        ("a bracket is not closed, or not opened".to_owned(), Some((1, 1)))
    );
    assert_eq!(
        found("# x\nNodeName=n1 CPUs=four\n"),
        ("`four` is no whole number".to_owned(), Some((2, 13)))
    );
    assert_eq!(found("NodeName=n1 CPUs\n"), ("`CPUs` is no KEY=VALUE".to_owned(), Some((1, 13))));
    assert_eq!(found("NodeName=n1\nNodeName=n[1-3]\n"), ("node n1 is there twice".to_owned(), Some((2, 1))));
    assert_eq!(
        found("NodeName=n1\nPartitionName=p MaxTime=soon\n"),
        ("`soon` is no time limit".to_owned(), Some((2, 17)))
    );
    assert_eq!(found("NodeName=n1 CPUs=0\n").0, "a node of 0 processors");
    assert_eq!(found("NodeName=n1 CPUs=65536\n"), ("`65536` is more than 65535".to_owned(), Some((1, 13))));
    assert_eq!(
        found("NodeName=n1\n NodeName=n[2-70000] \\\n  CPUs=0xffff\n"),
        ("the site has more processors than can be numbered".to_owned(), Some((2, 2)))
    );
    // a value of a default is wrong where a partition takes it, one of a continued line in its line
    assert_eq!(
        found("PartitionName=DEFAULT MaxTime=x\nNodeName=n1\nPartitionName=p\n"),
        ("`x` is no time limit".to_owned(), Some((3, 1)))
    );
    assert_eq!(
        found("NodeName=n1\nPartitionName=p \\\n  MaxTime=x\n"),
        ("`x` is no time limit".to_owned(), Some((3, 3)))
    );
    assert_eq!(found("NodeName=\n"), ("nodes without a name".to_owned(), Some((1, 1))));
    assert_eq!(found("NodeName=n1\nPartitionName=\n").0, "a partition without a name");
    assert_eq!(found("ClusterName=x\n").0, "it has no line that begins with NodeName=");
}
