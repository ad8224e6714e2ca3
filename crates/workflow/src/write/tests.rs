//! Graphs that are written and read again.

use std::io::Cursor;

use serde_json::Value;

use super::*;
use crate::read::{ReadOptions, read};

const RICH: &str = "DagDescription 1\nnode r 0 root\nnode a 2\nnode b 3.5\nnode c 0\nnode e 0 end\nedge r a 8\nedge a b 10\nedge a c 0\n\
                    edge b c\nedge c e 4\ntime b h1 4\n";

fn again(workflow: &Workflow, format: GraphFormat) -> Workflow {
    let mut bytes = Vec::new();
    write(workflow, format, &WriteOptions::default(), &mut bytes).expect("memory");
    let options = ReadOptions { cores: true, ..ReadOptions::default() };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    read(Cursor::new(bytes), workflow.name(), Some(format), &options)
        .unwrap_or_else(|found| panic!("{found:?}\n{text}"))
        .workflow
}

fn load(text: &str) -> Workflow {
    read(Cursor::new(text), "rich", None, &ReadOptions::default()).expect("a graph").workflow
}

#[test]
fn each_format_gives_back_what_it_holds() {
    let rich = load(RICH);
    assert_eq!(
        losses(&rich, GraphFormat::DagText).iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["the names of files are left out: only their bytes are written (2 files)"]
    );
    let same = again(&rich, GraphFormat::DagText);
    assert_eq!(
        (same.tasks(), same.edges(), same.root(), same.end()),
        (rich.tasks(), rich.edges(), Some("r"), Some("e"))
    );
    assert_eq!((same.inputs()[0].bytes, same.outputs()[0].bytes), (8, 4));
    let bytes = |workflow: &Workflow| workflow.edges().iter().map(|edge| edge.bytes).collect::<Vec<_>>();
    for (format, carried) in [
        (GraphFormat::Dax, [Some(10), Some(0), Some(0)]),
        (GraphFormat::Pegasus, [Some(10), Some(0), Some(0)]),
        (GraphFormat::WfFormat, [Some(10), Some(0), Some(0)]),
        (GraphFormat::Dot, [Some(10), None, None]),
        (GraphFormat::Stg, [None, None, None]),
    ] {
        let other = again(&rich, format);
        assert_eq!(bytes(&other), carried, "{format:?}");
        let works = |workflow: &Workflow| {
            workflow.tasks().iter().map(|task| task.mean_seconds(1e10)).collect::<Vec<_>>()
        };
        assert_eq!(works(&other), works(&rich), "{format:?}");
        let is_out = format == GraphFormat::Stg;
        assert_eq!(other.inputs().len() + other.outputs().len(), if is_out { 0 } else { 2 }, "{format:?}");
        let is_mean = |loss: &Loss| loss.what == "execution times on single hosts become their mean";
        assert!(losses(&rich, format).iter().any(is_mean));
        // what was lost is lost once
        assert_eq!(again(&other, format).edges(), other.edges(), "{format:?}");
    }
    let lost = losses(&rich, GraphFormat::Stg);
    assert_eq!(lost.len(), 4, "{lost:?}");
}

#[test]
fn odd_names_come_back() {
    let text = "{\"workflow\": {\"tasks\": [{\"name\": \"a b\", \"runtime\": 1}, {\"name\": \"\\\"q\\\" <&> \\\\n\", \"runtime\": 2, \
                \"parents\": [\"a b\"]}, {\"name\": \"a_b\", \"runtime\": 2}, {\"name\": \"root\", \"runtime\": 2, \"files\": \
                [{\"name\": \"f\", \"link\": \"input\", \"size\": 3}]}]}}";
    let odd = load(text);
    let names =
        |workflow: &Workflow| workflow.tasks().iter().map(|task| task.name.to_string()).collect::<Vec<_>>();
    for format in [GraphFormat::Dax, GraphFormat::Dot, GraphFormat::Pegasus] {
        let other = again(&odd, format);
        assert_eq!(
            (names(&other), other.edges().len(), other.inputs().len()),
            (names(&odd), 1, 1),
            "{format:?}"
        );
    }
    // an id of WfFormat has letters, digits and three signs
    let plain = again(&odd, GraphFormat::WfFormat);
    assert_eq!(names(&plain), ["a_b_1", "_q_______n", "a_b", "root"]);
    assert_eq!((plain.edges().len(), plain.inputs().len()), (1, 1));
    let categories: Vec<_> = plain.tasks().iter().map(|task| task.category.as_deref()).collect();
    assert_eq!(categories[..3], [Some("a b"), Some("\"q\" <&> \\n"), None]);
    let lost: Vec<String> = losses(&odd, GraphFormat::WfFormat).iter().map(ToString::to_string).collect();
    assert_eq!(lost, ["signs in names that an id may not have become underscores (2 tasks and files)"]);
    let lost: Vec<String> = losses(&odd, GraphFormat::DagText).iter().map(ToString::to_string).collect();
    assert_eq!(lost[0], "blanks in names become underscores (2 tasks)");
    assert_eq!(names(&again(&odd, GraphFormat::DagText)), ["a_b_1", "\"q\"_<&>_\\n_2", "a_b", "root"]);
}

/// Of a value: is it of the kind that the schema asks for?
type Kind = fn(&Value) -> bool;

/// The value has the keys of an object of the schema, each of its kind.
fn has(value: &Value, keys: &[(&str, Kind)]) {
    for (key, is_right) in keys {
        assert!(value.get(key).is_some_and(is_right), "`{key}` of {value}");
    }
}

#[test]
fn what_is_written_has_what_the_schema_of_wfcommons_requires() {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let is_id = |value: &Value| {
        let is_sign = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        value.as_str().is_some_and(|text| !text.is_empty() && text.chars().all(is_sign))
    };
    let are_ids = |value: &Value| {
        value.as_array().is_some_and(|all| {
            all.iter().all(|one| {
                one.as_str()
                    .is_some_and(|text| text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)))
            })
        })
    };
    let is_list = |value: &Value| value.as_array().is_some_and(|all| !all.is_empty());
    let odd = "digraph { \"a b\" [size=1e10]; \"a_b\" [size=2e10]; \"é->\" [size=1e10 category=\"x y\"]; \"a b\" -> a_b [size=5]; \
               a_b -> \"é->\" }";
    for graph in [load(RICH), load(odd)] {
        let mut bytes = Vec::new();
        write(&graph, GraphFormat::WfFormat, &WriteOptions::default(), &mut bytes).expect("memory");
        let all: Value = serde_json::from_slice(&bytes).expect("JSON");
        has(
            &all,
            &[("name", is_text), ("schemaVersion", |value| value == "1.5"), ("workflow", Value::is_object)],
        );
        let [specification, execution] = ["specification", "execution"].map(|key| &all["workflow"][key]);
        has(specification, &[("tasks", is_list), ("files", Value::is_array)]);
        for task in specification["tasks"].as_array().expect("a list") {
            has(task, &[("name", is_text), ("id", is_id), ("parents", are_ids), ("children", are_ids)]);
            has(task, &[("inputFiles", are_ids), ("outputFiles", are_ids)]);
        }
        for file in specification["files"].as_array().expect("a list") {
            has(file, &[("id", is_id), ("sizeInBytes", Value::is_u64)]);
        }
        has(
            execution,
            &[("makespanInSeconds", Value::is_number), ("executedAt", is_text), ("tasks", is_list)],
        );
        for task in execution["tasks"].as_array().expect("a list") {
            has(task, &[("id", is_id), ("runtimeInSeconds", Value::is_number)]);
            has(task, &[("coreCount", |count| count.as_u64() >= Some(1))]);
        }
        let longest = if graph.find("a b").is_some() { 4.0 } else { 6.0 };
        assert_eq!(
            execution["makespanInSeconds"].as_f64().map(|seconds| (seconds - longest).abs() < 1e-9),
            Some(true),
            "{execution}"
        );
    }
}

#[test]
fn version_1_6_is_1_5_with_metrics() {
    let text = "{\"name\": \"g\", \"schemaVersion\": \"1.6\", \"workflow\": {\"specification\": {\"metrics\": {\"tasks\": 1}, \"tasks\": [{\"name\": \"p\", \
                \"id\": \"a\", \"parents\": [], \"children\": [], \"metrics\": {\"runtimeInSeconds\": 9}}]}, \"execution\": {\"metrics\": {}, \"tasks\": \
                [{\"id\": \"a\", \"runtimeInSeconds\": 2}]}}}";
    let graph = load(text);
    assert_eq!((graph.tasks().len(), graph.tasks()[0].work.to_bits()), (1, 2e10_f64.to_bits()));
}

#[test]
fn cores_come_back_from_each_format_that_has_them() {
    let text = "{\"workflow\": {\"tasks\": [{\"name\": \"a\", \"runtime\": 1, \"cores\": 4}, {\"name\": \"b\", \"runtime\": 2, \
                \"parents\": [\"a\"]}, {\"name\": \"c\", \"runtime\": 3, \"cores\": 2}]}}";
    let options = ReadOptions { cores: true, ..ReadOptions::default() };
    let wide = read(Cursor::new(text), "wide", None, &options).expect("a graph").workflow;
    let cores = |workflow: &Workflow| workflow.tasks().iter().map(|task| task.cores).collect::<Vec<_>>();
    assert_eq!(cores(&wide), [4, 1, 2]);
    let sentence = "the cores that tasks ask for are left out (2 tasks)";
    for format in GraphFormat::ALL {
        let holds = !matches!(format, GraphFormat::DagText | GraphFormat::Stg);
        assert_eq!(cores(&again(&wide, format)), if holds { [4, 1, 2] } else { [1; 3] }, "{format:?}");
        let is_said = losses(&wide, format).iter().any(|loss| loss.to_string() == sentence);
        assert_eq!(is_said, !holds, "{format:?}");
    }
}
