//! The rows of the matrix of gang scheduling in which jobs stood: the table, what is drawn of it,
//! and what `check` finds wrong with it.

use clustersim_experiment::output::hash;
use serde_json::Value as Json;

use clustersim_testing::program::{Place, repository};

/// The six jobs of the manual: number, submission, run time, processors.
const JOBS: [(u32, u32, u32, u32); 6] =
    [(1, 0, 10, 4), (2, 0, 15, 4), (3, 0, 20, 2), (4, 0, 10, 3), (5, 5, 10, 2), (6, 5, 10, 4)];

fn place() -> Place {
    let place = Place::new();
    let line = |(number, submit, run, procs): (u32, u32, u32, u32)| {
        format!("{number} {submit} -1 {run} {procs} -1 -1 {procs} {run} -1 1 1 1 1 1 1 -1 -1\n")
    };
    place.file("log.swf", format!("; MaxProcs: 4\n{}", JOBS.map(line).concat()));
    place.file(
        "gang.toml",
        "title = \"The case of the manual\"\ncluster.mpl = 4\nworkload = { kind = \"swf\", file = \"log.swf\" }\n\
         policy = { kind = \"gang\", quantum = \"10s\", switch = \"0s\", replicas = false }\n",
    );
    place
}

fn run(place: &Place, arguments: &[&str]) {
    let output = place.run(&[&["run", "gang.toml", "-q"], arguments].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
}

fn text(place: &Place, file: &str) -> String {
    String::from_utf8(place.read(file)).unwrap()
}

/// The figures of a page whose data have this title.
fn figure(page: &str, title: &str) -> Option<Json> {
    let data = page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).unwrap().0;
    let data: Json = serde_json::from_str(data).unwrap();
    let found = data["figures"].as_array().unwrap().iter().find(|figure| figure["title"] == title);
    found.cloned()
}

#[test]
fn the_table_is_that_of_the_manual_and_the_page_has_a_band_for_each_row() {
    let place = place();
    run(&place, &["-o", "out"]);
    let rows = text(&place, "out/matrix.csv");
    let manual = std::fs::read_to_string(repository("docs/batch.md")).unwrap();
    assert!(rows.lines().count() == 13 && manual.contains(&format!("```text\n{rows}```")), "{rows}");
    assert_eq!(place.run(&["check", "out"]).status, 0);
    let drawn = figure(&text(&place, "out/report.html"), "Rows of the gang matrix").unwrap();
    assert_eq!(
        (&drawn["packed"]["spans"], &drawn["packed"]["rows"], &drawn["band"]),
        (&12.into(), &16.into(), &4.into())
    );
    let again = place.run(&["report", "out"]);
    assert!(again.stderr.contains("drawn again, as it was"), "{}", again.stderr);
    // without the table the page has the bands still, but not once it is drawn from the files
    run(&place, &["-o", "none", "--set", "record.jobs=false"]);
    assert!(!place.names("none").contains(&"matrix.csv".to_owned()));
    assert_eq!(figure(&text(&place, "none/report.html"), "Rows of the gang matrix").unwrap(), drawn);
    let again = place.run(&["report", "none"]);
    assert!(again.status == 0 && again.stderr.contains("left out is jobs"), "{}", again.stderr);
    // a run of before there was the table
    std::fs::remove_file(place.path("out/matrix.csv")).unwrap();
    let mut manifest: Json = serde_json::from_slice(&place.read("out/manifest.json")).unwrap();
    manifest["outputs"].as_object_mut().unwrap().remove("matrix.csv");
    place.file("out/manifest.json", manifest.to_string());
    assert_eq!(place.run(&["check", "out"]).status, 0);
    let again = place.run(&["report", "out"]);
    assert!(again.stderr.contains("left out is rows of the gang matrix: there is no"), "{}", again.stderr);
    // space sharing has no matrix
    run(&place, &["-o", "alone", "--policy", "easy"]);
    assert!(!place.names("alone").contains(&"matrix.csv".to_owned()));
    assert!(figure(&text(&place, "alone/report.html"), "Rows of the gang matrix").is_none());
}

#[test]
fn a_run_that_is_stopped_has_the_rows_up_to_then() {
    let place = place();
    run(&place, &["-o", "out", "--set", "run.until=20s"]);
    let rows = text(&place, "out/matrix.csv");
    let all = text(&place, "out/matrix.csv").replace(",20,", ",TO,");
    assert!(all.matches(",TO,").count() == 5 && rows.lines().count() == 11, "{rows}");
    let output = place.run(&["check", "out"]);
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    let again = place.run(&["report", "out"]);
    assert!(again.stderr.contains("drawn again, as it was"), "{}", again.stderr);
}

#[test]
fn runs_side_by_side_have_their_rows_one_above_the_other() {
    let place = place();
    run(&place, &["-o", "gang"]);
    run(&place, &["-o", "few", "--set", "cluster.mpl=2"]);
    run(&place, &["-o", "alone", "--policy", "easy"]);
    let output = place.run(&["compare", "gang", "few", "alone", "-o", "page.html"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let page = text(&place, "page.html");
    let data = page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).unwrap().0;
    let data: Json = serde_json::from_str(data).unwrap();
    let figures = data["figures"].as_array().unwrap();
    let of = |figure: &Json| {
        figure["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["packed"]["rows"].as_u64())
            .collect::<Vec<_>>()
    };
    let found =
        figures.iter().find(|figure| figure["runs"][0]["title"] == "Rows of the gang matrix").unwrap();
    assert_eq!(of(found), [Some(16), Some(8), None]);
}

/// Six jobs of which two have replicas in the last row (B4 of the experiments).
#[test]
fn what_is_wrong_with_the_table_is_found_and_named() {
    let place = place();
    let line = |(number, procs): (usize, u32)| {
        format!("{number} 0 -1 20 {procs} -1 -1 {procs} 20 -1 1 1 1 1 1 1 -1 -1\n")
    };
    let jobs: String = (1..).zip([8, 8, 4, 2, 2, 4]).map(line).collect();
    place.file("log.swf", format!("; MaxProcs: 8\n{jobs}"));
    run(&place, &["-o", "out", "--set", "policy.replicas=true"]);
    let (rows, manifest) = (text(&place, "out/matrix.csv"), text(&place, "out/manifest.json"));
    let plant = |from: &str, to: &str, said: &str| {
        let changed = rows.replacen(from, to, 1);
        assert_ne!(changed, rows, "{from}");
        place.file("out/matrix.csv", &changed);
        let mut hidden: Json = serde_json::from_str(&manifest).unwrap();
        hidden["outputs"]["matrix.csv"] = Json::String(hash::of_bytes(changed.as_bytes()));
        place.file("out/manifest.json", hidden.to_string());
        let output = place.run(&["check", "out", "--json"]);
        assert_eq!(output.status, 1, "{from} as {to}: {}{}", output.stdout, output.stderr);
        assert!(output.stdout.contains(said), "{from} as {to}: {}", output.stdout);
    };
    let whole = "does not have it in one row of its own from its start to its end";
    plant("1,0,1,own,0,50,0-7\n", "1,0,2,own,0,50,0-7\n", "on the same processors of row 2");
    plant("1,0,1,own,0,50,0-7\n", "", whole);
    plant("1,0,1,own,0,50,0-7\n", "1,0,1,own,0,49,0-7\n", whole);
    plant("3,0,3,own,0,50,0-3\n", "3,0,3,own,0,50,1-4\n", "matrix.csv has its own cells in row 3 on 1-4");
    plant("4,0,4,replica,0,40,4-5\n", "", "the slices make a replica in row 4 on 4-5 until 40 s");
    plant("4,0,4,replica,0,40,4-5\n", "4,0,4,replica,0,40,5-6\n", "it has no such cells of its own");
    plant("4,0,4,replica,", "4,0,4,own,", whole);
}
