//! A trace of failures: when which node was out of service.
//!
//! Comma-separated text with the columns `node`, `from` and `to` in its first line, in any order
//! and others as well; nodes are numbered from 0, times are seconds from the beginning of the run
//! with up to nine decimals, and a node is back at `to`. Lines may stand in any order; those that
//! are empty or begin with `#` count for nothing. Spans of a node that touch are one. Spans that
//! overlap are reported, as are all mistakes of the first lines that have some.

use crate::kernel::SimTime;
use crate::registry::Problem;
use crate::registry::code::{self, Code};
use crate::registry::{Complaint, Complaints, Excerpt, Span};
use crate::text::Mistakes;
use crate::text::csv::{Field, Mistake, Row, Table};
use crate::units::seconds;

/// The spans out of service of each node, in order.
pub type OutageSpans = Vec<Vec<(SimTime, SimTime)>>;

/// The columns that are read.
const COLUMNS: [&str; 3] = ["node", "from", "to"];

/// Reads the trace `text` of a machine of `nodes` nodes; complaints call the file `name`, and stand
/// at `span`.
///
/// # Errors
/// What is wrong with it, each with line and column.
pub fn read(text: &str, name: &str, nodes: u32, span: Span) -> Result<OutageSpans, Vec<Complaint>> {
    let mut reader = Reader { name, span, complaints: Complaints::new() };
    let spans = reader.table(text, nodes);
    Ok(reader.complaints.unless_any(spans)?)
}

struct Reader<'a> {
    name: &'a str,
    span: Span,
    complaints: Complaints,
}

impl Reader<'_> {
    fn complaint(&self, cell: Field<'_>, kind: &'static Code, message: String, label: &str) -> Complaint {
        let excerpt = Excerpt::at(cell.place(), self.name);
        Complaint::new(kind, message, self.span).excerpt(excerpt).label(label)
    }

    fn complain(&mut self, cell: Field<'_>, kind: &'static Code, message: String, label: &str) {
        let complaint = self.complaint(cell, kind, message, label);
        self.complaints.push(complaint);
    }

    /// Reports what is wrong with the table as such.
    fn refuse(&mut self, mistakes: Mistakes<Mistake>) {
        let complaint = |mistake| Problem::from(mistake).complaint(self.name, Some(self.span));
        self.complaints.append(mistakes.map(complaint));
    }

    fn table(&mut self, text: &str, nodes: u32) -> OutageSpans {
        let (mut table, columns) = match Table::with_columns(text, COLUMNS) {
            Ok(Some(opened)) => opened,
            Ok(None) => {
                let message = format!("`{}` is empty", self.name);
                let complaint = Complaint::new(code::MISSING_KEY, message, self.span);
                self.complaints.push(complaint.label("expected a line `node,from,to`"));
                return Vec::new();
            }
            Err(mistakes) => {
                self.refuse(mistakes);
                return Vec::new();
            }
        };
        let mut rows: Vec<(u32, SimTime, SimTime, Field<'_>)> = Vec::new();
        let mut row = Row::default();
        loop {
            match table.read(&mut row) {
                Ok(true) => {
                    let read = self.row(&row, columns, nodes);
                    rows.extend(read.map(|(node, from, to)| (node, from, to, row.whole())));
                }
                Ok(false) => {
                    rows.sort_by_key(|&(node, from, ..)| (node, from));
                    return self.joined(&rows);
                }
                Err(mistake) => {
                    self.refuse(mistake.into());
                    return Vec::new();
                }
            }
        }
    }

    fn row(&mut self, row: &Row<'_>, columns: [usize; 3], nodes: u32) -> Option<(u32, SimTime, SimTime)> {
        let [Some(node), Some(from), Some(to)] = columns.map(|column| row.get(column)) else {
            let message = format!("this line has {} of the columns", row.len());
            self.complain(row.whole(), code::TYPE, message, "expected a node and two times");
            return None;
        };
        let number = node.raw().parse::<u32>().ok().filter(|&number| number < nodes);
        if number.is_none() {
            let message = format!("`{}` is no node of this machine", node.raw());
            let label = format!("expected a whole number from 0 to {}", nodes.saturating_sub(1));
            self.complain(node, code::RANGE, message, &label);
        }
        let mut time = |cell: Field<'_>| {
            let time = seconds(cell.raw()).map(SimTime::from_nanos).filter(|&at| at < SimTime::MAX);
            if time.is_none() {
                let message = format!("`{}` is no time", cell.raw());
                self.complain(cell, code::QUANTITY, message, "expected seconds, such as 3600 or 0.25");
            }
            time
        };
        let (from, until) = (time(from), time(to));
        let (number, from, until) = (number?, from?, until?);
        if until <= from {
            let message = "the node is back before it fails, or just then".to_owned();
            self.complain(to, code::CONTRADICTION, message, "expected a later time than `from`");
            return None;
        }
        Some((number, from, until))
    }

    /// The spans of each node, of which none overlap.
    fn joined(&mut self, rows: &[(u32, SimTime, SimTime, Field<'_>)]) -> OutageSpans {
        let mut spans: OutageSpans = Vec::new();
        let mut before = 0;
        for &(node, from, to, row) in rows {
            let node = node as usize;
            if spans.len() <= node {
                spans.resize_with(node + 1, Vec::new);
            }
            match spans[node].last_mut() {
                Some(last) if from < last.1 => {
                    let message = format!("node {node} is out of service already");
                    let label = "overlaps another span of that node";
                    let help = format!("that one is in line {before}; write one span in place of both");
                    let complaint = self.complaint(row, code::CONTRADICTION, message, label);
                    self.complaints.push(complaint.help(help));
                    continue;
                }
                Some(last) if from == last.1 => last.1 = to,
                _ => spans[node].push((from, to)),
            }
            before = row.line();
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::Sources;

    use super::*;

    fn spans_of(text: &str) -> Result<OutageSpans, Vec<(String, u64, usize)>> {
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
        assert_eq!(spans_of(text), Ok(expected));
        assert_eq!(spans_of("node,from,to\n"), Ok(vec![]));
        let quoted = "\"node\",\"why, or\nwhat\",to,from\n\"0\",\"a \"\"disk\"\", new\",\"2\", \"1\" \r\n";
        assert_eq!(spans_of(quoted), Ok(vec![vec![(at(2), at(4))]]));
    }

    #[test]
    fn every_mistake_is_reported_with_its_line_and_place() {
        let text = "node,from,to\n4,0,1\n0, x,2\n1,5,5\n1\n1,10,20\n1,19,30\n";
        let expected = [
            ("`4` is no node of this machine", 2, 0),
            ("`x` is no time", 3, 3),
            ("the node is back before it fails, or just then", 4, 4),
            ("this line has 1 of the columns", 5, 0),
            ("node 1 is out of service already", 7, 0),
        ];
        let found = spans_of(text).expect_err("mistakes");
        let found: Vec<(&str, u64, usize)> =
            found.iter().map(|(what, line, at)| (what.as_str(), *line, *at)).collect();
        assert_eq!(found, expected);
        assert_eq!(spans_of("").expect_err("empty")[0].0, "`nodes.csv` is empty");
        let found = spans_of("node,start,end\n").expect_err("other names");
        let missing = |name: &str| (format!("the first line names no column `{name}`"), 1, 0);
        assert_eq!(found, [missing("from"), missing("to")]);
        let found = spans_of("node,form,to\n").expect_err("another name");
        assert_eq!(found, [("the first line names no column `from`".to_owned(), 1, 5)]);
        let found = spans_of("node,from,to\n1,2,3\n1,\"4,5\n").expect_err("an open quote");
        assert_eq!(found, [("the quote is left open".to_owned(), 3, 2)]);
    }
}
