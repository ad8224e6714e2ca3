//! Predicts the value that was measured last.

use std::rc::Rc;

use crate::database::ResourceDb;
use crate::environment::Environment;
use crate::info::{NetworkInfo, Path, ServerInfo, ServerNumber};
use crate::kernel::SimTime;
use crate::predictor::{Predictor, PredictorKind};
use crate::registry::{Entry, entry};

pub(super) const ENTRY: Entry<dyn PredictorKind> =
    entry!("last" => "what was measured last, as the database has it", builds Last);

#[derive(Clone, Copy, Debug)]
struct Last;

impl PredictorKind for Last {
    fn begin(&self, _: &Rc<Environment>) -> Box<dyn Predictor> {
        Box::new(Last)
    }
}

impl Predictor for Last {
    fn network(&mut self, _: SimTime, path: Path, db: &mut dyn ResourceDb) -> Option<NetworkInfo> {
        db.last_network(path)
    }

    fn server(&mut self, _: SimTime, server: ServerNumber, db: &mut dyn ResourceDb) -> Option<ServerInfo> {
        db.last_server(server)
    }

    fn is_lasting(&self) -> bool {
        true
    }
}
