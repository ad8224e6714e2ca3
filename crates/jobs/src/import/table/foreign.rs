//! Tables of public sources that hold no jobs, or none that can be replayed: what they are, known
//! by their columns or their first line, and what reads them.

use crate::registry::Problem;
use crate::registry::code;

/// A table that holds no jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foreign {
    /// Names of columns, all of which it has.
    columns: &'static [&'static str],
    /// Description, in words that follow "it is".
    pub(super) about: &'static str,
    /// Advice.
    pub(super) help: &'static str,
}

const PLATFORM: &str = "its rows are nodes: write them as [[cluster.group]], a table for each kind";
const SERIES: &str = "it says what was used while jobs ran; give the table of the jobs themselves as `file`";
const EVENTS: &str = "make a row of each job first, with the times of its submission, start and end";

/// Tables by their columns, the more special ones first.
const TABLES: &[Foreign] = &[
    Foreign {
        columns: &["time", "type", "collection_id"],
        about: "events of Google's cluster trace of 2019, not jobs",
        help: EVENTS,
    },
    Foreign {
        columns: &["start_time", "collection_id", "average_usage"],
        about: "a series of the use in Google's cluster trace of 2019",
        help: SERIES,
    },
    Foreign {
        columns: &["schedule_delay_sec"],
        about: "ASI's summary of jobs of 2026, which has no times of submission and cannot be replayed",
        help: "its distributions may shape a synthetic workload: [workload] kind = \"synthetic\"",
    },
    Foreign {
        columns: &["allocation_id", "node_name", "energy"],
        about: "Lassen's counters of nodes, a row for each node of a job",
        help: "give Lassen's table of allocations as `file`",
    },
    Foreign {
        columns: &["allocation_id", "step_id"],
        about: "Lassen's table of job steps",
        help: "give Lassen's table of allocations as `file`",
    },
    Foreign {
        columns: &["START_TIMESTAMP", "END_TIMESTAMP", "IS_ALL_MACHINE_DOWN"],
        about: "ALCF's record of outages, not jobs",
        help: "recorded outages are read by [cluster] failures with kind = \"recorded\"",
    },
    Foreign {
        columns: &["failure_interval", "failure_duration"],
        about: "a trace of failures, not jobs",
        help: "recorded outages are read by [cluster] failures with kind = \"recorded\"",
    },
    Foreign {
        columns: &["sn", "cpu_milli", "memory_mib", "gpu", "model"],
        about: "the nodes of Alibaba's openb cluster",
        help: PLATFORM,
    },
    Foreign {
        columns: &["gpu_model", "gpu_capacity_num", "cpu_num", "node_name"],
        about: "the nodes of Alibaba's spot cluster of 2026",
        help: PLATFORM,
    },
    Foreign {
        columns: &["machineId", "number of GPUs", "single GPU mem"],
        about: "the machines of Philly",
        help: PLATFORM,
    },
    Foreign {
        columns: &["instance_sn", "rdma_request", "max_instance_per_node"],
        about: "Alibaba's services of 2025, which are no batch jobs",
        help: "map its columns yourself, without `like`, to replay where they are placed",
    },
    Foreign {
        columns: &["id", "duration", "cpu_usage"],
        about: "OpenDC's fragments, a series of the use",
        help: "give OpenDC's table of tasks as `file`",
    },
    Foreign {
        columns: &["Timestamp [ms]", "CPU usage [%]"],
        about: "a series of a machine's use in the Bitbrains trace",
        help: SERIES,
    },
    Foreign { columns: &["host", "t0", "t300"], about: "a series of the use of hosts", help: SERIES },
    Foreign {
        columns: &["date", "total"],
        about: "GPUs by queue and day, as Helios has them",
        help: PLATFORM,
    },
];

/// The table that has these columns.
pub(super) fn by_columns(known: &[String]) -> Option<&'static Foreign> {
    TABLES.iter().find(|table| table.columns.iter().all(|name| known.iter().any(|own| own == name)))
}

/// Refuses a table that holds no jobs.
pub(super) fn refused(table: &Foreign) -> Problem {
    Problem::new(code::TABLE, format!("this is no table of jobs: it is {}", table.about)).help(table.help)
}

/// Refuses a text that is no table, if its first line says what it is.
pub(super) fn by_first_line(line: &str) -> Option<Problem> {
    is_torque(line).then(|| {
        let message =
            "this is no table: it is an accounting log of Torque or PBS, a line for each event of a job";
        let help = "make a row of each record `E` first, with qtime, start and end as columns";
        Problem::new(code::TABLE, message).help(help)
    })
}

/// Returns true of a line as `03/18/2017 00:01:15;E;6335144.bw;user=…`.
fn is_torque(line: &str) -> bool {
    let mut parts = line.split(';');
    let stamp = parts.next().unwrap_or_default();
    let kind = parts.next().unwrap_or_default();
    let is_stamp = stamp.len() == 19
        && stamp
            .bytes()
            .zip(*b"dd/dd/dddd dd:dd:dd")
            .all(|(byte, form)| if form == b'd' { byte.is_ascii_digit() } else { byte == form });
    is_stamp
        && kind.len() == 1
        && kind.bytes().all(|byte| byte.is_ascii_uppercase())
        && parts.next().is_some()
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

    #[test]
    fn accounting_logs_are_known_by_their_first_line() {
        assert!(by_first_line("03/18/2017 00:01:15;E;6335144.bw;user=a start=1").is_some());
        for other in ["03/18/2017 00:01:15,E,6335144.bw", "a;E;b", "03/18/2017 00:01:15;E", ""] {
            assert!(by_first_line(other).is_none(), "{other}");
        }
    }
}
