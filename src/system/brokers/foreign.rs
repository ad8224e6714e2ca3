//! Foreign programs of a scenario, and their transcripts.

use std::path::PathBuf;
use std::rc::Rc;

use crate::broker::database::ResourceDb;
use crate::broker::foreign::program::ForeignProgram;
use crate::broker::predictor::PredictorKind;
use crate::broker::scheduler::BrokerScheduler;
use crate::registry::{Complaint, Params};
use crate::scenario::Scenario;

/// The transcripts that answer in the place of programs: as they are named, and from where the simulator runs.
pub(super) fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let mut programs: Vec<Rc<ForeignProgram>> = Vec::new();
    // what is wrong with a component is reported where it is read for a run
    if let Ok(database) = params.component::<dyn ResourceDb>("database", "database") {
        programs.extend(database.program().cloned());
    }
    if let Ok(predictor) = params.component::<dyn PredictorKind>("predictor", "predictor") {
        programs.extend(predictor.program().cloned());
    }
    if let Ok(scheduler) = params.component::<dyn BrokerScheduler>("scheduler", "broker") {
        programs.extend(scheduler.program().cloned());
    }
    let named = programs.iter().filter_map(|program| program.input());
    named.map(|(name, path)| (name.to_owned(), path.to_owned())).collect()
}

/// Prepares programs for a run, each once.
///
/// # Errors
/// One cannot be found, or its transcript not be read.
pub(super) fn prepare(
    params: &Params<'_>,
    programs: impl Iterator<Item = Rc<ForeignProgram>>,
    scenario: &Scenario,
    records: bool,
) -> Result<Vec<Rc<ForeignProgram>>, Complaint> {
    let mut prepared: Vec<Rc<ForeignProgram>> = Vec::new();
    for program in programs {
        // a predictor that is the database too is one program
        if prepared.iter().any(|known| Rc::ptr_eq(known, &program)) {
            continue;
        }
        program.prepare(&params.section(program.part()), (scenario.seed, scenario.replication))?;
        if records {
            program.record();
        }
        prepared.push(program);
    }
    Ok(prepared)
}
