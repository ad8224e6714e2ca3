//! `show platform` and `convert` of measurements, by the built program.

use serde_json::{Value as Json, json};

use clustersim_testing::program::Place;

const STAR: &str = "[[platform.host]]\nname = \"node\"\ncount = 3\nspeed = \"1.5Gf\"\n\
    [[platform.link]]\nname = \"wire\"\nbandwidth = \"1Gbps\"\nlatency = \"50us\"\nsharing = \"fatpipe\"\n\
    [[platform.route]]\nfrom = \"node-0\"\nto = \"node-1\"\nlinks = [\"wire\"]\n";

#[test]
fn a_platform_is_drawn_the_same_every_time_and_needs_nothing_else() {
    let place = Place::new();
    place.file("star.toml", STAR);
    let (one, two) =
        (place.run(&["show", "platform", "star.toml"]), place.run(&["show", "platform", "star.toml"]));
    assert_eq!((one.status, one.stderr.as_str()), (0, ""));
    assert_eq!(one.stdout, two.stdout);
    assert!(one.stdout.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" "), "{}", one.stdout);
    for words in ["node-2", "1.5 Gf", "125 MBps, 50 us", "link fat", "prefers-color-scheme: dark"] {
        assert!(one.stdout.contains(words), "{words}: {}", one.stdout);
    }
    for word in ["href", "url(", "@import", "<script", "var("] {
        assert!(!one.stdout.contains(word), "{word}");
    }
    let told = place.run(&["show", "platform", "star.toml", "-o", "star.svg"]);
    assert_eq!((told.status, told.stdout.as_str()), (0, ""));
    assert_eq!(place.read("star.svg"), one.stdout.into_bytes());
    assert_eq!(place.run(&["show", "platform", "star.toml", "-o", "star.svg"]).status, 2);
}

#[test]
fn a_platform_is_listed_as_json() {
    let place = Place::new();
    place.file("star.toml", STAR);
    let output = place.run(&["show", "platform", "star.toml", "--json"]);
    let listed: Json = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(listed["schema"], "clustersim/platform/2");
    assert_eq!(listed["hosts"][2]["name"], "node-2");
    assert_eq!(listed["hosts"][2]["speed"], 1.5e9);
    assert_eq!(
        (&listed["links"][0]["bandwidth"], &listed["links"][0]["sharing"]),
        (&1.25e8.into(), &"fatpipe".into())
    );
    assert_eq!(listed["joined-pairs"], 2);
    let route = |from: &str, to: &str| json!({ "from": from, "to": to, "zone": "top", "links": ["wire"] });
    assert_eq!(listed["routes"], json!([route("node-0", "node-1"), route("node-1", "node-0")]));
}

#[test]
fn mistakes_of_a_platform_are_told_where_they_are() {
    let place = Place::new();
    place.file("wrong.toml", STAR.replace("\"wire\"]", "\"wrie\"]"));
    place.file("none.toml", "title = \"nothing\"\n");
    place.file(
        "wrong.xml",
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\"><hots id=\"a\"/></zone></platform>",
    );
    place.file("named.toml", "[platform]\nfile = \"wrong.xml\"\n");
    for (file, words) in [
        ("wrong.toml", "did you mean `wire`?"),
        ("wrong.toml", "wrong.toml:13:10"),
        ("none.toml", "none.toml declares no platform"),
        ("wrong.xml", "wrong.xml:1:"),
        ("named.toml", "wrong.xml:1:"),
    ] {
        let output = place.run(&["show", "platform", file]);
        assert_eq!((output.status, output.stdout.as_str()), (2, ""));
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
}

#[test]
fn measurements_become_a_platform_that_can_be_shown() {
    let place = Place::new();
    place.file("hosts.csv", "host,speed\na,1.5Gf\nb,2Gf\n");
    place.file("paths.csv", "from,to,bandwidth,latency\na,b,100,1ms\n");
    place.file("cpu.csv", "host,t0,t60\na,13,50\nb,0,\n");
    let words = ["convert", "hosts.csv", "paths.csv", "cpu.csv", "out.toml", "--unit", "bandwidth=Mbps"];
    let told = place.run(&[&words[..], &["--hosts-are", "used-percent"]].concat());
    assert_eq!(
        (told.status, told.stdout.as_str()),
        (0, "out.toml: 2 hosts, 1 links, 2 traces\n"),
        "{}",
        told.stderr
    );
    let listed = place.run(&["show", "platform", "out.toml", "--json"]);
    let listed: Json = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!((&listed["links"][0]["bandwidth"], &listed["joined-pairs"]), (&1.25e7.into(), &2.into()));
    assert_eq!(place.read("out.traces/0000-a.csv"), b"time,value\n0.000000000,0.87\n60.000000000,0.5\n");
    let again = place.run(&[&words[..], &["--hosts-are", "used-percent"]].concat());
    assert_eq!(again.status, 2, "nothing is replaced unasked");
    let wrong = place.run(&["convert", "cpu.csv", "paths.csv", "wrong.toml"]);
    assert_eq!(wrong.status, 2);
    for words in ["cpu.csv:2:3", "paths.csv:2:5", "`13` is no share of a host", "`100` has no unit"] {
        assert!(wrong.stderr.contains(words), "{words}: {}", wrong.stderr);
    }
}

/// A desk at home that reaches two sites of a grid over a link each, and zones side by side in
/// triangles and stars.
#[test]
fn every_declared_route_is_drawn_or_named() {
    let place = Place::new();
    let hosts = "[platform]\nhost = [{ name = \"desk\", speed = \"1Gf\", zone = \"home\" }, \
         { name = \"l\", count = 2, speed = \"1Gf\", zone = \"lyon\" }, { name = \"n\", count = 2, speed = \"1Gf\", zone = \"nancy\" }]\n\
         link = [{ name = \"to-lyon\", bandwidth = \"10MBps\" }, { name = \"to-nancy\", bandwidth = \"20MBps\" }, \
         { name = \"renater\", bandwidth = \"1GBps\" }, { name = \"inner\", bandwidth = \"2GBps\" }]\n";
    let nested = "zone = [{ name = \"grid\" }, { name = \"home\" }, { name = \"lyon\", zone = \"grid\" }, { name = \"nancy\", zone = \"grid\" }]\n";
    let inner = "{ from = \"l-0\", to = \"l-1\", links = [\"inner\"] }, \
         { from = \"lyon\", to = \"nancy\", from-gateway = \"l-0\", to-gateway = \"n-0\", links = [\"renater\"] }";
    let routes = |more: &str| format!("route = [{inner}, {more}]\n");
    let both = "{ from = \"desk\", to = \"l-0\", links = [\"to-lyon\"] }, { from = \"desk\", to = \"n-1\", links = [\"to-nancy\"] }";
    place.file("nested.toml", format!("{hosts}{nested}{}", routes(both)));
    let drawn = place.run(&["show", "platform", "nested.toml"]);
    assert_eq!(drawn.status, 0, "{}", drawn.stderr);
    for words in ["to-lyon: 10 MBps", "to-nancy: 20 MBps", "renater"] {
        assert!(drawn.stdout.contains(words), "{words}: {}", drawn.stdout);
    }
    assert!(!drawn.stdout.contains("not drawn"), "{}", drawn.stdout);
    // a link both ends of which would be at one site, and a route of a host to itself
    let odd = format!(
        "{both}, {{ from = \"l-1\", to = \"n-1\", links = [\"renater\", \"to-lyon\"] }}, {{ from = \"l-0\", to = \"l-0\", links = [\"inner\"] }}"
    );
    place.file("odd.toml", format!("{hosts}{nested}{}", routes(&odd)));
    let drawn = place.run(&["show", "platform", "odd.toml"]);
    assert_eq!(drawn.status, 0, "{}", drawn.stderr);
    for words in ["not drawn: 1 loopback<", "not drawn: 1 route: l-1 – n-1 over renater, to-lyon"] {
        assert!(drawn.stdout.contains(words), "{words}: {}", drawn.stdout);
    }
    let listed = place.run(&["show", "platform", "odd.toml", "--json"]);
    let listed: Json = serde_json::from_str(&listed.stdout).unwrap();
    let routes = listed["routes"].as_array().unwrap();
    assert_eq!(routes.len(), 11, "five in both directions, and one to itself: {routes:?}");
    for route in [
        json!({ "from": "lyon", "to": "nancy", "zone": "grid", "links": ["renater"] }),
        json!({ "from": "n-1", "to": "desk", "zone": "top", "links": ["to-nancy"] }),
    ] {
        assert!(routes.contains(&route), "{route}: {routes:?}");
    }
}

/// 80 hosts with a route between each two neighbours, which one box cannot show.
#[test]
fn a_crowd_says_how_many_routes_it_hides() {
    let place = Place::new();
    let mut text = "[[platform.host]]\nname = \"h\"\ncount = 80\nspeed = \"1Gf\"\n[[platform.link]]\nname = \"wire\"\nbandwidth = \"1GBps\"\n".to_owned();
    for host in 1..80 {
        text += &format!(
            "[[platform.route]]\nfrom = \"h-{}\"\nto = \"h-{host}\"\nlinks = [\"wire\"]\n",
            host - 1
        );
    }
    place.file("crowd.toml", text);
    let drawn = place.run(&["show", "platform", "crowd.toml"]);
    assert!(drawn.stdout.contains("not drawn: 79 routes: h-0 – h-1 over wire"), "{}", drawn.stdout);
    assert!(drawn.stdout.contains("and 76 more"), "{}", drawn.stdout);
}

/// Two sites whose hosts reach the world over a router, and a link that three places share.
#[test]
fn routers_that_routes_end_at_are_drawn() {
    let place = Place::new();
    let text = "[platform]\nzone = [{ name = \"lyon\" }, { name = \"nancy\" }]\n\
        router = [{ name = \"door\", zone = \"lyon\" }]\n\
        host = [{ name = \"desk\", speed = \"1Gf\" }, { name = \"l\", count = 2, speed = \"1Gf\", zone = \"lyon\" }, \
        { name = \"n\", speed = \"1Gf\", zone = \"nancy\" }]\n\
        link = [{ name = \"up-0\", bandwidth = \"1MBps\" }, { name = \"up-1\", bandwidth = \"2MBps\" }, { name = \"wan\", bandwidth = \"3MBps\" }]\n\
        route = [{ from = \"l-0\", to = \"door\", links = [\"up-0\"] }, { from = \"l-1\", to = \"door\", links = [\"up-1\"] }, \
        { from = \"desk\", to = \"lyon\", to-gateway = \"door\", links = [\"wan\"] }, \
        { from = \"desk\", to = \"nancy\", to-gateway = \"n\", links = [\"wan\"] }]\n";
    place.file("routers.toml", text);
    let drawn = place.run(&["show", "platform", "routers.toml"]);
    assert_eq!(drawn.status, 0, "{}", drawn.stderr);
    for words in ["up-0", "up-1", "wan", "3 MBps"] {
        assert!(drawn.stdout.contains(words), "{words}: {}", drawn.stdout);
    }
    assert!(!drawn.stdout.contains("not drawn"), "{}", drawn.stdout);
}
