//! The tables of a scenario of task graphs, as written.

use crate::platform::described::PLATFORM;
use crate::registry::{Bounds, Key, Kind, Quantity};
use crate::scenario::RUNS;
use crate::scenario::schema::{ALL, GIVE_UP_AFTER, PARQUET, RECORD, REPLICATION, REPORT, RUN, TRACE, UNTIL};

/// The keys at the root that only these scenarios have, and `run` and `record`.
pub(super) const KEYS: &[Key] = &[
    Key {
        kind: Kind::Table(&[
            UNTIL,
            GIVE_UP_AFTER,
            REPLICATION,
            LINKS,
            CORES,
            WORK_CONSERVING,
            KEEP_DATA,
            COST,
        ]),
        ..RUN
    },
    Key { kind: Kind::Table(&[ALL, TASKS, TRANSFERS, LOADS, GAP, REPORT, TRACE, PARQUET, RUNS]), ..RECORD },
    PLATFORM,
    APPLICATION,
    SCHEDULER,
    PREDICTION,
];

const DAGSIM: &str = "\"DAGSim: a simulator for DAG scheduling algorithms\", 2000";

pub(super) const APPLICATION: Key = Key::new("application", Kind::Component("application"))
    .absent("must be written in a scenario of task graphs")
    .about("the graph of tasks: a file of another program, or one that is drawn")
    .source(DAGSIM);

pub(super) const SCHEDULER: Key = Key::new("scheduler", Kind::Component("scheduler"))
    .or("heft")
    .about("which task is computed where, and in which order")
    .source(DAGSIM);

const PREDICTION: Key = Key::new("prediction", Kind::Component("prediction"))
    .or("perfect")
    .about("what the scheduler knows of durations, and how wrong it is")
    .source(DAGSIM);

/// Number of copies of the graph, and their arrivals: of every application.
pub(super) const OF_APPLICATIONS: &[Key] = &[
    Key::new("count", Kind::Count { least: 1, most: 100_000 })
        .or_count(1)
        .about("copies of the graph; of a graph that is drawn, each is another draw"),
    Key::new("arrivals", Kind::Distribution(Quantity::Duration))
        .absent("all are there from the beginning")
        .about("times between the arrivals of copies; the first arrives at the beginning"),
    Key::new("deadline", Kind::Duration(Bounds::Positive))
        .absent("there is none")
        .about("how long a copy may take from its arrival on: the metric deadlines.met says whether it did"),
    Key::new("home", Kind::Text)
        .absent("files that no task writes are everywhere, and take no time")
        .about("the host at which files begin that no task writes, and data of a root: they are sent to each task that reads them"),
    Key::new("return-outputs", Kind::Flag)
        .or_flag(false)
        .about("whether files that no task reads, and data for an end, are sent to `home`; the makespan is then that of the last"),
    Key::new("file-cache", Kind::Flag)
        .or_flag(false)
        .about("whether each file is sent by itself, and once to a host; otherwise there is one transfer an edge"),
];

/// Occasions of making plans again, and their basis: of every scheduler.
pub(super) const OF_SCHEDULERS: &[Key] = &[
    Key::new("replan", Kind::FirstOrTable(REPLAN))
        .or("never")
        .about("when a plan is made again of all tasks that have not started; one is made whenever a graph arrives")
        .source(DAGSIM),
    Key::new(
        "merge",
        Kind::Choice(&[
            ("append", "what is planned keeps its place, and the new tasks are laid over it"),
            ("interleave", "all tasks that have not started are planned again"),
        ]),
    )
    .or("append")
    .about("what becomes of earlier plans when a graph arrives"),
    Key::new(
        "contention",
        Kind::Choice(&[
            ("queued", "a link carries one transfer at a time, in the order in which they are planned"),
            ("free", "every transfer has its links to itself"),
        ]),
    )
    .absent("`free` where `run.links` is `contention-free`, else `queued`")
    .about("how plans take transfers to get on with each other, whatever `run.links` makes of it"),
    Key::new("strict", Kind::Flag)
        .or_flag(false)
        .about("whether input that breaks an assumption of the scheduler is refused; otherwise it is a warning"),
];

const REPLAN: &[Key] = &[
    Key::new(
        "when",
        Kind::Choice(&[
            ("never", "only when a graph arrives"),
            ("on-completion", "whenever a task ends"),
            ("on-failure", "when a host or a link fails or is repaired"),
        ]),
    )
    .absent("`never`, unless another key says more")
    .about("the event"),
    Key::new("every", Kind::Count { least: 1, most: u32::MAX as u64 })
        .absent("completions are not counted")
        .about("when so many tasks have ended"),
    // a run would do little else if plans were made more often
    Key::new("period", Kind::Duration(Bounds::Within(0.001, 1e9)))
        .absent("time does not count")
        .about("after this time, over and over"),
    Key::new("on-deviation", Kind::Share(Bounds::Positive))
        .absent("deviations do not count")
        .about("when a task ends further from its predicted end than this share of its predicted duration"),
];

const LINKS: Key = Key::new(
    "links",
    Kind::Choice(&[
        ("planned", "each carries one transfer at a time, in the order of the plan"),
        ("ready", "the network model of the platform decides; a transfer starts when its data are there"),
        ("contention-free", "every transfer has its links to itself, in plans too"),
    ]),
)
.absent("`planned` where the platform is one mesh, else `ready`")
.about("how transfers get on with each other")
.source(DAGSIM);

const CORES: Key = Key::new(
    "cores",
    Kind::Choice(&[
        ("all", "each is a place to compute a task"),
        ("one", "a host computes one task at a time"),
    ]),
)
.or("all")
.about("how many cores of a host are used");

const WORK_CONSERVING: Key = Key::new("work-conserving", Kind::Flag)
    .or_flag(false)
    .about("whether a core takes the first of its tasks that is ready where the next is not")
    .source(DAGSIM);

const KEEP_DATA: Key = Key::new("keep-data", Kind::Flag).or_flag(false).about(
    "whether a host that fails keeps what has arrived there and what its tasks have produced; otherwise they are computed again",
);

const COST: Key = Key::new("cost", Kind::Table(COSTS))
    .absent("hosts cost nothing")
    .about("what hosts cost: the metric cost, and a column of hosts.csv")
    .source("S. Abrishami, M. Naghibzadeh, D. H. J. Epema, Future Generation Computer Systems 29(1), 2013");

const COSTS: &[Key] = &[
    Key::new("price", Kind::Number(Bounds::NotNegative))
        .about("what an hour of a host costs, in any currency"),
    Key::new("host", Kind::List(&Kind::Table(PRICED)))
        .absent("all hosts cost `price`")
        .about("hosts that cost something else; of several that name a host the first holds"),
    Key::new(
        "billed",
        Kind::Choice(&[
            ("rented", "the time from its first task or transfer to the end of its last"),
            ("busy", "the time in which it computes"),
        ]),
    )
    .or("rented")
    .about("the time of a host that is paid for; a host that is not used costs nothing"),
    Key::new("quantum", Kind::Duration(Bounds::Positive))
        .or("1h")
        .about("the time of each host is rounded up to a multiple of this"),
];

const PRICED: &[Key] = &[
    Key::new("named", Kind::List(&Kind::Text)).about("their names; `*` stands for any letters"),
    Key::new("price", Kind::Number(Bounds::NotNegative)).about("what an hour of each costs"),
];

const LOADS: Key = Key::new("loads", Kind::Flag).or_flag(false).about(
    "write loads.csv, the loads that were drawn: without it `check` does not judge how long tasks and transfers take under them",
);

const TASKS: Key = Key::new("tasks", Kind::Flag).or_flag(true).about(
    "write tasks.csv and jobs.csv, one row a task, plans.csv, one row a plan, hosts.csv, one row a host, critical.csv, graph.dot and plan.json",
);

const TRANSFERS: Key = Key::new("transfers", Kind::Flag)
    .or_flag(false)
    .about("write transfers.csv, one row for everything that was sent between two hosts");

const GAP: Key = Key::new("gap", Kind::FirstOrTable(OF_GAP))
    .absent("the makespan is compared with its lower bound alone")
    .about(
        "run other schedulers on the same graph, platform, loads and predictions, search for the optimum of small graphs, and write schedulers.csv, one row a scheduler",
    );

const OF_GAP: &[Key] = &[
    Key::new(
        "with",
        Kind::Choice(&[
            (
                "all",
                "every scheduler of another kind that has a default for each of its keys, but `optimal` and `local-search`",
            ),
            ("none", "no other: only the optimum is searched for"),
        ]),
    )
    .absent("`all`, unless `schedulers` names some")
    .about("which other schedulers plan the same graph and have their plans executed"),
    Key::new("schedulers", Kind::List(&Kind::Component("scheduler")))
        .absent("those that `with` says")
        .about("the others, by name; when plans are made again is as the run's own scheduler says"),
    Key::new("most-tasks", Kind::Count { least: 0, most: 64 })
        .or_count(15)
        .about("tasks of a graph up to which its optimum is searched for; 0: of no graph"),
    Key::new("nodes", Kind::Count { least: 1, most: 1 << 40 })
        .or_count(1_000_000)
        .about("steps after which that search ends; then the best plan found and a bound are given"),
];
