//! Shares of a whole as stacked bars: of the run, and of each of its classes that has them.

use serde_json::{Value as Json, json};

use crate::measure::family::Family;

/// Gives a figure of shares its parts and bars from these metrics, by `classes` too; returns false
/// if there are none.
///
/// A part is divided by the metric that the parts add up to, where the family has one: what is
/// drawn are shares, whatever the unit.
pub(super) fn with_bars(figure: &mut Json, family: &Family, metrics: &Json, classes: &Json) -> bool {
    let whole = figure["whole"].as_str().map(ToOwned::to_owned);
    let value = |metrics: &Json, name: &str| metrics[name]["value"].as_f64();
    let names = family.names();
    let bar = |label: &str, metrics: &Json| {
        let whole =
            whole.as_ref().map_or(Some(1.0), |whole| value(metrics, whole)).filter(|whole| *whole > 0.0)?;
        let shares: Vec<Option<f64>> =
            names.iter().map(|name| value(metrics, name).map(|part| part / whole)).collect();
        let is_drawn = shares.iter().flatten().any(|share| *share > 0.0);
        is_drawn.then(|| json!({ "label": label, "shares": shares }))
    };
    let of_classes = classes.as_object().into_iter().flatten();
    let of_classes = of_classes.filter_map(|(name, metrics)| bar(name, metrics));
    let bars: Vec<Json> = bar("all", metrics).into_iter().chain(of_classes).collect();
    let is_drawn = !bars.is_empty();
    figure["parts"] = json!(family.parts);
    figure["bars"] = json!(bars);
    is_drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::family::{Aim, Part};

    const PARTS: &[Part] = &[("queue", ""), ("service", "")];

    fn metrics(values: &[(&str, f64)]) -> Json {
        values.iter().map(|(name, value)| ((*name).to_owned(), json!({ "value": value }))).collect()
    }

    #[test]
    fn parts_in_seconds_are_shares_of_their_whole() {
        let family = Family::new("time", "s", Aim::Lower, "f", "o").parts(PARTS);
        let mut figure = json!({ "whole": "response.mean" });
        let all = metrics(&[("time.queue", 1.0), ("time.service", 3.0), ("response.mean", 4.0)]);
        assert!(with_bars(&mut figure, &family, &all, &Json::Null));
        assert_eq!(figure["bars"], json!([{ "label": "all", "shares": [0.25, 0.75] }]));
    }

    #[test]
    fn a_class_without_the_metrics_has_no_bar_and_without_any_there_is_no_figure() {
        let family = Family::share("time", Aim::None, "f", "o").parts(PARTS);
        let all = metrics(&[("time.queue", 1.0), ("time.service", 0.0)]);
        let mut figure = json!({ "whole": null });
        let classes = json!({ "montage": { "response.mean": { "value": 3.0 } } });
        assert!(with_bars(&mut figure, &family, &all, &classes));
        assert_eq!(figure["bars"].as_array().map(Vec::len), Some(1));
        assert!(!with_bars(&mut figure, &family, &json!({}), &classes));
    }
}
