//! Curves of shares: the part of the jobs whose value is at most so much.
//!
//! A curve of more jobs than a screen has columns is thinned out to equal steps of the share, and
//! to ever smaller ones towards the end: the longest waits are few, and they are what one looks
//! for. The first and the last step stay.

use serde_json::{Number, Value as Json, json};

use crate::collections::{StableSort as _, sort_by_numbers};

/// Equal steps a curve is thinned out to.
const STEPS: usize = 400;
/// The last steps that are all kept.
const TAIL: usize = 40;

/// Values in rising order.
pub(super) fn in_order(mut values: Vec<f64>) -> Vec<f64> {
    // as whole numbers reals have the order of `total_cmp`, but for those below zero
    sort_by_numbers(&mut values, |value| match value.to_bits() {
        bits if value.is_sign_negative() => (!bits, 0),
        bits => (bits | 1 << 63, 0),
    });
    values
}

/// The curve of these values in rising order as `{x: [...], share: [...]}`.
pub(crate) fn curve(values: &[f64]) -> Json {
    let (x, share): (Vec<Json>, Vec<Json>) = places(values.len())
        .into_iter()
        .map(|place| (rounded(values[place]), rounded((place + 1) as f64 / values.len() as f64)))
        .unzip();
    json!({ "x": x, "share": share })
}

/// The steps that are kept, rising.
fn places(count: usize) -> Vec<usize> {
    if count <= STEPS + TAIL {
        return (0..count).collect();
    }
    let mut places: Vec<usize> = (0..STEPS).map(|step| step * count / STEPS).collect();
    // between the last equal steps and the tail, halving what is left
    let mut left = count / STEPS;
    while left > TAIL {
        places.push(count - left);
        left -= left.div_ceil(4);
    }
    places.extend(count - TAIL..count);
    places.stable_sort();
    places.dedup();
    places
}

/// A number with seven significant digits or so, as short as they can be written; null if it is
/// none.
pub fn rounded(value: f64) -> Json {
    let size = value.abs();
    let scale = match size {
        size if size >= 1e7 => 1.0,
        size if size >= 1e4 => 1e2,
        size if size >= 1.0 => 1e4,
        _ => 1e7,
    };
    let value = (value * scale).round() / scale;
    if value.fract().abs() <= 0.0 && value.abs() < 1e15 {
        return json!(value as i64);
    }
    Number::from_f64(value).map_or(Json::Null, Json::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_keeps_its_ends_and_rises() {
        let values: Vec<f64> = (0..50_000).map(|value| f64::from((value * 7919) % 50_000)).collect();
        let curve = curve(&in_order(values));
        let x: Vec<f64> = curve["x"].as_array().expect("x").iter().filter_map(Json::as_f64).collect();
        assert!(x.len() < 600, "{}", x.len());
        assert!(x.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((x.first(), x.last()), (Some(&0.0), Some(&49_999.0)));
        assert_eq!(x[x.len() - TAIL..].len(), x.iter().filter(|x| **x >= 49_960.0).count());
        assert_eq!(curve["share"][x.len() - 1], 1);
    }

    #[test]
    fn few_values_are_all_kept() {
        assert_eq!(curve(&in_order(vec![3.0, 1.0])), json!({ "x": [1, 3], "share": [0.5, 1] }));
        assert_eq!(curve(&[]), json!({ "x": [], "share": [] }));
    }

    #[test]
    fn numbers_are_short() {
        let texts = [0.1 + 0.2, 123_456.789, 1e12, -2.5, 0.0].map(|value| rounded(value).to_string());
        assert_eq!(texts, ["0.3", "123456.79", "1000000000000", "-2.5", "0"]);
        assert_eq!(rounded(f64::INFINITY), Json::Null);
    }
}
