//! The graph of a run, read from its `graph.dot`.
//!
//! The file is DOT as a run writes it, a statement a line, tasks before the edges that join them:
//!
//! ```text
//! digraph "montage" {
//!   "first/a" [size="2000000000"];                           work
//!   "first/b" ["time:node-1"="1.5", "time:node-2"="3"];      seconds by host, where costs are unrelated
//!   "first/a" -> "first/b" [size="4096"];                    data, also of no bytes
//!   "first/a" -> "first/c";                                  control only
//! }
//! ```
//!
//! A task is `application/task`. Within quotes `\"`, `\\` and `\n` are a quote, a backslash and a line end. Other attributes mean
//! nothing here, nor do times of hosts that do not exist. An edge of size 0 is a transfer that takes the latency; for readers of DOT
//! from elsewhere it is a control edge.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::PlatformFacts;

/// What computing a task takes.
#[derive(Debug)]
pub(super) enum Cost {
    /// Work, over the speed of the host.
    Work(f64),
    /// Seconds by host, in order of hosts; other hosts cannot run it.
    Times(Vec<(usize, f64)>),
}

/// What a child waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: u32,
    pub(super) to: u32,
    /// Nothing if the child only waits for the parent's end.
    pub(super) bytes: Option<u64>,
}

/// Tasks and edges.
#[derive(Debug, Default)]
pub(super) struct TaskGraph {
    pub(super) names: Vec<Rc<str>>,
    pub(super) costs: Vec<Cost>,
    /// In order of parents and children.
    pub(super) edges: Vec<Edge>,
    index: BTreeMap<Rc<str>, u32>,
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
        graph.edges.sort_unstable_by_key(|edge| (edge.from, edge.to));
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
        let size = line.attributes()?.into_iter().find(|(name, _)| name == "size");
        let bytes =
            size.map(|(_, size)| size.parse().map_err(|_| begin.wrong("its size is no number of bytes")));
        self.edges.push(Edge { from, to, bytes: bytes.transpose()? });
        Ok(())
    }

    fn task(
        &mut self,
        begin: &Line<'_>,
        name: &str,
        attributes: Vec<(String, String)>,
        platform: &dyn PlatformFacts,
    ) -> Result<(), String> {
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
        times.sort_unstable_by_key(|(host, _)| *host);
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

    /// The task of this name.
    pub(super) fn task_named(&self, name: &str) -> Option<u32> {
        self.index.get(name).copied()
    }

    /// The place of the edge between two tasks.
    pub(super) fn edge_between(&self, from: u32, to: u32) -> Option<usize> {
        self.edges.binary_search_by_key(&(from, to), |edge| (edge.from, edge.to)).ok()
    }

    /// What messages call an edge.
    pub(super) fn edge_name(&self, edge: Edge) -> String {
        format!("from `{}` to `{}`", self.names[edge.from as usize], self.names[edge.to as usize])
    }

    /// Seconds of a task on a host at full availability; nothing if it cannot run there.
    pub(super) fn seconds(&self, task: u32, host: usize, speed: f64) -> Option<f64> {
        match &self.costs[task as usize] {
            Cost::Work(work) => Some(work / speed),
            Cost::Times(times) => {
                times.binary_search_by_key(&host, |time| time.0).ok().map(|place| times[place].1)
            }
        }
    }
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
