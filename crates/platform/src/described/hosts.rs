//! Hosts out of their tables.

use crate::registry::{Complaint, Node, Params, code};
use crate::units::{Bandwidth, Speed};
use crate::{Disk, Host, Trace};

use super::description::{TableReader, given_once, properties, refused};
use super::traces::{shares, trace};

impl<'a> TableReader<'a> {
    /// Adds the hosts of a table to its zone; a cluster of described hosts has them already.
    pub(super) fn host(&mut self, table: &Params<'a>) -> Result<(), Vec<Complaint>> {
        let named = table.tree().get("zone").and_then(Node::as_text);
        if named.is_some_and(|zone| self.of_described.contains(zone)) {
            return Ok(());
        }
        let (zone, hosts) = (self.zone(table), self.hosts(table));
        let (zone, hosts) = match (zone, hosts) {
            (Ok(zone), Ok(hosts)) => (zone, hosts),
            (zone, hosts) => return Err([zone.err(), hosts.err()].into_iter().flatten().flatten().collect()),
        };
        if let Some(cluster) = named.and_then(|zone| self.counted_cluster(zone)) {
            let topology = cluster.read::<String>("topology")?;
            let message =
                format!("the {topology} that this host lies in has other hosts, and no cable to it");
            let complaint =
                table.complaint("zone", message).help("describe each of its hosts, without `hosts`");
            return Err(complaint.note("the cluster is here", Some(cluster.span("name"))).into());
        }
        for host in hosts {
            self.add_host(zone, host).map_err(|why| refused(table, "name", &why))?;
        }
        Ok(())
    }

    /// The hosts of a table.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(super) fn hosts(&mut self, table: &Params<'a>) -> Result<Vec<Host>, Vec<Complaint>> {
        let availability = shares(table, "availability-trace");
        let working = trace(table, "state-trace");
        let load = self.load(table, "load");
        let host = host(&self.params, table);
        let (availability, working, host, load) = match (availability, working, host, load) {
            (Ok(availability), Ok(working), Ok(host), Ok(load)) => (availability, working, host, load),
            (availability, working, host, load) => {
                let lists = [availability.err(), working.err()].into_iter().flatten().flatten();
                return Err(lists.chain(host.err()).chain(load.err()).collect());
            }
        };
        given_once(table, ["availability", "availability-trace", "load"], "the availability")?;
        let count: Option<u32> = table.read("count")?;
        let hosts = (0..count.unwrap_or(1)).map(|number| {
            let mut another = host.clone();
            if count.is_some() {
                another.name = format!("{}-{number}", host.name);
            }
            if let Some(trace) = &availability {
                another.availability = trace.of(number);
            }
            if let Some(load) = &load {
                another.availability = load.availability(self.streams, &another.name);
            }
            if let Some(trace) = &working {
                another.working = trace.of(number);
            }
            another
        });
        Ok(hosts.collect())
    }
}

/// A host, but for its traces.
fn host(params: &Params<'_>, table: &Params<'_>) -> Result<Host, Complaint> {
    let name: String = table.read("name")?;
    let speed: Option<Speed> = table.read("speed")?;
    let states: Option<Vec<Speed>> = table.read("power-states")?;
    let speeds: Vec<f64> = match (speed, states) {
        (Some(speed), None) => vec![speed.flops_per_sec()],
        (None, Some(states)) if !states.is_empty() => states.into_iter().map(Speed::flops_per_sec).collect(),
        (Some(_), Some(_)) => {
            let complaint = table.complaint("speed", "`speed` is given, and `power-states` are, too");
            return Err(complaint.label("take one of them out"));
        }
        (None, _) => {
            let message = format!("nothing says how fast `{name}` computes");
            let complaint = Complaint::new(code::MISSING_KEY, message, table.span("power-states"));
            return Err(complaint.help("write `speed`, such as \"1.5Gf\", or `power-states`"));
        }
    };
    let power_state = table.read::<Option<usize>>("power-state")?.unwrap_or(0);
    if power_state >= speeds.len() {
        let message = format!("there are {} power states, from 0", speeds.len());
        return Err(table.complaint("power-state", message));
    }
    let availability =
        table.read::<Option<f64>>("availability")?.map_or(Trace::constant(1.0), Trace::constant);
    let mut disks = Vec::new();
    for node in table.items("disk") {
        let disk = params.with(node);
        let (name, read, write): (String, Bandwidth, Bandwidth) =
            (disk.read("name")?, disk.read("read")?, disk.read("write")?);
        if disks.iter().any(|other: &Disk| other.name == name) {
            return Err(disk.complaint("name", format!("there are two disks of the name `{name}`")));
        }
        let (read_bandwidth, write_bandwidth) = (read.bytes_per_sec(), write.bytes_per_sec());
        disks.push(Disk { name, read_bandwidth, write_bandwidth, properties: properties(&disk) });
    }
    let (cores, properties) = (table.read("cores")?, properties(table));
    Ok(Host { speeds, power_state, cores, availability, disks, properties, ..Host::new(name, 1.0) })
}
