//! A mix of applications: each copy is of one kind, drawn by weight.
//!
//! The kind of each copy is a draw of its own, so that another law of arrivals or another cost
//! moves no kind. A copy of a kind that is drawn draws from that kind's streams, by the number of
//! the copy.

use std::path::Path;

use crate::kernel::rng::Stream;
use crate::read::LoadedWorkflow;
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Params, Value};
use crate::source::{CopyRequest, WorkflowSource};

/// Name of this kind; its parts are of other kinds.
const NAME: &str = "mixed";

pub(super) const ENTRY: Entry<dyn WorkflowSource> = Entry::new(
    NAME,
    "copies of several kinds, each copy of one that is drawn by weight",
    &[
        Key::new("of", Kind::List(&Kind::Component("application"))).about("the kinds, each with its keys"),
        Key::new("weights", Kind::List(&Kind::Number(Bounds::Positive)))
            .absent("all kinds are equally likely")
            .about("how likely each kind is, relative to the others; one for each"),
    ],
    |params| Ok(Box::new(Mixed::build(params)?)),
);

/// Kinds and their weights.
#[derive(Debug)]
struct Mixed {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    kind: String,
    source: Box<dyn WorkflowSource>,
    weight: f64,
}

impl Mixed {
    fn build(params: &Params<'_>) -> Result<Self, Complaint> {
        let nodes = match params.tree().get("of").map(|node| &node.value) {
            Some(Value::Array(nodes)) => nodes.as_slice(),
            _ => &[],
        };
        if nodes.is_empty() {
            return Err(params.complaint("of", "a mix of nothing").label("expected at least one kind"));
        }
        let mut kinds = Vec::new();
        for part in nodes.iter().map(|node| params.with(node)) {
            let kind: String = part.read("kind")?;
            if kind == NAME {
                return Err(part.complaint("kind", "a mix in a mix").label("name its kinds here"));
            }
            // what says how many copies there are, and when, is said once
            if part.has("arrivals") || part.read::<u64>("count")? != 1 {
                let key = if part.has("arrivals") { "arrivals" } else { "count" };
                let message = format!("`{key}` of one kind of a mix");
                let complaint = part.complaint(key, message).label("the mix has its copies and arrivals");
                return Err(complaint.help("write it in the table of `of`"));
            }
            kinds.push(kind);
        }
        let weights: Vec<f64> =
            if params.has("weights") { params.read("weights")? } else { vec![1.0; kinds.len()] };
        if weights.len() != kinds.len() {
            let message = format!("{} weights of {} kinds", weights.len(), kinds.len());
            return Err(params.complaint("weights", message).label("one for each kind of `of`"));
        }
        let sources = params.components::<dyn WorkflowSource>("of", "application")?;
        let parts = kinds.into_iter().zip(sources).zip(weights);
        Ok(Mixed { parts: parts.map(|((kind, source), weight)| Part { kind, source, weight }).collect() })
    }

    fn drawn(&self, stream: &mut Stream) -> &Part {
        let mut left = stream.uniform01() * self.parts.iter().map(|part| part.weight).sum::<f64>();
        let part = self.parts.iter().find(|part| {
            left -= part.weight;
            left < 0.0
        });
        part.unwrap_or_else(|| &self.parts[self.parts.len() - 1])
    }
}

impl WorkflowSource for Mixed {
    fn load(&self, request: &CopyRequest<'_>) -> Result<LoadedWorkflow, Vec<Complaint>> {
        let part = self.drawn(&mut request.draws_for("kind"));
        part.source.load(&CopyRequest { name: &part.kind, ..*request })
    }

    fn inputs(&self) -> Vec<(&str, &Path)> {
        self.parts.iter().flat_map(|part| part.source.inputs()).collect()
    }

    fn draws(&self) -> bool {
        self.parts.len() > 1 || self.parts.iter().any(|part| part.source.draws())
    }
}
