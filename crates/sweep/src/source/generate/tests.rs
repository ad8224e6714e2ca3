//! Generated applications: what is shared by each rule, and what moves no draw of another law.

use crate::kernel::rng::Streams;
use crate::model::application::{Sweep, SweepFile, SweepTask};
use crate::registry::{Complaint, Node, Params, Registry, Sources, Span, Value, check, parse_file};
use crate::registry::{Key, Kind};
use crate::source::{self, GridMeans, SweepRequest, SweepSource};

const KEYS: &[Key] = &[Key::new("application", Kind::Component("sweep"))];

fn load(text: &str, grid: Option<GridMeans>) -> Result<Sweep, Vec<String>> {
    let mut registry = Registry::new();
    registry.table(crate::distribution::table()).table(source::table());
    let mut sources = Sources::new("");
    let id = sources.add("test.toml", text, "");
    let mut complaints: Vec<Complaint> = Vec::new();
    let tree = parse_file(text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    let messages = |complaints: Vec<Complaint>| -> Vec<String> {
        complaints.into_iter().map(|complaint| complaint.message).collect()
    };
    let Some(node) = check(&registry, &sources, &node, KEYS, &mut complaints) else {
        return Err(messages(complaints));
    };
    let params = Params::new(&registry, &sources, &node);
    let source = params.component::<dyn SweepSource>("application", "sweep").expect("checked");
    let request = SweepRequest { grid, ..SweepRequest::new(Streams::new(1999, 0), "test") };
    source.load(&request).map(|loaded| loaded.sweep).map_err(messages)
}

fn inputs(sweep: &Sweep) -> Vec<Vec<u32>> {
    sweep.tasks.iter().map(|task| task.inputs.iter().map(|file| file.0).collect()).collect()
}

/// The application of figure 11 of the report.
const FIGURE_11: &str = r#"[application]
kind  = "generated"
tasks = 400
time  = { kind = "uniform", low = "90s", high = "110s" }
output = { kind = "uniform", low = "8kB", high = "12kB" }
files = [
    { name = "shared", sharing = { chunk = 50 }, size = "4800kB" },
    { name = "own", sharing = "private", count = 2, size = { kind = "uniform", low = "8kB", high = "12kB" } },
]
"#;

#[test]
fn the_application_of_figure_11_is_drawn() {
    let sweep = load(FIGURE_11, None).expect("an application");
    assert_eq!((sweep.tasks.len(), sweep.files.len()), (400, 8 + 800 + 400));
    assert!(sweep.files[..8].iter().all(|file| file.bytes == 4_800_000));
    assert!(sweep.files[8..].iter().all(|file| (8_000..=12_000).contains(&file.bytes)));
    assert_eq!(inputs(&sweep)[399], [7, 8 + 798, 8 + 799]);
    assert_eq!((&*sweep.files[7].name, &*sweep.files[1207].name), ("shared-7", "output-399"));
    let mean = sweep.tasks.iter().map(|task| task.times[0].real).sum::<f64>() / 400.0;
    assert!((mean - 100.0).abs() < 1.5, "{mean}");
    let is_known =
        |time: &crate::model::application::TaskTime| time.real.to_bits() == time.estimated.to_bits();
    assert!(sweep.tasks.iter().all(|task| task.times.len() == 1 && is_known(&task.times[0])));
    // another size of the shared files moves nothing else, nor does the preset of the same laws
    let smaller = load(&FIGURE_11.replace("4800kB", "0B"), None).expect("an application");
    assert_eq!((&smaller.tasks, &smaller.files[8..]), (&sweep.tasks, &sweep.files[8..]));
    assert_eq!(load("application = \"mcell\"", None).expect("a preset"), sweep);
    let ins2d = load("application = \"ins2d\"", None).expect("a preset");
    assert_eq!((ins2d.files.len(), inputs(&ins2d)[399].clone()), (1200, vec![798, 799]));
}

fn shared_by(rule: &str, more: &str) -> Result<Vec<Vec<u32>>, Vec<String>> {
    let files = format!("files = [{{ name = \"f\", size = \"1B\", {rule} }}]");
    let text = format!("[application]\nkind = \"generated\"\n{more}\n{files}\n");
    load(&text, None).map(|sweep| inputs(&sweep))
}

#[test]
fn each_rule_shares_files_in_its_manner() {
    let six = "tasks = 6";
    assert_eq!(shared_by("sharing = \"all\", count = 2", six), Ok(vec![vec![0, 1]; 6]));
    let chunks = [0, 0, 0, 0, 1, 1].map(|file| vec![file]).into();
    assert_eq!(shared_by("sharing = { chunk = 4 }", six), Ok(chunks));
    let grid = [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4]].map(Vec::from).into();
    assert_eq!(shared_by("sharing = { grid = [2, 3] }", six), Ok(grid));
    let drawn = shared_by("sharing = { random = 3 }, count = 8", "tasks = 200").expect("an application");
    let is_set =
        |files: &Vec<u32>| files.len() == 3 && files.windows(2).all(|pair| pair[0] < pair[1]) && files[2] < 8;
    assert!(drawn.iter().all(is_set));
    let count = |drawn: &[Vec<u32>], file| drawn.iter().filter(|files| files.contains(&file)).count();
    assert!((50..100).contains(&count(&drawn, 7)), "{}", count(&drawn, 7));
    let popular = shared_by("sharing = { random = 3, zipf = 1 }, count = 8", "tasks = 200").expect("a law");
    assert!(popular.iter().all(is_set));
    assert!(count(&popular, 0) > 120 && count(&popular, 7) < 60);
    let steep = shared_by("sharing = { random = 3, zipf = 50 }, count = 8", six).expect("it ends");
    assert_eq!(steep, vec![vec![0, 1, 2]; 6]);
}

#[test]
fn perturbed_tasks_read_another_file_of_the_class() {
    let plain = shared_by("sharing = { chunk = 50 }", "tasks = 400").expect("an application");
    let swapped = shared_by("sharing = { chunk = 50 }", "tasks = 400\nperturb = \"25%\"").expect("a share");
    assert_eq!(plain.iter().zip(&swapped).filter(|(one, two)| one != two).count(), 100);
    assert!(swapped.iter().all(|files| files.len() == 1 && files[0] < 8));
    // there is no other file
    let all = shared_by("sharing = \"all\"", "tasks = 6\nperturb = 1.0").expect("an application");
    assert_eq!(all, vec![vec![0]; 6]);
}

#[test]
fn times_are_by_architecture_and_estimates_by_their_errors() {
    let text = "application = { kind = \"ins2d\", tasks = 4, time = \"10s\", architectures = 2, classes = 2, \
                affinity = { kind = \"empirical\", values = [1, 2, 4] }, estimate-error = 0.5, output-error = 2 }";
    let sweep = load(text, None).expect("an application");
    let times: Vec<Vec<f64>> =
        sweep.tasks.iter().map(|task| task.times.iter().map(|time| time.real).collect()).collect();
    assert_eq!((&times[0], &times[2]), (&times[1], &times[3]));
    assert!(times.iter().flatten().all(|time| [10.0, 20.0, 40.0].contains(time)));
    let halves =
        |time: &crate::model::application::TaskTime| (time.estimated * 2.0).to_bits() == time.real.to_bits();
    assert!(sweep.tasks.iter().flat_map(|task| &task.times).all(halves));
    assert!(sweep.files[8..].iter().all(|file| file.estimated == 2 * file.bytes));
    let two =
        load("application = { kind = \"ins2d\", tasks = 1, times = [\"1s\", \"2s\"] }", None).expect("two");
    assert_eq!(
        format!("{:?}", two.tasks[0].times.iter().map(|time| time.real).collect::<Vec<_>>()),
        "[1.0, 2.0]"
    );
}

#[test]
fn outputs_follow_from_inputs() {
    let files = "files = [{ name = \"s\", sharing = { chunk = 2 }, size = \"100B\" }, \
                 { name = \"own\", size = { kind = \"uniform\", low = \"0B\", high = \"50B\" } }]";
    let bytes = |more: &str| {
        let text = format!("application = {{ kind = \"generated\", tasks = 4, {files}, {more} }}");
        let sweep = load(&text, None).expect("an application");
        let read = |task: &SweepTask| task.inputs.iter().map(|file| sweep.file(*file).bytes).sum::<u64>();
        let wrote = |task: &SweepTask| task.outputs.iter().map(|file| sweep.file(*file)).cloned().collect();
        sweep.tasks.iter().map(|task| (read(task), wrote(task))).collect::<Vec<(u64, Vec<SweepFile>)>>()
    };
    let tasks = bytes("output-of-inputs = 2, output = \"7B\", output-error = 0.5");
    assert!(tasks.iter().any(|(read, _)| *read != tasks[0].0), "inputs differ");
    for (read, wrote) in tasks {
        let known = (wrote[0].bytes, wrote[0].estimated);
        assert_eq!(known, (2 * read + 7, (f64::from(2 * read as u32 + 7) * 0.5).round() as u64));
    }
    // a share is enough for an output, and none is as it was
    assert!(
        bytes("output-of-inputs = \"10%\"")
            .iter()
            .all(|(read, wrote)| wrote[0].bytes.abs_diff(read / 10) <= 1)
    );
    assert!(bytes("output-of-inputs = 0").iter().all(|(_, wrote)| wrote.is_empty()));
}

#[test]
fn tasks_arrive_in_batches() {
    let arrivals = "{ kind = \"constant\", value = \"5s\", batch = 2, known = 1 }";
    let text = format!("application = {{ kind = \"ins2d\", tasks = 6, arrivals = {arrivals} }}");
    let sweep = load(&text, None).expect("an application");
    let seconds: Vec<u64> = sweep.tasks.iter().map(|task| task.arrival.as_nanos() / 1_000_000_000).collect();
    assert_eq!(seconds, [0, 5, 5, 10, 10, 15]);
}

#[test]
fn sizes_are_scaled_to_a_ratio() {
    let grid = GridMeans { clusters: 3, bandwidth: 1e4, availability: 11.8 };
    let text = FIGURE_11.replace("tasks = 400", "tasks = 400\nccr = 0.5");
    let sweep = load(&text, Some(grid)).expect("an application");
    let found = crate::source::scaled::ccr(&sweep, grid);
    assert!((found - 0.5).abs() < 1e-4, "{found}");
    let refused = load(&text, None).expect_err("no grid");
    assert_eq!(refused, ["sizes are scaled to a grid, and there is none"]);
}

#[test]
fn what_contradicts_is_reported() {
    let only = |rule: &str, more: &str| shared_by(rule, more).expect_err("a mistake").remove(0);
    let both = "files are shared by one rule, and here are chunk and random";
    assert_eq!(only("sharing = { chunk = 2, random = 1 }", ""), both);
    assert_eq!(only("sharing = {}", ""), "nothing says how the files are shared");
    let few = "each task draws 2 files of a class that has 1";
    assert_eq!(only("sharing = { random = 2 }", ""), few);
    assert_eq!(only("sharing = { grid = [3, 3] }", "tasks = 8"), "8 tasks do not fill 3 rows of 3");
    let unpopular = "only files that are drawn are popular by a law";
    assert_eq!(only("sharing = { chunk = 2, zipf = 1 }", ""), unpopular);
    assert_eq!(only("count = 1000000", "tasks = 1000"), "the tasks would name more than 100000000 files");
    let twice = "`times` are given, and `time` is, too";
    assert_eq!(only("count = 1", "times = [\"1s\"]\ntime = \"1s\""), twice);
    let none = "an estimate of 0 s for a time of 1 s";
    assert_eq!(only("count = 1", "estimate-error = 0\ntasks = 1\ntime = \"1s\""), none);
}
