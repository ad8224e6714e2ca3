//! Heuristics, intervals and estimates of a user's own crate: the examples for parameter sweeps as
//! they stand there, with the whole command line.

#[path = "../../examples/own_estimate.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod estimate;
#[path = "../../examples/own_heuristic.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod heuristic;
#[path = "../../examples/own_interval.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod interval;

use std::ffi::OsString;
use std::path::Path;

use clustersim::cli;
use clustersim::registry::Registry;
use clustersim::scenario::{Override, Session, check, from_text};

use clustersim_testing::chapters::{column, leads_to, read};

use clustersim_testing::program::Place;

/// One host behind one link, of which half is available in every second step.
const GRID: &str =
    "GridDescription 1\n0:ADD_CLUSTER <c> <stable_100Kb> <0>\n0:ADD_HOST <c> <h> <half> <0> <0>\n";

/// A scenario of the grid and an application, with more tables.
fn scenario(scheduler: &str) -> String {
    format!(
        "title = 'One host'\n[platform]\nfile = 'grid.txt'\n[application]\nkind = 'pst'\nfile = 'app.txt'\n\
         [scheduler]\nkind = 'plan'\n{scheduler}\n"
    )
}

/// What a reader of the examples has: a scenario, and the texts of a grid and an application.
struct Crate {
    registry: Registry,
    place: Place,
    scenario: String,
}

impl Crate {
    fn new(registry: Registry, scheduler: &str, host: &str, application: &str) -> Self {
        let (place, scenario) = (Place::new(), scenario(scheduler));
        place
            .file("s.toml", &scenario)
            .file("grid.txt", GRID)
            .file("half.txt", host)
            .file("app.txt", application);
        Crate { registry, place, scenario }
    }

    fn path(&self, name: &str) -> String {
        self.place.path(name).to_str().unwrap().to_owned()
    }

    /// The exit status of the program with these arguments.
    fn status(&self, words: &[&str]) -> u8 {
        let words = ["clustersim"].iter().chain(words).map(OsString::from);
        cli::status(&self.registry, words.collect::<Vec<_>>())
    }

    /// Runs the scenario with these keys set, and judges its files: these columns of a table.
    fn run<const N: usize>(&self, keys: &[&str], table: &str, columns: [&str; N]) -> Vec<[f64; N]> {
        let (out, scenario) = (self.path("out"), self.path("s.toml"));
        let mut words = vec!["run", &scenario, "-q", "--no-progress", "--force", "-o", &out];
        words.extend(keys.iter().flat_map(|key| ["--set", key]));
        assert_eq!(self.status(&words), 0, "{keys:?}");
        assert_eq!(self.status(&["check", &out]), 0, "{keys:?}");
        let table = String::from_utf8(self.place.read(&format!("out/{table}"))).unwrap();
        let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = rows.next().unwrap();
        let places =
            columns.map(|name| header.iter().position(|column| *column == name).expect("it has the column"));
        rows.map(|row| places.map(|place| row[place].parse().unwrap())).collect()
    }

    /// A study of two has a row of results each, and what is wrong is refused with this help.
    fn is_like_any_other(&self, vary: &str, wrong: &[(&str, &str)]) {
        let [scenario, study] = ["s.toml", "study"].map(|name| self.path(name));
        let words = ["compare", &scenario, "--vary", vary, "-q", "--no-progress", "-o", &study];
        assert_eq!(self.status(&words), 0);
        let rows = String::from_utf8(self.place.read("study/results.csv")).unwrap();
        assert_eq!(rows.lines().count(), 3, "{rows}");
        for (wrong, help) in wrong {
            let folder = self.path("");
            let written =
                from_text("s.toml", self.scenario.clone(), Path::new(&folder), &[Override::set(wrong)]);
            let rejected = check(&self.registry, written).unwrap_err();
            let first = &rejected.complaints[0];
            let rejected = format!("{}; {}", first.message, first.help.as_deref().unwrap_or_default());
            assert!(rejected.contains(help), "{wrong}: {rejected}");
            let words = ["run", &scenario, "--set", wrong, "-o", &self.path("wrong")];
            assert_eq!(self.status(&words), 2, "{wrong}");
            assert!(!self.place.path("wrong").exists(), "{wrong}");
        }
    }
}

/// Three tasks of ten seconds that read half a megabyte, two and one.
const BULKY: &str = "WorkDescription 1 3 3\nFile: <0> <a> <500000> <500000>\nFile: <1> <b> <2000000> <2000000>\nFile: <2> <c> <1000000> <1000000>\n\
    Work: <0> < 1 : 0 > < 0 : > < 1 : 10 > < 1 : 10 >\nWork: <1> < 1 : 1 > < 0 : > < 1 : 10 > < 1 : 10 >\n\
    Work: <2> < 1 : 2 > < 0 : > < 1 : 10 > < 1 : 10 >\n";

#[test]
fn tasks_that_read_much_are_planned_first() {
    let own = Crate::new(heuristic::registry(), "heuristic = 'bulky-first'", "1\n100\n", BULKY);
    let starts = |large: &str| {
        let key = format!("scheduler.heuristic={{ kind = 'bulky-first', large = '{large}' }}");
        own.run(&[&key], "tasks.csv", ["start"]).into_iter().map(|[start]| start).collect::<Vec<_>>()
    };
    // the link takes 5, 20 and 10 s
    assert_eq!(starts("1MB"), [40.0, 20.0, 30.0]);
    assert_eq!(starts("1000001B"), [30.0, 20.0, 40.0], "only the second reads more");
    assert_eq!(starts("3MB"), [5.0, 25.0, 35.0], "in order, as on one cluster nothing is lost");
    let folder = own.path("");
    let written = from_text("s.toml", own.scenario.clone(), Path::new(&folder), &[]);
    let scenario = check(&own.registry, written).unwrap();
    let mut run = scenario.system.assemble(&own.registry, &scenario).unwrap().run;
    run.explain("2").unwrap();
    let why = run.run(&Session::default()).unwrap().explanation().unwrap().text();
    assert!(why.contains("1 had slots before it") && why.contains("Task `0`"), "{why}");
    let wrong = [
        ("scheduler.heuristic=bulky-frist", "did you mean `bulky-first`?"),
        ("scheduler.heuristic={ kind = 'bulky-first', large = 'much' }", "much"),
        ("scheduler.heuristic={ kind = 'bulky-first', lage = '1MB' }", "did you mean `large`?"),
    ];
    own.is_like_any_other("scheduler.heuristic=xsufferage,bulky-first", &wrong);
}

/// So many tasks of 100 s without files.
fn plain(tasks: usize) -> String {
    let work = |task| format!("Work: <{task}> < 0 : > < 0 : > < 1 : 100 > < 1 : 100 >\n");
    format!("WorkDescription 1 0 {tasks}\n{}", (0..tasks).map(work).collect::<String>())
}

#[test]
fn plans_are_made_half_as_often_until_one_is_wrong() {
    let own = Crate::new(interval::registry(), "interval = 'doubling'", "1\n100\n", &plain(5));
    let times = |keys: &[&str]| {
        own.run(keys, "plans.csv", ["time"]).into_iter().map(|[time]| time).collect::<Vec<_>>()
    };
    assert_eq!(times(&[]), [0.0, 30.0, 90.0, 210.0, 450.0]);
    let wrong = times(&["prediction={ kind = 'uniform', error = '50%' }"]);
    let steps: Vec<f64> = wrong.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.iter().skip(1).any(|step| *step <= 30.0), "it begins again: {wrong:?}");
    let wrong = [
        ("scheduler.interval=doublin", "did you mean `doubling`?"),
        ("scheduler.interval={ kind = 'doubling', first = '0s' }", "cannot be \"0s\""),
    ];
    own.is_like_any_other("scheduler.interval=constant,doubling", &wrong);
}

#[test]
fn a_host_is_predicted_to_be_as_bad_as_it_was() {
    let scheduler = "interval = '20s'\nkeep = 0\n[prediction]\nkind = 'cautious'";
    let own = Crate::new(estimate::registry(), scheduler, "2\n100\n50\n", &plain(2));
    let planned = |values: &str| {
        let rows =
            own.run(&[&format!("prediction.values={values}")], "tasks.csv", ["planned-start", "planned-end"]);
        rows.into_iter().map(|[start, end]| end - start).collect::<Vec<_>>()
    };
    // plans are made when all of the host is available; the step before only half of it was
    assert_eq!(planned("1"), [100.0, 100.0]);
    assert_eq!(planned("2"), [100.0, 200.0], "nothing is known of half a host at first");
    let wrong = [
        ("prediction=cautios", "did you mean `cautious`?"),
        ("prediction={ kind = 'cautious', values = 0 }", "`values` cannot be 0"),
        ("prediction={ kind = 'cautious', step = '0s' }", "`step` cannot be \"0s\""),
    ];
    own.is_like_any_other("prediction=perfect,cautious", &wrong);
}

#[test]
fn the_chapter_leads_to_its_programs_and_has_every_method() {
    let text = read("docs/parameter-sweeps.md");
    leads_to("docs/parameter-sweeps.md", &["own_heuristic", "own_interval", "own_estimate"]);
    let source = read("crates/sweep/src/heuristic/mod.rs");
    let (_, methods) = source.split_once("\npub trait Heuristic").unwrap();
    let methods = methods.split("\n}\n").next().unwrap().lines();
    let methods = methods.filter_map(|line| line.strip_prefix("    fn ")?.split('(').next());
    assert_eq!(column(&text, "| method of `Heuristic` | default |"), methods.collect::<Vec<_>>());
    let source = read("crates/sweep/src/heuristic/completion.rs");
    for name in column(&text, "| of the `Completions` | what it gives |") {
        assert!(source.contains(&format!("    pub fn {name}(")) || name == "task", "no `{name}`");
    }
}
