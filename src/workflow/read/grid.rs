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
//! Latencies are in seconds, bandwidths in bytes per second; a load is a share from 0 to 1 or the name of a trace file. `all-pairs`
//! gives every ordered pair of different hosts a link; `path` and `void` change single pairs, wherever they stand, and of two such
//! lines the last counts. A pair without a line is void. A host reaches itself over an instantaneous link of its own, unless a `path` says
//! otherwise. Lines may stand in any order.
//!
//! Source: DAGSim (A. Jarry, H. Casanova, F. Berman, 2000) names such a file without its grammar, which is the simulator's own.

use crate::registry::Complaint;
use crate::text::nearest;
use crate::workflow::draft::{Mistake, Spot};
use crate::workflow::names::Interner;
use crate::workflow::read::place;
use crate::workflow::read::text::statements;

/// The share of a host or link that is taken.
#[derive(Clone, Debug, PartialEq)]
pub enum GridLoad {
    /// Always this share, from 0 to 1.
    Share(f64),
    /// What a trace file states, relative to the grid file.
    Trace(Box<str>),
}

/// A host of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct GridHost {
    /// Its name.
    pub name: Box<str>,
    /// Its speed; 1 is that of the host on which costs were measured.
    pub relative_speed: f64,
    /// What others take of it.
    pub load: GridLoad,
}

/// A link of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct GridLink {
    /// Its name.
    pub name: Box<str>,
    /// Its latency \[s\].
    pub latency: f64,
    /// Its bandwidth \[bytes/s\].
    pub bandwidth: f64,
    /// What others take of it.
    pub load: GridLoad,
}

/// How data get from a host to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridPath {
    /// Not at all.
    Void,
    /// At once: both are one host.
    Local,
    /// Over the link of this place in the list.
    Link(u32),
}

/// A grid: hosts, links and a matrix of paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The hosts, in the order of the file.
    pub hosts: Vec<GridHost>,
    /// The links, in the order of the file.
    pub links: Vec<GridLink>,
    /// The paths, row by row: from the first host to each, from the second, …
    pub paths: Vec<GridPath>,
}

impl Grid {
    /// How data get from one host to another, both by their places in the list.
    pub fn path(&self, from: usize, to: usize) -> GridPath {
        self.paths[from * self.hosts.len() + to]
    }
}

/// Hosts that a grid may have: its matrix has as many rows and columns.
const MOST_HOSTS: usize = 4_000;
/// Unknown names for which the nearest known one is looked for.
const MOST_HELPED: usize = 10;

/// A line about pairs of hosts, by names.
type Pair<'a> = (Option<[(&'a str, Spot); 2]>, Option<(&'a str, Spot)>);

#[derive(Default)]
struct Reading<'a> {
    hosts: Vec<GridHost>,
    links: Vec<GridLink>,
    host_names: Interner,
    link_names: Interner,
    pairs: Vec<Pair<'a>>,
    mistakes: Vec<Mistake>,
}

/// Reads a grid; `file` is what messages call the file.
///
/// # Errors
/// Everything that is wrong with it, each mistake at its place.
pub fn read_grid(text: &str, file: &str) -> Result<Grid, Vec<Complaint>> {
    let mut reading = Reading::default();
    let mut wrong = Vec::new();
    let forms = [
        ("host", 3, 3, "host <name> <relative speed> <load>"),
        ("link", 4, 4, "link <name> <latency> <bandwidth> <load>"),
        ("path", 3, 3, "path <from> <to> <link>"),
        ("void", 2, 2, "void <from> <to>"),
        ("all-pairs", 1, 1, "all-pairs <link>"),
    ];
    let read = statements(
        text,
        ["DagGrid", "1"],
        &forms,
        &mut |mistake| wrong.push(mistake),
        &mut |first, _, words| {
            reading.line(first, words);
        },
    );
    wrong.extend(read.err().into_iter().flatten());
    let heading_is_right = wrong.first().is_none_or(|first| !first.message.starts_with("the first line"));
    reading.mistakes.extend(wrong);
    let paths = reading.paths();
    let (Reading { hosts, links, mut mistakes, .. }, end) = (reading, Spot::new(text.len() as u64, 0));
    if hosts.is_empty() && heading_is_right {
        mistakes.push(Mistake { message: "there is no host".to_owned(), help: None, spot: end });
    }
    if mistakes.is_empty() {
        return Ok(Grid { hosts, links, paths });
    }
    mistakes.sort_by_key(|mistake| mistake.spot);
    Err(place::in_text(mistakes, text, file))
}

impl<'a> Reading<'a> {
    fn wrong(&mut self, message: impl Into<String>, spot: Spot) {
        self.mistakes.push(Mistake { message: message.into(), help: None, spot });
    }

    fn line(&mut self, first: &str, words: &[(&'a str, Spot)]) {
        match (first, words) {
            ("host", [name, speed, load]) => {
                let relative_speed = self.number("the speed", *speed, true);
                let load = self.load(*load);
                if self.hosts.len() >= MOST_HOSTS {
                    return self.wrong(format!("a grid has at most {MOST_HOSTS} hosts"), name.1);
                }
                if !self.host_names.add(name.0).1 {
                    return self.wrong(format!("the host `{}` is defined twice", name.0), name.1);
                }
                self.hosts.push(GridHost { name: name.0.into(), relative_speed, load });
            }
            ("link", [name, latency, bandwidth, load]) => {
                let latency = self.number("the latency", *latency, false);
                let bandwidth = self.number("the bandwidth", *bandwidth, true);
                let load = self.load(*load);
                if !self.link_names.add(name.0).1 {
                    return self.wrong(format!("the link `{}` is defined twice", name.0), name.1);
                }
                self.links.push(GridLink { name: name.0.into(), latency, bandwidth, load });
            }
            ("path", [from, to, link]) => self.pairs.push((Some([*from, *to]), Some(*link))),
            ("void", [from, to]) => self.pairs.push((Some([*from, *to]), None)),
            ("all-pairs", [link]) => self.pairs.push((None, Some(*link))),
            _ => {}
        }
    }

    fn number(&mut self, what: &str, (word, spot): (&str, Spot), is_positive: bool) -> f64 {
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() && (number > 0.0 || number == 0.0 && !is_positive) => number,
            _ => {
                let range = if is_positive { "above zero" } else { "of zero or more" };
                self.wrong(format!("{what} is not a finite number {range}"), spot);
                1.0
            }
        }
    }

    fn load(&mut self, (word, spot): (&str, Spot)) -> GridLoad {
        match word.parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => GridLoad::Share(share),
            Ok(_) => {
                self.wrong("the load is not a share from 0 to 1", spot);
                GridLoad::Share(0.0)
            }
            Err(_) => GridLoad::Trace(word.into()),
        }
    }

    /// The place of a name in its list; a mistake if it is not there.
    fn known(&mut self, what: &str, (name, spot): (&str, Spot)) -> Option<u32> {
        let names = if what == "host" { &self.host_names } else { &self.link_names };
        let found = names.find(name);
        if found.is_none() {
            let near = if self.mistakes.len() < MOST_HELPED { nearest(name, names.names()) } else { None };
            let help = near.map(|near| format!("did you mean `{near}`?"));
            self.mistakes.push(Mistake { message: format!("there is no {what} `{name}`"), help, spot });
        }
        found
    }

    fn paths(&mut self) -> Vec<GridPath> {
        let count = self.hosts.len();
        let mut everywhere = GridPath::Void;
        let mut single = Vec::new();
        for (pair, link) in std::mem::take(&mut self.pairs) {
            let path = match link.map(|link| self.known("link", link)) {
                Some(Some(link)) => GridPath::Link(link),
                Some(None) => continue,
                None => GridPath::Void,
            };
            match pair.map(|pair| pair.map(|name| self.known("host", name).map(|host| host as usize))) {
                Some([Some(from), Some(to)]) => single.push((from * count + to, path)),
                Some(_) => {}
                None => everywhere = path,
            }
        }
        let mut paths = vec![everywhere; count * count];
        (0..count).for_each(|host| paths[host * count + host] = GridPath::Local);
        single.into_iter().for_each(|(pair, path)| paths[pair] = path);
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_has_hosts_links_and_a_matrix() {
        let text = "# a grid\nDagGrid 1\nhost a 1 0\nhost b 0.5 load.trace\nhost c 2 0.25\n\nvoid b c\nall-pairs l\n\
                    path c c m\nlink l 0.001 1e6 0\nlink m 0 5 0\n";
        let grid = read_grid(text, "g.grid").expect("a grid");
        assert_eq!(grid.hosts[1].load, GridLoad::Trace("load.trace".into()));
        assert_eq!((grid.links[0].latency, grid.links[1].bandwidth), (0.001, 5.0));
        let row = |from| [0, 1, 2].map(|to| grid.path(from, to));
        let link = GridPath::Link(0);
        assert_eq!(row(0), [GridPath::Local, link, link]);
        assert_eq!(row(1), [link, GridPath::Local, GridPath::Void]);
        assert_eq!(row(2), [link, link, GridPath::Link(1)]);
    }

    #[test]
    fn every_mistake_of_a_grid_is_at_its_place() {
        let text = "DagGrid 1\nhost alpha 0 2\nhost alpha 1 0\nlink l 0 1\npath alpah x l\nways\n";
        let found = read_grid(text, "g.grid").expect_err("mistakes");
        let shown = |complaint: &Complaint| {
            let at = complaint.excerpt.as_ref().expect("a place");
            format!("{}: {} [{}]", at.line, complaint.message, &at.text[at.range.clone()])
        };
        let shown: Vec<String> = found.iter().map(shown).collect();
        assert_eq!(
            shown,
            [
                "2: the speed is not a finite number above zero [0]",
                "2: the load is not a share from 0 to 1 [2]",
                "3: the host `alpha` is defined twice [alpha]",
                "4: `link` lacks words []",
                "5: there is no link `l` [l]",
                "6: unknown line `ways` [ways]",
            ]
        );
        assert!(read_grid("", "g.grid").is_err() && read_grid("DagGrid 1\n", "g.grid").is_err());
    }
}
