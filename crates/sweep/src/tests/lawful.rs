//! Laws of every run.

use crate::estimate::predictions::SubTask;
use crate::kernel::{SimDuration, SimTime};
use crate::model::grid::ClusterNumber;
use crate::model::storage::FileRemoval;
use crate::results::record::{SweepOutcomes, TransferRun};

use super::storages;

/// Returns true if a cluster has a file as long as it is sent on.
fn has_all_the_time(outcomes: &SweepOutcomes, source: ClusterNumber, run: &TransferRun) -> bool {
    let SubTask::Input(file) = run.transfer.file else { return false };
    let end = run.end.unwrap_or(run.start);
    let there = &outcomes.grid.cluster(source).present;
    let is_removed = |from: SimTime| {
        let here = |removal: &&FileRemoval| (removal.cluster, removal.file) == (source, file);
        outcomes.removals.iter().filter(here).any(|removal| from <= removal.at && removal.at < end)
    };
    let arrived = outcomes.transfers.iter().any(|other| {
        (other.transfer.cluster, other.transfer.file) == (source, run.transfer.file)
            && other.end.is_some_and(|arrival| arrival <= run.start && !is_removed(arrival))
    });
    arrived && there.value_at(run.start) > 0.0 && there.next_change(run.start).is_none_or(|at| at >= end)
}

/// Checks the laws of every run, whatever is planned and whatever fails.
pub(crate) fn lawful(outcomes: &SweepOutcomes) {
    let (sweep, grid) = (&outcomes.sweep, &outcomes.grid);
    // one transfer at a time on a link, each of them as long as latency and bandwidth say
    for link in grid.link_numbers() {
        let on: Vec<_> = outcomes.transfers.iter().filter(|run| run.transfer.link == link).collect();
        for pair in on.windows(2) {
            let end = pair[0].end.unwrap_or(pair[0].start);
            assert!(end <= pair[1].start, "two transfers at once: {pair:?}");
        }
        for run in on.iter().filter(|run| run.end.is_some()) {
            let (latency, bandwidth) = grid.link_traces(link);
            let begins = run.start + SimDuration::ceil_secs(latency.value_at(run.start));
            assert_eq!(run.end, bandwidth.finish(begins, run.bytes as f64));
            let cluster = run.transfer.cluster;
            assert!(grid.cluster(cluster).present.value_at(run.start) > 0.0);
            if let Some(source) = outcomes.source_of(run) {
                assert!(has_all_the_time(outcomes, source, run), "{run:?} comes from where it is not");
                continue;
            }
            let (SubTask::Input(file) | SubTask::Output(file)) = run.transfer.file else {
                panic!("a link carries files")
            };
            assert_eq!(grid.link_of(sweep.file(file).origin, cluster), link);
        }
    }
    for cluster in grid.cluster_numbers() {
        let on: Vec<_> = outcomes.transfers.iter().filter(|run| run.transfer.cluster == cluster).collect();
        // a file is sent to a storage once, unless it is removed
        let mut inputs: Vec<_> = on
            .iter()
            .filter(|run| run.end.is_some() && matches!(run.transfer.file, SubTask::Input(_)))
            .map(|run| run.transfer.file)
            .collect();
        let count = inputs.len();
        inputs.sort_unstable();
        inputs.dedup();
        let stay = grid.cluster(cluster).has_storage && grid.cluster(cluster).capacity.is_none();
        assert!(!stay || inputs.len() == count, "a file is sent twice");
        if let Some(capacity) = grid.cluster(cluster).limit() {
            storages::within(outcomes, cluster, capacity);
        }
    }
    for (number, task) in (0..).map(crate::workflow::TaskNumber).zip(&outcomes.tasks) {
        let (start, end) = (task.start.expect("it started"), task.end.expect("it ended"));
        let completed = task.completed.expect("it is completed");
        let host = grid.host(task.host.expect("it has a host"));
        let time = sweep.task(number).time_on(host.architecture).expect("the host can run it");
        assert_eq!(host.availability.finish(start, time.real / host.speed), Some(end));
        assert!(host.present.value_at(start) > 0.0 && completed >= end);
        let of = |file: SubTask| {
            outcomes.transfers.iter().filter(move |run| {
                run.transfer.cluster == host.cluster && run.transfer.file == file && run.end.is_some()
            })
        };
        for file in &*sweep.task(number).inputs {
            let is_removed = |from: SimTime| {
                let here = |removal: &&FileRemoval| (removal.cluster, removal.file) == (host.cluster, *file);
                outcomes.removals.iter().filter(here).any(|removal| from <= removal.at && removal.at < end)
            };
            let stays = |from: SimTime| from <= start && !is_removed(from);
            let arrived = of(SubTask::Input(*file)).any(|run| run.end.is_some_and(stays));
            assert!(arrived, "task {number:?} started without its input");
        }
        for file in &*sweep.task(number).outputs {
            assert!(of(SubTask::Output(*file)).any(|run| run.start >= end && run.end <= Some(completed)));
            let is_output =
                |run: &&TransferRun| run.transfer.file == SubTask::Output(*file) && run.end.is_some();
            let arrivals = outcomes.transfers.iter().filter(is_output).count();
            assert!(task.attempts > 1 || arrivals == 1, "an output is sent twice");
        }
    }
    let mut spans: Vec<_> = outcomes.tasks.iter().map(|task| (task.host, task.start, task.end)).collect();
    spans.sort_unstable();
    for pair in spans.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        assert!(pair[0].2 <= pair[1].1, "two tasks at once on a host");
    }
}
