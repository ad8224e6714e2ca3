//! What holds for any bytes read as a task graph of each format, or as the text of a grid.

use std::io::Cursor;

use clustersim_language::registry::{Complaint, Sources};
use clustersim_platform::{HostId, Platform, grid_text};
use clustersim_workflow::Workflow;
use clustersim_workflow::read::{GraphFormat, LoadedWorkflow, ReadOptions, read};
use clustersim_workflow::report::GraphReport;
use clustersim_workflow::write::{WriteOptions, losses, write};
use clustersim_workflow::{MeanCosts, TaskNumber};

/// Every host of a grid reaches itself, and others or not; a route is over links of the grid.
fn joined(grid: &Platform) {
    assert!(!grid.hosts().is_empty());
    let hosts = || (0..grid.hosts().len().min(32) as u32).map(HostId::new);
    for (from, to) in hosts().flat_map(|from| hosts().map(move |to| (from, to))) {
        let mut links = Vec::new();
        let is_joined = grid.route(from, to, &mut links).is_ok();
        assert!(is_joined || from != to, "a host reaches itself");
        assert!(links.iter().all(|link| link.index() < grid.links().len()));
    }
}

pub(crate) fn dag_text(bytes: &[u8]) {
    check(bytes, GraphFormat::DagText);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let mut sources = Sources::new("");
        let source = sources.add("grid", text, "");
        match grid_text::read(source, &sources, 1e10) {
            Ok(grid) => joined(&grid),
            Err(complaints) => shown(&complaints),
        }
    }
}

pub(crate) fn dax(bytes: &[u8]) {
    check(bytes, GraphFormat::Dax);
}

pub(crate) fn dot(bytes: &[u8]) {
    check(bytes, GraphFormat::Dot);
}

pub(crate) fn stg(bytes: &[u8]) {
    check(bytes, GraphFormat::Stg);
}

pub(crate) fn wfformat(bytes: &[u8]) {
    check(bytes, GraphFormat::WfFormat);
}

/// Reading is total and repeatable; it gives a graph that is right and can be written, or mistakes
/// that can be shown.
fn check(bytes: &[u8], format: GraphFormat) {
    let options = ReadOptions { cores: true, machine_speed: true, ..ReadOptions::default() };
    let load = || read(Cursor::new(bytes), "graph", Some(format), &options);
    let first = load();
    assert_eq!(format!("{first:?}"), format!("{:?}", load()), "reading it again gives something else");
    match first {
        Ok(loaded) => sound(&loaded, format),
        Err(complaints) => shown(&complaints),
    }
}

fn shown(complaints: &[Complaint]) {
    assert!(!complaints.is_empty());
    for complaint in complaints {
        assert!(!complaint.message.is_empty());
        if let Some(excerpt) = &complaint.excerpt {
            assert!(excerpt.line > 0 && excerpt.text.get(excerpt.range.clone()).is_some(), "{excerpt:?}");
            assert!(!excerpt.text.chars().any(char::is_control), "{excerpt:?}");
        }
    }
}

fn ends(workflow: &Workflow) -> Vec<(TaskNumber, TaskNumber)> {
    workflow.edges().iter().map(|edge| (edge.from, edge.to)).collect()
}

fn sound(loaded: &LoadedWorkflow, format: GraphFormat) {
    let workflow = &loaded.workflow;
    assert!(!workflow.tasks().is_empty() && workflow.order().len() == workflow.tasks().len());
    let mut places = vec![usize::MAX; workflow.tasks().len()];
    for (place, task) in workflow.order().iter().enumerate() {
        places[task.index()] = place;
    }
    assert!(ends(workflow).iter().all(|(from, to)| places[from.index()] < places[to.index()]));
    assert!(ends(workflow).windows(2).all(|pair| pair[0] < pair[1]));
    for task in workflow.numbers() {
        assert_eq!(workflow.find(&workflow.task(task).name), Some(task));
        assert!(workflow.task(task).work >= 0.0 && workflow.task(task).work.is_finite());
    }
    let report = GraphReport::new(workflow, &MeanCosts::default());
    assert!(report.depth() > 0 && report.depth() <= report.tasks && !report.path.is_empty());
    assert!(
        loaded
            .irregularities
            .iter()
            .all(|found| found.count > 0 && !found.what.words(found.count).is_empty())
    );
    for other in GraphFormat::ALL {
        let mut bytes = Vec::new();
        write(workflow, other, &WriteOptions::default(), &mut bytes).expect("memory can be written");
        assert!(losses(workflow, other).iter().all(|loss| loss.count > 0 && !loss.what.is_empty()));
        // names that a format cannot hold may have become others
        if other == GraphFormat::Stg
            || other == format && format != GraphFormat::Dot && format != GraphFormat::Dax
        {
            let again = read(Cursor::new(bytes), "graph", Some(other), &ReadOptions::default());
            let again = again.expect("what is written can be read").workflow;
            assert_eq!(ends(&again), ends(workflow));
        }
    }
}
