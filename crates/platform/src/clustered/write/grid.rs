//! A grid as a text of the template, with a file for each behaviour that has no name of a published
//! file, and what these cannot hold.
//!
//! Each coming, leaving and change is an event. Shares and rates that the names of published files
//! stand for have these names (`stable_50`, `stable_100Kb`); series, latencies and other values are
//! in files that lie next to the text.

use crate::Trace;
use crate::clustered::grid::SweepGrid;
use crate::clustered::read::behaviour::BehaviourOf;
use crate::clustered::read::events::HEADING;
use crate::clustered::write::behaviour::{Behaviours, MOST_CHANGES, Named, Piece, pieces};
use crate::clustered::write::instant;
use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::{SimDuration, SimTime};

/// A grid as a text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GridText {
    /// The text.
    pub text: String,
    /// The files of behaviours that lie next to it: their names and texts.
    pub files: Vec<(String, String)>,
    /// Parts of the grid that the text does not hold, a sentence each.
    pub losses: Vec<String>,
}

/// Events by instant: hosts leave before their cluster, and come after it.
type Events = OrderedMap<(SimTime, Step), Vec<String>>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    HostLeaves,
    ClusterLeaves,
    ClusterComes,
    HostComes,
    Changes,
}

struct Writing {
    events: Events,
    behaviours: Behaviours,
    /// Clusters and hosts with more changes than are written.
    endless: OrderedSet<String>,
}

/// A cluster or host.
struct Resource<'a> {
    name: &'a str,
    of: BehaviourOf,
    word: &'static str,
    /// Steps of leaving and coming.
    steps: [Step; 2],
    present: Vec<(SimTime, bool)>,
    behaviour: (Vec<Piece>, bool),
    /// The event that adds it with a behaviour and an offset.
    add: &'a dyn Fn(&str, u64) -> String,
}

impl Writing {
    fn event(&mut self, at: SimTime, step: Step, text: String) {
        self.events.entry((at, step)).or_default().push(text);
    }

    fn resource(&mut self, one: &Resource<'_>) {
        let [leaves, comes] = one.steps;
        let mut is_there = false;
        let mut stays = Vec::new();
        for &(at, present) in one.present.iter().take(MOST_CHANGES) {
            if present && !is_there {
                stays.push((at, SimTime::MAX));
            } else if is_there && !present {
                self.event(at, leaves, format!("REMOVE_{} <{}>", one.word, one.name));
                stays.last_mut().expect("it came before").1 = at;
            }
            is_there = present;
        }
        let mut is_whole = one.present.len() <= MOST_CHANGES && one.behaviour.1;
        for (from, to) in stays {
            is_whole &= self.stay(one, comes, from, to);
        }
        if !is_whole {
            self.endless.insert(one.name.to_owned());
        }
    }

    /// The behaviour of a cluster or host while it is there. Returns false if it has more changes
    /// than are written.
    fn stay(&mut self, one: &Resource<'_>, comes: Step, from: SimTime, to: SimTime) -> bool {
        let pieces = &one.behaviour.0;
        let first = pieces.partition_point(|piece| piece.from <= from).max(1) - 1;
        let mut written = 0;
        for (place, piece) in pieces.iter().enumerate().skip(first) {
            let until = pieces.get(place + 1).map_or(to, |next| next.from.min(to));
            let mut next = Some(piece.from.max(from));
            while let Some(at) = next.filter(|at| *at < until) {
                if written > MOST_CHANGES {
                    return false;
                }
                let Named { name, offset, until } = self.behaviours.named(one.name, one.of, piece, at);
                if at == from {
                    self.event(at, comes, (one.add)(&name, offset));
                } else {
                    let text = format!("CHANGE_{}_BEHAVIOR <{}> <{name}> <{offset}>", one.word, one.name);
                    self.event(at, Step::Changes, text);
                }
                written += 1;
                next = until;
            }
        }
        true
    }
}

/// The text of a grid, whose series hold each value for a multiple of `step`.
pub fn text(grid: &SweepGrid, step: SimDuration) -> GridText {
    let mut writing =
        Writing { events: Events::new(), behaviours: Behaviours::new(step), endless: OrderedSet::new() };
    for cluster in &grid.clusters {
        let name = word(&cluster.name);
        writing.resource(&Resource {
            name: &name,
            of: BehaviourOf::Link,
            word: "CLUSTER",
            steps: [Step::ClusterLeaves, Step::ClusterComes],
            present: presence(&[&cluster.present]),
            behaviour: pieces(&cluster.bandwidth, Some(&cluster.latency), step),
            add: &|behaviour, offset| format!("ADD_CLUSTER <{name}> <{behaviour}> <{offset}>"),
        });
    }
    for host in &grid.hosts {
        let cluster = grid.cluster(host.cluster);
        let (name, of) = (word(&host.name), word(&cluster.name));
        writing.resource(&Resource {
            name: &name,
            of: BehaviourOf::Host,
            word: "HOST",
            steps: [Step::HostLeaves, Step::HostComes],
            present: presence(&[&host.present, &cluster.present]),
            behaviour: pieces(&host.availability, None, step),
            add: &|behaviour, offset| {
                format!("ADD_HOST <{of}> <{name}> <{behaviour}> <{offset}> <{}>", host.architecture)
            },
        });
    }
    let mut text = format!("{HEADING} 1\n");
    for ((at, _), lines) in &writing.events {
        let at = instant(at.as_nanos());
        lines.iter().for_each(|line| text += &format!("{at}:{line}\n"));
    }
    let mut losses = losses(grid);
    let listed = |names: &OrderedSet<String>| names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    if !writing.endless.is_empty() {
        let names = listed(&writing.endless);
        losses.push(format!("of what changes for ever {MOST_CHANGES} changes are written: {names}"));
    }
    if !writing.behaviours.rounded.is_empty() {
        losses.push(format!("latencies are rounded: {}", listed(&writing.behaviours.rounded)));
    }
    GridText { text, files: writing.behaviours.files, losses }
}

/// Properties of a grid that a text cannot hold.
fn losses(grid: &SweepGrid) -> Vec<String> {
    let count =
        |what: &str, count: usize| (count > 0).then(|| format!("{what} is not held: {count} have one"));
    let (clusters, hosts) = (&grid.clusters, &grid.hosts);
    [
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

/// Presence of something whose states these are: it is there while all are above 0. A thing that
/// leaves and returns at one instant does both.
fn presence(states: &[&Trace]) -> Vec<(SimTime, bool)> {
    let changes = |state: &Trace| -> Vec<SimTime> {
        let all = std::iter::successors(Some(SimTime::ZERO), |at| state.next_change(*at));
        all.take(MOST_CHANGES + 1).collect()
    };
    let instants: OrderedSet<SimTime> = states.iter().flat_map(|state| changes(state)).collect();
    let mut all = Vec::new();
    for at in instants {
        let is_there = states.iter().all(|state| state.value_at(at) > 0.0);
        if is_there && states.iter().any(|state| state.least_at(at) <= 0.0) {
            all.push((at, false));
        }
        all.push((at, is_there));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clustered::read::behaviour::{BehaviourOf, ResourceBehaviour};
    use crate::clustered::read::grid::{GridOptions, read};
    use crate::kernel::SimDuration;
    use crate::kernel::rng::Streams;
    use crate::registry::Sources;
    use crate::{Builder, Host, Link, Platform};

    const STEP: SimDuration = SimDuration::from_secs(5);

    fn read_text(written: &GridText) -> Platform {
        let GridText { text, files, .. } = written;
        let mut sources = Sources::new("");
        let source = sources.add("grid.txt", text.as_str(), "");
        let streams = Streams::new(1, 0);
        let options = GridOptions { step: STEP, origin: "origin", speed: 1e10, streams: &streams };
        let mut behaviours = |name: &str, of: BehaviourOf, _| {
            if name.starts_with("loaded") {
                return Ok(Some(ResourceBehaviour::constant(0.25)));
            }
            let file = files.iter().find(|(file, _)| *file == format!("{name}.txt"));
            Ok(match file {
                None => ResourceBehaviour::stable(name, of),
                Some((_, text)) => Some(ResourceBehaviour::of_text(text, of, STEP).expect("a behaviour")),
            })
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
        let sample = include_str!("../../../../../tests/data/sweeps/appendix_a.txt");
        let first = grid(&read_text(&GridText { text: sample.to_owned(), ..GridText::default() }));
        let written = text(&first, STEP);
        assert!(written.losses.is_empty(), "{:?}", written.losses);
        let again = grid(&read_text(&written));
        let at = |seconds: u64| SimTime::from_nanos(seconds * 1_000_000_000);
        for second in [0, 199, 200, 552, 553, 999, 1_000, 1_499, 1_500, 9_999] {
            let state = |grid: &SweepGrid| {
                let hosts: OrderedMap<String, (bool, u64)> = grid
                    .hosts
                    .iter()
                    .map(|host| {
                        let there = presence(&[&host.present, &grid.cluster(host.cluster).present]);
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
        let written = text(&grid(&builder.build()), STEP);
        let expected =
            "GridDescription 1\n0:ADD_CLUSTER <a_b> <a_b-1> <0>\n0:ADD_HOST <a_b> <h> <h-2> <0> <0>\n";
        assert_eq!(written.text, expected);
        // a third is no percentage
        let files =
            [("a_b-1.txt", "1\n250 12345.5\n"), ("h-2.txt", "0 1\n5 0.3333333333333333\nPERIODICITY 5\n")];
        assert_eq!(written.files, files.map(|(name, text)| (name.to_owned(), text.to_owned())));
        assert_eq!(written.losses.len(), 2, "{:?}", written.losses);
    }

    /// A presence, and values of a link and of hosts, of every kind of trace.
    fn drawn(case: u64) -> SweepGrid {
        let mut stream = Streams::new(case, 0).stream("test");
        let mut below = |bound: u64| stream.below(bound);
        let at = |nanos: u64| SimTime::from_nanos(nanos);
        let mut trace = |values: &[f64]| {
            let unit = [5_000_000_000, 5_000_000_000, 1_700_000_001][below(3) as usize];
            let mut time = below(3) * unit;
            let mut points = Vec::new();
            for _ in 0..=[2, 30][below(2) as usize] {
                points.push((at(time), values[below(values.len() as u64) as usize]));
                time += unit * (1 + below(3));
            }
            let round = SimDuration::from_nanos(unit * (1 + below(2)));
            let late = SimDuration::from_nanos(unit * below(4));
            let once = || Trace::new(&points, None).expect("a trace").before(values[0]);
            let again = || once().repeated(Some(round)).expect("a trace").offset(late);
            match below(4) {
                0 => Trace::constant(values[0]),
                1 => once(),
                2 => again(),
                _ => once().then(at(time), again()).then(at(3 * time), Trace::constant(values[0])),
            }
        };
        let shares = [0.5, 1.0, 0.123, 1.0 / 3.0, 0.0];
        let [one, other] = [trace(&shares), trace(&shares)];
        let (bandwidth, latency) = (trace(&[1e4, 2e5, 1234.5]), trace(&[0.1, 0.0, 0.25]));
        let state = Trace::states(
            &[
                (at(0), 1.0),
                (at(11_000_000_000), 0.0),
                (at(23_000_000_000), 1.0),
                (at(40_000_000_000), 0.0),
                (at(40_000_000_000), 1.0),
            ],
            None,
        );
        let mut builder = Builder::new();
        let origin = builder.host(Host::new("origin", 1.0)).expect("a host");
        let link = Link { bandwidth, latency, working: state.expect("a state"), ..Link::new(1.0, 0.0) };
        let behind = builder.cluster_behind("c", link).expect("a cluster");
        builder.join_behind(origin, behind).expect("a route");
        for (name, availability) in [("one", one), ("other", other)] {
            let host = Host { availability, ..Host::new(name, 1e10) };
            builder.host_behind(behind.zone, host).expect("a host");
        }
        grid(&builder.build())
    }

    #[test]
    fn latencies_series_and_returns_are_read_back_as_they_were() {
        let mut whole = 0;
        for case in 0..60 {
            let first = drawn(case);
            let written = text(&first, STEP);
            // a link whose latency changes out of step for ever has more changes than are written
            let is_endless = |loss: &String| loss.starts_with("of what changes for ever");
            assert!(written.losses.iter().all(is_endless), "case {case}: {:?}", written.losses);
            whole += usize::from(written.losses.is_empty());
            let again = grid(&read_text(&written));
            let of = |grid: &SweepGrid, at: SimTime| {
                let cluster = &grid.clusters[0];
                let is_there = cluster.present.value_at(at) > 0.0;
                let hosts = grid.hosts.iter().map(|host| &host.availability);
                let values = hosts.chain([&cluster.bandwidth, &cluster.latency]);
                let values: Vec<u64> = values.map(|trace| trace.value_at(at).to_bits()).collect();
                (is_there, cluster.present.least_at(at) > 0.0, if is_there { values } else { Vec::new() })
            };
            for half in 0..800 {
                let at = SimTime::from_nanos(half * 500_000_000);
                assert_eq!(of(&first, at), of(&again, at), "case {case} at {half}: {}", written.text);
            }
        }
        assert!(whole > 20, "{whole} grids are held for ever");
    }
}
