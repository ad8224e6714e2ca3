//! Schedulers of a user's own crate: the examples for task graphs as they stand there, with the
//! whole command line.

#[path = "../../examples/own_dynamic_scheduler.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod dynamic;
#[path = "../../examples/own_dag_scheduler.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod list;
#[path = "../../examples/own_prediction.rs"]
#[expect(dead_code, reason = "its `main` is the example's")]
mod prediction;

use std::ffi::OsString;
use std::path::Path;
use std::rc::Rc;

use clustersim::cli;
use clustersim::dag::{
    CannotPlan, Core, Dispatcher, Dynamic, DynamicScheduler, PartialSchedule, PlannedTask, Scheduler, Search,
    TaskPlan, Unlawful, View, async_trait,
};
use clustersim::registry::{Entry, Registry};
use clustersim::scenario::{Override, Session, check, from_text};

use clustersim_testing::program::Place;

/// Two hosts, of which one is twice as fast as the other, and a link that they share.
const SCENARIO: &str = "\
title = 'Two hosts'

[platform]
[[platform.host]]
name = 'fast'
speed = '2Gf'
[[platform.host]]
name = 'slow'
speed = '1Gf'
[[platform.link]]
name = 'wire'
bandwidth = '1MBps'
[[platform.route]]
from = 'fast'
to = 'slow'
links = ['wire']

[application]
kind = 'dag-text'
file = 'graph.txt'
";

/// What a reader of the examples has: the scenario, and a graph of costs in seconds at 10 Gf/s.
struct Crate {
    registry: Registry,
    place: Place,
}

impl Crate {
    fn new(registry: Registry, graph: &str) -> Self {
        let place = Place::new();
        place.file("scenario.toml", SCENARIO).file("graph.txt", format!("DagDescription 1\n{graph}"));
        Crate { registry, place }
    }

    fn path(&self, name: &str) -> String {
        self.place.path(name).to_str().unwrap().to_owned()
    }

    /// The exit status of the program with these arguments.
    fn status(&self, words: &[&str]) -> u8 {
        let words = ["clustersim"].iter().chain(words).map(OsString::from);
        cli::status(&self.registry, words.collect::<Vec<_>>())
    }

    /// Runs the scenario with these keys set, and judges its files: host, start and end of each
    /// task.
    fn run(&self, keys: &[&str]) -> Vec<[String; 3]> {
        let out = self.path("out");
        let scenario = self.path("scenario.toml");
        let mut words = vec!["run", &scenario, "-q", "--no-progress", "--force", "-o", &out];
        words.extend(keys.iter().flat_map(|key| ["--set", key]));
        assert_eq!(self.status(&words), 0, "{keys:?}");
        assert_eq!(self.status(&["check", &out]), 0, "{keys:?}");
        let table = String::from_utf8(self.place.read("out/tasks.csv")).unwrap();
        let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let header = rows.next().unwrap();
        let places = ["host", "start", "end"]
            .map(|name| header.iter().position(|column| *column == name).expect("it has the column"));
        rows.map(|row| places.map(|place| row[place].to_owned())).collect()
    }

    /// Why a task is where it is.
    fn why(&self, keys: &[&str], task: &str) -> String {
        let overrides: Vec<Override> = keys.iter().map(|key| Override::set(key)).collect();
        let folder = self.path("");
        let written = from_text("scenario.toml", SCENARIO.to_owned(), Path::new(&folder), &overrides);
        let scenario = check(&self.registry, written).unwrap();
        let mut run = scenario.system.assemble(&self.registry, &scenario).unwrap().run;
        run.explain(task).unwrap();
        run.run(&Session::default()).unwrap().explanation().unwrap().text()
    }

    /// A study of two schedulers has a row of results each, and what is wrong is refused with this
    /// help.
    fn is_like_any_other(&self, vary: &str, wrong: &[(&str, &str)]) {
        let [scenario, study] = ["scenario.toml", "study"].map(|name| self.path(name));
        let words = ["compare", &scenario, "--vary", vary, "-q", "--no-progress", "-o", &study];
        assert_eq!(self.status(&words), 0);
        let rows = String::from_utf8(self.place.read("study/results.csv")).unwrap();
        assert_eq!(rows.lines().count(), 3, "{rows}");
        for (wrong, help) in wrong {
            let written = from_text("s.toml", SCENARIO.to_owned(), Path::new(""), &[Override::set(wrong)]);
            let rejected = check(&self.registry, written).unwrap_err();
            let first = &rejected.complaints[0];
            let rejected = format!("{}; {}", first.message, first.help.as_deref().unwrap_or_default());
            assert!(rejected.contains(help), "{wrong}: {rejected}");
            assert_eq!(
                self.status(&["run", &scenario, "--set", wrong, "-o", &self.path("wrong")]),
                2,
                "{wrong}"
            );
            assert!(!self.place.path("wrong").exists(), "{wrong}");
        }
    }
}

fn contains(text: &str, all: &[&str]) {
    for part in all {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

#[test]
fn a_patient_task_leaves_the_fast_host_free() {
    let own = Crate::new(list::registry(), "node a 10\nnode b 10\nedge a b 1000000\n");
    let hosts = |patience: &str| {
        let keys = [&*format!("scheduler={{ kind = 'thrifty', patience = '{patience}' }}")];
        own.run(&keys).into_iter().map(|[host, ..]| host).collect::<Vec<_>>()
    };
    // on the slow host a task takes twice the time of the fast one
    assert_eq!(hosts("100%"), ["slow", "slow"]);
    assert_eq!(hosts("99%"), ["fast", "fast"]);
    let wrong = [
        ("scheduler=thrifti", "did you mean `thrifty`?"),
        ("scheduler={ kind = 'thrifty', patience = '-1%' }", "`-1%` is no share"),
        ("scheduler={ kind = 'thrifty', patiense = '1%' }", "did you mean `patience`?"),
    ];
    own.is_like_any_other("scheduler=heft,thrifty", &wrong);
}

#[test]
fn with_every_plan_half_of_the_error_is_gone() {
    let own = Crate::new(prediction::registry(), "node a 10\nnode b 10\nedge a b 1000000\n");
    // each takes 50 s on the fast host
    let planned = |replan: &str| {
        own.run(&["prediction=learning", &format!("scheduler={{ kind = 'heft', replan = '{replan}' }}")]);
        let table = String::from_utf8(own.place.read("out/tasks.csv")).unwrap();
        let column = |name: &str| table.lines().next().unwrap().split(',').position(|column| column == name);
        let [start, end] =
            ["planned-start", "planned-end"].map(|name| column(name).expect("it has the column"));
        let number = |row: &str, column| row.split(',').nth(column).unwrap().parse::<f64>().unwrap();
        table.lines().skip(1).map(|row| number(row, end) - number(row, start)).collect::<Vec<_>>()
    };
    assert_eq!(planned("never"), [75.0, 75.0]);
    assert_eq!(planned("on-completion"), [75.0, 62.5]);
    let wrong = [
        ("prediction=learnin", "did you mean `learning`?"),
        ("prediction={ kind = 'learning', bias = '-1%' }", "`-1%` is no share"),
    ];
    own.is_like_any_other("prediction=perfect,learning", &wrong);
}

#[test]
fn it_says_why_a_task_is_on_the_slow_host() {
    let own = Crate::new(list::registry(), "node a 10\nnode b 10\nedge a b 1000000\n");
    let why = own.why(&["scheduler={ kind = 'thrifty', patience = '100%' }"], "b");
    contains(
        &why,
        &[
            "Its upward rank in seconds is 75; no other task is ready",
            "the rule looked at 2 cores, by relative speed",
            "host `slow`",
            "taken",
            "It was executed as planned",
        ],
    );
}

/// A diamond of tasks of 50 s on the fast host and 100 s on the slow one.
const DIAMOND: &str = "node a 10\nnode b 10\nnode c 10\nnode d 10\n\
    edge a b 20000000\nedge a c 20000000\nedge b d 20000000\nedge c d 20000000\n";

#[test]
fn a_task_waits_for_the_host_of_its_data_as_long_as_its_patience_lasts() {
    let own = Crate::new(dynamic::registry(), DIAMOND);
    let hosts = |patience: &str| {
        let keys = [&*format!("scheduler={{ kind = 'delay', patience = '{patience}' }}")];
        own.run(&keys)
    };
    let row = |host: &str, start: &str, end: &str| [host, start, end].map(str::to_owned);
    let on_fast = [("0", "50"), ("50", "100"), ("100", "150"), ("150", "200")];
    let on_fast = on_fast.map(|(start, end)| row("fast", start, end));
    assert_eq!(hosts("1min"), on_fast, "c waits 50 s for the host of a");
    let hurried = [row("fast", "0", "50"), row("fast", "50", "100"), row("slow", "80", "180")];
    // c is sent to the slow host after 10 s; d waits for b and c, whose data are as many
    assert_eq!(hosts("10s")[..3], hurried);
    own.is_like_any_other("scheduler=self-scheduling,delay", &[("scheduler=delai", "did you mean `delay`?")]);
}

#[test]
fn a_scheduler_that_places_tasks_says_why() {
    let own = Crate::new(dynamic::registry(), DIAMOND);
    let keys = ["scheduler={ kind = 'delay', patience = '10s' }"];
    contains(&own.why(&keys, "b"), &["The host holds most of its data", "It was put on host `fast`"]);
    contains(
        &own.why(&keys, "c"),
        &["It has waited since 50 s: any idle core", "the data of `a` were being sent"],
    );
}

/// A rule whose answers break the law, as its key says.
#[derive(Debug)]
struct Wrong(String);

const WRONG: Entry<dyn Scheduler> = Entry {
    name: "wrong",
    about: "an answer that cannot be executed",
    source: "",
    keys: &[clustersim::registry::Key::new("what", clustersim::registry::Kind::Text).about("what is wrong")],
    build: |params| {
        let what: String = params.read("what")?;
        let is_dynamic = what.starts_with("place ");
        let wrong = Wrong(what);
        Ok(if is_dynamic { Box::new(Dynamic(Rc::new(wrong))) } else { Box::new(wrong) })
    },
};

impl Scheduler for Wrong {
    fn plan(&self, view: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        let mut schedule = PartialSchedule::new(view);
        for task in view.open() {
            schedule.put(task, Search::Tail, |slot| slot.end)?;
        }
        let mut plan = schedule.into_plan();
        let list = &mut plan.assignments;
        match &*self.0 {
            "void pair" => list[1].core = Core(2),
            "twice" => list.push(list[0]),
            "before its parent" => list.swap(0, 1),
            "unknown host" => list[1].core = Core(9),
            "unknown task" => {
                let task = clustersim::workflow::TaskNumber(9);
                list.push(PlannedTask { task, ..list[0] });
            }
            "left out" => drop(list.pop()),
            "cannot run" => list[1].core = Core(3),
            _ => return Err(CannotPlan::Own("it does not want to".to_owned())),
        }
        Ok(plan)
    }
}

#[async_trait(?Send)]
impl DynamicScheduler for Wrong {
    async fn run(&self, dispatcher: Dispatcher) -> Result<(), Unlawful> {
        dispatcher.news().await;
        let [first, second] = [0, 1].map(clustersim::workflow::TaskNumber);
        match &*self.0 {
            "place before its parent" => dispatcher.place(second, Core(0)),
            "place twice" => {
                dispatcher.place(first, Core(0))?;
                dispatcher.place(first, Core(1))
            }
            "place over a void pair" => {
                dispatcher.place(first, Core(0))?;
                dispatcher.place(second, Core(2))
            }
            "place nowhere" => dispatcher.place(first, Core(9)),
            _ => Ok(()),
        }
    }
}

#[test]
fn an_answer_that_cannot_be_executed_ends_the_run_and_names_scheduler_task_and_instant() {
    let mut registry = clustersim::system::standard();
    registry.add::<dyn Scheduler>("scheduler", WRONG);
    let graph = "node a 10\nnode b 10\nedge a b 1000000\ntime b fast 1\ntime b slow 1\ntime b apart 1\n";
    let own = Crate::new(registry, graph);
    let more =
        "[[platform.host]]\nname = 'apart'\nspeed = '1Gf'\n[[platform.host]]\nname = 'weak'\nspeed = '1Gf'\n";
    own.place
        .file("scenario.toml", SCENARIO.replace("[[platform.link]]", &format!("{more}[[platform.link]]")));
    let unlawful = "scheduler `wrong` made an unlawful plan at 0 s: ";
    for (what, begins, parts) in [
        (
            "void pair",
            unlawful,
            "task `b` is on host `apart`, where nothing can be sent from host `fast` of its parent `a`",
        ),
        ("twice", unlawful, "task `a` is planned twice"),
        (
            "before its parent",
            unlawful,
            "tasks would wait for each other: `a` for `b` before it on its core, `b` for its parent `a`",
        ),
        ("unknown host", unlawful, "task `b` is on core 9 of 4"),
        ("unknown task", unlawful, "task `9` is not to be planned now"),
        ("left out", unlawful, "task `b` is left out"),
        ("cannot run", unlawful, "task `b` is on host `weak`, which cannot run it"),
        ("anything else", "scheduler `wrong` has no plan at 0 s: ", "it does not want to"),
        ("place before its parent", unlawful, "task `b` is placed before its parent `a`"),
        ("place twice", unlawful, "task `a` is not to be planned now"),
        (
            "place over a void pair",
            unlawful,
            "task `b` is on host `apart`, where nothing can be sent from host `fast` of its parent `a`",
        ),
        ("place nowhere", unlawful, "task `a` is on core 9 of 4"),
        ("place nothing", "scheduler `wrong` has no plan at 0 s: ", "it ended while tasks have no place"),
    ] {
        let key = format!("scheduler={{ kind = 'wrong', what = '{what}' }}");
        let text = String::from_utf8(own.place.read("scenario.toml")).unwrap();
        let written = from_text("scenario.toml", text, Path::new(&own.path("")), &[Override::set(&key)]);
        let scenario = check(&own.registry, written).unwrap();
        let run = scenario.system.assemble(&own.registry, &scenario).unwrap().run;
        let error = run.run(&Session::default()).map(|_| what).unwrap_err().to_string();
        assert!(error.contains(&format!("{begins}{parts}")), "{what}: {error}");
        let out = own.path("refused");
        let words = ["run", &own.path("scenario.toml"), "-q", "--no-progress", "-o", &out, "--set", &key];
        assert_eq!(own.status(&words), 1, "{what}");
    }
}
