//! Gang scheduling at detail `job`: jobs have their run times in the slices of the matrix, and no
//! slice in which nothing changes is an event.
//!
//! At an instant that brought news, jobs that ended leave and waiting ones come in. Where a slice
//! ends after such an instant, the four steps are taken: clean, compact, schedule, fill; and the
//! next row has its turn. If these steps changed nothing more, the cycle of slices goes on as it
//! is, and the next thing to happen is an arrival, an end, or a thaw, which [`Service`] computes
//! over whole cycles. A step for each slice is what the same rules would take, and the same comes
//! out.
//!
//! At equal times: ends and cancellations, then failures and repairs of nodes, then arrivals, then
//! reservations, then the slice that follows. A job that ends with its slice leaves before the next
//! one begins, and one that arrives with it may run in the next. A node that fails interrupts every
//! job with a cell on it, in whatever row; so does maintenance that begins. Processors that it has,
//! or that are out of service, are columns of no row.

use crate::batch::gang_matrix::{Matrix, Row, RowId, Service};
use crate::batch::record::MatrixPlace;
use crate::collections::OrderedSet;
use crate::ids::JobId;
use crate::kernel::{Either, SimDuration, hold, now, race, settle};

use super::execution::Slices;
use super::gang_line::GangLine;
use super::gang_steps::{Gang, Letting};
use super::{FrontEnd, News, PolicyError, SiteEvent};

/// Runs a gang policy on a machine whose jobs run in slices.
pub(super) async fn run(gang: &Gang, mut front: FrontEnd) -> Result<(), PolicyError> {
    let matrix = Matrix::new(gang.shape(&front));
    front.keep_matrix();
    let (line, noted) = (GangLine::new(&gang.line, &front, matrix.shape().rows), Vec::new());
    let mut turns = SlicedGang { gang, front: front.clone(), matrix, line, goes_on: true, noted };
    turns.with(|service| *service = Some(Service::new(gang.quantum, gang.switch)));
    loop {
        let next = turns.service(|service| service.next(turns.goes_on, now()));
        let news = match next {
            None => front.news().await,
            Some(at) => match race(front.news(), hold(at.since(now()))).await {
                Either::Left(news) => news,
                Either::Right(()) => {
                    turns.end_served();
                    settle().await;
                    Some(front.pending())
                }
            },
        };
        match news {
            Some(news) => turns.take(news)?,
            None => return Ok(()),
        }
    }
}

struct SlicedGang<'a> {
    gang: &'a Gang,
    front: FrontEnd,
    matrix: Matrix,
    line: GangLine<'a>,
    /// True if the next slice can follow this one without a look at the matrix.
    goes_on: bool,
    /// The rows in their order when it was last noted where jobs stand.
    noted: Vec<RowId>,
}

impl SlicedGang<'_> {
    fn slices(&self) -> &Slices {
        self.front.slices().expect("the front end carries slices out")
    }

    fn with<R>(&self, act: impl FnOnce(&mut Option<Service>) -> R) -> R {
        act(&mut self.slices().service.borrow_mut())
    }

    fn service<R>(&self, act: impl FnOnce(&mut Service) -> R) -> R {
        self.with(|service| act(service.as_mut().expect("the run begins with it")))
    }

    /// Ends the jobs that have had their run times.
    fn end_served(&self) {
        let served = self.service(|service| {
            service.advance(now());
            service.take_served(now())
        });
        for job in served {
            self.front.end(job, false);
        }
    }

    /// Takes in the news of this instant, if there are any, and begins a slice if one is due.
    fn take(&mut self, news: News) -> Result<(), PolicyError> {
        self.service(|service| service.advance(now()));
        self.goes_on &= news.is_empty();
        let mut is_other = self.front.reserves();
        for event in news {
            match event {
                SiteEvent::Ended(id) => {
                    self.leaves(id);
                    self.line.ended(id);
                }
                SiteEvent::Interrupted(one) => {
                    self.leaves(one.job);
                    self.line.interrupts(&one);
                }
                SiteEvent::Withdrawn(id) => self.line.withdrawn(id),
                SiteEvent::Failed(_) | SiteEvent::Repaired(_) => is_other = true,
                SiteEvent::Arrived(id) => self.line.arrives(id)?,
                _ => {}
            }
        }
        if is_other {
            self.matrix.leave_out(&self.front.out_of_use());
        }
        if self.goes_on {
            return Ok(());
        }
        let slice = self.service(|service| service.slice());
        match slice {
            Some(slice) if slice.ends > now() => {
                self.gang.schedule(&mut self.matrix, &mut self.line, Letting::During(None))?;
                self.pass_on(&[]);
                Ok(())
            }
            _ => self.turn(slice.map(|slice| slice.row)),
        }
    }

    /// A job leaves its cells.
    fn leaves(&mut self, id: JobId) {
        self.matrix.remove(id);
        self.front.note_matrix(|spans| spans.leaves(id, now()));
        // one that is cancelled or interrupted has not been served to its end
        self.service(|service| service.leaves(id));
    }

    /// Takes the steps between slices, and begins the one after that of the row `before`.
    fn turn(&mut self, before: Option<RowId>) -> Result<(), PolicyError> {
        // nothing is switched from if all jobs have left
        let before = before.filter(|_| !self.matrix.is_empty());
        let capacity = self.matrix.capacity();
        let moved = self.gang.compact(&mut self.matrix);
        for &job in &moved {
            let place = self.matrix.place(job).expect("a job that migrates has a place");
            self.front.relocate(job, place.columns)?;
        }
        self.gang.schedule(&mut self.matrix, &mut self.line, Letting::Turned { capacity })?;
        if self.gang.replicas {
            self.matrix.fill();
        }
        let changed = self.pass_on(&moved);
        let (row, cycle) = (self.matrix.next_row(before), self.matrix.cycle());
        self.service(|service| service.begin(cycle, row, before.is_some(), now()));
        self.goes_on = !changed;
        Ok(())
    }

    /// Reports to the service in which rows jobs run now, and which are frozen; whether anything is
    /// reported.
    fn pass_on(&mut self, moved: &[JobId]) -> bool {
        let touched = self.matrix.take_touched();
        self.note(&touched);
        let mut rows: Vec<RowId> = Vec::new();
        for &job in &touched {
            let Some(place) = self.matrix.place(job) else { continue };
            rows.clear();
            rows.push(place.row);
            rows.extend(self.matrix.replicas(job));
            rows.sort_unstable();
            let due = self.front.to_serve(job);
            self.service(|service| service.serve(job, &rows, due, now()));
        }
        let thaw = now().saturating_add(self.gang.migration_cost.unwrap_or(SimDuration::ZERO));
        for &job in moved {
            self.service(|service| service.freeze(job, thaw, now()));
        }
        let migrations = &self.slices().migrations;
        migrations.set(migrations.get() + moved.len() as u64);
        !touched.is_empty()
    }

    /// Notes in which rows jobs stand from now on, if that is kept: those that came or whose rows
    /// are others, and all of them where a row was deleted, as those behind it have other places.
    fn note(&mut self, touched: &OrderedSet<JobId>) {
        let (matrix, noted) = (&self.matrix, &mut self.noted);
        self.front.note_matrix(|spans| {
            let rows: Vec<RowId> = matrix.rows().map(Row::id).collect();
            let all: OrderedSet<JobId>;
            let others = if rows.starts_with(noted) {
                touched
            } else {
                all = matrix.jobs().collect();
                &all
            };
            let place_of = |row: RowId| rows.partition_point(|other| *other <= row) as u32;
            for &job in others {
                let Some(position) = matrix.place(job) else { continue };
                let own = MatrixPlace { row: place_of(position.row), replica: false };
                let replicas =
                    matrix.replicas(job).map(|row| MatrixPlace { row: place_of(row), replica: true });
                let standing: Vec<MatrixPlace> = [own].into_iter().chain(replicas).collect();
                spans.stands(job, &standing, position.columns, now());
            }
            *noted = rows;
        });
    }
}
