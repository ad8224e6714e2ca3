//! Dialogues of a simulation with programs: said, recorded, and repeated.
//!
//! Both sides say one JSON object a line. A *live* dialogue has a peer that answers each line with
//! one: a process, or the transcript of an earlier run in its place. A *recorded* dialogue has a
//! line for each message of either side with its instant, and is repeated as long as the other
//! side says what was recorded.
//!
//! - [`live`]: a dialogue with a peer, from its start to its end; a [`DialoguePeer`] is what
//!   answers: `process` (with `process_group`, which ends all that it started) or [`transcript`].
//! - [`message`]: lines that are written; [`hello`]: first lines of both sides, and the version.
//! - [`answer`]: answers as they come, key by key; [`fields`]: recorded lines, whose members have
//!   their places in a file.
//! - [`recorded`]: a recorded dialogue out of its text, and where it is left.
//!
//! A part that is to be a program states its messages with [`Message`](message::Message) and reads
//! answers by [`answer::object`]; a dialogue that is to be repeated is a
//! [`Language`](recorded::Language) with its [`LineReader`](recorded::LineReader). Meaning is
//! theirs: nothing here knows calls, sweeps or any other system.

pub mod answer;
pub mod fields;
pub mod hello;
pub mod live;
pub mod message;
#[cfg(not(unix))]
mod no_process;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod process_group;
pub mod recorded;
pub mod transcript;

use std::fmt::Debug;

/// The other side of a live dialogue, which answers each line with one line.
pub trait DialoguePeer: Debug {
    /// Says a line, and returns the one that answers it.
    ///
    /// # Errors
    /// Reason of no answer, as words that go on after the name of the peer.
    fn exchange(&mut self, line: &str) -> Result<String, String>;

    /// Ends the dialogue, and the peer with it.
    ///
    /// # Errors
    /// What it did that it was not asked for.
    fn finish(self: Box<Self>) -> Result<(), String>;
}

/// Words of another program in one line, cut where they are long.
pub fn in_short(words: &str) -> String {
    const SHOWN: usize = 300;
    let cut: String = words.chars().take(SHOWN).collect();
    let rest = words.len() - cut.len();
    let shown = crate::text::in_one_line(&cut);
    if rest == 0 { shown.into_owned() } else { format!("{shown}… and {rest} more bytes") }
}
