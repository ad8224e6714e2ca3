//! Recorded dialogues: what the grid said to a scheduler, and what this did, instant by instant;
//! and a scheduler that does it again.
//!
//! A line is one JSON object: an entry of the grid, an action of the scheduler, or a note for the
//! tables of results.
//!
//! ```text
//! {"at":0,"entry":"new-host","host":"near-0"}
//! {"at":0,"entry":"new-work","tasks":["0"]}
//! {"at":0,"entry":"decide"}
//! {"at":0,"action":"store","cluster":"near","file":"shared-0","task":"0","planned":0}
//! {"at":100,"entry":"transfer-done","cluster":"near","link":"near","direction":"input",…}
//! {"at":100,"entry":"decide"}
//! {"at":100,"action":"compute","task":"0","host":"near-0","queued":0,"planned-start":100,…}
//! …
//! {"at":301,"note":"end","steals":0}
//! ```
//!
//! - [`line`](mod@line): what a line says; [`write`](mod@write) and [`read`](mod@read): its text.
//! - [`recorder`]: a scheduler and its interfaces, each within a wrapper that writes down what
//!   passes. Where nothing is recorded there is no wrapper, so that it costs nothing.
//! - [`replay`]: the scheduler `recorded`. It compares every entry with the next line and plays the
//!   actions behind `decide`. The first entry that differs ends the run, and so does an action that
//!   has no effect.
//!
//! What a scheduler asks of the grid is not recorded: it changes nothing. Times are seconds, exact
//! to the nanosecond. Actions are those that have an effect; whether a task has got room is
//! recorded as the answer to `give-room`.
//!
//! Source: section 7.3 of the report of the Parameter Sweep Template names the entries and the
//! actions; the form is a choice of ours.

pub mod line;
pub mod read;
pub mod recorder;
pub mod replay;
#[cfg(test)]
mod tests;
pub mod write;
