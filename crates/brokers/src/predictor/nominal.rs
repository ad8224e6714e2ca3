//! Nothing is predicted: each network and server is as it was built.

use std::rc::Rc;

use crate::database::ResourceDb;
use crate::environment::Environment;
use crate::info::{NetworkInfo, Path, ServerInfo, ServerNumber};
use crate::kernel::SimTime;
use crate::predictor::{Predictor, PredictorKind};
use crate::registry::{Entry, entry};

pub(super) const ENTRY: Entry<dyn PredictorKind> = entry!("nominal" => "bandwidth and performance as built, without load: no measurement counts", builds Nominal);

#[derive(Clone, Copy, Debug)]
struct Nominal;

impl PredictorKind for Nominal {
    fn begin(&self, _: &Rc<Environment>) -> Box<dyn Predictor> {
        Box::new(Nominal)
    }
}

impl Predictor for Nominal {
    fn network(&mut self, _: SimTime, _: Path, _: &mut dyn ResourceDb) -> Option<NetworkInfo> {
        None
    }

    fn server(&mut self, _: SimTime, _: ServerNumber, _: &mut dyn ResourceDb) -> Option<ServerInfo> {
        None
    }

    fn is_lasting(&self) -> bool {
        true
    }
}
