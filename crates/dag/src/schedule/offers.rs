//! Choosing among ready tasks by the best slot of each.
//!
//! Rules of this kind look at all tasks that are ready and at every core for each, place one task,
//! and look again. What was found is kept: as long as later starts never mean earlier ends, a slot
//! can only have got worse. So what was found of a task and a core is a bound, and a task has a
//! heap of them: its best slot is the first of which a new look finds the same. The tasks lie in a
//! heap by the rule's key.
//!
//! Where a key grows as slots get worse, it is a bound too, and a task is looked at again when it
//! is next. Else it is looked at when something was placed on the core of its best slot, or on a
//! link that its data take to it.
//!
//! Where predictions allow a later start to end earlier, every task is looked at each time, on
//! every core.
//!
//! Where hosts are as fast at one time as at another, and data do not wait for links, little is to
//! be known of a task, and looks are cheap ([`SteadyBoard`]).
//!
//! A task of several cores has a slot on each host. That gets worse when something is placed on one
//! of its cores, and is the same when it is placed on others.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::collections::OrderedMap;
use crate::error::CannotPlan;
use crate::kernel::SimTime;
use crate::model::grid::Core;
use crate::output::number::grouped;
use crate::planning::plan::ChoiceFigure;
use crate::planning::ranks::{children_now_ready, missing_parents};
use crate::planning::view::{TimeSlot, View};
use crate::platform::sharing::LinkId;
use crate::schedule::each_offer::{Offer, Says};
use crate::schedule::partial::{PartialSchedule, Search};
use crate::schedule::steady_board::SteadyBoard;
use crate::workflow::TaskNumber;

/// A rule that chooses among ready tasks: what makes a slot good, and which task is next.
pub(crate) struct ByOffers<F, K> {
    /// Figure that is minimized for a task.
    pub(crate) figure: F,
    /// Of the ready tasks the one of the least key is next, of equal ones that of the lowest
    /// number.
    pub(crate) key: K,
    /// Distinction of the task that is next, for explanations.
    pub(crate) why: &'static str,
    /// Course of the key as slots get worse.
    pub(crate) course: KeyCourse,
}

/// Course of the key of a task as its slots get worse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeyCourse {
    /// Stays or grows; of two tasks that only wait for cores of a host the same one keeps the
    /// greater.
    Grows,
    /// Stays or falls; the figure grows with the end of a slot.
    Falls,
    /// Depends on the second best slot; the figure grows with the end of a slot.
    BySecond,
}

/// Instants at which data are on hosts, and figures of cores, that are kept for ready tasks, at
/// most; few in tests, so that some tasks there keep nothing.
const MOST_KEPT: usize = if cfg!(test) { 60 } else { 1 << 21 };

/// Lower bounds that were found of the figures of cores, the least first, of equal ones the lower
/// core.
type Bounds<A> = BinaryHeap<Reverse<(A, Core)>>;

/// A task that is ready, and its offer.
struct Ready<A> {
    offer: Offer<A>,
    /// Number of times that the offer has changed: the entry of the heap with this number counts.
    changes: u32,
    /// By host: when its data are there, which changes no more; `None` where transfers wait, or
    /// too much is kept.
    data: Option<Box<[Option<SimTime>]>>,
    /// `None` if too much is kept.
    bounds: Option<Bounds<A>>,
}

impl<A> Ready<A> {
    /// Number of values that it keeps, of [`MOST_KEPT`].
    fn kept(&self) -> usize {
        self.data.as_ref().map_or(0, |data| data.len()) + self.bounds.as_ref().map_or(0, BinaryHeap::len)
    }
}

/// The tasks that are ready.
struct Board<A, B> {
    tasks: OrderedMap<TaskNumber, Ready<A>>,
    next: BinaryHeap<Reverse<(B, TaskNumber, u32)>>,
    /// By core: those whose best slot is there, and maybe others.
    by_core: Vec<Vec<TaskNumber>>,
    /// By link: those whose data take it to the best slot, and maybe others. Empty where transfers
    /// do not wait.
    by_link: OrderedMap<LinkId, Vec<TaskNumber>>,
    /// Instants and figures that are kept.
    kept: usize,
    /// True if a task is looked at again only when it is next.
    is_lazy: bool,
    /// Tasks whose slots follow from two numbers; `None` where hosts change.
    steady: Option<SteadyBoard<B>>,
}

impl<A, B, F, K> ByOffers<F, K>
where
    A: ChoiceFigure + Ord,
    B: Ord + Copy,
    F: Fn(TaskNumber, TimeSlot) -> A,
    K: Fn(TaskNumber, &Offer<A>) -> B,
{
    /// Places all open tasks that have no slot, one by one, behind what is there.
    ///
    /// # Errors
    /// No core can have one of them.
    pub(crate) fn place_all(&self, schedule: &mut PartialSchedule<'_>) -> Result<(), CannotPlan> {
        let view = schedule.view();
        let mut missing = missing_parents(view, |task| view.is_open(task) && schedule.slot(task).is_none());
        let without = |task: &TaskNumber| missing[task.index()] == 0 && schedule.slot(*task).is_none();
        let first: Vec<TaskNumber> = view.open().filter(without).collect();
        self.place(schedule, first, |task| children_now_ready(view, &mut missing, task))
    }

    /// Places these tasks one by one, and those that each of them makes ready.
    ///
    /// # Errors
    /// As [`ByOffers::place_all`].
    pub(crate) fn place(
        &self,
        schedule: &mut PartialSchedule<'_>,
        first: Vec<TaskNumber>,
        mut now_ready: impl FnMut(TaskNumber) -> Vec<TaskNumber>,
    ) -> Result<(), CannotPlan> {
        let view = schedule.view();
        let is_monotone = view.is_monotone();
        // where hosts change, a task that starts later may not end at all, which is an error at
        // once
        let is_lazy = self.course == KeyCourse::Grows && is_monotone && view.is_steady();
        let mut board = Board {
            tasks: OrderedMap::new(),
            next: BinaryHeap::new(),
            by_core: vec![Vec::new(); view.cores().len()],
            by_link: OrderedMap::new(),
            kept: 0,
            is_lazy,
            steady: (is_monotone && view.is_steady())
                .then(|| SteadyBoard::new(schedule, self.course == KeyCourse::Grows)),
        };
        for task in first {
            self.enter(&mut board, schedule, task)?;
        }
        while let Some((task, slot)) = self.next(&mut board, schedule)? {
            if view.explains(task) {
                view.explain(task, || match board.tasks.len() + board.in_steady() {
                    0 => "No other task is ready".to_owned(),
                    others => {
                        format!("Of {} ready tasks it is next: {}", grouped(others as u64 + 1), self.why)
                    }
                });
                // what was found on other cores before may have got worse
                schedule.uncounted(|schedule| {
                    let data = schedule.look(task);
                    self.offer(schedule, task, &data)
                })?;
            }
            let links = if is_lazy { Vec::new() } else { schedule.links_to(task, view.host_of(slot.core)) };
            schedule.place(task, slot);
            if let Some(steady) = &mut board.steady {
                let renewed = self.says(|says| steady.renew(schedule, view.host_of(slot.core), says));
                renewed.map_err(|task| schedule.no_host(task))?;
            }
            if is_lazy {
                // when one of them is next
            } else if is_monotone {
                let placed: Vec<Core> = view.members(slot.core).collect();
                self.look_again(&mut board, schedule, &placed, &links)?;
            } else {
                self.look_at_all(&mut board, schedule)?;
            }
            for child in now_ready(task) {
                self.enter(&mut board, schedule, child)?;
            }
        }
        schedule.also_looked_at(board.steady.map_or(0, |steady| steady.looked_at()));
        Ok(())
    }

    /// Gives a function what the rule says.
    fn says<R>(&self, give: impl FnOnce(&Says<'_, A, B>) -> R) -> R {
        let by_second = self.course == KeyCourse::BySecond;
        give(&Says { figure: &self.figure, key: &self.key, by_second })
    }

    /// Takes out the task that is next; gives its slot.
    fn next(
        &self,
        board: &mut Board<A, B>,
        schedule: &mut PartialSchedule<'_>,
    ) -> Result<Option<(TaskNumber, TimeSlot)>, CannotPlan> {
        let steady = match &mut board.steady {
            Some(steady) => self.says(|says| steady.first(says)).map_err(|task| schedule.no_host(task))?,
            None => None,
        };
        while let Some(&Reverse((key, task, changes))) = board.next.peek() {
            if board.tasks.get(&task).is_none_or(|ready| ready.changes != changes) {
                board.next.pop();
                continue;
            }
            if steady.is_some_and(|(least, other, _)| (least, other) < (key, task)) {
                break;
            }
            if board.is_lazy && self.is_worse(board, schedule, task)? {
                continue;
            }
            board.next.pop();
            let ready = board.tasks.remove(&task).expect("it is there");
            board.kept -= ready.kept();
            return Ok(Some((task, ready.offer.best)));
        }
        Ok(steady.zip(board.steady.as_mut()).map(|((_, task, host), steady)| {
            board.kept -= 2 * schedule.view().hosts().len();
            (task, steady.take(schedule, task, host))
        }))
    }

    /// Lets a task be ready.
    fn enter(
        &self,
        board: &mut Board<A, B>,
        schedule: &mut PartialSchedule<'_>,
        task: TaskNumber,
    ) -> Result<(), CannotPlan> {
        let data = schedule.look(task);
        // data and figures of each host
        let of_steady = 2 * data.len();
        if let Some(steady) = &mut board.steady
            && board.kept + of_steady <= MOST_KEPT
            && schedule.knows_data(task)
        {
            board.kept += of_steady;
            let inserted = self.says(|says| steady.insert(schedule, task, &data, says));
            return inserted.ok_or_else(|| schedule.no_host(task));
        }
        let (offer, bounds) = self.offer(schedule, task, &data)?;
        let is_kept = board.kept + data.len() + bounds.len() <= MOST_KEPT;
        let data = (is_kept && !schedule.has_queues()).then(|| data.into_boxed_slice());
        let ready = Ready { offer, changes: 0, data, bounds: is_kept.then_some(bounds) };
        board.kept += ready.kept();
        board.next.push(Reverse(((self.key)(task, &offer), task, 0)));
        if !board.is_lazy {
            board.watch(schedule, task, offer.best.core, None, None);
            self.watch_second(board, schedule.view(), task, &offer);
        }
        board.tasks.insert(task, ready);
        Ok(())
    }

    /// Looks again at the task that is next; whether it is not, as it has got worse.
    fn is_worse(
        &self,
        board: &mut Board<A, B>,
        schedule: &mut PartialSchedule<'_>,
        task: TaskNumber,
    ) -> Result<bool, CannotPlan> {
        let ready = board.tasks.get_mut(&task).expect("it is there");
        let cores: Vec<Core> = schedule.view().members(ready.offer.best.core).collect();
        let is_worse = self.renew(ready, schedule, task, &cores)?;
        if is_worse {
            ready.changes += 1;
            board.next.push(Reverse(((self.key)(task, &ready.offer), task, ready.changes)));
        }
        Ok(is_worse)
    }

    /// Looks again at the tasks whose best slot may be another after a task was placed on these
    /// cores, its data over `links`.
    fn look_again(
        &self,
        board: &mut Board<A, B>,
        schedule: &mut PartialSchedule<'_>,
        placed: &[Core],
        links: &[LinkId],
    ) -> Result<(), CannotPlan> {
        let mut by_core = Vec::new();
        for core in placed {
            by_core.append(&mut board.by_core[core.index()]);
        }
        by_core.sort_unstable();
        by_core.dedup();
        let by_links = links.iter().filter_map(|link| board.by_link.remove(link)).flatten();
        let mut all: Vec<TaskNumber> = by_links.chain(by_core.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        for task in all {
            let Some(ready) = board.tasks.get_mut(&task) else { continue };
            let before = ready.offer.best;
            if self.renew(ready, schedule, task, placed)? {
                ready.changes += 1;
                board.next.push(Reverse(((self.key)(task, &ready.offer), task, ready.changes)));
            }
            let offer = ready.offer;
            let has_moved = offer.best.core != before.core;
            // those on which it is watched no more, if it has not moved
            let again = if by_core.binary_search(&task).is_ok() { placed } else { &[] };
            let (again, links) = ((!has_moved).then_some(again), (!has_moved).then_some(links));
            board.watch(schedule, task, offer.best.core, again, links);
            self.watch_second(board, schedule.view(), task, &offer);
        }
        Ok(())
    }

    /// Looks at a task again when its second best slot may have changed, if the rule asks for it.
    fn watch_second(&self, board: &mut Board<A, B>, view: &View<'_>, task: TaskNumber, offer: &Offer<A>) {
        if let Some((_, second)) = &offer.second
            && self.course == KeyCourse::BySecond
        {
            for place in [view.place_of(offer.best.core), *second] {
                around(view, task, place).for_each(|core| board.by_core[core.index()].push(task));
            }
        }
    }

    /// Works out the offer of a task again after something was placed on these cores, or on a link;
    /// whether it has changed.
    fn renew(
        &self,
        ready: &mut Ready<A>,
        schedule: &mut PartialSchedule<'_>,
        task: TaskNumber,
        placed: &[Core],
    ) -> Result<bool, CannotPlan> {
        let view = schedule.view();
        let Offer { best, second, .. } = ready.offer;
        if let Some(bounds) = &mut ready.bounds {
            let data = ready.data.as_deref();
            let (figure, best) =
                self.least(bounds, data, schedule, task).ok_or_else(|| schedule.no_host(task))?;
            let mut offer = Offer { best, figure, second };
            if self.course == KeyCourse::BySecond {
                let first = bounds.pop();
                let second = self.least(bounds, data, schedule, task);
                offer.second = second.map(|(figure, slot)| (figure, view.place_of(slot.core)));
                bounds.extend(first);
            }
            let has_changed = offer != ready.offer;
            ready.offer = offer;
            return Ok(has_changed);
        }
        let (host, place) = (view.host_of(best.core), view.place_of(best.core));
        let is_free = |place: Core| !around(view, task, place).any(|core| placed.contains(&core));
        if self.course != KeyCourse::BySecond {
            let there = schedule.ready(task, host);
            let slot = there.and_then(|there| schedule.look_on(task, place, there));
            if slot == Some(best) {
                return Ok(false);
            }
            if let Some(slot) = slot {
                let figure = (self.figure)(task, slot);
                if second.is_none_or(|second| (figure, place) < second) {
                    ready.offer = Offer { best: slot, figure, second };
                    return Ok(true);
                }
            }
        } else if is_free(place)
            && second.is_none_or(|(_, second)| is_free(second))
            && schedule.earliest(task, place, Search::Tail) == Some(best)
        {
            return Ok(false);
        }
        let data = schedule.look(task);
        (ready.offer, _) = self.offer(schedule, task, &data)?;
        Ok(true)
    }

    /// The least figure of all cores and its slot; `None` if no core can have the task.
    fn least(
        &self,
        bounds: &mut Bounds<A>,
        data: Option<&[Option<SimTime>]>,
        schedule: &mut PartialSchedule<'_>,
        task: TaskNumber,
    ) -> Option<(A, TimeSlot)> {
        loop {
            let mut first = bounds.peek_mut()?;
            let Reverse((bound, core)) = *first;
            let host = schedule.view().host_of(core);
            let there = match data {
                Some(data) => data[host.index()],
                None => schedule.ready(task, host),
            };
            let Some(slot) = there.and_then(|there| schedule.look_on(task, core, there)) else {
                PeekMut::pop(first);
                continue;
            };
            let figure = (self.figure)(task, slot);
            if figure == bound {
                return Some((figure, slot));
            }
            *first = Reverse((figure, core));
        }
    }

    /// Works out all offers.
    fn look_at_all(
        &self,
        board: &mut Board<A, B>,
        schedule: &mut PartialSchedule<'_>,
    ) -> Result<(), CannotPlan> {
        let mut next = Vec::with_capacity(board.tasks.len());
        for (&task, ready) in &mut board.tasks {
            let data = schedule.look(task);
            (ready.offer, _) = self.offer(schedule, task, &data)?;
            ready.changes += 1;
            next.push(Reverse(((self.key)(task, &ready.offer), task, ready.changes)));
        }
        board.next = next.into();
        Ok(())
    }

    /// Looks at every core.
    fn offer(
        &self,
        schedule: &mut PartialSchedule<'_>,
        task: TaskNumber,
        data: &[Option<SimTime>],
    ) -> Result<(Offer<A>, Bounds<A>), CannotPlan> {
        let view = schedule.view();
        let mut found = Vec::with_capacity(view.cores().len());
        let best = schedule.choose_among(task, Search::Tail, data, |_, slot| {
            let own = (self.figure)(task, slot);
            found.push(Reverse((own, view.place_of(slot.core))));
            own
        })?;
        let mut bounds = BinaryHeap::from(found);
        let first = bounds.pop();
        let second = bounds.peek().map(|Reverse(second)| *second);
        bounds.extend(first);
        Ok((Offer { best, figure: (self.figure)(task, best), second }, bounds))
    }
}

/// The cores that decide on the slot of a task that is looked at by this one.
fn around(view: &View<'_>, task: TaskNumber, place: Core) -> impl Iterator<Item = Core> + use<> {
    let host = view.cores_of(view.host_of(place));
    let is_wide = view.width(task) > 1;
    host.filter(move |core| is_wide || *core == place)
}

impl<A, B: Ord + Copy> Board<A, B> {
    /// Number of tasks of which less is to be known.
    fn in_steady(&self) -> usize {
        self.steady.as_ref().map_or(0, SteadyBoard::len)
    }

    /// Looks at a task again when its best slot, on this core, may have changed: by what is placed
    /// on it, of these cores if others are watched already, and by what takes one of its links,
    /// likewise.
    fn watch(
        &mut self,
        schedule: &mut PartialSchedule<'_>,
        task: TaskNumber,
        best: Core,
        cores: Option<&[Core]>,
        among: Option<&[LinkId]>,
    ) {
        let is_new = |core: &Core| cores.is_none_or(|cores| cores.contains(core));
        for core in schedule.view().members(best).filter(is_new) {
            self.by_core[core.index()].push(task);
        }
        if schedule.has_queues() {
            let host = schedule.view().host_of(best);
            for link in schedule.links_to(task, host) {
                if among.is_none_or(|among| among.contains(&link)) {
                    self.by_link.entry(link).or_default().push(task);
                }
            }
        }
    }
}

/// The open tasks whose parents have all ended.
pub(crate) fn with_finished_parents(view: &View<'_>) -> Vec<TaskNumber> {
    let graph = view.graph();
    let is_finished = |task| matches!(view.progress(task), crate::planning::view::Progress::Finished(_));
    let all =
        |task: &TaskNumber| graph.incoming(*task).iter().all(|edge| is_finished(graph.edge(*edge).from));
    view.open().filter(all).collect()
}
