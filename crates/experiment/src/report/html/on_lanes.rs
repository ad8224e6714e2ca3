//! Rows of tables as spans on lanes: the lanes and spans of a table's columns, drawn as any
//! timeline is.

use serde_json::{Value as Json, json};
use smallvec::{SmallVec, smallvec};

use crate::collections::{Interval, OrderedMap, StableSort as _};
use crate::kernel::SimTime;
use crate::output::{Cell, Layout, On, Rows, Spans};

use super::cells::{Cells, Gather, Wanted, whole};
use super::lanes::{Gantt, Known, Over};
use super::names::{Name, Stems};
use super::row_names::{Piece, pieces, put_name};

/// Bands of lanes, at most.
const MOST_BANDS: u64 = 10_000;
/// The order of lanes that have none.
const UNORDERED: u64 = u64::MAX;

/// Spans that are gathered.
pub(super) struct OnLanes {
    parts: Vec<Part>,
    words: (&'static str, &'static str),
    gantt: Gantt,
    /// Spans on lanes that have names.
    named: Vec<Named>,
    /// Spans that lie behind the others.
    behind: Vec<Behind>,
    /// Lanes by order and name, and the number of each in order of first use.
    lanes: OrderedMap<(u64, String), u32>,
    /// The places of lanes whose order a table has.
    listed: OrderedMap<String, u64>,
    /// The names of what is drawn later.
    stems: Stems,
    extent: Option<(u64, u64)>,
    /// Number of bands so far, and the lanes of each, if lanes are in bands.
    bands: Option<(u32, u32)>,
    /// Holds the name of a row.
    text: String,
}

/// Spans of one table: where their columns are among the cells.
struct Part {
    spans: Spans,
    /// True if its rows have no spans, and say the order of lanes.
    lists: bool,
    name: Vec<Piece>,
    lane: Vec<Piece>,
    /// The places of the columns of which each word is a lane.
    each: Vec<usize>,
    /// The place of the column by which lanes are ordered.
    order: Option<usize>,
    /// The place of the column of bands, if lanes are in bands.
    band: Option<usize>,
    unless: Option<usize>,
    /// The place of the column of its first fact.
    facts: usize,
    /// The place of each of its facts among those of a bar, once one of its bars has it.
    known: Vec<Option<usize>>,
}

/// A span on a lane that has a name. There may be hundreds of thousands.
struct Named {
    from: u64,
    /// [`OPEN`] if it lasts until the end of all.
    to: u64,
    name: Name,
    lane: u32,
    /// True if it is the span before it, on a further lane.
    is_further: bool,
}

/// The end of a span that lasts until the end of all.
const OPEN: u64 = u64::MAX;

/// A span behind others, which lasts while they do if it has no end.
struct Behind {
    part: u32,
    from: u64,
    to: Option<u64>,
    on: Box<[Interval]>,
    name: Name,
}

impl OnLanes {
    /// Columns that these spans ask for, and their gatherer.
    pub(super) fn gather(
        spans: &[Spans],
        numbered: Option<(&'static str, u32)>,
        words: (&'static str, &'static str),
    ) -> (Vec<Wanted>, Box<dyn Gather>) {
        let (mut wanted, mut parts, mut bands) = (Vec::new(), Vec::new(), None);
        for one in spans {
            let mut columns: Vec<Vec<&'static str>> = one.span.iter().map(|column| vec![*column]).collect();
            let add = |column, columns: &mut Vec<Vec<&'static str>>| {
                columns.push(vec![column]);
                columns.len() - 1
            };
            let (mut each, mut band) = (Vec::new(), None);
            let (lane, order) = match one.on {
                On::Intervals(column) => (Vec::new(), Some(add(column, &mut columns))),
                On::Bands { band: column, intervals, each: lanes } => {
                    band = Some(add(column, &mut columns));
                    bands = Some((0, lanes));
                    (Vec::new(), Some(add(intervals, &mut columns)))
                }
                On::Named(name, order) => {
                    (pieces(name, &mut columns), order.map(|column| add(column, &mut columns)))
                }
                On::Each(name, words) => {
                    let lane = pieces(name, &mut columns);
                    each.extend(words.iter().map(|column| add(column, &mut columns)));
                    (lane, None)
                }
                On::Listed(name, _) => (pieces(name, &mut columns), None),
            };
            let name = pieces(one.name, &mut columns);
            let unless = one.unless.map(|(column, _)| add(column, &mut columns));
            let facts = columns.len();
            columns.extend(one.facts.iter().map(|(_, names)| names.to_vec()));
            wanted.push(Wanted { of: Rows::of(one.table, ""), columns });
            let known = vec![None; one.facts.len()];
            let lists = false;
            parts.push(Part { spans: *one, lists, name, lane, each, order, band, unless, facts, known });
        }
        for one in spans {
            if let On::Listed(name, table) = one.on {
                let mut columns = Vec::new();
                let lane = pieces(name, &mut columns);
                wanted.push(Wanted { of: Rows::of(table, ""), columns });
                let (name, each, known) = (Vec::new(), Vec::new(), Vec::new());
                let (order, band, unless, facts, lists) = (None, None, None, 0, true);
                parts.push(Part { spans: *one, lists, name, lane, each, order, band, unless, facts, known });
            }
        }
        let mut gantt = Gantt::default();
        if let Some((word, count)) = numbered {
            gantt.numbered_lanes(count, word);
        }
        let (named, behind, lanes, listed) = (Vec::new(), Vec::new(), OrderedMap::new(), OrderedMap::new());
        let (stems, extent, text) = (Stems::default(), None, String::new());
        let gather =
            OnLanes { parts, words, gantt, named, behind, lanes, listed, stems, extent, bands, text };
        (wanted, Box::new(gather))
    }
}

impl OnLanes {
    /// Takes a row of a table that says the order of lanes.
    fn listed(&mut self, number: usize, cells: Cells<'_>) {
        let (mut called, next) = (String::new(), self.listed.len() as u64);
        put_name(&mut called, &self.parts[number].lane, cells);
        self.listed.entry(called).or_insert(next);
    }

    /// Takes a span on lanes that have names.
    fn named(&mut self, number: usize, (from, to): (u64, Option<u64>), cells: Cells<'_>) {
        let part = &self.parts[number];
        let name = self.stems.name(part.written(&mut self.text, cells));
        let order = part.order.map_or(UNORDERED, |place| whole(cells.at(place)).unwrap_or(0));
        for (place, called) in part.called(cells).into_iter().enumerate() {
            let next = self.lanes.len() as u32;
            let lane = *self.lanes.entry((order, called)).or_insert(next);
            let (to, is_further) = (to.unwrap_or(OPEN), place > 0);
            self.named.push(Named { from, to, name, lane, is_further });
        }
    }

    /// The lanes of intervals of a band, which is added with those above it where it is new; `None`
    /// if there are none, or more than can be numbered.
    fn in_band(&mut self, number: usize, band: u64, on: &[Interval]) -> Option<SmallVec<[Interval; 4]>> {
        let On::Bands { band: word, .. } = self.parts[number].spans.on else { return None };
        let (count, each) = self.bands.as_mut().filter(|_| band <= MOST_BANDS)?;
        let first = u32::try_from(band.checked_sub(1)?.checked_mul(u64::from(*each))?).ok()?;
        first.checked_add(*each)?;
        while u64::from(*count) < band {
            *count += 1;
            self.gantt.run_of_lanes((*count - 1) * *each, *each, &format!("{word} {count}: 0"));
        }
        let inside = on.iter().filter(|part| part.last < *each);
        let on: SmallVec<[Interval; 4]> =
            inside.map(|part| Interval::new(first + part.first, first + part.last)).collect();
        (!on.is_empty()).then_some(on)
    }

    /// Takes a span that is over, on lanes that have numbers.
    fn over(&mut self, number: usize, (from, to): (u64, u64), on: &[Interval], cells: Cells<'_>) {
        let (part, gantt) = (&mut self.parts[number], &mut self.gantt);
        let is_drawn = gantt.may_draw(from, to, on);
        let mut facts = Known::default();
        for ((column, &(name, _)), known) in (part.facts..).zip(part.spans.facts).zip(&mut part.known) {
            let value = match cells.at(column) {
                Cell::Word(word) | Cell::Text(word) => gantt.word(name, word),
                cell => whole(cell),
            };
            if let Some(value) = value.filter(|_| is_drawn) {
                facts.set(*known.get_or_insert_with(|| gantt.fact(name)), value);
            }
        }
        let name = match part.number(cells) {
            _ if !is_drawn => Name::default(),
            Some(number) => gantt.numbered(number),
            None => gantt.named(part.written(&mut self.text, cells)),
        };
        gantt.bar(from, to, on, name, &facts);
    }
}

impl Gather for OnLanes {
    fn row(&mut self, number: usize, cells: Cells<'_>) {
        let part = &self.parts[number];
        if part.lists {
            return self.listed(number, cells);
        }
        let (Some(from), to) = (whole(cells.at(0)), whole(cells.at(1))) else { return };
        if part.spans.behind.is_none() {
            let end = to.unwrap_or(from);
            let known = self.extent.unwrap_or((from, end));
            self.extent = Some((known.0.min(from), known.1.max(end)));
        }
        if !part.lane.is_empty() {
            return self.named(number, (from, to), cells);
        }
        let on = match part.order.map(|place| cells.at(place)) {
            Some(Cell::Intervals(on)) => on,
            _ => &[],
        };
        if let Some(band) = part.band {
            let band = whole(cells.at(band)).unwrap_or(0);
            if let Some(on) = self.in_band(number, band, on) {
                self.over(number, (from, to.unwrap_or(from)), &on, cells);
            }
        } else if part.spans.behind.is_some() {
            let name = self.stems.name(part.written(&mut self.text, cells));
            self.behind.push(Behind { part: number as u32, from, to, on: on.into(), name });
        } else if let Some(to) = to {
            self.over(number, (from, to), on, cells);
        }
    }

    fn extent(&self) -> Option<(u64, u64)> {
        self.extent
    }

    fn drawn(self: Box<Self>, (first, last): (u64, u64)) -> Option<Json> {
        let OnLanes {
            parts,
            words: (one, lanes_are),
            mut gantt,
            mut named,
            behind,
            lanes,
            listed,
            stems,
            bands,
            ..
        } = *self;
        let at = SimTime::from_nanos;
        for Behind { part, from, to, on, name } in behind {
            let (from, to) = (from.max(first), to.unwrap_or(last).min(last));
            if from < to {
                let (name, on, behind) = (&stems.written(name), &on, parts[part as usize].spans.behind);
                gantt.span(Over { from: at(from), to: at(to), on, name, behind });
            }
        }
        // in their order; those without one behind the others, in order of first use
        let mut order: Vec<(&(u64, String), &u32)> = lanes.iter().collect();
        order.stable_sort_by_key(|((order, name), number)| {
            let place = listed.get(name).copied().unwrap_or(*order);
            (place, if place == UNORDERED { **number } else { 0 })
        });
        let mut place = vec![0; order.len()];
        order.iter().zip(0..).for_each(|((_, number), row)| place[**number as usize] = row);
        let lanes: Vec<String> = order.iter().map(|((_, name), _)| name.clone()).collect();
        for span in &mut named {
            span.lane = place[span.lane as usize];
            span.to = if span.to == OPEN { last } else { span.to };
        }
        let of = |place: u32| &named[place as usize];
        let times = |place: u32| (of(place).lane, at(of(place).from), at(of(place).to));
        let layout = Layout::of(lanes.len(), named.len(), times);
        layout.lanes(&lanes).for_each(|(number, name)| gantt.lane(number, &name));
        // names are numbered as spans begin, and spans are drawn as they end
        let is_further = |place: &&u32| named[**place as usize].is_further;
        let firsts = |places: &[u32]| -> Vec<u32> {
            places.iter().filter(|place| !is_further(place)).copied().collect()
        };
        let (begins, ends) = (firsts(&layout.begins), firsts(&layout.ends));
        for place in begins {
            let name = &mut named[place as usize].name;
            *name = gantt.named(&stems.written(*name));
        }
        for place in ends {
            let Named { from, to, name, .. } = named[place as usize];
            let further = named[place as usize + 1..].iter().take_while(|next| next.is_further).count();
            let on = (place as usize..=place as usize + further).filter_map(|place| layout.lane_of(place));
            let mut on: SmallVec<[Interval; 2]> = on.map(|lane| Interval::new(lane, lane)).collect();
            on.sort_unstable_by_key(|interval| interval.first);
            gantt.bar(from, to, &on, name, &Known::default());
        }
        let drawn = gantt.drawn();
        let band = bands.map(|(_, each)| each);
        (!drawn.is_null()).then(
            || json!({ "kind": "lanes", "packed": drawn, "one": one, "lanes": lanes_are, "band": band }),
        )
    }
}

impl Part {
    /// The name of a row.
    fn written<'t>(&self, text: &'t mut String, cells: Cells<'_>) -> &'t str {
        text.clear();
        put_name(text, &self.name, cells);
        if let (Some(place), Some((_, usual))) = (self.unless, self.spans.unless) {
            let before = text.len();
            text.push_str(" (");
            put_name(text, &[Piece::Cell(place)], cells);
            if text[before + 2..] == *usual { text.truncate(before) } else { text.push(')') }
        }
        text
    }

    /// The number that the name of a row is, if it is one and nothing else.
    fn number(&self, cells: Cells<'_>) -> Option<u64> {
        match self.name[..] {
            [Piece::Cell(place)] if self.unless.is_none() => whole(cells.at(place)),
            _ => None,
        }
    }

    /// The names of the lanes of a row.
    fn called(&self, cells: Cells<'_>) -> SmallVec<[String; 1]> {
        let mut called = String::new();
        put_name(&mut called, &self.lane, cells);
        if self.each.is_empty() {
            return smallvec![called];
        }
        let mut words = String::new();
        for column in &self.each {
            put_name(&mut words, &[Piece::Cell(*column), Piece::Text(" ")], cells);
        }
        words.split_whitespace().map(|word| format!("{called} {word}")).collect()
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
        let (drawn, _) = gathered(Pictures::new(vec![figure], tables.collect())).expect("figures");
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
        assert_eq!(drawn["lanes"], json!([["processor \u{e000}", 0, 0, 0, 4]]));
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
        assert_eq!(
            lanes,
            ["worker \u{e000} on h-\u{e000}", "master \u{e000} on h-\u{e000}", "flow b", "flow a"]
        );
        let mut stems = texts("stems", Json::as_str);
        stems.sort_unstable();
        assert_eq!(stems, ["a (unfinished)", "b", "execute \u{e000}", "execute \u{e000} (aborted)"]);
        assert_eq!((&drawn["spans"], drawn["to"].as_f64()), (&json!(5), Some(9.0)));
    }

    #[test]
    fn a_span_on_several_lanes_is_one() {
        let tasks = Spans {
            table: "jobs",
            span: SPAN,
            on: On::Each("{host}", &["node", "name"]),
            name: "{outcome}",
            unless: None,
            facts: &[],
            behind: None,
        };
        let files =
            [("jobs", "host,node,name,outcome,from,to\na,0,,x,0,1\na,0,1 2,y,1,3\nb,0,,z,0,1\na,2,,v,0,1\n")];
        let drawn = drawn(vec![tasks], None, &files);
        assert_eq!((&drawn["spans"], &drawn["rows"]), (&json!(4), &json!(4)));
        let plain = |row: &str| self::drawn(vec![tasks], None, &[("jobs", row)]);
        let row = "host,node,outcome,from,to\na,0,x,0,1\n";
        assert_eq!((&plain(row)["spans"], &plain(row)["lanes"][0][0]), (&json!(1), &json!("a \u{e000}")));
    }

    #[test]
    fn lanes_are_in_the_order_of_a_table_that_lists_them() {
        let of = |on| Spans {
            table: "others",
            span: SPAN,
            on,
            name: "{name}",
            unless: None,
            facts: &[],
            behind: None,
        };
        let files = [("others", "name,host,from,to\nx,b,0,1\ny,a,0,1\nz,c,0,1\n"), ("jobs", "host\na\nb\n")];
        let names = |on| {
            let drawn = drawn(vec![of(on)], None, &files);
            let lanes = drawn["lanes"].as_array().expect("a list").iter();
            lanes.map(|run| run[0].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        // one that is not listed comes last
        assert_eq!(names(On::Listed("{host}", "jobs")), ["a", "b", "c"]);
        assert_eq!(names(On::Listed("{node|host}", "jobs")), ["a", "b", "c"]);
        assert_eq!(names(On::Named("{host}", None)), ["b", "a", "c"]);
    }

    #[test]
    fn bands_are_added_as_they_come_and_have_all_their_lanes() {
        let rows = Spans {
            table: "jobs",
            span: SPAN,
            on: On::Bands { band: "node", intervals: "on", each: 4 },
            name: "{agent}",
            unless: None,
            facts: &[],
            behind: None,
        };
        // the second has a lane that the band has not, the last a band that none is
        let files =
            [("jobs", "agent,node,on,from,to\n7,1,0-3,0,10\n8,3,1 2-9,0,10\n9,2,3,5,10\n9,0,3,5,10\n")];
        let drawn = drawn(vec![rows], None, &files);
        let stem = "node \u{e000}: \u{e000}";
        assert_eq!(drawn["lanes"], json!([[stem, 1, 0, 1, 4], [stem, 2, 0, 1, 4], [stem, 3, 0, 1, 4]]));
        assert_eq!(
            (&drawn["spans"], &drawn["rows"], &drawn["intervals"]),
            (&json!(3), &json!(12), &json!(3))
        );
    }
}
