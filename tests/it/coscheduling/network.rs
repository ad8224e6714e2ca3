//! Interconnects against each other: alike on an idle network, and apart where messages share a link.

use std::sync::Arc;

use clustersim::kernel::SimTime;
use clustersim::units::Bytes;
use clustersim::workload::parallel::{Application, Step};

use super::support::{Came, layout, node, published, recorded, run};

const LINEAR: &str = "interconnect = { kind = \"linear\", bandwidth = \"100MB/s\" }";
const CROSSBAR: &str = "interconnect = { kind = \"detailed\", bandwidth = \"100MB/s\" }";
const STAR: &str = "interconnect = { kind = \"detailed\", bandwidth = \"100MB/s\", topology = \"star\" }";

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
        let there: &[Step] = &[Step::Send { to: 1, size: Bytes::new(size) }, Step::Receive { from: 1 }];
        let back: &[Step] = &[Step::Receive { from: 0 }, Step::Send { to: 0, size: Bytes::new(size) }];
        let application = recorded(&[there, back]);
        let linear = end(LINEAR, &application);
        assert_eq!([end(CROSSBAR, &application), end(STAR, &application)], [linear; 2], "{size} bytes");
    }
}

#[test]
fn a_hot_spot_is_slower_where_its_link_is_shared() {
    let sends: &[Step] = &[Step::Send { to: 0, size: SIZE }];
    let receives: &[Step] =
        &[Step::Receive { from: 1 }, Step::Receive { from: 2 }, Step::Receive { from: 3 }];
    let application = recorded(&[receives, sends, sends, sends]);
    // composed at 5 us, on the wire at 107, all three ready at 1117, and then one DMA after the other
    assert_eq!(end(LINEAR, &application), 1_117_000 + 3 * 102_000);
    // a link for each of them: the same
    assert_eq!(end(CROSSBAR, &application), 1_117_000 + 3 * 102_000);
    // one link down to node 0, which lets one through every millisecond: ready at 1117, 2117 and 3117
    assert_eq!(end(STAR, &application), 3_117_000 + 102_000);
}

#[test]
fn messages_of_one_pair_follow_each_other_on_their_link() {
    let sends: &[Step] = &[Step::Send { to: 0, size: SIZE }, Step::Send { to: 0, size: SIZE }];
    let receives: &[Step] = &[Step::Receive { from: 1 }, Step::Receive { from: 1 }];
    let application = recorded(&[receives, sends]);
    // on the wire at 107 and 209, ready at 1117 and 1219
    assert_eq!(end(LINEAR, &application), 1_219_000 + 102_000);
    // the second has the link from 1107 to 2107
    assert_eq!(end(CROSSBAR, &application), 2_117_000 + 102_000);
    assert_eq!(end(STAR, &application), 2_117_000 + 102_000);
}

#[test]
fn messages_to_two_nodes_share_the_way_up_of_a_star() {
    let sends: &[Step] = &[Step::Send { to: 1, size: SIZE }, Step::Send { to: 2, size: SIZE }];
    let receives: &[Step] = &[Step::Receive { from: 0 }];
    let application = recorded(&[sends, receives, receives]);
    assert_eq!([LINEAR, CROSSBAR].map(|net| end(net, &application)), [1_219_000 + 102_000; 2]);
    assert_eq!(end(STAR, &application), 2_117_000 + 102_000);
}

#[test]
fn a_message_to_its_own_node_uses_no_link() {
    let sends: &[Step] = &[Step::Send { to: 1, size: SIZE }];
    let receives: &[Step] = &[Step::Receive { from: 0 }];
    let params = node("dma-bandwidth = \"1GB/s\"\nreceive-overhead = \"0us\"\nprocessors = 2");
    for net in [LINEAR, CROSSBAR, STAR] {
        let jobs = vec![(0, recorded(&[sends, receives]), vec![0, 0])];
        let came = run(&layout(1, &params, net), published("local"), 1, jobs);
        // composed at 5 us, and two DMAs
        assert_eq!(came.profile.to, SimTime::from_nanos(209_000), "{net}");
    }
}

#[test]
fn links_that_carry_nothing_cost_nothing() {
    let sends: &[Step] = &[Step::Send { to: 1, size: SIZE }];
    let receives: &[Step] = &[Step::Receive { from: 0 }];
    let application = recorded(&[sends, receives]);
    let linear = came(1024, LINEAR, &application).events;
    let crossbar = came(1024, CROSSBAR, &application).events;
    assert!(crossbar < linear + 10, "{crossbar} events instead of {linear}");
}
