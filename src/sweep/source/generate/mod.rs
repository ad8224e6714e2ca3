//! Generated applications: tasks, and classes of files that they share by a rule each.
//!
//! Files are numbered class by class, then come the outputs in the order of the tasks. Every law
//! has a stream of its own, so that another law of one quantity moves no draw of another.
//!
//! Source: section 8 of the report of the Parameter Sweep Template names the applications; their
//! keys are the simulator's own.

mod generated;
mod sharing;
mod times;

use crate::registry::{Entry, Key, Kind, Quantity, keys, named_keys};
use crate::sweep::source::SweepSource;

use generated::Generated;
use sharing::{FILES, FileClass, FileSharing};
use times::{COMMON, MOST_TASKS};

const SOURCE: &str = "F. Berman et al., LIP RR1999-46, 1999, sections 6.1 and 8";
const SMALL: &str = "{ kind = \"uniform\", low = \"8kB\", high = \"12kB\" }";
const BYTES: Kind = Kind::Distribution(Quantity::Bytes);

named_keys! {
    TASKS = "tasks" Kind::Count { least: 1, most: MOST_TASKS as u64 }, or_count 400 => "how many tasks";
    OUTPUT = "output" BYTES, absent "tasks write nothing" => "size of the file that a task writes";
    SMALL_OUTPUT = "output" BYTES, or_written SMALL => "size of the file that a task writes";
    OWN_COUNT = "own-count" Kind::Count { least: 0, most: 1_000 }, or_count 2 => "inputs that a task has for itself";
    OWN_SIZE = "own-size" BYTES, or_written SMALL => "size of an input that a task has for itself";
}

const GENERATED: [Key; 3] = [TASKS, FILES, OUTPUT];

const INS2D: [Key; 4] = [TASKS, OWN_COUNT, OWN_SIZE, SMALL_OUTPUT];

const MCELL: [Key; 6] = keys! {
    ..TASKS;
    "chunk" Kind::Count { least: 1, most: MOST_TASKS as u64 }, or_count 50 => "consecutive tasks that share a file";
    "shared-size" BYTES, or "4800kB" => "size of a file that a chunk of tasks shares";
    ..OWN_COUNT;
    ..OWN_SIZE;
    ..SMALL_OUTPUT;
};

/// The generators by name.
pub(in crate::sweep) const ENTRIES: &[Entry<dyn SweepSource>] = &[
    Entry::published(
        "generated",
        "tasks and classes of files, each class shared by a rule of its own",
        SOURCE,
        &Key::joined::<{ GENERATED.len() + COMMON.len() }>(&[&GENERATED, COMMON]),
        |params| {
            let classes = FileClass::all(params)?;
            Ok(Box::new(Generated::build(params, classes)?))
        },
    ),
    Entry::published(
        "ins2d",
        "no sharing: each task reads small files of its own",
        SOURCE,
        &Key::joined::<{ INS2D.len() + COMMON.len() }>(&[&INS2D, COMMON]),
        |params| {
            let own = FileClass::own(params)?;
            Ok(Box::new(Generated::build(params, vec![own])?))
        },
    ),
    Entry::published(
        "mcell",
        "chunks of tasks that share one large file each, and read small files of their own",
        SOURCE,
        &Key::joined::<{ MCELL.len() + COMMON.len() }>(&[&MCELL, COMMON]),
        |params| {
            let shared = FileClass {
                name: "shared".to_owned(),
                sharing: FileSharing::Chunk(params.read("chunk")?),
                count: 1,
                size: *params.component("shared-size", "distribution")?,
                at: params.span("chunk"),
            };
            Ok(Box::new(Generated::build(params, vec![shared, FileClass::own(params)?])?))
        },
    ),
];

#[cfg(test)]
mod tests;
