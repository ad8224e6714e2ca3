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
    ],
    build: |params| {
        Ok(Box::new(Gang {
            quantum: params.read("quantum")?,
            switch: params.read("switch")?,
            skew: params.read("skew")?,
            discipline: params.component("queue", "queue")?,
            row: params.pick("row", &[("first", RowChoice::First), ("best", RowChoice::Best)])?,
            replicas: params.read("replicas")?,
        }))
    },
};

#[derive(Debug)]
struct Gang {
    quantum: SimDuration,
    switch: SimDuration,
    skew: SimDuration,
    discipline: Box<dyn Discipline>,
    row: RowChoice,
    replicas: bool,
}

/// The slice that runs.
#[derive(Clone, Copy, Debug)]
struct Slice {
    row: RowId,
    ends: SimTime,
}

#[async_trait(?Send)]
impl Policy for Gang {
    fn name(&self) -> &'static str {
        "gang"
    }

    fn sharing(&self) -> Sharing {
        Sharing::Slices
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
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
    fn decide(
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
        mut delays: Option<&mut Stream>,
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
        front.begin_slice(&jobs, cost, || match &mut delays {
            Some(stream) => SimDuration::from_nanos(stream.below(self.skew.as_nanos().saturating_add(1))),
            None => SimDuration::ZERO,
        });
        let ends = now().saturating_add(cost).saturating_add(self.quantum);
        row.map(|row| Slice { row, ends })
    }
}
