//! Files that a run reads and writes besides its scenario, and the environment it heeds.

use crate::registry::definition::Definition;
use crate::scenario::manual::{Block, Item};
use clustersim_experiment::output::Table;
use clustersim_experiment::study::results;

/// The files of a run directory besides its tables. A test holds this list to what a run with every
/// output leaves.
const RUN: &[(&str, &str)] = &[
    (
        "manifest.json",
        "what was run and what came out: version, hashes of scenario, inputs and outputs, seed, counters, digest; its last block, `invocation`, is the only thing that may differ between equal runs. `clustersim run DIR/manifest.json` runs it again",
    ),
    ("scenario.toml", "the scenario as it was written"),
    ("scenario.resolved.toml", "the scenario with every default filled in and every shorthand written out"),
    (
        "summary.json",
        "the metrics with their units; null where nothing was observed. Schema clustersim/run-summary/1, as `--json` prints",
    ),
    (
        "jobs.parquet",
        "the rows of jobs.csv in typed columns under the same names, null where that is empty: for DuckDB, pandas, polars or R. Key: record.parquet, or `--parquet`; for a program built with the feature `parquet`",
    ),
    (
        "graph.dot",
        "of task graphs: a line a task with its cost, and a line an edge with its bytes, for Graphviz. Key: record.tasks",
    ),
    (
        "plan.json",
        "of task graphs: the tasks of each core in their order, which the scheduler `fixed` reads. Key: record.tasks",
    ),
    (
        "dialogue.jsonl",
        "of parameter sweeps: a line for each entry of the grid and each action of the scheduler, which the scheduler `recorded` repeats. Key: record.dialogue",
    ),
    (
        "transcript-database.jsonl, transcript-predictor.jsonl, transcript-scheduler.jsonl",
        "of global computing with foreign programs: what each was asked and answered, which `replay` reads; of a run that failed in `DIR.partial`. Key: record.transcript",
    ),
    ("jobs.swf", "the jobs with their simulated waits, as a log that can be replayed. Key: record.swf"),
    ("report.html", "the run in pictures, one file that opens without a network. Key: record.report"),
    (
        "trace.pftrace",
        "a timeline of every processor that ui.perfetto.dev opens: the jobs on it; at detail `task` what it does when and for which task, with an arrow for every message; of agents what each puts, gets and computes, and each given flow. Key: record.trace, or `--trace`",
    ),
];

/// The files of a study's directory besides its table.
const STUDY: &[(&str, &str)] = &[
    ("manifest.json", "as that of a run, schema clustersim/study-manifest/1"),
    ("scenario.toml", "the scenario as it was written"),
    ("scenario.resolved.toml", "the scenario with every default filled in, its axes as they are"),
    (
        "results.parquet",
        "the rows of results.csv in typed columns. Key: record.parquet, or `--parquet`; for a program built with the feature `parquet`",
    ),
    (
        "study.json",
        "by point and metric: mean, half-width, median, range, and the value of every replication; warnings, comparisons (what was asked first), findings (the first comparison in words), failures, runs that are kept. Schema clustersim/study-summary/1, as `--json` prints",
    ),
    (
        "report.html",
        "the study in pictures; while it runs, alone in DIR, points and intervals so far and the time left, written anew at \
         most every 10 s. Key: record.report",
    ),
    (
        "runs/",
        "runs that are kept, a directory each as of a run alone: point-3-replication-0, or point-3-recorded for the log as \
         recorded. manifest.json has a hash of the manifest of each, of the part that equal runs share. Key: record.runs",
    ),
    (
        "plan.json, parts/",
        "while it is not complete: what is to be run, and journals of what was run, from which it is continued",
    ),
];

/// Promise of every file that is written.
const PROMISE: &str = "No file depends on the locale: whatever `LC_ALL`, `LANG` and `TZ` say, numbers have a point and no \
    separators of thousands, texts are UTF-8 without a byte order mark, and lines end with a line feed. CSV files have a header; a \
    cell with a comma, a quote or a line end is quoted, its quotes doubled. Names of jobs, classes, hosts and agents are \
    written as they were given: a cell that begins with `=`, `+`, `-` or `@`, as in `=cmd`, is left as it is, because programs \
    read names back, and a spreadsheet may take it for a formula. Import files of unknown origin as text there.";

/// Files that are read, and their bounds. A test reads the bounds here.
const INPUT: &[(&str, &str)] = &[
    (
        "kinds",
        "a file is known by its content, plain or gzip; its name counts where the content does not show what it is. A command that does not read such a file says what it is, and what reads it; `clustersim describe FILE` says what stands in it",
    ),
    (
        "regular files",
        "a directory, a FIFO, a socket or a device is refused; so is a symbolic link in the place of `DIR.partial`. `validate` and `convert` also read a pipe that the caller opened: `/dev/stdin`, `<(command)`. A run reads its input twice and takes no pipe",
    ),
    (
        "bounds",
        "a line has at most 4 MiB, and so has a text, a number or a run of blanks in JSON, which may be one line of any length. After decompression a log or trace of jobs has at most 16 GiB; a file that is read whole (a platform, a trace of a host or link, a table) 256 MiB; a scenario with all that it includes 16 MiB, 256 files and 32 of them in each other",
    ),
    ("mistakes", "the first 100 are shown, the others counted"),
    (
        "names and titles",
        "control characters, marks of writing direction and characters of no width are written to a terminal as `\\u001B`; files hold the text as it is. The name of a file that a scenario names is UTF-8",
    ),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "if set and not empty: no colours, unless `--color always` asks for them"),
    ("CLICOLOR_FORCE", "if set and not empty: colours also where standard error is no terminal"),
    ("TERM", "`dumb`: no colours"),
    (
        "CLUSTERSIM_FORBID_PROGRAMS",
        "if set, not empty and not 0: scenarios that start programs are refused, as by `--forbid-programs`",
    ),
    (
        "CLUSTERSIM_LOG",
        "how much the simulator reports while it runs, by module: levels (error, warn, info, debug, trace), alone or as MODULE=LEVEL, with commas between them",
    ),
];

/// A file of rows.
fn whole(table: &Table) -> Block {
    Block::Item(Item::new(&format!("{}.csv", table.name), table.about))
}

/// A column of one.
fn item(definition: &Definition) -> Block {
    Block::Item(Item::new(&definition.name, &definition.about))
}

/// The chapters about files and environment.
pub(super) fn common() -> Vec<Block> {
    let mut blocks = vec![
        Block::Chapter("Files".to_owned()),
        Block::Section("A run".to_owned()),
        Block::Text(
            "A run leaves a directory, `out/TITLE-HASH` unless `-o` names another. While the run is not over it is \
             called `DIR.partial`, and `DIR.partial.lock` keeps others from it: they end with exit status 75. A lock that a \
             killed process left keeps no other out. The same scenario, seed and version give the same bytes. The tables of \
             a run stand with its system."
                .to_owned(),
        ),
    ];
    blocks.extend(RUN.iter().map(|(name, about)| Block::Item(Item::new(name, about))));
    let studies = [results::declared()];
    blocks.push(Block::Section("A study".to_owned()));
    blocks.push(Block::Text(
        "A study is made in `DIR.partial` and moved when it is complete; the same command continues it after any end."
            .to_owned(),
    ));
    blocks.extend(STUDY.iter().map(|(name, about)| Block::Item(Item::new(name, about))));
    blocks.extend(tables(&studies));
    blocks.push(Block::Section("What files promise".to_owned()));
    blocks.push(Block::Text(PROMISE.to_owned()));
    blocks.push(Block::Section("Input".to_owned()));
    blocks.extend(INPUT.iter().map(|(name, about)| Block::Item(Item::new(name, about))));
    blocks.push(Block::Chapter("Environment".to_owned()));
    blocks.extend(ENVIRONMENT.iter().map(|(name, about)| Block::Item(Item::new(name, about))));
    blocks
}

/// The files of rows, and a section about the columns of each.
pub(super) fn tables(tables: &[Table]) -> Vec<Block> {
    let mut blocks: Vec<Block> = tables.iter().map(whole).collect();
    for table in tables {
        blocks.push(Block::Section(format!("Columns of {}.csv", table.name)));
        blocks.extend(table.definitions().iter().skip(1).map(item));
    }
    blocks
}
