//! Data of figures, gathered while the rows of their tables pass by: each table is passed over
//! once, on its way to its file if it has one.
//!
//! ```text
//! RowSource ── row ──▶ Feeds ── cells that a figure asks for ──▶ Gather ──▶ its document
//! ```

use std::borrow::Cow;
use std::io;

use serde_json::{Value as Json, json};

use crate::output::{Cell, CellType, Drawn, Figure, Pictures, RowSink, RowSource, Rows, Table};
use crate::report::drawing::svg;

use super::cells::{Cells, Gather, Wanted, number, whole};
use super::distribution::Distribution;
use super::grid::{Classes, Groups};
use super::level::Level;
use super::levels_by::LevelsBy;
use super::listing::Listing;
use super::on_lanes::OnLanes;
use super::values_over_time::ValuesOverTime;

/// Figures as documents, and the axis of time that they have [ns].
pub(super) type Gathered = (Vec<Json>, (u64, u64));

/// The figures of a run while the rows of their tables pass by, table after table.
pub(super) struct Gathering<'a> {
    pictures: Pictures<'a>,
    gathers: Vec<Box<dyn Gather>>,
    /// Figure, part of it, and the rows that the part asks for.
    wanted: Vec<(usize, usize, Wanted)>,
    /// True for a figure of which a table is there, or that needs none.
    is_there: Vec<bool>,
    /// Tables that have passed.
    passed: usize,
}

impl<'a> Gathering<'a> {
    /// The figures of these pictures, before the first row.
    pub(super) fn new(pictures: Pictures<'a>) -> Self {
        let window = window(&pictures);
        let (mut gathers, mut wanted, mut is_there) = (Vec::new(), Vec::new(), Vec::new());
        let names: Vec<&str> = pictures.tables.iter().map(|source| source.table().name).collect();
        for (number, figure) in pictures.figures.iter().enumerate() {
            let (parts, gather) = gather(&figure.drawn, window);
            gathers.push(gather);
            is_there.push(parts.is_empty() || parts.iter().any(|part| names.contains(&part.of.table)));
            wanted.extend(parts.into_iter().enumerate().map(|(part, one)| (number, part, one)));
        }
        Gathering { pictures, gathers, wanted, is_there, passed: 0 }
    }

    /// The pictures of which it gathers.
    pub(super) fn pictures(&self) -> &Pictures<'a> {
        &self.pictures
    }

    /// Place of the table among those of the pictures, if it is there, with the columns of `table`
    /// first.
    pub(super) fn place(&self, table: &Table) -> Option<usize> {
        let begins = |source: &dyn RowSource| {
            let wide = source.table();
            let columns = wide.columns.iter().zip(&table.columns);
            let same = columns.filter(|(one, other)| one.name == other.name && one.kind == other.kind);
            wide.name == table.name && same.count() == table.columns.len()
        };
        self.pictures.tables.iter().position(|source| begins(&**source))
    }

    /// Lets the tables before this one pass, then the rows of this one, the first `width` cells of
    /// each to `sink` as well.
    ///
    /// Rows of a table that has passed go to `sink` alone.
    ///
    /// # Errors
    /// An error of a table, after its name.
    pub(super) fn pass(
        &mut self,
        place: usize,
        to: Option<(&mut dyn RowSink, usize)>,
    ) -> Result<(), (String, io::Error)> {
        while self.passed < place {
            self.pass(self.passed, None)?;
        }
        let (source, is_new) = (&self.pictures.tables[place], self.passed == place);
        self.passed = self.passed.max(place + 1);
        let table = source.table();
        let feeds = if is_new { feeds(&self.wanted, &table, window(&self.pictures)) } else { Vec::new() };
        let mut feeds = Feeds { parts: feeds, gathers: &mut self.gathers, to };
        if feeds.parts.is_empty() && feeds.to.is_none() {
            return Ok(());
        }
        source.push(&mut feeds).map_err(|error| (table.name.to_owned(), error))
    }

    /// The figures as documents, in order, and the axis of time that they have, after all tables.
    ///
    /// # Errors
    /// An error of a table, after its name.
    pub(super) fn gathered(self) -> Result<Gathered, (String, String)> {
        let complete = self.complete()?;
        let axis = complete.extent().unwrap_or((0, 0));
        Ok((complete.drawn(axis), axis))
    }

    /// Lets all tables pass that have not: the figures are then drawn over any axis of time.
    ///
    /// # Errors
    /// An error of a table, after its name.
    pub(super) fn complete(mut self) -> Result<Complete, (String, String)> {
        while self.passed < self.pictures.tables.len() {
            self.pass(self.passed, None).map_err(|(table, error)| (table, error.to_string()))?;
        }
        let all = self.pictures.figures.into_iter().zip(self.gathers).zip(self.is_there);
        Ok(Complete(all.filter(|(_, is_there)| *is_there).map(|(figure, _)| figure).collect()))
    }
}

/// Figures of a run whose tables have all passed.
pub(super) struct Complete(Vec<(Figure, Box<dyn Gather>)>);

impl Complete {
    /// From when to when something happened [ns], in any figure over time.
    pub(super) fn extent(&self) -> Option<(u64, u64)> {
        let extents = self.0.iter().filter_map(|(_, gather)| gather.extent());
        extents.reduce(|one, next| (one.0.min(next.0), one.1.max(next.1)))
    }

    /// The figures as documents, in order, over this axis of time [ns].
    pub(super) fn drawn(self, axis: (u64, u64)) -> Vec<Json> {
        let drawn = self.0.into_iter().filter_map(|(figure, gather)| {
            let mut document = gather.drawn(axis)?;
            document["title"] = json!(figure.title);
            document["note"] = json!(figure.note);
            if figure.metric.is_empty() {
                document.as_object_mut()?.remove("drew");
            } else {
                document["metric"] = json!(figure.metric);
            }
            Some(document)
        });
        drawn.collect()
    }
}

/// The window of the metrics [ns].
fn window(pictures: &Pictures<'_>) -> Option<(u64, u64)> {
    pictures.window.map(|(from, to)| (from.as_nanos(), to.as_nanos()))
}

/// The cells of a table that go to parts of figures.
fn feeds(wanted: &[(usize, usize, Wanted)], table: &Table, window: Option<(u64, u64)>) -> Vec<Feed> {
    let feed = |(figure, part, Wanted { of, columns }): &(usize, usize, Wanted)| {
        let places = columns.iter().map(|names| table.place(names)).collect();
        let place = |name: Option<&'static str>| name.and_then(|name| table.place(&[name]));
        let (only, since) = (place(of.only), place(of.since));
        let since = since.map(|place| (place, window.map_or(0, |(from, _)| from)));
        // without the column that must be above 0 no row is meant
        let is_there = of.only.is_some() == only.is_some();
        is_there.then_some(Feed { figure: *figure, part: *part, places, only, since })
    };
    wanted.iter().filter(|(.., one)| one.of.table == table.name).filter_map(feed).collect()
}

/// Columns that a figure asks for, and the gatherer of its values.
fn gather(drawn: &Drawn, window: Option<(u64, u64)>) -> (Vec<Wanted>, Box<dyn Gather>) {
    let one = |of: Rows, columns: Vec<Vec<&'static str>>| vec![Wanted { of, columns }];
    match drawn {
        Drawn::Series(series) => {
            let columns = vec![vec![series.from], series.to.into_iter().collect(), series.weight.to_vec()];
            (one(Rows::of(series.table, ""), columns), Box::new(Level::new(*series, window)))
        }
        Drawn::SeriesBy { series, by } => {
            let columns =
                vec![vec![series.from], series.to.into_iter().collect(), series.weight.to_vec(), vec![*by]];
            (one(Rows::of(series.table, ""), columns), Box::new(LevelsBy::new(*series)))
        }
        Drawn::Values { of, at, series, values } => ValuesOverTime::gather(of, at, series, values),
        Drawn::Distribution { of, value, label } => {
            (one(*of, vec![vec![value]]), Box::new(Distribution::new(of.what, label)))
        }
        Drawn::HeatMap { of, value, across, down } => {
            let columns = vec![vec![*value], across.0.to_vec(), vec![down.0]];
            (one(*of, columns), Box::new(Classes::new([of.what, across.1, down.1])))
        }
        Drawn::Groups { of, by, value } => {
            (one(*of, vec![vec![by.0], vec![value.0]]), Box::new(Groups::new([of.what, by.1, value.1])))
        }
        Drawn::Listing { of, columns, most } => {
            let listing = Listing::new(of, columns, *most);
            (one(*of, listing.columns().chain(most.1).map(|name| vec![name]).collect()), Box::new(listing))
        }
        Drawn::Lanes { spans, numbered, words } => OnLanes::gather(spans, *numbered, *words),
        Drawn::Shares { family, whole, label } => {
            let document = json!({ "kind": "shares", "family": family, "whole": whole, "label": label });
            (Vec::new(), Box::new(Ready(document)))
        }
        Drawn::Picture { drawing, alt } => {
            (Vec::new(), Box::new(Ready(json!({ "kind": "picture", "svg": svg("", drawing), "alt": alt }))))
        }
    }
}

/// The cells of a table that go to one part of a figure.
struct Feed {
    figure: usize,
    part: usize,
    places: Vec<Option<usize>>,
    /// The column that must be above 0, if one must.
    only: Option<usize>,
    /// The column that must not be before an instant [ns], and that instant.
    since: Option<(usize, u64)>,
}

struct Feeds<'a, 't> {
    parts: Vec<Feed>,
    gathers: &'a mut [Box<dyn Gather>],
    /// A further sink, and the number of cells that it takes.
    to: Option<(&'t mut dyn RowSink, usize)>,
}

impl RowSink for Feeds<'_, '_> {
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for feed in &self.parts {
            let is_meant = |place: usize| number(cells[place]).is_some_and(|number| number > 0.0);
            let is_late = |(place, from): (usize, u64)| whole(cells[place]).is_some_and(|at| at >= from);
            if feed.only.is_none_or(is_meant) && feed.since.is_none_or(is_late) {
                self.gathers[feed.figure].row(feed.part, Cells::new(cells, &feed.places));
            }
        }
        match &mut self.to {
            Some((sink, width)) => sink.row(&cells[..*width]),
            None => Ok(()),
        }
    }
}

/// A figure that needs no rows.
struct Ready(Json);

impl Gather for Ready {
    fn row(&mut self, _: usize, _: Cells<'_>) {}

    fn drawn(self: Box<Self>, _: (u64, u64)) -> Option<Json> {
        Some(self.0)
    }
}

/// The figures of a run whose system declares none: a curve of shares for each of its first columns
/// of times.
pub(super) fn of_times(pictures: &Pictures<'_>) -> Vec<Figure> {
    let mut figures = Vec::new();
    for source in &pictures.tables {
        let table = source.table();
        for column in table.columns.iter().filter(|column| column.kind == CellType::Time) {
            let Cow::Borrowed(value) = column.name else { continue };
            let drawn = Drawn::Distribution { of: Rows::of(table.name, "rows"), value, label: value };
            let note: String = column.about.chars().take(1).flat_map(char::to_uppercase).collect();
            let note = format!("{note}{}.", column.about.chars().skip(1).collect::<String>());
            figures.push(Figure::new(format!("{value} ({})", table.name), note, drawn));
        }
    }
    figures
}

/// The figures of pictures, all of whose tables pass for them alone.
#[cfg(test)]
pub(super) fn gathered(pictures: Pictures<'_>) -> Result<Gathered, (String, String)> {
    Gathering::new(pictures).gathered()
}

#[cfg(test)]
mod tests {
    use crate::collections::Interval;
    use crate::kernel::SimDuration;
    use crate::output::{FileRows, On, Series, Spans, columns};

    use super::*;

    const SEC: u64 = 1_000_000_000;

    /// Jobs on a hundred processors, each on two intervals of them.
    struct Jobs(u64);

    impl RowSource for Jobs {
        fn table(&self) -> Table {
            let columns = columns! {
                "number" Count "", ""; "submit" Time "s", ""; "start" Time "s", ""; "end" Time "s", "";
                "wait" Time "s", ""; "size" Count "", ""; "user" Count "", ""; "on" Intervals "", "";
            };
            Table::new("jobs", "a row a job", &columns)
        }

        fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
            (0..self.0).try_for_each(|number| {
                let mix = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                let submit = number * 97 * SEC + mix;
                let wait = mix % 90_000 * SEC + mix;
                let end = submit + wait + (mix % 50_000 + 1) * SEC / 3;
                let first = (mix % 90) as u32;
                let on = [Interval::new(first, first + 1), Interval::new(first + 3, first + 5)];
                let time = |nanos| Cell::Time(SimDuration::from_nanos(nanos));
                let head =
                    [Cell::Count(number + 1), time(submit), time(submit + wait), time(end), time(wait)];
                let tail = [Cell::Count(5), Cell::Count(mix % 500), Cell::Intervals(&on)];
                sink.row(&[&head[..], &tail[..]].concat())
            })
        }
    }

    fn figures() -> Vec<Figure> {
        let of = Rows::of("jobs", "jobs");
        let used = Series::between("in use", "jobs", "start", "end");
        let spans = Spans {
            table: "jobs",
            span: ["start", "end"],
            on: On::Intervals("on"),
            name: "{number}",
            unless: None,
            facts: &[("wait_ns", &["wait"]), ("processors", &["size"]), ("user", &["user"])],
            behind: None,
        };
        let lanes = Drawn::Lanes {
            spans: vec![spans],
            numbered: Some(("processor", 100)),
            words: ("job", "processors"),
        };
        let drawn = [
            Drawn::Series(Series { unit: "%", weight: &["size"], whole: 100.0, ..used }),
            Drawn::Series(Series::between("waiting", "jobs", "submit", "start")),
            Drawn::Series(Series::count("ended", "jobs", "end")),
            Drawn::Distribution { of, value: "wait", label: "wait" },
            Drawn::HeatMap { of, value: "wait", across: (&["size"], "sizes"), down: ("wait", "waits") },
            Drawn::Groups { of, by: ("user", "user"), value: ("wait", "wait") },
            lanes,
        ];
        drawn.into_iter().map(|drawn| Figure::new("t", "", drawn)).collect()
    }

    fn drawn(jobs: u64) -> String {
        let pictures = Pictures::new(figures(), vec![Box::new(Jobs(jobs))]);
        let (figures, axis) = gathered(pictures).expect("figures");
        format!("{} {axis:?}", json!(figures))
    }

    /// Takes rows as a file does.
    #[derive(Default)]
    struct Taken(Vec<String>);

    impl RowSink for Taken {
        fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
            self.0.push(format!("{cells:?}"));
            Ok(())
        }
    }

    #[test]
    fn rows_that_go_to_files_give_the_same_figures_once() {
        let pictures = || Pictures::new(figures(), vec![Box::new(Jobs(50))]);
        let mut gathering = Gathering::new(pictures());
        let narrow = |count: usize| Table::new("jobs", "", &Jobs(0).table().columns[..count]);
        assert_eq!([narrow(8), narrow(3)].map(|table| gathering.place(&table)), [Some(0); 2]);
        let others = [Table { name: "others", ..narrow(3) }, narrow(8).with(narrow(1).columns)];
        assert_eq!(others.map(|table| gathering.place(&table)), [None; 2]);
        let (mut first, mut second) = (Taken::default(), Taken::default());
        gathering.pass(0, Some((&mut first, 3))).expect("rows");
        // as for a second format: the figures have seen them
        gathering.pass(0, Some((&mut second, 3))).expect("rows");
        assert_eq!((first.0.len(), &first.0), (50, &second.0));
        assert!(first.0[0].starts_with("[Count(1), Time(") && first.0[0].matches("Time(").count() == 2);
        let apart = gathered(pictures()).expect("figures");
        assert_eq!(gathering.gathered().expect("figures"), apart);
    }

    #[test]
    fn a_hundred_thousand_jobs_take_less_than_five_megabytes() {
        let text = drawn(100_000);
        assert!(text.len() < 5_000_000, "{} bytes", text.len());
    }

    #[test]
    fn the_same_rows_give_the_same_figures_and_others_do_not() {
        assert!(drawn(500) == drawn(500));
        assert!(drawn(500) != drawn(501));
    }

    #[test]
    fn no_rows_give_figures_without_anything() {
        // no empty table, no line of zero, no curve and no lanes
        let kinds = |kind: &str| drawn(0).matches(&format!("\"kind\":\"{kind}\"")).count();
        assert_eq!(["heat", "groups", "series", "distribution", "lanes"].map(kinds), [0; 5]);
    }

    #[test]
    fn a_count_of_what_has_happened_begins_at_0_and_keeps_its_end() {
        let figure = Figure::new("t", "", Drawn::Series(Series::count("ended", "jobs", "end")));
        let (figures, axis) =
            gathered(Pictures::new(vec![figure], vec![Box::new(Jobs(3))])).expect("figures");
        let last = |member: &str| figures[0][member].as_array().and_then(|list| list.last().cloned());
        assert!(axis.0 == 0 && figures[0]["least"][0] == 0);
        // the last of them ends when the axis does
        assert_eq!((last("greatest"), figures[0]["kind"].as_str()), (Some(json!(2)), Some("series")));
    }

    #[test]
    fn what_is_wrong_with_a_table_is_said_with_its_name_and_line() {
        let text = "number,submit,start,end,on\n1,0,1,2,15-12\n".to_owned();
        let rows = FileRows::new(&Jobs(0).table(), text).expect("a header");
        let wrong = gathered(Pictures::new(figures(), vec![Box::new(rows)])).expect_err("refused");
        assert_eq!(wrong, ("jobs".to_owned(), "`on` of line 2 cannot be read".to_owned()));
    }
}
