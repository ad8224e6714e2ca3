//! Ways through zones and over topologies, worked by hand.

use clustersim_platform::sharing::LinkId;
use clustersim_platform::{
    Builder, Cluster, Dragonfly, FatTree, Host, HostId, Level, Link, NetPoint, Platform,
};
use clustersim_platform::{PlatformError, Route, Routing, Shape, Spoke, Tier, ToItself, Torus, ZoneId};

fn link() -> Link {
    Link::new(1e9, 1e-3)
}

/// The names of the links between two hosts, with a space between them, or what is wrong.
fn names(platform: &Platform, from: &str, to: &str) -> String {
    let [from, to] = [from, to].map(|name| platform.host_named(name).expect("there is such a host"));
    let mut route = Vec::new();
    match platform.route(from, to, &mut route) {
        Ok(()) => route.iter().map(|&link| platform.link_name(link)).collect::<Vec<_>>().join(" "),
        Err(error) => error.to_string(),
    }
}

fn hosts(builder: &mut Builder, zone: ZoneId, names: &[&str]) -> Vec<HostId> {
    let mut host = |name: &&str| builder.host_in(zone, Host::new(*name, 1.0)).expect("a new host");
    names.iter().map(&mut host).collect()
}

fn links(builder: &mut Builder, names: &[&str]) -> Vec<LinkId> {
    names.iter().map(|name| builder.link(*name, link()).expect("a new link")).collect()
}

#[test]
fn a_host_reaches_itself_at_once_and_others_only_over_routes() {
    let mut builder = Builder::new();
    let ab = hosts(&mut builder, ZoneId::TOP, &["a", "b", "c"]);
    let l = links(&mut builder, &["x", "y"]);
    builder.route_in(ZoneId::TOP, &Route::new(ab[0], ab[1]).over([l[0], l[1]]).one_way()).expect("a route");
    let platform = builder.build();
    assert_eq!(names(&platform, "a", "a"), "");
    assert_eq!(names(&platform, "a", "b"), "x y");
    assert_eq!(names(&platform, "b", "a"), "no route from `b` to `a`");
    assert_eq!(names(&platform, "a", "c"), "no route from `a` to `c`");
}

#[test]
fn the_way_back_takes_the_other_half_of_a_split_link() {
    let mut builder = Builder::new();
    let ab = hosts(&mut builder, ZoneId::TOP, &["a", "b"]);
    let x = builder.split_link("x", link()).expect("a new link");
    let y = links(&mut builder, &["y"]);
    builder.route_in(ZoneId::TOP, &Route::new(ab[0], ab[1]).over([x.up, y[0]])).expect("a route");
    let platform = builder.build();
    assert_eq!(names(&platform, "a", "b"), "x_UP y");
    assert_eq!(names(&platform, "b", "a"), "y x_DOWN");
}

/// A site of two zones: one full with a gateway behind a link, one a star.
fn site(builder: &mut Builder, parent: ZoneId, name: &str) -> (ZoneId, NetPoint) {
    let named = |what: &str| format!("{name}.{what}");
    let site = builder.zone(parent, name, Routing::Full).expect("a new zone");
    let full = builder.zone(site, &named("full"), Routing::Full).expect("a new zone");
    let star = builder.zone(site, &named("star"), Routing::Star).expect("a new zone");
    let h = hosts(builder, full, &[&named("h")]);
    let gateway = builder.router(full, &named("gw")).expect("a new router");
    let spokes = hosts(builder, star, &[&named("s"), &named("t")]);
    let l = links(builder, &[&named("in"), &named("between"), &named("up"), &named("down"), &named("t")]);
    builder.route_in(full, &Route::new(h[0], gateway).over([l[0]])).expect("a route");
    let up = Spoke::new(l[2], l[3]);
    builder.spoke(spokes[0], up).expect("its first");
    let both = Spoke::new(l[4], l[4]);
    builder.spoke(spokes[1], both).expect("its first");
    let route = Route::new(full, star).between(gateway, spokes[0]).over([l[1]]);
    builder.route_in(site, &route).expect("a route");
    (site, gateway.into())
}

#[test]
fn between_zones_the_way_leads_over_gateways_at_every_depth() {
    let mut builder = Builder::new();
    let (one, gateway_one) = site(&mut builder, ZoneId::TOP, "one");
    let (two, gateway_two) = site(&mut builder, ZoneId::TOP, "two");
    let wan = links(&mut builder, &["wan"]);
    let route = Route::new(one, two).between(gateway_one, gateway_two).over([wan[0]]);
    builder.route_in(ZoneId::TOP, &route).expect("a route");
    let platform = builder.build();
    assert_eq!(names(&platform, "one.h", "one.s"), "one.in one.between");
    assert_eq!(names(&platform, "one.h", "one.t"), "one.in one.between one.up one.t");
    assert_eq!(names(&platform, "one.t", "one.t"), "", "no loopback");
    let way = "one.t one.down one.between wan two.between two.up two.t";
    assert_eq!(names(&platform, "one.t", "two.t"), way);
    assert_eq!(names(&platform, "two.h", "one.h"), "two.in wan one.in");
}

#[test]
fn what_bypasses_zones_takes_the_place_of_what_lies_around_them() {
    let mut builder = Builder::new();
    let (one, gateway_one) = site(&mut builder, ZoneId::TOP, "one");
    let (two, gateway_two) = site(&mut builder, ZoneId::TOP, "two");
    let l = links(&mut builder, &["wan", "fibre", "direct"]);
    let route = Route::new(one, two).between(gateway_one, gateway_two).over([l[0]]);
    builder.route_in(ZoneId::TOP, &route).expect("a route");
    let built = builder.so_far();
    let zones = ["one.star", "two.star"].map(|name| built.zone_named(name).expect("a zone"));
    let ends = ["one.t", "two.t"].map(|name| built.host_named(name).expect("a host"));
    let fibre = Route::new(zones[0], zones[1]).between(ends[0], ends[1]).over([l[1]]).one_way();
    builder.bypass(&fibre).expect("the first way");
    builder.bypass(&Route::new(ends[1], ends[0]).over([l[2]]).one_way()).expect("the first way");
    let platform = builder.build();
    assert_eq!(names(&platform, "one.s", "two.s"), "one.up one.t fibre two.t two.down");
    assert_eq!(names(&platform, "one.t", "two.t"), "fibre");
    assert_eq!(names(&platform, "two.t", "one.t"), "direct");
    assert_eq!(names(&platform, "one.h", "two.t"), "one.in wan two.between two.up two.t", "another zone");
}

#[test]
fn the_shortest_path_counts_links_and_takes_the_first_of_equals() {
    let mut builder = Builder::new();
    let zone = builder.zone(ZoneId::TOP, "graph", Routing::ShortestPath).expect("a new zone");
    let h = hosts(&mut builder, zone, &["a", "b", "c", "d", "e"]);
    let l = links(&mut builder, &["ab", "bd", "ac", "cd", "long1", "long2", "long3"]);
    let mut hop = |from: usize, to: usize, over: &[LinkId]| {
        builder.route_in(zone, &Route::new(h[from], h[to]).over(over.iter().copied())).expect("a hop");
    };
    hop(0, 3, &[l[4], l[5], l[6]]);
    hop(0, 2, &[l[2]]);
    hop(0, 1, &[l[0]]);
    hop(1, 3, &[l[1]]);
    hop(2, 3, &[l[3]]);
    let platform = builder.build();
    assert_eq!(names(&platform, "a", "d"), "ac cd", "two links rather than three, and c was given before b");
    assert_eq!(names(&platform, "d", "a"), "bd ab", "from d, b comes before c");
    assert_eq!(names(&platform, "b", "c"), "ab ac");
    assert_eq!(names(&platform, "a", "e"), "no route from `a` to `e`");
}

#[test]
fn coordinates_make_latencies_that_no_link_has() {
    let mut builder = Builder::new();
    let zone = builder.zone(ZoneId::TOP, "net", Routing::Vivaldi).expect("a new zone");
    let h = hosts(&mut builder, zone, &["a", "b", "c"]);
    let l = links(&mut builder, &["up", "down"]);
    builder.place(h[0], [3.0, 0.0, 1.0], None).expect("its first");
    builder.place(h[1], [0.0, 4.0, 2.0], None).expect("its first");
    builder.spoke(h[0], Spoke::new(l[0], l[1])).expect("its first");
    let platform = builder.build();
    let mut route = Vec::new();
    assert_eq!(
        platform.route_with_delay(h[0], h[1], &mut route),
        Ok(0.008),
        "5 ms apart, 1 ms and 2 ms high"
    );
    assert_eq!(route, [l[0]]);
    assert_eq!(platform.route_with_delay(h[1], h[0], &mut route), Ok(0.008));
    assert_eq!(route, [l[1]]);
    assert!(platform.route_with_delay(h[0], h[2], &mut route).is_err(), "c has no coordinates");
    assert_eq!(platform.route_with_delay(h[0], h[0], &mut route), Ok(0.0));
}

fn cluster(shape: Shape, hosts: u32) -> Cluster {
    Cluster { prefix: String::new(), shape, ..Cluster::new("c", hosts, Host::new("", 1.0), link()) }
}

fn platform_of(cluster: &Cluster) -> Platform {
    let mut builder = Builder::new();
    builder.cluster(ZoneId::TOP, cluster).expect("a cluster");
    builder.build()
}

#[test]
fn in_a_crossbar_the_way_is_up_over_the_backbone_and_down() {
    let mut crossbar = cluster(Shape::Crossbar, 3);
    assert_eq!(names(&platform_of(&crossbar), "0", "2"), "c_link_0_UP c_link_2_DOWN");
    assert_eq!(names(&platform_of(&crossbar), "1", "1"), "");
    crossbar.to_itself = ToItself::OverTheMiddle;
    assert_eq!(names(&platform_of(&crossbar), "1", "1"), "c_link_1_UP c_link_1_DOWN");
    crossbar.backbone = Some(link());
    crossbar.limiter = Some(link());
    let way = "c_link_0_limiter c_link_0_UP c_backbone c_link_2_DOWN c_link_2_limiter";
    assert_eq!(names(&platform_of(&crossbar), "0", "2"), way);
    crossbar.loopback = Some(link());
    assert_eq!(names(&platform_of(&crossbar), "1", "1"), "c_link_1_loopback");
}

#[test]
fn the_router_of_a_cluster_is_its_gateway() {
    let mut builder = Builder::new();
    let backbone = Some(link());
    let one = Cluster { backbone, ..Cluster::new("one", 2, Host::new("", 1.0), link()) };
    let shape = Shape::Torus(Torus { dimensions: vec![2, 2] });
    let two = Cluster { shape, ..Cluster::new("two", 4, Host::new("", 1.0), link()) };
    let zones = [&one, &two].map(|cluster| builder.cluster(ZoneId::TOP, cluster).expect("a cluster"));
    let wan = links(&mut builder, &["wan"]);
    let gateways = [&one, &two].map(|cluster| builder.point_named(&cluster.router).expect("its router"));
    let route = Route::new(zones[0], zones[1]).between(gateways[0], gateways[1]).over([wan[0]]);
    builder.route_in(ZoneId::TOP, &route).expect("a route");
    let platform = builder.build();
    assert_eq!(names(&platform, "one-1", "two-3"), "one_link_1_UP one_backbone wan");
    assert_eq!(names(&platform, "two-3", "one-1"), "wan one_backbone one_link_1_DOWN");
}

/// The tree of figure 1 (b) of Zahavi: 16 hosts, 4 leaf switches, 2 core switches, two cables from
/// each leaf to each core.
#[test]
fn a_fat_tree_spreads_destinations_over_switches_and_then_cables() {
    let leaf = Level { down: 4, up: 1, cables: 1 };
    let core = Level { down: 4, up: 2, cables: 2 };
    let platform = platform_of(&cluster(Shape::FatTree(FatTree { levels: vec![leaf, core] }), 16));
    // leaf switches are 31 to 28, core switches 27 and 26; of cables 16 to 31 each leaf has two to
    // 27 and two to 26
    assert_eq!(names(&platform, "0", "1"), "link_from_0_31_0_UP link_from_1_31_1_DOWN");
    let over = |to: &str| names(&platform, "0", to);
    assert!(over("4").contains("link_from_31_27_16_UP link_from_30_27_20_DOWN"), "{}", over("4"));
    assert!(over("5").contains("link_from_31_26_18_UP link_from_30_26_22_DOWN"), "{}", over("5"));
    assert!(over("6").contains("link_from_31_27_17_UP link_from_30_27_21_DOWN"), "{}", over("6"));
    assert!(over("7").contains("link_from_31_26_19_UP link_from_30_26_23_DOWN"), "{}", over("7"));
    assert_eq!(over("0"), "");
}

#[test]
fn no_two_ways_of_a_shift_share_a_link_of_a_full_fat_tree() {
    let levels = [(4, 1, 1), (4, 4, 1), (4, 4, 1)].map(|(down, up, cables)| Level { down, up, cables });
    let platform = platform_of(&cluster(Shape::FatTree(FatTree { levels: levels.to_vec() }), 64));
    let mut route = Vec::new();
    for shift in 1..64 {
        let mut crossed = vec![false; platform.links().len()];
        for from in 0..64 {
            let to = HostId::new((from + shift) % 64);
            platform.route(HostId::new(from), to, &mut route).expect("all are joined");
            for link in &route {
                assert!(!std::mem::replace(&mut crossed[link.index()], true), "shift {shift}, host {from}");
            }
        }
    }
}

#[test]
fn in_a_torus_the_way_goes_the_shorter_way_round_dimension_by_dimension() {
    let mut torus = cluster(Shape::Torus(Torus { dimensions: vec![5, 4] }), 20);
    let platform = platform_of(&torus);
    assert_eq!(names(&platform, "0", "1"), "c_link_from_0_to_1_UP");
    assert_eq!(names(&platform, "1", "0"), "c_link_from_0_to_1_DOWN");
    assert_eq!(names(&platform, "0", "3"), "c_link_from_4_to_0_DOWN c_link_from_3_to_4_DOWN");
    assert_eq!(names(&platform, "4", "5"), "c_link_from_4_to_0_UP c_link_from_0_to_5_UP");
    assert_eq!(names(&platform, "0", "10"), "c_link_from_0_to_5_UP c_link_from_5_to_10_UP", "a tie");
    assert_eq!(names(&platform, "10", "0"), "c_link_from_5_to_10_DOWN c_link_from_0_to_5_DOWN", "a tie");
    torus.limiter = Some(link());
    let way = "c_link_0_limiter c_link_from_0_to_1_UP c_link_1_limiter";
    assert_eq!(names(&platform_of(&torus), "0", "1"), way);
}

#[test]
fn in_a_dragonfly_green_comes_before_black_and_blue_between_groups() {
    let tier = |count, cables| Tier { count, cables };
    let (groups, chassis, routers) = (tier(3, 4), tier(4, 3), tier(5, 1));
    let dragonfly = Dragonfly { groups, chassis, routers, nodes: 2 };
    let platform = platform_of(&cluster(Shape::Dragonfly(dragonfly), 120));
    let way = "local_link_from_router_0_to_node_0_0_UP green_link_in_chassis_0_between_routers_0_and_2_121_UP \
               blue_link_between_group_0_and_2_routers_2_and_40_331_UP \
               green_link_in_chassis_0_between_routers_0_and_4_203_UP \
               black_link_in_group_2_between_chassis_0_and_3_blade_4_314_UP \
               local_link_from_router_59_to_node_1_119_DOWN";
    assert_eq!(names(&platform, "0", "119"), way);
    let way = "local_link_from_router_19_to_node_1_39_UP green_link_in_chassis_3_between_routers_0_and_4_153_DOWN \
               black_link_in_group_0_between_chassis_0_and_3_blade_0_250_DOWN \
               local_link_from_router_0_to_node_0_0_DOWN";
    assert_eq!(names(&platform, "39", "0"), way, "blade 4 of chassis 3 to blade 0 of chassis 0");
    let blue =
        platform.link_named("blue_link_between_group_0_and_2_routers_2_and_40_331_UP").expect("it is there");
    assert_eq!(*platform.link(blue), Link::new(4e9, 1e-3), "four cables");
}

#[test]
fn everything_wrong_with_a_part_is_an_error_value() {
    let mut builder = Builder::new();
    let zone = builder.zone(ZoneId::TOP, "z", Routing::Full).expect("a new zone");
    let other = builder.zone(ZoneId::TOP, "star", Routing::Star).expect("a new zone");
    let h = hosts(&mut builder, zone, &["a", "b"]);
    let out = hosts(&mut builder, ZoneId::TOP, &["out"]);
    let mut told = Vec::new();
    let mut wrong = |result: Result<(), PlatformError>| told.push(result.expect_err("wrong").to_string());
    wrong(builder.zone(zone, "z", Routing::Full).map(drop));
    wrong(builder.router(zone, "a").map(drop));
    wrong(builder.host(Host::new("slow", f64::NAN)).map(drop));
    wrong(builder.link("l", Link::new(-1.0, 0.0)).map(drop));
    wrong(builder.route_in(zone, &Route::new(h[0], out[0])));
    wrong(builder.route_in(ZoneId::TOP, &Route::new(zone, out[0])));
    wrong(builder.route_in(ZoneId::TOP, &Route::new(zone, out[0]).between(out[0], out[0])));
    wrong(builder.route_in(other, &Route::new(h[0], h[1])));
    wrong(builder.spoke(h[0], Spoke::default()));
    wrong(builder.place(out[0], [0.0; 3], None));
    builder.route_in(zone, &Route::new(h[0], h[1])).expect("the first");
    wrong(builder.route_in(zone, &Route::new(h[1], h[0])));
    let levels = vec![Level { down: 4, up: 1, cables: 1 }];
    wrong(builder.cluster(zone, &cluster(Shape::FatTree(FatTree { levels }), 5)).map(drop));
    wrong(builder.cluster(zone, &cluster(Shape::Torus(Torus { dimensions: vec![5, 0] }), 5)).map(drop));
    wrong(builder.cluster(zone, &cluster(Shape::Crossbar, 0)).map(drop));
    let expected = [
        "there are two of the name `z`",
        "there are two of the name `a`",
        "the speed of `slow` is NaN: a number of 0 or more was expected",
        "the bandwidth of `l` is -1: 0, or a number from 1e-6 to 1e18, was expected",
        "`out` does not lie in zone `z`",
        "a route to or from zone `z` needs a gateway: a host or router in it",
        "`out` does not lie in zone `z`",
        "zone `star` has the routing star, which takes no routes",
        "zone `z` has the routing full, which takes no links up and down",
        "zone `top` has the routing full, which takes no coordinates",
        "there are two routes from `b` to `a`",
        "cluster `c`: this fat tree has 4 hosts, but the cluster has 5",
        "cluster `c`: no part of a torus is 0, and its hosts are fewer than 2^32",
        "cluster `c`: it has no hosts",
    ];
    assert_eq!(told, expected);
}
