//! The tables of a scenario of global computing, as written.

use crate::platform::described::STATE_TRACE;
use crate::registry::{Bounds, Key, Kind, Quantity, keys};
use crate::scenario::RUNS;
use crate::scenario::schema::{ALL, GIVE_UP_AFTER, PARQUET, RECORD, REPLICATION, REPORT, RUN, TRACE, UNTIL};
use crate::series::AVAILABILITY;
use crate::station::Discipline;

const TAKEFUSA: &str = "A. Takefusa and others, HPDC 1999";

/// The keys at the root that only these scenarios have, and `run` and `record`.
pub(super) const KEYS: &[Key] = &[
    Key { kind: Kind::Table(&[UNTIL, GIVE_UP_AFTER, WARM_UP, REPLICATION]), ..RUN },
    Key {
        kind: Kind::Table(&[
            ALL,
            TASKS,
            MEASUREMENTS,
            FORECASTS,
            PACKETS,
            REGRET,
            RUN_ON,
            AGREEMENT,
            TRANSCRIPT,
            REPORT,
            TRACE,
            PARQUET,
            RUNS,
        ]),
        ..RECORD
    },
    PLATFORM,
    CLIENT,
    MONITOR,
    DATABASE,
    PREDICTOR,
    SCHEDULER,
];

const WARM_UP: Key = Key::new("warm-up", Kind::Duration(Bounds::NotNegative))
    .or("0s")
    .about("how long nothing is observed at the start: tasks issued before are left out of all figures");

const TASKS: Key = Key::new("tasks", Kind::Flag)
    .or_flag(true)
    .about("write tasks.csv and jobs.csv, one row a task, attempts.csv, servers.csv and queues.csv");
const MEASUREMENTS: Key = Key::new("measurements", Kind::Flag)
    .or_flag(false)
    .about("write measurements.csv, one row a value that a monitor measured");
const FORECASTS: Key = Key::new("forecasts", Kind::Flag)
    .or_flag(false)
    .about("write forecasts.csv, one row a measured value that had been forecast, forecasters.csv, how each erred, and believed.csv, which of them was believed when");
const PACKETS: Key = Key::new("packets", Kind::Flag)
    .or_flag(false)
    .about("write packets.csv, one row a packet of a client or of a probe and queue: without it `check` does not judge packets");

const REGRET: Key = Key::new("regret", Kind::Flag)
    .or_flag(false)
    .about("work out at each decision what other servers would bring, with what others are going to do, if no further work of ours comes: write decisions.csv, and give `decision-regret` with its causes. It looks ahead at every queue and server each time, which changes nothing that happens; foreign programs are asked more questions");
const RUN_ON: Key = Key::new("run-on", Kind::count_from(0))
    .or_count(0)
    .about("find out what other servers would have brought: of so many decisions, spread evenly over the run, each other server is taken in a run of its own that is the same up to then, so that tasks in progress, later ones and probes count too. decisions.csv and `decision-regret` are of these decisions, and exact. A decision costs as many runs as it had other servers");
const AGREEMENT: Key = Key::new("agreement", Kind::Flag)
    .or_flag(false)
    .about("compare what monitors measure of measured queues and servers with their series, and forecasts from both: give `agreement` with its parts, and write agreement.csv. Forecasts need the predictor `battery`")
    .source("A. Takefusa and others, HPDC 1999, section 5");
const TRANSCRIPT: Key = Key::new("transcript", Kind::Flag)
    .or_flag(false)
    .about("write what each foreign program was asked and answered, as transcript-database.jsonl, transcript-predictor.jsonl and transcript-scheduler.jsonl: `replay` reads them");

const PLATFORM: Key = Key::new("platform", Kind::Table(OF_PLATFORM))
    .absent("there is none: the scenario is of another system")
    .about("the servers, and the queues between clients and servers");

const NAME: Key = Key::new("name", Kind::Text).about("what it is called");
const COUNT: Key = Key::new("count", Kind::Count { least: 1, most: 1_000_000 })
    .absent("one of just this name")
    .about("so many of it: -0, -1 … follow the name");

const OF_PLATFORM: &[Key] = &keys! {
    "server" Kind::List(&Kind::Table(SERVER)), absent "must be written in a scenario of global computing" =>
        "a server, or several alike", source TAKEFUSA;
    "queues" Kind::Table(&QUEUES), or_table =>
        "the queues of paths that are not written: one of its own for each client and server, there and back", source TAKEFUSA;
    "queue" Kind::List(&Kind::Table(&NAMED_QUEUE)), absent "there are none" =>
        "a queue that paths lead over, so that they share it";
    "path" Kind::List(&Kind::Table(PATH)), absent "each client and server have queues of their own" =>
        "which queues lie between clients and servers";
};

const BANDWIDTH: Key = Key::new("bandwidth", Kind::Bandwidth)
    .absent("the mean of the series, where the model has one; else it must be written")
    .about("what the queue serves per second, alone");
const LATENCY: Key = Key::new("latency", Kind::Duration(Bounds::NotNegative))
    .or("0s")
    .about("how long a packet travels after it left the queue");
const MODEL: Key = Key::new("model", Kind::Component("queue-model"))
    .or("ideal")
    .about("what its bandwidth is made of")
    .source(TAKEFUSA);
const DISCIPLINE: Key =
    Key::new("discipline", Discipline::CHOICES).or("fcfs").about("which packet is served next");
const PACKET: Key = Key::new("packet", Kind::Bytes)
    .or("10kB")
    .about("data is sent in packets of this size, one outstanding: smaller ones are more accurate and cost more events")
    .source(TAKEFUSA);

/// The keys of queues.
const QUEUES: [Key; 5] = [BANDWIDTH, LATENCY, MODEL, DISCIPLINE, PACKET];
const NAMED_QUEUE: [Key; 5] = [NAME, BANDWIDTH, LATENCY, MODEL, DISCIPLINE];

const PATH: &[Key] = &keys! {
    "client" Kind::Text, or "*" => "the clients: a name, or a pattern in which `*` stands for any letters";
    "server" Kind::Text, or "*" => "the servers, in the same way; the last path that names both counts";
    "send" Kind::List(&Kind::Text) => "the queues from client to server, in order";
    "receive" Kind::List(&Kind::Text) => "the queues from server to client, in order";
};

const SERVER: &[Key] = &keys! {
    ..NAME;
    ..COUNT;
    "performance" Kind::Distribution(Quantity::Speed) => "operations per second of a processor, drawn for each server";
    "procs" Kind::Count { least: 1, most: 1 << 20 }, or_count 1 => "its processors";
    "discipline" Discipline::CHOICES, or "fcfs" => "which task is executed next", source TAKEFUSA;
    "load" Kind::Component("server-load"), absent "only tasks of clients are executed" => "tasks of others", source TAKEFUSA;
    "availability" Kind::FirstOrTable(&AVAILABILITY), absent "all of it" => "what is available of it: a measured series", source TAKEFUSA;
    "failures" Kind::Table(FAILURES), absent "it never fails" =>
        "when it fails: its tasks go back to their clients, which ask for another server";
    ..STATE_TRACE;
    ..STATE_TRACE;
    "price" Kind::Number(Bounds::NotNegative), absent "a task costs the performance of its server" =>
        "what a second of service costs";
};

const FAILURES: &[Key] = &keys! {
    "after" Kind::Distribution(Quantity::Duration) => "time from a repair to the next failure";
    "repair" Kind::Distribution(Quantity::Duration) => "how long a repair takes";
};

const CLIENT: Key = Key::new("client", Kind::List(&Kind::Table(OF_CLIENT)))
    .absent("must be written in a scenario of global computing")
    .about("a client, or several alike")
    .source(TAKEFUSA);

const OF_CLIENT: &[Key] = &keys! {
    ..NAME;
    ..COUNT;
    "tasks" Kind::count_from(0), absent "as many as come until the run ends" => "how many tasks each has";
    "arrivals" Kind::DistributionOr(Quantity::Duration, ARRIVALS) =>
        "times between tasks; or a load, users who wait for results, or a file of instants";
    "class" Kind::List(&Kind::Table(CLASS)) => "what its tasks are; one class is drawn for each, by weight", source TAKEFUSA;
};

const ARRIVALS: &[Key] = &keys! {
    "load" Kind::Share(Bounds::Within(1e-9, 1e3)), absent "other keys say when tasks come" =>
        "the load that all of `count` give the servers together: tasks come without memory, at load x performance of all processors / mean instructions";
    "users" Kind::Count { least: 1, most: 1_000_000 }, absent "other keys say when tasks come" =>
        "so many users of each client, who each wait for results and think before the next task";
    "think" Kind::Distribution(Quantity::Duration), or "0s" => "with `users`: how long they think, also before the first task";
    "file" Kind::Path, absent "other keys say when tasks come" => "a file of instants, one a line, in seconds";
};

const CLASS: &[Key] = &keys! {
    "weight" Kind::Number(Bounds::Positive), or_number 1.0 => "how often it is drawn, next to the weights of the others";
    "preset" Kind::Choice(PRESETS), absent "the sizes are written" => "sizes of a known kind of task; `n` is its order";
    "n" Kind::Distribution(Quantity::Count), or_written "1000" => "with a preset: the order of the matrix, or 2^n operations";
    "send" Kind::Distribution(Quantity::Bytes), absent "0, or what the preset says" => "arguments";
    "receive" Kind::Distribution(Quantity::Bytes), absent "0, or what the preset says" => "results";
    "instructions" Kind::Distribution(Quantity::Flops), absent "0, or what the preset says" => "operations";
    "deadline" Kind::Number(Bounds::Positive), absent "there is none" =>
        "results are wanted after so many times what the task takes alone on the mean server";
    "deadline-after" Kind::Duration(Bounds::Positive), absent "there is none, or `deadline` says it" =>
        "results are wanted so long after issue";
    "priority" Kind::Count { least: 0, most: i64::MAX as u64 }, or_count 0 => "where priorities count, greater ones go first";
    "procs" Kind::Count { least: 1, most: 1 << 20 }, or_count 1 =>
        "processors of a server that it needs at once, among which its operations are divided";
};

const PRESETS: &[(&str, &str)] = &[
    ("linpack", "2/3 n^3 + 2 n^2 operations, 8 n^2 bytes of arguments, 8 n of results"),
    ("ep", "2^n operations, no data"),
];

const MONITOR: Key = Key::new("monitor", Kind::Table(OF_MONITOR))
    .or_table()
    .about("what is measured, and how often")
    .source(TAKEFUSA);

const OF_MONITOR: &[Key] = &keys! {
    "network" Kind::Table(NETWORK), absent "no path is measured, and what is nominal stands in" => "how paths are measured", source TAKEFUSA;
    "server" Kind::Table(SERVERS), absent "no server is measured, and what is nominal stands in" => "how servers are measured", source TAKEFUSA;
};

const fn every(default: &'static str, about: &'static str) -> Key {
    Key::new("every", Kind::Duration(Bounds::Positive)).or(default).about(about)
}
const PHASE: Key = Key::new("phase", Kind::Duration(Bounds::NotNegative))
    .or("0s")
    .about("when the first measurement is made");
const STAGGER: Key = Key::new("stagger", Kind::Flag)
    .or_flag(false)
    .about("whether measurements are spread over the period, one after the other; else all are made at once");
const DROP: Key = Key::new("drop", Kind::Share(Bounds::Within(0.0, 1.0)))
    .or_number(0.0)
    .about("the share of measurements that are not made, drawn");
const DROP_AT: Key = Key::new("drop-at", Kind::Path)
    .absent("none but those of `drop`")
    .about("a file of instants at which no measurement is made, one a line, in seconds");

const DRIFT: Key = Key::new("drift", Kind::Distribution(Quantity::Number))
    .absent("the truth is measured")
    .about("the factor by which what is measured deviates from the truth after an hour of the run, and by its square after two, drawn for each path or server: of bandwidths of paths, of loads and availabilities of servers");

const NETWORK: &[Key] = &keys! {
    ..every("60s", "from one measurement of a path to the next");
    "probe" Kind::Bytes, or "300kB" => "data that is sent to measure a path", source TAKEFUSA;
    "timeout" Kind::Duration(Bounds::Positive), absent "the period" => "after which time a probe is lost";
    "latency" Kind::Flag, or_flag true =>
        "whether the latency is measured, by a packet of one byte; else the nominal one stands in";
    "free" Kind::Flag, or_flag false => "whether the state of queues is read, and nothing sent";
    ..PHASE;
    ..STAGGER;
    ..DROP;
    ..DROP_AT;
    ..DRIFT;
};

const SERVERS: &[Key] = &keys! {
    ..every("10s", "from one measurement of a server to the next");
    "cost" Kind::Flops, or "0f" => "operations that a reading takes of the server";
    "load-average" Kind::Duration(Bounds::Positive), absent "the load at the instant" =>
        "read the load as Unix systems average it, exponentially over this time, such as 1min; the load is taken in every 5 s and at each reading";
    ..PHASE;
    ..STAGGER;
    ..DROP;
    ..DROP_AT;
    ..DRIFT;
};

const DATABASE: Key = Key::new("database", Kind::Component("database"))
    .or("memory")
    .about("where measurements are kept")
    .source(TAKEFUSA);

const PREDICTOR: Key = Key::new("predictor", Kind::Component("predictor"))
    .or("battery")
    .about("what networks and servers will be like, by what was measured")
    .source(TAKEFUSA);

const SCHEDULER: Key = Key::new("scheduler", Kind::Component("broker"))
    .or("greedy")
    .about("which server a task is sent to")
    .source(TAKEFUSA);
