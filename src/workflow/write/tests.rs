//! Graphs that are written and read again.

use std::io::Cursor;

use super::*;
use crate::workflow::read::{ReadOptions, read};

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
    for format in [GraphFormat::Dax, GraphFormat::Dot, GraphFormat::WfFormat] {
        let other = again(&odd, format);
        assert_eq!(
            (names(&other), other.edges().len(), other.inputs().len()),
            (names(&odd), 1, 1),
            "{format:?}"
        );
    }
    let lost: Vec<String> = losses(&odd, GraphFormat::DagText).iter().map(ToString::to_string).collect();
    assert_eq!(lost[0], "blanks in names become underscores (2 tasks)");
    assert_eq!(names(&again(&odd, GraphFormat::DagText)), ["a_b_1", "\"q\"_<&>_\\n_2", "a_b", "root"]);
}
