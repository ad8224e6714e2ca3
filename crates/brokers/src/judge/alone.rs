//! The time of a task alone: on idle servers, behind idle queues, at speeds that never change.

use crate::kernel::SimDuration;

use super::facts::{JudgedStation, WholeRun};
use super::run::{Run, TaskRow};
use super::speed::takes;
use super::unjudged::{ALONE, PAIRS};

/// The time of a task on the server that is fastest for it.
///
/// # Errors
/// Routes are not known, or speeds change.
pub(super) fn on_fastest(
    run: &Run<'_>,
    whole: &WholeRun<'_>,
    task: &TaskRow,
) -> Result<SimDuration, &'static str> {
    let mut least: Option<SimDuration> = None;
    for (number, described) in whole.servers.iter().enumerate() {
        let of = JudgedStation::Server(number);
        let facts = run.facts.station(of);
        if task.processors > u64::from(facts.processors) {
            continue;
        }
        let key = (task.client.clone(), described.name.clone());
        let [there, back] = whole.routes.get(&key).ok_or(PAIRS)?;
        // one that is shared gives each one processor
        let processors = if facts.is_shared { 1 } else { task.processors.max(1) };
        let speed = run.facts.speed(of).constant().ok_or(ALONE)?;
        let served = takes(task.instructions / processors as f64, speed).ok_or(ALONE)?;
        let sent = carried(run, whole.packet, there, task.bytes[0])?;
        let time = sent + served + carried(run, whole.packet, back, task.bytes[1])?;
        least = Some(least.map_or(time, |least| least.min(time)));
    }
    least.ok_or(ALONE)
}

/// The time of data along a route: a packet is outstanding at a time, is stored and forwarded at
/// each queue, and travels behind it.
fn carried(run: &Run<'_>, packet: f64, route: &[usize], bytes: f64) -> Result<SimDuration, &'static str> {
    let latency = |queue: &usize| run.facts.station(JudgedStation::Queue(*queue)).latency;
    let behind = route.last().map(latency).unwrap_or_default();
    if bytes <= 0.0 {
        return Ok(route.iter().map(latency).sum());
    }
    let pass = |bytes: f64| -> Result<SimDuration, &'static str> {
        let mut time = SimDuration::ZERO;
        for (place, queue) in route.iter().enumerate() {
            let speed = run.facts.speed(JudgedStation::Queue(*queue)).constant().ok_or(ALONE)?;
            time += takes(bytes, speed).ok_or(ALONE)?;
            if place + 1 < route.len() {
                time += latency(queue);
            }
        }
        Ok(time)
    };
    let full = ((bytes / packet).ceil() - 1.0).max(0.0);
    let whole = pass(packet)?.checked_mul(full as u64).ok_or(ALONE)?;
    Ok(whole + pass(bytes - full * packet)? + behind)
}
