//! The ready tasks whose slots follow from few numbers, in the order of a rule.

use crate::kernel::SimTime;
use crate::planning::view::TimeSlot;
use crate::platform::HostId;
use crate::schedule::each_offer::{EachOffer, Says};
use crate::schedule::pair_heaps::PairHeaps;
use crate::schedule::partial::PartialSchedule;
use crate::schedule::steady_tasks::SteadyTasks;
use crate::workflow::TaskNumber;

/// Ready tasks, and which is next.
pub(crate) struct SteadyBoard<B> {
    tasks: SteadyTasks,
    order: Order<B>,
}

/// The tasks in the order of a rule.
enum Order<B> {
    /// Order of a rule whose keys only grow.
    Pairs(PairHeaps<B>),
    /// Order of any other rule.
    Each(EachOffer<B>),
}

impl<B: Ord + Copy> SteadyBoard<B> {
    /// None; `grows` says that the keys of the rule only grow.
    pub(crate) fn new(schedule: &PartialSchedule<'_>, grows: bool) -> Self {
        let order = if grows { Order::Pairs(PairHeaps::new()) } else { Order::Each(EachOffer::new()) };
        SteadyBoard { tasks: SteadyTasks::new(schedule), order }
    }

    /// Number of tasks.
    pub(crate) fn len(&self) -> usize {
        self.tasks.len()
    }

    /// Lets a task be ready, whose data are on hosts then; `None` if no host can have it.
    pub(crate) fn insert<A>(
        &mut self,
        schedule: &PartialSchedule<'_>,
        task: TaskNumber,
        data: &[Option<SimTime>],
        says: &Says<'_, A, B>,
    ) -> Option<()> {
        let line = self.tasks.insert(schedule.view(), task, data);
        match &mut self.order {
            Order::Pairs(pairs) => {
                let hosts = pairs.insert(&self.tasks, task, line, &|task, slot| says.key_in(task, slot));
                (hosts > 0).then_some(())
            }
            Order::Each(each) => each.insert(&self.tasks, task, line, says),
        }
    }

    /// The least key, its task and host.
    ///
    /// # Errors
    /// A task that no host can have any more.
    pub(crate) fn first<A>(
        &mut self,
        says: &Says<'_, A, B>,
    ) -> Result<Option<(B, TaskNumber, HostId)>, TaskNumber> {
        let first = match &mut self.order {
            Order::Pairs(pairs) => pairs.first(&self.tasks, &|task, slot| says.key_in(task, slot)),
            Order::Each(each) => each.first(),
        };
        match self.tasks.any() {
            Some(task) if first.is_none() => Err(task),
            _ => Ok(first),
        }
    }

    /// Takes a task out that is to be placed on this host; gives its slot.
    pub(crate) fn take(
        &mut self,
        schedule: &PartialSchedule<'_>,
        task: TaskNumber,
        host: HostId,
    ) -> TimeSlot {
        let slot = self.tasks.held(schedule, task, host).expect("the host can have the task");
        self.tasks.remove(task);
        if let Order::Each(each) = &mut self.order {
            each.remove(task);
        }
        slot
    }

    /// Takes in what was placed on a host.
    ///
    /// # Errors
    /// A task that no host can have any more.
    pub(crate) fn renew<A>(
        &mut self,
        schedule: &PartialSchedule<'_>,
        host: HostId,
        says: &Says<'_, A, B>,
    ) -> Result<(), TaskNumber> {
        self.tasks.renew(schedule, host);
        match &mut self.order {
            Order::Pairs(pairs) => {
                pairs.renew(&self.tasks, host, &|task, slot| says.key_in(task, slot));
                Ok(())
            }
            Order::Each(each) => each.renew(&self.tasks, host, says),
        }
    }

    /// Pairs of a task and a host that were looked at.
    pub(crate) fn looked_at(&self) -> u64 {
        self.tasks.looked_at()
    }
}
