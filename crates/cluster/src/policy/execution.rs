//! Execution of a start: by time alone, or on a cluster of nodes.
//!
//! At detail `job` a job is a process that holds for its run time. At detail `task` its tasks are
//! started on the nodes of a [`Cluster`], and the job ends when the last of them does. The front
//! end is the same in both.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use crate::batch::gang_matrix::Service;
use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::execution::ExecutionProfile;
use crate::kernel::rng::Streams;
use crate::kernel::{Event, SimDuration, spawn_daemon};
use crate::node::{Cluster, Ended, Layout, Local, Recording, Scheme, Slot};
use crate::workload::Job;
use crate::workload::parallel::{Applications, Quality};

use super::front_end::{FrontEnd, Shared};

/// Use of the processors of the machine by a policy.
#[derive(Clone, Debug)]
pub enum Sharing {
    /// A job has its processors to itself.
    Exclusive,
    /// Jobs share processors up to the multiprogramming level; every node schedules by itself under
    /// a scheme, and a task that ends leaves its processor at once.
    Coscheduled(Scheme),
    /// Jobs share processors up to the multiprogramming level, slice by slice, all nodes switching
    /// together.
    Slices,
}

/// The nodes of a run at detail `task`, and what the tasks of its jobs do.
#[derive(Clone, Debug)]
pub struct TaskDetail {
    /// The nodes and what lies between them.
    pub layout: Layout,
    /// Applications of the jobs, with their tasks.
    pub applications: Arc<Applications>,
    /// Tasks that a processor takes, if the policy shares processors.
    pub level: u32,
    /// Node of the front end, if it runs on one of the cluster, and the cost of a decision there.
    pub front_end: Option<(u32, SimDuration)>,
    /// True if every job is run on nodes of its own first, for its slowdown.
    pub dedicated: bool,
    /// Records beyond those that cost nothing.
    pub recording: Recording,
}

/// Execution of starts.
#[derive(Debug)]
pub(super) enum Execution {
    /// A job holds for its run time.
    Time,
    /// A job has its run time in slices of a time-shared machine, and its policy sees to its end.
    Slices(Box<Slices>),
    /// Tasks run on nodes.
    Tasks(Box<Tasks>),
}

/// A machine whose jobs have their run times in slices.
#[derive(Debug)]
pub(super) struct Slices {
    /// Tasks that a processor takes.
    level: u32,
    /// Service that slices give, once the policy has reported how long they are.
    pub(super) service: RefCell<Option<Service>>,
    /// Number of times that a job moved to other processors.
    pub(super) migrations: Cell<u64>,
}

/// Nodes on which tasks run.
#[derive(Debug)]
pub(super) struct Tasks {
    detail: TaskDetail,
    sharing: Sharing,
    /// The processors by number.
    slots: Vec<Slot>,
    cluster: OnceCell<Cluster>,
    decision: Rc<Decision>,
}

/// A decision of a front end that runs on a node. It is a process of its own: the process that
/// waits for it may give up, and then finds it again.
#[derive(Debug)]
struct Decision {
    stage: Cell<Stage>,
    taken: Event,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Nothing to decide.
    None,
    /// Asked for, and taking its time.
    InProgress,
    /// Taken, and not reported yet.
    Taken,
}

impl Decision {
    /// Waits until it is taken, on `node`, for `cost`.
    async fn take(self: &Rc<Self>, cluster: &Cluster, node: u32, cost: SimDuration) {
        if self.stage.get() == Stage::None {
            self.stage.set(Stage::InProgress);
            let (decision, cluster) = (Rc::clone(self), cluster.clone());
            spawn_daemon("decision of the front end", async move {
                cluster.decide(node, cost).await;
                decision.stage.set(Stage::Taken);
                decision.taken.set();
            });
        }
        while self.stage.get() != Stage::Taken {
            self.taken.wait().await;
        }
        self.stage.set(Stage::None);
    }
}

impl Execution {
    /// Carried out on nodes, once [`Execution::begin`] has made them.
    pub(super) fn on_nodes(detail: TaskDetail, sharing: Sharing) -> Self {
        let slots = detail.layout.slots().collect();
        let decision = Decision { stage: Cell::new(Stage::None), taken: Event::new("decision") };
        let decision = Rc::new(decision);
        Execution::Tasks(Box::new(Tasks { detail, sharing, slots, cluster: OnceCell::new(), decision }))
    }

    /// Execution in slices, on a machine whose processors take `level` tasks each.
    pub(super) fn in_slices(level: u32) -> Self {
        let (service, migrations) = (RefCell::new(None), Cell::new(0));
        Execution::Slices(Box::new(Slices { level, service, migrations }))
    }

    /// Number of tasks a processor takes.
    pub(super) fn level(&self) -> u32 {
        match self {
            Execution::Time => 1,
            Execution::Slices(slices) => slices.level,
            Execution::Tasks(tasks) if matches!(tasks.sharing, Sharing::Exclusive) => 1,
            Execution::Tasks(tasks) => tasks.detail.level,
        }
    }

    /// Makes the nodes, inside the simulation.
    pub(super) fn begin(&self, front: Weak<Shared>, streams: Streams) {
        let Execution::Tasks(tasks) = self else { return };
        let (scheme, local) = match &tasks.sharing {
            Sharing::Exclusive => (Scheme::local(), Local::Own),
            Sharing::Coscheduled(scheme) => (scheme.clone(), Local::Own),
            Sharing::Slices => (Scheme::local(), Local::Slices),
        };
        let leaves = matches!(tasks.sharing, Sharing::Coscheduled(_));
        let slots = tasks.slots.clone();
        let on_end = move |ended: Ended| {
            let Some(shared) = front.upgrade() else { return };
            let front = FrontEnd::of(shared);
            if leaves {
                let processor = slots.binary_search(&ended.slot).expect("a task ends where it was started");
                front.task_left(processor as u32);
            }
            if ended.last {
                front.end(ended.job, leaves);
            }
        };
        let cluster = Cluster::new(&tasks.detail.layout, scheme, local, streams, on_end);
        cluster.record(tasks.detail.recording);
        assert!(tasks.cluster.set(cluster).is_ok(), "the nodes are made once");
    }

    /// Service that a job asks for, as far as it is simulated.
    pub(super) fn quality(&self, job: JobId) -> Quality {
        match self {
            Execution::Time | Execution::Slices(_) => Quality::BestEffort,
            Execution::Tasks(tasks) => tasks.detail.applications.application(job).quality,
        }
    }

    /// Returns for each processor, by number, true if it keeps reservations.
    pub(super) fn keeps_reservations(&self, procs: u32) -> Vec<bool> {
        match self {
            Execution::Time | Execution::Slices(_) => vec![false; procs as usize],
            Execution::Tasks(tasks) => {
                let kinds = tasks.detail.layout.groups.iter().flat_map(|(count, node)| {
                    let keeps = node.scheduler.keeps_reservations();
                    (0..u64::from(*count) * u64::from(node.processors)).map(move |_| keeps)
                });
                kinds.collect()
            }
        }
    }

    /// The nodes, at detail `task`.
    pub(super) fn cluster(&self) -> Option<&Cluster> {
        match self {
            Execution::Time | Execution::Slices(_) => None,
            Execution::Tasks(tasks) => Some(tasks.cluster()),
        }
    }

    /// Service of jobs in slices; `None` where jobs do not run in slices.
    pub(super) fn slices(&self) -> Option<&Slices> {
        match self {
            Execution::Slices(slices) => Some(slices),
            Execution::Time | Execution::Tasks(_) => None,
        }
    }

    /// Lets a decision take its time, if the front end runs on a node.
    pub(super) async fn spend_decision_time(&self) {
        if let Execution::Tasks(tasks) = self
            && let Some((node, cost)) = tasks.detail.front_end
        {
            tasks.decision.take(tasks.cluster(), node, cost).await;
        }
    }

    /// Times of the processors, at the end of the run; the nodes are cleared.
    pub(super) fn close(&self) -> Option<ExecutionProfile> {
        self.cluster().map(|cluster| {
            let profile = cluster.profile();
            cluster.clear();
            profile
        })
    }
}

impl Tasks {
    /// Starts the tasks of a job on the nodes of these processors.
    pub(super) fn start(&self, id: JobId, job: &Job, on: &[Interval]) {
        let processors = on.iter().flat_map(|interval| interval.first..=interval.last);
        let on: Vec<Slot> = processors.map(|processor| self.slots[processor as usize]).collect();
        let application = self.detail.applications.application(id);
        self.cluster().start(id, job.number, application, &on);
    }

    fn cluster(&self) -> &Cluster {
        self.cluster.get().expect("the nodes are made before anything is started")
    }
}
