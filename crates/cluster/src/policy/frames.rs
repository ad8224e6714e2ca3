//! Gang scheduling with reserved rows: every frame of time begins with the slices of the real-time
//! jobs.
//!
//! ```text
//!           ┌ admission          ┌ admission
//!  no       ▼                    ▼
//!  frames ─▶│ reserved rows │ rows in turn … │ reserved rows │ … rows in turn ─▶│ no frames, if no
//!                                                                               │ such job is left
//! ```
//!
//! Real-time jobs wait in a line of their own, are let in where a frame begins, or at once while
//! there are no frames, and only if all promises can be kept ([`Reserved`]). The rest of each frame
//! belongs to the rows of the matrix, in turn as without reservations: a row that a frame
//! interrupts goes on with what is left of its quantum. A switch is paid whenever other jobs run
//! than before. With `replicas`, jobs also run in slices of others in which their columns are free:
//! those whose slice it is come first, then real-time jobs, then all others.
//!
//! A node that hears of a slice late still has the time that is promised, because reserved slices
//! are longer by the `skew`.

use crate::batch::Queue;
use crate::batch::admission::{Admission, RealTimeQueue};
use crate::batch::gang_matrix::{
    Frame, Matrix, MatrixShape, Reserved, ReservedRowId, Role, Row, RowId, side_by_side,
};
use crate::collections::Interval;
use crate::ids::JobId;
use crate::instrument::Reason;
use crate::kernel::rng::Stream;
use crate::kernel::{Either, SimDuration, SimTime, now, stream};
use crate::registry::{Complaint, Params};

use super::gang_line::GangLine;
use super::gang_steps::{Gang, Letting, Slice, news_until};
use super::{FrontEnd, News, PolicyError, SiteEvent};

/// Reserve for real-time jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reserve {
    /// Share of each frame, and of the rows; above zero.
    share: f64,
    frame: Frame,
    admission: Admission,
}

impl Reserve {
    /// Reads the keys of a gang scheduler whose switch costs so much; `None` if nothing is
    /// reserved.
    pub(super) fn read(params: &Params<'_>, cost: SimDuration) -> Result<Option<Self>, Complaint> {
        let share: f64 = params.read("reserved")?;
        if share <= 0.0 {
            return Ok(None);
        }
        if params.read::<String>("empty-rows")? == "kept" {
            let complaint =
                params.complaint("empty-rows", "rows without jobs cannot be kept between reserved slices");
            let complaint = complaint.label("expected \"skipped\"");
            return Err(complaint.note("slices are reserved here", Some(params.span("reserved"))));
        }
        let (length, skew): (SimDuration, SimDuration) = (params.read("frame")?, params.read("skew")?);
        let switch = cost.saturating_add(skew);
        let most = SimDuration::from_nanos((length.as_nanos() as f64 * share) as u64);
        let admission =
            params.pick("admission", &[("wait", Admission::Wait), ("reject", Admission::Reject)])?;
        let frame = Frame { length, most, switch };
        let refuse = |message: String| {
            let complaint =
                params.complaint("reserved", message).label("each part of a frame needs more than that");
            let complaint = complaint.help("lengthen `frame`, or let the switch be cheaper");
            Err(complaint.note("the frame", Some(params.span("frame"))))
        };
        if most <= switch {
            let message =
                format!("{most} of a frame are reserved, and a switch takes {switch} with its skew");
            return refuse(message);
        }
        if length.saturating_sub(most) <= switch {
            let rest = length.saturating_sub(most);
            let message = format!(
                "{rest} of a frame are left to other jobs, and a switch takes {switch} with its skew"
            );
            return refuse(message);
        }
        Ok(Some(Reserve { share, frame, admission }))
    }

    /// Number of reserved rows among `level` rows: one at least, and not all of two or more.
    fn rows(&self, level: u32) -> u32 {
        ((f64::from(level) * self.share).round() as u32).clamp(1, level.max(2) - 1)
    }
}

/// Owner of the slice that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Now {
    /// A reserved row.
    Reserved(ReservedRowId),
    /// A row of the matrix.
    Row(RowId),
    /// Unused: the rest of a frame while the matrix is empty.
    NoJob,
}

/// The slice that runs.
#[derive(Debug)]
struct Running {
    whose: Now,
    /// The jobs that run in it.
    jobs: Vec<JobId>,
    /// Instant at which the switch to it is over.
    from: SimTime,
    ends: SimTime,
}

/// The matrix, the reserved rows, and the jobs that run.
struct Frames<'a> {
    gang: &'a Gang,
    admission: Admission,
    matrix: Matrix,
    waiting: GangLine<'a>,
    reserved: Reserved,
    /// Real-time jobs that wait.
    line: Queue,
    /// Instant at which the present frame ends, if there are frames.
    frame_ends: Option<SimTime>,
    /// The row of the matrix that had the last turn, or has it, and what is left of its quantum.
    row: Option<RowId>,
    left: SimDuration,
    running: Option<Running>,
    delays: Option<Stream>,
}

/// Runs the policy, some of every frame being reserved.
pub(super) async fn run(gang: &Gang, reserve: Reserve, mut front: FrontEnd) -> Result<(), PolicyError> {
    let rows = reserve.rows(front.level());
    let shape = MatrixShape { rows: front.level() - rows, ..gang.shape(&front) };
    let mut frames = Frames {
        gang,
        admission: reserve.admission,
        matrix: Matrix::new(shape),
        waiting: GangLine::new(&gang.line, &front, shape.rows),
        reserved: Reserved::new(front.procs(), rows, reserve.frame),
        line: Queue::new(),
        frame_ends: None,
        row: None,
        left: SimDuration::ZERO,
        running: None,
        delays: (!gang.skew.is_zero()).then(|| stream("gang/skew")),
    };
    loop {
        match news_until(&mut front, frames.running.as_ref().map(|running| running.ends)).await {
            Either::Right(()) => frames.switch(&front)?,
            Either::Left(None) => return Ok(()),
            Either::Left(Some(news)) => frames.hear(&front, news)?,
        }
    }
}

impl Frames<'_> {
    /// Takes out jobs that have left, lets in those that fit, and switches if that cannot wait
    /// until the slice is over.
    fn hear(&mut self, front: &FrontEnd, news: News) -> Result<(), PolicyError> {
        let jobs = front.jobs();
        let (mut others, mut refused) = (Vec::new(), Vec::new());
        for event in news {
            if let SiteEvent::Ended(id) = event {
                self.reserved.remove(id);
            }
            let SiteEvent::Arrived(id) = event else {
                others.push(event);
                continue;
            };
            let job = &jobs[id.index()];
            let slice = self.reserved.frame().slice_for(front.quality(id));
            match slice.filter(|&slice| self.reserved.could_fit(job.procs, slice)) {
                Some(_) => self.line.insert(id, job, &*self.gang.line.discipline),
                None if front.quality(id).is_real_time() => refused.push(id),
                None => others.push(event),
            }
        }
        refused.into_iter().try_for_each(|id| front.refuse_for(id, Reason::Admission))?;
        let slice = self.running.as_ref().and_then(|running| match running.whose {
            Now::Row(row) => Some(Slice { row, ends: running.ends }),
            Now::Reserved(_) | Now::NoJob => None,
        });
        self.gang.decide(others.into_iter().collect(), &mut self.matrix, &mut self.waiting, slice)?;
        let has_nothing = match &self.running {
            None => true,
            Some(running) => running.whose == Now::NoJob && self.matrix.next_row(None).is_some(),
        };
        if has_nothing || self.frame_ends.is_none() && !self.line.is_empty() {
            self.switch(front)?;
        }
        Ok(())
    }

    /// Begins the next slice, and a frame if one is due.
    fn switch(&mut self, front: &FrontEnd) -> Result<(), PolicyError> {
        let before = self.running.take();
        if let Some(Running { whose: Now::Row(_), from, .. }) = before {
            // the switch itself is not part of a quantum
            self.left = self.left.saturating_sub(now().since(from.min(now())));
        }
        let mut after = match before {
            Some(Running { whose: Now::Reserved(turn), .. }) => Some(turn),
            _ => None,
        };
        let mut is_reserved = after.is_some();
        if self.frame_ends.is_none_or(|ends| ends <= now()) {
            self.admit(front)?;
            let frame = self.reserved.frame().length;
            self.frame_ends = (!self.reserved.is_empty()).then(|| now().saturating_add(frame));
            (after, is_reserved) = (None, true);
        }
        let reserved = self.reserved.next(after).filter(|_| is_reserved);
        if let Some((turn, slice)) = reserved {
            let ends = now().saturating_add(self.reserved.frame().switch).saturating_add(slice);
            let running = side_by_side(self.matrix.shape().nodes, self.runnable(Some(turn), None));
            self.begin(front, before.as_ref(), Now::Reserved(turn), running, ends);
            return Ok(());
        }
        self.turn_of_matrix(front, before.as_ref())
    }

    /// Lets in the real-time jobs whose slices can be kept.
    fn admit(&mut self, front: &FrontEnd) -> Result<(), PolicyError> {
        let jobs = front.jobs();
        let reserved = &mut self.reserved;
        let line =
            RealTimeQueue { queue: &mut self.line, discipline: &*self.gang.line.discipline, jobs: &jobs };
        let refused = self.admission.serve(line, u64::from(front.procs()), |next| {
            let Some(slice) = reserved.frame().slice_for(front.quality(next.job)) else { return Ok(false) };
            let Some(columns) = reserved.insert(next.job, next.procs, slice) else { return Ok(false) };
            front.start(next.job, columns, Reason::Admitted).map(|()| true)
        })?;
        refused.into_iter().try_for_each(|job| front.refuse_for(job, Reason::Admission))
    }

    /// The turn of the matrix: the row goes on that was interrupted, or the next one begins, or no
    /// job has anything to do.
    fn turn_of_matrix(&mut self, front: &FrontEnd, before: Option<&Running>) -> Result<(), PolicyError> {
        let capacity = self.matrix.capacity();
        self.gang.compact(&mut self.matrix);
        self.gang.schedule(&mut self.matrix, &mut self.waiting, Letting::Turned { capacity })?;
        if self.gang.replicas {
            self.matrix.fill();
        }
        let has_jobs = |row: RowId| self.matrix.row(row).is_some_and(|row| !row.is_empty());
        if self.left.is_zero() || !self.row.is_some_and(has_jobs) {
            self.left = self.gang.quantum;
            self.row = self.matrix.next_row(self.row).or(self.row);
        }
        let row = self.row.filter(|&row| has_jobs(row));
        if row.is_none() && self.frame_ends.is_none() {
            self.row = None;
            self.gang.begin_slice(front, &[], SimDuration::ZERO, self.delays.as_mut());
            return Ok(());
        }
        let jobs = side_by_side(self.matrix.shape().nodes, self.runnable(None, row));
        let frame_ends = self.frame_ends.unwrap_or(SimTime::MAX);
        self.begin(front, before, row.map_or(Now::NoJob, Now::Row), jobs, frame_ends);
        Ok(())
    }

    /// Jobs whose slice it is first, then all that may run next to them.
    fn runnable(&self, turn: Option<ReservedRowId>, row: Option<RowId>) -> Vec<(JobId, &[Interval])> {
        let members = |row: RowId| self.matrix.members(row).map(|member| (member.job, member.columns));
        let own = row.into_iter().flat_map(|row| self.matrix.members(row));
        let own = own.filter(|member| member.role == Role::Own).map(|member| (member.job, member.columns));
        let reserved = self.reserved.jobs(turn);
        if self.gang.replicas {
            // replicas in this very row before what other rows have
            let rows = row.into_iter().chain(self.matrix.rows().map(Row::id));
            own.chain(reserved).chain(rows.flat_map(members)).collect()
        } else {
            let of_turn = self.reserved.count_of(turn);
            own.chain(reserved.take(of_turn)).collect()
        }
    }

    /// Lets `jobs` run until `at_most`, or until the quantum of their row is over.
    fn begin(
        &mut self,
        front: &FrontEnd,
        before: Option<&Running>,
        whose: Now,
        jobs: Vec<JobId>,
        at_most: SimTime,
    ) {
        let switches = before.is_some_and(|before| {
            before.whose != whose && before.jobs != jobs && !before.jobs.is_empty() && !jobs.is_empty()
        });
        let cost = if switches { self.gang.switch } else { SimDuration::ZERO };
        self.gang.begin_slice(front, &jobs, cost, self.delays.as_mut());
        let from = now().saturating_add(cost);
        let ends = match whose {
            Now::Row(_) => from.saturating_add(self.left).min(at_most),
            Now::Reserved(_) | Now::NoJob => at_most,
        };
        self.running = Some(Running { whose, jobs, from, ends });
    }
}
