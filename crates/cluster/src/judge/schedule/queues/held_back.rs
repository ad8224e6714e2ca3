//! Limits of queues over time: which waiting jobs they let through, from when and to when, and
//! whether each that started was let through.
//!
//! Nodes and GPUs count for a waiting job as few as it needs, and then as many as it has. One that
//! limits let through is passed over where it finds room only on more nodes than they leave; when
//! that was is not in the files. Such a job is in doubt while it may have been, as nodes have room
//! for it; and so are those of its user of which only some are considered at a time, until they are
//! looked at again.
//!
//! All runs of all jobs are gone through in order of time, with what runs and waits in each queue,
//! by user. A limit lets a job through if, with it, no more runs than may; and, where only some
//! waiting jobs of a user are considered, if fewer of these stand before it. At a start or an end
//! the waiting jobs are looked at again whose limits that may have changed; one that comes is not
//! considered if as many of its user are. In which order jobs come at one instant of which some
//! waited for others or for a delay is not in the files: then that one came first that started
//! first.

use std::cmp::Reverse;
use std::ops::RangeBounds;

use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::ids::JobId;
use crate::kernel::SimTime;
use crate::workload::Job;

use super::super::{LimitTurn, Row, Violation, violation_of};
use super::limits::{Counted, LimitBound, LimitMeasure, LimitedQueues, RunCounts};

/// Jobs as they were submitted, by place, with the ids that the workload gives them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::judge::schedule) struct Submitted<'a> {
    pub(in crate::judge::schedule) jobs: &'a [Job],
    /// Ids of the places, where they are others.
    pub(in crate::judge::schedule) ids: Option<&'a [JobId]>,
}

impl Submitted<'_> {
    /// The job of a row, if that is known.
    pub(in crate::judge::schedule) fn of(&self, row: &Row) -> Option<(JobId, &Job)> {
        let place = row.job?;
        let id = self.ids.map_or(place, |ids| ids[place.index()]);
        Some((id, &self.jobs[place.index()]))
    }
}

/// Outcome of limits.
#[derive(Debug, Default)]
pub(in crate::judge::schedule) struct HeldBack {
    /// Changes of each row, in order: a job of which there are none is let through.
    pub(in crate::judge::schedule) turns: Vec<Vec<LimitTurn>>,
    /// Jobs that started though a limit held them back.
    pub(in crate::judge::schedule) violations: Vec<Violation>,
}

/// Event of a run; of one instant in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// Nodes may have room for jobs that wait.
    Room,
    Ends,
    Cancelled,
    /// Is the so many-th that is interrupted, or that comes again at once.
    Interrupted(usize, bool),
    /// Comes at the end of its run before, or before those that are submitted at the instant.
    Again,
    Comes,
    /// Comes after these.
    Follows,
    Starts,
}

/// Outcome of limits for a job that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hold {
    Through,
    /// Through, unless it is passed over.
    Passable,
    /// Through or held back.
    Doubt,
    Back,
}

/// Finds out when limits let each run through; rows are all runs of all jobs, `interrupted` gives
/// the places of those that were interrupted, that of the end and that of the wait from then on, in
/// the order in which they come; with the instants at which nodes may gain room, and whether they
/// have some for a job before others start then.
///
/// # Complexity
/// For each start and each end a step for each job that waits in its queues.
pub(in crate::judge::schedule) fn held_back(
    rows: &[Row],
    (queues, by_event): (&LimitedQueues, bool),
    jobs: Submitted<'_>,
    counts: impl FnMut(&Row) -> RunCounts,
    interrupted: impl Fn(&Row) -> Option<(usize, usize)>,
    (gains, mut has_room): (Vec<SimTime>, impl FnMut(SimTime, &Row) -> bool),
) -> HeldBack {
    let mut gate = Gate { by_event, ..Gate::new(rows, queues, jobs, counts) };
    let mut events = gate.events(interrupted);
    events.extend(gains.into_iter().map(|at| (at, Event::Room, JobId(0), 0)));
    events.stable_sort();
    for instant in events.chunk_by(|one, other| one.0 == other.0) {
        let now = instant[0].0;
        let starts = instant.partition_point(|event| event.1 < Event::Starts);
        instant[..starts].iter().for_each(|&(_, event, _, row)| gate.take(now, event, row));
        gate.doubtful.clear();
        let mut has_room = |row: &Row| has_room(now, row);
        gate.doubt(&mut has_room);
        gate.note(now);
        gate.start_all(now, instant[starts..].iter().map(|event| event.3).collect(), &mut has_room);
        gate.note(now);
    }
    gate.outcome
}

/// A run of a job that belongs to queues.
#[derive(Clone, Debug)]
pub(super) struct Member {
    id: JobId,
    submitted: SimTime,
    pub(super) places: Vec<usize>,
    /// The first of its queues, or 0 where these are of several lists; and its user.
    share: (usize, u32),
    /// Amounts that it counts while it waits, and while it runs.
    pub(super) needs: Counted,
    has: Counted,
    /// Nodes that it cannot exceed if it has as few as hold it.
    pub(super) most_nodes: u64,
}

/// Jobs of a user that may share a queue.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    /// Amounts of running jobs by queue and bound.
    used: OrderedMap<(usize, usize), u64>,
    /// Rows of waiting jobs.
    pub(super) waiting: OrderedMap<JobId, usize>,
}

pub(super) struct Gate<'a> {
    pub(super) rows: &'a [Row],
    pub(super) queues: &'a LimitedQueues,
    /// True if it is decided after each event of an instant: then it is not in the files which
    /// waiting jobs of a user were considered.
    by_event: bool,
    pub(super) members: Vec<Option<Member>>,
    pub(super) shares: OrderedMap<(usize, u32), Share>,
    /// Amounts of running jobs by queue and bound.
    used: OrderedMap<(usize, usize), u64>,
    /// True of rows that are let through.
    pub(super) through: Vec<bool>,
    /// Outcome for each row as it is noted.
    noted: Vec<Hold>,
    /// Rows that were looked at and may differ.
    pub(super) changed: OrderedSet<usize>,
    /// Rows that wait, and at this instant may find room only on more nodes than limits leave.
    pub(super) doubtful: OrderedMap<usize, Hold>,
    /// Queues of a user of whose waiting jobs it is open which are considered.
    pub(super) unsettled: OrderedMap<(usize, u32), OrderedSet<usize>>,
    /// Row that starts now.
    starting: Option<usize>,
    /// Row by whose start each was let through or held back last.
    pub(super) by: Vec<Option<usize>>,
    outcome: HeldBack,
}

impl<'a> Gate<'a> {
    fn new(
        rows: &'a [Row],
        queues: &'a LimitedQueues,
        jobs: Submitted<'_>,
        mut counts: impl FnMut(&Row) -> RunCounts,
    ) -> Self {
        let one_list = queues.are_one_list();
        let mut member = |row: &Row| {
            let (id, job) = jobs.of(row)?;
            let places = queues.places(job);
            let first = *places.first()?;
            let share = (if one_list { first } else { 0 }, job.user);
            let RunCounts { needs, has, most_nodes } = counts(row);
            Some(Member { id, submitted: job.submit_time, places, share, needs, has, most_nodes })
        };
        Gate {
            rows,
            queues,
            by_event: false,
            members: rows.iter().map(&mut member).collect(),
            shares: OrderedMap::new(),
            used: OrderedMap::new(),
            through: vec![true; rows.len()],
            noted: vec![Hold::Through; rows.len()],
            changed: OrderedSet::new(),
            doubtful: OrderedMap::new(),
            unsettled: OrderedMap::new(),
            starting: None,
            by: vec![None; rows.len()],
            outcome: HeldBack { turns: vec![Vec::new(); rows.len()], ..HeldBack::default() },
        }
    }

    /// Everything that happens to members, in order.
    fn events(
        &self,
        interrupted: impl Fn(&Row) -> Option<(usize, usize)>,
    ) -> Vec<(SimTime, Event, JobId, usize)> {
        let again = |row| interrupted(row).map(|(_, again)| again);
        let ends: OrderedMap<(JobId, SimTime), Option<usize>> = (self.members.iter().zip(self.rows))
            .filter_map(|(member, row)| Some(((member.as_ref()?.id, row.end), again(row))))
            .collect();
        let mut first: OrderedMap<((usize, u32), SimTime), SimTime> = OrderedMap::new();
        for (row, member) in self.rows.iter().zip(&self.members) {
            if let Some(member) = member.as_ref().filter(|member| member.submitted == row.considered) {
                let start = first.entry((member.share, row.considered)).or_insert(row.start);
                *start = row.start.min(*start);
            }
        }
        let mut events = Vec::new();
        for (index, (row, member)) in self.rows.iter().zip(&self.members).enumerate() {
            let Some(Member { id, submitted, share, .. }) = member else { continue };
            let cancelled = row.on.is_empty() && row.cancelled;
            if cancelled && row.considered >= row.end {
                continue;
            }
            let before = ends.get(&(*id, row.considered)).copied();
            let comes = match first.get(&(*share, row.considered)) {
                _ if let Some(Some(place)) = before => Event::Interrupted(place, true),
                _ if row.considered == *submitted => Event::Comes,
                Some(&start) if start < row.start && before.is_none() => Event::Follows,
                _ => Event::Again,
            };
            events.push((row.considered, comes, *id, index));
            if cancelled {
                events.push((row.end, Event::Cancelled, *id, index));
                continue;
            }
            events.push((row.start, Event::Starts, *id, index));
            if row.start < row.end {
                let ends =
                    interrupted(row).map_or(Event::Ends, |(place, _)| Event::Interrupted(place, false));
                events.push((row.end, ends, *id, index));
            }
        }
        events.stable_sort();
        events
    }

    fn take(&mut self, now: SimTime, event: Event, row: usize) {
        // there may be room though there is no job
        let Some(Some(Member { id, places, share: key, .. })) = self.members.get(row).cloned() else {
            return;
        };
        match event {
            Event::Again | Event::Comes | Event::Follows | Event::Interrupted(_, true) => {
                let share = self.shares.remove(&key).unwrap_or_default();
                self.through[row] =
                    share.holds(self, row, |place| share.considered(self, .., place)).is_none();
                self.shares.entry(key).or_insert(share).waiting.insert(id, row);
                self.by[row] = None;
                self.changed.insert(row);
            }
            Event::Cancelled => {
                self.shares.entry(key).or_default().waiting.remove(&id);
                self.look(key);
            }
            Event::Starts => {
                let share = self.shares.entry(key).or_default();
                share.waiting.remove(&id);
                let may = self.through[row] || self.doubtful.contains_key(&row);
                let held = if may { None } else { self.why(key, row) };
                if let Some(why) = held.or_else(|| self.has_too_much(row)) {
                    let what = format!("it starts, though {why}");
                    self.outcome.violations.push(violation_of(&self.rows[row], now, what));
                }
                if self.doubtful.remove(&row).is_some() && self.noted[row] != Hold::Through {
                    // it has found room
                    self.turn(row, now, (Hold::Through, None));
                }
                let lasts = self.rows[row].start < self.rows[row].end;
                self.count(key, row, &places, |used, amount| if lasts { used + amount } else { used });
            }
            Event::Room => {}
            Event::Ends | Event::Interrupted(_, false) => self.count(key, row, &places, u64::saturating_sub),
        }
    }

    /// Jobs start at an instant, in the order in which limits let them through, if there is one.
    fn start_all(&mut self, now: SimTime, mut rows: Vec<usize>, has_room: &mut impl FnMut(&Row) -> bool) {
        while !rows.is_empty() {
            // one that may have had larger GPUs has been let through before it had smaller ones
            let more = |row: usize| self.members[row].as_ref().map_or(0, |one| one.needs.more_gpus(&one.has));
            let through = (0..rows.len()).filter(|&next| self.through[rows[next]]);
            let next = through.min_by_key(|&next| (Reverse(more(rows[next])), next)).unwrap_or(0);
            let row = rows.remove(next);
            self.starting = Some(row);
            self.take(now, Event::Starts, row);
            self.doubt(has_room);
        }
        self.starting = None;
    }

    pub(super) fn is_in(&self, row: usize, place: usize) -> bool {
        self.members[row].as_ref().is_some_and(|member| member.places.contains(&place))
    }

    /// The limit that a job exceeds that starts now, with what it has.
    fn has_too_much(&self, row: usize) -> Option<String> {
        let Member { places, has, share, .. } = self.members[row].as_ref()?;
        places.iter().find_map(|&place| {
            let queue = &self.queues.0[place];
            let over = |(index, bound): &(usize, &LimitBound)| {
                let used = self.used(*share, place, *index, bound.per_user);
                used.saturating_add(has.of(bound.measure)) > has.most(bound.measure, bound.most)
            };
            let bound = || queue.bounds.iter().enumerate().find(over);
            let large =
                queue.too_large(*has).map(|size| format!("queue `{}` has {size} at most", queue.name));
            large.or_else(|| {
                bound().map(|(_, bound)| format!("queue `{}` lets run {}", queue.name, bound.words()))
            })
        })
    }

    /// Amount that runs of a queue have of what a bound is about.
    pub(super) fn used(&self, share: (usize, u32), place: usize, bound: usize, per_user: bool) -> u64 {
        let of_user = || self.shares.get(&share).map(|share| &share.used);
        let of_all = if per_user { of_user() } else { Some(&self.used) };
        of_all.and_then(|used| used.get(&(place, bound))).copied().unwrap_or_default()
    }

    /// The limit that holds a job back that has just left those that wait, if that is certain.
    fn why(&self, key: (usize, u32), row: usize) -> Option<String> {
        let (share, member) = (self.shares.get(&key)?, self.members[row].as_ref()?);
        let before = |place| share.considered(self, ..member.id, place);
        match share.holds(self, row, before) {
            Some(Met::Bound(place, bound)) => {
                Some(format!("queue `{}` lets run {}", self.queues.0[place].name, bound.words()))
            }
            _ if self.by_event => None,
            Some(Met::Considered(place, most)) => {
                let name = &self.queues.0[place].name;
                Some(format!("queue `{name}` considers {most} waiting jobs of a user at a time"))
            }
            None => Some("limits of its queues held it back".to_owned()),
        }
    }

    /// A run begins or ends: what it has counts, or does not any more.
    fn count(&mut self, key: (usize, u32), row: usize, places: &[usize], sum: impl Fn(u64, u64) -> u64) {
        let queues = self.queues;
        let Some(has) = self.members[row].as_ref().map(|member| member.has) else { return };
        let mut matters = false;
        for &place in places {
            for (index, bound) in queues.0[place].bounds.iter().enumerate() {
                let share = self.shares.entry(key).or_default();
                let of_all = if bound.per_user { &mut share.used } else { &mut self.used };
                let used = of_all.entry((place, index)).or_default();
                let before = *used;
                *used = sum(before, has.of(bound.measure));
                let reached = |used: u64| used >= has.most(bound.measure, bound.most);
                let turns = bound.measure != LimitMeasure::Jobs || reached(before) != reached(*used);
                matters |= !bound.per_user && turns;
            }
        }
        if !matters {
            return self.look(key);
        }
        let of_queue = (key.0, 0)..=(key.0, u32::MAX);
        let keys: Vec<(usize, u32)> = self.shares.range(of_queue).map(|(&key, _)| key).collect();
        keys.into_iter().for_each(|key| self.look(key));
    }

    /// Looks at the waiting jobs of a share again, from the earliest on.
    fn look(&mut self, key: (usize, u32)) {
        let Some(share) = self.shares.remove(&key) else { return };
        self.unsettled.remove(&key);
        let mut ahead: OrderedMap<usize, u64> = OrderedMap::new();
        for &row in share.waiting.values() {
            let before = |place| ahead.get(&place).copied().unwrap_or_default();
            let through = share.holds(self, row, before).is_none();
            if through && let Some(member) = &self.members[row] {
                member.places.iter().for_each(|&place| *ahead.entry(place).or_default() += 1);
            }
            if through != self.through[row] {
                self.through[row] = through;
                self.by[row] = self.starting;
                self.changed.insert(row);
            }
        }
        self.shares.insert(key, share);
    }

    fn waits(&self, row: usize) -> bool {
        self.members[row].as_ref().is_some_and(|member| {
            self.shares.get(&member.share).and_then(|share| share.waiting.get(&member.id)) == Some(&row)
        })
    }

    /// Notes what has changed so far at an instant.
    fn note(&mut self, at: SimTime) {
        for row in std::mem::take(&mut self.changed) {
            let known = if self.through[row] { Hold::Through } else { Hold::Back };
            let hold = self.doubtful.get(&row).copied().unwrap_or(known);
            if hold != known {
                // it is in doubt from the beginning of an instant on, and up to one
                self.by[row] = None;
            }
            if self.waits(row) && hold != self.noted[row] {
                let by_start = self.by[row].and_then(|by| self.rows[by].job);
                self.turn(row, at, (hold, by_start));
            }
        }
    }

    /// A turn of a row, in place of another one of the instant.
    fn turn(&mut self, row: usize, at: SimTime, (hold, by_start): (Hold, Option<JobId>)) {
        self.noted[row] = hold;
        let turns = &mut self.outcome.turns[row];
        if by_start.is_none() {
            turns.pop_if(|last| last.at == at);
        }
        let through = matches!(hold, Hold::Through | Hold::Passable);
        let in_doubt = matches!(hold, Hold::Passable | Hold::Doubt);
        let turn = LimitTurn { at, through, in_doubt, by_start };
        let before = turns.last().map_or((true, false), |last| (last.through, last.in_doubt));
        if before != (turn.through, turn.in_doubt) {
            turns.push(turn);
        }
    }
}

/// A limit that a job has met, with the place of its queue.
#[derive(Clone, Copy)]
pub(super) enum Met {
    Bound(usize, LimitBound),
    Considered(usize, u64),
}

impl Share {
    /// Number of jobs of a queue among some that wait that are considered.
    fn considered(&self, gate: &Gate<'_>, ids: impl RangeBounds<JobId>, place: usize) -> u64 {
        let rows = self.waiting.range(ids).map(|(_, &row)| row);
        rows.filter(|&row| gate.through[row] && gate.is_in(row, place)).count() as u64
    }

    /// The limit that keeps a job of the share from running now, where so many of its user's
    /// considered jobs stand before it in a queue.
    pub(super) fn holds(&self, gate: &Gate<'_>, row: usize, ahead: impl Fn(usize) -> u64) -> Option<Met> {
        let member = gate.members[row].as_ref()?;
        let needs = member.needs;
        member.places.iter().find_map(|&place| {
            let queue = &gate.queues.0[place];
            let over = |(index, bound): &(usize, &LimitBound)| {
                let of_all = if bound.per_user { &self.used } else { &gate.used };
                let used = of_all.get(&(place, *index)).copied().unwrap_or_default();
                used.saturating_add(needs.of(bound.measure)) > needs.most(bound.measure, bound.most)
            };
            let bound = queue.bounds.iter().enumerate().find(over);
            let considered = || queue.considered.filter(|&most| ahead(place) >= most);
            bound
                .map(|(_, &bound)| Met::Bound(place, bound))
                .or_else(|| considered().map(|most| Met::Considered(place, most)))
        })
    }
}
