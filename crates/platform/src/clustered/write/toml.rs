//! A grid as the tables of a scenario, with a file for each value that changes, and what these
//! cannot hold.
//!
//! A cluster of equal hosts is one table; else its hosts have a table each.

use crate::clustered::clusters::ARCHITECTURE;
use crate::clustered::grid::{SweepCluster, SweepGrid, SweepHost};
use crate::clustered::write::instant;
use crate::kernel::SimTime;
use crate::registry::toml_text;
use crate::{Course, Stretch, Trace};

/// Rows of a trace in nanoseconds, and how long the last holds where they repeat.
type TraceRows = (Vec<(u64, f64)>, Option<u64>);

/// Changes of one value that are written.
const MOST_CHANGES: usize = 10_000;

/// A grid in the language of scenarios.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GridToml {
    /// `[platform]` and its tables.
    pub text: String,
    /// Files that it names: their names and texts.
    pub traces: Vec<(String, String)>,
    /// Properties that are not held, a sentence each.
    pub losses: Vec<String>,
}

/// The tables of a grid; traces are in files below `folder`, a path as the text is to write it.
pub fn toml(grid: &SweepGrid, origin: &str, speed: f64, folder: &str) -> GridToml {
    let mut toml =
        GridToml { text: format!("[platform]\norigin = {}\n\n", toml_text(origin)), ..GridToml::default() };
    for cluster in &grid.clusters {
        let hosts = &grid.hosts[cluster.hosts.start as usize..cluster.hosts.end as usize];
        toml.cluster(cluster, hosts, speed, folder);
    }
    toml
}

/// Returns true if the hosts of a cluster are the same but for their usual names.
fn are_equal(cluster: &SweepCluster, hosts: &[SweepHost]) -> bool {
    let Some(first) = hosts.first() else { return false };
    let alike = |(number, host): (usize, &SweepHost)| {
        host.name == format!("{}-{number}", cluster.name)
            && (host.architecture, host.processors) == (first.architecture, first.processors)
            && host.speed.to_bits() == first.speed.to_bits()
            && (&host.availability, &host.present) == (&first.availability, &first.present)
            && host.queue_wait.is_none()
    };
    hosts.iter().enumerate().all(alike)
}

impl GridToml {
    fn cluster(&mut self, cluster: &SweepCluster, hosts: &[SweepHost], speed: f64, folder: &str) {
        let name = toml_text(&cluster.name);
        let at_start = |trace: &Trace| trace.value_at(SimTime::ZERO);
        self.text += &format!("[[platform.cluster]]\nname = {name}\n");
        let equal = are_equal(cluster, hosts);
        if equal {
            self.text += &format!("hosts = {}\n", hosts.len());
        }
        self.text += &format!(
            "link = {{ bandwidth = \"{:?}Bps\", latency = \"{:?}s\"",
            at_start(&cluster.bandwidth),
            at_start(&cluster.latency)
        );
        for (key, trace) in [
            ("bandwidth-trace", &cluster.bandwidth),
            ("latency-trace", &cluster.latency),
            ("state-trace", &cluster.present),
        ] {
            if let Some(file) = self.file(trace, folder, &cluster.name) {
                self.text += &format!(", {key} = {file}");
            }
        }
        self.text += " }\n";
        if !cluster.has_storage {
            self.text += "storage = \"none\"\n";
        }
        if let Some(bytes) = cluster.capacity {
            self.text += &format!("capacity = \"{bytes}B\"\n");
        }
        if let Some(prices) = cluster.prices {
            self.text +=
                &format!("price = {:?}\nprice-per-byte = {:?}\n", prices.per_second, prices.per_byte);
        }
        if equal {
            self.host(&hosts[0], folder);
            let host = &hosts[0];
            if host.architecture > 0 {
                self.text += &format!("architecture = {}\n", host.architecture);
            }
            if host.speed.to_bits() != 1.0_f64.to_bits() {
                self.text += &format!("speed = \"{:?}f\"\n", host.speed * speed);
            }
            self.text.push('\n');
            return;
        }
        self.text.push('\n');
        for host in hosts {
            self.text += &format!("[[platform.host]]\nname = {}\nzone = {name}\n", toml_text(&host.name));
            self.text += &format!("speed = \"{:?}f\"\n", host.speed * speed);
            self.host(host, folder);
            if host.architecture > 0 {
                self.text += &format!("properties = {{ {ARCHITECTURE} = \"{}\" }}\n", host.architecture);
            }
            if host.queue_wait.is_some() {
                self.losses.push(format!("the queue wait of `{}` is not written", host.name));
            }
            self.text.push('\n');
        }
    }

    /// Writes the keys that tables of hosts and of clusters share.
    fn host(&mut self, host: &SweepHost, folder: &str) {
        if host.processors != 1 {
            self.text += &format!("cores = {}\n", host.processors);
        }
        match self.file(&host.availability, folder, &host.name) {
            Some(file) => self.text += &format!("availability-trace = {file}\n"),
            None => {
                let share = host.availability.value_at(SimTime::ZERO);
                if share.to_bits() != 1.0_f64.to_bits() {
                    self.text += &format!("availability = {share:?}\n");
                }
            }
        }
        if let Some(file) = self.file(&host.present, folder, &host.name) {
            self.text += &format!("state-trace = {file}\n");
        }
    }

    /// The file of a value that changes, as the text names it.
    fn file(&mut self, trace: &Trace, folder: &str, owner: &str) -> Option<String> {
        let (rows, periodicity) = self.rows(trace, owner)?;
        let letter = |letter: char| {
            if letter.is_ascii_alphanumeric() || ".-_".contains(letter) { letter } else { '_' }
        };
        let safe: String = owner.chars().map(letter).collect();
        // two names may be written alike, so the number of the file stands before them
        let name = format!("{:04}-{safe}.csv", self.traces.len());
        let mut text = "time,value\n".to_owned();
        for (nanos, value) in rows {
            text += &format!("{}.{:09},{value:?}\n", nanos / 1_000_000_000, nanos % 1_000_000_000);
        }
        self.traces.push((name.clone(), text));
        let file = toml_text(&format!("{folder}/{name}"));
        Some(match periodicity {
            Some(periodicity) => format!("{{ file = {file}, periodicity = \"{}s\" }}", instant(periodicity)),
            None => file,
        })
    }

    /// The rows of a value that changes, in nanoseconds, and how long the last holds where they
    /// repeat; `None` of a constant that needs none.
    fn rows(&mut self, trace: &Trace, owner: &str) -> Option<TraceRows> {
        let (stretches, _) = trace.stretches(1);
        if let [Stretch { from: SimTime::ZERO, course: Course::Round(round) }] = &stretches[..] {
            let round = round.rotated();
            let rows: Vec<(u64, f64)> =
                round.values.iter().map(|(at, value)| (at.as_nanos(), *value)).collect();
            let last = rows.last().map_or(0, |(at, _)| *at);
            return Some((rows, Some(round.length.as_nanos() - last)));
        }
        let at = |at: &SimTime| trace.next_change(*at);
        let mut points: Vec<SimTime> =
            std::iter::successors(Some(SimTime::ZERO), at).take(MOST_CHANGES + 1).collect();
        // nothing changes; what is away for good has to be written
        if points.len() == 1 && (trace.value_at(SimTime::ZERO) > 0.0 || owner.is_empty()) {
            return None;
        }
        if points.len() > MOST_CHANGES {
            points.truncate(MOST_CHANGES);
            let end = points[MOST_CHANGES - 1].as_secs_f64();
            self.losses.push(format!("a value of `{owner}` that changes for ever is written up to {end} s"));
        }
        let mut rows = Vec::new();
        for point in points {
            let (least, value) = (trace.least_at(point), trace.value_at(point));
            // a state that leaves and returns at one instant
            rows.extend((least < value).then_some((point.as_nanos(), least)));
            rows.push((point.as_nanos(), value));
        }
        Some((rows, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimDuration;
    use crate::{Builder, Host, Link};

    fn grid(availabilities: [Trace; 2]) -> SweepGrid {
        let mut builder = Builder::new();
        let origin = builder.host(Host::new("home", 1.0)).expect("a host");
        let behind = builder.cluster_behind("c", Link::new(1e4, 0.25)).expect("a cluster");
        builder.join_behind(origin, behind).expect("a route");
        for (number, availability) in availabilities.into_iter().enumerate() {
            let host = Host { availability, ..Host::new(format!("c-{number}"), 1e10) };
            builder.host_behind(behind.zone, host).expect("a host");
        }
        SweepGrid::of(&builder.build(), &[origin], 1e10).expect("a grid")
    }

    #[test]
    fn equal_hosts_are_one_table() {
        let half = Trace::constant(0.5);
        let written = toml(&grid([half.clone(), half]), "home", 1e10, "g");
        let expected = "[platform]\norigin = \"home\"\n\n[[platform.cluster]]\nname = \"c\"\nhosts = 2\n\
                        link = { bandwidth = \"10000.0Bps\", latency = \"0.25s\" }\navailability = 0.5\n\n";
        assert_eq!((written.text.as_str(), written.traces.len(), written.losses.len()), (expected, 0, 0));
    }

    #[test]
    fn other_hosts_have_tables_and_traces_of_their_own() {
        let late =
            Trace::constant(0.5).then(SimTime::ZERO + SimDuration::from_secs(7), Trace::constant(0.25));
        let series = Trace::series(&[1.0, 0.5], SimDuration::from_secs(5)).expect("a series");
        let written = toml(&grid([late, series.clone()]), "home", 1e10, "g");
        assert!(written.text.contains("[[platform.host]]\nname = \"c-1\"\nzone = \"c\"\nspeed = \"10000000000.0f\"\navailability-trace = { file = \"g/0001-c-1.csv\", periodicity = \"5s\" }\n"), "{}", written.text);
        assert_eq!(written.traces[0].1, "time,value\n0.000000000,0.5\n7.000000000,0.25\n");
        assert_eq!(written.traces[1].1, "time,value\n0.000000000,1.0\n5.000000000,0.5\n");
        assert!(written.losses.is_empty(), "{:?}", written.losses);
        let then = Trace::constant(0.5).then(SimTime::ZERO + SimDuration::from_secs(7), series);
        let written = toml(&grid([Trace::constant(0.5), then]), "home", 1e10, "g");
        assert_eq!(written.losses, ["a value of `c-1` that changes for ever is written up to 49997 s"]);
    }
}
