//! A description as text: facts a line each, columns as a table, the guess as TOML to paste.

use std::fmt::Write;

use clustersim_experiment::output::number::{counted, grouped, lasting, plain};
use clustersim_experiment::report::figures::{labelled, percent};

use crate::import::table::{ColumnSurvey, SHOWN_VALUES, TableSurvey, TableTotals, date};
use crate::registry::{Problem, toml_text};
use crate::text::Mistakes;
use crate::workload::swf::Log;
use crate::workload::{LogSummary, MiddleRange};

use super::Description;
use super::content::Content;
use super::expected::Expected;
use crate::job_tables::extent;

/// Letters of a value, and of all values of a column, that are shown.
const VALUE: usize = 24;
const VALUES: usize = 72;
/// Weeks that are listed.
const WEEKS: usize = 26;
/// Mistakes of a table that are listed.
const REFUSALS: usize = 20;

/// Labels and values.
type Facts = Vec<(&'static str, Option<String>)>;

/// The description as text.
pub(super) fn text(description: &Description<'_>) -> String {
    let mut facts: Facts = vec![
        ("file", Some(description.file.display().to_string())),
        ("what it is", Some(description.about.clone())),
        ("read by", Some(description.reader.clone())),
    ];
    let bytes = format!("{} bytes", grouped(description.bytes));
    let mut text = String::new();
    match &description.content {
        Content::Unread => {
            facts.push(("size", Some(bytes)));
            labelled(&mut text, facts);
        }
        Content::Facts(more, _) => {
            facts.push(("size", Some(bytes)));
            let more = more.iter().map(|(label, value)| (label.as_str(), value.clone()));
            labelled(&mut text, facts.iter().map(|(label, value)| (*label, value.clone())).chain(more));
        }
        Content::Log(log) => {
            facts.push(("size", Some(format!("{bytes}, {} records", grouped(log.report.jobs)))));
            facts.push(expected(log));
            labelled(&mut text, facts);
            log_text(&mut text, log, None);
        }
        Content::Table(survey) => {
            let rows = grouped(survey.rows);
            facts.push(("size", Some(format!("{bytes}, {rows} rows, {}", column_count(survey)))));
            facts.extend(survey.jobs.as_ref().ok().map(|(log, _)| expected(log)));
            labelled(&mut text, facts);
            table_text(&mut text, survey, description);
        }
    }
    text
}

/// The number of columns, after that of those that are shown if not all are.
fn column_count(survey: &TableSurvey) -> String {
    let (shown, all) = (survey.columns.len() as u64, survey.all_columns);
    let of = if shown == all { String::new() } else { format!("{} of ", grouped(shown)) };
    format!("{of}{} columns", grouped(all))
}

fn expected(log: &Log) -> (&'static str, Option<String>) {
    ("to expect", Some(Expected::of(log.report.jobs, log.jobs.len() as u64).words()))
}

fn table_text(text: &mut String, survey: &TableSurvey, description: &Description<'_>) {
    text.push('\n');
    columns(text, &survey.columns);
    for name in &survey.twice {
        let name = cut(name, VALUES);
        *text += &format!(" Several columns are called `{name}`: no key can mean one of them, rename them\n");
    }
    match &survey.nodes {
        Some(Ok(groups)) => *text += &format!("\n {}\n", extent(groups)),
        Some(Err(mistakes)) => refused(text, "`convert`", mistakes),
        None => {}
    }
    let is_named = !survey.guess.has("header");
    if !survey.is_of_jobs() && (is_named || survey.foreign.is_some()) {
        return;
    }
    let file = toml_text(&description.file.to_string_lossy());
    *text += &format!(
        "\n What a scenario may say of it; what is guessed is marked:\n\n{}",
        survey.guess.workload(&file, false)
    );
    if !survey.is_of_jobs() {
        *text += "# and which column is which: submit, start, end, procs, …; `clustersim explain workload.columns`\n";
        return;
    }
    match &survey.jobs {
        Ok((log, totals)) => log_text(text, log, Some(totals)),
        Err(mistakes) => refused(text, "A run", mistakes),
    }
}

/// The mistakes for which a reader would refuse a table, a line each.
fn refused(text: &mut String, reader: &str, mistakes: &Mistakes<Problem>) {
    *text += &format!("\n {reader} would refuse it:\n");
    let mut helps: Vec<&str> = Vec::new();
    for problem in mistakes.iter().take(REFUSALS) {
        let place = problem.place.as_ref();
        let place =
            place.map(|place| format!("line {}, column {}: ", place.line, place.letter)).unwrap_or_default();
        *text += &format!("   {place}{}\n", problem.message);
        // many cells are wrong in the same way
        if let Some(help) = problem.help.as_deref().filter(|help| !helps.contains(help)) {
            *text += &format!("     {help}\n");
            helps.push(help);
        }
    }
    let more = mistakes.count() - mistakes.len().min(REFUSALS) as u64;
    if more > 0 {
        *text += &format!("   and {} more\n", grouped(more));
    }
}

/// Columns, a line each.
fn columns(text: &mut String, columns: &[ColumnSurvey]) {
    let heads = ["column", "type", "stated", "unknown", "range", "values"];
    let mut rows = vec![heads.map(ToOwned::to_owned)];
    rows.extend(columns.iter().map(|column| {
        [
            cut(&column.name, VALUES),
            column.kind().name().to_owned(),
            grouped(column.stated),
            grouped(column.unknown),
            range(column),
            values(column),
        ]
    }));
    let widths: Vec<usize> = (0..heads.len())
        .map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0))
        .collect();
    for row in rows {
        let mut line = String::new();
        for (at, cell) in row.iter().enumerate() {
            let width = widths[at];
            // counts stand to the right; writing into a String cannot fail
            let _ = if at == 2 || at == 3 {
                write!(line, " {cell:>width$} ")
            } else {
                write!(line, " {cell:<width$} ")
            };
        }
        *text += line.trim_end();
        text.push('\n');
    }
}

fn cut(value: &str, most: usize) -> String {
    if value.chars().count() <= most {
        return value.to_owned();
    }
    value.chars().take(most - 1).chain(['…']).collect()
}

fn range(column: &ColumnSurvey) -> String {
    let times = column.times.map(|(first, last)| format!("{} to {}", date(first), date(last)));
    let numbers = || column.range.map(|(least, greatest)| format!("{least} to {greatest}"));
    times.or_else(numbers).unwrap_or_default()
}

fn values(column: &ColumnSurvey) -> String {
    let shown: Vec<String> = column.values.iter().take(SHOWN_VALUES).map(|value| cut(value, VALUE)).collect();
    let mut text = cut(&shown.join(", "), VALUES);
    if (column.has_more || column.values.len() > SHOWN_VALUES) && !text.ends_with('…') {
        text += ", …";
    }
    text
}

/// Jobs: what a run drops or mends, and the figures of the rest.
fn log_text(text: &mut String, log: &Log, totals: Option<&TableTotals>) {
    let records = log.report.jobs;
    *text += &format!(
        "\n A run would have {} of {}:\n",
        counted(log.jobs.len() as u64, "job"),
        counted(records, "record")
    );
    let long = log.report.long();
    if long.is_empty() {
        *text += "   all as they stand\n";
    }
    long.iter().for_each(|line| *text += &format!("   {line}\n"));
    let summary = LogSummary::of(log);
    text.push('\n');
    labelled(text, figures(log, &summary, totals));
    weeks(text, log, &summary);
}

fn middle<T: Copy>(range: MiddleRange<T>, word: impl Fn(T) -> String) -> String {
    format!("{} to {}, median {}", word(range.least), word(range.greatest), word(range.median))
}

fn figures(log: &Log, summary: &LogSummary, totals: Option<&TableTotals>) -> Facts {
    let named = [
        (summary.users, "users"),
        (summary.groups, "groups"),
        (summary.queues, "queues"),
        (summary.partitions, "partitions"),
    ];
    let named: Vec<String> = named
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, of)| format!("{} {of}", grouped(*count as u64)))
        .collect();
    let machine = match summary.machine {
        Some(procs) => {
            format!("{} of the machine, {} in use at once at most", grouped(procs), grouped(summary.peak))
        }
        None => format!("not stated; {} in use at once at most", grouped(summary.peak)),
    };
    let sizes: Vec<String> = summary.by_size.iter().map(|count| grouped(*count)).collect();
    let limits = summary.limits;
    let limits = (limits.requested > 0).then(|| {
        let (reached, requested) = (grouped(limits.reached), grouped(limits.requested));
        format!("{reached} of {requested} reached; {} used on average", percent(limits.mean_share))
    });
    let mut facts = vec![
        (
            "from",
            Some(log.unix_origin().map_or("no date".to_owned(), |first| format!("{} UTC", date(first)))),
        ),
        ("span", Some(format!("{} from the first submission to the last", lasting(summary.span)))),
        ("names", (!named.is_empty()).then(|| named.join(", "))),
        ("machine", Some(machine)),
        ("processors", Some(middle(summary.sizes, |size| grouped(size.into())))),
        ("of 1, 2, 4, …", Some(sizes.join(" "))),
        ("run times", Some(middle(summary.run_times, lasting))),
        ("waits", summary.waits.map(|waits| middle(waits, lasting))),
        ("limits", limits),
    ];
    if let Some(totals) = totals {
        let amount = |value: f64| (value > 0.0).then(|| exact(value));
        facts.push(("processor-s", amount(totals.processor_seconds)));
        facts.push(("node-s", amount(totals.node_seconds)));
        let gpus = |seconds| format!("{seconds} of {} jobs", grouped(totals.with_gpus));
        facts.push(("GPU-s", amount(totals.gpu_seconds).map(gpus)));
    }
    facts
}

/// A sum with three decimals at most.
fn exact(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn weeks(text: &mut String, log: &Log, summary: &LogSummary) {
    *text += &format!("\n Load by week, on {} processors:\n", grouped(summary.processors()));
    for (number, week) in (0_i64..).zip(&summary.weeks).take(WEEKS) {
        let from = log.unix_origin().map(|first| date(first + number * 604_800));
        let from = from.as_deref().and_then(|date| date.split(' ').next()).unwrap_or("");
        let load = plain(summary.load(*week));
        *text += format!("   {:>4}  {from:<10}  {:>10} jobs  {load:>8}", number + 1, grouped(week.jobs))
            .trim_end();
        text.push('\n');
    }
    if summary.weeks.len() > WEEKS {
        *text +=
            &format!("   and {} more, which --json has\n", grouped((summary.weeks.len() - WEEKS) as u64));
    }
}
