//! Agreement of the figures of a page with its metrics, by the page alone.
//!
//! A figure states what it drew of the rows of its table: the mean, the median and the ends of a
//! distribution, the mean of a level, the end of a count. Where it is declared to be of a metric,
//! each of these must be the metric of that name; and whatever it is of, what is drawn must be
//! there, shares must add up to 1, and nothing that is a share may lie outside the axes.

use serde_json::Value as Json;

/// Values that agree differ by less: stretch has six digits behind the point.
const CLOSE: f64 = 2e-6;
/// Rounding of a value of a curve, and more.
const ROUNDED: f64 = 1e-4;

/// Contradictions between the figures of a page of a run and its metrics, a sentence each.
///
/// # Errors
/// The text is no such page.
pub fn contradictions(page: &str) -> Result<Vec<String>, String> {
    let data = page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let (data, _) = data.ok_or("it holds no data")?;
    let data: Json = serde_json::from_str(data).map_err(|error| error.to_string())?;
    let figures = data["figures"].as_array().ok_or("it holds no figures")?;
    let mut found = Vec::new();
    for figure in figures {
        let mut say = |what: String| {
            found.push(format!("{}: {what}", figure["title"].as_str().unwrap_or_default()));
        };
        of_metrics(figure, &data["metrics"], &mut say);
        match figure["kind"].as_str() {
            Some("series") => level(figure, &data["axis"], &mut say),
            Some("series-by") => {
                list(figure, "curves").iter().for_each(|curve| level(curve, &data["axis"], &mut say));
            }
            Some("distribution") => distribution(figure, &mut say),
            Some("shares") => shares(figure, &mut say),
            Some("rows") => cells(figure, &mut say),
            Some("heat") => non_empty(figure, "cells", &mut say),
            Some("groups") => non_empty(figure, "rows", &mut say),
            Some("values") => non_empty(figure, "series", &mut say),
            _ => {}
        }
    }
    Ok(found)
}

fn list<'a>(figure: &'a Json, member: &str) -> &'a [Json] {
    figure[member].as_array().map_or(&[], Vec::as_slice)
}

fn numbers(figure: &Json, member: &str) -> Vec<f64> {
    list(figure, member).iter().filter_map(Json::as_f64).collect()
}

fn are_close(one: f64, other: f64) -> bool {
    (one - other).abs() <= CLOSE * one.abs().max(other.abs()).max(1e-3)
}

/// Returns true if the one may be the other, rounded as values of curves are.
fn are_as_drawn(one: f64, other: f64) -> bool {
    are_close(one, other) || (one - other).abs() < ROUNDED
}

fn non_empty(figure: &Json, member: &str, say: &mut dyn FnMut(String)) {
    if list(figure, member).is_empty() {
        say("nothing is drawn".to_owned());
    }
}

/// Compares the numbers drawn of the observations of a metric with the metric.
fn of_metrics(figure: &Json, metrics: &Json, say: &mut dyn FnMut(String)) {
    let Some(metric) = figure["metric"].as_str().filter(|metric| !metric.is_empty()) else { return };
    let mut compared = 0;
    for (part, drew) in figure["drew"].as_object().into_iter().flatten() {
        let name = if part.is_empty() { metric.to_owned() } else { format!("{metric}.{part}") };
        let (Some(drew), Some(value)) = (drew.as_f64(), metrics[&name]["value"].as_f64()) else { continue };
        compared += 1;
        if !are_close(drew, value) {
            say(format!("what is drawn has {drew}, and {name} is {value}"));
        }
    }
    if compared == 0 && figure["drew"].is_object() {
        say(format!("it is of {metric}, and no such metric has a value"));
    }
}

/// A level: there is one, a share of a whole is from 0 to 100 %, and its days have the mean of its
/// spans.
fn level(figure: &Json, axis: &Json, say: &mut dyn FnMut(String)) {
    if figure["days"].is_object() {
        days(figure, axis, say);
    }
    let [least, mean, greatest] = ["least", "mean", "greatest"].map(|member| numbers(figure, member));
    if figure["kind"] == "series" && greatest.iter().all(|level| level.abs() <= 0.0) {
        say("the level is 0 all the time".to_owned());
    }
    let is_ordered = |((least, mean), greatest): ((&f64, &f64), &f64)| {
        let slack = CLOSE * greatest.abs().max(1.0);
        *least <= mean + slack && *mean <= greatest + slack
    };
    if !least.iter().zip(&mean).zip(&greatest).all(is_ordered) {
        say("a mean does not lie between the least and the greatest".to_owned());
    }
    if figure["unit"] == "%" && least.iter().chain(&greatest).any(|level| !(0.0..=100.0).contains(level)) {
        let greatest = greatest.iter().copied().fold(0.0, f64::max);
        say(format!("it is a share, and reaches {greatest} %"));
    }
    if figure["counts"] == true {
        let last = greatest.last().copied().unwrap_or_default();
        let before = least.last().copied().unwrap_or_default();
        let end = figure["drew"][""].as_f64().unwrap_or(last);
        // what happens at the very end is not seen in the last span of time
        if end + CLOSE * end.abs() < last
            || mean.windows(2).any(|pair| pair[0] > pair[1] + CLOSE * pair[0].abs())
        {
            say(format!("it counts from {before} to {last}, and its end is {end}"));
        }
    }
}

/// A level day by day: it is as high on the whole as in equal spans.
fn days(figure: &Json, axis: &Json, say: &mut dyn FnMut(String)) {
    const DAY: f64 = 86_400.0;
    let (spans, days) = (numbers(figure, "mean"), numbers(&figure["days"], "mean"));
    let lasts = axis[1].as_f64().zip(axis[0].as_f64()).map_or(0.0, |(to, from)| to - from);
    let day = |(place, mean): (u32, &f64)| mean * (lasts - f64::from(place) * DAY).clamp(0.0, DAY);
    let by_days = (0..).zip(&days).map(day).sum::<f64>() / lasts;
    let by_spans = spans.iter().sum::<f64>() / spans.len() as f64;
    if !are_as_drawn(by_days, by_spans) {
        say(format!("its days have a mean of {by_days}, and its spans of {by_spans}"));
    }
}

/// The curve rises to 1, and passes its quantiles where they are.
fn distribution(figure: &Json, say: &mut dyn FnMut(String)) {
    let (x, share) = (numbers(&figure["curve"], "x"), numbers(&figure["curve"], "share"));
    if x.len() != share.len() || x.iter().all(|value| value.abs() <= 0.0) {
        return say("the curve has no values".to_owned());
    }
    let rises = |values: &[f64]| values.windows(2).all(|pair| pair[0] <= pair[1]);
    if !rises(&x) || !rises(&share) || share.first().is_none_or(|first| *first <= 0.0) {
        say("the curve does not rise".to_owned());
    }
    if share.last().is_none_or(|last| !are_close(*last, 1.0)) {
        say("the curve does not end at 1".to_owned());
    }
    let drew = &figure["drew"];
    if let (Some(max), Some(last)) = (drew["max"].as_f64(), x.last())
        && !are_as_drawn(max, *last)
    {
        say(format!("the curve ends at {last}, and the greatest value is {max}"));
    }
    for (part, whole) in [("median", 0.5), ("p95", 0.95)] {
        let Some(quantile) = drew[part].as_f64() else { continue };
        let passes = |(x, share): (&f64, &f64)| {
            if are_as_drawn(*x, quantile) {
                true
            } else if *x < quantile {
                *share < whole
            } else {
                *share > whole - CLOSE
            }
        };
        if !x.iter().zip(&share).all(passes) {
            say(format!("the curve does not pass the {part}, {quantile}"));
        }
    }
}

/// Bars of shares that add up to 1.
fn shares(figure: &Json, say: &mut dyn FnMut(String)) {
    non_empty(figure, "bars", say);
    for bar in list(figure, "bars") {
        let (label, shares) = (bar["label"].as_str().unwrap_or_default(), numbers(bar, "shares"));
        let sum: f64 = shares.iter().sum();
        if shares.is_empty() {
            say(format!("the bar of {label} is empty"));
        } else if !are_close(sum, 1.0) {
            say(format!("the shares of {label} add up to {sum}"));
        }
        if let Some(share) = shares.iter().find(|share| !(0.0..=1.0 + CLOSE).contains(*share)) {
            say(format!("{share} is no share of {label}"));
        }
    }
}

/// Rows of a table, in whose columns of utilizations are shares.
fn cells(figure: &Json, say: &mut dyn FnMut(String)) {
    non_empty(figure, "rows", say);
    for (place, column) in list(figure, "columns").iter().enumerate() {
        let name = column[0].as_str().unwrap_or_default();
        let mut values = list(figure, "rows").iter().filter_map(|row| row[place].as_f64());
        if name.ends_with("utilization")
            && let Some(value) = values.find(|value| !(0.0..=1.0 + CLOSE).contains(value))
        {
            say(format!("{name} {value} is no share"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(figure: &Json) -> Vec<String> {
        let metrics = json!({ "wait.mean": { "value": 2.0 }, "use": { "value": 0.5 } });
        let data = json!({ "metrics": metrics, "figures": [figure] });
        contradictions(&format!("<script id=\"data\">{data}</script>")).expect("a page")
    }

    #[test]
    fn a_curve_of_other_values_than_the_metric_is_found() {
        let curve = |mean: f64, share: f64| {
            json!({
                "kind": "distribution", "title": "Waits", "metric": "wait",
                "curve": { "x": [1, 3], "share": [share, 1] }, "drew": { "mean": mean, "median": 1, "max": 3 },
            })
        };
        assert_eq!(of(&curve(2.0, 0.5)), [""; 0]);
        assert_eq!(of(&curve(1.5, 0.5)), ["Waits: what is drawn has 1.5, and wait.mean is 2"]);
        let early = json!({ "kind": "distribution", "title": "Waits", "metric": "", "drew": { "median": 3 },
            "curve": { "x": [1, 3], "share": [0.5, 1] } });
        assert_eq!(of(&early), ["Waits: the curve does not pass the median, 3"]);
    }

    #[test]
    fn shares_that_are_none_are_found() {
        let bars = |shares: &[f64]| json!({ "kind": "shares", "title": "Time", "bars": [{ "label": "all", "shares": shares }] });
        assert_eq!(of(&bars(&[0.25, 0.75])), [""; 0]);
        assert_eq!(of(&bars(&[0.2, 1.31])).len(), 2);
        assert_eq!(of(&bars(&[])), ["Time: the bar of all is empty"]);
    }

    #[test]
    fn a_level_outside_its_axis_or_without_anything_is_found() {
        let level = |greatest: f64| {
            json!({
                "kind": "series", "title": "Use", "unit": "%", "metric": "use", "drew": { "": 0.5 },
                "least": [0], "mean": [0], "greatest": [greatest],
            })
        };
        assert_eq!(of(&level(100.0)), [""; 0]);
        assert_eq!(of(&level(500.0)), ["Use: it is a share, and reaches 500 %"]);
        assert_eq!(of(&level(0.0)), ["Use: the level is 0 all the time"]);
    }

    #[test]
    fn days_that_are_not_those_of_the_spans_are_found() {
        // a day and a half: 2 for half a day and 6 for a day
        let level = |days: [f64; 2]| {
            let figure = json!({
                "kind": "series", "title": "Use", "least": [2, 6, 6], "mean": [2, 6, 6], "greatest": [2, 6, 6],
                "days": { "least": [2, 6], "mean": days, "greatest": [6, 6] },
            });
            let data = json!({ "metrics": {}, "figures": [figure], "axis": [100.0, 129_700.0] });
            contradictions(&format!("<script id=\"data\">{data}</script>")).expect("a page")
        };
        assert_eq!(level([4.0, 6.0]), [""; 0]);
        assert!(level([4.3, 6.0])[0].starts_with("Use: its days have a mean of 4.866"));
    }

    #[test]
    fn a_metric_that_is_not_there_is_found() {
        let figure = json!({ "kind": "heat", "title": "Means", "metric": "slow", "drew": { "mean": 1 }, "cells": [[]] });
        assert_eq!(of(&figure), ["Means: it is of slow, and no such metric has a value"]);
    }
}
