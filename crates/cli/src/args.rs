//! The arguments of the command line. Every flag does what it says, in any position.

use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::describe::Describe;
use crate::exit_status::exit_status;
use crate::general::Output;
use crate::replication::Replication;
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
    /// Check whether the schedule of a finished run keeps what its policy promised
    Check(Check),
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
    /// Set a key of the scenario; VALUE is a TOML value, else a string
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// Root of the random streams
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub(super) seed: Option<u64>,
    /// Scheduling policy
    #[arg(long, value_name = "POLICY")]
    pub(super) policy: Option<String>,
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
    /// Check everything and read the workload, print the resolved scenario or the plan of a study,
    /// and simulate nothing
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
    /// The directory of a finished run
    #[arg(value_name = "DIR")]
    pub(super) directory: PathBuf,
    /// Print one JSON object: schema (clustersim/check/1) and promises, each with state and
    /// violations
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Compare {
    #[command(flatten)]
    pub(super) run: Run,
    /// With FILE the directory of a finished run, that of another: the first decision in which they
    /// differ; --open draws both over one axis of time, -o names the file of that page
    #[arg(value_name = "RUN", conflicts_with_all = ["set", "seed", "policy", "procs", "nodes", "from", "to", "vary",
        "replications", "threads", "point", "replication", "explain", "trace", "parquet", "dry", "axis", "baseline", "metric", "detect", "format"])]
    pub(super) other: Option<PathBuf>,
    /// The key along which points are compared [default: that of the first --vary, else a varied
    /// policy, else the first axis]
    #[arg(long, value_name = "KEY")]
    pub(super) axis: Option<String>,
    /// Compare all others with this point: its value on that axis, or its number in the table; `all`:
    /// each with each [default: the first]
    #[arg(long, value_name = "POINT")]
    pub(super) baseline: Option<String>,
    /// Show and compare these metrics, with commas between; may be given again. The first is primary
    /// and judged by itself, the others are judged together, so name only what you ask about; `all`
    /// is every metric that has a better and a worse [default: wait-time.mean,
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
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Sweep {
    #[command(subcommand)]
    pub(super) action: Option<SweepAction>,
    #[command(flatten)]
    pub(super) plan: Option<SweepPlan>,
    /// What makes the runs
    #[arg(long, value_enum, default_value_t = Engine::Local, value_name = "ENGINE")]
    pub(super) engine: Engine,
    /// Slurm: shards that run at once at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) throttle: Option<u32>,
    /// Slurm: further tries of a shard that could not be written or ran into its time limit
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) retries: u32,
    /// Slurm: options of sbatch, such as --partition=short --time=1:00:00
    #[arg(last = true, value_name = "SBATCH OPTIONS")]
    pub(super) options: Vec<String>,
}

/// A study that is to be divided.
#[derive(Debug, ClapArgs)]
pub(super) struct SweepPlan {
    /// A scenario with [[vary]] or [repeat], or one that --vary and --replications make a study of
    pub(super) file: PathBuf,
    /// Directory for the study, on a file system that every shard sees
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: PathBuf,
    /// Shards, at most 1000 [default: a run each, 64 at most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) shards: Option<u32>,
    /// Set a key of the scenario, as in run
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// Vary a key, as in run
    #[arg(long, value_name = "KEY=VALUES")]
    pub(super) vary: Vec<String>,
    /// Run every point so many times, as in run
    #[arg(long, value_name = "N")]
    pub(super) replications: Option<u32>,
}

/// What makes the runs of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Engine {
    /// This machine, on all its cores
    Local,
    /// A job array of Slurm, a task a shard
    Slurm,
}

#[derive(Debug, Subcommand)]
pub(super) enum SweepAction {
    /// Only write the plan; any engine may then make the shards
    Plan(SweepPlan),
    /// Make one shard: 0 done (also if it was done before), 75 try again, 1 or 2 failed
    Shard {
        /// The study's directory
        directory: PathBuf,
        /// Which shard, from 0
        #[arg(long, value_name = "N")]
        index: u32,
        /// Threads that make its runs
        #[arg(short = 'j', long = "threads", value_name = "N", default_value_t = 1,
              value_parser = clap::value_parser!(u16).range(1..))]
        threads: u16,
    },
    /// List which shards are done, run, wait or are missing
    Status {
        /// The study's directory
        directory: PathBuf,
        /// Print one JSON object: schema (clustersim/sweep-status/1), counts, and missing shards
        /// with why
        #[arg(long)]
        json: bool,
    },
    /// Submit what is missing to Slurm once more
    Resume {
        /// The study's directory
        directory: PathBuf,
    },
    /// Make the final files of a study whose shards are all done; else exit status 4
    Collect {
        /// The study's directory
        directory: PathBuf,
    },
}

#[derive(Debug, ClapArgs)]
pub(super) struct Validate {
    /// Scenario files
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Convert {
    /// What to read: a dump of sacct --parsable2, a slurm.conf, a workload of Batsim (.json), a log
    /// (.swf), a table of jobs, one or several tables of measurements (.csv), a task graph, or a
    /// text of the Parameter Sweep Template; plain or .gz
    #[arg(required = true, num_args = 1.., value_name = "INPUT")]
    pub(super) inputs: Vec<PathBuf>,
    /// What to write: a log (.swf, .swf.gz), a scenario (.toml) that reads the input, or a task
    /// graph (.dag, .dax, .xml, .dot, .gv, .stg, .json; or these with .gz)
    pub(super) output: PathBuf,
    /// What the input is [default: by its content; else by its name; else a dump]
    #[arg(long, value_name = "FORMAT")]
    pub(super) from: Option<String>,
    /// Dumps: the site's slurm.conf, which declares its nodes and what Partition_Limit means
    #[arg(long, value_name = "FILE")]
    pub(super) conf: Option<PathBuf>,
    /// Dumps: what a job takes of the machine
    #[arg(long, value_enum, value_name = "UNIT")]
    pub(super) count: Option<Count>,
    /// Dumps: what a job asks of nodes beyond processors, which a scenario then has from the
    /// slurm.conf
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) resources: Option<ResourcesOf>,
    /// Dumps: when a job counts as submitted
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(super) submitted: Option<Submitted>,
    /// Dumps: how far times without a zone are ahead of UTC [default: +00:00]
    #[arg(long, value_name = "OFFSET", allow_hyphen_values = true)]
    pub(super) utc_offset: Option<String>,
    /// Workloads of Batsim: how fast hosts compute, such as 1Gf; without it jobs that compute are
    /// dropped. Measurements: the speed of hosts that only series name
    #[arg(long, value_name = "SPEED")]
    pub(super) speed: Option<String>,
    /// Measurements: the unit of bare numbers, such as bandwidth=Mbps, latency=ms, speed=Mf or
    /// time=ms [default: time=s]; may be given again
    #[arg(long, value_name = "OF=UNIT")]
    pub(super) unit: Vec<String>,
    /// Measurements: what the numbers of hosts' series are [default: free]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) hosts_are: Option<HostSeries>,
    /// slurm.conf: the detail that the nodes are written for [default: job]
    #[arg(long, value_enum, value_name = "DETAIL")]
    pub(super) detail: Option<Detail>,
    /// Replace the output if it is there
    #[arg(long)]
    pub(super) force: bool,
    /// Keys of readers of its formats, by their flags.
    #[arg(skip)]
    pub(super) keys: Vec<(String, String)>,
}

impl Convert {
    /// The first input; all formats but one have no more.
    pub(super) fn input(&self) -> &Path {
        self.inputs.first().map_or(Path::new(""), PathBuf::as_path)
    }
}

/// Formats that are converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Foreign {
    /// What sacct --parsable2 prints
    Sacct,
    /// Nodes and partitions of a site
    SlurmConf,
    /// JSON with jobs and profiles
    Batsim,
    /// The Standard Workload Format
    Swf,
    /// A table of jobs, whose columns are guessed
    Table,
    /// Tables of hosts and lines, and series, of a monitoring tool
    Measured,
}

/// What the numbers of hosts' series are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum HostSeries {
    /// The share that is available, 0 to 1
    Free,
    /// The percent that are available
    FreePercent,
    /// The share that is in use, 0 to 1
    Used,
    /// The percent that are in use
    UsedPercent,
}

/// What a job of a dump takes of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Count {
    /// Its processors
    Processors,
    /// Its nodes, each a processor of the machine
    Nodes,
}

/// What a job of a dump asks of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ResourcesOf {
    /// Processors alone, wherever they are
    Ignored,
    /// What it had there: memory, GPUs, features, nodes of its partition
    Allocated,
}

/// When a job of a dump counts as submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Submitted {
    /// When its user submitted it
    Submit,
    /// When it could start for the first time
    Eligible,
}

/// The detail of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Detail {
    /// Processors alone
    Job,
    /// Groups of nodes
    Task,
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
