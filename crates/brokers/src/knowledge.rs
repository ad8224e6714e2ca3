//! Knowledge of the scheduling unit: measurements, predictions from them, and the tasks sent since.

use crate::database::ResourceDb;
use crate::environment::Environment;
use crate::info::{NetworkInfo, Path, ServerInfo, ServerNumber};
use crate::kernel::SimTime;
use crate::predictor::Predictor;

/// Measurements, and the predictions from them.
#[derive(Debug)]
pub struct Knowledge {
    /// The measurements.
    pub db: Box<dyn ResourceDb>,
    /// The predictor.
    pub predictor: Box<dyn Predictor>,
    /// Answers that last until the next measurement, by the number of the path and by server.
    networks: Vec<Option<NetworkInfo>>,
    servers: Vec<Option<ServerInfo>>,
    /// Tasks that were sent to each server since it was last measured.
    sent: Vec<u32>,
    /// Instant at which each server was last found to be up.
    up: Vec<Option<SimTime>>,
}

impl Knowledge {
    /// Nothing has been measured.
    pub fn new(db: Box<dyn ResourceDb>, predictor: Box<dyn Predictor>, environment: &Environment) -> Self {
        let (clients, servers) = (environment.clients.len(), environment.servers.len());
        Knowledge {
            db,
            predictor,
            networks: vec![None; 2 * clients * servers],
            servers: vec![None; servers],
            sent: vec![0; servers],
            up: vec![None; servers],
        }
    }

    /// Prediction for a path; the nominal values, if there is none.
    #[inline]
    pub fn network(&mut self, now: SimTime, path: Path, environment: &Environment) -> NetworkInfo {
        let number = environment.network.number(path);
        if let Some(known) = self.networks[number] {
            return known;
        }
        let predicted = self.predictor.network(now, path, &mut *self.db);
        let info = predicted.unwrap_or_else(|| environment.nominal(path));
        if self.predictor.is_lasting() {
            self.networks[number] = Some(info);
        }
        info
    }

    /// Prediction for a server; the nominal values, if there is none.
    #[inline]
    pub fn server(&mut self, now: SimTime, server: ServerNumber, environment: &Environment) -> ServerInfo {
        if let Some(known) = self.servers[server.index()] {
            return known;
        }
        let predicted = self.predictor.server(now, server, &mut *self.db);
        let info = predicted.unwrap_or_else(|| environment.server(server).nominal());
        if self.predictor.is_lasting() {
            self.servers[server.index()] = Some(info);
        }
        info
    }

    /// Tasks that were sent to a server since it was last measured.
    pub fn sent(&self, server: ServerNumber) -> u32 {
        self.sent[server.index()]
    }

    /// Instant at which a server was last measured and found to be up.
    pub fn found_up(&self, server: ServerNumber) -> Option<SimTime> {
        self.up[server.index()]
    }

    /// A task is sent to a server.
    pub fn send(&mut self, server: ServerNumber) {
        self.sent[server.index()] += 1;
    }

    /// A path was measured.
    pub fn put_network(&mut self, path: Path, info: NetworkInfo, environment: &Environment) {
        self.networks[environment.network.number(path)] = None;
        self.db.put_network(path, info);
        self.predictor.measured_network(path, &mut *self.db);
    }

    /// A server was measured: no task was sent there since.
    pub fn put_server(&mut self, server: ServerNumber, info: ServerInfo) {
        self.servers[server.index()] = None;
        self.sent[server.index()] = 0;
        if info.is_up {
            self.up[server.index()] = Some(info.time);
        }
        self.db.put_server(server, info);
        self.predictor.measured_server(server, &mut *self.db);
    }
}
