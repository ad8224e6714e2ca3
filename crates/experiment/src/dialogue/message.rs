//! Messages of a dialogue: one JSON object each, in one line.
//!
//! Times are seconds of the simulation, exact to the nanosecond. Numbers have as many digits as it
//! takes to read the same number again.

use std::fmt::Write as _;

use crate::kernel::SimTime;

/// A JSON object that is being written.
#[derive(Debug)]
pub struct Message(String);

impl Message {
    /// An object that begins with a text.
    pub fn new(key: &str, value: &str) -> Self {
        Message("{".to_owned()).text(key, value)
    }

    /// An object that begins with its instant.
    pub fn at(at: SimTime) -> Self {
        Message("{".to_owned()).time("at", at)
    }

    fn key(mut self, key: &str) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0 += &quoted(key);
        self.0.push(':');
        self
    }

    /// With a text.
    #[must_use]
    pub fn text(self, key: &str, value: &str) -> Self {
        let mut message = self.key(key);
        message.0 += &quoted(value);
        message
    }

    /// With a number; what is infinite becomes the largest number there is.
    #[must_use]
    pub fn number(self, key: &str, value: f64) -> Self {
        let mut message = self.key(key);
        let value = if value.is_nan() { 0.0 } else { value.clamp(f64::MIN, f64::MAX) };
        // whole numbers without a point, others as short as they can be
        let whole = value.abs() < 1e15 && value.to_bits() == value.trunc().to_bits();
        let written = if whole { write!(message.0, "{value:.0}") } else { write!(message.0, "{value:?}") };
        written.expect("a string can be written to");
        message
    }

    /// With a whole number.
    #[must_use]
    pub fn count(self, key: &str, value: u64) -> Self {
        let mut message = self.key(key);
        message.0 += &value.to_string();
        message
    }

    /// With an instant \[s\].
    #[must_use]
    pub fn time(self, key: &str, at: SimTime) -> Self {
        let mut message = self.key(key);
        message.0 += at.to_string().trim_end_matches(" s");
        message
    }

    /// With an instant, if there is one.
    #[must_use]
    pub fn optional_time(self, key: &str, at: Option<SimTime>) -> Self {
        match at {
            Some(at) => self.time(key, at),
            None => self,
        }
    }

    /// With true or false.
    #[must_use]
    pub fn flag(self, key: &str, value: bool) -> Self {
        let mut message = self.key(key);
        message.0 += if value { "true" } else { "false" };
        message
    }

    /// With a list of texts.
    #[must_use]
    pub fn texts<'a>(self, key: &str, texts: impl Iterator<Item = &'a str>) -> Self {
        self.list(key, texts.map(quoted))
    }

    /// With a list of messages.
    #[must_use]
    pub fn messages(self, key: &str, messages: impl Iterator<Item = Message>) -> Self {
        self.list(key, messages.map(Message::line))
    }

    fn list(self, key: &str, values: impl Iterator<Item = String>) -> Self {
        let mut message = self.key(key);
        message.0.push('[');
        for (place, value) in values.enumerate() {
            if place > 0 {
                message.0.push(',');
            }
            message.0 += &value;
        }
        message.0.push(']');
        message
    }

    /// The line, without its end.
    pub fn line(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_so_that_it_is_read_again_as_it_was() {
        for value in [0.0, -0.0, 1.0, 0.1, 1e15, 123_456_789.5, 1e300, 5e-324, f64::MAX, -2.5e-7, 1e14 + 0.5]
        {
            let line = Message::new("a", "b").number("c", value).line();
            let read: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(read["c"].as_f64().map(f64::to_bits), Some(value.to_bits()), "{line}");
        }
        let line = Message::new("a", "b").number("c", f64::INFINITY).number("d", 3.0).line();
        assert_eq!(line, r#"{"a":"b","c":1.7976931348623157e308,"d":3}"#);
    }

    #[test]
    fn times_are_exact_and_texts_are_escaped() {
        let at = SimTime::from_nanos(123_456_789_012_345_678);
        let line = Message::new("a", "\"\n").time("t", at).flag("u", true).count("n", 7).line();
        assert_eq!(line, r#"{"a":"\"\n","t":123456789.012345678,"u":true,"n":7}"#);
        let line = Message::at(SimTime::ZERO).optional_time("t", None).texts("l", ["1", "\t"].into_iter());
        assert_eq!(line.line(), r#"{"at":0,"l":["1","\t"]}"#);
        let line = Message::new("a", "").messages("l", ["b", "c"].map(|b| Message::new(b, "")).into_iter());
        assert_eq!(line.line(), r#"{"a":"","l":[{"b":""},{"c":""}]}"#);
    }
}
