//! The process of an application task: `DoAppTask`.
//!
//! ```text
//! for each iteration: compute ─▶ I/O ─▶ send to every peer ─▶ receive from every peer
//! ```
//!
//! There are also pipelines, whose stages receive first, and recorded sequences of steps.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, sections 2.2 and 3.2.

use crate::kernel::{SimDuration, SimTime, now};
use crate::workload::parallel::{
    Application, Iterations, Pipeline, Program, Quality, RecordedStep, TaskTimes,
};

use super::process::{Peer, TaskProcess};

/// The tasks that a task exchanges messages with.
#[derive(Debug, Default)]
pub(in crate::node) struct Peers {
    /// The peers it sends to and their ranks, in the order of sending.
    pub(in crate::node) to: Box<[(Peer, u32)]>,
    /// The peers it receives from, in the order of receiving.
    pub(in crate::node) from: Box<[(Peer, u32)]>,
}

/// The part of an application that one task is.
pub(in crate::node) struct Part<'a> {
    pub(in crate::node) process: &'a TaskProcess,
    pub(in crate::node) application: &'a Application,
    pub(in crate::node) rank: u32,
    pub(in crate::node) peers: &'a Peers,
}

impl Part<'_> {
    /// Runs the task from its start to its end.
    pub(in crate::node) async fn run(&self, times: &mut TaskTimes) {
        match &self.application.program {
            Program::Iterations(iterations) => self.iterate(iterations, times).await,
            Program::Pipeline(pipeline) => self.pass_on(pipeline, times).await,
            Program::Recorded(tasks) => self.play(&tasks[self.rank as usize]).await,
        }
    }

    async fn iterate(&self, program: &Iterations, times: &mut TaskTimes) {
        let start = now();
        for iteration in 0..program.iterations {
            if let Some((release, _)) = self.due(start, iteration) {
                self.process.sleep_until(release).await;
            }
            if program.compute.of(0).is_some() {
                self.process.compute(self.process.node.params.scaled(times.compute())).await;
            }
            if program.io.of(0).is_some() {
                self.process.io(times.io()).await;
            }
            for (peer, _) in &self.peers.to {
                for _ in 0..program.messages {
                    self.process.send(peer, program.size).await;
                }
            }
            for (sender, (peer, _)) in (0..).zip(&self.peers.from) {
                for _ in 0..program.messages {
                    self.process.receive(sender, peer).await;
                }
            }
            if let (Some((release, deadline)), Some(job)) =
                (self.due(start, iteration), &self.process.task.job)
            {
                job.frame(release, deadline);
            }
        }
    }

    /// When an iteration is released, and how long after that it is due; none for best effort.
    fn due(&self, start: SimTime, iteration: u32) -> Option<(SimTime, SimDuration)> {
        match self.application.quality {
            Quality::BestEffort => None,
            Quality::RealTime { period, deadline, .. } => {
                Some((release(start, period, u64::from(iteration)), deadline))
            }
        }
    }

    async fn pass_on(&self, pipeline: &Pipeline, times: &mut TaskTimes) {
        let start = now();
        for frame in 0..u64::from(pipeline.frames) {
            let release = release(start, pipeline.period, frame);
            match self.peers.from.first() {
                Some((before, _)) => self.process.receive(0, before).await,
                None => self.process.sleep_until(release).await,
            }
            self.process.compute(self.process.node.params.scaled(times.compute())).await;
            match (self.peers.to.first(), &self.process.task.job) {
                (Some((after, _)), _) => self.process.send(after, pipeline.size).await,
                (None, Some(job)) => job.frame(release, pipeline.deadline),
                (None, None) => {}
            }
        }
    }

    async fn play(&self, steps: &[RecordedStep]) {
        let process = self.process;
        for &step in steps {
            match step {
                RecordedStep::Compute(span) => process.compute(process.node.params.scaled(span)).await,
                RecordedStep::Io(span) => process.io(span).await,
                RecordedStep::Send { to, size } => process.send(find(&self.peers.to, to).1, size).await,
                RecordedStep::Receive { from } => {
                    let (sender, peer) = find(&self.peers.from, from);
                    process.receive(sender, peer).await;
                }
            }
        }
    }
}

/// A peer by its rank, and its place in the list.
fn find(list: &[(Peer, u32)], rank: u32) -> (u32, &Peer) {
    let found = (0..).zip(list).find(|(_, (_, other))| *other == rank);
    found.map(|(number, (peer, _))| (number, peer)).expect("every peer that a step names is known")
}

fn release(start: SimTime, period: SimDuration, number: u64) -> SimTime {
    start.saturating_add(SimDuration::from_nanos(period.as_nanos().saturating_mul(number)))
}
