//! The graph of a run, read from its `graph.dot`.
//!
//! The file is DOT as a run writes it, a statement a line, tasks before the edges that join them:
//!
//! ```text
//! digraph "montage" {
//!   "first/a" [size="2000000000"];                           work
//!   "first/b" ["time:node-1"="1.5", "time:node-2"="3"]; seconds by host, where costs are unrelated
//!   "first/a" -> "first/b" [size="4096"];                    data, also of no bytes
//!   "first/a" -> "first/c";                                  control only
//! }
//! ```
//!
//! A task may have `memory` in bytes, and `cores` if it asks for several; its work or seconds are
//! then those on all of them. Where files begin and end at a home host, `input` and `output` of a
//! task are the bytes that it gets from there and that go there. Where files are sent by
//! themselves, `"file:x"="9"` on an edge is one of nine bytes, and `"input:x"` and `"output:x"` of
//! a task are such files from and to the home host.
//!
//! A task is `application/task`. Within quotes `\"`, `\\` and `\n` are a quote, a backslash and a
//! line end. Other attributes mean nothing here, nor do times of hosts that do not exist. An edge
//! of size 0 is a transfer that takes the latency; for readers of DOT from elsewhere it is a
//! control edge.

use std::rc::Rc;

use super::{PlatformFacts, Violation};
use crate::collections::{OrderedMap, OrderedSet, StableSort as _};
use crate::kernel::SimTime;

/// The cost of computing a task.
#[derive(Debug)]
pub(super) enum Cost {
    /// Work, over the speed of the host.
    Work(f64),
    /// Seconds by host, in order of hosts; other hosts cannot run it.
    Times(Vec<(usize, f64)>),
}

/// An edge that a child waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) to: u32,
    /// Nothing if the child only waits for the parent's end.
    pub(super) bytes: Option<u64>,
}

/// Data that are sent, if the ends are on different hosts.
#[derive(Clone, Debug)]
pub(super) struct Load {
    /// Nothing if it begins at the home host.
    pub(super) from: Option<u32>,
    /// Nothing if it goes to the home host.
    pub(super) to: Option<u32>,
    /// The file, if it is sent by itself: to all of its readers on a host at once.
    pub(super) file: Option<Rc<str>>,
    pub(super) bytes: u64,
}

/// The ends of a load and its file, as in [`Load`].
type LoadKey = (Option<u32>, Option<u32>, Option<Rc<str>>);

/// Tasks and edges.
#[derive(Debug, Default)]
pub(super) struct TaskGraph {
    pub(super) names: Vec<Rc<str>>,
    pub(super) costs: Vec<Cost>,
    /// In order of parents and children.
    pub(super) edges: Vec<Edge>,
    pub(super) loads: Vec<Load>,
    /// Of each task, those that it asks for.
    pub(super) cores: Vec<u32>,
    /// Of each task, in bytes.
    pub(super) memory: Vec<Option<u64>>,
    index: OrderedMap<Rc<str>, u32>,
    /// The loads by their ends and files.
    found: OrderedMap<LoadKey, usize>,
}

impl TaskGraph {
    /// Reads a text.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub(super) fn read(text: &str, platform: &dyn PlatformFacts) -> Result<Self, String> {
        let mut graph = TaskGraph::default();
        let lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
        let mut lines = lines.map(|(number, text)| Line { text, number, at: 0 });
        let head = lines.next().unwrap_or(Line { text: "", number: 1, at: 0 });
        if !(head.text.trim().starts_with("digraph") && head.text.trim().ends_with('{')) {
            return Err(head.wrong("`digraph … {` should stand here"));
        }
        let mut is_closed = false;
        for mut line in lines {
            if is_closed {
                return Err(line.wrong("nothing should follow the closing brace"));
            }
            if line.takes("}") {
                is_closed = true;
                line.end()?;
            } else {
                graph.statement(&mut line, platform)?;
            }
        }
        if !is_closed {
            return Err("graph.dot ends too early: the closing brace is missing".to_owned());
        }
        graph.edges.stable_sort_by_key(|edge| (edge.from, edge.to));
        let places = graph.loads.iter().zip(0..);
        graph.found = places.map(|(load, place)| ((load.from, load.to, load.file.clone()), place)).collect();
        match graph.edges.windows(2).find(|pair| (pair[0].from, pair[0].to) == (pair[1].from, pair[1].to)) {
            None => Ok(graph),
            Some(pair) => Err(format!("graph.dot has the edge {} twice", graph.edge_name(pair[0]))),
        }
    }

    fn statement(&mut self, line: &mut Line<'_>, platform: &dyn PlatformFacts) -> Result<(), String> {
        let begin = *line;
        let name = line.quoted()?;
        if !line.takes("->") {
            return self.task(&begin, &name, line.attributes()?, platform);
        }
        let behind = *line;
        let child = line.quoted()?;
        let known = |name: &str, at: &Line<'_>| self.task_named(name).ok_or_else(|| at.wrong("no such task"));
        let (from, to) = (known(&name, &begin)?, known(&child, &behind)?);
        let attributes = line.attributes()?;
        let size = attributes.iter().find(|(name, _)| name == "size");
        let bytes = size.map(|(_, size)| bytes(size, &begin)).transpose()?;
        self.edges.push(Edge { from, to, bytes });
        let count = self.loads.len();
        self.loads(&begin, &attributes, "file", (Some(from), Some(to)))?;
        if let (Some(bytes), true) = (bytes, count == self.loads.len()) {
            self.loads.push(Load { from: Some(from), to: Some(to), file: None, bytes });
        }
        Ok(())
    }

    /// Takes up what attributes of this name say is sent, whole or by files.
    fn loads(
        &mut self,
        begin: &Line<'_>,
        attributes: &[(String, String)],
        what: &str,
        (from, to): (Option<u32>, Option<u32>),
    ) -> Result<(), String> {
        for (name, size) in attributes {
            let file = match name.split_once(':') {
                Some((kind, file)) if kind == what => Some(Rc::from(file)),
                None if name == what => None,
                _ => continue,
            };
            self.loads.push(Load { from, to, file, bytes: bytes(size, begin)? });
        }
        Ok(())
    }

    /// The place of what is sent from one end to the other: the file of this name, or everything.
    pub(super) fn load_between(&self, from: Option<u32>, to: Option<u32>, file: &str) -> Option<usize> {
        let of = |file: Option<Rc<str>>| self.found.get(&(from, to, file)).copied();
        of(Some(Rc::from(file))).or_else(|| of(None))
    }

    fn task(
        &mut self,
        begin: &Line<'_>,
        name: &str,
        attributes: Vec<(String, String)>,
        platform: &dyn PlatformFacts,
    ) -> Result<(), String> {
        let number = self.names.len() as u32;
        self.loads(begin, &attributes, "input", (None, Some(number)))?;
        self.loads(begin, &attributes, "output", (Some(number), None))?;
        let memory = attributes.iter().find(|(name, _)| name == "memory");
        self.memory.push(memory.map(|(_, size)| bytes(size, begin)).transpose()?);
        let cores = attributes.iter().find(|(name, _)| name == "cores");
        let number = |(_, text): &(String, String)| match text.parse() {
            Ok(cores) if cores > 0 => Ok(cores),
            _ => Err(begin.wrong(&format!("`{text}` is no number of cores"))),
        };
        self.cores.push(cores.map_or(Ok(1), number)?);
        let (mut work, mut times, mut is_timed) = (None, Vec::new(), false);
        for (attribute, value) in attributes {
            let value = || {
                let number = value.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
                number.ok_or_else(|| begin.wrong(&format!("`{value}` is no cost")))
            };
            if attribute == "size" {
                work = Some(value()?);
            } else if let Some(host) = attribute.strip_prefix("time:") {
                let seconds = value()?;
                is_timed = true;
                times.extend(platform.host(host).map(|host| (host, seconds)));
            }
        }
        times.stable_sort_by_key(|(host, _)| *host);
        let cost = match work {
            _ if is_timed => Cost::Times(times),
            Some(work) => Cost::Work(work),
            None => return Err(begin.wrong("the task has no size and no times")),
        };
        let name: Rc<str> = name.into();
        if self.index.insert(Rc::clone(&name), self.names.len() as u32).is_some() {
            return Err(begin.wrong("the task is there twice"));
        }
        self.names.push(name);
        self.costs.push(cost);
        Ok(())
    }

    /// Returns true if some task asks for several cores.
    pub(super) fn has_wide_tasks(&self) -> bool {
        self.cores.iter().any(|cores| *cores > 1)
    }

    /// The task of this name.
    pub(super) fn task_named(&self, name: &str) -> Option<u32> {
        self.index.get(name).copied()
    }

    /// The name of an edge in messages.
    pub(super) fn edge_name(&self, edge: Edge) -> String {
        format!("from `{}` to `{}`", self.names[edge.from as usize], self.names[edge.to as usize])
    }

    /// The name of a task within its workflow.
    pub(super) fn short_name<'a>(&'a self, task: u32, workflow: &str) -> &'a str {
        let name = &self.names[task as usize];
        name.strip_prefix(workflow).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name)
    }

    /// Every task after its parents, of those that could be next the lowest; what is on a circle is
    /// left out.
    pub(super) fn order(&self) -> Vec<u32> {
        let mut parents = vec![0_u32; self.names.len()];
        self.edges.iter().for_each(|edge| parents[edge.to as usize] += 1);
        let mut next: OrderedSet<u32> =
            (0..).zip(&parents).filter(|(_, count)| **count == 0).map(|(task, _)| task).collect();
        let mut order = Vec::with_capacity(parents.len());
        while let Some(task) = next.pop_first() {
            order.push(task);
            let first = self.edges.partition_point(|edge| edge.from < task);
            for edge in self.edges[first..].iter().take_while(|edge| edge.from == task) {
                parents[edge.to as usize] -= 1;
                if parents[edge.to as usize] == 0 {
                    next.insert(edge.to);
                }
            }
        }
        order
    }

    /// The bytes of each transfer that an edge stands for: of each file where these are sent by
    /// themselves; none of a control edge.
    pub(super) fn files_between(&self, from: u32, to: u32) -> Vec<Option<u64>> {
        let ends = (Some(from), Some(to));
        let loads =
            self.found.range((ends.0, ends.1, None)..).take_while(|((from, to, _), _)| (*from, *to) == ends);
        let bytes: Vec<_> = loads.map(|(_, load)| Some(self.loads[*load].bytes)).collect();
        if bytes.is_empty() { vec![None] } else { bytes }
    }

    /// By task, the loads that it waits for: those of its parents, in their order, and then what
    /// comes from the home host.
    pub(super) fn loads_into(&self) -> Vec<Vec<usize>> {
        let mut into = vec![Vec::new(); self.names.len()];
        for (place, load) in self.loads.iter().enumerate() {
            if let Some(to) = load.to {
                into[to as usize].push(place);
            }
        }
        for loads in &mut into {
            loads.stable_sort_by_key(|load| self.loads[*load].from.unwrap_or(u32::MAX));
        }
        into
    }

    /// Seconds of a task on a host at full availability; nothing if it cannot run there.
    pub(super) fn seconds(&self, task: u32, host: usize, speed: f64) -> Option<f64> {
        self.work_and_speed(task, host, speed).map(|(work, speed)| work / speed)
    }

    /// Work of a task on a host of this speed, and how much of it is done in a second at full
    /// availability: seconds at speed 1 where the task states them; `None` if it cannot run there.
    pub(super) fn work_and_speed(&self, task: u32, host: usize, speed: f64) -> Option<(f64, f64)> {
        match &self.costs[task as usize] {
            Cost::Work(work) => Some((*work, speed)),
            Cost::Times(times) => {
                let place = times.binary_search_by_key(&host, |time| time.0).ok()?;
                Some((times[place].1, 1.0))
            }
        }
    }
}

/// Differences of a text of a graph from another, line by line.
pub(super) fn against(text: &str, right: &str) -> Vec<Violation> {
    let wrong = |what: String| Violation::of_no_job(SimTime::ZERO, format!("graph.dot{what}"));
    let mut found = Vec::new();
    if text.lines().count() != right.lines().count() {
        found.push(wrong(format!(
            " has {} lines, and should have {}",
            text.lines().count(),
            right.lines().count()
        )));
    }
    let pairs = (1..).zip(text.lines().zip(right.lines()));
    let other = pairs.filter(|(_, (line, right))| line.trim() != right.trim());
    found.extend(
        other.map(|(number, (_, right))| wrong(format!(", line {number} should be `{}`", right.trim()))),
    );
    found
}

fn bytes(size: &str, line: &Line<'_>) -> Result<u64, String> {
    size.parse().map_err(|_| line.wrong("its size is no number of bytes"))
}

/// A line, and how much of it was read.
#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    number: u64,
    at: usize,
}

impl Line<'_> {
    fn wrong(&self, what: &str) -> String {
        let rest = &self.text[self.at..];
        let column = self.at + rest.len() - rest.trim_start().len() + 1;
        format!("graph.dot, line {}, column {column}: {what}", self.number)
    }

    /// Reads a mark and the blanks before it, if it is next.
    fn takes(&mut self, mark: &str) -> bool {
        let rest = self.text[self.at..].trim_start();
        let is_next = rest.starts_with(mark);
        if is_next {
            self.at = self.text.len() - rest.len() + mark.len();
        }
        is_next
    }

    fn expect(&mut self, mark: &str) -> Result<(), String> {
        if self.takes(mark) { Ok(()) } else { Err(self.wrong(&format!("`{mark}` should stand here"))) }
    }

    fn end(&self) -> Result<(), String> {
        let is_over = self.text[self.at..].trim().is_empty();
        if is_over { Ok(()) } else { Err(self.wrong("the line should end here")) }
    }

    fn quoted(&mut self) -> Result<String, String> {
        self.expect("\"")?;
        let (start, mut word) = (self.at, String::new());
        let mut letters = self.text[start..].char_indices();
        while let Some((place, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.at = start + place + 1;
                    return Ok(word);
                }
                '\\' => match letters.next() {
                    Some((_, letter @ ('"' | '\\'))) => word.push(letter),
                    Some((_, 'n')) => word.push('\n'),
                    _ => return Err(Line { at: start + place, ..*self }.wrong("an unknown escape")),
                },
                _ => word.push(letter),
            }
        }
        Err(Line { at: start - 1, ..*self }.wrong("the quote is left open"))
    }

    /// The attributes of a statement, if it has some, and its end.
    fn attributes(&mut self) -> Result<Vec<(String, String)>, String> {
        let mut found = Vec::new();
        if self.takes("[") && !self.takes("]") {
            loop {
                let name = if self.text[self.at..].trim_start().starts_with('"') {
                    self.quoted()?
                } else {
                    let rest = &self.text[self.at..];
                    let length = rest.find(['=', ']', '"']).unwrap_or(rest.len());
                    self.at += length;
                    rest[..length].trim().to_owned()
                };
                self.expect("=")?;
                found.push((name, self.quoted()?));
                if !self.takes(",") {
                    break;
                }
            }
            self.expect("]")?;
        }
        self.expect(";")?;
        self.end()?;
        Ok(found)
    }
}
