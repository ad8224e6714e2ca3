//! Schedulers that wait and watch: async processes that place one task after another as the run
//! goes on.
//!
//! Such a scheduler is a process of the kernel. It waits for news of a closed instant, asks which
//! tasks are ready and which cores are idle, and places tasks; it may hold, wait on timers of its
//! own, and race them with news. What it places is sent and computed at once.
//!
//! A task of several cores is taken by an idle core of a host on which as many are idle. Where
//! there is no such host it is taken all the same: it keeps the idle cores of the host idle, until
//! as many are free of those that are predicted to be free first. So none waits for ever behind
//! tasks of one core, and cores are idle meanwhile.

use std::fmt;
use std::rc::Rc;

use crate::error::{CannotPlan, Unlawful};
use crate::execution::Dispatcher;
use crate::kernel::stream;
use crate::model::grid::Core;
use crate::output::number::grouped;
use crate::planning::plan::TaskPlan;
use crate::planning::ranks::KeptRanks;
use crate::planning::view::View;
use crate::registry::{Entry, Key, Kind};
use crate::scheduler::{Scheduler, async_trait};
use crate::workflow::TaskNumber;

/// A rule that places tasks as the run goes on.
#[async_trait(?Send)]
pub trait DynamicScheduler: fmt::Debug {
    /// Returns true if it draws random numbers.
    fn draws(&self) -> bool {
        false
    }

    /// Runs until [`Dispatcher::news`] says that every task has ended.
    ///
    /// # Errors
    /// A placement that is refused. To return while tasks wait is an error of the run.
    async fn run(&self, dispatcher: Dispatcher) -> Result<(), Unlawful>;
}

/// A dynamic scheduler among those that plan.
#[derive(Debug)]
pub struct Dynamic(pub Rc<dyn DynamicScheduler>);

impl Scheduler for Dynamic {
    fn plan(&self, _: &View<'_>) -> Result<TaskPlan, CannotPlan> {
        Err(CannotPlan::Own("it places tasks as the run goes on, and plans none".to_owned()))
    }

    fn draws(&self) -> bool {
        self.0.draws()
    }

    fn dynamic(&self) -> Option<Rc<dyn DynamicScheduler>> {
        Some(Rc::clone(&self.0))
    }
}

/// Order in which ready tasks have their turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadyOrder {
    /// The first in the file.
    File,
    /// The one of the greatest upward rank.
    Rank,
    /// A random one.
    Random,
}

/// Whenever a core is idle, it takes a ready task; data are sent then.
#[derive(Clone, Copy, Debug)]
pub struct SelfScheduling {
    /// Order of the ready tasks.
    pub order: ReadyOrder,
}

pub(super) const SELF_SCHEDULING: Entry<dyn Scheduler> = Entry::new(
    "self-scheduling",
    "no plan: whenever a core is idle, it takes a ready task, whose data are sent then",
    &[Key::new(
        "order",
        Kind::Choice(&[
            ("file", "the first in the file"),
            ("rank", "that of the greatest upward rank"),
            ("random", "a random one"),
        ]),
    )
    .or("file")
    .about("which of the ready tasks is taken")],
    |params| {
        let orders = [("file", ReadyOrder::File), ("rank", ReadyOrder::Rank), ("random", ReadyOrder::Random)];
        let order = params.pick("order", &orders)?;
        Ok(Box::new(Dynamic(Rc::new(SelfScheduling { order }))))
    },
);

/// Returns true if an idle core may take a task: one of several cores if there is room for it on
/// the host, or on no host that can have it; by the number of idle cores of each host.
fn takes(dispatcher: &Dispatcher, room: &[u32], task: TaskNumber, core: Core) -> bool {
    let width = dispatcher.width(task);
    let has_room = |core: Core| room[dispatcher.host_of(core).index()] >= width;
    let can_start = |core: Core| has_room(core) && dispatcher.can_have(task, core);
    dispatcher.can_have(task, core)
        && (width == 1 || has_room(core) || !dispatcher.places(task).into_iter().any(can_start))
}

#[async_trait(?Send)]
impl DynamicScheduler for SelfScheduling {
    fn draws(&self) -> bool {
        self.order == ReadyOrder::Random
    }

    async fn run(&self, dispatcher: Dispatcher) -> Result<(), Unlawful> {
        let mut ranks = KeptRanks::default();
        let mut random = (self.order == ReadyOrder::Random).then(|| stream("scheduler/self-scheduling"));
        while dispatcher.news().await {
            let rank = match self.order {
                ReadyOrder::Rank => dispatcher.view(|view| ranks.upward(view)),
                ReadyOrder::File | ReadyOrder::Random => &[],
            };
            for core in dispatcher.idle() {
                if !dispatcher.is_idle(core) {
                    // a task of several cores holds it by now
                    continue;
                }
                let room = dispatcher.room();
                let takes = |task: &TaskNumber| takes(&dispatcher, &room, *task, core);
                let mut able: Vec<TaskNumber> = dispatcher.ready().into_iter().filter(takes).collect();
                let able_count = able.len() as u64;
                let taken = match (&mut random, able.len()) {
                    (_, 0) => continue,
                    (Some(random), count) => able.swap_remove(random.below(count as u64) as usize),
                    (None, _) if rank.is_empty() => able[0],
                    (None, _) => {
                        let of = |task: &TaskNumber| rank[task.index()];
                        // of equal ranks the lower number
                        able.into_iter()
                            .rev()
                            .max_by(|one, other| of(one).total_cmp(&of(other)))
                            .expect("one is ready")
                    }
                };
                dispatcher.explain(taken, || {
                    let what = match self.order {
                        ReadyOrder::File => "the first in the file",
                        ReadyOrder::Rank => "of the greatest upward rank",
                        ReadyOrder::Random => "drawn",
                    };
                    format!(
                        "The core was idle; of {} ready tasks that it can have this one is {what}",
                        grouped(able_count)
                    )
                });
                dispatcher.place(taken, core)?;
            }
        }
        Ok(())
    }
}
