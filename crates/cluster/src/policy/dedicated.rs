//! The dedicated time of a job: how long it takes alone, on the first nodes of the cluster, without
//! any scheme.
//!
//! It is what slowdown compares with. The tasks draw the very times that they draw in the run
//! itself, so the comparison is with the same work. Jobs of one application that draws nothing
//! share one such run.
//!
//! Source: "ClusterSchedSim", SIMULATION 80(4-5), 2004, section 2.2 (slowdown).

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::ids::JobId;
use crate::kernel::rng::Streams;
use crate::kernel::{Event, SimDuration, SimError, SimTime, Simulation, now};
use crate::node::{Cluster, Local, Scheme, Slot, draws};
use crate::workload::Job;
use crate::workload::parallel::Application;

use super::execution::TaskDetail;

/// Replaces the run time of every job that fits the cluster by its dedicated time, and its estimate
/// where that was its run time.
///
/// # Errors
/// A job that cannot end even alone.
pub fn dedicate(jobs: &mut [Job], detail: &TaskDetail, streams: Streams) -> Result<(), SimError> {
    let slots: Vec<Slot> = detail.layout.slots().collect();
    let mut known: OrderedMap<usize, SimDuration> = OrderedMap::new();
    for (id, job) in (0..).map(JobId).zip(jobs) {
        let application = detail.applications.application(id);
        let Some(on) = slots.get(..application.tasks as usize) else { continue };
        let place = Arc::as_ptr(application) as usize;
        let time = match known.get(&place) {
            Some(&time) => time,
            None => {
                let time = alone(detail, application, job.number, on, streams)?;
                if draws_nothing(application, job.number, &streams) {
                    known.insert(place, time);
                }
                time
            }
        };
        let exact = job.estimate == job.run_time;
        job.run_time = time;
        job.estimate = if exact { time } else { job.estimate.max(time) };
    }
    Ok(())
}

/// Returns true if no task of the job draws a random number.
fn draws_nothing(application: &Application, number: u64, streams: &Streams) -> bool {
    (0..application.tasks).all(|rank| !draws(application, rank, number, streams))
}

/// Time that a job takes alone.
fn alone(
    detail: &TaskDetail,
    application: &Arc<Application>,
    number: u64,
    on: &[Slot],
    streams: Streams,
) -> Result<SimDuration, SimError> {
    let simulation = Simulation::with_streams(streams);
    let ended = Rc::new(Cell::new(SimTime::ZERO));
    let (layout, application, on) = (detail.layout.clone(), Arc::clone(application), on.to_vec());
    let end = Rc::clone(&ended);
    simulation.spawn("dedicated run", async move {
        let over = Event::new("the end of the job");
        let set = over.clone();
        let cluster = Cluster::new(&layout, Scheme::local(), Local::Own, streams, move |task| {
            if task.last {
                end.set(now());
                set.set();
            }
        });
        cluster.start(JobId(0), number, &application, &on);
        over.wait().await;
        cluster.clear();
    });
    simulation.run()?;
    Ok(ended.get().since(SimTime::ZERO).max(SimDuration::from_nanos(1)))
}
