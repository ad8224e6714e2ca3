//! `show platform` and `convert` of measurements, by the built program.

use serde_json::Value as Json;

use crate::program::Place;

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
    assert_eq!(listed["schema"], "clustersim/platform/1");
    assert_eq!(listed["hosts"][2]["name"], "node-2");
    assert_eq!(listed["hosts"][2]["speed"], 1.5e9);
    assert_eq!(
        (&listed["links"][0]["bandwidth"], &listed["links"][0]["sharing"]),
        (&1.25e8.into(), &"fatpipe".into())
    );
    assert_eq!(listed["routes"], 2);
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
        ("none.toml", "none.toml tells no platform"),
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
    assert_eq!((&listed["links"][0]["bandwidth"], &listed["routes"]), (&1.25e7.into(), &2.into()));
    assert_eq!(place.read("out.traces/0000-a.csv"), b"time,value\n0.000000000,0.87\n60.000000000,0.5\n");
    let again = place.run(&[&words[..], &["--hosts-are", "used-percent"]].concat());
    assert_eq!(again.status, 2, "nothing is replaced unasked");
    let wrong = place.run(&["convert", "cpu.csv", "paths.csv", "wrong.toml"]);
    assert_eq!(wrong.status, 2);
    for words in ["cpu.csv:2:3", "paths.csv:2:5", "`13` is no share of a host", "`100` has no unit"] {
        assert!(wrong.stderr.contains(words), "{words}: {}", wrong.stderr);
    }
}
