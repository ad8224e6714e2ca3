//! The process of an application task: `DoAppTask`.
//!
//! ```text
//! for each iteration: compute ─▶ I/O ─▶ send to every peer ─▶ receive from every peer
//! ```
//!
//! Beside iterations there are pipelines, whose stages receive first, and recorded sequences of steps.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 2.2 and 3.2.

use std::sync::Arc;

use crate::kernel::{SimDuration, SimTime, now};
use crate::workload::parallel::{Application, Iterations, Pipeline, Program, Quality, Step, TaskTimes};

use super::task::{Peer, Place};

/// Whom a task exchanges messages with.
#[derive(Debug, Default)]
pub(in crate::cluster) struct Peers {
    /// Whom it sends to: rank and place, in the order of sending.
    pub(in crate::cluster) to: Vec<(u32, Peer)>,
    /// Whom it receives from, in the order of receiving.
    pub(in crate::cluster) from: Vec<(u32, Peer)>,
}

/// Runs task `rank` of `application` from its start to its end.
pub(in crate::cluster) async fn run(
    place: &Place,
    application: &Arc<Application>,
    rank: u32,
    mut times: TaskTimes,
    peers: &Peers,
) {
    match &application.program {
        Program::Iterations(iterations) => {
            iterate(place, iterations, application.quality, &mut times, peers).await;
        }
        Program::Pipeline(pipeline) => pass_on(place, pipeline, &mut times, peers).await,
        Program::Recorded(tasks) => play(place, &tasks[rank as usize], peers).await,
    }
}

async fn iterate(
    place: &Place,
    program: &Iterations,
    quality: Quality,
    times: &mut TaskTimes,
    peers: &Peers,
) {
    let start = now();
    let (computes, does_io) = (program.compute.of(0).is_some(), program.io.of(0).is_some());
    for iteration in 0..u64::from(program.iterations) {
        let due = due(quality, start, iteration);
        if let Some((release, _)) = due {
            place.sleep_until(release).await;
        }
        if computes {
            place.compute(place.node.params.scaled(times.compute())).await;
        }
        if does_io {
            place.io(times.io()).await;
        }
        for &(_, peer) in &peers.to {
            for _ in 0..program.messages {
                place.send(peer, program.size).await;
            }
        }
        for (sender, &(_, peer)) in (0..).zip(&peers.from) {
            for _ in 0..program.messages {
                place.receive(sender, peer).await;
            }
        }
        if let (Some((release, deadline)), Some(job)) = (due, &place.task.job) {
            job.frame(release, deadline);
        }
    }
}

/// When an iteration is released, and how long after that it is due; none for best effort.
fn due(quality: Quality, start: SimTime, iteration: u64) -> Option<(SimTime, SimDuration)> {
    match quality {
        Quality::BestEffort => None,
        Quality::RealTime { period, deadline, .. } => Some((release(start, period, iteration), deadline)),
    }
}

fn release(start: SimTime, period: SimDuration, number: u64) -> SimTime {
    start.saturating_add(SimDuration::from_nanos(period.as_nanos().saturating_mul(number)))
}

async fn pass_on(place: &Place, pipeline: &Pipeline, times: &mut TaskTimes, peers: &Peers) {
    let start = now();
    for frame in 0..u64::from(pipeline.frames) {
        let release = release(start, pipeline.period, frame);
        match peers.from.first() {
            Some(&(_, before)) => place.receive(0, before).await,
            None => place.sleep_until(release).await,
        }
        place.compute(place.node.params.scaled(times.compute())).await;
        match (peers.to.first(), &place.task.job) {
            (Some(&(_, after)), _) => place.send(after, pipeline.size).await,
            (None, Some(job)) => job.frame(release, pipeline.deadline),
            (None, None) => {}
        }
    }
}

async fn play(place: &Place, steps: &[Step], peers: &Peers) {
    let with = |list: &[(u32, Peer)], rank: u32| {
        let found = (0..).zip(list).find(|(_, (other, _))| *other == rank);
        found.map(|(number, &(_, peer))| (number, peer)).expect("every peer that a step names is known")
    };
    for &step in steps {
        match step {
            Step::Compute(span) => place.compute(place.node.params.scaled(span)).await,
            Step::Io(span) => place.io(span).await,
            Step::Send { to, size } => place.send(with(&peers.to, to).1, size).await,
            Step::Receive { from } => {
                let (sender, peer) = with(&peers.from, from);
                place.receive(sender, peer).await;
            }
        }
    }
}
