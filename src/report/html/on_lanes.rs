//! Rows of tables as spans on lanes: the lanes and spans of a table's columns, drawn as any timeline is.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value as Json, json};
use smallvec::SmallVec;

use crate::collections::Interval;
use crate::kernel::SimTime;
use crate::output::{Cell, NamedSpan, On, Rows, Spans, push_spans};

use super::cells::{Cells, Gather, Wanted, whole};
use super::lanes::{Gantt, Over};
use super::names::{Name, Stems};

/// The order of lanes that have none.
const UNORDERED: u64 = u64::MAX;

/// Spans that are gathered.
pub(super) struct OnLanes {
    parts: Vec<Part>,
    words: (&'static str, &'static str),
    gantt: Gantt,
    /// What lies behind the others, or has a lane by its name: its end may be that of all.
    later: Vec<Later>,
    /// Lanes by order and name, and the number of each in order of first use.
    lanes: BTreeMap<(u64, String), u32>,
    /// The names of what is drawn later.
    stems: Stems,
    extent: Option<(u64, u64)>,
    /// Holds the name of a row.
    text: String,
}

/// Spans of one table: where their columns are among the cells.
struct Part {
    spans: Spans,
    name: Vec<Piece>,
    lane: Vec<Piece>,
    /// The place of the column by which lanes are ordered.
    order: Option<usize>,
    unless: Option<usize>,
    facts: usize,
}

/// A piece of a name: a text, or the cell at a place.
enum Piece {
    Text(&'static str),
    Cell(usize),
}

/// A span whose end, or whose lane, is known when all are. There may be hundreds of thousands.
struct Later {
    part: u32,
    from: u64,
    to: Option<u64>,
    on: Box<[Interval]>,
    /// The number of its lane, if that has a name.
    lane: Option<u32>,
    name: Name,
}

/// The pieces of a name; its columns are put behind `columns`.
fn pieces(name: &'static str, columns: &mut Vec<Vec<&'static str>>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for part in name.split('}') {
        let (text, column) = part.split_once('{').map_or((part, None), |(text, column)| (text, Some(column)));
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        pieces.extend(column.map(|column| {
            columns.push(vec![column]);
            Piece::Cell(columns.len() - 1)
        }));
    }
    pieces
}

/// Adds what the pieces of a name amount to in a row.
fn put_name(name: &mut String, pieces: &[Piece], cells: Cells<'_>) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => name.push_str(text),
            Piece::Cell(place) => match cells.at(*place) {
                Cell::Word(text) | Cell::Text(text) => name.push_str(text),
                // writing into memory cannot fail
                cell => drop(whole(cell).map(|number| write!(name, "{number}"))),
            },
        }
    }
}

impl OnLanes {
    /// What these spans ask for, and what gathers them.
    pub(super) fn gather(
        spans: &[Spans],
        numbered: Option<(&'static str, u32)>,
        words: (&'static str, &'static str),
    ) -> (Vec<Wanted>, Box<dyn Gather>) {
        let (mut wanted, mut parts) = (Vec::new(), Vec::new());
        for one in spans {
            let mut columns: Vec<Vec<&'static str>> = one.span.iter().map(|column| vec![*column]).collect();
            let add = |column, columns: &mut Vec<Vec<&'static str>>| {
                columns.push(vec![column]);
                columns.len() - 1
            };
            let (lane, order) = match one.on {
                On::Intervals(column) => (Vec::new(), Some(add(column, &mut columns))),
                On::Named(name, order) => {
                    (pieces(name, &mut columns), order.map(|column| add(column, &mut columns)))
                }
            };
            let name = pieces(one.name, &mut columns);
            let unless = one.unless.map(|(column, _)| add(column, &mut columns));
            let facts = columns.len();
            columns.extend(one.facts.iter().map(|(_, names)| names.to_vec()));
            wanted.push(Wanted { of: Rows::of(one.table, ""), columns });
            parts.push(Part { spans: *one, name, lane, order, unless, facts });
        }
        let mut gantt = Gantt::default();
        if let Some((word, count)) = numbered {
            gantt.numbered_lanes(count, word);
        }
        let (later, lanes, stems) = (Vec::new(), BTreeMap::new(), Stems::default());
        let (extent, text) = (None, String::new());
        (wanted, Box::new(OnLanes { parts, words, gantt, later, lanes, stems, extent, text }))
    }
}

impl Gather for OnLanes {
    fn row(&mut self, number: usize, cells: Cells<'_>) {
        let part = &self.parts[number];
        let (Some(from), to) = (whole(cells.at(0)), whole(cells.at(1))) else { return };
        let name = &mut self.text;
        name.clear();
        put_name(name, &part.name, cells);
        if let (Some(place), Some((_, usual))) = (part.unless, part.spans.unless) {
            let before = name.len();
            name.push_str(" (");
            put_name(name, &[Piece::Cell(place)], cells);
            if name[before + 2..] == *usual { name.truncate(before) } else { name.push(')') }
        }
        let is_named = !part.lane.is_empty();
        if part.spans.behind.is_none() {
            let end = to.unwrap_or(from);
            let known = self.extent.unwrap_or((from, end));
            self.extent = Some((known.0.min(from), known.1.max(end)));
        }
        let on = match part.order.map(|place| cells.at(place)) {
            Some(Cell::Intervals(on)) if !is_named => on,
            _ => &[],
        };
        if is_named || part.spans.behind.is_some() {
            let name = self.stems.name(name);
            let mut lane = None;
            if is_named {
                let order = part.order.map_or(UNORDERED, |place| whole(cells.at(place)).unwrap_or(0));
                let mut called = String::new();
                put_name(&mut called, &part.lane, cells);
                let next = self.lanes.len() as u32;
                lane = Some(*self.lanes.entry((order, called)).or_insert(next));
            }
            self.later.push(Later { part: number as u32, from, to, on: on.into(), lane, name });
            return;
        }
        let Some(to) = to else { return };
        let facts = part.spans.facts.iter().zip(cells.from(part.facts));
        let facts: SmallVec<[(&'static str, u64); 8]> =
            facts.filter_map(|((name, _), cell)| Some((*name, whole(cell)?))).collect();
        let [from, to] = [from, to].map(SimTime::from_nanos);
        self.gantt.span(Over { from, to, on, name, facts: &facts, behind: None });
    }

    fn extent(&self) -> Option<(u64, u64)> {
        self.extent
    }

    fn drawn(self: Box<Self>, (first, last): (u64, u64)) -> Option<Json> {
        let OnLanes { parts, words: (one, lanes_are), mut gantt, later, lanes, stems, .. } = *self;
        let at = SimTime::from_nanos;
        for Later { part, from, to, on, name, .. } in later.iter().filter(|one| !one.on.is_empty()) {
            let (from, to) = ((*from).max(first), to.unwrap_or(last).min(last));
            if from < to {
                let (name, behind) = (&stems.written(*name), parts[*part as usize].spans.behind);
                gantt.span(Over { from: at(from), to: at(to), on, name, facts: &[], behind });
            }
        }
        // in their order; those without one behind the others, in order of first use
        let mut order: Vec<(&(u64, String), &u32)> = lanes.iter().collect();
        order.sort_by_key(|((order, _), number)| (*order, if *order == UNORDERED { **number } else { 0 }));
        let mut place = vec![0; order.len()];
        order.iter().zip(0..).for_each(|((_, number), row)| place[**number as usize] = row);
        let lanes: Vec<String> = order.iter().map(|((_, name), _)| name.clone()).collect();
        // all names in one text, one behind the other
        let (mut names, mut starts) = (String::new(), Vec::with_capacity(later.len()));
        for one in &later {
            starts.push(names.len());
            names.push_str(&stems.written(one.name));
        }
        let mut spans = Vec::with_capacity(later.len());
        for (number, one) in later.into_iter().enumerate() {
            let Some(lane) = one.lane else { continue };
            let name = &names[starts[number]..starts.get(number + 1).copied().unwrap_or(names.len())];
            let (start, end) = (at(one.from), at(one.to.unwrap_or(last)));
            spans.push(NamedSpan { lane: place[lane as usize], name, start, end });
        }
        push_spans(&lanes, &spans, &mut gantt).expect("a sink in memory takes all");
        let drawn = gantt.drawn();
        (!drawn.is_null())
            .then(|| json!({ "kind": "lanes", "packed": drawn, "one": one, "lanes": lanes_are }))
    }
}

#[cfg(test)]
mod tests {
    use crate::output::{Drawn, Figure, FileRows, Pictures, Table, columns};
    use crate::report::html::gather::gathered;

    use super::*;

    fn drawn(spans: Vec<Spans>, numbered: Option<(&'static str, u32)>, files: &[(&str, &str)]) -> Json {
        let columns = columns! {
            "agent" Count "", ""; "name" Text "", ""; "host" Text "", ""; "outcome" Text "", "";
            "node" Count "", ""; "on" Intervals "", ""; "from" Time "s", ""; "to" Time "s", "";
        };
        let tables = files.iter().map(|(name, text)| {
            let name = if *name == "jobs" { "jobs" } else { "others" };
            let rows = FileRows::new(&Table::new(name, "", &columns), (*text).to_owned()).expect("rows");
            Box::new(rows) as Box<dyn crate::output::RowSource>
        });
        let figure = Figure::new("t", "", Drawn::Lanes { spans, numbered, words: ("span", "lanes") });
        let (drawn, _) = gathered(&Pictures::new(vec![figure], tables.collect())).expect("figures");
        drawn.into_iter().next().unwrap_or_default()["packed"].take()
    }

    const SPAN: [&str; 2] = ["from", "to"];

    #[test]
    fn what_lies_behind_lasts_while_the_others_do() {
        let front = Spans {
            table: "jobs",
            span: SPAN,
            on: On::Intervals("on"),
            name: "{node}",
            unless: None,
            facts: &[("node", &["node"])],
            behind: None,
        };
        let behind =
            |what| Spans { table: "others", name: "node {node}", facts: &[], behind: Some(what), ..front };
        let spans = vec![front, behind("reserved")];
        let files = [
            ("jobs", "node,on,from,to\n7,0-1,0,10\n"),
            ("others", "node,on,from,to\n1,0-3,5,\n3,2-3,1,2\n3,2-3,11,12\n"),
        ];
        let drawn = drawn(spans.clone(), Some(("processor", 4)), &files);
        assert_eq!((&drawn["spans"], &drawn["rows"], &drawn["unit"]), (&json!(3), &json!(4), &json!(1.0)));
        assert_eq!(drawn["behind"], json!(["reserved"]));
        assert_eq!(drawn["lanes"], json!([["processor \u{1}", 0, 0, 0, 4]]));
        assert_eq!(super::tests::drawn(spans, Some(("processor", 4)), &[]), Json::Null);
    }

    #[test]
    fn lanes_have_names_in_order_and_spans_say_how_they_ended() {
        let agents = Spans {
            table: "jobs",
            span: SPAN,
            on: On::Named("{name} {agent} on {host}", Some("agent")),
            name: "execute {node}",
            unless: Some(("outcome", "done")),
            facts: &[],
            behind: None,
        };
        let flows = Spans { table: "others", on: On::Named("flow {name}", None), name: "{name}", ..agents };
        let files = [
            (
                "jobs",
                "agent,name,host,node,outcome,from,to\n2,master,h-1,1,done,0,1\n1,worker,h-2,1,done,0,2\n1,worker,h-2,2,aborted,2,3.5\n",
            ),
            ("others", "name,outcome,from,to\nb,done,1,9\na,unfinished,1,\n"),
        ];
        let drawn = drawn(vec![agents, flows], None, &files);
        let texts = |member: &str, of: fn(&Json) -> Option<&str>| -> Vec<String> {
            drawn[member].as_array().expect("a list").iter().filter_map(of).map(ToOwned::to_owned).collect()
        };
        let lanes = texts("lanes", |run| run[0].as_str());
        assert_eq!(lanes, ["worker \u{1} on h-\u{1}", "master \u{1} on h-\u{1}", "flow b", "flow a"]);
        let mut stems = texts("stems", Json::as_str);
        stems.sort_unstable();
        assert_eq!(stems, ["a (unfinished)", "b", "execute \u{1}", "execute \u{1} (aborted)"]);
        assert_eq!((&drawn["spans"], drawn["to"].as_f64()), (&json!(5), Some(9.0)));
    }
}
