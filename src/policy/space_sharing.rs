//! Space sharing: a job has its processors to itself, from its start to its end.
//!
//! Once an instant that brought news, jobs are started as the queue discipline says, while it names one; then the
//! backfilling rule says which jobs may overtake a head that does not fit (MODELS 2.2). With `queue = "fcfs"` and
//! `backfill = "none"` this is plain first come, first served; with `"easy"` it is EASY. The reservation of EASY goes to
//! whoever is the head when it is made: under `sjf`, a shorter job that arrives later takes the head's place, and its
//! reservation with it. Disciplines that start whatever fits leave backfilling nothing to do, nor could it keep a
//! promise under them, so the two together are refused. Jobs are not killed at their estimates.

use async_trait::async_trait;

use crate::frontend::allocation::Allocation;
use crate::frontend::backfill::{Backfill, View};
use crate::frontend::queue::{Discipline, Waiting};
use crate::frontend::{Queue, Running};
use crate::instrument::Reason;
use crate::kernel::{SimTime, now};
use crate::registry::{Absent, Complaint, Entry, Key, Kind, Node, Params};
use crate::workload::Job;

use super::{FrontEnd, Policy, PolicyError, QUEUE};

pub(super) const ENTRY: Entry<dyn Policy> = Entry {
    name: "space-sharing",
    about: "jobs have their processors to themselves and start in queue order, others overtaking by rule",
    source: "D. A. Lifka, JSSPP 1995; A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001; \
             queues: ClusterSchedSim, SIMULATION 80(4-5), 2004",
    keys: &[
        QUEUE,
        Key {
            name: "backfill",
            kind: Kind::Component("backfill"),
            default: Absent::Text("easy"),
            about: "which jobs may overtake a head of the queue that does not fit",
            source: "",
        },
        Key {
            name: "allocation",
            kind: Kind::Component("allocation"),
            default: Absent::Text("lowest-first"),
            about: "which of the free processors a job gets",
            source: "",
        },
    ],
    build: |params| {
        let discipline: Box<dyn Discipline> = params.component("queue", "queue")?;
        let backfill: Box<dyn Backfill> = params.component("backfill", "backfill")?;
        if discipline.overtakes() && backfill.overtakes() {
            return Err(nothing_to_backfill(params));
        }
        let allocation = params.component("allocation", "allocation")?;
        Ok(Box::new(SpaceSharing { discipline, backfill, allocation }))
    },
};

fn nothing_to_backfill(params: &Params<'_>) -> Complaint {
    let kind = |key| params.tree().at(key).and_then(Node::as_text).unwrap_or_default();
    let (queue, backfill) = (kind("queue.kind"), kind("backfill.kind"));
    let message =
        format!("queue `{queue}` starts every job that fits, so backfill `{backfill}` has none to start");
    let complaint = params.complaint("backfill", message).label("expected \"none\"");
    complaint.help("write backfill = \"none\"").note("the queue is here", Some(params.span("queue")))
}

#[derive(Debug)]
struct SpaceSharing {
    discipline: Box<dyn Discipline>,
    backfill: Box<dyn Backfill>,
    allocation: Box<dyn Allocation>,
}

#[async_trait(?Send)]
impl Policy for SpaceSharing {
    fn name(&self) -> &'static str {
        "space-sharing"
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
        let jobs = front.jobs();
        let mut queue = Queue::new();
        let mut running = Running::new();
        let mut picked = Vec::new();
        while let Some(news) = front.news().await {
            for id in news.arrived {
                queue.insert(id, &jobs[id.index()], &*self.discipline);
            }
            if self.backfill.overtakes() {
                for id in news.departed {
                    let job = &jobs[id.index()];
                    running.remove(id, job.procs, estimated_end(job, front.start_time(id)));
                }
            }
            while let Some(next) = self.discipline.next(&queue, front.free_count()) {
                queue.remove(&next);
                self.start(&front, &mut running, next, Reason::Head)?;
            }
            if queue.is_empty() || !self.backfill.overtakes() {
                continue;
            }
            let view = View { now: now(), free: front.free_count(), queue: &queue, running: &running };
            self.backfill.pick(&view, &mut picked);
            for job in picked.drain(..) {
                queue.remove(&job);
                self.start(&front, &mut running, job, Reason::Backfilled)?;
            }
        }
        Ok(())
    }
}

impl SpaceSharing {
    fn start(
        &self,
        front: &FrontEnd,
        running: &mut Running,
        job: Waiting,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        front.start_on(job.job, &*self.allocation, reason)?;
        if self.backfill.overtakes() {
            running.insert(job.job, job.procs, now().saturating_add(job.estimate));
        }
        Ok(())
    }
}

fn estimated_end(job: &Job, start: SimTime) -> SimTime {
    start.saturating_add(job.estimate)
}
