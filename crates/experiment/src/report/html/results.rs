//! The page of a run: its metrics, and the figures that its system declares, drawn from tables of
//! the run or of its files.

use std::cell::RefCell;
use std::{fmt, io};

use serde_json::{Value as Json, json};

use crate::output::{Drawn, Pictures, RowSink, RowSource, Table};
use crate::report::html::cells::secs;
use crate::report::html::gather::{Gathering, of_times};
use crate::report::html::lanes::{Timeline, timeline};
use crate::report::html::page::page;
use crate::report::html::shares::with_bars;
use crate::report::levels::level_curve;
use crate::report::summary::read_summary;
use crate::scenario::{Rejected, Results, RunDirectory, Scenario};

const SCRIPT: &str = concat!(
    include_str!("profile.js"),
    include_str!("unpack.js"),
    include_str!("lanes.js"),
    include_str!("shares.js"),
    include_str!("run.js")
);

/// Curves that are drawn of a run whose system declares no figures, at most.
const MOST_CURVES: usize = 6;

/// The page of a run, before its figures are drawn.
pub struct RunPage<'a> {
    results: &'a dyn Results,
    scenario: &'a Scenario,
    gathering: RefCell<Gathering<'a>>,
    /// Figures that are drawn, at most.
    most: usize,
}

impl<'a> RunPage<'a> {
    /// The page of these results.
    pub fn of(results: &'a dyn Results, scenario: &'a Scenario) -> Self {
        let (most, gathering) = gathering(results.pictures(scenario));
        RunPage { results, scenario, gathering: RefCell::new(gathering), most }
    }

    /// The same table, whose rows the figures take in as they pass: they are made once for the file
    /// and the page.
    pub fn passing<'t>(&'t self, table: &'t dyn RowSource) -> impl RowSource + 't {
        let place = self.gathering.borrow().place(&table.table());
        Passing { table, place, gathering: &self.gathering }
    }

    /// Draws the page, after the tables that pass; `summary` is `summary.json`.
    pub fn drawn(self, summary: &Json) -> Vec<u8> {
        let gathering = self.gathering.into_inner();
        let figures = &gathering.pictures().figures;
        let has_lanes = figures.iter().any(|figure| matches!(figure.drawn, Drawn::Lanes { .. }));
        let timeline = self.results.lanes().filter(|_| !has_lanes).map(|source| timeline(&*source));
        drawn(self.most, gathering, timeline, summary, self.scenario)
            .expect("a run hands over tables that can be read")
    }
}

impl fmt::Debug for RunPage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunPage").field("title", &self.scenario.title).finish_non_exhaustive()
    }
}

/// A table on its way to a file, past the figures.
struct Passing<'t, 'a> {
    table: &'t dyn RowSource,
    /// Index of the table among the tables of the pictures.
    place: Option<usize>,
    gathering: &'t RefCell<Gathering<'a>>,
}

impl RowSource for Passing<'_, '_> {
    fn table(&self) -> Table {
        self.table.table()
    }

    fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
        let Some(place) = self.place else { return self.table.push(sink) };
        let width = self.table().columns.len();
        self.gathering.borrow_mut().pass(place, Some((sink, width))).map_err(|(_, error)| error)
    }
}

/// The page of a run; `summary` is `summary.json`.
pub fn draw(results: &dyn Results, summary: &Json, scenario: &Scenario) -> Vec<u8> {
    RunPage::of(results, scenario).drawn(summary)
}

/// The page of a finished run once more, from its files, as far as these hold what it shows.
///
/// # Errors
/// What the files do not hold.
pub fn draw_again(run: &RunDirectory<'_>) -> Result<Vec<u8>, Box<Rejected>> {
    let summary = read_summary(run, "drawn")?;
    let pictures = run.scenario.system.pictures(run)?;
    pictures.missing.iter().for_each(|what| (run.note)(&format!("left out is {what}")));
    let (most, gathering) = gathering(pictures);
    drawn(most, gathering, None, &summary, run.scenario)
        .map_err(|(table, why)| run.not_understood(&format!("{table}.csv"), "drawn", &why))
}

/// The figures of these pictures, or curves of their times where the system declares none; and how
/// many are drawn at most.
fn gathering(mut pictures: Pictures<'_>) -> (usize, Gathering<'_>) {
    let most = if pictures.figures.is_empty() { MOST_CURVES } else { usize::MAX };
    if pictures.figures.is_empty() {
        pictures.figures = of_times(&pictures);
    }
    (most, Gathering::new(pictures))
}

fn drawn(
    most: usize,
    gathering: Gathering<'_>,
    timeline: Option<Timeline>,
    summary: &Json,
    scenario: &Scenario,
) -> Result<Vec<u8>, (String, String)> {
    let pictures = gathering.pictures();
    let about = pictures.about.clone();
    let (headline, mark, missing) = (pictures.headline, pictures.mark, json!(pictures.missing));
    let (mut figures, (from, to)) = gathering.gathered()?;
    figures.truncate(most);
    let system = scenario.system;
    figures.retain_mut(|figure| {
        let mut families = system.families().iter().copied().flatten();
        figure["kind"] != "shares"
            || families
                .find(|family| figure["family"] == family.name)
                .is_some_and(|family| with_bars(figure, family, &summary["metrics"], &summary["classes"]))
    });
    let to = timeline.iter().map(|timeline| timeline.last).fold(to, u64::max);
    let timeline = timeline.map_or_else(Vec::new, |timeline| of_timeline(timeline, (from, to)));
    let unit = |name: &str| if system.is_share(name) { "%" } else { "" };
    let headline = headline.split_ascii_whitespace().map(|name| json!([name, unit(name)]));
    let names = summary["metrics"].as_object().into_iter().flat_map(serde_json::Map::keys);
    let mut data = summary.clone();
    data["version"] = json!(crate::output::VERSION);
    data["system"] = json!(system.name());
    data["about"] = json!(if about.is_empty() { system.about() } else { &about });
    data["headline"] = headline.collect();
    data["shares"] = json!(names.filter(|name| system.is_share(name)).collect::<Vec<_>>());
    data["figures"] = timeline.into_iter().chain(figures).collect();
    data["axis"] = json!([secs(from), secs(to)]);
    data["mark"] = json!(mark.map(|(at, what)| (at.as_secs_f64(), what)));
    data["missing"] = missing;
    data["scenario"] = json!(scenario.resolved());
    Ok(page(&scenario.title, &data, SCRIPT))
}

/// The lanes of a timeline, and a curve for each of its counters, over this axis of time [ns].
fn of_timeline(timeline: Timeline, (from, to): (u64, u64)) -> Vec<Json> {
    let mut figures = Vec::new();
    if !timeline.packed.is_null() {
        let title = timeline.packed["title"].as_str().unwrap_or_default().to_owned();
        figures.push(json!({
            "kind": "lanes", "title": format!("Timeline: {title}"), "one": "span", "lanes": title, "packed": timeline.packed,
            "note": format!("A lane for each of the {title}; a bar is a span of time, from its start to its end."),
        }));
    }
    for (counter, changes) in timeline.counters {
        let mut drawn = level_curve(changes.into_iter().collect(), from, to).to_json(1.0);
        drawn["kind"] = json!("series");
        drawn["title"] = json!(format!("Counter: {}", counter.name));
        drawn["note"] = json!("");
        drawn["name"] = json!(counter.name);
        drawn["unit"] = json!(counter.unit);
        figures.push(drawn);
    }
    figures
}

#[cfg(test)]
mod tests {
    use crate::kernel::SimDuration;
    use crate::output::{Cell, columns};
    use crate::report::html::gather::gathered;

    use super::*;

    struct Customers(u64);

    impl RowSource for Customers {
        fn table(&self) -> Table {
            let columns = columns! {
                "customer" Count "", "the customer";
                "waited" Time "s", "how long it waited";
                "left" Time "s", "when it left";
            };
            Table::new("customers", "a row a customer", &columns)
        }

        fn push(&self, sink: &mut dyn RowSink) -> io::Result<()> {
            (0..self.0).try_for_each(|number| {
                let waited = SimDuration::from_nanos((number * 7919) % self.0 * 1_000_000_000);
                sink.row(&[Cell::Count(number), Cell::Time(waited), Cell::Empty])
            })
        }
    }

    fn times(customers: u64) -> Vec<Json> {
        let mut pictures = Pictures::new(Vec::new(), vec![Box::new(Customers(customers))]);
        pictures.figures = of_times(&pictures);
        gathered(pictures).expect("figures").0
    }

    #[test]
    fn each_column_of_times_that_has_a_value_has_a_curve_of_bounded_size() {
        let few = times(3);
        assert_eq!(few.len(), 1);
        assert_eq!((&few[0]["label"], &few[0]["count"]), (&json!("waited"), &json!(3)));
        assert_eq!(few[0]["curve"]["x"], json!([0, 1, 2]));
        let many = times(1_000_003);
        let x = many[0]["curve"]["x"].as_array().expect("values");
        assert_eq!(
            (&many[0]["count"], x.first(), x.last()),
            (&json!(1_000_003), Some(&json!(0)), Some(&json!(1_000_002)))
        );
        assert!(x.len() < 700 && many == times(1_000_003));
        assert!(times(0).is_empty());
    }

    #[test]
    fn the_page_fetches_nothing() {
        let text = String::from_utf8(page("t", &json!({}), SCRIPT)).expect("text");
        // patterns of the page itself
        let text = text.replace("url(#", "");
        for word in ["src=", "url(", "@import", "fetch(", "XMLHttpRequest", "import(", "<link", "https://"] {
            assert!(!text.contains(word), "{word}");
        }
    }
}
