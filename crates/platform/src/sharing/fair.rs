//! Fair shares of one resource by priority, where each task has a most that it can take: a host
//! with several cores.
//!
//! The resource has a capacity, in cores; task i has a priority w and a most b (one core, or less
//! if it limits itself). Its rate is min(b, w × level), with one level for all at which the rates
//! come to the capacity, or the highest of all b / w if every task has its most. The level changes
//! when a task comes or goes.
//!
//! Tasks are in two groups. Those whose b / w is below the level have their most: they end when the
//! resource's own clock has gone on by work / b. The others *share*: a second clock goes at the
//! level, and a task ends when that has gone on by work / w. So in either group only the one that
//! ends first is looked at, and a change costs O(log n) for n tasks, and that again for each task
//! that changes groups. Tasks that are all alike are always in the second group and never change. A
//! task that has the resource for itself is of the second group too, and stands in no order until
//! another comes.
//!
//! The resource's clock is [`Fair::pass`]: seconds in which all of the capacity was there, so an
//! availability of one half lets it go on at half the pace. Source: weighted max-min fairness (D.
//! Bertsekas, R. Gallager, "Data Networks", 2nd ed., 1992, section 6.5.2) on a single resource,
//! with the virtual time of processor sharing.

use crate::sharing::Schedule;

use super::exact::Exact;

/// A task on a [`Fair`], by its place; the place is given again after it has left.
pub(crate) type Place = u32;

/// A task, and where it stands.
#[derive(Clone, Copy, Debug, Default)]
struct Task {
    /// Work when it joined its group, in seconds of a core.
    work: f64,
    priority: f64,
    most: f64,
    /// The clock of its group when it joined, and when it ends.
    joined: f64,
    mark: f64,
    serial: u64,
    capped: bool,
}

impl Task {
    /// The level from which on it has its most.
    fn ratio(&self) -> f64 {
        self.most / self.priority
    }
}

/// A resource and its tasks; the module's documentation has the rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fair {
    tasks: Vec<Task>,
    free: Vec<Place>,
    entered: u64,
    /// Tasks that are there.
    count: u32,
    /// The task that came when there was none, until another comes.
    alone: Option<Place>,
    /// Clock of the resource, and that of the tasks that share.
    clock: f64,
    shared: f64,
    level: f64,
    /// Tasks with their most, by mark and by highest ratio.
    capped: [Schedule; 2],
    /// Tasks that share, by mark, by least and by highest ratio.
    sharing: [Schedule; 3],
    /// Sums over the groups.
    most_capped: Exact,
    priorities: Exact,
    most_sharing: Exact,
}

/// Numbers that are not negative, in their order.
fn bits(value: f64) -> u64 {
    value.max(0.0).to_bits()
}

impl Fair {
    /// Tasks that are there.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Cores in use, of `capacity`.
    pub(crate) fn used(&self, capacity: f64) -> f64 {
        let mut most = self.most_capped;
        most += self.most_sharing;
        most.value().min(capacity)
    }

    /// Enters `work`, which has a share by its `priority` and at most `most`, both above 0.
    pub(crate) fn enter(&mut self, work: f64, priority: f64, most: f64, capacity: f64) -> Place {
        let place = self.free.pop().unwrap_or_else(|| {
            self.tasks.push(Task::default());
            self.tasks.len() as u32 - 1
        });
        let task = Task { work, priority, most, serial: self.entered, ..Task::default() };
        self.entered += 1;
        self.count += 1;
        if let Some(alone) = self.alone.take() {
            self.line_up(alone);
        }
        self.tasks[place as usize] = task;
        self.share(place);
        self.find_level(capacity);
        place
    }

    /// Takes a task out; gives what is left of its work, not below 0.
    pub(crate) fn leave(&mut self, place: Place, capacity: f64) -> f64 {
        let left = self.left(place);
        self.part(place);
        self.free.push(place);
        self.count -= 1;
        if self.count == 0 {
            (self.clock, self.shared, self.level) = (0.0, 0.0, 0.0);
        } else {
            self.find_level(capacity);
        }
        left
    }

    /// Rest of a task's work.
    pub(crate) fn left(&self, place: Place) -> f64 {
        let task = &self.tasks[place as usize];
        let clock = if task.capped { self.clock } else { self.shared };
        let rate = if task.capped { task.most } else { task.priority };
        if clock >= task.mark {
            0.0
        } else if clock <= task.joined {
            task.work
        } else {
            ((task.mark - clock) * rate).min(task.work)
        }
    }

    /// The task that ends first, and how long the resource's clock goes on until then.
    pub(crate) fn first(&self) -> Option<(Place, f64)> {
        let in_line = |group: &Schedule| group.first().map(|(_, place)| place);
        let firsts = [in_line(&self.capped[0]), self.alone.or_else(|| in_line(&self.sharing[0]))];
        let spans = firsts.into_iter().flatten().map(|place| {
            let task = &self.tasks[place as usize];
            let rate = if task.capped || self.level >= task.ratio() {
                task.most
            } else {
                task.priority * self.level
            };
            (place, self.left(place) / rate)
        });
        spans.min_by(|a, b| a.1.total_cmp(&b.1).then_with(|| self.serial(a.0).cmp(&self.serial(b.0))))
    }

    fn serial(&self, place: Place) -> u64 {
        self.tasks[place as usize].serial
    }

    /// The clock goes on by `span`.
    pub(crate) fn pass(&mut self, span: f64) {
        self.clock += span;
        if self.alone.is_some() || self.sharing[0].first().is_some() {
            self.shared += span * self.level;
        }
    }

    /// The clock has reached the end of a task, which rounding may have missed by a little: tasks
    /// that end with it do.
    pub(crate) fn reach(&mut self, place: Place) {
        let task = self.tasks[place as usize];
        let clock = if task.capped { &mut self.clock } else { &mut self.shared };
        *clock = clock.max(task.mark);
    }

    /// Joins the tasks that share.
    fn share(&mut self, place: Place) {
        let task = &mut self.tasks[place as usize];
        (task.joined, task.mark) = (self.shared, self.shared + (task.work / task.priority).max(0.0));
        task.capped = false;
        self.priorities += Exact::of(task.priority);
        self.most_sharing += Exact::of(task.most);
        if self.count == 1 {
            self.alone = Some(place);
        } else {
            self.line_up(place);
        }
    }

    /// Takes its place in the orders of the tasks that share.
    fn line_up(&mut self, place: Place) {
        let task = &self.tasks[place as usize];
        self.sharing[0].set(place, task.serial, bits(task.mark));
        self.sharing[1].set(place, task.serial, bits(task.ratio()));
        self.sharing[2].set(place, task.serial, !bits(task.ratio()));
    }

    /// Joins the tasks that have their most.
    fn cap(&mut self, place: Place) {
        let task = &mut self.tasks[place as usize];
        (task.joined, task.mark) = (self.clock, self.clock + (task.work / task.most).max(0.0));
        task.capped = true;
        self.capped[0].set(place, task.serial, bits(task.mark));
        self.capped[1].set(place, task.serial, !bits(task.ratio()));
        self.most_capped += Exact::of(task.most);
    }

    /// Leaves its group with what is left of its work.
    fn part(&mut self, place: Place) {
        let left = self.left(place);
        let task = &mut self.tasks[place as usize];
        task.work = left;
        if task.capped {
            self.capped.iter_mut().for_each(|group| group.remove(place));
            self.most_capped -= Exact::of(task.most);
        } else {
            if self.alone.take().is_none() {
                self.sharing.iter_mut().for_each(|group| group.remove(place));
            }
            self.priorities -= Exact::of(task.priority);
            self.most_sharing -= Exact::of(task.most);
        }
    }

    /// The level at which the tasks that share have what the others leave of `capacity`.
    fn level_of(&self, capacity: f64) -> f64 {
        let left = (capacity - self.most_capped.value()).max(0.0);
        if self.priorities.is_nothing() { f64::INFINITY } else { left / self.priorities.value() }
    }

    /// Finds the level after a task has come or gone; a task on the wrong side of it changes
    /// groups.
    fn find_level(&mut self, capacity: f64) {
        let mut level = self.level_of(capacity);
        // the level has fallen: tasks with less than their most at it share
        while let Some((_, place)) = self.capped[1].first()
            && self.tasks[place as usize].ratio() > level
        {
            self.part(place);
            self.share(place);
            level = self.level_of(capacity);
        }
        // it has risen: tasks that have their most with something to spare do not share, but for
        // those of the highest ratio
        while let Some((_, place)) = self.sharing[1].first()
            && self.tasks[place as usize].ratio() < level
            && self.are_apart()
        {
            self.part(place);
            self.cap(place);
            level = self.level_of(capacity);
        }
        let first = self.alone.or_else(|| self.sharing[1].first().map(|(_, place)| place));
        let highest = first.map_or(f64::INFINITY, |place| self.tasks[place as usize].ratio());
        self.level = if self.are_apart() { level } else { level.min(highest) };
    }

    /// Returns true if the tasks that share have different ratios.
    fn are_apart(&self) -> bool {
        let ends = [self.sharing[1].first(), self.sharing[2].first()].map(|end| end.map(|(key, _)| key));
        ends[0] != ends[1].map(|key| !key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instants, on the resource's own clock, at which tasks (work, priority, most) end that are
    /// all there from the beginning.
    fn ends(capacity: f64, tasks: &[(f64, f64, f64)]) -> Vec<f64> {
        let mut fair = Fair::default();
        for &(work, priority, most) in tasks {
            fair.enter(work, priority, most, capacity);
        }
        let mut ends = vec![0.0; tasks.len()];
        let mut now = 0.0;
        while let Some((place, span)) = fair.first() {
            now += span;
            fair.pass(span);
            fair.reach(place);
            assert_eq!(fair.leave(place, capacity).to_bits(), 0, "it has ended");
            ends[place as usize] = now;
        }
        ends
    }

    #[test]
    fn tasks_that_are_alike_have_a_core_each_or_equal_shares() {
        assert_eq!(format!("{:?}", ends(2.0, &[(3.0, 1.0, 1.0), (1.0, 1.0, 1.0)])), "[3.0, 1.0]");
        // two thirds of a core each until 3 s, then one each
        let three = ends(2.0, &[(2.0, 1.0, 1.0), (3.0, 1.0, 1.0), (4.0, 1.0, 1.0)]);
        assert_eq!(format!("{three:?}"), "[3.0, 4.0, 5.0]");
    }

    /// Two cores, priorities 8, 1 and 1: the first has its core, the others a half each.
    #[test]
    fn no_task_has_more_than_its_most_and_the_rest_goes_to_the_others() {
        let ends = ends(2.0, &[(1.0, 8.0, 1.0), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0)]);
        assert_eq!(format!("{ends:?}"), "[1.0, 1.5, 1.5]");
    }

    /// Four cores: 0.5 at most for the first, priority 3 has its core, and so have the others: 3.5
    /// cores are in use.
    #[test]
    fn where_there_is_enough_each_has_its_most_whatever_its_priority() {
        let tasks = [(1.0, 1.0, 0.5), (2.0, 3.0, 1.0), (3.0, 1.0, 1.0), (4.0, 1.0, 1.0)];
        assert_eq!(format!("{:?}", ends(4.0, &tasks)), "[2.0, 2.0, 3.0, 4.0]");
        let mut fair = Fair::default();
        for (work, priority, most) in tasks {
            fair.enter(work, priority, most, 4.0);
        }
        assert_eq!(fair.used(4.0).to_bits(), 3.5_f64.to_bits());
        assert_eq!(fair.used(3.0).to_bits(), 3.0_f64.to_bits());
    }

    /// One that comes late moves those that had their most back to sharing: a core for both, then
    /// half of it each.
    #[test]
    fn a_task_that_had_its_most_shares_again_when_others_come() {
        let mut fair = Fair::default();
        fair.enter(10.0, 4.0, 1.0, 1.5);
        fair.enter(10.0, 1.0, 1.0, 1.5);
        fair.pass(2.0);
        assert_eq!([fair.left(0), fair.left(1)].map(f64::to_bits), [8.0_f64, 9.0].map(f64::to_bits));
        fair.enter(14.0, 7.0, 1.0, 1.5);
        // levels: 1.5 / 12 = 0.125, so 0.5, 0.125 and 0.875
        fair.pass(2.0);
        let left = [0, 1, 2].map(|place| fair.left(place));
        assert_eq!(format!("{left:?}"), "[7.0, 8.75, 12.25]");
        assert_eq!(fair.leave(2, 1.5).to_bits(), 12.25_f64.to_bits());
        fair.pass(1.0);
        assert_eq!(format!("{:?}", [fair.left(0), fair.left(1)]), "[6.0, 8.25]");
    }
}
