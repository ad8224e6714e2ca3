//! Gang scheduling: the tasks of a job run at the same time, slice by slice.
//!
//! The front end keeps the Ousterhout matrix, whose columns are processors and whose rows are
//! slices. At the end of a slice all nodes switch together to the next row that has jobs; the
//! switch costs time unless the row is the same again. A slice is not shortened when its jobs end
//! or wait. An arrival on an idle machine opens a slice at once, without a switch; a job that gets
//! a place in the row that runs at present starts at once, one in another row at its turn.
//!
//! Between slices the matrix is compacted: whole jobs move to earlier rows where their own columns
//! are free, waiting jobs get the columns that this frees, and free cells are filled with replicas
//! of jobs from other rows. At detail `job` compaction may also move jobs to other columns, where
//! they are frozen for a while (`migration`); there slices are counted, and not gone through
//! (`slices`). With backfilling, jobs overtake a head that fits in no row, if by the estimates,
//! which are stretched by the number of rows, they do not delay it.
//!
//! At detail `job` nodes may fail, and maintenance may need processors, which interrupts jobs of
//! all rows and takes their columns out of every row; pools lie beside the columns, and limits of
//! queues hold jobs back (`gang_line`). Nothing is planned around maintenance, as slices tell no
//! ends.
//!
//! If a share is `reserved` for real-time jobs, they have slices in every frame of time, and all
//! others the rest (`frames`).
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 4.1 (figure 5) and 4.2; J. K.
//! Ousterhout, ICDCS 1982; backfilling and migration: Y. Zhang, H. Franke, J. E. Moreira, A.
//! Sivasubramaniam, JSSPP 2001 and IEEE TPDS 14(3), 2003.

use async_trait::async_trait;

use crate::batch::gang_matrix::{EmptyRows, Matrix, Packing, RowChoice};
use crate::batch::limits::{self, Limits};
use crate::batch::molding::When;
use crate::kernel::{Either, SimDuration, stream};
use crate::registry::{Bounds, Complaint, Entry, Kind, Params, Preset, choices, entry, presets};

use super::components::{self, MOLDING};
use super::frames::{self, Reserve};
use super::gang_line::{GangLine, LineRules};
use super::gang_steps::{Gang, Slice, news_until};
use super::{Feature, FrontEnd, Policy, PolicyError, QUEUE, Refusal, Sharing, slices};

const ZHANG: &str =
    "Y. Zhang, H. Franke, J. E. Moreira, A. Sivasubramaniam, JSSPP 2001 and IEEE TPDS 14(3), 2003";

choices! {
    /// Jobs that may overtake the head of the queue.
    enum Overtaking {
        None = "none", "no job does";
        Easy = "easy", "those that do not delay it by the estimates, stretched by the multiprogramming level";
    }
}

choices! {
    /// Time at which jobs move to other columns.
    enum Migration {
        None = "none", "they never do";
        Compaction = "compaction", "when compaction finds free columns in an earlier row (detail `job` only)";
    }
}

pub(super) const ENTRY: Entry<dyn Policy> = entry! {
    "gang" => "the tasks of a job run at the same time, slice by slice, all nodes switching together",
    source "J. K. Ousterhout, ICDCS 1982; \"ClusterSchedSim\", SIMULATION 80(4-5), 2004, section 4",
    keys {
        "quantum" Kind::Duration(Bounds::Positive), or "200ms" =>
            "how long a slice is, its switch aside", source "\"ClusterSchedSim\", table 1";
        "switch" Kind::Duration(Bounds::NotNegative), or "2ms" =>
            "how long the switch to another row takes on every node", source "\"ClusterSchedSim\", table 1";
        "switch-share" Kind::Share(Bounds::NotNegative), absent "the switch takes as long as `switch` says" =>
            "how long the switch takes as a share of the quantum; in place of `switch`";
        "skew" Kind::Duration(Bounds::NotNegative), or "0s" =>
            "how much later than the first a node hears of a new slice at most, below `quantum`; each draws \
             its own delay";
        ..QUEUE;
        ..limits::KEY;
        "row" RowChoice::CHOICES, or "first" => "in which row a job is put";
        "replicas" Kind::Flag, or_flag true =>
            "whether jobs also run in other rows where their columns are free",
            source "\"ClusterSchedSim\", figure 5 (alternative scheduling)";
        "unification" Kind::Flag, or_flag true =>
            "whether jobs move to earlier rows where their own columns are free",
            source "\"ClusterSchedSim\", section 4.1 (slot unification)";
        "packing" Packing::CHOICES, or "leftmost" =>
            "which columns of a row a job gets",
            source "buddy: D. G. Feitelson and L. Rudolph, IEEE Computer 23(5), 1990";
        "empty-rows" EmptyRows::CHOICES, or "skipped" => "what becomes of rows whose jobs have all left";
        "backfill" Overtaking::CHOICES, or "none" =>
            "which jobs may overtake a head of the queue that fits in no row", source ZHANG;
        "migration" Migration::CHOICES, or "none" => "when jobs move to other columns", source ZHANG;
        "migration-cost" Kind::Duration(Bounds::NotNegative), or "10s" =>
            "how long a job that migrates is frozen, in which it does not run though its row may";
        "reserved" Kind::Share(Bounds::Within(0.0, 1.0)), or_number 0.0 =>
            "what of each frame, switches included, and of the rows is kept for real-time jobs, one row and \
             not all of them at least; with 0 there are no frames, and real-time jobs are as all others";
        "frame" Kind::Duration(Bounds::Positive), or "25ms" =>
            "how often the slices of real-time jobs come back; counts only with `reserved`";
        ..MOLDING;
        "admission" Kind::Choice(&[("wait", "it waits until it can be kept"), ("reject", "it is rejected")]),
            or "wait" =>
            "what becomes of a real-time job whose share cannot be kept where a frame begins; one that \
             could never be kept is rejected; counts only with `reserved`";
    },
    reads |params| {
        let discipline = super::fixed_order(params)?;
        let backfills = params.read::<Overtaking>("backfill")? == Overtaking::Easy;
        if discipline.overtakes() && backfills {
            return Err(components::nothing_to_backfill(params));
        }
        let quantum: SimDuration = params.read("quantum")?;
        let switch = match params.read::<Option<f64>>("switch-share")? {
            // `as` saturates
            Some(share) => SimDuration::from_nanos((quantum.as_nanos() as f64 * share).ceil() as u64),
            None => params.read("switch")?,
        };
        let migrates = params.read::<Migration>("migration")? == Migration::Compaction;
        let cost: SimDuration = params.read("migration-cost")?;
        let skew: SimDuration = params.read("skew")?;
        if skew >= quantum {
            let complaint = params.complaint("skew", "a node would hear of a slice when that is over");
            let complaint = complaint.label("expected less than the quantum");
            return Err(complaint.note("slices are this long", Some(params.span("quantum"))));
        }
        let molding = components::molding_of_matrix(params)?;
        Gang {
            reserve: Reserve::read(params, switch)?,
            quantum,
            switch,
            skew,
            line: LineRules { discipline, limits: queues(params)?, molding, backfills },
            row: params.read("row")?,
            replicas: params.read("replicas")?,
            unification: params.read("unification")?,
            packing: params.read("packing")?,
            empty_rows: params.read("empty-rows")?,
            migration_cost: migrates.then_some(cost),
        }
    }
};

/// The limits of queues, which have all nodes.
fn queues(params: &Params<'_>) -> Result<Limits, Complaint> {
    let tables = params.items(limits::KEY.name);
    if let Some(table) = tables.iter().map(|table| params.with(table)).find(|table| table.has("nodes")) {
        let message = "the rows of a matrix go over all nodes, and its jobs have one queue";
        let complaint = table.complaint("nodes", message).label("take it out");
        return Err(complaint.help("policy \"space-sharing\" has queues with nodes of their own"));
    }
    if !tables.is_empty() && params.read::<f64>("reserved")? > 0.0 {
        let message = "limits of queues are not kept where slices are reserved for real-time jobs";
        let complaint = params.complaint(limits::KEY.name, message);
        return Err(complaint.note("slices are reserved here", Some(params.span("reserved"))));
    }
    limits::read(params)
}

/// The published combinations as policies of their own names.
pub(super) const PRESETS: &[Preset] = &presets! { "gang":
    "bgs" ("backfill" = "easy", "migration" = "none") => "gang scheduling with backfilling";
    "bmgs" ("backfill" = "easy", "migration" = "compaction") => "gang scheduling with backfilling and migration";
    "gs" ("backfill" = "none", "migration" = "none") => "gang scheduling, without backfilling and migration";
    "mgs" ("backfill" = "none", "migration" = "compaction") => "gang scheduling with migration";
};

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

    fn refuses(&self, asked: &[Feature]) -> Vec<Refusal> {
        Refusal::of(asked, |feature| match feature {
            Feature::DetailJob if self.reserve.is_some() => {
                Some("keeps slices for real-time jobs (`reserved`), which detail `job` does not simulate")
            }
            Feature::DetailJob => (!self.skew.is_zero())
                .then_some("has a `skew` between nodes, which detail `job` does not simulate"),
            Feature::DetailTask => self
                .migration_cost
                .map(|_| "moves tasks between nodes (`migration`), which detail `task` does not simulate"),
            Feature::AdvanceReservations => Some(
                "does not plan around reservations of processors, so that none can be kept for what is promised \
                 in advance",
            ),
            Feature::ReservedPools => Some("does not hold amounts of pools back for reservations"),
            Feature::Failures | Feature::Pools | Feature::Reservations => None,
            _ => feature.beyond_processors(),
        })
    }

    fn molds(&self) -> bool {
        self.line.molding.when() != When::Never
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
        if let Some(reserve) = self.reserve {
            return frames::run(self, reserve, front).await;
        }
        if front.slices().is_some() {
            return slices::run(self, front).await;
        }
        let gang = &*self;
        let mut matrix = Matrix::new(gang.shape(&front));
        let mut line = GangLine::new(&gang.line, &front, matrix.shape().rows);
        let mut slice: Option<Slice> = None;
        let mut delays = (!gang.skew.is_zero()).then(|| stream("gang/skew"));
        loop {
            match news_until(&mut front, slice.map(|slice| slice.ends)).await {
                Either::Right(()) => {}
                Either::Left(None) => return Ok(()),
                Either::Left(Some(news)) => {
                    gang.decide(news, &mut matrix, &mut line, slice)?;
                    if slice.is_some() {
                        continue;
                    }
                }
            }
            slice = gang.next_slice(&front, (&mut matrix, &mut line), slice, delays.as_mut())?;
        }
    }
}
