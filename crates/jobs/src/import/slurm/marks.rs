//! Marks of the files of Slurm: accounting dumps, and the `slurm.conf` of a site.

use crate::text::mark::{Evidence, FileMark, Head, is_toml_line};

/// The mark of accounting dumps.
pub const DUMP: FileMark = FileMark::new(
    "an accounting dump of Slurm (sacct)",
    "`clustersim convert {file} log.swf` makes a log of it; a scenario reads it: [workload] with kind = \"slurm\" and \
     file = \"{file}\"",
    is_dump,
);

/// The mark of a `slurm.conf`.
pub const CONF: FileMark = FileMark::new(
    "a slurm.conf, the nodes of a site",
    "`clustersim convert {file} site.toml` makes a cluster of it",
    is_conf,
)
.evidence(Evidence::Likely);

/// Keys that other configurations do not have.
const KEYS: [&str; 6] =
    ["nodename", "partitionname", "clustername", "slurmctldhost", "controlmachine", "slurmuser"];

/// Returns true if a first line names columns, the number of a job among them.
fn is_dump(head: &Head<'_>) -> bool {
    let first = head.statements().next().filter(|line| line.contains('|'));
    let is_number = |column: &str| ["JobID", "JobIDRaw"].iter().any(|name| column.eq_ignore_ascii_case(name));
    first.is_some_and(|line| line.split(['|', ',']).any(is_number))
}

/// Returns true if a key of a site stands before whatever is TOML.
fn is_conf(head: &Head<'_>) -> bool {
    let is_key = |line: &str| {
        let (name, _) = line.split_once('=').unwrap_or((line, ""));
        KEYS.contains(&name.to_ascii_lowercase().as_str())
    };
    head.statements().find(|line| is_key(line) || is_toml_line(line)).is_some_and(is_key)
}
