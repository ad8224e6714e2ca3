//! Records of a run: of tasks, measurements, forecasts, servers and queues.

use std::cell::{Cell, RefCell};

use tracing::{debug, trace};

use crate::agreement::Agreement;
use crate::collections::OrderedMap;
use crate::collections::ordered_map::Entry;
use crate::environment::Environment;
use crate::info::SeriesKey;
use crate::info::{ClientNumber, Path, ServerNumber};
use crate::kernel::stats::{BatchMeans, DurationTable, Quantiles, Table};
use crate::kernel::{SimDuration, SimTime, note_completion, note_over, now};
use crate::measure::cohort::Subject;
use crate::registry::definition::words;
use crate::regret::{DecisionRegret, RegretFigures};
use crate::transfer::PacketRun;

words! {
    /// Outcome of a task.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum TaskState {
        Completed = "completed", "its results are back";
        Rejected = "rejected", "no server was chosen for it, or none was in question, however often it tried";
        Unfinished = "unfinished", "the run ended before its results were back";
    }
}

words! {
    /// Reason for the rejection of a task.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum TaskRejection {
        TooFewProcessors = "too-few-processors", "rejected: it needs more processors at once than any server has";
        NoServerUp = "no-server-up", "rejected: no server with enough processors was up when it asked";
        ServersFailed = "servers-failed", "rejected: each server that was up had been given up for it before";
        NoneChosen = "none-chosen", "rejected: the scheduler chose none of the servers that were up";
    }
}

/// The instants of a task, of the attempt that counts; what did not happen is the end of time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CalledTask {
    /// The client.
    pub client: ClientNumber,
    /// Class, in the order of the client's.
    pub class: u32,
    /// The server; `u32::MAX` if there was none.
    pub server: ServerNumber,
    /// Number of times that it came back to the scheduler, late or failed.
    pub fallbacks: u32,
    /// Outcome.
    pub state: TaskState,
    /// Reason for the rejection of the task, if it was rejected.
    pub rejected: Option<TaskRejection>,
    /// Instant at which the client had it.
    pub issued: SimTime,
    /// Instant at which the scheduler had answered.
    pub decided: SimTime,
    /// Instant at which the last packet of its arguments had left.
    pub sent: SimTime,
    /// Instant at which all of them had arrived.
    pub queued: SimTime,
    /// Instant at which it began to be executed.
    pub started: SimTime,
    /// Instant at which it was executed.
    pub ended: SimTime,
    /// Instant at which its results were back.
    pub received: SimTime,
    /// Instant at which the client wanted them; the end of time if it did not say.
    pub deadline: SimTime,
    /// Predicted time on its server; not a number if there was no prediction \[s\].
    pub predicted: f64,
    /// Bytes of its arguments, and of its results.
    pub bytes: [f64; 2],
    /// Operations.
    pub instructions: f64,
    /// Processors of its server that it needs at once.
    pub processors: u32,
}

words! {
    /// Reason that a chosen server did not execute a task.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub enum GivenUp {
        Late = "late", "its arguments had arrived, and its results would have been back after the deadline";
        Failed = "failed", "the server failed";
    }
}

/// An attempt that brought no results, after which the task asked for another server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LostAttempt {
    /// The number of the task.
    pub task: u64,
    /// The server.
    pub server: ServerNumber,
    /// Reason that it was given up.
    pub reason: GivenUp,
    /// Instant at which the scheduler had answered.
    pub decided: SimTime,
    /// Instant at which all arguments had arrived.
    pub queued: SimTime,
    /// Instant at which it was given up.
    pub until: SimTime,
}

/// A packet of a client or of a probe that left a queue.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SentPacket {
    /// The number of its task; nothing for a probe.
    pub task: Option<u64>,
    /// The number of its queue.
    pub queue: u32,
    /// The packet.
    pub run: PacketRun,
}

/// A probe of a path that was sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbeRun {
    /// Path that it measured.
    pub path: Path,
    /// Instant at which its first packet entered the network.
    pub begun: SimTime,
    /// Instant at which its last packet had arrived, or at which it was lost.
    pub ended: SimTime,
    /// True if it was not back in time.
    pub is_lost: bool,
}

/// Time of a task by phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TimeSpent {
    /// Until the scheduler had answered.
    pub query: SimDuration,
    /// Until the arguments had arrived, those of attempts that were given up too.
    pub send: SimDuration,
    /// In the queues of servers.
    pub queue: SimDuration,
    /// In service.
    pub service: SimDuration,
    /// Until the results were back.
    pub receive: SimDuration,
}

/// A value that a monitor measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measurement {
    /// Instant at which it was written.
    pub time: SimTime,
    /// Of what.
    pub series: SeriesKey,
    /// The value.
    pub value: f64,
}

/// A value that was forecast, and what was measured then.
#[derive(Clone, PartialEq, Debug)]
pub struct Forecasted {
    /// Instant at which it was measured.
    pub time: SimTime,
    /// Of what.
    pub series: SeriesKey,
    /// The forecaster that was believed.
    pub forecaster: String,
    /// Forecast made before.
    pub forecast: f64,
    /// Measured value.
    pub actual: f64,
}

/// Errors of a forecaster on a series.
#[derive(Clone, PartialEq, Debug)]
pub struct ForecasterErrors {
    /// The series.
    pub series: SeriesKey,
    /// The forecaster.
    pub forecaster: String,
    /// Means of its squared and of its absolute errors: of all of its forecasts, or of the last.
    pub errors: [f64; 2],
}

/// Records to be kept of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a table of its own")]
pub struct Kept {
    /// Every task.
    pub tasks: bool,
    /// Every measurement.
    pub measurements: bool,
    /// Every forecast.
    pub forecasts: bool,
    /// Every packet of a client or of a probe.
    pub packets: bool,
    /// Regret of each decision.
    pub regret: bool,
    /// With that, the servers among which it was made.
    pub candidates: bool,
    /// Every probe.
    pub probes: bool,
    /// The instants at which each task came, was served and left.
    pub subjects: bool,
}

/// Figures of the tasks that are observed: issued after the warm-up, and completed.
#[derive(Clone, Debug, Default)]
pub struct TaskFigures {
    /// Times from issue to results \[s\].
    pub response: Table,
    /// The same in batches, in the order of completion.
    pub batches: BatchMeans,
    /// The same, for quantiles.
    pub quantiles: Quantiles,
    /// Response time over the time alone on the server that is fastest for the task.
    pub slowdown: Table,
    /// Times of the phases: query, send, queue, service, receive.
    pub spent: [DurationTable; 5],
    /// Cost of tasks.
    pub cost: f64,
    /// Tasks with a deadline that are over, and those of them that were back too late or never.
    pub with_deadline: [u64; 2],
    /// Deadlines of tasks that are not over, with how many have each.
    pub open_deadlines: OrderedMap<SimTime, u64>,
    /// Tasks issued, completed, rejected.
    pub counts: [u64; 3],
    /// Tasks rejected, by reason.
    pub rejections: [u64; TaskRejection::ALL.len()],
    /// Returns to the scheduler because of deadlines.
    pub fallbacks: u64,
    /// Attempts that failed with their servers.
    pub failures: u64,
    /// Completed by server.
    pub by_server: Vec<u64>,
    /// Regret of decisions, if that is kept.
    pub regret: RegretFigures,
}

/// Records that were kept, each in the order of time.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) tasks: Vec<CalledTask>,
    pub(super) lost: Vec<LostAttempt>,
    pub(super) packets: Vec<SentPacket>,
    pub(super) measurements: Vec<Measurement>,
    pub(super) forecasts: Vec<Forecasted>,
    pub(super) regrets: Vec<DecisionRegret>,
    pub(super) candidates: Vec<Vec<ServerNumber>>,
    pub(super) probes: Vec<ProbeRun>,
    pub(super) subjects: Vec<Subject>,
    pub(super) agreement: Option<Agreement>,
}

/// Writes down what happens.
#[derive(Debug)]
pub(crate) struct Recorder {
    kept: Kept,
    /// Instant at which observation begins.
    pub warm_up: SimTime,
    pub(super) figures: RefCell<TaskFigures>,
    tasks: RefCell<Vec<CalledTask>>,
    lost: RefCell<Vec<LostAttempt>>,
    packets: RefCell<Vec<SentPacket>>,
    measurements: RefCell<Vec<Measurement>>,
    forecasts: RefCell<Vec<Forecasted>>,
    regrets: RefCell<Vec<DecisionRegret>>,
    candidates: RefCell<Vec<Vec<ServerNumber>>>,
    probes: RefCell<Vec<ProbeRun>>,
    subjects: RefCell<Vec<Subject>>,
    agreement: RefCell<Option<Agreement>>,
    pub(super) lost_probes: RefCell<u64>,
    /// Tasks that were issued and are not over.
    open: Cell<u64>,
}

impl Recorder {
    /// Nothing has happened.
    pub(crate) fn new(kept: Kept, warm_up: SimTime, servers: usize) -> Self {
        let figures = TaskFigures { by_server: vec![0; servers], ..TaskFigures::default() };
        Recorder {
            kept,
            warm_up,
            figures: RefCell::new(figures),
            tasks: RefCell::default(),
            lost: RefCell::default(),
            packets: RefCell::default(),
            measurements: RefCell::default(),
            forecasts: RefCell::default(),
            regrets: RefCell::default(),
            candidates: RefCell::default(),
            probes: RefCell::default(),
            subjects: RefCell::default(),
            agreement: RefCell::default(),
            lost_probes: RefCell::default(),
            open: Cell::default(),
        }
    }

    /// The same, which compares measurements with the series that they replay.
    #[must_use]
    pub(crate) fn comparing(self, agreement: Option<Agreement>) -> Self {
        Recorder { agreement: RefCell::new(agreement), ..self }
    }

    /// A measurement that began at an instant had this value.
    pub(crate) fn replayed(&self, environment: &Environment, series: SeriesKey, began: SimTime, value: f64) {
        if let Some(agreement) = &mut *self.agreement.borrow_mut() {
            agreement.measured(environment, series, began, value);
        }
    }

    /// Returns true if forecasts are kept.
    pub(crate) fn wants_forecasts(&self) -> bool {
        self.kept.forecasts
    }

    /// Returns true if it is kept what decisions cost.
    pub(crate) fn wants_regret(&self) -> bool {
        self.kept.regret
    }

    /// A decision was made among servers, and what it cost is known.
    pub(crate) fn regretted(&self, decision: DecisionRegret, candidates: &[ServerNumber]) {
        if self.kept.candidates {
            self.candidates.borrow_mut().push(candidates.to_vec());
        }
        if decision.at >= self.warm_up {
            self.figures.borrow_mut().regret.add(&decision);
        }
        self.regrets.borrow_mut().push(decision);
    }

    /// A value was measured.
    pub(crate) fn measured(&self, measurement: Measurement) {
        if self.kept.measurements {
            self.measurements.borrow_mut().push(measurement);
        }
    }

    /// A forecast met its value.
    pub(crate) fn forecasted(&self, forecasted: Forecasted) {
        self.forecasts.borrow_mut().push(forecasted);
    }

    /// A task was issued; what is returned names it.
    pub(crate) fn issued(&self, run: CalledTask) -> usize {
        self.open.set(self.open.get() + 1);
        trace!(at = now().as_secs_f64(), client = run.client.0, "a task is issued");
        if run.issued >= self.warm_up {
            let figures = &mut *self.figures.borrow_mut();
            figures.counts[0] += 1;
            if run.deadline < SimTime::MAX {
                *figures.open_deadlines.entry(run.deadline).or_default() += 1;
            }
        }
        let mut place = 0;
        if self.kept.subjects {
            let mut subjects = self.subjects.borrow_mut();
            place = subjects.len();
            subjects.push(subject(&run, SimDuration::ZERO));
        }
        if self.kept.tasks {
            let mut tasks = self.tasks.borrow_mut();
            place = tasks.len();
            tasks.push(run);
        }
        place
    }

    /// A task went on: what is known of it by now.
    pub(crate) fn went_on(&self, place: usize, run: &CalledTask) {
        if self.kept.tasks {
            self.tasks.borrow_mut()[place] = *run;
        }
    }

    /// The number of tasks that were issued and are not over.
    pub(crate) fn open(&self) -> u64 {
        self.open.get()
    }

    /// A task was completed or rejected.
    pub(crate) fn over(
        &self,
        place: usize,
        run: &CalledTask,
        spent: &TimeSpent,
        (alone, cost): (SimDuration, f64),
    ) {
        note_completion();
        note_over(1);
        let (client, server) = (run.client.0, run.server.0);
        let since = run.issued.as_secs_f64();
        debug!(at = now().as_secs_f64(), client, since, server, "a task is {}", run.state.name());
        self.open.set(self.open.get() - 1);
        self.went_on(place, run);
        if self.kept.subjects {
            self.subjects.borrow_mut()[place] = subject(run, alone);
        }
        if run.issued < self.warm_up {
            return;
        }
        let figures = &mut *self.figures.borrow_mut();
        if run.deadline < SimTime::MAX {
            figures.with_deadline[0] += 1;
            figures.with_deadline[1] +=
                u64::from(run.state != TaskState::Completed || run.received > run.deadline);
            if let Entry::Occupied(mut open) = figures.open_deadlines.entry(run.deadline) {
                *open.get_mut() -= 1;
                if *open.get() == 0 {
                    open.remove();
                }
            }
        }
        if run.state != TaskState::Completed {
            figures.counts[2] += 1;
            if let Some(reason) = run.rejected {
                figures.rejections[reason as usize] += 1;
            }
            return;
        }
        figures.counts[1] += 1;
        figures.cost += cost;
        figures.by_server[run.server.index()] += 1;
        let response = run.received.since(run.issued).as_secs_f64();
        figures.response.record(response);
        figures.batches.record(response);
        figures.quantiles.record(response);
        // a task of nothing has none
        if !alone.is_zero() {
            figures.slowdown.record(response / alone.as_secs_f64());
        }
        let spent = [spent.query, spent.send, spent.queue, spent.service, spent.receive];
        figures.spent.iter_mut().zip(spent).for_each(|(table, span)| table.record(span));
    }

    /// Notes that a task came back to the scheduler: it was late, or its server failed.
    pub(crate) fn came_back(&self, issued: SimTime, attempt: LostAttempt) {
        if self.kept.tasks {
            self.lost.borrow_mut().push(attempt);
        }
        let has_failed = attempt.reason == GivenUp::Failed;
        if issued >= self.warm_up {
            let figures = &mut *self.figures.borrow_mut();
            if has_failed {
                figures.failures += 1;
            } else {
                figures.fallbacks += 1;
            }
        }
    }

    /// A packet left a queue.
    #[inline]
    pub(crate) fn packet(&self, packet: SentPacket) {
        if self.kept.packets {
            self.packets.borrow_mut().push(packet);
        }
    }

    /// A probe was back, or was not in time.
    pub(crate) fn probed(&self, probe: ProbeRun) {
        *self.lost_probes.borrow_mut() += u64::from(probe.is_lost);
        if self.kept.probes {
            self.probes.borrow_mut().push(probe);
        }
    }
}

/// A task as statistics see it: asks for its operations, and starts so late that, alone from then
/// on, it would be back as it is [s]. A rejected task asks for nothing.
fn subject(run: &CalledTask, alone: SimDuration) -> Subject {
    let done = run.state == TaskState::Completed;
    let end = match run.state {
        TaskState::Completed => Some(run.received),
        TaskState::Rejected => Some(run.decided),
        TaskState::Unfinished => None,
    };
    let area = if run.state == TaskState::Rejected { 0.0 } else { run.instructions };
    let completed = done.then_some(run.received);
    Subject { end, class: run.class as u16, ..Subject::shared(run.issued, completed, alone, area) }
}

impl Recorder {
    pub(super) fn take(&self) -> Written {
        Written {
            tasks: self.tasks.take(),
            lost: self.lost.take(),
            packets: self.packets.take(),
            measurements: self.measurements.take(),
            forecasts: self.forecasts.take(),
            regrets: self.regrets.take(),
            candidates: self.candidates.take(),
            probes: self.probes.take(),
            subjects: self.subjects.take(),
            agreement: self.agreement.take(),
        }
    }
}
