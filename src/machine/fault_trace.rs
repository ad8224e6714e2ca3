//! A trace of failures: when which node was out of service.
//!
//! Comma-separated text with the columns `node`, `from` and `to` in its first line, in any order and others beside them; nodes are
//! numbered from 0, times are seconds from the beginning of the run with up to nine decimals, and a node is back at `to`. Lines may
//! stand in any order; those that are empty or begin with `#` count for nothing. Spans of a node that touch are one. Spans that overlap
//! are told, as are all mistakes of the first lines that have some.

use crate::kernel::{SimDuration, SimTime};
use crate::registry::code::{self, Code};
use crate::registry::{Complaint, Excerpt, Span};

/// The spans out of service of each node, in order.
pub type Spans = Vec<Vec<(SimTime, SimTime)>>;

/// The columns that are read.
const COLUMNS: [&str; 3] = ["node", "from", "to"];
/// Letters of a line that are shown.
const SHOWN: usize = 200;
/// Mistakes after which no more are looked for.
const TOLD: usize = 20;

/// Reads the trace `text` of a machine of `nodes` nodes; complaints call the file `name`, and stand at `span`.
///
/// # Errors
/// What is wrong with it, each with line and column.
pub fn read(text: &str, name: &str, nodes: u32, span: Span) -> Result<Spans, Vec<Complaint>> {
    let mut reader = Reader { name, span, complaints: Vec::new() };
    let spans = reader.lines(text, nodes);
    if reader.complaints.is_empty() { Ok(spans) } else { Err(reader.complaints) }
}

/// A line of the file, and its number from 1.
#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    number: usize,
}

struct Reader<'a> {
    name: &'a str,
    span: Span,
    complaints: Vec<Complaint>,
}

impl Reader<'_> {
    fn tell(&mut self, line: Line<'_>, part: &str, kind: &'static Code, message: String) -> &mut Complaint {
        let column =
            (part.as_ptr() as usize).saturating_sub(line.text.as_ptr() as usize).min(line.text.len());
        let shown: String =
            line.text.chars().map(|one| if one.is_control() { ' ' } else { one }).take(SHOWN).collect();
        let excerpt = Excerpt {
            file: self.name.to_owned(),
            line: line.number as u64,
            range: column.min(shown.len())..(column + part.len()).min(shown.len()),
            text: shown,
        };
        self.complaints.push(Complaint::new(kind, message, self.span).excerpt(excerpt));
        self.complaints.last_mut().expect("one was just put in")
    }

    fn lines(&mut self, text: &str, nodes: u32) -> Spans {
        let lines = text.lines().zip(1..).map(|(text, number)| Line { text, number });
        let mut lines = lines.filter(|line| !line.text.trim().is_empty() && !line.text.starts_with('#'));
        let Some(places) = lines.next().and_then(|head| self.places(head)) else {
            if self.complaints.is_empty() {
                let message = format!("`{}` is empty", self.name);
                let complaint = Complaint::new(code::MISSING_KEY, message, self.span);
                self.complaints.push(complaint.label("expected a line `node,from,to`"));
            }
            return Vec::new();
        };
        let mut rows: Vec<(u32, SimTime, SimTime, Line<'_>)> = Vec::new();
        for line in lines {
            if self.complaints.len() >= TOLD {
                return Vec::new();
            }
            rows.extend(self.row(line, places, nodes).map(|(node, from, to)| (node, from, to, line)));
        }
        rows.sort_by_key(|&(node, from, ..)| (node, from));
        self.joined(&rows)
    }

    /// Where each column stands.
    fn places(&mut self, head: Line<'_>) -> Option<[usize; 3]> {
        let fields: Vec<&str> = head.text.split(',').map(str::trim).collect();
        let mut places = [0; 3];
        for (place, name) in places.iter_mut().zip(COLUMNS) {
            let Some(found) = fields.iter().position(|field| *field == name) else {
                let message = format!("the first line names no column `{name}`");
                let complaint = self.tell(head, head.text, code::MISSING_KEY, message);
                complaint.label = "expected `node,from,to`".into();
                return None;
            };
            *place = found;
        }
        Some(places)
    }

    fn row(&mut self, line: Line<'_>, places: [usize; 3], nodes: u32) -> Option<(u32, SimTime, SimTime)> {
        let fields: Vec<&str> = line.text.split(',').map(str::trim).collect();
        let [Some(&node), Some(&from), Some(&to)] = places.map(|place| fields.get(place)) else {
            let message = format!("this line has {} of the columns", fields.len());
            self.tell(line, line.text, code::TYPE, message).label = "expected a node and two times".into();
            return None;
        };
        let number = node.parse::<u32>().ok().filter(|&number| number < nodes);
        if number.is_none() {
            let message = format!("`{node}` is no node of this machine");
            let label = format!("expected a whole number from 0 to {}", nodes.saturating_sub(1));
            self.tell(line, node, code::RANGE, message).label = label.into();
        }
        let mut time = |text: &str| {
            let time = seconds(text);
            if time.is_none() {
                let message = format!("`{text}` is no time");
                let complaint = self.tell(line, text, code::QUANTITY, message);
                complaint.label = "expected seconds, such as 3600 or 0.25".into();
            }
            time
        };
        let (from, until) = (time(from), time(to));
        let (number, from, until) = (number?, from?, until?);
        if until <= from {
            let message = "the node is back before it fails, or just then".to_owned();
            self.tell(line, to, code::CONTRADICTION, message).label =
                "expected a later time than `from`".into();
            return None;
        }
        Some((number, from, until))
    }

    /// The spans of each node, of which none overlap.
    fn joined(&mut self, rows: &[(u32, SimTime, SimTime, Line<'_>)]) -> Spans {
        let mut spans: Spans = Vec::new();
        let mut before = 0;
        for &(node, from, to, line) in rows {
            let node = node as usize;
            if spans.len() <= node {
                spans.resize_with(node + 1, Vec::new);
            }
            match spans[node].last_mut() {
                Some(last) if from < last.1 => {
                    let message = format!("node {node} is out of service already");
                    let complaint = self.tell(line, line.text, code::CONTRADICTION, message);
                    complaint.label = "overlaps another span of that node".into();
                    complaint.help =
                        Some(format!("that one is in line {before}; write one span in place of both"));
                    if self.complaints.len() >= TOLD {
                        return Vec::new();
                    }
                    continue;
                }
                Some(last) if from == last.1 => last.1 = to,
                _ => spans[node].push((from, to)),
            }
            before = line.number;
        }
        spans
    }
}

/// Seconds with up to nine decimals.
fn seconds(text: &str) -> Option<SimTime> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || decimals.len() > 9 {
        return None;
    }
    let fraction: u64 = format!("{decimals:0<9}").parse().ok()?;
    let nanos = whole.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(fraction)?;
    Some(SimTime::ZERO.saturating_add(SimDuration::from_nanos(nanos))).filter(|&at| at < SimTime::MAX)
}

#[cfg(test)]
mod tests {
    use crate::registry::Sources;

    use super::*;

    fn told(text: &str) -> Result<Spans, Vec<(String, u64, usize)>> {
        let span = Span::new(Sources::new("").add("scenario.toml", "", ""), 0..0);
        read(text, "nodes.csv", 4, span).map_err(|complaints| {
            let place = |complaint: Complaint| {
                let excerpt = complaint.excerpt.map(|excerpt| (excerpt.line, excerpt.range.start));
                let (line, column) = excerpt.unwrap_or_default();
                (complaint.message, line, column)
            };
            complaints.into_iter().map(place).collect()
        })
    }

    #[test]
    fn spans_are_read_in_any_order_and_joined_where_they_touch() {
        let text = "# a site\nfrom,to,why,node\n20,30.5,disk,2\n\n5,10,power,0\n10,12,power,0\n1,2,,2\n";
        let at = |half: u64| SimTime::from_nanos(half * 500_000_000);
        let expected = vec![vec![(at(10), at(24))], vec![], vec![(at(2), at(4)), (at(40), at(61))]];
        assert_eq!(told(text), Ok(expected));
        assert_eq!(told("node,from,to\n"), Ok(vec![]));
    }

    #[test]
    fn every_mistake_is_told_with_its_line_and_place() {
        let text = "node,from,to\n4,0,1\n0, x,2\n1,5,5\n1\n1,10,20\n1,19,30\n";
        let expected = [
            ("`4` is no node of this machine", 2, 0),
            ("`x` is no time", 3, 3),
            ("the node is back before it fails, or just then", 4, 4),
            ("this line has 1 of the columns", 5, 0),
            ("node 1 is out of service already", 7, 0),
        ];
        let found = told(text).expect_err("mistakes");
        let found: Vec<(&str, u64, usize)> =
            found.iter().map(|(what, line, at)| (what.as_str(), *line, *at)).collect();
        assert_eq!(found, expected);
        assert_eq!(told("").expect_err("empty")[0].0, "`nodes.csv` is empty");
        let found = told("node,start,end\n").expect_err("other names");
        assert_eq!(found, [("the first line names no column `from`".to_owned(), 1, 0)]);
    }
}
