//! Dynamic coscheduling: jobs share nodes, and every node decides by itself what runs when.
//!
//! The front end puts the tasks of a job on distinct processors with room, up to the multiprogramming level, and leaves the
//! rest to the nodes: their CPU schedulers and a scheme of wait action, arrival action and periodic action, whose
//! published names are settings of this policy. It decides at every arrival and at every end of a task; a task that ends
//! before the others of its job makes room at once.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 4.1 and 4.2.

use async_trait::async_trait;

use crate::cluster::{SCHEMES, Scheme};
use crate::collections::Interval;
use crate::frontend::node_selection::Selection;
use crate::frontend::queue::Discipline;
use crate::frontend::{Queue, Slots};
use crate::instrument::Reason;
use crate::registry::{Absent, Entry, Key, Kind, Preset};

use super::{FrontEnd, Policy, PolicyError, QUEUE, Sharing};

pub(super) const ENTRY: Entry<dyn Policy> = Entry {
    name: "coscheduling",
    about: "jobs share nodes, each of which schedules by itself, with hints from waiting and from messages",
    source: "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4",
    keys: &[
        Key {
            name: "scheme",
            kind: Kind::Component("scheme"),
            default: Absent::Text("pb"),
            about: "what nodes do so that tasks that communicate run together",
            source: "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.2",
        },
        QUEUE,
        Key {
            name: "selection",
            kind: Kind::Component("node-selection"),
            default: Absent::Text("least-loaded"),
            about: "on which of the processors with room the tasks of a job are put",
            source: "",
        },
    ],
    build: |params| {
        Ok(Box::new(Coscheduling {
            scheme: *params.component("scheme", "scheme")?,
            discipline: params.component("queue", "queue")?,
            selection: params.component("selection", "node-selection")?,
        }))
    },
};

/// The published schemes as policies of their own names.
pub(super) const PRESETS: &[Preset] = &{
    let mut presets = SCHEMES;
    let mut place = 0;
    while place < presets.len() {
        presets[place].kind = "coscheduling";
        presets[place].set = &SET[place];
        place += 1;
    }
    presets
};

/// What each of them sets.
const SET: [[(&str, &str); 1]; SCHEMES.len()] = {
    let mut set = [[("scheme", "")]; SCHEMES.len()];
    let mut place = 0;
    while place < set.len() {
        set[place][0].1 = SCHEMES[place].name;
        place += 1;
    }
    set
};

#[derive(Debug)]
struct Coscheduling {
    scheme: Scheme,
    discipline: Box<dyn Discipline>,
    selection: Box<dyn Selection>,
}

#[async_trait(?Send)]
impl Policy for Coscheduling {
    fn name(&self) -> &'static str {
        "coscheduling"
    }

    fn sharing(&self) -> Sharing {
        Sharing::Coscheduled(self.scheme.clone())
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
        let jobs = front.jobs();
        let mut queue = Queue::new();
        let mut slots = Slots::new((0..front.procs()).map(|_| front.level()));
        let mut chosen: Vec<Interval> = Vec::new();
        while let Some(news) = front.news().await {
            for id in news.arrived {
                queue.insert(id, &jobs[id.index()], &*self.discipline);
            }
            for processor in news.left {
                slots.release_node(processor);
            }
            while let Some(next) = self.discipline.next(&queue, slots.free_nodes()) {
                queue.remove(&next);
                chosen.clear();
                self.selection.choose(&slots, next.procs, &mut chosen);
                slots.occupy(&chosen);
                front.start(next.job, &chosen, Reason::Head)?;
            }
        }
        Ok(())
    }
}
