//! The tables of a scenario of jobs on a cluster, as written.

use crate::fidelity::FIDELITY;
use crate::node::NODE;
use crate::policy::features;
use crate::registry::{Bounds, Key, Kind, key, keys};
use crate::scenario::RUNS;
use crate::scenario::schema::{ALL, GIVE_UP_AFTER, PARQUET, RECORD, REPLICATION, REPORT, RUN, TRACE, UNTIL};
use crate::system::{failures, pools, reservations, site, task_detail};

/// The warm-up that is found after the run.
pub(super) const MSER_5: &str = "mser-5";

/// The keys at the root that only these scenarios have, and `run` and `record`.
pub(super) const KEYS: &[Key] = &keys! {
    ..OWN_RUN;
    ..OWN_RECORD;
    "cluster" Kind::Table(CLUSTER_KEYS), or_table => "the machine";
    "workload" Kind::Component("workload"), absent "must be written in a scenario of a cluster" =>
        "the jobs and when they are submitted";
    "policy" Kind::Component("policy"), or "easy" => "which job runs when, and where";
    ..FIDELITY;
};

const OWN_RUN: Key = Key { kind: Kind::Table(&[UNTIL, GIVE_UP_AFTER, WARM_UP, REPLICATION]), ..RUN };
const OWN_RECORD: Key = Key { kind: Kind::Table(RECORD_KEYS), ..RECORD };

const WARM_UP: Key = key! {
    "warm-up" Kind::DurationOrCount(&[
        (MSER_5, "found after the run: the first jobs whose waits make the mean wait less certain"),
    ]), or "0s" =>
        "how long, or for how many jobs, nothing is observed at the start",
        source "MSER-5: K. P. White, M. J. Cobb and S. C. Spratt, Winter Simulation Conference 2000"
};

/// Statement at detail `job` for a key of detail `task`.
const AS_AT_TASK: &str = "as at detail `task`: see there";

/// Files written of a run.
pub(super) const RECORD_KEYS: &[Key] = &keys! {
    ..ALL;
    "jobs" Kind::Flag, or_flag true => "write jobs.csv, one row a job";
    "classes" Kind::Choice(&[
        ("none", "they are not"),
        ("queue", "by their queues"),
        ("partition", "by their partitions"),
        ("user", "by their users"),
        ("group", "by the groups of their users"),
        ("account", "by the accounts that are charged, where the input states them"),
        ("qos", "by their qualities of service, where the input states them"),
        ("class", "by their classes in the words of the input, where it states them"),
    ]), or "none" =>
        "by what jobs are separated in summary.json, and whose mean response times the metric `fairness` \
         compares (detail `job`; at detail `task` the workload names the classes)",
        source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 6 (fairness)";
    "swf" Kind::Flag, or_flag false =>
        "write jobs.swf, the jobs with their simulated waits as a log that can be replayed";
    ..REPORT;
    ..TRACE;
    ..PARQUET;
    ..RUNS;
    "profile" Kind::Flag, absent AS_AT_TASK =>
        "write profile.csv, where the time of every processor went, and executions.csv, what the execution of \
         every job amounts to; true unless written",
        source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 5.1";
    "pace" Kind::Duration(Bounds::NotNegative), absent AS_AT_TASK =>
        "windows of time since the start of a job in which its computing is added up, 1 ms or longer, for the \
         metrics of its pace; 0s records none; 1s unless written",
        source "\"ClusterSchedSim\", section 5.1 (pace of progress)";
};

/// The machine.
pub(super) const CLUSTER_KEYS: &[Key] =
    &Key::joined::<{ SIZE.len() + features::KEYS.len() + MACHINE.len() }>(&[SIZE, features::KEYS, MACHINE]);

/// Its size, and how much of it is simulated.
const SIZE: &[Key] = &keys! {
    "nodes" Kind::Count { least: 1, most: u32::MAX as u64 }, absent "as the log's header says" =>
        "nodes of one processor each; write this or `procs`";
    "procs" Kind::Count { least: 1, most: u32::MAX as u64 }, absent "as the log's header says" =>
        "processors that can be given to jobs", source "SWF header, MaxProcs";
    "detail" Kind::Choice(&[
        ("job", "a job occupies its processors for its run time"),
        ("task", "every task's computing, I/O and messages on nodes with an operating system"),
    ]), or "job" =>
        "how much is simulated";
    "mpl" Kind::Count { least: 1, most: 1000 }, absent "5, where the policy shares processors" =>
        "the multiprogramming level: tasks that a processor takes, where the policy shares processors; 5 \
         unless written", source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 5.2";
};

/// Its other keys, behind those of features.
const MACHINE: &[Key] = &keys! {
    ..site::REQUEUE_PLACE;
    ..site::REQUEUE_DELAY;
    ..site::REQUEUE_SIZE;
    ..site::FAILED_DEPENDENCY;
    ..site::POWER;
    ..failures::FAILURES;
    ..reservations::RESERVATION;
    ..pools::POOLS;
    ..site::SITE_FEATURE;
    "dedicated" Kind::Flag, absent AS_AT_TASK =>
        "whether every job is run on nodes of its own first, which gives its slowdown; else its run time is \
         estimated; true unless written",
        source "\"ClusterSchedSim\", section 2.2 (slowdown)";
    "front-end" Kind::Table(FRONT_END), absent AS_AT_TASK =>
        "where the front end runs, if on a node of the cluster; on a machine of its own unless written",
        source "\"ClusterSchedSim\", section 4.2";
    "interconnect" Kind::Component("interconnect"), absent AS_AT_TASK =>
        "how messages get from one node to another; \"linear\" unless written",
        source "\"ClusterSchedSim\", section 3.2";
    "node" Kind::Table(NODE), absent AS_AT_TASK =>
        "what a node is and what its parts cost", source "\"ClusterSchedSim\", section 5.2";
    ..task_detail::GROUPS;
};

const FRONT_END: &[Key] = &keys! {
    "node" Kind::count_from(0) =>
        "the node on which the front end runs", source "\"ClusterSchedSim\", section 4.2";
    "decision" Kind::Duration(Bounds::NotNegative), or "100us" =>
        "processor time of that node that each decision costs";
};
