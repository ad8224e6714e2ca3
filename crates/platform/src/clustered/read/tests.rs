//! Grids of the template: the sample of the report, clusters that come back, and every mistake at
//! its place.

use crate::clustered::grid::SweepGrid;
use crate::clustered::read::behaviour::{BehaviourOf, ResourceBehaviour};
use crate::clustered::read::grid::{GridOptions, ReadGrid, read};
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Complaint, Sources, Span};

const SAMPLE: &str = include_str!("../../../../../tests/data/sweeps/appendix_a.txt");

fn grid(text: &str, given: &[(&str, BehaviourOf, &str)]) -> Result<ReadGrid, Vec<String>> {
    let mut sources = Sources::new("");
    let source = sources.add("grid.txt", text, "");
    let streams = Streams::new(1, 0);
    let step = SimDuration::from_secs(5);
    let options = GridOptions { step, origin: "origin", speed: 1e10, streams: &streams };
    let mut behaviours = |name: &str, of, _: Span| {
        let given = given.iter().find(|(known, what, _)| *known == name && *what == of);
        let given =
            given.map(|(.., text)| crate::clustered::read::behaviour::series(text, of, step).expect("right"));
        Ok(given.or_else(|| ResourceBehaviour::stable(name, of)))
    };
    read(source, &sources, &options, &mut behaviours).map_err(|complaints| {
        let shown = |complaint: Complaint| {
            let span = complaint.span.expect("a place");
            let words = &sources.text(source)[span.range()];
            format!("{}: {} [{words}]", sources.place(span).0, complaint.message)
        };
        complaints.into_iter().map(shown).collect()
    })
}

fn at(seconds: u64) -> SimTime {
    SimTime::from_nanos(seconds * 1_000_000_000)
}

/// Appendix A of the report; the files of its behaviours are lost.
#[test]
fn the_sample_of_the_report_is_read() {
    let loaded = ("loaded_2", BehaviourOf::Host, "3\n100\n50\n0\n");
    let read = grid(SAMPLE, &[loaded]).expect("the sample");
    assert_eq!((read.events, read.drawn), (22, false));
    let warnings: Vec<&str> = read.warnings.iter().map(|warning| &*warning.message).collect();
    assert_eq!(warnings, ["CHANGE_CLUSTER_BEHAVIOR at 1550 s has no effect: `cluster3` is away"]);
    let origin = read.platform.host_named("origin").expect("the origin");
    let grid_of = SweepGrid::of(&read.platform, &[origin], 1e10).expect("a grid");
    assert_eq!((grid_of.clusters.len(), grid_of.hosts.len()), (6, 12));
    let clusters: Vec<&str> = grid_of.clusters.iter().map(|cluster| &*cluster.name).collect();
    assert_eq!(clusters, ["cluster3", "cluster4", "cluster5", "cluster6", "cluster1", "cluster2"]);
    let there = |seconds| -> Vec<bool> {
        grid_of.clusters.iter().map(|cluster| cluster.present.value_at(at(seconds)) > 0.0).collect()
    };
    assert_eq!(there(0), [true, true, true, true, false, false]);
    assert_eq!(there(1_000), [false, true, true, true, true, true]);
    assert_eq!(there(1_500), [false, false, true, true, true, true]);
    let host = grid_of.hosts.iter().find(|host| host.name == "host4.2").expect("a host");
    assert_eq!(
        (host.architecture, host.present.value_at(at(1_499)), host.present.value_at(at(1_500))),
        (1, 1.0, 0.0)
    );
    // from 553 s on it is 50, 0, 100, … by an offset of 4, which is 1 of 3
    let shares = [0, 552, 553, 558, 563, 568].map(|second| host.availability.value_at(at(second)));
    assert_eq!(format!("{shares:?}"), "[0.5, 0.5, 0.5, 0.0, 1.0, 0.5]");
    let bandwidths: Vec<f64> =
        grid_of.clusters.iter().map(|cluster| cluster.bandwidth.value_at(at(2_000))).collect();
    assert_eq!(format!("{bandwidths:?}"), "[100000.0, 100000.0, 100000.0, 100000.0, 10000.0, 1000000.0]");
}

#[test]
fn a_lost_behaviour_is_one_mistake_at_its_place() {
    assert_eq!(
        grid(SAMPLE, &[]).expect_err("a mistake"),
        ["15: there is no behaviour `loaded_2` [loaded_2]"]
    );
}

#[test]
fn a_cluster_that_comes_back_has_its_hosts_only_when_they_do() {
    let text = "GridDescription 1\n0:ADD_CLUSTER <c> <stable_1Mb> <0>\n0:ADD_HOST <c> <h> <stable_100> <0> <0>\n\
                10:REMOVE_CLUSTER <c>\n20 : ADD_CLUSTER < c > <stable_2Mb> <0>\n30.5:ADD_HOST <c> <h> <stable_50> <7> <0>\n\
                40:REMOVE_HOST <h>\n40:REMOVE_HOST <h>\n";
    let read = grid(text, &[]).expect("a grid");
    assert_eq!(read.warnings.len(), 1);
    let host = &read.platform.hosts()[1];
    let working: Vec<bool> =
        [9, 10, 20, 30, 31, 39, 40].map(|second| host.working.value_at(at(second)) > 0.0).into();
    assert_eq!(working, [true, false, false, false, true, true, false]);
    let link = read.platform.links().get(0);
    assert_eq!(
        [9, 10, 19, 20].map(|second| link.working.value_at(at(second)) > 0.0),
        [true, false, false, true]
    );
    assert_eq!(link.bandwidth.value_at(at(20)).to_bits(), 2e6_f64.to_bits());
    assert_eq!(host.availability.next_change(at(3)), Some(SimTime::from_nanos(30_500_000_000)));
}

#[test]
fn every_mistake_is_at_its_place() {
    let text = "GridDescription 1\n0:ADD_CLUSTER <a> <stable_1Mb> <0>\n0:ADD_CLUSTER <a> <stable_1Mb> <0>\n\
                5:ADD_HOST <b> <h> <stable_100> <x> <-1>\n4:ADD_HOST <a> <h> <stable_100> <0> <0>\nADD_HOST <a>\n\
                6:ADD_HSOT <a> <i> <stable_100> <0> <0>\n6:ADD_HOST <a> <i> stable_100 <0> <0>\n6:REMOVE_HOST <h> <i>\n\
                x:REMOVE_HOST <h>\n9:REMOVE_CLUSTER <a>\n9:ADD_HOST <a> <k> <stable_101> <0> <0>\n9:ADD_HOST <a> <origin\n";
    assert_eq!(
        grid(text, &[]).expect_err("mistakes"),
        [
            "3: the cluster `a` is there already [a]",
            "4: there is no cluster `b` [b]",
            "4: `x` is no offset, a whole number from 0 [x]",
            "4: `-1` is no architecture, from 0 on [-1]",
            "5: an event at 4 s follows one at 5 s [4]",
            "6: the time is missing [ADD_HOST]",
            "7: unknown event `ADD_HSOT` [ADD_HSOT]",
            "8: `<` is missing before the behaviour []",
            "9: the line goes on [<i>]",
            "10: `x` is no time in seconds [x]",
            "12: the cluster `a` is away [a]",
            "12: there is no behaviour `stable_101` [stable_101]",
            "13: `>` is missing behind the host []",
        ]
    );
    assert_eq!(
        grid("GridDescription 2\n", &[]).expect_err("a version"),
        ["1: the first line should be `GridDescription 1` [GridDescription 2]"]
    );
    assert_eq!(grid("GridDescription 1\n", &[]).expect_err("empty"), ["2: there is no host []"]);
    let taken =
        "GridDescription 1\n0:ADD_CLUSTER <c> <stable_1Mb> <0>\n0:ADD_HOST <c> <origin> <stable_1> <0> <0>\n";
    assert_eq!(grid(taken, &[]).expect_err("taken").len(), 1);
}
