//! Given flows of a scenario: a file of them, tables in the scenario, or both.
//!
//! ```toml
//! flows = "flows.csv"          # from,to,size,start,rate-cap,name: a line for each flow
//!
//! [[flows.flow]]               # or one by one; those of the file come first
//! from = "a"
//! to   = "b"
//! size = "100MB"
//! ```
//!
//! Both are checked alike: hosts by name, a route between them (and back where acknowledgements
//! take one), sizes that the network can carry, rate caps above 0, and names that are there once.
//! Mistakes in the file are reported with line and column.

use std::path::{Path, PathBuf};

use crate::GivenFlow;
use crate::collections::OrderedSet;
use crate::kernel::{PAST_THE_END, SimDuration, SimTime};
use crate::platform::measured::is_gap;
use crate::platform::network::Transport;
use crate::platform::{HostId, Platform, simgrid};
use crate::registry::code::{self, Code};
use crate::registry::{Bounds, Complaint, Key, Kind, Node, Params, Sources, keys, suggestion};

use crate::registry::Problem;
use crate::text::Mistakes;
use crate::text::csv::{self, Field, Row, Table};
use crate::units::{BadQuantity, Bandwidth, Bytes, Decimal, duration};

/// Flows that are given.
pub(super) const FLOWS: Key = Key::new("flows", Kind::FirstOrTable(KEYS)).absent("there are none").about(
    "transfers that are given one by one, each with its start: a file of them, \
                or tables [[flows.flow]]",
);

const KEYS: &[Key] = &keys! {
    "file" Kind::Path, absent "flows are those of [[flows.flow]]" =>
        "a table (.csv, plain or .gz) whose first line names the columns from, to, size and, if need be, \
         start, rate-cap and name; bare numbers are bytes, seconds and bytes/s; an empty cell is a default";
    "flow" Kind::List(&Kind::Table(FLOW)), absent "flows are those of `file`" =>
        "a table for each flow; they come after those of `file`";
};

const FLOW: &[Key] = &keys! {
    "from" Kind::Text => "the host that sends";
    "to" Kind::Text => "the host that receives";
    "size" Kind::Bytes => "how much is sent";
    "start" Kind::Duration(Bounds::NotNegative), or "0s" =>
        "when it starts; flows of one instant start in the order of the list";
    "rate-cap" Kind::Bandwidth, absent "what the links give" => "the most that it takes";
    "name" Kind::Text, absent "`flow-` and its number in the list, from 0" =>
        "what it is called in flows.csv; no two flows have one name";
};

/// The columns of a file.
const COLUMNS: [&str; 6] = ["from", "to", "size", "start", "rate-cap", "name"];

/// The file of a checked scenario: as it is named, and from where the program runs.
pub(super) fn input(params: &Params<'_>) -> Option<(String, PathBuf)> {
    let table = params.has(FLOWS.name).then(|| params.section(FLOWS.name))?;
    table.has("file").then_some(())?;
    Some((table.read("file").ok()?, table.path("file").ok()?))
}

/// The flows of a checked scenario, in order; none if it has none.
///
/// # Errors
/// Everything that is wrong with them; of the file as of any.
pub(super) fn read(
    params: &Params<'_>,
    sources: &Sources,
    platform: &Platform,
    network: &dyn Transport,
) -> Result<Vec<GivenFlow>, Vec<Complaint>> {
    if !params.has(FLOWS.name) {
        return Ok(Vec::new());
    }
    let table = params.section(FLOWS.name);
    let needs_reverse_route = network.carrier(platform).is_ok_and(|carrier| carrier.wants_reverse_route());
    let mut reading = Reading {
        platform,
        network,
        needs_reverse_route,
        count: 0,
        names: OrderedSet::new(),
        flows: Vec::new(),
    };
    let mut complaints = Vec::new();
    if table.has("file") {
        complaints.extend(reading.file(&table, sources));
    }
    for node in table.items("flow") {
        if let Err(wrong) = reading.tabled(&table.with(node), node) {
            complaints.extend(wrong);
        }
    }
    if complaints.is_empty() && reading.flows.is_empty() {
        let complaint = Complaint::new(code::MISSING_KEY, "there are no flows", params.span(FLOWS.name));
        complaints.push(
            complaint.help("name a `file` of them, or write [[flows.flow]] with `from`, `to` and `size`"),
        );
    }
    if complaints.is_empty() { Ok(reading.flows) } else { Err(complaints) }
}

/// A mistake in a value: its kind, its description, and its remedy.
struct Wrong {
    code: &'static Code,
    what: String,
    help: String,
}

impl Wrong {
    fn new(code: &'static Code, what: impl Into<String>, help: impl Into<String>) -> Self {
        Wrong { code, what: what.into(), help: help.into() }
    }
}

impl From<BadQuantity> for Wrong {
    fn from(bad: BadQuantity) -> Self {
        Wrong { code: code::QUANTITY, what: bad.problem, help: bad.help }
    }
}

/// The flows so far, and what the next ones are checked by.
struct Reading<'a> {
    platform: &'a Platform,
    network: &'a dyn Transport,
    needs_reverse_route: bool,
    /// Number of flows read, wrong ones too.
    count: u64,
    names: OrderedSet<String>,
    flows: Vec<GivenFlow>,
}

impl Reading<'_> {
    fn host(&self, name: &str) -> Result<HostId, Wrong> {
        let found = self.platform.host_named(name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.platform.hosts().iter().map(|host| host.name.as_str()).collect();
            Wrong::new(code::UNKNOWN_NAME, format!("no host is called `{name}`"), suggestion(name, names))
        })
    }

    /// Refuses hosts that no route joins.
    fn joined(&self, from: HostId, to: HostId) -> Result<(), Wrong> {
        let mut route = Vec::new();
        let there = self.platform.route(from, to, &mut route);
        let back = if self.needs_reverse_route { self.platform.route(to, from, &mut route) } else { Ok(()) };
        there.and(back).map_err(|none| {
            let help = "a flow takes a route of the platform; `clustersim show platform` draws them";
            Wrong::new(code::CONTRADICTION, none.to_string(), help)
        })
    }

    /// Refuses a size that the network cannot carry.
    fn carried(&self, size: f64) -> Result<(), Wrong> {
        let carried = self.network.carries(size);
        carried.map_err(|why| {
            Wrong::new(code::RANGE, why.to_string(), "make the flow smaller, or the packets larger")
        })
    }

    /// The name of the next flow.
    fn named(&mut self, name: Option<&str>) -> Result<String, Wrong> {
        let name = name.map_or_else(|| format!("flow-{}", self.count), ToOwned::to_owned);
        self.count += 1;
        if self.names.insert(name.clone()) {
            return Ok(name);
        }
        let what = format!("two flows are called `{name}`");
        Err(Wrong::new(code::CONTRADICTION, what, "give each flow another name, or none"))
    }

    /// Reads a table of the scenario.
    fn tabled(&mut self, table: &Params<'_>, node: &Node) -> Result<(), Vec<Complaint>> {
        let text = |key: &str| table.read::<Option<String>>(key);
        let at = |key: &str, wrong: Wrong| {
            let span = if table.has(key) { table.span(key) } else { node.span };
            Complaint::new(wrong.code, wrong.what, span).help(wrong.help)
        };
        let mut complaints = Vec::new();
        let [from, to] = ["from", "to"].map(|key| {
            let name = table.tree().get(key).and_then(Node::as_text).unwrap_or_default();
            self.host(name).map_err(|wrong| complaints.push(at(key, wrong))).ok()
        });
        let size = table.read::<Bytes>("size")?.get() as f64;
        if let Err(wrong) = self.carried(size) {
            complaints.push(at("size", wrong));
        }
        if let (Some(from), Some(to)) = (from, to)
            && let Err(wrong) = self.joined(from, to)
        {
            complaints.push(at("to", wrong));
        }
        let name = match self.named(text("name")?.as_deref()) {
            Ok(name) => name,
            Err(wrong) => {
                complaints.push(at("name", wrong));
                String::new()
            }
        };
        let start = SimTime::ZERO.saturating_add(table.read::<SimDuration>("start")?);
        let rate_cap = table.read::<Option<Bandwidth>>("rate-cap")?.map(Bandwidth::bytes_per_sec);
        let (Some(from), Some(to), true) = (from, to, complaints.is_empty()) else { return Err(complaints) };
        self.flows.push(GivenFlow { name, from, to, size, start, rate_cap });
        Ok(())
    }

    /// Reads the file.
    fn file(&mut self, table: &Params<'_>, sources: &Sources) -> Vec<Complaint> {
        let written: String = match table.read("file") {
            Ok(written) => written,
            Err(complaint) => return vec![complaint],
        };
        let (mut sources, span) = (sources.clone(), table.span("file"));
        let text = match simgrid::add(Path::new(&written), &mut sources) {
            Ok(source) => sources.text(source),
            Err(complaint) => return vec![Complaint { span: Some(span), ..complaint }],
        };
        let problems = match Table::new(csv::Reader::new(text).with_comments()) {
            Ok(Some(table)) => self.rows(table),
            Ok(None) => Problem::new(code::MISSING_KEY, "the table is empty").into(),
            Err(mistake) => Problem::from(mistake).into(),
        };
        problems.map(|problem| problem.complaint(&written, Some(span))).into()
    }

    fn rows(&mut self, mut table: Table<'_>) -> Mistakes<Problem> {
        let mut problems = Mistakes::new();
        for cell in table.head.cells() {
            let name = cell.text();
            if !COLUMNS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                let what = format!("there is no column `{name}`");
                problems.push(Problem::of_cell(cell, code::UNKNOWN_KEY, what, suggestion(&name, COLUMNS)));
            }
        }
        let columns = COLUMNS.map(|name| {
            table.column(name).unwrap_or_else(|mistake| {
                problems.push(mistake.into());
                Some(0)
            })
        });
        let missing: Vec<&str> = COLUMNS
            .iter()
            .zip(columns)
            .take(3)
            .filter(|(_, column)| column.is_none())
            .map(|(name, _)| *name)
            .collect();
        if !missing.is_empty() {
            let what = format!("the first line does not name the columns {}", missing.join(", "));
            let help = "expected from,to,size and, if need be, start, rate-cap and name";
            problems.push(Problem::of_cell(table.head.whole(), code::MISSING_KEY, what, help));
        }
        let ([Some(from), Some(to), Some(size), start, rate_cap, name], true) =
            (columns, problems.is_empty())
        else {
            return problems;
        };
        let mut row = Row::default();
        loop {
            match table.read(&mut row) {
                Ok(true) => {}
                Ok(false) => break,
                Err(mistake) => {
                    problems.push(mistake.into());
                    break;
                }
            }
            let cells = [Some(from), Some(to), Some(size), start, rate_cap, name];
            let ([Some(from), Some(to), Some(size), start, rate_cap, name], true) =
                (cells.map(|column| row.get(column?)), row.len() == table.head.len())
            else {
                let what =
                    format!("this line has {} cells, and the first has {}", row.len(), table.head.len());
                problems.push(Problem::of_cell(row.whole(), code::TYPE, what, "an empty cell is a gap"));
                continue;
            };
            let [start, rate_cap, name] =
                [start, rate_cap, name].map(|cell| cell.filter(|&cell| !is_gap(cell)));
            self.line(&Line { from, to, size, start, rate_cap, name }, &mut problems);
        }
        problems
    }

    fn line(&mut self, line: &Line<'_>, problems: &mut Mistakes<Problem>) {
        let before = problems.count();
        let mut keep = |cell: Field<'_>, wrong: Wrong| {
            problems.push(Problem::of_cell(cell, wrong.code, wrong.what, wrong.help));
        };
        let [from, to] =
            [line.from, line.to].map(|cell| self.host(&cell.text()).map_err(|wrong| keep(cell, wrong)).ok());
        if let (Some(from), Some(to)) = (from, to)
            && let Err(wrong) = self.joined(from, to)
        {
            keep(line.to, wrong);
        }
        let size = size(line.size.raw()).and_then(|size| self.carried(size).map(|()| size));
        let size = size.map_err(|wrong| keep(line.size, wrong)).ok();
        let start = match line.start {
            Some(cell) => start(cell.raw()).map_err(|wrong| keep(cell, wrong)).ok(),
            None => Some(SimTime::ZERO),
        };
        let rate_cap = match line.rate_cap {
            Some(cell) => rate(cell.raw()).map_err(|wrong| keep(cell, wrong)).ok().map(Some),
            None => Some(None),
        };
        let name = self.named(line.name.map(Field::text).as_deref());
        let name = name.map_err(|wrong| keep(line.name.unwrap_or(line.from.whole_row()), wrong)).ok();
        let parts = (from, to, size, start, rate_cap, name);
        if let ((Some(from), Some(to), Some(size), Some(start), Some(rate_cap), Some(name)), true) =
            (parts, problems.count() == before)
        {
            self.flows.push(GivenFlow { name, from, to, size, start, rate_cap });
        }
    }
}

/// The cells of a line, by column.
struct Line<'a> {
    from: Field<'a>,
    to: Field<'a>,
    size: Field<'a>,
    start: Option<Field<'a>>,
    rate_cap: Option<Field<'a>>,
    name: Option<Field<'a>>,
}

/// A number without a unit.
fn bare(text: &str) -> Option<f64> {
    let (number, rest) = Decimal::take(text)?;
    Some(number.to_f64(0)).filter(|number| rest.is_empty() && number.is_finite())
}

fn size(text: &str) -> Result<f64, Wrong> {
    match bare(text) {
        Some(bytes) => Ok(bytes),
        None => Ok(Bytes::parse(text)?.get() as f64),
    }
}

fn start(text: &str) -> Result<SimTime, Wrong> {
    let nanos = match Decimal::take(text) {
        Some((number, "")) => number.ceil_times(1_000_000_000),
        _ => Some(duration(text)?),
    };
    let nanos = nanos.filter(|&nanos| nanos < u64::MAX);
    let late = || Wrong::new(code::RANGE, format!("`{text}` is {PAST_THE_END}"), "expected an earlier start");
    nanos.map(SimTime::from_nanos).ok_or_else(late)
}

fn rate(text: &str) -> Result<f64, Wrong> {
    let rate = match bare(text) {
        Some(rate) => rate,
        None => Bandwidth::parse(text)?.bytes_per_sec(),
    };
    if rate > 0.0 {
        return Ok(rate);
    }
    Err(Wrong::new(
        code::RANGE,
        format!("`{text}` is no rate cap"),
        "expected more than 0, or an empty cell for none",
    ))
}
