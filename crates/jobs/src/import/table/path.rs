//! Names of columns, and paths into the values of JSON: `attempts[0].start_time`, `count(nodes)`.
//!
//! A path has keys with points between them and places of lists in brackets, from 0, or from the
//! end as -1. A key that follows a list is that of each of its elements. `count(…)` is the number
//! of values that its path leads to and that are not null, those of lists each by itself.

/// A step of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The value of a key.
    Key(String),
    /// The value at a place of a list; negative from its end.
    Place(i64),
}

/// A column, or a path from one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Path {
    /// The path as written.
    pub(super) written: String,
    /// The name of the column when the table is no JSON.
    pub(super) column: String,
    /// The steps, the first of which is the name of the column.
    pub(super) steps: Vec<Step>,
    /// True if values are counted.
    pub(super) counts: bool,
}

impl Path {
    /// Reads a path; a text that is none is the name of a column.
    pub(super) fn parse(text: &str) -> Path {
        let inner = text.strip_prefix("count(").and_then(|rest| rest.strip_suffix(')'));
        let column = inner.unwrap_or(text).trim();
        let plain = || vec![Step::Key(column.to_owned())];
        Path {
            written: text.to_owned(),
            column: column.to_owned(),
            steps: steps(column).unwrap_or_else(plain),
            counts: inner.is_some(),
        }
    }

    /// The column of this name, whatever the name looks like.
    pub(super) fn of_column(name: &str) -> Path {
        let steps = vec![Step::Key(name.to_owned())];
        Path { written: name.to_owned(), column: name.to_owned(), steps, counts: false }
    }

    /// The key of a row at which the path begins.
    pub(super) fn first(&self) -> &str {
        match self.steps.first() {
            Some(Step::Key(name)) => name,
            _ => &self.column,
        }
    }
}

fn steps(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    for part in text.split('.') {
        let (name, mut places) = part.find('[').map_or((part, ""), |at| part.split_at(at));
        if name.is_empty() {
            return None;
        }
        steps.push(Step::Key(name.to_owned()));
        while !places.is_empty() {
            let (place, rest) = places.strip_prefix('[')?.split_once(']')?;
            steps.push(Step::Place(place.parse().ok()?));
            places = rest;
        }
    }
    Some(steps)
}

/// A value of JSON.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum JsonValue {
    /// `null`.
    Nothing,
    /// A text or a word.
    Text(String),
    /// The digits of a number.
    Number(String),
    /// A list.
    List(Vec<JsonValue>),
    /// Keys and values.
    Object(Vec<(String, JsonValue)>),
}

impl JsonValue {
    /// Calls `each` with every value that steps lead to.
    pub(super) fn follow<'a>(&'a self, steps: &[Step], each: &mut impl FnMut(&'a JsonValue)) {
        let Some((step, rest)) = steps.split_first() else { return each(self) };
        match (self, step) {
            (JsonValue::Object(members), Step::Key(name)) => {
                if let Some((_, value)) = members.iter().find(|(key, _)| key == name) {
                    value.follow(rest, each);
                }
            }
            (JsonValue::List(values), Step::Key(_)) => {
                for value in values {
                    value.follow(steps, each);
                }
            }
            (JsonValue::List(values), &Step::Place(place)) => {
                let count = i64::try_from(values.len()).unwrap_or(i64::MAX);
                let place = if place < 0 { place.saturating_add(count) } else { place };
                if let Some(value) = usize::try_from(place).ok().and_then(|place| values.get(place)) {
                    value.follow(rest, each);
                }
            }
            _ => {}
        }
    }

    /// The number of values that are not null, those of a list each by itself.
    pub(super) fn count(&self) -> u64 {
        match self {
            JsonValue::Nothing => 0,
            JsonValue::List(values) => {
                values.iter().filter(|value| !matches!(value, JsonValue::Nothing)).count() as u64
            }
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> JsonValue {
        JsonValue::Text(text.to_owned())
    }

    fn object(members: &[(&str, JsonValue)]) -> JsonValue {
        JsonValue::Object(members.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect())
    }

    #[test]
    fn paths_lead_into_lists_and_objects() {
        let detail = |gpus: usize| object(&[("gpus", JsonValue::List(vec![text("g"); gpus]))]);
        let first = object(&[("start", text("1")), ("detail", JsonValue::List(vec![detail(2), detail(3)]))]);
        let last = object(&[("start", text("9")), ("detail", JsonValue::Nothing)]);
        let row = object(&[("attempts", JsonValue::List(vec![first, last])), ("a b", text("x"))]);
        let found = |path: &str| {
            let path = Path::parse(path);
            let (mut count, mut texts) = (0, Vec::new());
            row.follow(&path.steps, &mut |value| {
                count += value.count();
                if let JsonValue::Text(text) = value {
                    texts.push(text.clone());
                }
            });
            (count, texts.join(" "))
        };
        assert_eq!(found("attempts[0].start"), (1, "1".to_owned()));
        assert_eq!(found("attempts[-1].start"), (1, "9".to_owned()));
        assert_eq!(found("attempts.start").1, "1 9");
        assert_eq!((found("count(attempts[0].detail)").0, found("count(attempts[0].detail.gpus)").0), (2, 5));
        assert_eq!(
            (found("attempts[2].start").0, found("attempts[-3].start").0, found("start").0),
            (0, 0, 0)
        );
        assert_eq!(found("a b").1, "x");
        let nulls = JsonValue::List(vec![text("a"), JsonValue::Nothing, text("b"), JsonValue::Nothing]);
        assert_eq!((nulls.count(), JsonValue::Nothing.count(), text("").count()), (2, 0, 1));
    }

    #[test]
    fn what_is_no_path_is_the_name_of_a_column() {
        for name in ["exit state", ".x", "a[b]", "a[0", "a..b", "mem [GB]"] {
            let path = Path::parse(name);
            assert_eq!((path.first(), path.counts), (name, false));
        }
        let count = Path::parse("count(nodes)");
        assert_eq!((count.first(), count.counts, &*count.written), ("nodes", true, "count(nodes)"));
    }
}
