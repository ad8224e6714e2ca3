//! Reading tables of any kind, in any order, and joining them when all are read.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::kernel::SimTime;
use crate::platform::Ways;
use crate::platform::graph::Graph;
use crate::platform::sharing::{LEAST, MOST};
use crate::platform::topology::LinePoint;
use crate::platform::{Builder, Host, Link, Platform, Trace};
use crate::registry::code;
use crate::registry::{MOST_SHOWN, nearest};
use crate::units::{BadQuantity, Bandwidth, Speed, duration};
use crate::workload::source::Problem;

use super::series::{AllSeries, Sample, Whose};
use super::table::{Cell, Table};
use super::{Measure, Measured, MeasuredHost, MeasuredLine, Units, Use};

/// Mistakes of one file that are told.
const TOLD: usize = 20;
/// The columns that a table may be known by.
const KINDS: &str = "expected host,speed or from,to,bandwidth,latency or time,host,availability or time,link,bandwidth or a row of \
                     times for each host";

/// What was read so far.
#[derive(Debug)]
pub struct Reader {
    units: Units,
    /// The speed of hosts that no table of hosts tells.
    speed: Option<f64>,
    hosts: BTreeMap<String, MeasuredHost>,
    /// Hosts and lines in the order of the files.
    host_order: Vec<String>,
    lines: Vec<Draft>,
    series: AllSeries,
    problems: Vec<(String, Problem)>,
    /// Problems of the files before this one.
    before: usize,
}

/// A line, and what was wrong if there is no more of it.
#[derive(Debug)]
struct Draft {
    line: MeasuredLine,
    /// The bandwidth and the latency, if they were told here.
    told: [Option<f64>; 2],
    place: (String, Problem),
}

impl Reader {
    /// Nothing yet; `speed` is that of hosts which only series tell of, in operations per second.
    pub fn new(units: Units, speed: Option<f64>) -> Self {
        Reader {
            units,
            speed,
            hosts: BTreeMap::new(),
            host_order: Vec::new(),
            lines: Vec::new(),
            series: AllSeries::default(),
            problems: Vec::new(),
            before: 0,
        }
    }

    /// Reads a table; `file` is what messages call it. What is wrong is told by [`Reader::finish`].
    pub fn read(&mut self, file: &str, text: &str) {
        self.before = self.problems.len();
        match Table::read(text) {
            Ok(table) => self.table(file, &table),
            Err(problem) => self.tell(file, problem),
        }
    }

    fn tell(&mut self, file: &str, problem: Problem) {
        if self.problems.len() - self.before < TOLD {
            self.problems.push((file.to_owned(), problem));
        }
    }

    fn table(&mut self, file: &str, table: &Table<'_>) {
        let column = |name| table.column(name);
        let whose = match (column("host"), column("link"), column("from"), column("to")) {
            (Some(host), None, None, None) => Some([host, host]),
            (None, Some(link), None, None) => Some([link, link]),
            (None, None | Some(_), Some(from), Some(to)) => Some([from, to]),
            _ => None,
        };
        let is_host = column("host").is_some();
        match (whose, column("time")) {
            (Some(whose), Some(time)) => self.samples(file, table, time, (whose, is_host)),
            (Some([host, _]), None) if is_host && column("speed").is_some() => {
                self.host_table(file, table, host);
            }
            (Some([host, _]), None) if is_host => self.wide(file, table, host),
            (Some(ends), None) if column("from").is_some() => self.line_table(file, table, ends),
            _ => {
                let what = "the first line does not tell what this table holds";
                let problem = table.head[0].whole_line().problem(code::MISSING_KEY, what, KINDS);
                self.tell(file, problem);
            }
        }
    }

    fn host_table(&mut self, file: &str, table: &Table<'_>, host: usize) {
        let (speed, cores) = (table.column("speed"), table.column("cores"));
        for row in table.rows() {
            let name = row[host];
            let speed = speed.and_then(|speed| self.speed_of(file, row[speed]));
            let cores = match cores.map(|cores| (row[cores], row[cores].text.parse::<u32>())) {
                None => 1,
                Some((_, Ok(cores))) if cores > 0 => cores,
                Some((cell, _)) => {
                    let what = format!("`{}` is no number of cores", cell.text);
                    let problem = cell.problem(code::RANGE, what, "expected a whole number of 1 or more");
                    self.tell(file, problem);
                    1
                }
            };
            if name.text.is_empty() || self.hosts.contains_key(name.text) {
                let what = format!("the host `{}` is told twice, or has no name", name.text);
                self.tell(file, name.problem(code::CONTRADICTION, what, "expected one line for each host"));
                continue;
            }
            let name = name.text.to_owned();
            self.host_order.push(name.clone());
            let host =
                MeasuredHost { name: name.clone(), speed: speed.unwrap_or(1.0), cores, availability: None };
            self.hosts.insert(name, host);
        }
    }

    fn line_table(&mut self, file: &str, table: &Table<'_>, [from, to]: [usize; 2]) {
        let columns = [table.column("bandwidth"), table.column("latency")];
        let name = table.column("link");
        for row in table.rows() {
            let (from, to) = (row[from], row[to]);
            if from.text.is_empty() || to.text.is_empty() || from.text == to.text {
                let what = "a line leads from one end to another";
                self.tell(file, from.whole_line().problem(code::CONTRADICTION, what, "expected two names"));
                continue;
            }
            let mut told = [None, None];
            for (told, (column, measure)) in
                told.iter_mut().zip(columns.into_iter().zip([Measure::Bandwidth, Measure::Latency]))
            {
                let cell = column.map(|column| row[column]).filter(|cell| !cell.is_gap());
                *told = cell.and_then(|cell| self.value(file, cell, measure, Use::Available));
            }
            let name = name.map_or("", |name| row[name].text);
            let name = if name.is_empty() { format!("{}--{}", from.text, to.text) } else { name.to_owned() };
            let (from_name, to_name) = (from.text.to_owned(), to.text.to_owned());
            let line = MeasuredLine {
                name,
                from: from_name,
                to: to_name,
                is_one_way: false,
                bandwidth: 0.0,
                latency: 0.0,
                over_time: BTreeMap::new(),
            };
            let missing = from.whole_line().problem(code::MISSING_KEY, "", "");
            self.lines.push(Draft { line, told, place: (file.to_owned(), missing) });
        }
    }

    /// A long series: a sample on each line.
    fn samples(&mut self, file: &str, table: &Table<'_>, time: usize, (whose, is_host): ([usize; 2], bool)) {
        let is_percent = matches!(self.units.use_of, Use::AvailablePercent | Use::UsedPercent);
        let (free, used) =
            if is_percent { (Use::AvailablePercent, Use::UsedPercent) } else { (Use::Available, Use::Used) };
        let known: &[(&str, Measure, Use)] = if is_host {
            &[("availability", Measure::Availability, free), ("use", Measure::Availability, used)]
        } else {
            &[("bandwidth", Measure::Bandwidth, free), ("latency", Measure::Latency, free)]
        };
        let columns: Vec<(usize, Measure, Use)> = known
            .iter()
            .filter_map(|&(name, measure, of)| Some((table.column(name)?, measure, of)))
            .collect();
        if columns.is_empty() {
            let what = "the first line names no measurement";
            let problem = table.head[0].whole_line().problem(code::MISSING_KEY, what, KINDS);
            return self.tell(file, problem);
        }
        for row in table.rows() {
            let Some(at) = self.time(file, row[time]) else { continue };
            let [one, other] = whose.map(|column| row[column].text.to_owned());
            let whose = match (is_host, whose[0] == whose[1]) {
                (true, _) => Whose::Host(one),
                (false, true) => Whose::Link(one),
                (false, false) => Whose::Ends(one, other),
            };
            for &(column, measure, of) in &columns {
                self.sample(file, row[column], (whose.clone(), measure, of), at);
            }
        }
    }

    /// A wide series: a row for each host.
    fn wide(&mut self, file: &str, table: &Table<'_>, host: usize) {
        let mut times = Vec::new();
        for (column, cell) in table.head.iter().enumerate().filter(|&(column, _)| column != host) {
            let digits = cell.text.strip_prefix(['t', 'T']).unwrap_or(cell.text);
            let inner = Cell { text: digits, ..*cell };
            match inner.bare().and_then(|number| number.ceil_times(self.units.time)) {
                Some(at) => times.push((column, at)),
                None => {
                    let what = format!("`{}` is no time", cell.text);
                    self.tell(file, cell.problem(code::MISSING_KEY, what, KINDS));
                    return;
                }
            }
        }
        for row in table.rows() {
            let whose = Whose::Host(row[host].text.to_owned());
            for &(column, at) in &times {
                let of = self.units.use_of;
                self.sample(file, row[column], (whose.clone(), Measure::Availability, of), at);
            }
        }
    }

    fn sample(&mut self, file: &str, cell: Cell<'_>, (whose, measure, of): (Whose, Measure, Use), at: u64) {
        if cell.is_gap() {
            return;
        }
        let Some(value) = self.value(file, cell, measure, of) else { return };
        if self.series.push((whose, measure), Sample { at, value }, (file, cell)).is_err() {
            let what = "this sample is not later than the one before it";
            self.tell(file, cell.whole_line().problem(code::CONTRADICTION, what, "expected times that rise"));
        }
    }

    fn time(&mut self, file: &str, cell: Cell<'_>) -> Option<u64> {
        let at = match cell.bare() {
            Some(number) => number.ceil_times(self.units.time),
            None => duration(cell.text).ok(),
        };
        if at.is_none() {
            let what = format!("`{}` is no time", cell.text);
            self.tell(
                file,
                cell.problem(code::QUANTITY, what, "expected seconds, or the unit that was stated"),
            );
        }
        at
    }

    fn speed_of(&mut self, file: &str, cell: Cell<'_>) -> Option<f64> {
        let parsed = |text: &str| Speed::parse(text).map(Speed::flops_per_sec);
        let speed = self.with_unit(file, cell, self.units.speed, parsed)?;
        self.within(file, cell, speed, speed > 0.0 && speed.is_finite())
    }

    fn value(&mut self, file: &str, cell: Cell<'_>, measure: Measure, of: Use) -> Option<f64> {
        match measure {
            Measure::Bandwidth => {
                let parsed = |text: &str| Bandwidth::parse(text).map(Bandwidth::bytes_per_sec);
                let rate = self.with_unit(file, cell, self.units.bandwidth, parsed)?;
                self.within(file, cell, rate, rate <= 0.0 || (LEAST..=MOST).contains(&rate))
            }
            Measure::Latency => {
                let parsed = |text: &str| duration(text).map(|nanos| nanos as f64 / 1e9);
                let seconds = self.with_unit(file, cell, self.units.latency, parsed)?;
                self.within(file, cell, seconds, seconds <= 1e9)
            }
            Measure::Availability => {
                let (text, percent) = match cell.text.strip_suffix('%') {
                    Some(text) => (text.trim_end(), true),
                    None => (cell.text, matches!(of, Use::AvailablePercent | Use::UsedPercent)),
                };
                let number = Cell { text, ..cell }.bare();
                let share = number.map(|number| number.to_f64(if percent { -2 } else { 0 }));
                let Some(share) = share.filter(|share| (0.0..=1.0).contains(share)) else {
                    let what = format!("`{}` is no share of a host", cell.text);
                    let help = "expected 0 to 1, or with percent stated 0 to 100";
                    self.tell(file, cell.problem(code::RANGE, what, help));
                    return None;
                };
                Some(if matches!(of, Use::Used | Use::UsedPercent) { 1.0 - share } else { share })
            }
        }
    }

    /// A number with its own unit, or in the one that was stated.
    fn with_unit(
        &mut self,
        file: &str,
        cell: Cell<'_>,
        unit: Option<f64>,
        parse: impl Fn(&str) -> Result<f64, BadQuantity>,
    ) -> Option<f64> {
        let problem = match (cell.bare(), unit) {
            (Some(number), Some(unit)) => return Some(number.to_f64(0) * unit),
            (Some(_), None) => {
                let what = format!("`{}` has no unit, and none was stated", cell.text);
                cell.problem(code::QUANTITY, what, "state the unit of bare numbers, such as bandwidth=Mbps")
            }
            (None, _) => match parse(cell.text) {
                Ok(value) => return Some(value),
                Err(bad) => cell.problem(code::QUANTITY, bad.problem, &bad.help),
            },
        };
        self.tell(file, problem);
        None
    }

    fn within(&mut self, file: &str, cell: Cell<'_>, value: f64, holds: bool) -> Option<f64> {
        if holds {
            return Some(value);
        }
        let what = format!("`{}` is out of range", cell.text);
        self.tell(file, cell.problem(code::RANGE, what, "expected what hosts and links can have"));
        None
    }

    /// Joins what was read.
    ///
    /// # Errors
    /// Everything that is wrong with the files, each with the file that it is in.
    pub fn finish(mut self) -> Result<Measured, Vec<(String, Problem)>> {
        self.hosts_of_series();
        let mut lines = self.joined_lines();
        let hosts: Vec<MeasuredHost> =
            self.host_order.iter().filter_map(|name| self.hosts.remove(name)).collect();
        let mut measured = Measured { platform: Builder::new().build(), hosts, lines: Vec::new() };
        let host_at: BTreeMap<String, usize> =
            measured.hosts.iter().enumerate().map(|(place, host)| (host.name.clone(), place)).collect();
        let (mut by_name, mut by_ends) = (BTreeMap::new(), BTreeMap::new());
        for (place, Draft { line, .. }) in lines.iter().enumerate() {
            by_name.insert(line.name.clone(), place);
            by_ends.insert((line.from.clone(), line.to.clone()), place);
        }
        for (key, trace) in self.series.into_traces() {
            match &key.0 {
                Whose::Host(name) => {
                    if let Some(&place) = host_at.get(name) {
                        measured.hosts[place].availability = Some(trace);
                    }
                }
                Whose::Link(name) => {
                    if let Some(&place) = by_name.get(name) {
                        lines[place].line.over_time.insert(key.1, trace);
                    }
                }
                Whose::Ends(from, to) => {
                    for ends in [(from.clone(), to.clone()), (to.clone(), from.clone())] {
                        let Some(&place) = by_ends.get(&ends) else { continue };
                        if key.0.is(&lines[place].line) {
                            lines[place].line.over_time.insert(key.1, trace.clone());
                        }
                    }
                }
            }
        }
        for draft in lines {
            match whole(draft) {
                Ok(line) => measured.lines.push(line),
                Err(problem) => self.problems.push(*problem),
            }
        }
        if measured.hosts.is_empty() && self.problems.is_empty() {
            self.problems.push((String::new(), Problem::new(code::MISSING_KEY, "no table tells of hosts")));
        }
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        measured.platform = build(&measured);
        Ok(measured)
    }

    /// Hosts that only series tell of, and series of what is not there.
    fn hosts_of_series(&mut self) {
        let names: BTreeSet<String> = self.lines.iter().map(|draft| draft.line.name.clone()).collect();
        let ends: BTreeSet<(String, String)> =
            self.lines.iter().map(|draft| (draft.line.from.clone(), draft.line.to.clone())).collect();
        for (whose, file, problem) in self.series.owners() {
            let (what, known) = match &whose {
                Whose::Host(name) if self.hosts.contains_key(name) => continue,
                Whose::Host(name) => match self.speed {
                    Some(speed) => {
                        let host = MeasuredHost { name: name.clone(), speed, cores: 1, availability: None };
                        self.hosts.insert(name.clone(), host);
                        self.host_order.push(name.clone());
                        continue;
                    }
                    None => (
                        format!("no table tells the speed of `{name}`"),
                        nearest(name, self.hosts.keys().map(String::as_str)),
                    ),
                },
                Whose::Link(name) if names.contains(name) => continue,
                Whose::Link(name) => (
                    format!("no table tells of the link `{name}`"),
                    nearest(name, names.iter().map(String::as_str)),
                ),
                Whose::Ends(from, to) => {
                    let has = |from: &String, to: &String| ends.contains(&(from.clone(), to.clone()));
                    if has(from, to) || has(to, from) {
                        continue;
                    }
                    (format!("no table tells of a line from `{from}` to `{to}`"), None)
                }
            };
            if self.problems.len() >= MOST_SHOWN {
                break;
            }
            let help = match known {
                Some(name) => format!("did you mean `{name}`?"),
                None => "write it into a table of its own".to_owned(),
            };
            let problem = Problem { message: what, help: Some(help), ..problem };
            self.problems.push((file, problem));
        }
    }

    /// The lines, of which some are measured in both ways.
    fn joined_lines(&mut self) -> Vec<Draft> {
        let drafts = std::mem::take(&mut self.lines);
        let ends: BTreeSet<(String, String)> =
            drafts.iter().map(|draft| (draft.line.from.clone(), draft.line.to.clone())).collect();
        let (mut seen, mut names, mut lines) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for Draft { mut line, told, place } in drafts {
            let is_new = seen.insert((line.from.clone(), line.to.clone())) && names.insert(line.name.clone());
            if !is_new {
                let message = format!("the line `{}` is told twice", line.name);
                let help = Some("expected one line for each pair and way".to_owned());
                self.problems
                    .push((place.0, Problem { code: code::CONTRADICTION, message, help, ..place.1 }));
                continue;
            }
            line.is_one_way = ends.contains(&(line.to.clone(), line.from.clone()));
            lines.push(Draft { line, told, place });
        }
        lines
    }
}

/// A line whose values are all known: what is not told is what its series begins with.
fn whole(Draft { mut line, told, place }: Draft) -> Result<MeasuredLine, Box<(String, Problem)>> {
    let known = |measure: Measure, told: Option<f64>| {
        told.or_else(|| Some(line.over_time.get(&measure)?.value_at(SimTime::ZERO)))
    };
    let missing = match (known(Measure::Bandwidth, told[0]), known(Measure::Latency, told[1])) {
        (Some(bandwidth), Some(latency)) => {
            (line.bandwidth, line.latency) = (bandwidth, latency);
            return Ok(line);
        }
        (None, _) => "bandwidth",
        (_, None) => "latency",
    };
    let message = format!("no {missing} of this line is told");
    let help = Some(format!("write its {missing} here, or a series of it"));
    Err(Box::new((place.0, Problem { message, help, ..place.1 })))
}

/// The platform of what was measured.
fn build(measured: &Measured) -> Platform {
    const ONCE: &str = "names that are told twice were refused";
    let mut graph = Graph::default();
    let mut points: BTreeMap<&str, LinePoint> = BTreeMap::new();
    for host in &measured.hosts {
        let availability = host.availability.clone().unwrap_or(Trace::constant(1.0));
        let made = Host { cores: host.cores, availability, ..Host::new(&host.name, host.speed) };
        points.insert(&host.name, graph.host(made).expect(ONCE));
    }
    for line in &measured.lines {
        let [from, to] =
            [&line.from, &line.to].map(|end| *points.entry(end).or_insert_with(|| graph.router()));
        let mut link = Link::new(line.bandwidth, line.latency);
        for (measure, trace) in &line.over_time {
            match measure {
                Measure::Latency => link.latency = trace.clone(),
                _ => link.bandwidth = trace.clone(),
            }
        }
        let ways = if line.is_one_way { Ways::OneWay } else { Ways::BothWays };
        graph.line(&line.name, (from, to), link, ways).expect(ONCE);
    }
    graph.build()
}
