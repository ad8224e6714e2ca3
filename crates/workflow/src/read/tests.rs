//! Small files of every format, and their mistakes at their places.

use std::io::Cursor;

use super::*;
use crate::draft::{Draft, Irregularity};
use crate::graph::{TaskNumber, Workflow};
use crate::registry::Complaint;
use crate::text::Spot;
use crate::text::json::Reader;

pub(super) fn load(text: &str, options: &ReadOptions) -> LoadedWorkflow {
    read(Cursor::new(text), "graph", None, options).unwrap_or_else(|found| panic!("{found:?}"))
}

fn graph(text: &str) -> Workflow {
    load(text, &ReadOptions::default()).workflow
}

/// Parent, child and bytes of each edge.
pub(super) fn edges(workflow: &Workflow) -> Vec<String> {
    let name = |task: TaskNumber| workflow.task(task).name.to_string();
    let edge = |edge: &crate::Edge| match edge.bytes {
        Some(bytes) => format!("{}>{}:{bytes}", name(edge.from), name(edge.to)),
        None => format!("{}>{}", name(edge.from), name(edge.to)),
    };
    workflow.edges().iter().map(edge).collect()
}

/// Line, what is marked there, and the message.
pub(super) fn mistakes(text: &str) -> Vec<String> {
    let found = read(Cursor::new(text), "graph", None, &ReadOptions::default()).expect_err("mistakes");
    let shown = |complaint: Complaint| match &complaint.excerpt {
        Some(at) => format!("{}[{}] {}", at.line, &at.text[at.range.clone()], complaint.message),
        None => complaint.message.clone(),
    };
    found.into_iter().map(shown).collect()
}

#[test]
fn a_format_is_recognised_by_text_and_name() {
    let of = GraphFormat::of_text;
    assert_eq!(of("\n<?xml"), Some(GraphFormat::Dax));
    assert_eq!(of(" {\"name\""), Some(GraphFormat::WfFormat));
    assert_eq!(of("# a\nDagDescription 1"), Some(GraphFormat::DagText));
    assert_eq!(
        (of("digraph{"), of("/* a */"), of("strict digraph")),
        (Some(GraphFormat::Dot), Some(GraphFormat::Dot), Some(GraphFormat::Dot))
    );
    let yaml = Some(GraphFormat::Pegasus);
    assert_eq!((of("x-pegasus: {a: b}\npegasus: '5.0'"), of("---\n\"pegasus\": 5")), (yaml, yaml));
    assert_eq!((of("{\"pegasus\" : \"5.0\""), of("a:\n  pegasus: 5")), (yaml, None));
    assert_eq!((of("   50\n"), of("PK"), of("")), (Some(GraphFormat::Stg), None, None));
    assert_eq!(GraphFormat::of_name("a/b.json.gz"), Some(GraphFormat::WfFormat));
    assert_eq!(
        mistakes("hello"),
        [
            "cannot read `graph`: it is in no format of task graphs (DAX, YAML of Pegasus, WfFormat, DOT, STG or DagDescription 1)"
        ]
    );
}

#[test]
fn the_text_of_dagsim_is_read() {
    let text = "DagDescription 1\n\n# tasks\nnode r 0 root\nnode a 2\nnode b 3.5 computation\nnode e 1 end\nedge r a 8\n\
                edge a b 10.4\nedge b e\ntime b h1 4\ntime b h0 5\n";
    let workflow = graph(text);
    assert_eq!((workflow.name(), workflow.root(), workflow.end()), ("graph", Some("r"), None));
    assert_eq!(edges(&workflow), ["a>b:10", "b>e"]);
    let works: Vec<f64> = workflow.tasks().iter().map(|task| task.work).collect();
    assert_eq!(works, [2e10, 3.5e10, 1e10]);
    let b = workflow.task(workflow.find("b").expect("it is there"));
    assert_eq!(
        [b.seconds_on("h0", 1.0), b.seconds_on("h1", 1.0), b.seconds_on("h2", 1.0)],
        [Some(5.0), Some(4.0), None]
    );
    assert_eq!((b.mean_seconds(1.0), workflow.inputs()[0].bytes), (4.5, 8));
}

#[test]
fn mistakes_of_the_text_of_dagsim_are_at_their_places() {
    let text = "DagDescription 1\nnode alpha -1\nnode alpha x\nnode b inf leaf\nnode\nedge alpha alpah\nedge b b\narc a b\n\
                time nix h 1\nedge alpha b 1 2\n";
    assert_eq!(
        mistakes(text),
        [
            "2[-1] the cost is negative",
            "3[alpha] `alpha` is defined twice",
            "3[x] the cost is no number",
            "4[inf] the cost is not finite",
            "4[leaf] unknown kind `leaf`",
            "5[] `node` lacks words",
            "6[alpah] there is no task `alpah`",
            "7[edge] `b` is its own parent",
            "8[arc] unknown line `arc`",
            "9[nix] there is no task `nix`",
            "10[2] `edge` has too many words",
        ]
    );
    assert_eq!(
        mistakes("DagDescription 2\n"),
        ["1[DagDescription 2] the first line should be `DagDescription 1`"]
    );
    assert_eq!(mistakes("DagDescription 1\n"), ["1[] there is no task"]);
}

#[test]
fn dot_is_read() {
    let text = "// a graph\nstrict digraph \"g\" {\n rankdir=LR; node [shape=box];\n a [size=\"2e9\" category=x, color=red];\n\
                b [size=3]; b -> c [size=\"1e-3\"] ROOT->a[size=5]; a->b [size=-1.]; a->c->end [size=7 l=m]\n}\n";
    let LoadedWorkflow { workflow, irregularities, .. } = load(text, &ReadOptions::default());
    assert_eq!(edges(&workflow), ["a>b", "a>c:7", "b>c:0"]);
    let a = workflow.task(TaskNumber(0));
    assert_eq!((a.work, a.category.as_deref()), (2e9, Some("x")));
    assert_eq!(a.properties.as_ref().map(|kept| kept.len()), Some(1));
    assert_eq!((workflow.root(), workflow.end()), (Some("ROOT"), Some("end")));
    assert_eq!((workflow.inputs()[0].bytes, workflow.outputs()[0].bytes), (5, 7));
    let found: Vec<_> = irregularities.iter().map(|found| (found.what, found.count)).collect();
    assert_eq!(found, [(Irregularity::EdgesOnly, 1), (Irregularity::WithoutCost, 1)]);
}

#[test]
fn dot_as_other_tools_draw_it_is_read() {
    let text = "/* tools */ strict digraph \"g h\" {\n node [shape=box, size=1]; edge [size=\"10\"]\n # a remark\n\
                a [label=<<b>bold</b> <i>x</i>>, tooltip=\"one\" + \"two\"];\n\
                subgraph \"cluster_1\" { label=\"group\"; node [size=2]; b; c [size=3] }\n\
                a:p:n -> b:q -> d [style=dashed];\n { b c } -> { d e };\n subgraph { f; g } -> e [size=0]\n\
                -5 -> subgraph { h [category=x]; i }\n b [colour=red]\n 0[label = \"map\\nsample: A\"];\n i -> 0\n}\n";
    let LoadedWorkflow { workflow, irregularities, without_cost } = load(text, &ReadOptions::default());
    let expected =
        ["-5>h:10", "-5>i:10", "a>b:10", "b>d:10", "b>e:10", "c>d:10", "c>e:10", "f>e", "g>e", "i>0:10"];
    let mut found = edges(&workflow);
    found.sort();
    assert_eq!(found, expected);
    let work = |name: &str| workflow.task(workflow.find(name).expect("a task")).work;
    let works = ["a", "b", "c", "d", "h", "0"].map(|name| work(name).to_string());
    assert_eq!(works, ["1", "2", "3", "1", "1", "1"]);
    let b = workflow.task(workflow.find("b").expect("a task"));
    assert_eq!(b.properties.as_ref().map(|kept| &*kept[0].0), Some("colour"));
    let kinds: Vec<_> = irregularities.iter().map(|found| found.what).collect();
    assert_eq!(kinds, [Irregularity::DuplicateEdge, Irregularity::EdgesOnly]);
    assert_eq!(without_cost, []);
    let options = ReadOptions {
        cost_attribute: "cost".into(),
        bytes_attribute: "load".into(),
        ..ReadOptions::default()
    };
    let other = load("digraph { a [cost=4 size=7]; b; c; a -> b [load=5 size=6]; b -> c }", &options);
    assert_eq!(
        (other.workflow.task(TaskNumber(0)).work, edges(&other.workflow)),
        (4.0, vec!["a>b:5".into(), "b>c".into()])
    );
    assert_eq!(other.without_cost, [TaskNumber(1), TaskNumber(2)]);
}

#[test]
fn groups_that_make_too_many_edges_are_refused_before_they_are_made() {
    let group: String = (0..4000).map(|node| format!("n{node}")).collect::<Vec<_>>().join(" ");
    let text = format!("digraph {{ {{ {group} }} -> {{ {} }} }}", group.replace('n', "m"));
    assert_eq!(mistakes(&text), ["1[m0] a graph has at most 10000000 edges between subgraphs"]);
    let found = read(Cursor::new(&text), "graph", None, &ReadOptions::default()).expect_err("mistakes");
    let column = found[0].excerpt.as_ref().and_then(|at| at.column);
    assert_eq!(column, Some(text.find("m0").expect("a group of others") + 1));
}

#[test]
fn what_is_not_read_of_dot_is_refused_at_its_place() {
    assert_eq!(mistakes("graph {}"), ["1[graph] an undirected graph is not read: write `digraph`"]);
    assert_eq!(mistakes("digraph { a -- b }"), ["1[-] an undirected edge is not read: write `->`"]);
    assert_eq!(mistakes("digraph { a: -> b }"), ["1[->] the name of a port should stand here"]);
    let deep = format!("digraph {{ {}", "{".repeat(70));
    assert_eq!(mistakes(&deep), ["1[{] more than 64 subgraphs within each other"]);
    assert_eq!(mistakes("digraph { a [label=<<b>] }"), ["1[<] the text has no closing `>`"]);
    assert_eq!(mistakes("digraph { a [label=\"x\" + y] }"), ["1[] a quoted text should follow `+`"]);
    assert_eq!(
        mistakes("digraph { a [size=1 "),
        ["1[] the file ends too early: the name of an attribute should follow"]
    );
    assert_eq!(
        mistakes("digraph { a [size=\"-3\"]; b [size=\"x"),
        ["1[\"-3\"] the size is negative", "1[\"] the text has no closing quote"]
    );
    assert_eq!(
        mistakes("digraph {\n a -- b\n { c; d } -> e; e:p; ] f\n b -> a; a -> b\n a -> [x] \"y"),
        [
            "2[-] an undirected edge is not read: write `->`",
            "3[]] the name of a node should stand here",
            "5[[] the name of a node should stand here",
            "5[\"] the text has no closing quote",
        ]
    );
    assert_eq!(
        mistakes("digraph { a [size=-3] a [size=nan]; }"),
        ["1[-3] the size is negative", "1[nan] the size is not finite"]
    );
    assert_eq!(mistakes("digraph { root -> end }"), ["1[] there is no task"]);
}

#[test]
fn stg_is_read() {
    let text = "3\n0 0 0\n1 4 1 0\n2 2.5 1 1\n3 1 2 1 2\n4 0 1 3\n# the end\n5 x\n";
    let options = ReadOptions { time_unit: 60.0, ..ReadOptions::default() };
    let workflow = load(text, &options).workflow;
    assert_eq!(edges(&workflow), ["1>2", "1>3", "2>3"]);
    assert_eq!((workflow.task(TaskNumber(1)).work, workflow.root()), (2.5 * 60.0 * 1e10, Some("0")));
    assert_eq!(
        mistakes("2\n0 0 0\n1 4 2 0\n7 1 0\n2 -1 1 x\n"),
        [
            "3[2] `2` parents are declared and 1 listed",
            "4[7] `7` is not the number of a task, from 0 to 3",
            "5[-1] the time is negative",
            "5[x] `x` is not the number of a task",
        ]
    );
    assert_eq!(mistakes("2\n0 0 0\n"), ["3[] the file ends after 1 of 4 lines of tasks"]);
}

const DAX: &str = r#"<?xml version="1.0"?>
<adag version="2.1" jobCount="3">
  <job id="a" name="p" runtime="2"><argument>x &lt; y</argument>
    <uses file="in" link="input" size="5"/><uses file="x" link="output" size="10"/><uses file="y" link="output" size="3"/></job>
  <job id="b" name="p" runtime="1.5"><uses name="x" link="input" size="11"/><uses file="s" link="inout" size="1"/></job>
  <job id="c" name="q" runtime="0"><uses file="y" link="input" size="3"/><uses file="x" link="input" size="10"/></job>
  <child ref="c"><parent ref="b"/></child>
</adag>"#;

#[test]
fn dax_is_read_with_edges_from_files() {
    let LoadedWorkflow { workflow, irregularities, .. } = load(DAX, &ReadOptions::default());
    assert_eq!(edges(&workflow), ["a>b:10", "a>c:13", "b>c:0"]);
    assert_eq!(workflow.task(TaskNumber(1)).work.to_bits(), 1.5e10_f64.to_bits());
    assert_eq!(workflow.task(TaskNumber(2)).category.as_deref(), Some("q"));
    assert_eq!(workflow.inputs().len() + workflow.outputs().len(), 1);
    let found: Vec<_> = irregularities.iter().map(|one| (one.what, one.count, &*one.first)).collect();
    assert_eq!(found, [(Irregularity::FileSize, 1, "x")]);
}

#[test]
fn mistakes_of_dax_are_at_their_places() {
    let text = "<adag>\n<job id='a' name='p' runtime='-2'/>\n<job id='a' runtime='1'/>\n<job id='b'/>\n\
                <child ref='b'><parent ref='c'/><parent/></child>\n<dax id='d'/></adag>";
    assert_eq!(
        mistakes(text),
        [
            "2[-2] the runtime is negative",
            "3[a] `a` is defined twice",
            "4[b] the runtime of `b` is missing",
            "5[c] there is no task `c`",
            "5[parent] `ref` is missing in `parent`",
            "6[dax] a workflow in a workflow is not read",
        ]
    );
    assert_eq!(
        mistakes("<platform/>"),
        ["1[platform] the file is no DAX: its outermost element is `platform`, not `adag`"]
    );
    assert_eq!(
        mistakes("<adag>\n <job"),
        ["2[<] this is no XML: syntax error: tag not closed: `>` not found before end of input"]
    );
    let cycle = DAX.replace(
        "<parent ref=\"b\"/></child>",
        "<parent ref=\"b\"/></child><child ref=\"a\"><parent ref=\"c\"/></child>",
    );
    assert_eq!(mistakes(&cycle), ["7[c] the tasks form a cycle: a -> c -> a"]);
}

#[test]
fn wfformat_before_1_5_is_read() {
    let text = r#"{"name": "w", "schemaVersion": "1.4", "workflow": {"tasks": [
        {"name": "a", "id": "1", "type": "compute", "runtime": 2, "cores": 4.0, "memoryInBytes": 7, "machine": "m", "children": ["b"],
         "files": [{"link": "output", "name": "x", "size": 9}, {"link": "input", "name": "in", "sizeInBytes": 1}]},
        {"name": "t", "type": "transfer", "parents": ["1"], "writtenBytes": 5e2},
        {"name": "b", "runtimeInSeconds": 3, "parents": ["a"], "files": [{"link": "input", "name": "x", "size": 9}]},
        {"name": "c", "runtimeInSeconds": 1, "parents": ["t", "b"]}],
        "machines": [{"nodeName": "m", "cpu": {"speed": 2000}}]}}"#;
    let workflow = graph(text);
    assert_eq!(edges(&workflow), ["a>b:9", "a>c:500", "b>c:0"]);
    let a = workflow.task(TaskNumber(0));
    assert_eq!((workflow.name(), a.work, a.cores, a.memory), ("w", 2e10, 1, Some(7)));
    let options = ReadOptions { cores: true, machine_speed: true, ..ReadOptions::default() };
    let LoadedWorkflow { workflow, irregularities, .. } = load(text, &options);
    let a = workflow.task(TaskNumber(0));
    assert_eq!((a.work, a.cores, workflow.task(TaskNumber(1)).work), (4e9, 4, 3e10));
    assert_eq!((irregularities[0].what, irregularities[0].count), (Irregularity::UnknownMachine, 2));
}

#[test]
fn wfformat_1_5_is_read_and_a_key_goes_before_a_name() {
    let text = r#"{"schemaVersion": "1.5", "workflow": {
        "execution": {"tasks": [{"id": "1", "runtimeInSeconds": 1}, {"id": "2", "runtimeInSeconds": 2}, {"id": "p", "runtimeInSeconds": 3}]},
        "specification": {"files": [{"id": "x", "sizeInBytes": 4}], "tasks": [
            {"name": "p", "id": "1", "parents": [], "children": ["2"], "outputFiles": ["x"]},
            {"name": "p", "id": "2", "parents": ["1"], "children": ["p"], "inputFiles": ["x"]},
            {"name": "q", "id": "p", "parents": []}]}}}"#;
    let workflow = graph(text);
    assert_eq!(edges(&workflow), ["1>2:4", "2>p:0"]);
    assert_eq!(
        (workflow.task(TaskNumber(2)).work, workflow.task(TaskNumber(0)).category.as_deref()),
        (3e10, Some("p"))
    );
    let ambiguous = text
        .replace("\"children\": [\"p\"]", "\"children\": [\"p\"], \"parents\": [\"1\"]")
        .replace("\"id\": \"p\"", "\"id\": \"3\"");
    assert_eq!(mistakes(&ambiguous), ["5[\"p\"] several tasks are called `p`"]);
}

#[test]
fn mistakes_of_wfformat_are_at_their_places() {
    let text = "{\"workflow\": {\"tasks\": [\n{\"name\": \"a\", \"runtime\": -1},\n{\"name\": \"b\", \"parents\": [\"a\", \"x\"]},\n\
                {\"runtime\": 1},\n{\"name\": \"t\", \"type\": \"transfer\", \"writtenBytes\": 1, \"parents\": [\"a\"]}]}}";
    assert_eq!(
        mistakes(text),
        [
            "2[-1] the runtime is negative",
            "3[\"b\"] the runtime of `b` is missing",
            "3[\"x\"] there is no task `x`",
            "4[{] the task has no `name`",
            "5[\"t\"] the transfer `t` has 1 parents and 0 children, not one of each",
        ]
    );
    assert_eq!(mistakes("{\"workflow\": 1}"), ["1[1] unexpected `1`, an object should stand here"]);
    assert_eq!(
        mistakes("{\"workflow\": {\"tasks\": ["),
        ["1[] the text ends too early, an object should follow"]
    );
    assert_eq!(mistakes("{\"a\": 1}"), ["1[] the key `workflow` is missing: this is no WfFormat"]);
    let version = "{\"schemaVersion\": \"2.0\"}";
    assert!(mistakes(version)[0].contains("version `2.0` of WfFormat is not read"));
}

#[test]
fn compressed_files_are_read_and_damaged_ones_are_refused() {
    use std::io::Write as _;
    for text in [
        DAX,
        "1\n0 0 0\n1 1 1 0\n2 0 1 1\n",
        "{\"workflow\": {\"tasks\": [{\"name\": \"a\", \"runtime\": 1}]}}",
    ] {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(text.as_bytes()).expect("memory");
        let packed = packed.finish().expect("memory");
        let options = ReadOptions::default();
        let loaded = read(Cursor::new(&packed), "graph", None, &options).expect("a graph");
        assert_eq!(loaded.workflow, graph(text));
        let cut =
            read(Cursor::new(&packed[..packed.len() - 9]), "graph.json.gz", None, &options).expect_err("cut");
        assert_eq!(cut.len(), 1, "{cut:?}");
    }
}

#[test]
fn many_mistakes_are_counted() {
    let lines: Vec<String> = (0..300).map(|line| format!("node {line} x\n")).collect();
    let text = format!("DagDescription 1\n{}", lines.concat());
    let found = read(Cursor::new(&text), "graph", None, &ReadOptions::default()).expect_err("mistakes");
    assert_eq!((found.len(), found[0].besides, found[99].besides), (100, 0, 200));
    assert_eq!((&*found[0].message, &*found[99].message), ("the cost is no number", "the cost is no number"));
}

#[test]
fn one_file_of_many_writers_and_readers_is_refused_before_its_edges_are_made() {
    let jobs = |link: &str| -> String {
        let job = |job: u32| {
            format!(
                "<job id=\"{link}{job}\" runtime=\"1\"><uses file=\"f\" link=\"{link}\" size=\"1\"/></job>\n"
            )
        };
        (0..3_200).map(job).collect()
    };
    let text = format!("<adag name=\"a\">\n{}{}</adag>", jobs("output"), jobs("input"));
    let found = mistakes(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("more than 10000000 edges follow from files"), "{found:?}");
}

#[test]
fn a_stream_is_read_no_further_once_a_bound_is_reached() {
    let mut draft = Draft::new("graph");
    draft.full("a graph has at most 1 tasks".to_owned(), Spot::NOWHERE);
    // what follows the first task is no JSON
    let text = "{\"workflow\": {\"tasks\": [{\"name\": \"a\"}, :-(";
    let mut reader = Reader::new(text.as_bytes()).expect("a text");
    wfformat::read(&mut reader, &mut draft, &ReadOptions::default()).expect_err("it goes no further");
    assert!(reader.end() <= 40, "{}", reader.end());
    let found: Vec<String> =
        draft.finish().expect_err("the bound").into_iter().map(|wrong| wrong.message).collect();
    assert_eq!(found, ["a graph has at most 1 tasks"], "what was not read is not missed");
}

#[test]
fn cores_are_read_where_they_are_to_count() {
    let dot = "digraph { node [cores=2 size=1]; a; b [cores=3.5]; subgraph { node [cores=8]; c; a }; d [size=2]; d [cores=1]; a -> e }";
    let dax = "<adag><job id=\"a\" runtime=\"1\"><profile namespace=\"condor\" key=\"cores\">9</profile>\
               <profile namespace=\"pegasus\" key=\"runtime\">9</profile><profile namespace=\"pegasus\" key=\"cores\"> 2 </profile></job>\
               <job id=\"b\" runtime=\"1\"/></adag>";
    let all = ReadOptions { cores: true, ..ReadOptions::default() };
    let cores = |text: &str, options: &ReadOptions| -> Vec<u32> {
        load(text, options).workflow.tasks().iter().map(|task| task.cores).collect()
    };
    assert_eq!(cores(dot, &all), [2, 4, 8, 1, 2]);
    assert_eq!(cores(dax, &all), [2, 1]);
    assert_eq!(
        (cores(dot, &ReadOptions::default()), cores(dax, &ReadOptions::default())),
        (vec![1; 5], vec![1; 2])
    );
    // without it the attribute is one as any other, and means nothing
    let plain = graph("digraph { a [size=1 cores=many] }");
    let properties = plain.task(TaskNumber(0)).properties.clone().expect("one");
    assert_eq!(*properties[0].0, *"cores");
    for (text, mark, message) in [
        ("digraph { a [size=1 cores=many] }", "many", "the number of cores is no number"),
        (
            "<adag><job id=\"a\" runtime=\"1\"><profile namespace=\"pegasus\" key=\"cores\">-1</profile></job></adag>",
            "profile",
            "the number of cores is negative",
        ),
    ] {
        let found = read(Cursor::new(text), "graph", None, &all).expect_err(text);
        let at = found[0].excerpt.as_ref().expect("a place");
        assert_eq!((&at.text[at.range.clone()], &*found[0].message), (mark, message));
    }
}
