//! `report.html` in a browser: headless Chromium opens it, `browser/exercise.js` uses it by
//! keyboard and wheel.
//!
//! Where no Chromium is installed the tests say SKIPPED and pass; `CLUSTERSIM_BROWSER=PROGRAM`
//! names another one, and then it must be there. `CLUSTERSIM_PICTURES=DIR` keeps pictures of the
//! pages, to be looked at.

mod counter;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use clustersim_experiment::report::html::{Unfinished, draw_unfinished};
use clustersim_testing::evidence;
use clustersim_testing::program::{Place, repository};

const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

fn browser() -> Option<String> {
    if let Ok(named) = env::var("CLUSTERSIM_BROWSER") {
        return Some(named);
    }
    let answers = |name: &&str| {
        let version =
            Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    let found = NAMES.iter().find(|name| answers(name)).map(|name| (*name).to_owned());
    if found.is_none() {
        evidence::skip("no Chromium to open report.html with");
    }
    found
}

fn opened(browser: &str, place: &Place, page: &str, more: &[&str]) -> String {
    let profile = format!("--user-data-dir={}", place.path("profile").display());
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--virtual-time-budget=20000",
    ]);
    command.arg(profile).args(more).arg(format!("file://{}", place.path(page).display()));
    let output = command.stderr(Stdio::null()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Opens the page, with the exercise behind its script, and gives the document it has become.
fn exercised(browser: &str, place: &Place, page: &str) -> String {
    exercised_by("exercise.js", browser, place, page)
}

fn exercised_by(script: &str, browser: &str, place: &Place, page: &str) -> String {
    let text = String::from_utf8(place.read(page)).unwrap();
    let exercise = fs::read_to_string(repository("tests/floor/browser").join(script)).unwrap();
    let (head, tail) = text.rsplit_once("</script>").unwrap();
    place.file("exercised.html", format!("{head}{exercise}</script>{tail}"));
    let document = opened(browser, place, "exercised.html", &["--window-size=1100,900", "--dump-dom"]);
    assert!(document.contains("data-done=\"yes\""), "the page was not drawn: {}", tail_of(&document));
    document
}

fn tail_of(document: &str) -> String {
    document.chars().rev().take(400).collect::<Vec<_>>().into_iter().rev().collect()
}

fn attribute<'a>(document: &'a str, name: &str) -> &'a str {
    let begin = document.find(&format!("{name}=\"")).unwrap() + name.len() + 2;
    &document[begin..begin + document[begin..].find('"').unwrap()]
}

/// Pictures of a page, if they are wanted: light, dark, and as narrow as a phone.
fn pictures(browser: &str, place: &Place, page: &str, name: &str) {
    let Ok(directory) = env::var("CLUSTERSIM_PICTURES") else { return };
    let narrow = "<!DOCTYPE html><body style=\"margin:0\"><iframe style=\"width:360px;height:5200px;border:0\" src=\"PAGE\"></iframe>";
    place.file("narrow.html", narrow.replace("PAGE", page));
    let takes = [
        ("light", page, "--window-size=1100,3600", "--force-color-profile=srgb"),
        ("dark", page, "--window-size=1100,3600", "--blink-settings=preferredColorScheme=0"),
        ("phone", "narrow.html", "--window-size=500,5200", "--force-color-profile=srgb"),
    ];
    for (kind, page, size, more) in takes {
        let picture =
            format!("--screenshot={}", Path::new(&directory).join(format!("{name}-{kind}.png")).display());
        opened(browser, place, page, &[size, more, &picture]);
    }
}

#[test]
fn the_report_of_a_run_is_drawn_and_used_in_a_browser() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    let scenario = repository("scenarios/quickstart.toml");
    let output = place.run(&["run", scenario.to_str().unwrap(), "-o", "run"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    place.file("report.html", place.read("run/report.html"));
    let document = exercised(&browser, &place, "report.html");
    assert_eq!(attribute(&document, "data-drawn"), "run");
    assert_eq!(attribute(&document, "data-wrong"), "[]");
    assert!(document.contains("Fairness") && document.contains("Mean wait by size and run time"));
    pictures(&browser, &place, "report.html", "run");
}

#[test]
fn the_reports_of_detail_task_are_drawn_and_used_in_a_browser() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    let scenario = repository("scenarios/parallel.toml");
    let run =
        ["run", scenario.to_str().unwrap(), "--set", "cluster.detail=task", "--set", "workload.jobs=40"];
    let output = place.run(&[&run[..], &["-o", "run", "--policy", "pb-sb"]].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    place.file("report.html", place.read("run/report.html"));
    let document = exercised(&browser, &place, "report.html");
    assert_eq!(attribute(&document, "data-wrong"), "[]");
    assert!(document.contains("Execution profile") && document.contains("slowdown, mean"));
    pictures(&browser, &place, "report.html", "tasks");
    let again = place.run(&["report", "run"]);
    assert!(again.stderr.contains("drawn again, as it was"), "{}", again.stderr);

    let output = place.run(&[&run[..], &["-o", "study", "--vary", "policy=local,sb,gang"]].concat());
    assert_eq!(output.status, 0, "{}", output.stderr);
    place.file("study.html", place.read("study/report.html"));
    let text = String::from_utf8(place.read("study.html")).unwrap();
    assert!(text.contains("profile.spin"));
    let document = opened(&browser, &place, "study.html", &["--window-size=1100,900", "--dump-dom"]);
    assert!(document.contains("data-drawn=\"study\"") && document.contains("3 stacked bars"));
    pictures(&browser, &place, "study.html", "tasks-study");
}

#[test]
fn the_reports_of_agents_are_drawn_and_used_in_a_browser() {
    let Some(browser) = browser() else { return };
    for name in ["agents", "given-flows"] {
        let place = Place::new();
        let scenario = repository(&format!("scenarios/{name}.toml"));
        let output = place.run(&["run", scenario.to_str().unwrap(), "-o", "run"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let document = exercised(&browser, &place, "run/report.html");
        assert_eq!(attribute(&document, "data-system"), "agents");
        assert_eq!(attribute(&document, "data-wrong"), "[]", "{name}");
        pictures(&browser, &place, "run/report.html", name);
    }
}

#[test]
fn the_report_of_a_task_graph_is_drawn_and_used_in_a_browser() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    let scenario = repository("scenarios/task-graph.toml");
    let output = place.run(&["run", scenario.to_str().unwrap(), "-o", "run"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let document = exercised(&browser, &place, "run/report.html");
    assert_eq!(attribute(&document, "data-system"), "dag");
    assert_eq!(attribute(&document, "data-wrong"), "[]");
    for title in
        ["Plan", "Execution", "Critical path of the run over time", "What the makespan is made of", "Hosts"]
    {
        assert!(document.contains(&format!(">{title}</h2>")), "{title}");
    }
    pictures(&browser, &place, "run/report.html", "task-graph");
}

#[test]
fn measured_and_forecast_series_are_drawn_and_used_in_a_browser() {
    let Some(browser) = browser() else { return };
    let run = |name: &str, more: &[&str], titles: &[&str]| {
        let place = Place::new();
        let scenario = repository(name);
        let output = place.run(&[&["run", scenario.to_str().unwrap(), "-o", "run"], more].concat());
        assert_eq!(output.status, 0, "{}", output.stderr);
        let document = exercised(&browser, &place, "run/report.html");
        assert_eq!(attribute(&document, "data-system"), "brokers");
        assert_eq!(attribute(&document, "data-wrong"), "[]", "{name}");
        for title in titles {
            assert!(document.contains(&format!(">{title}</h2>")), "{title}");
        }
        pictures(&browser, &place, "run/report.html", "forecasts");
    };
    let of_forecasts = ["Measured and forecast", "Which forecaster was believed", "Errors of forecasters"];
    run("scenarios/global-computing.toml", &["--set", "record.forecasts=true"], &of_forecasts);
    let battery = "predictor={ kind = 'battery', forecasters = ['last', 'mean', { kind = 'sliding-median', values = 5 }] }";
    let replay = ["--point", "2", "--replication", "0", "--set", battery];
    run("scenarios/studies/replayed-days.toml", &replay, &["Measured again, and forecast"]);
}

#[test]
fn reservations_and_outages_are_drawn_and_used_in_a_browser() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    let scenario = repository("scenarios/maintenance.toml");
    let output = place.run(&["run", scenario.to_str().unwrap(), "-o", "run", "--point", "1"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let document = exercised(&browser, &place, "run/report.html");
    assert_eq!(attribute(&document, "data-wrong"), "[]");
    assert!(document.contains("Hatched below them: reserved"));
    pictures(&browser, &place, "run/report.html", "maintenance");
}

#[test]
fn rows_of_the_gang_matrix_are_drawn_and_used_in_a_browser() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    let scenario = repository("scenarios/quickstart.toml");
    for level in ["2", "4"] {
        let level = format!("cluster.mpl={level}");
        let policy = "policy={ kind = 'bgs', quantum = '10min' }";
        let words = ["run", scenario.to_str().unwrap(), "--set", policy, "--set", &level, "-q", "-o", &level];
        let output = place.run(&words);
        assert!([0, 3].contains(&output.status), "{}", output.stderr);
    }
    let [one, other] = ["cluster.mpl=2", "cluster.mpl=4"];
    let compared = place.run(&["compare", one, other, "-o", "compared.html"]);
    assert_eq!(compared.status, 0, "{}", compared.stderr);
    for (page, charts) in [(format!("{other}/report.html"), 2), ("compared.html".to_owned(), 4)] {
        let document = exercised(&browser, &place, &page);
        assert_eq!(attribute(&document, "data-wrong"), "[]");
        assert!(document.contains("Rows of the gang matrix") && document.contains(" of each day"));
        assert_eq!(document.matches("<canvas").count(), charts);
        pictures(&browser, &place, &page, if charts == 2 { "gang" } else { "gang-runs" });
    }
}

#[test]
fn the_report_of_an_own_system_is_drawn_and_used_in_a_browser() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    place.file("report.html", counter::page());
    let document = exercised(&browser, &place, "report.html");
    assert_eq!(attribute(&document, "data-drawn"), "run");
    assert_eq!(attribute(&document, "data-wrong"), "[]");
    assert!(document.contains("Timeline: counters") && document.contains("waited (customers)"));
    assert!(document.contains("Counter: counters in use") && document.contains("[counters]"));
    pictures(&browser, &place, "report.html", "results");
}

#[test]
fn runs_are_drawn_over_one_axis_and_used_in_a_browser() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    let scenario = repository("scenarios/quickstart.toml");
    let policies = ["easy", "fcfs", "conservative", "sjf"];
    for policy in policies {
        let words = ["run", scenario.to_str().unwrap(), "--policy", policy, "-o", policy, "-q"];
        assert_eq!(place.run(&words).status, 0);
    }
    for count in [2, 4] {
        let words = [&["compare"], &policies[..count], &["-o", "report.html", "--force"]].concat();
        assert_eq!(place.run(&words).status, 0);
        let document = exercised(&browser, &place, "report.html");
        assert_eq!(attribute(&document, "data-drawn"), "compared-runs");
        assert_eq!(attribute(&document, "data-wrong"), "[]");
        assert!(document.contains("The first differences") && document.contains("Metrics side by side"));
        assert_eq!(document.matches("<canvas").count(), count);
        for title in ["Utilization over time", "Queue length over time"] {
            assert_eq!(document.matches(&format!(">{title}</h2>")).count(), 1, "{title}");
        }
        pictures(&browser, &place, "report.html", &format!("{count}-runs"));
    }
}

#[test]
fn the_report_of_a_study_is_drawn_and_used_in_a_browser() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    study(&place);
    let document = exercised(&browser, &place, "study/report.html");
    assert_eq!(attribute(&document, "data-drawn"), "study");
    assert_eq!(attribute(&document, "data-wrong"), "[]");
    pictures(&browser, &place, "study/report.html", "study");
}

#[test]
fn the_page_of_a_study_that_runs_keeps_what_a_reader_chose() {
    let Some(browser) = browser() else { return };
    let place = Place::new();
    let summary = fs::read(repository("tests/floor/browser/study.json")).unwrap();
    let mut summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    summary["comparisons"] = serde_json::json!([]);
    summary["findings"] = serde_json::Value::Null;
    let state = Unfinished { done: 37, wanted: 48, ..Unfinished::default() };
    place.file("report.html", draw_unfinished(summary, &state).unwrap());
    let document = exercised_by("again.js", &browser, &place, "report.html");
    assert_eq!(attribute(&document, "data-wrong"), "nothing");
}

/// The directory of a study, as far as its report needs it, drawn.
fn study(place: &Place) {
    let summary = fs::read(repository("tests/floor/browser/study.json")).unwrap();
    place.file("study/study.json", summary);
    place.file("study/manifest.json", "{ \"schema\": \"clustersim/study-manifest/1\" }");
    let output = place.run(&["report", "study"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(output.stderr.contains("drawn again: study/report.html"), "{}", output.stderr);
}

#[test]
fn a_report_is_drawn_again_from_its_files_with_the_same_bytes() {
    let place = Place::new();
    let scenario = repository("scenarios/quickstart.toml");
    let scenario = scenario.to_str().unwrap();
    // a log with users and a warm-up; jobs that are refused; a run that is stopped while jobs run
    // and wait
    let runs = [
        vec!["run", scenario, "-o", "a", "--set", "run.warm-up=200"],
        vec!["run", scenario, "-o", "b", "--procs", "64"],
        vec!["run", scenario, "-o", "c", "--set", "run.until=5d"],
        // one run of a study, of another replication than the first
        vec![
            "run",
            scenario,
            "-o",
            "d",
            "--set",
            "workload.randomize=weeks",
            "--vary",
            "policy=fcfs,easy",
            "--point",
            "1",
            "--replication",
            "2",
        ],
    ];
    for arguments in runs {
        let output = place.run(&arguments);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let written = arguments[3];
        assert!(output.stderr.contains(&format!("in pictures: {written}/report.html")), "{}", output.stderr);
        let page = format!("{written}/report.html");
        let drawn = place.read(&page);
        fs::remove_file(place.path(&page)).unwrap();
        let again = place.run(&["report", written]);
        assert_eq!(again.status, 0, "{}", again.stderr);
        assert!(again.stderr.contains("drawn again, as it was"), "{}", again.stderr);
        assert!(place.read(&page) == drawn, "{page} differs");
    }
}

#[test]
fn a_report_of_reservations_and_outages_is_drawn_again_with_the_same_bytes() {
    let place = Place::new();
    // one run of each study, the second stopped before its end
    for (name, more) in [("maintenance", &[][..]), ("checkpoints", &["--set", "run.until=20d"][..])] {
        let scenario = repository(&format!("scenarios/{name}.toml"));
        let output =
            place.run(&[&["run", scenario.to_str().unwrap(), "-o", name, "--point", "1"], more].concat());
        // fewer jobs end by then than the scenario expects
        assert!([0, 3].contains(&output.status), "{}", output.stderr);
        let again = place.run(&["report", name]);
        assert!(again.stderr.contains("drawn again, as it was"), "{}", again.stderr);
        let page = String::from_utf8(place.read(&format!("{name}/report.html"))).unwrap();
        assert!(page.contains("\"behind\":[\""), "{name}");
    }
}

#[test]
fn a_report_of_agents_is_drawn_again_from_what_its_files_hold() {
    let place = Place::new();
    for name in ["agents", "given-flows", "divisible-load"] {
        let scenario = repository(&format!("scenarios/{name}.toml"));
        let scenario = scenario.to_str().unwrap();
        let output = place.run(&["run", scenario, "-o", name, "--set", "record.operations=true"]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        let again = place.run(&["report", name]);
        assert_eq!(again.status, 0, "{}", again.stderr);
        assert!(again.stderr.contains("drawn again, as it was"), "{name}: {}", again.stderr);
    }
    let scenario = repository("scenarios/agents.toml");
    let scenario = scenario.to_str().unwrap();
    let output = place.run(&["run", scenario, "-o", "few", "--set", "record.tasks=false"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let again = place.run(&["report", "few"]);
    assert_eq!(again.status, 0, "{}", again.stderr);
    let page = String::from_utf8(place.read("few/report.html")).unwrap();
    for what in ["when tasks were computed", "what each host did", "what agents did when"] {
        assert!(again.stderr.contains(&format!("left out is {what}: there is no")), "{}", again.stderr);
        assert!(page.contains(what), "{what}");
    }
}

#[test]
fn a_report_can_be_left_out_and_drawn_later_and_what_cannot_be_drawn_is_told() {
    let place = Place::new();
    let scenario = repository("scenarios/quickstart.toml");
    let scenario = scenario.to_str().unwrap();
    let output = place.run(&["run", scenario, "-o", "run", "--set", "record.report=false"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(!place.names("run").contains(&"report.html".to_owned()) && !output.stderr.contains("pictures"));
    assert_eq!(place.run(&["report", "run"]).status, 0);
    assert!(place.names("run").contains(&"report.html".to_owned()));
    let summary = place.read("run/summary.json");
    for wrong in ["[]", "{}", "{\"schema\": \"clustersim/run-summary/1\"}"] {
        place.file("run/summary.json", wrong);
        let refused = place.run(&["report", "run"]);
        let expected = "summary.json cannot be drawn: it is no summary of a run";
        assert!(refused.status == 2 && refused.stderr.contains(expected), "{}", refused.stderr);
    }
    fs::write(place.path("run/summary.json"), summary).unwrap();
    fs::remove_file(place.path("run/jobs.csv")).unwrap();
    let told = place.run(&["report", "run"]);
    assert!(told.status == 2 && told.stderr.contains("cannot read run/jobs.csv"), "{}", told.stderr);
    let told = place.run(&["report", "nowhere"]);
    assert!(told.status == 2 && told.stderr.contains("no finished run or study"), "{}", told.stderr);
    study(&place);
    place.file("study/study.json", "{}");
    let told = place.run(&["report", "study"]);
    assert!(told.status == 2 && told.stderr.contains("study.json cannot be drawn"), "{}", told.stderr);
}
