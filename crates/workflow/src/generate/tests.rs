//! Sizes and shapes of every family, and what their keys do.

use crate::distribution;
use crate::kernel::rng::Streams;
use crate::registry::{
    Complaint, Key, Kind, Node, Params, Registry, Sources, Span, Value, check, parse_file,
};
use crate::report::GraphReport;
use crate::source::{CopyRequest, WorkflowSource};
use crate::{MeanCosts, Workflow, applications};

const APPLICATION: &[Key] = &[Key::new("a", Kind::Component("application"))];

fn source(text: &str) -> Result<Box<dyn WorkflowSource>, Vec<Complaint>> {
    let mut registry = Registry::new();
    registry.table(applications()).table(distribution::table());
    let mut sources = Sources::new("");
    let id = sources.add("test.toml", text, "");
    let mut complaints = Vec::new();
    let tree = parse_file(text, id, &mut complaints);
    let node = Node::new(Value::Table(tree), Span::new(id, 0..0));
    match check(&registry, &sources, &node, APPLICATION, &mut complaints) {
        Some(node) if complaints.is_empty() => {
            let params = Params::new(&registry, &sources, &node);
            params.component("a", "application").map_err(Into::into)
        }
        _ => Err(complaints),
    }
}

fn graph(keys: &str) -> Workflow {
    let source = source(&format!("a = {{ {keys} }}")).unwrap_or_else(|found| panic!("{keys}: {found:?}"));
    let request = CopyRequest::new(Streams::new(1, 0), "test");
    source.load(&request).expect("a graph").workflow
}

/// Tasks, edges, depth and width.
fn shape(keys: &str) -> [u64; 4] {
    let report = GraphReport::new(&graph(keys), &MeanCosts::default());
    [report.tasks, report.edges, report.depth(), report.width()]
}

#[test]
fn regular_families_have_their_shapes() {
    for (keys, expected) in [
        ("kind = \"chain\", tasks = 5", [5, 4, 5, 1]),
        ("kind = \"independent\", tasks = 7", [7, 0, 1, 7]),
        ("kind = \"fork-join\", stages = 2, width = 3", [9, 12, 5, 3]),
        ("kind = \"out-tree\", levels = 3, degree = 3", [13, 12, 3, 9]),
        ("kind = \"in-tree\", levels = 3, degree = 2", [7, 6, 3, 4]),
        // (n² + n - 2) / 2 tasks, depth 2 (n - 1)
        ("kind = \"gaussian-elimination\", size = 5", [14, 19, 8, 4]),
        // 2m - 1 + m k tasks of m = 2^k points
        ("kind = \"fft\", levels = 2", [15, 22, 5, 4]),
        ("kind = \"lu\", tiles = 2", [5, 5, 4, 2]),
        ("kind = \"cholesky\", tiles = 3", [10, 12, 7, 3]),
        ("kind = \"stencil\", rows = 3, columns = 4", [12, 17, 6, 3]),
        ("kind = \"montage-like\", images = 4", [4 + 6 + 2 + 4 + 4, 12 + 6 + 1 + 8 + 8 + 3, 9, 6]),
        ("kind = \"layered\", tasks = 30, levels = 10, parents = 2", [30, 54, 10, 3]),
        ("kind = \"layered\", tasks = 9, fat = 0", [9, 8, 9, 1]),
    ] {
        assert_eq!(shape(keys), expected, "{keys}");
    }
}

#[test]
fn random_families_keep_their_bounds() {
    let random = graph("kind = \"random\", tasks = 200");
    for task in random.numbers() {
        let parents: Vec<u32> = random.parents(task).map(|parent| parent.0).collect();
        assert!(
            parents.len() <= 3 && parents.iter().all(|parent| task.0 - parent <= 6),
            "{task:?}: {parents:?}"
        );
        assert!(task.0 == 0 || !parents.is_empty());
    }
    let work = random.tasks().iter().map(|task| task.work);
    assert!(work.clone().all(|work| (2e10..1e11).contains(&work)) && work.sum::<f64>() / 200.0 > 5e10);
    let layered = graph("kind = \"layered\", tasks = 200, jump = 3, regular = 0.2");
    let levels = crate::report::levels(&layered);
    for edge in layered.edges() {
        assert!((1..=3).contains(&(levels[edge.to.index()] - levels[edge.from.index()])));
    }
}

#[test]
fn changing_one_law_moves_no_draw_of_another() {
    let (plain, other) =
        ("kind = \"random\"", "kind = \"random\", data = { kind = \"exponential\", mean = \"1MB\" }");
    let (one, two) = (graph(plain), graph(other));
    assert_eq!(one.tasks(), two.tasks());
    let ends =
        |workflow: &Workflow| workflow.edges().iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>();
    assert_eq!(ends(&one), ends(&two));
    assert_ne!(one.edges(), two.edges());
    let source = source(&format!("a = {{ {plain} }}")).expect("valid");
    let request = CopyRequest::new(Streams::new(1, 0), "test");
    let copy = |copy| source.load(&CopyRequest { copy, ..request }).expect("a graph").workflow;
    assert_eq!(copy(0), one);
    assert_ne!(copy(1).tasks(), one.tasks());
    assert_ne!(copy(1).tasks(), copy(2).tasks());
}

#[test]
fn data_are_scaled_and_costs_made_unrelated() {
    let means = MeanCosts { speed: 1e9, latency: 0.5, seconds_per_byte: 1e-6 };
    let text = "a = { kind = \"fork-join\", width = 8, ccr = 2, beta = 0.5 }";
    let source = source(text).expect("valid");
    let request = CopyRequest { hosts: &["h", "g"], means, ..CopyRequest::new(Streams::new(1, 0), "test") };
    let workflow = source.load(&request).expect("a graph").workflow;
    let ratio = means.ccr(&workflow).expect("it computes");
    assert!((ratio - 2.0).abs() < 1e-6, "{ratio}");
    for task in workflow.tasks() {
        for host in ["h", "g"] {
            let share = task.seconds_on(host, 1.0).expect("every host") / (task.work / 1e9);
            assert!((0.75..1.25).contains(&share), "{share}");
        }
    }
    let slow = CopyRequest { means: MeanCosts { latency: 1e6, ..means }, ..request };
    let complaint = source.load(&slow).expect_err("latencies alone are more").remove(0);
    assert_eq!(&text[complaint.span.expect("a place").range()], "2");
}

#[test]
fn what_is_too_large_is_refused_before_it_is_made() {
    for keys in [
        "kind = \"stencil\", rows = 10000, columns = 10000",
        "kind = \"in-tree\", levels = 100",
        "kind = \"layered\", tasks = 10000000, fat = 1.0, levels = 2",
        "kind = \"layered\", tasks = 2, levels = 3",
        "kind = \"fork-join\", stages = 10000, width = 10000",
    ] {
        assert!(source(&format!("a = {{ {keys} }}")).is_err(), "{keys}");
    }
}

#[test]
fn every_application_is_documented() {
    for entry in applications().entries() {
        assert!(
            !entry.about.is_empty() && entry.keys.iter().all(|key| !key.about.is_empty()),
            "{}",
            entry.name
        );
    }
    let files = source("a = { kind = \"dax\", file = \"nothing.dax\" }").expect("valid");
    assert!(!files.draws() && files.inputs()[0].0 == "nothing.dax");
    let complaint =
        files.load(&CopyRequest::new(Streams::new(1, 0), "a")).expect_err("no such file").remove(0);
    assert_eq!(complaint.message, "cannot read `nothing.dax`: there is no such file");
}
