//! `graph.dot`: the graph of a run, as the judge reads it.

use std::io;
use std::sync::Arc;

use crate::model::graph::Graph;
use crate::workflow::EdgeNumber;

/// The graph, as the judge reads it: a line a task, then a line an edge, with files that are sent
/// by themselves.
pub(super) fn write_graph(graph: &Graph, title: &str, out: &mut dyn io::Write) -> io::Result<()> {
    let quoted =
        |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
    let name = |task| {
        let application = &graph.applications()[graph.application_of(task)].name;
        quoted(&format!("{application}/{}", graph.task(task).name))
    };
    let is_by_file = graph.file_rules().cache;
    // a file by itself has its name
    let file = |edge: EdgeNumber, what: &str| {
        let bytes = graph.data(edge).bytes.unwrap_or(0);
        match graph.file_name(edge).filter(|_| is_by_file) {
            Some(name) => format!("{}=\"{bytes}\"", quoted(&format!("{what}:{name}"))),
            None => format!("{what}=\"{bytes}\""),
        }
    };
    writeln!(out, "digraph {} {{", quoted(title))?;
    for number in graph.tasks() {
        let task = graph.task(number);
        let mut attributes = match &task.times {
            None => vec![format!("size=\"{}\"", task.work)],
            Some(times) => {
                let of = |(host, seconds): &(Arc<str>, f64)| {
                    format!("{}=\"{seconds}\"", quoted(&format!("time:{host}")))
                };
                times.iter().map(of).collect()
            }
        };
        attributes.extend((task.cores > 1).then(|| format!("cores=\"{}\"", task.cores)));
        attributes.extend(task.memory.map(|bytes| format!("memory=\"{bytes}\"")));
        for (edges, what) in [(graph.inputs(number), "input"), (graph.outputs(number), "output")] {
            attributes.extend(edges.iter().map(|edge| file(*edge, what)));
        }
        let attributes = attributes.join(", ");
        writeln!(out, "  {} [{attributes}];", name(number))?;
    }
    let numbers: Vec<EdgeNumber> = (0..graph.edges().len() as u32).map(EdgeNumber).collect();
    let ends = |edge: EdgeNumber| (graph.edge(edge).from, graph.edge(edge).to);
    for edges in numbers.chunk_by(|one, next| ends(*one) == ends(*next)) {
        let bytes = edges.iter().filter_map(|edge| graph.edge(*edge).bytes);
        let bytes = bytes.reduce(u64::saturating_add);
        let mut attributes: Vec<String> =
            bytes.map(|bytes| format!("size=\"{bytes}\"")).into_iter().collect();
        if is_by_file && graph.file_name(edges[0]).is_some() {
            attributes.extend(edges.iter().map(|edge| file(*edge, "file")));
        }
        let attributes =
            if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        let (from, to) = ends(edges[0]);
        writeln!(out, "  {} -> {}{attributes};", name(from), name(to))?;
    }
    writeln!(out, "}}")
}
