//! The page of a run whose system draws none of its own: its metrics, its timeline, its scenario.

use serde_json::{Value as Json, json};

use crate::report::html::page::page;
use crate::scenario::{Results, Scenario};

const SCRIPT: &str = include_str!("results.js");

/// The page of a run; `summary` is `summary.json`.
pub fn draw(_results: &dyn Results, summary: &Json, scenario: &Scenario) -> Vec<u8> {
    let mut data = summary.clone();
    data["version"] = json!(env!("CARGO_PKG_VERSION"));
    data["about"] = json!(scenario.system.about());
    data["scenario"] = json!(scenario.resolved());
    page(&scenario.title, &data, SCRIPT)
}
