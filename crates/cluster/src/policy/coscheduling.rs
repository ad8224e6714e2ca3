//! Dynamic coscheduling: jobs share nodes, and every node decides by itself what runs when.
//!
//! The front end puts the tasks of a job on distinct processors with a free slot, up to the
//! multiprogramming level, and leaves the rest to the nodes: their CPU schedulers and a scheme of
//! wait action, arrival action and periodic action, whose published names are settings of this
//! policy. It decides at every arrival and at every end of a task; a task that ends before the
//! others of its job frees its slots at once.
//!
//! Where nodes keep reservations, real-time jobs are let in only where theirs can be kept
//! ([`admission`](crate::batch::admission)); what a job has reserved it gives back when it ends.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 4.1 and 4.2.

use async_trait::async_trait;

use crate::batch::admission::{Admission, RealTimeQueue, Reservations};
use crate::batch::node_selection::Selection;
use crate::batch::queue::Discipline;
use crate::batch::{Queue, Slots};
use crate::collections::Interval;
use crate::instrument::Reason;
use crate::instrument::explanation::Of;
use crate::node::{SCHEMES, Scheme};
use crate::registry::{Bounds, Entry, Kind, Preset, entry};
use crate::workload::parallel::Quality;

use super::{FrontEnd, Policy, PolicyError, QUEUE, Sharing, SiteEvent, why};

pub(super) const ENTRY: Entry<dyn Policy> = entry! {
    "coscheduling" =>
        "jobs share nodes, each of which schedules by itself, with hints from waiting and from messages",
    source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4",
    keys {
        "scheme" Kind::Component("scheme"), or "pb" =>
            "what nodes do so that tasks that communicate run together",
            source "\"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4.2.2";
        ..QUEUE;
        "selection" Kind::Component("node-selection"), or "least-loaded" =>
            "on which of the processors with free slots the tasks of a job are put";
        "reserved" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 0.95 =>
            "how much of a processor real-time jobs may reserve in all, where nodes keep reservations \
             (`scheduler = \"two-level\"`)",
            source "Linux, documentation of its deadline scheduler";
        "admission" Admission::CHOICES, or "wait" =>
            "what becomes of a real-time job whose reservation cannot be kept when it is considered; one \
             that could never be kept is rejected, and where no node keeps reservations all jobs are alike";
    },
    reads |params| Coscheduling {
        scheme: *params.component("scheme", "scheme")?,
        discipline: super::fixed_order(params)?,
        selection: params.component("selection", "node-selection")?,
        reserved: params.read("reserved")?,
        admission: params.read("admission")?,
    }
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

/// Keys that each of the presets sets.
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
    /// Share of a processor that may be reserved.
    reserved: f64,
    admission: Admission,
}

/// The slots of the processors, and what is reserved of them.
#[derive(Debug)]
struct NodeSlots {
    slots: Slots,
    reservations: Reservations,
    chosen: Vec<Interval>,
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
        let (mut queue, mut real_time) = (Queue::new(), Queue::new());
        let slots = Slots::new((0..front.procs()).map(|_| front.level()));
        let reservations = Reservations::new(self.reserved, front.keeps_reservations());
        let admits = self.admission != Admission::None && reservations.are_kept();
        let mut nodes = NodeSlots { slots, reservations, chosen: Vec::new() };
        while let Some(news) = front.news().await {
            for event in news {
                let id = match event {
                    SiteEvent::Ended(id) => {
                        nodes.reservations.give_back(id);
                        continue;
                    }
                    SiteEvent::Left(processor) => {
                        nodes.slots.release_node(processor);
                        continue;
                    }
                    SiteEvent::Arrived(id) => id,
                    _ => continue,
                };
                let job = &jobs[id.index()];
                match front.quality(id) {
                    Quality::RealTime { share, .. } if admits => {
                        if nodes.reservations.could_fit(job.procs, share) {
                            real_time.insert(id, job, &*self.discipline);
                        } else {
                            front.refuse_for(id, Reason::Admission)?;
                        }
                    }
                    _ => queue.insert(id, job, &*self.discipline),
                }
            }
            if !real_time.is_empty() {
                self.admit(&front, &mut real_time, &mut nodes)?;
            }
            while let Some(next) = self.discipline.next(&queue, nodes.slots.free_nodes()) {
                let reason = queue.reason(next.job);
                why::note_start(&front, &queue, &next, 1);
                queue.remove(&next);
                nodes.chosen.clear();
                self.selection.choose(&nodes.slots, next.procs, &mut nodes.chosen);
                nodes.slots.occupy(&nodes.chosen);
                front.start(next.job, &nodes.chosen, reason)?;
            }
            let (count, any) = (nodes.slots.free_nodes(), self.discipline.overtakes());
            why::explain(&front, &queue, why::Free { count, of: Of::Nodes, any }, why::in_order);
        }
        Ok(())
    }
}

impl Coscheduling {
    /// Lets in the real-time jobs whose reservations can be kept; refuses the others that are to be
    /// refused.
    fn admit(&self, front: &FrontEnd, queue: &mut Queue, nodes: &mut NodeSlots) -> Result<(), PolicyError> {
        let jobs = front.jobs();
        let line = RealTimeQueue { queue, discipline: &*self.discipline, jobs: &jobs };
        let refused = self.admission.serve(line, nodes.slots.free_nodes(), |next| {
            let Quality::RealTime { share, .. } = front.quality(next.job) else { return Ok(false) };
            let NodeSlots { slots, reservations, chosen } = &mut *nodes;
            let among = slots.among(|processor| reservations.fits(processor, share));
            if among.free_nodes() < u64::from(next.procs) {
                return Ok(false);
            }
            chosen.clear();
            self.selection.choose(&among, next.procs, chosen);
            slots.occupy(chosen);
            reservations.take(next.job, share, chosen);
            front.start(next.job, chosen, Reason::Admitted).map(|()| true)
        })?;
        refused.into_iter().try_for_each(|job| front.refuse_for(job, Reason::Admission))
    }
}
