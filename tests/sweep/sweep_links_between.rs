//! Parameter sweeps on clusters that links join.

use clustersim_testing::program::Place;

/// Two tasks that read one file of 100 kB: 100 s from the origin to one cluster, and 10 s from
/// there to the other.
const TWO: &str = r#"title = "links between clusters"
[[platform.cluster]]
name = "near"
hosts = 1
link = { bandwidth = "1kBps" }
[[platform.cluster]]
name = "far"
hosts = 1
link = { bandwidth = "500Bps" }
[[platform.link]]
name = "near-far"
bandwidth = "10kBps"
[[platform.route]]
from = "near"
to = "far"
links = ["near-far"]
[application]
kind = "generated"
tasks = 2
time = "200s"
output = "1kB"
files = [{ name = "shared", sharing = "all", size = "100kB" }]
[scheduler]
kind = "plan"
heuristic = "h1"
[record]
transfers = true
"#;

fn text(place: &Place, name: &str) -> String {
    String::from_utf8(place.read(name)).expect("a table is text")
}

#[test]
fn a_file_comes_from_another_cluster_where_that_is_sooner() {
    let place = Place::new();
    place.file("two.toml", TWO);
    let output = place.run(&["run", "two.toml", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_eq!(
        text(&place, "out/transfers.csv"),
        "file,cluster,direction,for-task,bytes,planned,start,end,link\n\
         shared-0,near,input,0,100000,0,0,100,near\n\
         shared-0,far,copy,1,100000,100,100,110,near-far\n\
         output-0,near,output,0,1000,300,300,301,near\n\
         output-1,far,output,1,1000,310,310,312,far\n"
    );
    assert!(!text(&place, "out/sizes.csv").contains("origin"));
    let summary = text(&place, "out/summary.json");
    assert!(summary.contains("\"bytes.between\""), "{summary}");
    let judged = place.run(&["check", "out"]);
    assert_eq!(judged.status, 0, "{}{}", judged.stdout, judged.stderr);
    let why = place.run(&["run", "two.toml", "--explain", "far-0"]);
    assert!(
        why.stdout
            .contains("which was on the link `near-far` from 00:01:40 to 00:01:50, from cluster `near`"),
        "{}",
        why.stdout
    );
    assert_eq!(place.run(&["report", "out"]).status, 0);
    let page = text(&place, "out/report.html");
    assert!(
        page.contains("\"link of near\"") && page.contains("\"link of near-far\""),
        "a lane for each link"
    );
    let alone = TWO.split("[[platform.route]]").next().expect("the tables before").to_owned();
    let alone = alone + TWO.split("links = [\"near-far\"]\n").last().expect("the tables behind it");
    place.file("alone.toml", alone);
    let output = place.run(&["run", "alone.toml", "-o", "alone"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let transfers = text(&place, "alone/transfers.csv");
    assert!(
        transfers.starts_with("file,cluster,direction,for-task,bytes,planned,start,end\n"),
        "{transfers}"
    );
    assert!(!text(&place, "alone/summary.json").contains(".between"));
}

#[test]
fn a_false_copy_is_found() {
    let place = Place::new();
    place.file("two.toml", TWO);
    assert_eq!(place.run(&["run", "two.toml", "-o", "out"]).status, 0);
    let transfers = text(&place, "out/transfers.csv").replace("100,100,110,near-far", "100,90,100,near-far");
    place.file("out/transfers.csv", transfers);
    let judged = place.run(&["check", "out"]);
    assert_eq!(judged.status, 1, "{}{}", judged.stdout, judged.stderr);
    assert!(judged.stdout.contains("comes from a cluster that does not have it"), "{}", judged.stdout);
}

#[test]
fn wrong_links_between_clusters_are_reported_at_their_routes() {
    for (old, new, what) in [
        ("links = [\"near-far\"]", "links = [\"near\"]", "the link `near` leads from an origin"),
        (
            "links = [\"near-far\"]",
            "links = [\"near-far\", \"far\"]",
            "clusters `near` and `far` are joined by one link, in both directions",
        ),
        (
            "links = [\"near-far\"]",
            "links = [\"near-far\"]\nsymmetric = false",
            "clusters `near` and `far` are joined by one link, in both directions",
        ),
        (
            "bandwidth = \"10kBps\"\n",
            "bandwidth = \"10kBps\"\nstate-trace = { file = \"away.csv\" }\n",
            "the further link `near-far` fails",
        ),
    ] {
        assert!(TWO.contains(old), "{old}");
        let place = Place::new();
        place.file("two.toml", TWO.replacen(old, new, 1)).file("away.csv", "time,value\n0,1\n5,0\n");
        let output = place.run(&["run", "two.toml", "-o", "out"]);
        assert_eq!(output.status, 2, "{new}: {}{}", output.stdout, output.stderr);
        assert!(output.stderr.contains(what), "{new}: {}", output.stderr);
    }
}
