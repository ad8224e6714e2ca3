//! Graphs from drafts, and every mistake at once.

use super::*;
fn named(draft: &mut Draft, name: &str, kind: VertexKind) -> Vertex {
    draft.define(
        Task::new(name, if kind == VertexKind::Computation { 1.0 } else { 0.0 }),
        kind,
        Spot::new(1, 1),
    )
}

fn join(draft: &mut Draft, from: &str, to: &str, bytes: Option<u64>) {
    let [from, to] = [from, to].map(|name| draft.vertex(name, Spot::new(2, 1)));
    draft.edge(from, to, bytes, EdgeOrigin::Parents, Spot::new(3, 1));
}

fn messages(draft: Draft) -> Vec<String> {
    draft.finish().expect_err("mistakes").into_iter().map(|mistake| mistake.message).collect()
}

fn edges(workflow: &Workflow) -> Vec<(u32, u32, Option<u64>)> {
    workflow.edges().iter().map(|edge| (edge.from.0, edge.to.0, edge.bytes)).collect()
}

#[test]
fn a_root_and_an_end_without_cost_leave_their_names_and_their_bytes() {
    let mut draft = Draft::new("g");
    named(&mut draft, "root", VertexKind::Root);
    for name in ["a", "b"] {
        named(&mut draft, name, VertexKind::Computation);
    }
    named(&mut draft, "end", VertexKind::End);
    join(&mut draft, "root", "a", Some(7));
    join(&mut draft, "a", "b", None);
    join(&mut draft, "b", "end", Some(9));
    join(&mut draft, "root", "end", Some(1));
    let (graph, counted) = draft.finish().expect("a graph");
    assert_eq!((graph.root(), graph.end(), counted), (Some("root"), Some("end"), Vec::new()));
    assert_eq!(edges(&graph), [(0, 1, None)]);
    let side = |side: &[External]| {
        side.iter().map(|one| (one.task.0, one.bytes, graph.files().name(one.file))).collect::<Vec<_>>()
    };
    assert_eq!(side(graph.inputs()), [(0, 7, "root->a")]);
    assert_eq!(side(graph.outputs()), [(1, 9, "b->end")]);
    assert_eq!((graph.find("b"), graph.find("root")), (Some(TaskNumber(1)), None));
}

#[test]
fn a_root_between_others_is_a_task() {
    let mut draft = Draft::new("g");
    named(&mut draft, "root", VertexKind::Root);
    named(&mut draft, "a", VertexKind::Computation);
    join(&mut draft, "a", "root", None);
    let (graph, _) = draft.finish().expect("a graph");
    assert_eq!(graph.order(), [TaskNumber(1), TaskNumber(0)]);
    assert_eq!(graph.root(), None);
}

#[test]
fn transfers_become_edges_and_add_up() {
    let mut draft = Draft::new("g");
    for name in ["a", "b"] {
        named(&mut draft, name, VertexKind::Computation);
    }
    for (name, bytes) in [("t", 5), ("u", 6)] {
        named(&mut draft, name, VertexKind::Transfer(bytes));
        join(&mut draft, "a", name, None);
        join(&mut draft, name, "b", None);
    }
    join(&mut draft, "a", "b", None);
    let (graph, counted) = draft.finish().expect("a graph");
    assert_eq!((edges(&graph), counted), (vec![(0, 1, Some(11))], Vec::new()));
    assert_eq!(graph.edge_name(EdgeNumber(0)), "t");
}

#[test]
fn duplicates_are_merged_and_counted_and_their_bytes_count_once() {
    let mut draft = Draft::new("g");
    for name in ["a", "b", "c"] {
        named(&mut draft, name, VertexKind::Computation);
    }
    for bytes in [None, Some(5), Some(6)] {
        join(&mut draft, "a", "b", bytes);
    }
    let (graph, counted) = draft.finish().expect("a graph");
    assert_eq!(edges(&graph), [(0, 1, Some(5))]);
    let count = |what, count, first: &str| Irregularities { what, count, first: first.to_owned() };
    let expected = [count(Irregularity::DuplicateEdge, 2, "a->b"), count(Irregularity::Isolated, 1, "c")];
    assert_eq!(counted, expected);
    assert_eq!(counted[0].what.words(2), "2 edges are there more than once: its bytes count once");
}

#[test]
fn every_mistake_is_found_at_once() {
    let mut draft = Draft::new("g");
    for name in ["alpha", "beta", "gamma", "alpha"] {
        named(&mut draft, name, VertexKind::Computation);
    }
    draft.define(Task::new("bad", f64::NAN), VertexKind::Computation, Spot::new(1, 1));
    named(&mut draft, "t", VertexKind::Transfer(5));
    for (from, to) in [
        ("alpha", "beta"),
        ("beta", "gamma"),
        ("gamma", "alpha"),
        ("beta", "beta"),
        ("alpha", "delta"),
        ("t", "beta"),
    ] {
        join(&mut draft, from, to, None);
    }
    let found = draft.finish().expect_err("mistakes");
    let help = found.iter().find_map(|mistake| mistake.help.as_deref());
    assert_eq!(help, Some("did you mean `beta`?"));
    let found: Vec<&str> = found.iter().map(|mistake| &*mistake.message).collect();
    assert_eq!(
        found,
        [
            "`alpha` is defined twice",
            "the work of `bad` is not a finite number of zero or more",
            "the transfer `t` has 0 parents and 1 children, not one of each",
            "there is no task `delta`",
            "`beta` is its own parent",
            "the tasks form a cycle: alpha -> beta -> gamma -> alpha",
        ]
    );
}

#[test]
fn a_graph_needs_a_task_and_paths_from_its_declared_root() {
    assert_eq!(messages(Draft::new("g")), ["there is no task"]);
    let mut draft = Draft::new("g");
    named(&mut draft, "r", VertexKind::DeclaredRoot);
    for name in ["a", "b"] {
        named(&mut draft, name, VertexKind::Computation);
    }
    join(&mut draft, "r", "a", None);
    assert_eq!(messages(draft), ["`b` lies on no path from the root `r`"]);
}

#[test]
fn files_give_bytes_and_where_they_are_edges_also_edges() {
    for are_edges in [false, true] {
        let mut draft = Draft::new("g");
        draft.data_by_files(are_edges);
        let tasks = ["a", "b", "c"].map(|name| named(&mut draft, name, VertexKind::Computation));
        let files = [("x", 3), ("y", 4), ("in", 5)].map(|(name, bytes)| draft.file(name, Some(bytes)));
        let spot = Spot::NOWHERE;
        draft.writes(tasks[0], files[0], spot);
        draft.writes(tasks[0], files[1], spot);
        draft.reads(tasks[0], files[2], spot);
        for reader in [1, 2] {
            draft.reads(tasks[reader], files[0], spot);
        }
        join(&mut draft, "a", "b", None);
        join(&mut draft, "b", "c", None);
        let (graph, counted) = draft.finish().expect("a graph");
        let (between, apart) = ((0, 1, Some(3)), (1, 2, Some(0)));
        if are_edges {
            assert_eq!(edges(&graph), [between, (0, 2, Some(3)), apart]);
        } else {
            assert_eq!(edges(&graph), [between, apart]);
            assert_eq!(counted[0].what, Irregularity::ReadWithoutEdge);
        }
        assert_eq!(graph.files_on(EdgeNumber(0)), [FileNumber(0)]);
        assert_eq!((graph.inputs()[0].bytes, graph.outputs()[0].bytes), (5, 4));
    }
}

#[test]
fn the_level_of_a_task_is_one_more_than_that_of_its_deepest_parent() {
    let mut draft = Draft::new("g");
    for name in ["a", "b", "c", "d"] {
        named(&mut draft, name, VertexKind::Computation);
    }
    // the parent that comes last in the order is not the deepest
    for (from, to) in [("a", "b"), ("b", "d"), ("c", "d")] {
        join(&mut draft, from, to, None);
    }
    let (graph, _) = draft.finish().expect("a graph");
    assert_eq!(report::levels(&graph), [0, 1, 0, 2]);
}

/// Three tasks of 10 s and two transfers, each 1 s and 10 ms a byte: with 400 bytes 6 s in all.
#[test]
fn data_are_scaled_to_a_ratio_of_transfers_with_their_latencies() {
    let graph = || {
        let mut draft = Draft::new("g");
        for name in ["a", "b", "c"] {
            named(&mut draft, name, VertexKind::Computation);
        }
        join(&mut draft, "a", "b", Some(100));
        join(&mut draft, "b", "c", Some(300));
        draft.finish().expect("a graph").0
    };
    let costs = MeanCosts { speed: 0.1, latency: 1.0, seconds_per_byte: 0.01 };
    assert_eq!(costs.ccr(&graph()), Some(0.2));
    // 12 s: 2 s of latencies, and 10 s for 1000 bytes
    let scaled = costs.scaled(graph(), 0.4).expect("a factor of 2.5");
    assert_eq!(edges(&scaled), [(0, 1, Some(250)), (1, 2, Some(750))]);
    assert!(costs.scaled(graph(), 0.05).is_none(), "latencies alone are 2 s");
}
