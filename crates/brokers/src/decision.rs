//! State that a scheduler saw when it chose a server, and the truth at that time: for an
//! explanation.

use crate::call::Call;
use crate::info::{NetworkInfo, Path, PathDirection, SeriesKey, ServerInfo, ServerNumber};
use crate::kernel::SimTime;
use crate::knowledge::Knowledge;
use crate::view::{PredictedTimes, ServerSelection, View};

/// A forecast of a series.
#[derive(Clone, PartialEq, Debug)]
pub struct SeriesForecast {
    /// The forecaster that is believed.
    pub forecaster: String,
    /// The next value by it, in the unit of the series.
    pub value: f64,
    /// Mean absolute error on the series so far, in the same unit.
    pub error: f64,
}

/// Knowledge of one of the servers.
#[derive(Clone, Debug)]
pub struct SeenServer {
    /// The server.
    pub server: ServerNumber,
    /// Predictions for the paths there and back.
    pub paths: [NetworkInfo; 2],
    /// Prediction for the server, with load correction if that is on.
    pub info: ServerInfo,
    /// Tasks that were sent there since it was measured.
    pub sent: u32,
    /// Time that the task is predicted to take.
    pub times: PredictedTimes,
    /// Score, in the scheduler's own unit, lower is better; nothing if the scheduler gave none.
    pub score: Option<f64>,
    /// Instant at which the paths there and back and the server were measured last.
    pub measured: [Option<SimTime>; 3],
    /// True if the predictor says nothing of the paths there and back and of the server, so that
    /// nominal values stand in.
    pub nominal: [bool; 3],
    /// Forecasts of the bandwidths there and back and of the load.
    pub forecasts: [Option<SeriesForecast>; 3],
    /// The load in truth.
    pub load: f64,
    /// The instant at which the results will be back, if no further work of ours comes; the end of
    /// time if never.
    pub completion: SimTime,
}

/// A decision of a scheduler.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Instant at which it was made.
    pub at: SimTime,
    /// The task.
    pub call: Call,
    /// The servers among which the scheduler chose, in order.
    pub seen: Vec<SeenServer>,
    /// Servers that were given up before.
    pub given_up: Vec<ServerNumber>,
    /// Servers that were not predicted to be in time, while others were.
    pub too_late: Vec<ServerNumber>,
    /// The answer, the best first.
    pub chosen: ServerSelection,
}

impl Decision {
    /// Records the state that the scheduler of a view saw when it chose. Queues are asked about
    /// their true state, which changes nothing that happens to them.
    pub(super) fn of(
        view: &mut View<'_>,
        (given_up, too_late): (&[ServerNumber], Vec<ServerNumber>),
        chosen: &ServerSelection,
    ) -> Self {
        let candidates = view.candidates().to_vec();
        let scores = view.scores.take().unwrap_or_default();
        let seen = candidates.into_iter().map(|server| {
            let score = scores.iter().find(|(other, _)| *other == server).map(|(_, score)| *score);
            SeenServer { score, ..seen(view, server) }
        });
        let seen = seen.collect();
        Decision {
            at: view.now,
            call: view.call,
            seen,
            given_up: given_up.to_vec(),
            too_late,
            chosen: chosen.clone(),
        }
    }

    /// The server from which the results will be back first, if no further work of ours comes; of
    /// equals the first.
    pub fn best(&self) -> Option<&SeenServer> {
        self.seen.iter().min_by_key(|seen| (seen.completion, seen.server))
    }

    /// The first of the answer.
    pub fn winner(&self) -> Option<&SeenServer> {
        let first = self.chosen.first()?;
        self.seen.iter().find(|seen| seen.server == *first)
    }
}

fn seen(view: &mut View<'_>, server: ServerNumber) -> SeenServer {
    let paths = PathDirection::ALL.map(|direction| Path { client: view.call.client, server, direction });
    let infos = PathDirection::ALL.map(|direction| view.network(server, direction));
    let info = view.server(server);
    let [there, back] = paths.map(|path| view.knowledge.db.last_network(path).map(|info| info.time));
    let measured = [there, back, view.knowledge.db.last_server(server).map(|info| info.time)];
    let series = [SeriesKey::Bandwidth(paths[0]), SeriesKey::Bandwidth(paths[1]), SeriesKey::Load(server)];
    let Knowledge { predictor, db, .. } = &mut *view.knowledge;
    let [there, back] = paths.map(|path| predictor.network(view.now, path, &mut **db).is_none());
    let nominal = [there, back, predictor.server(view.now, server, &mut **db).is_none()];
    let forecasts = series.map(|series| {
        let forecast = predictor.forecast(series)?;
        Some(SeriesForecast {
            forecaster: forecast.name.to_owned(),
            value: forecast.value,
            error: forecast.mae,
        })
    });
    SeenServer {
        server,
        paths: infos,
        info,
        sent: view.sent(server),
        times: view.estimate(server),
        score: None,
        measured,
        nominal,
        forecasts,
        load: view.environment.server(server).info().load,
        completion: view.would_complete(server, SimTime::MAX),
    }
}
