//! Reading tables of any kind, in any order, and joining them when all are read.

use crate::collections::{OrderedMap, OrderedSet};
use crate::kernel::SimTime;
use crate::registry::Problem;
use crate::registry::code::{self, Code};
use crate::registry::nearest;
use crate::text::Mistakes;
use crate::text::csv::{self, Field, Mistake, Row, Table};
use crate::topology::{Graph, Vertex};
use crate::{Builder, Host, Link, Platform, Symmetry, Trace};

use super::series::{AllSeries, Owner, Sample};
use super::values::{bare, is_gap};
use super::{Measure, Measured, MeasuredHost, MeasuredLine, Units, Use};

/// Reason that a cell is there.
const WHOLE: &str = "a row of another count of cells was passed over";
/// The columns that a table may be known by.
const KINDS: &str = "expected host,speed or from,to,bandwidth,latency or time,host,availability or time,link,bandwidth or a row of \
                     times for each host";

/// The tables read so far.
#[derive(Debug)]
pub struct Reader {
    units: Units,
    /// The speed of hosts that no table of hosts gives.
    speed: Option<f64>,
    hosts: OrderedMap<String, MeasuredHost>,
    /// Hosts and lines in the order of the files.
    host_order: Vec<String>,
    lines: Vec<Draft>,
    series: AllSeries,
    /// The table that is being read.
    file: String,
    problems: Mistakes<(String, Problem)>,
}

/// A line, and what was wrong if there is no more of it.
#[derive(Debug)]
struct Draft {
    line: MeasuredLine,
    /// The bandwidth and the latency, if they were given here.
    given: [Option<f64>; 2],
    place: (String, Problem),
}

impl Reader {
    /// Nothing yet; `speed` is that of hosts which only series name, in operations per second.
    pub fn new(units: Units, speed: Option<f64>) -> Self {
        Reader {
            units,
            speed,
            hosts: OrderedMap::new(),
            host_order: Vec::new(),
            lines: Vec::new(),
            series: AllSeries::default(),
            file: String::new(),
            problems: Mistakes::new(),
        }
    }

    /// Reads a table; `file` is what messages call it. What is wrong is given by
    /// [`Reader::finish`].
    pub fn read(&mut self, file: &str, text: &str) {
        file.clone_into(&mut self.file);
        match Table::new(csv::Reader::new(text).with_comments()) {
            Ok(Some(table)) => {
                if let Err(mistake) = self.table(table) {
                    self.report(mistake.into());
                }
            }
            Ok(None) => self.report(Problem::new(code::MISSING_KEY, "the table is empty")),
            Err(mistake) => self.report(mistake.into()),
        }
    }

    /// Reads the next row that has a cell for each column; false if there is none.
    fn next<'t>(&mut self, table: &mut Table<'t>, row: &mut Row<'t>) -> Result<bool, Mistake> {
        while table.read(row)? {
            let (count, columns) = (row.len(), table.head.len());
            if count == columns {
                return Ok(true);
            }
            let what = format!("this line has {count} cells, and the first has {columns}");
            self.wrong(row.whole(), code::TYPE, what, "an empty cell is a gap");
        }
        Ok(false)
    }

    /// Reports what is wrong with a cell.
    fn wrong(&mut self, cell: Field<'_>, code: &'static Code, what: impl Into<String>, help: &str) {
        self.report(Problem::of_cell(cell, code, what, help));
    }

    /// The value read from a cell; `None`, with a report, if it is wrong.
    fn taken<T>(&mut self, read: Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.report(problem)).ok()
    }

    fn report(&mut self, problem: Problem) {
        self.problems.push_with(|| (self.file.clone(), problem));
    }

    fn table(&mut self, table: Table<'_>) -> Result<(), Mistake> {
        let column = |name| table.column(name);
        let is_host = column("host")?.is_some();
        let is_line = column("from")?.is_some();
        let owner = match (column("host")?, column("link")?, column("from")?, column("to")?) {
            (Some(host), None, None, None) => Some([host, host]),
            (None, Some(link), None, None) => Some([link, link]),
            (None, None | Some(_), Some(from), Some(to)) => Some([from, to]),
            _ => None,
        };
        match (owner, column("time")?) {
            (Some(owner), Some(time)) => self.samples(table, time, (owner, is_host)),
            (Some([host, _]), None) if is_host && column("speed")?.is_some() => self.host_table(table, host),
            (Some([host, _]), None) if is_host => self.wide(table, host),
            (Some(ends), None) if is_line => self.line_table(table, ends),
            _ => {
                let what = "the first line does not say what this table holds";
                self.wrong(table.head.whole(), code::MISSING_KEY, what, KINDS);
                Ok(())
            }
        }
    }

    fn host_table(&mut self, mut table: Table<'_>, host: usize) -> Result<(), Mistake> {
        let (speed, cores) = (table.column("speed")?, table.column("cores")?);
        let mut row = Row::default();
        while self.next(&mut table, &mut row)? {
            let cell = |column| row.get(column).expect(WHOLE);
            let speed = speed.and_then(|speed| self.taken(self.units.read_speed(cell(speed))));
            let cores = match cores.map(|cores| (cell(cores), cell(cores).raw().parse::<u32>())) {
                None => 1,
                Some((_, Ok(cores))) if cores > 0 => cores,
                Some((cell, _)) => {
                    let what = format!("`{}` is no number of cores", cell.raw());
                    self.wrong(cell, code::RANGE, what, "expected a whole number of 1 or more");
                    1
                }
            };
            let name = cell(host).text();
            if name.is_empty() || self.hosts.contains_key(&*name) {
                let what = format!("the host `{name}` is given twice, or has no name");
                self.wrong(cell(host), code::CONTRADICTION, what, "expected one line for each host");
                continue;
            }
            let name = name.into_owned();
            self.host_order.push(name.clone());
            let host =
                MeasuredHost { name: name.clone(), speed: speed.unwrap_or(1.0), cores, availability: None };
            self.hosts.insert(name, host);
        }
        Ok(())
    }

    fn line_table(&mut self, mut table: Table<'_>, [from, to]: [usize; 2]) -> Result<(), Mistake> {
        let columns = [table.column("bandwidth")?, table.column("latency")?];
        let name = table.column("link")?;
        let mut row = Row::default();
        while self.next(&mut table, &mut row)? {
            let cell = |column| row.get(column).expect(WHOLE);
            let [from, to] = [from, to].map(|end| cell(end).text().into_owned());
            if from.is_empty() || to.is_empty() || from == to {
                let what = "a line leads from one end to another";
                self.wrong(row.whole(), code::CONTRADICTION, what, "expected two names");
                continue;
            }
            let mut given = [None, None];
            for (given, (column, measure)) in
                given.iter_mut().zip(columns.into_iter().zip([Measure::Bandwidth, Measure::Latency]))
            {
                let cell = column.map(cell).filter(|&cell| !is_gap(cell));
                *given =
                    cell.and_then(|cell| self.taken(self.units.read_measure(cell, measure, Use::Available)));
            }
            let name = name.map(|name| cell(name).text().into_owned()).filter(|name| !name.is_empty());
            let line = MeasuredLine {
                name: name.unwrap_or_else(|| format!("{from}--{to}")),
                from,
                to,
                is_one_way: false,
                bandwidth: 0.0,
                latency: 0.0,
                over_time: OrderedMap::new(),
            };
            let missing = Problem::of_cell(row.whole(), code::MISSING_KEY, "", "");
            self.lines.push(Draft { line, given, place: (self.file.clone(), missing) });
        }
        Ok(())
    }

    /// A long series: a sample on each line.
    fn samples(
        &mut self,
        mut table: Table<'_>,
        time: usize,
        (owner, is_host): ([usize; 2], bool),
    ) -> Result<(), Mistake> {
        let is_percent = matches!(self.units.use_of, Use::AvailablePercent | Use::UsedPercent);
        let (free, used) =
            if is_percent { (Use::AvailablePercent, Use::UsedPercent) } else { (Use::Available, Use::Used) };
        let known: &[(&str, Measure, Use)] = if is_host {
            &[("availability", Measure::Availability, free), ("use", Measure::Availability, used)]
        } else {
            &[("bandwidth", Measure::Bandwidth, free), ("latency", Measure::Latency, free)]
        };
        let mut columns: Vec<(usize, Measure, Use)> = Vec::new();
        for &(name, measure, of) in known {
            columns.extend(table.column(name)?.map(|column| (column, measure, of)));
        }
        if columns.is_empty() {
            let what = "the first line names no measurement";
            self.wrong(table.head.whole(), code::MISSING_KEY, what, KINDS);
            return Ok(());
        }
        let mut row = Row::default();
        while self.next(&mut table, &mut row)? {
            let cell = |column| row.get(column).expect(WHOLE);
            let Some(at) = self.taken(self.units.read_time(cell(time))) else { continue };
            let [one, other] = owner.map(|column| cell(column).text().into_owned());
            let owner = match (is_host, owner[0] == owner[1]) {
                (true, _) => Owner::Host(one),
                (false, true) => Owner::Link(one),
                (false, false) => Owner::Ends(one, other),
            };
            for &(column, measure, of) in &columns {
                self.sample(cell(column), (owner.clone(), measure, of), at);
            }
        }
        Ok(())
    }

    /// A wide series: a row for each host.
    fn wide(&mut self, mut table: Table<'_>, host: usize) -> Result<(), Mistake> {
        let mut times = Vec::new();
        for (column, cell) in table.head.cells().enumerate().filter(|&(column, _)| column != host) {
            let digits = cell.raw().strip_prefix(['t', 'T']).unwrap_or(cell.raw());
            match bare(digits).and_then(|number| number.ceil_times(self.units.time)) {
                Some(at) => times.push((column, at)),
                None => {
                    let what = format!("`{}` is no time", cell.raw());
                    self.wrong(cell, code::MISSING_KEY, what, KINDS);
                    return Ok(());
                }
            }
        }
        let mut row = Row::default();
        while self.next(&mut table, &mut row)? {
            let cell = |column| row.get(column).expect(WHOLE);
            let owner = Owner::Host(cell(host).text().into_owned());
            for &(column, at) in &times {
                let of = self.units.use_of;
                self.sample(cell(column), (owner.clone(), Measure::Availability, of), at);
            }
        }
        Ok(())
    }

    fn sample(&mut self, cell: Field<'_>, (owner, measure, of): (Owner, Measure, Use), at: u64) {
        if is_gap(cell) {
            return;
        }
        let Some(value) = self.taken(self.units.read_measure(cell, measure, of)) else { return };
        if self.series.push((owner, measure), Sample { at, value }, (&self.file, cell)).is_err() {
            let what = "this sample is not later than the one before it";
            self.wrong(cell.whole_row(), code::CONTRADICTION, what, "expected times that rise");
        }
    }

    /// Joins what was read.
    ///
    /// # Errors
    /// Everything that is wrong with the files, each with the file that it is in.
    pub fn finish(mut self) -> Result<Measured, Mistakes<(String, Problem)>> {
        self.hosts_of_series();
        let mut lines = self.joined_lines();
        let hosts = self.host_order.iter().filter_map(|name| self.hosts.remove(name)).collect();
        let mut measured = Measured { platform: Builder::new().build(), hosts, lines: Vec::new() };
        let mut traces: OrderedMap<(Owner, Measure), Trace> = self.series.into_traces().collect();
        for host in &mut measured.hosts {
            host.availability = traces.remove(&(Owner::Host(host.name.clone()), Measure::Availability));
        }
        for Draft { line, .. } in &mut lines {
            let (name, from, to) = (line.name.clone(), line.from.clone(), line.to.clone());
            let ends = [(from.clone(), to.clone()), (to, from)].map(|(from, to)| Owner::Ends(from, to));
            let mut owners: Vec<Owner> = ends.into_iter().chain([Owner::Link(name)]).collect();
            owners.retain(|owner| owner.is(line));
            // of several series of a line the last one in order holds
            owners.sort_unstable();
            for owner in owners {
                for measure in [Measure::Bandwidth, Measure::Latency] {
                    let trace = traces.get(&(owner.clone(), measure));
                    line.over_time.extend(trace.map(|trace| (measure, trace.clone())));
                }
            }
        }
        for draft in lines {
            match complete(draft) {
                Ok(line) => measured.lines.push(line),
                Err(problem) => self.problems.push(*problem),
            }
        }
        if measured.hosts.is_empty() && self.problems.is_empty() {
            self.problems.push((String::new(), Problem::new(code::MISSING_KEY, "no table has hosts")));
        }
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        measured.platform = build(&measured);
        Ok(measured)
    }

    /// Hosts that only series name, and series of what is not there.
    fn hosts_of_series(&mut self) {
        let names: OrderedSet<String> = self.lines.iter().map(|draft| draft.line.name.clone()).collect();
        let ends: OrderedSet<(String, String)> =
            self.lines.iter().map(|draft| (draft.line.from.clone(), draft.line.to.clone())).collect();
        for (owner, file, problem) in self.series.owners() {
            let is_helped = self.problems.are_few();
            let (what, known) = match &owner {
                Owner::Host(name) if self.hosts.contains_key(name) => continue,
                Owner::Host(name) => match self.speed {
                    Some(speed) => {
                        let host = MeasuredHost { name: name.clone(), speed, cores: 1, availability: None };
                        self.hosts.insert(name.clone(), host);
                        self.host_order.push(name.clone());
                        continue;
                    }
                    None => (
                        format!("no table gives the speed of `{name}`"),
                        if is_helped { nearest(name, self.hosts.keys().map(String::as_str)) } else { None },
                    ),
                },
                Owner::Link(name) if names.contains(name) => continue,
                Owner::Link(name) => (
                    format!("no table has the link `{name}`"),
                    if is_helped { nearest(name, names.iter().map(String::as_str)) } else { None },
                ),
                Owner::Ends(from, to) => {
                    let has = |from: &String, to: &String| ends.contains(&(from.clone(), to.clone()));
                    if has(from, to) || has(to, from) {
                        continue;
                    }
                    (format!("no table has a line from `{from}` to `{to}`"), None)
                }
            };
            let help = match known {
                Some(name) => format!("did you mean `{name}`?"),
                None => "write it into a table of its own".to_owned(),
            };
            let problem = Problem { message: what, help: Some(help), ..problem };
            self.problems.push((file, problem));
        }
    }

    /// The lines, of which some are measured in both directions.
    fn joined_lines(&mut self) -> Vec<Draft> {
        let drafts = std::mem::take(&mut self.lines);
        let ends: OrderedSet<(String, String)> =
            drafts.iter().map(|draft| (draft.line.from.clone(), draft.line.to.clone())).collect();
        let (mut seen, mut names, mut lines) = (OrderedSet::new(), OrderedSet::new(), Vec::new());
        for Draft { mut line, given, place } in drafts {
            let is_new = seen.insert((line.from.clone(), line.to.clone())) && names.insert(line.name.clone());
            if !is_new {
                let message = format!("the line `{}` is given twice", line.name);
                let help = Some("expected one line for each pair and direction".to_owned());
                self.problems
                    .push((place.0, Problem { code: code::CONTRADICTION, message, help, ..place.1 }));
                continue;
            }
            line.is_one_way = ends.contains(&(line.to.clone(), line.from.clone()));
            lines.push(Draft { line, given, place });
        }
        lines
    }
}

/// A line whose values are all known: what is not given is what its series begins with.
fn complete(Draft { mut line, given, place }: Draft) -> Result<MeasuredLine, Box<(String, Problem)>> {
    let known = |measure: Measure, given: Option<f64>| {
        given.or_else(|| Some(line.over_time.get(&measure)?.value_at(SimTime::ZERO)))
    };
    let missing = match (known(Measure::Bandwidth, given[0]), known(Measure::Latency, given[1])) {
        (Some(bandwidth), Some(latency)) => {
            (line.bandwidth, line.latency) = (bandwidth, latency);
            return Ok(line);
        }
        (None, _) => "bandwidth",
        (_, None) => "latency",
    };
    let message = format!("no {missing} of this line is given");
    let help = Some(format!("write its {missing} here, or a series of it"));
    Err(Box::new((place.0, Problem { message, help, ..place.1 })))
}

/// The platform of what was measured.
fn build(measured: &Measured) -> Platform {
    const ONCE: &str = "names that are given twice were refused";
    let mut graph = Graph::default();
    let mut points: OrderedMap<&str, Vertex> = OrderedMap::new();
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
        let symmetry = if line.is_one_way { Symmetry::OneWay } else { Symmetry::Symmetric };
        graph.edge(&line.name, (from, to), link, symmetry).expect(ONCE);
    }
    graph.build()
}
