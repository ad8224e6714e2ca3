//! `validate`: every mistake of every file; nothing is simulated.
//!
//! What a run would object to before it begins is told here: the jobs are read or drawn, too, at every point of a study
//! that has jobs of its own. Points that differ in policy only share theirs.

use std::collections::BTreeSet;

use crate::cli::args::Validate;
use crate::cli::failure::Failure;
use crate::cli::print;
use crate::cli::render::Renderer;
use crate::registry::Registry;
use crate::registry::code;
use crate::report::number::grouped;
use crate::scenario::{Point, Rejected, Scenario, Study, System, load, policy_of, ready, study, workload};

/// Workloads of one study that are drawn at most.
const MOST_DRAWN: usize = 100;

pub(super) fn validate(registry: &Registry, args: &Validate, renderer: &Renderer) -> Result<(), Failure> {
    let (mut invalid, mut valid) = (Vec::<Rejected>::new(), String::new());
    for file in &args.files {
        let name = file.display().to_string();
        match study(registry, load(file, None, &[])) {
            Ok(study) => {
                let wrong = wrong_points(registry, &study, &name, renderer);
                if wrong.is_empty() {
                    valid += &format!("{name}: valid\n");
                }
                invalid.extend(wrong);
            }
            Err(rejected) => invalid.push(*rejected),
        }
    }
    print(&valid)?;
    if invalid.is_empty() { Ok(()) } else { Err(Failure::Invalid(invalid)) }
}

/// What is wrong with the jobs or the policy of any point, each mistake once.
fn wrong_points(registry: &Registry, study: &Study, name: &str, renderer: &Renderer) -> Vec<Rejected> {
    let (mut drawn, mut told, mut wrong) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut left_out = 0;
    for (number, point) in study.points.iter().enumerate() {
        let scenario = &point.scenario;
        let jobs = jobs_of(scenario);
        let checked = if drawn.contains(&jobs) || drawn.len() >= MOST_DRAWN {
            left_out += u64::from(!drawn.contains(&jobs));
            light(registry, scenario)
        } else {
            drawn.insert(jobs);
            ready(registry, scenario).map(drop)
        };
        if let Err(mut rejected) = checked
            && told.insert(rejected.to_string())
        {
            place(&mut rejected, number, point);
            wrong.push(*rejected);
        }
    }
    if left_out > 0 {
        renderer.note(&format!(
            "{name}: the jobs of the first {MOST_DRAWN} different workloads were drawn; {} points have others",
            grouped(left_out)
        ));
    }
    wrong
}

/// Looks at what a scenario has beside what it reads and draws.
fn light(registry: &Registry, scenario: &Scenario) -> Result<(), Box<Rejected>> {
    match scenario.system {
        System::Cluster(_) => {
            workload(registry, scenario)?;
            policy_of(registry, scenario).map(drop)
        }
        System::Agents(_) => Ok(()),
    }
}

/// Says which point it is, if there are several.
fn place(rejected: &mut Rejected, number: usize, point: &Point) {
    if point.settings.is_empty() {
        return;
    }
    for complaint in rejected.complaints.iter_mut().filter(|complaint| complaint.code.id != code::FILE.id) {
        let point = format!("at point {number}: {}", point.label());
        *complaint = complaint.clone().note(point, None);
    }
}

/// What decides the jobs of a scenario, as text: all of it but the parts that come in after the jobs are there.
fn jobs_of(scenario: &Scenario) -> String {
    let mut counts = true;
    let resolved = scenario.resolved();
    let decides = |line: &&str| {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.split(['.', ']']).next().unwrap_or_default();
            counts = !["policy", "expect", "record", "run"].contains(&table);
        }
        counts && !line.starts_with("title =")
    };
    resolved.lines().filter(decides).collect::<Vec<_>>().join("\n")
}
