//! What the batch scheduler decides: which jobs start now, and what keeps the others.

use crate::batch::Obstacle;
use crate::batch::backfill::{Change, Decides, Picked, View};
use crate::batch::molding::When;
use crate::batch::queue::Waiting;
use crate::collections::IntervalSet;
use crate::instrument::Reason;
use crate::instrument::explanation::{Of, WaitCause};
use crate::kernel::now;

use super::batch_scheduler::BatchScheduler;
use super::{PolicyError, why};

impl BatchScheduler {
    /// Starts the jobs that are to start now.
    ///
    /// # Errors
    /// What the front end refused.
    pub fn decide(&mut self) -> Result<(), PolicyError> {
        if self.reserves {
            self.front.planned(&mut self.planned);
        }
        self.serve()?;
        self.lifted.clear();
        self.returned = 0;
        self.explain();
        Ok(())
    }

    fn serve(&mut self) -> Result<(), PolicyError> {
        if self.components.estimates.corrects() {
            self.correct();
        }
        if self.components.discipline.moves() {
            self.sort_again();
        }
        if let Some(mut resources) = self.nodes.take() {
            let served = self.serve_on_nodes(&mut resources);
            self.nodes = Some(resources);
            return served;
        }
        if self.rule.decides != Decides::Everything {
            loop {
                if self.components.molding.when() == When::Start {
                    self.fit_head()?;
                }
                let Some(next) = self.next_by_discipline() else { break };
                let reason = if self.queue.starts_with(next.job) { Reason::Head } else { Reason::Fits };
                self.start(next, None, reason)?;
            }
        }
        if self.rule.decides == Decides::Nothing {
            return Ok(());
        }
        while !self.queue.is_empty() {
            let mut picks = std::mem::take(&mut self.picks);
            picks.again = false;
            let view = View {
                now: now(),
                free: self.free(),
                queue: &self.queue,
                running: &self.running,
                planned: &self.planned,
            };
            self.components.backfill.pick(&view, &mut picks);
            let mut again = picks.again && !picks.jobs.is_empty();
            for Picked { waiting: job, reason } in picks.jobs.drain(..) {
                // the start of one job may be what keeps another back by a limit
                if !self.components.limits.is_empty() && !self.places.contains_key(&job.job) {
                    again = true;
                    continue;
                }
                let first = self.queue.starts_with(job.job);
                self.start(job, None, if first { Reason::Head } else { reason })?;
            }
            self.moved += std::mem::take(&mut picks.moved);
            self.picks = picks;
            if !again {
                break;
            }
        }
        Ok(())
    }

    /// Who is next by the discipline.
    pub(super) fn next_by_discipline(&self) -> Option<Waiting> {
        if self.planned.is_empty() {
            return self.components.discipline.next(&self.queue, self.free());
        }
        self.next_around_reservations()
    }

    /// Starts a job that waits, on processors of `among`, or of all that are free.
    ///
    /// # Errors
    /// The start is not lawful.
    pub fn start(
        &mut self,
        waiting: Waiting,
        among: Option<&IntervalSet>,
        reason: Reason,
    ) -> Result<(), PolicyError> {
        let id = waiting.job;
        let reason = if self.lifted.contains(&id) { Reason::LimitLifted } else { reason };
        let reason =
            if self.returned > 0 { self.after_reservation(&waiting).unwrap_or(reason) } else { reason };
        why::note_start(&self.front, &self.queue, &waiting, 1);
        self.queue.remove(&waiting);
        self.front.start_among(id, among, &*self.components.allocation, reason)?;
        if self.tracks {
            self.running.insert(id, waiting.procs, now().saturating_add(waiting.estimate));
        }
        self.note(Change::Started(waiting));
        if let Some(ranking) = self.components.discipline.ranking() {
            ranking.started(now(), &self.front.job(id));
        }
        if self.places_kept {
            self.places.remove(&id);
        }
        if !self.components.limits.is_empty() {
            let job = self.front.job(id);
            self.components.limits.started(id, &job, &mut self.turns);
            self.release();
        }
        Ok(())
    }

    /// Gives longer estimates to jobs that outlast theirs just now.
    fn correct(&mut self) {
        for (id, procs) in self.running.ending(now()) {
            let Some(known) = self.estimated.get_mut(&id) else { continue };
            let job = self.front.job(id);
            let Some(longer) = self.components.estimates.corrected(&job, known.estimate, known.corrections)
            else {
                continue;
            };
            (known.estimate, known.corrections) = (longer, known.corrections + 1);
            let to = self.front.start_time(id).saturating_add(self.estimate(id));
            self.running.remove(id, procs, now());
            self.running.insert(id, procs, to);
            self.note(Change::Extended { procs, from: now(), to });
        }
    }

    /// Puts the queue into order again, if it is time.
    fn sort_again(&mut self) {
        let Some(ranking) = self.components.discipline.ranking().filter(|_| !self.queue.is_empty()) else {
            return;
        };
        if !ranking.due(now()) {
            return;
        }
        let (front, limits) = (&self.front, &self.components.limits);
        self.queue.sort_again(|waiting| {
            let job = front.job(waiting.job);
            ranking.key(now(), &job, waiting.estimate, limits.priority(&job))
        });
        if self.places_kept {
            self.places = self.queue.iter().map(|&waiting| (waiting.job, waiting)).collect();
        }
        if self.rule.follows {
            self.components.backfill.note(Change::Sorted(&self.queue));
        }
    }

    /// Explains what keeps the job back that is asked about, if one is.
    fn explain(&mut self) {
        let held = why::waits(&self.front).map(|explanation| explanation.job()).and_then(|id| {
            let job = self.front.job(id);
            Some((
                self.components.limits.holds_back(id, &job)?,
                self.components.limits.name(&job)?.to_owned(),
            ))
        });
        if let (Some((limit, queue)), Some(mut explanation)) = (held, why::waits(&self.front)) {
            return explanation.note(WaitCause::Limit(format!("{limit} ({queue})")), now());
        }
        if let Some(resources) = &self.nodes {
            return self.explain_on_nodes(resources);
        }
        let kept = if self.planned.is_empty() { None } else { self.kept_by_reservation() };
        if let (Some(cause), Some(mut explanation)) = (kept, why::waits(&self.front)) {
            return explanation.note(cause, now());
        }
        let any = self.components.discipline.overtakes();
        let free = why::Free { count: self.free(), of: Of::Processors, any };
        let view = View {
            now: now(),
            free: free.count,
            queue: &self.queue,
            running: &self.running,
            planned: &self.planned,
        };
        why::explain(&self.front, &self.queue, free, |_, own| match self.rule.decides {
            Decides::Nothing => Obstacle::Order,
            _ => self.components.backfill.obstacle(&view, own),
        });
    }
}
