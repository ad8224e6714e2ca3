//! The arguments of `convert`.

use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, ValueEnum};

#[derive(Debug, ClapArgs)]
pub(super) struct Convert {
    /// Input: a dump of sacct --parsable2, a slurm.conf, a workload of Batsim (.json), a log
    /// (.swf), a table of jobs, of nodes, or of both, tables of measurements (.csv), a task graph,
    /// or a text of the Parameter Sweep Template; plain or .gz
    #[arg(required = true, num_args = 1.., value_name = "INPUT")]
    pub(super) inputs: Vec<PathBuf>,
    /// Output: a log (.swf, .swf.gz), a scenario (.toml) that reads the input, or a task
    /// graph (.dag, .dax, .xml, .dot, .gv, .stg, .json; or these with .gz)
    pub(super) output: PathBuf,
    /// Format of the input [default: by its content; else by its name; else a dump]
    #[arg(long, value_name = "FORMAT")]
    pub(super) from: Option<String>,
    /// Dumps: the site's slurm.conf, which declares its nodes and what Partition_Limit means
    #[arg(long, value_name = "FILE")]
    pub(super) conf: Option<PathBuf>,
    /// slurm.conf, and dumps with --resources allocated: the gres.conf with the devices of nodes
    /// [default: the one beside the slurm.conf, if there is one]
    #[arg(long, value_name = "FILE")]
    pub(super) gres: Option<PathBuf>,
    /// With --conf, for a scenario: what `sacctmgr --parsable2 show qos` prints, whose limits and
    /// priorities the policy then has
    #[arg(long, value_name = "FILE", requires = "conf")]
    pub(super) qos: Option<PathBuf>,
    /// With --conf, for a scenario: what `sacctmgr --parsable2 show assoc` prints, whose shares the
    /// policy then has
    #[arg(long, value_name = "FILE", requires = "conf")]
    pub(super) shares: Option<PathBuf>,
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
    /// Dumps: zone of times that state none, such as Europe/Paris, whose clock changes with summer
    /// time
    #[arg(long, value_name = "ZONE", conflicts_with = "utc_offset")]
    pub(super) timezone: Option<String>,
    /// Dumps: share of the records that need not be readable, such as 2% or 0.02; with more nothing
    /// is written, and neither if one cause takes more than 20 % (or this share, if it is larger)
    /// of a week, a partition or a group of users [default: 1%]
    #[arg(long, value_name = "SHARE")]
    pub(super) most_unread: Option<String>,
    /// Dumps: stop at the first record that cannot be read
    #[arg(long, conflicts_with = "most_unread")]
    pub(super) strict: bool,
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
    /// The output of sacct --parsable2
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

/// Meaning of the numbers of hosts' series.
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

/// Size of a job of a dump on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Count {
    /// Its processors
    Processors,
    /// Its nodes, each a processor of the machine
    Nodes,
}

/// Demand of a job of a dump on nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ResourcesOf {
    /// Processors alone, wherever they are
    Ignored,
    /// All that it had there: memory, GPUs, features, nodes of its partition
    Allocated,
}

/// Instant at which a job of a dump counts as submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Submitted {
    /// Its submission by the user
    Submit,
    /// The first instant at which it could start
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
