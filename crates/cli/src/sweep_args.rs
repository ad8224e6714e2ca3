//! The arguments of `sweep`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Sweep {
    #[command(subcommand)]
    pub(super) action: Option<SweepAction>,
    #[command(flatten)]
    pub(super) plan: Option<SweepPlan>,
    /// Engine that makes the runs
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

/// Engine that makes the runs of a sweep.
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
        /// Number of the shard, from 0
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
