//! Interconnects against each other: alike on an idle network, and apart where messages share a
//! link.

use std::sync::Arc;

use clustersim_jobs::workload::parallel::{Application, RecordedStep};
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::units::Bytes;

use super::support::{Came, layout, node, published, recorded, run};

const LINEAR: &str = "interconnect = { kind = \"linear\", bandwidth = \"100MB/s\" }";
const CROSSBAR: &str = "interconnect = { kind = \"detailed\", bandwidth = \"100MB/s\" }";
const STAR: &str = "interconnect = { kind = \"detailed\", bandwidth = \"100MB/s\", topology = \"star\" }";

const FLOW: &str = "interconnect = { kind = \"flow\", bandwidth = \"100MB/s\" }";

/// The flow interconnect with these keys beside its bandwidth.
fn flow(more: &str) -> String {
    format!("interconnect = {{ kind = \"flow\", bandwidth = \"100MB/s\", {more} }}")
}

/// 1 ms on a link, and 102 us in a DMA.
const SIZE: Bytes = Bytes::new(100_000);

fn came(nodes: u32, interconnect: &str, application: &Arc<Application>) -> Came {
    let params = node("dma-bandwidth = \"1GB/s\"\nreceive-overhead = \"0us\"");
    let jobs = vec![(0, Arc::clone(application), (0..application.tasks).collect())];
    run(&layout(nodes, &params, interconnect), published("local"), 1, jobs)
}

fn end(interconnect: &str, application: &Arc<Application>) -> u64 {
    came(application.tasks, interconnect, application).profile.to.since(SimTime::ZERO).as_nanos()
}

#[test]
fn one_message_on_an_idle_network_takes_the_same_time_everywhere() {
    for size in [0, 1, 1024, 1_000_003] {
        let there: &[RecordedStep] =
            &[RecordedStep::Send { to: 1, size: Bytes::new(size) }, RecordedStep::Receive { from: 1 }];
        let back: &[RecordedStep] =
            &[RecordedStep::Receive { from: 0 }, RecordedStep::Send { to: 0, size: Bytes::new(size) }];
        let application = recorded(&[there, back]);
        let linear = end(LINEAR, &application);
        let others = [CROSSBAR, STAR, FLOW].map(|net| end(net, &application));
        assert_eq!(others, [linear; 3], "{size} bytes");
    }
}

#[test]
fn a_hot_spot_is_slower_where_its_link_is_shared() {
    let sends: &[RecordedStep] = &[RecordedStep::Send { to: 0, size: SIZE }];
    let receives: &[RecordedStep] = &[
        RecordedStep::Receive { from: 1 },
        RecordedStep::Receive { from: 2 },
        RecordedStep::Receive { from: 3 },
    ];
    let application = recorded(&[receives, sends, sends, sends]);
    // composed at 5 us, on the wire at 107, all three ready at 1117, and then one DMA after the
    // other
    assert_eq!(end(LINEAR, &application), 1_117_000 + 3 * 102_000);
    // a link for each of them: the same
    assert_eq!(end(CROSSBAR, &application), 1_117_000 + 3 * 102_000);
    // one link down to node 0, which lets one through every millisecond: ready at 1117, 2117 and
    // 3117
    assert_eq!(end(STAR, &application), 3_117_000 + 102_000);
    // that link has a third of itself for each: all ready at 3117, and then one DMA after the other
    assert_eq!(end(FLOW, &application), 3_117_000 + 3 * 102_000);
}

#[test]
fn messages_of_one_pair_follow_each_other_on_their_link() {
    let sends: &[RecordedStep] =
        &[RecordedStep::Send { to: 0, size: SIZE }, RecordedStep::Send { to: 0, size: SIZE }];
    let receives: &[RecordedStep] = &[RecordedStep::Receive { from: 1 }, RecordedStep::Receive { from: 1 }];
    let application = recorded(&[receives, sends]);
    // on the wire at 107 and 209, ready at 1117 and 1219
    assert_eq!(end(LINEAR, &application), 1_219_000 + 102_000);
    // the second has the link from 1107 to 2107
    assert_eq!(end(CROSSBAR, &application), 2_117_000 + 102_000);
    assert_eq!(end(STAR, &application), 2_117_000 + 102_000);
    // the first is alone from 117 to 219, then both have half: it ends at 2015, and the second has
    // all until 2117; each then has its DMA, the first one's over by 2117
    assert_eq!(end(FLOW, &application), 2_117_000 + 102_000);
}

/// A long message is expected first and a short one, sent later, is ready before it: the DMA is one
/// after the other all the same.
#[test]
fn a_message_that_is_overtaken_on_the_wire_waits_for_the_dma() {
    let long: &[RecordedStep] = &[RecordedStep::Send { to: 0, size: SIZE }];
    let short: &[RecordedStep] = &[
        RecordedStep::Compute(SimDuration::from_micros(1_052)),
        RecordedStep::Send { to: 0, size: Bytes::new(4_000) },
    ];
    let receives: &[RecordedStep] = &[RecordedStep::Receive { from: 2 }, RecordedStep::Receive { from: 1 }];
    let application = recorded(&[receives, long, short]);
    // the long one is ready at 1117; the short one is composed at 1057, on the wire at 1063, ready
    // at 1113, and has the DMA until 1119
    assert_eq!(end(LINEAR, &application), 1_119_000 + 102_000);
}

#[test]
fn messages_to_two_nodes_share_the_way_up_of_a_star() {
    let sends: &[RecordedStep] =
        &[RecordedStep::Send { to: 1, size: SIZE }, RecordedStep::Send { to: 2, size: SIZE }];
    let receives: &[RecordedStep] = &[RecordedStep::Receive { from: 0 }];
    let application = recorded(&[sends, receives, receives]);
    assert_eq!([LINEAR, CROSSBAR].map(|net| end(net, &application)), [1_219_000 + 102_000; 2]);
    assert_eq!([STAR, FLOW].map(|net| end(net, &application)), [2_117_000 + 102_000; 2]);
}

#[test]
fn a_message_to_its_own_node_uses_no_link() {
    let sends: &[RecordedStep] = &[RecordedStep::Send { to: 1, size: SIZE }];
    let receives: &[RecordedStep] = &[RecordedStep::Receive { from: 0 }];
    let params = node("dma-bandwidth = \"1GB/s\"\nreceive-overhead = \"0us\"\nprocessors = 2");
    for net in [LINEAR, CROSSBAR, STAR, FLOW] {
        let jobs = vec![(0, recorded(&[sends, receives]), vec![0, 0])];
        let came = run(&layout(1, &params, net), published("local"), 1, jobs);
        // composed at 5 us, and two DMAs
        assert_eq!(came.profile.to, SimTime::from_nanos(209_000), "{net}");
    }
}

#[test]
fn links_that_carry_nothing_cost_nothing() {
    let sends: &[RecordedStep] = &[RecordedStep::Send { to: 1, size: SIZE }];
    let receives: &[RecordedStep] = &[RecordedStep::Receive { from: 0 }];
    let application = recorded(&[sends, receives]);
    let linear = came(1024, LINEAR, &application).events;
    let crossbar = came(1024, CROSSBAR, &application).events;
    assert!(crossbar < linear + 10, "{crossbar} events instead of {linear}");
    let flow = came(1024, FLOW, &application).events;
    assert!(flow < linear + 10, "{flow} events instead of {linear}");
}

/// Two messages at one time between four nodes: from 0 to 2, and from 1 to 3.
fn two_pairs() -> Arc<Application> {
    let [to_2, to_3]: [&[RecordedStep]; 2] =
        [2, 3].map(|to| &*vec![RecordedStep::Send { to, size: SIZE }].leak());
    let [from_0, from_1]: [&[RecordedStep]; 2] =
        [0, 1].map(|from| &*vec![RecordedStep::Receive { from }].leak());
    recorded(&[to_2, to_3, from_0, from_1])
}

#[test]
fn a_backbone_is_shared_by_those_who_share_nothing_else() {
    let application = two_pairs();
    assert_eq!(end(LINEAR, &application), 1_117_000 + 102_000);
    assert_eq!(end(FLOW, &application), 1_117_000 + 102_000);
    // half of it for each, after 3 us more of latency
    let star = flow("topology = \"star\", backbone = { bandwidth = \"100MB/s\", latency = \"3us\" }");
    assert_eq!(end(&star, &application), 2_120_000 + 102_000);
    // room for both, and none of the latency
    let wide = flow("topology = \"star\", backbone = { bandwidth = \"200MB/s\" }");
    assert_eq!(end(&wide, &application), 1_117_000 + 102_000);
}

#[test]
fn a_fat_tree_with_fewer_switches_above_is_slower() {
    let application = two_pairs();
    let tree = |up: &str| flow(&format!("topology = \"fat-tree\", down = [2, 2], up = {up}"));
    // four cables: 20 us of latency, and a switch above for each of the two
    assert_eq!(end(&tree("[1, 2]"), &application), 1_127_000 + 102_000);
    // the cable to the one above is shared
    assert_eq!(end(&tree("[1, 1]"), &application), 2_127_000 + 102_000);
    // cables side by side help as switches do
    let cables = flow("topology = \"fat-tree\", down = [2, 2], up = [1, 1], cables = [1, 2]");
    assert_eq!(end(&cables, &application), 1_127_000 + 102_000);
}

#[test]
fn a_message_alone_takes_the_latency_of_its_way_and_its_size_over_the_bandwidth() {
    let sends: &[RecordedStep] = &[RecordedStep::Send { to: 1, size: SIZE }];
    let receives: &[RecordedStep] = &[RecordedStep::Receive { from: 0 }];
    let application = recorded(&[sends, receives]);
    for (more, cables) in [
        // one from node to node
        ("topology = \"torus\", latency = \"8us\", dimensions = [4, 4]", 1),
        // up and down at one switch, although there are more nodes than the two
        ("topology = \"fat-tree\", latency = \"8us\", down = [4, 4], up = [1, 4]", 2),
        // from the node to its router, to the next router, and to the node there
        ("topology = \"dragonfly\", latency = \"8us\", groups = 2, chassis = 2, routers = 2, nodes = 1", 3),
    ] {
        assert_eq!(end(&flow(more), &application), 1_107_000 + cables * 8_000 + 102_000, "{more}");
    }
    // latency 13.01 times, bandwidth 0.97 times: 107 us + 208.16 us + 1030.927836 us, rounded up
    let fitted = end(&flow("latency = \"8us\", corrections = \"lv08\", cross-traffic = 0"), &application);
    assert_eq!(fitted, 107_000 + 208_160 + 1_030_928 + 102_000);
}

#[test]
fn tasks_reckon_with_the_latency_of_the_longest_way() {
    let params = node("");
    for (more, microseconds) in [
        ("topology = \"crossbar\"", 10.0),
        ("latency = \"8us\", corrections = \"lv08\"", 208.16),
        ("topology = \"fat-tree\", down = [4, 4], up = [1, 4]", 20.0),
        ("topology = \"torus\", dimensions = [4, 4]", 20.0),
        ("topology = \"torus\", dimensions = [1]", 0.0),
    ] {
        let layout = layout(1, &params, &flow(more));
        let latency = layout.interconnect.latency(Bytes::new(0));
        assert_eq!(latency, SimDuration::ceil_secs(microseconds * 1e-6), "{more}");
    }
}

#[test]
fn a_topology_joins_as_many_nodes_as_it_has_hosts() {
    let params = node("");
    for (net, room) in [
        (flow("topology = \"fat-tree\", down = [4, 4], up = [1, 4]"), Some(16)),
        (flow("topology = \"torus\", dimensions = [3, 5]"), Some(15)),
        (FLOW.to_owned(), Some(1 << 20)),
        (LINEAR.to_owned(), None),
    ] {
        assert_eq!(layout(1, &params, &net).interconnect.room(), room, "{net}");
    }
}
