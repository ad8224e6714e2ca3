//! Programs that scenarios start: `validate` names them, and `--forbid-programs` refuses them.

use crate::Console;
use crate::failure::Failure;
use crate::general::Output;
use crate::registry::{Complaint, Registry, code};
use crate::scenario::{Rejected, StartedProgram, Study, Written, study};
use crate::text::in_one_line;

/// The environment variable that forbids programs as the flag does.
const FORBIDS: &str = "CLUSTERSIM_FORBID_PROGRAMS";

/// A study as [`study`] checks it, of which no run starts a program where that is forbidden.
pub(super) fn checked(console: Console<'_>, written: Written) -> Result<Study, Failure> {
    let study = study(console.registry, written)?;
    permitted(console, &study)?;
    Ok(study)
}

/// Refuses a study of which some run starts a program, if that is forbidden.
pub(super) fn permitted(console: Console<'_>, study: &Study) -> Result<(), Failure> {
    let refused = refused(console, study);
    if refused.is_empty() { Ok(()) } else { Err(Failure::Invalid(refused)) }
}

/// The programs of a study as mistakes, if they are forbidden.
pub(super) fn refused(console: Console<'_>, study: &Study) -> Vec<Rejected> {
    let by = match console.output {
        Output { confined: true, .. } => Some("--confined"),
        Output { forbid_programs: true, .. } => Some("--forbid-programs"),
        _ => forbidden(),
    };
    by.map_or_else(Vec::new, |by| refused_by(console.registry, study, by))
}

/// The environment variable that forbids programs, if it does.
pub(super) fn forbidden() -> Option<&'static str> {
    std::env::var_os(FORBIDS).is_some_and(|value| !value.is_empty() && value != "0").then_some(FORBIDS)
}

/// The programs of a study as mistakes, which `by` forbids.
pub(super) fn refused_by(registry: &Registry, study: &Study, by: &str) -> Vec<Rejected> {
    let of = |(place, program): (usize, StartedProgram)| {
        let message = format!("the scenario starts a program, {}", words(&program));
        let complaint = Complaint::new(code::PROGRAM, message, program.span).label("named here");
        let help = format!("{by} forbids it; a transcript can take its place: write `replay`");
        *study.points[place].scenario.reject(complaint.help(help))
    };
    started(registry, study).into_iter().map(of).collect()
}

/// The programs that runs of a study start, each once, as they are named.
pub(super) fn named(registry: &Registry, study: &Study) -> Vec<String> {
    let of = |(_, program): (usize, StartedProgram)| format!("{} ({})", words(&program), program.key);
    started(registry, study).into_iter().map(of).collect()
}

/// Each program once, with the first point that starts it.
fn started(registry: &Registry, study: &Study) -> Vec<(usize, StartedProgram)> {
    let mut all: Vec<(usize, StartedProgram)> = Vec::new();
    for (place, point) in study.points.iter().enumerate() {
        for program in point.scenario.system.programs(registry, &point.scenario) {
            let is_known = |(_, known): &(usize, StartedProgram)| {
                (&known.key, &known.command) == (&program.key, &program.command)
            };
            if !all.iter().any(is_known) {
                all.push((place, program));
            }
        }
    }
    all
}

fn words(program: &StartedProgram) -> String {
    format!("`{}`", in_one_line(&program.command.join(" ")))
}
