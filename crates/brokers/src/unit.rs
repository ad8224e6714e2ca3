//! The scheduling unit: what is known and predicted, and who gets a task (HPDC 1999, section 3.2).
//!
//! Its four parts can each be replaced: monitors, the database, the predictor, the scheduler. At an
//! instant, monitors write first; then the scheduler answers all that was asked, in order, so that
//! it sees what was written at that instant.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::call::Call;
use crate::collections::OrderedSet;
use crate::decision::Decision;
use crate::environment::Environment;
use crate::forecast::Forecast;
use crate::info::SeriesKey;
use crate::info::{NetworkInfo, Path, ServerInfo, ServerNumber};
use crate::kernel::rng::Stream;
use crate::kernel::{Mailbox, Signal, now, settle};
use crate::knowledge::Knowledge;
use crate::record::{Forecasted, ForecasterErrors, Measurement, Recorder, TaskRejection};
use crate::regret::DecisionRegret;
use crate::retry::GivenUpServers;
use crate::scheduler::{BrokerScheduler, SchedulerTerms, in_time};
use crate::view::{ServerSelection, View};

/// A client that asks, and the answer.
#[derive(Debug)]
struct ServerRequest {
    call: Call,
    given_up: GivenUpServers,
    answered: Signal,
    answer: RefCell<Answer>,
}

/// Answer to a client.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Answer {
    /// The servers that get the task, the best first.
    pub servers: ServerSelection,
    /// True if there was a server among which to choose.
    pub has_candidates: bool,
    /// True if only servers were left that the task had given up because of its deadline, so that
    /// it tries them again.
    pub all_were_tried: bool,
    /// Time that the task is predicted to take on the first \[s\].
    pub predicted: Option<f64>,
    /// Reason for which there is no server.
    pub rejected: Option<TaskRejection>,
}

/// Reason for which a task of a view gets none of these candidates.
fn why_none(view: &mut View<'_>, candidates: &[ServerNumber]) -> TaskRejection {
    let (environment, needed) = (view.environment, view.call.processors);
    let able = |server: &ServerNumber| environment.server(*server).processors >= needed;
    let mut able = environment.server_numbers().filter(able).peekable();
    if !candidates.is_empty() {
        TaskRejection::NoneChosen
    } else if able.peek().is_none() {
        TaskRejection::TooFewProcessors
    } else if able.any(|server| view.server(server).is_up) {
        TaskRejection::ServersFailed
    } else {
        TaskRejection::NoServerUp
    }
}

/// A decision that is taken otherwise than its scheduler says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForcedDecision {
    /// Place of the decision among those in which a server was chosen, from 0.
    pub place: u64,
    /// The server that gets the task.
    pub server: ServerNumber,
}

/// The scheduling unit.
#[derive(Debug)]
pub(crate) struct SchedulingUnit {
    environment: Rc<Environment>,
    knowledge: RefCell<Knowledge>,
    scheduler: RefCell<Box<dyn BrokerScheduler>>,
    stream: RefCell<Stream>,
    requests: Mailbox<Rc<ServerRequest>>,
    recorder: Rc<Recorder>,
    /// Terms that hold for any scheduler.
    pub terms: SchedulerTerms,
    asked: Cell<u64>,
    /// The task whose decisions are to be explained.
    explained: Option<u64>,
    decisions: RefCell<Vec<Decision>>,
    forced: Cell<Option<ForcedDecision>>,
    /// Decisions so far in which a server was chosen.
    chosen: Cell<u64>,
}

impl SchedulingUnit {
    /// A unit that knows nothing yet.
    pub(crate) fn new(
        environment: Rc<Environment>,
        knowledge: Knowledge,
        scheduler: Box<dyn BrokerScheduler>,
        (terms, stream): (SchedulerTerms, Stream),
        recorder: Rc<Recorder>,
        explained: Option<u64>,
    ) -> Rc<Self> {
        Rc::new(SchedulingUnit {
            environment,
            knowledge: RefCell::new(knowledge),
            scheduler: RefCell::new(scheduler),
            stream: RefCell::new(stream),
            requests: Mailbox::new("requests"),
            recorder,
            terms,
            asked: Cell::new(0),
            explained,
            decisions: RefCell::default(),
            forced: Cell::default(),
            chosen: Cell::new(0),
        })
    }

    /// One decision is taken otherwise than the scheduler says.
    pub(crate) fn force(&self, decision: Option<ForcedDecision>) {
        self.forced.set(decision);
    }

    /// The answer of the scheduler, or that which it is to have given.
    fn answered(&self, mut servers: ServerSelection) -> ServerSelection {
        if !servers.is_empty() {
            let place = self.chosen.get();
            self.chosen.set(place + 1);
            if let Some(forced) = self.forced.get().filter(|forced| forced.place == place) {
                servers.retain(|server| *server != forced.server);
                servers.insert(0, forced.server);
            }
        }
        servers
    }

    /// Asks for a server for a task that has given up some; (1) and (6) of a client.
    pub(crate) async fn ask(&self, call: Call, given_up: &GivenUpServers) -> Answer {
        self.asked.set(self.asked.get() + 1);
        let (answered, answer) = (Signal::new("the scheduler"), RefCell::default());
        let request = Rc::new(ServerRequest { call, given_up: given_up.clone(), answered, answer });
        self.requests.send(Rc::clone(&request));
        request.answered.wait().await;
        request.answer.take()
    }

    /// Answers requests: (2) to (6).
    pub(crate) async fn schedule(self: Rc<Self>) {
        loop {
            let mut next = Some(self.requests.receive().await);
            settle().await;
            while let Some(request) = next {
                *request.answer.borrow_mut() = self.select(&request.call, &request.given_up);
                request.answered.set();
                next = self.requests.try_receive();
            }
        }
    }

    /// (2) which servers there are, (3) to (5) what is predicted of them, and who is chosen.
    fn select(&self, call: &Call, given_up: &GivenUpServers) -> Answer {
        let environment = &self.environment;
        let knowledge = &mut *self.knowledge.borrow_mut();
        let mut given_up = given_up.clone();
        let mut candidates = candidates(environment, knowledge, call, &given_up);
        let all_were_tried = candidates.is_empty() && given_up.all_were_tried();
        if all_were_tried {
            candidates = self::candidates(environment, knowledge, call, &given_up);
        }
        let is_explained = self.explained == Some(call.task);
        let mut stream = self.stream.borrow_mut();
        let mut view = View {
            now: now(),
            call: *call,
            candidates: &candidates,
            knowledge,
            environment,
            stream: &mut stream,
            wanted: self.terms.wanted,
            corrects_load: self.terms.corrects_load,
            scores: is_explained.then(Vec::new),
        };
        let mut in_time_only = Vec::new();
        if let Some(opt) = self.terms.opt {
            for server in &candidates {
                let time = view.estimate(*server).total();
                if in_time(&view, time, opt) {
                    in_time_only.push(*server);
                }
            }
            if !in_time_only.is_empty() {
                view.candidates = &in_time_only;
            }
        }
        let has_candidates = !candidates.is_empty();
        let mut servers = ServerSelection::new();
        if has_candidates {
            servers = self.answered(self.scheduler.borrow_mut().select(&mut view));
        }
        let predicted = servers.first().map(|first| view.estimate(*first).total());
        if self.recorder.wants_regret()
            && let Some(first) = servers.first()
        {
            let decision = DecisionRegret::of(&mut view, &candidates, *first);
            self.recorder.regretted(decision, &candidates);
        }
        if is_explained {
            let left_out = candidates.iter().filter(|server| !view.candidates.contains(server));
            let left_out = left_out.copied().collect();
            let out_of_question: Vec<ServerNumber> =
                given_up.servers().filter(|server| !candidates.contains(server)).collect();
            self.decisions.borrow_mut().push(Decision::of(&mut view, (&out_of_question, left_out), &servers));
        }
        let rejected = servers.is_empty().then(|| why_none(&mut view, &candidates));
        servers.truncate(self.terms.wanted);
        Answer { servers, has_candidates, all_were_tried, predicted, rejected }
    }

    /// A task is sent to a server.
    pub(crate) fn sent(&self, server: ServerNumber) {
        self.knowledge.borrow_mut().send(server);
    }

    /// Time that a task that has arrived at a server is predicted to take from there: service and
    /// results \[s\].
    pub(crate) fn rest(&self, call: &Call, server: ServerNumber) -> f64 {
        let mut view = View {
            now: now(),
            call: *call,
            candidates: &[],
            knowledge: &mut self.knowledge.borrow_mut(),
            environment: &self.environment,
            stream: &mut self.stream.borrow_mut(),
            wanted: 1,
            // the task itself was sent there
            corrects_load: false,
            scores: None,
        };
        view.rest(server)
    }

    /// A path was measured: (0a).
    pub(crate) fn measured_network(&self, path: Path, info: NetworkInfo) {
        let knowledge = &mut *self.knowledge.borrow_mut();
        let of = [(SeriesKey::Bandwidth(path), info.bandwidth), (SeriesKey::Latency(path), info.latency)];
        self.record(knowledge, &of);
        knowledge.put_network(path, info, &self.environment);
    }

    /// A server was measured: (0b).
    pub(crate) fn measured_server(&self, server: ServerNumber, info: ServerInfo) {
        let knowledge = &mut *self.knowledge.borrow_mut();
        let of = [(SeriesKey::Load(server), info.load), (SeriesKey::Availability(server), info.availability)];
        self.record(knowledge, &of);
        knowledge.put_server(server, info);
    }

    /// Records what was measured, and what had been forecast.
    fn record(&self, knowledge: &Knowledge, of: &[(SeriesKey, f64)]) {
        for (series, value) in of {
            self.recorder.measured(Measurement { time: now(), series: *series, value: *value });
            if self.recorder.wants_forecasts()
                && let Some(Forecast { name, value: forecast, .. }) = knowledge.predictor.forecast(*series)
            {
                let forecaster = name.to_owned();
                let (time, series, actual) = (now(), *series, *value);
                self.recorder.forecasted(Forecasted { time, series, forecaster, forecast, actual });
            }
        }
    }

    /// Errors of every forecaster on these series so far.
    pub(crate) fn forecasters(&self, series: &OrderedSet<SeriesKey>) -> Vec<ForecasterErrors> {
        let knowledge = self.knowledge.borrow();
        let of_series = |series: &SeriesKey| {
            let of_one = |found: Forecast<'_>| ForecasterErrors {
                series: *series,
                forecaster: found.name.to_owned(),
                errors: [found.mse, found.mae],
            };
            knowledge.predictor.forecasters(*series).into_iter().map(of_one).collect::<Vec<_>>()
        };
        series.iter().flat_map(of_series).collect()
    }

    /// The run is over.
    pub(crate) fn finish(&self) {
        self.knowledge.borrow_mut().db.finish();
    }

    /// The decisions that were to be explained, in order.
    pub(crate) fn decisions(&self) -> Vec<Decision> {
        self.decisions.take()
    }

    /// Number of times that the scheduler was asked.
    pub(crate) fn asked(&self) -> u64 {
        self.asked.get()
    }
}

/// Servers that may have a task: wide enough, not known to be down, and not out of question as it
/// has given them up.
fn candidates(
    environment: &Environment,
    knowledge: &mut Knowledge,
    call: &Call,
    given_up: &GivenUpServers,
) -> Vec<ServerNumber> {
    let mut candidates = Vec::with_capacity(environment.servers.len());
    for server in environment.server_numbers() {
        let has_processors = environment.can_execute(server, call);
        let is_up = knowledge.server(now(), server, environment).is_up;
        if has_processors && is_up && !given_up.excludes(server, knowledge.found_up(server)) {
            candidates.push(server);
        }
    }
    candidates
}
