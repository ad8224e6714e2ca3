//! View of a scheduler: the task, the servers that may have it, and the predictions for them.

use std::cmp::Ordering;

use smallvec::SmallVec;

use crate::call::Call;
use crate::collections::StableSort as _;
use crate::completion::{Completion, Foresight, TransferFigures};
use crate::environment::Environment;
use crate::info::{NetworkInfo, Path, PathDirection, ServerInfo, ServerNumber};
use crate::kernel::SimTime;
use crate::kernel::rng::Stream;
use crate::knowledge::Knowledge;

/// Servers for a task, the best first.
pub type ServerSelection = SmallVec<[ServerNumber; 2]>;

/// So many servers as are `wanted` of those that have keys, in the order of `compare`; of equals
/// the first.
pub(super) fn foremost<K>(
    mut all: Vec<(K, ServerNumber)>,
    wanted: usize,
    mut compare: impl FnMut(&K, &K) -> Ordering,
) -> ServerSelection {
    if wanted <= 1 {
        let first = all.into_iter().min_by(|(one, _), (other, _)| compare(one, other));
        return first.map(|(_, server)| server).into_iter().collect();
    }
    all.stable_sort_by(|(one, _), (other, _)| compare(one, other));
    all.into_iter().map(|(_, server)| server).take(wanted).collect()
}

/// Time that a task is predicted to take on a server \[s\].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PredictedTimes {
    /// To send its arguments.
    pub send: f64,
    /// In the queue and in service.
    pub service: f64,
    /// To receive its results.
    pub receive: f64,
}

impl PredictedTimes {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.send + self.service + self.receive
    }
}

/// The answers of the scheduling unit to a scheduler, at one instant.
#[derive(Debug)]
pub struct View<'a> {
    /// The instant.
    pub now: SimTime,
    /// The task.
    pub call: Call,
    pub(super) candidates: &'a [ServerNumber],
    pub(super) knowledge: &'a mut Knowledge,
    pub(super) environment: &'a Environment,
    pub(super) stream: &'a mut Stream,
    /// Number of servers that get the task.
    pub(super) wanted: usize,
    /// True if tasks that were sent since a server was last measured count as its load.
    pub(super) corrects_load: bool,
    /// The scores of servers, where the decision is to be explained.
    pub(super) scores: Option<Vec<(ServerNumber, f64)>>,
}

impl View<'_> {
    /// The servers that may have the task, in order: not known to be down, and not given up by it.
    pub fn candidates(&self) -> &[ServerNumber] {
        self.candidates
    }

    /// Prediction for the path to or from a server.
    pub fn network(&mut self, server: ServerNumber, direction: PathDirection) -> NetworkInfo {
        let path = Path { client: self.call.client, server, direction };
        self.knowledge.network(self.now, path, self.environment)
    }

    /// Prediction for a server; with load correction, the tasks sent there since it was last
    /// measured are among its load.
    pub fn server(&mut self, server: ServerNumber) -> ServerInfo {
        let mut info = self.knowledge.server(self.now, server, self.environment);
        if self.corrects_load {
            info.load += f64::from(self.knowledge.sent(server));
        }
        info
    }

    /// Tasks that were sent to a server since it was last measured.
    pub fn sent(&self, server: ServerNumber) -> u32 {
        self.knowledge.sent(server)
    }

    /// Operations per second of a processor of a server, without load.
    pub fn performance(&self, server: ServerNumber) -> f64 {
        self.environment.server(server).performance
    }

    /// Operations per second that one more task is predicted to get at a server: its performance,
    /// shared with its load, times what its series leaves of it if it has one.
    pub fn speed(&mut self, server: ServerNumber) -> f64 {
        let info = self.server(server);
        self.speed_at(server, info)
    }

    fn speed_at(&self, server: ServerNumber, info: ServerInfo) -> f64 {
        let described = self.environment.server(server);
        let shared =
            (f64::from(described.processors) / (f64::from(self.call.processors) + info.load)).min(1.0);
        let measured = if described.availability.is_some() { info.availability } else { 1.0 };
        info.performance * shared * measured
    }

    /// The times that the task is predicted to take on a server: by the state of queues and servers
    /// if the predictor knows it, else by figures.
    pub fn estimate(&mut self, server: ServerNumber) -> PredictedTimes {
        if self.knowledge.predictor.knows_state() {
            let sent = if self.corrects_load { self.knowledge.sent(server) } else { 0 };
            return self.by_state(server, sent);
        }
        let paths = PathDirection::ALL.map(|direction| self.network(server, direction));
        let info = self.server(server);
        self.by_figures(server, paths, info)
    }

    /// The time that the task is predicted to take from its arrival at a server: service and
    /// results \[s\].
    pub fn rest(&mut self, server: ServerNumber) -> f64 {
        if self.knowledge.predictor.knows_state() {
            let mut ahead = self.environment.ahead(Foresight::Expected);
            let completion = ahead.serve(&self.call, server, self.now);
            return completion.map_or(f64::INFINITY, |rest| rest.back.since(self.now).as_secs_f64());
        }
        let estimate = self.estimate(server);
        estimate.service + estimate.receive
    }

    /// The times that the task takes on a server in the mean, by the state of queues and servers
    /// now; `sent` tasks like it are before it that are not there yet.
    pub(super) fn by_state(&self, server: ServerNumber, sent: u32) -> PredictedTimes {
        let completion = self.environment.ahead(Foresight::Expected).complete(&self.call, server, self.now);
        let Ok(Completion { arrived, ended, back }) = completion else {
            return PredictedTimes { send: f64::INFINITY, service: f64::INFINITY, receive: f64::INFINITY };
        };
        let all = f64::from(self.environment.server(server).processors);
        let one = self.call.instructions / (self.performance(server) * all);
        PredictedTimes {
            send: arrived.since(self.now).as_secs_f64(),
            service: ended.since(arrived).as_secs_f64() + f64::from(sent) * one,
            receive: back.since(ended).as_secs_f64(),
        }
    }

    /// The times that the task takes by figures of the paths there and back, and of the server:
    /// instructions / speed, and transfers as `TransferFigures` has them.
    pub(super) fn by_figures(
        &self,
        server: ServerNumber,
        paths: [NetworkInfo; 2],
        info: ServerInfo,
    ) -> PredictedTimes {
        let Call { client, send, receive, instructions, .. } = self.call;
        let divided = self.environment.server(server).divided(&self.call);
        let seconds = |direction: PathDirection, bytes: f64| {
            let between = self.environment.network.between(Path { client, server, direction });
            let (info, packet) = (paths[direction as usize], self.environment.packet);
            TransferFigures { info, packet, between }.seconds(bytes)
        };
        PredictedTimes {
            send: seconds(PathDirection::Send, send),
            service: instructions / (self.speed_at(server, info) * f64::from(divided)),
            receive: seconds(PathDirection::Receive, receive),
        }
    }

    /// Reports the score of a server, in the scheduler's own unit, lower is better: `--explain`
    /// prints the first one of each server.
    pub fn score(&mut self, server: ServerNumber, score: f64) {
        if let Some(scores) = &mut self.scores {
            scores.push((server, score));
        }
    }

    /// The instant at which the results will be back from a server, if no further work of ours
    /// comes, or the end of time if not before `bound`. Others are going to send what this takes
    /// into account: no scheduler can know it, so it is for bounds.
    pub fn would_complete(&self, server: ServerNumber, bound: SimTime) -> SimTime {
        self.environment.would_complete(&self.call, server, self.candidates, bound)
    }

    /// Returns true if the decision is to be explained, so that each candidate should have a score.
    pub fn is_explained(&self) -> bool {
        self.scores.is_some()
    }

    /// The stream of the scheduler.
    pub fn stream(&mut self) -> &mut Stream {
        self.stream
    }

    /// Number of servers of the answer that get the task, if it names as many: 1, unless copies are
    /// sent.
    pub fn wanted(&self) -> usize {
        self.wanted.min(self.candidates.len())
    }

    /// The candidates for which `cost` is least, the least first, as many as are [`View::wanted`];
    /// of equals the first.
    pub fn ranked(&mut self, mut cost: impl FnMut(&mut Self, ServerNumber) -> f64) -> ServerSelection {
        if self.wanted() <= 1 {
            return self.least(cost).into_iter().collect();
        }
        let mut order = Vec::with_capacity(self.candidates.len());
        for server in self.candidates {
            let cost = cost(self, *server);
            self.score(*server, cost);
            order.push((cost, *server));
        }
        foremost(order, self.wanted(), f64::total_cmp)
    }

    /// The candidate for which `cost` is least; of equals the first. Nothing if there are no
    /// candidates.
    pub fn least(&mut self, mut cost: impl FnMut(&mut Self, ServerNumber) -> f64) -> Option<ServerNumber> {
        let mut best: Option<(f64, ServerNumber)> = None;
        let candidates = self.candidates;
        for server in candidates {
            let cost = cost(self, *server);
            self.score(*server, cost);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, *server));
            }
        }
        best.map(|(_, server)| server)
    }
}
