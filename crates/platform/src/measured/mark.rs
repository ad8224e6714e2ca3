//! The mark of measurements, by which a file is known.

use crate::text::mark::{Evidence, FileMark, Head};

use super::bare;

/// The mark of tables and series of measurements.
pub const MARK: FileMark = FileMark::new(
    "a table of measurements of hosts and links",
    "`clustersim convert {file} platform.toml` makes a platform of it",
    is_measured,
)
.evidence(Evidence::Likely);

/// Returns true if a first line names the columns of a table of measurements.
fn is_measured(head: &Head<'_>) -> bool {
    let Some(first) = head.statements().next() else { return false };
    let names: Vec<&str> = first.split(',').map(|name| name.trim().trim_matches('"')).collect();
    let has = |name: &str| names.contains(&name);
    let is_time = |name: &&str| bare(name.strip_prefix('t').unwrap_or(name)).is_some();
    let is_series = has("time") && ["availability", "use", "bandwidth", "latency"].into_iter().any(has);
    let of_host = has("speed") || is_series || names.iter().any(is_time);
    (has("host") && of_host) || (has("from") && has("to")) || (has("link") && has("time"))
}
