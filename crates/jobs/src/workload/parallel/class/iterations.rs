//! Classes of jobs that iterate: compute, do I/O, exchange messages, and again.

use crate::registry::{Absent, Complaint, Entry, Key, Params, variants};

use super::super::keys::{self, Defaults, SOURCE};
use super::super::program::Program;
use super::recipe::{ITERATIONS, NAME, TASKS, WEIGHT};
use super::{Class, Recipe, single};

/// The defaults in which one such class differs from another.
struct Rows {
    tasks: Absent,
    iterations: Absent,
    shape: Defaults,
    real_time: Absent,
}

/// Keys without a value of their own: eight tasks, a hundred iterations, neither I/O nor messages
/// nor deadlines.
const PLAIN: Rows = Rows {
    tasks: TASKS.default,
    iterations: ITERATIONS.default,
    shape: Defaults { compute: Absent::Error, io: Absent::Text("0s"), pattern: "none" },
    real_time: keys::REAL_TIME.default,
};

const fn keys(rows: &Rows) -> [Key; 12] {
    let [compute, io, skew, pattern, messages, size, memory] = keys::iteration_keys(&rows.shape);
    let (tasks, iterations) = (TASKS.otherwise(rows.tasks), ITERATIONS.otherwise(rows.iterations));
    let real_time = keys::REAL_TIME.otherwise(rows.real_time);
    [NAME, WEIGHT, tasks, iterations, compute, io, skew, pattern, messages, size, memory, real_time]
}

const ITERATING: Entry<Class> = Entry::published(
    "iterations",
    "jobs that iterate, with nothing assumed",
    SOURCE,
    &keys(&PLAIN),
    |params| Ok(Box::new(single(read(params)?))),
);

/// Uniform within a tenth of 1, 5, 15 and 50 ms.
const ABOUT_1_MS: Absent = Absent::Written("{ kind = \"uniform\", low = \"900us\", high = \"1100us\" }");
const ABOUT_5_MS: Absent = Absent::Written("{ kind = \"uniform\", low = \"4500us\", high = \"5500us\" }");
const ABOUT_15_MS: Absent = Absent::Written("{ kind = \"uniform\", low = \"13500us\", high = \"16500us\" }");
const ABOUT_50_MS: Absent = Absent::Written("{ kind = \"uniform\", low = \"45ms\", high = \"55ms\" }");

/// The shapes of the named classes, for logs whose jobs are assumed to be of one.
pub(in super::super) const COMM: Defaults =
    Defaults { compute: ABOUT_5_MS, io: Absent::Text("0s"), pattern: "nn" };
pub(in super::super) const COMM_FINE: Defaults = Defaults { compute: ABOUT_1_MS, ..COMM };
pub(in super::super) const CPU: Defaults = Defaults { compute: ABOUT_50_MS, ..COMM };
pub(in super::super) const IO: Defaults = Defaults { io: ABOUT_15_MS, ..COMM };

pub(super) const ENTRIES: &[Entry<Class>] = &variants! { ITERATING;
    "comm-fine" &keys(&Rows { shape: COMM_FINE, ..PLAIN }) =>
        "communication-intensive, fine-grained: neighbours exchange messages about every millisecond";
    "comm" &keys(&Rows { shape: COMM, ..PLAIN }) =>
        "communication-intensive: neighbours exchange messages about every 5 ms";
    "cpu" &keys(&Rows { shape: CPU, ..PLAIN }) =>
        "compute-intensive: neighbours exchange messages about every 50 ms";
    "io" &keys(&Rows { shape: IO, ..PLAIN }) =>
        "I/O-intensive: about 5 ms of computing and 15 ms of I/O, then messages to neighbours";
    "server" &keys(&Rows {
        tasks: Absent::Written("{ kind = \"empirical\", values = [1, 2] }"),
        iterations: Absent::Written("{ kind = \"empirical\", values = [1, 2, 3] }"),
        shape: Defaults { compute: Absent::Text("2ms"), io: Absent::Text("8ms"), pattern: "none" },
        ..PLAIN
    }) => "requests to a commercial server: one or two tasks, up to three iterations, no messages";
    "periodic" &keys(&Rows {
        shape: COMM,
        real_time: Absent::Written("{ period = \"50ms\", share = 0.2 }"),
        ..PLAIN
    }) => "real-time jobs: about 5 ms of computing and messages to neighbours in every period of 50 ms";
};

fn read(params: &Params<'_>) -> Result<Recipe, Complaint> {
    let times = (keys::times(params, "compute")?, keys::times(params, "io")?);
    let program = Program::Iterations(keys::iterations(params, 1, times)?);
    Recipe::read(params, "iterations", program, keys::quality(params, None)?)
}
