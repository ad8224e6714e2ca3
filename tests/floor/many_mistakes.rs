//! Texts of nothing but mistakes: whatever reads them goes on to their end in time that grows with
//! their length, shows the first hundred and counts the others.

use std::time::Duration;

use clustersim_testing::program::Place;

/// A text of many lines that are all wrong.
struct Case {
    what: &'static str,
    /// The file of the text, and what stands before and behind the lines.
    file: &'static str,
    around: [&'static str; 2],
    /// A line; `#` is its number.
    line: &'static str,
    /// Further files.
    others: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    /// Mistakes of each line.
    each: u64,
}

const VALIDATE: &[&str] = &["validate", "s.toml"];
const GRAPH: (&str, &str) = ("g.dag", "DagDescription 1\nnode a 1\n");
const LOG: (&str, &str) = ("log.swf", "; MaxProcs: 4\n1 0 -1 10 2 -1 -1 2 20 -1 1 1 1 1 1 1 -1 -1\n");

const fn scenario(text: &'static str) -> (&'static str, &'static str) {
    ("s.toml", text)
}

macro_rules! case {
    ($what:literal, $file:literal: $head:literal, $line:literal, $tail:literal, $others:expr, $arguments:expr, $each:literal) => {
        Case {
            what: $what,
            file: $file,
            around: [$head, $tail],
            line: $line,
            others: $others,
            arguments: $arguments,
            each: $each,
        }
    };
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    case!("tables of a scenario", "s.toml": "title = \"T\"\n[application]\nkind = \"dag-text\"\nfile = \"g.dag\"\n",
        "[[platform.host]]\nname = \"h#\"\nspeed = \"x\"\n", "", &[GRAPH], VALIDATE, 1),
    case!("unknown keys of a scenario", "s.toml": "title = \"T\"\n", "x# = 1\n", "", &[], VALIDATE, 1),
    case!("unknown keys of a table", "s.toml": "title = \"T\"\n[application]\nkind = \"dag-text\"\nfile = \"g.dag\"\n\
        [[platform.host]]\nname = \"h\"\nspeed = \"1Gf\"\n", "x# = 1\n", "", &[GRAPH], VALIDATE, 1),
    case!("unknown keys of a cluster", "s.toml": "title = \"T\"\n[workload]\nkind = \"synthetic\"\njobs = 1\n[cluster]\n\
        nodes = 4\ndetail = \"task\"\n", "x# = 1\n", "", &[], VALIDATE, 0),
    case!("unknown keys of nodes", "s.toml": "title = \"T\"\n[workload]\nkind = \"synthetic\"\njobs = 1\n[cluster]\n\
        [[cluster.group]]\nnodes = 4\n", "x# = 1\n", "", &[], VALIDATE, 0),
    case!("a graph in text", "h.dag": "DagDescription 1\n", "node n# x\n", "", &[], &["convert", "h.dag", "o.dot"], 1),
    case!("unknown lines of a graph", "h.dag": "DagDescription 1\n", "x#\n", "", &[], &["convert", "h.dag", "o.dot"], 1),
    case!("unknown names of a graph", "h.dag": "DagDescription 1\nnode a 1\n", "edge a n#\n", "", &[],
        &["convert", "h.dag", "o.dot"], 1),
    case!("a graph in DOT", "g.dot": "digraph {\n", "a# -- b;\n", "}\n", &[], &["convert", "g.dot", "o.dag"], 1),
    case!("a graph in DAX", "g.xml": "<adag>\n", "<job name=\"j#\"/>\n", "</adag>\n", &[], &["convert", "g.xml", "o.dag"], 1),
    case!("a graph in WfFormat", "g.json":
        "{\"name\": \"g\", \"schemaVersion\": \"1.5\", \"workflow\": {\"specification\": {\"tasks\": [\n",
        "{\"category\": \"a#\"},\n", "{}]}}}", &[], &["convert", "g.json", "o.dag"], 0),
    case!("a graph of Pegasus", "g.yml": "pegasus: \"5.0\"\njobs:\n", "- {name: j#}\n", "", &[],
        &["convert", "g.yml", "o.dag"], 1),
    case!("keys of YAML", "g.yml": "pegasus: \"5.0\"\njobs:\n", "- {id: j#, id: j}\n", "", &[],
        &["convert", "g.yml", "o.dag"], 1),
    case!("a graph in STG", "g.stg": "100000\n", "x#\n", "", &[], &["convert", "g.stg", "o.dag"], 1),
    case!("unknown lines of a grid", "p.grid": "DagGrid 1\n", "x#\n", "", &[], &["show", "platform", "p.grid"], 1),
    case!("unknown names of a grid", "p.grid": "DagGrid 1\nhost a 1 0\n", "path a h# l\n", "", &[],
        &["show", "platform", "p.grid"], 0),
    case!("values of a platform in XML", "p.xml":
        "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\"><host id=\"h\" speed=\"1Gf\"/>\n",
        "<host id=\"h#\" speed=\"x\"/>\n", "</zone></platform>\n", &[], &["show", "platform", "p.xml"], 1),
    case!("unknown names of a platform in XML", "p.xml":
        "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\"><host id=\"h\" speed=\"1Gf\"/>\n",
        "<route src=\"h\" dst=\"k#\"><link_ctn id=\"l\"/></route>\n", "</zone></platform>\n", &[],
        &["show", "platform", "p.xml"], 2),
    case!("actors of a deployment", "d.xml": "<platform version=\"4.1\">\n", "<actor host=\"h#\" function=\"f\"/>\n",
        "</platform>\n", &[scenario("title = \"T\"\n[deployment]\nfile = \"d.xml\"\n[[platform.host]]\nname = \"h\"\nspeed = \"1Gf\"\n")],
        VALIDATE, 2),
    case!("a trace of a host", "t.trace": "", "# x\n", "", &[GRAPH, scenario("title = \"T\"\n[application]\nkind = \"dag-text\"\n\
        file = \"g.dag\"\n[[platform.host]]\nname = \"h\"\nspeed = \"1Gf\"\navailability-trace = \"t.trace\"\n")], VALIDATE, 1),
    case!("a trace in columns", "t.csv": "time,value\n", "#,x\n", "", &[GRAPH, scenario("title = \"T\"\n[application]\n\
        kind = \"dag-text\"\nfile = \"g.dag\"\n[[platform.host]]\nname = \"h\"\nspeed = \"1Gf\"\navailability-trace = \"t.csv\"\n")],
        VALIDATE, 1),
    case!("a measured series", "cpu.txt": "", "# x\n", "", &[scenario("title = \"T\"\n[platform]\n\
        server = [{ name = \"s\", performance = \"100Mop/s\", availability = \"cpu.txt\" }]\n[[client]]\nname = \"c\"\ntasks = 1\n\
        arrivals = \"1s\"\nclass = [{ instructions = \"1Mop\" }]\n")], VALIDATE, 1),
    case!("measured tables", "h.csv": "host,speed\n", "h#,x\n", "", &[], &["convert", "h.csv", "p.toml"], 1),
    case!("dependencies of jobs", "d.csv": "job,kind,on\n", "1,after-okay,1\n", "", &[LOG, scenario("title = \"T\"\n[workload]\n\
        kind = \"swf\"\nfile = \"log.swf\"\ndependencies = \"d.csv\"\n[cluster]\nnodes = 4\n")], VALIDATE, 1),
    case!("flows", "f.csv": "from,to,size\n", "h,k#,1kB\n", "", &[scenario("title = \"T\"\nflows = \"f.csv\"\n[[platform.host]]\n\
        name = \"h\"\nspeed = \"1Gf\"\n")], VALIDATE, 1),
    case!("failures of nodes", "n.csv": "node,from,to\n", "0,x,1\n", "", &[LOG, scenario("title = \"T\"\n[workload]\n\
        kind = \"swf\"\nfile = \"log.swf\"\n[cluster]\nnodes = 4\nfailures.trace = \"n.csv\"\n")], VALIDATE, 1),
    case!("a plan", "plan.json": "[\n", "{\"tusk#\": 1},\n", "{}]\n", &[GRAPH, scenario("title = \"T\"\n[application]\n\
        kind = \"dag-text\"\nfile = \"g.dag\"\n[scheduler]\nkind = \"fixed\"\nfile = \"plan.json\"\n[[platform.host]]\nname = \"h\"\n\
        speed = \"1Gf\"\n")], VALIDATE, 0),
    case!("names of a plan", "plan.json": "[\n", "{\"task\": \"n#\", \"host\": \"k\"},\n", "{\"task\": \"a\", \"host\": \"h\"}]\n",
        &[GRAPH, scenario("title = \"T\"\n[application]\nkind = \"dag-text\"\nfile = \"g.dag\"\n[scheduler]\nkind = \"fixed\"\n\
        file = \"plan.json\"\n[[platform.host]]\nname = \"h\"\nspeed = \"1Gf\"\n")], VALIDATE, 2),
    case!("a trace of tasks", "t.jsonl": "", "{\"number\": #}\n", "", &[scenario("title = \"T\"\n[workload]\nkind = \"task-trace\"\n\
        file = \"t.jsonl\"\n[cluster]\nnodes = 4\n")], VALIDATE, 2),
    case!("the grid of a sweep", "g.txt": "GridDescription 1\n", "#:ADD\n", "", &[scenario("title = \"T\"\n[application]\n\
        kind = \"generated\"\ntasks = 2\ntime = \"1s\"\noutput = \"1kB\"\n[platform]\nfile = \"g.txt\"\n")], VALIDATE, 1),
    case!("the application of a sweep", "w.txt": "WorkDescription 1 0 1\n", "Work: x#\n", "", &[scenario("title = \"T\"\n\
        [application]\nkind = \"pst\"\nfile = \"w.txt\"\n[[platform.cluster]]\nname = \"near\"\nhosts = 1\n\
        link = { bandwidth = \"1kBps\" }\n")], VALIDATE, 0),
];

/// Files that end at their first mistake: what comes behind a line that means nothing has no
/// certain meaning.
#[rustfmt::skip]
const FIRST: &[Case] = &[
    case!("a log", "log.swf": "; MaxProcs: 4\n", "# x\n", "", &[], &["convert", "log.swf", "o.csv"], 1),
    case!("a dump of a site", "dump.txt": "JobID|Submit|Start|End|AllocCPUS|State\n", "#|x|y|z|1|COMPLETED\n", "", &[],
        &["convert", "dump.txt", "o.swf"], 1),
    case!("a schedule", "jobs.csv": "job_id,submission_time,requested_number_of_resources,requested_time,final_state,\
        starting_time,execution_time,finish_time,allocated_resources\n", "#,x\n", "", &[], &["check", "jobs.csv"], 1),
];

/// The messages of the program about so many lines, and the time that it takes.
#[expect(clippy::disallowed_types, reason = "how long the program takes is what is tested")]
fn told(case: &Case, lines: u64) -> (String, Duration) {
    let place = Place::new();
    for (name, text) in case.others {
        place.file(name, text);
    }
    let wrong: String = (0..lines).map(|line| case.line.replace('#', &line.to_string())).collect();
    place.file(case.file, [case.around[0], &wrong, case.around[1]].concat());
    let start = std::time::Instant::now();
    let output = place.run(case.arguments);
    assert!(output.status != 0 && output.status < 100, "{}: {}", case.what, output.stderr);
    (output.stderr, start.elapsed())
}

const FEW: u64 = 10_000;
const MANY: u64 = 100_000;
/// Ten times as many lines may take so many times as long: a reader that is quadratic takes a
/// hundred times.
const RATIO: u32 = 30;
/// Times below it are those of starting a program.
const LEAST: Duration = Duration::from_millis(50);

fn in_proportion(case: &Case) -> String {
    let mut tried = Vec::new();
    for _ in 0..3 {
        let ((_, short), (told, long)) = (told(case, FEW), told(case, MANY));
        if long < short.max(LEAST) * RATIO {
            return told;
        }
        tried.push((short, long));
    }
    panic!("{}: {tried:?}", case.what)
}

#[test]
fn every_reader_shows_a_hundred_mistakes_and_counts_the_others_in_time_that_grows_with_them() {
    for case in CASES {
        let told = in_proportion(case);
        assert_eq!(told.matches("error[").count(), 100, "{}: {told}", case.what);
        let counted = told.trim().lines().last().and_then(|line| line.strip_suffix(" errors"));
        let counted = counted.unwrap_or_else(|| panic!("{}: {told}", case.what));
        let counted: u64 = counted.replace(',', "").parse().unwrap();
        let least = MANY * case.each.max(1);
        assert!(counted >= least && (case.each == 0 || counted <= least + 10), "{}: {counted}", case.what);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_text_of_nothing_but_mistakes_needs_no_more_memory_than_a_right_one() {
    const LINES: usize = 1_000_000;
    let place = Place::new();
    for (file, heading, arguments) in [
        ("g.dag", "DagDescription 1\n", &["convert", "g.dag", "o.dot"]),
        ("p.grid", "DagGrid 1\n", &["show", "platform", "p.grid"]),
    ] {
        place.file(file, format!("{heading}{}", "x\n".repeat(LINES)));
        // a tenth of it is enough for the text, and for a hundred mistakes
        let limited = ["-c", "ulimit -v 200000; exec \"$0\" \"$@\"", clustersim_testing::program::program()];
        let output = place.wait(std::process::Command::new("bash").args(limited).args(arguments));
        assert!(output.stderr.contains("1,000,00"), "{file}: {}", output.stderr);
        assert_eq!(output.stderr.matches("error[").count(), 100, "{file}");
    }
}

#[test]
fn a_reader_that_ends_at_the_first_mistake_reads_no_further() {
    for case in FIRST {
        let told = in_proportion(case);
        assert!(told.matches("error").count() == 1, "{}: {told}", case.what);
    }
}
