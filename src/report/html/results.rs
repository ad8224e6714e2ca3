//! The page of a run: its metrics, and the figures that its system declares, drawn from tables of the run or of its files.

use serde_json::{Value as Json, json};

use crate::output::{Drawn, Pictures};
use crate::report::html::cells::secs;
use crate::report::html::gather::{gathered, of_times};
use crate::report::html::lanes::{Timeline, timeline};
use crate::report::html::page::page;
use crate::report::html::shares::with_bars;
use crate::report::levels::{SPANS, levels};
use crate::report::summary::SCHEMA;
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

/// The page of a run; `summary` is `summary.json`.
pub fn draw(results: &dyn Results, summary: &Json, scenario: &Scenario) -> Vec<u8> {
    let pictures = results.pictures(scenario);
    let has_lanes = pictures.figures.iter().any(|figure| matches!(figure.drawn, Drawn::Lanes { .. }));
    let timeline = results.lanes().filter(|_| !has_lanes).map(|source| timeline(&*source));
    drawn(pictures, timeline, summary, scenario).expect("a run hands over tables that can be read")
}

/// The page of a finished run once more, from its files, as far as these hold what it shows.
///
/// # Errors
/// What the files do not hold.
pub fn draw_again(run: &RunDirectory<'_>) -> Result<Vec<u8>, Box<Rejected>> {
    let summary = run.json("summary.json")?;
    if summary["schema"] != SCHEMA || !summary["metrics"].is_object() {
        let why = format!("it is no summary of a run (schema {SCHEMA})");
        return Err(run.not_understood("summary.json", "drawn", &why));
    }
    let pictures = run.scenario.system.pictures(run)?;
    pictures.missing.iter().for_each(|what| (run.note)(&format!("left out is {what}")));
    drawn(pictures, None, &summary, run.scenario)
        .map_err(|(table, why)| run.not_understood(&format!("{table}.csv"), "drawn", &why))
}

fn drawn(
    mut pictures: Pictures<'_>,
    timeline: Option<Timeline>,
    summary: &Json,
    scenario: &Scenario,
) -> Result<Vec<u8>, (String, String)> {
    let most = if pictures.figures.is_empty() { MOST_CURVES } else { usize::MAX };
    if pictures.figures.is_empty() {
        pictures.figures = of_times(&pictures);
    }
    let (mut figures, (from, to)) = gathered(&pictures)?;
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
    let headline = pictures.headline.split_ascii_whitespace().map(|name| json!([name, unit(name)]));
    let names = summary["metrics"].as_object().into_iter().flat_map(serde_json::Map::keys);
    let mut data = summary.clone();
    data["version"] = json!(env!("CARGO_PKG_VERSION"));
    data["system"] = json!(system.name());
    data["about"] = json!(if pictures.about.is_empty() { system.about() } else { &pictures.about });
    data["headline"] = headline.collect();
    data["shares"] = json!(names.filter(|name| system.is_share(name)).collect::<Vec<_>>());
    data["figures"] = timeline.into_iter().chain(figures).collect();
    data["axis"] = json!([secs(from), secs(to)]);
    data["mark"] = json!(pictures.mark.map(|(at, what)| (at.as_secs_f64(), what)));
    data["missing"] = json!(pictures.missing);
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
        let mut drawn = levels(changes.into_iter().collect(), from, to, SPANS).to_json(1.0);
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
    use std::io;

    use crate::kernel::SimDuration;
    use crate::output::{Cell, RowSink, RowSource, Table, columns};

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
        gathered(&pictures).expect("figures").0
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
