//! Platforms that are drawn: the same for the same seed, connected, and of the laws that were asked
//! for.

use clustersim_kernel::SimTime;
use clustersim_kernel::rng::{Streams, math};
use clustersim_language::distribution;
use clustersim_language::registry::{
    Complaint, Key, Kind, Node, Params, Registry, Sources, Span, Value, check, parse_file,
};
use clustersim_platform::random::{self, Generator};
use clustersim_platform::sharing::LinkId;
use clustersim_platform::{HostId, Platform};

const KEYS: &[Key] = &[Key::new("random", Kind::Component("generator")).about("")];

fn generator(text: &str) -> Result<Box<dyn Generator>, Vec<Complaint>> {
    let mut registry = Registry::new();
    registry.table(random::table()).table(distribution::table());
    let mut sources = Sources::new("");
    let id = sources.add("test.toml", text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    match check(&registry, &sources, &node, KEYS, &mut complaints) {
        Some(node) if complaints.is_empty() => {
            let params = Params::new(&registry, &sources, &node);
            Ok(params.component::<dyn Generator>("random", "generator").expect("checked"))
        }
        _ => Err(complaints),
    }
}

fn drawn(text: &str, seed: u64) -> Platform {
    generator(text).expect("valid").draw(&Streams::new(seed, 0)).expect("drawn")
}

const WAXMAN: &str = "[random]\nkind = \"waxman\"\nhosts = 20\nrouters = 30\nalpha = 0.3\nbeta = 0.15\n\
    speed = { kind = \"uniform\", low = \"1Gf\", high = \"3Gf\" }\ncores = 4\nbandwidth = \"10Gbps\"\nlatency = \"20ms\"\n\
    host-bandwidth = { kind = \"lognormal\", mean = \"1Gbps\", cv = 0.5 }\nhost-latency = \"50us\"\n";
const TREE: &str = "[random]\nkind = \"tree\"\nhosts = 12\nrouters = 9\nchildren = 2\nspeed = \"1Gf\"\nbandwidth = \"1GBps\"\n\
    latency = \"1ms\"\nhost-bandwidth = \"1GBps\"\nhost-latency = \"0s\"\n";
const CLUSTERS: &str = "[random]\nkind = \"clusters\"\nsites = 3\nclusters = { kind = \"uniform\", low = 1, high = 4 }\n\
    hosts = { kind = \"geometric\", mean = 6 }\nspeed = { kind = \"uniform\", low = \"1Gf\", high = \"3Gf\" }\n\
    host-bandwidth = \"1Gbps\"\nhost-latency = \"50us\"\ncluster-bandwidth = \"10Gbps\"\ncluster-latency = \"100us\"\n\
    site-bandwidth = \"10Gbps\"\nsite-latency = { kind = \"uniform\", low = \"5ms\", high = \"30ms\" }\n";

/// Everything that a platform is, in words.
fn told(platform: &Platform) -> String {
    let mut text = format!("{:?}\n{:?}\n", platform.hosts(), platform.links());
    let mut route = Vec::new();
    for from in (0..platform.hosts().len() as u32).map(HostId::new) {
        for to in (0..platform.hosts().len() as u32).map(HostId::new) {
            platform.route(from, to, &mut route).expect("every two hosts are joined");
            text += &format!("{from:?} {to:?} {route:?}\n");
        }
    }
    text
}

fn latency(platform: &Platform, route: &[LinkId]) -> f64 {
    route.iter().map(|link| platform.link(*link).latency.value_at(SimTime::ZERO)).sum()
}

#[test]
fn a_seed_gives_one_platform_and_every_two_hosts_are_joined() {
    for text in [WAXMAN, TREE, CLUSTERS] {
        for seed in 1..=8 {
            assert_eq!(told(&drawn(text, seed)), told(&drawn(text, seed)));
        }
        assert_ne!(told(&drawn(text, 1)), told(&drawn(text, 2)));
    }
}

#[test]
fn one_host_more_moves_nothing_else() {
    let (few, many) = (drawn(WAXMAN, 3), drawn(&WAXMAN.replace("hosts = 20", "hosts = 21"), 3));
    assert_eq!(few.hosts(), &many.hosts()[..20]);
    let links = few.links().len();
    assert!(few.links().iter().eq(many.links().iter().take(links)));
    assert_eq!(many.links().len(), links + 1);
}

/// With a latency of 1 s by the side, the latency of a line is its length; the way between two
/// hosts is never longer than any other, so that it keeps the triangle's inequality.
#[test]
fn routes_are_the_shortest_ways() {
    let platform = drawn(&WAXMAN.replace("host-latency = \"50us\"", "host-latency = \"0s\""), 5);
    let hosts: Vec<HostId> = (0..20).map(HostId::new).collect();
    let mut route = Vec::new();
    let mut length = |from, to| {
        platform.route(from, to, &mut route).expect("joined");
        latency(&platform, &route)
    };
    for &one in &hosts {
        for &two in &hosts {
            for &three in &hosts {
                assert!(length(one, three) <= length(one, two) + length(two, three) + 1e-8);
            }
        }
    }
}

/// Where beta is so large that the distance hardly counts, alpha of the pairs are joined: 20
/// platforms of 435 pairs, 3.3 standard errors. The lines that are added so that all is connected
/// are none then.
#[test]
fn as_many_routers_are_joined_as_alpha_says() {
    let text = WAXMAN.replace("beta = 0.15", "beta = 1.0").replace("alpha = 0.3", "alpha = 0.9");
    let lines: usize = (1..=20).map(|seed| drawn(&text, seed).links().len() - 20).sum();
    // the mean of exp(-d / sqrt 2) over two places of the unit square, by the density of d up to 1
    // and beyond
    let mean = mean_over_distances(|distance| 0.9 * math::exp(-distance / 2.0_f64.sqrt()));
    let pairs = 20.0 * 435.0;
    // draws of one platform share places, so that the error is wider than that of as many tosses:
    // three times is ample
    let error = 3.0 * (mean * (1.0 - mean) / pairs).sqrt();
    let found = lines as f64 / pairs;
    assert!((found - mean).abs() < 3.3 * error, "{found} but {mean}");
}

/// The mean of `of` over the distance of two random places of the unit square, whose density is
/// known in closed form.
fn mean_over_distances(of: impl Fn(f64) -> f64) -> f64 {
    let steps = 20_000;
    let width = 2.0_f64.sqrt() / f64::from(steps);
    let density = |d: f64| {
        if d <= 1.0 {
            return 2.0 * d * (std::f64::consts::PI - 4.0 * d + d * d);
        }
        let root = (d * d - 1.0).sqrt();
        let angle = 2.0 * (math::atan2(1.0, root) - math::atan2(root, 1.0));
        2.0 * d * (4.0 * root - (d * d + 2.0 - std::f64::consts::PI) + angle - std::f64::consts::PI).max(0.0)
    };
    (0..steps).map(|step| (f64::from(step) + 0.5) * width).map(|d| of(d) * density(d) * width).sum()
}

#[test]
fn a_tree_has_one_line_less_than_routers_and_a_router_no_more_below_it_than_may_be() {
    let platform = drawn(TREE, 1);
    assert_eq!(platform.links().len(), 8 + 12);
    let chain = drawn(&TREE.replace("children = 2", "children = 1"), 1);
    let mut route = Vec::new();
    let hosts = (0..12).map(HostId::new);
    let longest = hosts.clone().flat_map(|from| hosts.clone().map(move |to| (from, to)));
    let longest = longest.map(|(from, to)| {
        chain.route(from, to, &mut route).expect("joined");
        route.len()
    });
    assert!(longest.max().expect("some") > 6, "routers in a row, hosts drawn over all of them");
}

#[test]
fn the_hosts_of_a_cluster_are_alike() {
    let platform = drawn(CLUSTERS, 4);
    let cluster = |name: &str| name.rsplit_once("-host-").expect("a host's name").0.to_owned();
    for pair in platform.hosts().windows(2) {
        let same = cluster(&pair[0].name) == cluster(&pair[1].name);
        assert_eq!(same, pair[0].speed().to_bits() == pair[1].speed().to_bits());
    }
    let mut route = Vec::new();
    platform
        .route(HostId::new(0), HostId::new(platform.hosts().len() as u32 - 1), &mut route)
        .expect("joined");
    assert_eq!(route.len(), 6, "host, cluster and site, and back down");
}

#[test]
fn what_no_platform_can_be_is_told() {
    let complaints = generator(&TREE.replace("hosts = 12", "hosts = 0")).expect_err("no hosts");
    assert_eq!(complaints[0].message, "`hosts` cannot be 0");
    let complaints = generator(&TREE.replace("speed = \"1Gf\"", "speed = 100")).expect_err("no unit");
    assert_eq!(complaints[0].message, "`value` cannot be an integer");
    let stuck = generator(&TREE.replace("speed = \"1Gf\"", "speed = \"0f\"")).expect("valid keys");
    let message = stuck.draw(&Streams::new(1, 0)).expect_err("no speed").to_string();
    assert_eq!(message, "the speed of `host-0` is drawn as 0; expected more than 0");
    // hosts are few, but each of the switches may be asked for its ways to all others
    let many = CLUSTERS.replace("clusters = { kind = \"uniform\", low = 1, high = 4 }", "clusters = 5000");
    let many = generator(&many.replace("{ kind = \"geometric\", mean = 6 }", "1")).expect("valid");
    let message = many.draw(&Streams::new(1, 0)).expect_err("15,000 switches").to_string();
    assert_eq!(message, "more than 10000 routers and switches are drawn");
}
