//! Words of a line on the terminal, with the values of a run in them; the template is described
//! with [`Shown`](crate::output::Shown).

use crate::measure::family::Family;
use crate::measure::metric::{Metric, Value};
use crate::output::number::{grouped, plain};
use crate::report::figures::{NOTHING, percent, value};
use crate::scenario::Figures;

/// Values that words may name.
pub(super) struct Words<'a> {
    pub(super) figures: &'a Figures,
    /// The family of a metric, if it has one.
    pub(super) family: &'a dyn Fn(&str) -> Option<&'static Family>,
    pub(super) facts: &'a [(&'static str, String)],
}

impl Words<'_> {
    /// The words with their values; `None` if nothing is left of them.
    pub(super) fn fill(&self, words: &str) -> Option<String> {
        let (text, _) = self.part(words);
        (!text.is_empty()).then_some(text)
    }

    /// A part of the words with its values, and true if none of them is missing.
    fn part(&self, mut rest: &str) -> (String, bool) {
        let (mut text, mut is_whole) = (String::new(), true);
        while let Some(at) = rest.find(['{', '[']) {
            text.push_str(&rest[..at]);
            let is_optional = rest[at..].starts_with('[');
            let length = if is_optional { to_bracket(&rest[at..]) } else { rest[at..].find('}') };
            let length = length.expect("words of a system close what they open");
            let inner = &rest[at + 1..at + length];
            if is_optional {
                let (inner, is_there) = self.part(inner);
                text.push_str(if is_there { &inner } else { "" });
            } else {
                let shown = self.value(inner);
                is_whole &= shown.is_some();
                text.push_str(shown.as_deref().unwrap_or(NOTHING));
            }
            rest = &rest[at + length + 1..];
        }
        text.push_str(rest);
        (text, is_whole)
    }

    /// Text of a value; `None` if it is missing.
    fn value(&self, named: &str) -> Option<String> {
        if let Some(fact) = named.strip_prefix('@') {
            return self.facts.iter().find(|(name, _)| *name == fact).map(|(_, text)| text.clone());
        }
        let (name, form) = named.split_at(named.find(['!', '%', '#', '+']).unwrap_or(named.len()));
        let family = (self.family)(name);
        debug_assert!(family.is_some(), "`{name}` is on the terminal, and no family of the system");
        let metric = self.figures.find(name)?;
        let number = metric.number()?;
        let (is_missing, form) = match form.strip_prefix("!0") {
            Some(form) => (number.abs() <= 0.0, form),
            None => (false, form),
        };
        let shown = match form.split_at(form.len().min(1)) {
            ("%", _) => percent(number),
            ("#", _) => bare(metric),
            ("+", noun) => {
                let s = if metric.value == Value::Count(1) { "" } else { "s" };
                format!("{} {noun}{s}", bare(metric))
            }
            _ => value(metric, family.is_some_and(|family| family.share)),
        };
        (!is_missing).then_some(shown)
    }
}

/// The number of a metric.
fn bare(metric: &Metric) -> String {
    match metric.value {
        Value::Nothing => NOTHING.to_owned(),
        Value::Count(count) => grouped(count),
        Value::Real(value) => plain(value),
    }
}

/// Place of the bracket that closes the one at the beginning.
fn to_bracket(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(place, character)| {
        match character {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Digest;
    use crate::measure::family::families;

    const FAMILIES: [Family; 7] = families! {
        "makespan" ["s"] Lower, "all" => "end - begin";
        "utilization" [share] Higher, "all" => "busy / whole";
        "throughput" ["jobs/h"] Higher, "all" => "jobs / time";
        "interruptions" [] Lower, "all" => "jobs that were interrupted";
        "jobs.completed" [] Higher, "all" => "jobs that were completed";
        "jobs.killed" [] Lower, "all" => "jobs that were killed";
        "jobs.lost" [] Lower, "all" => "jobs that were lost";
    };

    /// The words of a run of jobs of which these metrics are known.
    fn filled(words: &str, metrics: &[(&str, Value, &'static str)]) -> Option<String> {
        let metric = |&(name, value, unit): &(&str, Value, &'static str)| Metric {
            name: name.to_owned(),
            value,
            unit,
        };
        let figures = Figures::new(metrics.iter().map(metric).collect(), Digest::default(), 0, false);
        let facts = [("policy", "easy".to_owned())];
        let family = |name: &str| FAMILIES.iter().find(|family| family.has(name));
        Words { figures: &figures, family: &family, facts: &facts }.fill(words)
    }

    #[test]
    fn metrics_have_their_units_and_forms() {
        let metrics = [
            ("makespan", Value::Real(7200.0), "s"),
            ("utilization", Value::Real(0.5), ""),
            ("throughput", Value::Real(2.5), "jobs/h"),
            ("interruptions", Value::Count(1), ""),
            ("jobs.completed", Value::Count(1234), ""),
        ];
        let text = "{makespan}, {utilization}, {throughput}, {throughput#} an hour, {interruptions+interruption}, \
                    {jobs.completed+job}, {interruptions%} by {@policy}";
        let expected = "2 h, 50 %, 2.5 jobs/h, 2.5 an hour, 1 interruption, 1,234 jobs, 100 % by easy";
        assert_eq!(filled(text, &metrics).as_deref(), Some(expected));
    }

    #[test]
    fn optional_parts_go_with_a_value_that_is_missing() {
        let metrics = [("jobs.killed", Value::Count(0), ""), ("jobs.lost", Value::Count(2), "")];
        let words = "some[, {jobs.killed!0} killed][, {jobs.lost!0} lost[ by {@whom}]][, {makespan} long]";
        assert_eq!(filled(words, &metrics).as_deref(), Some("some, 2 lost"));
        assert_eq!(filled("[{makespan} long]", &metrics), None);
        assert_eq!(filled("[{jobs.killed!0%} and {jobs.lost!0%}]", &metrics), None);
        assert_eq!(
            filled("{makespan} long", &[("makespan", Value::Nothing, "s")]).as_deref(),
            Some("— long")
        );
    }
}
