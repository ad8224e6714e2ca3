//! Tables of public sources that hold no jobs, or none that can be replayed: what they are, known
//! by their columns, and what reads them.

use crate::registry::Problem;
use crate::registry::code;

/// A table that holds no jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foreign {
    /// Names of columns, all of which it has.
    columns: &'static [&'static str],
    /// Description, in words that follow "it is".
    pub(super) about: &'static str,
    /// Advice; `{file}` stands for the name of the table.
    pub(super) help: &'static str,
    /// The source whose nodes it lists, if it does.
    pub(super) nodes: Option<&'static str>,
}

/// A table of these columns that holds no jobs.
const fn foreign(columns: &'static [&'static str], about: &'static str, help: &'static str) -> Foreign {
    Foreign { columns, about, help, nodes: None }
}

/// A table of the nodes of a source.
const fn nodes(columns: &'static [&'static str], about: &'static str, source: &'static str) -> Foreign {
    Foreign { columns, about, help: NODES, nodes: Some(source) }
}

const NODES: &str = "`clustersim convert {file} nodes.toml` writes its nodes as [[cluster.group]], a table for each kind; \
                     `clustersim convert JOBS {file} site.toml` writes a scenario of the jobs on them";
const CAPACITY: &str =
    "write the nodes as [[cluster.group]], a table for each kind; how many there were changed by the day";
const SERIES: &str = "it says what was used while jobs ran; give the table of the jobs themselves as `file`";
const EVENTS: &str = "make a row of each job first, with the times of its submission, start and end";

/// Tables by their columns, the more special ones first.
const TABLES: &[Foreign] = &[
    foreign(&["time", "type", "collection_id"], "events of Google's cluster trace of 2019, not jobs", EVENTS),
    foreign(
        &["start_time", "collection_id", "average_usage"],
        "a series of the use in Google's cluster trace of 2019",
        SERIES,
    ),
    foreign(
        &["schedule_delay_sec"],
        "ASI's summary of jobs of 2026, which has no times of submission and cannot be replayed",
        "its distributions may shape a synthetic workload: [workload] kind = \"synthetic\"",
    ),
    foreign(
        &["allocation_id", "node_name", "energy"],
        "Lassen's counters of nodes, a row for each node of a job",
        "give Lassen's table of allocations as `file`",
    ),
    foreign(
        &["allocation_id", "step_id"],
        "Lassen's table of job steps",
        "give Lassen's table of allocations as `file`",
    ),
    foreign(
        &["START_TIMESTAMP", "END_TIMESTAMP", "IS_ALL_MACHINE_DOWN"],
        "ALCF's record of outages, not jobs",
        "recorded outages are read by [cluster] failures with kind = \"recorded\"",
    ),
    foreign(
        &["failure_interval", "failure_duration"],
        "a trace of failures, not jobs",
        "recorded outages are read by [cluster] failures with kind = \"recorded\"",
    ),
    nodes(
        &["sn", "cpu_milli", "memory_mib", "gpu", "model"],
        "the nodes of Alibaba's openb cluster",
        "openb",
    ),
    nodes(
        &["gpu_model", "gpu_capacity_num", "cpu_num", "node_name"],
        "the nodes of Alibaba's spot cluster of 2026",
        "gfs-2026",
    ),
    nodes(&["machineId", "number of GPUs", "single GPU mem"], "the machines of Philly", "philly"),
    foreign(
        &["instance_sn", "rdma_request", "max_instance_per_node"],
        "Alibaba's services of 2025, which are no batch jobs",
        "map its columns yourself, without `like`, to replay where they are placed",
    ),
    foreign(
        &["id", "duration", "cpu_usage"],
        "OpenDC's fragments, a series of the use",
        "give OpenDC's table of tasks as `file`",
    ),
    foreign(
        &["Timestamp [ms]", "CPU usage [%]"],
        "a series of a machine's use in the Bitbrains trace",
        SERIES,
    ),
    foreign(&["date", "total"], "GPUs by queue and day, as Helios has them", CAPACITY),
];

/// The table that has these columns.
pub(super) fn by_columns(known: &[String]) -> Option<&'static Foreign> {
    TABLES.iter().find(|table| table.columns.iter().all(|name| known.iter().any(|own| own == name)))
}

/// The table of nodes that has no line of names and these values in its second column, that of the
/// kinds of GPUs: the machines of PAI.
pub(super) fn by_kinds(kinds: &[String]) -> Option<&'static Foreign> {
    const PAI: Foreign = nodes(&[], "the machines of Alibaba's PAI cluster of 2020", "pai");
    const KINDS: [&str; 7] = ["CPU", "MISC", "T4", "P100", "V100", "V100M32", "A100"];
    let is_pai = !kinds.is_empty() && kinds.iter().all(|kind| KINDS.contains(&kind.as_str()));
    is_pai.then_some(&PAI)
}

/// Columns of measurements of hosts and links, as `convert` reads them.
const MEASURED: &[&[&str]] = &[
    &["host", "speed"],
    &["host", "time", "availability"],
    &["host", "time", "use"],
    &["host", "t0"],
    &["from", "to", "bandwidth"],
    &["from", "to", "latency"],
    &["link", "time", "bandwidth"],
    &["link", "time", "latency"],
];

/// Refuses a table with these columns if they are those of measured hosts and links.
pub(super) fn of_measurements(known: &[String]) -> Option<Problem> {
    let has = |name: &&str| known.iter().any(|own| own == name);
    MEASURED.iter().any(|names| names.iter().all(has)).then(|| {
        let message = "this is no table of jobs: its columns are those of measured hosts and links";
        Problem::new(code::TABLE, message)
            .help("`clustersim convert FILE platform.toml` makes a platform of it, which [platform] reads")
    })
}

/// Refuses a table that holds no jobs.
pub(super) fn refused(table: &Foreign) -> Problem {
    let problem = Problem::new(code::TABLE, format!("this is no table of jobs: it is {}", table.about));
    problem.help(table.help.replace("{file}", "NODES"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_without_jobs_are_known_by_their_columns() {
        let known = |names: &str| {
            let names: Vec<String> = names.split(',').map(ToOwned::to_owned).collect();
            by_columns(&names).map(|table| table.about)
        };
        assert!(known("sn,cpu_milli,memory_mib,gpu,model").is_some_and(|about| about.contains("openb")));
        assert!(known("time,type,collection_id,priority").is_some_and(|about| about.contains("Google")));
        assert_eq!(known("job,submit,start,end"), None);
    }
}
