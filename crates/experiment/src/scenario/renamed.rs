//! Names that had another meaning to their readers than to their authors, and what they are called
//! now.
//!
//! [`RENAMED`] is the only place that knows old names. A scenario that has one (in a file, by
//! `--set` or in an axis) is refused at its place with the new name, and is checked on as if it had
//! that. So is a metric of `[expect]`, `repeat.until` and `--metric`, and a name that `explain` is
//! asked for.

use crate::measure::metric::Metric;
use crate::registry::code::{self, Code};
use crate::registry::{Complaint, KeyValue, Node, Span, Tree, Value, suggestion};

/// Kinds of things that have another name now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A key, by its path.
    Key,
    /// A value of a key: the path, ` = `, and the value.
    Value,
    /// A metric.
    Metric,
    /// A word of results, or a column of a file.
    Word,
}

/// A name that was replaced.
#[derive(Clone, Copy, Debug)]
pub struct Renamed {
    /// Kind of the thing named.
    pub what: Named,
    /// The old name.
    pub old: &'static str,
    /// The new name.
    pub new: &'static str,
    /// Reason that the old one misled.
    pub why: &'static str,
}

macro_rules! renamed {
    ($($what:ident $old:literal => $new:literal, $why:expr;)*) => {
        [$(Renamed { what: Named::$what, old: $old, new: $new, why: $why }),*]
    };
}

/// Every old name, with the new one and why the old one misled. Values stand under the new names of
/// their keys, so keys come first.
pub const RENAMED: &[Renamed] = &renamed! {
    Key "cluster.failures.then" => "cluster.failures.on-failure", "as `on-failure` of agents";
    Key "cluster.node.raised" => "cluster.node.interrupt-preemption", PREEMPTS;
    Key "cluster.group.raised" => "cluster.group.interrupt-preemption", PREEMPTS;
    Value "cluster.node.interrupt-preemption = once" => "cluster.node.interrupt-preemption = immediate",
        ONE_TIME;
    Value "cluster.group.interrupt-preemption = once" => "cluster.group.interrupt-preemption = immediate",
        ONE_TIME;
    Key "platform.host.state" => "platform.host.state-trace",
        "it takes a trace, as `availability-trace` does";
    Key "platform.link.state" => "platform.link.state-trace", "it takes a trace, as `bandwidth-trace` does";
    Key "platform.host.availability-trace.from-first" =>
        "platform.host.availability-trace.first-point-at-start", FIRST_POINT;
    Key "platform.host.state-trace.from-first" => "platform.host.state-trace.first-point-at-start",
        FIRST_POINT;
    Key "platform.link.bandwidth-trace.from-first" => "platform.link.bandwidth-trace.first-point-at-start",
        FIRST_POINT;
    Key "platform.link.latency-trace.from-first" => "platform.link.latency-trace.first-point-at-start",
        FIRST_POINT;
    Key "platform.link.state-trace.from-first" => "platform.link.state-trace.first-point-at-start",
        FIRST_POINT;
    Key "policy.backfill.reservation" => "policy.backfill.head-reservation",
        "`reservations` next to it is another key";
    Value "policy.backfill.head-reservation = anew" => "policy.backfill.head-reservation = recomputed",
        "the reservation is computed again at every decision";
    Metric "agents.begun" => "agents.created", "it counts agents that never started, too";
    Metric "reservations.begun" => "reservations.started", "jobs and reservations start";
    Metric "jobs.refused" => "jobs.not-admitted",
        "`jobs.rejected` counts others, too; these failed admission control";
    Word "beside-reservations" => "delays-no-reservation", "it is why the job could start: it delays none";
    Word "withdrawn" => "cancelled", "as the state of such jobs is called";
    Word "untold" => "not-reported", "the policy does not report a cause";
    Word "left" => "aborted", "the operation was aborted; `left` reads as what remains";
    Word "reservations.csv.time" => "reservations.csv.occurrence",
        "it is a number of an occurrence and no time";
    Word "attempts.csv.kept" => "attempts.csv.saved_work", "it is the work that a checkpoint saved";
};

const PREEMPTS: &str = "it says when an interrupt leads to preemption";
const ONE_TIME: &str = "`once` reads as one time";
const FIRST_POINT: &str = "it says where the first point is, not from where the trace is read";

impl Renamed {
    /// The complaint without a place.
    fn complaint(&self, code: &'static Code) -> Complaint {
        let message = format!("`{}` is called `{}` now", self.old, self.new);
        Complaint::nowhere(code, message).label("renamed").help(self.why)
    }
}

/// The complaint of a name that is known by another one now, without a place; `None` if it is no
/// old name. A metric, a word, a column, or the path of a key.
pub fn renamed(code: &'static Code, name: &str) -> Option<Complaint> {
    RENAMED.iter().find(|one| one.old == name).map(|one| one.complaint(code))
}

/// A complaint of a metric that no run of the scenario has, at a place of the scenario or on the
/// command line.
pub fn unknown_metric(code: &'static Code, name: &str, span: Option<Span>, known: &[Metric]) -> Complaint {
    let unknown = || {
        let names = known.iter().map(|metric| metric.name.as_str());
        let complaint = Complaint::nowhere(code, format!("unknown metric `{name}`"));
        complaint.label("not known").help(suggestion(name, names))
    };
    Complaint { span, ..renamed(code, name).unwrap_or_else(unknown) }
}

/// Gives every key and value of a scenario that has an old name the new one, with a complaint each
/// at its place.
pub(super) fn mend(root: &mut Node, complaints: &mut Vec<Complaint>) {
    for one in RENAMED {
        match one.what {
            Named::Key => below(root, one.old, &mut |tree, name| {
                let Some(slot) = tree.take(name) else { return };
                complaints.push(Complaint { span: Some(slot.span), ..one.complaint(code::UNKNOWN_KEY) });
                let name = one.new.rsplit('.').next().unwrap_or_default();
                // if the new name stands there, too, that holds
                if tree.slot(name).is_none() {
                    tree.put(KeyValue { name: name.to_owned(), ..slot });
                }
            }),
            Named::Value => {
                let ends = (one.old.split_once(" = "), one.new.split_once(" = "));
                let (Some((path, old)), Some((_, new))) = ends else { continue };
                below(root, path, &mut |tree, name| {
                    let slot = tree.slot_mut(name).filter(|slot| slot.node.as_text() == Some(old));
                    let Some(slot) = slot else { return };
                    let span = Some(slot.node.span);
                    complaints.push(Complaint { span, ..one.complaint(code::UNKNOWN_NAME) });
                    slot.node.value = Value::String(new.to_owned());
                });
            }
            Named::Metric | Named::Word => {}
        }
    }
}

/// Calls `change` with every table that the last key of `path` would stand in, and that key.
fn below(node: &mut Node, path: &str, change: &mut dyn FnMut(&mut Tree, &str)) {
    match (&mut node.value, path.split_once('.')) {
        (Value::Array(nodes), _) => nodes.iter_mut().for_each(|node| below(node, path, change)),
        (Value::Table(tree), Some((first, rest))) => {
            tree.slot_mut(first).into_iter().for_each(|slot| below(&mut slot.node, rest, change));
        }
        (Value::Table(tree), None) => change(tree, path),
        _ => {}
    }
}
