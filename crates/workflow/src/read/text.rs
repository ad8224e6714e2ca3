//! The text of DAGSim.
//!
//! ```text
//! DagDescription 1
//! node <name> <seconds> [root | end | computation]
//! edge <from> <to> [<bytes>]
//! time <name> <host> <seconds>
//! ```
//!
//! Lines may stand in any order behind the first; blank lines, and lines that begin with `#`, are
//! free. Seconds are those of a host of relative speed 1. An edge without bytes is a control edge.
//! Where a root (an end) is declared, every task lies on a path from it (to it).
//!
//! Source: DAGSim (A. Jarry, H. Casanova, F. Berman, 2000) names such a file without its grammar,
//! which is the simulator's own.

use crate::draft::{Draft, EdgeOrigin, VertexKind};
use crate::graph::Task;
use crate::read::ReadOptions;
use crate::text::{Forms, Mistake, Statement, statements};

const FORMS: &Forms = &[
    ("node", 2, 3, "node <name> <seconds> [root | end | computation]"),
    ("edge", 2, 3, "edge <from> <to> [<bytes>]"),
    ("time", 3, 3, "time <name> <host> <seconds>"),
];

pub(super) fn read(text: &str, draft: &mut Draft, options: &ReadOptions) -> Result<(), Mistake> {
    statements(text, ["DagDescription", "1"], FORMS, &mut |line| match line {
        Ok(statement) => add(&statement, draft, options),
        Err(mistake) => draft.push(mistake),
    })
}

fn add(statement: &Statement<'_, '_>, draft: &mut Draft, options: &ReadOptions) {
    match (statement.first, statement.words) {
        ("node", [(name, at), (cost, cost_at), rest @ ..]) => {
            let seconds = draft.amount("the cost", cost, *cost_at);
            let kind = match rest.first().map_or("computation", |(kind, _)| kind) {
                "computation" => VertexKind::Computation,
                "root" => VertexKind::DeclaredRoot,
                "end" => VertexKind::DeclaredEnd,
                other => {
                    let help = Some("it is `root`, `end` or `computation`".to_owned());
                    draft.push(Mistake { message: format!("unknown kind `{other}`"), help, spot: rest[0].1 });
                    VertexKind::Computation
                }
            };
            draft.define(Task::new(*name, seconds * options.reference_speed), kind, *at);
        }
        ("edge", [(from, from_at), (to, to_at), bytes @ ..]) => {
            let (from, to) = (draft.vertex(from, *from_at), draft.vertex(to, *to_at));
            let bytes = bytes.first().map(|(bytes, at)| draft.size("the size", bytes, *at));
            draft.edge(from, to, bytes, EdgeOrigin::Parents, statement.spot);
        }
        ("time", [(name, at), (host, _), (seconds, seconds_at)]) => {
            let vertex = draft.vertex(name, *at);
            let seconds = draft.amount("the time", seconds, *seconds_at);
            draft.time(vertex, host, seconds, *at);
        }
        _ => {}
    }
}
