//! Task graphs of others: every file loads, the cyclic ones are refused, and what is written is
//! read again.

use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};

use clustersim_language::registry::Complaint;
use clustersim_workflow::read::{GraphFormat, LoadedWorkflow, ReadOptions, read};
use clustersim_workflow::report::GraphReport;
use clustersim_workflow::write::{WriteOptions, losses, write};
use clustersim_workflow::{MeanCosts, TaskNumber, Workflow};

use clustersim_testing::evidence;
use clustersim_testing::program::repository;

/// The files of others, by name within `workflows`; each once, wherever it lies.
fn files() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for folder in ["dax", "dot", "stg", "wfformat", "wfformat-old"] {
        for root in ["tests/data/public/workflows", "../shared/data/workflows"] {
            let entries = fs::read_dir(repository(root).join(folder)).into_iter().flatten();
            for path in entries.map(|entry| entry.unwrap().path()) {
                let name = path.file_name().unwrap().to_str().unwrap();
                let name = format!("{folder}/{}", name.trim_end_matches(".gz"));
                if found.iter().all(|(known, _)| *known != name) {
                    found.push((name, path));
                }
            }
        }
    }
    found.sort();
    assert!(found.len() >= 25, "only {} files", found.len());
    found
}

fn load(path: &Path) -> Result<LoadedWorkflow, Vec<Complaint>> {
    read(File::open(path).unwrap(), path.to_str().unwrap(), None, &ReadOptions::default())
}

fn good(path: &Path) -> Workflow {
    load(path).unwrap_or_else(|found| panic!("{}: {found:?}", path.display())).workflow
}

fn is_cyclic(name: &str) -> bool {
    name.contains("cycle.")
}

#[test]
fn every_file_loads_but_the_cyclic_ones() {
    let files = files();
    for (name, path) in files.iter().filter(|(name, _)| !is_cyclic(name)) {
        let workflow = good(path);
        let mut levels = vec![0; workflow.tasks().len()];
        for (place, task) in workflow.order().iter().enumerate() {
            levels[task.index()] = place;
        }
        assert!(
            workflow.edges().iter().all(|edge| levels[edge.from.index()] < levels[edge.to.index()]),
            "{name}"
        );
        assert!(
            workflow.edges().windows(2).all(|pair| (pair[0].from, pair[0].to) < (pair[1].from, pair[1].to))
        );
        for task in workflow.numbers() {
            assert_eq!(workflow.find(&workflow.task(task).name), Some(task), "{name}");
        }
    }
    let shown = |name: &str| {
        let (_, path) = files.iter().find(|(known, _)| known == name).unwrap();
        let complaint = load(path).expect_err("it is cyclic").remove(0);
        let at = complaint.excerpt.unwrap();
        format!("{}[{}] {}", at.line, &at.text[at.range.clone()], complaint.message)
    };
    assert_eq!(shown("dax/simple_dax_with_cycle.xml"), "21[3] the tasks form a cycle: 1 -> 3 -> 1");
    assert_eq!(
        shown("dot/dag_with_cycle.dot"),
        "21[1] the tasks form a cycle: 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 1"
    );
}

#[test]
fn known_files_have_their_tasks_edges_and_bytes() {
    let figures = |name: &str| {
        let (_, path) = files().into_iter().find(|(known, _)| known == name).unwrap();
        let LoadedWorkflow { workflow, irregularities, .. } = load(&path).unwrap();
        let found: Vec<String> = irregularities.iter().map(|one| one.what.words(one.count)).collect();
        let report = GraphReport::new(&workflow, &MeanCosts::default());
        (report.tasks, report.edges, report.depth(), report.bytes, found)
    };
    let none = Vec::new;
    assert_eq!(figures("dot/dag_simple.dot"), (3, 2, 2, 500_000_000, none()));
    assert_eq!(figures("wfformat/simgrid-dag.json"), (3, 2, 2, 500_000_000, none()));
    assert_eq!(figures("wfformat/helloworld-chain-5-chameleon.json"), (5, 4, 5, 4 * 16_666_667, none()));
    assert_eq!(figures("dax/dag.xml"), (3, 2, 2, 500_000_000, none()));
    let (tasks, _, _, _, found) = figures("dax/Montage_100.xml");
    assert_eq!((tasks, found.len()), (100, 2), "{found:?}");
    assert_eq!(found[0], "2 files have several writers: each is a parent of each reader");
    assert_eq!(found[1], "360 sizes of files differ from the first one written, which counts");
    let (tasks, edges, depth, bytes, found) = figures("stg/n50-rand0000.stg");
    assert_eq!((tasks, edges, bytes, found.len()), (50, 96, 0, 0), "{depth}");
}

#[test]
fn tasks_and_work_are_those_of_an_independent_reader() {
    let Some(path) = evidence::needed("reference/dag/heft.json") else { return };
    let rows: Vec<serde_json::Value> = serde_json::from_str(&evidence::text(&path)).unwrap();
    let files = files();
    for row in rows {
        let file = row["file"].as_str().unwrap().trim_end_matches(".gz");
        let Some((name, path)) = files.iter().find(|(name, _)| *name == format!("wfformat/{file}")) else {
            continue;
        };
        let workflow = good(path);
        let seconds: f64 = workflow.tasks().iter().map(|task| task.work / 1e10).sum();
        assert_eq!(workflow.tasks().len() as u64, row["tasks"].as_u64().unwrap(), "{name}");
        assert!((seconds / row["total_work_s"].as_f64().unwrap() - 1.0).abs() < 1e-9, "{name}: {seconds}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    for (name, path) in
        files().into_iter().filter(|(name, path)| !is_cyclic(name) && path.metadata().unwrap().len() < 12_000)
    {
        let workflow = good(&path);
        for format in GraphFormat::ALL {
            let mut bytes = Vec::new();
            write(&workflow, format, &WriteOptions::default(), &mut bytes).unwrap();
            let again = read(Cursor::new(bytes), &name, Some(format), &ReadOptions::default());
            let again = again.unwrap_or_else(|found| panic!("{name} as {format:?}: {found:?}")).workflow;
            let ends = |workflow: &Workflow| {
                workflow.edges().iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>()
            };
            assert_eq!(ends(&again), ends(&workflow), "{name} as {format:?}");
            for (one, other) in workflow.tasks().iter().zip(again.tasks()) {
                assert!((one.work - other.work).abs() <= 1e-12 * one.work, "{name} as {format:?}");
                assert!(format == GraphFormat::Stg || one.name == other.name, "{name} as {format:?}");
            }
            let carried = |workflow: &Workflow| {
                workflow.edges().iter().map(|edge| edge.bytes.unwrap_or(0)).sum::<u64>()
            };
            if format != GraphFormat::Stg {
                assert_eq!(carried(&again), carried(&workflow), "{name} as {format:?}");
            }
            if losses(&workflow, format).is_empty() && again.files() == workflow.files() {
                assert_eq!(
                    (again.edges(), again.inputs()),
                    (workflow.edges(), workflow.inputs()),
                    "{name} as {format:?}"
                );
            }
        }
    }
}

#[test]
fn worked_graphs_have_their_bounds() {
    let graph = |name: &str| good(&repository("tests/data/workflows").join(name));
    let path = |name: &str| {
        let report = GraphReport::new(&graph(name), &MeanCosts::default());
        (report.path.iter().map(|task| task.0 + 1).collect::<Vec<_>>(), report.path_seconds, report.bytes)
    };
    assert_eq!(path("k9.dag"), (vec![1, 4, 8, 9], 11.0, 37));
    assert_eq!(path("f6.dag"), (vec![1, 2, 6], 10.0, 24));
    assert_eq!(path("m7.dag"), (vec![1, 3, 6, 7], 23.0, 45));
    let t10 = graph("t10.dag");
    let least = |task: TaskNumber| {
        let times = t10.task(task).times.as_ref().unwrap();
        times.iter().map(|(_, seconds)| *seconds).fold(f64::INFINITY, f64::min)
    };
    let (path, seconds) = clustersim_workflow::report::longest_path(&t10, least);
    assert_eq!((path.iter().map(|task| task.0 + 1).collect::<Vec<_>>(), seconds), (vec![1, 2, 9, 10], 41.0));
    let area: f64 = t10.numbers().map(least).sum::<f64>() / 3.0;
    assert!((area - 30.333).abs() < 1e-3, "{area}");
}
