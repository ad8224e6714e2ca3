//! Foreign programs of a scenario, and their transcripts.

use std::path::PathBuf;
use std::rc::Rc;

use crate::foreign::program::ForeignProgram;
use crate::registry::{Complaint, Params};
use crate::scenario::{Scenario, StartedProgram};

/// The transcripts that answer in the place of programs: as they are named, and from where the
/// simulator runs.
pub(super) fn inputs(params: &Params<'_>) -> Vec<(String, PathBuf)> {
    let sections = ["database", "predictor", "scheduler"].map(|part| params.section(part));
    let named = sections.iter().filter(|section| section.has("replay"));
    // what is wrong with a name is reported where it is read for a run
    named.filter_map(|section| Some((section.read("replay").ok()?, section.path("replay").ok()?))).collect()
}

/// The programs that a run starts: those that no transcript replaces.
pub(super) fn started(params: &Params<'_>) -> Vec<StartedProgram> {
    let of_part = |part: &str| {
        let section = params.section(part);
        let is_started = section.read::<String>("kind").is_ok_and(|kind| kind == "program")
            && section.has("command")
            && !section.has("replay");
        // what is wrong with a command is reported where it is read for a run
        let command = is_started.then(|| section.read("command").ok())??;
        Some(StartedProgram { key: format!("{part}.command"), command, span: section.span("command") })
    };
    ["database", "predictor", "scheduler"].into_iter().filter_map(of_part).collect()
}

/// Prepares programs for a run, each once.
///
/// # Errors
/// Those that cannot be found, or whose transcripts cannot be read.
pub(super) fn prepare(
    params: &Params<'_>,
    programs: impl Iterator<Item = Rc<ForeignProgram>>,
    scenario: &Scenario,
    records: bool,
) -> Result<Vec<Rc<ForeignProgram>>, Vec<Complaint>> {
    let (mut prepared, mut complaints): (Vec<Rc<ForeignProgram>>, Vec<Complaint>) = Default::default();
    for program in programs {
        // a predictor that is the database too is one program
        if prepared.iter().any(|known| Rc::ptr_eq(known, &program)) {
            continue;
        }
        let run = (scenario.seed, scenario.replication);
        complaints.extend(program.prepare(&params.section(program.dialogue().part()), run).err());
        if records {
            program.dialogue().record();
        }
        prepared.push(program);
    }
    if complaints.is_empty() { Ok(prepared) } else { Err(complaints) }
}
