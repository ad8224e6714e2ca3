//! Gang scheduling: the tasks of a job run at the same time, slice by slice.
//!
//! The front end keeps the Ousterhout matrix, whose columns are processors and whose rows are slices. At the end of a slice
//! all nodes switch together to the next row that has jobs; the switch costs time unless the row is the same again. A
//! slice is not shortened when its jobs end or wait. An arrival on an idle machine opens a slice at once, without a switch; a
//! job that gets a place in the row that runs at present starts at once, one in another row at its turn.
//!
//! Between slices the matrix is compacted: whole jobs move to earlier rows where their own columns are free, waiting jobs get
//! the room that this makes, and free cells are filled with replicas of jobs from other rows. At detail `job` compaction may
//! also move jobs to other columns, where they are frozen for a while (`migration`); there slices are counted, and not
//! gone through (`slices`). With backfilling, jobs overtake a head that no row has room for, if by the estimates, which are
//! stretched by the number of rows, they do not delay it.
//!
//! If a share is `reserved` for real-time jobs, they have slices in every frame of time, and all others the rest (`frames`).
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 4.1 (figure 5) and 4.2; J. K. Ousterhout, ICDCS 1982;
//! backfilling and migration: Y. Zhang, H. Franke, J. E. Moreira, A. Sivasubramaniam, JSSPP 2001 and IEEE TPDS 14(3), 2003.

use async_trait::async_trait;

use crate::batch::Queue;
use crate::batch::gang_matrix::{EmptyRows, Matrix, Packing, RowChoice, RowId, Shape};
use crate::batch::molding::{Molding, When};
use crate::batch::queue::Discipline;
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::instrument::explanation::{Bar, Of};
use crate::kernel::rng::Stream;
use crate::kernel::{Either, SimDuration, SimTime, now, race, stream, timer};
use crate::registry::{Bounds, Complaint, Entry, Key, Kind, Node, Params, Preset};

use super::frames::{self, Reserve};
use super::molding::{self, MOLDING};
use super::slices;
use super::{FrontEnd, News, Policy, PolicyError, QUEUE, Sharing, why};

pub(super) const ENTRY: Entry<dyn Policy> = Entry {
    name: "gang",
    about: "the tasks of a job run at the same time, slice by slice, all nodes switching together",
    source: "J. K. Ousterhout, ICDCS 1982; \"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4",
    keys: &[
        Key::new("quantum", Kind::Duration(Bounds::Positive))
            .or("200ms")
            .about("how long a slice is, its switch aside")
            .source("\"ClusterSchedSim\", table 1"),
        Key::new("switch", Kind::Duration(Bounds::NotNegative))
            .or("2ms")
            .about("how long the switch to another row takes on every node")
            .source("\"ClusterSchedSim\", table 1"),
        Key::new("switch-share", Kind::Share(Bounds::NotNegative))
            .absent("the switch takes as long as `switch` says")
            .about("how long the switch takes as a share of the quantum; in place of `switch`"),
        Key::new("skew", Kind::Duration(Bounds::NotNegative)).or("0s").about(
            "how much later than the first a node hears of a new slice at most, below \
                `quantum`; each draws its own delay",
        ),
        QUEUE,
        Key::new(
            "row",
            Kind::Choice(&[
                ("first", "the first row with room"),
                ("best", "the row with the least room that is enough"),
            ]),
        )
        .or("first")
        .about("in which row a job is put"),
        Key::new("replicas", Kind::Flag)
            .or_flag(true)
            .about("whether jobs also run in other rows where their columns are free")
            .source("\"ClusterSchedSim\", figure 5 (alternative scheduling)"),
        Key::new("unification", Kind::Flag)
            .or_flag(true)
            .about("whether jobs move to earlier rows where their own columns are free")
            .source("\"ClusterSchedSim\", section 4.1 (slot unification)"),
        Key::new(
            "packing",
            Kind::Choice(&[
                ("leftmost", "the first ones that are free"),
                ("buddy", "the first aligned block of a power of two, the rest of which is lost (DHC)"),
            ]),
        )
        .or("leftmost")
        .about("which columns of a row a job gets")
        .source("buddy: D. G. Feitelson and L. Rudolph, IEEE Computer 23(5), 1990"),
        Key::new(
            "empty-rows",
            Kind::Choice(&[
                ("skipped", "they have no slices and are deleted"),
                ("kept", "they have their slices, in which only replicas run, until the machine is idle"),
            ]),
        )
        .or("skipped")
        .about("what becomes of rows whose jobs have all left"),
        Key::new(
            "backfill",
            Kind::Choice(&[
                ("none", "nobody does"),
                (
                    "easy",
                    "those that do not delay it by the estimates, stretched by the multiprogramming level",
                ),
            ]),
        )
        .or("none")
        .about("who may overtake a head of the queue that no row has room for")
        .source(
            "Y. Zhang, H. Franke, J. E. Moreira, A. Sivasubramaniam, JSSPP 2001 and IEEE \
                TPDS 14(3), 2003",
        ),
        Key::new(
            "migration",
            Kind::Choice(&[
                ("none", "they never do"),
                ("compaction", "when compaction finds room in an earlier row (detail `job` only)"),
            ]),
        )
        .or("none")
        .about("when jobs move to other columns")
        .source(
            "Y. Zhang, H. Franke, J. E. Moreira, A. Sivasubramaniam, JSSPP 2001 and IEEE \
                TPDS 14(3), 2003",
        ),
        Key::new("migration-cost", Kind::Duration(Bounds::NotNegative)).or("10s").about(
            "how long a job that migrates is frozen, in which it does not run though its \
                row may",
        ),
        Key::new("reserved", Kind::Share(Bounds::Within(0.0, 1.0))).or_number(0.0).about(
            "what of each frame, switches included, and of the rows is kept for \
                real-time jobs, one row and not all of them at least; with 0 there are no \
                frames, and real-time jobs are as all others",
        ),
        Key::new("frame", Kind::Duration(Bounds::Positive))
            .or("25ms")
            .about("how often the slices of real-time jobs come back; counts only with `reserved`"),
        MOLDING,
        Key::new(
            "admission",
            Kind::Choice(&[("wait", "it waits until it can be kept"), ("reject", "it is rejected")]),
        )
        .or("wait")
        .about(
            "what becomes of a real-time job whose share cannot be kept where a frame \
                begins; one that could never be kept is rejected; counts only with \
                `reserved`",
        ),
    ],
    build: |params| {
        let discipline = super::fixed_order(params)?;
        let backfills = params.pick("backfill", &[("none", false), ("easy", true)])?;
        if discipline.overtakes() && backfills {
            return Err(nothing_to_backfill(params));
        }
        let quantum: SimDuration = params.read("quantum")?;
        let switch = match params.read::<Option<f64>>("switch-share")? {
            // `as` saturates
            Some(share) => SimDuration::from_nanos((quantum.as_nanos() as f64 * share).ceil() as u64),
            None => params.read("switch")?,
        };
        let empty = [("skipped", EmptyRows::Deleted), ("kept", EmptyRows::Kept)];
        let migrates = params.pick("migration", &[("none", false), ("compaction", true)])?;
        let cost: SimDuration = params.read("migration-cost")?;
        let skew: SimDuration = params.read("skew")?;
        if skew >= quantum {
            let complaint = params.complaint("skew", "a node would hear of a slice when that is over");
            let complaint = complaint.label("expected less than the quantum");
            return Err(complaint.note("slices are this long", Some(params.span("quantum"))));
        }
        Ok(Box::new(Gang {
            reserve: Reserve::read(params, switch)?,
            quantum,
            switch,
            skew,
            discipline,
            row: params.pick("row", &[("first", RowChoice::First), ("best", RowChoice::Best)])?,
            replicas: params.read("replicas")?,
            unification: params.read("unification")?,
            packing: params.pick("packing", &[("leftmost", Packing::Leftmost), ("buddy", Packing::Buddy)])?,
            empty_rows: params.pick("empty-rows", &empty)?,
            backfills,
            migration_cost: migrates.then_some(cost),
            molding: molding::of_matrix(params)?,
        }))
    },
};

/// The published combinations as policies of their own names.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "bgs",
        about: "gang scheduling with backfilling",
        kind: "gang",
        set: &[("backfill", "easy"), ("migration", "none")],
    },
    Preset {
        name: "bmgs",
        about: "gang scheduling with backfilling and migration",
        kind: "gang",
        set: &[("backfill", "easy"), ("migration", "compaction")],
    },
    Preset {
        name: "gs",
        about: "gang scheduling, without backfilling and migration",
        kind: "gang",
        set: &[("backfill", "none"), ("migration", "none")],
    },
    Preset {
        name: "mgs",
        about: "gang scheduling with migration",
        kind: "gang",
        set: &[("backfill", "none"), ("migration", "compaction")],
    },
];

fn nothing_to_backfill(params: &Params<'_>) -> Complaint {
    let queue = params.tree().at("queue.kind").and_then(Node::as_text).unwrap_or_default();
    let message = format!("queue `{queue}` starts every job that fits, so backfill `easy` has none to start");
    let complaint = params.complaint("backfill", message).label("expected \"none\"");
    complaint.help("write backfill = \"none\"").note("the queue is here", Some(params.span("queue")))
}

#[derive(Debug)]
pub(super) struct Gang {
    pub(super) quantum: SimDuration,
    pub(super) switch: SimDuration,
    pub(super) skew: SimDuration,
    pub(super) discipline: Box<dyn Discipline>,
    row: RowChoice,
    pub(super) replicas: bool,
    unification: bool,
    packing: Packing,
    empty_rows: EmptyRows,
    backfills: bool,
    /// How long who migrates is frozen, if anybody does.
    pub(super) migration_cost: Option<SimDuration>,
    /// What is kept for real-time jobs, if anything is.
    reserve: Option<Reserve>,
    pub(super) molding: Box<dyn Molding>,
}

/// When waiting jobs are let into the matrix.
#[derive(Clone, Copy, Debug)]
pub(super) enum Letting {
    /// While this row runs, if one does.
    During(Option<RowId>),
    /// Between two slices, once rows have been compacted; before that a job of at most `room` tasks had found room.
    Turned { room: u64 },
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

    fn unfit_for_jobs(&self) -> Option<&'static str> {
        if self.reserve.is_some() {
            return Some(
                "keeps slices for real-time jobs (`reserved`), which detail `job` does not simulate",
            );
        }
        (!self.skew.is_zero()).then_some("has a `skew` between nodes, which detail `job` does not simulate")
    }

    fn unfit_for_tasks(&self) -> Option<&'static str> {
        self.migration_cost
            .map(|_| "moves tasks between nodes (`migration`), which detail `task` does not simulate")
    }

    fn molds(&self) -> bool {
        self.molding.when() != When::Never
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
        if let Some(reserve) = self.reserve {
            return frames::run(self, reserve, front).await;
        }
        if front.slices().is_some() {
            return slices::run(self, front).await;
        }
        let (mut matrix, mut queue) = (Matrix::new(self.shape(&front)), Queue::new());
        let mut slice: Option<Slice> = None;
        let mut delays = (!self.skew.is_zero()).then(|| stream("gang/skew"));
        loop {
            let slice_over = slice.map(|slice| timer(slice.ends.since(now())));
            let news = match slice_over {
                None => front.news().await,
                Some(over) => match race(front.news(), over).await {
                    Either::Left(news) => news,
                    Either::Right(()) => {
                        let room = (&mut matrix, &mut queue);
                        slice = self.next_slice(&front, room, slice, delays.as_mut())?;
                        continue;
                    }
                },
            };
            let Some(news) = news else { return Ok(()) };
            self.decide(&front, news, &mut matrix, &mut queue, slice)?;
            if slice.is_none() {
                slice = self.next_slice(&front, (&mut matrix, &mut queue), None, delays.as_mut())?;
            }
        }
    }
}

impl Gang {
    /// The matrix that it keeps.
    pub(super) fn shape(&self, front: &FrontEnd) -> Shape {
        let (choice, packing, empty_rows) = (self.row, self.packing, self.empty_rows);
        Shape { choice, packing, empty_rows, ..Shape::new(front.procs(), front.level()) }
    }

    /// Takes out who has left, and lets in whom there is room for.
    pub(super) fn decide(
        &self,
        front: &FrontEnd,
        news: News,
        matrix: &mut Matrix,
        queue: &mut Queue,
        slice: Option<Slice>,
    ) -> Result<(), PolicyError> {
        for id in news.arrived {
            queue.insert(id, &front.job(id), &*self.discipline);
        }
        for id in news.departed {
            matrix.remove(id);
        }
        self.schedule(front, matrix, queue, Letting::During(slice.map(|slice| slice.row)))
    }

    /// Lets in whom there is room for; who comes to the row that runs starts at once.
    pub(super) fn schedule(
        &self,
        front: &FrontEnd,
        matrix: &mut Matrix,
        queue: &mut Queue,
        when: Letting,
    ) -> Result<(), PolicyError> {
        let running = if let Letting::During(row) = when { row } else { None };
        let start = |matrix: &Matrix, job: JobId, reason: Reason| {
            let Some(place) = matrix.place(job) else { return Ok(()) };
            front.start(job, place.columns, reason)?;
            if running == Some(place.row) {
                front.join_slice(job);
            }
            Ok(())
        };
        while let Some(next) = self.discipline.next(queue, matrix.room()) {
            if matrix.insert(next.job, next.procs).is_none() {
                break;
            }
            let reason = match when {
                _ if queue.head().is_none_or(|head| head.job != next.job) => Reason::Fits,
                Letting::Turned { room } if u64::from(next.procs) > room => Reason::Compacted,
                _ => Reason::Row,
            };
            why::passes(front, queue, &next, 1);
            queue.remove(&next);
            start(matrix, next.job, reason)?;
        }
        let rows = u64::from(matrix.shape().rows);
        let ends = |job: JobId| {
            // a machine that gives one part in as many as there are rows
            let stretched = front.job(job).estimate.checked_mul(rows).unwrap_or(SimDuration::MAX);
            front.start_time(job).saturating_add(stretched)
        };
        if self.backfills && !queue.is_empty() {
            for next in matrix.backfill(queue, now(), ends) {
                why::passes(front, queue, &next.waiting, rows);
                start(matrix, next.waiting.job, next.reason)?;
            }
        }
        let free = why::Free { count: matrix.room(), of: Of::Columns, any: self.discipline.overtakes() };
        why::tell(front, queue, free, |head, own| {
            if self.backfills { matrix.bar(head, own, now(), ends) } else { Bar::Order }
        });
        Ok(())
    }

    /// Compacts as far as that is wished: who migrated, in order.
    pub(super) fn compact(&self, matrix: &mut Matrix) -> Vec<JobId> {
        match (self.migration_cost, self.unification) {
            (Some(_), _) => return matrix.compact_migrating(),
            (None, true) => matrix.compact(),
            (None, false) => matrix.prune(),
        }
        Vec::new()
    }

    /// Begins the slice after `before`, or the first one; `None` if there is nothing to run.
    fn next_slice(
        &self,
        front: &FrontEnd,
        (matrix, queue): (&mut Matrix, &mut Queue),
        before: Option<Slice>,
        delays: Option<&mut Stream>,
    ) -> Result<Option<Slice>, PolicyError> {
        let room = matrix.room();
        self.compact(matrix);
        self.schedule(front, matrix, queue, Letting::Turned { room })?;
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
        Ok(row.map(|row| Slice { row, ends }))
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
