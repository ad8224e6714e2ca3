//! A grid as a text of the template, and what that cannot hold.
//!
//! Each value is a behaviour of one value, and each change of it an event. Shares and rates that the names of published files stand for
//! have these names (`stable_50`, `stable_100Kb`); others have names that `platform.behaviour` has to explain.

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::SimTime;
use crate::platform::Trace;
use crate::sweep::grid::{SweepCluster, SweepGrid};
use crate::sweep::read::events::HEADING;

/// Changes of one value that are written.
const MOST_CHANGES: usize = 1_000;

/// A grid as a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GridText {
    /// The text.
    pub text: String,
    /// What is not held, or has to be said with it, a sentence each.
    pub losses: Vec<String>,
}

/// What happens at an instant: hosts leave before their cluster, and come after it.
type Events = OrderedMap<(SimTime, Step), Vec<String>>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    HostLeaves,
    ClusterLeaves,
    ClusterComes,
    HostComes,
    Changes,
}

#[derive(Default)]
struct Writing {
    events: Events,
    /// Behaviours that no name of a published file stands for, and their values.
    named: OrderedMap<String, String>,
    /// Clusters and hosts with more changes than are written.
    endless: OrderedSet<String>,
}

/// A cluster or host.
struct BehaviourOf<'a> {
    name: &'a str,
    word: &'static str,
    /// How it leaves and comes.
    steps: [Step; 2],
    present: Vec<(SimTime, bool)>,
    values: &'a Trace,
    behaviour: fn(f64) -> (String, Option<String>),
    /// The event that adds it with a behaviour.
    add: &'a dyn Fn(&str) -> String,
}

impl Writing {
    fn event(&mut self, at: SimTime, step: Step, text: String) {
        self.events.entry((at, step)).or_default().push(text);
    }

    /// The name of the behaviour that holds at an instant.
    fn behaviour(&mut self, one: &BehaviourOf<'_>, at: SimTime) -> String {
        let (name, value) = (one.behaviour)(one.values.value_at(at));
        if let Some(value) = value {
            self.named.insert(name.clone(), value);
        }
        name
    }

    fn resource(&mut self, one: &BehaviourOf<'_>) {
        let [leaves, comes] = one.steps;
        let mut is_there = false;
        let mut stays = Vec::new();
        for &(at, present) in one.present.iter().take(MOST_CHANGES) {
            if present && !is_there {
                let behaviour = self.behaviour(one, at);
                self.event(at, comes, (one.add)(&behaviour));
                stays.push((at, SimTime::MAX));
            } else if is_there && !present {
                self.event(at, leaves, format!("REMOVE_{} <{}>", one.word, one.name));
                stays.last_mut().expect("it came before").1 = at;
            }
            is_there = present;
        }
        let values: Vec<SimTime> = changes(one.values).skip(1).collect();
        if one.present.len() > MOST_CHANGES || values.len() >= MOST_CHANGES {
            self.endless.insert(one.name.to_owned());
        }
        for at in values.into_iter().take(MOST_CHANGES) {
            if stays.iter().any(|(from, to)| *from < at && at < *to) {
                let behaviour = self.behaviour(one, at);
                let text = format!("CHANGE_{}_BEHAVIOR <{}> <{behaviour}> <0>", one.word, one.name);
                self.event(at, Step::Changes, text);
            }
        }
    }
}

/// The text of a grid.
pub fn text(grid: &SweepGrid) -> GridText {
    let mut writing = Writing::default();
    for cluster in &grid.clusters {
        let name = word(&cluster.name);
        writing.resource(&BehaviourOf {
            name: &name,
            word: "CLUSTER",
            steps: [Step::ClusterLeaves, Step::ClusterComes],
            present: changes(&cluster.present).map(|at| (at, cluster.present.value_at(at) > 0.0)).collect(),
            values: &cluster.bandwidth,
            behaviour: rate,
            add: &|behaviour| format!("ADD_CLUSTER <{name}> <{behaviour}> <0>"),
        });
    }
    for host in &grid.hosts {
        let cluster = grid.cluster(host.cluster);
        let (name, of) = (word(&host.name), word(&cluster.name));
        writing.resource(&BehaviourOf {
            name: &name,
            word: "HOST",
            steps: [Step::HostLeaves, Step::HostComes],
            present: both(&host.present, cluster),
            values: &host.availability,
            behaviour: share,
            add: &|behaviour| format!("ADD_HOST <{of}> <{name}> <{behaviour}> <0> <{}>", host.architecture),
        });
    }
    let mut text = format!("{HEADING} 1\n");
    for ((at, _), lines) in &writing.events {
        let at = at.as_secs_f64();
        lines.iter().for_each(|line| text += &format!("{at}:{line}\n"));
    }
    let mut losses = losses(grid);
    let endless: Vec<&str> = writing.endless.iter().map(String::as_str).collect();
    if !endless.is_empty() {
        losses.push(format!(
            "of what changes for ever {MOST_CHANGES} changes are written: {}",
            endless.join(", ")
        ));
    }
    if !writing.named.is_empty() {
        let given = writing.named.iter().map(|(name, value)| format!("\"{name}\" = {value}"));
        let given = given.collect::<Vec<_>>().join(", ");
        losses.push(format!("where the text is read, `[platform]` needs behaviour = {{ {given} }}"));
    }
    GridText { text, losses }
}

/// What a text cannot hold of a grid.
fn losses(grid: &SweepGrid) -> Vec<String> {
    let count =
        |what: &str, count: usize| (count > 0).then(|| format!("{what} is not held: {count} have one"));
    let latent = |cluster: &&SweepCluster| cluster.latency.values().any(|latency| latency > 0.0);
    let (clusters, hosts) = (&grid.clusters, &grid.hosts);
    [
        count("a latency of a link", clusters.iter().filter(latent).count()),
        count("a cluster without storage", clusters.iter().filter(|cluster| !cluster.has_storage).count()),
        count(
            "a capacity of a storage",
            clusters.iter().filter(|cluster| cluster.capacity.is_some()).count(),
        ),
        count("a price", clusters.iter().filter(|cluster| cluster.prices.is_some()).count()),
        count(
            "a speed other than that of the times",
            hosts.iter().filter(|host| host.speed.to_bits() != 1.0_f64.to_bits()).count(),
        ),
        count("more than one processor of a host", hosts.iter().filter(|host| host.processors > 1).count()),
        count("a queue wait", hosts.iter().filter(|host| host.queue_wait.is_some()).count()),
        grid.has_links_between().then(|| "links between clusters are not held".to_owned()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A name between `<` and `>` is one word.
fn word(name: &str) -> String {
    let letter = |letter: char| {
        if letter.is_whitespace() || "<>".contains(letter) || letter.is_control() { '_' } else { letter }
    };
    name.chars().map(letter).collect()
}

/// Whether a host is there: its cluster is, too.
fn both(host: &Trace, cluster: &SweepCluster) -> Vec<(SimTime, bool)> {
    let mut instants: OrderedSet<SimTime> = changes(host).collect();
    instants.extend(changes(&cluster.present));
    instants
        .into_iter()
        .map(|at| (at, host.value_at(at) > 0.0 && cluster.present.value_at(at) > 0.0))
        .collect()
}

fn changes(trace: &Trace) -> impl Iterator<Item = SimTime> {
    std::iter::successors(Some(SimTime::ZERO), |at| trace.next_change(*at)).take(MOST_CHANGES + 1)
}

/// The behaviour of a constant share, and what has to be said of it.
fn share(value: f64) -> (String, Option<String>) {
    let percent = value * 100.0;
    if (percent.round() / 100.0).to_bits() == value.to_bits() {
        return (format!("stable_{percent:.0}"), None);
    }
    (format!("share_{value}"), Some(format!("{value:?}")))
}

/// The same of a bandwidth.
fn rate(value: f64) -> (String, Option<String>) {
    for (unit, size) in [("Mb", 1e6), ("Kb", 1e3)] {
        let count = (value / size).round();
        if value > 0.0 && (count * size).to_bits() == value.to_bits() {
            return (format!("stable_{count:.0}{unit}"), None);
        }
    }
    (format!("rate_{value}"), Some(format!("\"{value:?}Bps\"")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimDuration;
    use crate::kernel::rng::Streams;
    use crate::platform::{Builder, Host, Link, Platform};
    use crate::registry::Sources;
    use crate::sweep::read::behaviour::{BehaviourOf, ResourceBehaviour};
    use crate::sweep::read::grid::{GridOptions, read};

    fn read_text(text: &str) -> Platform {
        let mut sources = Sources::new("");
        let source = sources.add("grid.txt", text, "");
        let (streams, step) = (Streams::new(1, 0), SimDuration::from_secs(5));
        let options = GridOptions { step, origin: "origin", speed: 1e10, streams: &streams };
        let mut behaviours = |name: &str, of: BehaviourOf, _| {
            let loaded = || name.starts_with("loaded").then(|| ResourceBehaviour::constant(0.25));
            Ok(ResourceBehaviour::stable(name, of).or_else(loaded))
        };
        let read = read(source, &sources, &options, &mut behaviours).expect("a grid");
        assert!(read.warnings.len() < 2, "{:?}", read.warnings);
        read.platform
    }

    fn grid(platform: &Platform) -> SweepGrid {
        SweepGrid::of(platform, &[platform.host_named("origin").expect("an origin")], 1e10).expect("a grid")
    }

    /// Appendix A of the report.
    #[test]
    fn the_sample_of_the_report_is_written_and_read_back_the_same() {
        let sample = include_str!("../../../tests/data/sweeps/appendix_a.txt");
        let first = grid(&read_text(sample));
        let written = text(&first);
        assert!(written.losses.is_empty(), "{:?}", written.losses);
        let again = grid(&read_text(&written.text));
        let at = |seconds: u64| SimTime::from_nanos(seconds * 1_000_000_000);
        for second in [0, 199, 200, 552, 553, 999, 1_000, 1_499, 1_500, 9_999] {
            let state = |grid: &SweepGrid| {
                let hosts: OrderedMap<String, (bool, u64)> = grid
                    .hosts
                    .iter()
                    .map(|host| {
                        let there = both(&host.present, grid.cluster(host.cluster));
                        let there = there
                            .iter()
                            .rev()
                            .find(|(from, _)| *from <= at(second))
                            .is_some_and(|(_, is)| *is);
                        let share = host.availability.value_at(at(second)).to_bits();
                        (host.name.clone(), (there, if there { share } else { 0 }))
                    })
                    .collect();
                hosts
            };
            assert_eq!(state(&first), state(&again), "{second}");
        }
    }

    #[test]
    fn what_a_text_cannot_hold_is_reported() {
        let mut builder = Builder::new();
        let origin = builder.host(Host::new("origin", 1.0)).expect("a host");
        let behind = builder.cluster_behind("a b", Link::new(12_345.5, 0.25)).expect("a cluster");
        builder.join_behind(origin, behind).expect("a route");
        let availability = Trace::series(&[1.0, 1.0 / 3.0], SimDuration::from_secs(5)).expect("a series");
        let host = Host { availability, cores: 2, ..Host::new("h", 5e9) };
        builder.host_behind(behind.zone, host).expect("a host");
        let written = text(&grid(&builder.build()));
        assert!(written.text.starts_with("GridDescription 1\n0:ADD_CLUSTER <a_b> <rate_12345.5> <0>\n0:ADD_HOST <a_b> <h> <stable_100> <0> <0>\n5:CHANGE"), "{}", written.text);
        assert_eq!(written.losses.len(), 5, "{:?}", written.losses);
        assert!(
            written.losses[4].contains("behaviour = { \"rate_12345.5\" = \"12345.5Bps\", \"share_0.333"),
            "{:?}",
            written.losses
        );
    }
}
