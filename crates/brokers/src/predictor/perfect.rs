//! The truth of the moment, which no measurement can give: a bound on what fresher measurements
//! would be worth.
//!
//! Times are those of [`Foresight::Expected`]: from the state of queues and servers, with what
//! others leave in the mean.
//!
//! [`Foresight::Expected`]: crate::completion::Foresight::Expected

use std::rc::Rc;

use crate::database::ResourceDb;
use crate::environment::Environment;
use crate::info::{NetworkInfo, Path, ServerInfo, ServerNumber};
use crate::kernel::SimTime;
use crate::predictor::{Predictor, PredictorKind};
use crate::registry::{Entry, entry};

pub(super) const ENTRY: Entry<dyn PredictorKind> = entry!("perfect" => "what networks and servers are like at the instant, without measuring; what others will do is known in the mean", builds Perfect);

#[derive(Clone, Copy, Debug)]
struct Perfect;

#[derive(Clone, Debug)]
struct Truth(Rc<Environment>);

impl PredictorKind for Perfect {
    fn begin(&self, environment: &Rc<Environment>) -> Box<dyn Predictor> {
        Box::new(Truth(Rc::clone(environment)))
    }
}

impl Predictor for Truth {
    fn network(&mut self, _: SimTime, path: Path, _: &mut dyn ResourceDb) -> Option<NetworkInfo> {
        Some(self.0.reading(path, self.0.packet))
    }

    fn server(&mut self, _: SimTime, server: ServerNumber, _: &mut dyn ResourceDb) -> Option<ServerInfo> {
        Some(self.0.server(server).info())
    }

    fn knows_state(&self) -> bool {
        true
    }
}
