//! The arguments of `describe`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, ClapArgs)]
pub(crate) struct Describe {
    /// A file of any kind: a table of jobs (.csv, .tsv, .jsonl, .json, .parquet), a log, a dump of
    /// Slurm, a slurm.conf, a workload of Batsim, a platform, a task graph, a scenario
    pub(crate) file: PathBuf,
    /// Print one JSON object: schema (clustersim/describe/1), file, bytes, kind and reader; of a
    /// table rows, columns, all-columns (the number it has, of which so many are shown),
    /// named-twice, nodes if it lists some, guess (toml, keys and doubts), and refused (each
    /// mistake with its place) with the count of mistakes; of jobs a summary with weeks, the report
    /// of the reader by cause, and what to expect of a run; else facts
    #[arg(long)]
    pub(crate) json: bool,
}
