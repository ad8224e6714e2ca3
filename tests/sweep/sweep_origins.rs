//! Parameter sweeps whose files are on several origins.

use clustersim_testing::program::Place;

/// Two tasks of ten seconds; the input and the output of the second are in an archive.
const TWO: &str = r#"title = "two origins"
[platform]
origins = ["archive"]
[[platform.cluster]]
name = "fast"
hosts = 2
link = { bandwidth = "10kBps" }
[[platform.cluster]]
name = "slow"
hosts = 1
link = { bandwidth = "1kBps" }
availability = 0.01
[[platform.link]]
name = "archive-fast"
bandwidth = "5kBps"
latency = "1s"
[[platform.link]]
name = "archive-slow"
bandwidth = "1kBps"
[[platform.route]]
from = "archive"
to = "fast"
links = ["archive-fast"]
[[platform.route]]
from = "archive"
to = "slow"
links = ["archive-slow"]
[application]
kind = "generated"
tasks = 2
time = "10s"
output = "10kB"
files = [{ name = "own", sharing = "private", size = "10kB" }]
origins = { "own-1" = "archive", "output-*" = "archive", "output-0" = "origin" }
[scheduler]
kind = "plan"
heuristic = "h1"
[prediction]
kind = "perfect"
[record]
transfers = true
"#;

fn text(place: &Place, name: &str) -> String {
    String::from_utf8(place.read(name)).expect("a table is text")
}

#[test]
fn each_origin_has_a_link_of_its_own_to_each_cluster() {
    let place = Place::new();
    place.file("two.toml", TWO);
    let output = place.run(&["run", "two.toml", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    // 10 kB take 1 s from the origin, and 1 s of latency and 2 s from the archive, both at once
    assert_eq!(
        text(&place, "out/transfers.csv"),
        "file,cluster,direction,for-task,bytes,planned,start,end,link\n\
         own-0,fast,input,0,10000,0,0,1,fast\n\
         own-1,fast,input,1,10000,0,0,3,archive-fast\n\
         output-0,fast,output,0,10000,11,11,12,fast\n\
         output-1,fast,output,1,10000,13,13,16,archive-fast\n"
    );
    assert_eq!(
        text(&place, "out/sizes.csv"),
        "file,bytes,origin\nown-0,10000,origin\nown-1,10000,archive\noutput-0,10000,origin\noutput-1,10000,archive\n"
    );
    let judged = place.run(&["check", "out"]);
    assert_eq!(judged.status, 0, "{}{}", judged.stdout, judged.stderr);
    let shown = place.run(&["show", "platform", "two.toml"]);
    assert!(shown.stdout.contains("archive"), "{}", shown.stdout);
}

#[test]
fn an_archive_behind_the_link_of_a_cluster_shares_it() {
    let shared = TWO.replace("links = [\"archive-fast\"]", "links = [\"fast\"]");
    let place = Place::new();
    place.file("two.toml", &shared);
    let output = place.run(&["run", "two.toml", "-o", "out"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let transfers = text(&place, "out/transfers.csv");
    assert!(transfers.contains("own-1,fast,input,1,10000,1,1,2,fast\n"), "{transfers}");
    assert_eq!(place.run(&["check", "out"]).status, 0);
}

#[test]
fn wrong_origins_are_reported_at_their_places() {
    for (old, new, what) in [
        ("origins = [\"archive\"]", "origins = [\"archive\", \"archive\"]", "`archive` is an origin twice"),
        ("origins = [\"archive\"]", "origins = [\"origin\", \"archive\"]", "`origin` is an origin twice"),
        ("\"own-1\" = \"archive\"", "\"own-1\" = \"archiv\"", "there is no origin `archiv`"),
        ("\"own-1\" = ", "\"own-2\" = ", "no file is called `own-2`"),
        ("\"output-*\" = ", "\"result-*\" = ", "no file is called `result-*`"),
        ("links = [\"archive-slow\"]", "links = [\"archive-fast\"]", "leads to `fast` and to `slow`"),
        ("links = [\"archive-slow\"]", "links = [\"fast\"]", "the link `fast` leads to `fast` and to `slow`"),
        (
            "links = [\"archive-slow\"]",
            "links = [\"archive-slow\", \"slow\"]",
            "lead from the origin to `slow-0` of `slow`",
        ),
        (
            "[[platform.route]]\nfrom = \"archive\"\nto = \"slow\"\nlinks = [\"archive-slow\"]\n",
            "",
            "no route leads from the origin `archive` to `slow-0` of `slow`",
        ),
        (
            "name = \"archive-slow\"\n",
            "name = \"archive-slow\"\nstate-trace = { file = \"away.csv\" }\n",
            "the further link `archive-slow` fails",
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
