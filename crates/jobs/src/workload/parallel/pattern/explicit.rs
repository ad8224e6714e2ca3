//! Explicit peers: a list for each task of those that it sends to.
//!
//! Need not be symmetric: a task receives from those in whose lists it stands, in the order of
//! their ranks. A task that is in no list receives nothing.

use std::sync::Arc;

use crate::registry::{Complaint, Entry, Kind, Node, Params, Value, code, keys};

use super::{Pattern, Peers};

/// Most tasks that are listed one by one.
const MOST_TASKS: usize = 1 << 20;

pub(super) const ENTRY: Entry<dyn Pattern> = Entry::new(
    "explicit",
    "a list for each task of the tasks that it sends to",
    &keys! {
        "peers" Kind::List(&Kind::List(&Kind::Count { least: 0, most: MOST_TASKS as u64 })) =>
            "for each task, from 0, the tasks that it sends to, in this order; it receives from those that send to it";
    },
    |params| Ok(Box::new(read(params)?)),
);

/// Lists of peers, turned round as well.
#[derive(Clone, Debug)]
pub struct Explicit {
    sends: Vec<Arc<[u32]>>,
    receives: Vec<Arc<[u32]>>,
}

/// Reason that lists cannot be peers, and the place in them.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct NoPeers {
    /// The task whose list it is.
    pub rank: usize,
    /// The place in its list, if it is one peer that is wrong.
    pub at: Option<usize>,
    /// The mistake.
    pub reason: String,
}

impl Explicit {
    /// The peers `sends[rank]` for every rank.
    ///
    /// # Errors
    /// No tasks, a task that is not there, is its own peer or stands twice in a list.
    pub fn new(sends: &[Vec<u32>]) -> Result<Self, NoPeers> {
        let tasks = sends.len();
        if tasks == 0 || tasks > MOST_TASKS {
            let reason = format!("there must be a list for each of 1 to {MOST_TASKS} tasks, not {tasks}");
            return Err(NoPeers { rank: 0, at: None, reason });
        }
        let mut receives: Vec<Vec<u32>> = vec![Vec::new(); tasks];
        for (rank, list) in sends.iter().enumerate() {
            for (at, &peer) in list.iter().enumerate() {
                let wrong = |reason| Err(NoPeers { rank, at: Some(at), reason });
                let Some(from) = receives.get_mut(peer as usize) else {
                    return wrong(format!("there is no task {peer}: tasks are 0 to {}", tasks - 1));
                };
                if peer as usize == rank {
                    return wrong(format!("task {rank} cannot be its own peer"));
                }
                // lists are turned round in the order of ranks, so that a repetition stands last
                if from.last() == Some(&(rank as u32)) {
                    return wrong(format!("task {peer} is a peer of task {rank} already"));
                }
                from.push(rank as u32);
            }
        }
        let shared = |lists: &[Vec<u32>]| lists.iter().map(|list| Arc::from(list.as_slice())).collect();
        Ok(Explicit { sends: shared(sends), receives: shared(&receives) })
    }
}

impl Pattern for Explicit {
    fn sends_to(&self, rank: u32, _: u32) -> Peers {
        self.sends.get(rank as usize).map_or(Peers::NONE, |list| Peers::listed(Arc::clone(list)))
    }

    fn receives_from(&self, rank: u32, _: u32) -> Peers {
        self.receives.get(rank as usize).map_or(Peers::NONE, |list| Peers::listed(Arc::clone(list)))
    }

    fn tasks(&self) -> Option<u32> {
        Some(self.sends.len() as u32)
    }
}

fn read(params: &Params<'_>) -> Result<Explicit, Complaint> {
    let sends: Vec<Vec<u32>> = params.read("peers")?;
    Explicit::new(&sends).map_err(|bad| {
        let inside = |node: &Node, at: usize| match &node.value {
            Value::Array(nodes) => nodes.get(at).cloned(),
            _ => None,
        };
        let list = params.tree().get("peers").and_then(|node| inside(node, bad.rank));
        let peer = list.and_then(|list| inside(&list, bad.at?));
        let span = peer.map_or(params.span("peers"), |node| node.span);
        Complaint::new(code::CONTRADICTION, bad.reason, span).label("not with this value")
    })
}
