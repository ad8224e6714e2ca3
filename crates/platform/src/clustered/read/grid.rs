//! The text of a grid of the Parameter Sweep Template: what is added, removed and changed, and
//! when.
//!
//! ```text
//! GridDescription 1
//! <time>:ADD_CLUSTER <cluster> <behaviour> <offset>
//! <time>:ADD_HOST <cluster> <host> <behaviour> <offset> <architecture>
//! <time>:REMOVE_CLUSTER <cluster>
//! <time>:REMOVE_HOST <host>
//! <time>:CHANGE_HOST_BEHAVIOR <host> <behaviour> <offset>
//! <time>:CHANGE_CLUSTER_BEHAVIOR <cluster> <behaviour> <offset>
//! ```
//!
//! Times are in seconds, without signs around them, and never fall. A host or cluster that is
//! there, and is removed and added at one instant, has left and returned, whichever of the two
//! lines is first: tasks on it have failed. All else of an instant happens in the order of the
//! lines. An offset is the place in the series at which a behaviour begins at that instant. A
//! cluster that was removed may be added again, with its files; its hosts come back each by itself.
//! To remove or change what is not there is a warning, and to add what is there is a mistake.
//!
//! The grid becomes a platform: clusters are zones behind one link of the origin each. A change of
//! behaviour makes a composed trace, and absence is a state of 0.
//!
//! Source: section 7.2.1 and appendix A of the report of the Parameter Sweep Template.

use crate::clustered::clusters::ARCHITECTURE;
use crate::clustered::read::behaviour::{BehaviourOf, ResourceBehaviour};
use crate::clustered::read::events::{Event, HEADING, event};
use crate::clustered::read::fields::spoken;
use crate::clustered::read::presence::presence;
use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::rng::Streams;
use crate::kernel::{SimDuration, SimTime};
use crate::registry::{Complaint, Complaints, SourceId, Sources, Span, code};
use crate::text::mark::FileMark;
use crate::text::{MOST_MISTAKES, Mistake, Spot, TextLine, nearest};
use crate::{Builder, Host, Link, Platform, Trace};

/// The mark of such grids.
pub const MARK: FileMark = FileMark::new(
    "a grid of the Parameter Sweep Template (`GridDescription 1`)",
    "`clustersim show platform {file}` draws it; a scenario names it in `platform.file`",
    |head| head.begins_with(HEADING),
);

/// Clusters and hosts of a grid.
const MOST: usize = 1 << 20;
/// The greatest architecture.
const MOST_ARCHITECTURES: u32 = 1_000;

/// Settings that a grid does not state itself.
#[derive(Clone, Copy, Debug)]
pub struct GridOptions<'a> {
    /// Time for which a value of a series holds.
    pub step: SimDuration,
    /// Name of the host that holds all files.
    pub origin: &'a str,
    /// Speed of all hosts \[flop/s\].
    pub speed: f64,
    /// Random streams that values are drawn from.
    pub streams: &'a Streams,
}

/// A grid that was read.
#[derive(Clone, Debug)]
pub struct ReadGrid {
    /// The clusters around the origin.
    pub platform: Platform,
    /// Events without effect.
    pub warnings: Vec<Complaint>,
    /// Number of events there are.
    pub events: usize,
    /// True if any behaviour is drawn.
    pub drawn: bool,
}

/// Source of behaviours, by name: `None` if there is none of that name; mistakes of one are
/// reported at the place.
pub type Behaviours<'a> =
    dyn FnMut(&str, BehaviourOf, Span) -> Result<Option<ResourceBehaviour>, Vec<Complaint>> + 'a;

/// Reads a grid from a text of `sources`.
///
/// # Errors
/// Everything that is wrong with it, each mistake at its place.
pub fn read(
    source: SourceId,
    sources: &Sources,
    options: &GridOptions<'_>,
    behaviours: &mut Behaviours<'_>,
) -> Result<ReadGrid, Vec<Complaint>> {
    let text = sources.text(source);
    let mut reading = Reading {
        source,
        options,
        behaviours,
        known: OrderedMap::new(),
        clusters: Table::default(),
        hosts: Table::default(),
        last: SimTime::ZERO,
        events: 0,
        drawn: false,
        warnings: Vec::new(),
        complaints: Complaints::new(),
    };
    let mut lines = spoken(text);
    let first = lines.next();
    let words: Vec<&str> = first.iter().flat_map(TextLine::words).map(|(word, _)| word).collect();
    if words != [HEADING, "1"] {
        let spot = first.map_or(Spot::new(text.len() as u64, 0), |line| line.spot());
        reading.wrong(spot, format!("the first line should be `{HEADING} 1`"));
        return Err(reading.complaints.into());
    }
    let mut events = Vec::new();
    for line in lines {
        match event(line) {
            Ok(event) => {
                reading.follows(&event);
                events.push(event);
            }
            Err(mistake) => reading.mistake(mistake),
        }
    }
    events.stable_sort_by_key(|event| event.at);
    events.chunk_by(|one, other| one.at == other.at).for_each(|together| reading.instant(together));
    reading.finish(Spot::new(text.len() as u64, 0))
}

/// A cluster or host, by what is known of it so far.
struct Draft<'a> {
    name: &'a str,
    spot: Spot,
    is_there: bool,
    /// The cluster of a host, and its architecture.
    cluster: usize,
    architecture: u32,
    values: Trace,
    latency: Trace,
    /// Instants at which the cluster or host comes and leaves.
    working: Vec<(SimTime, f64)>,
    /// Behaviours that were drawn for it.
    draws: u32,
}

/// Clusters or hosts, in the order in which they were first added.
#[derive(Default)]
struct Table<'a> {
    drafts: Vec<Draft<'a>>,
    by_name: OrderedMap<&'a str, usize>,
}

struct Reading<'a, 'o> {
    source: SourceId,
    options: &'o GridOptions<'o>,
    behaviours: &'o mut Behaviours<'o>,
    /// Behaviours that were asked for; none where there is none.
    known: OrderedMap<(&'a str, BehaviourOf), Option<ResourceBehaviour>>,
    clusters: Table<'a>,
    hosts: Table<'a>,
    /// The time of the line before.
    last: SimTime,
    events: usize,
    drawn: bool,
    warnings: Vec<Complaint>,
    complaints: Complaints,
}

/// Values and latencies of a resource from an instant on.
type Course = (Trace, Trace);

impl<'a> Reading<'a, '_> {
    fn span(&self, spot: Spot) -> Span {
        let start = spot.at as usize;
        Span::new(self.source, start..start + spot.width as usize)
    }

    fn mistake(&mut self, mistake: Mistake) {
        let complaint = Complaint::new(code::SWEEP, mistake.message, self.span(mistake.spot));
        self.complaints.push(Complaint { help: mistake.help, ..complaint });
    }

    fn wrong(&mut self, spot: Spot, message: impl Into<String>) {
        self.mistake(Mistake { message: message.into(), help: None, spot });
    }

    /// Counts an event, which is not before the one of the line before it.
    fn follows(&mut self, event: &Event<'a>) {
        self.events += 1;
        if event.at < self.last {
            let message = format!(
                "an event at {} s follows one at {} s",
                event.at.as_secs_f64(),
                self.last.as_secs_f64()
            );
            self.wrong(event.spot, message);
        }
        self.last = self.last.max(event.at);
    }

    /// Applies the events of one instant: in the order of the lines, but that what is there, is
    /// removed and is added leaves first. Then clusters come, for hosts that come to them.
    fn instant(&mut self, together: &[Event<'a>]) {
        let removed: OrderedSet<(BehaviourOf, &str)> =
            together.iter().filter(|event| event.removes()).filter_map(Event::comes_or_leaves).collect();
        if removed.is_empty() {
            return together.iter().for_each(|event| self.event(event));
        }
        let added = together.iter().filter(|event| !event.removes()).filter_map(Event::comes_or_leaves);
        let returns: OrderedSet<(BehaviourOf, &str)> =
            added.filter(|(of, name)| removed.contains(&(*of, *name)) && self.is_there(*of, name)).collect();
        let has_cluster = returns.iter().any(|(of, _)| *of == BehaviourOf::Link);
        let place = |event: &&Event<'a>| match event.comes_or_leaves() {
            Some((BehaviourOf::Host, name)) if event.removes() => {
                let is_first = has_cluster || returns.contains(&(BehaviourOf::Host, name));
                if is_first { 0 } else { 3 }
            }
            Some(cluster) if returns.contains(&cluster) && cluster.0 == BehaviourOf::Link => {
                if event.removes() { 1 } else { 2 }
            }
            _ => 3,
        };
        let mut in_order: Vec<&Event<'a>> = together.iter().collect();
        in_order.stable_sort_by_key(|event| place(event));
        in_order.into_iter().for_each(|event| self.event(event));
    }

    /// Returns true if a cluster or host of this name is there.
    fn is_there(&self, of: BehaviourOf, name: &str) -> bool {
        let table = if of == BehaviourOf::Host { &self.hosts } else { &self.clusters };
        table.by_name.get(name).is_some_and(|place| table.drafts[*place].is_there)
    }

    fn event(&mut self, event: &Event<'a>) {
        match (event.word, &event.fields[..]) {
            ("ADD_CLUSTER", [name, behaviour, offset]) => {
                if let Some(course) = self.course(*name, *behaviour, *offset, BehaviourOf::Link) {
                    self.add(BehaviourOf::Link, *name, event.at, course, (0, 0));
                }
            }
            ("ADD_HOST", [cluster, name, behaviour, offset, architecture]) => {
                let course = self.course(*name, *behaviour, *offset, BehaviourOf::Host);
                let number =
                    architecture.text.parse::<u32>().ok().filter(|number| *number < MOST_ARCHITECTURES);
                if number.is_none() {
                    self.wrong(
                        architecture.spot(),
                        format!("`{}` is no architecture, from 0 on", architecture.text),
                    );
                }
                let place = self.clusters.by_name.get(cluster.text).copied();
                let place = place.filter(|place| self.clusters.drafts[*place].is_there);
                if place.is_none() {
                    self.unknown("cluster", *cluster, BehaviourOf::Link);
                }
                if let (Some(course), Some(place), Some(number)) = (course, place, number) {
                    self.add(BehaviourOf::Host, *name, event.at, course, (place, number));
                }
            }
            ("REMOVE_CLUSTER", [name]) => {
                let Some(place) = self.present(BehaviourOf::Link, *name, event) else { return };
                self.remove(BehaviourOf::Link, place, event.at);
                let own = |host: &Draft<'_>| host.is_there && host.cluster == place;
                let hosts: Vec<usize> = self
                    .hosts
                    .drafts
                    .iter()
                    .enumerate()
                    .filter(|(_, host)| own(host))
                    .map(|(host, _)| host)
                    .collect();
                hosts.into_iter().for_each(|host| self.remove(BehaviourOf::Host, host, event.at));
            }
            ("REMOVE_HOST", [name]) => {
                let Some(place) = self.present(BehaviourOf::Host, *name, event) else { return };
                self.remove(BehaviourOf::Host, place, event.at);
            }
            (word, [name, behaviour, offset]) => {
                let of = if word == "CHANGE_HOST_BEHAVIOR" { BehaviourOf::Host } else { BehaviourOf::Link };
                let course = self.course(*name, *behaviour, *offset, of);
                let place = self.present(of, *name, event);
                if let (Some((values, latency)), Some(place)) = (course, place) {
                    let draft = &mut self.table(of).drafts[place];
                    turn(&mut draft.values, event.at, values);
                    turn(&mut draft.latency, event.at, latency);
                }
            }
            _ => {}
        }
    }

    fn table(&mut self, of: BehaviourOf) -> &mut Table<'a> {
        if of == BehaviourOf::Host { &mut self.hosts } else { &mut self.clusters }
    }

    /// The behaviour of a name from an offset on.
    fn course(
        &mut self,
        of_name: TextLine<'a>,
        name: TextLine<'a>,
        offset: TextLine<'a>,
        of: BehaviourOf,
    ) -> Option<Course> {
        let key = (name.text, of);
        if !self.known.contains_key(&key) {
            let at = self.span(name.spot());
            let found = (self.behaviours)(name.text, of, at);
            let found = found.unwrap_or_else(|complaints| {
                self.complaints.take(complaints);
                Some(ResourceBehaviour::constant(1.0))
            });
            if found.is_none() {
                let message = format!("there is no behaviour `{}`", name.text);
                let what = if of == BehaviourOf::Host { "stable_50" } else { "stable_100Kb" };
                let help = format!(
                    "a file of this name in the folder of the grid, with or without .txt, gives it, or `platform.behaviour.{}`; `{what}` \
                     and such are constants",
                    name.text
                );
                self.mistake(Mistake { message, help: Some(help), spot: name.spot() });
            }
            self.known.insert(key, found.or(Some(ResourceBehaviour::constant(1.0))));
        }
        let Ok(offset) = offset.text.parse::<u64>() else {
            self.wrong(offset.spot(), format!("`{}` is no offset, a whole number from 0", offset.text));
            return None;
        };
        match self.known.get(&key).cloned().flatten()? {
            ResourceBehaviour::Series { values, latency, count } => {
                let steps = offset % count.max(1);
                let late = SimDuration::from_nanos(self.options.step.as_nanos().saturating_mul(steps));
                Some((values.offset(late), latency.offset(late)))
            }
            ResourceBehaviour::Drawn(varying) => {
                self.drawn = true;
                let streams = self.options.streams;
                let draws = self.table(of).by_name.get(of_name.text).copied().map_or(0, |place| {
                    let draft = &mut self.table(of).drafts[place];
                    draft.draws += 1;
                    draft.draws
                });
                // each further behaviour draws from streams of its own
                let own =
                    if draws == 0 { of_name.text.to_owned() } else { format!("{}/{draws}", of_name.text) };
                let values = match of {
                    BehaviourOf::Host => varying.availability(streams, &own),
                    BehaviourOf::Link => varying.bandwidth(streams, &own),
                };
                Some((values, Trace::constant(0.0)))
            }
        }
    }

    /// Adds what is new, or what is away.
    fn add(
        &mut self,
        of: BehaviourOf,
        name: TextLine<'a>,
        at: SimTime,
        (values, latency): Course,
        own: (usize, u32),
    ) {
        let what = if of == BehaviourOf::Host { "host" } else { "cluster" };
        let Some(place) = self.table(of).by_name.get(name.text).copied() else {
            if self.table(of).drafts.len() >= MOST {
                return self.wrong(name.spot(), format!("a grid has at most {MOST} {what}s"));
            }
            let (cluster, architecture) = own;
            let (mut first, mut first_latency) =
                [&values, &latency].map(|trace| Trace::constant(trace.value_at(SimTime::ZERO))).into();
            turn(&mut first, at, values);
            turn(&mut first_latency, at, latency);
            let draft = Draft {
                name: name.text,
                spot: name.spot(),
                is_there: true,
                cluster,
                architecture,
                values: first,
                latency: first_latency,
                working: vec![(at, 1.0)],
                draws: 0,
            };
            let table = self.table(of);
            table.by_name.insert(name.text, table.drafts.len());
            table.drafts.push(draft);
            return;
        };
        let draft = &mut self.table(of).drafts[place];
        let is_same = (draft.cluster, draft.architecture) == own;
        if !draft.is_there && is_same {
            draft.is_there = true;
            draft.working.push((at, 1.0));
            turn(&mut draft.values, at, values);
            turn(&mut draft.latency, at, latency);
        } else if draft.is_there {
            self.wrong(name.spot(), format!("the {what} `{}` is there already", name.text));
        } else {
            self.wrong(
                name.spot(),
                format!("the {what} `{}` comes back in another cluster or architecture", name.text),
            );
        }
    }

    fn remove(&mut self, of: BehaviourOf, place: usize, at: SimTime) {
        let draft = &mut self.table(of).drafts[place];
        draft.is_there = false;
        draft.working.push((at, 0.0));
    }

    /// Place of the resource of this name, if it is there; a warning if not.
    fn present(&mut self, of: BehaviourOf, name: TextLine<'a>, event: &Event<'a>) -> Option<usize> {
        let table = self.table(of);
        let place = table.by_name.get(name.text).copied();
        if let Some(place) = place.filter(|place| table.drafts[*place].is_there) {
            return Some(place);
        }
        let (at, word) = (event.at.as_secs_f64(), event.word);
        let away = if place.is_some() { "is away" } else { "was never added" };
        let message = format!("{word} at {at} s has no effect: `{}` {away}", name.text);
        let warning = Complaint::new(code::SWEEP, message, self.span(name.spot()));
        if self.warnings.len() < MOST_MISTAKES {
            self.warnings.push(warning);
        }
        None
    }

    fn unknown(&mut self, what: &str, name: TextLine<'a>, of: BehaviourOf) {
        let help = self.complaints.are_few();
        let table = self.table(of);
        let (message, near) = if table.by_name.contains_key(name.text) {
            (format!("the {what} `{}` is away", name.text), None)
        } else {
            let near = if help { nearest(name.text, table.by_name.keys().copied()) } else { None };
            (format!("there is no {what} `{}`", name.text), near)
        };
        let help = near.map(|near| format!("did you mean `{near}`?"));
        self.mistake(Mistake { message, help, spot: name.spot() });
    }

    fn finish(mut self, end: Spot) -> Result<ReadGrid, Vec<Complaint>> {
        if self.hosts.drafts.is_empty() && self.complaints.is_empty() {
            self.wrong(end, "there is no host");
        }
        let mut builder = Builder::new();
        if let Err(why) = self.build(&mut builder) {
            self.complaints.push(why);
        }
        if self.complaints.is_empty() {
            let Reading { mut warnings, events, drawn, .. } = self;
            warnings.stable_sort_by_key(|warning| warning.span.map(|span| span.start));
            return Ok(ReadGrid { platform: builder.build(), warnings, events, drawn });
        }
        Err(self.complaints.sorted_by_key(|complaint| complaint.span.map(|span| span.start)).into())
    }

    fn build(&mut self, builder: &mut Builder) -> Result<(), Complaint> {
        let refused = |source: SourceId, spot: Spot, why: String| {
            let start = spot.at as usize;
            Complaint::new(code::SWEEP, why, Span::new(source, start..start + spot.width as usize))
        };
        let source = self.source;
        let origin = builder.host(Host::new(self.options.origin, self.options.speed));
        let origin = origin.map_err(|why| refused(source, Spot::new(0, 0), why.to_string()))?;
        let mut zones = Vec::new();
        for draft in std::mem::take(&mut self.clusters.drafts) {
            let Draft { values, latency, working, .. } = draft;
            let working = presence(&working);
            let link = Link { bandwidth: values, latency, working, ..Link::new(1.0, 0.0) };
            let made = builder.cluster_behind(draft.name, link);
            let joined = made.and_then(|made| builder.join_behind(origin, made).map(|()| made.zone));
            zones.push(joined.map_err(|why| refused(source, draft.spot, why.to_string()))?);
        }
        for draft in std::mem::take(&mut self.hosts.drafts) {
            let Draft { values: availability, working, .. } = draft;
            let working = presence(&working);
            let mut host = Host { availability, working, ..Host::new(draft.name, self.options.speed) };
            if draft.architecture > 0 {
                host.properties.insert(ARCHITECTURE.to_owned(), draft.architecture.to_string());
            }
            let made = builder.host_behind(zones[draft.cluster], host);
            made.map_err(|why| refused(source, draft.spot, why.to_string()))?;
        }
        Ok(())
    }
}

/// Lets another trace hold from `at` on.
fn turn(trace: &mut Trace, at: SimTime, next: Trace) {
    *trace = if at == SimTime::ZERO {
        next
    } else {
        std::mem::replace(trace, Trace::constant(0.0)).then(at, next)
    };
}
