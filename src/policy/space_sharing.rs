//! Space sharing: a job has its processors to itself, from its start to its end.
//!
//! Once an instant that brought news, the head of the queue is started while it fits; if it does not, the backfilling
//! rule says which jobs may overtake it (MODELS 2.2). With `backfill = "none"` this is plain first come, first served;
//! with `"easy"` it is EASY. Jobs are not killed at their estimates.

use async_trait::async_trait;

use crate::frontend::allocation::Allocation;
use crate::frontend::backfill::{Backfill, View};
use crate::frontend::queue::{Discipline, Waiting};
use crate::frontend::{Queue, Running};
use crate::instrument::Reason;
use crate::kernel::{SimTime, now};
use crate::registry::{Absent, Entry, Key, Kind};
use crate::workload::Job;

use super::{FrontEnd, Policy, PolicyError};

pub(super) const ENTRY: Entry<dyn Policy> = Entry {
    name: "space-sharing",
    about: "jobs have their processors to themselves and start in queue order, others overtaking by rule",
    source: "D. A. Lifka, JSSPP 1995; A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001",
    keys: &[
        Key {
            name: "queue",
            kind: Kind::Component("queue"),
            default: Absent::Text("fcfs"),
            about: "the order in which waiting jobs are considered",
            source: "",
        },
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
        Ok(Box::new(SpaceSharing {
            discipline: params.component("queue", "queue")?,
            backfill: params.component("backfill", "backfill")?,
            allocation: params.component("allocation", "allocation")?,
        }))
    },
};

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
            while let Some(head) = queue.head()
                && u64::from(head.procs) <= front.free_count()
            {
                queue.pop();
                self.start(&front, &mut running, head, Reason::Head)?;
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
