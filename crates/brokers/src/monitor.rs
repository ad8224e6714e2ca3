//! Monitors: they measure networks and servers, and write what they find into the database (HPDC
//! 1999, section 3.2, steps (0a), (0b)).
//!
//! A probe goes through the queues of its path as packets of tasks do, and takes of them what these
//! take. Its bandwidth is its size over the time from the entry of its first packet to the leaving
//! of its last. A packet of one byte before it measures the latency. Probes keep no run from being
//! over.

use std::cell::RefCell;
use std::rc::Rc;

use crate::environment::Environment;
use crate::info::{ClientNumber, NetworkInfo, Path, SeriesKey, ServerNumber};
use crate::kernel::rng::distribution::Sampler;
use crate::kernel::rng::{Stream, math};
use crate::kernel::{SimDuration, SimTime, note_decision, now, timed, timer};
use crate::record::{ProbeRun, Recorder, SentPacket};
use crate::station::{StationDemand, StationTraffic};
use crate::transfer::{PacketRun, PacketTransfer, send};
use crate::unit::SchedulingUnit;

/// Number of times that looks of monitors alone reach the limit of decisions before a run is given
/// up: a task may be served for as long as a great many looks take.
const LOOKS: u64 = 100;

/// Instants of measurements: every `period`, from `phase` on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MonitorSchedule {
    /// From one measurement to the next.
    pub period: SimDuration,
    /// Instant at which the first is made.
    pub phase: SimDuration,
}

/// Measurements that are not made.
#[derive(Debug, Default)]
pub struct Drops {
    /// Each is dropped with this probability, as drawn from the stream of what is measured.
    pub share: f64,
    /// The instants at which none is made, in order.
    pub instants: Rc<[SimTime]>,
}

impl Drops {
    /// Returns true if the measurement that is due now is dropped.
    fn drops(&self, stream: &mut Stream) -> bool {
        (self.share > 0.0 && stream.uniform01() < self.share) || self.instants.binary_search(&now()).is_ok()
    }
}

/// Deviation of the measurements of one path or server from the truth: by a factor, and by its
/// square after twice the time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Drift {
    /// The factor after an hour of the run.
    pub per_hour: f64,
}

impl Drift {
    /// By this law, from a stream of its own; none without a law.
    pub(crate) fn drawn(law: Option<&Sampler>, mut stream: Stream) -> Self {
        Drift { per_hour: law.map_or(1.0, |law| law.draw(&mut stream)) }
    }

    /// Reading at this instant of the true value `truth`: between a millionth of it and a million
    /// times as much.
    fn read(self, truth: f64, now: SimTime) -> f64 {
        truth * math::pow(self.per_hour, now.as_secs_f64() / 3600.0).clamp(1e-6, 1e6)
    }
}

/// Measurement of networks.
#[derive(Debug)]
pub struct NetworkMonitor {
    /// Bytes of a probe.
    pub probe: f64,
    /// After which time it is lost.
    pub timeout: SimDuration,
    /// True if latency is measured; else the nominal one stands in.
    pub measures_latency: bool,
    /// True if the state of queues is read, and nothing sent.
    pub is_free: bool,
    /// Law of the drift of each path's bandwidths; with `None` the truth is measured.
    pub drift: Option<Sampler>,
    /// Measurements that are left out.
    pub drops: Drops,
}

/// Measurement of servers.
#[derive(Debug)]
pub struct ServerMonitor {
    /// Operations that a reading costs its server.
    pub cost: f64,
    /// The time over which the load is averaged; if nothing is given, the load at the instant is
    /// read.
    pub average: Option<SimDuration>,
    /// Law of the drift of each server's loads and availabilities; with `None` the truth is
    /// measured.
    pub drift: Option<Sampler>,
    /// Measurements that are left out.
    pub drops: Drops,
}

/// Parts that all monitors share.
#[derive(Debug)]
pub(crate) struct Monitored {
    /// Servers and network.
    pub environment: Rc<Environment>,
    /// Scheduling unit that gets the measurements.
    pub unit: Rc<SchedulingUnit>,
    /// Records of the run.
    pub recorder: Rc<Recorder>,
}

impl Monitored {
    /// A monitor measures again: a run in which tasks are open and none of them ends would go on
    /// for ever.
    fn note_look(&self) {
        note_decision(|rounds, _| {
            let open = self.recorder.open();
            let why = || format!("monitors measure, {open} tasks are open, and none of them ends");
            (open > 0 && rounds >= LOOKS).then(why)
        });
    }
}

/// (0a): probes one path again and again.
pub(crate) async fn monitor_network(
    monitored: Rc<Monitored>,
    monitor: Rc<NetworkMonitor>,
    (path, schedule, drift): (Path, MonitorSchedule, Drift),
    stream: Stream,
) {
    let Monitored { environment, unit, recorder } = &*monitored;
    let stream = RefCell::new(stream);
    timer(schedule.phase).background().await;
    loop {
        let due = now();
        if (path.client, path.server) == (ClientNumber(0), ServerNumber(0)) {
            monitored.note_look();
        }
        if !monitor.drops.drops(&mut stream.borrow_mut()) {
            let found = if monitor.is_free {
                Some(environment.reading(path, monitor.probe))
            } else {
                let found = timed(monitor.timeout, probe(environment, recorder, &monitor, path)).await;
                recorder.probed(ProbeRun { path, begun: due, ended: now(), is_lost: found.is_none() });
                found
            };
            if let Some(mut info) = found {
                info.bandwidth = drift.read(info.bandwidth, now());
                recorder.replayed(environment, SeriesKey::Bandwidth(path), due, info.bandwidth);
                unit.measured_network(path, info);
            }
        }
        // a probe that takes longer than the period makes the next one late
        let next = due.saturating_add(schedule.period);
        timer(next.since(now())).background().await;
    }
}

/// One measurement of a path.
async fn probe(
    environment: &Environment,
    recorder: &Recorder,
    monitor: &NetworkMonitor,
    path: Path,
) -> NetworkInfo {
    let route = environment.network.route(path);
    let flows = &environment.network.flows;
    let probe = |bytes: f64| PacketTransfer {
        bytes,
        packet: environment.packet,
        traffic: StationTraffic::Probe,
        priority: 0,
    };
    let watch = |run: &PacketRun| {
        recorder.packet(SentPacket { task: None, queue: route[run.hop].number, run: *run });
    };
    let mut latency = environment.nominal(path).latency;
    if monitor.measures_latency {
        let begun = now();
        send(flows, route, probe(1.0), watch).await;
        latency = (now() - begun).as_secs_f64();
    }
    let carried = send(flows, route, probe(monitor.probe), watch).await;
    let bandwidth = monitor.probe / carried.left.since(carried.entered).as_secs_f64();
    NetworkInfo { time: now(), bandwidth, latency }
}

/// (0b): reads one server again and again.
pub(crate) async fn monitor_server(
    monitored: Rc<Monitored>,
    monitor: Rc<ServerMonitor>,
    (server, schedule, drift): (ServerNumber, MonitorSchedule, Drift),
    mut stream: Stream,
) {
    let Monitored { environment, unit, recorder } = &*monitored;
    let mut average = monitor.average.map(LoadAverage::new);
    wait(schedule.phase, environment, server, &mut average).await;
    loop {
        if server == ServerNumber(0) {
            monitored.note_look();
        }
        if !monitor.drops.drops(&mut stream) {
            let read = environment.server(server);
            let mut info = read.info();
            if average.is_some() || monitor.drift.is_some() {
                let load = average.as_ref().map_or(info.load, |average| average.value);
                info = read.info_with(drift.read(load, now()));
            }
            if read.availability.is_some() {
                info.availability = drift.read(info.availability, now()).min(1.0);
            }
            recorder.replayed(environment, SeriesKey::Availability(server), now(), info.availability);
            unit.measured_server(server, info);
            if monitor.cost > 0.0 {
                let demand = StationDemand { work: monitor.cost, priority: 0, flow: 0, processors: 1 };
                let station = Rc::clone(&environment.server(server).station);
                crate::kernel::spawn_daemon("reading", async move {
                    station.serve(demand, StationTraffic::Probe).await.ok();
                });
            }
        }
        wait(schedule.period, environment, server, &mut average).await;
    }
}

/// Number of times that a load average takes in the load.
const SAMPLED: SimDuration = SimDuration::from_secs(5);

/// The load of a server, averaged with weights that fall exponentially with age, as Unix systems
/// do.
#[derive(Debug)]
struct LoadAverage {
    over: SimDuration,
    value: f64,
    /// Instant at which a load was taken in last.
    at: SimTime,
}

impl LoadAverage {
    /// Of a server with nothing in it.
    fn new(over: SimDuration) -> Self {
        LoadAverage { over, value: 0.0, at: now() }
    }

    /// The load is this now, and was since the last one was taken in.
    fn take_in(&mut self, load: f64, now: SimTime) {
        let kept = math::exp(-now.since(self.at).as_secs_f64() / self.over.as_secs_f64());
        self.value = self.value * kept + load * (1.0 - kept);
        self.at = now;
    }
}

/// Waits, and takes in the load while it does.
async fn wait(
    span: SimDuration,
    environment: &Environment,
    server: ServerNumber,
    average: &mut Option<LoadAverage>,
) {
    let end = now().saturating_add(span);
    while let Some(average) = average
        && now() < end
    {
        timer(SAMPLED.min(end.since(now()))).background().await;
        average.take_in(environment.server(server).info().load, now());
    }
    timer(end.since(now())).background().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drift_grows_with_time_and_stays_finite() {
        let at = |hours: u64| SimTime::ZERO + SimDuration::from_secs(3600 * hours);
        let read = |per_hour: f64, hours: u64| Drift { per_hour }.read(200.0, at(hours));
        let read = [read(1.5, 0), read(1.5, 2), read(0.5, 2), read(1.0, 40), read(0.0, 1), read(9.0, 4000)];
        assert_eq!(
            read.map(|value| (value * 1e6).round() as u64),
            [200_000_000, 450_000_000, 50_000_000, 200_000_000, 200, 200_000_000_000_000]
        );
    }

    #[test]
    fn a_load_average_worked_by_hand() {
        let at = |secs: u64| SimTime::ZERO + SimDuration::from_secs(secs);
        let mut average = LoadAverage { over: SimDuration::from_secs(60), value: 0.0, at: at(0) };
        average.take_in(2.0, at(60));
        assert!((average.value - 2.0 * (1.0 - 1.0 / std::f64::consts::E)).abs() < 1e-12);
        // a load that stays is taken in by parts as at once
        let mut parts = LoadAverage { over: SimDuration::from_secs(60), value: 0.0, at: at(0) };
        (1..=12).for_each(|part| parts.take_in(2.0, at(5 * part)));
        assert!((parts.value - average.value).abs() < 1e-12);
        average.take_in(0.0, at(120));
        assert!((average.value - parts.value / std::f64::consts::E).abs() < 1e-12);
    }
}
