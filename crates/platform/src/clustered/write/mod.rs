//! A grid as a text of the Parameter Sweep Template, and as the tables of a scenario.

mod behaviour;
pub mod grid;
pub mod toml;

/// Seconds of an instant or a span in nanoseconds, exactly.
pub fn instant(nanos: u64) -> String {
    let (whole, part) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    let part = format!("{part:09}");
    let part = part.trim_end_matches('0');
    let point = if part.is_empty() { "" } else { "." };
    format!("{whole}{point}{part}")
}
