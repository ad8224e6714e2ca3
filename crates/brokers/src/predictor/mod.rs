//! Predictors: what networks and servers will be like, from what was measured (HPDC 1999, section
//! 3.2, steps (3) to (5)).

mod forecasts;
mod last;
mod nominal;
mod perfect;
mod program;

use std::fmt;
use std::rc::Rc;

use crate::database::ResourceDb;
use crate::environment::Environment;
use crate::forecast::Forecast;
use crate::foreign::program::ForeignProgram;
use crate::info::{NetworkInfo, Path, SeriesKey, ServerInfo, ServerNumber};
use crate::kernel::SimTime;
use crate::registry::Table;

/// Says what networks and servers will be like.
pub trait Predictor: fmt::Debug {
    /// A measurement of a path was put into the database.
    fn measured_network(&mut self, _path: Path, _db: &mut dyn ResourceDb) {}

    /// A measurement of a server was put into the database.
    fn measured_server(&mut self, _server: ServerNumber, _db: &mut dyn ResourceDb) {}

    /// Prediction for a path; `None` if there is none, and the nominal values stand in.
    fn network(&mut self, now: SimTime, path: Path, db: &mut dyn ResourceDb) -> Option<NetworkInfo>;

    /// Prediction for a server; `None` if there is none, and the nominal values stand in.
    fn server(&mut self, now: SimTime, server: ServerNumber, db: &mut dyn ResourceDb) -> Option<ServerInfo>;

    /// Returns true if it knows the state of queues and servers, so that times are worked out from
    /// that and not from its figures: only bounds on what others can do.
    fn knows_state(&self) -> bool {
        false
    }

    /// Returns true if an answer for a path or server stays the same until something is measured
    /// there.
    fn is_lasting(&self) -> bool {
        false
    }

    /// Forecast of the next value of a series, its forecaster, and the errors of that so far, for
    /// the record and for explanations.
    fn forecast(&self, _series: SeriesKey) -> Option<Forecast<'_>> {
        None
    }

    /// Forecasts of a series by each of its forecasters, with their errors so far, for the record;
    /// empty if it has none.
    fn forecasters(&self, _series: SeriesKey) -> Vec<Forecast<'_>> {
        Vec::new()
    }
}

/// Maker of predictors.
pub trait PredictorKind: fmt::Debug {
    /// A predictor that knows nothing yet. What is true it may only ask of the `environment` if it
    /// is a bound on what others can do.
    fn begin(&self, environment: &Rc<Environment>) -> Box<dyn Predictor>;

    /// The database of the predictor itself, which replaces the one that the scenario names.
    fn database(&self) -> Option<Box<dyn ResourceDb>> {
        None
    }

    /// The foreign program that it asks, if it does.
    fn program(&self) -> Option<&Rc<ForeignProgram>> {
        None
    }
}

/// The predictors by name.
pub fn table() -> Table<dyn PredictorKind> {
    Table::new(
        "predictor",
        "what networks and servers will be like, by what was measured",
        &[forecasts::BATTERY, last::ENTRY, nominal::ENTRY, perfect::ENTRY, program::ENTRY],
    )
}
