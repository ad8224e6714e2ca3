//! Traces in files: SimGrid's text, and comma-separated values.
//!
//! SimGrid's text has a point on each line, its time in seconds and its value with blanks between
//! them. Lines that are empty or begin with `#` or `%` count for nothing. One line may say
//! `PERIODICITY p`: `p` seconds after the last point the sequence begins repeat with the first.
//! Later versions have `LOOPAFTER p` in its place: `p` seconds after the last point the clock of
//! the sequence begins repeat at 0, so that the first point comes as much later as it was late at
//! first. Either may stand anywhere.
//!
//! ```text
//! # availability
//! PERIODICITY 2
//! 0 1.0
//! 5 0.5
//! ```
//!
//! In comma-separated text the first line names the columns `time` and `value`, in any order and
//! with others. Times are exact: what is finer than a nanosecond is rounded up. All mistakes of a
//! file are reported at once, each at its line and column.

use std::path::Path;

use crate::kernel::{SimDuration, SimTime};
use crate::registry::Problem;
use crate::registry::code::{self, Code};
use crate::registry::{Complaint, Span};
use crate::text::csv::{Field, Table};
use crate::text::{LONGEST_TEXT, Mistakes, read_file};
use crate::trace::{Trace, returns};
use crate::units::Decimal;

/// Kind of the quantity of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceOf {
    /// Of how much there is.
    #[default]
    Values,
    /// Of what works or does not: it may leave and return at one instant ([`Trace::states`]).
    States,
}

/// The word that the sequence's repetition began with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeat {
    Point,
    Clock,
}

/// The points read so far.
#[derive(Default)]
struct Reader<'a> {
    of: TraceOf,
    points: Vec<(SimTime, f64)>,
    periodicity: Option<(SimDuration, Repeat, Field<'a>)>,
    problems: Mistakes<Problem>,
}

/// Reads SimGrid's text.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read_trace(text: &str) -> Result<Trace, Mistakes<Problem>> {
    read_lines(text, TraceOf::Values)
}

/// As [`read_trace`], of values or states.
///
/// # Errors
/// As there.
pub(crate) fn read_lines(text: &str, of: TraceOf) -> Result<Trace, Mistakes<Problem>> {
    let mut reader = Reader { of, ..Reader::default() };
    for (line, number) in text.lines().zip(1..) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', '%']) {
            continue;
        }
        let mut words = line.split_whitespace().map(|word| Field::piece(line, number, word));
        let (Some(first), second, third) = (words.next(), words.next(), words.next()) else { continue };
        let whole = Field::piece(line, number, trimmed);
        if let "PERIODICITY" | "LOOPAFTER" = first.raw() {
            let repeat = if first.raw() == "PERIODICITY" { Repeat::Point } else { Repeat::Clock };
            reader.periodicity(first, repeat, second);
        } else if let Some(value) = second {
            reader.point(first, value);
        } else {
            reader.report(whole, code::TYPE, "this line has no value", "expected a time and a value");
        }
        if let Some(more) = third {
            reader.report(more, code::TYPE, "this line goes on", "expected two words");
        }
    }
    reader.done()
}

/// Reads comma-separated values with the columns `time`, in seconds, and `value`; the trace repeats
/// `periodicity` after the last point, if that is given.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read_trace_csv(text: &str, periodicity: Option<SimDuration>) -> Result<Trace, Mistakes<Problem>> {
    let trace = read_columns(text, TraceOf::Values)?;
    if periodicity.is_none() {
        return Ok(trace);
    }
    trace.repeated(periodicity).map_err(|why| Problem::new(code::RANGE, why.to_string()).into())
}

fn read_columns(text: &str, of: TraceOf) -> Result<Trace, Mistakes<Problem>> {
    let mut reader = Reader { of, ..Reader::default() };
    let opened = Table::with_columns(text, ["time", "value"]);
    let opened = opened.map_err(|mistakes| mistakes.map(Problem::from))?;
    let Some((mut table, [time, value])) = opened else {
        let problem = Problem::new(code::MISSING_KEY, "the trace is empty");
        return Err(problem.help("expected a line `time,value`").into());
    };
    let read = table.each_row(|row| match (row.get(time), row.get(value)) {
        (Some(time), Some(value)) => reader.point(time, value),
        _ => {
            let what = "this line lacks a column";
            reader.report(row.whole(), code::TYPE, what, "expected a time and a value");
        }
    });
    if let Err(mistake) = read {
        reader.problems.push(mistake.into());
    }
    reader.done()
}

/// Reads the trace in a file that is called `name` at `at`, as `read` reads its text.
///
/// # Errors
/// The file cannot be read, and everything that is wrong with it.
pub(crate) fn read_trace_file(
    path: &Path,
    (name, at): (&str, Span),
    read: impl FnOnce(&str) -> Result<Trace, Mistakes<Problem>>,
) -> Result<Trace, Vec<Complaint>> {
    let text = read_file(path, LONGEST_TEXT).map_err(|why| {
        Complaint::new(code::FILE, format!("cannot read `{name}`: {why}"), at).label("named here")
    })?;
    read(&text).map_err(|problems| problems.map(|problem| problem.complaint(name, Some(at))).into())
}

/// The same of a file that has columns if its name ends in `.csv`, and else is SimGrid's text.
///
/// # Errors
/// As there.
pub fn read_trace_named(path: &Path, named: (&str, Span), of: TraceOf) -> Result<Trace, Vec<Complaint>> {
    let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    read_trace_file(path, named, |text| if is_csv { read_columns(text, of) } else { read_lines(text, of) })
}

/// A number of seconds, rounded up to a nanosecond.
fn seconds(text: &str) -> Option<SimDuration> {
    let (number, "") = Decimal::take(text)? else { return None };
    let nanos = number.ceil_times(1_000_000_000).filter(|&nanos| nanos < u64::MAX)?;
    Some(SimDuration::from_nanos(nanos))
}

impl<'a> Reader<'a> {
    fn report(&mut self, cell: Field<'_>, code: &'static Code, what: impl Into<String>, help: &str) {
        self.problems.push_with(|| Problem::of_cell(cell, code, what, help));
    }

    fn time(&mut self, field: Field<'_>) -> Option<SimDuration> {
        let time = seconds(field.raw());
        if time.is_none() {
            let help = "expected seconds, such as 3600 or 0.25, up to 584 years";
            self.report(field, code::QUANTITY, format!("`{}` is no time", field.raw()), help);
        }
        time
    }

    fn point(&mut self, time: Field<'_>, value: Field<'_>) {
        let at = self.time(time).map(|since| SimTime::ZERO + since);
        let number = value.raw().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        if number.is_none() {
            let what = format!("`{}` is no value", value.raw());
            self.report(value, code::RANGE, what, "expected a number of 0 or more");
        }
        let Some(at) = at else { return };
        let returns =
            |state| self.of == TraceOf::States && number.is_some_and(|number| returns(state, number));
        let is_late = |&&(last, state): &&(SimTime, f64)| at < last || at == last && !returns(state);
        if let Some(&(last, _)) = self.points.last().filter(is_late) {
            let what = format!("this point is not later than the one before it, at {} s", last.as_secs_f64());
            self.report(time, code::CONTRADICTION, what, "expected times that rise");
        }
        // kept even where it is wrong, so that the next one is compared with it
        self.points.push((at, number.unwrap_or(0.0)));
    }

    fn periodicity(&mut self, word: Field<'a>, repeat: Repeat, after: Option<Field<'a>>) {
        let Some(field) = after else {
            self.report(word, code::TYPE, format!("`{}` of what", word.raw()), "expected seconds after it");
            return;
        };
        let Some(span) = self.time(field) else { return };
        if span == SimDuration::ZERO {
            self.report(field, code::RANGE, "a periodicity of nothing", "expected more than 0 s");
        }
        if let Some((.., before)) = self.periodicity {
            let what = "the periodicity is given twice";
            let help = format!("line {} gives it already", before.line());
            self.report(word, code::CONTRADICTION, what, &help);
        }
        self.periodicity = Some((span, repeat, field));
    }

    fn done(mut self) -> Result<Trace, Mistakes<Problem>> {
        if self.problems.is_empty() && self.points.is_empty() {
            let problem = Problem::new(code::MISSING_KEY, "the trace has no points");
            return Err(problem.help("expected lines of a time and a value").into());
        }
        if self.problems.is_empty() {
            let late = self.points.first().map_or(0, |(first, _)| first.as_nanos());
            let periodicity = self.periodicity.map(|(span, repeat, _)| match repeat {
                Repeat::Point => span,
                Repeat::Clock => SimDuration::from_nanos(span.as_nanos().saturating_add(late)),
            });
            let made = match self.of {
                TraceOf::Values => Trace::new(&self.points, periodicity),
                TraceOf::States => Trace::states(&self.points, periodicity),
            };
            match made {
                Ok(trace) => return Ok(trace),
                Err(why) => match self.periodicity {
                    Some((.., field)) => self.report(field, code::RANGE, why.to_string(), "expected less"),
                    None => self.problems.push(Problem::new(code::RANGE, why.to_string())),
                },
            }
        }
        Err(self.problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(read: Result<Trace, Mistakes<Problem>>) -> Vec<(String, u64, usize, usize)> {
        let mistakes = |problem: Problem| {
            let place = problem.place.expect("a place");
            (problem.message, place.line, place.column, place.width)
        };
        read.expect_err("mistakes").into_iter().map(mistakes).collect()
    }

    #[test]
    fn the_text_of_simgrid_is_read() {
        let text = "% availability\nPERIODICITY 2\n\n0 1.0\n  5\t.5\n# off\n8 0\n1e1 1\n";
        let at = |secs: u64| SimTime::from_nanos(secs * 1_000_000_000);
        let points = [(at(0), 1.0), (at(5), 0.5), (at(8), 0.0), (at(10), 1.0)];
        let expected = Trace::new(&points, Some(SimDuration::from_secs(2))).expect("a trace");
        assert_eq!(read_trace(text).expect("a trace"), expected);
        let text = "0 1\n5 0.5\n8 0\n10 1\nLOOPAFTER 2";
        assert_eq!(read_trace(text).expect("a trace"), expected);
        let text = "1 0.5\n2 0.2\n5 1\nLOOPAFTER 5";
        let changes: Vec<u64> =
            std::iter::successors(Some(at(0)), |&from| read_trace(text).expect("a trace").next_change(from))
                .map(|at| at.as_nanos() / 1_000_000_000)
                .take(8)
                .collect();
        assert_eq!(changes, [0, 1, 2, 5, 11, 12, 15, 21], "as SimGrid 4.1 has it");
        let text = "host,value,time\na,1,0\na,0.5, 5\n\na,0,8\nb,1,10\n";
        let csv = read_trace_csv(text, Some(SimDuration::from_secs(2)));
        assert_eq!(csv.expect("a trace"), expected);
        let text = "\"host\",\"value\",\"time\"\n\"a, 1\",\"1\",0\n\"a\n2\",0.5,\"5\"\n,0,8\n,1,10\n";
        let csv = read_trace_csv(text, Some(SimDuration::from_secs(2)));
        assert_eq!(csv.expect("a trace"), expected);
    }

    #[test]
    fn every_mistake_is_reported_with_its_line_and_column() {
        let text = "0 1\nPERIODICITY\n  3 x\nminus 1\n2 0.5 7\n9\n4 nan\nPERIODICITY 0\nPERIODICITY 1\n";
        let expected = [
            ("`PERIODICITY` of what", 2, 1, 11),
            ("`x` is no value", 3, 5, 1),
            ("`minus` is no time", 4, 1, 5),
            ("this point is not later than the one before it, at 3 s", 5, 1, 1),
            ("this line goes on", 5, 7, 1),
            ("this line has no value", 6, 1, 1),
            ("`nan` is no value", 7, 3, 3),
            ("a periodicity of nothing", 8, 13, 1),
            ("the periodicity is given twice", 9, 1, 11),
        ];
        let found = mistakes(read_trace(text));
        let found: Vec<(&str, u64, usize, usize)> =
            found.iter().map(|(what, line, column, width)| (what.as_str(), *line, *column, *width)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_wrong_with_comma_separated_values_is_reported_too() {
        assert_eq!(mistakes(read_trace_csv("at,value\n1,2\n", None))[0].1, 1);
        let found = mistakes(read_trace_csv("time,value\n1\n2,-1\n0,1\n", None));
        let found: Vec<(u64, usize)> = found.iter().map(|(_, line, column, _)| (*line, *column)).collect();
        assert_eq!(found, [(2, 1), (3, 3), (4, 1)]);
        assert_eq!(read_trace_csv("", None).expect_err("empty")[0].message, "the trace is empty");
        assert_eq!(read_trace("# none\n").expect_err("empty")[0].message, "the trace has no points");
        let found = read_trace_csv("time,value\n0,1\n", Some(SimDuration::ZERO)).expect_err("no round");
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn a_state_may_leave_and_return_at_one_instant_and_a_value_may_not() {
        let text = "0 1\n5 0\n5 1\n";
        let read = read_lines(text, TraceOf::States).expect("a state");
        assert!(read.least_at(SimTime::from_nanos(5_000_000_000)) <= 0.0);
        let columns = read_columns("time,value\n0,1\n5,0\n5,1\n", TraceOf::States);
        assert_eq!(columns.expect("a state"), read);
        assert_eq!(mistakes(read_trace(text))[0].1, 3);
        assert_eq!(mistakes(read_lines("0 0\n5 1\n5 0\n", TraceOf::States))[0].1, 3);
    }

    #[test]
    fn a_round_past_the_end_of_time_is_reported_at_its_line() {
        let found = mistakes(read_trace("0 1\n9e9 1\nPERIODICITY 1.8e10"));
        assert_eq!((found[0].1, found[0].2), (3, 13));
    }
}
