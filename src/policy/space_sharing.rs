//! Space sharing: a job has its processors to itself, from its start to its end.
//!
//! Once an instant that brought news, jobs are started as the queue discipline says, while it names one; then the
//! backfilling rule says which jobs may overtake a head that does not fit (MODELS 2.2). With `queue = "fcfs"` and
//! `backfill = "none"` this is plain first come, first served; with `"easy"` it is EASY. The reservation of EASY goes to
//! whoever is the head when it is made: under `sjf`, a shorter job that arrives later takes the head's place, and its
//! reservation with it. With `"conservative"` every job has a reservation, in the order in which the queue was when it came,
//! and the rule decides about all starts. Disciplines that start whatever fits leave backfilling nothing to do, nor could it
//! keep a promise under them, so the two together are refused.
//!
//! `estimates` tells how long jobs are taken to run, by the queue and by backfilling alike. `queues` are limits that hold jobs
//! back or reject them. `decide` is for comparing with programs that decide after every event of an instant.
//!
//! | like | is |
//! |---|---|
//! | EASY++ (Tsafrir, Etsion, Feitelson 2007) | `estimates = "last-two"`, `backfill = "easy-sjbf"`; the preset `easy-plus-plus` |
//! | CQSim, EASY | `decide = "event"`, `backfill = { kind = "easy", judged-by = "run-time" }` |
//! | AccaSim 1.1.3, EASY | `backfill = { kind = "easy", reservation = "kept", extra = "all" }`; a head on an idle machine waits there for the next submission |

use async_trait::async_trait;

use crate::batch::allocation::Allocation;
use crate::batch::backfill::Backfill;
use crate::batch::estimate::Estimates;
use crate::batch::limits::{self, Limits};
use crate::batch::molding::{Molding, When};
use crate::batch::queue::Discipline;
use crate::registry::{Complaint, Entry, Key, Kind, Node, Params, Preset};

use super::molding::{self, MOLDING};
use super::scheduler::Desk;
use super::{FrontEnd, News, Policy, PolicyError, QUEUE};

pub(super) const ENTRY: Entry<dyn Policy> = Entry {
    name: "space-sharing",
    about: "jobs have their processors to themselves and start in queue order, others overtaking by rule",
    source: "D. A. Lifka, JSSPP 1995; A. W. Mu'alem and D. G. Feitelson, IEEE TPDS 12(6), 2001; \
             queues: ClusterSchedSim, SIMULATION 80(4-5), 2004",
    keys: &[
        QUEUE,
        Key::new("backfill", Kind::Component("backfill"))
            .or("easy")
            .about("which jobs may overtake others that wait, and what these are promised"),
        Key::new("estimates", Kind::Component("estimate"))
            .or("requested")
            .about("how long jobs are taken to run"),
        limits::KEY,
        MOLDING,
        Key::new(
            "decide",
            Kind::Choice(&[
                ("instant", "once an instant, when everything that happens in it has happened"),
                ("event", "after each end and each submission of an instant, ends first, as CQSim does"),
            ]),
        )
        .or("instant")
        .about("when it is decided who starts"),
        Key::new("allocation", Kind::Component("allocation"))
            .or("lowest-first")
            .about("which of the free processors a job gets"),
    ],
    build: |params| {
        let discipline: Box<dyn Discipline> = params.component("queue", "queue")?;
        let backfill: Box<dyn Backfill> = params.component("backfill", "backfill")?;
        if discipline.overtakes() && backfill.overtakes() {
            return Err(nothing_to_backfill(params));
        }
        let parts = Parts {
            discipline,
            backfill,
            allocation: params.component("allocation", "allocation")?,
            estimates: params.component("estimates", "estimate")?,
            limits: limits::read(params)?,
            molding: molding::read(params)?,
        };
        molding::fits(params, &parts)?;
        Ok(Box::new(SpaceSharing {
            parts: Some(parts),
            decide: params.pick("decide", &[("instant", Decide::Instant), ("event", Decide::Event)])?,
        }))
    },
};

/// The published disciplines and rules of backfilling as policies of their own names.
pub(super) const PRESETS: &[Preset] = &[
    Preset {
        name: "best-fit",
        about: "space sharing; of the jobs that fit, the one that leaves fewest processors free starts",
        kind: "space-sharing",
        set: &[("queue", "best-fit"), ("backfill", "none")],
    },
    Preset {
        name: "conservative",
        about: "space sharing, first come first served with conservative backfilling: every job has a reservation",
        kind: "space-sharing",
        set: &[("backfill", "conservative")],
    },
    Preset {
        name: "easy",
        about: "space sharing, first come first served with EASY backfilling",
        kind: "space-sharing",
        set: &[("backfill", "easy")],
    },
    Preset {
        name: "easy-plus-plus",
        about: "EASY++: EASY by corrected predictions from the user's last two run times, the shortest job overtaking first",
        kind: "space-sharing",
        set: &[("backfill", "easy-sjbf"), ("estimates", "last-two")],
    },
    Preset {
        name: "fcfs",
        about: "space sharing, first come first served; nothing overtakes",
        kind: "space-sharing",
        set: &[("backfill", "none")],
    },
    Preset {
        name: "first-fit",
        about: "space sharing; the earliest job that fits starts, whoever waits before it",
        kind: "space-sharing",
        set: &[("queue", "first-fit"), ("backfill", "none")],
    },
    Preset {
        name: "largest",
        about: "space sharing, the job that needs most processors first; nothing overtakes",
        kind: "space-sharing",
        set: &[("queue", "largest"), ("backfill", "none")],
    },
    Preset {
        name: "sjf",
        about: "space sharing, shortest job first by estimates; nothing overtakes",
        kind: "space-sharing",
        set: &[("queue", "sjf"), ("backfill", "none")],
    },
    Preset {
        name: "smallest",
        about: "space sharing, the job that needs fewest processors first; nothing overtakes",
        kind: "space-sharing",
        set: &[("queue", "smallest"), ("backfill", "none")],
    },
    Preset {
        name: "worst-fit",
        about: "space sharing; of the jobs that fit, the one that leaves most processors free starts",
        kind: "space-sharing",
        set: &[("queue", "worst-fit"), ("backfill", "none")],
    },
];

fn nothing_to_backfill(params: &Params<'_>) -> Complaint {
    let kind = |key| params.tree().at(key).and_then(Node::as_text).unwrap_or_default();
    let (queue, backfill) = (kind("queue.kind"), kind("backfill.kind"));
    let message =
        format!("queue `{queue}` starts every job that fits, so backfill `{backfill}` has none to start");
    let complaint = params.complaint("backfill", message).label("expected \"none\"");
    complaint.help("write backfill = \"none\"").note("the queue is here", Some(params.span("queue")))
}

/// When it is decided who starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Decide {
    Instant,
    Event,
}

/// What the decisions are made by.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) discipline: Box<dyn Discipline>,
    pub(super) backfill: Box<dyn Backfill>,
    pub(super) allocation: Box<dyn Allocation>,
    pub(super) estimates: Box<dyn Estimates>,
    pub(super) limits: Limits,
    pub(super) molding: Box<dyn Molding>,
}

#[derive(Debug)]
struct SpaceSharing {
    /// Until the run begins.
    parts: Option<Parts>,
    decide: Decide,
}

#[async_trait(?Send)]
impl Policy for SpaceSharing {
    fn name(&self) -> &'static str {
        "space-sharing"
    }

    fn unfit_for_resources(&self) -> Option<&'static str> {
        let rule = self.parts.as_ref().and_then(|parts| parts.backfill.on_nodes());
        rule.is_none().then_some("has a rule of backfilling that counts processors: only `none` and `easy` with its defaults know nodes")
    }

    fn unfit_for_failures(&self) -> Option<&'static str> {
        let by_event = self.decide == Decide::Event;
        by_event.then_some(
            "decides after each event, as `decide` says, and then does not know of nodes that fail",
        )
    }

    fn molds(&self) -> bool {
        self.parts.as_ref().is_some_and(|parts| parts.molding.when() != When::Never)
    }

    fn unfit_for_reservations(&self) -> Option<&'static str> {
        if self.decide == Decide::Event {
            return Some(
                "decides after each event, as `decide` says, and then does not know of reservations of processors",
            );
        }
        let plans = self.parts.as_ref().is_some_and(|parts| parts.backfill.plans_around());
        (!plans).then_some(
            "has a rule of backfilling that does not plan around reservations of processors: `none`, `conservative`, and `easy` without \
             `extra`, `judged-by` and `reservation` do",
        )
    }

    async fn run(&mut self, mut front: FrontEnd) -> Result<(), PolicyError> {
        let Some(parts) = self.parts.take() else { return Ok(()) };
        let mut desk = Desk::new(front.clone(), parts);
        loop {
            let news = match desk.wakes() {
                None => front.news().await,
                Some(at) => front.news_until(at).await,
            };
            let Some(news) = news else { break };
            match self.decide {
                Decide::Instant => {
                    news.departed.into_iter().for_each(|id| desk.departs(id));
                    news.withdrawn.into_iter().for_each(|id| desk.withdraws(id));
                    news.interrupted.iter().for_each(|one| desk.interrupted(one));
                    if !(news.failed.is_empty() && news.repaired.is_empty() && news.announced.is_empty()) {
                        desk.counts_anew();
                    }
                    desk.returns(news.returned);
                    news.arrived.into_iter().try_for_each(|id| desk.arrives(id))?;
                    desk.decide()?;
                }
                Decide::Event => one_by_one(&mut desk, news)?,
            }
        }
        desk.close();
        Ok(())
    }
}

/// Decides after each event; the processors of jobs whose ends are still to be told count as held.
fn one_by_one(desk: &mut Desk, news: News) -> Result<(), PolicyError> {
    desk.hide(&news.departed);
    let quiet = news.departed.is_empty() && news.arrived.is_empty();
    // who is cancelled at this instant is not started at it
    news.withdrawn.into_iter().for_each(|id| desk.withdraws(id));
    for id in news.departed {
        desk.reveal(id);
        desk.departs(id);
        desk.decide()?;
    }
    for id in news.arrived {
        desk.arrives(id)?;
        desk.decide()?;
    }
    if quiet { desk.decide() } else { Ok(()) }
}
