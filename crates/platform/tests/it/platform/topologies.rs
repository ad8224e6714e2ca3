//! Ways over topologies of any shape: each leads from link to link, from the host to the other, and
//! is as short as it may be.
//!
//! The names of links tell what they join, so that a way is followed by them and not by the code
//! that found it.

use clustersim_platform::{Builder, Cluster, Dragonfly, FatTree, Host, HostId, Level, Link, Platform};
use clustersim_platform::{Shape, Tier, Torus, ZoneId};
use proptest::prelude::*;

fn platform(shape: Shape, hosts: u32) -> Platform {
    let mut builder = Builder::new();
    let cluster = Cluster { shape, ..Cluster::new("c", hosts, Host::new("", 1.0), Link::new(1e9, 1e-6)) };
    builder.cluster(ZoneId::TOP, &cluster).expect("a cluster");
    builder.build()
}

/// The names of the links between two hosts.
fn names(platform: &Platform, from: u32, to: u32) -> Vec<String> {
    let mut route = Vec::new();
    platform.route(HostId::new(from), HostId::new(to), &mut route).expect("all are joined");
    route.iter().map(|&link| platform.link_name(link).into_owned()).collect()
}

/// The numbers in the name of a link, and whether it is gone from the first node to the second.
fn ends(name: &str) -> (Vec<u32>, bool) {
    let numbers = name.split('_').filter_map(|part| part.parse().ok()).collect();
    (numbers, name.ends_with("_UP"))
}

/// Where a way from `from` ends, if each of its links begins where the one before ended.
fn walked(names: &[String], from: u32) -> Result<u32, TestCaseError> {
    let mut here = from;
    for name in names {
        let (numbers, up) = ends(name);
        let (next, at) = if up { (numbers[1], numbers[0]) } else { (numbers[0], numbers[1]) };
        prop_assert_eq!(at, here, "{:?}", names);
        here = next;
    }
    Ok(here)
}

/// Whether no switch has the number of a host: they are counted down from twice the number of
/// hosts.
fn told_apart(levels: &[(u32, u32, u32)]) -> bool {
    let hosts: u32 = levels.iter().map(|level| level.0).product();
    let switches = |top: usize| {
        let (below, above) = levels.split_at(top);
        above.iter().map(|level| level.0).product::<u32>()
            * below.iter().map(|level| level.1).product::<u32>()
    };
    (1..=levels.len()).map(switches).sum::<u32>() <= hosts
}

/// All pairs of some of the hosts.
fn pairs(hosts: u32) -> impl Iterator<Item = (u32, u32)> {
    let step = (hosts / 12).max(1) as usize;
    (0..hosts).step_by(step).flat_map(move |from| (0..hosts).rev().step_by(step).map(move |to| (from, to)))
}

proptest! {
    #[test]
    fn ways_of_a_fat_tree_lead_up_and_down_to_the_other_host(
        levels in prop::collection::vec((1_u32..5, 1_u32..4, 1_u32..4), 1..4)
            .prop_filter("switches have numbers of their own", |levels| told_apart(levels)),
    ) {
        let levels: Vec<Level> = levels.iter().map(|&(down, up, cables)| Level { down, up, cables }).collect();
        let hosts = levels.iter().map(|level| level.down).product();
        let platform = platform(Shape::FatTree(FatTree { levels: levels.clone() }), hosts);
        for (from, to) in pairs(hosts) {
            let names = names(&platform, from, to);
            prop_assert_eq!(walked(&names, from)?, to, "{:?}", names);
            // up to the first level on which one subtree holds both
            let mut size = 1;
            let above = levels.iter().position(|level| {
                size *= level.down;
                from / size == to / size
            });
            let expected = if from == to { 0 } else { 2 * (above.unwrap() + 1) };
            prop_assert_eq!(names.len(), expected);
        }
    }

    #[test]
    fn ways_to_one_host_of_a_fat_tree_never_part_again(
        levels in prop::collection::vec((2_u32..5, 1_u32..4, 1_u32..4), 2..4)
            .prop_filter("switches have numbers of their own", |levels| told_apart(levels)),
    ) {
        let levels: Vec<Level> = levels.iter().map(|&(down, up, cables)| Level { down, up, cables }).collect();
        let hosts = levels.iter().map(|level| level.down).product();
        let platform = platform(Shape::FatTree(FatTree { levels }), hosts);
        for to in 0..hosts {
            // from each node it goes on over one link: forwarding by destination
            let mut onward = std::collections::BTreeMap::new();
            for from in (0..hosts).filter(|&from| from != to) {
                let mut here = from;
                for name in names(&platform, from, to) {
                    let (numbers, up) = ends(&name);
                    prop_assert_eq!(onward.entry(here).or_insert_with(|| name.clone()), &name);
                    here = if up { numbers[1] } else { numbers[0] };
                }
            }
        }
    }

    #[test]
    fn ways_of_a_torus_are_as_short_as_they_may_be(dimensions in prop::collection::vec(1_u32..7, 1..4)) {
        let hosts = dimensions.iter().product();
        let platform = platform(Shape::Torus(Torus { dimensions: dimensions.clone() }), hosts);
        for (from, to) in pairs(hosts) {
            let names = names(&platform, from, to);
            prop_assert_eq!(walked(&names, from)?, to, "{:?}", names);
            let (mut stride, mut shortest) = (1, 0);
            for &length in &dimensions {
                let apart = (from / stride % length).abs_diff(to / stride % length);
                shortest += apart.min(length - apart);
                stride *= length;
            }
            prop_assert_eq!(names.len(), shortest as usize);
        }
    }

    #[test]
    fn ways_of_a_dragonfly_lead_over_green_black_and_blue_to_the_other_host(
        (groups, chassis, routers, nodes) in (1_u32..5, 1_u32..4, 1_u32..5, 1_u32..4)
            .prop_filter("each group has a router for each", |&(groups, chassis, routers, _)| groups <= chassis * routers),
    ) {
        let tier = |count| Tier { count, cables: 1 };
        let dragonfly =
            Dragonfly { groups: tier(groups), chassis: tier(chassis), routers: tier(routers), nodes };
        let hosts = groups * chassis * routers * nodes;
        let platform = platform(Shape::Dragonfly(dragonfly), hosts);
        for (from, to) in pairs(hosts).filter(|(from, to)| from != to) {
            let names = names(&platform, from, to);
            let mut here = from / nodes;
            for (place, name) in names.iter().enumerate() {
                let (at, next) = followed(name, (chassis, routers), hosts);
                prop_assert_eq!(at, here, "{} of {:?}", place, names);
                here = next;
            }
            prop_assert_eq!(here, to / nodes, "{:?}", names);
            let colours: String = names.iter().filter_map(|name| name.chars().next()).collect();
            let (begins, ends) = (colours.starts_with('l'), colours.ends_with('l'));
            prop_assert!(begins && ends && names.len() <= 7, "{colours}");
        }
    }
}

/// The routers at both ends of a link, the one that it is gone from first; a link of a host has its
/// router at both.
fn followed(name: &str, (chassis, routers): (u32, u32), hosts: u32) -> (u32, u32) {
    let (numbers, up) = ends(name);
    let (low, high) = match name.split('_').next().expect("a colour") {
        "local" => (numbers[0], numbers[0]),
        "green" => {
            // counted after the links of hosts, so many for each chassis
            let frame = (numbers[3] - hosts) / (routers * (routers - 1) / 2);
            assert_eq!(frame % chassis, numbers[0], "{name}");
            (frame * routers + numbers[1], frame * routers + numbers[2])
        }
        "black" => {
            let at = |frame: u32| (numbers[0] * chassis + frame) * routers + numbers[3];
            (at(numbers[1]), at(numbers[2]))
        }
        _ => (numbers[2], numbers[3]),
    };
    if up { (low, high) } else { (high, low) }
}

#[test]
fn a_large_cluster_stores_its_links_and_no_routes() {
    let levels = [(32, 1, 1), (32, 32, 1), (16, 32, 1)].map(|(down, up, cables)| Level { down, up, cables });
    let hosts = 32 * 32 * 16;
    let platform = platform(Shape::FatTree(FatTree { levels: levels.to_vec() }), hosts);
    // a cable of two links from each host, 32 from each of 512 leaf switches, 32 from each of 512
    // switches above
    assert_eq!(platform.links().len(), 2 * (16_384 + 512 * 32 + 512 * 32));
    assert_eq!(names(&platform, 0, hosts - 1).len(), 6);
}

/// Of two ways round a torus that are equally long the one towards higher numbers is taken, but to
/// number 0 the one downwards.
#[test]
fn ties_of_a_torus_go_upwards_but_to_the_first_host_downwards() {
    let platform = platform(Shape::Torus(Torus { dimensions: vec![4] }), 4);
    let through = |from, to| {
        let first = names(&platform, from, to).remove(0);
        let (numbers, up) = ends(&first);
        if up { numbers[1] } else { numbers[0] }
    };
    assert_eq!([(0, 2), (1, 3), (2, 0), (3, 1)].map(|(from, to)| through(from, to)), [1, 2, 1, 0]);
}

#[test]
fn a_mesh_has_a_link_of_its_own_for_each_ordered_pair() {
    let mesh = platform(Shape::Mesh, 7);
    assert_eq!(mesh.links().len(), 7 * 6);
    for (from, to) in (0..7).flat_map(|from| (0..7).map(move |to| (from, to))) {
        let direct = format!("c_link_from_{from}_to_{to}");
        assert_eq!(names(&mesh, from, to), if from == to { Vec::new() } else { vec![direct] });
    }
    assert!(platform(Shape::Mesh, 1).links().is_empty());
}

#[test]
fn a_mesh_may_have_one_link_for_both_directions_with_limiters_and_loopbacks() {
    let link = || Link::new(1e9, 1e-6);
    let plain = Cluster::new("c", 4, Host::new("", 1.0), link());
    let (limiter, loopback) = (Some(link()), Some(link()));
    let cluster = Cluster {
        shape: Shape::Mesh,
        sharing: clustersim_platform::Sharing::Shared,
        limiter,
        loopback,
        ..plain
    };
    let mut builder = Builder::new();
    builder.cluster(ZoneId::TOP, &cluster).expect("a cluster");
    let mesh = builder.build();
    assert_eq!(names(&mesh, 3, 1), ["c_link_3_limiter", "c_link_from_1_to_3", "c_link_1_limiter"]);
    assert_eq!(names(&mesh, 2, 2), ["c_link_2_loopback"]);
    let many = Cluster { numbers: (0..=Cluster::MOST_OF_MESH).collect(), ..cluster };
    let refused = Builder::new().cluster(ZoneId::TOP, &many).expect_err("too many");
    assert_eq!(
        refused.to_string(),
        "cluster `c`: a mesh of 1449 hosts has too many links: it has 1448 hosts at most"
    );
}
