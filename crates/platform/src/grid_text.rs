//! The text of a grid of DAGSim: hosts, links, and which link leads from host to host.
//!
//! ```text
//! DagGrid 1
//! host <name> <relative speed> <load>
//! link <name> <latency> <bandwidth> <load>
//! path <from> <to> <link>
//! void <from> <to>
//! all-pairs <link>
//! ```
//!
//! A host of relative speed 1 is that on which costs were measured. Latencies are in seconds,
//! bandwidths in bytes per second. A load is a share from 0 to 1, or the name of a trace file of
//! loads, relative to the grid; what it leaves is available, and never less than [`Load::LEAST`].
//! The load of a link takes bandwidth, and no latency.
//!
//! `all-pairs` gives every ordered pair of different hosts a link; `path` and `void` change single
//! pairs, wherever they stand, and of two such lines the last counts. A pair without a line is
//! void: no route joins it. One link may be that of many pairs, which share it. A host reaches
//! itself at once, unless a `path` says otherwise. Lines may stand in any order.
//!
//! Source: DAGSim (A. Jarry, H. Casanova, F. Berman, 2000) names such a file without its grammar,
//! which is the simulator's own.

use std::path::Path;

use crate::collections::{OrderedMap, OrderedSet};
use crate::registry::{Complaint, Complaints, SourceId, Sources, Span, code};
use crate::sharing::LinkId;
use crate::simgrid::add;
use crate::text::mark::FileMark;
use crate::text::{Forms, Mistake, Spot, nearest, statements};
use crate::topology::Builder;
use crate::trace::Trace;
use crate::trace_file::{TraceOf, read_trace_named};
use crate::{Host, HostId, Link, Load, Platform};

/// Hosts that a grid may have: its matrix has as many rows and columns.
const MOST_HOSTS: usize = 4_000;

const HEADING: [&str; 2] = ["DagGrid", "1"];

/// The mark of such grids.
pub const MARK: FileMark = FileMark::new(
    "a grid of DAGSim (`DagGrid 1`)",
    "`clustersim show platform {file}` draws it; a scenario names it in `platform.file`",
    |head| head.begins_with(HEADING[0]),
);

const FORMS: &Forms = &[
    ("host", 3, 3, "host <name> <relative speed> <load>"),
    ("link", 4, 4, "link <name> <latency> <bandwidth> <load>"),
    ("path", 3, 3, "path <from> <to> <link>"),
    ("void", 2, 2, "void <from> <to>"),
    ("all-pairs", 1, 1, "all-pairs <link>"),
];

/// A word and its place.
type Word<'a> = (&'a str, Spot);

/// A line about pairs of hosts: which pair, if it is about one, and the link, if there is one.
type Pair<'a> = (Option<[Word<'a>; 2]>, Option<Word<'a>>);

struct Reading<'a> {
    sources: &'a Sources,
    source: SourceId,
    reference_speed: f64,
    builder: Builder,
    hosts: OrderedMap<&'a str, HostId>,
    links: OrderedMap<&'a str, LinkId>,
    pairs: Vec<Pair<'a>>,
    complaints: Complaints,
}

/// The trace files that the grid in a file names, as paths from where that one lies; none if it
/// cannot be read.
pub fn traces_of(path: &Path) -> OrderedSet<String> {
    let (mut sources, mut files) = (Sources::new(""), OrderedSet::new());
    let Ok(source) = add(path, &mut sources) else { return files };
    // what is wrong with it is reported where it is read
    let _ = statements(sources.text(source), HEADING, FORMS, &mut |line| {
        let host_or_link = line.ok().filter(|line| matches!(line.first, "host" | "link"));
        let load = host_or_link.and_then(|line| line.words.last().copied());
        files.extend(load.filter(|(load, _)| load.parse::<f64>().is_err()).map(|(load, _)| load.to_owned()));
    });
    files
}

/// Reads a grid from a file, whose path is relative to the root of `sources`; its text is added to
/// these.
///
/// # Errors
/// The file cannot be read, or everything that is wrong with it.
pub fn read_file(
    path: &Path,
    sources: &mut Sources,
    reference_speed: f64,
) -> Result<Platform, Vec<Complaint>> {
    let source = add(path, sources).map_err(|complaint| vec![complaint])?;
    read(source, sources, reference_speed)
}

/// Reads a grid from a text of `sources`; hosts of relative speed 1 have `reference_speed`.
///
/// # Errors
/// Everything that is wrong with it, each mistake at its place.
pub fn read(source: SourceId, sources: &Sources, reference_speed: f64) -> Result<Platform, Vec<Complaint>> {
    let text = sources.text(source);
    let mut reading = Reading {
        sources,
        source,
        reference_speed,
        builder: Builder::new(),
        hosts: OrderedMap::new(),
        links: OrderedMap::new(),
        pairs: Vec::new(),
        complaints: Complaints::new(),
    };
    let read = statements(text, HEADING, FORMS, &mut |line| match line {
        Ok(line) => reading.line(line.first, line.words),
        Err(mistake) => reading.wrong(mistake),
    });
    if let Err(mistake) = read {
        reading.wrong(mistake);
    } else if reading.hosts.is_empty() {
        reading.wrong_at("there is no host", Spot::new(text.len() as u64, 0));
    }
    reading.paths();
    let Reading { builder, complaints, .. } = reading;
    if complaints.is_empty() {
        return Ok(builder.build());
    }
    Err(complaints.sorted_by_key(|complaint| complaint.span.map(|span| span.start)).into())
}

impl<'a> Reading<'a> {
    fn span(&self, spot: Spot) -> Span {
        let start = spot.at as usize;
        Span::new(self.source, start..start + spot.width as usize)
    }

    fn complaint(&self, mistake: Mistake) -> Complaint {
        let complaint = Complaint::new(code::PLATFORM, mistake.message, self.span(mistake.spot));
        Complaint { help: mistake.help, ..complaint }
    }

    fn wrong(&mut self, mistake: Mistake) {
        let complaint = self.complaint(mistake);
        self.complaints.push(complaint);
    }

    fn wrong_at(&mut self, message: impl Into<String>, spot: Spot) {
        self.wrong(Mistake { message: message.into(), help: None, spot });
    }

    fn line(&mut self, first: &str, words: &[Word<'a>]) {
        match (first, words) {
            ("host", [name, speed, load]) => {
                let speed = self.number("the speed", *speed, true) * self.reference_speed;
                let availability = self.left_by(*load);
                if self.hosts.len() >= MOST_HOSTS {
                    return self.wrong_at(format!("a grid has at most {MOST_HOSTS} hosts"), name.1);
                }
                if self.hosts.contains_key(name.0) {
                    return self.wrong_at(format!("the host `{}` is defined twice", name.0), name.1);
                }
                match self.builder.host(Host { availability, ..Host::new(name.0, speed) }) {
                    Ok(host) => _ = self.hosts.insert(name.0, host),
                    Err(why) => self.wrong_at(why.to_string(), name.1),
                }
            }
            ("link", [name, latency, bandwidth, load]) => {
                let latency = self.number("the latency", *latency, false);
                let bandwidth = self.number("the bandwidth", *bandwidth, true);
                let available = self.left_by(*load);
                if self.links.contains_key(name.0) {
                    return self.wrong_at(format!("the link `{}` is defined twice", name.0), name.1);
                }
                let link = Link { bandwidth: available.times(bandwidth), ..Link::new(bandwidth, latency) };
                match self.builder.link(name.0, link) {
                    Ok(link) => _ = self.links.insert(name.0, link),
                    Err(why) => self.wrong_at(why.to_string(), name.1),
                }
            }
            ("path", [from, to, link]) => self.pairs.push((Some([*from, *to]), Some(*link))),
            ("void", [from, to]) => self.pairs.push((Some([*from, *to]), None)),
            ("all-pairs", [link]) => self.pairs.push((None, Some(*link))),
            _ => {}
        }
    }

    fn number(&mut self, what: &str, (word, spot): Word<'_>, is_positive: bool) -> f64 {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() && (number > 0.0 || number == 0.0 && !is_positive) => number,
            _ => {
                let range = if is_positive { "above zero" } else { "of zero or more" };
                self.wrong_at(format!("{what} is not a finite number {range}"), spot);
                1.0
            }
        }
    }

    /// The availability that a load leaves.
    fn left_by(&mut self, (word, spot): Word<'_>) -> Trace {
        match word.parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => return Trace::constant(Load::left_by(share)),
            Ok(_) => self.wrong_at("the load is not a share from 0 to 1", spot),
            Err(_) => {
                let path = self.sources.root().join(self.sources.from_root(self.source, word));
                match read_trace_named(&path, (word, self.span(spot)), TraceOf::Values) {
                    Ok(trace) if trace.values().all(|load| load <= 1.0) => return trace.left_by_loads(),
                    Ok(_) => self.wrong_at(format!("`{word}` has loads above 1"), spot),
                    Err(complaints) => self.complaints.take(complaints),
                }
            }
        }
        Trace::constant(1.0)
    }

    /// The value of this name; a mistake if there is none.
    fn known<T: Copy>(
        &mut self,
        what: &str,
        names: &OrderedMap<&'a str, T>,
        (name, spot): Word<'_>,
    ) -> Option<T> {
        let found = names.get(name).copied();
        if found.is_none() {
            let near = if self.complaints.are_few() { nearest(name, names.keys().copied()) } else { None };
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.wrong(Mistake { message: format!("there is no {what} `{name}`"), help, spot });
        }
        found
    }

    /// Joins the pairs: all by the last `all-pairs`, then single ones by their last lines.
    fn paths(&mut self) {
        let (hosts, links) = (std::mem::take(&mut self.hosts), std::mem::take(&mut self.links));
        let mut everywhere = None;
        let mut single = OrderedMap::new();
        for (pair, link) in std::mem::take(&mut self.pairs) {
            let over = match link.map(|link| self.known("link", &links, link)) {
                Some(None) => continue,
                Some(over) => over,
                None => None,
            };
            match pair.map(|pair| pair.map(|name| self.known("host", &hosts, name))) {
                Some([Some(from), Some(to)]) => _ = single.insert((from, to), over),
                Some(_) => {}
                None => everywhere = over,
            }
        }
        let all = everywhere.into_iter().flat_map(|link| {
            let pairs = hosts.values().flat_map(|from| hosts.values().map(move |to| (*from, *to)));
            pairs.map(move |pair| (pair, link))
        });
        let all = all.filter(|(pair, _)| pair.0 != pair.1 && !single.contains_key(pair));
        let single = single.iter().filter_map(|(pair, link)| Some((*pair, (*link)?)));
        all.chain(single).for_each(|((from, to), link)| self.builder.route(from, to, &[link]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimTime;

    fn read_text(text: &str) -> Result<Platform, Vec<String>> {
        let mut sources = Sources::new("");
        let source = sources.add("g.grid", text, "");
        let shown = |complaint: Complaint| {
            let (line, span) = (complaint.span.map_or(0, |span| sources.place(span).0), complaint.span);
            let words = span.map_or("", |span| &sources.text(source)[span.range()]);
            format!("{line}: {} [{words}]", complaint.message)
        };
        read(source, &sources, 1e10).map_err(|complaints| complaints.into_iter().map(shown).collect())
    }

    #[test]
    fn a_grid_has_hosts_links_and_a_matrix() {
        let text = "# a grid\nDagGrid 1\nhost a 1 0\nhost b 0.5 1\nhost c 2 0.25\n\nvoid b c\nall-pairs l\n\
                    path c c m\nlink l 0.001 1e6 0\nlink m 0 5 0.5\n";
        let grid = read_text(text).expect("a grid");
        let route = |from: &str, to: &str| {
            let mut route = Vec::new();
            let [from, to] = [from, to].map(|name| grid.host_named(name).expect("a host"));
            grid.route(from, to, &mut route).ok()?;
            Some(route.into_iter().map(|link| grid.link_name(link).into_owned()).collect::<Vec<_>>().concat())
        };
        let row = |from: &str| ["a", "b", "c"].map(|to| route(from, to));
        let link = |name: &str| Some(name.to_owned());
        assert_eq!(row("a"), [link(""), link("l"), link("l")]);
        assert_eq!(row("b"), [link("l"), link(""), None]);
        assert_eq!(row("c"), [link("l"), link("l"), link("m")]);
        let shares: Vec<f64> =
            grid.hosts().iter().map(|host| host.availability.value_at(SimTime::ZERO)).collect();
        assert_eq!((shares, grid.hosts()[1].speed()), (vec![1.0, 0.02, 0.75], 5e9));
        let bandwidths: Vec<f64> =
            grid.links().iter().map(|link| link.bandwidth.value_at(SimTime::ZERO)).collect();
        assert_eq!(bandwidths, [1e6, 2.5]);
    }

    #[test]
    fn every_mistake_of_a_grid_is_at_its_place() {
        let text = "DagGrid 1\nhost alpha 0 2\nhost alpha 1 none.trace\nlink l 0 1\npath alpah x l\nways\nvoid alpha alpha\n";
        assert_eq!(
            read_text(text).expect_err("mistakes"),
            [
                "2: the speed is not a finite number above zero [0]",
                "2: the load is not a share from 0 to 1 [2]",
                "3: the host `alpha` is defined twice [alpha]",
                "3: cannot read `none.trace`: there is no such file [none.trace]",
                "4: `link` lacks words []",
                "5: there is no link `l` [l]",
                "6: unknown line `ways` [ways]",
            ]
        );
        assert_eq!(read_text("").expect_err("empty"), ["1: the first line should be `DagGrid 1` []"]);
        assert_eq!(read_text("DagGrid 1\n").expect_err("no host"), ["2: there is no host []"]);
    }
}
