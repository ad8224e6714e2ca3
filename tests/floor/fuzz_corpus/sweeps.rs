//! What holds for any bytes read as a text of the Parameter Sweep Template: an application, a grid,
//! the behaviour of a host or link.

use clustersim_kernel::rng::Streams;
use clustersim_kernel::{SimDuration, SimTime};
use clustersim_language::registry::{Sources, Span};
use clustersim_platform::Trace;
use clustersim_platform::clustered::grid::SweepGrid;
use clustersim_platform::clustered::read::behaviour::{BehaviourOf, ResourceBehaviour, series};
use clustersim_platform::clustered::read::events::behaviours_of;
use clustersim_platform::clustered::read::grid::{self, GridOptions};
use clustersim_sweep::read::application;
use clustersim_sweep::report::SweepReport;
use clustersim_sweep::write::application::{losses, write};
use clustersim_workflow::Mistake;

/// Changes of a trace that are visited.
const VISITED: usize = 64;

/// Mistakes are reported at places of the text, in order.
fn placed(mistakes: &[Mistake], text: &str) {
    assert!(!mistakes.is_empty());
    assert!(mistakes.windows(2).all(|pair| pair[0].spot <= pair[1].spot));
    for mistake in mistakes {
        let (start, width) = (mistake.spot.at as usize, mistake.spot.width as usize);
        assert!(text.get(start..start + width).is_some(), "{mistake:?}");
        assert!(!mistake.message.is_empty());
    }
}

pub(crate) fn application(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let read = application::read(text);
    assert_eq!(read, application::read(text), "read twice, it differs");
    let sweep = match read {
        Ok(sweep) => sweep,
        Err(mistakes) => return placed(&mistakes, text),
    };
    for task in &sweep.tasks {
        assert!(!task.times.is_empty());
        assert!(task.inputs.iter().chain(&task.outputs).all(|file| file.index() < sweep.files.len()));
        assert!(
            task.times.iter().all(|time| time.real.is_finite() && (time.estimated > 0.0 || time.real <= 0.0))
        );
    }
    let report = SweepReport::new(&sweep, None);
    assert_eq!(report.tasks, sweep.tasks.len() as u64);
    let mut written = Vec::new();
    write(&sweep, &mut written).expect("memory can be written");
    let written = String::from_utf8(written).expect("text");
    let again = application::read(&written).expect("what is written can be read");
    assert!(again == sweep || !losses(&sweep).is_empty(), "{written}");
}

fn sound(trace: &Trace, most: f64) {
    let changes = std::iter::successors(Some(SimTime::ZERO), |&at| trace.next_change(at));
    let visited: Vec<SimTime> = changes.take(VISITED).collect();
    assert!(visited.windows(2).all(|pair| pair[0] < pair[1]), "time stands still");
    assert!(visited.iter().all(|&at| (0.0..=most).contains(&trace.value_at(at))));
    let last = visited[visited.len() - 1];
    let gathered = trace.integral(SimTime::ZERO, last);
    if gathered > 0.0 {
        let end = trace.finish(SimTime::ZERO, gathered / 2.0).expect("half of it is done before all of it");
        assert!(end <= last, "{end:?} {last:?}");
    }
}

pub(crate) fn behaviour(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for of in [BehaviourOf::Host, BehaviourOf::Link] {
        match series(text, of, SimDuration::from_secs(5)) {
            Ok(ResourceBehaviour::Series { values, latency, count }) => {
                assert!(count > 0);
                sound(&values, if of == BehaviourOf::Host { 1.0 } else { 1e18 });
                sound(&latency, f64::MAX);
            }
            Ok(ResourceBehaviour::Drawn(_)) => panic!("nothing of a text is drawn"),
            Err(mistakes) => placed(&mistakes, text),
        }
    }
}

pub(crate) fn grid(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (streams, mut sources) = (Streams::new(1, 0), Sources::new(""));
    let source = sources.add("grid", text, "");
    let step = SimDuration::from_secs(5);
    let options = GridOptions { step, origin: "origin", speed: 1e10, streams: &streams };
    let names = behaviours_of(text);
    let mut behaviours = |name: &str, of, _: Span| {
        assert!(names.contains(&(name.to_owned(), of)), "{name}");
        let loaded =
            series(if of == BehaviourOf::Host { "3\n100\n50\n0\n" } else { "2\n10 1e5\n0 2e5\n" }, of, step);
        let loaded = || loaded.clone().expect("right");
        Ok(ResourceBehaviour::stable(name, of).or_else(|| name.starts_with("loaded").then(loaded)))
    };
    match grid::read(source, &sources, &options, &mut behaviours) {
        Ok(read) => {
            let origin = read.platform.host_named("origin").expect("the origin");
            let grid = SweepGrid::of(&read.platform, &[origin], 1e10).expect("clusters behind one link each");
            assert!(!grid.hosts.is_empty() && read.events >= grid.hosts.len() + grid.clusters.len());
            for host in grid.hosts.iter().take(32) {
                sound(&host.availability, 1.0);
                sound(&host.present, 1.0);
            }
            for cluster in grid.clusters.iter().take(32) {
                sound(&cluster.bandwidth, 1e18);
                sound(&cluster.present, 1.0);
            }
        }
        Err(complaints) => {
            assert!(!complaints.is_empty());
            for complaint in complaints {
                let span = complaint.span.expect("a place");
                assert!(text.get(span.range()).is_some() && !complaint.message.is_empty());
            }
        }
    }
}
