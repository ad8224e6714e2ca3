//! Behaviours of the Parameter Sweep Template: circular series of what hosts and links deliver.
//!
//! ```text
//! 3          2
//! 100        10 100000
//! 50         250 20000
//! 0
//! ```
//!
//! First comes the number of lines. Of a host each line is the percentage that is available, of a
//! link its latency in milliseconds and its bandwidth in bytes per second. Each holds for one step,
//! and the first follows the last.
//!
//! A measured series serves as well: a file that ends in `.csv` has the columns `time` and `value`,
//! and in any other each line may be a time and a value. Values are the share of a host that is
//! available, from 0 to 1, or bytes per second of a link. The first value holds from the beginning,
//! whatever its time is, and the last one for a step.
//!
//! Source: section 7.2.1 of the report of the Parameter Sweep Template.

use std::path::{Path, PathBuf};

use crate::clustered::read::fields::{number, spoken};
use crate::kernel::SimDuration;
use crate::registry::Problem;
use crate::registry::in_text;
use crate::registry::{Complaint, Span, code};
use crate::text::{LONGEST_TEXT, Mistake, Mistakes, Spot, TextLine, read_file};
use crate::{Trace, Varying, read_trace, read_trace_csv};

/// Values of a series: a bandwidth of more is a mistake.
const MOST_BANDWIDTH: f64 = crate::sharing::MOST;

/// Kind of resource that a behaviour is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum BehaviourOf {
    /// The share of a host that is available.
    Host,
    /// The bandwidth and latency of a link.
    Link,
}

/// Behaviour of a host or link.
#[derive(Clone, Debug)]
pub enum ResourceBehaviour {
    /// A series, whose clock begins with its first value.
    Series {
        /// The share that is available, or bytes per second.
        values: Trace,
        /// Seconds, of a link.
        latency: Trace,
        /// Values of it, after which it repeats.
        count: u64,
    },
    /// Drawn for each host or link by itself.
    Drawn(Varying),
}

impl ResourceBehaviour {
    /// Always the same: a share, or bytes per second.
    pub fn constant(value: f64) -> Self {
        ResourceBehaviour::Series { values: Trace::constant(value), latency: Trace::constant(0.0), count: 1 }
    }

    /// Behaviour by a name of the published files where there is no such file: `stable_50`,
    /// `stable_100Kb`, `stable_1Mb`.
    pub fn stable(name: &str, of: BehaviourOf) -> Option<Self> {
        let rest = name.strip_prefix("stable_")?;
        let (digits, unit) = rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count());
        let amount: f64 = digits.parse().ok()?;
        let value = match (of, unit) {
            (BehaviourOf::Host, "") if amount <= 100.0 => amount / 100.0,
            (BehaviourOf::Link, "Kb") => amount * 1e3,
            (BehaviourOf::Link, "Mb") => amount * 1e6,
            _ => return None,
        };
        (value <= MOST_BANDWIDTH).then(|| ResourceBehaviour::constant(value))
    }

    /// Reads a file; `name` is what messages call it, at `at`.
    ///
    /// # Errors
    /// The file cannot be read, or everything that is wrong with it.
    pub fn read(
        path: &Path,
        (name, at): (&str, Span),
        of: BehaviourOf,
        step: SimDuration,
    ) -> Result<Self, Vec<Complaint>> {
        let text = read_file(path, LONGEST_TEXT).map_err(|why| {
            Complaint::new(code::FILE, format!("cannot read `{name}`: {why}"), at).label("named here")
        })?;
        let is_csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let here = |complaint: Complaint| Complaint { span: Some(at), ..complaint };
        let problems = |problems: Mistakes<Problem>| -> Vec<Complaint> {
            problems.map(|problem| problem.complaint(name, Some(at))).into()
        };
        if is_csv {
            return read_trace_csv(&text, None).and_then(|trace| measured(trace, of, step)).map_err(problems);
        }
        ResourceBehaviour::of_text(&text, of, step).map_err(|wrong| match wrong {
            Wrong::Series(mistakes) => {
                in_text(mistakes, &text, name, code::SWEEP).into_iter().map(here).collect()
            }
            Wrong::Measured(found) => problems(found),
        })
    }

    /// The behaviour that a text without columns is: a series, or measured values.
    pub(in crate::clustered) fn of_text(
        text: &str,
        of: BehaviourOf,
        step: SimDuration,
    ) -> Result<Self, Wrong> {
        if is_measured(text) {
            return read_trace(text).and_then(|trace| measured(trace, of, step)).map_err(Wrong::Measured);
        }
        series(text, of, step).map_err(Wrong::Series)
    }
}

/// The mistakes of a text.
#[derive(Debug)]
pub(in crate::clustered) enum Wrong {
    /// Of a series of the template.
    Series(Mistakes<Mistake>),
    /// Of measured values.
    Measured(Mistakes<Problem>),
}

/// The file of a behaviour of this name in the folder of a grid.
pub fn file_next_to(grid: &Path, name: &str) -> Option<PathBuf> {
    let files = [grid.with_file_name(name), grid.with_file_name(format!("{name}.txt"))];
    files.into_iter().find(|file| file.is_file())
}

/// Returns true if the first line that says something is a time and a value, or says how such lines
/// repeat.
fn is_measured(text: &str) -> bool {
    let mut lines = spoken(text).filter(|line| !line.text.trim_start().starts_with('%'));
    lines.next().is_some_and(|line| line.words().count() == 2)
}

/// A measured series as a circular behaviour.
fn measured(
    trace: Trace,
    of: BehaviourOf,
    step: SimDuration,
) -> Result<ResourceBehaviour, Mistakes<Problem>> {
    let most = if of == BehaviourOf::Host { 1.0 } else { MOST_BANDWIDTH };
    if let Some((at, value)) = trace.points().find(|(_, value)| *value > most) {
        let what = format!("{value} at {} s is more than {most}", at.as_secs_f64());
        return Err(Problem::new(code::RANGE, what).into());
    }
    let count = trace.points().count() as u64;
    let trace = if trace.repeats() {
        trace
    } else {
        trace.repeated(Some(step)).map_err(|why| Problem::new(code::RANGE, why.to_string()))?
    };
    Ok(ResourceBehaviour::Series { values: trace.from_first(), latency: Trace::constant(0.0), count })
}

/// Reads the text of a series.
///
/// # Errors
/// Everything that is wrong with it, each mistake at its place.
pub fn series(
    text: &str,
    of: BehaviourOf,
    step: SimDuration,
) -> Result<ResourceBehaviour, Mistakes<Mistake>> {
    let mut mistakes = Mistakes::new();
    let mut lines = spoken(text);
    let end = Spot::new(text.len() as u64, 0);
    let head = lines.next();
    let declared = head.and_then(|line| line.text.trim_ascii().parse::<u64>().ok());
    let spot = head.map_or(end, |line| line.part(0..line.text.len()).spot());
    if declared.is_none() {
        mistakes.at(spot, "the number of values should stand here");
    }
    let (mut values, mut latencies) = (Vec::new(), Vec::new());
    let mut found = 0;
    for line in lines {
        found += 1;
        match of {
            BehaviourOf::Host => values.extend(cells(line, ["the availability"], &mut mistakes).and_then(
                |[(percent, spot)]| {
                    let share = percent.filter(|percent| *percent <= 100.0);
                    if share.is_none() {
                        mistakes.at(spot, "the availability is not a percentage from 0 to 100");
                    }
                    share.map(|percent| percent / 100.0)
                },
            )),
            BehaviourOf::Link => {
                let Some([latency, bandwidth]) = cells(line, ["the latency", "the bandwidth"], &mut mistakes)
                else {
                    continue;
                };
                for ((value, spot), message) in [
                    (latency, "the latency is not a number of milliseconds"),
                    (
                        (bandwidth.0.filter(|rate| *rate <= MOST_BANDWIDTH), bandwidth.1),
                        "the bandwidth is not a number of bytes per second",
                    ),
                ] {
                    if value.is_none() {
                        mistakes.at(spot, message);
                    }
                }
                latencies.extend(latency.0.map(|millis| millis / 1e3));
                values.extend(bandwidth.0);
            }
        }
    }
    if let Some(declared) = declared.filter(|declared| *declared != found) {
        mistakes.at(spot, format!("{declared} values are declared and {found} follow"));
    }
    if found == 0 && declared.unwrap_or(0) == 0 {
        mistakes.at(end, "there is no value");
    }
    let count = found;
    let traces = || -> Result<[Trace; 2], String> {
        let latency = if of == BehaviourOf::Link { &latencies[..] } else { &[0.0] };
        let trace = |values: &[f64]| Trace::series(values, step).map_err(|why| why.to_string());
        Ok([trace(&values)?, trace(latency)?])
    };
    mistakes.in_order().unless_any(())?;
    let [values, latency] = traces().map_err(|message| Mistake { message, help: None, spot })?;
    Ok(ResourceBehaviour::Series { values, latency, count })
}

/// The numbers of a line, each with its place.
fn cells<const N: usize>(
    line: TextLine<'_>,
    what: [&str; N],
    mistakes: &mut Mistakes<Mistake>,
) -> Option<[(Option<f64>, Spot); N]> {
    let mut words = line.words();
    let mut found = [(None, line.end()); N];
    for (cell, what) in found.iter_mut().zip(what) {
        let Some((word, spot)) = words.next() else {
            mistakes.at(line.end(), format!("{what} is missing"));
            return None;
        };
        *cell = (number(word), spot);
    }
    if let Some((_, spot)) = words.next() {
        mistakes.at(spot, "the line goes on");
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SimTime;

    const STEP: SimDuration = SimDuration::from_secs(5);

    fn mistakes(text: &str, of: BehaviourOf) -> Vec<(usize, String, String)> {
        let shown = |mistake: Mistake| {
            let at = mistake.spot.at as usize;
            let word = text[at..at + mistake.spot.width as usize].to_owned();
            (text[..at].matches('\n').count() + 1, word, mistake.message)
        };
        series(text, of, STEP).expect_err("mistakes").into_iter().map(shown).collect()
    }

    fn at(seconds: u64) -> SimTime {
        SimTime::from_nanos(seconds * 1_000_000_000)
    }

    #[test]
    fn a_host_has_percentages_and_a_link_pairs() {
        let Ok(ResourceBehaviour::Series { values, count, .. }) =
            series("# a host\n3\n100\n 50 \n\n0\n", BehaviourOf::Host, STEP)
        else {
            panic!("a series")
        };
        assert_eq!(count, 3);
        assert_eq!(
            format!("{:?}", [0, 5, 14, 15].map(|second| values.value_at(at(second)))),
            "[1.0, 0.5, 0.0, 1.0]"
        );
        let Ok(ResourceBehaviour::Series { values, latency, .. }) =
            series("2\n10 1e5\r\n250 0\n", BehaviourOf::Link, STEP)
        else {
            panic!("a series")
        };
        assert_eq!(format!("{:?}", [0, 7].map(|second| latency.value_at(at(second)))), "[0.01, 0.25]");
        assert_eq!(
            format!("{:?}", [4, 9, 10].map(|second| values.value_at(at(second)))),
            "[100000.0, 0.0, 100000.0]"
        );
    }

    #[test]
    fn every_mistake_is_at_its_place() {
        let found = |line, at: &str, what: &str| (line, at.to_owned(), what.to_owned());
        assert_eq!(
            mistakes("4\n101\n-1\nx y\n", BehaviourOf::Host),
            [
                found(1, "4", "4 values are declared and 3 follow"),
                found(2, "101", "the availability is not a percentage from 0 to 100"),
                found(3, "-1", "the availability is not a percentage from 0 to 100"),
                found(4, "x", "the availability is not a percentage from 0 to 100"),
                found(4, "y", "the line goes on"),
            ]
        );
        assert_eq!(
            mistakes("many\n1\n-1 1e30\n", BehaviourOf::Link),
            [
                found(1, "many", "the number of values should stand here"),
                found(2, "", "the bandwidth is missing"),
                found(3, "-1", "the latency is not a number of milliseconds"),
                found(3, "1e30", "the bandwidth is not a number of bytes per second"),
            ]
        );
        assert_eq!(mistakes("0\n", BehaviourOf::Host), [found(2, "", "there is no value")]);
        assert_eq!(mistakes("", BehaviourOf::Host)[0].2, "the number of values should stand here");
    }

    #[test]
    fn names_of_lost_files_stand_for_constants() {
        let value = |name: &str, of| match ResourceBehaviour::stable(name, of) {
            Some(ResourceBehaviour::Series { values, .. }) => Some(values.value_at(SimTime::ZERO)),
            _ => None,
        };
        assert_eq!(value("stable_50", BehaviourOf::Host), Some(0.5));
        assert_eq!(value("stable_100Kb", BehaviourOf::Link), Some(1e5));
        assert_eq!(value("stable_1Mb", BehaviourOf::Link), Some(1e6));
        for (name, of) in [
            ("stable_101", BehaviourOf::Host),
            ("stable_1Mb", BehaviourOf::Host),
            ("stable_50", BehaviourOf::Link),
            ("stable_", BehaviourOf::Host),
            ("loaded_2", BehaviourOf::Host),
        ] {
            assert_eq!(value(name, of), None, "{name}");
        }
    }
}
