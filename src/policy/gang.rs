//! Gang scheduling: the tasks of a job run at the same time, slice by slice.
//!
//! The front end keeps the Ousterhout matrix, whose columns are processors and whose rows are slices. At the end of a slice
//! all nodes switch together to the next row that has jobs; the switch costs time unless the row is the same again. A
//! slice is not shortened when its jobs end or wait. An arrival on an idle machine opens a slice at once, without a switch; a
//! job that gets a place in the row that runs at present starts at once, one in another row at its turn.
//!
//! Between slices the matrix is compacted: whole jobs move to earlier rows where their own columns are free, and free
//! cells are filled with replicas of jobs from other rows.
//!
//! If a share is `reserved` for real-time jobs, they have slices in every frame of time, and all others the rest (`frames`).
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 4.1 (figure 5) and 4.2; J. K. Ousterhout, ICDCS 1982.

use async_trait::async_trait;
use futures::future::Either;

use crate::frontend::Queue;
use crate::frontend::ousterhout::{Matrix, RowChoice, RowId, Shape};
use crate::frontend::queue::Discipline;
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::kernel::rng::Stream;
use crate::kernel::{SimDuration, SimTime, now, race, stream, timer};
use crate::registry::{Absent, Bounds, Entry, Key, Kind};

use super::frames::{self, Reserve};
use super::{FrontEnd, News, Policy, PolicyError, QUEUE, Sharing};

pub(super) const ENTRY: Entry<dyn Policy> = Entry {
    name: "gang",
    about: "the tasks of a job run at the same time, slice by slice, all nodes switching together",
    source: "J. K. Ousterhout, ICDCS 1982; \"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4",
    keys: &[
        Key {
            name: "quantum",
            kind: Kind::Duration(Bounds::Positive),
            default: Absent::Text("200ms"),
            about: "how long a slice is, its switch aside",
            source: "\"ClusterSchedSim\", table 1",
        },
        Key {
            name: "switch",
            kind: Kind::Duration(Bounds::NotNegative),
            default: Absent::Text("2ms"),
            about: "how long the switch to another row takes on every node",
            source: "\"ClusterSchedSim\", table 1",
        },
        Key {
            name: "skew",
            kind: Kind::Duration(Bounds::NotNegative),
            default: Absent::Text("0s"),
            about: "how much later than the first a node hears of a new slice at most; each draws its own delay",
            source: "",
        },
        QUEUE,
        Key {
            name: "row",
            kind: Kind::Choice(&[
                ("first", "the first row with room"),
                ("best", "the row with the least room that is enough"),
            ]),
            default: Absent::Text("first"),
            about: "in which row a job is put",
            source: "",
        },
        Key {
            name: "replicas",
            kind: Kind::Flag,
            default: Absent::Flag(true),
            about: "whether jobs also run in other rows where their columns are free",
            source: "\"ClusterSchedSim\", figure 5 (alternative scheduling)",
        },
        Key {
            name: "reserved",
            kind: Kind::Share(Bounds::Within(0.0, 1.0)),
            default: Absent::Number(0.0),
            about: "what of each frame, switches included, and of the rows is kept for real-time jobs, one row and not \
                    all of them at least; with 0 there are no frames, and real-time jobs are as all others",
            source: "",
        },
        Key {
            name: "frame",
            kind: Kind::Duration(Bounds::Positive),
            default: Absent::Text("25ms"),
            about: "how often the slices of real-time jobs come back; counts only with `reserved`",
            source: "",
        },
        Key {
            name: "admission",
            kind: Kind::Choice(&[("wait", "it waits until it can be kept"), ("reject", "it is rejected")]),
            default: Absent::Text("wait"),
            about: "what becomes of a real-time job whose share cannot be kept where a frame begins; one that could never \
                    be kept is rejected; counts only with `reserved`",
            source: "",
        },
    ],
    build: |params| {
        Ok(Box::new(Gang {
            reserve: Reserve::read(params)?,
            quantum: params.read("quantum")?,
            switch: params.read("switch")?,
            skew: params.read("skew")?,
            discipline: super::fixed_order(params)?,
            row: params.pick("row", &[("first", RowChoice::First), ("best", RowChoice::Best)])?,
            replicas: params.read("replicas")?,
        }))
    },
};

#[derive(Debug)]
pub(super) struct Gang {
    pub(super) quantum: SimDuration,
    pub(super) switch: SimDuration,
    pub(super) skew: SimDuration,
    pub(super) discipline: Box<dyn Discipline>,
    pub(super) row: RowChoice,
    pub(super) replicas: bool,
    /// What is kept for real-time jobs, if anything is.
    reserve: Option<Reserve>,
}

/// The slice that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub(super) row: RowId,
    pub(super) ends: SimTime,
}

#[async_trait(?Send)]
impl Policy for Gang {
    fn name(&self) -> &'static str {
        "gang"
    }

    fn sharing(&self) -> Sharing {
        Sharing::Slices
    }

    fn least_level(&self) -> u32 {
        if self.reserve.is_some() { 2 } else { 1 }
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
        if let Some(reserve) = self.reserve {
            return frames::run(self, reserve, front).await;
        }
        let shape = Shape { choice: self.row, ..Shape::new(front.procs(), front.level()) };
        let (mut matrix, mut queue) = (Matrix::new(shape), Queue::new());
        let mut slice: Option<Slice> = None;
        let mut delays = (!self.skew.is_zero()).then(|| stream("gang/skew"));
        loop {
            let slice_over = slice.map(|slice| timer(slice.ends.since(now())));
            let news = match slice_over {
                None => front.news().await,
                Some(over) => match race(front.news(), over).await {
                    Either::Left(news) => news,
                    Either::Right(()) => {
                        slice = self.next_slice(&front, &mut matrix, slice, delays.as_mut());
                        continue;
                    }
                },
            };
            let Some(news) = news else { return Ok(()) };
            self.decide(&front, news, &mut matrix, &mut queue, slice)?;
            if slice.is_none() {
                slice = self.next_slice(&front, &mut matrix, None, delays.as_mut());
            }
        }
    }
}

impl Gang {
    /// Takes out who has left, and lets in whom there is room for.
    pub(super) fn decide(
        &self,
        front: &FrontEnd,
        news: News,
        matrix: &mut Matrix,
        queue: &mut Queue,
        slice: Option<Slice>,
    ) -> Result<(), PolicyError> {
        let jobs = front.jobs();
        for id in news.arrived {
            queue.insert(id, &jobs[id.index()], &*self.discipline);
        }
        for id in news.departed {
            matrix.remove(id);
        }
        while let Some(next) = self.discipline.next(queue, matrix.room()) {
            let Some(place) = matrix.insert(next.job, next.procs) else { break };
            queue.remove(&next);
            front.start(next.job, place.columns, Reason::Head)?;
            if slice.is_some_and(|slice| slice.row == place.row) {
                front.join_slice(next.job);
            }
        }
        Ok(())
    }

    /// Begins the slice after `before`, or the first one; `None` if there is nothing to run.
    fn next_slice(
        &self,
        front: &FrontEnd,
        matrix: &mut Matrix,
        before: Option<Slice>,
        delays: Option<&mut Stream>,
    ) -> Option<Slice> {
        matrix.compact();
        if self.replicas {
            matrix.fill();
        }
        let before = before.map(|slice| slice.row);
        let row = matrix.next_row(before);
        let jobs: Vec<JobId> =
            row.into_iter().flat_map(|row| matrix.members(row)).map(|member| member.job).collect();
        // nothing is switched from on an idle machine, and nothing to on one that falls idle
        let switches = before.is_some() && row.is_some() && row != before;
        let cost = if switches { self.switch } else { SimDuration::ZERO };
        self.begin_slice(front, &jobs, cost, delays);
        let ends = now().saturating_add(cost).saturating_add(self.quantum);
        row.map(|row| Slice { row, ends })
    }

    /// Lets these jobs run from now on, after a switch of `cost`; each node hears of it after a delay of its own, if there are
    /// any.
    pub(super) fn begin_slice(
        &self,
        front: &FrontEnd,
        jobs: &[JobId],
        cost: SimDuration,
        mut delays: Option<&mut Stream>,
    ) {
        front.begin_slice(jobs, cost, || match &mut delays {
            Some(stream) => SimDuration::from_nanos(stream.below(self.skew.as_nanos().saturating_add(1))),
            None => SimDuration::ZERO,
        });
    }
}
