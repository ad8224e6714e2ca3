//! Hosts: how fast they compute, how much of that there is, whether they work, and what disks they
//! have.

use crate::Trace;
use crate::collections::OrderedMap;
use crate::error::{PlatformError, rate};
use crate::ids::index;

index! {
    /// A host of a platform, numbered from 0 in the order of creation.
    pub struct HostId(u32);
}

impl HostId {
    /// The host of this number.
    pub const fn new(index: u32) -> Self {
        HostId(index)
    }
}

/// A host.
#[derive(Clone, PartialEq, Debug)]
pub struct Host {
    /// Name; no two hosts have one name.
    pub name: String,
    /// Work per second of one core in each of its power states, at least one; in the unit that
    /// tasks are measured in.
    pub speeds: Vec<f64>,
    /// The power state that it begins in, a place in `speeds`.
    pub power_state: usize,
    /// Cores; a task computes on one of them at a time.
    pub cores: u32,
    /// The share of its speed that is available, from 0 to 1.
    pub availability: Trace,
    /// Above 0 while the host works.
    pub working: Trace,
    /// Disks.
    pub disks: Vec<Disk>,
    /// Properties that the platform's author gave it.
    pub properties: OrderedMap<String, String>,
}

impl Host {
    /// A host of one core of this `speed`, which is all available and works for ever.
    pub fn new(name: impl Into<String>, speed: f64) -> Self {
        Host {
            name: name.into(),
            speeds: vec![speed],
            power_state: 0,
            cores: 1,
            availability: Trace::constant(1.0),
            working: Trace::constant(1.0),
            disks: Vec::new(),
            properties: OrderedMap::new(),
        }
    }

    /// Work per second of one core in the power state that it begins in.
    pub fn speed(&self) -> f64 {
        self.speeds.get(self.power_state).copied().unwrap_or(0.0)
    }

    /// Refuses numbers that are none, and a power state that it does not have.
    pub(crate) fn check(&self) -> Result<(), PlatformError> {
        let wrong = |what, value, expected| {
            Err(PlatformError::Value { name: self.name.clone(), what, value, expected })
        };
        for &speed in &self.speeds {
            if !(speed.is_finite() && speed >= 0.0) {
                return wrong("speed", speed, "a number of 0 or more");
            }
        }
        if self.power_state >= self.speeds.len() {
            return wrong("power state", self.power_state as f64, "one for which there is a speed");
        }
        if self.cores == 0 {
            return wrong("number of cores", 0.0, "at least 1");
        }
        self.disks.iter().try_for_each(|disk| {
            rate(&disk.name, "read bandwidth", disk.read_bandwidth)?;
            rate(&disk.name, "write bandwidth", disk.write_bandwidth)
        })
    }
}

/// A disk of a host.
#[derive(Clone, PartialEq, Debug)]
pub struct Disk {
    /// Name; no two disks of a host have one name.
    pub name: String,
    /// Size read per second.
    pub read_bandwidth: f64,
    /// Size written per second.
    pub write_bandwidth: f64,
    /// Properties that the platform's author gave it.
    pub properties: OrderedMap<String, String>,
}
