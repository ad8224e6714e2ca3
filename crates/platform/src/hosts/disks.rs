//! Disks of hosts: what is read shares the disk's reading, what is written its writing, all alike.
//!
//! Reading and writing do not take from each other. Each is shared as the cores of a host are
//! ([`Processors`]), with the bandwidth of the disk in the place of a speed: what is in progress
//! costs O(log n) at each beginning and end, and an idle disk nothing.
//!
//! Source: the disks of SimGrid's platform files, which have a bandwidth for reading and one for
//! writing. Left out: seeks, caches, how much a disk holds, and that reading may slow writing.

use std::fmt;
use std::sync::Arc;

use crate::collections::OrderedMap;
use crate::{Builder, ExecutionFailed, Host, HostId, Platform, Processors};

/// A kind of access to a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Read from it.
    Read,
    /// Write to it.
    Write,
}

/// Reason that a disk was not read or written.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum AccessFailed {
    /// The host has no disk of this name.
    #[error("host `{host}` has no disk `{disk}`")]
    NoDisk {
        /// The host.
        host: String,
        /// The name that was asked for.
        disk: String,
    },
    /// The size is none, or the disk cannot do this at all.
    #[error("{0} to read or write: a number of 0 or more was expected")]
    Wrong(f64),
}

/// The disks of all hosts of a run; clones share them.
#[derive(Clone)]
pub struct Disks {
    platform: Arc<Platform>,
    /// A host of its own stands for each disk and each kind of access.
    heads: Processors,
    places: Arc<OrderedMap<(HostId, String), [HostId; 2]>>,
}

impl fmt::Debug for Disks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Disks").field("disks", &self.places.len()).finish_non_exhaustive()
    }
}

impl Disks {
    /// The disks of the hosts of `platform`, all idle.
    pub fn new(platform: &Arc<Platform>) -> Self {
        let (mut builder, mut places) = (Builder::new(), OrderedMap::new());
        for (number, host) in (0..).map(HostId::new).zip(platform.hosts()) {
            for disk in &host.disks {
                let mut head = |bandwidth: f64, what: &str| {
                    let name = format!("{}/{}/{what}", number.index(), disk.name);
                    builder.host(Host::new(name, bandwidth)).ok()
                };
                let heads = (head(disk.read_bandwidth, "read"), head(disk.write_bandwidth, "write"));
                if let (Some(read), Some(write)) = heads {
                    places.insert((number, disk.name.clone()), [read, write]);
                }
            }
        }
        let heads = Processors::new(&Arc::new(builder.build()));
        Disks { platform: Arc::clone(platform), heads, places: Arc::new(places) }
    }

    /// Reads or writes `size` at a disk of a host, with an equal share of its bandwidth. Nothing of
    /// no size takes time; what is dropped is given up.
    ///
    /// # Errors
    /// There is no such disk, or the size is none.
    ///
    /// # Panics
    /// Outside a simulation, or if the host is of another platform.
    pub async fn access(
        &self,
        host: HostId,
        disk: &str,
        access: Access,
        size: f64,
    ) -> Result<(), AccessFailed> {
        let no_disk =
            || AccessFailed::NoDisk { host: self.platform.host(host).name.clone(), disk: disk.to_owned() };
        let heads = self.places.get(&(host, disk.to_owned())).ok_or_else(no_disk)?;
        let head = heads[usize::from(access == Access::Write)];
        match self.heads.execute(head, size, 1.0, None).await {
            Ok(()) => Ok(()),
            Err(ExecutionFailed::Wrong(wrong)) => Err(AccessFailed::Wrong(wrong)),
            Err(ExecutionFailed::Host(_)) => Err(no_disk()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;
    use crate::Disk;
    use crate::kernel::{SimDuration, SimTime, Simulation, hold, now};

    /// Two read 60 at 10 a second, the second from 3 s on: the first is through at 9 s, the other
    /// at 12; the writer is not held up.
    #[test]
    fn readers_share_and_writers_do_not_slow_them() {
        let disk = Disk {
            name: "d".to_owned(),
            read_bandwidth: 10.0,
            write_bandwidth: 4.0,
            properties: OrderedMap::new(),
        };
        let mut builder = Builder::new();
        let host = Host { disks: vec![disk], ..Host::new("h", 1.0) };
        let host = builder.host(host).expect("one host");
        let platform = Arc::new(builder.build());
        let simulation = Simulation::new(1);
        let disks = simulation.enter(|| Disks::new(&platform));
        let ends = Rc::new(RefCell::new(Vec::new()));
        for (start, access, size) in
            [(0, Access::Read, 60.0), (3, Access::Read, 60.0), (0, Access::Write, 40.0)]
        {
            let (disks, ends) = (disks.clone(), Rc::clone(&ends));
            simulation.spawn("reader", async move {
                hold(SimDuration::from_secs(start)).await;
                disks.access(host, "d", access, size).await.expect("a disk");
                ends.borrow_mut().push((start, now()));
            });
        }
        let wrong = disks.clone();
        simulation.spawn("wrong", async move {
            let missing = wrong.access(host, "e", Access::Read, 1.0).await;
            assert_eq!(
                missing.map_err(|error| error.to_string()),
                Err("host `h` has no disk `e`".to_owned())
            );
            let none = wrong.access(host, "d", Access::Read, f64::NAN).await;
            assert!(matches!(none, Err(AccessFailed::Wrong(_))));
        });
        simulation.run().expect("all end");
        let at = |secs: u64| SimTime::ZERO + SimDuration::from_secs(secs);
        // 30 by 3 s; 5 a second each until the first has its other 30 at 9 s; then the rest of the
        // second's 30 alone
        assert_eq!(*ends.borrow(), [(0, at(9)), (0, at(10)), (3, at(12))]);
    }
}
