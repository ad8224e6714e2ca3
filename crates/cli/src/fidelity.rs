//! `fidelity`: how far the simulated waits of a replayed log are from those that it records.

use std::process;

use crate::failure::Failure;
use crate::fidelity_args::Fidelity;
use crate::programs::checked;
use crate::progress::Progress;
use crate::registry::code;
use crate::request::asked_with;
use crate::run::print_input_notes;
use crate::scenario::{Override, ReplayRequest, Scenario, ScheduleReplay, Session};
use crate::{Console, open, print, print_json};
use clustersim_experiment::fidelity::{ErrorCause, FidelityAccount, FidelityRules, ReplayedJob};
use clustersim_experiment::output::path::put_whole;
use clustersim_experiment::report::fidelity::text;
use clustersim_experiment::report::html::draw_fidelity;

/// Compares the schedules of a scenario.
pub(super) fn fidelity(console: Console<'_>, args: &Fidelity) -> Result<(), Failure> {
    let renderer = console.renderer;
    if let Some(file) = &args.output {
        Failure::if_there(file, args.force)?;
    }
    let scenario = scenario(console, args)?;
    let rules = FidelityRules::read(&scenario.params(console.registry))
        .map_err(|complaint| scenario.reject(complaint))?;
    let mut causes = args.without.clone();
    causes.sort_unstable();
    causes.dedup();
    let ready = |as_recorded: &[ErrorCause]| {
        scenario.system.replay(&ReplayRequest {
            registry: console.registry,
            scenario: &scenario,
            rules: &rules,
            as_recorded,
        })
    };
    let first = ready(&[])?;
    // before anything is simulated it is known that the second run can be made
    let second = if causes.is_empty() { None } else { Some(ready(&causes)?) };
    print_input_notes(&first.ready.notes, console);
    let facts = first.facts.clone();
    let jobs = simulated(console, &scenario, first)?;
    let streams = scenario.streams();
    let mut account = FidelityAccount::of(rules, facts, &jobs, &streams);
    if let Some(second) = second {
        let others = simulated(console, &scenario, second)?;
        account = account.without(&causes, &jobs, &others, &streams);
    }
    if args.open || args.output.is_some() {
        let temporary = || std::env::temp_dir().join(format!("clustersim-fidelity-{}.html", process::id()));
        let file = args.output.clone().unwrap_or_else(temporary);
        put_whole(&file, &draw_fidelity(&account, &scenario.title))
            .map_err(|error| Failure::io(&format!("cannot write {}", file.display()), &error))?;
        renderer.note(&format!("in pictures: {}", file.display()));
        if args.open {
            open::open(&file, renderer);
        }
    }
    if args.json {
        print_json(&account.to_json(&scenario.title))
    } else {
        print(&text(&account, &scenario.title))
    }
}

/// The scenario of the command line, which is no study.
fn scenario(console: Console<'_>, args: &Fidelity) -> Result<Scenario, Failure> {
    let edge = args.edge.as_ref().map(|edge| Override::flag("--edge", "fidelity.edge", edge));
    let overrides: Vec<Override> =
        edge.into_iter().chain(args.keys.flags()).chain(args.keys.sets()).collect();
    let study = checked(console, asked_with(console.registry, &args.file, &overrides)?.written)?;
    if study.is_several() {
        let message = "a study has many runs: which of them is to be compared with the log?";
        return Err(Failure::refused(code::POINT, message, "name a scenario without [[vary]] and [repeat]"));
    }
    let point = study.points.into_iter().next();
    point
        .map(|point| point.scenario)
        .ok_or_else(|| Failure::refused(code::POINT, "the study has no point", ""))
}

/// Runs a replay; gives its jobs.
fn simulated(
    console: Console<'_>,
    scenario: &Scenario,
    replay: ScheduleReplay,
) -> Result<Vec<ReplayedJob>, Failure> {
    let run = replay.ready.run;
    let (progress, watch) = Progress::start(run.subjects(), scenario.until, console.output);
    let session = Session { watch, only_figures: true, ..Session::of(scenario) };
    let over = session.make(scenario, run);
    progress.end();
    Ok(over?.replayed())
}
