//! Scenarios of agents by the built program: background traffic, deployment files of SimGrid, and
//! what is told of agents.

use serde_json::Value;

use clustersim_testing::program::{Output, Place};

/// A master and two others, each with a link of 1 MB/s to it.
const PLATFORM: &str = "title = \"Test\"\n
[[platform.host]]\nname = \"master\"\nspeed = \"1Gf\"
[[platform.host]]\nname = \"w\"\ncount = 2\nspeed = \"1Gf\"
[[platform.link]]\nname = \"l0\"\nbandwidth = \"1MBps\"
[[platform.link]]\nname = \"l1\"\nbandwidth = \"1MBps\"
[[platform.route]]\nfrom = \"master\"\nto = \"w-0\"\nlinks = [\"l0\"]
[[platform.route]]\nfrom = \"master\"\nto = \"w-1\"\nlinks = [\"l1\"]
";

/// One transfer of 4 MB, and 0.1 s of work behind it.
const ONE_TASK: &str = "
[[agent]]\nhost = \"master\"\nrole = { kind = \"dispatcher\", tasks = 1, data = \"4MB\", work = \"100Mf\" }
[[agent]]\nhost = \"w-0\"\nrole = \"server\"
";

/// Four tasks of 1 MB and 1 Gf, as arguments tell them.
const DEPLOYED: &str = "<?xml version=\"1.0\"?>
<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">
<platform version=\"4.1\">
  <actor host=\"master\" function=\"dispatcher\">
    <argument value=\"4\"/>
    <argument value=\"1e9\"/>
    <argument value=\"1000000\"/>
    <argument value=\"2\"/>
  </actor>
  <actor host=\"w-0\" function=\"server\"/>
  <actor host=\"w-1\" function=\"server\"/>
</platform>
";

const FUNCTIONS: &str = "
[deployment]\nfile = \"deployment.xml\"
[deployment.function.dispatcher]\nrole = \"dispatcher\"\narguments = [\"tasks\", \"work\", \"data\", \"\"]
[deployment.function.server]\nrole = \"server\"
";

fn run(place: &Place, more: &[&str]) -> Output {
    let command = ["run", "scenario.toml", "--json", "--no-progress", "--force", "-o", "out"];
    place.run(&[&command, more].concat())
}

fn summary(output: &Output) -> Value {
    assert_eq!(output.status, 0, "{}", output.stderr);
    serde_json::from_str(&output.stdout).unwrap()
}

fn makespan(summary: &Value) -> f64 {
    summary["metrics"]["makespan"]["value"].as_f64().unwrap_or_else(|| panic!("no makespan: {summary}"))
}

fn with_traffic(traffic: &str) -> Value {
    let place = Place::new();
    place.file("scenario.toml", format!("{PLATFORM}{traffic}{ONE_TASK}"));
    summary(&run(&place, &[]))
}

/// What `scenario` with the deployment file `xml` is told.
fn deployed(xml: &str, scenario: &str) -> Output {
    let place = Place::new();
    place.file("scenario.toml", format!("{PLATFORM}{scenario}"));
    place.file("deployment.xml", xml);
    run(&place, &[])
}

#[test]
fn background_traffic_slows_a_transfer_and_the_run_ends_though_it_goes_on() {
    let table = |more: &str| {
        let keys = "from = [\"w-0\"]\nto = [\"mast*\"]\nsize = \"1MB\"\ninterval = \"2s\"\n";
        with_traffic(&format!("\n[[platform.traffic]]\n{keys}{more}"))
    };
    let alone = with_traffic("");
    assert!((makespan(&alone) - 4.1).abs() < 1e-6, "{alone}");
    // half of the link from 2 to 4 s, and from 4 s until all of it has come at 6 s
    assert!((makespan(&table("")) - 6.1).abs() < 1e-6);
    // only the first of them: from 2 to 4 s
    assert!((makespan(&table("count = 1\n")) - 5.1).abs() < 1e-6);
    // the first of them at 4 s, when all has come
    assert!((makespan(&table("start = \"2s\"\n")) - 4.1).abs() < 1e-6);
}

#[test]
fn drawn_traffic_differs_between_seeds_and_not_between_runs() {
    let traffic = "\n[[platform.traffic]]\nfrom = [\"*\"]\nto = [\"master\"]\nsize = { kind = \"uniform\", low = \"10kB\", high = \"1MB\" }\n\
        interval = { kind = \"exponential\", mean = \"1s\" }\n";
    let place = Place::new();
    place.file("scenario.toml", format!("{PLATFORM}{traffic}{ONE_TASK}"));
    let [one, same, other] =
        [&[][..], &[], &["--seed", "9"]].map(|more| makespan(&summary(&run(&place, more))));
    assert_eq!(one.to_bits(), same.to_bits());
    assert_ne!(one.to_bits(), other.to_bits());
    assert!(one > 4.1, "{one}");
}

#[test]
fn hosts_of_traffic_that_are_not_there_are_told() {
    let place = Place::new();
    let traffic =
        "\n[[platform.traffic]]\nfrom = [\"mastre\"]\nto = [\"x*\"]\nsize = \"1MB\"\ninterval = \"1s\"\n";
    place.file("scenario.toml", format!("{PLATFORM}{traffic}{ONE_TASK}"));
    let output = run(&place, &[]);
    assert_eq!(output.status, 2);
    for words in ["no host is called `mastre`", "did you mean `master`?", "no host is called `x*`"] {
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
}

/// Each put takes a second; the last task has come at 4 s and is computed at 5 s.
#[test]
fn a_deployment_file_does_what_tables_of_agents_do() {
    let place = Place::new();
    let tables = "
[[agent]]\nhost = \"master\"\nrole = { kind = \"dispatcher\", tasks = 4, data = \"1MB\", work = \"1Gf\" }
[[agent]]\nhosts = [\"w-*\"]\nrole = \"server\"
";
    place.file("scenario.toml", format!("{PLATFORM}{tables}"));
    let by_tables = summary(&run(&place, &[]));
    let by_file = summary(&deployed(DEPLOYED, FUNCTIONS));
    assert!((makespan(&by_file) - 5.0).abs() < 1e-6, "{by_file}");
    assert_eq!(by_file["digest"], by_tables["digest"]);
}

#[test]
fn start_and_kill_times_of_a_deployment_file_hold() {
    let late = DEPLOYED.replacen("function=\"server\"", "function=\"server\" start_time=\"10\"", 1);
    // the first task waits for its server
    assert!((makespan(&summary(&deployed(&late, FUNCTIONS))) - 15.0).abs() < 1e-6);
    // killed in the midst of its third task, it tells nobody that there is no more
    let killed = DEPLOYED.replace("function=\"dispatcher\"", "function=\"dispatcher\" kill_time=\"2.5\"");
    let output = deployed(&killed, FUNCTIONS);
    assert_eq!(output.status, 1, "{}", output.stderr);
    assert!(output.stderr.contains("server"), "{}", output.stderr);
}

#[test]
fn actors_come_before_tables_of_agents_and_their_file_is_an_input() {
    let place = Place::new();
    let xml = DEPLOYED.replace("  <actor host=\"w-1\" function=\"server\"/>\n", "");
    place.file("deployment.xml", &xml);
    place.file(
        "scenario.toml",
        format!("{PLATFORM}{FUNCTIONS}[[agent]]\nhost = \"w-1\"\nrole = \"server\"\n"),
    );
    let summary = summary(&run(&place, &["--set", "record.tasks=true"]));
    assert!((makespan(&summary) - 5.0).abs() < 1e-6, "{summary}");
    let manifest: Value = serde_json::from_slice(&place.read("out/manifest.json")).unwrap();
    assert!(manifest["identity"].to_string().contains("deployment.xml"), "{manifest}");
}

#[test]
fn hosts_that_are_left_out_and_not_there_are_told() {
    let place = Place::new();
    let agent = "[[agent]]\nhosts = [\"w-*\"]\nexcept = [\"w-1\", \"mastre\", \"x*\"]\nrole = \"server\"\n";
    place.file("scenario.toml", format!("{PLATFORM}{agent}"));
    let output = run(&place, &[]);
    assert_eq!(output.status, 2);
    for words in ["no host is called `mastre`", "did you mean `master`?", "no host is called `x*`"] {
        assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
    }
}

#[test]
fn files_that_a_platform_file_names_are_inputs_too() {
    let place = Place::new();
    let host = "<host id=\"master\" speed=\"1Gf\" speed_file=\"half.trace\"/>";
    let inner = "<trace id=\"t\" file=\"up.trace\"/><trace_connect kind=\"HOST_AVAIL\" trace=\"t\" element=\"master\"/>";
    let zone = format!("<zone id=\"z\" routing=\"Full\">{host}</zone>{inner}");
    place.file(
        "of/platform.xml",
        format!("<?xml version=\"1.0\"?>\n<platform version=\"4.1\">{zone}</platform>\n"),
    );
    place.file("of/half.trace", "0 0.5\n");
    place.file("of/up.trace", "0 1\n");
    let role = "[[agent]]\nhost = \"master\"\nrole = { kind = \"dispatcher\", tasks = 1, data = \"0 B\", work = \"1Gf\" }\n[[agent]]\nhost = \"master\"\nrole = \"server\"\n";
    place.file("scenario.toml", format!("title = \"Test\"\n[platform]\nfile = \"of/platform.xml\"\n{role}"));
    let summary = summary(&run(&place, &[]));
    assert!((makespan(&summary) - 2.0).abs() < 1e-6, "{summary}");
    let manifest: Value = serde_json::from_slice(&place.read("out/manifest.json")).unwrap();
    let identity = manifest["identity"].to_string();
    for file in ["of/platform.xml", "of/half.trace", "of/up.trace"] {
        assert!(identity.contains(file), "{file}: {identity}");
    }
}

#[test]
fn mistakes_of_a_deployment_are_told_where_they_are() {
    let told = |xml: &str, scenario: &str, words: &[&str]| {
        let output = deployed(xml, scenario);
        assert_eq!(output.status, 2, "{}", output.stderr);
        for words in words {
            assert!(output.stderr.contains(words), "{words}: {}", output.stderr);
        }
    };
    let wrong = DEPLOYED
        .replace("host=\"w-0\" function=\"server\"", "host=\"w-00\" function=\"sever\"")
        .replace("<argument value=\"1e9\"/>", "<argument value=\"quick\"/>");
    told(
        &wrong,
        FUNCTIONS,
        &[
            "no host is called `w-00`",
            "did you mean `w-0`?",
            "it is not stated what `sever` does",
            "did you mean `server`?",
            "`quick`",
            "deployment.xml:10:",
            "deployment.xml:6:",
        ],
    );
    let more = DEPLOYED.replace("<argument value=\"2\"/>", "<argument value=\"2\"/><argument value=\"3\"/>");
    told(&more, FUNCTIONS, &["`dispatcher` has 4 arguments, and no more", "deployment.xml:8:"]);
    let keys = FUNCTIONS.replace("\"work\"", "\"wrok\"");
    told(DEPLOYED, &keys, &["role `dispatcher` has no key `wrok`", "did you mean `work`?", "scenario.toml:"]);
    let count = DEPLOYED.replace("<argument value=\"4\"/>", "<argument value=\"1.5\"/>");
    told(&count, FUNCTIONS, &["deployment.xml:5:"]);
    told("<platform version=\"4.1\"><actr/></platform>", FUNCTIONS, &["deployment.xml:1:", "actr"]);
    let gone = FUNCTIONS.replace("deployment.xml", "none.xml");
    told(DEPLOYED, &gone, &["none.xml"]);
    let lonely = DEPLOYED.replace("function=\"server\"", "function=\"dispatcher\"");
    told(&lonely, FUNCTIONS, &["needs agents of the role `server`", "deployment.xml:"]);
}

#[test]
fn agents_are_told_of_as_loudly_as_the_command_line_asks() {
    let place = Place::new();
    place.file("scenario.toml", format!("{PLATFORM}{ONE_TASK}"));
    let [silent, agents, operations] = [&[][..], &["-v"], &["-vv"]].map(|more| run(&place, more).stderr);
    assert!(!silent.contains("INFO"), "{silent}");
    assert!(agents.contains("dispatcher") && !agents.contains("DEBUG"), "{agents}");
    assert!(
        operations.contains("DEBUG") && operations.lines().count() > agents.lines().count(),
        "{operations}"
    );
}
