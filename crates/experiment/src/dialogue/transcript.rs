//! A transcript of a live dialogue: it shows what was asked and what came, and replaces the peer.
//!
//! Two lines an exchange: `{"to":QUESTION}` and `{"from":ANSWER}`, both as they went over the pipe;
//! that of a program that failed its run ends with the question that it did not answer as it had
//! to, and with what it answered. A run that reads a transcript must ask what the recorded run
//! asked, byte by byte and in order; what else it does may differ.

use std::path::Path;

use crate::dialogue::{DialoguePeer, in_short};
use crate::text::{LONGEST_TEXT, read_file};

const TO: &str = "{\"to\":";
const FROM: &str = "{\"from\":";

/// Writes an exchange down, or a question that has no answer.
pub fn write(into: &mut String, question: &str, answer: Option<&str>) {
    for (before, text) in [Some((TO, question)), answer.map(|answer| (FROM, answer))].into_iter().flatten() {
        into.push_str(before);
        into.push_str(text);
        into.push_str("}\n");
    }
}

/// A transcript that is read again.
#[derive(Debug)]
pub struct Transcript {
    text: String,
    /// Bytes of it that have been read, and lines.
    read: usize,
    lines: usize,
}

impl Transcript {
    /// The transcript in a file, plain or gzip.
    ///
    /// # Errors
    /// Reason why it cannot be read.
    pub fn open(path: &Path) -> Result<Self, String> {
        read_file(path, LONGEST_TEXT).map(Transcript::of).map_err(|why| why.to_string())
    }

    /// The transcript of a text.
    pub fn of(text: String) -> Self {
        Transcript { text, read: 0, lines: 0 }
    }

    /// The recorded answer to a question.
    ///
    /// # Errors
    /// Another one was recorded, or none.
    pub fn answer(&mut self, question: &str) -> Result<String, String> {
        let recorded = self.next(TO)?;
        if recorded != question {
            let recorded = in_short(recorded);
            let line = self.lines;
            return Err(format!("line {line} of the transcript has another question, {recorded}"));
        }
        self.next(FROM).map(str::to_owned)
    }

    /// The text of the next line between these words and its last brace.
    fn next(&mut self, before: &str) -> Result<&str, String> {
        let rest = &self.text[self.read..];
        let number = self.lines + 1;
        if rest.is_empty() {
            return Err(format!("the transcript ends after {} lines", self.lines));
        }
        let line = rest.split('\n').next().unwrap_or(rest);
        let end = (self.read + line.len() + 1).min(self.text.len());
        let line = line.strip_suffix('\r').unwrap_or(line);
        (self.read, self.lines) = (end, number);
        let inner = line.strip_prefix(before).and_then(|line| line.strip_suffix('}'));
        inner.ok_or_else(|| format!("line {number} of the transcript does not begin with `{before}`"))
    }
}

impl DialoguePeer for Transcript {
    fn exchange(&mut self, line: &str) -> Result<String, String> {
        self.answer(line).map_err(|why| format!("cannot be replayed: {why}"))
    }

    fn finish(self: Box<Self>) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_answers_what_was_asked_and_nothing_else() {
        let mut text = String::new();
        write(&mut text, r#"{"a":1}"#, Some(r#"{"b":2}"#));
        write(&mut text, r#"{"c":3}"#, Some(r#"{"d":4}"#));
        assert_eq!(text.lines().nth(1), Some(r#"{"from":{"b":2}}"#));
        let mut transcript = Transcript::of(text.replace('\n', "\r\n"));
        assert_eq!(transcript.answer(r#"{"a":1}"#).as_deref(), Ok(r#"{"b":2}"#));
        let other = transcript.answer(r#"{"c":4}"#).expect_err("another question");
        assert_eq!(other, r#"line 3 of the transcript has another question, {"c":3}"#);
        let none = Transcript::of(text).answer("{}").expect_err("another question");
        assert!(none.starts_with("line 1 "), "{none}");
        let ended = Transcript::of(String::new()).answer("{}").expect_err("nothing");
        assert_eq!(ended, "the transcript ends after 0 lines");
        let broken = Transcript::of("{}\n".to_owned()).answer("{}").expect_err("no transcript");
        assert_eq!(broken, "line 1 of the transcript does not begin with `{\"to\":`");
    }
}
