//! The arguments of the command line. Every flag does what it says, in any position.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::convert_args::Convert;
use crate::describe::Describe;
use crate::exit_status::exit_status;
use crate::fidelity_args::Fidelity;
use crate::general::Output;
use crate::overriding::Overriding;
use crate::replication::Replication;
use crate::sweep_args::Sweep;
use crate::units;
use clustersim_experiment::output::VERSION;

/// The program in a line, as the package has it.
const ABOUT: &str = "A process-oriented discrete-event simulator for scheduling research";

/// Simulates job scheduling on clusters.
#[derive(Debug, Parser)]
#[command(name = "clustersim", version = VERSION, about = ABOUT, after_help = exit_status(), max_term_width = 100)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) output: Output,
    #[command(subcommand)]
    pub(super) command: Command,
}

/// What the manual is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ManualFormat {
    /// A manual page: clustersim manual > clustersim.1; man ./clustersim.1
    Man,
    /// The reference, as the pages of docs/reference
    Markdown,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run a scenario, a log, or the run that a manifest records
    ///
    /// A scenario can start programs (`command` of a part of kind "program"), with the rights and
    /// the environment of whoever runs it. `clustersim validate` names them and starts none;
    /// --forbid-programs refuses a scenario that starts one.
    Run(Run),
    /// Run a study and judge the differences between its points, paired by replication
    Compare(Compare),
    /// Draw report.html of a finished run or study again, from its files
    Report(Report),
    /// Check whether the schedule of a finished run, or of each kept run of a study, keeps what its
    /// policy promised
    Check(Check),
    /// Compare the waits of a replayed log with those that it records: how far the simulation is
    /// from the site
    ///
    /// Nothing is fitted: the scenario is simulated as it is, on a machine of the recorded peak of
    /// processors in use. The bounds of the words good, usable and poor are keys of [fidelity].
    Fidelity(Fidelity),
    /// Make a study in shards: here, as a job array of Slurm, or by any other means
    Sweep(Sweep),
    /// Report every mistake of every file; simulate nothing
    Validate(Validate),
    /// Make a log or a scenario of an accounting dump of Slurm, a slurm.conf, a workload of Batsim,
    /// a table of jobs, or measurements of a platform; or write a task graph in another format
    Convert(Convert),
    /// Say what a file is, what stands in it, and what a run would make of it
    Describe(Describe),
    /// Draw what a file describes, as SVG, and state its figures
    Show(Show),
    /// Write a commented first scenario
    Init(Init),
    /// List the components a scenario may name
    List(List),
    /// Print the JSON Schema of scenarios, for editors
    Schema,
    /// Explain a key, a component, a metric, a warning, another word of the results, or a code
    Explain(Explain),
    /// Print the manual: commands, keys, components, files, exit status and codes
    #[command(alias = "man")]
    Manual(Manual),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: Shell,
    },
    /// For developers of the simulator
    #[command(hide = true, subcommand)]
    Debug(Debug),
}

#[derive(Debug, ClapArgs)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Run {
    /// A scenario (.toml), a log (.swf, .swf.gz), or the manifest.json of a run
    pub(super) file: PathBuf,
    /// Directory for the results [default: out/TITLE-HASH]
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) keys: Overriding,
    /// Processors of the machine [default for a log: as its header says]
    #[arg(long, value_name = "N", conflicts_with = "nodes")]
    pub(super) procs: Option<u32>,
    /// Nodes of the machine, one processor each
    #[arg(long, value_name = "N")]
    pub(super) nodes: Option<u32>,
    /// Leave out the jobs of a log submitted earlier than this: a span after its first, a date, or
    /// a weekday
    #[arg(long, value_name = "TIME")]
    pub(super) from: Option<String>,
    /// Leave out the jobs of a log submitted then or later: a span after its first, a date, or a
    /// weekday
    #[arg(long, value_name = "TIME")]
    pub(super) to: Option<String>,
    /// Vary a key: an axis of a study, as [[vary]]; VALUES are TOML values or strings, with commas
    /// between
    #[arg(long, value_name = "KEY=VALUES")]
    pub(super) vary: Vec<String>,
    /// Run every point so many times, each with other random numbers
    #[arg(long, value_name = "N")]
    pub(super) replications: Option<u32>,
    /// Draw as many more replications of a study as the spread of the first ones asks for, so that
    /// a change of `detect` [10 %] of the primary metric is found in four studies of five; at most
    /// repeat.at-most [1,000] of a point
    #[arg(long = "to-power")]
    pub(super) to_power: bool,
    /// Threads that make the runs of a study, one each at a time [default: as many as there are
    /// cores]
    #[arg(short = 'j', long = "threads", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) threads: Option<u16>,
    /// Run one point of a study alone, with all its results; points are numbered from 0
    #[arg(long, value_name = "P")]
    pub(super) point: Option<u32>,
    /// Run one replication of a point alone, with all its results; replications are numbered from
    /// 0, and `recorded` is the run of the log as recorded, where replications randomize it
    #[arg(long, value_name = "R", conflicts_with = "replications")]
    pub(super) replication: Option<Replication>,
    /// Explain why a job waited, by its number in the workload: what held it back, span by span,
    /// and which jobs overtook it by which rule; after the table, or as `explanation` of --json. Of
    /// a study with --point and --replication. Of a task graph: why a task, by its name, is on its
    /// host, and what delayed it. Of a parameter sweep: the same, or span by span what a host did
    /// and waited for. Of global computing: why a task, by its number, is on its server. Of every
    /// system: what a processor (`processor 7`), host, link, server or queue of that name did, span
    /// by span, with sums
    #[arg(long, value_name = "JOB")]
    pub(super) explain: Option<String>,
    /// Write trace.pftrace, a timeline of every processor that ui.perfetto.dev opens
    #[arg(long)]
    pub(super) trace: bool,
    /// Write every file that `check` judges by
    #[arg(long)]
    pub(super) checkable: bool,
    /// Write jobs.parquet, the rows of jobs.csv in typed columns; of a study, results.parquet
    #[arg(long)]
    pub(super) parquet: bool,
    /// Print one JSON object in place of the table: schema (clustersim/run-summary/1), title, seed,
    /// digest, events, and metrics, each with value and unit; null where nothing was observed. Of a
    /// study: what study.json holds
    #[arg(long)]
    pub(super) json: bool,
    /// Check everything and read the workload, print the resolved scenario, and write nothing. Of a
    /// study: print the plan and its cost, estimated by one run of each point, as far as these go
    /// in 10 s
    #[arg(long = "dry-run")]
    pub(super) dry: bool,
    /// Put the results into a directory that holds something else
    #[arg(long)]
    pub(super) force: bool,
    /// Open report.html when the run is over
    #[arg(long)]
    pub(super) open: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Report {
    /// The directory of a finished run or study
    #[arg(value_name = "DIR")]
    pub(super) directory: PathBuf,
    /// Open it
    #[arg(long)]
    pub(super) open: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Check {
    /// The directory of a finished run, or of a study with kept runs
    #[arg(value_name = "DIR")]
    pub(super) directory: PathBuf,
    /// Print one JSON object: schema (clustersim/check/1) and promises, each with state and
    /// violations; of a study also runs, each with its directory and promises
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Compare {
    #[command(flatten)]
    pub(super) run: Run,
    /// With FILE the directory of a finished run, those of others of the same system, eight in all
    /// at most: the first decision in which each differs from the first, and their metrics side by
    /// side; --open draws all over one axis of time, -o names the file of that page
    #[arg(value_name = "RUN", conflicts_with_all = ["set", "seed", "policy", "procs", "nodes", "from", "to", "vary",
        "replications", "to_power", "threads", "point", "replication", "explain", "trace", "parquet", "dry", "axis", "baseline", "metric", "detect", "format"])]
    pub(super) others: Vec<PathBuf>,
    /// The key along which points are compared [default: that of the first --vary, else a varied
    /// policy, else the first axis]
    #[arg(long, value_name = "KEY")]
    pub(super) axis: Option<String>,
    /// Compare all others with this point: its value on that axis, or its number in the table;
    /// `all`: each with each [default: the first]
    #[arg(long, value_name = "POINT")]
    pub(super) baseline: Option<String>,
    /// Show and compare these metrics, with commas between; may be given again. The first is
    /// primary and judged by itself, the others are judged together, so name only what you ask
    /// about; `all` is every metric that has a better and a worse [default: wait-time.mean,
    /// bounded-slowdown.mean, useful-utilization, makespan; where jobs share processors
    /// response-time.mean for the wait]
    #[arg(long, value_name = "METRIC", value_delimiter = ',')]
    pub(super) metric: Vec<String>,
    /// State, where nothing is settled, the replications that would find a change of this share
    /// [default: 10 %]
    #[arg(long, value_name = "SHARE", value_parser = positive_share)]
    pub(super) detect: Option<f64>,
    /// Print the matrices for a paper, and nothing else
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "json")]
    pub(super) format: Option<MatrixFormat>,
}

/// A form of the matrices of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum MatrixFormat {
    /// Tables of Markdown
    Markdown,
    /// Tables of LaTeX, with the package booktabs
    Latex,
    /// A row a cell
    Csv,
}

/// A share above nothing, plain or in percent.
fn positive_share(text: &str) -> Result<f64, String> {
    let share = units::share(text).map_err(|_| "a share such as 10% or 0.1 is expected")?;
    if share > 0.0 { Ok(share) } else { Err("a share above 0 is expected".to_owned()) }
}

#[derive(Debug, ClapArgs)]
pub(super) struct Validate {
    /// Scenario files
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Show {
    /// What is to be drawn of it
    #[arg(index = 1, value_name = "KIND")]
    pub(super) kind: String,
    /// A scenario (.toml) that describes one, or a file of one of its formats, plain or .gz
    #[arg(index = 2)]
    pub(super) file: PathBuf,
    /// Where to write it [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// One JSON object in place of the picture. Platforms: schema (clustersim/platform/2), title,
    /// zones, hosts, links, declared routes, and the number of pairs of hosts that a route joins.
    /// Workflows: schema (clustersim/workflow/1), title, numbers of tasks and edges, tasks of each
    /// level, work, bytes, CCR, and the critical path
    #[arg(long)]
    pub(super) json: bool,
    /// Root of the random streams [default: as the scenario says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(super) seed: Option<u64>,
    /// Replace the output if it is there
    #[arg(long)]
    pub(super) force: bool,
    /// Keys of readers of its formats, by their flags.
    #[arg(skip)]
    pub(super) keys: Vec<(String, String)>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Init {
    /// Where to write it
    #[arg(default_value = ".", value_name = "DIR")]
    pub(super) directory: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Manual {
    /// One part: "common", or the name of a system (cluster, agents, dag, sweep, brokers); all if
    /// left out
    #[arg(value_name = "PART")]
    pub(super) part: Option<String>,
    /// As what
    #[arg(long, value_enum, default_value_t = ManualFormat::Man, value_name = "FORMAT")]
    pub(super) format: ManualFormat,
}

#[derive(Debug, ClapArgs)]
pub(super) struct List {
    /// Which components: the plural of a table's name, for example policies; all if left out
    pub(super) table: Option<String>,
    /// Print one JSON object: schema (clustersim/list/1) and tables, each with about and components
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Explain {
    /// A key (policy.backfill), a component (easy), a metric (wait-time.mean), a warning
    /// (saturated), another word of the results (before-shadow), or a code (CS0005)
    #[arg(value_name = "KEY|NAME|CODE")]
    pub(super) topic: String,
}

#[derive(Debug, Subcommand)]
pub(super) enum Debug {
    /// Print the hash of what every sampler draws
    Samplers,
}
