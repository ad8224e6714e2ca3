//! What a terminal would act on is shown escaped, whoever wrote it; documents hold the true text.

use clustersim_language::text::is_hidden;
use serde_json::Value as Json;

use clustersim_testing::program::{Output, Place};
use clustersim_testing::sources::sources;

/// A title that clears the screen and turns what follows around.
const TITLE: &str = "a\x1b[2J\u{202e}b\u{9b}\nc\u{e0001}";
/// The same as TOML writes it.
const IN_TOML: &str = "a\\u001B[2J\\u202Eb\\u009B\\nc\\U000E0001";

fn scenario(title: &str, more: &str) -> String {
    format!(
        "title = \"{title}\"\ncluster.nodes = 4\n{more}\n[workload]\nkind = \"synthetic\"\njobs = 5\narrivals = \"1min\"\n\
         sizes = 1\nrun-times = \"1h\"\nestimates = 2\n"
    )
}

/// That nothing is left that a terminal acts on.
fn is_plain(output: &Output) {
    for text in [&output.stdout, &output.stderr] {
        let hidden: Vec<char> =
            text.chars().filter(|&letter| is_hidden(letter) && !matches!(letter, '\n' | '\t')).collect();
        assert!(hidden.is_empty(), "{hidden:?} in {text:?}");
    }
}

#[test]
fn titles_and_names_are_escaped_on_standard_output() {
    let place = Place::new();
    place.file("s.toml", scenario(IN_TOML, ""));
    for arguments in [
        &["run", "s.toml", "-o", "one"][..],
        &["run", "s.toml", "-o", "one", "--force", "-vv"],
        &["run", "s.toml", "--dry-run"],
        &["run", "s.toml", "--vary", "title=a\x1b[2J,b", "-o", "two"],
        &["compare", "s.toml", "--vary", "title=a\x1b[2J,b", "--vary", "seed=1,2", "-o", "three"],
        &["report", "one"],
        &["check", "one"],
    ] {
        let output = place.run(arguments);
        assert!([0, 2].contains(&output.status), "{arguments:?}: {}", output.stderr);
        is_plain(&output);
    }
    let output = place.run(&["run", "s.toml", "-o", "one"]);
    assert!(output.stdout.starts_with(IN_TOML), "in one line: {}", output.stdout);
    // what is printed is the same scenario
    let dry = place.run(&["run", "s.toml", "--dry-run"]);
    assert_eq!(dry.stdout.parse::<toml::Table>().unwrap()["title"].as_str(), Some(TITLE));
    let printed = place.run(&["run", "s.toml", "-o", "one", "--json"]);
    is_plain(&printed);
    let printed: Json = serde_json::from_str(&printed.stdout).unwrap();
    let written: Json = serde_json::from_slice(&place.read("one/summary.json")).unwrap();
    assert_eq!((&printed["title"], &written["title"]), (&TITLE.into(), &TITLE.into()));
    assert!(String::from_utf8(place.read("one/summary.json")).unwrap().contains('\u{202e}'), "the true text");
}

/// Scenarios in which hosts, tasks and agents have names of hidden characters.
const NAMED: [&str; 2] = [
    "[application]\nkind = \"random\"\ntasks = 3\n",
    "[[agent]]\nhosts = [\"*\"]\nname = \"y\\u202E\\u001B[2J\\nINFO z\"\nrole = \"ring-peer\"\n",
];

#[test]
fn pages_and_lines_of_the_log_have_the_escapes_of_the_terminal() {
    let place = Place::new();
    for more in NAMED {
        let host = "x\\u202E\\u001B[2J\\nINFO z";
        let host = format!("[[platform.host]]\nname = \"{host}\"\nspeed = \"1Gf\"\n");
        place.file("s.toml", format!("title = \"{IN_TOML}\"\n{host}{more}"));
        for colour in ["never", "always"] {
            let output = place.run(&["run", "s.toml", "-vvv", "-o", "out", "--force", "--color", colour]);
            assert_eq!(output.status, 0, "{}", output.stderr);
            // what is left of the escapes of a terminal is the colour of the program
            let plain = |text: &str| text.replace("\x1b[", "");
            is_plain(&Output { stdout: plain(&output.stdout), stderr: plain(&output.stderr), ..output });
            let log = ["x\\u202E\\u001B[2J\\nINFO z\"", "y\\u202E\\u001B[2J\\nINFO z\""];
            assert!(log.iter().any(|name| output.stderr.contains(name)), "{}", output.stderr);
            assert!(!output.stderr.lines().any(|line| line.starts_with("INFO z")), "{}", output.stderr);
        }
        let page = String::from_utf8(place.read("out/report.html")).unwrap();
        let hidden: Vec<char> =
            page.chars().filter(|&letter| is_hidden(letter) && !matches!(letter, '\n' | '\t')).collect();
        assert!(hidden.is_empty(), "{hidden:?}");
        let data = page.split("id=\"data\">").nth(1).and_then(|data| data.split("</script>").next()).unwrap();
        assert!(data.contains("u202E") && !data.contains("\\u001b"), "{data}");
        serde_json::from_str::<Json>(data).unwrap();
    }
}

#[test]
fn messages_labels_and_helps_are_escaped() {
    let place = Place::new();
    place
        .file("key.toml", scenario("T", "\"a\\u001b[2Jb\\u202e\" = 1"))
        .file("raw.toml", scenario("T", "\"a\u{202e}b\" = 1 # \u{7f}\u{2066}"))
        .file("name.toml", scenario("T", "policy.backfill = \"\\u001B[2J\u{200b}easy\""))
        .file("quantity.toml", scenario("T", "run.until = \"1\\u001B]0;x\\u0007h\""))
        .file("include.toml", format!("include = [\"\\u001B[2J.toml\"]\n{}", scenario("T", "")))
        .file("esc\x1b[2J.toml", "title = 1\n")
        .file("log\x1b[2J\u{202e}.swf", "; MaxProcs: 4\n1 2 \u{202e}\n");
    let names = [
        "key.toml",
        "raw.toml",
        "name.toml",
        "quantity.toml",
        "include.toml",
        "esc\x1b[2J.toml",
        "log\x1b[2J\u{202e}.swf",
    ];
    for name in names {
        let output = place.run(&["run", name]);
        assert_eq!(output.status, 2, "{name}: {}", output.stderr);
        is_plain(&output);
        assert!(output.stderr.contains("\\u001B") || name == "raw.toml", "{name}: {}", output.stderr);
        let output = place.run(&["run", name, "--message-format", "json"]);
        is_plain(&output);
        for line in output.stderr.lines() {
            serde_json::from_str::<Json>(line).unwrap();
        }
    }
    for arguments in
        [&["run", "--no\x1b[2J"][..], &["run", "x.swf", "--set", "a\x1b[2J=1"], &["explain", "\x1b[2J"]]
    {
        let output = place.run(arguments);
        assert_eq!(output.status, 2, "{arguments:?}");
        is_plain(&output);
    }
}

#[test]
fn columns_are_those_of_the_file() {
    let place = Place::new();
    place.file("s.toml", scenario("T", "\"a\u{202e}\u{1b}b\" = 1 # d\u{7f}").replace('\u{1b}', "\u{200b}"));
    let told = place.run(&["validate", "s.toml"]).stderr;
    assert!(told.contains("s.toml:3:1") && told.contains("\"a\u{fffd}\u{fffd}b\" = 1"), "{told}");
}

/// Files of the program that may write to the terminal: each passes what it writes through the
/// escapes.
const PRINTERS: [&str; 3] =
    ["crates/cli/src/output.rs", "crates/cli/src/render.rs", "crates/cli/src/verbose.rs"];

/// The file that writes words of the program and numbers alone, when memory has ended.
const LAST_WORDS: &str = "crates/cli/src/memory_guard.rs";

#[test]
fn every_printer_escapes() {
    let mut printers = Vec::new();
    for file in sources() {
        let path = file.path.as_str();
        let code = file.text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
        for line in lines {
            let prints = ["print!(", "println!(", "eprint!(", "eprintln!(", "dbg!("];
            assert!(!prints.iter().any(|macro_| line.contains(macro_)), "{path}: {line}");
            if ["stdout()", "stderr()"].iter().any(|stream| line.contains(stream)) {
                printers.push(path.to_owned());
            }
        }
        if PRINTERS.contains(&path) {
            assert!(code.contains("escaped("), "{path} writes what it does not escape");
        }
    }
    printers.sort();
    printers.dedup();
    printers.retain(|path| path != LAST_WORDS);
    assert_eq!(printers, PRINTERS, "output goes through `cli::print`, the renderer or the log");
}
