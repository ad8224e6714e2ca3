//! Outcomes of a run.

use crate::agreement::Agreement;
use crate::decision::Decision;
use crate::info::ServerNumber;
use crate::kernel::stats::{BatchMeans, DurationTable, WarmUp};
use crate::kernel::{Digest, SimDuration, SimTime};
use crate::measure::cohort::{Cohort, Subject};
use crate::record::{
    CalledTask, Forecasted, ForecasterErrors, LostAttempt, Measurement, ProbeRun, SentPacket, TaskFigures,
};
use crate::regret::DecisionRegret;
use crate::station::Usage;

/// Outcome of a queue.
#[derive(Clone, Debug)]
pub struct QueueOutcome {
    /// Number.
    pub number: u32,
    /// Name.
    pub name: String,
    /// Service by kind of traffic.
    pub usage: Usage,
    /// Times that packets of tasks spent in it.
    pub delays: DurationTable,
}

/// Outcome of a server.
#[derive(Clone, Debug)]
pub struct ServerOutcome {
    /// Name.
    pub name: String,
    /// Operations per second of a processor.
    pub performance: f64,
    /// Processors.
    pub processors: u32,
    /// Service by kind of traffic.
    pub usage: Usage,
    /// Tasks that it completed, of those observed.
    pub completed: u64,
    /// True if Little's law holds on it, as it must.
    pub identity_holds: bool,
}

/// Outcome of a run.
#[derive(Debug)]
pub struct BrokerOutcomes {
    /// Every task in the order of issue, if they are kept.
    pub tasks: Vec<CalledTask>,
    /// Attempts that brought no results, in the order in which they were given up, if tasks are
    /// kept.
    pub lost: Vec<LostAttempt>,
    /// Every packet of a client or of a probe, in the order in which they left, if they are kept.
    pub packets: Vec<SentPacket>,
    /// Every measurement in the order of time, if they are kept.
    pub measurements: Vec<Measurement>,
    /// Every forecast in the order of time, if they are kept.
    pub forecasts: Vec<Forecasted>,
    /// Errors of every forecaster on the series that were forecast, in the order of series and of
    /// the battery, if forecasts are kept.
    pub forecasters: Vec<ForecasterErrors>,
    /// Regret of every decision, in the order of time, if that is kept.
    pub regrets: Vec<DecisionRegret>,
    /// The servers among which each was made, if they are kept.
    pub candidates: Vec<Vec<ServerNumber>>,
    /// Every probe, in the order in which they ended, if they are kept.
    pub probes: Vec<ProbeRun>,
    /// Agreement of measurements with the series that they replay, if that was asked.
    pub agreement: Option<Agreement>,
    /// Dialogues with foreign programs, by the part that each replaces, if they are kept.
    pub transcripts: Vec<(&'static str, String)>,
    /// Figures of the tasks observed.
    pub figures: TaskFigures,
    /// The tasks in the order of issue, if they were wanted; their work is operations.
    pub subjects: Vec<Subject>,
    /// Operations that all servers do in a second.
    pub capacity: f64,
    /// Queues that something went through.
    pub queues: Vec<QueueOutcome>,
    /// All servers.
    pub servers: Vec<ServerOutcome>,
    /// Names of clients.
    pub clients: Vec<String>,
    /// Probes that were not back in time.
    pub lost_probes: u64,
    /// Tasks that were issued, and those of them that the warm-up left out.
    pub issued: u64,
    /// Tasks that the warm-up left out.
    pub left_out: u64,
    /// Number of times that the scheduler was asked.
    pub asked: u64,
    /// The decisions of the task that was to be explained.
    pub decisions: Vec<Decision>,
    /// Instant at which the run ended.
    pub ended: SimTime,
    /// Instant at which observation began.
    pub warm_up: SimTime,
    /// Events of the run.
    pub events: u64,
    /// Digest of the run.
    pub digest: Digest,
}

impl BrokerOutcomes {
    /// Length of the observation.
    pub fn window(&self) -> SimDuration {
        self.ended.since(self.warm_up)
    }

    /// Tasks with a deadline of which it is decided whether they met it, and those that did not.
    pub fn deadlines(&self) -> [u64; 2] {
        let missed: u64 = self.figures.open_deadlines.range(..self.ended).map(|(_, count)| count).sum();
        self.figures.with_deadline.map(|count| count + missed)
    }
}

/// The tasks in the order of issue; batches of their response times are filled in the order of
/// completion, during the run, as a study keeps no tasks.
impl Cohort for BrokerOutcomes {
    fn capacity(&self) -> Option<f64> {
        Some(self.capacity)
    }

    fn each(&self, see: &mut dyn FnMut(&Subject)) {
        self.subjects.iter().for_each(see);
    }

    fn means(&self) -> &'static [&'static str] {
        &["response-time.mean"]
    }

    fn batches(&self, _: WarmUp) -> Vec<BatchMeans> {
        vec![self.figures.batches.clone()]
    }
}
